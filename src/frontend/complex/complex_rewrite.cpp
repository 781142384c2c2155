// SPDX-License-Identifier: MIT
// Rewrites a program with complex numbers to plain OpenCL C: complex numbers become vectors of two, and their
// operators and functions become calls of helpers. It edits the user's tokens, so that devices' compilers
// report the user's own lines.
#include <optional>
#include <unordered_set>

#include "base/c_string.hpp"
#include "frontend/complex/complex.hpp"
#include "frontend/helpers.hpp"
#include "frontend/parse/parser.hpp"

namespace quern::frontend {
namespace {

std::string part_name(const Type* complex) {
  return name_of(complex->element.type);
}
std::string vector_name(const Type* complex) {
  return part_name(complex) + "2";
}
// The name of the type in the rewritten program.
std::string plain_name(const Type* type) {
  return type->is_complex() ? vector_name(type) : name_of(type);
}

// Whether evaluating the expression twice differs from evaluating it once.
bool has_effects(const Expr* e) {
  if (!e) return false;
  switch (e->kind) {
    case ExprKind::assign:
    case ExprKind::increment:
    case ExprKind::call:
    case ExprKind::builtin:
      return true;
    default:
      break;
  }
  for (const Expr* operand : e->operands)
    if (has_effects(operand)) return true;
  for (const Expr* argument : e->arguments)
    if (has_effects(argument)) return true;
  return false;
}

class Rewriter {
 public:
  Rewriter(const Files& files, const std::vector<Token>& tokens)
      : files_(files), tokens_(tokens), edits_(tokens.size()) {}

  void program(const Program& program) {
    for (const auto& [token, type] : program.complex_names) edits_[token].replaced = vector_name(type);
    for (const Variable* variable : program.constants) expression(variable->initial);
    for (const Function* function : program.functions) statement(function->body);
  }

  // The text of a token with the edits before and after it.
  [[nodiscard]] std::string text_of(std::size_t token) const {
    const Edit& edit = edits_[token];
    return edit.before + (edit.replaced ? *edit.replaced : std::string(tokens_[token].text)) + edit.after;
  }
  [[nodiscard]] const std::vector<std::string>& definitions() const { return definitions_; }

 private:
  struct Edit {
    std::string before, after;
    std::optional<std::string> replaced;
  };
  struct Range {
    std::size_t first, last;
  };

  const Files& files_;
  const std::vector<Token>& tokens_;
  std::vector<Edit> edits_;
  std::vector<std::string> definitions_;
  std::unordered_set<const Expr*> seen_;

  // The tokens of a value, without implicit conversions.
  [[nodiscard]] Range range_of(const Expr* e) const {
    while (e->last_token == 0 && e->kind == ExprKind::convert) e = e->operands[0];
    if (e->last_token == 0) files_.fail(e->at, "this use of a complex number is not supported yet");
    return {e->first_token, e->last_token};
  }
  void before(std::size_t token, const std::string& text) { edits_[token].before += text; }
  void after(std::size_t token, const std::string& text) { edits_[token].after += text; }
  void replace(std::size_t token, std::string text) { edits_[token].replaced = std::move(text); }
  void around(const Range& range, const std::string& opening, const std::string& closing, const Expr* inner) {
    before(range.first, opening);
    expression(inner);
    after(range.last - 1, closing);
  }
  [[nodiscard]] std::string text_of(const Range& range) const {
    std::string text;
    for (std::size_t t = range.first; t < range.last; ++t) text += (text.empty() ? "" : " ") + text_of(t);
    return text;
  }
  std::string helper(std::string_view name, const Type* type) {
    const std::string part = type->is_complex() ? part_name(type) : name_of(type);
    return with_complex_helpers("@" + std::string(name), {plain_name(type), part}, definitions_);
  }

