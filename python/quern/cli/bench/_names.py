# SPDX-License-Identifier: MIT
"""The names of the benchmarks and of the libraries beside Quern."""

NAMES = (
    "bandwidth",
    "launch",
    "compile",
    "upload",
    "download",
    "elementwise",
    "reduction",
    "scan",
    "sort",
    "matmul",
)
PEER_NAMES = ("numpy", "numexpr", "numba", "cupy", "pyopencl", "torch")
