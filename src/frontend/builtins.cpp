// SPDX-License-Identifier: MIT
// The rows of the table of built-in functions.
#include "frontend/builtins.hpp"

#include <string>
#include <unordered_map>
#include <unordered_set>

namespace quern::frontend {
namespace {

using enum Rule;

// log within 1 ulp that vectorises everywhere: libm's vector form exceeds OpenCL's 3 ulp. x = 2^e * t with t
// between sqrt(1/2) and sqrt(2), and log t = f - (h - s * (h + r)) for f = t - 1, h = f*f/2, s = f / (2 + f),
// r a series in s*s.
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

constexpr Builtin kRows[] = {
    // Work-items
    {"get_work_dim", 0, work_dim, "", ""},
    {"get_global_size", 1, work_item, "", ""},
    {"get_global_id", 1, work_item, "", ""},
    {"get_global_offset", 1, work_item, "", ""},
    {"get_local_size", 1, work_item, "", ""},
    {"get_enqueued_local_size", 1, work_item, "", ""},
    {"get_local_id", 1, work_item, "", ""},
    {"get_num_groups", 1, work_item, "", ""},
    {"get_group_id", 1, work_item, "", ""},

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
    {"cbrt", 1, real, "__builtin_cbrt@($0)", "cbrt@($0)", kLibm},
    {"ceil", 1, real, "__builtin_ceil@($0)", "ceil@($0)", kLibm},
    {"copysign", 2, real, "__builtin_copysign@($0, $1)", "copysign@($0, $1)"},
    {"cos", 1, real, "cos@($0)", "cos@($0)", kLibm | kSimd},
    {"cosh", 1, real, "__builtin_cosh@($0)", "cosh@($0)", kLibm},
    {"cospi", 1, real,
     "{ const $T r = __builtin_fmod@(__builtin_fabs@(x), 2); return r == ($T)0.5 || r == ($T)1.5 ? 0 : "
     "__builtin_cos@(r * ($T)3.14159265358979323846); }",
     "cospi@($0)", kLibm},
    {"erf", 1, real, "__builtin_erf@($0)", "erf@($0)", kLibm},
    {"erfc", 1, real, "__builtin_erfc@($0)", "erfc@($0)", kLibm},
    {"exp", 1, real, "exp@($0)", "exp@($0)", kLibm | kSimd},
    {"exp2", 1, real, "__builtin_exp2@($0)", "exp2@($0)", kLibm},
    {"exp10", 1, real, "__builtin_exp10@($0)", "exp10@($0)", kLibm},
    {"expm1", 1, real, "__builtin_expm1@($0)", "expm1@($0)", kLibm},
    {"fabs", 1, real, "__builtin_fabs@($0)", "fabs@($0)"},
    {"fdim", 2, real, "{ return x != x || y != y ? x + y : x > y ? x - y : 0; }", "fdim@($0, $1)"},
    {"floor", 1, real, "__builtin_floor@($0)", "floor@($0)", kLibm},
    {"fma", 3, real, "__builtin_fma@($0, $1, $2)", "fma@($0, $1, $2)", kLibm},
    {"fmax", 2, real, kFmax, "fmax@($0, $1)"},
    {"fmin", 2, real, kFmin, "fmin@($0, $1)"},
    {"fmod", 2, real, "__builtin_fmod@($0, $1)", "fmod@($0, $1)", kLibm},
    {"hypot", 2, real, "__builtin_hypot@($0, $1)", "hypot@($0, $1)", kLibm},
    {"ilogb", 1, real_to_int, "__builtin_ilogb@($0)", "ilogb@($0)", kLibm},
    {"ldexp", 2, real_int, "__builtin_ldexp@($0, $1)", "ldexp@($0, $1)", kLibm},
    {"lgamma", 1, real, "__builtin_lgamma@($0)", "lgamma@($0)", kLibm},
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
    {"pown", 2, real_int, "__builtin_pow@($0, ($T)$1)", "pow@($0, ($T)$1)", kLibm},
    {"powr", 2, real, "pow@($0, $1)", "pow@($0, $1)", kLibm | kSimd},
    {"remainder", 2, real, "__builtin_remainder@($0, $1)", "remainder@($0, $1)", kLibm},
    {"rint", 1, real, "__builtin_rint@($0)", "rint@($0)", kLibm},
    {"rootn", 2, real_int,
     "{ if (y == 3) return __builtin_cbrt@(x); const $T r = __builtin_pow@(__builtin_fabs@(x), 1 / ($T)y); "
     "return x < 0 ? ((y & 1) ? -r : ($T)__builtin_nan(\"\")) : r; }",
     "{ if (y == 3) return cbrt@(x); const $T r = pow@(fabs@(x), 1 / ($T)y); return x < 0 ? ((y & 1) ? -r : "
     "($T)nan(\"\")) : r; }",
     kLibm},
    {"round", 1, real, "__builtin_round@($0)", "round@($0)", kLibm},
    {"rsqrt", 1, real, "(1 / __builtin_sqrt@($0))", "rsqrt@($0)", kLibm},
    {"sin", 1, real, "sin@($0)", "sin@($0)", kLibm | kSimd},
    {"sinh", 1, real, "__builtin_sinh@($0)", "sinh@($0)", kLibm},
    {"sinpi", 1, real,
     "{ const $T r = __builtin_fmod@(x, 2); return r == 1 || r == -1 ? 0 * x : __builtin_sin@(r * "
     "($T)3.14159265358979323846); }",
     "sinpi@($0)", kLibm},
    {"sqrt", 1, real, "__builtin_sqrt@($0)", "sqrt@($0)", kLibm},
    {"tan", 1, real, "__builtin_tan@($0)", "tan@($0)", kLibm},
    {"tanh", 1, real, "__builtin_tanh@($0)", "tanh@($0)", kLibm},
    {"tanpi", 1, real,
     "{ const $T r = __builtin_fmod@(x, 1); return __builtin_tan@(r * ($T)3.14159265358979323846); }",
     "{ const $T r = fmod@(x, ($T)1); return tan@(r * ($T)3.14159265358979323846); }", kLibm},
    {"tgamma", 1, real, "__builtin_tgamma@($0)", "tgamma@($0)", kLibm},
    {"trunc", 1, real, "__builtin_trunc@($0)", "trunc@($0)", kLibm},
    {"nan", 1, nan, "__builtin_nan@(\"\")", "nan@(\"\")"},
    {"fract", 2, real_pointer,
     "{ const $T w = __builtin_floor@(x), r = x - w, m = sizeof(x) == 4 ? ($T)0x1.fffffep-1 : "
     "($T)0x1.fffffffffffffp-1; *y = w; return r < m || r != r ? r : m; }",
     "{ const $T w = floor@(x), r = x - w, m = sizeof(x) == 4 ? ($T)0x1.fffffep-1 : "
     "($T)0x1.fffffffffffffp-1; *y = w; return r < m || r != r ? r : m; }",
     kLibm},
    {"modf", 2, real_pointer, "__builtin_modf@($0, $1)", "modf@($0, $1)", kLibm},
    {"sincos", 2, real_pointer, "{ *y = __builtin_cos@(x); return __builtin_sin@(x); }",
     "{ $T s; sincos@(x, &s, y); return s; }", kLibm},
    {"frexp", 2, real_int_pointer, "__builtin_frexp@($0, $1)", "frexp@($0, $1)", kLibm},
    {"remquo", 3, real_real_int_pointer, "__builtin_remquo@($0, $1, $2)", "remquo@($0, $1, $2)", kLibm},
    {"native_cos", 1, real, "cos@($0)", "__cosf($0)", kLibm | kSimd},
    {"native_divide", 2, real, "($0 / $1)", "__fdividef($0, $1)"},
    {"native_exp", 1, real, "exp@($0)", "__expf($0)", kLibm | kSimd},
    {"native_exp10", 1, real, "__builtin_exp10@($0)", "__exp10f($0)", kLibm},
    {"native_log", 1, real, "log@($0)", "__logf($0)", kLibm | kSimd, kLogFloat},
    {"native_log2", 1, real, "__builtin_log2@($0)", "__log2f($0)", kLibm},
    {"native_log10", 1, real, "__builtin_log10@($0)", "__log10f($0)", kLibm},
    {"native_powr", 2, real, "pow@($0, $1)", "__powf($0, $1)", kLibm | kSimd},
    {"native_recip", 1, real, "(1 / $0)", "__fdividef(1.0f, $0)"},
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

    // Integers
    {"abs", 1, integer_abs, "{ return x < 0 ? ($U)(0 - ($U)x) : ($U)x; }",
     "{ return x < 0 ? ($U)(0 - ($U)x) : ($U)x; }"},
    {"abs_diff", 2, integer_abs, "{ return x < y ? ($U)(($U)y - ($U)x) : ($U)(($U)x - ($U)y); }",
     "{ return x < y ? ($U)(($U)y - ($U)x) : ($U)(($U)x - ($U)y); }"},
    {"hadd", 2, integer, "{ return ($T)((x >> 1) + (y >> 1) + (x & y & 1)); }",
     "{ return ($T)((x >> 1) + (y >> 1) + (x & y & 1)); }"},
    {"rhadd", 2, integer, "{ return ($T)((x >> 1) + (y >> 1) + ((x | y) & 1)); }",
     "{ return ($T)((x >> 1) + (y >> 1) + ((x | y) & 1)); }"},
    {"mul24", 2, integer, "($T)($0 * $1)", "($T)($0 * $1)"},
    {"mad24", 3, integer, "($T)($0 * $1 + $2)", "($T)($0 * $1 + $2)"},
    {"mul_hi",
     2,
     integer,
     "($T)((($W)$0 * ($W)$1) >> $B)",
     "($T)((($W)$0 * ($W)$1) >> $B)",
     0,
     {},
     "{ return ($T)-1 < 0 ? ($T)__mul64hi((long long)x, (long long)y) : ($T)__umul64hi((unsigned long "
     "long)x, (unsigned long long)y); }"},
    {"mad_hi",
     3,
     integer,
     "($T)(($T)((($W)$0 * ($W)$1) >> $B) + $2)",
     "($T)(($T)((($W)$0 * ($W)$1) >> $B) + $2)",
     0,
     {},
     "{ return ($T)-1 < 0 ? ($T)(__mul64hi((long long)x, (long long)y) + z) : ($T)(__umul64hi((unsigned long "
     "long)x, (unsigned long long)y) + z); }"},
    {"rotate", 2, integer,
     "{ const unsigned s = (unsigned)y & ($B - 1); return ($T)(($U)x << s | ($U)x >> (($B - s) & ($B - 1))); "
     "}",
     "{ const unsigned s = (unsigned)y & ($B - 1); return ($T)(($U)x << s | ($U)x >> (($B - s) & ($B - 1))); "
     "}"},
    {"popcount", 1, integer, "($T)__builtin_popcountll((unsigned long long)($U)$0)",
     "($T)__popcll((unsigned long long)($U)$0)"},
    {"clz", 1, integer,
     "{ return x == 0 ? $B : ($T)(__builtin_clzll((unsigned long long)($U)x) - (64 - $B)); }",
     "($T)(__clzll((long long)(unsigned long long)($U)$0) - (64 - $B))"},
    {"ctz", 1, integer, "{ return x == 0 ? $B : ($T)__builtin_ctzll((unsigned long long)($U)x); }",
     "{ return x == 0 ? $B : ($T)(__ffsll((long long)x) - 1); }"},
    {"add_sat", 2, integer,
     "{ $T r; if (__builtin_add_overflow(x, y, &r)) r = ($T)-1 > 0 ? ($T)-1 : ($T)((x >> ($B - 1)) ^ (($U)-1 "
     ">> 1)); return r; }",
     "{ const $T r = ($T)(($U)x + ($U)y); if (($T)-1 > 0) return r < x ? ($T)-1 : r; return (($T)((x ^ r) & "
     "(y ^ r))) < 0 ? ($T)((x >> ($B - 1)) ^ ($T)(($U)-1 >> 1)) : r; }"},
    {"sub_sat", 2, integer,
     "{ $T r; if (__builtin_sub_overflow(x, y, &r)) r = ($T)-1 > 0 ? 0 : ($T)((x >> ($B - 1)) ^ (($U)-1 >> "
     "1)); return r; }",
     "{ const $T r = ($T)(($U)x - ($U)y); if (($T)-1 > 0) return x < y ? ($T)0 : r; return (($T)((x ^ y) & "
     "(x ^ r))) < 0 ? ($T)((x >> ($B - 1)) ^ ($T)(($U)-1 >> 1)) : r; }"},

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
    {"signbit", 1, test, "(__builtin_signbit($0) != 0)", "(signbit($0) != 0)"},
    {"any", 1, any_all, "", ""},
    {"all", 1, any_all, "", ""},
    {"select", 3, select, "", ""},
    {"bitselect", 3, bits, "", ""},

    // Atomics
    {"atomic_add", 2, atomic, "__atomic_fetch_add($0, $1, 0)", "($T)atomicAdd(($A*)$0, ($A)$1)"},
    {"atomic_sub", 2, atomic, "__atomic_fetch_sub($0, $1, 0)", "($T)atomicAdd(($A*)$0, ($A)(0 - $1))"},
    {"atomic_xchg", 2, atomic, "{ $T r; __atomic_exchange(x, &y, &r, 0); return r; }",
     "($T)atomicExch(($A*)$0, ($A)$1)"},
    {"atomic_inc", 1, atomic, "__atomic_fetch_add($0, 1, 0)", "($T)atomicAdd(($A*)$0, ($A)1)"},
    {"atomic_dec", 1, atomic, "__atomic_fetch_sub($0, 1, 0)", "($T)atomicAdd(($A*)$0, ($A)-1)"},
    {"atomic_cmpxchg", 3, atomic, "{ __atomic_compare_exchange_n(x, &y, z, 0, 0, 0); return y; }",
     "($T)atomicCAS(($A*)$0, ($A)$1, ($A)$2)"},
    {"atomic_min", 2, atomic,
     "{ $T o = *x; while (y < o && !__atomic_compare_exchange_n(x, &o, y, 1, 0, 0)) {} return o; }",
     "atomicMin(($T*)$0, $1)"},
    {"atomic_max", 2, atomic,
     "{ $T o = *x; while (o < y && !__atomic_compare_exchange_n(x, &o, y, 1, 0, 0)) {} return o; }",
     "atomicMax(($T*)$0, $1)"},
    {"atomic_and", 2, atomic, "__atomic_fetch_and($0, $1, 0)", "($T)atomicAnd(($A*)$0, ($A)$1)"},
    {"atomic_or", 2, atomic, "__atomic_fetch_or($0, $1, 0)", "($T)atomicOr(($A*)$0, ($A)$1)"},
    {"atomic_xor", 2, atomic, "__atomic_fetch_xor($0, $1, 0)", "($T)atomicXor(($A*)$0, ($A)$1)"},

    // Memory
    {"vload2", 2, vload, "", ""},
    {"vload3", 2, vload, "", ""},
    {"vload4", 2, vload, "", ""},
    {"vload8", 2, vload, "", ""},
    {"vload16", 2, vload, "", ""},
    {"vstore2", 3, vstore, "", ""},
    {"vstore3", 3, vstore, "", ""},
    {"vstore4", 3, vstore, "", ""},
    {"vstore8", 3, vstore, "", ""},
    {"vstore16", 3, vstore, "", ""},
    {"mem_fence", 1, fence, "__atomic_thread_fence(__ATOMIC_SEQ_CST)", "__threadfence()"},
    {"read_mem_fence", 1, fence, "__atomic_thread_fence(__ATOMIC_ACQUIRE)", "__threadfence()"},
    {"write_mem_fence", 1, fence, "__atomic_thread_fence(__ATOMIC_RELEASE)", "__threadfence()"},
    {"printf", 1, print, "__builtin_printf", "printf"},

    {"barrier", 1, barrier, "", "__syncthreads()"},
    {"work_group_barrier", 1, barrier, "", "__syncthreads()"},
    {"wait_group_events", 2, barrier, "", "__syncthreads()"},
    {"shuffle", 2, unsupported, "", ""},
    {"shuffle2", 3, unsupported, "", ""},
    {"upsample", 2, unsupported, "", ""},
    {"mad_sat", 3, unsupported, "", ""},
    {"lgamma_r", 2, unsupported, "", ""},
    {"vload_half", 2, unsupported, "", ""},
    {"vstore_half", 3, unsupported, "", ""},
    {"vloada_half4", 2, unsupported, "", ""},
    {"vstorea_half4", 3, unsupported, "", ""},
    {"read_imagef", 3, unsupported, "", ""},
    {"read_imagei", 3, unsupported, "", ""},
    {"read_imageui", 3, unsupported, "", ""},
    {"write_imagef", 3, unsupported, "", ""},
    {"write_imagei", 3, unsupported, "", ""},
    {"write_imageui", 3, unsupported, "", ""},
    {"get_image_width", 1, unsupported, "", ""},
    {"get_image_height", 1, unsupported, "", ""},
    {"get_image_depth", 1, unsupported, "", ""},
};

const std::unordered_map<std::string_view, const Builtin*>& index() {
  static const auto* table = [] {
    auto* made = new std::unordered_map<std::string_view, const Builtin*>;
    for (const Builtin& row : kRows) (*made)[row.name] = &row;
    for (const Builtin& row : group_builtins()) (*made)[row.name] = &row;
    return made;
  }();
  return *table;
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

const Builtin* find_builtin(std::string_view name) {
  if (const auto found = index().find(name); found != index().end()) return found->second;
  if (name.starts_with("native_") || name.starts_with("half_")) {
    const std::string_view plain = name.substr(name.find('_') + 1);
    const auto found = index().find(plain);
    return found != index().end() && found->second->rule == Rule::real ? found->second : nullptr;
  }
  if (name.starts_with("atom_")) {
    static const auto* old_names = [] {
      auto* made = new std::unordered_map<std::string, const Builtin*>;
      for (const Builtin& row : kRows)
        if (row.rule == Rule::atomic) (*made)["atom_" + std::string(row.name.substr(7))] = &row;
      return made;
    }();
    const auto found = old_names->find(std::string(name));
    return found == old_names->end() ? nullptr : found->second;
  }
  return nullptr;
}

bool is_emitted_name(std::string_view name) {
  static const auto* names = [] {
    auto* made = new std::unordered_set<std::string>;
    for (const Builtin& row : kRows) {
      for (const std::string_view text : {row.c, row.cuda, row.cuda_wide}) {
        for (std::size_t i = 0; i < text.size();) {
          std::size_t end = i;
          while (end < text.size() && is_name_character(text[end])) ++end;
          const std::string_view rest = text.substr(end);
          if (end > i && (rest.starts_with("(") || rest.starts_with("@"))) {
            made->insert(std::string(text.substr(i, end - i)));
            made->insert(std::string(text.substr(i, end - i)) + "f");
          }
          i = end + 1;
        }
      }
    }
    return made;
  }();
  return names->contains(std::string(name));
}

}  // namespace quern::frontend
