# SPDX-License-Identifier: MIT
"""The ladder of the polygon mask: which pixels of a picture lie inside a polygon with 24 random corners.

A pixel is inside when a ray from it to the right crosses an odd number of edges. All rungs compute in float64, so that they agree on
every pixel.

    python examples/ladders/polygon_mask.py --size 1024 --picture polygon_mask.svg
"""

import sys

import numpy as np
from compiled import c_library, cython_module, pyopencl_program
from ladder import Ladder

import quern as qn

FIGURES = """
The times of J. Kieffer's course "High Performance Computing with Python" (ESRF) for 24 edges and 1024 x 1024 pixels, on two Intel Xeon
E5520 (8 cores, 2.27 GHz) and a GeForce Titan:

| there | time | speed-up |
|---|---|---|
| Python with tuples | 36 s | 1 |
| Python with numpy | 450 s | 0.08 |
| Cython with tuples | 9 s | 4 |
| Cython with numpy and options | 3.6 s | 10 |
| Cython and C | 0.27 s | 111 |
| Cython class | 0.118 s | 305 |
| Cython with OpenMP | 0.020 s | 1,800 |
| PyOpenCL on the GPU | 0.003 s | 12,000 |

Its "Python with numpy" keeps the loops over pixels and edges of plain Python and indexes arrays in them. The rung here makes one pass
over all pixels for each edge.
"""
CORNERS = 24
INSIDE = """
static inline unsigned char is_inside(double x, double y, SPACE const double *corner_x, SPACE const double *corner_y,
                                      int corners) {
  unsigned char inside = 0;
  double from_x = corner_x[corners - 1], from_y = corner_y[corners - 1];
  for (int k = 0; k < corners; k++) {
    const double to_x = corner_x[k], to_y = corner_y[k];
    if ((from_y > y) != (to_y > y)) inside ^= x < (y - from_y) * (to_x - from_x) / (to_y - from_y) + from_x;
    from_x = to_x;
    from_y = to_y;
  }
  return inside;
}
"""
SOURCE = (
    INSIDE.replace("SPACE", "global")
    + """
kernel void polygon_mask(global const double *corner_x, global const double *corner_y, int corners, global uchar *mask) {
  const int x = get_global_id(0), y = get_global_id(1);
  mask[y * get_global_size(0) + x] = is_inside(x, y, corner_x, corner_y, corners);
}
"""
)


def problem(size):
    """The size, and the corners' coordinates."""
    return size, *np.random.default_rng(24).uniform(0, size, (2, CORNERS))


def by_edges(np, size, corner_x, corner_y):
    """One pass over all pixels for each edge: NumPy's text, also for Quern's arrays."""
    y, x = np.arange(size, dtype=np.float64)[:, None], np.arange(size, dtype=np.float64)[None, :]
    mask = np.zeros((size, size), dtype=np.bool)
    for k in range(CORNERS):
        from_x, from_y, to_x, to_y = corner_x[k - 1], corner_y[k - 1], corner_x[k], corner_y[k]
        if from_y != to_y:  # level edges cross no ray
            crossing = (y - from_y) * (to_x - from_x) / (to_y - from_y) + from_x
            mask ^= ((from_y > y) != (to_y > y)) & (x < crossing)
    return mask


ladder = Ladder(
    "polygon_mask",
    "Mask of a polygon with 24 corners",
    problem,
    reference=lambda p: by_edges(np, *p),
    work=lambda size: size * size,
    size=1024,
    figures=FIGURES,
)


@ladder.rung("pure Python", most=64)
def pure_python(p):
    size, corner_x, corner_y = p
    corners = list(zip(corner_x.tolist(), corner_y.tolist(), strict=True))

    def run():
        mask = []
        for y in range(size):
            for x in range(size):
                inside = False
                from_x, from_y = corners[-1]
                for to_x, to_y in corners:
                    if (from_y > y) != (to_y > y):
                        inside ^= x < (y - from_y) * (to_x - from_x) / (to_y - from_y) + from_x
                    from_x, from_y = to_x, to_y
                mask.append(inside)
        return np.reshape(mask, (size, size))

    return run


@ladder.rung("NumPy")
def numpy(p):
    return lambda: by_edges(np, *p)


@ladder.rung("numexpr")
def numexpr(p):
    import numexpr

    size, corner_x, corner_y = p
    edge = "((y1 > y) != (y2 > y)) & (x < (y - y1) * (x2 - x1) / (y2 - y1) + x1)"

    def run():
        names = {"y": np.arange(float(size))[:, None], "x": np.arange(float(size))[None, :]}
        mask = np.zeros((size, size), bool)
        for k in range(CORNERS):
            names |= {"x1": corner_x[k - 1], "y1": corner_y[k - 1], "x2": corner_x[k], "y2": corner_y[k]}
            if names["y1"] != names["y2"]:
                mask ^= numexpr.evaluate(edge, names)
        return mask

    return run


