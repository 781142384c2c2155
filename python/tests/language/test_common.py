# SPDX-License-Identifier: MIT
"""The common and geometric functions, and reinterpretation of bits."""

import numpy as np
from table import Table


def test_common_functions(queue, rng, nvidia_differs):
    nvidia_differs("sign(-0.0f) is 0.0f")
    x, y = rng.standard_normal((2, 20)).astype(np.float32)
    v, w = rng.standard_normal((2, 20, 4)).astype(np.float32)
    d = rng.standard_normal(20)
    table = Table(x=x, y=y, v=v, w=w, d=d)
    f64 = lambda a: a.astype(np.float64)  # noqa: E731
    table.add("clamp(x, -0.5f, 0.5f)", np.clip(x, np.float32(-0.5), np.float32(0.5)), "float")
    table.add("clamp(v, -0.5f, 0.5f)", np.clip(v, np.float32(-0.5), np.float32(0.5)), "float4")
    table.add("clamp(d, -0.5, 0.5)", np.clip(d, -0.5, 0.5), "double")
    table.add("min(x, y)", np.minimum(x, y), "float")
    table.add("max(v, w)", np.maximum(v, w), "float4")
    table.add("max(v, 0.25f)", np.maximum(v, np.float32(0.25)), "float4")
    table.add("degrees(x)", np.degrees(f64(x)), "float", ulp=2)
    table.add("radians(x)", np.radians(f64(x)), "float", ulp=2)
    table.add("step(0.25f, x)", x >= 0.25, "float")
    table.add("step(v, w)", w >= v, "float4")
    table.add("sign(x)", np.sign(x), "float")
    table.add("sign(-0.0f)", -0.0, "float")
    table.add("sign(NAN)", 0.0, "float")
    a, b = f64(x), f64(y)
    k = np.clip((a + 1) / 2, 0, 1)
    table.inputs["mixed"] = (a + (b - a) * 0.25).astype(np.float32)
    table.inputs["smooth"] = (k * k * (3 - 2 * k)).astype(np.float32)
    table.add("fabs(mix(x, y, 0.25f) - mixed) < 1e-6f", 1, "int")
    table.add("fabs(smoothstep(-1.0f, 1.0f, x) - smooth) < 1e-6f", 1, "int")
    table.run(queue)


def test_geometric_functions(queue, rng):
    for kind, dtype in (("float", np.float32), ("double", np.float64)):
        a, b = rng.standard_normal((2, 10, 4)).astype(dtype)
        p, q = a[:, :3].copy(), b[:, :3].copy()
        table = Table(a=a, b=b, p=p, q=q, s=a[:, 0].copy(), t=a[:, :2].copy())
        f64 = np.float64
        near = f"< {1e-5 if kind == 'float' else 1e-13} * (1 + fabs(e))"

        def add(expression, expected, table=table, kind=kind, near=near, dtype=dtype):
            name = f"e{len(table.checks)}"
            table.inputs[name] = np.asarray(expected, dtype)
            table.add(f"fabs({expression} - e) {near}", 1, "int", before=f"{kind} e = {name};")

        add("dot(a, b)", (a.astype(f64) * b).sum(1))
        add("dot(s, s)", a[:, 0].astype(f64) ** 2)
        add("length(a)", np.linalg.norm(a.astype(f64), axis=1))
        add("length(t)", np.linalg.norm(a[:, :2].astype(f64), axis=1))
        add("distance(p, q)", np.linalg.norm(p.astype(f64) - q, axis=1))
        cross = np.cross(p.astype(f64), q)
        for k, lane in enumerate("xyz"):
            add(f"cross(p, q).{lane}", cross[:, k])
            add(f"cross(a, b).{lane}", cross[:, k])
        add("cross(a, b).w", np.zeros(10))
        unit = a.astype(f64) / np.linalg.norm(a.astype(f64), axis=1)[:, None]
        for k, lane in enumerate("xyzw"):
            add(f"normalize(a).{lane}", unit[:, k])
        if kind == "float":
            add("fast_length(a)", np.linalg.norm(a.astype(f64), axis=1))
            add("fast_distance(p, q)", np.linalg.norm(p.astype(f64) - q, axis=1))
            table.add("fabs(fast_normalize(a).y - normalize(a).y) < 1e-3f", 1, "int")
        table.run(queue)


def test_lengths_do_not_overflow(queue):
    table = Table(a=np.float32([[3e30, 4e30], [3e-30, 4e-30]]))
    table.add("length(a)", [5e30, 5e-30], "float", ulp=4)
    table.add("normalize(a)", [[0.6, 0.8]] * 2, "float2", ulp=4)
    table.add("distance(a, -a)", [1e31, 1e-29], "float", ulp=4)
    table.run(queue)


def test_as_type_keeps_the_bits(queue, rng):
    raw = rng.integers(0, 256, (8, 16)).astype(np.uint8)
    raw[:, 3::4] &= 0x3F  # floats that are numbers
    table = Table(b=raw)
    for kind, dtype in (
        ("int4", np.int32),
        ("float4", np.float32),
        ("ulong2", np.uint64),
        ("short8", np.int16),
    ):
        table.add(f"as_{kind}(b)", raw.view(dtype), kind)
    table.add("as_uchar16(as_double2(b))", raw, "uchar16")
    table.add("as_int(1.0f)", 0x3F800000, "int")
    table.add("as_float(0x40490fdb)", np.float32(np.pi), "float")
    table.add("as_uint(-1)", 2**32 - 1, "uint")
    table.add("as_long(1.0)", 0x3FF0000000000000, "long")
    table.add("as_char4(0x04030201)", [1, 2, 3, 4], "char4")
    table.add("as_float3((float4)(1, 2, 3, 4))", [1, 2, 3], "float3")
    table.add("as_uint2(0x0000000200000001UL)", [1, 2], "uint2")
    table.run(queue)
