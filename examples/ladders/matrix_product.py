# SPDX-License-Identifier: MIT
"""The ladder of a product of two square matrices.

python examples/ladders/matrix_product.py --size 1024 --picture matrix_product.svg
"""

import sys
from pathlib import Path

import numpy as np
from compiled import c_library, cython_module, pyopencl_program
from ladder import Ladder, Missing

import quern as qn

SOURCE = """
kernel void product(global const float *a, global const float *b, global float *c, int n) {
  const int column = get_global_id(0), row = get_global_id(1);
  float sum = 0;
  for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}
"""
TILED = (Path(__file__).parents[1] / "kernels" / "matmul.cl").read_text()


def problem(size):
    return np.random.default_rng(1).random((2, size, size), dtype=np.float32)


ladder = Ladder(
    "matrix_product",
    "Product of two matrices of float32",
    problem,
    reference=lambda p: p[0].astype(float) @ p[1].astype(float),
    work=lambda size: size**3,
    size=1024,
    tolerance=1e-5,
)


@ladder.rung("pure Python", most=64)
def pure_python(p):
    a, b = p.tolist()
    columns = list(zip(*b, strict=True))

    def run():
        return [[sum(x * y for x, y in zip(row, column, strict=True)) for column in columns] for row in a]

    return run


@ladder.rung("NumPy")
def numpy(p):
    a, b = p
    return lambda: a @ b


@ladder.rung("numexpr")
def numexpr(p):
    import numexpr  # noqa: F401

    raise Missing("it has no products of matrices")


@ladder.rung("Numba")
def numba(p):
    import numba

    @numba.njit(parallel=True, fastmath=True)
    def product(a, b):
        c = np.zeros_like(a)
        for row in numba.prange(len(a)):
            for k in range(len(b)):
                for column in range(len(b)):
                    c[row, column] += a[row, k] * b[k, column]
        return c

    return lambda: product(p[0], p[1])


@ladder.rung("Cython with OpenMP")
def cython(p):
    module = cython_module("""
# cython: boundscheck=False, wraparound=False
from cython.parallel import prange

def product(const float[:, ::1] a, const float[:, ::1] b, float[:, ::1] c):
    cdef Py_ssize_t row, column, k, n = a.shape[0]
    cdef float x
    for row in prange(n, nogil=True):
        for column in range(n):
            c[row, column] = 0
        for k in range(n):
            x = a[row, k]
            for column in range(n):
                c[row, column] = c[row, column] + x * b[k, column]
""")
    c = np.empty_like(p[0])

    def run():
        module.product(p[0], p[1], c)
        return c

    return run


@ladder.rung("C through CFFI")
def cffi(p):
    library, ffi = c_library(
        "void product(const float *a, const float *b, float *c, long n);",
        """
#include <string.h>
void product(const float *a, const float *b, float *restrict c, long n) {
  memset(c, 0, n * n * sizeof(float));
  for (long row = 0; row < n; row++)
    for (long k = 0; k < n; k++)
      for (long column = 0; column < n; column++) c[row * n + column] += a[row * n + k] * b[k * n + column];
}
""",
    )
    c = np.empty_like(p[0])
    pointers = [ffi.from_buffer("float[]", part) for part in (p[0], p[1], c)]

    def run():
        library.product(*pointers, len(c))
        return c

    return run


@ladder.rung("PyOpenCL")
def pyopencl(p):
    program, queue, arrays = pyopencl_program(SOURCE)
    a, b = (arrays.to_device(queue, part) for part in p)
    c, kernel = arrays.empty_like(a), program.product

    def run():
        kernel(queue, a.shape, None, a.data, b.data, c.data, np.int32(len(p[0]))).wait()
        return c

    return run


@ladder.rung_of_devices("kernel")
def kernel(p, device):
    a, b = (qn.asarray(part) for part in p)
    c, product = qn.empty_like(a), qn.Program(SOURCE).product

    def run():
        product(None, a.shape, None, a, b, c, len(a)).wait()
        return c

    return run


@ladder.rung_of_devices("kernel with tiles")
def kernel_with_tiles(p, device):
    if len(p[0]) % 16 != 0:
        raise Missing("the size is not a multiple of 16")
    a, b = (qn.asarray(part) for part in p)
    c, product = qn.empty_like(a), qn.Program(TILED).matmul

    def run():
        product(None, a.shape, (16, 16), a, b, c, len(a)).wait()
        return c

    return run


@ladder.rung_of_devices("arrays")
def arrays(p, device):
    a, b = (qn.asarray(part) for part in p)

    def run():
        c = a @ b
        qn.eval(c)
        qn.synchronize()
        return c

    return run


if __name__ == "__main__":
    sys.exit(ladder.main())
