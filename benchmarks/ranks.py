# SPDX-License-Identifier: MIT
"""Distributed arrays beside C++ with MPI, the local work alone, and mpi4py with NumPy, interleaved in one run.

    quern launch -n 2 benchmarks/ranks.py [--small] [--only WORD] [--json FILE]
    python benchmarks/ranks.py                  # one rank: what quern.dist costs over quern; a sort on all threads

The peers are benchmarks/native/mpi_peers.cpp, which the mpicxx of this MPI library (or MPICXX) compiles. All ranks work at the same
time, between two barriers; a row has the time of rank 0. Below each table stands the figure that has a bar.
"""

import argparse
import ctypes
import functools
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import quern
import quern.dist as qn

RANKS = qn.init()  # of all ranks
NATIVE = Path(__file__).parent / "native" / "mpi_peers.cpp"


class Table:
    """Measures contestants in turn, and prints what rank 0 saw."""

    def __init__(self, options):
        self.options = options
        self.rows = []

    def measure(self, title, contestants, *, batch=1, rounds=None):
        """Minimum and median seconds of a call of each contestant: name -> function of a count of calls."""
        times = {name: [] for name in contestants}
        for call in contestants.values():
            call(1)
        for _ in range(rounds or self.options.rounds):
            for name, call in contestants.items():
                qn.barrier()
                start = time.perf_counter()
                call(batch)
                qn.barrier()
                times[name].append((time.perf_counter() - start) / batch)
        least = {name: min(taken) for name, taken in times.items()}
        self.print(f"\n{title}")
        for name, taken in times.items():
            self.print(f"  {name:46} {1e6 * least[name]:12.2f} us {1e6 * statistics.median(taken):12.2f} us")
            self.rows.append(
                {
                    "benchmark": title,
                    "contestant": name,
                    "minimum": least[name],
                    "median": statistics.median(taken),
                }
            )
        return least

    def figure(self, text, value, bar):
        """A figure that has a bar."""
        self.print(f"  -> {text}: {value:.3f} (bar {bar})")
        self.rows.append({"figure": text, "value": value, "bar": bar})

    def print(self, text):
        if qn.rank() == 0:
            print(text, flush=True)


def repeated(function):
    """A function of a count, which calls another one so often."""

    def call(times):
        for _ in range(times):
            function()

    return call


def mpi_of_quern():
    """Which MPI library Quern has loaded, by the word that mpi4py and Debian use for it."""
    return "openmpi" if "Open MPI" in RANKS.description else "mpich"


@functools.cache
def mpi4py_world():
    """mpi4py's communicator of these ranks; None if it is not installed or does not load the library that Quern has loaded."""
    os.environ.setdefault("MPI4PY_MPIABI", mpi_of_quern())
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:
        reason = str(error).partition("\n")[0]
    else:
        if MPI.COMM_WORLD.size == qn.size():
            return MPI.COMM_WORLD
        reason = f"it loads {MPI.Get_library_version().partition(',')[0]}"
    if qn.rank() == 0:
        print(f"mpi4py is skipped: {reason}", flush=True)
    return None


@functools.cache
def peers():
    """The library of peers, compiled by rank 0 and loaded by all; None if there is no compiler for this MPI."""
    folder = np.zeros(4096, np.uint8)
    if qn.rank() == 0:
        name = os.fsencode(tempfile.mkdtemp())
        folder[: len(name)] = np.frombuffer(name, np.uint8)
    folder = qn.bcast(quern.asarray(folder)).get().tobytes().rstrip(b"\0")
    library = Path(os.fsdecode(folder), "mpi_peers.so")
    if qn.rank() == 0:
        compile_peers(library)
    qn.barrier()
    return ctypes.CDLL(str(library)) if library.exists() else None


