# SPDX-License-Identifier: MIT
"""Cholesky factorisation by tiles on an out-of-order queue: the memory that each step uses says what it waits for.

python examples/systems/cholesky.py
"""

import argparse
import math
from pathlib import Path

import numpy as np

import quern as qn

SOURCE = (Path(__file__).parents[1] / "kernels" / "cholesky.cl").read_text()


def cholesky(queue, a, size):
    """The lower factor of a symmetric, positive definite matrix whose length is a multiple of the tiles' `size`."""
    steps = qn.Program(SOURCE, options=[f"-DN={size}"])
    count = len(a) // size
    # One array for each tile of the lower triangle, in column-major order.
    tiles = {
        (i, j): qn.asarray(
            np.ascontiguousarray(a[i * size : (i + 1) * size, j * size : (j + 1) * size].T),
            device=queue.device,
        )
        for i in range(count)
        for j in range(i + 1)
    }
    for k in range(count):
        steps.factor(queue, 1, 1, tiles[k, k])
        for i in range(k + 1, count):
            steps.solve(queue, 1, 1, tiles[k, k], tiles[i, k])
        for i in range(k + 1, count):
            for j in range(k + 1, i + 1):
                steps.update(queue, 1, 1, tiles[i, k], tiles[j, k], tiles[i, j])
    factor = np.zeros_like(a)
    for (i, j), tile in tiles.items():
        factor[i * size : (i + 1) * size, j * size : (j + 1) * size] = tile.get().T
    return factor


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tiles", type=int, default=12, help="tiles along an edge of the matrix")
    parser.add_argument("--size", type=int, default=32, help="rows of a tile")
    options = parser.parse_args()
    n = options.tiles * options.size
    random = np.random.default_rng(7).standard_normal((n, n))
    a = random @ random.T + n * np.eye(n)

    queue = qn.Queue(out_of_order=True)
    with qn.profile() as profile:
        factor = cholesky(queue, a, options.size)
    expected = np.linalg.cholesky(a)
    error = np.abs(factor - expected).max() / np.abs(expected).max()
    steps = options.tiles * (options.tiles + 1) * (options.tiles + 2) // 6
    kernels = [record for record in profile.records if record.kind == "kernel"]
    assert len(kernels) == steps
    assert error < 1e-12 * math.sqrt(n), error
    print(f"{steps} steps on {queue.device.spec}, relative error {error:.1e}")


if __name__ == "__main__":
    main()
