# SPDX-License-Identifier: MIT
"""The ladder of a linear combination: z = 5 x + 6 y.

python examples/ladders/linear_combination.py --size 16777216 --picture linear_combination.svg
"""

import sys

import numpy as np
from compiled import c_library, cython_module, pyopencl_program
from ladder import Ladder

import quern as qn

SOURCE = """
kernel void combine(float a, global const float *x, float b, global const float *y, global float *z) {
  const size_t i = get_global_id(0);
  z[i] = a * x[i] + b * y[i];
}
"""


def problem(size):
    return np.random.default_rng(1).random((2, size), dtype=np.float32)


ladder = Ladder(
    "linear_combination",
    "Linear combination of two vectors of float32",
    problem,
    reference=lambda p: 5 * p[0].astype(float) + 6 * p[1].astype(float),
    work=lambda size: size,
    size=1 << 24,
    tolerance=1e-6,
)


@ladder.rung("pure Python", most=1 << 17)
def pure_python(p):
    x, y = p.tolist()
    return lambda: [5 * a + 6 * b for a, b in zip(x, y, strict=True)]


@ladder.rung("NumPy")
def numpy(p):
    x, y = p
    return lambda: 5 * x + 6 * y


@ladder.rung("numexpr")
def numexpr(p):
    import numexpr

    x, y = p
    z = np.empty_like(x)
    names = {
        "a": np.float32(5),
        "x": x,
        "b": np.float32(6),
        "y": y,
    }  # a plain 5 would make it compute in float64
    return lambda: numexpr.evaluate("a*x + b*y", names, out=z)


@ladder.rung("Numba")
def numba(p):
    import numba

    @numba.njit(parallel=True, fastmath=True)
    def combine(x, y, z):
        for i in numba.prange(len(z)):
            z[i] = np.float32(5) * x[i] + np.float32(6) * y[i]
        return z

    z = np.empty_like(p[0])
    return lambda: combine(p[0], p[1], z)


@ladder.rung("Cython with OpenMP")
def cython(p):
    module = cython_module("""
# cython: boundscheck=False, wraparound=False
from cython.parallel import prange

def combine(float a, const float[::1] x, float b, const float[::1] y, float[::1] z):
    cdef Py_ssize_t i
    for i in prange(z.shape[0], nogil=True):
        z[i] = a * x[i] + b * y[i]
""")
    z = np.empty_like(p[0])

    def run():
        module.combine(5, p[0], 6, p[1], z)
        return z

    return run


@ladder.rung("C through CFFI")
def cffi(p):
    library, ffi = c_library(
        "void combine(float a, const float *x, float b, const float *y, float *z, long n);",
        """
void combine(float a, const float *x, float b, const float *y, float *z, long n) {
  for (long i = 0; i < n; i++) z[i] = a * x[i] + b * y[i];
}
""",
    )
    z = np.empty_like(p[0])
    x, y, to = (ffi.from_buffer("float[]", part) for part in (p[0], p[1], z))

    def run():
        library.combine(5, x, 6, y, to, len(z))
        return z

    return run


@ladder.rung("PyOpenCL")
def pyopencl(p):
    program, queue, arrays = pyopencl_program(SOURCE)
    x, y = (arrays.to_device(queue, part) for part in p)
    z, kernel = arrays.empty_like(x), program.combine

    def run():
        kernel(queue, x.shape, None, np.float32(5), x.data, np.float32(6), y.data, z.data).wait()
        return z

    return run


@ladder.rung_of_devices("kernel")
def kernel(p, device):
    x, y = (qn.asarray(part) for part in p)
    z, combine = qn.empty_like(x), qn.Program(SOURCE).combine

    def run():
        combine(None, x.shape, None, 5, x, 6, y, z).wait()
        return z

    return run


@ladder.rung_of_devices("arrays")
def arrays(p, device):
    x, y = (qn.asarray(part) for part in p)
    z = qn.empty_like(x)

    def run():
        z[:] = 5 * x + 6 * y
        qn.synchronize()
        return z

    return run


@ladder.rung_of_devices("generator")
def generator(p, device):
    x, y = (qn.asarray(part) for part in p)
    z = qn.empty_like(x)
    combine = qn.ElementwiseKernel(
        "float a, const float *x, float b, const float *y, float *z", "z[i] = a*x[i] + b*y[i]"
    )

    def run():
        combine(5, x, 6, y, z).wait()
        return z

    return run


if __name__ == "__main__":
    sys.exit(ladder.main())
