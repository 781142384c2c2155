// SPDX-License-Identifier: MIT
// Least squares by the bidiagonalisation of Golub and Kahan: lsqr and lsmr.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "quern/arithmetic.hpp"
#include "sparse/krylov.hpp"
#include "sparse/state.hpp"

namespace quern::sparse {
namespace {

constexpr double kPrecision = std::numeric_limits<double>::epsilon();

// The rotation that takes (a, b) to (r, 0).
struct Rotation {
  double c, s, r;
};
Rotation rotation_of(double a, double b) {
  const double r = std::hypot(a, b);
  return r == 0 ? Rotation{1, 0, 0} : Rotation{a / r, b / r, r};
}

// The vectors u and v of length 1, with the factors alpha and beta of the latest step.
class Bidiagonalisation {
 public:
  Bidiagonalisation(const LinearOperator& a, const Array& b, const std::optional<Array>& x0,
                    const DType& dtype)
      : a_(a),
        x(first_guess(x0, a.size().columns, dtype, b.queue())),
        u_(x0 ? b - a(x) : b),
        v(zeros(b.queue(), {a.size().columns}, dtype)) {
    u_ = normalised(u_, beta);
    if (beta > 0) {
      v = normalised(a.adjoint(u_), alpha);
    }
  }
  void step() {
    u_ = normalised(a_(v) - alpha * u_, beta);
    if (beta > 0) v = normalised(a_.adjoint(u_) - beta * v, alpha);
  }

 private:
  static Array normalised(const Array& vector, double& length) {
    compute({vector});
    length = read_norm(vector);
    if (!(length > 0)) return vector;
    Array result = vector / length;
    compute({result});
    return result;
  }
  const LinearOperator& a_;

 public:
  Array x;

 private:
  Array u_;

