# SPDX-License-Identifier: MIT
"""The ladder of Laplace's equation by Jacobi's method: 1,000 sweeps over a square, then the greatest change.

The edges are held at 100 (top), 75 (left), 50 (right) and 0. examples/ranks/laplace solves it on many ranks and beside Fortran; its
program in NumPy is the reference here.

    python examples/ladders/laplace.py --size 512 --picture laplace.svg
"""

import importlib.util
import sys
from pathlib import Path

import numpy as np
from compiled import c_library, cython_module, pyopencl_program
from ladder import Ladder

import quern as qn

FIGURES = """
"Python Programming for High Performance Environments" by R. Cloud, M. Florrison and J. Daily compares its programs in diagrams, without
figures. Beside Fortran and on many ranks the same equation is measured by `examples/ranks/laplace/ladder.py`.
"""
SWEEPS = 1000
SOURCE = """
kernel void sweep(global const double *u, global double *next, int n) {
  const int x = get_global_id(0) + 1, y = get_global_id(1) + 1, at = y * n + x;
  next[at] = 0.25 * (u[at - n] + u[at + n] + u[at - 1] + u[at + 1]);
}
"""
path = Path(__file__).parents[1] / "ranks" / "laplace" / "numpy_slices.py"
spec = importlib.util.spec_from_file_location("numpy_slices", path)
numpy_slices = importlib.util.module_from_spec(spec)
spec.loader.exec_module(numpy_slices)


def start(n):
    u = np.zeros((n, n))
    u[:, 0], u[:, -1] = 75.0, 50.0
    u[0] = 100.0
    return u


def reference(u):
    return numpy_slices.solve(len(u), SWEEPS, SWEEPS, 0.0)[0]


ladder = Ladder(
    "laplace",
    "Laplace's equation, 1,000 sweeps",
    start,
    reference,
    work=lambda size: (size - 2) ** 2,
    size=512,
    tolerance=1e-12,
    figures=FIGURES,
)


@ladder.rung("pure Python", most=24)
def pure_python(plate):
    def run():
        u = plate.tolist()
        new = [row[:] for row in u]
        for _ in range(SWEEPS):
            for y in range(1, len(u) - 1):
                for x in range(1, len(u) - 1):
                    new[y][x] = 0.25 * (u[y - 1][x] + u[y + 1][x] + u[y][x - 1] + u[y][x + 1])
            u, new = new, u
        return u

    return run


@ladder.rung("NumPy")
def numpy(plate):
    return lambda: reference(plate)


@ladder.rung("numexpr")
def numexpr(plate):
    import numexpr

    def run():
        u, new = plate.copy(), plate.copy()
        for _ in range(SWEEPS):
            parts = {"a": u[:-2, 1:-1], "b": u[2:, 1:-1], "c": u[1:-1, :-2], "d": u[1:-1, 2:]}
            numexpr.evaluate("0.25 * (a + b + c + d)", parts, out=new[1:-1, 1:-1])
            u, new = new, u
        return u

    return run


@ladder.rung("Numba")
def numba(plate):
    import numba

    @numba.njit(parallel=True, fastmath=True)
    def sweep(u, new):
        for y in numba.prange(1, len(u) - 1):
            for x in range(1, len(u) - 1):
                new[y, x] = 0.25 * (u[y - 1, x] + u[y + 1, x] + u[y, x - 1] + u[y, x + 1])

    def run():
        u, new = plate.copy(), plate.copy()
        for _ in range(SWEEPS):
            sweep(u, new)
            u, new = new, u
        return u

    return run


@ladder.rung("Cython with OpenMP")
def cython(plate):
    module = cython_module("""
# cython: boundscheck=False, wraparound=False
from cython.parallel import prange

def sweep(const double[:, ::1] u, double[:, ::1] new):
    cdef Py_ssize_t x, y, n = u.shape[0]
    for y in prange(1, n - 1, nogil=True):
        for x in range(1, n - 1):
            new[y, x] = 0.25 * (u[y - 1, x] + u[y + 1, x] + u[y, x - 1] + u[y, x + 1])
""")

    def run():
        u, new = plate.copy(), plate.copy()
        for _ in range(SWEEPS):
            module.sweep(u, new)
            u, new = new, u
        return u

    return run


@ladder.rung("C through CFFI")
def cffi(plate):
    library, ffi = c_library(
        "void sweep(const double *u, double *new, long n);",
        """
void sweep(const double *restrict u, double *restrict new, long n) {
  for (long y = 1; y < n - 1; y++)
    for (long at = y * n + 1; at < y * n + n - 1; at++) new[at] = 0.25 * (u[at - n] + u[at + n] + u[at - 1] + u[at + 1]);
}
""",
    )

    def run():
        u, new = plate.copy(), plate.copy()
        for _ in range(SWEEPS):
            library.sweep(ffi.from_buffer("double[]", u), ffi.from_buffer("double[]", new), len(u))
            u, new = new, u
        return u

    return run


@ladder.rung("PyOpenCL")
def pyopencl(plate):
    program, queue, arrays = pyopencl_program(SOURCE)
    kernel, n = program.sweep, np.int32(len(plate))
    u, new = arrays.to_device(queue, plate), arrays.to_device(queue, plate)
    inner = (len(plate) - 2, len(plate) - 2)

    def run():
        u.set(plate)
        new.set(plate)
        for _ in range(SWEEPS // 2):
            kernel(queue, inner, None, u.data, new.data, n)
            kernel(queue, inner, None, new.data, u.data, n)
        queue.finish()
        return u

    return run


@ladder.rung_of_devices("kernel")
def kernel(plate, device):
    sweep, inner, n = qn.Program(SOURCE).sweep, (len(plate) - 2, len(plate) - 2), len(plate)

    def run():
        u, new = qn.asarray(plate), qn.asarray(plate)
        for _ in range(SWEEPS // 2):
            sweep(None, inner, None, u, new, n)
            sweep(None, inner, None, new, u, n)
        qn.synchronize()
        return u

    return run


@ladder.rung_of_devices("arrays")
def arrays(plate, device):
    def run():
        u, new = qn.asarray(plate), qn.asarray(plate)
        for _ in range(SWEEPS):
            new[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
            u, new = new, u
        qn.synchronize()
        return u

    return run


@ladder.rung_of_devices("generator")
def generator(plate, device):
    sweep = qn.ElementwiseKernel(
        "const double *up, const double *down, const double *left, const double *right, double *next",
        "next[i] = 0.25 * (up[i] + down[i] + left[i] + right[i])",
    )

    def run():
        u, new = qn.asarray(plate), qn.asarray(plate)
        for _ in range(SWEEPS):
            sweep(u[:-2, 1:-1], u[2:, 1:-1], u[1:-1, :-2], u[1:-1, 2:], new[1:-1, 1:-1])
            u, new = new, u
        qn.synchronize()
        return u

    return run


if __name__ == "__main__":
    sys.exit(ladder.main())
