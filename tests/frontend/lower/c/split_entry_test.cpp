// SPDX-License-Identifier: MIT
// Kernels that are split at their barriers, against the same text as C++ with a thread for each work-item.
#include "frontend/lower/c/shared_kernel.hpp"

namespace quern::frontend::test {
namespace {

constexpr Launch kRow{{150, 1, 1}, {32, 1, 1}, {4, 0, 0}};  // the last group has 22
constexpr Launch kPlane{{21, 10, 1}, {8, 4, 1}, {1, 2, 0}};
constexpr Launch kBlock{{7, 5, 5}, {4, 2, 3}, {0, 1, 2}};

// clang-format off
QUERN_SHARED_KERNEL(neighbours, (global int *out, global const int *in, int n) {
  local int s[64];
  int l = get_local_id(0); int i = get_global_id(0); int m = get_local_size(0);
  s[l] = in[i] * n;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = s[(l + 1) % m] - s[l];
})
QUERN_SHARED_KERNEL(tree, (global int *out, global const int *in, int n) {
  local int s[64];
  int l = get_local_id(0); int m = get_local_size(0); int a = 0;
  for (int i = get_global_id(0); i < n * 100; i += get_global_size(0)) a += in[i];
  s[l] = a;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 32; k > 0; k >>= 1) { if (l < k && l + k < m) s[l] += s[l + k]; barrier(CLK_LOCAL_MEM_FENCE); }
  if (l == 0) out[get_group_id(0)] = s[0];
})
QUERN_SHARED_KERNEL(scan, (global int *out, global const int *in, int n) {
  local int s[64];
  int l = get_local_id(0); int i = get_global_id(0);
  s[l] = in[i]; barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = 1; d < 64; d *= 2) {
    int t = 0;
    if (l >= d) t = s[l - d];
    barrier(CLK_LOCAL_MEM_FENCE);
    s[l] += t;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[i] = s[l] + n;
})
QUERN_SHARED_KERNEL(uniform_exits, (global int *out, global const int *in, int n) {
  local int s[64];
  int l = get_local_id(0); int i = get_global_id(0); int m = get_local_size(0); int x = in[i]; int t = 0;
  if (n == 0) return;
  while (1) {
    s[l] = x; barrier(CLK_LOCAL_MEM_FENCE);
    x = x * 3 + s[m - 1 - l]; t++;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t == 2) { x += 1; continue; }
    if (t > n) break;
    x ^= t;
  }
  out[i] = x + t;
})
QUERN_SHARED_KERNEL(agreed_branch, (global int *out, global const int *in, int n) {
  local int s[64];
  int l = get_local_id(0); int i = get_global_id(0); int x = in[i];
  if (in[get_group_id(0)] + (l - l) > n) {
    s[l] = x; barrier(CLK_LOCAL_MEM_FENCE);
    x += s[0]; int y = x; barrier(CLK_LOCAL_MEM_FENCE); x = y * 2;
  } else { x = -x; }
  out[i] = x;
})
QUERN_SHARED_KERNEL(agreed_loop, (global int *out, global const int *in, int n) {
  local int s[64];
  int l = get_local_id(0); int i = get_global_id(0); int x = in[i]; int k = l;
  while (k - l < n) { s[l] = x; barrier(CLK_LOCAL_MEM_FENCE); x += s[get_local_size(0) - 1 - l]; k++; barrier(CLK_LOCAL_MEM_FENCE); }
  out[i] = x + k;
})
QUERN_SHARED_KERNEL(agreed_do, (global int *out, global const int *in, int n) {
  local int s[64];
  int l = get_local_id(0); int i = get_global_id(0); int x = in[i]; int k = 3 * l;
  do { s[l] = x; barrier(CLK_LOCAL_MEM_FENCE); x = x * 5 + s[0]; k++; barrier(CLK_LOCAL_MEM_FENCE); if (k == 3 * l + 3) continue; x++; } while (k - 3 * l < n);
  out[i] = x;
})
QUERN_SHARED_KERNEL(early_return_of_all, (global int *out, global const int *in, int n) {
  local int s[64];
  int l = get_local_id(0); int i = get_global_id(0);
  if (i >= 1000) return;
  s[l] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (n == 17) { out[i] = s[0]; return; }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = s[get_local_size(0) - 1];
})
QUERN_SHARED_KERNEL(return_in_loop, (global int *out, global const int *in, int n) {
  local int s[64];
  int l = get_local_id(0); int i = get_global_id(0); int x = in[i];
  for (int k = 0; k < 5; k++) {
    for (int j = 0; j < 3; j++) { s[l] = x + j; barrier(CLK_LOCAL_MEM_FENCE); x += s[0]; barrier(CLK_LOCAL_MEM_FENCE); if (k * 3 + j == n) { out[i] = x; return; } }
    x++;
  }
  out[i] = -x;
})
QUERN_SHARED_KERNEL(uniform_switch, (global int *out, global const int *in, int n) {
  local int s[64];
  int l = get_local_id(0); int i = get_global_id(0); int x = in[i];
  for (int k = 0; k < n; k++) {
    switch (k % 4) {
      case 0: s[l] = x; barrier(CLK_LOCAL_MEM_FENCE); x += s[0]; break;
      case 1: x *= 3; break;
      case 2: if (k == 6) break; x += 7; barrier(CLK_LOCAL_MEM_FENCE); break;
      default: x ^= 21; continue;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[i] = x;
})
QUERN_SHARED_KERNEL(private_arrays, (global int *out, global const int *in, int n) {
  local int s[64];
  int l = get_local_id(0); int i = get_global_id(0); int t[4] = {1, 2, 3}; int x = in[i]; int *p = &x;
  t[n & 3] = x; s[l] = x; barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < 4; k++) t[k] += s[0] * k;
  *p += 4;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = t[0] + 3 * t[1] + 5 * t[2] + 7 * t[3] + x;
})
QUERN_SHARED_KERNEL(loops_inside, (global int *out, global const int *in, int n) {
  local int s[64];
  int l = get_local_id(0); int i = get_global_id(0); int m = get_local_size(0); int x = 0;
  s[l] = in[i]; barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < m; k++) x = x * 3 + s[k];
  int y = in[i] & 31;
  while (y > 0) { y = y / 2; x += y; }
  barrier(CLK_LOCAL_MEM_FENCE);
  s[l] = x; barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = s[m - 1 - l] + n;
})
QUERN_SHARED_KERNEL(planes, (global int *out, global const int *in, int n) {
  local int s[8][8];
  int lx = get_local_id(0); int ly = get_local_id(1); int x = get_global_id(0); int y = get_global_id(1); int a = 0;
  for (int t = 0; t < n; t++) {
    s[ly][lx] = in[x + 32 * y + t]; barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < (int)get_local_size(0); k++) a = a * 3 + s[ly][k];
    for (int k = 0; k < (int)get_local_size(1); k++) a += s[k][lx] * ly;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[x + 32 * y] = a;
})
QUERN_SHARED_KERNEL(blocks, (global int *out, global const int *in, int n) {
  local int s[64];
  int lx = get_local_id(0); int ly = get_local_id(1); int lz = get_local_id(2);
  int w = get_local_size(0); int h = get_local_size(1); int d = get_local_size(2);
  int at = get_global_id(0) + 16 * (get_global_id(1) + 16 * get_global_id(2));
  s[lx + w * (ly + h * lz)] = in[at] + n; barrier(CLK_LOCAL_MEM_FENCE);
  int far = s[w - 1 - lx + w * (h - 1 - ly + h * (d - 1 - lz))]; barrier(CLK_LOCAL_MEM_FENCE);
  out[at] = far * 3 + lz;
})
QUERN_SHARED_KERNEL(declared_on_top, (global int *out, global const int *in, int n) {
  local int s[64];
  int l; int i; int k; int t; int x;
  l = get_local_id(0); i = get_global_id(0); x = 0;
  for (k = 0; k < n; k++) { t = in[i + k]; s[l] = t; barrier(CLK_LOCAL_MEM_FENCE); t = s[0]; x += t; barrier(CLK_LOCAL_MEM_FENCE); }
  t = x + k; out[i] = t;
})
QUERN_SHARED_KERNEL(jumps, (global int *out, global const int *in, int n) {
  local int s[64];
  int l = get_local_id(0); int i = get_global_id(0); int k = 0; int x = in[i];
again: s[l] = x; barrier(CLK_LOCAL_MEM_FENCE); x += s[0]; barrier(CLK_LOCAL_MEM_FENCE);
  if (++k < n) goto again;
  out[i] = x;
})
// clang-format on

