# SPDX-License-Identifier: MIT
"""Sparse products and conjugate gradients, and what makes sparse matrices, beside SciPy and CuPy."""

import numpy as np

import quern as qn
from quern_bench import Contestant, peer, run, take_turns

ITERATIONS = 50


def five_point(n):
    """data, indices and indptr of the five-point matrix of an n x n grid."""
    at = np.arange(n * n, dtype=np.int32)
    x, y = at % n, at // n
    columns = np.stack([at - n, at - 1, at, at + 1, at + n], axis=1)
    inside = np.stack([y > 0, x > 0, x >= 0, x < n - 1, y < n - 1], axis=1)
    data = np.broadcast_to([-1.0, -1.0, 4.0, -1.0, -1.0], columns.shape)[inside]
    starts = np.concatenate([[0], np.cumsum(inside.sum(axis=1))]).astype(np.int32)
    return data, columns[inside], starts


def power_law(count):
    """A matrix of about `count` entries, whose rows have few or very many of them."""
    rng = np.random.default_rng(1)
    rows = count // 10
    lengths = np.minimum((4.2 / rng.random(rows) ** 0.9).astype(np.int64), rows // 4)
    lengths = (lengths * (count / lengths.sum())).astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    return rng.random(starts[-1]), rng.integers(0, rows, starts[-1]).astype(np.int32), starts


def bytes_of(parts, rows):
    """Bytes of a product: the matrix, the vector once, the result."""
    return sum(part.nbytes for part in parts) + 16 * rows


def products(report, device, name, parts, peers, bar, **timing):
    rows = len(parts[2]) - 1
    x = np.random.default_rng(2).random(rows)
    matrix = qn.sparse.csr_array(parts, shape=(rows, rows), device=device)
    vector = qn.asarray(x, device=device)
    queue = qn.Queue(device)

    def call():
        with queue:
            qn.eval(matrix @ vector)
        if device.backend == "host":
            queue.finish()

    size = bytes_of(parts, rows)
    source = qn.zeros(size // 16, device=device)
    target = qn.zeros(size // 16, device=device)
    copy = qn.ElementwiseKernel("const double *x, double *y", "y[i] = x[i]")

    def copies():
        copy(source, target, queue=queue)
        if device.backend == "host":
            queue.finish()

    report.add(
        take_turns(
            name,
            device.backend,
            [
                Contestant("Quern", call, queue.finish),
                *peers(parts, rows, x),
                Contestant("copy of as many bytes", copies, queue.finish),
            ],
            nbytes=size,
            reference="Quern",
            bar=bar,
            **timing,
        )
    )


def iterations(report, device, n, peers, bar, **timing):
    parts = five_point(n)
    rows = n * n
    b = np.random.default_rng(2).random(rows)
    matrix = qn.sparse.csr_array(parts, shape=(rows, rows), device=device)
    right = qn.asarray(b, device=device)
    report.add(
        take_turns(
            f"{ITERATIONS} iterations of cg, grid of {n} x {n}",
            device.backend,
            [
                Contestant(
                    "Quern", lambda: qn.sparse.linalg.cg(matrix, right, rtol=1e-30, maxiter=ITERATIONS)
                ),
                *peers(parts, rows, b),
            ],
            reference="Quern",
            bar=bar,
            **timing,
        )
    )


def building(report, device, count, **timing):
    """Conversions, selections, sums and products that make matrices of `count` random entries, beside SciPy."""
    scipy = peer(report, "scipy.sparse")
    if not scipy:
        return
    rng = np.random.default_rng(3)
    n = count // 10
    data, rows, columns = rng.random(count), *rng.integers(0, n, (2, count)).astype(np.int32)
    theirs = scipy.coo_array((data, (rows, columns)), shape=(n, n))
    a, b = theirs.tocsr(), theirs.T.tocsr()
    ours = qn.sparse.coo_array((data, (rows, columns)), shape=(n, n), device=device)
    mine, other = qn.sparse.csr_array(a, device=device), qn.sparse.csr_array(b, device=device)
    mask, order = rng.random(n) < 0.5, rng.permutation(n)[: n // 2]
    fresh = []

    def new():
        # A matrix keeps the structure of its transpose.
        if not fresh:
            fresh.extend(qn.sparse.csr_array(a, device=device) for _ in range(8))
        return fresh.pop()

    operations = {
        "coo.tocsr()": (lambda: ours.copy().tocsr(), lambda: theirs.tocsr()),
        "csr.tocsc()": (lambda: new().tocsc(), lambda: a.tocsc()),
        "A + B": (lambda: mine + other, lambda: a + b),
        "A.multiply(B)": (lambda: mine.multiply(other), lambda: a.multiply(b)),
        "A[mask]": (lambda: mine[mask], lambda: a[mask]),
        "A[order]": (lambda: mine[order], lambda: a[order]),
        "A[k:l]": (lambda: mine[n // 4 : n // 2], lambda: a[n // 4 : n // 2]),
        "A.sum(axis=0)": (lambda: mine.sum(axis=0), lambda: a.sum(axis=0)),
        "A.sum(axis=1)": (lambda: mine.sum(axis=1), lambda: a.sum(axis=1)),
        "A.diagonal()": (lambda: mine.diagonal(), lambda: a.diagonal()),
        "vstack([A, B])": (lambda: qn.sparse.vstack([mine, other]), lambda: scipy.vstack([a, b])),
        "eye_array(n)": (
            lambda: qn.sparse.eye_array(count, format="csr", device=device),
            lambda: scipy.eye_array(count, format="csr"),
        ),
        "diags_array": (
            lambda: qn.sparse.diags_array(
                [-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(count // 3,) * 2, format="csr", device=device
            ),
            lambda: scipy.diags_array(
                [-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(count // 3,) * 2, format="csr"
            ),
        ),
    }
    if count <= 1_000_000:
        operations["A @ B"] = (lambda: mine @ other, lambda: a @ b)
    for name, (call, their_call) in operations.items():

        def run_ours(call=call):
            result = call()
            if isinstance(result, qn.Array):
                qn.eval(result)
            qn.synchronize()

        report.add(
            take_turns(
                f"{name}, {count:.0e} entries",
                device.backend,
                [Contestant("Quern", run_ours), Contestant("SciPy", their_call)],
                reference="Quern",
                bar="SciPy 1.0",
                **timing,
            )
        )


def on_host(report, device):
    def scipy_product(parts, rows, x):
        if scipy := peer(report, "scipy.sparse"):
            matrix = scipy.csr_array(parts, shape=(rows, rows))
            yield Contestant("SciPy", lambda: matrix @ x)

    def scipy_cg(parts, rows, b):
        if (scipy := peer(report, "scipy.sparse")) and (solvers := peer(report, "scipy.sparse.linalg")):
            matrix = scipy.csr_array(parts, shape=(rows, rows))
            yield Contestant("SciPy", lambda: solvers.cg(matrix, b, rtol=1e-30, maxiter=ITERATIONS))

    rounds, small = {"rounds": report.options.rounds}, report.options.small
    side, entries = (60, 20_000) if small else (1000, 4_000_000)
    products(
        report,
        device,
        f"five-point product, {side} x {side} grid",
        five_point(side),
        scipy_product,
        "SciPy 1.8",
        **rounds,
    )
    products(
        report,
        device,
        f"power-law product, {entries:.0e} entries",
        power_law(entries),
        scipy_product,
        "SciPy 1.8",
        **rounds,
    )
    iterations(report, device, 60 if small else 500, scipy_cg, "", **rounds)
    for count in (20_000,) if small else (100_000, 1_000_000, 10_000_000):
        building(report, device, count, **rounds)


def on_gpu(report, device):
    def cupy_product(parts, rows, x):
        if (cupy := peer(report, "cupy")) and (sparse := peer(report, "cupyx.scipy.sparse")):
            matrix = sparse.csr_matrix(tuple(map(cupy.asarray, parts)), shape=(rows, rows))
            vector = cupy.asarray(x)
            yield Contestant("CuPy", lambda: matrix @ vector, cupy.cuda.Device().synchronize)

    def cupy_cg(parts, rows, b):
        if (cupy := peer(report, "cupy")) and (solvers := peer(report, "cupyx.scipy.sparse.linalg")):
            sparse = peer(report, "cupyx.scipy.sparse")
            matrix = sparse.csr_matrix(tuple(map(cupy.asarray, parts)), shape=(rows, rows))
            right = cupy.asarray(b)

            def call():
                solvers.cg(matrix, right, rtol=1e-30, maxiter=ITERATIONS)
                cupy.cuda.Device().synchronize()

            yield Contestant("CuPy", call)

    timing = {"rounds": report.options.rounds, "batch": 10, "drain_inside": True}
    side, entries = (60, 20_000) if report.options.small else (4096, 10_000_000)
    products(
        report,
        device,
        f"five-point product, {side} x {side} grid",
        five_point(side),
        cupy_product,
        "CuPy 1.9",
        **timing,
    )
    products(
        report,
        device,
        f"power-law product, {entries:.0e} entries",
        power_law(entries),
        cupy_product,
        "CuPy 1.0",
        **timing,
    )
    iterations(report, device, side, cupy_cg, "CuPy 2.5", rounds=report.options.rounds)


if __name__ == "__main__":
    run(__doc__, 9, host=on_host, cuda=on_gpu)
