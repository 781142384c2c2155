# SPDX-License-Identifier: MIT
"""What small work costs on the host device beside NumPy: elements, views, rows, sums, products, new arrays."""

import numpy as np

import quern as qn
from quern_bench import Contestant, Report, run, take_turns


def calls(module, evaluate):
    """(name, bar, function) of each, on arrays of one of the two."""
    x, y = (module.asarray(np.random.default_rng(0).random(shape)) for shape in ((200, 200), 1000))

    def set_element():
        y[5] = 1.0

    def set_item():
        x[3, 4] = 1.0

    def copy_row():
        x[3, :] = x[4, :]

    def subtract_row():
        x[3, 1:] -= x[4, 1:]

    return [
        ("y[5]", "0.15 us", lambda: y[5]),
        ("float(y[5])", "0.2 us", lambda: float(y[5])),
        ("y[5] = 1.0", "0.25 us", set_element),
        ("x[3, 4] = 1.0", "0.25 us", set_item),
        ("x[3]", "0.2 us", lambda: x[3]),
        ("x[3, :]", "0.2 us", lambda: x[3, :]),
        ("y[1:]", "0.2 us", lambda: y[1:]),
        ("x.T", "0.2 us", lambda: x.T),
        ("x[3, :] + x[4, :] of 200, evaluated", "1.5 us", lambda: evaluate(x[3, :] + x[4, :])),
        ("x[3, :] = x[4, :] of 200", "0.8 us", copy_row),
        ("x[3, 1:] -= x[4, 1:] of 200", "1.8 us", subtract_row),
        ("y.sum() of 1,000", "2 us", lambda: y.sum()),
        ("float(y.sum()) of 1,000", "2 us", lambda: float(y.sum())),
        ("dot(y, y) of 1,000", "1.5 us", lambda: module.dot(y, y)),
        ("x[3, :10] @ x[4, :10]", "2 us", lambda: x[3, :10] @ x[4, :10]),
        ("empty(10)", "0.3 us", lambda: module.empty(10)),
        ("zeros(10)", "0.3 us", lambda: module.zeros(10)),
    ]


def measure(report: Report, device) -> None:
    with device:
        ours = calls(qn, qn.eval)
        theirs = calls(np, lambda array: array)
        for (name, bar, function), (_, _, other) in zip(ours, theirs, strict=True):
            contestants = [Contestant("Quern", function), Contestant("NumPy", other)]
            report.add(
                take_turns(name, "host", contestants, rounds=report.options.rounds, batch=2000, bar=bar)
            )


if __name__ == "__main__":
    run(__doc__, 20, host=measure)
