# SPDX-License-Identifier: MIT
"""Components of vectors, read and written: .xyzw, .s0 to .sF, .lo .hi .even .odd, and their combinations."""

import numpy as np
import pytest
from table import Table

V4 = np.int32([[10, 11, 12, 13], [20, 21, 22, 23]])
V16 = np.arange(32, dtype=np.int32).reshape(2, 16)


def test_components_are_read_in_any_order(queue):
    table = Table(v=V4, w=V16, f3=np.float32([[1, 2, 3], [4, 5, 6]]), d2=np.float64([[1, 2], [3, 4]]))
    table.add("v.x", V4[:, 0], "int")
    table.add("v.w", V4[:, 3], "int")
    table.add("v.s2", V4[:, 2], "int")
    table.add("v.wzyx", V4[:, ::-1], "int4")
    table.add("v.xx", V4[:, [0, 0]], "int2")
    table.add("v.s3210", V4[:, ::-1], "int4")
    table.add("v.xyz", V4[:, :3], "int3")
    table.add("v.lo", V4[:, :2], "int2")
    table.add("v.hi", V4[:, 2:], "int2")
    table.add("v.even", V4[:, ::2], "int2")
    table.add("v.odd", V4[:, 1::2], "int2")
    table.add("v.hi.y", V4[:, 3], "int")
    table.add("v.wzyx.lo.x", V4[:, 3], "int")
    table.add("w.sf", V16[:, 15], "int")
    table.add("w.sA", V16[:, 10], "int")
    table.add("w.s0f", V16[:, [0, 15]], "int2")
    table.add("w.SFEDCBA98", V16[:, 15:7:-1], "int8")
    table.add("w.hi.lo", V16[:, 8:12], "int4")
    table.add("w.odd.even", V16[:, 1::4], "int4")
    table.add("f3.zyx", [[3, 2, 1], [6, 5, 4]], "float3")
    table.add("f3.hi.x", [3, 6], "float")
    table.add("f3.lo", [[1, 2], [4, 5]], "float2")
    table.add("d2.yx", [[2, 1], [4, 3]], "double2")
    table.run(queue)


def test_components_are_written(queue):
    table = Table(v=V4, w=V16)

    def add(statement, expected, kind="int4"):
        table.add("t", expected, kind, before=f"{kind} t = {'v' if kind == 'int4' else 'w'}; {statement};")

    def changed(array, at, value):
        result = array.copy()
        result[:, at] = value
        return result

    add("t.x = 5", changed(V4, 0, 5))
    add("t.s3 = t.s0", changed(V4, 3, V4[:, 0]))
    add("t.xy = (int2)(1, 2)", changed(V4, [0, 1], [1, 2]))
    add("t.wx = (int2)(1, 2)", changed(V4, [3, 0], [1, 2]))
    add("t.xyzw = t.wzyx", V4[:, ::-1])
    add("t.lo = t.hi", changed(V4, [0, 1], V4[:, 2:]))
    add("t.even = t.odd", changed(V4, [0, 2], V4[:, 1::2]))
    add("t.hi.x = 9", changed(V4, 2, 9))
    add("t.zyx = (int3)(1, 2, 3)", changed(V4, [2, 1, 0], [1, 2, 3]))
    add("t.xz += 100", changed(V4, [0, 2], V4[:, [0, 2]] + 100))
    add("t.yw *= t.xz", changed(V4, [1, 3], V4[:, [1, 3]] * V4[:, [0, 2]]))
    add("t.x++", changed(V4, 0, V4[:, 0] + 1))
    add("--t.zw", changed(V4, [2, 3], V4[:, 2:] - 1))
    add("t.xy <<= (int2)(1, 2)", changed(V4, [0, 1], V4[:, :2] << [1, 2]))
    add("t.s0f = t.sf0", changed(V16, [0, 15], V16[:, [15, 0]]), "int16")
    add("t.odd.lo = 0", changed(V16, [1, 3, 5, 7], 0), "int16")
    table.run(queue)


