# SPDX-License-Identifier: MIT
"""Structures, unions, enumerations, typedefs and bit-fields."""

import numpy as np
import pytest
from table import Table

import quern as qn


def test_layout_is_that_of_the_host(run):
    # A dtype with align=True is laid out as C lays a structure out.
    item = np.dtype(
        [("c", "i1"), ("d", "f8"), ("s", "i2"), ("v", "f4", 4), ("a", "i4", 3), ("e", "u1")], align=True
    )
    nested = np.dtype([("first", "i1"), ("items", item, 2), ("last", "i2")], align=True)
    source = """
    typedef struct { char c; double d; short s; float v[4]; int a[3]; uchar e; } Item;
    struct Nested { char first; Item items[2]; short last; };
    kernel void k(global uint *out, global struct Nested *n) {
      out[0] = sizeof(Item);
      out[1] = sizeof(struct Nested);
      out[2] = (uint)((global char *)&n->items[1].a[2] - (global char *)n);
      n->items[1].a[2] = 77;
      n->items[0].v[3] = 1.5f;
      n->last = n->first + 1;
    }"""
    data = np.zeros(1, nested)
    data["first"] = 41
    out, raw = run(source, 1, None, np.zeros(3, np.uint32), data)
    got = raw[0]
    offset = nested.fields["items"][1] + item.itemsize + item.fields["a"][1] + 8
    assert list(out) == [item.itemsize, nested.itemsize, offset]
    assert (got["items"][1]["a"][2], got["items"][0]["v"][3], got["last"]) == (77, 1.5, 42)


def test_structures_are_values(queue):
    table = Table(x=np.int32([1, 2]))
    before = "Pair p = {x, 2.5f}; Pair q = p; q.i += 10;"
    table.add("p.i * 100 + q.i", [111, 212], "int", before=before)
    table.add("swapped(p).i", [2, 2], "int", before=before)
    table.add("q.f", 2.5, "float", before=before)
    table.add("change(&p)", [6, 7], "int", before=before)
    table.add("p.i", [6, 7], "int", before=before + "change(&p);")
    table.add("all[1].i + all[0].i", [3, 4], "int", before=before + "Pair all[2] = {{1, 1}, {x + 1, 2}};")
    table.add("outer.inner.i", [1, 2], "int", before=before + "struct { Pair inner; int n; } outer = {p, 3};")
    table.add("r.i", [1, 2], "int", before=before + "Pair r; r = x > 100 ? q : p;")
    table.add("d.f", 4, "float", before="Pair d = {.f = 4, .i = 9};")
    table.add("z.i", 0, "int", before="Pair z = {0};")
    table.run(
        queue,
        prelude="""
        typedef struct Pair { int i; float f; } Pair;
        Pair swapped(Pair p) { Pair r; r.i = (int)p.f; r.f = p.i; return r; }
        int change(Pair *p) { p->i += 5; return p->i; }""",
    )


def test_unions_share_their_bytes(queue):
    table = Table(f=np.float32([1, -2]), w=np.uint32([0x04030201, 0x08070605]))
    table.add("b.u", np.float32([1, -2]).view(np.uint32), "uint", before="union Bits b; b.f = f;")
    table.add("b.c[2]", [3, 7], "uchar", before="union Bits b; b.u = w;")
    table.add("b.s.x", [0x0201, 0x0605], "ushort", before="union Bits b; b.u = w;")
    table.add("sizeof(union Bits)", 4, "uint")
    table.add("sizeof(union Wide)", 16, "uint")
    table.add("b.u", 0x3F800000, "uint", before="union Bits b = {1.0f};")
    table.run(
        queue,
        prelude="union Bits { float f; uint u; uchar c[4]; ushort2 s; };\nunion Wide { char c; float4 v; };",
    )


def test_unnamed_members_belong_to_the_outer_structure(run):
    source = """
    typedef struct {
      union { int count; float radius; };
      struct { short low, high; };
      int kind;
    } Shape;
    kernel void k(global int *out) {
      Shape s = {{7}, {1, 2}, 3};
      out[0] = s.count;
      out[1] = s.high;
      s.radius = 1.0f;
      out[2] = s.count;
      out[3] = s.kind;
      out[4] = sizeof(Shape);
    }"""
    assert list(run(source, 1, None, np.zeros(5, np.int32))) == [7, 2, 0x3F800000, 3, 12]


def test_bit_fields(run, device):
    if device.backend == "opencl":
        pytest.skip("OpenCL C has no bit-fields")
    source = """
    struct Flags { unsigned int low : 3; int middle : 5; unsigned int : 4; unsigned int high : 20; };
    kernel void k(global int *out) {
      struct Flags f = {9, -3, 12345};
      out[0] = f.low;
      out[1] = f.middle;
      out[2] = f.high;
      f.low += 7;
      f.middle = 17;
      out[3] = f.low;
      out[4] = f.middle;
      out[5] = sizeof(struct Flags);
    }"""
    got = run(source, 1, None, np.zeros(6, np.int32))
    assert list(got) == [1, -3, 12345, 0, -15, 4]


