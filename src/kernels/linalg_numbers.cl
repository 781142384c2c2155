// SPDX-License-Identifier: MIT
// Arithmetic of real and complex numbers, for the kernels of small matrices.
//
// VALUE, PART        float or double; for complex numbers VALUE is a vector of two PARTs
// COMPLEX            1: the numbers are complex
// TINY               the least magnitude whose inverse is finite, for linalg_shuffled.cl
#pragma OPENCL FP_CONTRACT ON

#if COMPLEX
#define NUMBER(x) ((VALUE)((x), 0))
inline PART real_part(VALUE a) { return a.x; }
inline PART size_of(VALUE a) { return fabs(a.x) + fabs(a.y); }
inline VALUE conjugate(VALUE a) { return (VALUE)(a.x, -a.y); }
inline VALUE times(VALUE a, VALUE b) { return (VALUE)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
// Divided by the larger part first, which avoids overflow. Equal numbers give 1 exactly, as real ones do.
inline VALUE quotient(VALUE a, VALUE b) {
  if (a.x == b.x && a.y == b.y) return NUMBER(1);
  if (fabs(b.x) >= fabs(b.y)) {
    const PART ratio = b.y / b.x, scale = b.x + b.y * ratio;
    return (VALUE)((a.x + a.y * ratio) / scale, (a.y - a.x * ratio) / scale);
  }
  const PART ratio = b.x / b.y, scale = b.x * ratio + b.y;
  return (VALUE)((a.x * ratio + a.y) / scale, (a.y * ratio - a.x) / scale);
}
inline VALUE scaled(VALUE a, int power) { return (VALUE)(ldexp(a.x, power), ldexp(a.y, power)); }
inline PART largest_part(VALUE a) { return fmax(fabs(a.x), fabs(a.y)); }
inline bool is_number(VALUE a) { return isfinite(a.x) && isfinite(a.y); }
inline bool has_nan(VALUE a) { return isnan(a.x) || isnan(a.y); }
inline bool has_imaginary_part(VALUE a) { return a.y != 0; }
// sum + |a|^2, sum + a b, sum + conj(a) b
inline PART plus_square(PART sum, VALUE a) { return sum + a.x * a.x + a.y * a.y; }
inline VALUE plus_product(VALUE sum, VALUE a, VALUE b) {
  return (VALUE)(sum.x + a.x * b.x - a.y * b.y, sum.y + a.x * b.y + a.y * b.x);
}
inline VALUE plus_inner(VALUE sum, VALUE a, VALUE b) {
  return (VALUE)(sum.x + a.x * b.x + a.y * b.y, sum.y + a.x * b.y - a.y * b.x);
}
#else
#define NUMBER(x) ((VALUE)(x))
inline PART real_part(VALUE a) { return a; }
inline PART size_of(VALUE a) { return fabs(a); }
inline VALUE conjugate(VALUE a) { return a; }
inline VALUE times(VALUE a, VALUE b) { return a * b; }
inline VALUE quotient(VALUE a, VALUE b) { return a / b; }
inline VALUE scaled(VALUE a, int power) { return ldexp(a, power); }
inline PART largest_part(VALUE a) { return fabs(a); }
inline bool is_number(VALUE a) { return isfinite(a); }
inline bool has_nan(VALUE a) { return isnan(a); }
inline bool has_imaginary_part(VALUE a) { return false; }
inline PART plus_square(PART sum, VALUE a) { return sum + a * a; }
inline VALUE plus_product(VALUE sum, VALUE a, VALUE b) { return sum + a * b; }
inline VALUE plus_inner(VALUE sum, VALUE a, VALUE b) { return sum + a * b; }
#endif

// Multiplies a product by a number. Its binary exponent is kept apart, so that partial products neither
// overflow nor vanish.
inline void multiply(VALUE *product, int *exponent, VALUE number) {
  *product = times(*product, number);
  const PART size = size_of(*product);
  if (!(size > 0) || !isfinite(size)) return;
  int power = 0;
  frexp(size, &power);
  *product = scaled(*product, -power);
  *exponent += power;
}
