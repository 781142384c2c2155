// SPDX-License-Identifier: MIT
// Preconditioners: Jacobi, block Jacobi, incomplete factorisations, Chebyshev polynomials.
#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <utility>
#include <vector>

#include "quern/arithmetic.hpp"
#include "quern/reduce.hpp"
#include "sparse/host_matrix.hpp"
#include "sparse/krylov.hpp"
#include "sparse/state.hpp"

namespace quern::sparse {
namespace {

double conjugated(double value) {
  return value;
}
std::complex<double> conjugated(std::complex<double> value) {
  return std::conj(value);
}

[[noreturn]] void bad_pivot(const char* what, std::size_t row, const char* why) {
  value_error(std::string(what) + ": the pivot of row " + std::to_string(row) + " is " + why);
}

// Sum of conj(row j) * row i over the columns that both have, up to column `end`.
template <class T>
T common_products(const HostStructure& host, const std::vector<T>& values, std::size_t i, std::size_t j,
                  std::int64_t end) {
  T sum = 0;
  auto p = static_cast<std::size_t>(host.indptr[i]), q = static_cast<std::size_t>(host.indptr[j]);
  const auto p_end = static_cast<std::size_t>(host.indptr[i + 1]),
             q_end = static_cast<std::size_t>(host.indptr[j + 1]);
  while (p < p_end && q < q_end && host.indices[p] < end && host.indices[q] < end) {
    if (host.indices[p] == host.indices[q]) {
      sum += values[p++] * conjugated(values[q++]);
    } else if (host.indices[p] < host.indices[q]) {
      ++p;
    } else {
      ++q;
    }
  }
  return sum;
}

// The factorisations compute in complex numbers if the matrix is complex.

// The lower triangle L with L L^H = A where A has entries.
template <class T>
Csr incomplete_cholesky(const Csr& lower) {
  const HostStructure host(lower);
  std::vector<T> values = host_values<T>(lower.data());
  for (std::size_t i = 0; i < host.rows(); ++i) {
    const auto begin = static_cast<std::size_t>(host.indptr[i]),
               end = static_cast<std::size_t>(host.indptr[i + 1]);
    if (begin == end || host.indices[end - 1] != static_cast<std::int64_t>(i)) bad_pivot("ic0", i, "missing");
    for (std::size_t k = begin; k < end; ++k) {
      const auto j = static_cast<std::size_t>(host.indices[k]);
      const T rest = values[k] - common_products(host, values, i, j, static_cast<std::int64_t>(j));
      if (j == i) {
        const double pivot = std::real(rest);
        if (!(pivot > 0)) bad_pivot("ic0", i, "not positive; the matrix needs a larger diagonal");
        values[k] = std::sqrt(pivot);
      } else {
        values[k] = rest / values[static_cast<std::size_t>(host.indptr[j + 1]) - 1];
      }
    }
  }
  return lower.with_data(device_values(lower.queue(), values, {lower.nnz()}, lower.dtype()));
}

// L and U in one matrix, L without its diagonal of ones.
template <class T>
Csr incomplete_lu(const Csr& matrix) {
  const HostStructure host(matrix);
  std::vector<T> values = host_values<T>(matrix.data());
  const std::size_t n = host.rows();
  constexpr std::int64_t kNone = -1;
  std::vector<std::int64_t> diagonal(n, kNone), place(n, kNone);
  for (std::size_t i = 0; i < n; ++i) {
    const auto begin = static_cast<std::size_t>(host.indptr[i]),
               end = static_cast<std::size_t>(host.indptr[i + 1]);
    for (std::size_t k = begin; k < end; ++k) {
      place[static_cast<std::size_t>(host.indices[k])] = static_cast<std::int64_t>(k);
      if (host.indices[k] == static_cast<std::int64_t>(i)) diagonal[i] = static_cast<std::int64_t>(k);
    }
    if (diagonal[i] == kNone) bad_pivot("ilu0", i, "missing");
    for (std::size_t k = begin; k < end && host.indices[k] < static_cast<std::int64_t>(i); ++k) {
      const auto j = static_cast<std::size_t>(host.indices[k]);
      values[k] /= values[static_cast<std::size_t>(diagonal[j])];
      for (std::int64_t q = diagonal[j] + 1; q < host.indptr[j + 1]; ++q) {
        const std::int64_t target =
            place[static_cast<std::size_t>(host.indices[static_cast<std::size_t>(q)])];
        if (target != kNone)
          values[static_cast<std::size_t>(target)] -= values[k] * values[static_cast<std::size_t>(q)];
      }
    }
    if (values[static_cast<std::size_t>(diagonal[i])] == T(0)) bad_pivot("ilu0", i, "zero");
    for (std::size_t k = begin; k < end; ++k) place[static_cast<std::size_t>(host.indices[k])] = kNone;
  }
  return matrix.with_data(device_values(matrix.queue(), values, {matrix.nnz()}, matrix.dtype()));
}

// Inverts a dense block in place, by Gauss and Jordan with row exchanges.
template <class T>
bool invert(std::vector<T>& block, std::size_t n) {
  std::vector<T> inverse(n * n);
  for (std::size_t i = 0; i < n; ++i) inverse[i * n + i] = 1;
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c + 1; r < n; ++r)
      if (std::abs(block[r * n + c]) > std::abs(block[pivot * n + c])) pivot = r;
    if (block[pivot * n + c] == T(0)) return false;
    for (std::size_t k = 0; k < n; ++k) {
      std::swap(block[c * n + k], block[pivot * n + k]);
      std::swap(inverse[c * n + k], inverse[pivot * n + k]);
    }
    const T scale = T(1) / block[c * n + c];
    for (std::size_t k = 0; k < n; ++k) {
      block[c * n + k] *= scale;
      inverse[c * n + k] *= scale;
    }
    for (std::size_t r = 0; r < n; ++r) {
      const T factor = block[r * n + c];
      if (r == c || factor == T(0)) continue;
      for (std::size_t k = 0; k < n; ++k) {
        block[r * n + k] -= factor * block[c * n + k];
        inverse[r * n + k] -= factor * inverse[c * n + k];
      }
    }
  }
  block = std::move(inverse);
  return true;
}

