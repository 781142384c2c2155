# SPDX-License-Identifier: MIT
"""OpenCL 2's generic address space: a pointer without a space takes pointers of any."""

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def front_end_only(device):
    if device.backend == "opencl":
        pytest.skip("OpenCL C 1.2 has no generic address space")


def test_one_helper_for_every_space(run):
    source = """
    int sum(const int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
    void fill(int *p, int n, int value) { for (int i = 0; i < n; i++) p[i] = value; }
    typedef struct { int *at; int n; } View;
    int total(View v) { return sum(v.at, v.n); }
    kernel void k(global int *a, global int *out) {
      local int shared[4];
      int mine[4] = {1, 2, 3, 4};
      fill(shared, 4, 5);
      out[0] = sum(a, 4);
      out[1] = sum(shared, 4);
      out[2] = sum(mine, 4);
      int *any = out[0] > 0 ? mine : (int *)shared;
      any[1] = 100;
      out[3] = mine[1];
      any = a + 1;
      *any = 50;
      generic int *named = shared;
      named[0]++;
      out[4] = shared[0];
      View v = {a, 2};
      out[5] = total(v);
      fill(out + 6, 2, 9);
    }"""
    a, out = run(source, 1, 1, np.int32([1, 2, 3, 4]), np.zeros(8, np.int32))
    assert list(out) == [10, 20, 10, 100, 6, 51, 9, 9]
    assert a[1] == 50
