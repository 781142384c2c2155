// SPDX-License-Identifier: MIT
// The C of gcc and clang.
#include "frontend/lower/c/dialect.hpp"

#include <cmath>

#include "base/text.hpp"
#include "frontend/lower/names.hpp"
#include "frontend/lower/output.hpp"

namespace quern::frontend::lower {
namespace {

// The functions of libm that the C forms call by name. gcc may call the vector variants of the first five
// only through a declaration; clang has no built-in of the last two (of exp10 from version 18 on).
struct LibraryFunction {
  std::string_view call, parameters;  // @ is "f" for float, $ the type
  bool has_vector_variant;
};
constexpr LibraryFunction kLibraryFunctions[] = {
    {"sin@(", "$", true},
    {"cos@(", "$", true},
    {"exp@(", "$", true},
    {"log@(", "$", true},
    {"pow@(", "$, $", true},
    {"exp10@(", "$", false},
    {"lgamma@_r(", "$, int *", false},
};

bool calls(std::string_view text, std::string_view call) {
  const std::size_t at = text.find(call);
  return at != text.npos && (at == 0 || !is_name_character(text[at - 1]));
}

std::string filled(std::string_view pattern, std::string_view suffix, std::string_view type) {
  std::string text;
  for (const char c : pattern) {
    if (c == '@') {
      text += suffix;
    } else if (c == '$') {
      text += type;
    } else {
      text += c;
    }
  }
  return text;
}

void declare_library_functions(std::string_view text, const Type* type, Output& out) {
  const bool is_float = type->kind == TypeKind::float_;
  const std::string t = is_float ? "float" : "double";
  for (const LibraryFunction& f : kLibraryFunctions) {
    if (!calls(text, f.call)) continue;
    if (f.has_vector_variant) {
      out.requirements.libmvec = true;
      out.define_text("QUERN_SIMD",
                      "#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)\n"
                      "#if __has_include(<bits/libm-simd-decl-stubs.h>)\n"
                      "#define QUERN_SIMD __attribute__((simd(\"notinbranch\"), const))\n"
                      "#endif\n#endif\n"
                      "#ifndef QUERN_SIMD\n#define QUERN_SIMD __attribute__((const))\n#endif");
    }
    const std::string head = filled(f.call, is_float ? "f" : "", t);
    out.define_text("prototype " + head, (f.has_vector_variant ? "QUERN_SIMD " : "") + t + " " + head +
                                             filled(f.parameters, "", t) + ");");
  }
}

}  // namespace

std::string CDialect::vector_definition(const std::string& name, std::uint64_t alignment,
                                        const std::string& members) const {
  return "typedef struct __attribute__((aligned(" + std::to_string(alignment) + "))) { " + members + "; } " +
         name + ";";
}

std::string CDialect::record_type(const Record* record) const {
  return record_name(record);
}

std::string CDialect::non_finite_literal(double value, bool is_float) const {
  return std::string(std::signbit(value) ? "(-__builtin_" : "(__builtin_") +
         (std::isnan(value) ? "nan" : "inf") + (is_float ? "f" : "") +
         (std::isnan(value) ? "(\"\"))" : "())");
}

std::string CDialect::aggregate_value(const std::string& type, const std::string& values) const {
  return "((" + type + "){" + values + "})";
}

// gcc takes minutes to decide which of tens of thousands of calls to inline, so short helpers are always
// inlined. For long ones its decisions are good.
std::string_view CDialect::helper_qualifiers(bool is_long) const {
  return is_for_debugging_ || is_long ? "static inline " : "static inline __attribute__((always_inline)) ";
}

std::string_view CDialect::function_qualifiers(const Function* /*f*/, bool is_short) const {
  return is_short ? "static inline __attribute__((always_inline)) " : "static ";
}

std::string_view CDialect::data_qualifiers(bool is_constant, std::uint64_t /*constant_bytes*/) const {
  return is_constant ? "static const " : "static ";
}

std::string CDialect::unroll_pragma(int count) const {
  return "#pragma GCC unroll " + std::to_string(count > 0 ? count : 16);
}

std::string CDialect::library_function(std::string_view name) const {
  return "__builtin_" + std::string(name);
}

std::string CDialect::leading_zeros(const std::string& x) const {
  return "__builtin_clzll(" + x + ")";
}

std::string_view CDialect::builtin_text(const Builtin& row, const Type* type, Output& out) const {
  const bool is_for_float = type->kind == TypeKind::float_ && !row.c_float.empty();
  const std::string_view text = is_for_float ? row.c_float : row.c;
  // Such a body does not call the library.
  if (is_for_float && text.starts_with('{')) return text;
  if ((row.flags & kLibm) != 0) {
    out.requirements.libm = true;
    declare_library_functions(text, type, out);
  }
  return text;
}

}  // namespace quern::frontend::lower
