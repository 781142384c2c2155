# SPDX-License-Identifier: MIT
"""The ladder of a scalar product of two vectors.

python examples/ladders/scalar_product.py --size 16777216 --picture scalar_product.svg
"""

import sys

import numpy as np
from compiled import c_library, cython_module, pyopencl_program
from ladder import Ladder

import quern as qn

SOURCE = """
// A CPU reads one block of memory in each work-item; on a GPU neighbours read neighbours. The host adds the parts.
kernel void multiply(global const float *x, global const float *y, long n, int blocks, global float *parts) {
  const long id = get_global_id(0), items = get_global_size(0), eights = n / 8;
  const long first = blocks ? eights * id / items : id, last = blocks ? eights * (id + 1) / items : eights;
  const long step = blocks ? 1 : items;
  float8 sums = 0;
  for (long i = first; i < last; i += step) sums += vload8(i, x) * vload8(i, y);
  float sum = 0;
  for (long i = 8 * eights + id; i < n; i += items) sum += x[i] * y[i];
  const float4 four = sums.lo + sums.hi;
  parts[id] = sum + four.x + four.y + four.z + four.w;
}
"""


def problem(size):
    return np.random.default_rng(1).random((2, size), dtype=np.float32)


ladder = Ladder(
    "scalar_product",
    "Scalar product of two vectors of float32",
    problem,
    reference=lambda p: np.dot(p[0].astype(float), p[1].astype(float)),
    work=lambda size: size,
    size=1 << 24,
    tolerance=1e-3,  # sums of float32, in many orders
)


@ladder.rung("pure Python", most=1 << 17)
def pure_python(p):
    x, y = p.tolist()

    def run():
        total = 0.0
        for a, b in zip(x, y, strict=True):
            total += a * b
        return total

    return run


@ladder.rung("NumPy")
def numpy(p):
    x, y = p
    return lambda: np.dot(x, y)


@ladder.rung("numexpr")
def numexpr(p):
    import numexpr

    x, y = p
    # It adds float32 one after the other in float32, which loses digits; products of float64 keep them.
    names = {"x": x, "y": y, "one": np.float64(1)}
    return lambda: numexpr.evaluate("sum(one * x * y)", names)


@ladder.rung("Numba")
def numba(p):
    import numba

    @numba.njit(parallel=True, fastmath=True)
    def multiply(x, y):
        total = np.float32(0)
        for i in numba.prange(len(x)):
            total += x[i] * y[i]
        return total

    return lambda: multiply(p[0], p[1])


@ladder.rung("Cython with OpenMP")
def cython(p):
    module = cython_module("""
# cython: boundscheck=False, wraparound=False
from cython.parallel import prange

def multiply(const float[::1] x, const float[::1] y):
    cdef float total = 0
    cdef Py_ssize_t i
    for i in prange(x.shape[0], nogil=True):
        total += x[i] * y[i]
    return total
""")
    return lambda: module.multiply(p[0], p[1])


@ladder.rung("C through CFFI")
def cffi(p):
    library, ffi = c_library(
        "float multiply(const float *x, const float *y, long n);",
        """
float multiply(const float *x, const float *y, long n) {
  float total = 0;
  for (long i = 0; i < n; i++) total += x[i] * y[i];
  return total;
}
""",
    )
    x, y = (ffi.from_buffer("float[]", part) for part in (p[0], p[1]))
    return lambda: library.multiply(x, y, len(p[0]))


@ladder.rung("PyOpenCL")
def pyopencl(p):
    _, queue, arrays = pyopencl_program(SOURCE)
    x, y = (arrays.to_device(queue, part) for part in p)
    return lambda: arrays.dot(x, y).get()


@ladder.rung_of_devices("kernel")
def kernel(p, device):
    is_cpu = device.kind == "cpu"
    items = device.compute_units * (4 if is_cpu else 2048)
    x, y = (qn.asarray(part) for part in p)
    parts, multiply = qn.empty(items, "float32"), qn.Program(SOURCE).multiply

    def run():
        multiply(None, items, None, x, y, len(x), is_cpu, parts)
        return parts.get().astype(float).sum()

    return run


@ladder.rung_of_devices("arrays")
def arrays(p, device):
    x, y = (qn.asarray(part) for part in p)
    return lambda: float(qn.sum(x * y))  # one kernel


@ladder.rung_of_devices("generator")
def generator(p, device):
    x, y = (qn.asarray(part) for part in p)
    multiply = qn.ReductionKernel("float32", "0", "a + b", "x[i] * y[i]", "const float *x, const float *y")
    return lambda: multiply(x, y).get()


if __name__ == "__main__":
    sys.exit(ladder.main())
