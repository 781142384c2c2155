// SPDX-License-Identifier: MIT
// Systems of equations, inverses, determinants, and factors by elimination.
//
// The rows of an array that is contiguous in C order are the columns of the transposed matrix. Where the
// transposed problem gives the same result, it is solved instead, so that no matrix is transposed in memory.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "linalg/cuda.hpp"
#include "linalg/dense.hpp"
#include "linalg/own_lanes.hpp"
#include "linalg/own_lu.hpp"
#include "linalg/prepare.hpp"
#include "linalg/small.hpp"
#include "linalg/solve.hpp"
#include "quern/error.hpp"
#include "quern/linalg.hpp"
#include "quern/views.hpp"

namespace quern::linalg {
namespace {

Item transposed(Item item) {
  std::swap(item.rows, item.columns);
  std::swap(item.row_step, item.column_step);
  return item;
}

// Whether rows are contiguous, so that a copy of the transposed matrix needs no transposition.
bool has_rows(const Item& item) {
  return item.column_step == 1;
}

// Small matrices are eliminated by rows, as in NumPy: of two equal rows nothing remains. Rounding errors of
// equal columns may remain. Larger ones are read along their contiguous lines.
bool reads_rows_as_columns(std::int64_t n) {
  return n > kSmall;
}
Item for_elimination(const Item& item, std::int64_t n) {
  return reads_rows_as_columns(n) ? transposed(item) : item;
}

// A right side: a matrix with as many rows as a, or a vector.
struct RightSide {
  bool is_vector;
  std::int64_t columns;
  Shape stack;
};

// NumPy 2 takes b as a vector only if it has one dimension.
RightSide right_side(const char* name, const Array& b, std::int64_t n) {
  RightSide side;
  side.is_vector = b.shape().size() == 1;
  if (b.shape().empty()) check_stack(b);
  const std::size_t axes = side.is_vector ? 1 : 2;
  if (b.shape()[b.shape().size() - axes] != n)
    throw ArgumentError(ArgumentError::Kind::value, std::string(name) + ": b has " +
                                                        std::to_string(b.shape()[b.shape().size() - axes]) +
                                                        " rows, but a has " + std::to_string(n));
  side.columns = side.is_vector ? 1 : b.shape().back();
  side.stack = stack_of(b, axes);
  return side;
}

Array result_of(const Operands& operands, const Shape& stack, const RightSide& side, std::int64_t rows) {
  return empty(operands.queue, side.is_vector ? joined(stack, {rows}) : joined(stack, {rows, side.columns}),
               operands.dtype);
}

template <class T>
std::vector<std::int64_t>& pivots_of_thread() {
  static thread_local std::vector<std::int64_t> pivots;
  return pivots;
}

template <class T>
own::LaneStack<T> lanes_of(const Item& item, std::int64_t step) {
  return {item.as<T>(), item.row_step, item.column_step, step};
}

// Whether each lane of a register computes a matrix: one alone would leave the other lanes idle.
template <class T>
bool takes_lanes(const Shape& stack, std::int64_t n, std::int64_t columns) {
  constexpr std::size_t kFew = 8;
  return !own::kIsComplex<T> && n > 0 && n <= own::kMostLaneRows && columns > 0 &&
         columns <= own::kMostLaneRows && element_count(stack, 1) >= kFew;
}

double cube(std::int64_t n) {
  const auto x = static_cast<double>(n);
  return x * x * x;
}

// The determinant as mantissa and binary exponent, so that no partial product overflows.
template <class T>
void multiply_pivots(std::int64_t n, const T* lu, const std::vector<std::int64_t>& pivots, T& product,
                     std::int64_t& exponent) {
  product = T{1};
  exponent = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    product = own::times(product, lu[i * (n + 1)]);
    if (pivots[static_cast<std::size_t>(i)] != i + 1) product = -product;
    const Real<T> size = own::size_of(product);
    if (!(size > 0) || !std::isfinite(size)) continue;
    int power = 0;
    static_cast<void>(std::frexp(size, &power));
    product = own::scaled(product, -power);
    exponent += power;
  }
}

}  // namespace

