# SPDX-License-Identifier: MIT
"""Local memory and barriers in every shape that kernels give them."""

import numpy as np
import pytest

import quern as qn


def test_local_variables_of_every_kind(run):
    source = """
    typedef struct { int key; float2 pair; } Item;
    kernel void k(global float *out) {
      local int scalar;
      local float row[8], grid[2][8];
      local Item items[8];
      local float4 vectors[8];
      volatile local int *p = &scalar;
      const int id = get_local_id(0);
      if (id == 0) *p = 5;
      row[id] = id;
      grid[id % 2][id] = 10 * id;
      items[id].key = id;
      items[id].pair = (float2)(id, -id);
      vectors[id] = (float4)(id);
      vectors[id].y = 2 * id;
      barrier(CLK_LOCAL_MEM_FENCE);
      const int n = 7 - id;
      local Item *item = items + n;
      out[get_global_id(0)] = scalar + row[n] + grid[n % 2][n] + item->key + item->pair.y + vectors[n].y;
    }"""
    out = run(source, 16, 8, np.zeros(16, np.float32))
    n = np.tile(7 - np.arange(8), 2)
    np.testing.assert_array_equal(out, 5 + n + 10 * n + n - n + 2 * n)


def test_local_parameters_beside_local_variables(queue):
    source = """
    kernel void k(global int *out, local int *a, int n, local float4 *b) {
      local int c[16];
      const int id = get_local_id(0);
      a[id] = id;
      b[id] = (float4)(id * 2);
      c[id] = id * 4;
      barrier(CLK_LOCAL_MEM_FENCE);
      const int other = (id + 1) % n;
      out[get_global_id(0)] = a[other] + (int)b[other].w + c[other];
    }"""
    out = qn.zeros(32, np.int32, queue=queue)
    qn.Program(source).k(queue, 32, 16, out, qn.LocalMemory(64), 16, qn.LocalMemory(256))
    np.testing.assert_array_equal(out.get(), np.tile(np.roll(np.arange(16), -1), 2) * 7)


def test_private_values_live_across_barriers(run):
    source = """
    kernel void k(global const int *in, global int *out) {
      local int shared[16];
      const int id = get_local_id(0);
      int mine = in[get_global_id(0)], kept[3] = {mine, mine + 1, mine + 2};
      float4 v = (float4)(mine, 1, 2, 3);
      for (int round = 0; round < 3; round++) {
        shared[id] = mine;
        barrier(CLK_LOCAL_MEM_FENCE);
        mine += shared[(id + round + 1) % 16];
        v.yz += 1;
        barrier(CLK_LOCAL_MEM_FENCE);
      }
      out[get_global_id(0)] = mine + kept[2] + (int)v.z;
    }"""
    a = np.random.default_rng(3).integers(0, 100, 48).astype(np.int32)
    _, out = run(source, 48, 16, a, np.zeros(48, np.int32))
    expected = a.reshape(3, 16).copy()
    for k in range(3):
        expected = expected + np.roll(expected, -(k + 1), 1)
    np.testing.assert_array_equal(out, (expected + a.reshape(3, 16) + 2 + 5).reshape(-1))


def test_barriers_in_helpers_branches_and_nested_loops(run, newer_pocl_aborts):
    newer_pocl_aborts("barriers of an inlined helper in a nested loop")
    source = """
    void sync(void) { barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); }
    int sum_of(local int *s, int id, int size) {
      for (int step = size / 2; step > 0; step >>= 1) {
        if (id < step) s[id] += s[id + step];
        sync();
      }
      return s[0];
    }
    kernel void k(global int *out, int rounds, int deep) {
      local int s[32];
      const int id = get_local_id(0), size = get_local_size(0);
      int total = 0;
      for (int r = 0; r < rounds; r++) {
        s[id] = id + r;
        sync();
        if (deep) {
          for (int k = 0; k < 2; k++) {
            total += sum_of(s, id, size);
            sync();
            s[id] = k;
            sync();
          }
        } else {
          total += s[size - 1 - id];
          sync();
        }
        if (r == 1 && get_group_id(0) == 1) break;
      }
      out[get_global_id(0)] = total;
    }"""
    for deep in (0, 1):
        out = run(source, 64, 32, np.zeros(64, np.int32), 3, deep)
        expected = []
        for group in range(2):
            rounds = 2 if group == 1 else 3
            for i in range(32):
                if deep:
                    expected.append(sum(sum(j + r for j in range(32)) for r in range(rounds)))
                else:
                    expected.append(sum(31 - i + r for r in range(rounds)))
        np.testing.assert_array_equal(out, expected)


def test_groups_that_return_as_one(run):
    source = """
    kernel void k(global int *out, int n) {
      local int s[8];
      if (get_group_id(0) * 8 >= n) return;
      s[get_local_id(0)] = get_global_id(0);
      barrier(CLK_LOCAL_MEM_FENCE);
      out[get_global_id(0)] = s[7 - get_local_id(0)];
    }"""
    out = run(source, 32, 8, np.full(32, -1, np.int32), 16)
    expected = [7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8] + [-1] * 16
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("line", ["local int a = 5;", "if (get_local_id(0)) { local int inner; inner = 1; }"])
def test_misuse_is_refused(build_error, line):
    assert "use.cl:2:" in str(build_error(f"kernel void k(global int *o) {{\n{line}\n}}", name="use.cl"))
