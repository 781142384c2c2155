# SPDX-License-Identifier: MIT
"""Sweeps of Jacobi's method on several ranks: slices, HaloArray, and mpi4py with NumPy, interleaved in one run.

    mpiexec -n 2 python benchmarks/distributed.py [LENGTH...]

Each rank has rows of a square grid. The minimum of the rounds is the time; rank 0 prints microseconds for a sweep, and
the messages that it sends in one.
"""

import sys
import time

import numpy as np
from mpi4py import MPI

import quern.dist as qn


def slices(length):
    u = qn.zeros((length, length), layout=(qn.size(), 1))
    u[0] = 100.0

    def sweep():
        u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])

    return sweep, u.local.get


def halo(length):
    u = qn.HaloArray((length, length), widths=1, layout=(qn.size(), 1), corners=False)
    (rows,), _ = u.layout.intervals(qn.rank())
    first, last = int(rows[0] == 0), int(rows[1] == length)
    if first:
        u.interior[0] = 100.0
    v = u.local
    inner = u.interior[first : v.shape[0] - 2 - last, 1:-1]
    top, bottom = 1 + first, v.shape[0] - 1 - last

    def sweep():
        u.exchange()
        inner[...] = 0.25 * (
            v[top - 1 : bottom - 1, 2:-2]
            + v[top + 1 : bottom + 1, 2:-2]
            + v[top:bottom, 1:-3]
            + v[top:bottom, 3:-1]
        )

    return sweep, u.interior.get


def mpi4py_and_numpy(length):
    comm = MPI.COMM_WORLD
    rows = [part.size for part in np.array_split(np.arange(length), comm.size)][comm.rank]
    up, down = comm.rank - 1, comm.rank + 1
    up, down = up if up >= 0 else MPI.PROC_NULL, down if down < comm.size else MPI.PROC_NULL
    u = np.zeros((rows + 2, length))
    if comm.rank == 0:
        u[1] = 100.0
    top, bottom = 1 + int(comm.rank == 0), rows + 1 - int(comm.rank == comm.size - 1)

    def sweep():
        comm.Sendrecv(u[1], up, 0, u[-1], down, 0)
        comm.Sendrecv(u[-2], down, 1, u[0], up, 1)
        u[top:bottom, 1:-1] = 0.25 * (
            u[top - 1 : bottom - 1, 1:-1]
            + u[top + 1 : bottom + 1, 1:-1]
            + u[top:bottom, :-2]
            + u[top:bottom, 2:]
        )

    return sweep, lambda: u[1:-1]


def main():
    qn.init(MPI.COMM_WORLD)
    programs = {"slices": slices, "HaloArray": halo, "mpi4py and NumPy": mpi4py_and_numpy}
    for length in [int(one) for one in sys.argv[1:]] or [64, 256, 1024]:
        made = {name: make(length) for name, make in programs.items()}
        sweeps = max(5, 200_000 // (length * length // 16 + 1000))
        best = dict.fromkeys(made, float("inf"))
        for _ in range(12):
            for name, (sweep, values) in made.items():
                qn.barrier()
                start = time.perf_counter()
                for _ in range(sweeps):
                    sweep()
                values()  # waits for the work
                qn.barrier()
                best[name] = min(best[name], (time.perf_counter() - start) / sweeps)
        blocks = [np.array(values()) for _, values in made.values()]
        for block in blocks[1:]:
            np.testing.assert_allclose(block, blocks[0], atol=1e-12)
        before = qn._ranks.current().sent
        made["slices"][0]()
        after = qn._ranks.current().sent
        if qn.rank() == 0:
            times = ", ".join(f"{name} {1e6 * value:.1f} us" for name, value in best.items())
            print(f"{length} x {length}: {times}; {after[0] - before[0]} messages in a sweep", flush=True)


main()
