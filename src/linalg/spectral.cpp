// SPDX-License-Identifier: MIT
// Orthogonal factors, eigenvalues, singular values and least squares.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "linalg/cuda.hpp"
#include "linalg/dense.hpp"
#include "linalg/own_lu.hpp"
#include "linalg/prepare.hpp"
#include "linalg/small.hpp"
#include "quern/creation.hpp"
#include "quern/error.hpp"
#include "quern/linalg.hpp"
#include "quern/views.hpp"

namespace quern::linalg {
namespace {

double product(std::int64_t m, std::int64_t n, std::int64_t k) {
  return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}

template <class T>
bool is_finite(std::int64_t count, const T* values) {
  return std::all_of(values, values + count,
                     [](const T& value) { return std::isfinite(own::size_of(value)); });
}

DType complex_of(const DType& real) {
  return DType::of(real.scalar == Scalar::float32 || real.scalar == Scalar::complex64 ? Scalar::complex64
                                                                                      : Scalar::complex128);
}

// Loads the matrix such that its lower triangle holds the one that is to be read.
template <class T>
void load_triangle(bool upper, const Item& item, T* to) {
  Item from = item;
  if (upper) {
    std::swap(from.row_step, from.column_step);
  }
  load(from, to);
  if (upper && own::kIsComplex<T>) {
    for (std::int64_t i = 0; i < item.rows * item.rows; ++i) to[i] = own::conj_of(to[i]);
  }
}

}  // namespace

Qr qr(const Array& a, QrMode mode) {
  check_stack(a);
  const Operands operands = prepared("qr", {a});
  const std::int64_t m = a.shape()[a.shape().size() - 2], n = a.shape().back(), least = std::min(m, n);
  const Shape stack = stack_of(a);
  const std::int64_t width = mode == QrMode::complete ? m : least;
  const bool has_q = mode == QrMode::reduced || mode == QrMode::complete;
  if (has_q && takes_small_spectral(operands, m, n)) return qr_small(operands, mode == QrMode::complete);
  if (has_q && takes_qr(operands)) return qr_by_cuda(operands, operands.arrays[0], mode == QrMode::complete);
  const Shape q_shape = mode == QrMode::raw ? joined(stack, {n, m})
                        : has_q             ? joined(stack, {m, width})
                                            : Shape{0};
  const Shape r_shape = mode == QrMode::raw ? joined(stack, {least}) : joined(stack, {width, n});
  const Qr result{empty(operands.queue, q_shape, operands.dtype),
                  empty(operands.queue, r_shape, operands.dtype)};
  with_type(operands.dtype, [&]<class T>() {
    Batch batch{.name = "qr",
                .shape = stack,
                .reads = {{operands.arrays[0], 2}},
                .writes = {{result.r, mode == QrMode::raw ? std::size_t{1} : std::size_t{2}}},
                .work = 4 * product(m, n, least),
                .compute = {}};
    if (mode != QrMode::r) batch.writes.push_back({result.q, 2});
    batch.compute = [dense = Dense<T>(std::max(m, n)), m, n, least, width, mode,
                     has_q](std::span<const Item> items) -> std::int64_t {
      Scratch<T> matrix(m * std::max(n, width)), tau(std::max<std::int64_t>(1, least));
      load(items[0], matrix.data());
      dense.qr(m, n, matrix.data(), tau.data());
      if (mode == QrMode::raw) {
        std::copy(tau.data(), tau.data() + least, items[1].as<T>());
        std::copy(matrix.data(), matrix.data() + m * n, items[2].as<T>());
        return 0;
      }
      T* const r = items[1].as<T>();
      for (std::int64_t i = 0; i < width; ++i) {
        T* const row = r + i * n;
        std::fill(row, row + std::min(i, n), T{});
        for (std::int64_t j = i; j < n; ++j) row[j] = matrix.data()[i + j * m];
      }
      if (!has_q) return 0;
      dense.q(m, width, least, matrix.data(), tau.data());
      store(matrix.data(), m, items[2]);
      return 0;
    };
    run(operands.queue, std::move(batch));
  });
  return result;
}

namespace {

Eigen hermitian(const char* name, const Array& a, bool upper, bool wants_vectors) {
  check_square(a);
  const Operands operands = prepared(name, {a});
  const std::int64_t n = a.shape().back();
  const Shape stack = stack_of(a);
  // cuSOLVER's function for stacks is at times faster from 16 x 16 on, but returned vectors that were not
  // orthogonal for matrices with repeated values and extreme magnitudes.
  if (takes_small_spectral(operands, n, n)) return eigh_small(operands, name, upper, wants_vectors);
  if (takes_cuda(operands)) return eigh_by_cuda(operands, operands.arrays[0], upper, wants_vectors);
  const Eigen result{empty(operands.queue, joined(stack, {n}), operands.real),
                     empty(operands.queue, wants_vectors ? a.shape() : Shape{0}, operands.dtype)};
  with_type(operands.dtype, [&]<class T>() {
    Batch batch{.name = name,
                .shape = stack,
                .reads = {{operands.arrays[0], 2}},
                .writes = {{result.values, 1}},
                .work = (wants_vectors ? 9 : 2) * product(n, n, n),
                .compute = [dense = Dense<T>(), n, upper,
                            wants_vectors](std::span<const Item> items) -> std::int64_t {
                  Scratch<T> matrix(n * n);
                  load_triangle(upper, items[0], matrix.data());
                  const auto info =
                      dense.eigh(wants_vectors, n, matrix.data(), items[1].template as<Real<T>>());
                  if (info == 0 && wants_vectors) store(matrix.data(), n, items[2]);
                  return info;
                },
                .failure = eigenvalues_failed};
    if (wants_vectors) batch.writes.push_back({result.vectors, 2});
    run(operands.queue, std::move(batch));
  });
  return result;
}

Eigen general(const char* name, const Array& a, bool wants_vectors) {
  check_square(a);
  const Operands operands = prepared(name, {a});
  const std::int64_t n = a.shape().back();
  const Shape stack = stack_of(a);
  if (takes_general(operands)) return eig_by_cuda(operands, operands.arrays[0], wants_vectors);
  const DType dtype = complex_of(operands.dtype);
  const Eigen result{empty(operands.queue, joined(stack, {n}), dtype),
                     empty(operands.queue, wants_vectors ? a.shape() : Shape{0}, dtype)};
  with_type(operands.dtype, [&]<class T>() {
    Batch batch{
        .name = name,
        .shape = stack,
        .reads = {{operands.arrays[0], 2}},
        .writes = {{result.values, 1}},
        .work = 25 * product(n, n, n),
        .compute = [dense = Dense<T>(), n, wants_vectors](std::span<const Item> items) -> std::int64_t {
          using Complex = typename Dense<T>::Complex;
          Scratch<T> matrix(n * n);
          Scratch<Complex> vectors(wants_vectors ? n * n : 1);
          load(items[0], matrix.data());
          if (!is_finite(n * n, matrix.data())) return kNotFinite;
          const auto info = dense.eig(n, matrix.data(), items[1].template as<Complex>(),
                                      wants_vectors ? vectors.data() : nullptr);
          if (info == 0 && wants_vectors) store(vectors.data(), n, items[2]);
          return info;
        },
        .failure = eigenvalues_failed};
    if (wants_vectors) batch.writes.push_back({result.vectors, 2});
    run(operands.queue, std::move(batch));
  });
  return result;
}

Svd singular_values(const char* name, const Array& a, bool is_full, bool wants_vectors) {
  check_stack(a);
  const Operands operands = prepared(name, {a});
  const std::int64_t m = a.shape()[a.shape().size() - 2], n = a.shape().back(), least = std::min(m, n);
  const Shape stack = stack_of(a);
  if (takes_small_spectral(operands, m, n)) return svd_small(operands, name, is_full, wants_vectors);
  if (takes_cuda(operands)) return svd_by_cuda(operands, operands.arrays[0], is_full, wants_vectors);
  const Shape none = {0};
  const Svd result{
      empty(operands.queue, wants_vectors ? joined(stack, {m, is_full ? m : least}) : none, operands.dtype),
      empty(operands.queue, joined(stack, {least}), operands.real),
      empty(operands.queue, wants_vectors ? joined(stack, {is_full ? n : least, n}) : none, operands.dtype)};
  with_type(operands.dtype, [&]<class T>() {
    Batch batch{.name = name,
                .shape = stack,
                .reads = {{operands.arrays[0], 2}},
                .writes = {{result.s, 1}},
                .work = (wants_vectors ? 20 : 4) * product(m, n, least),
                .compute = [dense = Dense<T>(), m, n, is_full,
                            wants_vectors](std::span<const Item> items) -> std::int64_t {
                  // The transposed matrix: its left vectors, read by rows, are vh, and its right ones are u.
                  Scratch<T> matrix(m * n);
                  Item transposed = items[0];
                  std::swap(transposed.rows, transposed.columns);
                  std::swap(transposed.row_step, transposed.column_step);
                  load(transposed, matrix.data());
                  if (!is_finite(m * n, matrix.data())) return 1;
                  return dense.svd(is_full, n, m, matrix.data(), items[1].template as<Real<T>>(),
                                   wants_vectors ? items[3].template as<T>() : nullptr,
                                   wants_vectors ? items[2].template as<T>() : nullptr);
                },
                .failure = svd_failed};
    if (wants_vectors) {
      batch.writes.push_back({result.u, 2});
      batch.writes.push_back({result.vh, 2});
    }
    run(operands.queue, std::move(batch));
  });
  return result;
}

}  // namespace

Eigen eigh(const Array& a, bool upper) {
  return hermitian("eigh", a, upper, true);
}
Array eigvalsh(const Array& a, bool upper) {
  return hermitian("eigvalsh", a, upper, false).values;
}
Eigen eig(const Array& a) {
  return general("eig", a, true);
}
Array eigvals(const Array& a) {
  return general("eigvals", a, false).values;
}
Svd svd(const Array& a, bool full_matrices) {
  return singular_values("svd", a, full_matrices, true);
}
Array svdvals(const Array& a) {
  return singular_values("svdvals", a, false, false).s;
}

LeastSquares lstsq(const Array& a, const Array& b, std::optional<double> rcond) {
  if (a.shape().size() != 2)
    throw LinAlgError(std::to_string(a.shape().size()) +
                      "-dimensional array given. Array must be two-dimensional");
  const std::int64_t m = a.shape()[0], n = a.shape()[1], least = std::min(m, n), rows = std::max(m, n);
  const bool is_vector = b.shape().size() == 1;
  if (b.shape().empty() || b.shape().size() > 2)
    throw LinAlgError(std::to_string(b.shape().size()) +
                      "-dimensional array given. Array must be two-dimensional");
  if (b.shape()[0] != m) throw LinAlgError("Incompatible dimensions");
  const Operands operands = prepared("lstsq", {a, b});
  const std::int64_t columns = is_vector ? 1 : b.shape()[1];
  const double precision = operands.real.scalar == Scalar::float32 ? std::numeric_limits<float>::epsilon()
                                                                   : std::numeric_limits<double>::epsilon();
  const double limit = rcond.value_or(precision * static_cast<double>(rows));
  if (takes_cuda(operands))
    return lstsq_by_cuda(operands, operands.arrays[0], operands.arrays[1], is_vector,
                         limit < 0 ? precision : limit);
  const Array rank = empty(operands.queue, {}, DType::of(Scalar::int64));
  LeastSquares result{empty(operands.queue, is_vector ? Shape{n} : Shape{n, columns}, operands.dtype),
                      empty(operands.queue, {columns}, operands.real), 0,
                      empty(operands.queue, {least}, operands.real)};
  const std::size_t axes = is_vector ? 1 : 2;
  with_type(operands.dtype, [&]<class T>() {
    run(operands.queue,
        {.name = "lstsq",
         .shape = {},
         .reads = {{operands.arrays[0], 2}, {operands.arrays[1], axes}},
         .writes = {{result.x, axes}, {result.residuals, 1}, {result.s, 1}, {rank, 0}},
         .work = 8 * product(m, n, least) + product(m, n, columns),
         .compute = [dense = Dense<T>(), m, n, rows, columns,
                     limit](std::span<const Item> items) -> std::int64_t {
           Scratch<T> matrix(m * n), right(m * columns), solution(rows * columns);
           load(items[0], matrix.data());
           load(items[1], right.data());
           if (!is_finite(m * n, matrix.data())) return 1;
           std::fill(solution.data(), solution.data() + rows * columns, T{});
           for (std::int64_t c = 0; c < columns; ++c)
             std::copy(right.data() + c * m, right.data() + (c + 1) * m, solution.data() + c * rows);
           std::int64_t found = 0;
           const auto info = dense.lstsq(m, n, columns, matrix.data(), solution.data(),
                                         items[4].as<Real<T>>(), static_cast<Real<T>>(limit), found);
           if (info != 0) return info;
           *items[5].as<std::int64_t>() = found;
           store(solution.data(), rows, items[2]);
           // Of a full rank, LAPACK leaves the rest of Q^H b behind the solution; ours is computed anew.
           load(items[0], matrix.data());
           for (std::int64_t c = 0; c < columns; ++c) {
             T* const rest = right.data() + c * m;
             own::subtract_product(m, std::int64_t{1}, n, matrix.data(), m, solution.data() + c * rows, rows,
                                   rest, m);
             items[3].as<Real<T>>()[c] = own::real_of(own::dot(m, rest, rest));
           }
           return 0;
         },
         .failure = [](std::int64_t) -> std::string {
           return "SVD did not converge in Linear Least Squares";
         }});
  });
  result.rank = rank.to_vector<std::int64_t>(operands.queue)[0];
  if (result.rank != n || m <= n) result.residuals = empty(operands.queue, {0}, operands.real);
  return result;
}

}  // namespace quern::linalg