Array solve(const Array& a, const Array& b) {
  check_square(a);
  const Operands operands = prepared("solve", {a, b});
  const std::int64_t n = a.shape().back();
  const RightSide side = right_side("solve", b, n);
  const Shape stack = common_stack("solve", stack_of(a), side.stack);
  const Array x = result_of(operands, stack, side, n);
  const std::size_t axes = side.is_vector ? 1 : 2;
  if (takes_small(operands, n, side.columns) && side.columns != 0) {
    const bool spreads = side.stack != stack && element_count(side.stack, 1) != 1;
    const Array right = spreads ? broadcast_to(operands.arrays[1], x.shape()) : operands.arrays[1];
    const bool repeats = stack_of(a) != stack && element_count(stack_of(a), 1) != 1;
    const Array matrices =
        repeats ? broadcast_to(operands.arrays[0], joined(stack, {n, n})) : operands.arrays[0];
    solve_small(operands, matrices, right, side.columns, x);
    return x;
  }
  if (x.size() != 0 && takes_cuda(operands))
    return solve_by_cuda(operands, broadcast_to(operands.arrays[0], joined(stack, {n, n})),
                         broadcast_to(operands.arrays[1], x.shape()), side.is_vector);
  with_type(operands.dtype, [&]<class T>() {
    Batch batch{.name = "solve",
                .shape = stack,
                .reads = {{operands.arrays[0], 2}, {operands.arrays[1], axes}},
                .writes = {{x, axes}},
                .work = cube(n) + 2.0 * static_cast<double>(n * n * side.columns),
                .compute = [dense = Dense<T>(n), n,
                            columns = side.columns](std::span<const Item> items) -> std::int64_t {
                  Scratch<T> matrix(n * n), right(n * columns);
                  const bool is_transposed = has_rows(items[0]) && reads_rows_as_columns(n);
                  load(is_transposed ? transposed(items[0]) : items[0], matrix.data());
                  load(items[1], right.data());
                  auto& pivots = pivots_of_thread<T>();
                  if (const auto info = dense.lu(n, n, matrix.data(), pivots)) return info;
                  dense.lu_solve(is_transposed ? 'T' : 'N', n, columns, matrix.data(), pivots, right.data());
                  store(right.data(), n, items[2]);
                  return 0;
                },
                .failure = singular};
    if constexpr (!own::kIsComplex<T>) {
      if (takes_lanes<T>(stack, n, side.columns))
        batch.compute_many = [n, columns = side.columns](std::span<const Item> items,
                                                         std::span<const std::int64_t> steps,
                                                         std::int64_t count) {
          const auto right = lanes_of<const T>(items[1], steps[1]);
          return own::solve_lanes<T>(n, columns, count, lanes_of<const T>(items[0], steps[0]), &right,
                                     lanes_of<T>(items[2], steps[2]));
        };
    }
    run(operands.queue, std::move(batch));
  });
  return x;
}

