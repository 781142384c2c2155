# SPDX-License-Identifier: MIT
"""Statements: loops, switch, goto, nested and early exits, helper functions in any order."""

import numpy as np
from table import Table

PRELUDE = """
int later(int x);
int collatz(int x) { int n = 0; while (x != 1) { x = x & 1 ? 3 * x + 1 : x / 2; n++; } return n; }
int count_do(int x) { int n = 0; do { n++; x -= 3; } while (x > 0); return n; }
int kind(int x) {
  switch (x) {
    case 0: return 10;
    case 1:
    case 2: x += 100; break;
    case 'A': x = -1; break;
    default: x *= 2;
    case 5: x += 1;
  }
  return x;
}
int nested(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) {
    if (i == 3) continue;
    for (int j = 0;; j++) {
      if (j > i) break;
      if ((i + j) % 2) continue;
      sum += i * j + 1;
    }
    if (sum > 40) break;
  }
  return sum;
}
int jumps(int x) {
  int n = 0;
again:
  if (x > 20) goto done;
  x += 7;
  n++;
  goto again;
done:
  return n * 100 + x;
}
int inner_switch(int x) {
  int n = 0;
  for (int i = 0; i < 5; i++) {
    switch ((x + i) % 3) {
      case 0: continue;
      case 1: n += 1; break;
      case 2: { int y = i; n += 10 * y; }
    }
    n += 1000;
  }
  return n;
}
int later(int x) { return x > 0 ? x + earlier_sum(x) : -1; }
"""


def expected(x):
    def collatz(x):
        n = 0
        while x != 1:
            x = 3 * x + 1 if x & 1 else x // 2
            n += 1
        return n

    def nested(n):
        total = 0
        for i in range(n):
            if i == 3:
                continue
            total += sum(i * j + 1 for j in range(i + 1) if (i + j) % 2 == 0)
            if total > 40:
                break
        return total

    def jumps(x):
        n = 0
        while x <= 20:
            x, n = x + 7, n + 1
        return n * 100 + x

    def inner_switch(x):
        n = 0
        for i in range(5):
            case = (x + i) % 3
            if case == 0:
                continue
            n += 1 if case == 1 else 10 * i
            n += 1000
        return n

    kinds = {0: 10, 1: 101, 2: 102, 5: 6, 65: -1}
    return {
        "collatz(x)": collatz(x),
        "count_do(x)": max(1, -(-x // 3)),
        "kind(x)": kinds.get(x, 2 * x + 1),
        "nested(x)": nested(x),
        "jumps(x)": jumps(x),
        "inner_switch(x)": inner_switch(x),
        "later(x)": x + x * (x + 1) // 2,
    }


def test_statements(queue):
    values = [1, 2, 3, 5, 7, 12, 27, 65]
    table = Table(x=np.int32(values))
    for name in expected(1):
        table.add(name, [expected(v)[name] for v in values], "int")
    prelude = "int earlier_sum(int n);\n" + PRELUDE
    prelude += "int earlier_sum(int n) { int s = 0; for (; n; n--) s += n; return s; }"
    table.run(queue, prelude=prelude)


def test_expressions_with_effects(queue):
    table = Table(x=np.int32([0, 1, 2, 3]))
    table.add("a + b", [3, 5, 7, 9], "int", before="int a, b; b = x + 1; a = (b, x + 2);")
    table.add("n", [1, 0, 1, 1], "int", before="int n = 0; x == 1 || n++;")
    table.add("n", [0, 1, 0, 0], "int", before="int n = 0; x == 1 && n++;")
    table.add("c", [5, 5, 5, 5], "int", before="int a, b, c; a = b = c = 5; a += b;")
    table.add("x > 1 ? x > 2 ? 3 : 2 : x ? 1 : 0", [0, 1, 2, 3], "int")
    table.add("y", [7, 8, 9, 10], "int", before="int y = x; { int y = 100; y++; } y += 7;")
    table.add(
        "a[0] + 10 * k", [30, 30, 30, 30], "int", before="int a[2] = {7, 5}; int k = 0; a[k++] = 10; k++;"
    )
    table.add("n", [6, 6, 6, 6], "int", before="int n = 0; for (int i = 0, j = 4; i < j; i++, j--) n += 3;")
    table.add(
        "n", [4, 4, 4, 4], "int", before="int n = 0;\n#pragma unroll 2\nfor (int i = 0; i < 4; i++) n++;\n"
    )
    table.add(
        "n", [4, 4, 4, 4], "int", before="int n = 0;\n#pragma unroll\nfor (int i = 0; i < 4; i++) n++;\n"
    )
    table.run(queue)


def test_work_items_leave_early(run):
    source = """
    kernel void k(global int *a, int n) {
      int i = get_global_id(0);
      if (i >= n) return;
      for (int j = 0; j < 10; j++) {
        if (j == i) { a[i] = -j; return; }
      }
      a[i] = i;
    }"""
    a = run(source, 32, None, np.full(32, 99, np.int32), 20)
    expected_values = [-i if i < 10 else i if i < 20 else 99 for i in range(32)]
    assert list(a) == expected_values


def test_recursion_is_refused(build_error, device):
    if device.backend == "opencl":
        return  # a device's compiler may unroll it, refuse it or crash
    error = build_error(
        "int f(int n) { return n ? f(n - 1) : 0; }\nkernel void k(global int *a) { a[0] = f(3); }"
    )
    assert "recursi" in str(error) or "calls itself" in str(error)
