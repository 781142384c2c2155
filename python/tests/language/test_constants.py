# SPDX-License-Identifier: MIT
"""Constant data at program scope and inside functions, constant arguments, and data of a program in global memory."""

import numpy as np
import pytest

import quern as qn

SOURCE = """
#define N 4
constant float weights[N] = {0.5f, 1.5f, 2.5f, 3.5f};
__constant int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
constant int answer = 6 * 7;
constant float4 direction = (float4)(1, 2, 3, 4);
constant struct { int a; float b[2]; } mixed = {3, {1.0f, 2.0f}};
constant char text[] = "quern";
constant uint mask = ~0u >> 4, shifted = 1u << 31;
constant float ratio = 1.0f / 4.0f;
const constant int also = sizeof(weights);
constant int *constant pointer = &grid[1][0];
typedef struct { int x, y; } Point;
constant Point points[] = {{1, 2}, {3, 4}, {5, 6}};

constant int hundreds[3] = {100, 200, 300};
int pick(int i) { return hundreds[i]; }

kernel void k(global float *out, constant float *given, int n) {
  constant int steps[2] = {10, 20};
  float sum = 0;
  for (int i = 0; i < N; i++) sum += weights[i] * given[i];
  out[0] = sum;
  out[1] = grid[1][2] + answer;
  out[2] = direction.z + mixed.b[1] + mixed.a;
  out[3] = text[0] + text[5];
  out[4] = mask == 0x0fffffff && shifted == 0x80000000;
  out[5] = ratio;
  out[6] = also;
  out[7] = pointer[1];
  out[8] = points[n].y;
  out[9] = pick(n) + steps[1];
  constant float *p = weights + 1;
  p++;
  out[10] = p[-1] + *p;
}
"""


def test_constant_data(run):
    given = np.float32([1, 2, 3, 4])
    out, _ = run(SOURCE, 1, None, np.zeros(11, np.float32), given, 2)
    assert list(out) == [25, 48, 8, ord("q"), 1, 0.25, 16, 5, 6, 320, 4]


def test_program_scope_data_in_global_memory_keeps_its_value(queue, device):
    # OpenCL 2's; a device of OpenCL 1.2 has none.
    source = """
    global int count = 5;
    global float table[4] = {1, 2, 3, 4};
    kernel void bump(global float *out) {
      atomic_add(&count, 1);
      out[get_global_id(0)] = table[get_global_id(0)];
    }
    kernel void show(global int *out) { out[0] = count; }"""
    if device.backend == "opencl":
        pytest.skip("a matter of the device's OpenCL C version")
    program = qn.Program(source)
    values, count = qn.zeros(4, np.float32, queue=queue), qn.zeros(1, np.int32, queue=queue)
    program.bump(queue, 4, None, values)
    program.show(queue, 1, None, count)
    assert list(values.get()) == [1, 2, 3, 4]
    assert count.get()[0] == 9


@pytest.mark.parametrize(
    "line",
    ["constant int c = 1; void f(void) { c = 2; }", "constant int unset;", "local int shared;"],
)
def test_misuse_is_refused(build_error, line):
    assert build_error(f"{line}\nkernel void k(global int *a) {{ a[0] = 0; }}")