namespace {

Array inverse(const Array& a, bool throws) {
  check_square(a);
  const Operands operands = prepared("inv", {a});
  const std::int64_t n = a.shape().back();
  const Array x = empty(operands.queue, a.shape(), operands.dtype);
  if (throws && takes_small(operands, n, n)) {
    invert_small(operands, operands.arrays[0], x);
    return x;
  }
  if (takes_cuda(operands)) return invert_by_cuda(operands, operands.arrays[0], throws);
  with_type(operands.dtype, [&]<class T>() {
    Batch batch{.name = "inv",
                .shape = stack_of(a),
                .reads = {{operands.arrays[0], 2}},
                .writes = {{x, 2}},
                .work = 2 * cube(n),
                .compute = [dense = Dense<T>(n), n, throws](std::span<const Item> items) -> std::int64_t {
                  // Inverts the matrix, or the transposed one, in the memory of the result.
                  T* const matrix = items[1].as<T>();
                  load(for_elimination(items[0], n), matrix);
                  auto& pivots = pivots_of_thread<T>();
                  if (const auto info = dense.lu(n, n, matrix, pivots)) {
                    std::fill(matrix, matrix + n * n, T{std::numeric_limits<Real<T>>::quiet_NaN()});
                    return throws ? info : 0;
                  }
                  const auto info = dense.lu_inverse(n, matrix, pivots);
                  if (!reads_rows_as_columns(n)) {
                    for (std::int64_t i = 0; i < n; ++i) {
                      for (std::int64_t j = 0; j < i; ++j) std::swap(matrix[i * n + j], matrix[j * n + i]);
                    }
                  }
                  return info;
                },
                .failure = singular};
    if constexpr (!own::kIsComplex<T>) {
      if (throws && takes_lanes<T>(stack_of(a), n, n))
        batch.compute_many = [n](std::span<const Item> items, std::span<const std::int64_t> steps,
                                 std::int64_t count) {
          return own::solve_lanes<T>(n, n, count, lanes_of<const T>(items[0], steps[0]), nullptr,
                                     lanes_of<T>(items[1], steps[1]));
        };
    }
    run(operands.queue, std::move(batch));
  });
  return x;
}

}  // namespace

Array inv(const Array& a) {
  return inverse(a, true);
}

Array inverse_or_nan(const Array& a) {
  return inverse(a, false);
}

Array det(const Array& a) {
  check_square(a);
  const Operands operands = prepared("det", {a});
  const std::int64_t n = a.shape().back();
  const Array result = empty(operands.queue, stack_of(a), operands.dtype);
  if (takes_small(operands, n, 0)) {
    determine_small(operands, operands.arrays[0], result);
    return result;
  }
  if (takes_cuda(operands)) {
    const SignAndLog parts = determine_by_cuda(operands, operands.arrays[0]);
    return apply("multiply", {parts.sign, apply("exp", {parts.logabsdet})}, &operands.queue);
  }
  with_type(operands.dtype, [&]<class T>() {
    run(operands.queue, {.name = "det",
                         .shape = stack_of(a),
                         .reads = {{operands.arrays[0], 2}},
                         .writes = {{result, 0}},
                         .work = cube(n),
                         .compute = [dense = Dense<T>(n), n](std::span<const Item> items) -> std::int64_t {
                           Scratch<T> matrix(n * n);
                           load(for_elimination(items[0], n), matrix.data());
                           auto& pivots = pivots_of_thread<T>();
                           T product{};
                           if (dense.lu(n, n, matrix.data(), pivots) == 0) {
                             std::int64_t exponent = 0;
                             multiply_pivots(n, matrix.data(), pivots, product, exponent);
                             constexpr std::int64_t kMost = 100000;
                             product =
                                 own::scaled(product, static_cast<int>(std::clamp(exponent, -kMost, kMost)));
                           }
                           *items[1].as<T>() = product;
                           return 0;
                         }});
  });
  return result;
}

