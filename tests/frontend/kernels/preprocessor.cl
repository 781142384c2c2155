// SPDX-License-Identifier: MIT
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define TYPE float
#define KERNEL(name, op)                                                       \
  kernel void CAT(name, _kernel)(global const TYPE *a, global TYPE *b) {       \
    const int i = get_global_id(0); /* a comment */                            \
    b[i] = a[i] op __LINE__;                                                   \
  }
#if defined(QUERN) && (__OPENCL_VERSION__ >= 120 || 0) && !defined QUERN_OPENCL
KERNEL(plus, +)
#elif 1 / 0
#error "never seen"
#else
KERNEL(minus, -)
#endif
#define SUM(first, ...) first + MORE(__VA_ARGS__)
#define MORE(a, b) (a) * (b)
#define UNROLL _Pragma("unroll")
kernel void varied(global int *out) {
  int s = 0;
  UNROLL
  for (int k = 0; k < 1; ++k) s += 0;
#pragma unroll 4
  for (int k = 0; k < 8; ++k) s += SUM(k, 2, 3);
  out[get_global_id(0)] = s;
}
