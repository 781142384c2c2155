# SPDX-License-Identifier: MIT
"""Runs one of the Python programs on the ranks of its job: rung.py NAME N MOST EVERY LIMIT FILE. Rank 0 writes the result."""

import importlib
import json
import os
import sys
import time

import numpy as np

name, n, most, every, limit, file = sys.argv[1:]
program = importlib.import_module(name)
if hasattr(program, "comm"):
    rank, barrier = program.comm.rank, program.comm.barrier
elif name == "numpy_slices":
    rank, barrier = 0, lambda: None
else:
    import quern.dist as qn

    rank, barrier = qn.rank(), qn.barrier

for _ in range(2):  # the second one is timed
    barrier()
    start = time.perf_counter()
    u, sweeps = program.solve(int(n), int(most), int(every), float(limit))
    barrier()
    seconds = time.perf_counter() - start
if rank == 0:
    np.ascontiguousarray(u).tofile(file)
    print(
        json.dumps({"seconds": seconds, "sweeps": sweeps, "threads": os.environ.get("QUERN_THREADS")}),
        flush=True,
    )
