// SPDX-License-Identifier: MIT
// Evaluates constant expressions: array sizes, case labels, enumerators and initialisers of constant data.
#include <bit>
#include <cmath>

#include "base/half.hpp"
#include "frontend/parse/ast.hpp"

namespace quern::frontend {
namespace {

using Found = std::optional<Constant>;

// Wraps a value to the range of its type.
std::int64_t wrap(std::uint64_t bits, const Type* type) {
  const std::uint64_t size = size_of(type);
  if (type->kind == TypeKind::bool_) return bits != 0;
  if (size >= 8) return static_cast<std::int64_t>(bits);
  const auto width = static_cast<unsigned>(8 * size);
  bits &= (std::uint64_t{1} << width) - 1;
  if (type->is_signed() && (bits >> (width - 1) & 1) != 0) bits |= ~std::uint64_t{0} << width;
  return static_cast<std::int64_t>(bits);
}

Constant of_integer(std::int64_t value) {
  return {value, 0};
}

// Rounds a result that was computed in double. Rounding twice gives the correct result for float and half,
// because double has more than twice their digits.
Constant of_real(double value, const Type* type) {
  if (type->kind == TypeKind::float_) value = static_cast<double>(static_cast<float>(value));
  if (type->kind == TypeKind::half) value = rounded_to_half(value);
  return {0, value};
}

bool is_true(const Constant& value, const Type* type) {
  return type->is_real() ? value.real != 0 : value.integer != 0;
}

Constant converted(const Constant& value, const Type* from, const Type* to) {
  if (from->is_real() && to->is_real()) return of_real(value.real, to);
  if (to->is_real()) {
    const bool is_signed = from->is_signed();
    const auto bits = static_cast<std::uint64_t>(value.integer);
    // Rounds once, because a double does not represent every 64-bit integer.
    if (to->kind == TypeKind::float_)
      return {0, is_signed ? static_cast<float>(value.integer) : static_cast<float>(bits)};
    return of_real(is_signed ? static_cast<double>(value.integer) : static_cast<double>(bits), to);
  }
  if (to->kind == TypeKind::bool_) return of_integer(is_true(value, from));
  if (!from->is_real()) return of_integer(wrap(static_cast<std::uint64_t>(value.integer), to));
  if (value.real > -9.2e18 && value.real < 9.2e18)
    return of_integer(wrap(static_cast<std::uint64_t>(static_cast<std::int64_t>(value.real)), to));
  const bool is_huge = to->kind == TypeKind::ulong && value.real > 0 && value.real < 1.8e19;
  return of_integer(is_huge ? static_cast<std::int64_t>(static_cast<std::uint64_t>(value.real)) : 0);
}

Found integer_operation(std::uint32_t op, std::int64_t x, std::int64_t y, const Type* type) {
  const auto a = static_cast<std::uint64_t>(x), b = static_cast<std::uint64_t>(y);
  const bool is_signed = type->is_signed();
  const auto shift = static_cast<unsigned>(b & (8 * size_of(type) - 1));
  switch (op) {
    case punct("+"):
      return of_integer(wrap(a + b, type));
    case punct("-"):
      return of_integer(wrap(a - b, type));
    case punct("*"):
      return of_integer(wrap(a * b, type));
    case punct("&"):
      return of_integer(wrap(a & b, type));
    case punct("|"):
      return of_integer(wrap(a | b, type));
    case punct("^"):
      return of_integer(wrap(a ^ b, type));
    case punct("<<"):
      return of_integer(wrap(a << shift, type));
    case punct(">>"):
      return of_integer(is_signed ? x >> shift : wrap(a >> shift, type));
    case punct("/"):
    case punct("%"): {
      if (b == 0) return std::nullopt;
      const bool divides = op == punct("/");
      if (!is_signed) return of_integer(wrap(divides ? a / b : a % b, type));
      if (y == -1) return of_integer(divides ? wrap(0 - a, type) : 0);
      return of_integer(divides ? x / y : x % y);
    }
    default:
      return std::nullopt;
  }
}

Found real_operation(std::uint32_t op, double x, double y, const Type* type) {
  switch (op) {
    case punct("+"):
      return of_real(x + y, type);
    case punct("-"):
      return of_real(x - y, type);
    case punct("*"):
      return of_real(x * y, type);
    case punct("/"):
      // The results of IEEE 754; C++ leaves division by zero undefined.
      if (y == 0)
        return of_real(x == 0 || std::isnan(x)
                           ? std::nan("")
                           : std::copysign(HUGE_VAL, std::signbit(x) == std::signbit(y) ? 1 : -1),
                       type);
      return of_real(x / y, type);
    default:
      return std::nullopt;
  }
}

template <class T>
std::optional<bool> compared(std::uint32_t op, T x, T y) {
  switch (op) {
    case punct("=="):
      return x == y;
    case punct("!="):
      return x != y;
    case punct("<"):
      return x < y;
    case punct(">="):
      return x >= y;
    case punct(">"):
      return x > y;
    case punct("<="):
      return x <= y;
    default:
      return std::nullopt;
  }
}

Found binary(const Expr* e, std::size_t lane) {
  const Type* type = e->operands[0]->type->scalar();
  const Type* right = e->operands[1]->type->scalar();
  const Found x = constant_component(e->operands[0], lane);
  const Found y = constant_component(e->operands[1], lane);
  if (!x || !y) return std::nullopt;
  const std::int64_t yes = e->type->is_vector() ? -1 : 1;
  const bool either = e->op == punct("||");
  if (either || e->op == punct("&&")) {
    const bool a = is_true(*x, type), b = is_true(*y, right);
    return of_integer((either ? a || b : a && b) ? yes : 0);
  }
  const auto comparison = type->is_real()     ? compared(e->op, x->real, y->real)
                          : type->is_signed() ? compared(e->op, x->integer, y->integer)
                                              : compared(e->op, static_cast<std::uint64_t>(x->integer),
                                                         static_cast<std::uint64_t>(y->integer));
  if (comparison) return of_integer(*comparison ? yes : 0);
  return type->is_real() ? real_operation(e->op, x->real, y->real, type)
                         : integer_operation(e->op, x->integer, y->integer, type);
}

Found unary(const Expr* e, std::size_t lane) {
  const Type* type = e->operands[0]->type->scalar();
  const Found v = constant_component(e->operands[0], lane);
  if (!v) return std::nullopt;
  const auto bits = static_cast<std::uint64_t>(v->integer);
  if (e->op == punct("!")) return of_integer(is_true(*v, type) ? 0 : e->type->is_vector() ? -1 : 1);
  if (e->op == punct("-")) return type->is_real() ? Constant{0, -v->real} : of_integer(wrap(0 - bits, type));
  if (e->op == punct("~")) return of_integer(wrap(~bits, type));
  return std::nullopt;
}

Found conditional(const Expr* e, std::size_t lane) {
  const Expr* test = e->operands[0];
  const Found v = constant_component(test, test->type->is_vector() ? lane : 0);
  if (!v) return std::nullopt;
  const bool yes = test->type->is_vector()
                       ? wrap(static_cast<std::uint64_t>(v->integer), test->type->element.type) < 0
                       : is_true(*v, test->type.type);
  return constant_component(e->operands[yes ? 1 : 2], lane);
}

// The bits of a number in memory, and the inverse.
std::uint64_t bits_of(const Constant& value, const Type* type) {
  if (type->kind == TypeKind::half) return to_half(value.real);
  if (type->kind == TypeKind::float_) return std::bit_cast<std::uint32_t>(static_cast<float>(value.real));
  return type->is_real() ? std::bit_cast<std::uint64_t>(value.real)
                         : static_cast<std::uint64_t>(value.integer);
}

Constant with_bits(std::uint64_t bits, const Type* type) {
  if (type->kind == TypeKind::half) return {0, from_half(static_cast<std::uint16_t>(bits))};
  if (type->kind == TypeKind::float_)
    return {0, static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)))};
  if (type->is_real()) return {0, std::bit_cast<double>(bits)};
  return of_integer(wrap(bits, type));
}

