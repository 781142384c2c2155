# SPDX-License-Identifier: MIT
"""Distributed arrays from an interactive session: engines of ipyparallel that are MPI ranks.

The session starts engines under mpiexec, sends them text to run on all ranks (in a notebook: a cell that begins with %%px), looks at
the result, and goes on with the arrays that the engines keep. pip install ipyparallel mpi4py
"""

import argparse
import logging
import os

import ipyparallel
import numpy as np

SWEEPS = """
for sweep in range(sweeps):
    u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
mean = float(u.mean())
"""

parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
parser.add_argument("--ranks", type=int, default=2)
parser.add_argument("--mpiexec", default="mpiexec")
options = parser.parse_args()

cluster = ipyparallel.Cluster(engines="mpi", n=options.ranks, log_level=logging.WARNING)
cluster.engine_launcher_class.mpi_cmd = [options.mpiexec]
# What `quern launch` would add to Open MPI: for more ranks than cores, and for root in a container.
os.environ.update(
    OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1"
)

with cluster as client:
    ranks = client.broadcast_view()
    ranks.block = True
    ranks.execute("import quern.dist as qn")
    print("ranks:", sorted(ranks.apply_sync(lambda: (qn.rank(), qn.size()))))  # noqa: F821

    ranks.execute("u = qn.zeros((60, 80)); u[0] = 100.0")
    ranks.push({"sweeps": 20})
    ranks.execute(SWEEPS)
    print("mean after 20 sweeps:", ranks["mean"])

    ranks.push({"sweeps": 200})  # the arrays are still there
    ranks.execute(SWEEPS)
    means = ranks["mean"]
    print("mean after 220 sweeps:", means)

    # One array on the session's side: every rank returns its block.
    blocks = ranks.apply_sync(lambda: (qn.rank(), u.local.get()))  # noqa: F821
    print("blocks:", [block.shape for _, block in sorted(blocks, key=lambda one: one[0])])

u = np.zeros((60, 80))
u[0] = 100.0
for _ in range(220):
    u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
assert len(set(means)) == 1
assert abs(means[0] - u.mean()) < 1e-10
print("NumPy gives the same")
