// SPDX-License-Identifier: MIT
// Functions of integers and real numbers in OpenCL C, with NumPy's rules for signs, zeros and overflow.
#include "codegen/helpers.hpp"

namespace quern::codegen {
namespace {

constexpr Helper kRealHelpers[] = {
    // As in Python: the remainder has the sign of the divisor, and the quotient matches it.
    {"remainder", R"(
inline $T @remainder($T a, $T b) {
  const $T r = fmod(a, b);
  if (r != 0) return (r < 0) != (b < 0) ? r + b : r;
  return copysign(r, b);
}
)"},
    {"floor_divide", R"(
inline $T @floor_divide($T a, $T b) {
  if (b == 0) return a / b;
  $T r = fmod(a, b), q = (a - r) / b;
  if (r != 0 && (r < 0) != (b < 0)) q -= 1;
  if (q == 0) return copysign(($T)0, a / b);
  const $T f = floor(q);
  return q - f > ($T)0.5 ? f + 1 : f;
}
)"},
    // Division by zero gives zero, as in NumPy.
    {"int_floor_divide", R"(
inline $T @int_floor_divide($T a, $T b) {
  if (b == 0) return 0;
  if (b == ($T)-1 && ($T)-1 < 0) return ($T)(0 - a);
  const $T q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}
)"},
    {"int_remainder", R"(
inline $T @int_remainder($T a, $T b) {
  if (b == 0 || (b == ($T)-1 && ($T)-1 < 0)) return 0;
  const $T r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
)"},
    {"int_fmod", R"(
inline $T @int_fmod($T a, $T b) {
  return b == 0 || (b == ($T)-1 && ($T)-1 < 0) ? ($T)0 : ($T)(a % b);
}
)"},
    {"int_abs", "inline $T @int_abs($T a) { return a < 0 ? ($T)(0 - a) : a; }\n"},
    {"int_power", R"(
inline $T @int_power($T a, $T b) {
  if (b < 0) return a == 1 ? 1 : a == ($T)-1 ? (b & 1 ? a : ($T)1) : 0;
  $T result = 1;
  for (; b != 0; b >>= 1) {
    if (b & 1) result *= a;
    a *= a;
  }
  return result;
}
)"},
    {"gcd", R"(
inline $T @gcd($T a, $T b) {
  while (b != 0) {
    const $T r = @int_fmod(a, b);
    a = b;
    b = r;
  }
  return @int_abs(a);
}
)"},
    {"lcm", R"(
inline $T @lcm($T a, $T b) {
  const $T d = @gcd(a, b);
  return d == 0 ? ($T)0 : ($T)(@int_abs(a) / d * @int_abs(b));
}
)"},
    // OpenCL uses the amount modulo the width; NumPy shifts all bits out.
    {"left_shift", R"(
inline $T @left_shift($T a, $T b) { return b < 0 || b >= ($T)(8 * sizeof($T)) ? ($T)0 : ($T)(a << b); }
)"},
    {"right_shift", R"(
inline $T @right_shift($T a, $T b) {
  return b < 0 || b >= ($T)(8 * sizeof($T)) ? ($T)(a < 0 ? -1 : 0) : ($T)(a >> b);
}
)"},
    {"logaddexp", R"(
inline $T @logaddexp($T a, $T b) {
  if (a == b) return a + ($T)0.69314718055994530942;
  const $T d = a - b;
  return d > 0 ? a + log1p(exp(-d)) : d <= 0 ? b + log1p(exp(d)) : d;
}
)"},
    {"logaddexp2", R"(
inline $T @logaddexp2($T a, $T b) {
  if (a == b) return a + 1;
  const $T d = a - b, e = ($T)1.44269504088896340736;
  return d > 0 ? a + e * log1p(exp2(-d)) : d <= 0 ? b + e * log1p(exp2(d)) : d;
}
)"},
    {"heaviside", R"(
inline $T @heaviside($T a, $T b) { return isnan(a) ? a : a == 0 ? b : a < 0 ? ($T)0 : ($T)1; }
)"},
    {"sinc", R"(
inline $T @sinc($T a) { return a == 0 ? ($T)1 : sinpi(a) / (($T)3.14159265358979323846 * a); }
)"},
    {"frexp_mantissa", "inline $T @frexp_mantissa($T a) { int e; return frexp(a, &e); }\n"},
    {"frexp_exponent", R"(
inline int @frexp_exponent($T a) {
  int e = 0;
  if (isfinite(a)) frexp(a, &e);
  return e;
}
)"},
    {"modf_fraction", R"(
inline $T @modf_fraction($T a) { return copysign(isinf(a) ? ($T)0 : a - trunc(a), a); }
)"},
    // The exponent is clamped: beyond these limits the result of every type is 0 or infinity already.
    {"ldexp", "inline $T @ldexp($T a, long n) { return ldexp(a, (int)clamp(n, -9999L, 9999L)); }\n"},
    {"root",
     "inline $T @root($T a, long n) { return rootn(a, (int)clamp(n, -2147483647L, 2147483647L)); }\n"},
    {"pown", "inline $T @pown($T a, long n) { return pown(a, (int)clamp(n, -2147483647L, 2147483647L)); }\n"},
    {"spacing", R"(
inline $T @spacing($T a) {
  return isfinite(a) ? copysign(nextafter(fabs(a), ($T)INFINITY) - fabs(a), a) : NAN;
}
)"},
    // Elements of float16 are kept and computed in float, which holds halves exactly.
    {"from_half", "inline float @from_half(ushort h) { return vload_half(0, (const half *)&h); }\n"},
    {"to_half", R"(
inline ushort @to_half($T a) {
  ushort h;
  vstore_half(a, 0, (half *)&h);
  return h;
}
)"},
    {"rounded", R"(
inline float @rounded($T a) {
  ushort h;
  vstore_half(a, 0, (half *)&h);
  return vload_half(0, (const half *)&h);
}
)"},
    {"half_nextafter", R"(
inline float @half_nextafter(float a, float b) {
  if (isnan(a) || isnan(b) || a == b) return isnan(a) ? a : b;
  if (a == 0) return copysign(0x1p-24f, b);
  const ushort h = @to_half(a);
  return @from_half((ushort)((b > a) == (a > 0) ? h + 1 : h - 1));
}
)"},
    {"half_spacing", R"(
inline float @half_spacing(float a) {
  if (!isfinite(a)) return NAN;
  return copysign(@from_half((ushort)(@to_half(fabs(a)) + 1)) - fabs(a), a);
}
)"},
    // bfloat16 is the upper half of a float.
    {"from_bfloat16", "inline float @from_bfloat16(ushort h) { return as_float((uint)h << 16); }\n"},
    {"to_bfloat16", R"(
inline ushort @to_bfloat16(float a) {
  const uint bits = as_uint(a);
  return (ushort)((a != a ? bits | 0x400000u : bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
)"},
    // Of a number that is rounded already.
    {"bfloat16_bits", "inline ushort @bfloat16_bits(float a) { return (ushort)(as_uint(a) >> 16); }\n"},
    {"rounded_to_bfloat16", R"(
inline float @rounded_to_bfloat16(float a) { return @from_bfloat16(@to_bfloat16(a)); }
)"},
    {"bfloat16_nextafter", R"(
inline $T @bfloat16_nextafter($T a, $T b) {
  if (isnan(a) || isnan(b) || a == b) return isnan(a) ? a : b;
  if (a == 0) return copysign(as_float(0x10000), (float)b);
  const uint bits = as_uint((float)a);
  return as_float((b > a) == (a > 0) ? bits + 0x10000 : bits - 0x10000);
}
)"},
    {"bfloat16_spacing", R"(
inline $T @bfloat16_spacing($T a) {
  if (!isfinite(a)) return NAN;
  const float size = fabs((float)a);
  return copysign(as_float(as_uint(size) + 0x10000) - size, (float)a);
}
)"},
    // Undefined conversions in C follow x86, and so NumPy: out of range, and for NaN, the least integer.
    // Narrow integers are the low bits of wider ones.
    {"to_int", R"(
inline int @to_int($T a) { return a >= ($T)-0x1p31 && a < ($T)0x1p31 ? (int)a : INT_MIN; }
)"},
    {"to_long", R"(
inline long @to_long($T a) { return a >= ($T)-0x1p63 && a < ($T)0x1p63 ? (long)a : LONG_MIN; }
)"},
    {"to_ulong", R"(
inline ulong @to_ulong($T a) {
  return a >= ($T)0x1p63 ? (ulong)@to_long(a - ($T)0x1p63) ^ 0x8000000000000000UL : (ulong)@to_long(a);
}
)"},
};

}  // namespace

std::span<const Helper> real_helpers() {
  return kRealHelpers;
}

std::string_view helper_text(std::string_view name, bool is_complex) {
  const auto in = [&](std::span<const Helper> helpers) -> std::string_view {
    for (const Helper& helper : helpers)
      if (helper.name == name) return helper.text;
    return {};
  };
  if (is_complex) return in(frontend::complex_helpers());
  const std::string_view text = in(real_helpers());
  return text.empty() ? in(special_helpers()) : text;
}

}  // namespace quern::codegen