  void statement(const Stmt* s) {
    if (!s) return;
    for (const Variable* variable : s->variables) expression(variable->initial);
    expression(s->condition);
    expression(s->step);
    statement(s->first);
    statement(s->second);
    for (const Stmt* inner : s->block) statement(inner);
  }

  void children(const Expr* e) {
    for (const Expr* operand : e->operands) expression(operand);
    for (const Expr* argument : e->arguments) expression(argument);
  }

  void expression(const Expr* e) {
    if (!e || !seen_.insert(e).second) return;
    switch (e->kind) {
      case ExprKind::convert:
        return conversion(e);
      case ExprKind::binary:
        return binary(e);
      case ExprKind::assign:
        return assignment(e);
      case ExprKind::swizzle:
        return member(e);
      case ExprKind::complex_call:
        return call(e);
      case ExprKind::conditional:
        return choice(e);
      default:
        return children(e);
    }
  }

  // `a ?: b` is left as written: the parser reads `a` twice, so operands[1] repeats operands[0].
  void choice(const Expr* e) {
    if (!e->is_postfix) return children(e);
    if (e->type->is_complex()) files_.fail(e->at, "'?:' of complex numbers needs a second operand");
    expression(e->operands[0]);
    expression(e->operands[2]);
  }

  // A real factor or divisor, converted to the precision of the complex operand.
  void real_operand(const Expr* e, const Type* complex) {
    around(range_of(e), "(" + part_name(complex) + ")(", ")", e);
  }

  void conversion(const Expr* e) {
    const Expr* operand = e->operands[0];
    const Type *from = operand->type.type, *to = e->type.type;
    const bool changes = to->is_complex() && from != to && !from->is_vector();
    if (!changes) return expression(operand);
    if (e->last_token != 0)  // removes a cast together with its type
      for (std::size_t t = e->first_token; t <= e->op_token; ++t) replace(t, "");
    const std::string type = vector_name(to);
    if (from->is_complex()) {
      around(range_of(operand), "convert_" + type + "(", ")", operand);
    } else {
      around(range_of(operand), "(" + type + ")((" + part_name(to) + ")(", "), 0)", operand);
    }
  }

  void binary(const Expr* e) {
    const Type* type = e->overload;
    if (!type || !type->is_complex()) return children(e);
    const Range range = range_of(e);
    const Expr *a = e->operands[0], *b = e->operands[1];
    if (a->type->is_scalar() || b->type->is_scalar()) {  // a vector times a scalar
      a->type->is_scalar() ? real_operand(a, type) : expression(a);
      b->type->is_scalar() ? real_operand(b, type) : expression(b);
      return;
    }
    const bool multiplies = e->op == punct("*"), divides = e->op == punct("/");
    std::string opening;
    if (e->op == punct("==")) opening = "all(";
    if (e->op == punct("!=")) opening = "any(";
    if (multiplies || divides) {
      opening = helper(multiplies ? "multiply" : "divide", type) + "(";
      replace(e->op_token, ",");
    }
    before(range.first, opening);
    children(e);
    if (!opening.empty()) after(range.last - 1, ")");
  }

  void assignment(const Expr* e) {
    const Expr *target = e->operands[0], *value = e->operands[1];
    expression(target);
    const Type* type = e->overload;  // the type in which a compound assignment computes
    if (!type || !type->is_complex() || e->op == punct("=")) return expression(value);
    const bool adds = e->op == punct("+") || e->op == punct("-");
    const bool is_real = value->type->is_scalar();
    if (type == target->type.type && (adds || is_real))
      return is_real ? real_operand(value, type) : expression(value);
    // Writes target = target op value.
    if (has_effects(target))
      files_.fail(e->at, "the left side of '" + spelled(e->op) +
                             "=' of complex numbers is evaluated twice, so it must not have side effects; "
                             "store a pointer to it first");
    replace(e->op_token, "=");
    std::string left = text_of(range_of(target));
    if (type != target->type.type) left = "convert_" + vector_name(type) + "(" + left + ")";
    std::string opening = "(", closing = ")";
    if (adds || is_real) {
      opening += left + " " + spelled(e->op) + " (";
      closing += ")";
    } else {
      opening = helper(e->op == punct("*") ? "multiply" : "divide", type) + "(" + left + ", ";
    }
    if (type != target->type.type)
      opening = "convert_" + vector_name(target->type.type) + "(" + opening, closing += ")";
    const Range range = range_of(value);
    before(range.first, opening);
    is_real ? real_operand(value, type) : expression(value);
    after(range.last - 1, closing);
  }

