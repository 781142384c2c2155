// SPDX-License-Identifier: MIT
// Functions of complex numbers in OpenCL C. Intermediate results neither overflow nor cancel if the result
// does not. Branch cuts and special values follow Annex G of C, as in NumPy.
#include "frontend/helpers.hpp"

namespace quern::frontend {
namespace {

constexpr Helper kComplexHelpers[] = {
    // Functions of real numbers, for texts that work with real and complex types.
    {"real_itself", "inline $T @real_itself($T a) { return a; }\n"},
    {"real_absolute", "inline $T @real_absolute($T a) { return fabs(a); }\n"},
    {"real_norm", "inline $T @real_norm($T a) { return a * a; }\n"},
    // Array expressions write out these operations; kernels with complex numbers call them.
    {"add", "inline $T @add($T a, $T b) { return a + b; }\n"},
    {"subtract", "inline $T @subtract($T a, $T b) { return a - b; }\n"},
    {"negative", "inline $T @negative($T a) { return -a; }\n"},
    {"conjugate", "inline $T @conjugate($T a) { return ($T)(a.x, -a.y); }\n"},
    {"absolute", "inline $R @absolute($T a) { return hypot(a.x, a.y); }\n"},
    {"argument", "inline $R @argument($T a) { return atan2(a.y, a.x); }\n"},
    {"norm", "inline $R @norm($T a) { return fma(a.x, a.x, a.y * a.y); }\n"},
    {"polar", "inline $T @polar($R r, $R angle) { return ($T)(r * cos(angle), r * sin(angle)); }\n"},
    {"project", R"(
inline $T @project($T a) {
  return isinf(a.x) || isinf(a.y) ? ($T)(INFINITY, copysign(($R)0, a.y)) : a;
}
)"},
    {"is_inf", "inline int @is_inf($T a) { return isinf(a.x) || isinf(a.y); }\n"},
    {"is_finite", "inline int @is_finite($T a) { return isfinite(a.x) && isfinite(a.y); }\n"},
    // gcc contracts this product in vector code even if contraction is off. The explicit fma gives the same
    // result everywhere.
    {"multiply",
     "inline $T @multiply($T a, $T b) { return ($T)(fma(a.x, b.x, -(a.y * b.y)), fma(a.x, b.y, a.y * b.x)); "
     "}\n"},
    {"multiply_add",
     "inline $T @multiply_add($T a, $T b, $T c) {\n"
     "  return ($T)(fma(a.x, b.x, fma(-a.y, b.y, c.x)), fma(a.x, b.y, fma(a.y, b.x, c.y)));\n}\n"},
    // Smith's algorithm: intermediate results do not overflow or underflow if the result does not.
    {"divide", R"(
inline $T @divide($T a, $T b) {
  if (fabs(b.x) >= fabs(b.y)) {
    if (b.x == 0 && b.y == 0) return ($T)(a.x / fabs(b.x), a.y / fabs(b.x));
    const $R r = b.y / b.x, d = b.x + b.y * r;
    return ($T)((a.x + a.y * r) / d, (a.y - a.x * r) / d);
  }
  const $R r = b.x / b.y, d = b.x * r + b.y;
  return ($T)((a.x * r + a.y) / d, (a.y * r - a.x) / d);
}
)"},
    {"reciprocal", R"(
inline $T @reciprocal($T a) {
  if (fabs(a.y) <= fabs(a.x)) {
    const $R r = a.y / a.x, d = a.x + a.y * r;
    return ($T)(1 / d, -r / d);
  }
  const $R r = a.x / a.y, d = a.x * r + a.y;
  return ($T)(r / d, -1 / d);
}
)"},
    {"is_nan", "inline int @is_nan($T a) { return isnan(a.x) || isnan(a.y); }\n"},
    // Compares real parts first, then imaginary parts. NaN is unordered.
    {"less",
     "inline int @less($T a, $T b) { return a.x < b.x ? !isnan(a.y) && !isnan(b.y) : a.x == b.x && a.y < "
     "b.y; "
     "}\n"},
    {"less_equal",
     "inline int @less_equal($T a, $T b) { return a.x < b.x ? !isnan(a.y) && !isnan(b.y) : a.x == b.x && a.y "
     "<= b.y; }\n"},
    {"sign", R"(
inline $T @sign($T a) {
  if (a.x == 0 && a.y == 0) return ($T)(0, 0);
  if (isinf(a.x) != isinf(a.y) && !@is_nan(a))
    return isinf(a.x) ? ($T)(copysign(($R)1, a.x), 0) : ($T)(0, copysign(($R)1, a.y));
  const $R m = fmax(fabs(a.x), fabs(a.y)), x = a.x / m, y = a.y / m, r = hypot(x, y);
  return @is_nan(a) || isinf(a.x) ? ($T)(NAN, NAN) : ($T)(x / r, y / r);
}
)"},
    {"sqrt", R"(
inline $T @sqrt($T a) {
  if (a.x == 0 && a.y == 0) return ($T)(0, a.y);
  if (isinf(a.y)) return ($T)(INFINITY, a.y);
  if (isinf(a.x)) {
    const $R rest = a.y - a.y;
    return a.x > 0 ? ($T)(a.x, copysign(rest, a.y)) : ($T)(fabs(rest), copysign(($R)INFINITY, a.y));
  }
  $R x = fabs(a.x), y = fabs(a.y), scale = 1;
  if (fmax(x, y) > $MAX / 4) {
    x /= 16, y /= 16, scale = 4;
  } else if (fmax(x, y) < $MIN * 16 / $EPS) {
    x *= 4 / ($EPS * $EPS), y *= 4 / ($EPS * $EPS), scale = $EPS / 2;
  }
  const $R t = sqrt((x + hypot(x, y)) / 2), u = y / (2 * t);
  return a.x >= 0 ? ($T)(t * scale, copysign(u * scale, a.y)) : ($T)(u * scale, copysign(t * scale, a.y));
}
)"},
    // For a magnitude near one: sums the squares minus one with the rounding errors of the squares.
    {"log_abs", R"(
inline $R @log_abs($T a) {
  const $R x = fmax(fabs(a.x), fabs(a.y)), y = fmin(fabs(a.x), fabs(a.y));
  if (isinf(a.x) || isinf(a.y)) return INFINITY;
  if (@is_nan(a)) return NAN;
  if (!(x > ($R)0.5 && x < 2 && y < 2)) {
    if (x > $MAX / 4) return log(hypot(x / 4, y / 4)) + ($R)1.38629436111989061883;
    if (x < $MIN / $EPS && x > 0) return log(hypot(x / $EPS, y / $EPS)) + log(($R)$EPS);
    return log(hypot(x, y));
  }
  const $R xx = x * x, yy = y * y, high = xx - 1, sum = high + yy, part = sum - high;
  const $R lost = (high - (sum - part)) + (yy - part) + fma(x, x, -xx) + fma(y, y, -yy);
  const $R d = sum + lost;
  return d < ($R)-0.5 || d > 3 ? log(hypot(x, y)) : log1p(d) / 2;
}
)"},
    {"log", "inline $T @log($T a) { return ($T)(@log_abs(a), atan2(a.y, a.x)); }\n"},
    {"log2", "inline $T @log2($T a) { return @log(a) * ($R)1.44269504088896340736; }\n"},
    {"log10", "inline $T @log10($T a) { return @log(a) * ($R)0.43429448190325182765; }\n"},
    {"log1p", R"(
inline $T @log1p($T a) {
  const $R x = a.x + 1;
  if (!(fabs(a.x) < ($R)0.5 && fabs(a.y) < ($R)0.5)) return ($T)(@log_abs(($T)(x, a.y)), atan2(a.y, x));
  return ($T)(log1p(a.x * (2 + a.x) + a.y * a.y) / 2, atan2(a.y, x));
}
)"},
    // exp(x) is multiplied in two factors, because it may overflow although its product with a small cosine
    // does not.
    {"exp", R"(
inline $T @exp($T a) {
  if (a.y == 0) return ($T)(exp(a.x), a.y);
  if (isinf(a.x) && !isfinite(a.y)) return a.x < 0 ? ($T)(0, 0) : ($T)(INFINITY, NAN);
  const $R c = cos(a.y), s = sin(a.y);
  if (a.x < log(($R)$MAX)) {
    const $R r = exp(a.x);
    return ($T)(r * c, r * s);
  }
  const $R r = exp(a.x / 2);
  return ($T)(r * c * r, r * s * r);
}
)"},
    {"exp2", "inline $T @exp2($T a) { return @exp(a * ($R)0.69314718055994530942); }\n"},
    {"expm1", R"(
inline $T @expm1($T a) {
  if (a.y == 0) return ($T)(expm1(a.x), a.y);
  if (!(a.x < log(($R)$MAX)) || !isfinite(a.y)) {
    const $T e = @exp(a);
    return ($T)(e.x - 1, e.y);
  }
  const $R half_sine = sin(a.y / 2);
  return ($T)(expm1(a.x) * cos(a.y) - 2 * half_sine * half_sine, exp(a.x) * sin(a.y));
}
)"},
    // Multiplies for small integer powers, as NumPy does.
    {"power", R"(
inline $T @power($T a, $T b) {
  if (b.x == 0 && b.y == 0) return ($T)(1, 0);
  if (a.x == 0 && a.y == 0) return b.x > 0 ? ($T)(0, 0) : ($T)(NAN, NAN);
  if (b.y == 0 && fabs(b.x) < 100 && rint(b.x) == b.x) {
    if (b.x == 1) return a;
    $T r = ($T)(1, 0);
    for (int n = (int)fabs(b.x); n != 0; n >>= 1) {
      if (n & 1) r = @multiply(r, a);
      a = @multiply(a, a);
    }
    return b.x < 0 ? @reciprocal(r) : r;
  }
  return @exp(@multiply(b, @log(a)));
}
)"},
    {"sinh", R"(
inline $T @sinh($T a) {
  if (a.y == 0) return ($T)(sinh(a.x), a.y);
  if (!isfinite(a.y)) return ($T)(a.x == 0 || isinf(a.x) ? a.x : NAN, NAN);
  const $R c = cos(a.y), s = sin(a.y);
  if (fabs(a.x) < log(($R)$MAX)) return ($T)(sinh(a.x) * c, cosh(a.x) * s);
  const $R r = exp(fabs(a.x) / 2), h = r / 2;
  return ($T)(copysign(h, a.x) * c * r, h * s * r);
}
)"},
    {"cosh", R"(
inline $T @cosh($T a) {
  if (a.y == 0) return ($T)(cosh(a.x), isnan(a.x) ? a.y : copysign(($R)1, a.x) * a.y);
  if (!isfinite(a.y)) return a.x == 0 ? ($T)(NAN, 0) : ($T)(isinf(a.x) ? INFINITY : NAN, NAN);
  const $R c = cos(a.y), s = sin(a.y);
  if (fabs(a.x) < log(($R)$MAX)) return ($T)(cosh(a.x) * c, sinh(a.x) * s);
  const $R r = exp(fabs(a.x) / 2), h = r / 2;
  return ($T)(h * c * r, copysign(h, a.x) * s * r);
}
)"},
    // Kahan's algorithm.
    {"tanh", R"(
inline $T @tanh($T a) {
  if (a.y == 0 || isnan(a.x)) return ($T)(tanh(a.x), a.y == 0 ? a.y : NAN);
  if (!isfinite(a.y)) {
    if (isinf(a.x)) return ($T)(copysign(($R)1, a.x), 0);
    return ($T)(a.x == 0 ? a.x : NAN, NAN);
  }
  if (fabs(a.x) > 1 - log(($R)$EPS) / 2) {
    const $R e = exp(-fabs(a.x));
    return ($T)(copysign(($R)1, a.x), 4 * sin(a.y) * cos(a.y) * e * e);
  }
  const $R t = tan(a.y), b = 1 + t * t, s = sinh(a.x), r = sqrt(1 + s * s), d = 1 + b * s * s;
  return isinf(t) ? ($T)(r / s, 1 / t) : ($T)(b * r * s / d, t / d);
}
)"},
    {"sin", "inline $T @sin($T a) { const $T w = @sinh(($T)(-a.y, a.x)); return ($T)(w.y, -w.x); }\n"},
    {"cos", "inline $T @cos($T a) { return @cosh(($T)(-a.y, a.x)); }\n"},
    {"tan", "inline $T @tan($T a) { const $T w = @tanh(($T)(-a.y, a.x)); return ($T)(w.y, -w.x); }\n"},
    {"sinc", R"(
inline $T @sinc($T a) {
  if (a.x == 0 && a.y == 0) return ($T)(1, 0);
  const $T w = a * ($R)3.14159265358979323846;
  return @divide(@sin(w), w);
}
)"},
    // The algorithm of Hull, Fairgrieve and Tang for asin and acos of x + iy with x, y >= 0. Returns the real
    // part of each and the imaginary part that they share. r and s are the distances to -1 and 1.
    {"arc", R"(
inline $R4 @arc($R x, $R y) {
  const $R pi_half = ($R)1.57079632679489661923, ln2 = ($R)0.69314718055994530942;
  const $R big = sqrt(($R)$MAX) / 8, tiny = sqrt(($R)$MIN) * 4;
  if (x < big && x > tiny && y < big && y > tiny) {
    const $R r = hypot(x + 1, y), s = hypot(x - 1, y), a = (r + s) / 2, b = x / a, yy = y * y;
    $R sine, cosine, imag;
    if (b <= ($R)0.6417) {
      sine = asin(b), cosine = acos(b);
    } else {
      const $R root = x <= 1 ? sqrt((a + x) / 2 * (yy / (r + x + 1) + (s + (1 - x))))
                             : y * sqrt(((a + x) / (r + x + 1) + (a + x) / (s + (x - 1))) / 2);
      sine = atan(x / root), cosine = atan(root / x);
    }
    if (a <= ($R)1.5) {
      const $R more = (yy / (r + (x + 1)) + (x < 1 ? yy / (s + (1 - x)) : s + (x - 1))) / 2;
      imag = log1p(more + sqrt(more * (a + 1)));
    } else {
      imag = log(a + sqrt(a * a - 1));
    }
    return ($R4)(sine, cosine, imag, 0);
  }
  if (y <= $EPS * fabs(x - 1)) {
    if (x < 1) return ($R4)(asin(x), acos(x), y / sqrt((1 - x) * (1 + x)), 0);
    const int is_safe = x < big;
    const $R root = is_safe ? sqrt((x - 1) * (x + 1)) : x;
    return ($R4)(pi_half, y == 0 ? y : y / root, is_safe ? log1p((x - 1) + root) : ln2 + log(x), 0);
  }
  if (y <= tiny) return ($R4)(pi_half - sqrt(y), sqrt(y), sqrt(y), 0);
  if ($EPS * y - 1 >= x) return ($R4)(x / y, pi_half, ln2 + log(y), 0);
  if (x > 1) {
    const $R q = x / y;
    return ($R4)(atan(q), atan(y / x), ln2 + log(y) + log1p(q * q) / 2, 0);
  }
  const $R a = sqrt(1 + y * y);
  return ($R4)(x / a, pi_half, log1p(2 * y * (y + a)) / 2, 0);
}
)"},
    {"arcsin", R"(
inline $T @arcsin($T a) {
  const $R x = fabs(a.x), y = fabs(a.y), quarter = ($R)0.78539816339744830962;
  if (@is_nan(a)) {
    if (isinf(a.x)) return ($T)(NAN, a.x);
    if (isinf(a.y)) return ($T)(NAN, a.y);
    return ($T)(a.x == 0 ? a.x : NAN, NAN);
  }
  if (isinf(a.x) || isinf(a.y)) {
    const $R real = !isinf(a.x) ? 0 : isinf(a.y) ? quarter : 2 * quarter;
    return ($T)(copysign(real, a.x), copysign(($R)INFINITY, a.y));
  }
  const $R4 w = @arc(x, y);
  return ($T)(copysign(w.x, a.x), copysign(w.z, a.y));
}
)"},
    {"arccos", R"(
inline $T @arccos($T a) {
  const $R x = fabs(a.x), y = fabs(a.y), pi = ($R)3.14159265358979323846;
  if (@is_nan(a)) {
    if (isinf(a.x)) return ($T)(NAN, -a.x);
    if (isinf(a.y)) return ($T)(NAN, -a.y);
    return ($T)(a.x == 0 ? pi / 2 : NAN, NAN);
  }
  if (isinf(a.x) || isinf(a.y)) {
    const $R real = !isinf(a.x) ? pi / 2 : isinf(a.y) ? pi / 4 : 0;
    return ($T)(a.x < 0 ? pi - real : real, copysign(($R)INFINITY, -a.y));
  }
  const $R4 w = @arc(x, y);
  return ($T)(signbit(a.x) ? pi - w.y : w.y, copysign(w.z, -a.y));
}
)"},
    {"arccosh", R"(
inline $T @arccosh($T a) {
  const $T w = @arccos(a);
  if (isnan(w.x) && isnan(w.y)) return w;
  return ($T)(fabs(w.y), copysign(w.x, a.y));
}
)"},
    {"arcsinh",
     "inline $T @arcsinh($T a) { const $T w = @arcsin(($T)(a.y, a.x)); return ($T)(w.y, w.x); }\n"},
    {"arctanh", R"(
inline $T @arctanh($T a) {
  const $R x = fabs(a.x), y = fabs(a.y), pi_half = ($R)1.57079632679489661923;
  const $R big = sqrt(($R)$MAX) / 8;
  if (@is_nan(a)) {
    if (isinf(a.y)) return ($T)(copysign(($R)0, a.x), copysign(pi_half, a.y));
    return ($T)(a.x == 0 || isinf(a.x) ? copysign(($R)0, a.x) : NAN, NAN);
  }
  $R real, imag;
  if (x > big || y > big) {
    // The real part of the reciprocal.
    const $R q = x > y ? y / x : x / y;
    real = isinf(x) || isinf(y) ? 0 : x > y ? 1 / (x * (1 + q * q)) : q / (y * (1 + q * q));
    imag = pi_half;
  } else {
    const $R d = 1 - x, yy = y * y;
    real = x == 1 && y < sqrt(($R)$MIN) * 4 ? (($R)0.69314718055994530942 - log(y)) / 2
                                            : log1p(4 * x / (d * d + yy)) / 4;
    imag = atan2(2 * y, d * (1 + x) - yy) / 2;
  }
  return ($T)(copysign(real, a.x), copysign(imag, a.y));
}
)"},
    {"arctan", "inline $T @arctan($T a) { const $T w = @arctanh(($T)(a.y, a.x)); return ($T)(w.y, w.x); }\n"},
};

}  // namespace

std::span<const Helper> complex_helpers() {
  return kComplexHelpers;
}

}  // namespace quern::frontend