Found reinterpreted(const Expr* e, std::size_t lane) {
  const Expr* from = e->operands[0];
  const std::uint64_t width = size_of(e->type->scalar()), step = size_of(from->type->scalar());
  std::uint64_t bits = 0;
  for (std::uint64_t byte = 0; byte < width; ++byte) {
    const std::uint64_t at = lane * width + byte;
    if (at / step >= (from->type->is_vector() ? from->type->count : 1)) return std::nullopt;
    const Found part = constant_component(from, at / step);
    if (!part) return std::nullopt;
    bits |= (bits_of(*part, from->type->scalar()) >> (8 * (at % step)) & 0xff) << (8 * byte);
  }
  return with_bits(bits, e->type->scalar());
}

}  // namespace

Found constant_component(const Expr* e, std::size_t lane) {
  if (!e->type->scalar()->is_scalar()) return std::nullopt;
  switch (e->kind) {
    case ExprKind::integer:
      return of_integer(static_cast<std::int64_t>(e->integer));
    case ExprKind::real:
      return of_real(e->real, e->type.type);
    case ExprKind::variable:
      if (lane >= e->variable->values.size()) return std::nullopt;
      return e->variable->values[lane];
    case ExprKind::convert: {
      const Expr* from = e->operands[0];
      const Found v = constant_component(from, from->type->is_vector() ? lane : 0);
      if (!v) return std::nullopt;
      return converted(*v, from->type->scalar(), e->type->scalar());
    }
    case ExprKind::reinterpret:
      return reinterpreted(e, lane);
    case ExprKind::unary:
      return unary(e, lane);
    case ExprKind::binary:
      return binary(e, lane);
    case ExprKind::conditional:
      return conditional(e, lane);
    case ExprKind::comma:
      if (!constant_component(e->operands[0], 0)) return std::nullopt;
      return constant_component(e->operands[1], lane);
    case ExprKind::swizzle:
      return constant_component(e->operands[0], e->lanes[lane]);
    case ExprKind::vector_literal:
      for (const Expr* part : e->arguments) {
        const std::size_t lanes = part->type->is_vector() ? part->type->count : 1;
        if (lane < lanes) return constant_component(part, lane);
        lane -= lanes;
      }
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<std::int64_t> constant_value(const Expr* e) {
  if (!e->type->is_integer()) return std::nullopt;
  const Found value = constant_component(e, 0);
  if (!value) return std::nullopt;
  return value->integer;
}

void note_value(Variable& variable) {
  const Type* type = variable.type.type;
  const bool is_fixed = variable.type.is_const || variable.type.space == Space::constant;
  if (!is_fixed || variable.type.is_volatile || !variable.initial || !type->scalar()->is_scalar()) return;
  for (std::size_t lane = 0; lane < (type->is_vector() ? type->count : 1); ++lane) {
    const Found value = constant_component(variable.initial, lane);
    if (!value) {
      variable.values.clear();
      return;
    }
    variable.values.push_back(*value);
  }
}

}  // namespace quern::frontend
