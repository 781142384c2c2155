// SPDX-License-Identifier: MIT
// Names and string literals of the lowered text.
#include "frontend/lower/names.hpp"

#include <cstdio>
#include <unordered_set>

#include "frontend/builtins/builtins.hpp"

namespace quern::frontend::lower {
namespace {

// Names that are ordinary in OpenCL C, but that C, C++, CUDA or a compiler's predefined macros use.
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

std::string mangled(std::string_view name) {
  const bool taken = name.starts_with("quern") || name.starts_with("QUERN") || name.starts_with("u_") ||
                     name.starts_with("_") || reserved_words().contains(name) || is_emitted_name(name);
  return taken ? "u_" + std::string(name) : std::string(name);
}

std::string function_name(const Function* function) {
  const std::string number = function->overload > 0 ? std::to_string(function->overload) : "";
  return (function->is_kernel ? "quern_item_" : "quern_f" + number + "_") + std::string(function->name);
}

std::string record_name(const Record* record) {
  return (record->is_union ? "union quern_s" : "struct quern_s") + std::to_string(record->id) + "_" +
         record->name;
}

std::string field_name(const Record& record, const Field& field) {
  if (!field.name.empty()) return mangled(field.name);
  return "quern_unnamed" + std::to_string(&field - record.fields.data());
}

std::string parameter_name(const Variable* parameter, std::string_view unnamed, std::size_t number) {
  if (!parameter->name.empty()) return mangled(parameter->name);
  return std::string(unnamed) + std::to_string(number);
}

std::string lane(std::size_t index) {
  return std::string("s") + "0123456789abcdef"[index];
}

std::string short_name(const Type* type) {
  return type->is_pointer() ? short_name(type->element.type) + "_pointer" : name_of(type);
}

std::string alignment_text(const Variable* v) {
  if (v->least_alignment <= 1) return {};
  return " __attribute__((aligned(" + std::to_string(v->least_alignment) + ")))";
}

std::string string_literal(std::string_view bytes) {
  std::string text = "\"";
  for (const char c : bytes) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || c == '?' || u < 32 || u > 126) {
      char buffer[8];
      std::snprintf(buffer, sizeof buffer, "\\%03o", u);
      text += buffer;
    } else {
      text += c;
    }
  }
  return text + "\"";
}

std::string call_text(std::string_view function, const std::vector<std::string>& arguments) {
  std::string text = std::string(function) + "(";
  for (std::size_t i = 0; i < arguments.size(); ++i) text += (i > 0 ? ", " : "") + arguments[i];
  return text + ")";
}

}  // namespace quern::frontend::lower
