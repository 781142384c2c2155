# SPDX-License-Identifier: MIT
"""OpenCL 2's generic address space: a pointer without a space takes pointers of any."""

import numpy as np
import pytest

import quern as qn


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


WHERE = """
int where(int *p) { return (to_global(p) != 0) | (to_local(p) != 0) << 1 | (to_private(p) != 0) << 2; }
global int everywhere = 3;
kernel void k(global int *a, local int *scratch, global int *out) {
  local int shared[4];
  int mine[4], one = 1;
  const int i = get_local_id(0), g = get_global_id(0);
  mine[i & 3] = shared[i & 3] = scratch[i] = i;
  BARRIER
  int *any[7] = {a + g, shared + 3, scratch + i, mine + (i & 3), &one, &everywhere, 0};
  int found = 0;
  for (int j = 0; j < 7; j++) found = found * 8 + where(any[j]);
  int *p = a;
  if (!(i & 1)) p = shared;
  out[g] = found * 8 + where(p);
}
"""


@pytest.mark.parametrize("form", ["", "barrier(CLK_LOCAL_MEM_FENCE);", "fibers"])
def test_the_space_of_a_pointer_at_run_time(queue, form):
    text = WHERE.replace("BARRIER", form if form != "fibers" else "barrier(CLK_LOCAL_MEM_FENCE);")
    program = qn.Program(("#pragma quern fibers\n" if form == "fibers" else "") + text)
    a, out = (qn.zeros(64, np.int32, queue=queue) for _ in range(2))
    program.k(queue, 64, 16, a, qn.LocalMemory(64), out)
    expected = 0
    for space in (1, 2, 2, 4, 4, 1, 0):
        expected = expected * 8 + space
    odd = np.arange(64) & 1
    np.testing.assert_array_equal(out.get(), expected * 8 + np.where(odd, 1, 2))