TEST(Split, computes_what_threads_do) {
  for (const SharedKernel& kernel :
       {neighbours, tree, scan, uniform_exits, agreed_branch, agreed_loop, early_return_of_all,
        return_in_loop, uniform_switch, private_arrays, loops_inside, declared_on_top})
    for (const bool is_known : {false, true})
      expect_same(kernel, kRow, {0, 1, 9, 17}, KernelForm::split,
                  is_known ? "__attribute__((reqd_work_group_size(32, 1, 1))) " : "");
}

TEST(Split, follows_planes_and_blocks_with_uneven_groups) {
  expect_same(planes, kPlane, {0, 3}, KernelForm::split);
  expect_same(planes, kPlane, {0, 3}, KernelForm::split, "__attribute__((reqd_work_group_size(8, 4, 1))) ");
  expect_same(blocks, kBlock, {1}, KernelForm::split);
  expect_same(blocks, kBlock, {1}, KernelForm::split, "__attribute__((reqd_work_group_size(4, 2, 3))) ");
}

TEST(Split, leaves_jumps_to_fibers) {
  expect_same(jumps, kRow, {5}, KernelForm::fibers);
}

// Work-items may leave a loop one by one after its last barrier.
TEST(Split, leaves_exits_that_are_not_known_to_be_taken_by_all_to_fibers) {
  expect_same(agreed_do, kRow, {0, 1, 9, 17}, KernelForm::fibers);
}

