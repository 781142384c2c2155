// SPDX-License-Identifier: MIT
// Iterative solvers of linear systems besides conjugate gradients: bicgstab, gmres, minres.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <optional>
#include <vector>

#include "quern/arithmetic.hpp"
#include "quern/manipulation.hpp"
#include "quern/matmul.hpp"
#include "quern/reduce.hpp"
#include "quern/views.hpp"
#include "sparse/host_matrix.hpp"
#include "sparse/krylov.hpp"
#include "sparse/state.hpp"

namespace quern::sparse {
namespace {

using Complex = std::complex<double>;

Array preconditioned(const SolveOptions& options, const Array& r) {
  return options.preconditioner ? (*options.preconditioner)(r) : r;
}

// The least-squares solution of a cycle of gmres: coefficients of the basis vectors.
struct Cycle {
  std::vector<Complex> coefficients;
  std::vector<double> residuals;  // after each step
};

// `columns` holds the columns of the Hessenberg matrix, of `steps` + 1 elements each. Stops at the first
// column that reaches the goal.
Cycle solve_cycle(const std::vector<std::vector<Complex>>& columns, double norm, double goal) {
  std::vector<std::vector<Complex>> upper;
  std::vector<Complex> right = {norm}, sines;
  std::vector<double> cosines;
  std::vector<double> residuals;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    std::vector<Complex> column(columns[j].begin(), columns[j].begin() + static_cast<std::ptrdiff_t>(j) + 2);
    for (std::size_t i = 0; i < j; ++i) {
      const Complex first = column[i], second = column[i + 1];
      column[i] = cosines[i] * first + sines[i] * second;
      column[i + 1] = -std::conj(sines[i]) * first + cosines[i] * second;
    }
    const double length = std::hypot(std::abs(column[j]), std::abs(column[j + 1]));
    if (!(length > 0) || !std::isfinite(length)) break;
    const double size = std::abs(column[j]);
    const double cosine = size / length;
    const Complex phase = size > 0 ? column[j] / size : Complex(1);
    const Complex sine = phase * std::conj(column[j + 1]) / length;
    cosines.push_back(cosine);
    sines.push_back(sine);
    column[j] = phase * length;
    upper.push_back(column);
    right.push_back(-std::conj(sine) * right[j]);
    right[j] *= cosine;
    residuals.push_back(std::abs(right[j + 1]));
    if (residuals.back() <= goal) break;
  }
  const std::size_t count = upper.size();
  std::vector<Complex> result(count);
  for (std::size_t i = count; i-- > 0;) {
    Complex sum = right[i];
    for (std::size_t k = i + 1; k < count; ++k) sum -= upper[k][i] * result[k];
    result[i] = sum / upper[i][i];
  }
  return {result, residuals};
}

}  // namespace

