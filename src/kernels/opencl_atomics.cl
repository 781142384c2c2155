// SPDX-License-Identifier: MIT
// The atomic functions of OpenCL 2, and those of floating-point numbers, for OpenCL devices that lack them.
// They are built from the atomics of OpenCL C 1.2. Every call orders memory like memory_order_seq_cst with
// device scope.
#ifdef QUERN_HAS_INT64_ATOMICS
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define QUERN_WIDE(ROW) ROW
#else
#define QUERN_WIDE(ROW)
#endif
#if defined(QUERN_HAS_INT64_ATOMICS) && defined(QUERN_HAS_FP64)
#define QUERN_DOUBLE(ROW) ROW
#else
#define QUERN_DOUBLE(ROW)
#endif
#define QUERN_MANY __attribute__((overloadable))
#define QUERN_FENCE mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)

#if __OPENCL_C_VERSION__ < 200
#define QUERN_NAME(NAME) atomic_##NAME
#else
// In clang, a user's function hides all built-in functions of the same name.
#define QUERN_NAME(NAME) quern_##NAME
#endif
// Functions that OpenCL C 1.2 has under another name.
#define QUERN_SAME(SPACE, T, NAME, OLD)                              \
  T QUERN_MANY QUERN_NAME(NAME)(volatile SPACE atomic_##T *p, T x) { \
    QUERN_FENCE;                                                     \
    const T seen = OLD((volatile SPACE T *)p, x);                    \
    QUERN_FENCE;                                                     \
    return seen;                                                     \
  }

#if __OPENCL_C_VERSION__ < 200
typedef int atomic_int, atomic_flag, memory_order, memory_scope;
typedef uint atomic_uint;
typedef long atomic_long, atomic_intptr_t, atomic_ptrdiff_t;
typedef ulong atomic_ulong, atomic_size_t, atomic_uintptr_t;
typedef float atomic_float;
#ifdef QUERN_HAS_FP64
typedef double atomic_double;
#endif
#define ATOMIC_VAR_INIT(value) (value)
#define ATOMIC_FLAG_INIT 0
#define memory_order_relaxed 0
#define memory_order_acquire 2
#define memory_order_release 3
#define memory_order_acq_rel 4
#define memory_order_seq_cst 5
#define memory_scope_work_item 0
#define memory_scope_work_group 1
#define memory_scope_device 2
#define memory_scope_all_svm_devices 3
#define memory_scope_sub_group 4