def compile_peers(library):
    word, failures = mpi_of_quern(), []
    for compiler in filter(None, (os.environ.get("MPICXX"), f"mpicxx.{word}", "mpicxx")):
        if not shutil.which(compiler):
            failures.append(f"there is no {compiler}")
            continue
        shown = subprocess.run([compiler, "-show"], capture_output=True, text=True).stdout
        if word not in shown:
            failures.append(f"{compiler} is of another MPI")
            continue
        flags = ["-O3", "-march=native", "-std=c++20", "-shared", "-fPIC"]
        done = subprocess.run([compiler, *flags, NATIVE, "-o", library], capture_output=True, text=True)
        if done.returncode == 0:
            print(f"the C++ peers are compiled by {compiler}", flush=True)
            return
        failures.append(f"{compiler}: {done.stderr.partition(chr(10))[0]}")
    print(f"the C++ peers are skipped: {'; '.join(failures)}", flush=True)


def pointer(array):
    return ctypes.c_void_p(array.ctypes.data)


def one_rank(table):
    """What a distributed array of one rank costs over the array."""
    for length in (1_000, 1_000_000):
        here = quern.ones(length), quern.ones(length)
        spread = qn.ones(length), qn.ones(length)

        def program(x, y):
            z = 2 * x + y * y
            return float((z - x).sum())

        batch = 2_000_000 // (length + 1_000)
        least = table.measure(
            f"2*x + y*y - x, summed, {length} elements, one rank",
            {
                "quern.dist": repeated(functools.partial(program, *spread)),
                "quern": repeated(functools.partial(program, *here)),
            },
            batch=batch,
        )
        table.figure("one rank over plain Quern", least["quern.dist"] / least["quern"], 1.03)
    u, v = qn.zeros((1024, 1024)), quern.zeros((1024, 1024))

    def sweep(u):
        u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])

    def wait(u):
        quern.synchronize()

    least = table.measure(
        "Jacobi by slices, 1024 x 1024, one rank",
        {
            "quern.dist": lambda times: (repeated(lambda: sweep(u))(times), wait(u)),
            "quern": lambda times: (repeated(lambda: sweep(v))(times), wait(v)),
        },
        batch=20,
    )
    table.figure("one rank over plain Quern", least["quern.dist"] / least["quern"], 1.03)


def sum_of_all(table):
    x = qn.ones(100_000 * qn.size())
    contestants = {
        "quern.dist: float(x.sum())": repeated(lambda: float(x.sum())),
        "local: float(x.local.sum())": repeated(lambda: float(x.local.sum())),
    }
    if peers():
        contestants["MPI_Allreduce of one double"] = peers().peer_allreduce
    least = table.measure(f"sum of {x.size} elements", contestants, batch=200)
    if peers():
        ours, local, reduce = least.values()
        table.figure("us of the sum less local sum and MPI_Allreduce", 1e6 * (ours - local - reduce), 5)


def halo_sweeps(shape):
    """Sweeps between two blocks with ghost cells, the interior while messages are under way."""
    n, rows = shape[-1], (qn.size(),) + (1,) * (len(shape) - 1)
    blocks = [qn.HaloArray(shape, [1] + [0] * (len(shape) - 1), layout=rows, corners=False) for _ in range(2)]
    for block in blocks:
        block.local[..., 0] = 1.0
    is_first, is_last = qn.rank() == 0, qn.rank() == qn.size() - 1
    layers = blocks[0].local.shape[0] - 2
    inner = (slice(1, -1),) * (len(shape) - 1)

    def part(u, v, first, last):
        if last <= first:
            return
        total = u[(slice(first - 1, last - 1), *inner)] + u[(slice(first + 1, last + 1), *inner)]
        for axis in range(len(inner)):
            for step in (slice(0, n - 2), slice(2, n)):
                total = total + u[(slice(first, last), *inner[:axis], step, *inner[axis + 1 :])]
        v[(slice(first, last), *inner)] = total * (1.0 / (2 * len(shape)))

    def sweep():
        u, v = blocks[0].local, blocks[1].local
        blocks[0].exchange_begin()
        part(u, v, 2, layers)
        blocks[0].exchange_end()
        if not is_first:
            part(u, v, 1, 2)
        if not is_last:
            part(u, v, layers, layers + 1)
        blocks.reverse()

    def call(times):
        repeated(sweep)(times)
        quern.synchronize()

    return call, layers


