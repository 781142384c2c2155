// SPDX-License-Identifier: MIT
// Overload resolution for __attribute__((overloadable)), the extension of clang with which a program
// overloads its own functions.
#include <algorithm>

#include "frontend/check/checker.hpp"

namespace quern::frontend {
namespace {

constexpr int kImpossible = 1000;

bool is_promotion(const Type* from, const Type* to) {
  using enum TypeKind;
  if (from->is_real()) return (from->kind == float_ && to->kind == double_) || from->kind == half;
  return from->is_integer() && to->kind == int_ && size_of(from) < 4;
}

bool differs(const QualType& from, const QualType& to) {
  return from.type != to.type && from->kind != TypeKind::void_ && to->kind != TypeKind::void_;
}

// The cost of a pointer conversion. Among conversions of the same kind, fewer added qualifiers cost less.
int pointer_steps(const QualType& from, const QualType& to) {
  if (from.space != to.space && from.space != Space::unspecified && to.space != Space::unspecified)
    return kImpossible;
  const bool drops = (from.is_const && !to.is_const) || (from.is_volatile && !to.is_volatile);
  const int added = int{to.is_const && !from.is_const} + int{to.is_volatile && !from.is_volatile};
  const int kind = differs(from, to) ? 4 : drops ? 3 : from.type != to.type ? 2 : 1;
  return kind * 10 + added;
}

// The cost of converting an argument to a parameter's type: 0 for none, 1 for a promotion, more for others.
int steps(const Expr* argument, const Type* to) {
  const Type* from = argument->type.type;
  if (from == to) return 0;
  if (from->is_scalar() && to->is_scalar()) return is_promotion(from, to) ? 1 : 2;
  if (from->is_scalar() && (to->is_vector() || to->is_complex())) return 3;
  if (from->is_complex() && to->is_complex()) return 2;
  if (to->is_pointer() && is_null_constant(argument)) return 2;
  if (from->is_pointer() && to->is_pointer()) return pointer_steps(from->element, to->element);
  if (from->is_pointer() && to->kind == TypeKind::bool_) return 200;
  return kImpossible;
}

// How far a pointer argument violates the language's rules: 1 for a pointer to another type, 2 if it loses
// its address space, which OpenCL C 1.2 does not allow, 3 if it gains one. Only the overloads with the
// smallest violation are considered.
int strain(const Expr* argument, const Type* to) {
  const Type* from = argument->type.type;
  if (!from->is_pointer() || !to->is_pointer() || is_null_constant(argument)) return 0;
  if (from->element.space != to->element.space) return to->element.space == Space::unspecified ? 2 : 3;
  return differs(from->element, to->element) ? 1 : 0;
}

int strain(const Function* function, const std::vector<Expr*>& arguments) {
  int most = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    most = std::max(most, strain(arguments[i], function->parameters[i]->type.type));
  return most;
}

// Whether converting each argument costs no more for `a` than for `b`.
bool is_as_good(const Function* a, const Function* b, const std::vector<Expr*>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (steps(arguments[i], a->parameters[i]->type.type) > steps(arguments[i], b->parameters[i]->type.type))
      return false;
  return true;
}

std::string list_of(const std::vector<Expr*>& arguments) {
  std::string text;
  for (const Expr* a : arguments) text += (text.empty() ? "" : ", ") + name_of(a->type);
  return "(" + text + ")";
}

}  // namespace

Expr* Checker::overloaded_call(Function* first, std::vector<Expr*> arguments, Location at) {
  if (!first->next_overload && !first->is_overloadable) return call(first, std::move(arguments), at);
  for (Expr*& a : arguments) a = value(a);
  std::vector<Function*> fitting;
  for (Function* f = first; f; f = f->next_overload) {
    bool fits = f->parameters.size() == arguments.size();
    for (std::size_t i = 0; fits && i < arguments.size(); ++i)
      fits = steps(arguments[i], f->parameters[i]->type.type) < kImpossible;
    if (fits) fitting.push_back(f);
  }
  const std::string name(first->name);
  if (fitting.empty()) {  // a user's overloads do not hide the built-in function of the same name
    if (Expr* result = builtin(name, arguments, at)) return result;
    fail(at, "no function '" + name + "' takes " + list_of(arguments));
  }
  int least = strain(fitting.front(), arguments);
  for (const Function* f : fitting) least = std::min(least, strain(f, arguments));
  std::erase_if(fitting, [&](const Function* f) { return strain(f, arguments) > least; });
  for (Function* best : fitting) {
    bool is_best = true;
    for (const Function* other : fitting)
      is_best &= other == best || (is_as_good(best, other, arguments) && !is_as_good(other, best, arguments));
    if (is_best) return call(best, std::move(arguments), at);
  }
  fail(at, "the call of '" + name + "' with " + list_of(arguments) +
               " is ambiguous: several overloads fit equally");
}

}  // namespace quern::frontend
