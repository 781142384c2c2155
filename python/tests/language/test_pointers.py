# SPDX-License-Identifier: MIT
"""Pointers in every address space, arrays, arithmetic on both."""

import numpy as np
from table import Table

import quern as qn


def test_arithmetic_and_comparison(run):
    source = """
    kernel void k(global int *out, global int *a, int n) {
      global int *p = a + 3, *q = &a[n];
      out[0] = q - p;
      out[1] = *p++;
      out[2] = *p;
      out[3] = p[-1] + *(p + 1);
      out[4] = p < q;
      out[5] = p == a + 4;
      p -= 2;
      out[6] = *p;
      out[7] = 2[a];
      out[8] = !p;
      out[9] = (p ? 1 : 2);
      global int *none = 0;
      out[10] = none == NULL;
      for (global int *r = a; r != q; ++r) *r *= 2;
      global uchar *bytes = (global uchar *)a;
      out[11] = bytes[4];
      out[12] = (int)((size_t)(a + 1) - (size_t)a);
    }"""
    out, a = run(source, 1, None, np.zeros(13, np.int32), np.arange(10, 20, dtype=np.int32), 10)
    assert list(out) == [7, 13, 14, 13 + 15, 1, 1, 12, 12, 0, 1, 1, 22, 4]
    np.testing.assert_array_equal(a, np.arange(20, 40, 2))


def test_pointers_to_everything(run):
    source = """
    typedef struct { int v[2]; } Cell;
    void set(int *to, int value) { *to = value; }
    void set_global(global int *to, int value) { *to = value; }
    int second(const int *from) { return from[1]; }
    int first(constant int *from) { return from[0]; }
    constant int table[3] = {7, 8, 9};
    void raise(int **p) { (*p)++; }
    int total(int a[2][3]) { int s = 0; for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) s += a[i][j]; return s; }
    kernel void k(global int *out) {
      int x = 1;
      int *p = &x, **pp = &p;
      **pp = 5;
      out[0] = x;
      int a[3] = {1, 2, 3};
      p = a;
      raise(&p);
      out[1] = *p;
      set(a + 2, 30);
      out[2] = second(a + 1);
      set_global(out + 3, 4);
      out[4] = first(table + 1);
      Cell cells[2] = {{{1, 2}}, {{3, 4}}};
      Cell *c = &cells[1];
      out[5] = c->v[1] + (*(c - 1)).v[0];
      int (*row)[3] = &a;
      out[6] = (*row)[1];
      int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
      out[7] = total(grid);
      int (*line)[3] = grid;
      out[8] = line[1][2] + sizeof(*line);
      const int *const fixed = &a[0];
      out[9] = *fixed;
      float4 v = (float4)(1, 2, 3, 4);
      float4 *pv = &v;
      pv->y = 9;
      out[10] = (int)((float *)pv)[1];
      volatile global int *seen = out;
      out[11] = seen[0];
      void *any = &x;
      out[12] = *(int *)any;
    }"""
    out = run(source, 1, None, np.zeros(13, np.int32))
    assert list(out) == [5, 2, 30, 4, 8, 5, 2, 21, 6 + 12, 1, 9, 5, 5]


def test_arrays_of_several_dimensions(queue):
    table = Table(x=np.int32([0, 1, 2]))
    table.add("a[1][x]", [4, 5, 6], "int", before="int a[2][3] = {{1, 2, 3}, {4, 5, 6}};")
    table.add("a[1][x]", [4, 5, 6], "int", before="int a[2][3] = {1, 2, 3, 4, 5, 6};")
    table.add("a[x]", [1, 0, 0], "int", before="int a[3] = {1};")
    table.add("sizeof(a) / sizeof(a[0])", 4, "int", before="float a[] = {1, 2, 3, 4};")
    table.add("a[x]", [5, 0, 7], "int", before="int a[3] = {[2] = 7, [0] = 5};")
    table.add("s[x]", [104, 105, 0], "char", before='char s[] = "hi";')
    table.add("a[x].y", [2, 4, 6], "int", before="int2 a[3] = {(int2)(1, 2), (int2)(3, 4), (int2)(5, 6)};")
    table.add("b[x][1][0]", [3, 7, 11], "int", before=CUBE)
    table.run(queue)


CUBE = "int b[3][2][2]; for (int k = 0; k < 12; k++) ((int *)b)[k] = k + 1;"


def test_wrong_address_spaces_are_refused(build_error):
    for line in (
        "local int *p = a;",
        "global int *p = c;",
        "*c = 1;",
        "const global int *p = a; *p = 1;",
    ):
        error = build_error(f"kernel void k(global int *a, constant int *c) {{\n{line}\n}}", name="space.cl")
        assert "space.cl:2:" in str(error), line


def test_private_arrays_of_pointers_into_every_space(run):
    source = """
    typedef struct { global int *g; constant int *c; local int *l; int *p; } Pointers;
    constant int table[3] = {5, 6, 7};
    kernel void k(global int *out, global int *a, local int *shared) {
      int i = get_global_id(0), l = get_local_id(0), own[4] = {1, 2, 3, 4};
      global int *rows[2] = {out, a}, **row = rows + 1;
      constant int *constants[] = {table, table + 1}, *(last) = table + 2;
      constant int *constant fixed = table + 1;
      constant char *names[] = {"ab", "cd"};
      local int *halves[2];
      int *pairs[2] = {own, own + 2};
      halves[0] = shared;
      halves[1] = shared + 8;
      halves[0][l] = l;
      barrier(CLK_LOCAL_MEM_FENCE);
      Pointers all = {rows[1], constants[1], halves[1], pairs[1]};
      rows[0][i] = row[0][i] + constants[1][i & 1] * 10 + *last * 100 + *fixed * 1000 + halves[1][3] * 10000;
      rows[0][i] += names[i & 1][1] + all.g[i] + *all.c + *all.l + all.p[1];
    }"""
    a = np.arange(32, dtype=np.int32)
    out, _ = run(source, 32, 16, np.zeros(32, np.int32), a, qn.LocalMemory(64))
    text = np.where(a & 1, ord("d"), ord("b"))
    np.testing.assert_array_equal(out, 2 * a + (6 + (a & 1)) * 10 + 700 + 6000 + 110000 + text + 6 + 8 + 4)