def stencil(table, title, shape, peer):
    call, layers = halo_sweeps(shape)
    contestants = {"quern.dist, HaloArray, overlapped": call}
    n = shape[-1]
    if peers():
        cells = (layers + 2) * math.prod(shape[1:])
        u, v = np.zeros(cells), np.zeros(cells)
        for array in (u, v):
            array.reshape(-1, n)[:, 0] = 1.0
        step = getattr(peers(), peer)
        sizes = ctypes.c_ssize_t(layers), ctypes.c_ssize_t(n)
        contestants["C++ and MPI, overlapped"] = lambda times: step(pointer(u), pointer(v), *sizes, times)
    if len(shape) == 2 and (comm := mpi4py_world()):
        x, y = np.zeros((layers + 2, n)), np.zeros((layers + 2, n))
        no_rank = sys.modules["mpi4py.MPI"].PROC_NULL
        up = comm.rank - 1 if comm.rank > 0 else no_rank
        down = comm.rank + 1 if comm.rank + 1 < comm.size else no_rank
        arrays = [x, y]

        def numpy_sweep():
            x, y = arrays
            comm.Sendrecv(x[1], up, 0, x[-1], down, 0)
            comm.Sendrecv(x[-2], down, 1, x[0], up, 1)
            y[1:-1, 1:-1] = 0.25 * (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:])
            arrays.reverse()

        contestants["mpi4py and NumPy"] = repeated(numpy_sweep)
    least = table.measure(f"{title}, {' x '.join(map(str, shape))} float64", contestants, batch=4)
    if peers():
        ours, theirs = list(least.values())[:2]
        table.figure("HaloArray over C++ and MPI", ours / theirs, 1.10)
    if "mpi4py and NumPy" in least:
        table.figure(
            "mpi4py and NumPy over HaloArray", least["mpi4py and NumPy"] / next(iter(least.values())), 3
        )


def redistribution(table):
    n = 512 if table.options.small else 4096
    x = qn.ones((n, n), layout=(qn.size(), 1))

    def ours():
        y = x.redistribute((1, qn.size()))
        quern.eval(y.local)
        quern.synchronize()

    contestants = {"quern.dist: rows to columns": repeated(ours)}
    if peers():
        elements = n * n // qn.size() // qn.size()
        source, target = np.ones(elements * qn.size()), np.ones(elements * qn.size())
        contestants["MPI_Alltoallv of as many bytes"] = lambda times: peers().peer_alltoallv(
            pointer(source), pointer(target), elements, times
        )
    least = table.measure(f"redistribution of {n} x {n} float64", contestants, batch=4)
    if peers():
        ours, theirs = least.values()
        table.figure("redistribution over MPI_Alltoallv", ours / theirs, 1.3)


