// SPDX-License-Identifier: MIT
// Parses statements.
#include "frontend/parse/parser.hpp"

namespace quern::frontend {

Stmt* Parser::new_statement(StmtKind kind, Location at) {
  checker_.count_node(at);
  Stmt& s = program_.stmts.emplace_back();
  s.kind = kind;
  s.at = at;
  return &s;
}

Stmt* Parser::block(Location at) {
  Stmt* result = new_statement(StmtKind::block, at);
  scopes_.emplace_back();
  while (!accept("}")) {
    if (peek().kind == TokenKind::end) checker_.fail(at, "this '{' has no '}'");
    result->block.push_back(statement());
  }
  scopes_.pop_back();
  return result;
}

int Parser::unroll_count(const Token& pragma) {
  int count = 0;
  for (const char c : pragma.text.substr(6))
    if (c >= '0' && c <= '9' && count < 1000) count = count * 10 + (c - '0');
  return count;
}

Stmt* Parser::statement() {
  enter(peek().at);
  int unroll = -1;
  while (peek().kind == TokenKind::pragma) unroll = unroll_count(take());
  if (peek().is_name("__attribute__")) {
    const std::size_t start = position_;
    Specifiers hints;
    attributes(hints);
    if (hints.unroll >= 0) unroll = hints.unroll;
    if (starts_type()) position_ = start;  // the attributes belong to a declaration
  }
  const Token& token = peek();
  Stmt* result = nullptr;
  const auto keyword = [&](std::string_view word) {
    if (!token.is_name(word)) return false;
    take();
    return true;
  };
  if (token.is(punct("{"))) {
    take();
    result = block(token.at);
  } else if (token.is(punct("(")) && peek(1).is(punct("{"))) {
    // ({ ... }); is a block if its value is not used.
    take();
    take();
    result = block(token.at);
    expect(")", "a block of statements");
    if (!peek().is(punct(";"))) checker_.unsupported(token.at, "a block of statements in an expression");
    take();
  } else if (accept(";") || static_assertion()) {
    result = new_statement(StmtKind::empty, token.at);
  } else if (keyword("if")) {
    result = if_statement(token.at);
  } else if (keyword("for")) {
    result = for_statement(token.at, unroll);
  } else if (keyword("while")) {
    result = new_statement(StmtKind::while_, token.at);
    result->unroll = unroll;
    expect("(", "while");
    result->condition = checker_.condition(expression());
    expect(")", "the condition");
    result->first = loop_body();
  } else if (keyword("do")) {
    result = new_statement(StmtKind::do_, token.at);
    result->unroll = unroll;
    result->first = loop_body();
    if (!accept_name("while")) checker_.fail(peek().at, "expected 'while' after the body of 'do'");
    expect("(", "while");
    result->condition = checker_.condition(expression());
    expect(")", "the condition");
    expect(";", "do ... while");
  } else if (keyword("switch")) {
    result = switch_statement(token.at);
  } else if (keyword("case") || keyword("default")) {
    if (switches_ == 0) checker_.fail(token.at, "'" + std::string(token.text) + "' outside a switch");
    result = new_statement(token.text == "case" ? StmtKind::case_ : StmtKind::default_, token.at);
    if (token.text == "case") {
      const Location at = peek().at;
      result->condition = checker_.integer(
          at, static_cast<std::uint64_t>(constant_expression("a case label")), program_.types.long_);
      if (accept("..."))
        result->step = checker_.integer(at, static_cast<std::uint64_t>(constant_expression("a case label")),
                                        program_.types.long_);
    }
    expect(":", "a case label");
    result->first = peek().is(punct("}")) ? new_statement(StmtKind::empty, token.at) : statement();
  } else if (keyword("break") || keyword("continue")) {
    const bool breaks = token.text == "break";
    if (loops_ == 0 && !(breaks && switches_ > 0))
      checker_.fail(token.at, "'" + std::string(token.text) + "' outside a loop");
    result = new_statement(breaks ? StmtKind::break_ : StmtKind::continue_, token.at);
    expect(";", "'" + std::string(token.text) + "'");
  } else if (keyword("return")) {
    result = return_statement(token.at);
  } else if (keyword("goto")) {
    result = new_statement(StmtKind::goto_, token.at);
    const Token& label = expect_name("a label");
    result->label = label.text;
    gotos_.emplace(label.text, label.at);
    checker_.current()->has_jumps = true;
    expect(";", "goto");
  } else if (token.kind == TokenKind::identifier && peek(1).is(punct(":"))) {
    take();
    take();
    result = new_statement(StmtKind::label, token.at);
    result->label = token.text;
    Specifiers ignored;
    attributes(ignored);
    if (!labels_.emplace(token.text, token.at).second)
      checker_.fail(token.at, "label '" + std::string(token.text) + "' is defined twice");
    result->first = peek().is(punct("}")) ? new_statement(StmtKind::empty, token.at) : statement();
  } else if (starts_type()) {
    result = declaration_statement();
  } else {
    result = new_statement(StmtKind::expression, token.at);
    result->condition = expression();
    expect(";", "an expression");
  }
  leave();
  return result;
}

Stmt* Parser::loop_body() {
  ++loops_;
  scopes_.emplace_back();
  Stmt* body = statement();
  scopes_.pop_back();
  --loops_;
  return body;
}

Stmt* Parser::if_statement(Location at) {
  Stmt* result = new_statement(StmtKind::if_, at);
  expect("(", "if");
  result->condition = checker_.condition(expression());
  expect(")", "the condition");
  result->first = statement();
  if (accept_name("else")) result->second = statement();
  return result;
}

Stmt* Parser::for_statement(Location at, int unroll) {
  Stmt* result = new_statement(StmtKind::for_, at);
  result->unroll = unroll;
  scopes_.emplace_back();
  expect("(", "for");
  if (accept(";")) {
    result->first = nullptr;
  } else if (starts_type()) {
    result->first = declaration_statement();
  } else {
    result->first = new_statement(StmtKind::expression, peek().at);
    result->first->condition = expression();
    expect(";", "the first part of for");
  }
  if (!peek().is(punct(";"))) result->condition = checker_.condition(expression());
  expect(";", "the condition of for");
  if (!peek().is(punct(")"))) result->step = expression();
  expect(")", "for");
  result->second = loop_body();
  scopes_.pop_back();
  return result;
}

Stmt* Parser::switch_statement(Location at) {
  Stmt* result = new_statement(StmtKind::switch_, at);
  checker_.current()->has_jumps = true;
  expect("(", "switch");
  Expr* value = checker_.value(expression());
  if (!value->type->is_integer())
    checker_.fail(value->at, "switch needs an integer, not '" + name_of(value->type) + "'");
  result->condition = checker_.convert(value, promoted(program_.types, value->type.type), "switch");
  expect(")", "the value of a switch");
  ++switches_;
  result->first = statement();
  --switches_;
  return result;
}

Stmt* Parser::return_statement(Location at) {
  Stmt* result = new_statement(StmtKind::return_, at);
  const Type* wanted = checker_.current()->result.type;
  if (!peek().is(punct(";"))) {
    const Location value_at = peek().at;
    Expr* value = expression();
    if (wanted->kind == TypeKind::void_) {
      if (value->type->kind != TypeKind::void_)
        checker_.fail(value_at, "'" + std::string(checker_.current()->name) +
                                    "' returns void, so it cannot return a value");
      result->condition = value;
    } else {
      result->condition =
          checker_.convert(value, wanted, "the result of '" + std::string(checker_.current()->name) + "'");
    }
  } else if (wanted->kind != TypeKind::void_) {
    checker_.fail(at, "'" + std::string(checker_.current()->name) + "' must return a value");
  }
  expect(";", "return");
  return result;
}

Stmt* Parser::declaration_statement() {
  Stmt* result = new_statement(StmtKind::declaration, peek().at);
  const Specifiers specs = specifiers();
  local_variables(specs, *result);
  return result;
}

}  // namespace quern::frontend
