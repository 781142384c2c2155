# SPDX-License-Identifier: MIT
"""The ladder of a vector's sum.

python examples/ladders/vector_sum.py --size 16777216 --picture vector_sum.svg
"""

import sys

import numpy as np
from compiled import c_library, cython_module
from ladder import Ladder

import quern as qn

FIGURES = """
P. Kicsiny's lecture "Multiplatform Programming with Python" (2023) compares a C loop, called through CFFI, with NumPy in a diagram
without figures. It says that the naive loop is slower than NumPy for long vectors, and comparable with `-ffast-math`; the rung
here has that option.
"""
SOURCE = """
// A CPU reads one block of memory in each work-item; on a GPU neighbours read neighbours. The host adds the parts.
kernel void add(global const double *x, long n, int blocks, global double *parts) {
  const long id = get_global_id(0), items = get_global_size(0), eights = n / 8;
  const long first = blocks ? eights * id / items : id, last = blocks ? eights * (id + 1) / items : eights;
  const long step = blocks ? 1 : items;
  double8 sums = 0;
  for (long i = first; i < last; i += step) sums += vload8(i, x);
  double sum = 0;
  for (long i = 8 * eights + id; i < n; i += items) sum += x[i];
  const double4 four = sums.lo + sums.hi;
  parts[id] = sum + four.x + four.y + four.z + four.w;
}
"""


def problem(size):
    return np.random.default_rng(1).random(size)


ladder = Ladder(
    "vector_sum",
    "Sum of a vector of float64",
    problem,
    reference=lambda x: np.sum(x.astype(np.longdouble)),
    work=lambda size: size,
    size=1 << 24,
    tolerance=1e-10,
    figures=FIGURES,
)


@ladder.rung("pure Python", most=1 << 17)
def pure_python(x):
    x = x.tolist()

    def run():
        total = 0.0
        for value in x:
            total += value
        return total

    return run


@ladder.rung("NumPy")
def numpy(x):
    return lambda: np.sum(x)


@ladder.rung("numexpr")
def numexpr(x):
    import numexpr

    return lambda: numexpr.evaluate("sum(x)", {"x": x})


@ladder.rung("Numba")
def numba(x):
    import numba

    @numba.njit(parallel=True, fastmath=True)
    def add(x):
        total = 0.0
        for i in numba.prange(len(x)):
            total += x[i]
        return total

    return lambda: add(x)


@ladder.rung("Cython with OpenMP")
def cython(x):
    module = cython_module("""
# cython: boundscheck=False, wraparound=False
from cython.parallel import prange

def add(const double[::1] x):
    cdef double total = 0
    cdef Py_ssize_t i
    for i in prange(x.shape[0], nogil=True):
        total += x[i]
    return total
""")
    return lambda: module.add(x)


@ladder.rung("C through CFFI")
def cffi(x):
    library, ffi = c_library(
        "double add(const double *x, long n);",
        """
double add(const double *x, long n) {
  double total = 0;
  for (long i = 0; i < n; i++) total += x[i];
  return total;
}
""",
    )
    pointer = ffi.from_buffer("double[]", x)
    return lambda: library.add(pointer, len(x))


@ladder.rung_of_devices("kernel")
def kernel(x, device):
    is_cpu = device.kind == "cpu"
    items = device.compute_units * (4 if is_cpu else 2048)
    x, parts = qn.asarray(x), qn.empty(items, "float64")
    add = qn.Program(SOURCE).add

    def run():
        add(None, items, None, x, len(x), is_cpu, parts)
        return parts.get().sum()

    return run


@ladder.rung_of_devices("arrays")
def arrays(x, device):
    x = qn.asarray(x)
    return lambda: float(qn.sum(x))


@ladder.rung_of_devices("generator")
def generator(x, device):
    x = qn.asarray(x)
    add = qn.ReductionKernel("float64", "0", "a + b", "x[i]", "const double *x")
    return lambda: add(x).get()


if __name__ == "__main__":
    sys.exit(ladder.main())
