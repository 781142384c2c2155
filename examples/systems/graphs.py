# SPDX-License-Identifier: MIT
"""Three iterations as captured graphs: Jacobi, conjugate gradients, the heat equation; with the gain of each.

Each is first run kernel by kernel, then as a graph of several iterations. The results are compared with NumPy's.

    python examples/systems/graphs.py --size 256
"""

import argparse
import time

import numpy as np

import quern as qn


def laplace_plate(n):
    """Plate whose edges are held at 100 (top row), 75 (left column), 50 (right column) and 0 (bottom row)."""
    plate = np.zeros((n, n))
    plate[:, 0], plate[:, -1], plate[0] = 75, 50, 100
    return plate


def jacobi(u):
    """One sweep: each inner point becomes the mean of its neighbours."""
    new = u.copy()
    new[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    return new


def heat(u, r=0.1):
    """One explicit step of the heat equation with fixed edges."""
    new = u.copy()
    inner = u[1:-1, 1:-1]
    new[1:-1, 1:-1] = inner + r * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * inner)
    return new


def poisson(x):
    """Five-point operator with zeros around the grid."""
    y = 4 * x
    y[1:] -= x[:-1]
    y[:-1] -= x[1:]
    y[:, 1:] -= x[:, :-1]
    y[:, :-1] -= x[:, 1:]
    return y


def cg_step(x, r, p, rr):
    """One iteration of conjugate gradients. The numbers stay on the device, so that nothing is read."""
    q = poisson(p)
    a = rr / (p * q).sum()
    x, r = x + a * p, r - a * q
    new = (r * r).sum()
    return x, r, r + (new / rr) * p, new


def repeated(step, times):
    """Function that applies `step` several times to its arguments."""

    def run(*state):
        for _ in range(times):
            state = step(*state)
            state = state if isinstance(state, tuple) else (state,)
        return state

    return run


def measure(name, step, state, times, rounds, reference):
    one_by_one, as_graph = repeated(step, times), qn.graph(repeated(step, times))
    seconds = {}
    for label, run in (("one by one", one_by_one), ("graph", as_graph)):
        now = run(*state)  # compiles the kernels, and records the graph
        qn.eval(*now)
        qn.synchronize()
        start = time.perf_counter()
        for _ in range(rounds):
            now = run(*now)
            qn.eval(*now)
        qn.synchronize()
        seconds[label] = (time.perf_counter() - start) / rounds / times
        result = now[0].get()
        difference = np.abs(result - reference).max() / np.abs(reference).max()
        assert difference < 1e-6, f"{name} {label}: {difference}"
    gain = seconds["one by one"] / seconds["graph"]
    print(
        f"  {name:8} {1e6 * seconds['one by one']:8.1f} us {1e6 * seconds['graph']:8.1f} us an iteration; gain {gain:.2f}"
    )


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--size", type=int, default=64, help="points on a side of the grid")
parser.add_argument("--iterations", type=int, default=10, help="in one graph")
parser.add_argument("--rounds", type=int, default=20)
options = parser.parse_args()
n, times, rounds = options.size, options.iterations, options.rounds

print(f"{n} x {n} points on {qn.current_device()}, {times} iterations in a graph")
for name, step in (("jacobi", jacobi), ("heat", heat)):
    plate = expected = laplace_plate(n)
    for _ in range(times * (rounds + 1)):
        expected = step(expected)
    measure(name, step, (qn.asarray(plate),), times, rounds, expected)

b = np.random.default_rng(1).random((n, n))
state = (np.zeros((n, n)), b, b, (b * b).sum())
expected = state
few = max(1, n // times // 4)  # before the residual is zero
for _ in range(times * (few + 1)):
    expected = cg_step(*expected)
measure("cg", cg_step, tuple(qn.asarray(np.asarray(each)) for each in state), times, few, expected[0])
