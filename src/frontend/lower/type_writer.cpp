// SPDX-License-Identifier: MIT
// Writes types, declarations and literals.
#include "frontend/lower/type_writer.hpp"

#include <charconv>
#include <cmath>

#include "base/half.hpp"
#include "frontend/lower/names.hpp"

namespace quern::frontend::lower {

std::string TypeWriter::text(const Type* type) {
  switch (type->kind) {
    case TypeKind::void_:
      return "void";
    case TypeKind::bool_:
      return std::string(dialect_.bool_type());
    case TypeKind::char_:
      return "signed char";
    case TypeKind::uchar:
      return "unsigned char";
    case TypeKind::short_:
      return "short";
    case TypeKind::ushort:
    case TypeKind::half:
      return "unsigned short";  // a half is only stored
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
    case TypeKind::vector:
      return vector(type);
    case TypeKind::structure:
      define(type->record);
      return dialect_.record_type(type->record);
    case TypeKind::pointer:
    case TypeKind::array:
      return declare({type}, "");
    case TypeKind::opaque:
    case TypeKind::complex:  // replaced by vectors before a program is lowered
      break;
  }
  out_.fail({0, 1, 1}, "values of type " + name_of(type) + " are not supported here yet");
}

// A structure of elements, aligned as a whole. Compilers keep it in registers and vectorise across
// work-items.
std::string TypeWriter::vector(const Type* type) {
  std::string name = "quern_" + name_of(type);
  if (!out_.define(name)) return name;
  std::string members = text(type->element.type) + " ";
  const std::size_t slots = type->count == 3 ? 4 : type->count;
  for (std::size_t i = 0; i < slots; ++i) members += (i > 0 ? ", " : "") + lane(i);
  out_.add_type(dialect_.vector_definition(name, size_of(type), members) + "\n");
  return name;
}

std::string TypeWriter::declare(const QualType& type, const std::string& name) {
  const Type* t = type.type;
  const bool is_aggregate = t->is_vector() || t->kind == TypeKind::structure;
  const bool is_volatile = type.is_volatile && (dialect_.copies_volatile_structures() || !is_aggregate);
  const std::string qualifiers = is_volatile ? "volatile " : "";
  if (t->is_pointer()) return pointer(type, qualifiers, name);
  if (t->kind == TypeKind::array) return declare(t->element, name + "[" + std::to_string(t->count) + "]");
  return qualifiers + text(t) + (name.empty() ? "" : " " + name);
}

std::string TypeWriter::pointer(const QualType& type, const std::string& qualifiers,
                                const std::string& name) {
  std::string inner = "*" + qualifiers + (type.is_restrict ? "__restrict " : "") + name;
  const QualType& pointee = type->element;
  if (pointee->kind == TypeKind::array) inner = "(" + inner + ")";
  if (pointee->kind == TypeKind::structure) {
    // A pointer needs only the structure's name. The definition follows later, so that a structure may point
    // to itself.
    const std::string record = record_name(pointee->record);
    if (out_.define(record)) out_.add_type(record + ";\n");
    wanted_.push_back(pointee->record);
    return std::string(pointee.is_const ? "const " : "") +
           (pointee.is_volatile && dialect_.copies_volatile_structures() ? "volatile " : "") + record + " " +
           inner;
  }
  if (!pointee->is_pointer() && pointee->kind != TypeKind::array &&
      (pointee.is_const || pointee.space == Space::constant))
    return "const " + declare({pointee.type, false, pointee.is_volatile, false, Space::unspecified}, inner);
  return declare(pointee, inner);
}

void TypeWriter::define(const Record* record) {
  if (!started_.insert(record).second) return;
  // NVRTC requires the attributes before the name.
  std::string definition = record->is_union ? "union" : "struct";
  if (record->packed) definition += " __attribute__((packed))";
  if (record->least_alignment > 1)
    definition += " __attribute__((aligned(" + std::to_string(record->least_alignment) + ")))";
  definition += record_name(record).substr(record->is_union ? 5 : 6) + " {\n";
  for (const Field& field : record->fields) {
    const bool is_padding = field.is_bit_field() && field.name.empty();
    definition += "  " + declare(field.type, is_padding ? "" : field_name(*record, field));
    if (field.is_bit_field()) definition += " : " + std::to_string(field.bits);
    if (field.packed) definition += " __attribute__((packed))";
    if (field.least_alignment > 1)
      definition += " __attribute__((aligned(" + std::to_string(field.least_alignment) + ")))";
    definition += ";\n";
  }
  definition += "};\n";
  if (record->most_alignment != 0)
    definition = "#pragma pack(push, " + std::to_string(record->most_alignment) + ")\n" + definition +
                 "#pragma pack(pop)\n";
  out_.add_type(definition);
}

void TypeWriter::define_rest() {
  while (!wanted_.empty()) {
    const Record* record = wanted_.back();
    wanted_.pop_back();
    if (record->is_complete) define(record);
  }
}

std::string TypeWriter::real_literal(double value, const Type* type) {
  const bool is_float = type->kind == TypeKind::float_;
  if (type->kind == TypeKind::half) return "((unsigned short)" + std::to_string(quern::to_half(value)) + ")";
  if (!std::isfinite(value)) return dialect_.non_finite_literal(value, is_float);
  char buffer[64];
  const auto written =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, is_float ? 9 : 17);
  std::string digits(buffer, written.ptr);
  if (digits.find_first_of(".en") == digits.npos) digits += ".0";
  if (is_float) digits += "f";
  return std::signbit(value) ? "(" + digits + ")" : digits;
}

std::string TypeWriter::integer_literal(std::uint64_t value, const Type* type) {
  const auto sign = static_cast<std::int64_t>(value);
  switch (type->kind) {
    case TypeKind::uint:
      return std::to_string(value & 0xffffffff) + "u";
    case TypeKind::ulong:
      return std::to_string(value) + "ull";
    case TypeKind::int_:
      if (sign == INT32_MIN) return "(-2147483647 - 1)";
      return sign < 0 ? "(" + std::to_string(sign) + ")" : std::to_string(sign);
    case TypeKind::long_:
      if (sign == INT64_MIN) return "(-9223372036854775807ll - 1)";
      return sign < 0 ? "(" + std::to_string(sign) + "ll)" : std::to_string(sign) + "ll";
    default:
      return "((" + text(type) + ")" + std::to_string(sign) + ")";
  }
}

std::string TypeWriter::aggregate(const Type* type, const std::string& values) {
  if (type->kind == TypeKind::array) return "{" + values + "}";
  return dialect_.aggregate_value(text(type), values);
}

}  // namespace quern::frontend::lower