template <class T>
Csr inverse_blocks(const Csr& matrix, std::size_t size) {
  const HostStructure host(matrix);
  const std::vector<T> values = host_values<T>(matrix.data());
  const std::size_t n = host.rows();
  std::vector<T> data;
  std::vector<std::int64_t> indices, indptr = {0};
  for (std::size_t start = 0; start < n; start += size) {
    const std::size_t width = std::min(size, n - start);
    std::vector<T> block(width * width);
    for (std::size_t i = start; i < start + width; ++i) {
      for (auto k = static_cast<std::size_t>(host.indptr[i]);
           k < static_cast<std::size_t>(host.indptr[i + 1]); ++k) {
        const auto j = static_cast<std::size_t>(host.indices[k]);
        if (j >= start && j < start + width) block[(i - start) * width + (j - start)] += values[k];
      }
    }
    if (!invert(block, width))
      value_error("block_jacobi: the block at row " + std::to_string(start) + " is singular");
    data.insert(data.end(), block.begin(), block.end());
    for (std::size_t i = 0; i < width; ++i) {
      for (std::size_t j = 0; j < width; ++j) indices.push_back(static_cast<std::int64_t>(start + j));
      indptr.push_back(static_cast<std::int64_t>(indices.size()));
    }
  }
  const Queue queue = matrix.queue();
  const DType& type = matrix.indices().dtype();
  const auto count = static_cast<std::int64_t>(data.size());
  return Csr::unchecked(matrix.size(), device_values(queue, data, {count}, matrix.dtype()),
                        quern::astype(asarray(queue, indices), type),
                        quern::astype(asarray(queue, indptr), type));
}

