# SPDX-License-Identifier: MIT
"""Variants of the product of rows of very different lengths (sparse_shares.cl), beside CuPy: for the choice of one."""

import os

import numpy as np

import quern as qn
from quern_bench import Contestant, peer, run, take_turns
from sparse_matrices import power_law

# Work-items of a group, entries of a work-item, 1: the scan of a group by shuffles.
VARIANTS = ["256,8,0", "256,8,1", "128,8,0", "128,8,1", "128,16,1", "256,4,1", "256,16,1", "512,8,1"]


def on_gpu(report, device):
    parts = power_law(10_000_000)
    rows = len(parts[2]) - 1
    x = np.random.default_rng(2).random(rows)
    matrix = qn.sparse.csr_array(parts, shape=(rows, rows), device=device)
    vector = qn.asarray(x, device=device)
    queue = qn.Queue(device)
    expected = None

    def product(variant):
        def call():
            os.environ["QUERN_TRY_SHARES"] = variant
            with queue:
                qn.eval(matrix @ vector)

        return call

    contestants = []
    for variant in VARIANTS:
        os.environ["QUERN_TRY_SHARES"] = variant
        result = (matrix @ vector).get()
        expected = result if expected is None else expected
        np.testing.assert_allclose(result, expected, 1e-10, err_msg=variant)
        contestants.append(Contestant(variant, product(variant), queue.finish))
    if (cupy := peer(report, "cupy")) and (sparse := peer(report, "cupyx.scipy.sparse")):
        theirs = sparse.csr_matrix(tuple(map(cupy.asarray, parts)), shape=(rows, rows))
        right = cupy.asarray(x)
        contestants.append(Contestant("CuPy", lambda: theirs @ right, cupy.cuda.Device().synchronize))
    report.add(
        take_turns(
            "power-law product, 1e7 entries",
            device.backend,
            contestants,
            reference=VARIANTS[0],
            rounds=report.options.rounds,
            batch=10,
            drain_inside=True,
        )
    )


if __name__ == "__main__":
    run(__doc__, 9, cuda=on_gpu)
