// SPDX-License-Identifier: MIT
// Triangular systems: row by row on CPUs, by cuSPARSE on CUDA, by levels of rows that do not need each other
// elsewhere.
#include <algorithm>
#include <string>
#include <vector>

#include "libraries/cusparse.hpp"
#include "quern/arithmetic.hpp"
#include "quern/manipulation.hpp"
#include "quern/reduce.hpp"
#include "quern/views.hpp"
#include "sparse/host_matrix.hpp"
#include "sparse/krylov.hpp"
#include "sparse/libraries.hpp"
#include "sparse/multiply.hpp"
#include "sparse/state.hpp"

namespace quern::sparse {

struct Triangle::State {
  Csr matrix;
  bool is_lower, has_unit_diagonal;
  std::shared_ptr<const libraries::CusparseTriangle> analysed = {};  // instead of what follows
  std::optional<Array> diagonals = {};    // entry of the diagonal in each row; -1: the diagonal is 1
  std::optional<Array> order = {};        // rows by level
  std::vector<std::int64_t> levels = {};  // first row of each level in the order, and their number
};

Triangle::Triangle(const Csr& matrix, bool is_lower, bool has_unit_diagonal) {
  if (matrix.rows() != matrix.columns()) value_error("a triangular system needs a square matrix");
  const Csr whole = sum_duplicates(astype(matrix, solver_type(matrix.dtype(), matrix.dtype())));
  if (!has_unit_diagonal && whole.rows() != 0 &&
      read_integer(count_nonzero(apply("equal", {diagonal(whole), 0}))) != 0)
    value_error("the matrix is singular: an entry of the diagonal is zero or missing");
  const Queue queue = whole.queue();
  State state{whole, is_lower, has_unit_diagonal};
  if (libraries::cusparse_takes(queue, whole.dtype().scalar) && whole.nnz() != 0)
    state.analysed =
        libraries::CusparseTriangle::analyse(queue, device_csr(whole), is_lower, has_unit_diagonal);
  if (state.analysed != nullptr) {
    state_ = std::make_shared<const State>(std::move(state));
    return;
  }
  const HostStructure host(whole);
  const std::size_t n = host.rows();
  std::vector<std::int64_t> diagonals(n, -1);
  if (!has_unit_diagonal) {
    for (std::size_t i = 0; i < n; ++i)
      for (std::int64_t k = host.indptr[i]; k < host.indptr[i + 1]; ++k)
        if (host.indices[static_cast<std::size_t>(k)] == static_cast<std::int64_t>(i)) diagonals[i] = k;
  }
  state.diagonals = asarray(queue, diagonals);
  if (solves_by_levels(queue)) {
    std::vector<std::int64_t> level(n, 0);
    std::int64_t deepest = -1;
    for (std::size_t step = 0; step < n; ++step) {
      const std::size_t i = is_lower ? step : n - 1 - step;
      for (std::int64_t k = host.indptr[i]; k < host.indptr[i + 1]; ++k) {
        const auto j = static_cast<std::size_t>(host.indices[static_cast<std::size_t>(k)]);
        if (is_lower ? j < i : j > i) level[i] = std::max(level[i], level[j] + 1);
      }
      deepest = std::max(deepest, level[i]);
    }
    state.levels.assign(static_cast<std::size_t>(deepest + 2), 0);
    for (const std::int64_t one : level) ++state.levels[static_cast<std::size_t>(one) + 1];
    for (std::size_t k = 1; k < state.levels.size(); ++k) state.levels[k] += state.levels[k - 1];
    std::vector<std::int64_t> order(n), next = state.levels;
    for (std::size_t i = 0; i < n; ++i)
      order[static_cast<std::size_t>(next[static_cast<std::size_t>(level[i])]++)] =
          static_cast<std::int64_t>(i);
    state.order = asarray(queue, order);
  }
  state_ = std::make_shared<const State>(std::move(state));
}

Array Triangle::solve(const Array& b) const {
  const State& state = *state_;
  const std::int64_t n = state.matrix.rows();
  if (b.shape().empty() || b.shape().size() > 2 || b.shape()[0] != n)
    value_error("the right side must have " + std::to_string(n) + " rows");
  if (b.shape().size() == 2) {
    std::vector<Array> columns;
    for (std::int64_t k = 0; k < b.shape()[1]; ++k)
      columns.push_back(solve(view(b, {Index::slice(), Index(k)})));
    if (columns.empty()) return zeros(b.queue(), b.shape(), state.matrix.dtype());
    return stack(columns, 1);
  }
  const DType dtype = solver_type(state.matrix.dtype(), b.dtype());
  const Queue queue = state.matrix.queue();
  if (state.analysed != nullptr) {
    if (dtype != state.matrix.dtype())
      return Triangle(astype(state.matrix, dtype), state.is_lower, state.has_unit_diagonal).solve(b);
    const Array from = vector_of(b, dtype), x = empty(queue, {n}, dtype);
    state.analysed->solve(queue, from.elements(), x.elements());
    return x;
  }
  const Csr matrix = astype(state.matrix, dtype);
  Array x = first_guess(b, n, dtype, queue);
  if (n == 0) return x;
  const auto kernel = triangular_kernel(queue, dtype, matrix.indices().dtype());
  const auto work = static_cast<std::uint64_t>(matrix.nnz());
  const Buffer data = matrix.data().elements(), indices = matrix.indices().elements(),
               indptr = matrix.indptr().elements(), diagonals = state.diagonals->elements(),
               to = x.elements();
  const std::int32_t is_lower = state.is_lower ? 1 : 0;
  if (!state.order) {
    kernel(queue, work, range(1).with_local(1), data, indices, indptr, diagonals, to, n, is_lower);
    return x;
  }
  const Buffer order = state.order->elements();
  for (std::size_t k = 0; k + 1 < state.levels.size(); ++k) {
    const std::int64_t begin = state.levels[k], end = state.levels[k + 1];
    kernel(queue, work, range(static_cast<std::size_t>(end - begin)), data, indices, indptr, diagonals, to,
           order, begin, end, is_lower);
  }
  return x;
}

Array spsolve_triangular(const Csr& matrix, const Array& b, bool is_lower, bool has_unit_diagonal) {
  return Triangle(matrix, is_lower, has_unit_diagonal).solve(b);
}

}  // namespace quern::sparse
