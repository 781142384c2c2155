# SPDX-License-Identifier: MIT
"""Programs that tests share: one build for each device, since PoCL takes a third of a second for every kernel."""

import quern as qn

SCALARS = {
    "char": "int8",
    "uchar": "uint8",
    "short": "int16",
    "ushort": "uint16",
    "int": "int32",
    "uint": "uint32",
    "long": "int64",
    "ulong": "uint64",
    "float": "float32",
    "double": "float64",
}

BASIC_SOURCE = """
kernel void twice(global float *a) {
  a[get_global_id(0)] *= 2;
}
kernel void add(global const float *a, global const float *b, global float *sum) {
  int i = get_global_id(0);
  sum[i] = a[i] + b[i];
}
kernel void fill(global float *a, float value, int n) {
  int i = get_global_id(0);
  if (i < n) a[i] = value;
}
kernel void number(global int *a) {
  int i = get_global_id(0);
  a[i] = i;
}
kernel void ids(global int *a, int width, int height) {
  int x = get_global_id(0);
  int y = get_global_id(1);
  int z = get_global_id(2);
  a[(z * height + y) * width + x] = 10000 * z + 100 * y + x;
}
kernel void groups(global int *a) {
  a[get_global_id(0)] = get_local_size(0);
}
kernel void spin(global float *a, int n) {
  float x = a[0];
  for (int i = 0; i < n; i++) x = x * 0.999f + 0.5f;
  a[0] = x;
}
kernel void is_null(global int *out, global const float *a) {
  out[0] = a == 0;
}
"""

BASIC = qn.Program(BASIC_SOURCE, name="basic.cl")

ADD_STRIDED = qn.Program(
    """
kernel void add_strided(global long *to, global const long *from, long to_first, long from_first, long to_step,
                        long from_step) {
  long i = get_global_id(0);
  to[to_first + i * to_step] += from[from_first + i * from_step];
}
""",
    name="add_strided.cl",
)

PUT = qn.Program(
    "\n".join(f"kernel void put_{c}(global {c} *out, {c} value) {{ out[0] = value; }}" for c in SCALARS),
    name="put.cl",
)


def kernel_in_flight(x):
    """Starts work on x that takes a while, and returns what it adds to each element."""
    source = "kernel void slow(global int *x) { int v = 0; for (int k = 0; k < 20000; ++k) v += (k ^ v) & 1; x[get_global_id(0)] += v * 0 + 5; }"
    qn.Program(source).slow(qn.Queue(x.device), x.size, None, x)
    return 5
