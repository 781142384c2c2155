// SPDX-License-Identifier: MIT
// Conjugate gradients: three launches an iteration for matrices in compressed rows, expressions otherwise.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/launch/kernel_table.hpp"
#include "base/arithmetic.hpp"
#include "codegen/sparse_form.hpp"
#include "quern/arithmetic.hpp"
#include "quern/reduce.hpp"
#include "quern/views.hpp"
#include "sparse/krylov.hpp"
#include "sparse/multiply.hpp"
#include "sparse/state.hpp"

namespace quern::sparse {
namespace {

using algorithms::Defines;
using algorithms::LibraryKernel;

// The kernels of sparse_cg.cl and how they are launched.
class FusedUpdates {
 public:
  FusedUpdates(const Queue& queue, const DType& dtype, std::int64_t size)
      : queue_(queue), size_(size), in_groups_(solves_by_levels(queue)) {
    Defines defines = codegen::sparse_cg_defines(dtype, in_groups_);
    residual_.emplace(algorithms::kernel_of({"sparse_values", "sparse_cg"}, "cg_residual", defines));
    direction_.emplace(algorithms::kernel_of({"sparse_values", "sparse_cg"}, "cg_direction", defines));
    constexpr std::int64_t kLeast = 1024;
    chunk_ = std::max(divided_up(size, dot_parts(queue)), kLeast);
    const std::int64_t groups = std::int64_t{queue.device().properties().compute_units} * 8;
    parts_ = in_groups_ ? std::clamp<std::int64_t>(divided_up(size, codegen::kCgThreads), 1, groups)
                        : divided_up(size, chunk_);
  }
  // The number of parts of a dot product.
  [[nodiscard]] std::int64_t parts() const noexcept { return parts_; }

  // r -= alpha q.
  void residual(const Array& q, const Array& r, const Array& pq, std::int64_t pq_count, const Array& rr,
                const Array& rr_new, const Array& alpha) const {
    (*residual_)(queue_, work(), shape(), q.elements(), r.elements(), pq.elements(), rr.elements(),
                 rr_new.elements(), alpha.elements(), size_, chunk_, pq_count, parts_);
  }
  // x += alpha p, p = r + beta p.
  void direction(const Array& r, const Array& p, const Array& x, const Array& rr_new, const Array& rr,
                 const Array& alpha) const {
    (*direction_)(queue_, work(), shape(), r.elements(), p.elements(), x.elements(), rr_new.elements(),
                  rr.elements(), alpha.elements(), size_, chunk_, parts_);
  }

 private:
  [[nodiscard]] std::uint64_t work() const { return static_cast<std::uint64_t>(size_); }
  [[nodiscard]] Range shape() const {
    const auto count = static_cast<std::size_t>(parts_);
    return in_groups_ ? range(count * codegen::kCgThreads).with_local(codegen::kCgThreads)
                      : range(count).with_local(1);
  }

