// SPDX-License-Identifier: MIT
// Names and types of the lowered text.
#include "frontend/builtins/builtins.hpp"
#include "frontend/lower/emitter.hpp"

namespace quern::frontend::lower {
namespace {

// Words that C, C++, CUDA or a compiler's predefined macros have taken, and that are ordinary names in OpenCL
// C.
const std::unordered_set<std::string_view>& reserved_words() {
  static const auto* words = new std::unordered_set<std::string_view>{
      "alignas",   "alignof",       "and",         "and_eq",
      "asm",       "auto",          "bitand",      "bitor",
      "bool",      "catch",         "char8_t",     "char16_t",
      "char32_t",  "class",         "compl",       "concept",
      "consteval", "constexpr",     "constinit",   "const_cast",
      "co_await",  "co_return",     "co_yield",    "decltype",
      "delete",    "dynamic_cast",  "explicit",    "export",
      "false",     "friend",        "mutable",     "namespace",
      "new",       "noexcept",      "not",         "not_eq",
      "nullptr",   "operator",      "or",          "or_eq",
      "private",   "protected",     "public",      "reinterpret_cast",
      "requires",  "static_assert", "static_cast", "template",
      "this",      "thread_local",  "throw",       "true",
      "try",       "typeid",        "typename",    "typeof",
      "using",     "virtual",       "wchar_t",     "xor",
      "xor_eq",    "register",      "restrict",    "inline",
      "extern",    "signed",        "unix",        "linux",
      "i386",      "threadIdx",     "blockIdx",    "blockDim",
      "gridDim",   "warpSize",      "dim3",        "min",
      "max",       "main",          "memcpy",      "memset",
      "printf",    "asm_volatile",  "final",       "override",
      "size_t",    "char1",         "char2",       "char3",
      "char4",     "short1",        "short2",      "short3",
      "short4",    "int1",          "int2",        "int3",
      "int4",      "long1",         "long2",       "long3",
      "long4",     "float1",        "float2",      "float3",
      "float4",    "double1",       "double2",     "double3",
      "double4",   "uint3",         "cudaError_t"};
  return *words;
}

}  // namespace

// The user's own names stay as they are wherever they can, so that a debugger shows them.
std::string Emitter::mangled(std::string_view name) {
  const bool taken = name.starts_with("quern") || name.starts_with("QUERN") || name.starts_with("u_") ||
                     name.starts_with("_") || reserved_words().contains(name) || is_emitted_name(name);
  return taken ? "u_" + std::string(name) : std::string(name);
}

std::string Emitter::function_name(const Function* function) {
  const std::string number = function->overload > 0 ? std::to_string(function->overload) : "";
  return (function->is_kernel ? "quern_item_" : "quern_f" + number + "_") + std::string(function->name);
}

std::string Emitter::record_name(const Record* record) {
  return (record->is_union ? "union quern_s" : "struct quern_s") + std::to_string(record->id) + "_" +
         record->name;
}

std::string Emitter::field_name(const Record& record, const Field& field) {
  if (!field.name.empty()) return mangled(field.name);
  return "quern_unnamed" + std::to_string(&field - record.fields.data());
}

std::string Emitter::lane(std::size_t index) {
  return std::string("s") + "0123456789abcdef"[index];
}

std::string Emitter::short_name(const Type* type) {
  return type->is_pointer() ? short_name(type->element.type) + "_pointer" : name_of(type);
}

std::string Emitter::name_of_variable(const Variable* variable) {
  std::string& name = variable_names_[variable];
  if (name.empty()) name = mangled(variable->name);
  return name;
}

std::string Emitter::type_text(const Type* type) {
  switch (type->kind) {
    case TypeKind::void_:
      return "void";
    case TypeKind::bool_:
      return is_cuda() ? "bool" : "_Bool";
    case TypeKind::char_:
      return "signed char";
    case TypeKind::uchar:
      return "unsigned char";
    case TypeKind::short_:
      return "short";
    case TypeKind::ushort:
    case TypeKind::half:
      return "unsigned short";  // a half is only ever stored
    case TypeKind::int_:
      return "int";
    case TypeKind::uint:
      return "unsigned";
    case TypeKind::long_:
      return "long long";
    case TypeKind::ulong:
      return "unsigned long long";
    case TypeKind::float_:
      return "float";
    case TypeKind::double_:
      return "double";
    case TypeKind::vector: {
      const std::string name = "quern_" + name_of(type);
      if (!defined_.insert(name).second) return name;
      // Plain elements, aligned as a whole: compilers keep them in registers and vectorise across work-items.
      const std::string align = std::to_string(size_of(type));
      std::string text = is_cuda() ? "struct __align__(" + align + ") " + name + " { "
                                   : "typedef struct __attribute__((aligned(" + align + "))) { ";
      text += type_text(type->element.type) + " ";
      const std::size_t slots = type->count == 3 ? 4 : type->count;
      for (std::size_t i = 0; i < slots; ++i) text += (i > 0 ? ", " : "") + lane(i);
      types_ += text + (is_cuda() ? "; };\n" : "; } " + name + ";\n");
      return name;
    }
    case TypeKind::structure:
      define_record(type->record);
      // C++ needs no keyword, and allows none where a value is made.
      return is_cuda() ? record_name(type->record).substr(type->record->is_union ? 6 : 7)
                       : record_name(type->record);
    case TypeKind::pointer:
    case TypeKind::array:
      return declare({type}, "");
    case TypeKind::opaque:
    case TypeKind::complex:  // which are vectors before a program is lowered
      break;
  }
  files_.fail({0, 1, 1}, "values of type " + name_of(type) + " are not supported here yet");
}

std::string Emitter::declare(const QualType& type, std::string name) {
  const Type* t = type.type;
  std::string qualifiers;
  // C++ does not copy structures that are volatile, and vectors are structures there.
  const bool keeps_volatile = !is_cuda() || !(t->is_vector() || t->kind == TypeKind::structure);
  if (type.is_volatile && keeps_volatile) qualifiers += "volatile ";
  if (t->is_pointer()) {
    std::string inner = "*" + qualifiers + (type.is_restrict ? "__restrict " : "") + name;
    const QualType& pointee = t->element;
    if (pointee->kind == TypeKind::array) inner = "(" + inner + ")";
    if (pointee->kind == TypeKind::structure) {
      // Only its name is needed here; it is defined with the other types later.
      if (defined_.insert(record_name(pointee->record)).second)
        types_ += record_name(pointee->record) + ";\n";
      records_wanted_.push_back(pointee->record);
      return std::string(pointee.is_const ? "const " : "") +
             (pointee.is_volatile && !is_cuda() ? "volatile " : "") + record_name(pointee->record) + " " +
             inner;
    }
    if (!pointee->is_pointer() && pointee->kind != TypeKind::array &&
        (pointee.is_const || pointee.space == Space::constant))
      return "const " + declare({pointee.type, false, pointee.is_volatile, false, Space::unspecified}, inner);
    return declare(pointee, inner);
  }
  if (t->kind == TypeKind::array) return declare(t->element, name + "[" + std::to_string(t->count) + "]");
  return qualifiers + type_text(t) + (name.empty() ? "" : " " + name);
}

void Emitter::define_record(const Record* record) {
  if (!records_started_.insert(record).second) return;
  // NVRTC wants the attributes before the name.
  std::string text = record->is_union ? "union" : "struct";
  if (record->packed) text += " __attribute__((packed))";
  if (record->least_alignment > 1)
    text += " __attribute__((aligned(" + std::to_string(record->least_alignment) + ")))";
  text += record_name(record).substr(text.starts_with("union") ? 5 : 6) + " {\n";
  for (const Field& field : record->fields) {
    const bool is_padding = field.is_bit_field() && field.name.empty();
    text += "  " + declare(field.type, is_padding ? "" : field_name(*record, field));
    if (field.is_bit_field()) text += " : " + std::to_string(field.bits);
    if (field.packed) text += " __attribute__((packed))";
    if (field.least_alignment > 1)
      text += " __attribute__((aligned(" + std::to_string(field.least_alignment) + ")))";
    text += ";\n";
  }
  text += "};\n";
  if (record->most_alignment != 0)
    text =
        "#pragma pack(push, " + std::to_string(record->most_alignment) + ")\n" + text + "#pragma pack(pop)\n";
  types_ += text;
}

}  // namespace quern::frontend::lower
