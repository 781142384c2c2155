// SPDX-License-Identifier: MIT
// Queries about the typed tree.
#include "frontend/lower/analysis/tree.hpp"

#include <algorithm>

namespace quern::frontend::lower {

bool is_loop(const Stmt* s) {
  return s->kind == StmtKind::for_ || s->kind == StmtKind::while_ || s->kind == StmtKind::do_;
}

const Stmt* body_of(const Stmt* s) {
  return s->kind == StmtKind::for_ ? s->second : s->first;
}

bool is_private(const Variable* v) {
  return !v->is_program_scope && !v->is_static && !v->is_local();
}

const Variable* root_of(const Expr* e) {
  for (;;) {
    switch (e->kind) {
      case ExprKind::variable:
        return is_private(e->variable) ? e->variable : nullptr;
      case ExprKind::member:
      case ExprKind::swizzle:
        e = e->operands[0];
        break;
      case ExprKind::index:
        e = e->operands[0];
        if (e->kind != ExprKind::convert || e->operands[0]->type->kind != TypeKind::array) return nullptr;
        e = e->operands[0];
        break;
      default:
        return nullptr;
    }
  }
}

const Variable* assigned_by(const Expr* e) {
  return e->kind == ExprKind::assign || e->kind == ExprKind::increment ? root_of(e->operands[0]) : nullptr;
}

bool is_pure(Rule rule) {
  switch (rule) {
    case Rule::real_pointer:
    case Rule::real_int_pointer:
    case Rule::real_real_int_pointer:
    case Rule::atomic:
    case Rule::atomic2:
    case Rule::vstore:
    case Rule::vstore_half:
    case Rule::fence:
    case Rule::barrier:
    case Rule::group:
    case Rule::print:
    case Rule::unsupported:
      return false;
    case Rule::real:
    case Rule::real_int:
    case Rule::real_to_int:
    case Rule::test:
    case Rule::integer:
    case Rule::integer_abs:
    case Rule::number:
    case Rule::select:
    case Rule::bits:
    case Rule::any_all:
    case Rule::nan:
    case Rule::dot:
    case Rule::length:
    case Rule::distance:
    case Rule::normalize:
    case Rule::cross:
    case Rule::space:
    case Rule::vload:
    case Rule::vload_half:
    case Rule::convert:
    case Rule::upsample:
    case Rule::shuffle:
    case Rule::work_item:
    case Rule::work_dim:
      return true;
  }
  return false;
}

bool is_pure(const Expr* e) {
  if (!e) return true;
  if (e->type.is_volatile) return false;
  switch (e->kind) {
    case ExprKind::call:
    case ExprKind::assign:
    case ExprKind::increment:
      return false;
    case ExprKind::builtin:
      if (!is_pure(e->builtin->rule)) return false;
      break;
    default:
      break;
  }
  return std::ranges::all_of(e->operands, [](const Expr* o) { return is_pure(o); }) &&
         std::ranges::all_of(e->arguments, [](const Expr* a) { return is_pure(a); });
}

bool has_other_effect(const Expr* e) {
  bool found = false;
  each_expression(e, [&](const Expr* part) {
    switch (part->kind) {
      case ExprKind::call:
        found = true;
        break;
      case ExprKind::assign:
      case ExprKind::increment:
        found |= root_of(part->operands[0]) == nullptr;
        break;
      case ExprKind::builtin:
        found |= !is_pure(part->builtin->rule);
        break;
      default:
        break;
    }
    found |= part->type.is_volatile;
  });
  return found;
}

bool is_group_value(const Expr* e) {
  return e->kind == ExprKind::builtin && e->builtin->rule == Rule::group &&
         e->builtin->name.starts_with("work_group_");
}

bool is_same_for_group(const Expr* e) {
  return is_group_value(e) && !e->builtin->name.starts_with("work_group_scan") &&
         e->builtin->name != "work_group_broadcast";
}

bool is_collective(const Expr* e) {
  return (e->kind == ExprKind::builtin && e->builtin->rule == Rule::barrier) || is_group_value(e);
}

bool holds_for_any(const Function* f, const std::function<bool(const Function*)>& is_true) {
  std::unordered_set<const Function*> seen;
  std::vector<const Function*> work = {f};
  while (!work.empty()) {
    const Function* g = work.back();
    work.pop_back();
    if (!seen.insert(g).second) continue;
    if (is_true(g)) return true;
    for (const auto& [callee, at] : g->calls) work.push_back(callee);
  }
  return false;
}

bool has_loop(const Function* f) {
  return holds_for_any(f, [](const Function* g) {
    bool found = false;
    each_statement(g->body, [&](const Stmt* s) { found |= is_loop(s); });
    return found;
  });
}

bool is_barrier(const Stmt* s) {
  if (s->kind != StmtKind::expression) return false;
  const Expr* e = s->condition;
  return is_collective(e) || (e->kind == ExprKind::assign && is_group_value(e->operands[1]));
}

bool contains_array(const Type* type) {
  if (type->kind == TypeKind::array) return true;
  return type->kind == TypeKind::structure && std::ranges::any_of(type->record->fields, [](const Field& f) {
           return contains_array(f.type.type);
         });
}

Facts::Facts(const std::vector<const Stmt*>& statements) {
  Variables arrays;  // arrays that decay to pointers
  const auto look = [&](const Expr* e) {
    if (const Variable* v = assigned_by(e)) assigned.insert(v);
    if (e->kind == ExprKind::unary && e->op == punct("&"))
      if (const Variable* v = root_of(e->operands[0])) address_taken.insert(v);
    each_part(e, [&](const Expr* part) {
      const bool decays = part->kind == ExprKind::convert && part->operands[0]->type->kind == TypeKind::array;
      if (decays && !(e->kind == ExprKind::index && e->operands[0] == part))
        if (const Variable* v = root_of(part->operands[0])) address_taken.insert(v);
    });
  };
  for (const Stmt* s : statements)
    each_statement(s, [&](const Stmt* inner) {
      for (const Variable* v : inner->variables) declared.insert(v);
      if (is_barrier(inner) && inner->condition->kind == ExprKind::assign)
        of_group.insert(assigned_by(inner->condition));
      each_own_expression(inner, [&](const Expr* e) {
        each_expression(e, look);
        if (e->kind == ExprKind::convert && e->operands[0]->type->kind == TypeKind::array)
          if (const Variable* v = root_of(e->operands[0])) address_taken.insert(v);
      });
    });
}

}  // namespace quern::frontend::lower