Solution bicgstab(const LinearOperator& a, const Array& b, const SolveOptions& options) {
  check_square("bicgstab", a);
  const DType dtype = solver_type(a.dtype(), b.dtype());
  const Array right = right_side("bicgstab", a, b, dtype);
  const Progress progress(a, right, options, 10 * a.size().rows);
  const Queue queue = right.queue();
  Array x = first_guess(options.x0, a.size().rows, dtype, queue);
  if (progress.is_zero()) return {zeros(queue, x.shape(), dtype), 0, 0, 0};
  const Array one = full(queue, {}, 1, dtype), none = zeros(queue, x.shape(), dtype);
  Array r = right - a(x), shadow = r, p = none, v = none, rho = one, alpha = one, omega = one;
  double left = read_sum(real_dot(r, r));
  const double goal = progress.tolerance() * progress.tolerance();
  const auto restart = [&] {
    r = right - a(x);
    shadow = r;
    p = v = none;
    rho = alpha = omega = one;
    left = read_sum(real_dot(r, r));
  };
  DeferredSums sums(queue);
  Restarts restarts;
  restarts.has_progress(left);
  std::int64_t iterations = 0, stalls = 0;
  double before = -1;
  while (left > goal && iterations < progress.most()) {
    const Array rho_new = dot_of(shadow, r);
    const Array beta = safe_ratio(rho_new, rho) * safe_ratio(alpha, omega);
    p = r + beta * (p - omega * v);
    compute({p});
    const Array p_hat = preconditioned(options, p);
    v = a(p_hat);
    alpha = safe_ratio(rho_new, dot_of(shadow, v));
    const Array s = r - alpha * v;
    compute({s});
    const Array s_hat = preconditioned(options, s);
    const Array t = a(s_hat);
    omega = safe_ratio(dot_of(t, s), dot_of(t, t));
    x = x + alpha * p_hat + omega * s_hat;
    r = s - omega * t;
    compute({x, r});
    rho = rho_new;
    ++iterations;
    if (options.callback) options.callback(x);
    if (!progress.is_time(iterations)) continue;
    const std::optional<double> norm = sums.submit(real_dot(r, r));
    if (!norm) continue;
    progress.report(iterations, *norm);
    if (!std::isfinite(*norm)) break;
    if (*norm <= goal || *norm == before) {
      // The method has stopped by itself if the residual does not change at all.
      if (*norm > goal && ++stalls > 2) return {x, -10, iterations, std::sqrt(*norm)};
      restart();
      sums.clear();
      if (!restarts.has_progress(left) && *norm <= goal) break;
    }
    before = *norm;
  }
  return progress.solution(x, iterations);
}

Solution gmres(const LinearOperator& a, const Array& b, std::int64_t restart, const SolveOptions& options) {
  check_square("gmres", a);
  if (restart < 1) value_error("gmres: restart must be at least 1");
  const std::int64_t n = a.size().rows;
  const DType dtype = solver_type(a.dtype(), b.dtype());
  const Array right = right_side("gmres", a, b, dtype);
  const Progress progress(a, right, options, 10 * n);
  const Queue queue = right.queue();
  Array x = first_guess(options.x0, n, dtype, queue);
  if (progress.is_zero()) return {zeros(queue, x.shape(), dtype), 0, 0, 0};
  const std::int64_t steps = std::min(restart, n);
  const Array basis = empty(queue, {steps + 1, n}, dtype);
  const Array table = zeros(queue, {steps, steps + 1}, dtype);
  const double size = options.norm_callback ? read_norm(right) : 1;
  std::int64_t cycles = 0, done = 0;
  double before = std::numeric_limits<double>::infinity();
  for (; (options.counts_steps ? done : cycles) < progress.most(); ++cycles) {
    const Array r = right - a(x);
    const double norm = read_norm(r);
    if (options.progress) options.progress(done, norm);
    if (!(norm > progress.tolerance()) || !std::isfinite(norm)) break;
    if (norm >= before && cycles > 1) break;  // no progress in a whole cycle
    before = norm;
    assign(view(basis, {Index(0)}), r / norm);
    assign(table, 0);
    const std::int64_t now = options.counts_steps ? std::min(steps, progress.most() - done) : steps;
    for (std::int64_t j = 0; j < now; ++j)
      extend_basis(basis, table, j, a(preconditioned(options, view(basis, {Index(j)}))));
    const std::vector<Complex> values = host_values<Complex>(table);
    std::vector<std::vector<Complex>> columns;
    const auto width = static_cast<std::size_t>(steps) + 1;
    for (std::size_t j = 0; j < static_cast<std::size_t>(now); ++j)
      columns.emplace_back(values.begin() + static_cast<std::ptrdiff_t>(j * width),
                           values.begin() + static_cast<std::ptrdiff_t>((j + 1) * width));
    const Cycle cycle = solve_cycle(columns, norm, progress.tolerance());
    if (cycle.coefficients.empty()) break;
    for (const double residual : cycle.residuals)
      if (options.norm_callback) options.norm_callback(residual / size);
    const auto count = static_cast<std::int64_t>(cycle.coefficients.size());
    done += count;
    const Array used = view(basis, {Index::slice(0, count)});
    const Array change = matmul(device_values(queue, cycle.coefficients, {count}, dtype), used);
    x = x + preconditioned(options, change);
    compute({x});
    if (options.callback) options.callback(x);
  }
  return progress.solution(x, options.counts_steps ? done : cycles);
}

