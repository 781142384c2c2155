# SPDX-License-Identifier: MIT
"""Enumerations as clang types them, `a ?: b` and `_Generic`, on every device."""

import numpy as np
import pytest

import quern as qn


def run(device, source, count=8, values=()):
    """What a kernel `k(global long *out, global const int *in)` stores."""
    with qn.Queue(device) as queue:
        out = qn.zeros(count, "int64", device=device)
        given = qn.asarray(np.int32(values if len(values) else [0]), device=device)
        qn.Program(source).k(queue, 1, 1, out, given)
        return out.get().tolist()


def test_an_enumeration_without_negative_values_is_unsigned(device):
    source = """
enum plain { A, B = 5 };
enum negative { N = -1, P };
enum wide { W = 3000000000u };
kernel void k(global long *out, global const int *in) {
  enum plain v = (enum plain)in[0];
  enum negative w = (enum negative)in[1];
  enum wide x = W;
  out[0] = v > -1;             /* -1 becomes unsigned, so nothing is greater */
  out[1] = w > -1;
  out[2] = v - 6;              /* wraps: UINT_MAX */
  out[3] = w - 6;
  out[4] = (v - 6) >> 28;      /* shifts in zeros */
  out[5] = (w - 6) >> 28;
  out[6] = A - 6;              /* an enumerator is an int */
  out[7] = x > -1;
}
"""
    assert run(device, source, values=[5, 0]) == [0, 1, 2**32 - 1, -6, 15, -1, -6, 0]


@pytest.mark.usefixtures("beyond_the_standard")
def test_an_enumeration_chooses_the_overload_of_its_type(device):
    source = """
enum plain { A, B };
enum negative { N = -1, P };
int __attribute__((overloadable)) kind(int x) { return 1; }
int __attribute__((overloadable)) kind(uint x) { return 2; }
kernel void k(global long *out, global const int *in) {
  enum plain v = (enum plain)in[0];
  enum negative w = (enum negative)in[0];
  out[0] = kind(v + 0u * in[0]);
  out[1] = kind(v * 1);
  out[2] = kind(w * 1);
  out[3] = kind(A);
  out[4] = sizeof(v);
  out[5] = (long)v;
  out[6] = convert_float(v) > 0;
}
"""
    assert run(device, source, 7, [1]) == [2, 2, 1, 1, 4, 1, 1]


def test_an_enumeration_of_64_bits_is_signed_only_where_a_value_is(device):
    source = """
enum large { L = 0x100000000l };
enum both { M = 0x100000000l, K = -1 };
kernel void k(global long *out, global const int *in) {
  enum large v = (enum large)in[0];
  enum both w = (enum both)in[0];
  out[0] = v > -1;
  out[1] = w > -1;
  out[2] = sizeof(v) + sizeof(w);
}
"""
    assert run(device, source, 3, [7]) == [0, 1, 16]


@pytest.mark.usefixtures("beyond_the_standard")
def test_a_conditional_without_its_second_part_is_its_first(device):
    source = """
kernel void k(global long *out, global const int *in) {
  out[0] = in[0] ?: 7;
  out[1] = in[1] ?: 7;
  out[2] = (in[0] & 4) ?: in[0] - in[1] ?: 9;
  out[3] = min(in[1], 3) ?: -1;
  float f = in[1];
  out[4] = ((int)f * 3 ?: 1) * 2;
  global const int *p = in[0] ? in + 1 : 0;
  out[5] = *(p ?: in);
  out[6] = (in[0] ?: (in[1] ?: 3));
}
"""
    assert run(device, source, 7, [0, 5]) == [7, 5, -5, 3, 30, 0, 5]
    assert run(device, source, 7, [4, 0]) == [4, 7, 4, -1, 2, 0, 4]


@pytest.mark.usefixtures("beyond_the_standard")
def test_a_conditional_without_its_second_part_in_complex_programs(device):
    source = """
#pragma quern complex
kernel void k(global long *out, global const int *in) {
  complex64 z = complex64(in[0], 1);
  out[0] = in[0] ?: 7;
  out[1] = (int)real(z * z) ?: 2;
  out[2] = (int)imag(z * z) ?: (int)real(z * z * z * z);
}
"""
    assert run(device, source, 3, [0]) == [7, -1, 1]


@pytest.mark.usefixtures("beyond_the_standard")
def test_generic_selection_takes_the_part_of_the_type(device):
    source = """
#define kind(x) _Generic((x), int: 1, uint: 2, float: 3, float4: 4, global const int *: 5, default: 9)
kernel void k(global long *out, global const int *in) {
  const int a = in[0];
  float4 v = 0;
  out[0] = kind(a);
  out[1] = kind(1u);
  out[2] = kind(1.0f);
  out[3] = kind(v);
  out[4] = kind(in);
  out[5] = kind((short)1);
  out[6] = _Generic(a, int: a + 1, float: in[100000]);
}
"""
    assert run(device, source, 7, [4]) == [1, 2, 3, 4, 5, 9, 5]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "x[0] = x[0]++ ?: 1;",
            "'[?]:' without a second operand, whose first operand calls a function or changes a variable, is",
        ),
        ("x[0] = ({ int y = 3; y; });", "a block of statements in an expression is not supported"),
        ("x[0] = _Generic(x[0], float: 1);", "_Generic has no association for 'int' and no default"),
        ("x[0] = _Generic(x[0], int: 1, int: 2);", "_Generic has two associations for this type"),
    ],
)
def test_what_is_not_there_is_said_by_its_name(text, wanted):
    """Of our own front end; OpenCL devices' compilers have their own words, or take it."""
    host = qn.device("host")
    with pytest.raises(qn.BuildError, match=wanted):
        qn.Program(f"kernel void k(global int *x) {{ {text} }}").build(host)