// clang-format off
#define FOLD int fold(int *a, int x, int steps) {      \
    if (steps < 0) return -1;                          \
    for (int k = 0; k < steps; k++) {                  \
      a[get_local_id(0)] = x;                          \
      barrier(CLK_LOCAL_MEM_FENCE);                    \
      x = x * 3 + a[0];                                \
      barrier(CLK_LOCAL_MEM_FENCE);                    \
      if (k == 5) return x;                            \
    }                                                  \
    return x + 1;                                      \
  }
#define TEXT_OF(x) TEXT(x)
#define TEXT(x) #x
namespace as_cpp {
using namespace opencl;
static FOLD
}
QUERN_SHARED_KERNEL(barrier_in_helper, (global int *out, global const int *in, int n) {
  local int s[64];
  int i = get_global_id(0);
  int x = fold(s, in[i], n) + 2 * fold(s, in[i] + 1, n - 3);
  out[i] = fold(s, x, 2);
})
// clang-format on

TEST(Split, reaches_into_helpers_with_barriers) {
  std::string text = TEXT_OF(FOLD) " ";
  text.replace(text.find("int *a"), 6, "local int *a");
  expect_same(barrier_in_helper, kRow, {0, 2, 9}, KernelForm::split, text);
}

TEST(Split, work_items_that_disagree_about_a_barrier_are_an_error) {
  Source source;
  source.file = "odd.cl";
  source.text =
      "kernel void odd(global int *out) {\n"
      "  if (get_local_id(0) < 3) {\n"
      "    out[0] = 1;\n"
      "    barrier(CLK_LOCAL_MEM_FENCE);\n"
      "  }\n"
      "  out[get_global_id(0)] = 2;\n"
      "}\n";
  const HostProgram program(source);
  ASSERT_EQ(program.lowered().forms, std::vector{KernelForm::split});
  int out[8] = {};
  int* out_data = out;
  const std::string failure = program.failure_of("odd", {8, 1, 1}, {8, 1, 1}, {&out_data});
  EXPECT_NE(failure.find("odd.cl:4"), std::string::npos) << failure;
}

}  // namespace
}  // namespace quern::frontend::test
