# SPDX-License-Identifier: MIT
"""Control flow and variables across barriers and hoisted loops, at which the host splits a kernel into regions."""

import numpy as np
import pytest

import quern as qn

ITEMS, GROUP, N = 256, 64, 4
SOURCE = """
#define IDS int i = get_local_id(0), g = get_global_id(0); local int s[64];

kernel void sum_before_barrier(global int *o, global const int *a, int n) {
  IDS
  int s0 = 0;
  for (int j = 0; j < n; ++j) s0 += a[j * 64 + g];
  barrier(CLK_LOCAL_MEM_FENCE);
  s[i] = s0;
  barrier(CLK_LOCAL_MEM_FENCE);
  o[g] = s[(i + 1) % 64] + s0;
}
kernel void array_before_barrier(global int *o, global const int *a, int n) {
  IDS
  int r[4] = {1, 2, 3, g};
  int s0 = g;
  for (int j = 0; j < n; ++j) s0 += a[j * 64 + g];
  r[g & 3] += s0;
  s[i] = g;
  barrier(CLK_LOCAL_MEM_FENCE);
  o[g] = r[0] + r[1] * 2 + r[2] * 3 + r[3] * 5 + s[i ^ 1];
}
kernel void vector_before_barrier(global int *o, global const int *a, int n) {
  IDS
  int4 v = (int4)(g, 1, 2, 3);
  for (int j = 0; j < n; ++j) v += (int4)(a[j * 64 + g], j, 1, 2);
  s[i] = v.x;
  barrier(CLK_LOCAL_MEM_FENCE);
  o[g] = s[i ^ 1] + v.y + v.z * 10 + v.w * 100;
}
kernel void divergent_loop_before_barrier(global int *o, global const int *a, int n) {
  IDS
  uint v = g + 1, c = 0;
  while (v != 1u && c < 50u) { v = (v & 1u) ? 3 * v + 1 : v / 2; ++c; }
  s[i] = c;
  barrier(CLK_LOCAL_MEM_FENCE);
  o[g] = s[i ^ 1] + c + v;
}
kernel void case_ranges(global int *o, global const int *a, int n) {
  IDS
  int x = 0, y;
  for (int j = 0; j < n; ++j) x += a[j * 64 + g];
  s[i] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  switch (g & 7) { case 1 ... 3: y = 5; break; case 6: y = 9; break; default: y = 1; }
  o[g] = y + s[i ^ 1];
}
kernel void divergent_continue(global int *o, global const int *a, int n) {
  IDS
  int y = 0;
  for (int j = 0; j < n; ++j) {
    s[i] = j + i;
    barrier(CLK_LOCAL_MEM_FENCE);
    y += s[i ^ 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i & 1) continue;
    y += 100;
  }
  o[g] = y;
}
kernel void break_in_a_switch(global int *o, global const int *a, int n) {
  IDS
  int y = 0;
  s[i] = i;
  switch (n) {
    case 4: barrier(CLK_LOCAL_MEM_FENCE); y = s[i ^ 1]; if (i & 1) break; y += 7; break;
    default: y = 3;
  }
  o[g] = y;
}
uint first_of(uint x, uint y) {
  if (x == y) { if (y != 7u) return x ^ y; } else if (x & 4u) return y;
  for (uint f = 0; f < (x & 7u); ++f) x = x * 3u + y;
  return x;
}
kernel void helper_in_a_branch(global int *o, global const int *a, int n) {
  IDS
  uint x = g, y = 1;
  for (int k = 0; k < n; ++k) {
    switch (n & 3) { case 2: y = 9; break; case 0: { y += (x > first_of(x, (uint)k)) ? n : 3; } break; }
    s[i] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    x += s[i ^ 1] & 7u;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  o[g] = x + y * 1000;
}
kernel void late_declaration(global int *o, global const int *a, int n) {
  IDS
  int v;
  int w = 0;
  if (n > 1000) w = v;
  s[i] = g;
  barrier(CLK_LOCAL_MEM_FENCE);
  v = s[i ^ 1];
  o[g] = v + w;
}
kernel void narrow_start(global int *o, global const int *a, int n) {
  int g = get_global_id(0), y = 0;
  for (int j = (char)get_global_id(0); j < 100 * n; j += 64) y += j * 3 + 1;
  o[g] = y;
}
kernel void wrapped_start(global int *o, global const int *a, int n) {
  int g = get_global_id(0), y = 0;
  for (ulong j = (uint)get_global_id(0) - 8u; j < (ulong)(100 * n); j += 64) y += j * 3 + 1;
  o[g] = y;
}
kernel void switch_liveness(global int *o, global const int *a, int n) {
  IDS
  int x = g * 3;
  x *= g;
  int y = 0;
  s[i] = g;
  barrier(CLK_LOCAL_MEM_FENCE);
  switch (g & 3) { case 0: x = 1; y = x; break; case 1: y = x; break; default: y = 4; }
  o[g] = y;
}
kernel void conditional_liveness(global int *o, global const int *a, int n) {
  IDS
  int x = g * 3;
  x *= g;
  s[i] = g;
  barrier(CLK_LOCAL_MEM_FENCE);
  o[g] = (g & 1) ? (x = 1) : x;
}
"""

A = (np.arange(N * 64 + ITEMS) * 7 % 101).astype(np.int32)
G = np.arange(ITEMS)
LOCAL = G % GROUP
SUMS = sum(A[j * 64 + G] for j in range(N))
PARTNER = G ^ 1  # of the same group


