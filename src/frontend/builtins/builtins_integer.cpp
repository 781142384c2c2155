// SPDX-License-Identifier: MIT
// Integer functions, and functions that permute components.
#include "frontend/builtins/builtins.hpp"

namespace quern::frontend {
namespace {

using enum Rule;

constexpr Builtin kIntegerRows[] = {
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
     // 32-bit rotations are one instruction. NVRTC also finds it for shifts, but only after it has decided
     // which loops to unroll, and that decision counts the shifts.
     "{ if ($B == 32) return ($T)__funnelshift_l((unsigned)x, (unsigned)x, (unsigned)y); const unsigned s = "
     "(unsigned)y & ($B - 1); return ($T)(($U)x << s | ($U)x >> (($B - s) & ($B - 1))); }"},
    {"popcount", 1, integer, "($T)__builtin_popcountll((unsigned long long)($U)$0)",
     "{ return ($T)($B == 64 ? __popcll((unsigned long long)x) : __popc((unsigned)($U)x)); }"},
    {"clz", 1, integer,
     "{ return x == 0 ? $B : ($T)(__builtin_clzll((unsigned long long)($U)x) - (64 - $B)); }",
     "{ return ($T)($B == 64 ? __clzll((long long)x) : __clz((int)(unsigned)($U)x) - (32 - $B)); }"},
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
    {"mad_sat",
     3,
     integer,
     "{ const $W t = ($W)x * ($W)y + ($W)z, most = ($T)-1 > 0 ? ($W)($U)-1 : ($W)(($U)-1 >> 1); "
     "return t > most ? ($T)most : ($T)-1 < 0 && t < -most - 1 ? ($T)(-most - 1) : ($T)t; }",
     "{ const $W t = ($W)x * ($W)y + ($W)z, most = ($T)-1 > 0 ? ($W)($U)-1 : ($W)(($U)-1 >> 1); "
     "return t > most ? ($T)most : ($T)-1 < 0 && t < -most - 1 ? ($T)(-most - 1) : ($T)t; }",
     0,
     {},
     "{ const unsigned long long low = (unsigned long long)x * (unsigned long long)y, sum = low + (unsigned "
     "long long)z; if (($T)-1 > 0) return __umul64hi((unsigned long long)x, (unsigned long long)y) != 0 || "
     "sum < low ? ($T)-1 : ($T)sum; const long long high = __mul64hi((long long)x, (long long)y) + ((long "
     "long)z >> 63) + (sum < low); return high == (long long)sum >> 63 ? ($T)sum : high < 0 ? ($T)(1ull << "
     "63) : ($T)~(1ull << 63); }"},
    {"upsample", 2, upsample, "", ""},

    // Components
    {"shuffle", 2, shuffle, "", ""},
    {"shuffle2", 3, shuffle, "", ""},
};

}  // namespace

std::span<const Builtin> integer_builtins() {
  return kIntegerRows;
}

}  // namespace quern::frontend
