// SPDX-License-Identifier: MIT
// Bessel functions of integer order in OpenCL C, which has none. They are computed in double if the device
// has it. Their error is a few units in the last place of the greatest value nearby: near a zero it is small
// relative to the amplitude, not to the value.
#include "codegen/helpers.hpp"

namespace quern::codegen {
namespace {

constexpr Helper kSpecialHelpers[] = {
    {"wide", R"(
#if defined(cl_khr_fp64) || defined(__opencl_c_fp64)
typedef double @wide;
#else
typedef $T @wide;
#endif
)"},
    // Hankel's asymptotic series for orders 0 and 1, whose terms shrink to exp(-2x).
    {"bessel_far", R"(
inline void @bessel_far(int order, @wide x, @wide *j, @wide *y) {
  const @wide mu = 4 * order;
  @wide p = 1, q = 0, term = 1;
  for (int k = 1; k < 50; ++k) {
    term *= (mu - (@wide)((2 * k - 1) * (2 * k - 1))) / (k * 8 * x);
    if (k & 1)
      q += k & 2 ? -term : term;
    else
      p += k & 2 ? -term : term;
    if (fabs(term) < (@wide)1e-18) break;
  }
  const @wide root = sqrt(1 / ((@wide)3.14159265358979323846 * x)), c = cos(x), s = sin(x);
  const @wide cosine = order == 0 ? c + s : s - c, sine = order == 0 ? s - c : -(c + s);
  *j = root * (p * cosine - q * sine);
  *y = root * (p * sine + q * cosine);
}
)"},
    // Miller's downward recurrence from orders with negligible values: J of the order, and Neumann's series
    // for Y of orders 0 and 1. The sum of the even ones, J(0) + 2 J(2) + ..., is one.
    {"bessel_down", R"(
inline void @bessel_down(long n, @wide x, @wide *j, @wide *y_zero, @wide *y_one) {
  const long most = max(n, (long)x);
  const @wide big = sizeof(@wide) == 8 ? (@wide)1e100 : (@wide)1e15;
  @wide above = 0, here = 1 / big, found = 0, one = 0, sum = 0, even = 0, odd = 0;
  for (long k = (most + 20 + (long)sqrt((@wide)160 * (@wide)most)) / 2 * 2; k >= 0; --k) {
    if (k == n) found = here;
    if (k == 1) one = here;
    if (k & 1) {
      const @wide m = (@wide)(k / 2);
      if (k > 1) odd += (k / 2 & 1 ? -here : here) * (2 * m + 1) / (m * (m + 1));
    } else {
      sum += k == 0 ? here : 2 * here;
      if (k > 0) even += (k / 2 & 1 ? -here : here) / (@wide)(k / 2);
    }
    if (k == 0) break;
    const @wide below = 2 * (@wide)k / x * here - above;
    above = here;
    here = below;
    if (fabs(here) > big) {
      here /= big, above /= big, found /= big, one /= big, sum /= big, even /= big, odd /= big;
    }
  }
  const @wide over_pi = (@wide)0.63661977236758134308, l = log(x / 2) + (@wide)0.57721566490153286061;
  *j = found / sum;
  *y_zero = over_pi * (l * here - 2 * even) / sum;
  *y_one = over_pi * ((l - 1) * one - odd - here / x) / sum;
}
)"},
    {"bessel_jn", R"(
inline $T @bessel_jn(long order, $T t) {
  const @wide x = fabs(t);
  const long n = order < 0 ? -order : order;
  const @wide sign = (n & 1) != 0 && (order < 0) != (t < 0) ? -1 : 1;
  if (isnan(t) || isinf(t)) return isnan(t) ? t : 0;
  if (x * x < 4 * ((@wide)n + 1)) {
    // The power series, whose terms decrease from the start.
    if (n > 10000) return 0;
    @wide term = 1, sum = 0;
    for (long k = 1; k <= n; ++k) term *= x / 2 / (@wide)k;
    for (long k = 1; k < 100; ++k) {
      sum += term;
      term *= -(x * x / 4) / ((@wide)k * (@wide)(n + k));
      if (fabs(term) <= fabs(sum) * (@wide)1e-18) break;
    }
    return ($T)(sign * sum);
  }
  @wide j, y, next;
  if (x < 25 || (@wide)n > x) {
    @bessel_down(n, x, &j, &y, &next);
    return ($T)(sign * j);
  }
  @bessel_far(0, x, &j, &y);
  if (n == 0) return ($T)(sign * j);
  @bessel_far(1, x, &next, &y);
  for (long k = 1; k < n; ++k) {
    const @wide above = 2 * (@wide)k / x * next - j;
    j = next;
    next = above;
  }
  return ($T)(sign * next);
}
)"},
    {"bessel_yn", R"(
inline $T @bessel_yn(long order, $T t) {
  const @wide x = t, over_pi = (@wide)0.63661977236758134308;
  const long n = order < 0 ? -order : order;
  const @wide sign = order < 0 && (n & 1) != 0 ? -1 : 1;
  if (isnan(t) || t < 0) return NAN;
  if (isinf(t)) return 0;
  if (t == 0) return ($T)(-sign * INFINITY);
  @wide y, next, j;
  if (x < 2) {
    // The power series, with harmonic numbers.
    const @wide l = log(x / 2) + (@wide)0.57721566490153286061, q = x * x / 4;
    @wide term = 1, harmonic = 0, zero = 0, one = 0;
    for (int k = 0; k < 30; ++k) {
      const @wide more = harmonic + (@wide)1 / (k + 1);
      zero += term * (l - harmonic);
      one += term / (k + 1) * (2 * l - harmonic - more);
      term *= -q / ((@wide)(k + 1) * (k + 1));
      harmonic = more;
    }
    y = over_pi * zero;
    next = over_pi / 2 * (x / 2 * one - 2 / x);
  } else if (x < 25) {
    @bessel_down(0, x, &j, &y, &next);
  } else {
    @bessel_far(0, x, &j, &y);
    @bessel_far(1, x, &j, &next);
  }
  if (n == 0) return ($T)(sign * y);
  for (long k = 1; k < n && isfinite(next); ++k) {
    const @wide above = 2 * (@wide)k / x * next - y;
    y = next;
    next = above;
  }
  return ($T)(sign * next);
}
)"},
    // The power series has only positive terms; beyond 20 the asymptotic one is as good.
    {"i0", R"(
inline $T @i0($T t) {
  const @wide x = fabs(t), q = x * x / 4;
  @wide term = 1, sum = 1;
  if (!isfinite(t)) return fabs(t);
  if (x < 20) {
    for (int k = 1; k < 80 && term > sum * (@wide)1e-18; ++k) {
      term *= q / ((@wide)k * k);
      sum += term;
    }
    return ($T)sum;
  }
  for (int k = 1; k < 40 && term > (@wide)1e-18; ++k) {
    term *= (@wide)((2 * k - 1) * (2 * k - 1)) / (k * 8 * x);
    sum += term;
  }
  const @wide r = exp(x / 2);
  return isinf(r) ? ($T)r : ($T)(r / sqrt((@wide)6.28318530717958647693 * x) * sum * r);
}
)"},
};

}  // namespace

std::span<const Helper> special_helpers() {
  return kSpecialHelpers;
}

}  // namespace quern::codegen