@ladder.rung("Numba")
def numba(p):
    import numba

    size, corner_x, corner_y = p

    @numba.njit(parallel=True)
    def polygon_mask(size, corner_x, corner_y):
        mask = np.empty((size, size), np.uint8)
        for y in numba.prange(size):
            for x in range(size):
                inside = False
                from_x, from_y = corner_x[-1], corner_y[-1]
                for k in range(len(corner_x)):
                    to_x, to_y = corner_x[k], corner_y[k]
                    if (from_y > y) != (to_y > y):
                        inside ^= x < (y - from_y) * (to_x - from_x) / (to_y - from_y) + from_x
                    from_x, from_y = to_x, to_y
                mask[y, x] = inside
        return mask

    return lambda: polygon_mask(size, corner_x, corner_y)


@ladder.rung("Cython with OpenMP")
def cython(p):
    size, corner_x, corner_y = p
    module = cython_module(f'''
# cython: boundscheck=False, wraparound=False
from cython.parallel import prange

cdef extern from *:
    """{INSIDE.replace("SPACE", "")}"""
    unsigned char is_inside(double x, double y, const double *corner_x, const double *corner_y, int corners) nogil

def polygon_mask(const double[::1] corner_x, const double[::1] corner_y, unsigned char[:, ::1] mask):
    cdef int corners = corner_x.shape[0]
    cdef Py_ssize_t x, y
    for y in prange(mask.shape[0], nogil=True, schedule='dynamic'):
        for x in range(mask.shape[1]):
            mask[y, x] = is_inside(x, y, &corner_x[0], &corner_y[0], corners)
''')
    mask = np.empty((size, size), np.uint8)

    def run():
        module.polygon_mask(corner_x, corner_y, mask)
        return mask

    return run


@ladder.rung("C through CFFI")
def cffi(p):
    size, corner_x, corner_y = p
    library, ffi = c_library(
        "void polygon_mask(const double *corner_x, const double *corner_y, int corners, unsigned char *mask, int size);",
        INSIDE.replace("SPACE", "")
        + """
void polygon_mask(const double *corner_x, const double *corner_y, int corners, unsigned char *mask, int size) {
  for (int y = 0; y < size; y++)
    for (int x = 0; x < size; x++) mask[(long)y * size + x] = is_inside(x, y, corner_x, corner_y, corners);
}
""",
    )
    mask = np.empty((size, size), np.uint8)
    corners = [ffi.from_buffer("double[]", part) for part in (corner_x, corner_y)]
    to = ffi.from_buffer("unsigned char[]", mask)

    def run():
        library.polygon_mask(*corners, CORNERS, to, size)
        return mask

    return run


@ladder.rung("PyOpenCL")
def pyopencl(p):
    size, corner_x, corner_y = p
    program, queue, arrays = pyopencl_program(SOURCE)
    x, y = arrays.to_device(queue, corner_x), arrays.to_device(queue, corner_y)
    mask, kernel = arrays.empty(queue, (size, size), np.uint8), program.polygon_mask

    def run():
        kernel(queue, (size, size), None, x.data, y.data, np.int32(CORNERS), mask.data).wait()
        return mask

    return run


@ladder.rung_of_devices("kernel")
def kernel(p, device):
    size, corner_x, corner_y = p
    x, y, mask = qn.asarray(corner_x), qn.asarray(corner_y), qn.empty((size, size), "uint8")
    polygon_mask = qn.Program(SOURCE).polygon_mask

    def run():
        polygon_mask(None, (size, size), None, x, y, CORNERS, mask).wait()
        return mask

    return run


@ladder.rung_of_devices("arrays")
def arrays(p, device):
    size, corner_x, corner_y = p
    corner_x, corner_y = corner_x.tolist(), corner_y.tolist()

    def run():
        mask = by_edges(qn, size, corner_x, corner_y)
        qn.eval(mask)
        qn.synchronize()
        return mask

    return run


@ladder.rung_of_devices("generator")
def generator(p, device):
    size, corner_x, corner_y = p
    x, y, mask = qn.asarray(corner_x), qn.asarray(corner_y), qn.empty((size, size), "uint8")
    polygon_mask = qn.ElementwiseKernel(
        "raw double corner_x, raw double corner_y, int corners, int size",
        "uint8 mask",
        "mask = is_inside(i % size, i / size, &corner_x[0], &corner_y[0], corners)",
        preamble=INSIDE.replace("SPACE", "global"),
    )

    def run():
        polygon_mask(x, y, CORNERS, size, mask)
        qn.synchronize()
        return mask

    return run


if __name__ == "__main__":
    sys.exit(ladder.main())
