// SPDX-License-Identifier: MIT
typedef struct __attribute__((aligned(32))) { float x; } wide;
enum __attribute__((unused)) color { red, green };

__attribute__((always_inline)) static int add(int a __attribute__((unused)), int b) { return a + b; }
int sub(int a, int b) __attribute__((noinline));
int sub(int a, int b) { return a - b; }

__kernel __attribute__((vec_type_hint(float4))) __attribute__((work_group_size_hint(16, 1, 1)))
void hinted(__global int *out __attribute__((endian(host)))) {
  int n = 0;
  __attribute__((opencl_unroll_hint(4)))
  for (int i = 0; i < 10; ++i) n = add(n, i);
  __attribute__((opencl_unroll_hint))
  while (n > 40) n = sub(n, 1);
  int unused __attribute__((unused)) = 3;
  switch (n) {
    case 0 ... 9: n = -1; break;
    case 35 ... 45: n += 1000; break;
    default: n = -2;
  }
  goto done;
done: __attribute__((unused));
  out[get_global_id(0)] = n + (int)sizeof(wide) + green;
}

__kernel __attribute__((reqd_work_group_size(8, 1, 1))) void required(__global int *out) {
  out[get_global_id(0)] = (int)get_local_size(0);
}

kernel void class(global int *new, int template) {
  struct this { int protected; } delete = {template};
  int operator = 1, virtual = 2, friend = 4, typename = 8;
  new[get_global_id(0)] = delete.protected + operator + virtual + friend + typename;
}
