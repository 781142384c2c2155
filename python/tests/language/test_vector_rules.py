# SPDX-License-Identifier: MIT
"""What vectors do under operators, literals, conversions and ?:, by OpenCL's exact rules."""

import numpy as np
import pytest
from table import Table


@pytest.fixture
def ints(rng):
    a = rng.integers(-100, 100, (4, 4)).astype(np.int32)
    b = rng.integers(1, 100, (4, 4)).astype(np.int32)
    return a, b


def test_operators_on_integer_vectors(queue, ints):
    a, b = ints
    u = a.astype(np.uint32)
    table = Table(a=a, b=b, s=b[:, 0].copy(), u=u)
    quotient = np.trunc(a / b).astype(np.int32)
    for text, value in {
        "a + b": a + b,
        "a - b": a - b,
        "a * b": a * b,
        "a / b": quotient,
        "a % b": a - b * quotient,
        "a & b": a & b,
        "a | b": a | b,
        "a ^ b": a ^ b,
        "~a": ~a,
        "-a": -a,
        "+a": a,
        "a << (b & 7)": a << (b & 7),
        "a >> (b & 7)": a >> (b & 7),
        "a + s": a + b[:, :1],
        "s - a": b[:, :1] - a,
        "a * 2": a * 2,
        "a << 3": a << 3,
    }.items():
        table.add(text, value, "int4")
    table.add("u / 3u", u // 3, "uint4")
    table.add("u >> 4", u >> 4, "uint4")
    for op in ("==", "!=", "<", "<=", ">", ">="):
        truth = eval(f"a {op} b")
        table.add(f"a {op} b", -truth.astype(np.int32), "int4")
    table.add("!a", -(a == 0).astype(np.int32), "int4")
    table.add("(a > 0) && (b > 50)", -((a > 0) & (b > 50)).astype(np.int32), "int4")
    table.add("(a > 0) || (b > 50)", -((a > 0) | (b > 50)).astype(np.int32), "int4")
    table.run(queue)


def test_comparisons_have_the_width_of_their_operands(queue, rng):
    c = rng.integers(-5, 5, (3, 8)).astype(np.int8)
    d = rng.standard_normal((3, 2))
    f = rng.standard_normal((3, 3)).astype(np.float32)
    table = Table(c=c, d=d, f=f, u=c.astype(np.uint8))
    table.add("c > (char8)0", -(c > 0).astype(np.int8), "char8")
    table.add("u > (uchar8)5", -(c.astype(np.uint8) > 5).astype(np.int8), "char8")
    table.add("d < 0.0", -(d < 0).astype(np.int64), "long2")
    table.add("f < 0.0f", -(f < 0).astype(np.int32), "int3")
    table.add("sizeof(d == d)", 16, "int")
    table.add("sizeof(c == c)", 8, "int")
    table.run(queue)


def test_literals_are_filled_from_scalars_and_parts(queue):
    table = Table(v=np.float32([[1, 2], [3, 4]]), s=np.float32([7, 8]))
    one = [1, 3]
    two = [2, 4]
    rows = lambda *columns: np.stack([np.broadcast_to(c, 2) for c in columns], 1)  # noqa: E731
    table.add("(float4)(v, s, 9)", rows(one, two, [7, 8], 9), "float4")
    table.add("(float4)(s, v, 9)", rows([7, 8], one, two, 9), "float4")
    table.add("(float4)(v, v.yx)", rows(one, two, two, one), "float4")
    table.add("(float4)(s)", rows([7, 8], [7, 8], [7, 8], [7, 8]), "float4")
    table.add("(float4)(1, 2, 3, 4)", rows(1, 2, 3, 4), "float4")
    table.add("(float4)1", rows(1, 1, 1, 1), "float4")
    table.add("(int4)(-1)", rows(-1, -1, -1, -1), "int4")
    table.add("(float3)(v, 5)", rows(one, two, 5), "float3")
    table.add(
        "(float8)((float4)(v, v), v, s, s)", rows(one, two, one, two, one, two, [7, 8], [7, 8]), "float8"
    )
    table.add("(float16)(v, v, v, v, v, v, v, v)", rows(*[one, two] * 8), "float16")
    table.add("MAKE(v.x, v.y)", rows(one, two), "float2")
    table.add("t", rows(1, 2, 3, 4), "float4", before="float4 t = {1, 2, 3, 4};")
    table.add("t[1]", rows(3, 4), "float2", before="float2 t[2] = {(float2)(1, 2), (float2)(3, 4)};")
    table.run(queue, prelude="#define PAIR float2\n#define MAKE(a, b) ((PAIR)((a), (b)))")


def test_scalars_take_the_vectors_element_type(queue):
    c = np.int8([[100, -100, 127, -128]])
    table = Table(c=c, u=c.astype(np.uint8), f=np.float32([[1, 2, 3, 4]]))
    table.add("c + (char)1", c + np.int8(1), "char4")
    table.add("u + (uchar)200", c.astype(np.uint8) + np.uint8(200), "uchar4")
    table.add("c * (char)2", (c.astype(int) * 2).astype(np.int8), "char4")
    table.add("f * 2", [[2, 4, 6, 8]], "float4")
    table.add("f + 1", [[2, 3, 4, 5]], "float4")
    table.add("2 / f", np.float32([[2, 1, np.float32(2) / 3, 0.5]]), "float4")
    table.run(queue)


def test_choice_between_vectors_goes_by_the_sign_bit(queue):
    c = np.int32([[-1, 0, 1, -(2**31)]])
    table = Table(c=c, a=np.int32([[1, 2, 3, 4]]), b=np.int32([[5, 6, 7, 8]]), f=np.float32([[1, 2, 3, 4]]))
    table.add("c ? a : b", [[1, 6, 7, 4]], "int4")
    table.add("(a > 2) ? a : b", [[5, 6, 3, 4]], "int4")
    table.add("c ? f : -f", [[1, -2, -3, 4]], "float4")
    table.add("1 ? a : b", [[1, 2, 3, 4]], "int4")
    table.add("a.x > 5 ? a : b", [[5, 6, 7, 8]], "int4")
    table.add("c ? (int4)7 : b", [[7, 6, 7, 7]], "int4")
    table.run(queue)


def test_compound_assignment_and_increments_of_vectors(queue):
    table = Table(v=np.int32([[1, 2, 3, 4]]), f=np.float32([[1, 2, 3, 4]]))
    for op, value in {
        "+=": [[3, 4, 5, 6]],
        "-=": [[-1, 0, 1, 2]],
        "*=": [[2, 4, 6, 8]],
        "/=": [[0, 1, 1, 2]],
        "%=": [[1, 0, 1, 0]],
        "<<=": [[4, 8, 12, 16]],
        ">>=": [[0, 0, 0, 1]],
        "&=": [[0, 2, 2, 0]],
        "|=": [[3, 2, 3, 6]],
        "^=": [[3, 0, 1, 6]],
    }.items():
        table.add("t", value, "int4", before=f"int4 t = v; t {op} 2;")
    table.add("t++", [[1, 2, 3, 4]], "int4", before="int4 t = v;")
    table.add("t", [[2, 3, 4, 5]], "int4", before="int4 t = v; t++;")
    table.add("--t", [[0, 1, 2, 3]], "int4", before="int4 t = v;")
    table.add("t", [[0.5, 1, 1.5, 2]], "float4", before="float4 t = f; t /= 2;")
    table.add("t", [[2, 4, 6, 8]], "float4", before="float4 t = f; t += f;")
    table.run(queue)


def test_vectors_pass_through_functions(queue):
    table = Table(v=np.float32([[1, 2, 3, 4], [5, 6, 7, 8]]))
    table.add("twice(v)", [[2, 4, 6, 8], [10, 12, 14, 16]], "float4")
    table.add("t", [[4, 3, 2, 1], [8, 7, 6, 5]], "float4", before="float4 t = v; turn(&t);")
    table.add("sum3(v.xyz)", [6, 18], "float")
    table.run(
        queue,
        prelude="""
        float4 twice(float4 v) { return v + v; }
        void turn(float4 *v) { *v = v->wzyx; }
        float sum3(float3 v) { return v.x + v.y + v.z; }""",
    )


def test_illegal_mixtures_are_refused(build_error):
    for statement in (
        "float4 r = (int4)1;",  # no implicit conversion between vectors
        "float4 r = (float2)1;",
        "int4 r = (int4)1 + (uint4)1;",
        "float2 r = (float4)(1).xyw;",
        "float4 v = 0; v.xx = (float2)1;",  # a component twice
        "float2 v = 0; float r = v.z;",
        "float4 v = 0; float r = v.s5;",
        "float4 r = (float4)(1, 2);",
        "float4 v = 0; if (v) v = 1;",
        "int2 v = 0; v = v << (int4)1;",
    ):
        error = build_error(f"kernel void k(global int *a) {{\n  {statement}\n}}", name="mixed.cl")
        assert "mixed.cl:2:" in str(error), statement


def test_a_postfix_increment_gives_the_value_before(run, device):
    if device.backend == "opencl":
        pytest.skip("OpenCL C has no ++ of real vectors; we do")
    source = """
    kernel void k(global float4 *a) {
      float4 v = a[0];
      a[1] = v++;
      a[2] = v;
      a[3] = v--;
    }
    """
    a = np.zeros((4, 4), np.float32)
    a[0] = 1e-9, 0.5, 3e7, -2
    out = run(source, 1, None, a.reshape(-1)).reshape(4, 4)
    np.testing.assert_array_equal(out[1], a[0])
    np.testing.assert_array_equal(out[2], a[0] + np.float32(1))
    np.testing.assert_array_equal(out[3], a[0] + np.float32(1))


def test_a_postfix_increment_of_components_gives_their_values_before(run, device):
    if device.backend == "opencl":
        pytest.skip("OpenCL C has no ++ of real vectors; we do")
    source = """
    float4 *counted(float4 *v, global int *calls) { ++*calls; return v; }
    kernel void k(global float4 *a, global double4 *d, global half4 *h, global int *calls) {
      float4 v = a[0];
      a[1].zx = counted(&v, calls)->zx++;
      a[2] = v;
      a[3].yw = v.yw--;
      double4 w = d[0];
      d[1].xy = w.xy--;
      half4 u = h[0];
      h[1].xw = u.xw++;
      h[1].y = u.y++;
      h[2] = u;
    }
    """
    a, d, h = np.zeros((4, 4), np.float32), np.zeros((2, 4), np.float64), np.zeros((3, 4), np.float16)
    a[0], d[0], h[0] = (1e-9, 0.5, 3e7, -2), (1e-20, 3e17, 0, 0), (1e-4, 3e-4, 0, 5000)
    calls = np.zeros(1, np.int32)
    a1, d1, h1, calls1 = run(source, 1, None, a.reshape(-1), d.reshape(-1), h.reshape(-1), calls)
    a1, d1, h1 = a1.reshape(4, 4), d1.reshape(2, 4), h1.reshape(3, 4)
    assert calls1 == 1
    np.testing.assert_array_equal(a1[1], [a[0, 0], 0, a[0, 2], 0])
    np.testing.assert_array_equal(a1[2], a[0] + np.float32([1, 0, 1, 0]))
    np.testing.assert_array_equal(a1[3], [0, a[0, 1], 0, a[0, 3]])
    np.testing.assert_array_equal(d1[1], [d[0, 0], d[0, 1], 0, 0])
    np.testing.assert_array_equal(h1[1], [h[0, 0], h[0, 1], 0, h[0, 3]])
    np.testing.assert_array_equal(h1[2], h[0] + np.float16([1, 1, 0, 1]))
