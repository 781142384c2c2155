// SPDX-License-Identifier: MIT
// Initialisers: scalars, vectors, arrays and structures, with designators and elided braces.
#include <algorithm>

#include "frontend/parse/parser.hpp"

namespace quern::frontend {
namespace {

constexpr std::uint64_t kMaxElements = 1 << 20;

bool is_aggregate(const Type* type) {
  return type->kind == TypeKind::array || type->kind == TypeKind::structure;
}

}  // namespace

// Parses the initialiser of a variable. An array without a size gets its size from the initialiser.
Expr* Parser::initialiser(QualType& type, Location at) {
  if (type->kind == TypeKind::array && type->element->kind <= TypeKind::uchar) {
    if (peek().kind == TokenKind::string) return text_of(type, at);
    if (peek().is(punct("{")) && peek(1).kind == TokenKind::string) {  // {"text"}
      take();
      Expr* text = text_of(type, at);
      accept(",");
      expect("}", "an initialiser");
      return text;
    }
  }
  if (!peek().is(punct("{"))) {
    if (type->kind == TypeKind::array) checker_.fail(at, "an array must be initialised by a list in braces");
    return checker_.convert(assignment(), type.type, "an initialiser");
  }
  Expr* list = braced(type, at);
  if (type->kind == TypeKind::array && type->count == 0) {
    type.type = program_.types.array(type->element, list->arguments.size());
    list->type = {type.type};
  }
  return list;
}

// Parses char text[] = "abc", with the terminating null if the array has room for it.
Expr* Parser::text_of(QualType& type, Location at) {
  const Expr* string = string_literal();
  if (type->count == 0) type.type = program_.types.array(type->element, string->text.size() + 1);
  if (string->text.size() > type->count) checker_.fail(at, "the string is longer than its array");
  Expr* list = checker_.make(ExprKind::list, at, {type.type});
  for (const char c : string->text)
    list->arguments.push_back(checker_.convert(
        checker_.integer(at, static_cast<std::uint64_t>(static_cast<std::int64_t>(c)), program_.types.int_),
        type->element.type, "a character"));
  return checker_.measured(list);
}

Expr* Parser::braced(const QualType& type, Location at) {
  enter(at);
  const Token& open = expect("{", "an initialiser");
  Expr* result = nullptr;
  if (type->is_vector()) {
    std::vector<Expr*> parts;
    while (!peek().is(punct("}"))) {
      parts.push_back(assignment());
      if (!accept(",")) break;
    }
    if (parts.empty()) parts.push_back(checker_.integer(open.at, 0, program_.types.int_));
    result = checker_.vector_literal(type.type, std::move(parts), open.at);
  } else if (type->is_complex()) {
    std::vector<Expr*> parts = {assignment()};
    while (accept(",") && !peek().is(punct("}"))) parts.push_back(assignment());
    if (parts.size() != 2)
      checker_.fail(open.at, "a list for a '" + name_of(type.type) + "' needs a real and an imaginary part");
    result = checker_.complex_literal(type.type, std::move(parts), open.at);
  } else if (is_aggregate(type.type)) {
    result = elements(type, true, open.at);
    accept(",");
  } else {
    result = checker_.convert(assignment(), type.type, "an initialiser");
    accept(",");
  }
  expect("}", "an initialiser");
  leave();
  return result;
}

Expr* Parser::element(const QualType& type) {
  if (!pending_element_) {
    if (peek().is(punct("{"))) return braced(type, peek().at);
    if (type->kind == TypeKind::array && type->element->kind <= TypeKind::uchar &&
        peek().kind == TokenKind::string) {
      QualType text = type;
      return text_of(text, peek().at);
    }
    if (type->kind == TypeKind::array) return elements(type, false, peek().at);
    pending_element_ = assignment();
  }
  if (type->kind == TypeKind::array ||
      (type->kind == TypeKind::structure && pending_element_->type.type != type.type))
    return elements(type, false, pending_element_->at);
  Expr* value = pending_element_;
  pending_element_ = nullptr;
  return checker_.convert(value, type.type, "an initialiser");
}

// Parses the elements of an array or structure. Without braces of its own, it takes as many values as it has
// elements. `single`: parses one designated element into `begun`, a list that may already have elements.
Expr* Parser::elements(const QualType& type, bool in_braces, Location at, Expr* begun, bool single) {
  enter(at);
  Expr* list = begun ? begun : checker_.make(ExprKind::list, at, {type.type});
  const bool is_array = type->kind == TypeKind::array;
  if (!is_array && !type->record->is_complete)
    checker_.fail(at, "'" + name_of(type) + "' is declared but not defined");
  const std::uint64_t fields = is_array ? 0 : type->record->fields.size();
  const std::uint64_t count = !is_array
                                  ? (type->record->is_union ? std::min<std::uint64_t>(fields, 1) : fields)
                              : type->count == 0 ? kMaxElements
                                                 : type->count;
  std::uint64_t next = 0;
  bool first = true;
  while (pending_element_ || !peek().is(punct("}"))) {
    if (!first && !pending_element_) {
      if (!in_braces && next >= count) break;
      if (!peek().is(punct(",")) || peek(1).is(punct("}"))) break;
      take();
    }
    first = false;
    if (in_braces && !pending_element_ && (peek().is(punct(".")) || peek().is(punct("[")))) {
      const Token& mark = take();
      if (mark.is(punct("["))) {
        if (!is_array) checker_.fail(mark.at, "'[...] =' needs an array");
        next = static_cast<std::uint64_t>(constant_expression("a designator"));
        expect("]", "a designator");
      } else {
        const Token& name = expect_name("the name of a member");
        const Field* field = is_array ? nullptr : type->record->find_outer(name.text);
        if (!field)
          checker_.fail(name.at, "'" + name_of(type) + "' has no member '" + std::string(name.text) +
                                     "' to initialise");
        next = static_cast<std::uint64_t>(field - type->record->fields.data());
        const bool is_union = type->record->is_union;
        if (is_union || field->name.empty()) {
          const std::size_t slot = is_union ? 0 : next;
          const Field* chosen = is_union && next > 0 ? field : nullptr;
          if (list->arguments.size() <= slot) list->arguments.resize(slot + 1);
          Expr*& value = list->arguments[slot];
          if (list->field != chosen) value = nullptr;
          list->field = chosen;
          if (field->name.empty()) {  // a member of an unnamed member, which has a list of its own
            position_ -= 2;
            Expr* inner = elements(field->type, true, name.at, value, true);
            list->arguments[slot] = inner;
          } else {
            expect("=", "a designator");
            Expr* inner = element(field->type);
            list->arguments[slot] = inner;
          }
          next = is_union ? count : next + 1;
          if (single) break;
          continue;
        }
      }
      expect("=", "a designator");
    }
    while (!is_array && next < count && type->record->fields[next].is_bit_field() &&
           type->record->fields[next].name.empty())
      ++next;  // unnamed bit-fields take no value
    if (next >= count || next >= kMaxElements)
      checker_.fail(peek().at, "too many initialisers for '" + name_of(type) + "'");
    if (list->arguments.size() <= next) {
      initialised_ += next + 1 - list->arguments.size();
      if (initialised_ > 4 * kMaxElements) checker_.fail(at, "the initialisers are too large");
      list->arguments.resize(next + 1);
    }
    QualType wanted = is_array ? type->element : type->record->fields[next].type;
    Expr* value = element(wanted);
    list->arguments[next++] = value;
    if (single || (!in_braces && next >= count)) break;
  }
  leave();
  list->depth = 0;
  return checker_.measured(list);
}

}  // namespace quern::frontend
