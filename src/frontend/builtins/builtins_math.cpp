// SPDX-License-Identifier: MIT
// Math, common, geometric and relational functions.
#include "frontend/builtins/builtins.hpp"

namespace quern::frontend {
namespace {

using enum Rule;

// log within 1 ulp that compilers can vectorise on every machine; libm's vector log exceeds OpenCL's limit of
// 3 ulp. x = 2^e * t with t between sqrt(1/2) and sqrt(2), and log t = f - (h - s * (h + r)) with f = t - 1,
// h = f*f/2, s = f / (2 + f) and r a series in s*s.
constexpr std::string_view kLogFloat = R"({
  const float d = x < 0x1p-126f ? x * 0x1p23f : x;
  int e = x < 0x1p-126f ? -23 : 0;
  unsigned u;
  __builtin_memcpy(&u, &d, 4);
  u -= 0x3f3504f3u;
  e += (int)u >> 23;
  u = (u & 0x007fffffu) + 0x3f3504f3u;
  float t;
  __builtin_memcpy(&t, &u, 4);
  const float f = t - 1.0f, s = f / (2.0f + f), q = s * s, h = 0.5f * f * f, k = (float)e;
  const float r = q * (0.6666667f + q * (0.4f + q * (0.2857143f + q * 0.2222222f)));
  const float l = k * 0x1.62e3p-1f - ((h - (s * (h + r) + k * 0x1.2fefa2p-17f)) - f);
  return x > 0.0f ? (x < __builtin_inff() ? l : x) : (x == 0.0f ? -__builtin_inff() : __builtin_nanf(""));
})";

constexpr std::string_view kMin = "{ return y < x ? y : x; }";
constexpr std::string_view kMax = "{ return x < y ? y : x; }";
constexpr std::string_view kFmin = "{ return x < y || y != y ? x : y; }";
constexpr std::string_view kFmax = "{ return x > y || y != y ? x : y; }";
constexpr std::string_view kClamp = "{ const $T t = x < y ? y : x; return t > z ? z : t; }";

