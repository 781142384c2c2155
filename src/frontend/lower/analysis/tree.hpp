// SPDX-License-Identifier: MIT
// Walks over the typed tree, and properties of it that several analyses use.
#pragma once

#include <functional>
#include <unordered_set>

#include "frontend/parse/ast.hpp"
#include "frontend/preprocess/token.hpp"

namespace quern::frontend::lower {

using Variables = std::unordered_set<const Variable*>;

// Calls `visit` for every direct part of an expression.
template <class Visit>
void each_part(const Expr* e, const Visit& visit) {
  for (const Expr* o : e->operands)
    if (o) visit(o);
  for (const Expr* a : e->arguments)
    if (a) visit(a);
}

// Calls `visit` for an expression and everything below it, from the top.
template <class Visit>
void each_expression(const Expr* e, const Visit& visit) {
  if (!e) return;
  visit(e);
  each_part(e, [&](const Expr* part) { each_expression(part, visit); });
}

// Calls `visit` for every statement directly inside another.
template <class Visit>
void each_substatement(const Stmt* s, const Visit& visit) {
  if (s->first) visit(s->first);
  if (s->second) visit(s->second);
  for (const Stmt* inner : s->block) visit(inner);
}

template <class Visit>
void each_statement(const Stmt* s, const Visit& visit) {
  if (!s) return;
  visit(s);
  each_substatement(s, [&](const Stmt* inner) { each_statement(inner, visit); });
}

// Calls `visit` for the outermost expressions of one statement, not of those inside it.
template <class Visit>
void each_own_expression(const Stmt* s, const Visit& visit) {
  if (s->condition) visit(s->condition);
  if (s->step) visit(s->step);
  for (const Variable* v : s->variables)
    if (v->initial) visit(v->initial);
}

// Every expression of a statement and of all inside it.
template <class Visit>
void each_expression_in(const Stmt* s, const Visit& visit) {
  each_statement(s, [&](const Stmt* inner) {
    each_own_expression(inner, [&](const Expr* e) { each_expression(e, visit); });
  });
}

// Whether the predicate holds for a function or for one that it calls.
bool holds_for_any(const Function* f, const std::function<bool(const Function*)>& is_true);
bool is_loop(const Stmt* s);
bool has_loop(const Function* f);  // in itself or in a callee
// The body of a loop or of a switch.
const Stmt* body_of(const Stmt* s);
// Whether each work-item has a variable of its own.
bool is_private(const Variable* v);
// The variable of this function that an lvalue is or is a part of; null for memory behind a pointer.
const Variable* root_of(const Expr* lvalue);
// The variable of the function that the expression itself, without its parts, changes.
const Variable* assigned_by(const Expr* e);
// Whether an expression may do more than change variables: store, print, call a function, fence.
bool has_other_effect(const Expr* e);
// A convergence point, which all work-items of a group must reach: barriers and group functions.
bool is_collective(const Expr* e);
// A work-group function that returns a value, such as work_group_reduce_add.
bool is_group_value(const Expr* e);
// The same, if all work-items get the same value.
bool is_same_for_group(const Expr* e);
// Whether a built-in function has no side effects and reads nothing that may change.
bool is_pure(Rule rule);
// Whether an expression has no side effects and reads nothing volatile, so that the number of its evaluations
// does not matter.
bool is_pure(const Expr* e);
// A statement that is only a barrier, or that assigns the result of a work-group function to a variable.
bool is_barrier(const Stmt* s);
// Whether the type is or contains an array. Such objects have an address.
bool contains_array(const Type* type);

// Properties of the variables of one tree.
struct Facts {
  Variables declared;
  Variables assigned;       // after their declaration
  Variables address_taken;  // as a whole or in part; arrays that are not only indexed
  Variables of_group;       // variables to which a work-group function assigns one value for all work-items

  explicit Facts(const std::vector<const Stmt*>& statements);
};

}  // namespace quern::frontend::lower