def test_enumerations(queue):
    table = Table(x=np.int32([0, 1, 2]))
    table.add("color(x)", [5, 6, 10], "int")
    table.add("Blue", 10, "int")
    table.add("Green + x", [6, 7, 8], "int")
    table.add("(enum Color)x == Green", 0, "int")
    table.add("local_one", 3, "int", before="enum { local_zero = 2, local_one };")
    table.add("sizeof(a)", 12, "int", before="enum { three = 3 }; int a[three]; a[0] = 0;")
    table.add("k", 2**40, "long", before="enum { big = 1L << 40 }; long k = big;")
    table.run(
        queue,
        prelude="""
        enum Color { Red = 5, Green, Blue = Red * 2, };
        typedef enum Color Color;
        Color color(int i) { switch (i) { case 0: return Red; case 1: return Green; default: return Blue; } }""",
    )


def test_typedefs(queue):
    table = Table(x=np.int32([3, 4]))
    table.add("a[1][2]", [5, 6], "int", before="Grid a; a[1][2] = x + 2;")
    table.add("*p", [3, 4], "int", before="int y = x; Pointer p = &y;")
    table.add("v.y", [4, 5], "float", before="Real4 v = (Real4)(x, x + 1, 0, 0);")
    table.add("sizeof(Grid)", 24, "int")
    table.add("n", [3, 4], "int", before="typedef int Real4; Real4 n = x;")  # an inner name hides the outer
    table.run(queue, prelude="typedef int Grid[2][3];\ntypedef int *Pointer;\ntypedef float4 Real4;")


def test_packed_and_aligned(queue):
    table = Table()
    table.add("sizeof(struct Packed)", 7, "uint")
    table.add("sizeof(struct Aligned)", 32, "uint")
    table.add("sizeof(struct Wide)", 16, "uint")
    table.add("p.i", 70000, "int", before="struct Packed p = {1, 70000, 2}; p.c = 5;")
    table.add("((uint)(size_t)&a) % 16", 0, "uint", before="int a __attribute__((aligned(16))) = 1;")
    table.run(
        queue,
        prelude="""
        struct __attribute__((packed)) Packed { char c; int i; short s; };
        struct Aligned { char c; int i; } __attribute__((aligned(32)));
        struct Wide { char c; int i __attribute__((aligned(8))); };""",
    )


def test_alignment_of_a_typedef(queue):
    table = Table()
    table.add("((uint)(size_t)&a) % 32", 0, "uint", before="char c = 1; Aligned a = c;")
    table.add("sizeof(Aligned)", 4, "uint")
    table.add("sizeof(struct Holds)", 64, "uint")
    table.add("(uint)((size_t)&h.a - (size_t)&h)", 32, "uint", before="struct Holds h;")
    table.add("sizeof(struct Points)", 16, "uint")
    table.add("sizeof(struct Rows)", 128, "uint")
    table.add("((uint)(size_t)&p) % 16", 0, "uint", before="Particle p; p.id = 1;")
    table.run(
        queue,
        prelude="""
        typedef int Aligned __attribute__((aligned(32)));
        typedef __attribute__((aligned(64))) float Row[3];
        struct Holds { char c; Aligned a; };
        struct Points { char c; Aligned *a; };
        struct Rows { char c; Row r; };
        typedef struct { int id; } __attribute__((aligned(16))) Particle;""",
    )


def test_alignment_of_local_variables(run, device):
    if device.backend == "opencl":
        pytest.skip("NVIDIA's compiler does not align local variables, and others need not")
    source = """
    typedef float Row[3] __attribute__((aligned(64)));
    kernel void k(global uint *out) {
      local char c;
      local Row row;
      local int n __attribute__((aligned(32)));
      local char last;
      row[get_local_id(0)] = c = last = n = 1;
      out[0] = (uint)((size_t)row - (size_t)&c) % 64;
      out[1] = (uint)((size_t)&n - (size_t)row) % 32;
    }"""
    assert list(run(source, 1, 1, np.full(2, 7, np.uint32))) == [0, 0]


def test_an_alignment_below_that_of_the_type_is_named(device, build_error):
    if device.backend == "opencl":
        pytest.skip("the device's own compiler decides")
    error = build_error(
        "\ntypedef float4 Loose __attribute__((aligned(4)));\nkernel void k(global Loose *a) { a[0] = 1; }",
        name="loose.cl",
    )
    assert "loose.cl:2:" in str(error) and "alignment below" in str(error)


PACKED = """
#pragma pack(push, 1)
typedef struct { char c; int i; double d; } One;
#pragma pack(2)
typedef struct { char c; int i; One a; long l; } Two;
#pragma pack(pop)
typedef struct { char c; int i; One a; Two b; } Plain;
#pragma pack(push)
#pragma pack(4)
typedef struct { char c; double d; union { char x; long y; } u; short s[3]; } Four;
#pragma pack()
typedef struct { char c; double d; } Again;
#pragma pack(pop)
"""


