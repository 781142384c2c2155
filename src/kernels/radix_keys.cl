// SPDX-License-Identifier: MIT
// Sort keys as unsigned integers: conversion to and from keys, and their digits.
//
// KEY            uchar, ushort, uint or ulong: the bits of a key
// KEY_BITS       8 to 64
// KEY_IS_FLOAT   1: keys are IEEE numbers of that width
// KEY_TIES       1: keys that compare equal in NumPy (0.0 and -0.0, any two NaNs) must have equal digits,
//                because the order of their values is visible
#define DIGITS 256

#if KEY_BITS == 64
#define KEY_SIGNED long
#define KEY_SIGN 0x8000000000000000UL
#define KEY_NAN_COUNT 0xfffffffffffffUL
#elif KEY_BITS == 32
#define KEY_SIGNED int
#define KEY_SIGN 0x80000000u
#define KEY_NAN_COUNT 0x7fffffu
#elif KEY_BITS == 16
#define KEY_SIGNED short
#define KEY_SIGN 0x8000
#define KEY_NAN_COUNT 0x3ff
#else
#define KEY_SIGNED char
#define KEY_SIGN 0x80
#define KEY_NAN_COUNT 0
#endif

// Maps keys to unsigned integers of the same order; key_out is the inverse. `flip` is XORed to the bits. For
// ascending order it is the sign bit of signed integers and 0 otherwise; for descending order these bits are
// inverted, for floats only the sign bit. For floats, the subtraction moves NaNs with a sign bit from the
// front to the end, after the other NaNs.
inline KEY key_in(KEY x, KEY flip) {
  x ^= flip;
#if KEY_IS_FLOAT
  x ^= (KEY)((KEY)((KEY_SIGNED)x >> (KEY_BITS - 1)) | KEY_SIGN);
  x -= KEY_NAN_COUNT;
#endif
  return x;
}

inline KEY key_out(KEY x, KEY flip) {
#if KEY_IS_FLOAT
  x += KEY_NAN_COUNT;
  x ^= (KEY)((KEY)((KEY_SIGNED)(KEY)~x >> (KEY_BITS - 1)) | KEY_SIGN);
#endif
  return x ^ flip;
}

// Returns the value that decides the order: the key, or one value for all keys that compare equal.
inline KEY order_of(KEY x) {
#if KEY_IS_FLOAT && KEY_TIES
  const KEY minus_zero = KEY_SIGN - 1 - KEY_NAN_COUNT, first_nan = (KEY)~(KEY)0 - 2 * (KEY)KEY_NAN_COUNT + 1;
  x = x == minus_zero ? (KEY)(minus_zero + 1) : x;
  x = x >= first_nan ? (KEY)~(KEY)0 : x;
#endif
  return x;
}

inline uint digit_of(KEY x, uint shift) { return (uint)(order_of(x) >> shift) & (DIGITS - 1); }