  Queue queue_;
  std::int64_t size_, chunk_ = 0, parts_ = 0;
  bool in_groups_;
  std::optional<LibraryKernel> residual_, direction_;
};

// Without a preconditioner. Before each product x lacks the last step, alpha p, because the kernel that
// computes the next p reads the old one anyway.
void solve_fused(const LinearOperator& a, const Array& b, const SolveOptions& options,
                 const Progress& progress, const Array& x, const DType& dtype, std::int64_t& iterations) {
  const Csr matrix = astype(*a.matrix(), dtype);
  const Queue queue = b.queue();
  // A callback may change the values of the matrix.
  const std::optional<Array> constants = options.callback ? std::nullopt : constant_values(matrix);
  const FusedUpdates updates(queue, dtype, matrix.rows());
  const Shape parts = {updates.parts()};
  Array rr = zeros(queue, parts, dtype), rr_old = zeros(queue, parts, dtype);
  const Array pq = empty(queue, {dot_parts(queue)}, dtype), alpha = zeros(queue, {1}, dtype);
  const Array q = empty(queue, b.shape(), dtype), r = empty(queue, b.shape(), dtype);
  Array p = zeros(queue, b.shape(), dtype), p_new = empty(queue, b.shape(), dtype);
  compute({rr, rr_old, alpha, p});
  const auto take_last_step = [&] {
    assign(x, x + alpha * p);
    assign(alpha, 0);
  };
  DeferredSums sums(queue);
  Restarts restarts;
  double left = 0;
  // Begins with the residual of x, and again where the recursive one differs from it.
  const auto restart = [&](bool is_zero) {
    assign(r, is_zero ? b : b - a(x));
    const Array norm = dot_of(r, r);
    left = read_sum(norm);
    assign(rr, 0);
    assign(view(rr, {Index::slice(0, 1)}), norm);
    assign(rr_old, 0);  // beta is 0
    sums.clear();
  };
  const double goal = progress.tolerance() * progress.tolerance();
  restart(!options.x0);
  restarts.has_progress(left);
  while (left > goal && iterations < progress.most()) {
    std::int64_t count =
        multiply_direction(matrix, {r, p, p_new, x, rr, rr_old, alpha, updates.parts(), constants}, q, pq);
    if (count != 0) {
      std::swap(p, p_new);
    } else {
      updates.direction(r, p, x, rr, rr_old, alpha);
      count = multiply_with_dot(matrix, p, q, pq);
    }
    std::swap(rr, rr_old);
    updates.residual(q, r, pq, count, rr_old, rr, alpha);
    ++iterations;
    if (options.callback) {
      take_last_step();
      options.callback(x);
    }
    if (!progress.is_time(iterations)) continue;
    const std::optional<double> norm = sums.submit(rr);
    if (norm) progress.report(iterations, *norm);
    if (norm && !std::isfinite(*norm)) break;
    if (!norm || *norm > goal) continue;
    take_last_step();
    restart(false);
    if (!restarts.has_progress(left)) break;
  }
  take_last_step();
}

void solve_expressions(const LinearOperator& a, const Array& b, const SolveOptions& options,
                       const Progress& progress, Array& x, std::int64_t& iterations) {
  const auto precondition = [&](const Array& r) {
    return options.preconditioner ? (*options.preconditioner)(r) : r;
  };
  DeferredSums sums(b.queue());
  Array r = b - a(x), z = precondition(r), p = z;
  Array rz = dot_of(r, z);
  double left = read_sum(real_dot(r, r));
  Restarts restarts;
  restarts.has_progress(left);
  const double goal = progress.tolerance() * progress.tolerance();
  while (left > goal && iterations < progress.most()) {
    const Array q = a(p);
    const Array alpha = safe_ratio(rz, dot_of(p, q));
    x = x + alpha * p;
    r = r - alpha * q;
    compute({x, r});
    z = precondition(r);
    const Array rz_new = dot_of(r, z);
    p = z + safe_ratio(rz_new, rz) * p;
    rz = rz_new;
    compute({p});
    ++iterations;
    if (options.callback) options.callback(x);
    if (!progress.is_time(iterations)) continue;
    const std::optional<double> norm = sums.submit(real_dot(r, r));
    if (norm) progress.report(iterations, *norm);
    if (norm && !std::isfinite(*norm)) return;
    if (norm && *norm <= goal) {
      r = b - a(x);
      left = read_sum(real_dot(r, r));
      if (!restarts.has_progress(left)) return;
      z = precondition(r);
      p = z;
      rz = dot_of(r, z);
      sums.clear();
    }
  }
}

}  // namespace

Solution cg(const LinearOperator& a, const Array& b, const SolveOptions& options) {
  check_square("cg", a);
  const DType dtype = solver_type(a.dtype(), b.dtype());
  const Array right = right_side("cg", a, b, dtype);
  const Progress progress(a, right, options, 10 * a.size().rows);
  Array x = first_guess(options.x0, a.size().rows, dtype, right.queue());
  if (progress.is_zero()) return {zeros(right.queue(), x.shape(), dtype), 0, 0, 0};
  std::int64_t iterations = 0;
  if (a.matrix() != nullptr && !options.preconditioner && a.matrix()->nnz() != 0) {
    solve_fused(a, right, options, progress, x, dtype, iterations);
  } else {
    solve_expressions(a, right, options, progress, x, iterations);
  }
  return progress.solution(x, iterations);
}

}  // namespace quern::sparse
