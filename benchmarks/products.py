# SPDX-License-Identifier: MIT
"""Matrix products beside NumPy on the host and CuPy on a GPU: square, with an epilogue, symmetric, small."""

import os

import numpy as np

import quern as qn
from quern_bench import Contestant, peer, run, take_turns


def matrices(module, dtype, *shapes):
    rng = np.random.default_rng(0)
    made = [rng.standard_normal(shape).astype("float32").astype(dtype) for shape in shapes]
    return [module.asarray(a) for a in made]


def relu(module, x):
    return module.maximum(x, 0)


# Name, shapes of the operands, and what is computed from them.
WORK = {
    "product": lambda m, a, b, *_: a @ b,
    "relu(x @ w + bias)": lambda m, a, b, bias, c: relu(m, a @ b + bias),
    "2*(a @ b) + 3*c": lambda m, a, b, bias, c: 2 * (a @ b) + 3 * c,
    "x @ x.T": lambda m, a, *_: a @ a.T,
}


VECTORS = {
    "matrix @ vector": lambda a, v: a @ v,
    "vector @ matrix": lambda a, v: v @ a,
    "matrix.T @ vector": lambda a, v: a.T @ v,
}


def ours(name, work, operands):
    def call():
        qn.eval(work(qn, *operands))

    return Contestant(name, call, qn.synchronize)


def without_libraries(name, work, operands):
    """The same by our own kernels: the variable is read when a product runs."""
    plain = ours(name, work, operands)

    def call():
        os.environ["QUERN_LIBRARIES"] = "never"
        plain.call()
        del os.environ["QUERN_LIBRARIES"]

    return Contestant(name, call, qn.synchronize)


def shapes_of(n):
    return (n, n), (n, n), (n,), (n, n)


def host(report, device):
    small = report.options.small
    with device:
        for dtype in ("float32", "float64"):
            for n in (8, 128) if small else (8, 32, 128, 256, 512, 1024, 2048, 4096):
                for name, work in WORK.items():
                    if name != "product" and n not in (128 if small else 512, 2048):
                        continue
                    theirs, mine = matrices(np, dtype, *shapes_of(n)), matrices(qn, dtype, *shapes_of(n))
                    batch = max(1, min(1000, 2 * 10**8 // n**3))
                    contestants = [
                        ours("quern", work, mine),
                        without_libraries("quern, no BLAS", work, mine),
                        Contestant("numpy", lambda work=work, theirs=theirs: work(np, *theirs)),
                    ]
                    rounds = report.options.rounds if n <= 1024 else 3
                    report.add(
                        take_turns(
                            f"{name}, {dtype}, {n}",
                            device.name,
                            contestants,
                            rounds=rounds,
                            batch=batch,
                            drain_inside=True,
                            reference="numpy",
                            settle=0.1,
                        )
                    )
        for dtype in ("float32", "float64"):
            for n in (256,) if small else (256, 1000, 4096):
                for name, work in VECTORS.items():
                    theirs, mine = matrices(np, dtype, (n, n), (n,)), matrices(qn, dtype, (n, n), (n,))
                    report.add(
                        take_turns(
                            f"{name}, {dtype}, {n}",
                            device.name,
                            [
                                ours("quern", lambda m, a, v, work=work: work(a, v), mine),
                                Contestant("numpy", lambda work=work, theirs=theirs: work(*theirs)),
                            ],
                            rounds=report.options.rounds,
                            batch=max(1, 2 * 10**7 // n**2),
                            drain_inside=True,
                            reference="numpy",
                            settle=0.1,
                        )
                    )
        for m, k, n in (
            ((100, 784, 128),) if small else ((10000, 784, 128), (784, 10000, 128), (64, 100000, 64))
        ):
            theirs, mine = matrices(np, "float32", (m, k), (k, n)), matrices(qn, "float32", (m, k), (k, n))
            report.add(
                take_turns(
                    f"product, float32, {m} x {k} x {n}",
                    device.name,
                    [
                        ours("quern", WORK["product"], mine),
                        without_libraries("quern, no BLAS", WORK["product"], mine),
                        Contestant("numpy", lambda theirs=theirs: theirs[0] @ theirs[1]),
                    ],
                    rounds=report.options.rounds,
                    drain_inside=True,
                    reference="numpy",
                    settle=0.1,
                )
            )


def cuda(report, device):
    cupy = peer(report, "cupy")
    if cupy is None:
        return

    def rows(name, title, work, dtype, shapes, batch):
        mine, theirs = matrices(qn, dtype, *shapes), matrices(cupy, dtype, *shapes)
        contestants = [
            ours("quern", work, mine),
            without_libraries("quern, no cuBLAS", work, mine),
            Contestant("cupy", lambda: work(cupy, *theirs), cupy.cuda.runtime.deviceSynchronize),
        ]
        if name == "relu(x @ w + bias)":
            contestants.append(
                Contestant(
                    "cupy, bare product", lambda: theirs[0] @ theirs[1], cupy.cuda.runtime.deviceSynchronize
                )
            )
        reference = contestants[-1].name
        report.add(
            take_turns(
                title,
                device.name,
                contestants,
                rounds=report.options.rounds,
                batch=batch,
                drain_inside=True,
                reference=reference,
            )
        )

    small = report.options.small
    side, count = (128, 1000) if small else (4096, 100000)
    with device:
        for dtype in ("float16", "float32", "float64", "complex64"):
            rows("product", f"product, {dtype}, {side}", WORK["product"], dtype, shapes_of(side), 3)
        for name in ("relu(x @ w + bias)", "2*(a @ b) + 3*c"):
            for dtype, n in (("float16", 2 * side), ("float32", side)):
                rows(name, f"{name}, {dtype}, {n}", WORK[name], dtype, shapes_of(n), 3)
        for n in (4, 8, 16, 32):
            rows(
                "product",
                f"product, float32, {count} of {n}",
                WORK["product"],
                "float32",
                ((count, n, n), (count, n, n)),
                10,
            )


if __name__ == "__main__":
    run(__doc__, rounds=9, host=host, cuda=cuda)
