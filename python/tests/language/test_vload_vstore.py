# SPDX-License-Identifier: MIT
"""vload and vstore of every width at any alignment, in every address space, and of half."""

import numpy as np
import pytest
from table import NAMES

import quern as qn


@pytest.mark.parametrize("kind", ["uchar", "short", "int", "ulong", "float", "double"])
def test_every_width_from_an_odd_place(run, kind):
    steps = "\n".join(
        f"vstore{w}(vload{w}(1, a + 1) + ({kind}{w})1, 0, out + {at});"
        for w, at in zip((2, 3, 4, 8, 16), (1, 5, 9, 15, 25), strict=True)
    )
    a = np.arange(40).astype(NAMES[kind])
    _, out = run(
        f"kernel void k(global const {kind} *a, global {kind} *out) {{ {steps} }}",
        1,
        None,
        a,
        np.zeros(42, NAMES[kind]),
    )
    expected = np.zeros(42, NAMES[kind])
    for w, at in zip((2, 3, 4, 8, 16), (1, 5, 9, 15, 25), strict=True):
        expected[at : at + w] = a[1 + w : 1 + 2 * w] + 1
    np.testing.assert_array_equal(out, expected)


def test_private_local_and_constant_memory(run):
    source = """
    constant int numbers[6] = {1, 2, 3, 4, 5, 6};
    kernel void k(global int *out) {
      local int shared[8];
      int mine[8];
      vstore4(vload4(0, numbers + 1), 1, mine);
      mine[3] = 9;
      vstore3(vload3(1, mine), 0, shared);
      vstore2(vload2(0, shared + 1), 0, out);
      out[2] = vload3(1, numbers).z;
    }"""
    assert list(run(source, 1, 1, np.zeros(3, np.int32))) == [2, 3, 6]


def test_half_in_memory(queue, rng):
    source = """
    kernel void k(global const half *a, global half *b, global half *c, global float *out) {
      int i = get_global_id(0);
      out[i] = vload_half(i, a);
      vstore_half(out[i] * 3, i, b);
      if (i == 0) {
        float4 v = vload_half4(1, a + 1);
        vstore_half4(v, 0, c + 1);
        vstore_half3(vload_half3(1, a), 2, c);
        vstorea_half4(vloada_half4(2, a), 3, c);
        vstorea_half2(vloada_half2(1, a), 10, c);
        vstore_half_rtz(1.0009f, 24, c);
        vstore_half_rtp(1.0001f, 25, c);
        vstore_half_rtn(-1.0001f, 26, c);
        vstore_half_rte(65520.0f, 27, c);
      }
    }"""
    a = rng.standard_normal(16).astype(np.float16)
    a[:4] = [0, -0.0, np.inf, 6e-8]
    arrays = [
        qn.asarray(x, queue=queue) for x in (a, np.zeros(16, "f2"), np.zeros(32, "f2"), np.zeros(16, "f4"))
    ]
    qn.Program(source).k(queue, 16, None, *arrays)
    b, c, out = (x.get() for x in arrays[1:])
    np.testing.assert_array_equal(out, a.astype(np.float32))
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(b, (a.astype(np.float32) * 3).astype(np.float16))
    np.testing.assert_array_equal(c[1:5], a[5:9])
    np.testing.assert_array_equal(c[6:9], a[3:6])
    np.testing.assert_array_equal(c[12:16], a[8:12])
    np.testing.assert_array_equal(c[20:22], a[2:4])
    one = np.float16(1)
    np.testing.assert_array_equal(
        c[24:28], [one, np.nextafter(one, np.float16(2)), -np.nextafter(one, np.float16(2)), np.inf]
    )


def test_half_is_a_type_where_the_device_has_it(queue, device, rng):
    if device.backend == "opencl":  # PoCL has none
        pytest.skip("the device has no cl_khr_fp16")
    source = """
    #pragma OPENCL EXTENSION cl_khr_fp16 : enable
    half scaled(half x) { return x * (half)2.5f; }
    kernel void k(global const half *a, global half *b, global half4 *v) {
      int i = get_global_id(0);
      half x = a[i];
      b[i] = scaled(x) + 1.0h;
      if (i == 0) v[0] = (half4)(1, 2, 3, 4) / (half)3 - v[0].wzyx;
    }"""
    a = rng.standard_normal(32).astype(np.float16)
    arrays = [qn.asarray(x, queue=queue) for x in (a, np.zeros(32, "f2"), np.zeros(4, "f2"))]
    qn.Program(source).k(queue, 32, None, *arrays)
    np.testing.assert_array_equal(arrays[1].get(), a * np.float16(2.5) + np.float16(1))
    np.testing.assert_array_equal(arrays[2].get(), np.float16([1, 2, 3, 4]) / np.float16(3))