 public:
  Array v;
  double alpha = 0, beta = 0;
};

// SciPy's reasons to stop; 0: go on.
struct Tests {
  double residual, normal, condition;  // relative to b; of the normal equations; the inverse
  double norm, x_norm, b_norm;
};
std::int64_t reason_to_stop(const Tests& tests, const LeastSquaresOptions& options, std::int64_t iteration,
                            std::int64_t most) {
  const double scale = tests.norm * tests.x_norm / tests.b_norm;
  const double limit = options.conlim > 0 ? 1 / options.conlim : 0;
  if (tests.residual <= options.btol + options.atol * scale) return 1;
  if (tests.normal <= options.atol) return 2;
  if (tests.condition <= limit) return 3;
  if (1 + tests.residual / (1 + scale) <= 1) return 4;
  if (1 + tests.normal <= 1) return 5;
  if (1 + tests.condition <= 1) return 6;
  return iteration >= most ? 7 : 0;
}

// Replaces the estimates of the residuals by those of x, and withdraws a success that they do not confirm.
void confirm(LeastSquares& result, const LinearOperator& a, const Array& b, double b_norm, const DType& dtype,
             const LeastSquaresOptions& options) {
  const double damp = options.damp;
  const Array rest = b - a(result.x);
  const Array normal = damp != 0 ? a.adjoint(rest) - damp * damp * result.x : a.adjoint(rest);
  compute({rest, normal});
  result.residual = read_norm(rest);
  result.normal_residual = read_norm(normal);
  result.x_norm = read_norm(result.x);
  result.damped_residual = std::hypot(result.residual, damp * result.x_norm);
  if (result.istop == 0 || result.istop == 3 || result.istop >= 6) return;
  // Rounding keeps the residuals above the tolerances by a small factor.
  constexpr double kFactor = 10;
  const bool is_single = dtype.scalar == Scalar::float32 || dtype.scalar == Scalar::complex64;
  const double precision =
      16 * (is_single ? static_cast<double>(std::numeric_limits<float>::epsilon()) : kPrecision);
  const double scale = result.norm * result.x_norm, rounded = precision * (scale + b_norm);
  const bool solves =
      result.damped_residual <= kFactor * (options.btol * b_norm + options.atol * scale + rounded);
  const bool minimises =
      result.normal_residual <= kFactor * result.norm * (options.atol * result.damped_residual + rounded);
  if (!solves && !minimises) result.istop = 7;
}

}  // namespace

LeastSquares lsqr(const LinearOperator& a, const Array& b, const LeastSquaresOptions& options) {
  const DType dtype = solver_type(a.dtype(), b.dtype());
  const Array right = right_side("lsqr", a, b, dtype);
  const std::int64_t most = options.maxiter.value_or(2 * a.size().columns);
  const double damp = options.damp, b_norm = read_norm(right);
  Bidiagonalisation steps(a, right, options.x0, dtype);
  LeastSquares result{.x = steps.x};
  double rho_bar = steps.alpha, phi_bar = steps.beta;
  result.residual = result.damped_residual = steps.beta;
  result.normal_residual = steps.alpha * steps.beta;
  if (result.normal_residual == 0) return result;
  Array w = steps.v, x = steps.x;
  double directions = 0, damped = 0, cs2 = -1, sn2 = 0, z = 0, squares = 0;
  while (result.iterations < most) {
    ++result.iterations;
    const double alpha_before = steps.alpha;
    steps.step();
    if (steps.beta > 0)
      result.norm = std::sqrt(result.norm * result.norm + alpha_before * alpha_before +
                              steps.beta * steps.beta + damp * damp);
    const Rotation first = damp > 0 ? rotation_of(rho_bar, damp) : Rotation{1, 0, rho_bar};
    const double psi = first.s * phi_bar;
    phi_bar *= first.c;
    const Rotation second = rotation_of(first.r, steps.beta);
    const double theta = second.s * steps.alpha, phi = second.c * phi_bar;
    rho_bar = -second.c * steps.alpha;
    phi_bar *= second.s;
    const double rho = second.r;
    directions += std::pow(read_norm(w) / rho, 2);
    x = x + (phi / rho) * w;
    w = steps.v - (theta / rho) * w;
    compute({x, w});
    const double delta = sn2 * rho, gamma_bar = -cs2 * rho, rest = phi - delta * z;
    result.x_norm = std::sqrt(squares + std::pow(rest / gamma_bar, 2));
    const double gamma = std::hypot(gamma_bar, theta);
    cs2 = gamma_bar / gamma;
    sn2 = theta / gamma;
    z = rest / gamma;
    squares += z * z;
    result.condition = result.norm * std::sqrt(directions);
    damped += psi * psi;
    result.damped_residual = std::sqrt(phi_bar * phi_bar + damped);
    result.normal_residual = steps.alpha * std::abs(second.s * phi);
    const double squared = result.damped_residual * result.damped_residual - damp * damp * squares;
    result.residual =
        damp > 0 ? std::copysign(std::sqrt(std::abs(squared)), squared) : result.damped_residual;
    result.istop =
        reason_to_stop({result.damped_residual / b_norm,
                        result.normal_residual / (result.norm * result.damped_residual + kPrecision),
                        1 / (result.condition + kPrecision), result.norm, result.x_norm, b_norm},
                       options, result.iterations, most);
    if (options.progress) options.progress(result.iterations, result.residual);
    if (result.istop != 0) break;
  }
  result.x = x;
  confirm(result, a, right, b_norm, dtype, options);
  return result;
}

LeastSquares lsmr(const LinearOperator& a, const Array& b, const LeastSquaresOptions& options) {
  const DType dtype = solver_type(a.dtype(), b.dtype());
  const Array right = right_side("lsmr", a, b, dtype);
  const std::int64_t most = options.maxiter.value_or(std::min(a.size().rows, a.size().columns));
  const double b_norm = read_norm(right);
  Bidiagonalisation steps(a, right, options.x0, dtype);
  LeastSquares result{.x = steps.x};
  double alpha_bar = steps.alpha, zeta_bar = steps.alpha * steps.beta, rho = 1, rho_bar = 1, c_bar = 1,
         s_bar = 0;
  double beta_dd = steps.beta, beta_d = 0, rho_d = 1, tau_tilde = 0, theta_tilde = 0, zeta = 0, d = 0;
  double norm_squared = steps.alpha * steps.alpha, most_rho = 0, least_rho = 1e100;
  result.residual = result.damped_residual = steps.beta;
  result.normal_residual = zeta_bar;
  result.norm = steps.alpha;
  result.condition = 1;
  if (zeta_bar == 0) return result;
  Array h = steps.v, h_bar = zeros(right.queue(), h.shape(), dtype), x = steps.x;
  while (result.iterations < most) {
    ++result.iterations;
    steps.step();
    const Rotation hat = rotation_of(alpha_bar, options.damp);
    const double rho_old = rho;
    const Rotation plane = rotation_of(hat.r, steps.beta);
    rho = plane.r;
    const double theta_new = plane.s * steps.alpha;
    alpha_bar = plane.c * steps.alpha;
    const double rho_bar_old = rho_bar, zeta_old = zeta, theta_bar = s_bar * rho, rho_temp = c_bar * rho;
    const Rotation bar = rotation_of(rho_temp, theta_new);
    c_bar = bar.c;
    s_bar = bar.s;
    rho_bar = bar.r;
    zeta = c_bar * zeta_bar;
    zeta_bar *= -s_bar;
    h_bar = h - (theta_bar * rho / (rho_old * rho_bar_old)) * h_bar;
    x = x + (zeta / (rho * rho_bar)) * h_bar;
    h = steps.v - (theta_new / rho) * h;
    compute({h_bar, x, h});
    const double beta_acute = hat.c * beta_dd, beta_check = -hat.s * beta_dd, beta_hat = plane.c * beta_acute;
    beta_dd = -plane.s * beta_acute;
    const double theta_tilde_old = theta_tilde;
    const Rotation tilde = rotation_of(rho_d, theta_bar);
    theta_tilde = tilde.s * rho_bar;
    rho_d = tilde.c * rho_bar;
    beta_d = -tilde.s * beta_d + tilde.c * beta_hat;
    tau_tilde = (zeta_old - theta_tilde_old * tau_tilde) / tilde.r;
    const double tau = (zeta - theta_tilde * tau_tilde) / rho_d;
    d += beta_check * beta_check;
    result.residual = result.damped_residual = std::sqrt(d + std::pow(beta_d - tau, 2) + beta_dd * beta_dd);
    norm_squared += steps.beta * steps.beta;
    result.norm = std::sqrt(norm_squared);
    norm_squared += steps.alpha * steps.alpha;
    most_rho = std::max(most_rho, rho_bar_old);
    if (result.iterations > 1) least_rho = std::min(least_rho, rho_bar_old);
    result.condition = std::max(most_rho, rho_temp) / std::min(least_rho, rho_temp);
    result.normal_residual = std::abs(zeta_bar);
    result.x_norm = read_norm(x);
    const double product = result.norm * result.residual;
    result.istop = reason_to_stop(
        {result.residual / b_norm,
         product != 0 ? result.normal_residual / product : std::numeric_limits<double>::infinity(),
         1 / result.condition, result.norm, result.x_norm, b_norm},
        options, result.iterations, most);
    if (options.progress) options.progress(result.iterations, result.residual);
    if (result.istop != 0) break;
  }
  result.x = x;
  confirm(result, a, right, b_norm, dtype, options);
  return result;
}

}  // namespace quern::sparse
