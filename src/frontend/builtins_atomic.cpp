// SPDX-License-Identifier: MIT
// Atomic functions.
#include "frontend/builtins.hpp"

namespace quern::frontend {
namespace {

using enum Rule;

constexpr Builtin kRows[] = {
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
};

}  // namespace

std::span<const Builtin> atomic_builtins() {
  return kRows;
}

}  // namespace quern::frontend
