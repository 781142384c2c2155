// SPDX-License-Identifier: MIT
// Constant integer expressions: array sizes, case labels, enumerators.
#include "frontend/ast.hpp"

namespace quern::frontend {
namespace {

// Brings a value into the range of its type.
std::int64_t wrap(std::uint64_t bits, const Type* type) {
  const std::uint64_t size = size_of(type);
  if (type->kind == TypeKind::bool_) return bits != 0;
  if (size >= 8) return static_cast<std::int64_t>(bits);
  const auto width = static_cast<unsigned>(8 * size);
  bits &= (std::uint64_t{1} << width) - 1;
  if (type->is_signed() && (bits >> (width - 1) & 1) != 0) bits |= ~std::uint64_t{0} << width;
  return static_cast<std::int64_t>(bits);
}

}  // namespace

std::optional<std::int64_t> constant_value(const Expr* e) {
  if (!e->type->is_integer()) return std::nullopt;
  switch (e->kind) {
    case ExprKind::integer:
      return static_cast<std::int64_t>(e->integer);
    case ExprKind::variable: {
      const Variable* v = e->variable;
      const bool fixed = (v->is_program_scope || v->is_static) && v->initial &&
                         (v->type.is_const || v->type.space == Space::constant);
      return fixed ? constant_value(v->initial) : std::nullopt;
    }
    case ExprKind::convert: {
      const Expr* from = e->operands[0];
      if (from->kind == ExprKind::real && from->real > -9.2e18 && from->real < 9.2e18)
        return wrap(static_cast<std::uint64_t>(static_cast<std::int64_t>(from->real)), e->type.type);
      const auto v = constant_value(from);
      if (!v) return std::nullopt;
      return wrap(static_cast<std::uint64_t>(*v), e->type.type);
    }
    case ExprKind::unary: {
      const auto v = constant_value(e->operands[0]);
      if (!v) return std::nullopt;
      const auto bits = static_cast<std::uint64_t>(*v);
      if (e->op == punct("-")) return wrap(0 - bits, e->type.type);
      if (e->op == punct("~")) return wrap(~bits, e->type.type);
      if (e->op == punct("!")) return *v == 0;
      return std::nullopt;
    }
    case ExprKind::conditional: {
      const auto test = constant_value(e->operands[0]);
      if (!test) return std::nullopt;
      return constant_value(*test != 0 ? e->operands[1] : e->operands[2]);
    }
    case ExprKind::binary:
      break;
    default:
      return std::nullopt;
  }
  const auto x = constant_value(e->operands[0]);
  const auto y = constant_value(e->operands[1]);
  if (!x || !y) return std::nullopt;
  const Type* type = e->operands[0]->type.type;
  const auto a = static_cast<std::uint64_t>(*x), b = static_cast<std::uint64_t>(*y);
  const bool is_signed = type->is_signed();
  const auto shift = static_cast<unsigned>(b & (8 * size_of(type) - 1));
  const bool less = is_signed ? *x < *y : a < b;
  switch (e->op) {
    case punct("+"):
      return wrap(a + b, type);
    case punct("-"):
      return wrap(a - b, type);
    case punct("*"):
      return wrap(a * b, type);
    case punct("&"):
      return wrap(a & b, type);
    case punct("|"):
      return wrap(a | b, type);
    case punct("^"):
      return wrap(a ^ b, type);
    case punct("<<"):
      return wrap(a << shift, type);
    case punct(">>"):
      return is_signed ? *x >> shift : wrap(a >> shift, type);
    case punct("=="):
      return a == b;
    case punct("!="):
      return a != b;
    case punct("<"):
      return less;
    case punct(">="):
      return !less;
    case punct(">"):
      return a != b && !less;
    case punct("<="):
      return a == b || less;
    case punct("&&"):
      return a != 0 && b != 0;
    case punct("||"):
      return a != 0 || b != 0;
    case punct("/"):
    case punct("%"): {
      if (b == 0) return std::nullopt;
      const bool divides = e->op == punct("/");
      if (!is_signed) return wrap(divides ? a / b : a % b, type);
      if (*y == -1) return divides ? wrap(0 - a, type) : 0;
      return divides ? *x / *y : *x % *y;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace quern::frontend
