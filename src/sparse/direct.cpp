// SPDX-License-Identifier: MIT
// Direct solutions of sparse systems, by cuDSS on CUDA.
#include <complex>
#include <limits>
#include <string>

#include "libraries/cudss.hpp"
#include "linalg/cuda_parts.hpp"
#include "quern/arithmetic.hpp"
#include "quern/manipulation.hpp"
#include "quern/reduce.hpp"
#include "quern/sparse/linalg.hpp"
#include "quern/views.hpp"
#include "sparse/krylov.hpp"
#include "sparse/libraries.hpp"
#include "sparse/state.hpp"

namespace quern::sparse {
namespace {

// The greatest magnitude of a vector, or of each column of a matrix.
Array greatest(const Array& array) {
  return max(apply("absolute", {array}), {.over = {0}});
}

}  // namespace

struct Factorization::State {
  Csr matrix;
  Array norm;  // the greatest sum of magnitudes of a row
  std::shared_ptr<const libraries::CudssFactors> factors;
};

std::optional<Factorization> Factorization::make(const Csr& matrix) {
  if (matrix.rows() != matrix.columns()) value_error("a direct solution needs a square matrix");
  const DType dtype = solver_type(matrix.dtype(), matrix.dtype());
  const Queue queue = matrix.queue();
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (matrix.nnz() == 0 || matrix.nnz() >= kMost || matrix.rows() >= kMost ||
      !libraries::cudss_takes(queue, dtype.scalar))
    return std::nullopt;
  const Csr whole = sum_duplicates(astype(matrix, dtype));
  const DType narrow = DType::of(Scalar::int32);
  // The values are a copy: refinement reads them in each solution.
  const Csr own = Csr::unchecked(whole.size(), linalg::own_copy(whole.data(), queue),
                                 vector_of(whole.indices(), narrow), vector_of(whole.indptr(), narrow));
  const auto factors = libraries::CudssFactors::factorize(queue, device_csr(own));
  if (factors == nullptr) return std::nullopt;
  Array norm = max(row_sums(own.with_data(apply("absolute", {own.data()}))));
  norm.evaluate();
  Factorization result;
  result.state_ = std::make_shared<const State>(State{own, norm, factors});
  return result;
}

Array Factorization::solve(const Array& b) const {
  const Csr& matrix = state_->matrix;
  const Queue queue = matrix.queue();
  const std::int64_t n = matrix.rows();
  const Shape& shape = b.shape();
  if (shape.empty() || shape.size() > 2 || shape[0] != n)
    value_error("the right side must have " + std::to_string(n) + " rows");
  if (is_complex(b.dtype()) && !is_complex(matrix.dtype()))
    return solve(apply("real", {b})) + solve(apply("imag", {b})) * Number(std::complex<double>(0, 1));
  const Array right = quern::astype(b, matrix.dtype());
  const std::int64_t columns = shape.size() == 1 ? 1 : shape[1];
  if (columns == 0) return zeros(queue, shape, matrix.dtype());
  const Array from = linalg::own_copy(shape.size() == 1 ? right : matrix_transpose(right), queue);
  const Array to = empty(queue, from.shape(), matrix.dtype());
  state_->factors->solve(queue, from.elements(), to.elements(), columns);
  const Array x = shape.size() == 1 ? to : matrix_transpose(to);
  // A column that does not solve its system is an error, whatever the library says. A stable elimination
  // leaves a few units of the last place.
  const Scalar scalar = matrix.dtype().scalar;
  const double most = scalar == Scalar::float32 || scalar == Scalar::complex64 ? 1e-3 : 1e-8;
  const Array rest = greatest(right - multiply(matrix, x));
  const Array bound = most * (state_->norm * greatest(x) + greatest(right));
  const Array is_bad = apply("logical_not", {apply("less_equal", {rest, bound})});
  const Array info = quern::astype(reshape(any(is_bad), {1}), DType::of(Scalar::int32));
  linalg::report(queue, "Singular matrix", "spsolve", info, {to});
  return x;
}

Array spsolve(const Csr& matrix, const Array& b) {
  const DType dtype = solver_type(matrix.dtype(), b.dtype());
  const Csr same = astype(matrix, dtype);
  if (const std::optional<Factorization> factors = Factorization::make(same)) return factors->solve(b);
  if (!libraries::cudss_takes(matrix.queue(), dtype.scalar))
    throw Error("spsolve: no direct solver was found for " + matrix.queue().device().spec() +
                "; install cuDSS for a CUDA device (pip install nvidia-cudss-cu13), or use cg, gmres or "
                "another iterative method, which need no library");
  throw LinAlgError("Singular matrix: cuDSS found no factorisation; in spsolve");
}

}  // namespace quern::sparse
