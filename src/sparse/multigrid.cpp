// SPDX-License-Identifier: MIT
// A cycle of multigrid as a preconditioner: for hierarchies of matrices that another library has computed.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "quern/arithmetic.hpp"
#include "quern/matmul.hpp"
#include "quern/reduce.hpp"
#include "sparse/krylov.hpp"
#include "sparse/state.hpp"

namespace quern::sparse {
namespace {

// A level with its smoother, damped Jacobi: x += scale (b - A x).
struct Smoothed {
  Csr a, prolongation, restriction;
  Array scale;  // damped inverse of the diagonal
};

void check_sizes(const std::vector<MultigridLevel>& levels, const Array& coarsest) {
  const auto wrong = [](std::size_t k, const char* what) {
    value_error("multigrid: " + std::string(what) + " of level " + std::to_string(k) + " does not fit");
  };
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const MultigridLevel& level = levels[k];
    const std::int64_t n = level.a.rows();
    const std::int64_t next = k + 1 < levels.size() ? levels[k + 1].a.rows() : coarsest.shape()[0];
    if (level.a.columns() != n) wrong(k, "the matrix");
    if (level.prolongation.size() != Size{n, next}) wrong(k, "the prolongation");
    if (level.restriction.size() != Size{next, n}) wrong(k, "the restriction");
  }
}

Smoothed smoothed(const MultigridLevel& level, const DType& dtype) {
  const Csr a = sum_duplicates(astype(level.a, dtype));
  const Array values = diagonal(a);
  if (a.rows() != 0 && read_integer(count_nonzero(apply("equal", {values, 0}))) != 0)
    value_error("multigrid: an entry of the diagonal is zero or missing");
  // The bound of Gershgorin for the eigenvalues of D^-1 A. With 4/3 of its inverse the upper half of them is
  // damped to at most a third.
  const Array sums = row_sums(a.with_data(apply("absolute", {a.data()})));
  const double most = a.rows() == 0 ? 1 : read_sum(max(apply("absolute", {sums / values})));
  const Array scale = (4 / (3 * most)) / values;
  scale.evaluate();
  return {a, astype(level.prolongation, dtype), astype(level.restriction, dtype), scale};
}

struct Hierarchy {
  std::vector<Smoothed> levels;
  Array coarsest;
  std::int64_t sweeps;

  [[nodiscard]] Array cycle(const Array& b, std::size_t k) const {
    if (k == levels.size()) return matmul(coarsest, b);
    const Smoothed& level = levels[k];
    Array x = level.scale * b;
    const auto smooth = [&] {
      x = x + level.scale * (b - multiply(level.a, x));
      compute({x});
    };
    for (std::int64_t sweep = 1; sweep < sweeps; ++sweep) smooth();
    const Array coarse = multiply(level.restriction, b - multiply(level.a, x));
    x = x + multiply(level.prolongation, cycle(coarse, k + 1));
    for (std::int64_t sweep = 0; sweep < sweeps; ++sweep) smooth();
    return x;
  }
};

}  // namespace

LinearOperator multigrid(const std::vector<MultigridLevel>& levels, const Array& coarsest_inverse,
                         std::int64_t sweeps) {
  if (levels.empty()) value_error("multigrid: expected at least two levels");
  if (sweeps < 1) value_error("multigrid: the number of sweeps must be at least 1");
  const Shape& shape = coarsest_inverse.shape();
  if (shape.size() != 2 || shape[0] != shape[1])
    value_error("multigrid: the inverse of the coarsest matrix must be a square matrix");
  check_sizes(levels, coarsest_inverse);
  const DType dtype = solver_type(levels[0].a.dtype(), levels[0].a.dtype());
  auto hierarchy = std::make_shared<Hierarchy>(Hierarchy{{}, quern::astype(coarsest_inverse, dtype), sweeps});
  hierarchy->coarsest.evaluate();
  for (const MultigridLevel& level : levels) hierarchy->levels.push_back(smoothed(level, dtype));
  return LinearOperator(levels[0].a.size(), dtype,
                        [hierarchy](const Array& r) { return hierarchy->cycle(r, 0); });
}

}  // namespace quern::sparse
