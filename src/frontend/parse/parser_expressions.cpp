// SPDX-License-Identifier: MIT
// Parses expressions.
#include <algorithm>

#include "frontend/parse/parser.hpp"
#include "frontend/preprocess/literal.hpp"
#include "frontend/preprocess/precedence.hpp"

namespace quern::frontend {
namespace {

// Returns the operator of a compound assignment; 0 for any other token.
std::uint32_t assignment_operator(const Token& token) {
  if (token.kind != TokenKind::punctuator) return 0;
  switch (token.punctuator) {
    case punct("="):
      return punct("=");
    case punct("*="):
    case punct("/="):
    case punct("%="):
    case punct("+="):
    case punct("-="):
    case punct("&="):
    case punct("^="):
    case punct("|="):
    case punct("<<="):
    case punct(">>="):
      return token.punctuator >> 8;
    default:
      return 0;
  }
}

// Whether the expression may be evaluated twice, and by only some of the work-items.
bool is_repeatable(const Expr* e) {
  if (!e) return true;
  if (e->kind == ExprKind::assign || e->kind == ExprKind::increment) return false;
  // The library's own functions, such as those of complex numbers, have no side effects.
  if (e->kind == ExprKind::call && !e->callee->name.starts_with("quern_")) return false;
  if (e->kind == ExprKind::builtin) {
    const auto is_pointer = [](const Expr* a) { return a->type->is_pointer(); };
    if (std::ranges::any_of(e->arguments, is_pointer) || e->text.starts_with("work_group_") ||
        e->text.starts_with("sub_group_") || e->text.starts_with("quern_"))
      return false;
  }
  return std::ranges::all_of(e->operands, is_repeatable) && std::ranges::all_of(e->arguments, is_repeatable);
}

}  // namespace

Expr* Parser::spanned(Expr* expression, std::size_t first, std::size_t op) const {
  if (expression->last_token != 0) return expression;  // it has enclosing parentheses
  expression->first_token = static_cast<std::uint32_t>(first);
  expression->last_token = static_cast<std::uint32_t>(position_);
  expression->op_token = static_cast<std::uint32_t>(op);
  return expression;
}

Expr* Parser::expression() {
  const std::size_t first = position_;
  Expr* left = assignment();
  while (peek().is(punct(","))) {
    const Token& comma = take();
    left = spanned(checker_.measured(checker_.comma(left, assignment(), comma.at)), first);
  }
  return left;
}

Expr* Parser::assignment() {
  enter(peek().at);
  const std::size_t first = position_;
  Expr* left = conditional();
  if (const std::uint32_t op = assignment_operator(peek())) {
    const std::size_t op_token = position_;
    const Token& token = take();
    left = spanned(checker_.measured(checker_.assign(op, left, assignment(), token.at)), first, op_token);
  }
  leave();
  return left;
}

Expr* Parser::conditional() {
  const std::size_t first = position_;
  Expr* test = binary(1);
  if (!peek().is(punct("?"))) return test;
  enter(peek().at);
  const Token& mark = take();
  const bool repeats = peek().is(punct(":"));
  Expr* yes = repeats ? repeated(test, first, mark.at) : expression();
  expect(":", "the second operand of '?:'");
  Expr* result = spanned(checker_.measured(checker_.conditional(test, yes, conditional(), mark.at)), first);
  result->is_postfix = repeats;
  leave();
  return result;
}

// Parses the first operand of `a ?: b` again, as the second operand.
Expr* Parser::repeated(const Expr* test, std::size_t first, Location at) {
  if (!is_repeatable(test))
    checker_.unsupported(
        at, "'?:' without a second operand, whose first operand calls a function or changes a variable,");
  constexpr int kMostRepetitions = 8;  // limit for nesting; each level doubles the work
  if (++repetitions_ > kMostRepetitions)
    checker_.fail(at, "'?:' without a second operand is nested too deeply");
  const std::size_t end = position_;
  position_ = first;
  Expr* again = binary(1);
  position_ = end;
  --repetitions_;
  return again;
}

Expr* Parser::binary(int minimum) {
  enter(peek().at);
  const std::size_t first = position_;
  Expr* left = unary();
  for (int level = precedence(peek()); level >= minimum; level = precedence(peek())) {
    const std::size_t op_token = position_;
    const Token& op = take();
    Expr* right = binary(level + 1);
    left = spanned(checker_.measured(checker_.binary(op.punctuator, left, right, op.at)), first, op_token);
  }
  leave();
  return left;
}

Expr* Parser::unary() {
  enter(peek().at);
  const std::size_t first = position_;
  const Token& token = peek();
  Expr* result = nullptr;
  if (token.kind == TokenKind::punctuator) {
    switch (token.punctuator) {
      case punct("-"):
      case punct("+"):
      case punct("~"):
      case punct("!"):
      case punct("&"):
      case punct("*"):
        take();
        result = unary();
        if (token.is(punct("&")) && result->kind == ExprKind::list) result = checker_.object_of(result);
        result = checker_.unary(token.punctuator, result, token.at);
        break;
      case punct("++"):
      case punct("--"):
        take();
        result = checker_.increment(token.punctuator, false, unary(), token.at);
        break;
      case punct("("):
        if (starts_type(1) && !starts_constructor(1)) result = cast_or_literal(take());
        break;
      default:
        break;
    }
  } else if (token.is_name("sizeof") || token.is_name("vec_step")) {
    result = size_of_expression(take());
  } else if (token.is_name("__alignof__") || token.is_name("__alignof") || token.is_name("_Alignof")) {
    result = alignment_expression(take());
  }
  if (!result) result = postfix(primary(), first);
  leave();
  return spanned(checker_.measured(result), first);
}

Expr* Parser::cast_or_literal(const Token& open) {
  const std::size_t first = position_ - 1;
  QualType type = type_name();
  expect(")", "the type of a cast");
  const std::size_t close = position_ - 1;
  if (peek().is(punct("{"))) {
    Expr* value = initialiser(type, open.at);
    return postfix(type->kind == TypeKind::array ? checker_.object_of(value) : value, first);
  }
  if (type->is_vector() && peek().is(punct("("))) {
    take();
    std::vector<Expr*> parts = {assignment()};
    while (accept(",")) parts.push_back(assignment());
    expect(")", "the components of a vector");
    return postfix(checker_.vector_literal(type.type, std::move(parts), open.at), first);
  }
  if (type->is_complex() && peek().is(punct("("))) {
    take();
    std::vector<Expr*> parts = {assignment()};
    while (accept(",")) parts.push_back(assignment());
    expect(")", "the parts of a complex number");
    return postfix(spanned(checker_.complex_literal(type.type, std::move(parts), open.at), first, close),
                   first);
  }
  return spanned(checker_.cast(unary(), type, open.at), first, close);
}

Expr* Parser::size_of_expression(const Token& word) {
  QualType type;
  if (peek().is(punct("(")) && starts_type(1)) {
    take();
    type = type_name();
    expect(")", "sizeof");
  } else {
    const Expr* operand = unary();
    if (operand->kind == ExprKind::string)
      return checker_.integer(word.at, operand->text.size() + 1, program_.types.ulong);
    type = operand->type;
  }
  if (word.text == "vec_step")
    return checker_.integer(word.at, type->is_vector() ? (type->count == 3 ? 4 : type->count) : 1,
                            program_.types.int_);
  const std::uint64_t size = size_of(type.type);
  if (size == 0) checker_.fail(word.at, "'" + name_of(type) + "' has no size");
  return checker_.integer(word.at, size, program_.types.ulong);
}

Expr* Parser::alignment_expression(const Token& word) {
  QualType type;
  std::uint64_t least = 1;  // of a variable or member with an alignment of its own
  if (peek().is(punct("(")) && starts_type(1)) {
    take();
    type = type_name();
    expect(")", word.text);
  } else {
    const Expr* operand = unary();
    type = operand->type;
    if (operand->kind == ExprKind::variable) least = operand->variable->least_alignment;
    if (operand->kind == ExprKind::member) least = operand->field->least_alignment;
  }
  if (size_of(type.type) == 0) checker_.fail(word.at, "'" + name_of(type) + "' has no alignment");
  return checker_.integer(word.at, std::max(least, alignment_of(type.type)), program_.types.ulong);
}

Expr* Parser::postfix(Expr* operand, std::size_t first) {
  spanned(operand, first);
  for (;;) {
    const Token& token = peek();
    if (token.kind != TokenKind::punctuator) return operand;
    switch (token.punctuator) {
      case punct("["): {
        const Token& open = take();
        Expr* position = expression();
        expect("]", "an index");
        operand = checker_.index(operand, position, open.at);
        break;
      }
      case punct("."):
      case punct("->"): {
        const bool arrow = take().is(punct("->"));
        const std::size_t at = position_;
        const Token& name = expect_name("the name of a member");
        operand = checker_.member(operand, name, arrow);
        operand->op_token = static_cast<std::uint32_t>(at);
        if (operand->kind == ExprKind::swizzle && operand->operands[0]->type->is_complex() &&
            peek().is(punct("(")) && peek(1).is(punct(")"))) {  // z.real() as in C++
          take();
          take();
          operand->is_postfix = true;
          operand->is_lvalue = false;
        }
        break;
      }
      case punct("++"):
      case punct("--"): {
        const Token& op = take();
        operand = checker_.increment(op.punctuator, true, operand, op.at);
        break;
      }
      default:
        return operand;
    }
    spanned(checker_.measured(operand), first, operand->op_token);
  }
}

Expr* Parser::primary() {
  const Token& token = peek();
  switch (token.kind) {
    case TokenKind::number:
      take();
      return checker_.number(token);
    case TokenKind::character: {
      take();
      const auto value = read_character(token.text);
      if (!value) checker_.fail(token.at, "invalid character literal " + std::string(token.text));
      return checker_.integer(token.at, static_cast<std::uint64_t>(std::int64_t{*value}),
                              program_.types.int_);
    }
    case TokenKind::string:
      return string_literal();
    case TokenKind::identifier:
      break;
    default:
      if (token.is(punct("("))) {
        take();
        if (peek().is(punct("{"))) checker_.unsupported(token.at, "a block of statements in an expression");
        Expr* inner = expression();
        expect(")", "an expression");
        return inner;
      }
      if (token.is(punct("^"))) checker_.unsupported(token.at, "a block");
      if (token.kind == TokenKind::end)
        checker_.fail(token.at, "expected an expression before the end of the source");
      checker_.fail(token.at, "expected an expression before '" + std::string(token.text) + "'");
  }
  take();
  if ((token.text == "__func__" || token.text == "__FUNCTION__") && checker_.current())
    return text_constant(std::string(checker_.current()->name), token.at);
  if (token.text == "_Generic" && peek().is(punct("("))) return generic_selection(token);
  if (token.text == "static_cast" && program_.types.has_complex && peek().is(punct("<")))
    return static_cast_expression();
  if (peek().is(punct("("))) {
    if (const Type* type = constructed_type(token)) return constructor(type);
    const Symbol* symbol = find(token.text);
    if (!symbol || symbol->kind == Symbol::Kind::function) return call(token);
  }
  if (token.text == "true" || token.text == "false")
    return checker_.integer(token.at, token.text == "true" ? 1 : 0, program_.types.int_);
  const Symbol* symbol = find(token.text);
  if (!symbol) checker_.fail(token.at, "use of undeclared identifier '" + std::string(token.text) + "'");
  if (symbol->kind == Symbol::Kind::variable) return checker_.variable(symbol->variable, token.at);
  if (symbol->kind == Symbol::Kind::enumerator)
    return checker_.integer(token.at, static_cast<std::uint64_t>(symbol->value), symbol->type.type);
  if (symbol->kind == Symbol::Kind::function)
    checker_.fail(token.at, "function '" + std::string(token.text) + "' can only be called");
  checker_.fail(token.at, "'" + std::string(token.text) + "' is a type, not a value");
}

const Type* Parser::constructed_type(const Token& token) {
  if (!program_.types.has_complex || token.kind != TokenKind::identifier) return nullptr;
  const Type* type = nullptr;
  if (const Symbol* symbol = find(token.text)) {
    if (symbol->kind == Symbol::Kind::type) type = symbol->type.type;
  } else {
    type = program_.types.named(token.text);
  }
  return type && (type->is_complex() || type->scalar()->is_scalar()) ? type : nullptr;
}

// Whether this is T(x), and not T(*)[4], which is a type.
bool Parser::starts_constructor(std::size_t ahead) {
  const bool names_pointer =
      peek(ahead + 2).is(punct("*")) && (peek(ahead + 3).is(punct(")")) || peek(ahead + 3).is(punct("*")));
  return peek(ahead + 1).is(punct("(")) && !names_pointer && constructed_type(peek(ahead));
}

// Parses what follows the type in complex64(re, im) or float(x).
Expr* Parser::constructor(const Type* type) {
  const Location at = tokens_[position_ - 1].at;
  return checker_.constructor(type, call_arguments(at), at);
}

// Parses what follows static_cast in static_cast<T>(x).
Expr* Parser::static_cast_expression() {
  const std::size_t first = position_ - 1;
  const Location at = tokens_[first].at;
  expect("<", "static_cast");
  const QualType type = type_name();
  expect(">", "the type of static_cast");
  const std::size_t close = position_ - 1;
  expect("(", "static_cast<...>");
  Expr* operand = expression();
  expect(")", "the operand of static_cast");
  return spanned(checker_.static_cast_of(operand, type, at), first, close);
}

// Parses what follows _Generic in _Generic(x, int: a, float: b, default: c).
Expr* Parser::generic_selection(const Token& word) {
  expect("(", "_Generic");
  const Expr* control = checker_.value(assignment());
  Expr *chosen = nullptr, *otherwise = nullptr;
  do {
    expect(",", "an association of _Generic");
    const Location at = peek().at;
    const bool is_default = accept_name("default");
    const QualType type = is_default ? QualType{} : type_name();
    expect(":", "the type of an association of _Generic");
    Expr* result = assignment();
    Expr*& slot = is_default ? otherwise : chosen;
    if (!is_default && type.type != control->type.type) continue;
    if (slot) checker_.fail(at, "_Generic has two associations for this type");
    slot = result;
  } while (!peek().is(punct(")")));
  take();
  if (!chosen) chosen = otherwise;
  if (!chosen)
    checker_.fail(word.at,
                  "_Generic has no association for '" + name_of(control->type.type) + "' and no default");
  return chosen;
}

std::vector<Expr*> Parser::call_arguments(Location at) {
  enter(at);
  expect("(", "a function's name");
  std::vector<Expr*> arguments;
  if (!peek().is(punct(")"))) {
    do arguments.push_back(assignment());
    while (accept(","));
  }
  expect(")", "the arguments of a call");
  leave();
  return arguments;
}

Expr* Parser::call(const Token& name) {
  std::vector<Expr*> arguments = call_arguments(name.at);
  if (const Symbol* symbol = find(name.text))
    return checker_.overloaded_call(symbol->function, std::move(arguments), name.at);
  if (Expr* result = checker_.builtin(name.text, std::move(arguments), name.at)) return result;
  checker_.fail(name.at, "call of undeclared function '" + std::string(name.text) + "'");
}

Expr* Parser::string_literal() {
  const Token& first = peek();
  std::string bytes;
  while (peek().kind == TokenKind::string) {
    const Token& token = take();
    const auto part = read_string(token.text);
    if (!part) checker_.fail(token.at, "invalid escape in a string");
    bytes += *part;
  }
  return text_constant(std::move(bytes), first.at);
}

Expr* Parser::text_constant(std::string bytes, Location at) {
  QualType element{program_.types.char_};
  element.is_const = true;
  element.space = Space::constant;
  Expr* e = checker_.make(ExprKind::string, at, {program_.types.array(element, bytes.size() + 1)});
  e->type = {program_.types.pointer(element)};
  e->text = files_.keep(std::move(bytes));
  return e;
}

std::int64_t Parser::constant_expression(std::string_view what) {
  const Location at = peek().at;
  const Expr* e = checker_.value(conditional());
  const auto value = constant_value(e);
  if (!value) checker_.fail(at, std::string(what) + " must be a constant integer");
  return *value;
}

}  // namespace quern::frontend