// Atomics of a number of type T, which is exchanged as the integer U with the same bits.
#define QUERN_ANY(SPACE, T, U, A) \
  void QUERN_MANY atomic_init(volatile SPACE T *p, T x) { *p = x; } \
  T QUERN_MANY atomic_exchange(volatile SPACE T *p, T x) { \
    QUERN_FENCE; const U seen = A##xchg((volatile SPACE U *)p, as_##U(x)); QUERN_FENCE; return as_##T(seen); } \
  void QUERN_MANY atomic_store(volatile SPACE T *p, T x) { atomic_exchange(p, x); } \
  T QUERN_MANY atomic_load(volatile SPACE T *p) { \
    QUERN_FENCE; const U seen = A##or((volatile SPACE U *)p, (U)0); QUERN_FENCE; return as_##T(seen); } \
  bool QUERN_MANY atomic_compare_exchange_strong(volatile SPACE T *p, T *expected, T x) { \
    const U wanted = as_##U(*expected); \
    QUERN_FENCE; const U seen = A##cmpxchg((volatile SPACE U *)p, wanted, as_##U(x)); QUERN_FENCE; \
    *expected = as_##T(seen); return seen == wanted; }
#define QUERN_BITS(SPACE, T, A) \
  QUERN_SAME(SPACE, T, fetch_or, A##or) QUERN_SAME(SPACE, T, fetch_xor, A##xor) QUERN_SAME(SPACE, T, fetch_and, A##and)
#define QUERN_ALL(SPACE) \
  QUERN_BITS(SPACE, int, atomic_) QUERN_BITS(SPACE, uint, atomic_) \
  QUERN_ANY(SPACE, int, int, atomic_) QUERN_ANY(SPACE, uint, uint, atomic_) QUERN_ANY(SPACE, float, uint, atomic_) \
  QUERN_WIDE(QUERN_BITS(SPACE, long, atom_) QUERN_BITS(SPACE, ulong, atom_) \
  QUERN_ANY(SPACE, long, long, atom_) QUERN_ANY(SPACE, ulong, ulong, atom_)) \
  QUERN_DOUBLE(QUERN_ANY(SPACE, double, ulong, atom_)) \
  bool QUERN_MANY atomic_flag_test_and_set(volatile SPACE int *p) { return atomic_exchange(p, 1) != 0; } \
  void QUERN_MANY atomic_flag_clear(volatile SPACE int *p) { atomic_store(p, 0); }
QUERN_ALL(global)
QUERN_ALL(local)
// Drivers may define macros of these names.
#undef atomic_store_explicit
#undef atomic_load_explicit
#undef atomic_exchange_explicit
#undef atomic_compare_exchange_strong_explicit
#undef atomic_compare_exchange_weak_explicit
#undef atomic_fetch_add_explicit
#undef atomic_fetch_sub_explicit
#undef atomic_fetch_or_explicit
#undef atomic_fetch_xor_explicit
#undef atomic_fetch_and_explicit
#undef atomic_fetch_min_explicit
#undef atomic_fetch_max_explicit
#undef atomic_flag_test_and_set_explicit
#undef atomic_flag_clear_explicit
#undef atomic_compare_exchange_weak
#undef atomic_work_item_fence
#define atomic_compare_exchange_weak(p, expected, x) atomic_compare_exchange_strong(p, expected, x)
#define atomic_work_item_fence(flags, order, scope) mem_fence(flags)

// All calls are sequentially consistent, which is at least as strong as the given order.
#define atomic_store_explicit(p, x, ...) atomic_store(p, x)
#define atomic_load_explicit(p, ...) atomic_load(p)
#define atomic_exchange_explicit(p, x, ...) atomic_exchange(p, x)
#define atomic_compare_exchange_strong_explicit(p, expected, x, ...) atomic_compare_exchange_strong(p, expected, x)
#define atomic_compare_exchange_weak_explicit(p, expected, x, ...) atomic_compare_exchange_strong(p, expected, x)
#define atomic_fetch_add_explicit(p, x, ...) atomic_fetch_add(p, x)
#define atomic_fetch_sub_explicit(p, x, ...) atomic_fetch_sub(p, x)
#define atomic_fetch_or_explicit(p, x, ...) atomic_fetch_or(p, x)
#define atomic_fetch_xor_explicit(p, x, ...) atomic_fetch_xor(p, x)
#define atomic_fetch_and_explicit(p, x, ...) atomic_fetch_and(p, x)
#define atomic_fetch_min_explicit(p, x, ...) atomic_fetch_min(p, x)
#define atomic_fetch_max_explicit(p, x, ...) atomic_fetch_max(p, x)
#define atomic_flag_test_and_set_explicit(p, ...) atomic_flag_test_and_set(p)
#define atomic_flag_clear_explicit(p, ...) atomic_flag_clear(p)
#endif

// Atomic arithmetic of floating-point numbers by compare-and-exchange of their bits. OpenCL 2 sources without
// it keep the device's own functions, which also take pointers to the generic address space.
#if __OPENCL_C_VERSION__ < 200 || defined(QUERN_REAL_ATOMICS)
#define QUERN_SPACES(ROW, T, U, A) ROW(global, T, U, A) ROW(local, T, U, A)
#define QUERN_REAL(SPACE, T, U, A, NAME, VALUE)                              \
  T QUERN_MANY QUERN_NAME(NAME)(volatile SPACE atomic_##T *p, T x) {         \
    QUERN_FENCE;                                                             \
    U was, seen = *(volatile SPACE U *)p;                                    \
    do {                                                                     \
      was = seen;                                                            \
      seen = A##cmpxchg((volatile SPACE U *)p, was, as_##U(VALUE));          \
    } while (seen != was);                                                   \
    QUERN_FENCE;                                                             \
    return as_##T(seen);                                                     \
  }
#define QUERN_SUMS(SPACE, T, U, A)                                      \
  QUERN_REAL(SPACE, T, U, A, fetch_add, as_##T(seen) + x)        \
  QUERN_REAL(SPACE, T, U, A, fetch_sub, as_##T(seen) - x)
#define QUERN_LIMITS(SPACE, T, U, A)                                    \
  QUERN_REAL(SPACE, T, U, A, fetch_min, fmin(as_##T(seen), x))   \
  QUERN_REAL(SPACE, T, U, A, fetch_max, fmax(as_##T(seen), x))
#define QUERN_REALS(SPACE, T, U, A) QUERN_SUMS(SPACE, T, U, A) QUERN_LIMITS(SPACE, T, U, A)
#define QUERN_INTEGER(SPACE, T, U, A)                                                 \
  QUERN_SAME(SPACE, T, fetch_add, A##add) QUERN_SAME(SPACE, T, fetch_sub, A##sub)     \
  QUERN_SAME(SPACE, T, fetch_min, A##min) QUERN_SAME(SPACE, T, fetch_max, A##max)
QUERN_SPACES(QUERN_INTEGER, int, int, atomic_)
QUERN_SPACES(QUERN_INTEGER, uint, uint, atomic_)
QUERN_WIDE(QUERN_SPACES(QUERN_INTEGER, long, long, atom_))
QUERN_WIDE(QUERN_SPACES(QUERN_INTEGER, ulong, ulong, atom_))
QUERN_SPACES(QUERN_REALS, float, uint, atomic_)
QUERN_DOUBLE(QUERN_SPACES(QUERN_REALS, double, ulong, atom_))

#if __OPENCL_C_VERSION__ >= 200
#undef atomic_fetch_add
#undef atomic_fetch_sub
#undef atomic_fetch_min
#undef atomic_fetch_max
#undef atomic_fetch_add_explicit
#undef atomic_fetch_sub_explicit
#undef atomic_fetch_min_explicit
#undef atomic_fetch_max_explicit
#define atomic_fetch_add(p, x) quern_fetch_add(p, x)
#define atomic_fetch_sub(p, x) quern_fetch_sub(p, x)
#define atomic_fetch_min(p, x) quern_fetch_min(p, x)
#define atomic_fetch_max(p, x) quern_fetch_max(p, x)
#define atomic_fetch_add_explicit(p, x, ...) quern_fetch_add(p, x)
#define atomic_fetch_sub_explicit(p, x, ...) quern_fetch_sub(p, x)
#define atomic_fetch_min_explicit(p, x, ...) quern_fetch_min(p, x)
#define atomic_fetch_max_explicit(p, x, ...) quern_fetch_max(p, x)
#endif
#endif

// Sources that test for the extension find it.
#ifndef cl_ext_float_atomics
#define cl_ext_float_atomics 1
#endif
#ifndef __opencl_c_ext_fp32_global_atomic_add
#define __opencl_c_ext_fp32_global_atomic_add 1
#endif
#ifndef __opencl_c_ext_fp32_local_atomic_add
#define __opencl_c_ext_fp32_local_atomic_add 1
#endif
#ifdef QUERN_HAS_INT64_ATOMICS
#ifndef __opencl_c_ext_fp64_global_atomic_add
#define __opencl_c_ext_fp64_global_atomic_add 1
#endif
#ifndef __opencl_c_ext_fp64_local_atomic_add
#define __opencl_c_ext_fp64_local_atomic_add 1
#endif
#endif