SignAndLog slogdet(const Array& a) {
  check_square(a);
  const Operands operands = prepared("slogdet", {a});
  const std::int64_t n = a.shape().back();
  if (takes_cuda(operands)) return determine_by_cuda(operands, operands.arrays[0]);
  const SignAndLog result{empty(operands.queue, stack_of(a), operands.dtype),
                          empty(operands.queue, stack_of(a), operands.real)};
  with_type(operands.dtype, [&]<class T>() {
    run(operands.queue, {.name = "slogdet",
                         .shape = stack_of(a),
                         .reads = {{operands.arrays[0], 2}},
                         .writes = {{result.sign, 0}, {result.logabsdet, 0}},
                         .work = cube(n),
                         .compute = [dense = Dense<T>(n), n](std::span<const Item> items) -> std::int64_t {
                           Scratch<T> matrix(n * n);
                           load(for_elimination(items[0], n), matrix.data());
                           auto& pivots = pivots_of_thread<T>();
                           T sign{1};
                           Real<T> log = 0;
                           if (dense.lu(n, n, matrix.data(), pivots) != 0) {
                             sign = T{};
                             log = -std::numeric_limits<Real<T>>::infinity();
                           } else {
                             for (std::int64_t i = 0; i < n; ++i) {
                               const T pivot = matrix.data()[i * (n + 1)];
                               const Real<T> size = std::abs(pivot);
                               // Also for an infinity, which divided by itself is NaN.
                               if constexpr (std::is_floating_point_v<T>)
                                 sign = size > 0 ? std::copysign(sign, sign * pivot) : pivot;
                               else
                                 sign = own::times(sign, pivot / size);
                               if (pivots[static_cast<std::size_t>(i)] != i + 1) sign = -sign;
                               log += std::log(size);
                             }
                           }
                           *items[1].as<T>() = sign;
                           *items[2].as<Real<T>>() = log;
                           return 0;
                         }});
  });
  return result;
}

Array cholesky(const Array& a, bool upper) {
  check_square(a);
  const Operands operands = prepared("cholesky", {a});
  const std::int64_t n = a.shape().back();
  const Array factor = empty(operands.queue, a.shape(), operands.dtype);
  if (takes_small(operands, n, 0)) {
    factor_small(operands, operands.arrays[0], upper, factor);
    return factor;
  }
  if (takes_cuda(operands)) return factor_by_cuda(operands, operands.arrays[0], upper);
  with_type(operands.dtype, [&]<class T>() {
    Batch batch{.name = "cholesky",
                .shape = stack_of(a),
                .reads = {{operands.arrays[0], 2}},
                .writes = {{factor, 2}},
                .work = cube(n) / 3,
                .compute = [dense = Dense<T>(n), n, upper](std::span<const Item> items) -> std::int64_t {
                  // Read by columns, the triangle of the rows is the other one.
                  T* const matrix = items[1].as<T>();
                  load(transposed(items[0]), matrix);
                  const std::int64_t info = dense.cholesky(upper, n, matrix);
                  for (std::int64_t i = 0; i < n; ++i) {
                    T* const row = matrix + i * n;
                    if (upper)
                      std::fill(row, row + i, T{});
                    else
                      std::fill(row + i + 1, row + n, T{});
                  }
                  return info;
                },
                .failure = not_positive_definite};
    if constexpr (!own::kIsComplex<T>) {
      // The upper factor is the transposed lower one of the transposed matrix.
      if (takes_lanes<T>(stack_of(a), n, 1))
        batch.compute_many = [n, upper](std::span<const Item> items, std::span<const std::int64_t> steps,
                                        std::int64_t count) {
          const Item from = upper ? transposed(items[0]) : items[0];
          const Item to = upper ? transposed(items[1]) : items[1];
          return own::factor_lanes<T>(n, count, lanes_of<const T>(from, steps[0]), lanes_of<T>(to, steps[1]));
        };
    }
    run(operands.queue, std::move(batch));
  });
  return factor;
}

CholeskyFactor cho_factor(const Array& a, bool lower) {
  return {cholesky(a, !lower), lower};
}

Array cho_solve(const CholeskyFactor& factor, const Array& b) {
  return cho_solve(factor.c, factor.lower, b);
}

