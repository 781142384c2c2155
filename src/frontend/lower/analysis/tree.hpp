// SPDX-License-Identifier: MIT
// Walks over the typed tree, and facts about it that several passes use.
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

// Whether the predicate is true of a function or of one that it calls.
bool holds_for_any(const Function* f, const std::function<bool(const Function*)>& is_true);
bool is_loop(const Stmt* s);
bool has_loop(const Function* f);  // or in what it calls
// The body of a loop or of a switch.
const Stmt* body_of(const Stmt* s);
// Whether each work-item has a variable of its own.
bool is_private(const Variable* v);
// The variable of this function that an lvalue is, or is a part of; null when it lies behind a pointer.
const Variable* root_of(const Expr* lvalue);
// What an expression itself (not its parts) changes among the function's variables.
const Variable* assigned_by(const Expr* e);
// An expression that may do something besides changing variables: store, print, call, fence.
bool has_other_effect(const Expr* e);
// A convergence point, which all work-items of a group must reach: barriers and group functions.
bool is_collective(const Expr* e);
// A function of a work-group that has a value: work_group_reduce_add and its like.
bool is_group_value(const Expr* e);
// The same, where all work-items get one value.
bool is_same_for_group(const Expr* e);
// Whether a built-in function changes nothing and reads nothing that changes.
bool is_pure(Rule rule);
// Whether an expression changes nothing and reads nothing volatile, so that evaluating it twice or never is
// the same as once.
bool is_pure(const Expr* e);
// A statement that is a barrier and nothing else, or that gives a variable a value of the group.
bool is_barrier(const Stmt* s);
// A private object that has an address: an array, or a variable of which a pointer is made.
bool contains_array(const Type* type);

// What is known of the variables of one tree.
struct Facts {
  Variables declared;
  Variables assigned;       // after their declaration
  Variables address_taken;  // as a whole or in part, arrays by more than an index
  Variables of_group;       // that a function of the work-group gives one value for all

  explicit Facts(const std::vector<const Stmt*>& statements);
};

}  // namespace quern::frontend::lower