Solution minres(const LinearOperator& a, const Array& b, double shift, const SolveOptions& options) {
  check_square("minres", a);
  const DType dtype = solver_type(a.dtype(), b.dtype());
  const Array right = right_side("minres", a, b, dtype);
  const Queue queue = right.queue();
  const LinearOperator shifted =
      shift == 0 ? a
                 : LinearOperator(a.size(), dtype, [&a, shift](const Array& x) { return a(x) - shift * x; });
  const Progress progress(shifted, right, options, 5 * a.size().rows);
  Array x = first_guess(options.x0, a.size().rows, dtype, queue);
  if (progress.is_zero()) return {zeros(queue, x.shape(), dtype), 0, 0, 0};
  const DType real = dtype.scalar == Scalar::complex64    ? DType::of(Scalar::float32)
                     : dtype.scalar == Scalar::complex128 ? DType::of(Scalar::float64)
                                                          : dtype;
  const auto number = [&](double value) { return full(queue, {}, value, real); };
  const Array one = number(1);
  const double tiny = std::numeric_limits<double>::epsilon() * 1e-20;
  const auto root_of = [&](const Array& u, const Array& v) {
    return apply("sqrt", {apply("maximum", {real_dot(u, v), 0})});
  };
  std::int64_t iterations = 0;
  Restarts restarts;
  for (;;) {
    Array r1 = right - shifted(x), y = preconditioned(options, r1), r2 = r1;
    Array beta = root_of(r1, y), old_beta = one, d_bar = number(0), epsilon = number(0), cosine = number(-1),
          sine = number(0), phi_bar = beta;
    Array w = zeros(queue, x.shape(), dtype), w2 = w;
    const double start = read_sum(beta * beta);
    double scale = read_sum(real_dot(r1, r1));
    if (!(scale > progress.tolerance() * progress.tolerance()) || !std::isfinite(scale)) break;
    if (!restarts.has_progress(scale)) break;
    // The recurrence measures the residual in the norm of the preconditioner.
    const double goal = progress.tolerance() * progress.tolerance() * (start > 0 ? start / scale : 1);
    DeferredSums sums(queue);
    bool is_done = false;
    const std::int64_t first = iterations;
    while (!is_done && iterations < progress.most()) {
      const Array v = safe_ratio(one, beta) * y;
      y = shifted(v);
      if (iterations != first) y = y - safe_ratio(beta, old_beta) * r1;
      compute({v, y});
      const Array alpha = real_dot(v, y);
      y = y - safe_ratio(alpha, beta) * r2;
      r1 = r2;
      r2 = y;
      compute({r2});
      y = preconditioned(options, r2);
      old_beta = beta;
      beta = root_of(r2, y);
      const Array old_epsilon = epsilon;
      const Array delta = cosine * d_bar + sine * alpha, g_bar = sine * d_bar - cosine * alpha;
      epsilon = sine * beta;
      d_bar = -(cosine * beta);
      const Array gamma = apply("maximum", {apply("sqrt", {g_bar * g_bar + beta * beta}), tiny});
      cosine = g_bar / gamma;
      sine = beta / gamma;
      const Array phi = cosine * phi_bar;
      phi_bar = sine * phi_bar;
      compute({old_epsilon, delta, gamma, phi, phi_bar, epsilon, d_bar, cosine, sine, beta});
      const Array w1 = w2;
      w2 = w;
      w = (v - old_epsilon * w1 - delta * w2) / gamma;
      x = x + phi * w;
      compute({w, x});
      ++iterations;
      if (options.callback) options.callback(x);
      if (!progress.is_time(iterations)) continue;
      const std::optional<double> norm = sums.submit(phi_bar * phi_bar);
      if (norm) progress.report(iterations, start > 0 ? *norm * scale / start : *norm);
      is_done = norm && (*norm <= goal || !std::isfinite(*norm));
    }
    if (iterations >= progress.most()) break;
  }
  return progress.solution(x, iterations);
}

}  // namespace quern::sparse
