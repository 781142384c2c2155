// SPDX-License-Identifier: MIT
// Atomic functions of floating-point numbers. They use the device's own atomic additions if the language has
// them. The other functions compute a new value and compare-and-exchange until no other work-item has changed
// the old one.
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

// If either operand is NaN, the result is NaN.
#define QUERN_ATOMIC_CHOICE(NAME, SIGN, T, BITS, EXCHANGE)                       \
  inline void NAME##_in_global_##T(volatile global T *p, T x) {                  \
    volatile global BITS *const bits = (volatile global BITS *)p;                \
    BITS seen, now = *bits;                                                      \
    do {                                                                         \
      seen = now;                                                                \
      const T old = as_##T(seen);                                                \
      if (old SIGN x || old == x || old != old) return;                          \
      now = EXCHANGE(bits, seen, as_##BITS(x));                                  \
    } while (now != seen);                                                       \
  }

QUERN_ATOMIC_SUM(global, float, atomic_float, uint, atomic_cmpxchg)
QUERN_ATOMIC_SUM(local, float, atomic_float, uint, atomic_cmpxchg)
QUERN_ATOMIC_CHOICE(min, <, float, uint, atomic_cmpxchg)
QUERN_ATOMIC_CHOICE(max, >, float, uint, atomic_cmpxchg)
#ifdef QUERN_HAS_INT64_ATOMICS
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#ifdef QUERN_HAS_FP64
QUERN_ATOMIC_SUM(global, double, atomic_double, ulong, atom_cmpxchg)
QUERN_ATOMIC_SUM(local, double, atomic_double, ulong, atom_cmpxchg)
QUERN_ATOMIC_CHOICE(min, <, double, ulong, atom_cmpxchg)
QUERN_ATOMIC_CHOICE(max, >, double, ulong, atom_cmpxchg)
#endif
#endif
