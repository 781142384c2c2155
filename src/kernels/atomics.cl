// SPDX-License-Identifier: MIT
// Atomic sums of floating-point numbers: the device's own where the language has them, elsewhere by exchange.
#if defined(QUERN_CUDA) || defined(QUERN_HOST)

#define QUERN_ATOMIC_SUM(SPACE, T, ATOMIC, ...)                                                          \
  inline void add_to_##SPACE##_##T(volatile SPACE T *p, T x) {                                           \
    atomic_fetch_add_explicit((volatile SPACE ATOMIC *)p, x, memory_order_relaxed, memory_scope_device); \
  }

#else

#define QUERN_ATOMIC_SUM(SPACE, T, ATOMIC, BITS, EXCHANGE)           \
  inline void add_to_##SPACE##_##T(volatile SPACE T *p, T x) {       \
    volatile SPACE BITS *const bits = (volatile SPACE BITS *)p;      \
    BITS seen, now = *bits;                                          \
    do {                                                             \
      seen = now;                                                    \
      now = EXCHANGE(bits, seen, as_##BITS(as_##T(seen) + x));       \
    } while (now != seen);                                           \
  }

#endif

QUERN_ATOMIC_SUM(global, float, atomic_float, uint, atomic_cmpxchg)
QUERN_ATOMIC_SUM(local, float, atomic_float, uint, atomic_cmpxchg)
#if defined(QUERN_HAS_FP64) && defined(QUERN_HAS_INT64_ATOMICS)
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
QUERN_ATOMIC_SUM(global, double, atomic_double, ulong, atom_cmpxchg)
QUERN_ATOMIC_SUM(local, double, atomic_double, ulong, atom_cmpxchg)
#endif
