// SPDX-License-Identifier: MIT
// Kernels whose loops are taken out of the loop over work-items, against the same text as C++.
#include "frontend/lower/c/shared_kernel.hpp"

namespace quern::frontend::test {
namespace {

constexpr Launch kRow{{1003, 1, 1}, {64, 1, 1}, {5, 0, 0}};
constexpr Launch kPlane{{37, 11, 1}, {37, 3, 1}, {3, 2, 0}};
constexpr Launch kBlock{{19, 7, 5}, {19, 2, 3}, {0, 1, 2}};

// clang-format off
QUERN_SHARED_KERNEL(uniform_loop, (global int *out, global const int *in, int n) {
  int i = get_global_id(0); int s = 0;
  for (int k = 0; k < n; ++k) { if (k == 3) continue; s += in[i] * k; if (k > 7) s ^= k; if (s == 12345) s = 1; }
  out[i] = s;
})
QUERN_SHARED_KERNEL(uniform_break, (global int *out, global const int *in, int n) {
  int i = get_global_id(0); int s = in[i]; int k = 0;
  while (1) { if (k >= n) break; s = s * 3 + in[k]; k += 2; if (k == 10) { s += 5; k++; } }
  out[i] = s + k;
})
QUERN_SHARED_KERNEL(nested_loops, (global int *out, global const int *in, int n) {
  int i = get_global_id(0); int s = 0;
  for (int a = 0; a < n; a++) { int t = in[i] + a; for (int b = a; b < n; b++) { t = t * 5 + in[b]; } s ^= t; }
  out[i] = s;
})
QUERN_SHARED_KERNEL(do_loop, (global int *out, global const int *in, int n) {
  int i = get_global_id(0); int s = in[i]; int k = 0;
  do { s += in[i + k]; k++; } while (k < n);
  out[i] = s;
})
QUERN_SHARED_KERNEL(counts_down_two, (global int *out, global const int *in, int n) {
  int i = get_global_id(0); int s = 0;
  for (int a = 0, b = n - 1; a < n; b = a++) s = s * 7 + in[i] * a - b;
  out[i] = s;
})
QUERN_SHARED_KERNEL(divergent_while, (global int *out, global const int *in, int n) {
  int i = get_global_id(0); unsigned x = in[i] + 1001; int steps = 0;
  while (x != 1 && steps < n * 10) { x = (x & 1) ? 3 * x + 1 : x / 2; steps++; }
  out[i] = steps;
})
QUERN_SHARED_KERNEL(divergent_exits, (global int *out, global const int *in, int n) {
  int i = get_global_id(0); int x = in[i]; int s = 0; int k;
  for (k = 0; k < 100; k++) { x = x * 5 + 1; if ((x & 3) == 1) continue; s += x & 15; if (s > 60) break; if ((x & 64) && k > n) { s = -s; break; } }
  out[i] = s * 1000 + k;
})
QUERN_SHARED_KERNEL(divergent_do, (global int *out, global const int *in, int n) {
  int i = get_global_id(0); int x = in[i] & 255; int s = 0;
  do { s += x; x -= n + 1; if (x == 33) continue; s ^= 5; } while (x > 0);
  out[i] = s;
})
QUERN_SHARED_KERNEL(divergent_in_uniform, (global int *out, global const int *in, int n) {
  int i = get_global_id(0); int s = 0;
  for (int k = 0; k < n; k++) { int x = in[k] + in[i]; while (x > 10) { x = x / 2 - 1; s++; } s += x; }
  out[i] = s;
})
QUERN_SHARED_KERNEL(declared_outside, (global int *out, global const int *in, int n) {
  int i; int t; int s; int k;
  i = get_global_id(0); s = 0;
  for (k = 0; k < n; k++) { t = in[i + k]; if (t > 0) t = -t; s += t; }
  t = s; out[i] = t - k;
})
QUERN_SHARED_KERNEL(uniform_branch, (global int *out, global const int *in, int n) {
  int i = get_global_id(0); int s = in[i]; int m = n * 2; int q = m - 3;
  if (m > 5) { q = m; for (int k = 0; k < q; k++) s = s * 3 + k; } else { q = 2; }
  out[i] = s + q;
})
QUERN_SHARED_KERNEL(parameter_changes, (global int *out, global const int *in, int n) {
  int i = get_global_id(0); int s = 0;
  n = n / 2 + 9;
  while (n > 0) { s = s * 3 + in[i] + n; n--; }
  out[i] = s + n;
})
QUERN_SHARED_KERNEL(early_return, (global int *out, global const int *in, int n) {
  int i = get_global_id(0);
  if (i >= 900) return;
  int s = in[i];
  for (int k = 0; k < n; k++) s += in[k];
  out[i] = s;
})
QUERN_SHARED_KERNEL(grid_stride, (global int *out, global const int *in, int n) {
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) { if (in[i] == 3) continue; out[i] = in[i] * 3 + i; }
})
QUERN_SHARED_KERNEL(grid_stride_sum, (global int *out, global const int *in, int n) {
  int s = 1; size_t me = get_global_id(0);
  for (size_t i = me; i <= (size_t)n; i += get_global_size(0)) s = s * 3 + in[i];
  out[me] = s;
})
QUERN_SHARED_KERNEL(shadowed_names, (global int *out, global const int *in, int n) {
  int i = get_global_id(0); int s = 0; int k = 100;
  for (int k = 0; k < n; k++) { int n = in[i] + k; { int s = 3; n += s; } s += n; }
  { int s = k; k = s + 1; }
  out[i] = s + k;
})
QUERN_SHARED_KERNEL(planes, (global int *out, global const int *in, int n) {
  int x = get_global_id(0); int y = get_global_id(1); int s = 0;
  for (int k = 0; k < y + n; k++) s = s * 3 + in[x + k];
  out[x + 64 * y] = s;
})
QUERN_SHARED_KERNEL(blocks, (global int *out, global const int *in, int n) {
  int x = get_global_id(0); int y = get_global_id(1); int z = get_global_id(2); int s = z;
  for (int k = 0; k < n; k++) s = s * 3 + in[x + k] * y;
  out[x + 32 * (y + 16 * z)] = s;
})
QUERN_SHARED_KERNEL(switch_inside, (global int *out, global const int *in, int n) {
  int i = get_global_id(0); int s = 0;
  for (int k = 0; k < n; k++) switch ((in[i] + k) & 3) { case 0: s += 1; break; case 1: s += 10; break; case 2: s += 100; break; default: s ^= 7; }
  out[i] = s;
})
QUERN_SHARED_KERNEL(private_array, (global int *out, global const int *in, int n) {
  int i = get_global_id(0); int t[8]; int s = 0;
  for (int k = 0; k < 8; k++) t[k] = in[i + k];
  for (int k = 0; k < n; k++) { t[k & 7] += t[(k + 3) & 7]; s += t[k & 7]; }
  out[i] = s;
})
QUERN_SHARED_KERNEL(gathers, (global int *out, global const int *in, int n) {
  int i = get_global_id(0); int s = 0;
  for (int k = 0; k < n; k++) s += in[in[i + k] & 1023];
  out[i] = s;
})
QUERN_SHARED_KERNEL(jumps, (global int *out, global const int *in, int n) {
  int i = get_global_id(0); int s = 0; int k = 0;
again: s += in[i] + k; k++;
  if (k < n) goto again;
  out[i] = s;
})
// clang-format on

TEST(Lanes, compute_what_single_work_items_do) {
  for (const SharedKernel& kernel :
       {uniform_loop, uniform_break, nested_loops, do_loop, counts_down_two, divergent_while, divergent_exits,
        divergent_do, divergent_in_uniform, declared_outside, uniform_branch, parameter_changes, early_return,
        shadowed_names})
    expect_same(kernel, kRow, {0, 1, 17}, KernelForm::lanes);
}

TEST(Lanes, follow_rows_of_planes_and_blocks) {
  expect_same(planes, kPlane, {20}, KernelForm::lanes);
  expect_same(blocks, kBlock, {20}, KernelForm::lanes);
}

TEST(Lanes, stride_through_a_grid_to_its_end) {
  const auto bounds = {0, 1, 300, 999, 1000, 1001, 5000, 16000};
  expect_same(grid_stride, {{1000, 1, 1}, {100, 1, 1}, {0, 0, 0}}, bounds, KernelForm::lanes);
  expect_same(grid_stride_sum, {{700, 1, 1}, {100, 1, 1}, {0, 0, 0}}, bounds, KernelForm::lanes);
}

#define COLLATZ                       \
  int collatz(unsigned x, int most) { \
    for (int k = 0; k < most; k++) {  \
      if (x == 1) return k;           \
      if (x & 1)                      \
        x = 3 * x + 1;                \
      else                            \
        x /= 2;                       \
    }                                 \
    return most;                      \
  }
#define TEXT_OF(x) TEXT(x)
#define TEXT(x) #x
namespace as_cpp {
static COLLATZ
}
// clang-format off
QUERN_SHARED_KERNEL(calls_a_loop, (global int *out, global const int *in, int n) {
  int i = get_global_id(0);
  out[i] = collatz(in[i] + 1001, n * 8) * 2 + collatz(in[i + 1] + 1001, n * 9);
})
// clang-format on

TEST(Lanes, reach_into_helpers_with_loops) {
  expect_same(calls_a_loop, kRow, {0, 1, 17}, KernelForm::lanes, TEXT_OF(COLLATZ) " ");
}

TEST(Lanes, are_not_used_where_they_would_cost) {
  for (const SharedKernel& kernel : {switch_inside, private_array, gathers, jumps})
    expect_same(kernel, kRow, {1, 17}, KernelForm::plain);
}

}  // namespace
}  // namespace quern::frontend::test
