// SPDX-License-Identifier: MIT
// printf of the lowered text: a function for each format, in which a vector is printed component by
// component.
#include "frontend/builtins/printf_format.hpp"
#include "frontend/lower/builtin_writer.hpp"

namespace quern::frontend::lower {
namespace {

std::string escaped_percent(std::string_view text) {
  std::string result;
  for (const char c : text) result += c == '%' ? "%%" : std::string(1, c);
  return result;
}

}  // namespace

std::string BuiltinWriter::print(const Expr* e, const std::vector<std::string>& arguments) {
  const Format format = read_format(e->arguments[0]->text);
  std::string text, parameters, values, passed;
  std::size_t next = 1;
  const auto add_parameter = [&](const std::string& type) {
    std::string p = "p" + std::to_string(next);
    parameters += (parameters.empty() ? "" : ", ") + type + " " + p;
    passed += (passed.empty() ? "" : ", ") + arguments[next++];
    return p;
  };
  for (const FormatPiece& piece : format.pieces) {
    if (piece.kind == FormatPiece::Kind::text) {
      text += escaped_percent(piece.text);
      continue;
    }
    std::string stars;
    for (int i = 0; i < piece.stars; ++i) stars += ", " + add_parameter("int");
    if (piece.kind == FormatPiece::Kind::string || piece.kind == FormatPiece::Kind::pointer) {
      const bool is_string = piece.kind == FormatPiece::Kind::string;
      text += "%" + piece.text + (is_string ? "s" : "p");
      const bool is_pointer = is_string && e->arguments[next]->kind != ExprKind::string;
      values += stars + (is_pointer ? ", (const char *)" : ", ");
      values += add_parameter(is_pointer  ? "const signed char *"
                              : is_string ? "const char *"
                                          : "const void *");
      continue;
    }
    const Type* type = e->arguments[next]->type.type;
    const bool is_long = size_of(type->scalar()) == 8 && type->scalar()->is_integer();
    const std::string p = add_parameter(types_.text(type));
    for (std::size_t i = 0; i < piece.lanes; ++i) {
      text += (i > 0 ? ",%" : "%") + piece.text + (is_long ? "ll" : "") + piece.conversion;
      values += stars + ", " + p + (piece.lanes > 1 ? "." + lane(i) : "");
    }
  }
  const std::string name = "quern_printf_" + std::to_string(prints_++);
  if (parameters.empty()) parameters = dialect_.empty_parameters();
  out_.helper(name, "int " + name + "(" + parameters + ") { return " +
                        std::string(dialect_.builtin_text(*e->builtin, e->type.type, out_)) + "(" +
                        string_literal(text) + values + "); }");
  return name + "(" + passed + ")";
}

}  // namespace quern::frontend::lower
