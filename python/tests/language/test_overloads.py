# SPDX-License-Identifier: MIT
"""Functions of one name and different parameters: __attribute__((overloadable)), as clang has it."""

import numpy as np
import pytest
from table import Table

SOURCE = """
#define MANY __attribute__((overloadable))
MANY int kind(char x) { return 1; }
MANY int kind(int x) { return 2; }
int MANY kind(float x) { return 3; }
MANY int kind(float4 x) { return 4; }
MANY int kind(uint x);
MANY int kind(ulong x) { return 6; }
MANY int kind(int x, int y) { return 7; }
int kind(global const int *x) __attribute__((__overloadable__));
MANY int kind(float *x) { return 9; }
MANY int kind(global int *x, float2 y) { return 10; }
constant int seen = 3;
MANY int kind(constant int *x) { return 11; }
MANY int kind(uint x) { return 5; }
MANY int kind(global const int *x) { return 8; }
MANY float most(float a, float b) { return max(a, b); }
MANY float most(float a, float b, float c) { return most(most(a, b), c); }
"""


@pytest.mark.usefixtures("beyond_the_standard")
def test_the_function_whose_parameters_fit_best_is_called(queue):
    table = Table(x=np.int32([1]))
    for call, expected in {
        "kind((char)1)": 1,
        "kind(x)": 2,
        "kind(1.5f)": 3,
        "kind((float4)(1))": 4,
        "kind(1u)": 5,
        "kind(1ul)": 6,
        "kind(x, x)": 7,
        "kind(in_x)": 8,
        "kind(floats)": 9,
        "kind(&seen)": 11,
        "kind((short)1)": 2,
    }.items():
        table.add(call, [expected], "int", before="float floats[2];")
    table.add("most(1.0f, 5.0f, 3.0f)", [5], "float")
    table.run(queue, SOURCE)


@pytest.mark.usefixtures("beyond_the_standard")
def test_pointers_choose_by_space_then_by_the_fewest_qualifiers(run):
    source = """
    #define MANY __attribute__((overloadable))
    MANY int a(global const int *x) { return 1; }
    MANY int a(global const volatile int *x) { return 2; }
    MANY int b(global void *x) { return 3; }
    MANY int b(global const void *x) { return 4; }
    MANY int c(global int *x) { return 5; }
    MANY int c(global volatile int *x) { return 6; }
    MANY int c(private const void *x) { return 7; }
    MANY int d(global const int *x, float y) { return 8; }
    MANY int d(private const float *x, uint y) { return 9; }
    kernel void k(global int *out, global const int *fixed, global volatile int *moving) {
      int own = 1;
      float number = 1;
      out[0] = a(out);
      out[1] = a(moving);
      out[2] = b(out);
      out[3] = b(fixed);
      out[4] = c(out);
      out[5] = c(moving);
      out[6] = c(&own);
      out[7] = d(out, 1.0f);
      out[8] = d(&number, 1);
      out[9] = d(&number, 1.0f);
    }"""
    ints = np.zeros(10, np.int32)
    out, *_ = run(source, 1, None, ints, ints.copy(), ints.copy())
    assert list(out) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 9]


def test_numbers_of_both_kinds_in_one_call_of_a_built_in_function(queue, nvidia_differs):
    nvidia_differs("its own overloads decide")
    table = Table(x=np.int32([-7, 3, 40]), f=np.float32([2.5, 9.5, 33.0]))
    x, f = table.inputs["x"], table.inputs["f"]
    table.add("add_sat(x, f)", x + f.astype(np.int32), "int")
    table.add("max(f, (int4)(x)).s3", np.maximum(x, f.astype(np.int32)), "int")
    table.add(
        "clamp((int4)(x), f, f + 10).s1", np.clip(x, f.astype(np.int32), (f + 10).astype(np.int32)), "int"
    )
    table.add("abs_diff(x, f)", np.abs(x - f.astype(np.int32)), "uint")
    table.add("mul24((char)x, (char)x)", x * x, "int")
    table.add("sizeof(mul24((char)x, (char)x))", [4, 4, 4], "int")
    table.add("mad24(x, x, (long)x)", x * x + x, "int")
    table.add("upsample((char)1, x)", 256 + (x & 255), "short")
    table.add("min(f, x + 0.5f)", np.minimum(f, x + np.float32(0.5)), "float")
    table.run(queue)


def test_functions_of_a_built_in_name_are_further_overloads(run, device):
    if device.backend == "opencl":
        pytest.skip("a matter of the device's headers")
    source = """
    __attribute__((overloadable)) int clamp(int x, int y) { return x < y ? x : y; }
    kernel void k(global int *a) { a[0] = clamp(7, 5) * 10 + clamp(7, 1, 3); }"""
    assert run(source, 1, None, np.zeros(1, np.int32))[0] == 53


@pytest.mark.parametrize(
    ("functions", "word"),
    [
        ("MANY int f(float x) { return 1; } MANY int f(double x) { return 2; }", "f(1)"),
        ("MANY int f(float4 x) { return 1; } MANY int f(float2 x) { return 2; }", "f((int3)(1))"),
        ("int f(int x) { return 1; } int f(float x) { return 2; }", "f(1)"),
        ("MANY int f(int x) { return 1; } MANY float f(int x) { return 2; }", "f(1)"),
        ("int f(int x); int f(float x) { return 2; }", "f(1)"),
    ],
    ids=["equally good", "none fits", "not overloadable", "by its result only", "declared in two ways"],
)
@pytest.mark.usefixtures("beyond_the_standard")
def test_what_cannot_be_decided_is_an_error(build_error, functions, word):
    source = f"#define MANY __attribute__((overloadable))\n{functions}\nkernel void k(global int *a) {{ a[0] = {word}; }}"
    assert "'f'" in str(build_error(source))