  void member(const Expr* e) {
    children(e);
    if (!e->operands[0]->type->is_complex()) return;
    replace(e->op_token, e->lanes[0] == 0 ? "x" : "y");
    if (!e->is_postfix) return;
    replace(e->op_token + 1, "");
    replace(e->op_token + 2, "");
  }

  void call(const Expr* e) {
    const Range range = range_of(e);
    children(e);
    const std::size_t close = range.last - 1;
    // A cast gets parentheses of its own, because some compilers apply a following `.x` to the list alone.
    if (e->text.empty()) {  // a constructor
      const bool is_complex = e->overload->is_complex();
      replace(range.first, "((" + plain_name(e->overload) + ")");
      if (e->arguments.empty()) before(close, is_complex ? "0, 0" : "0");
      if (is_complex && e->arguments.size() == 1 && e->arguments[0]->type->is_scalar()) before(close, ", 0");
      after(close, ")");
    } else if (e->text == kStaticCast) {
      replace(range.first, "((");
      replace(range.first + 1, "");
      replace(e->op_token, ")");
      after(close, ")");
    } else if (e->text.starts_with('.')) {  // .real or .imag
      replace(range.first, "");
      after(close, std::string(e->text));
    } else {
      replace(range.first, helper(e->text, e->overload));
    }
  }
};

// Writes tokens on their original lines, with the pragmas before them.
class Printer {
 public:
  explicit Printer(const Files& files) : files_(files) {}

  void add(const Token& token, const std::string& text) {
    if (token.at.file != file_ || token.at.line < line_ || token.at.line > line_ + kMostEmpty) {
      file_ = token.at.file;
      line_ = token.at.line;
      text_ += "\n#line " + std::to_string(line_) + " " + c_string(files_.name(file_)) + "\n";
    } else if (token.at.line > line_) {
      for (; line_ < token.at.line; ++line_) text_ += '\n';
    } else {
      text_ += ' ';
    }
    text_ += text;
  }
  void add_pragma(const Token& pragma) {
    if (pragma.text.empty()) return;
    text_ += "\n#pragma " + std::string(pragma.text) + "\n";
    file_ = -1;
  }
  [[nodiscard]] std::string text() && { return std::move(text_) + "\n"; }

 private:
  static constexpr int kMostEmpty = 4;  // for a larger gap, a #line directive is shorter
  const Files& files_;
  std::string text_;
  int file_ = -1, line_ = 0;
};

}  // namespace

std::string complex_as_vectors(const Files& files, const Parser& parser, const Program& program) {
  const std::vector<Token>& tokens = parser.tokens();
  Rewriter rewriter(files, tokens);
  rewriter.program(program);
  Printer printer(files);
  auto pragma = parser.pragmas().begin();
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    // The parser ignores these pragmas; the devices' compilers may use them.
    for (; pragma != parser.pragmas().end() && pragma->first == t; ++pragma)
      if (!pragma->second.text.starts_with("quern complex")) printer.add_pragma(pragma->second);
    if (tokens[t].kind == TokenKind::pragma)
      printer.add_pragma(tokens[t]);
    else if (tokens[t].kind != TokenKind::end)
      printer.add(tokens[t], rewriter.text_of(t));
  }
  std::string text;
  for (const std::string& definition : rewriter.definitions()) text += definition;
  return text + std::move(printer).text();
}

}  // namespace quern::frontend
