// SPDX-License-Identifier: MIT
// Initialisers: scalars, vectors, arrays and structures, with designators and elided braces.
#include <algorithm>

#include "frontend/parser.hpp"

namespace quern::frontend {
namespace {

constexpr std::uint64_t kMaxElements = 1 << 20;

bool is_aggregate(const Type* type) {
  return type->kind == TypeKind::array || type->kind == TypeKind::structure;
}

}  // namespace

// Reads the initialiser of a variable; an array without a size gets the one that its initialiser says.
Expr* Parser::initialiser(QualType& type, Location at) {
  if (!peek().is(punct("{"))) {
    if (type->kind == TypeKind::array) checker_.fail(at, "an array is initialised by a list in braces");
    return checker_.convert(assignment(), type.type, "an initialiser");
  }
  Expr* list = braced(type, at);
  if (type->kind == TypeKind::array && type->count == 0) {
    type.type = program_.types.array(type->element, list->arguments.size());
    list->type = {type.type};
  }
  return list;
}

Expr* Parser::braced(const QualType& type, Location at) {
  enter(at);
  const Token open = expect("{", "an initialiser");
  Expr* result = nullptr;
  if (type->is_vector()) {
    std::vector<Expr*> parts;
    while (!peek().is(punct("}"))) {
      parts.push_back(assignment());
      if (!accept(",")) break;
    }
    if (parts.empty()) parts.push_back(checker_.integer(open.at, 0, program_.types.int_));
    result = checker_.vector_literal(type.type, std::move(parts), open.at);
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

// The elements of an array or structure; without braces of its own, as many as it has.
Expr* Parser::elements(const QualType& type, bool in_braces, Location at) {
  enter(at);
  Expr* list = checker_.make(ExprKind::list, at, {type.type});
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
      const Token mark = take();
      if (mark.is(punct("["))) {
        if (!is_array) checker_.fail(mark.at, "'[...] =' needs an array");
        next = static_cast<std::uint64_t>(constant_expression("a designator"));
        expect("]", "a designator");
      } else {
        const Token name = expect_name("the name of a member");
        const Field* field = is_array ? nullptr : type->record->find(name.text);
        if (!field || (type->record->is_union && field != type->record->fields.data()))
          checker_.fail(name.at, "'" + name_of(type) + "' has no member '" + std::string(name.text) +
                                     "' to initialise");
        next = static_cast<std::uint64_t>(field - type->record->fields.data());
      }
      expect("=", "a designator");
    }
    if (next >= count || next >= kMaxElements)
      checker_.fail(peek().at, "too many initialisers for '" + name_of(type) + "'");
    if (list->arguments.size() <= next) {
      initialised_ += next + 1 - list->arguments.size();
      if (initialised_ > 4 * kMaxElements) checker_.fail(at, "the initialisers are too large");
      list->arguments.resize(next + 1);
    }
    QualType wanted = is_array ? type->element : type->record->fields[next].type;
    list->arguments[next++] = element(wanted);
    if (!in_braces && next >= count) break;
  }
  leave();
  return checker_.measured(list);
}

}  // namespace quern::frontend
