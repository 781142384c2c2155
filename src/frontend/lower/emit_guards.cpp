// SPDX-License-Identifier: MIT
// `if (i < n)` around a kernel's body, found and turned into a limit of the loop over work-items. Left in
// place it costs masked stores, which on some processors are five times slower than plain ones.
#include <algorithm>

#include "frontend/lower/emitter.hpp"

namespace quern::frontend::lower {
namespace {

bool only_returns(const Stmt* s) {
  if (s->kind == StmtKind::return_) return s->condition == nullptr;
  return s->kind == StmtKind::block && s->block.size() == 1 && only_returns(s->block[0]);
}

}  // namespace

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

bool Emitter::is_hoisted(const Expr* e) const {
  if (hoisted_.contains(e)) return true;
  return e->kind == ExprKind::binary && (e->op == punct("&&") || e->op == punct("||")) &&
         is_hoisted(e->operands[0]) && is_hoisted(e->operands[1]);
}

// The same for all work-items, and cheap: what the entry can compute once.
bool Emitter::is_uniform(const Expr* e) {
  switch (e->kind) {
    case ExprKind::integer:
      return true;
    case ExprKind::variable:
      return e->variable->is_parameter && e->type->is_integer() && !e->variable->is_written &&
             !e->variable->is_address_taken;
    case ExprKind::convert:
      return e->type->is_integer() && is_uniform(e->operands[0]);
    case ExprKind::binary:
      return e->type->is_integer() && (e->op == punct("+") || e->op == punct("-") || e->op == punct("*")) &&
             is_uniform(e->operands[0]) && is_uniform(e->operands[1]);
    default:
      return false;
  }
}

// The type that tells the value of an expression that is the first global id, possibly converted: an int is
// its low 32 bits with their sign extended, a uint with zeros, a ulong all its bits. The type in which it is
// compared is the expression's own.
const Type* Emitter::first_id_type(const Expr* e) {
  Types& types = program_.types;
  if (e->kind == ExprKind::builtin)
    return e->builtin->name == "get_global_id" && e->arguments[0]->kind == ExprKind::integer &&
                   e->arguments[0]->integer == 0
               ? types.ulong
               : nullptr;
  if (e->kind == ExprKind::variable) {
    const Variable* v = e->variable;
    const bool fixed = !v->is_parameter && !v->is_written && !v->is_address_taken && v->initial &&
                       !v->is_static && !v->is_program_scope;
    return fixed && v->initial->type.type == v->type.type ? first_id_type(v->initial) : nullptr;
  }
  if (e->kind != ExprKind::convert) return nullptr;
  const Type* from = first_id_type(e->operands[0]);
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

bool Emitter::is_guard(const Expr* e, bool negated, Guard& guard) {
  if (e->kind != ExprKind::binary) return false;
  const bool id_left = e->operands[0]->type->is_integer() && first_id_type(e->operands[0]);
  const Expr* id = e->operands[id_left ? 0 : 1];
  const Expr* bound = e->operands[id_left ? 1 : 0];
  if (!id->type->is_integer()) return false;
  const Type* type = first_id_type(id);
  if (!type || !is_uniform(bound)) return false;
  std::uint32_t op = e->op;
  if (!id_left)
    op = op == punct("<")    ? punct(">")
         : op == punct(">")  ? punct("<")
         : op == punct("<=") ? punct(">=")
         : op == punct(">=") ? punct("<=")
                             : 0;
  if (negated) op = op == punct(">=") ? punct("<") : op == punct(">") ? punct("<=") : 0;
  if (op != punct("<") && op != punct("<=")) return false;
  guard = {e, bound, type, op == punct("<=")};
  return true;
}

void Emitter::guards_of(const Expr* condition, std::uint32_t joined_by, bool negated) {
  if (condition->kind == ExprKind::binary && condition->op == joined_by) {
    guards_of(condition->operands[0], joined_by, negated);
    guards_of(condition->operands[1], joined_by, negated);
    return;
  }
  Guard guard;
  if (!is_guard(condition, negated, guard)) return;
  hoisted_.insert(condition);
  guards_.push_back(guard);
}

void Emitter::find_guards(const Function* f) {
  guards_.clear();
  hoisted_.clear();
  if (f->is_called || is_cuda() || f->has_barrier || program_.for_debugging) return;
  const std::vector<Stmt*>& block = f->body->block;
  for (std::size_t i = 0; i < block.size(); ++i) {
    const Stmt* s = block[i];
    if (s->kind == StmtKind::empty) continue;
    if (s->kind == StmtKind::declaration) {
      for (const Variable* v : s->variables)
        if (!is_pure(v->initial)) return;
      continue;
    }
    if (s->kind != StmtKind::if_ || s->second || !is_pure(s->condition)) return;
    if (only_returns(s->first)) {
      guard_returns_ = true;
      guards_of(s->condition, punct("||"), true);
    } else if (i + 1 == block.size()) {
      guard_returns_ = false;
      guards_of(s->condition, punct("&&"), false);
    }
    return;
  }
}

}  // namespace quern::frontend::lower
