// SPDX-License-Identifier: MIT
// Computes indices in 64 bits. If a 32-bit index may wrap, the compiler cannot see that adjacent work-items
// access adjacent elements. In 64 bits it can, and the loop over work-items vectorises.
//
// Widening does not change values. For +, - and * of int, whose overflow is undefined in OpenCL C, it gives
// the mathematical result. Unsigned arithmetic, which must wrap, is never widened. A size_t sum that is
// stored in an int, `int i = get_global_id(0) + n`, is a special case: its terms are truncated to int first
// and added in 64 bits, as if the user had added ints.
#include "frontend/lower/expression_writer.hpp"

namespace quern::frontend::lower {
namespace {

bool is_global_id(const Expr* e, std::int64_t& dimension) {
  if (e->kind != ExprKind::builtin || e->builtin->name != "get_global_id") return false;
  const Expr* d = e->arguments[0];
  if (d->kind != ExprKind::integer || d->integer > 2) return false;
  dimension = static_cast<std::int64_t>(d->integer);
  return true;
}

bool is_affine(std::uint32_t op) {
  return op == punct("+") || op == punct("-") || op == punct("*");
}

// Whether this is (int)(a + b) of size_t operands.
bool is_cut_sum(const Expr* e) {
  if (e->kind != ExprKind::convert || e->type->kind != TypeKind::int_) return false;
  const Expr* from = e->operands[0];
  return from->kind == ExprKind::binary && from->type->kind == TypeKind::ulong &&
         (from->op == punct("+") || from->op == punct("-"));
}

}  // namespace

// Whether a variable has a second, 64-bit variable with the same value: it is never changed, and its value is
// an index computation. The initialiser is evaluated again for it, so it must have no side effects.
bool ExpressionWriter::has_wide_twin(const Variable* v) {
  if (const auto known = wide_twins_.find(v); known != wide_twins_.end()) return known->second;
  if (!dialect_.widens_indices() || program_.for_debugging || program_.checks_bounds || v->is_parameter ||
      v->is_program_scope || v->is_static || v->is_written || v->is_address_taken || !v->initial ||
      v->type.is_volatile)
    return false;
  const Expr* e = v->initial;
  const TypeKind kind = v->type->kind;
  bool twin = false;
  std::int64_t dimension = 0;
  if (kind == TypeKind::int_ || kind == TypeKind::uint) {
    if (e->kind == ExprKind::convert && e->type->kind == kind) twin = is_global_id(e->operands[0], dimension);
    if (e->kind == ExprKind::variable && e->type->kind == kind) twin = has_wide_twin(e->variable);
    if (kind == TypeKind::int_ && e->kind == ExprKind::binary) twin = is_affine(e->op);
    if (kind == TypeKind::int_ && is_cut_sum(e)) twin = true;
  }
  twin = twin && is_pure(e);
  wide_twins_[v] = twin;
  return twin;
}

std::string ExpressionWriter::wide_twin(const Variable* v) {
  return "quern_w_" + scope_.name_of(v);
}

// Writes a size_t sum as a sum of terms that are truncated to int.
std::string ExpressionWriter::cut_sum(const Expr* e) {
  std::int64_t dimension = 0;
  if (is_global_id(e, dimension) && dimension == 0) return "quern_gi0";
  if (e->kind == ExprKind::binary && (e->op == punct("+") || e->op == punct("-")))
    return "(" + cut_sum(e->operands[0]) + " " + spelled(e->op) + " " + cut_sum(e->operands[1]) + ")";
  if (e->kind == ExprKind::convert && e->operands[0]->type->kind == TypeKind::int_)
    return wide(e->operands[0]);
  return "((long long)(int)" + expr(e) + ")";
}

// Writes an integer expression in 64 bits, for an index.
std::string ExpressionWriter::wide(const Expr* e) {
  const Type* type = e->type.type;
  if (!dialect_.widens_indices() || !type->is_integer()) return expr(e);
  const TypeKind kind = type->kind;
  switch (e->kind) {
    case ExprKind::integer:
      return type->is_signed() ? types_.integer_literal(e->integer, program_.types.long_) : expr(e);
    case ExprKind::variable:
      if (has_wide_twin(e->variable)) return wide_twin(e->variable);
      break;
    case ExprKind::convert: {
      const Expr* from = e->operands[0];
      std::int64_t dimension = 0;
      if (is_global_id(from, dimension)) {
        const std::string d = std::to_string(dimension);
        if (kind == TypeKind::int_)
          return dimension == 0 ? "quern_gi0" : "((long long)(int)quern_g" + d + ")";
        if (kind == TypeKind::uint)
          return dimension == 0 ? "quern_gu0" : "((unsigned long long)(unsigned)quern_g" + d + ")";
      }
      if (is_cut_sum(e)) return cut_sum(from);
      // From int to long or size_t: the sign is extended in both cases.
      if (size_of(type) == 8 && from->type->is_integer() &&
          (from->type->is_signed() || from->type->kind == TypeKind::uint))
        return "((" + types_.text(type) + ")" + wide(from) + ")";
      break;
    }
    case ExprKind::binary:
      if (is_affine(e->op) && e->operands[0]->type->is_integer() && e->operands[1]->type->is_integer()) {
        const bool eight = size_of(type) == 8;
        if (eight || kind == TypeKind::int_) {
          const std::string t = eight ? types_.text(type) : "long long";
          std::string op(1, static_cast<char>(e->op));
          return "((" + t + ")" + wide(e->operands[0]) + " " + op + " (" + t + ")" + wide(e->operands[1]) +
                 ")";
        }
      }
      break;
    default:
      break;
  }
  if (size_of(type) == 8) return expr(e);
  return (type->is_signed() ? "((long long)" : "((unsigned long long)") + expr(e) + ")";
}

}  // namespace quern::frontend::lower
