# SPDX-License-Identifier: MIT
"""Messages between ranks, and threads within a rank: mpi4py sends the rows of messages.py, a kernel computes the block on all
cores of the rank."""

import messages
import numpy as np
from messages import MPI, comm

import quern

SWEEP = quern.Program(
    """
kernel void sweep(global const double *u, global double *v) {
  const size_t n = get_global_size(0) + 2, at = (get_global_id(1) + 1) * n + get_global_id(0) + 1;
  v[at] = 0.25 * (u[at - n] + u[at + n] + u[at - 1] + u[at + 1]);
}
"""
).sweep


def solve(n, most, every, limit):
    blocks = [messages.block_of(n) for _ in range(2)]  # NumPy's memory, which the host device shares
    rows = len(blocks[0]) - 2
    with quern.device("host"):
        arrays = [quern.asarray(block, copy=False) for block in blocks]
        for sweep in range(1, most + 1):
            messages.exchange(blocks[0])
            if rows:
                SWEEP(None, (n - 2, rows), None, *arrays).wait()
            blocks.reverse()
            arrays.reverse()
            if sweep % every == 0:
                change = np.max(np.abs(blocks[0] - blocks[1])[1:-1], initial=0.0)
                if comm.allreduce(change, op=MPI.MAX) < limit:
                    break
    return messages.gather(blocks[0], n), sweep
