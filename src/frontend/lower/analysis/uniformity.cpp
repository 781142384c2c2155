// SPDX-License-Identifier: MIT
// The analysis starts from the assumption that every value is uniform. It passes over the statements and
// marks values that vary, until a pass marks no more.
#include "frontend/lower/analysis/uniformity.hpp"

#include <algorithm>

namespace quern::frontend::lower {
namespace {

// One round for each step that a value is passed backwards in the order of statements.
constexpr int kMaxRounds = 200;

bool is_id(std::string_view name) {
  return name == "get_global_id" || name == "get_local_id";
}

bool is_launch_value(std::string_view name) {
  return name == "get_group_id" || name == "get_num_groups" || name == "get_global_size" ||
         name == "get_local_size" || name == "get_enqueued_local_size" || name == "get_global_offset" ||
         name == "get_work_dim";
}

bool is_first_id(const Expr* e) {
  return e->kind == ExprKind::builtin && is_id(e->builtin->name) &&
         e->arguments[0]->kind == ExprKind::integer && e->arguments[0]->integer == 0;
}

// Whether this is the first global id, converted or in a variable.
bool is_id_itself(const Expr* e) {
  if (e->kind == ExprKind::convert) return e->type->is_integer() && is_id_itself(e->operands[0]);
  if (e->kind == ExprKind::variable) return e->variable->initial && is_id_itself(e->variable->initial);
  return is_first_id(e);
}

}  // namespace

Uniformity::Uniformity(const std::vector<const Stmt*>& statements, Together together,
                       const Variables& varying, const Variables& uniform)
    : together_(together), varying_(varying), outside_uniform_(uniform), facts_(statements) {
  for (const Stmt* s : statements) find_convergence(s);
  for (int pass = 0; changed_; ++pass) {
    if (pass == kMaxRounds) return;
    changed_ = false;
    for (const Stmt* s : statements) statement(s, {});
  }
}

bool Uniformity::find_convergence(const Stmt* s) {
  bool converges = false;
  each_own_expression(s, [&](const Expr* e) {
    each_expression(e, [&](const Expr* part) { converges |= is_collective(part); });
  });
  each_substatement(s, [&](const Stmt* inner) { converges |= find_convergence(inner); });
  if (converges) convergent_.insert(s);
  return converges;
}

void Uniformity::vary(const Variable* v) {
  changed_ |= varying_.insert(v).second;
}

bool Uniformity::is_uniform(const Variable* v) const {
  if (!is_private(v)) return true;
  if (varying_.contains(v) || facts_.address_taken.contains(v) || contains_array(v->type.type)) return false;
  return v->is_parameter || facts_.declared.contains(v) || outside_uniform_.contains(v);
}

// Whether the function's result depends only on its arguments.
bool Uniformity::is_uniform_call(const Function* f) const {
  const auto [entry, is_new] = calls_.try_emplace(f, false);
  if (!is_new) return entry->second;
  bool uniform = std::ranges::none_of(f->parameters, [](const Variable* p) { return p->type->is_pointer(); });
  for (std::size_t d = 0; d < 3; ++d) uniform &= !f->uses.global_id[d] && !f->uses.local_id[d];
  each_statement(f->body, [&](const Stmt* s) {
    each_own_expression(s, [&](const Expr* e) { uniform = uniform && !has_other_effect(e); });
  });
  return entry->second = uniform;
}

bool Uniformity::is_uniform(const Expr* e) const {
  if (e->type.is_volatile) return false;
  switch (e->kind) {
    case ExprKind::variable:
      return is_uniform(e->variable);
    case ExprKind::call:
      if (!is_uniform_call(e->callee)) return false;
      break;
    case ExprKind::builtin:
      if (is_id(e->builtin->name)) {
        if (together_ == Together::group || e->arguments[0]->kind != ExprKind::integer) return false;
        return e->arguments[0]->integer != 0;
      }
      if (e->builtin->rule == Rule::work_item || e->builtin->rule == Rule::work_dim) {
        if (!is_launch_value(e->builtin->name)) return false;
        break;
      }
      if (is_group_value(e)) return is_same_for_group(e);
      if (!is_pure(e->builtin->rule)) return false;
      break;
    case ExprKind::unary:
      // Every work-item has its own variables, with different addresses.
      if (e->op == punct("&") && root_of(e->operands[0])) return false;
      break;
    case ExprKind::assign:
    case ExprKind::increment:
      if (!assigned_by(e)) return false;
      break;
    default:
      break;
  }
  bool uniform = true;
  each_part(e, [&](const Expr* part) { uniform = uniform && is_uniform(part); });
  return uniform;
}

bool Uniformity::is_uniform_loop(const Stmt* s) const {
  return !varying_exits_.contains(s) && (!s->condition || is_uniform(s->condition));
}

void Uniformity::expression(const Expr* e, bool varying) {
  if (const Variable* v = assigned_by(e)) {
    bool same = !varying;
    each_part(e, [&](const Expr* part) { same = same && is_uniform(part); });
    if (!same) vary(v);
  }
  const bool chooses = e->kind == ExprKind::conditional ||
                       (e->kind == ExprKind::binary && (e->op == punct("&&") || e->op == punct("||")));
  const bool inside = varying || (chooses && !is_uniform(e->operands[0]));
  bool first = true;
  each_part(e, [&](const Expr* part) {
    expression(part, first ? varying : inside);
    first = false;
  });
}

void Uniformity::statement(const Stmt* s, Scope scope) {
  const auto inner = [&](const Stmt* part, Scope in) {
    if (part) statement(part, in);
  };
  const bool converges = convergent_.contains(s);
  switch (s->kind) {
    case StmtKind::declaration:
      for (const Variable* v : s->variables) {
        if (!v->initial) continue;
        expression(v->initial, scope.varying);
        if (!is_uniform(v->initial)) vary(v);
      }
      return;
    case StmtKind::if_: {
      expression(s->condition, scope.varying);
      Scope in = scope;
      in.varying |= !converges && !is_uniform(s->condition);
      inner(s->first, in);
      inner(s->second, in);
      return;
    }
    case StmtKind::for_:
    case StmtKind::while_:
    case StmtKind::do_: {
      if (s->kind == StmtKind::for_) inner(s->first, scope);
      Scope in = scope;
      in.loop = in.breakable = s;
      in.varying |= !converges && !is_uniform_loop(s);
      in.loop_varying = in.breakable_varying = in.varying;
      if (s->condition) expression(s->condition, in.varying);
      if (s->step) expression(s->step, in.varying);
      inner(body_of(s), in);
      return;
    }
    case StmtKind::switch_: {
      expression(s->condition, scope.varying);
      Scope in = scope;
      in.breakable = s;
      in.varying |= !converges && (varying_exits_.contains(s) || !is_uniform(s->condition));
      in.breakable_varying = in.varying;
      inner(s->first, in);
      return;
    }
    case StmtKind::break_:
    case StmtKind::continue_: {
      const bool breaks = s->kind == StmtKind::break_;
      const Stmt* left = breaks ? scope.breakable : scope.loop;
      const bool before = breaks ? scope.breakable_varying : scope.loop_varying;
      // Some work-items leave the loop while others continue.
      if (left && scope.varying && !before && !convergent_.contains(left))
        changed_ |= varying_exits_.insert(left).second;
      return;
    }
    default:
      each_own_expression(s, [&](const Expr* e) { expression(e, scope.varying); });
      each_substatement(s, [&](const Stmt* part) { statement(part, scope); });
      return;
  }
}

Stride Uniformity::stride(const Expr* e) const {
  if (is_uniform(e)) return Stride::uniform;
  switch (e->kind) {
    case ExprKind::builtin:
      return is_first_id(e) ? Stride::unit : Stride::other;
    case ExprKind::variable: {
      const Variable* v = e->variable;
      if (facts_.assigned.contains(v) || facts_.address_taken.contains(v) || !v->initial)
        return Stride::other;
      return stride(v->initial);
    }
    case ExprKind::convert: {
      const Expr* from = e->operands[0];
      if (!e->type->is_integer() || !from->type->is_integer() || size_of(e->type.type) < 4)
        return Stride::other;
      // An unsigned sum may wrap between two work-items before it is widened. Ids do not wrap: rows are
      // divided where the low 32 bits would.
      const bool widens = size_of(e->type.type) > size_of(from->type.type);
      if (widens && !from->type->is_signed() && !is_id_itself(from)) return Stride::other;
      return stride(from);
    }
    case ExprKind::binary: {
      if (e->op != punct("+") && e->op != punct("-")) return Stride::other;
      const Stride a = stride(e->operands[0]), b = stride(e->operands[1]);
      if (a == Stride::unit && b == Stride::uniform) return Stride::unit;
      return e->op == punct("+") && a == Stride::uniform && b == Stride::unit ? Stride::unit : Stride::other;
    }
    default:
      return Stride::other;
  }
}

}  // namespace quern::frontend::lower
