# SPDX-License-Identifier: MIT
"""Laplace's equation by Jacobi's method, on one process or on many ranks.

The edges of the square are held at 100 (top), 75 (left), 50 (right) and 0. The program is NumPy's text with another import;
slices of arrays exchange what neighbouring ranks need. NumPy computes the same sweeps on one array as a check.

    mpiexec -n 4 python examples/systems/laplace_ranks.py --size 1000
"""

import argparse

import numpy as np

import quern.dist as qn


def solve(xp, size, sweeps):
    u = xp.zeros((size, size))
    u[:, 0] = 75.0
    u[:, -1] = 50.0
    u[0] = 100.0
    for sweep in range(sweeps):
        new = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        if sweep == sweeps - 1:
            change = float(xp.max(xp.abs(new - u[1:-1, 1:-1])))
        u[1:-1, 1:-1] = new
    return u, change


parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
parser.add_argument("--size", type=int, default=200)
parser.add_argument("--sweeps", type=int, default=300)
options = parser.parse_args()

u, change = solve(qn, options.size, options.sweeps)
expected, _ = solve(np, options.size, options.sweeps)
error = float(qn.max(qn.abs(u - expected)))
if qn.rank() == 0:
    print(
        f"{qn.size()} ranks, {options.sweeps} sweeps: last change {change:.2e}, difference from NumPy {error:.1e}"
    )
assert error < 1e-10
