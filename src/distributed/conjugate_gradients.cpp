// SPDX-License-Identifier: MIT
// Conjugate gradients for operators of distributed vectors.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "distributed/parts.hpp"
#include "quern/arithmetic.hpp"
#include "quern/distributed/sparse.hpp"

namespace quern::distributed {
namespace {

// The real part of conj(a) . b, the same bits on all ranks.
double inner(const DistributedArray& a, const DistributedArray& b) {
  const bool is_complex_number =
      a.dtype().scalar == Scalar::complex64 || a.dtype().scalar == Scalar::complex128;
  const Array left = is_complex_number ? quern::apply("conj", {a.local()}) : a.local();
  const DistributedArray products(a.communicator(), a.layout(), left * b.local());
  const DistributedArray sum = reduce("sum", products);
  std::vector<std::byte> bytes(sizeof(double));
  const Array real = is_complex_number ? quern::apply("real", {sum.local()}) : sum.local();
  read(quern::astype(real, DType::of(Scalar::float64)), bytes);
  double value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

bool is_floating(const DType& dtype) {
  switch (dtype.scalar) {
    case Scalar::float32:
    case Scalar::float64:
    case Scalar::complex64:
    case Scalar::complex128:
      return true;
    default:
      return false;
  }
}

}  // namespace

DistributedSolution cg(const DistributedOperator& a, const DistributedArray& b,
                       const DistributedSolveOptions& options) {
  if (b.shape().size() != 1) refuse("cg: b must be a vector, got an array of shape " + text_of(b.shape()));
  const Communicator& communicator = b.communicator();
  const std::int64_t size = b.shape()[0];
  // Each rank has some elements: with all of them on one rank the others had no work, and with copies the
  // sums of ranks that add in another order could differ.
  bool is_spread = b.layout().root() < 0;
  for (int rank = 0; rank < communicator.size(); ++rank)
    is_spread = is_spread && b.layout().is_first_replica(rank);
  const Layout layout = is_spread ? b.layout() : Layout::for_shape(communicator.size(), b.shape());
  const DType dtype = options.dtype.value_or(is_floating(b.dtype()) ? b.dtype() : DType::of(Scalar::float64));
  const auto vector_of = [&](const DistributedArray& array, const char* what) {
    if (array.shape() != b.shape() || array.communicator() != communicator)
      refuse(std::string("cg: ") + what + " has the shape " + text_of(array.shape()) + ", and b " +
             text_of(b.shape()));
    const DistributedArray placed = redistribute(array, layout);
    return DistributedArray(communicator, layout, quern::astype(placed.local(), dtype));
  };
  const auto apply_to = [&](const DistributedArray& x) { return vector_of(a(x), "A @ x"); };
  const auto precondition = [&](const DistributedArray& r) {
    return options.preconditioner ? vector_of(options.preconditioner(r), "M @ r") : r;
  };
  // first + factor * second
  const auto sum_of = [&](const DistributedArray& first, double factor, const DistributedArray& second) {
    const Array local = first.local() + factor * second.local();
    local.evaluate();
    return DistributedArray(communicator, layout, local);
  };

  const DistributedArray right = vector_of(b, "b");
  const double goal = std::max(options.rtol * std::sqrt(inner(right, right)), options.atol);
  const DistributedArray zero(communicator, layout,
                              zeros(right.local().queue(), right.local().shape(), dtype));
  DistributedArray x = options.x0 ? vector_of(*options.x0, "x0") : zero;
  if (goal == 0 && inner(right, right) == 0) return {redistribute(zero, b.layout()), 0, 0, 0};
  DistributedArray r = options.x0 ? sum_of(right, -1, apply_to(x)) : right;
  double norm = std::sqrt(inner(r, r)), last_norm = -1;
  bool is_true_residual = true;
  std::optional<DistributedArray> direction;  // none: begins anew with the residual
  double rz = 0;
  const std::int64_t most = options.maxiter.value_or(10 * size);
  DistributedSolution solution{x, 0, 0, norm};
  while (true) {
    if (norm <= goal && !is_true_residual) {
      // Rounding lets the recursive residual drift from the true one.
      r = sum_of(right, -1, apply_to(x));
      norm = std::sqrt(inner(r, r));
      is_true_residual = true;
      direction.reset();
      if (norm > goal && last_norm >= 0 && norm >= last_norm / 2) {
        solution.info = solution.iterations;
        break;
      }
      last_norm = norm;
    }
    if (norm <= goal) break;
    if (solution.iterations >= most || !std::isfinite(norm)) {
      solution.info = solution.iterations > 0 ? solution.iterations : -1;
      break;
    }
    const DistributedArray z = precondition(r);
    const double rz_new = options.preconditioner ? inner(r, z) : norm * norm;
    direction = direction ? sum_of(z, rz_new / rz, *direction) : z;
    rz = rz_new;
    const DistributedArray q = apply_to(*direction);
    const double pq = inner(*direction, q);
    if (pq == 0 || !std::isfinite(pq)) {
      solution.info = -1;
      break;
    }
    x = sum_of(x, rz / pq, *direction);
    r = sum_of(r, -rz / pq, q);
    ++solution.iterations;
    is_true_residual = false;
    if (options.callback) options.callback(redistribute(x, b.layout()));
    norm = std::sqrt(inner(r, r));
  }
  if (!is_true_residual) {
    const DistributedArray left = sum_of(right, -1, apply_to(x));
    norm = std::sqrt(inner(left, left));
  }
  solution.x = redistribute(x, b.layout());
  solution.residual = norm;
  return solution;
}

}  // namespace quern::distributed