def test_components_of_memory_that_must_be_found_once(run):
    # The place is given by a call with an effect: it happens once.
    source = """
    int next(int *count) { return (*count)++; }
    kernel void k(global int4 *a) {
      int count = 0;
      a[next(&count)].xy += (int2)(1, 2);
      a[next(&count)].zw++;
      a[next(&count)].yx = (int2)(7, 8);
      a[3].x = count;
    }"""
    a = run(source, 1, None, np.zeros((4, 4), np.int32))
    np.testing.assert_array_equal(a, [[1, 2, 0, 0], [0, 0, 1, 1], [8, 7, 0, 0], [3, 0, 0, 0]])


def test_components_through_pointers_and_macros(run):
    source = """
    #define FIRST(v) (v).x
    #define PAIR(v, a, b) ((int2)((v).a, (v).b))
    typedef struct { int4 v; } Box;
    kernel void k(global int4 *a) {
      Box box = {a[0]};
      Box *p = &box;
      p->v.yz = PAIR(p->v, w, x);
      FIRST(p->v) = 42;
      global int4 *q = a + 1;
      q->xy = (*q).wz;
      (*q).w = -1;
      a[0] = box.v;
    }"""
    a = run(source, 1, None, np.int32([[1, 2, 3, 4], [5, 6, 7, 8]]))
    np.testing.assert_array_equal(a, [[42, 4, 1, 4], [8, 7, 7, -1]])


def test_elements_by_subscript(run):
    # A common habit: a vector's memory as an array of its elements.
    source = """
    kernel void k(global float4 *a) {
      float4 v = a[0];
      float *e = (float *)&v;
      for (int i = 0; i < 4; i++) e[i] += i;
      a[0] = v;
      ((global float *)a)[4] = 9.0f;
    }"""
    a = run(source, 1, None, np.float32([[1, 1, 1, 1], [0, 0, 0, 0]]))
    np.testing.assert_array_equal(a, [[1, 2, 3, 4], [9, 0, 0, 0]])


def test_components_by_colour(run, device):
    # OpenCL C 3's.
    if device.backend == "opencl":
        pytest.skip("a matter of the device's OpenCL C version")
    source = "kernel void k(global float4 *a) { a[0].bgr = a[1].rrg; a[0].a += a[1].rgba.b; }"
    a = run(source, 1, None, np.float32([[1, 2, 3, 4], [5, 6, 7, 8]]))
    np.testing.assert_array_equal(a[0], [6, 5, 5, 11])


@pytest.mark.usefixtures("beyond_the_standard")
def test_components_by_a_computed_number(run):
    # clang's; OpenCL C 1.2 itself has v.s0 only.
    source = """
    kernel void k(global int *out, global int4 *g) {
      int i = get_global_id(0), l = get_local_id(0), s = 0;
      local int4 shared[8];
      const int4 fixed = g[i];
      int4 v = fixed;
      int8 w = (int8)(v, v * 2);
      shared[l] = v;
      v[i & 3] += 50;
      v[2] = v[1] * 3;
      w[(i + 1) & 7]++;
      shared[l][i & 3] = 7;
      for (int j = 0; j < 4; j++) {
        s = s * 3 + v[j] + w[j + 2] + w.hi[j] + (v + w.lo)[j & 1] + fixed[j] + shared[l][j];
        g[i][j] = s;
      }
      out[i] = s;
    }"""
    given = np.arange(64, dtype=np.int32).reshape(16, 4) % 11
    out, g = run(source, 16, 8, np.zeros(16, np.int32), given)
    for i in range(16):
        v, shared = given[i].copy(), given[i].copy()
        w = np.concatenate([v, 2 * v])
        v[i & 3] += 50
        v[2] = v[1] * 3
        w[(i + 1) & 7] += 1
        shared[i & 3] = 7
        s = 0
        for j in range(4):
            s = s * 3 + v[j] + w[j + 2] + w[4 + j] + (v + w[:4])[j & 1] + given[i][j] + shared[j]
            assert g[i][j] == s
        assert out[i] == s
