# SPDX-License-Identifier: MIT
"""A float32 network of two layers, 4096 x 8192 and 8192 x 4096, on the host beside NumPy: time and memory."""

import time

import numpy as np

import quern as qn
from quern_bench import Contestant, run, take_turns

SIZES, SMALL_SIZES = (512, 4096, 8192), (32, 64, 128)  # rows, inputs, hidden units


def forward(module, x, w1, b1, w2, b2):
    return module.maximum(x @ w1 + b1, 0) @ w2 + b2


def parameters(rows, inputs, hidden):
    rng = np.random.default_rng(0)
    shapes = (rows, inputs), (inputs, hidden), (hidden,), (hidden, inputs), (inputs,)
    return [rng.standard_normal(shape, dtype="float32") for shape in shapes]


def least_cpu_time(calls, rounds):
    """The least CPU time of each call, turn by turn: other programs on the machine change it little."""
    times = [[] for _ in calls]
    for _ in range(rounds):
        for call, taken in zip(calls, times, strict=True):
            time.sleep(0.1)
            start = time.process_time()
            call()
            taken.append(time.process_time() - start)
    return [min(taken) for taken in times]


def host(report, device):
    rows, inputs, hidden = SMALL_SIZES if report.options.small else SIZES
    theirs = parameters(rows, inputs, hidden)
    with device:
        mine = [qn.asarray(a) for a in theirs]

        def ours():
            qn.eval(forward(qn, *mine))
            qn.synchronize()

        def numpy():
            forward(np, *theirs)

        report.add(
            take_turns(
                f"network of {inputs} x {hidden}, {rows} rows",
                device.name,
                [Contestant("quern", ours), Contestant("numpy", numpy)],
                rounds=report.options.rounds,
                reference="numpy",
                settle=0.1,
            )
        )
        own, other = least_cpu_time([ours, numpy], report.options.rounds)
        print(f"CPU time: quern {own:.3f} s, numpy {other:.3f} s, ratio of speeds {other / own:.2f}")
        qn.trim_pool(device)
        before = qn.pool_stats(device)
        ours()
        results = 4 * rows * (hidden + inputs)
        grown = qn.pool_stats(device).peak - before.in_use
        print(
            f"memory: {grown / 2**20:.1f} MiB beside the operands; the results of both layers are "
            f"{results / 2**20:.1f} MiB"
        )


if __name__ == "__main__":
    run(__doc__, rounds=5, host=host)
