# SPDX-License-Identifier: MIT
"""Relational built-ins: 1 for true of scalars, -1 of vectors; select and bitselect."""

import numpy as np
from table import Table

import quern as qn

SPECIAL = [0.0, -0.0, 1.5, -2.5, np.inf, -np.inf, np.nan, 1e-45]


def test_classification_and_comparison(queue):
    for kind, dtype, truth in (("float", np.float32, "int"), ("double", np.float64, "long")):
        x = np.array(SPECIAL, dtype)
        y = np.roll(x, 3)
        tiny = np.finfo(dtype).tiny
        pairs = {
            "isequal": x == y,
            "isnotequal": x != y,
            "isgreater": x > y,
            "isgreaterequal": x >= y,
            "isless": x < y,
            "islessequal": x <= y,
            "islessgreater": (x < y) | (x > y),
            "isordered": ~(np.isnan(x) | np.isnan(y)),
            "isunordered": np.isnan(x) | np.isnan(y),
        }
        single = {
            "isfinite": np.isfinite(x),
            "isinf": np.isinf(x),
            "isnan": np.isnan(x),
            "isnormal": np.isfinite(x) & (abs(x) >= tiny),
            "signbit": np.signbit(x),
        }
        table = Table(x=x, y=y, v=np.stack([x, y], 1), w=np.stack([y, x], 1))
        for name, value in pairs.items():
            table.add(f"{name}(x, y)", value, "int")
            table.add(f"{name}(v, w).x", -value.astype(int), truth)
        for name, value in single.items():
            if kind == "float" or name != "isnormal":  # 1e-45 is a normal double
                table.add(f"{name}(x) != 0", value, "int")
                table.add(f"{name}(v).x", -value.astype(int), truth)
        table.run(queue)


def test_any_and_all_look_at_sign_bits(queue):
    v = np.int32([[0, 0, 0, 0], [-1, 0, 0, 0], [-1, -5, -(2**31), -1], [1, 2, 3, 4]])
    table = Table(v=v, c=v.astype(np.int8)[:, :2].copy())
    table.add("any(v)", (v < 0).any(1), "int")
    table.add("all(v)", (v < 0).all(1), "int")
    table.add("any(v.x)", v[:, 0] < 0, "int")
    table.add("any(c)", (v.astype(np.int8)[:, :2] < 0).any(1), "int")
    table.add("all(v > 0)", [0, 0, 0, 1], "int")
    table.run(queue)


def test_select_and_bitselect(queue, rng):
    a, b, c = (rng.integers(-(2**31), 2**31, (6, 4)).astype(np.int32) for _ in range(3))
    f = rng.standard_normal((6, 4)).astype(np.float32)
    table = Table(a=a, b=b, c=c, f=f, s=np.int32([0, 1, -1, 2, 0, 5]), l=np.int64([0, 1, -1, 2, 0, 5]))
    table.add("select(a, b, c)", np.where(c < 0, b, a), "int4")
    table.add("select(f, -f, c)", np.where(c < 0, -f, f), "float4")
    table.add("select(a, b, (uint4)(0x80000000u, 1, 0, 0xffffffffu))", np.where([1, 0, 0, 1], b, a), "int4")
    table.add("select(a.x, b.x, s)", np.where(table.inputs["s"] != 0, b[:, 0], a[:, 0]), "int")
    table.add("select(1.0, 2.0, l)", np.where(table.inputs["l"] != 0, 2.0, 1.0), "double")
    table.add("bitselect(a, b, c)", (a & ~c) | (b & c), "int4")
    bits = (f.view(np.int32) & ~c) | ((-f).view(np.int32) & c)
    table.add("as_int4(bitselect(f, -f, as_float4(c)))", bits, "int4")
    table.run(queue)


def test_signs_of_floats_whose_bits_were_computed(device):
    """GCC 12 cannot compile its own signbit here, for vectors of AVX-512."""
    bits = np.arange(65536, dtype=np.uint16)
    signs = qn.zeros(bits.shape, np.uint8, device=device)
    source = """
    kernel void signs(global const ushort *bits, global uchar *out) {
      const size_t i = get_global_id(0);
      out[i] = signbit(as_float((uint)bits[i] << 16)) != 0;
    }
    """
    queue = qn.Queue(device)
    qn.Program(source).signs(queue, bits.shape, None, qn.asarray(bits, device=device), signs)
    queue.finish()
    assert np.array_equal(signs.get(), bits >> 15)
