// SPDX-License-Identifier: MIT
// Atomic functions.
#include "frontend/builtins/builtins.hpp"

namespace quern::frontend {
namespace {

using enum Rule;

constexpr Builtin kAtomicRows[] = {
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

    // OpenCL 2; each but the first also has a form with memory orders and scopes
    {"atomic_init", 2, atomic2, "", ""},
    {"atomic_store", 2, atomic2, "", ""},
    {"atomic_store_explicit", 2, atomic2, "", ""},
    {"atomic_load", 1, atomic2, "", ""},
    {"atomic_load_explicit", 1, atomic2, "", ""},
    {"atomic_exchange", 2, atomic2, "", ""},
    {"atomic_exchange_explicit", 2, atomic2, "", ""},
    {"atomic_compare_exchange_strong", 3, atomic2, "", ""},
    {"atomic_compare_exchange_strong_explicit", 3, atomic2, "", ""},
    {"atomic_compare_exchange_weak", 3, atomic2, "", ""},
    {"atomic_compare_exchange_weak_explicit", 3, atomic2, "", ""},
    {"atomic_fetch_add", 2, atomic2, "", ""},
    {"atomic_fetch_add_explicit", 2, atomic2, "", ""},
    {"atomic_fetch_sub", 2, atomic2, "", ""},
    {"atomic_fetch_sub_explicit", 2, atomic2, "", ""},
    {"atomic_fetch_or", 2, atomic2, "", ""},
    {"atomic_fetch_or_explicit", 2, atomic2, "", ""},
    {"atomic_fetch_xor", 2, atomic2, "", ""},
    {"atomic_fetch_xor_explicit", 2, atomic2, "", ""},
    {"atomic_fetch_and", 2, atomic2, "", ""},
    {"atomic_fetch_and_explicit", 2, atomic2, "", ""},
    {"atomic_fetch_min", 2, atomic2, "", ""},
    {"atomic_fetch_min_explicit", 2, atomic2, "", ""},
    {"atomic_fetch_max", 2, atomic2, "", ""},
    {"atomic_fetch_max_explicit", 2, atomic2, "", ""},
    {"atomic_flag_test_and_set", 1, atomic2, "", ""},
    {"atomic_flag_test_and_set_explicit", 1, atomic2, "", ""},
    {"atomic_flag_clear", 1, atomic2, "", ""},
    {"atomic_flag_clear_explicit", 1, atomic2, "", ""},
    {"to_global", 1, space, "", ""},
    {"to_local", 1, space, "", ""},
    {"to_private", 1, space, "", ""},
    {"get_fence", 1, space, "", ""},
};

}  // namespace

std::string_view atomic_operation(std::string_view name) {
  name.remove_prefix(7);  // removes "atomic_"
  if (name.ends_with("_explicit")) name.remove_suffix(9);
  return name;
}

bool is_newer_atomic(std::string_view name) {
  if (!name.starts_with("atomic_")) return false;
  for (const std::string_view type : {"int", "uint", "long", "ulong", "float", "double", "flag", "size_t",
                                      "intptr_t", "uintptr_t", "ptrdiff_t", "work_item_fence"})
    if (name.substr(7) == type) return true;
  const Builtin* const row = find_builtin(name);
  return row && row->rule == atomic2;
}

std::span<const Builtin> atomic_builtins() {
  return kAtomicRows;
}

}  // namespace quern::frontend