@pytest.mark.usefixtures("beyond_the_standard")
def test_pragma_pack(queue):
    table = Table()
    for expression, expected in {
        "sizeof(One)": 13,
        "sizeof(Two)": 28,
        "sizeof(Plain)": 52,
        "sizeof(Four)": 28,
        "sizeof(Again)": 16,
        "__alignof__(One)": 1,
        "__alignof__(Two)": 2,
        "__alignof__(Four)": 4,
        "(int)(size_t)&((Two *)0)->l": 20,
        "(int)(size_t)&((Plain *)0)->b": 22,
        "(int)(size_t)&((Four *)0)->s": 20,
    }.items():
        table.add(expression, [expected], "int")
    table.add(
        "two.a.i + two.a.d + two.l",
        [12.5],
        "double",
        before="Two two; two.a.i = 2; two.a.d = 3.5; two.l = 7; One *p = &two.a; p->i += 0;",
    )
    table.run(queue, PACKED)


def test_literals_of_arrays_and_structures_are_objects(run, device):
    source = """
    typedef struct { float4 a; int n; char c[3]; } S;
    int sum(const int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
    float all(const S *s) { return s->a.y + s->n + s->c[2]; }
    kernel void k(global float *out) {
      int i = get_global_id(0);
      int *p = (int[]){1, i};
      for (int j = 0; j < 3; j++) p[1] += ((int[2]){j, 10 * j})[j & 1];
      out[4 * i] = p[1];
      out[4 * i + 1] = sum((int[4]){i, 1}, 4);
      out[4 * i + 2] = all(&(S){(float4)(3), i, {1, 2, 4}});
      out[4 * i + 3] = sizeof((int[]){1, 2, 3}) + ((const float3[]){(float3)(i), (float3)(2)})[i & 1].y;
    }"""
    if device.backend == "opencl":
        pytest.skip("clang 14 knows no address space of theirs")
    out = run(source, 8, None, np.zeros(32, np.float32)).reshape(8, 4)
    i = np.arange(8)
    np.testing.assert_array_equal(out.T, [i + 12, i + 1, 3 + i + 4, 12 + np.where(i & 1, 2, i)])


def test_array_literals_in_kernels_with_barriers(run):
    source = """
    kernel void k(global int *out) {
      int i = get_global_id(0), l = get_local_id(0), s = 0;
      local int t[16];
      for (int j = 0; j < 4; j++) {
        t[l] = ((int[]){4, i, j})[(i + j) % 3];
        barrier(CLK_LOCAL_MEM_FENCE);
        s += t[15 - l];
        barrier(CLK_LOCAL_MEM_FENCE);
      }
      out[i] = s;
    }"""
    i = np.arange(32)
    k = i // 16 * 16 + 15 - i % 16
    expected = sum(np.choose((k + j) % 3, [4, k, j]) for j in range(4))
    np.testing.assert_array_equal(run(source, 32, 16, np.zeros(32, np.int32)), expected)


def test_a_structure_without_a_name_is_called_by_its_typedef(device, build_error):
    source = "typedef struct { int i; } Item;\nkernel void k(global Item *a, Item b) { a[0] = b; }"
    assert [p.type for p in qn.Program(source).build(device).k.signature] == ["Item*", "Item"]
    if device.backend != "opencl":
        error = build_error(source.replace("a[0] = b", "int q = b"))
        assert "Item" in str(error) and "unnamed" not in str(error)


def test_constant_unions_initialised_by_any_member(run):
    source = """
    typedef struct { short x, y; } Pair;
    typedef union { int i; float f; Pair pair; uchar bytes[4]; } Any;
    typedef struct { int kind; Any value; } Tagged;
    constant Any first = {7}, real = {.f = 1.5f};
    constant Tagged table[4] = {{0, {.i = -1}}, {1, {.f = 2.0f}}, {2, {.pair = {3, 4}}}, {3, {.bytes = {1, 2, 3, 4}}}};
    kernel void k(global int *out) {
      const int i = get_global_id(0);
      out[i] = table[i].value.i;
      out[4] = first.i;
      out[5] = real.i;
    }"""
    floats = np.float32([2, 1.5]).view(np.int32)
    expected = [-1, floats[0], 3 | 4 << 16, 0x04030201, 7, floats[1]]
    np.testing.assert_array_equal(run(source, 4, 2, np.zeros(6, np.int32)), expected)


@pytest.mark.parametrize("statement", ["s.missing = 1;", "int q = s;", "s = 3;", "struct Unknown u;"])
def test_misuse_is_refused(build_error, statement):
    error = build_error(
        f"struct S {{ int i; }};\nkernel void k(global int *a) {{ struct S s;\n{statement}\n}}", name="s.cl"
    )
    assert "s.cl:3:" in str(error)
