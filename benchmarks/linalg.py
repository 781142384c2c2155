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
    if a.dtype.kind == "c":
        a = a + 1j * rng.standard_normal((count, n, n)).astype(a.real.dtype)
    definite = a @ a.conj().transpose(0, 2, 1) + n * np.eye(n, dtype=dtype)
    return a + 2 * n * np.eye(n, dtype=dtype), definite, rng.standard_normal((count, n, 1)).astype(dtype)


SOLVING = ("solve", "inv", "cholesky")
SPECTRAL = ("qr", "eigh", "svd")  # of small matrices: kernels that compute a whole stack


def compete(report, device, name, library, other, arrays, synchronize, label, rounds, bar, kinds=None):
    queue = qn.Queue(device)
    ours = [qn.asarray(part, device=device) for part in arrays]
    theirs = [other.asarray(part) for part in arrays]
    mine = dict(single(qn.linalg, *ours))
    for kind, peer_call in single(library, *theirs):
        if kinds is not None and kind not in kinds:
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
    rounds, small = report.options.rounds, report.options.small
    for n in (64,) if small else (256, 1024):
        compete(
            report, device, f"{n} float64", np.linalg, np, matrices(n), lambda: None, "NumPy", rounds, "1.05"
        )
    for count, n in ((1000, 4),) if small else ((100_000, 4), (10_000, 16), (1_000, 64)):
        arrays, name = stacks(count, n, "float64"), f"stack {count} x {n}"
        compete(report, device, name, np.linalg, np, arrays, lambda: None, "NumPy", rounds, "0.2", SOLVING)


def on_gpu(report, device):
    cupy = peer(report, "cupy")
    if not cupy:
        return
    wait = cupy.cuda.Device().synchronize
    rounds, small = report.options.rounds, report.options.small
    side, count = (256, 1000) if small else (4096, 100_000)
    for dtype in ("float32", "float64"):
        arrays, name = matrices(side, dtype), f"{side} {dtype}"
        compete(report, device, name, cupy.linalg, cupy, arrays, wait, "CuPy", rounds, "1.05")
    for dtype in ("float32", "float64"):
        arrays, name = stacks(count, 16, dtype), f"stack {count} x 16 {dtype}"
        compete(report, device, name, cupy.linalg, cupy, arrays, wait, "CuPy", rounds, "0.33", SOLVING)
    for dtype in ("float32", "float64", "complex64", "complex128"):
        for n in (4, 8, 16, 32):
            arrays, name = stacks(count // 10, n, dtype), f"stack {count // 10} x {n} {dtype}"
            compete(report, device, name, cupy.linalg, cupy, arrays, wait, "CuPy", rounds, "", SPECTRAL)


if __name__ == "__main__":
    run(__doc__, 5, host=on_host, cuda=on_gpu)
