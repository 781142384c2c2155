# SPDX-License-Identifier: MIT
"""Constant data at program scope and inside functions, constant arguments, and data of a program in global memory."""

import numpy as np
import pytest
from table import Table

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


NUMBERS = {
    "float": [
        ("INFINITY", np.inf),
        ("-INFINITY", -np.inf),
        ("0.0f / 0.0f", np.nan),
        ("-1.0 / 0.0", -np.inf),
        ("-0.0f", -0.0),
        ("HUGE_VALF * 1.0f", np.inf),
        ("(float)(1.0 / 3.0)", np.float32(1 / 3)),
        ("0.1f + 0.2f", np.float32(0.1) + np.float32(0.2)),
        ("16777217", 16777216),
        ("(int)2.7f", 2),
        ("(1, 2)", 2),
        ("2.5f > 1", 1),
        ("!2.5f", 0),
        ("half_of_seven / 2", 1.75),
        ("one ? half_of_seven : 1", 3.5),
        ("1.0e-45f / 2", 0),
    ],
    "int": [
        ("-7 / 2", -3),
        ("-7 % 3", -1),
        ("-7 >> 1", -4),
        ("INT_MAX + one", -(2**31)),
        ("1 << 33", 2),
        ("(uchar)300", 44),
        ("1.5 < 2 && 0.5f", 1),
        ("(int)-2.5", -2),
        ("5u - 6u == UINT_MAX", 1),
        ("&squares[2] - &squares[0]", 2),
    ],
    "int4": [
        ("(int4)(7) == (int4)(7, 8, 7, 8)", [-1, 0, -1, 0]),
        ("(int4)(1) << 33", [2] * 4),
        ("~(int4)(1)", [-2] * 4),
        ("!(int4)(1, 0, 2, 0)", [0, -1, 0, -1]),
        ("(int4)(7, 8, 9, 10) / 3 * 2", [4, 4, 6, 6]),
        ("(int4)(one, (int2)(1.9f), INT_MAX) + 1", [2, 2, 2, -(2**31)]),
    ],
    "float4": [
        ("(float4)(INFINITY, -INFINITY, 0.0f / 0.0f, 1)", [np.inf, -np.inf, np.nan, 1]),
        ("-(float4)(1, 2, 3, 4) * 2", [-2, -4, -6, -8]),
        ("1.5f", [1.5] * 4),
    ],
}


def test_initialisers_are_computed_as_in_kernels(queue, beyond_the_standard):
    prelude = (
        "constant int one = 1; constant float half_of_seven = 3.5f; constant int squares[3] = {0, 1, 4};\n"
    )
    table = Table()
    for kind, rows in NUMBERS.items():
        for k, (text, expected) in enumerate(rows):
            prelude += f"constant {kind} {kind}_{k} = {text};\n"
            table.add(f"{kind}_{k}", [expected], kind)
    table.run(queue, prelude)


def test_constants_may_be_made_of_constants_and_pointers_of_pointers(run, beyond_the_standard):
    # A chain of sums of itself, which must not be written out: it would double at each step.
    chain = "constant float a0 = 1;" + "".join(f"constant float a{k + 1} = a{k} + a{k};" for k in range(100))
    source = f"""{chain}
    constant int table[3] = {{1, 2, 3}};
    constant int *constant first = table;
    constant int *constant second = first + 1;
    constant char *constant names[2] = {{"a", "bc"}};
    kernel void k(global float *out) {{
      const int n = 2;
      constant int twice = 2 * n;
      out[0] = a100 / a99; out[1] = second[1]; out[2] = names[1][1]; out[3] = twice;
    }}"""
    assert list(run(source, 1, None, np.zeros(4, np.float32))) == [2, 3, ord("c"), 4]


def test_not_a_number_is_a_constant(run, device):
    # clang's own headers define NAN as a call, which is not a constant expression.
    if device.backend == "opencl":
        pytest.skip("a matter of the device's compiler")
    source = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
    constant float a[2] = {NAN, as_float(0x40490fdb)}; constant double b = -NAN; constant half4 h = (half4)(INFINITY, 1.1h, 1.0h / 3, NAN);
    kernel void k(global float *out) { out[0] = a[0]; out[1] = a[1]; out[2] = b; vstore4(convert_float4(h), 1, out); }"""
    out = run(source, 1, None, np.zeros(8, np.float32))
    expected = [
        np.nan,
        np.float32(np.pi),
        np.nan,
        0,
        np.inf,
        np.float16(1.1),
        np.float16(1) / np.float16(3),
        np.nan,
    ]
    np.testing.assert_array_equal(out, np.float32(expected))


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
    [
        "constant int c = 1; void f(void) { c = 2; }",
        "constant int unset;",
        "local int shared;",
    ],
)
def test_misuse_is_refused(build_error, line):
    assert build_error(f"{line}\nkernel void k(global int *a) {{ a[0] = 0; }}")


@pytest.mark.usefixtures("beyond_the_standard")
@pytest.mark.parametrize(
    "line",
    [
        "constant int undefined = 1 / 0;",
        "void f(void) { constant int unset; }",
        "constant float computed = sqrt(2.0f);",
        "constant int address = (int)&address;",
        "constant int table[2] = {1, 2}; constant int copied = table[1];",
    ],
)
def test_what_is_no_constant_is_refused(build_error, line):
    assert build_error(f"{line}\nkernel void k(global int *a) {{ a[0] = 0; }}")