def collatz():
    steps, values = np.zeros(ITEMS, int), np.zeros(ITEMS, int)
    for g in range(ITEMS):
        v, c = g + 1, 0
        while v != 1 and c < 50:
            v, c = (3 * v + 1 if v & 1 else v // 2), c + 1
        steps[g], values[g] = c, v
    return steps[PARTNER] + steps + values


def private_arrays():
    out = np.zeros(ITEMS, int)
    for g in range(ITEMS):
        r = [1, 2, 3, g]
        r[g & 3] += g + SUMS[g]
        out[g] = r[0] + r[1] * 2 + r[2] * 3 + r[3] * 5 + PARTNER[g]
    return out


def first_of(x, y):
    if x == y:
        if y != 7:
            return x ^ y
    elif x & 4:
        return y
    for _ in range(x & 7):
        x = (x * 3 + y) % 2**32
    return x


def branches():
    x, y = G.copy(), np.ones(ITEMS, int)
    for k in range(N):
        y += [N if v > first_of(int(v), k) else 3 for v in x]
        x = x + (x[PARTNER] & 7)
    return x + y * 1000


def strided(start):
    return sum(j * 3 + 1 for j in range(start, 100 * N, 64))


EXPECTED = {
    "sum_before_barrier": SUMS[G - LOCAL + (LOCAL + 1) % GROUP] + SUMS,
    "array_before_barrier": private_arrays(),
    "vector_before_barrier": (G + SUMS)[PARTNER] + (1 + 6) + (2 + N) * 10 + (3 + 2 * N) * 100,
    "divergent_loop_before_barrier": collatz(),
    "case_ranges": np.select([np.isin(G & 7, (1, 2, 3)), (G & 7) == 6], [5, 9], 1) + SUMS[PARTNER],
    "divergent_continue": sum(j + (LOCAL ^ 1) + np.where(LOCAL & 1, 0, 100) for j in range(N)),
    "break_in_a_switch": (LOCAL ^ 1) + np.where(LOCAL & 1, 0, 7),
    "helper_in_a_branch": branches(),
    "late_declaration": PARTNER,
    "narrow_start": [strided((g & 127) - (g & 128)) for g in range(ITEMS)],
    "wrapped_start": [strided(g - 8) if g >= 8 else 0 for g in range(ITEMS)],
    "switch_liveness": np.select([(G & 3) == 0, (G & 3) == 1], [1, 3 * G * G], 4),
    "conditional_liveness": np.where(G & 1, 1, 3 * G * G),
}


@pytest.fixture(scope="module")
def program(device):
    return qn.Program(SOURCE).build(device)


@pytest.mark.parametrize("kernel", EXPECTED)
def test_a_kernel_cut_into_regions_is_right(device, program, kernel):
    a = qn.asarray(A, device=device)
    out = qn.zeros(ITEMS, "int32", device)
    program[kernel](qn.Queue(device), ITEMS, GROUP, out, a, N).wait()
    np.testing.assert_array_equal(out.get(), EXPECTED[kernel])


ALIASES = """
kernel void interleaved(global int *a, global int *b) {
  int g = get_global_id(0);
  a[2 * g] = g;
  int t = b[2 * g];
  a[2 * g + 1] = t * 3;
}
kernel void back_and_forth(global int *a, global int *b) {
  int g = get_global_id(0);
  int t0 = a[2 * g];
  b[2 * g] = t0 + 1;
  int t1 = a[2 * g];
  b[2 * g + 1] = t1;
  int t2 = a[2 * g + 1];
  b[2 * g + 1] += t2;
}
kernel void components(global int4 *a, global int4 *b) {
  int g = get_global_id(0);
  a[g].x = g;
  a[g].y = b[g].x + 1;
  a[g].z = b[g].y + 2;
  a[g].w = b[g].z + 3;
}
typedef struct { int first, second; } pair;
kernel void through_a_view(global int *a, global int *b) {
  int g = get_global_id(0);
  global pair *p = (global pair *)a;
  p[g].first = g;
  p[g].second = a[2 * g] + 1;
  a[2 * g] += p[g].second;
}
kernel void by_index(global int *a, global int *m) {
  int g = get_global_id(0);
  a[2 * g] = 5 * g;
  int t = a[m[g + 128] - 1000];
  a[2 * g + 1] = t + 1;
}
"""


@pytest.mark.parametrize(
    "kernel", ["interleaved", "back_and_forth", "components", "through_a_view", "by_index"]
)
def test_a_work_items_own_stores_come_before_its_loads(device, kernel):
    """Two pointers to the same memory: each work-item touches its own elements only."""
    if device.platform == "Portable Computing Language":
        pytest.skip("PoCL lets the loads overtake")
    g = np.arange(64)
    before = np.zeros(256, np.int32)
    before[:128] = np.arange(128) * 3 + 7
    if kernel == "by_index":
        before[128:192] = 1000 + 2 * g
    expected = before.copy()
    if kernel == "interleaved":
        expected[:128:2], expected[1:128:2] = g, 3 * g
    elif kernel == "back_and_forth":
        expected[:128:2] = before[:128:2] + 1
        expected[1:128:2] = 2 * expected[:128:2]
    elif kernel == "components":
        for lane, value in enumerate((g, g + 1, g + 3, g + 6)):
            expected[lane::4] = value
    elif kernel == "through_a_view":
        expected[:128:2], expected[1:128:2] = 2 * g + 1, g + 1
    else:
        expected[:128:2], expected[1:128:2] = 5 * g, 5 * g + 1
    a = qn.asarray(before, device=device)
    qn.Program(ALIASES).build(device)[kernel](qn.Queue(device), 64, None, a, a).wait()
    np.testing.assert_array_equal(a.get(), expected)
