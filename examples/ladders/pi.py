# SPDX-License-Identifier: MIT
"""The ladder of pi by random points. Every rung throws the same points, so that all count the same hits.

Point i comes from the number i by a hash function (Chris Wellons' "lowbias32"): 15 bits for x, 15 for y.

    python examples/ladders/pi.py --size 16777216 --picture pi.svg
"""

import sys

import numpy as np
from compiled import c_library, cython_module, pyopencl_program
from ladder import Ladder

import quern as qn

FIGURES = """
P. Kicsiny's lecture "Multiplatform Programming with Python" (2023) has another program, which calls C's `rand` in one thread, through
CFFI, on an Intel i7 at 2.3 GHz: 1.43 us for 100 points, which is 14.3 ns for each point. It speaks of a typical gain of 100 to
1,000 over Python.
"""
HASH = """
static inline unsigned inside(unsigned i) {
  i ^= i >> 16;
  i *= 0x7feb352du;
  i ^= i >> 15;
  i *= 0x846ca68bu;
  i ^= i >> 16;
  const unsigned x = i & 0x7fff, y = i >> 15 & 0x7fff;
  return x * x + y * y < 1u << 30;
}
"""
SOURCE = (
    HASH
    + """
kernel void throw_points(uint points, global uint *hits) {
  const ulong id = get_global_id(0), items = get_global_size(0);
  const uint first = points * id / items, last = points * (id + 1) / items;
  uint count = 0;
  for (uint i = first; i < last; i++) count += inside(i);
  hits[get_global_id(0)] = count;
}
"""
)


def reference(points):
    """Part by part, because the hashes of all points would fill the memory."""
    return sum(
        hits_of(np.arange(i, min(i + 65536, points), dtype=np.uint32)) for i in range(0, points, 65536)
    )


def hits_of(i):
    """NumPy's text; `i` are the numbers of the points."""
    i = (i ^ i >> 16) * np.uint32(0x7FEB352D)
    i = (i ^ i >> 15) * np.uint32(0x846CA68B)
    i = i ^ i >> 16
    x, y = i & 0x7FFF, i >> 15 & 0x7FFF
    return (x * x + y * y < 1 << 30).sum()


ladder = Ladder(
    "pi",
    "Pi by random points",
    problem=lambda size: size,
    reference=reference,
    work=lambda size: size,
    size=1 << 24,
    figures=FIGURES,
)


@ladder.rung("pure Python", most=1 << 16)
def pure_python(points):
    def run():
        hits = 0
        for i in range(points):
            i = (i ^ i >> 16) * 0x7FEB352D & 0xFFFFFFFF
            i = (i ^ i >> 15) * 0x846CA68B & 0xFFFFFFFF
            i ^= i >> 16
            x, y = i & 0x7FFF, i >> 15 & 0x7FFF
            hits += x * x + y * y < 1 << 30
        return hits

    return run


@ladder.rung("NumPy")
def numpy(points):
    return lambda: hits_of(np.arange(points, dtype=np.uint32))


@ladder.rung("numexpr")
def numexpr(points):
    import numexpr

    steps = (  # numexpr has no unsigned integers
        ("(i ^ (i >> 16)) * 0x7FEB352D & 0xFFFFFFFF", "i"),
        ("(i ^ (i >> 15)) * 0x846CA68B & 0xFFFFFFFF", "i"),
        ("i ^ (i >> 16)", "i"),
        ("sum(where((i & 0x7FFF)**2 + ((i >> 15) & 0x7FFF)**2 < 1073741824, 1, 0))", "hits"),
    )
    first = np.arange(points, dtype=np.int64)

    def run():
        names = {"i": first}
        for text, name in steps:
            names[name] = numexpr.evaluate(text, names)
        return names["hits"]

    return run


@ladder.rung("Numba")
def numba(points):
    import numba

    @numba.njit(parallel=True)
    def throw(points):
        hits = 0
        for number in numba.prange(points):
            i = np.uint32(number)
            i = np.uint32((i ^ i >> np.uint32(16)) * np.uint32(0x7FEB352D))
            i = np.uint32((i ^ i >> np.uint32(15)) * np.uint32(0x846CA68B))
            i = np.uint32(i ^ i >> np.uint32(16))
            x, y = np.uint32(i & np.uint32(0x7FFF)), np.uint32(i >> np.uint32(15) & np.uint32(0x7FFF))
            hits += x * x + y * y < np.uint32(1 << 30)
        return hits

    return lambda: throw(points)


@ladder.rung("Cython with OpenMP")
def cython(points):
    module = cython_module(f'''
from cython.parallel import prange

cdef extern from *:
    """{HASH}"""
    unsigned inside(unsigned i) nogil

def throw(unsigned points):
    cdef unsigned hits = 0
    cdef Py_ssize_t i
    for i in prange(points, nogil=True):
        hits += inside(<unsigned>i)
    return hits
''')
    return lambda: module.throw(points)


@ladder.rung("C through CFFI")
def cffi(points):
    library, _ = c_library(
        "unsigned throw_points(unsigned points);",
        HASH
        + """
unsigned throw_points(unsigned points) {
  unsigned hits = 0;
  for (unsigned i = 0; i < points; i++) hits += inside(i);
  return hits;
}
""",
    )
    return lambda: library.throw_points(points)


@ladder.rung("PyOpenCL")
def pyopencl(points):
    program, queue, arrays = pyopencl_program(SOURCE)
    hits, kernel = arrays.empty(queue, 4096, np.uint32), program.throw_points

    def run():
        kernel(queue, hits.shape, None, np.uint32(points), hits.data)
        return hits.get().sum()

    return run


@ladder.rung_of_devices("kernel")
def kernel(points, device):
    items = device.compute_units * (2048 if device.kind == "gpu" else 64)
    hits, throw = qn.empty(items, "uint32"), qn.Program(SOURCE).throw_points

    def run():
        throw(None, items, None, points, hits)
        return hits.get().sum()

    return run


@ladder.rung_of_devices("arrays")
def arrays(points, device):
    return lambda: int(hits_of(qn.arange(points, dtype="uint32")))  # one kernel


@ladder.rung_of_devices("generator")
def generator(points, device):
    count = qn.ReductionKernel("uint32", "0", "a + b", "inside(i)", "uint unused", preamble=HASH)
    return lambda: count(0, range=points).get()


if __name__ == "__main__":
    sys.exit(ladder.main())