constexpr Builtin kMathRows[] = {
    // Math
    {"acos", 1, real, "__builtin_acos@($0)", "acos@($0)", kLibm},
    {"acosh", 1, real, "__builtin_acosh@($0)", "acosh@($0)", kLibm},
    {"acospi", 1, real, "(__builtin_acos@($0) * ($T)0.31830988618379067154)",
     "(acos@($0) * ($T)0.31830988618379067154)", kLibm},
    {"asin", 1, real, "__builtin_asin@($0)", "asin@($0)", kLibm},
    {"asinh", 1, real, "__builtin_asinh@($0)", "asinh@($0)", kLibm},
    {"asinpi", 1, real, "(__builtin_asin@($0) * ($T)0.31830988618379067154)",
     "(asin@($0) * ($T)0.31830988618379067154)", kLibm},
    {"atan", 1, real, "__builtin_atan@($0)", "atan@($0)", kLibm},
    {"atan2", 2, real, "__builtin_atan2@($0, $1)", "atan2@($0, $1)", kLibm},
    {"atanh", 1, real, "__builtin_atanh@($0)", "atanh@($0)", kLibm},
    {"atanpi", 1, real, "(__builtin_atan@($0) * ($T)0.31830988618379067154)",
     "(atan@($0) * ($T)0.31830988618379067154)", kLibm},
    {"atan2pi", 2, real, "(__builtin_atan2@($0, $1) * ($T)0.31830988618379067154)",
     "(atan2@($0, $1) * ($T)0.31830988618379067154)", kLibm},
    // The C library's double cbrt has an error of up to 3.1 ulp, where OpenCL allows 2. One step of Newton's
    // method follows it.
    {"cbrt", 1, real,
     "{ const double m = __builtin_fabs(x), f = m < 0x1p-900 ? 0x1p300 : m > 0x1p900 ? 0x1p-300 : 1, g = f > "
     "1 ? "
     "0x1p-100 : f < 1 ? 0x1p100 : 1, a = x * f, t = __builtin_cbrt(a), s = t * t, e = __builtin_fma(t, t, "
     "-s), p = "
     "s * t, d = __builtin_fma(s, t, -p) + e * t, r = t + ((a - p) - d) / (3 * s), u = t == 0 || "
     "!(__builtin_fabs(t) < __builtin_inf()) ? t : r; return u * g; }",
     "cbrt@($0)", kLibm, "__builtin_cbrtf($0)"},
    {"ceil", 1, real, "__builtin_ceil@($0)", "ceil@($0)", kLibm},
    {"copysign", 2, real, "__builtin_copysign@($0, $1)", "copysign@($0, $1)"},
    {"cos", 1, real, "cos@($0)", "cos@($0)", kLibm | kSimd},
    {"cosh", 1, real, "__builtin_cosh@($0)", "cosh@($0)", kLibm},
    {"cospi", 1, real,
     "{ const $T a = __builtin_fabs@(x), k = __builtin_floor@(a), f = a - k, g = ($T)0.5 - f, r = sin@(g * "
     "($T)3.14159265358979323846); return k - 2 * __builtin_floor@(k * ($T)0.5) != 0 ? 0 - r : r; }",
     "{ const $T a = fabs@(x), k = floor@(a), f = a - k, g = ($T)0.5 - f, r = sin@(g * "
     "($T)3.14159265358979323846); return k - 2 * floor@(k * ($T)0.5) != 0 ? 0 - r : r; }",
     kLibm | kSimd},
    {"erf", 1, real, "__builtin_erf@($0)", "erf@($0)", kLibm},
    {"erfc", 1, real, "__builtin_erfc@($0)", "erfc@($0)", kLibm},
    {"exp", 1, real, "exp@($0)", "exp@($0)", kLibm | kSimd},
    {"exp2", 1, real, "__builtin_exp2@($0)", "exp2@($0)", kLibm},
    {"exp10", 1, real, "exp10@($0)", "exp10@($0)", kLibm},
    {"expm1", 1, real, "__builtin_expm1@($0)", "expm1@($0)", kLibm},
    {"fabs", 1, real, "__builtin_fabs@($0)", "fabs@($0)"},
    {"fdim", 2, real, "{ return x != x || y != y ? x + y : x > y ? x - y : 0; }", "fdim@($0, $1)"},
    {"floor", 1, real, "__builtin_floor@($0)", "floor@($0)", kLibm},
    {"fma", 3, real, "__builtin_fma@($0, $1, $2)", "fma@($0, $1, $2)", kLibm},
    {"fmax", 2, real, kFmax, "fmax@($0, $1)"},
    {"fmin", 2, real, kFmin, "fmin@($0, $1)"},
    {"fmod", 2, real, "__builtin_fmod@($0, $1)", "fmod@($0, $1)", kLibm},
    {"hypot", 2, real, "__builtin_hypot@($0, $1)", "hypot@($0, $1)", kLibm},
    {"ilogb", 1, real_to_int, "{ return x != x ? 2147483647 : __builtin_ilogb@(x); }",
     "{ return x != x ? 2147483647 : ilogb@(x); }", kLibm},
    {"ldexp", 2, real_int, "__builtin_ldexp@($0, $1)", "ldexp@($0, $1)", kLibm},
    {"lgamma", 1, real, "__builtin_lgamma@($0)", "lgamma@($0)", kLibm},
    {"lgamma_r", 2, real_int_pointer, "lgamma@_r($0, $1)",
     "{ const $T w = floor@(x); *y = x < 0 && w != x && fmod@(w, ($T)2) != 0 ? -1 : 1; return lgamma@(x); }",
     kLibm},
    {"log", 1, real, "log@($0)", "log@($0)", kLibm | kSimd, kLogFloat},
    {"log2", 1, real, "__builtin_log2@($0)", "log2@($0)", kLibm},
    {"log10", 1, real, "__builtin_log10@($0)", "log10@($0)", kLibm},
    {"log1p", 1, real, "__builtin_log1p@($0)", "log1p@($0)", kLibm},
    {"logb", 1, real, "__builtin_logb@($0)", "logb@($0)", kLibm},
    {"mad", 3, real, "($0 * $1 + $2)", "fma@($0, $1, $2)"},
    {"maxmag", 2, real,
     "{ const $T a = __builtin_fabs@(x), b = __builtin_fabs@(y); return a > b ? x : b > a ? y : x > y || y "
     "!= y ? x : y; }",
     "{ const $T a = fabs@(x), b = fabs@(y); return a > b ? x : b > a ? y : fmax@(x, y); }"},
    {"minmag", 2, real,
     "{ const $T a = __builtin_fabs@(x), b = __builtin_fabs@(y); return a < b ? x : b < a ? y : x < y || y "
     "!= y ? x : y; }",
     "{ const $T a = fabs@(x), b = fabs@(y); return a < b ? x : b < a ? y : fmin@(x, y); }"},
    {"nextafter", 2, real, "__builtin_nextafter@($0, $1)", "nextafter@($0, $1)", kLibm},
    {"pow", 2, real, "pow@($0, $1)", "pow@($0, $1)", kLibm | kSimd},
    // An int that float does not represent exactly goes through double.
    {"pown", 2, real_int,
     "{ return y >= -16777216 && y <= 16777216 ? __builtin_pow@(x, ($T)y) : ($T)__builtin_pow((double)x, "
     "(double)y); }",
     "{ return y >= -16777216 && y <= 16777216 ? pow@(x, ($T)y) : ($T)pow((double)x, (double)y); }", kLibm},
    // powr is defined for x >= 0. Its special values follow exp(y * log(x)) instead of pow.
    {"powr", 2, real,
     "{ const $T a = __builtin_fabs@(x), p = pow@(a, y); return !(x >= 0) || y != y || (y == 0 && (a == 0 || "
     "a - a != "
     "0)) || (a == 1 && y - y != 0) ? __builtin_nan@(\"\") : p; }",
     "{ const $T a = fabs@(x), p = pow@(a, y); return !(x >= 0) || y != y || (y == 0 && (a == 0 || a - a != "
     "0)) || (a "
     "== 1 && y - y != 0) ? nan@(\"\") : p; }",
     kLibm | kSimd},
    {"remainder", 2, real, "__builtin_remainder@($0, $1)", "remainder@($0, $1)", kLibm},
    {"rint", 1, real, "__builtin_rint@($0)", "rint@($0)", kLibm},
    {"rootn", 2, real_int,
     "{ const double a = (double)__builtin_fabs@(x), h = 1.0 / y, l = __builtin_fma(-h, (double)y, 1.0) / y, "
     "p = __builtin_pow(a, h), r = l == 0 || a == 0 || !(a < __builtin_inf()) ? p : p + p * l * "
     "__builtin_log(a); return ($T)(x < 0 || (x == 0 && (y & 1) && __builtin_signbit(x)) ? ((y & 1) ? -r : x "
     "== 0 ? r : __builtin_nan(\"\")) : y == 0 ? __builtin_nan(\"\") : r); }",
     "{ const double a = (double)fabs@(x), h = 1.0 / y, l = fma(-h, (double)y, 1.0) / y, p = pow(a, h), r = "
     "l == 0 || a == 0 || !(a < __longlong_as_double(0x7ff0000000000000ll)) ? p : p + p * l * log(a); return "
     "($T)(x < 0 || (x == 0 && (y & 1) && signbit(x)) ? ((y & 1) ? -r : x == 0 ? r : nan(\"\")) : y == 0 ? "
     "nan(\"\") : r); }",
     kLibm},
    {"round", 1, real, "__builtin_round@($0)", "round@($0)", kLibm},
    {"rsqrt", 1, real, "(1 / __builtin_sqrt@($0))", "rsqrt@($0)", kLibm},
    {"sin", 1, real, "sin@($0)", "sin@($0)", kLibm | kSimd},
    {"sinh", 1, real, "__builtin_sinh@($0)", "sinh@($0)", kLibm},
    {"sinpi", 1, real,
     "{ const $T a = __builtin_fabs@(x), k = __builtin_floor@(a), f = a - k, g = f > ($T)0.5 ? 1 - f : f, r "
     "= sin@(g * ($T)3.14159265358979323846), s = k - 2 * __builtin_floor@(k * ($T)0.5) != 0 ? -r : r; "
     "return f == 0 ? __builtin_copysign@(0, x) : __builtin_copysign@(1, x) * s; }",
     "{ const $T a = fabs@(x), k = floor@(a), f = a - k, g = f > ($T)0.5 ? 1 - f : f, r = sin@(g * "
     "($T)3.14159265358979323846), s = k - 2 * floor@(k * ($T)0.5) != 0 ? -r : r; return f == 0 ? "
     "copysign@(($T)0, x) : copysign@(($T)1, x) * s; }",
     kLibm | kSimd},
    {"sqrt", 1, real, "__builtin_sqrt@($0)", "sqrt@($0)", kLibm},
    {"tan", 1, real, "__builtin_tan@($0)", "tan@($0)", kLibm},
    {"tanh", 1, real, "__builtin_tanh@($0)", "tanh@($0)", kLibm},
    {"tanpi", 1, real,
     "{ const $T a = __builtin_fabs@(x), k = __builtin_floor@(a), f = a - k, g = f > ($T)0.5 ? 1 - f : f, n "
     "= sin@(g * ($T)3.14159265358979323846), d = sin@((($T)0.5 - g) * ($T)3.14159265358979323846), q = n / "
     "d, odd = k - 2 * __builtin_floor@(k * ($T)0.5), s = f == 0 ? (odd != 0 ? -q : q) : f == ($T)0.5 ? (odd "
     "!= 0 ? -q : q) : f > ($T)0.5 ? -q : q; return __builtin_copysign@(1, x) * s; }",
     "{ const $T a = fabs@(x), k = floor@(a), f = a - k, g = f > ($T)0.5 ? 1 - f : f, n = sin@(g * "
     "($T)3.14159265358979323846), d = sin@((($T)0.5 - g) * ($T)3.14159265358979323846), q = n / d, odd = k "
     "- 2 * floor@(k * ($T)0.5), s = f == 0 ? (odd != 0 ? -q : q) : f == ($T)0.5 ? (odd != 0 ? -q : q) : f > "
     "($T)0.5 ? -q : q; return copysign@(($T)1, x) * s; }",
     kLibm | kSimd},
    {"tgamma", 1, real, "__builtin_tgamma@($0)", "tgamma@($0)", kLibm},
    {"trunc", 1, real, "__builtin_trunc@($0)", "trunc@($0)", kLibm},
    {"nan", 1, nan,
     "{ const $U u = (x & (($U)-1 >> ($B == 64 ? 13 : 10))) | ($U)($B == 64 ? 0x7ff8ull << 48 : "
     "0x7fc00000ull); $T r; __builtin_memcpy(&r, &u, sizeof(r)); return r; }",
     "{ const $U u = (x & (($U)-1 >> ($B == 64 ? 13 : 10))) | ($U)($B == 64 ? 0x7ff8ull << 48 : "
     "0x7fc00000ull); $T r; memcpy(&r, &u, sizeof(r)); return r; }"},
    {"fract", 2, real_pointer,
     // The fraction of a zero or an infinity (the numbers with x + x == x) is a zero of the same sign.
     "{ const $T w = __builtin_floor@(x), r = x + x == x ? __builtin_copysign@(0, x) : x - w, "
     "m = sizeof(x) == 4 ? ($T)0x1.fffffep-1 : ($T)0x1.fffffffffffffp-1; *y = w; return r < m || r != r ? r "
     ": m; "
     "}",
     "{ const $T w = floor@(x), r = x + x == x ? copysign@(($T)0, x) : x - w, "
     "m = sizeof(x) == 4 ? ($T)0x1.fffffep-1 : ($T)0x1.fffffffffffffp-1; *y = w; return r < m || r != r ? r "
     ": m; "
     "}",
     kLibm},
    {"modf", 2, real_pointer, "__builtin_modf@($0, $1)", "modf@($0, $1)", kLibm},
    {"sincos", 2, real_pointer, "{ *y = __builtin_cos@(x); return __builtin_sin@(x); }",
     "{ $T s; sincos@(x, &s, y); return s; }", kLibm},
    {"frexp", 2, real_int_pointer, "__builtin_frexp@($0, $1)", "frexp@($0, $1)", kLibm},
    // The libraries return three bits of the quotient, and OpenCL requires seven.
    {"remquo", 3, real_real_int_pointer,
     "{ const $T a = __builtin_fabs@(x), b = __builtin_fabs@(y), big = 128 * b, m = big - big == 0 ? "
     "__builtin_fmod@(a, big) : a; const $T q = __builtin_rint@((m - __builtin_remainder@(m, b)) / b); "
     "const int n = q >= 0 ? (int)q & 127 : 0; *z = (x < 0) != (y < 0) ? -n : n; "
     "return __builtin_remainder@(x, y); }",
     "{ const $T a = fabs@(x), b = fabs@(y), big = 128 * b, m = big - big == 0 ? fmod@(a, big) : a; "
     "const $T q = rint@((m - remainder@(m, b)) / b); const int n = q >= 0 ? (int)q & 127 : 0; "
     "*z = (x < 0) != (y < 0) ? -n : n; return remainder@(x, y); }",
     kLibm},
    {"native_cos", 1, real, "cos@($0)", "__cosf($0)", kLibm | kSimd},
    {"native_divide", 2, real, "($0 / $1)", "__fdividef($0, $1)"},
    {"native_exp", 1, real, "exp@($0)", "__expf($0)", kLibm | kSimd},
    {"native_exp10", 1, real, "exp10@($0)", "__exp10f($0)", kLibm},
    {"native_log", 1, real, "log@($0)", "__logf($0)", kLibm | kSimd, kLogFloat},
    {"native_log2", 1, real, "__builtin_log2@($0)", "__log2f($0)", kLibm},
    {"native_log10", 1, real, "__builtin_log10@($0)", "__log10f($0)", kLibm},
    {"native_powr", 2, real, "pow@($0, $1)", "__powf($0, $1)", kLibm | kSimd},
    {"native_recip", 1, real, "(1 / $0)", "__fdividef(1.0f, $0)"},
    {"native_rsqrt", 1, real, "(1 / __builtin_sqrt@($0))",
     "{ float r; asm(\"rsqrt.approx.ftz.f32 %0, %1;\" : \"=f\"(r) : \"f\"(x)); return r; }"},
    {"native_sin", 1, real, "sin@($0)", "__sinf($0)", kLibm | kSimd},
    {"native_tan", 1, real, "__builtin_tan@($0)", "__tanf($0)", kLibm},
    {"half_divide", 2, real, "($0 / $1)", "($0 / $1)"},
    {"half_recip", 1, real, "(1 / $0)", "(1 / $0)"},

    // Common
    {"degrees", 1, real, "($0 * ($T)57.295779513082320877)", "($0 * ($T)57.295779513082320877)"},
    {"radians", 1, real, "($0 * ($T)0.017453292519943295769)", "($0 * ($T)0.017453292519943295769)"},
    {"mix", 3, real, "{ return x + (y - x) * z; }", "{ return x + (y - x) * z; }"},
    {"sign", 1, real, "{ return x > 0 ? 1 : x < 0 ? -1 : x == 0 ? x : 0; }",
     "{ return x > 0 ? 1 : x < 0 ? -1 : x == 0 ? x : 0; }"},
    {"step", 2, real, "{ return y < x ? 0 : 1; }", "{ return y < x ? 0 : 1; }"},
    {"smoothstep", 3, real,
     "{ $T t = (z - x) / (y - x); t = t < 0 ? 0 : t > 1 ? 1 : t; return t * t * (3 - 2 * t); }",
     "{ $T t = (z - x) / (y - x); t = t < 0 ? 0 : t > 1 ? 1 : t; return t * t * (3 - 2 * t); }"},
    {"min", 2, number, kMin, kMin},
    {"max", 2, number, kMax, kMax},
    {"clamp", 3, number, kClamp, kClamp},

    // Geometric
    {"dot", 2, dot, "", ""},
    {"cross", 2, cross, "", ""},
    {"length", 1, length, "__builtin_sqrt@", "sqrt@", kLibm},
    {"fast_length", 1, length, "__builtin_sqrt@", "sqrt@", kLibm},
    {"distance", 2, distance, "__builtin_sqrt@", "sqrt@", kLibm},
    {"fast_distance", 2, distance, "__builtin_sqrt@", "sqrt@", kLibm},
    {"normalize", 1, normalize, "__builtin_sqrt@", "sqrt@", kLibm},
    {"fast_normalize", 1, normalize, "__builtin_sqrt@", "sqrt@", kLibm},

    // Relational
    {"isequal", 2, test, "($0 == $1)", "($0 == $1)"},
    {"isnotequal", 2, test, "($0 != $1)", "($0 != $1)"},
    {"isgreater", 2, test, "($0 > $1)", "($0 > $1)"},
    {"isgreaterequal", 2, test, "($0 >= $1)", "($0 >= $1)"},
    {"isless", 2, test, "($0 < $1)", "($0 < $1)"},
    {"islessequal", 2, test, "($0 <= $1)", "($0 <= $1)"},
    {"islessgreater", 2, test, "{ return x < y || x > y; }", "{ return x < y || x > y; }"},
    {"isfinite", 1, test, "(__builtin_fabs@($0) < __builtin_inf@())", "{ return x - x == 0; }"},
    {"isinf", 1, test, "(__builtin_fabs@($0) == __builtin_inf@())", "{ return x == x && x - x != 0; }"},
    {"isnan", 1, test, "{ return x != x; }", "{ return x != x; }"},
    {"isnormal", 1, test,
     "{ const $T a = __builtin_fabs@(x); return a < __builtin_inf@() && a >= (sizeof(x) == 4 ? ($T)0x1p-126 "
     ": ($T)0x1p-1022); }",
     "{ const $T a = fabs@(x); return a - a == 0 && a >= (sizeof(x) == 4 ? ($T)0x1p-126 : ($T)0x1p-1022); }"},
    {"isordered", 2, test, "{ return x == x && y == y; }", "{ return x == x && y == y; }"},
    {"isunordered", 2, test, "{ return x != x || y != y; }", "{ return x != x || y != y; }"},
    // GCC 12 cannot compile __builtin_signbit of 16 floats whose bits were computed.
    {"signbit", 1, test, "(__builtin_copysign@(1, $0) < 0)", "(signbit($0) != 0)"},
    {"any", 1, any_all, "", ""},
    {"all", 1, any_all, "", ""},
    {"select", 3, select, "", ""},
    {"bitselect", 3, bits, "", ""},
};

}  // namespace

std::span<const Builtin> math_builtins() {
  return kMathRows;
}

}  // namespace quern::frontend
