# SPDX-License-Identifier: MIT
"""Linear algebra beside NumPy on the host and CuPy on a GPU: one matrix of 1024 or 4096, and stacks of small ones."""

import numpy as np

import quern as qn
from quern_bench import Contestant, peer, run, take_turns


def matrices(n, dtype="float64"):
    rng = np.random.default_rng(3)
    a = rng.standard_normal((n, n)).astype(dtype)
    definite = a @ a.T + n * np.eye(n, dtype=dtype)
    return a + n * np.eye(n, dtype=dtype), definite, rng.standard_normal((n,)).astype(dtype)


def single(library, a, definite, b):
    """One factorisation of each kind, as functions of a library that has NumPy's names."""
    yield "solve", lambda: library.solve(a, b)
    yield "inv", lambda: library.inv(a)
    yield "cholesky", lambda: library.cholesky(definite)
    yield "qr", lambda: library.qr(a)
    yield "eigh", lambda: library.eigh(definite)
    yield "svd", lambda: library.svd(a)


def stacks(count, n, dtype):
    rng = np.random.default_rng(3)
    a = rng.standard_normal((count, n, n)).astype(dtype)
    definite = a @ a.transpose(0, 2, 1) + n * np.eye(n, dtype=dtype)
    return a + 2 * n * np.eye(n, dtype=dtype), definite, rng.standard_normal((count, n, 1)).astype(dtype)


def compete(report, device, name, library, other, arrays, synchronize, label, rounds, bar):
    queue = qn.Queue(device)
    ours = [qn.asarray(part, device=device) for part in arrays]
    theirs = [other.asarray(part) for part in arrays]
    mine = dict(single(qn.linalg, *ours))
    for kind, peer_call in single(library, *theirs):
        if name.startswith("stack") and kind not in ("solve", "inv", "cholesky"):
            continue

        def call(work=mine[kind]):
            with queue:
                work()

        contestants = [Contestant("Quern", call, queue.finish), Contestant(label, peer_call, synchronize)]
        report.add(
            take_turns(
                f"{kind} {name}",
                device.backend,
                contestants,
                rounds=rounds,
                batch=1,
                drain_inside=True,
                reference=label,
                settle=0.1,
                bar=bar,
            )
        )


def on_host(report, device):
    rounds = report.options.rounds
    for n in (256, 1024):
        compete(
            report, device, f"{n} float64", np.linalg, np, matrices(n), lambda: None, "NumPy", rounds, "1.05"
        )
    for count, n in ((100_000, 4), (10_000, 16), (1_000, 64)):
        arrays = stacks(count, n, "float64")
        compete(
            report,
            device,
            f"stack {count} x {n}",
            np.linalg,
            np,
            arrays,
            lambda: None,
            "NumPy",
            rounds,
            "0.2",
        )


def on_gpu(report, device):
    cupy = peer(report, "cupy")
    if not cupy:
        return
    wait = cupy.cuda.Device().synchronize
    rounds = report.options.rounds
    for dtype in ("float32", "float64"):
        compete(
            report,
            device,
            f"4096 {dtype}",
            cupy.linalg,
            cupy,
            matrices(4096, dtype),
            wait,
            "CuPy",
            rounds,
            "1.05",
        )
    arrays = stacks(100_000, 16, "float32")
    compete(report, device, "stack 100000 x 16", cupy.linalg, cupy, arrays, wait, "CuPy", rounds, "0.33")


if __name__ == "__main__":
    run(__doc__, 5, host=on_host, cuda=on_gpu)
