// SPDX-License-Identifier: MIT
// Indices in 64 bits. A 32-bit index that may wrap hides from a compiler that neighbouring work-items touch
// neighbouring elements; computed in 64 bits it does not, and the loop over work-items vectorises.
//
// Widening is exact for values, and for +, - and * of int, whose overflow OpenCL C leaves undefined, it gives
// the mathematical result. Unsigned arithmetic, which must wrap, is never widened. In between lies a size_t
// sum kept in an int, `int i = get_global_id(0) + n`: its terms are cut to int first, and only their sum is
// taken in 64 bits, as if the user had added ints.
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

// (int)(a + b) of size_t.
bool is_cut_sum(const Expr* e) {
  if (e->kind != ExprKind::convert || e->type->kind != TypeKind::int_) return false;
  const Expr* from = e->operands[0];
  return from->kind == ExprKind::binary && from->type->kind == TypeKind::ulong &&
         (from->op == punct("+") || from->op == punct("-"));
}

}  // namespace

// Variables that are never changed and whose value is an index computation keep a 64-bit twin beside them.
// The twin evaluates the initialiser once more, which therefore must have no effects.
bool ExpressionWriter::has_wide_twin(const Variable* v) {
  if (const auto known = wide_twins_.find(v); known != wide_twins_.end()) return known->second;
  if (!dialect_.widens_indices() || program_.for_debugging || v->is_parameter || v->is_program_scope ||
      v->is_static || v->is_written || v->is_address_taken || !v->initial || v->type.is_volatile)
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

// A size_t sum of terms cut to int.
std::string ExpressionWriter::cut_sum(const Expr* e) {
  std::int64_t dimension = 0;
  if (is_global_id(e, dimension) && dimension == 0) return "quern_gi0";
  if (e->kind == ExprKind::binary && (e->op == punct("+") || e->op == punct("-")))
    return "(" + cut_sum(e->operands[0]) + " " + spelled(e->op) + " " + cut_sum(e->operands[1]) + ")";
  if (e->kind == ExprKind::convert && e->operands[0]->type->kind == TypeKind::int_)
    return wide(e->operands[0]);
  return "((long long)(int)" + expr(e) + ")";
}

// An integer expression as a 64-bit one, for an index.
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
      // int to long or size_t: the sign is extended either way
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
