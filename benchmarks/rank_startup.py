# SPDX-License-Identifier: MIT
"""How long a program of many ranks takes from mpiexec to its first results, beside one that imports mpi4py and NumPy.

python benchmarks/rank_startup.py --ranks 16
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

NUMPY = """
import numpy as np
try:
    from mpi4py import MPI
    MPI.COMM_WORLD.barrier()
except ImportError:
    pass
"""


def rank():
    """The program of a rank: kernels of arrays and of its own, which are the same on every rank."""
    import numpy as np

    import quern
    import quern.dist as qn

    comm = qn.init()
    n = 24 * comm.size
    u = qn.asarray(np.arange(float(n * 30)).reshape(n, 30), layout=(comm.size, 1))
    v = qn.sqrt(u * 2 + 1) - 0.25 * u
    whole = np.sqrt(np.arange(float(n * 30)) * 2 + 1) - 0.25 * np.arange(float(n * 30))
    assert abs(float(v.sum()) - whole.sum()) < 1e-6 * n * 30
    program = quern.Program("kernel void twice(global double *a) { a[get_global_id(0)] *= 2; }")
    block = quern.asarray(v.local.get())
    program.twice(None, block.size, None, block).wait()
    np.testing.assert_allclose(block.get(), 2 * v.local.get())
    qn.barrier()
    print(f"rank {comm.rank} of {comm.size}: right", flush=True)


def main():
    from quern.dist import _installation, _launch
    from quern_bench import Report, Row, options

    arguments = argparse.ArgumentParser(add_help=False)
    arguments.add_argument("--ranks", type=int, default=_launch.cores())
    own, sys.argv[1:] = arguments.parse_known_args()
    ranks, report = own.ranks, Report(options(__doc__, rounds=5))
    choice = _installation.choose()
    start, variables, _ = _launch.mpiexec_command(choice, ranks, [])
    cache = tempfile.mkdtemp(prefix="quern-startup-")
    environment = {
        **_installation.child_environment(),
        **variables,
        "QUERN_CACHE_DIR": cache,
        "QUERN_DEVICE": "host",
    }
    environment["QUERN_HOST_LOOPS"] = "never"  # results wait for their kernels
    jobs = {
        "mpi4py and NumPy": [sys.executable, "-c", NUMPY],
        "Quern, kernels cached": [sys.executable, __file__, "--as-rank"],
        "Quern, kernels compiled": [sys.executable, __file__, "--as-rank"],
    }

    def seconds(name, command):
        if name.endswith("compiled"):
            shutil.rmtree(cache)
            os.mkdir(cache, 0o700)
        began = time.perf_counter()
        subprocess.run([*start, *command], env=environment, check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - began

    times = {name: [] for name in jobs}
    for _ in range(report.options.rounds + 1):
        for name, command in jobs.items():
            times[name].append(seconds(name, command))
    shutil.rmtree(cache)
    rows = []
    for name, taken in times.items():
        taken = taken[1:]  # the first round fills the cache and the page cache
        least, middle = min(taken), statistics.median(taken)
        rows.append(
            Row(f"start of {ranks} ranks", "host", name, least, middle, middle / least, len(taken), 1)
        )
    report.add(rows)
    report.finish()


if __name__ == "__main__":
    if sys.argv[1:] == ["--as-rank"]:
        rank()
    else:
        sys.path.insert(0, str(Path(__file__).parent))
        main()