def product(table):
    n = 256 if table.options.small else 4096
    columns = max(d for d in range(1, math.isqrt(qn.size()) + 1) if qn.size() % d == 0)
    grid = (qn.size() // columns, columns)
    a, b = (qn.default_rng(k).random((n, n), dtype="float32").redistribute(grid) for k in (1, 2))
    left, right = (
        quern.ones((n // grid[0], n), dtype="float32"),
        quern.ones((n, n // grid[1]), dtype="float32"),
    )

    def ours():
        quern.eval(qn.matmul(a, b).local)
        quern.synchronize()

    def local():
        quern.eval(left @ right)
        quern.synchronize()

    least = table.measure(
        f"product of {n} x {n} float32 on {grid[0]} x {grid[1]} ranks",
        {"quern.dist: matmul": repeated(ours), "local product of the same size": repeated(local)},
    )
    distributed, alone = least.values()
    table.figure("matmul over its local products", distributed / alone, 1.10)


def sort(table):
    n = 1_000_000 if table.options.small else 100_000_000
    x = qn.default_rng(1).random(n, dtype="float32")

    def ours():
        quern.eval(qn.sort(x).local)
        quern.synchronize()

    table.measure(f"sort of {n} float32 on {qn.size()} ranks", {"quern.dist: sort": repeated(ours)}, rounds=5)
    table.print("  (compare with a run without mpiexec on as many threads: bar 1.5)")


def one_sided(table):
    count = 131_072  # 1 MiB
    a = qn.GlobalArray((qn.size() * count,))
    tickets = qn.GlobalArray((qn.size(),), dtype="int64")
    other, first = (qn.rank() + 1) % qn.size(), slice(0, count)
    element, block = other * count, slice(other * count, (other + 1) * count)
    values = np.ones(count)
    ours = {
        "get of 8 bytes": repeated(lambda: a.get(element)),
        "get of 1 MiB": repeated(lambda: a.get(block)),
        "read_inc": repeated(lambda: tickets.read_inc((0,), 1)),
        "accumulate of 1 MiB on one block, all ranks": repeated(lambda: a.accumulate(first, values)),
    }
    theirs = {}
    if peers():
        window = peers().peer_window
        window.restype = ctypes.c_void_p
        window(ctypes.c_ssize_t(8 * count))
        target = np.zeros(count)
        get, add, accumulate = peers().peer_get, peers().peer_fetch_and_add, peers().peer_accumulate
        theirs = {
            "get of 8 bytes": lambda times: get(pointer(target), 1, other, times),
            "get of 1 MiB": lambda times: get(pointer(target), count, other, times),
            "read_inc": lambda times: add(0, times),
            "accumulate of 1 MiB on one block, all ranks": lambda times: accumulate(
                pointer(values), count, 0, times
            ),
        }
    for name, call in ours.items():
        contestants = {"quern.dist, GlobalArray": call}
        if name in theirs:
            contestants["MPI in C++"] = theirs[name]
        least = table.measure(name, contestants, batch=20 if "MiB" in name else 1000)
        if len(least) == 2:
            mine, raw = least.values()
            if name.startswith("accumulate"):
                table.figure("MPI_Accumulate over accumulate", raw / mine, 3)
            else:
                table.figure(f"{name} over raw MPI", mine / raw, 1.2)
    if peers():
        peers().peer_window_free()


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--small", action="store_true", help="small sizes, to see that every row works")
    parser.add_argument("--only", metavar="WORD", help="programs whose name has this word")
    parser.add_argument("--json", metavar="FILE", help="append one JSON object for each row")
    options = parser.parse_args()
    table = Table(options)
    square, cube = (256, 64) if options.small else (8192, 512)
    programs = {
        "one_rank": lambda: one_rank(table) if qn.size() == 1 else None,
        "sum": lambda: sum_of_all(table) if qn.size() > 1 else None,
        "jacobi": lambda: (
            stencil(table, "Jacobi", (square, square), "peer_jacobi") if qn.size() > 1 else None
        ),
        "seven": lambda: (
            stencil(table, "7 points", (cube,) * 3, "peer_seven_points") if qn.size() > 1 else None
        ),
        "redistribution": lambda: redistribution(table) if qn.size() > 1 else None,
        "product": lambda: product(table),
        "sort": lambda: sort(table),
        "one_sided": lambda: one_sided(table) if qn.size() > 1 else None,
    }
    table.print(f"{qn.size()} ranks, {quern.device('host').compute_units} threads each, {qn.rank()=}")
    for name, program in programs.items():
        if options.only is None or options.only in name:
            program()
    if options.json and qn.rank() == 0:
        with open(options.json, "a") as file:
            file.writelines(json.dumps({"ranks": qn.size(), **row}) + "\n" for row in table.rows)


if __name__ == "__main__":
    sys.exit(main())