// Without duplicates, sorted, with floating-point entries.
Csr prepared(const char* what, const Csr& matrix) {
  if (matrix.rows() != matrix.columns()) value_error(std::string(what) + ": expected a square matrix");
  return sum_duplicates(astype(matrix, solver_type(matrix.dtype(), matrix.dtype())));
}

LinearOperator two_triangles(const Csr& like, const Triangle& first, const Triangle& second) {
  return LinearOperator(like.size(), like.dtype(),
                        [first, second](const Array& r) { return second.solve(first.solve(r)); });
}

}  // namespace

LinearOperator jacobi(const Csr& matrix) {
  const Csr whole = prepared("jacobi", matrix);
  const Array values = diagonal(whole);
  if (whole.rows() != 0 && read_integer(count_nonzero(apply("equal", {values, 0}))) != 0)
    value_error("jacobi: an entry of the diagonal is zero or missing");
  const Array inverse = 1 / values;
  inverse.evaluate();
  const LinearOperator::Apply apply_inverse = [inverse](const Array& r) { return inverse * r; };
  const LinearOperator::Apply adjoint = [inverse](const Array& r) {
    return is_complex(inverse.dtype()) ? apply("conj", {inverse}) * r : inverse * r;
  };
  return LinearOperator(matrix.size(), whole.dtype(), apply_inverse, adjoint);
}

LinearOperator block_jacobi(const Csr& matrix, std::int64_t block_size) {
  if (block_size < 1) value_error("block_jacobi: the block size must be at least 1");
  const Csr whole = prepared("block_jacobi", matrix);
  const auto size = static_cast<std::size_t>(block_size);
  return LinearOperator(is_complex(whole.dtype()) ? inverse_blocks<std::complex<double>>(whole, size)
                                                  : inverse_blocks<double>(whole, size));
}

LinearOperator ic0(const Csr& matrix) {
  const Csr lower = tril(prepared("ic0", matrix));
  const bool has_complex = is_complex(lower.dtype());
  const Csr factor =
      has_complex ? incomplete_cholesky<std::complex<double>>(lower) : incomplete_cholesky<double>(lower);
  Csr upper = factor.transposed();
  if (has_complex) upper = upper.with_data(apply("conj", {upper.data()}));
  return two_triangles(factor, Triangle(factor, true), Triangle(upper, false));
}

LinearOperator ilu0(const Csr& matrix) {
  const Csr whole = prepared("ilu0", matrix);
  const Csr factors =
      is_complex(whole.dtype()) ? incomplete_lu<std::complex<double>>(whole) : incomplete_lu<double>(whole);
  return two_triangles(factors, Triangle(factors, true, true), Triangle(factors, false));
}

LinearOperator chebyshev(const Csr& matrix, std::int64_t degree, double ratio,
                         std::optional<double> greatest) {
  if (degree < 1) value_error("chebyshev: the degree must be at least 1");
  if (!(ratio > 1)) value_error("chebyshev: the ratio of the eigenvalues must be greater than 1");
  const Csr whole = prepared("chebyshev", matrix);
  // Gershgorin's bound: the greatest sum of magnitudes of a row.
  const double most =
      greatest ? *greatest : read_sum(max(row_sums(whole.with_data(apply("absolute", {whole.data()})))));
  if (!(most > 0)) value_error("chebyshev: the greatest eigenvalue must be greater than 0");
  const double least = most / ratio, theta = (most + least) / 2, delta = (most - least) / 2;
  return LinearOperator(whole.size(), whole.dtype(), [whole, degree, theta, delta](const Array& r) {
    const double sigma = theta / delta;
    double rho = 1 / sigma;
    Array d = r / theta, z = d;
    for (std::int64_t k = 1; k < degree; ++k) {
      const double rho_new = 1 / (2 * sigma - rho);
      d = (rho_new * rho) * d + (2 * rho_new / delta) * (r - multiply(whole, z));
      z = z + d;
      compute({d, z});
      rho = rho_new;
    }
    return z;
  });
}

}  // namespace quern::sparse
