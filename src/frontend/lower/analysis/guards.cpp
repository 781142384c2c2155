// SPDX-License-Identifier: MIT
// Finds guards and moves them out of the kernel. A guard that stays in the kernel leads to masked stores,
// which are five times slower than plain ones on some processors.
#include "frontend/lower/analysis/guards.hpp"

#include <optional>

#include "frontend/lower/analysis/tree.hpp"

namespace quern::frontend::lower {
namespace {

bool only_returns(const Stmt* s) {
  if (s->kind == StmtKind::return_) return s->condition == nullptr;
  return s->kind == StmtKind::block && s->block.size() == 1 && only_returns(s->block[0]);
}

// Whether the entry can compute the expression once: it is the same for all work-items and cheap.
bool is_uniform_bound(const Expr* e) {
  switch (e->kind) {
    case ExprKind::integer:
      return true;
    case ExprKind::variable:
      return e->variable->is_parameter && e->type->is_integer() && !e->variable->is_written &&
             !e->variable->is_address_taken;
    case ExprKind::convert:
      return e->type->is_integer() && is_uniform_bound(e->operands[0]);
    case ExprKind::binary:
      return e->type->is_integer() && (e->op == punct("+") || e->op == punct("-") || e->op == punct("*")) &&
             is_uniform_bound(e->operands[0]) && is_uniform_bound(e->operands[1]);
    default:
      return false;
  }
}

// If the expression is the first global id, possibly converted, returns the type that determines its value:
// int for its low 32 bits with sign extension, uint with zero extension, ulong for all bits. The comparison
// uses the expression's own type.
const Type* first_id_type(const Types& types, const Expr* e) {
  if (e->kind == ExprKind::builtin)
    return e->builtin->name == "get_global_id" && e->arguments[0]->kind == ExprKind::integer &&
                   e->arguments[0]->integer == 0
               ? types.ulong
               : nullptr;
  if (e->kind == ExprKind::variable) {
    const Variable* v = e->variable;
    const bool fixed = !v->is_parameter && !v->is_written && !v->is_address_taken && v->initial &&
                       !v->is_static && !v->is_program_scope;
    return fixed && v->initial->type.type == v->type.type ? first_id_type(types, v->initial) : nullptr;
  }
  if (e->kind != ExprKind::convert) return nullptr;
  const Type* from = first_id_type(types, e->operands[0]);
  if (!from) return nullptr;
  switch (e->type->kind) {
    case TypeKind::int_:
      return types.int_;
    case TypeKind::uint:
      return types.uint;
    case TypeKind::long_:
      return from;
    case TypeKind::ulong:
      return from == types.int_ ? nullptr : from;
    default:
      return nullptr;
  }
}

std::optional<Guard> guard_of(const Types& types, const Expr* e, bool negated) {
  if (e->kind != ExprKind::binary) return std::nullopt;
  const bool id_left = e->operands[0]->type->is_integer() && first_id_type(types, e->operands[0]);
  const Expr* id = e->operands[id_left ? 0 : 1];
  const Expr* bound = e->operands[id_left ? 1 : 0];
  if (!id->type->is_integer()) return std::nullopt;
  const Type* type = first_id_type(types, id);
  if (!type || !is_uniform_bound(bound)) return std::nullopt;
  std::uint32_t op = e->op;
  if (!id_left)
    op = op == punct("<")    ? punct(">")
         : op == punct(">")  ? punct("<")
         : op == punct("<=") ? punct(">=")
         : op == punct(">=") ? punct("<=")
                             : 0;
  if (negated) op = op == punct(">=") ? punct("<") : op == punct(">") ? punct("<=") : 0;
  if (op != punct("<") && op != punct("<=")) return std::nullopt;
  return Guard{bound, type, op == punct("<=")};
}

void add_guards(const Types& types, const Expr* condition, std::uint32_t joined_by, bool negated,
                Guards& guards) {
  if (condition->kind == ExprKind::binary && condition->op == joined_by) {
    add_guards(types, condition->operands[0], joined_by, negated, guards);
    add_guards(types, condition->operands[1], joined_by, negated, guards);
    return;
  }
  const auto guard = guard_of(types, condition, negated);
  if (!guard) return;
  guards.hoisted.insert(condition);
  guards.bounds.push_back(*guard);
}

}  // namespace

bool Guards::is_hoisted(const Expr* e) const {
  if (hoisted.contains(e)) return true;
  return e->kind == ExprKind::binary && (e->op == punct("&&") || e->op == punct("||")) &&
         is_hoisted(e->operands[0]) && is_hoisted(e->operands[1]);
}

Guards find_guards(Program& program, const Function* f) {
  Guards guards;
  if (f->is_called || f->has_barrier || program.for_debugging || program.checks_bounds) return guards;
  const std::vector<Stmt*>& block = f->body->block;
  for (std::size_t i = 0; i < block.size(); ++i) {
    const Stmt* s = block[i];
    if (s->kind == StmtKind::empty) continue;
    if (s->kind == StmtKind::declaration) {
      for (const Variable* v : s->variables)
        if (!is_pure(v->initial)) return guards;
      continue;
    }
    if (s->kind != StmtKind::if_ || s->second || !is_pure(s->condition)) return guards;
    if (only_returns(s->first)) {
      guards.returns = true;
      add_guards(program.types, s->condition, punct("||"), true, guards);
    } else if (i + 1 == block.size()) {
      add_guards(program.types, s->condition, punct("&&"), false, guards);
    }
    return guards;
  }
  return guards;
}

}  // namespace quern::frontend::lower