Array cho_solve(const Array& factor, bool is_lower, const Array& b) {
  check_square(factor);
  const Operands operands = prepared("cho_solve", {factor, b});
  const std::int64_t n = factor.shape().back();
  const RightSide side = right_side("cho_solve", b, n);
  const Shape stack = common_stack("cho_solve", stack_of(factor), side.stack);
  const Array x = result_of(operands, stack, side, n);
  const std::size_t axes = side.is_vector ? 1 : 2;
  if (x.size() != 0 && takes_cuda(operands))
    return cho_solve_by_cuda(operands, broadcast_to(operands.arrays[0], joined(stack, {n, n})), is_lower,
                             broadcast_to(operands.arrays[1], x.shape()), side.is_vector);
  with_type(operands.dtype, [&]<class T>() {
    run(operands.queue, {.name = "cho_solve",
                         .shape = stack,
                         .reads = {{operands.arrays[0], 2}, {operands.arrays[1], axes}},
                         .writes = {{x, axes}},
                         .work = 2.0 * static_cast<double>(n * n * side.columns),
                         .compute = [dense = Dense<T>(n), n, is_lower,
                                     columns = side.columns](std::span<const Item> items) -> std::int64_t {
                           Scratch<T> matrix(n * n), right(n * columns);
                           load(items[0], matrix.data());
                           load(items[1], right.data());
                           dense.triangle_solve(is_lower, is_lower ? 'N' : 'C', false, n, columns,
                                                matrix.data(), right.data());
                           dense.triangle_solve(is_lower, is_lower ? 'C' : 'N', false, n, columns,
                                                matrix.data(), right.data());
                           store(right.data(), n, items[2]);
                           return 0;
                         }});
  });
  return x;
}

LuFactors lu_factor(const Array& a) {
  check_stack(a);
  const Operands operands = prepared("lu_factor", {a});
  if (takes_cuda(operands)) return lu_factor_by_cuda(operands, operands.arrays[0]);
  const std::int64_t m = a.shape()[a.shape().size() - 2], n = a.shape().back(), least = std::min(m, n);
  const LuFactors factors{empty(operands.queue, a.shape(), operands.dtype),
                          empty(operands.queue, joined(stack_of(a), {least}), DType::of(Scalar::int32))};
  with_type(operands.dtype, [&]<class T>() {
    run(operands.queue,
        {.name = "lu_factor",
         .shape = stack_of(a),
         .reads = {{operands.arrays[0], 2}},
         .writes = {{factors.lu, 2}, {factors.pivots, 1}},
         .work = cube(least),
         .compute = [dense = Dense<T>(least), m, n](std::span<const Item> items) -> std::int64_t {
           Scratch<T> matrix(m * n);
           load(items[0], matrix.data());
           auto& pivots = pivots_of_thread<T>();
           dense.lu(m, n, matrix.data(), pivots);  // a zero pivot is a result, too
           store(matrix.data(), m, items[1]);
           for (std::size_t i = 0; i < pivots.size(); ++i)
             items[2].as<std::int32_t>()[i] = static_cast<std::int32_t>(pivots[i] - 1);
           return 0;
         }});
  });
  return factors;
}

Array lu_solve(const LuFactors& factors, const Array& b, Op op) {
  check_square(factors.lu);
  const Operands operands = prepared("lu_solve", {factors.lu, b});
  const std::int64_t n = factors.lu.shape().back();
  const RightSide side = right_side("lu_solve", b, n);
  const Array pivots = astype(factors.pivots, DType::of(Scalar::int64), &operands.queue);
  if (pivots.shape().empty() || pivots.shape().back() != n || stack_of(pivots, 1) != stack_of(factors.lu))
    throw ArgumentError(ArgumentError::Kind::value, "lu_solve: expected " + std::to_string(n) +
                                                        " pivots for each matrix, as lu_factor returns them");
  const Shape stack = common_stack("lu_solve", stack_of(factors.lu), side.stack);
  const Array x = result_of(operands, stack, side, n);
  const std::size_t axes = side.is_vector ? 1 : 2;
  const char letter = op == Op::none ? 'N' : op == Op::transpose ? 'T' : 'C';
  if (x.size() != 0 && takes_cuda(operands))
    return lu_solve_by_cuda(operands, broadcast_to(operands.arrays[0], joined(stack, {n, n})),
                            broadcast_to(pivots, joined(stack, {n})),
                            broadcast_to(operands.arrays[1], x.shape()), side.is_vector, letter);
  with_type(operands.dtype, [&]<class T>() {
    run(operands.queue,
        {.name = "lu_solve",
         .shape = stack,
         .reads = {{operands.arrays[0], 2}, {operands.arrays[1], axes}, {pivots, 1}},
         .writes = {{x, axes}},
         .work = 2.0 * static_cast<double>(n * n * side.columns),
         .compute = [dense = Dense<T>(n), n, letter,
                     columns = side.columns](std::span<const Item> items) -> std::int64_t {
           Scratch<T> matrix(n * n), right(n * columns);
           load(items[0], matrix.data());
           load(items[1], right.data());
           auto& rows = pivots_of_thread<T>();
           rows.resize(static_cast<std::size_t>(n));
           for (std::int64_t i = 0; i < n; ++i) {
             const std::int64_t row = items[2].as<std::int64_t>()[i * items[2].row_step];
             if (row < 0 || row >= n) return 1;
             rows[static_cast<std::size_t>(i)] = row + 1;
           }
           dense.lu_solve(letter, n, columns, matrix.data(), rows, right.data());
           store(right.data(), n, items[3]);
           return 0;
         },
         .failure = [](std::int64_t) -> std::string { return "lu_solve: a pivot is not a row"; }});
  });
  return x;
}

Lu lu(const Array& a) {
  check_stack(a);
  const Operands operands = prepared("lu", {a});
  if (takes_cuda(operands)) return lu_by_cuda(operands, operands.arrays[0]);
  const std::int64_t m = a.shape()[a.shape().size() - 2], n = a.shape().back(), least = std::min(m, n);
  const Shape stack = stack_of(a);
  const Lu result{empty(operands.queue, joined(stack, {m}), DType::of(Scalar::int64)),
                  empty(operands.queue, joined(stack, {m, least}), operands.dtype),
                  empty(operands.queue, joined(stack, {least, n}), operands.dtype)};
  with_type(operands.dtype, [&]<class T>() {
    run(operands.queue,
        {.name = "lu",
         .shape = stack,
         .reads = {{operands.arrays[0], 2}},
         .writes = {{result.permutation, 1}, {result.l, 2}, {result.u, 2}},
         .work = cube(least),
         .compute = [dense = Dense<T>(least), m, n, least](std::span<const Item> items) -> std::int64_t {
           Scratch<T> matrix(m * n);
           load(items[0], matrix.data());
           auto& pivots = pivots_of_thread<T>();
           dense.lu(m, n, matrix.data(), pivots);
           std::vector<std::int64_t> rows(static_cast<std::size_t>(m));
           for (std::int64_t i = 0; i < m; ++i) rows[static_cast<std::size_t>(i)] = i;
           for (std::size_t i = 0; i < pivots.size(); ++i)
             std::swap(rows[i], rows[static_cast<std::size_t>(pivots[i] - 1)]);
           // Row i of L is row rows[i] of a; the result says where each row of a is.
           for (std::int64_t i = 0; i < m; ++i)
             items[1].as<std::int64_t>()[rows[static_cast<std::size_t>(i)]] = i;
           T *const l = items[2].as<T>(), *const u = items[3].as<T>();
           for (std::int64_t i = 0; i < m; ++i) {
             for (std::int64_t j = 0; j < least; ++j)
               l[i * least + j] = i > j ? matrix.data()[i + j * m] : i == j ? T{1} : T{};
           }
           for (std::int64_t i = 0; i < least; ++i) {
             for (std::int64_t j = 0; j < n; ++j) u[i * n + j] = i <= j ? matrix.data()[i + j * m] : T{};
           }
           return 0;
         }});
  });
  return result;
}

Array solve_triangular(const Array& a, const Array& b, bool is_lower, Op op, bool has_unit_diagonal) {
  check_square(a);
  const Operands operands = prepared("solve_triangular", {a, b});
  const std::int64_t n = a.shape().back();
  const RightSide side = right_side("solve_triangular", b, n);
  const Shape stack = common_stack("solve_triangular", stack_of(a), side.stack);
  const Array x = result_of(operands, stack, side, n);
  const std::size_t axes = side.is_vector ? 1 : 2;
  const char letter = op == Op::none ? 'N' : op == Op::transpose ? 'T' : 'C';
  if (x.size() != 0 && takes_triangle(operands))
    return solve_triangle_by_cuda(operands, broadcast_to(operands.arrays[0], joined(stack, {n, n})),
                                  broadcast_to(operands.arrays[1], x.shape()), side.is_vector, is_lower,
                                  letter, has_unit_diagonal);
  with_type(operands.dtype, [&]<class T>() {
    run(operands.queue,
        {.name = "solve_triangular",
         .shape = stack,
         .reads = {{operands.arrays[0], 2}, {operands.arrays[1], axes}},
         .writes = {{x, axes}},
         .work = static_cast<double>(n * n * side.columns),
         .compute = [dense = Dense<T>(n), n, letter, is_lower, has_unit_diagonal,
                     columns = side.columns](std::span<const Item> items) -> std::int64_t {
           Scratch<T> matrix(n * n), right(n * columns);
           load(items[0], matrix.data());
           load(items[1], right.data());
           for (std::int64_t i = 0; i < n && !has_unit_diagonal; ++i) {
             if (matrix.data()[i * (n + 1)] == T{}) return i + 1;
           }
           dense.triangle_solve(is_lower, letter, has_unit_diagonal, n, columns, matrix.data(), right.data());
           store(right.data(), n, items[2]);
           return 0;
         },
         .failure =
             [](std::int64_t info) {
               return "singular matrix: resolution failed at diagonal " + std::to_string(info - 1);
             }});
  });
  return x;
}

Array solve_banded(std::int64_t lower, std::int64_t upper, const Array& ab, const Array& b) {
  check_stack(ab);
  const std::int64_t n = ab.shape().back(), rows = ab.shape()[ab.shape().size() - 2];
  if (lower < 0 || upper < 0 || rows != lower + upper + 1)
    throw ArgumentError(ArgumentError::Kind::value, "solve_banded: " + std::to_string(lower) + " lower and " +
                                                        std::to_string(upper) + " upper diagonals need " +
                                                        std::to_string(lower + upper + 1) +
                                                        " rows of ab, got " + std::to_string(rows));
  const Operands operands = prepared("solve_banded", {ab, b});
  const RightSide side = right_side("solve_banded", b, n);
  const Shape stack = common_stack("solve_banded", stack_of(ab), side.stack);
  const Array x = result_of(operands, stack, side, n);
  const std::size_t axes = side.is_vector ? 1 : 2;
  with_type(operands.dtype, [&]<class T>() {
    run(operands.queue,
        {.name = "solve_banded",
         .shape = stack,
         .reads = {{operands.arrays[0], 2}, {operands.arrays[1], axes}},
         .writes = {{x, axes}},
         .work = static_cast<double>(n * (lower + 1) * (lower + upper + 1 + side.columns)),
         .compute = [dense = Dense<T>(), n, lower, upper, rows,
                     columns = side.columns](std::span<const Item> items) -> std::int64_t {
           const std::int64_t pitch = rows + lower;
           Scratch<T> bands(pitch * n), right(n * columns);
           const T* const from = items[0].as<const T>();
           for (std::int64_t j = 0; j < n; ++j) {
             T* const column = bands.data() + j * pitch;
             std::fill(column, column + lower, T{});
             for (std::int64_t i = 0; i < rows; ++i) {
               // Elements outside of the matrix may be anything.
               const std::int64_t row = j + i - upper;
               column[lower + i] =
                   row >= 0 && row < n ? from[i * items[0].row_step + j * items[0].column_step] : T{};
             }
           }
           load(items[1], right.data());
           if (const auto info = dense.banded_solve(n, lower, upper, columns, bands.data(), right.data()))
             return info;
           store(right.data(), n, items[2]);
           return 0;
         },
         .failure = singular});
  });
  return x;
}

}  // namespace quern::linalg
