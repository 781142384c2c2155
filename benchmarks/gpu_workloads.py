# SPDX-License-Identifier: MIT
"""The classic workloads on a GPU: OpenCL C through our front end beside the same algorithms by hand in CUDA C.

Both are launched by Quern, so what is compared is the code. Multiplications and additions may be fused in both, which
is CUDA C's default and OpenCL's -cl-mad-enable.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import quern as qn
from quern_bench import NATIVE, Contestant, Report, chosen, options, take_turns

KERNELS = Path(__file__).parents[1] / "examples" / "kernels"
BAR = "ratio 1.05"


@dataclass
class Workload:
    """One kernel. `arguments` makes them; an array that is written is in `written` by its place."""

    name: str  # of the file
    kernel: str
    size: tuple[int, ...]
    local: tuple[int, ...]
    arguments: Callable[[np.random.Generator], list[Any]]
    written: tuple[int, ...]
    local_bytes: int = 0  # of the last parameter of the OpenCL C kernel, if there is one
    tolerance: float = 0.0
    batch: int = 10
    defines: dict[str, Any] = field(default_factory=dict)


def floats(*shape: int) -> Callable[[np.random.Generator], Any]:
    return lambda rng: rng.random(shape, dtype=np.float32)


def sparse(rng: np.random.Generator, rows: int, per_row: int) -> list[Any]:
    starts = np.arange(0, rows * per_row + 1, per_row, dtype=np.int32)
    columns = rng.integers(0, rows, rows * per_row).astype(np.int32)
    values, x = rng.random(rows * per_row, dtype=np.float32), rng.random(rows, dtype=np.float32)
    return [starts, columns, values, x, np.zeros(rows, np.float32), rows]


def bodies(rng: np.random.Generator, n: int) -> list[Any]:
    position, velocity = (rng.random((n, 4), dtype=np.float32) for _ in range(2))
    return [position, velocity, np.zeros((n, 4), np.float32), n, np.float32(0.01), np.float32(0.05)]


def prices(rng: np.random.Generator, n: int) -> list[Any]:
    given = [rng.uniform(low, high, n).astype(np.float32) for low, high in ((5, 30), (1, 100), (0.25, 10))]
    return [*given, np.float32(0.02), np.float32(0.3), np.zeros(n, np.float32), np.zeros(n, np.float32)]


N, SIDE = 2048, 8192
MANY, BODIES = 1 << 24, 1 << 15
PARTS = 1 << 22
WORKLOADS = [
    Workload(
        "matmul",
        "matmul",
        (N, N),
        (16, 16),
        lambda r: [floats(N, N)(r), floats(N, N)(r), np.zeros((N, N), np.float32), N],
        (2,),
        tolerance=1e-4,
    ),
    Workload(
        "transpose",
        "transpose",
        (SIDE, SIDE),
        (16, 16),
        lambda r: [floats(SIDE, SIDE)(r), np.zeros((SIDE, SIDE), np.float32), SIDE, SIDE],
        (1,),
    ),
    Workload("nbody", "nbody", (BODIES,), (256,), lambda r: bodies(r, BODIES), (1, 2), tolerance=1e-3),
    Workload(
        "black_scholes", "black_scholes", (MANY,), (256,), lambda r: prices(r, MANY), (5, 6), tolerance=1e-3
    ),
    Workload(
        "mandelbrot",
        "mandelbrot",
        (4096, 3072),
        (32, 8),
        lambda r: [
            np.zeros((3072, 4096), np.int32),
            4096,
            np.float32(-2),
            np.float32(-1.2),
            np.float32(0.0008),
            256,
        ],
        (0,),
    ),
    Workload(
        "reduction",
        "reduce_sum",
        (1024 * 256,),
        (256,),
        lambda r: [floats(4 * MANY)(r), np.zeros(1024, np.float32), 4 * MANY],
        (1,),
        local_bytes=1024,
        tolerance=1e-3,
    ),
    Workload(
        "histogram",
        "histogram",
        (1024 * 256,),
        (256,),
        lambda r: [r.integers(0, 256, 4 * MANY).astype(np.uint8), np.zeros(256, np.uint32), 4 * MANY],
        (),
    ),
    Workload(
        "scan",
        "scan_parts",
        (MANY,),
        (256,),
        lambda r: [
            r.integers(-9, 9, MANY).astype(np.int32),
            np.zeros(MANY, np.int32),
            np.zeros(MANY // 256, np.int32),
            MANY,
        ],
        (1, 2),
        local_bytes=2048,
    ),
    Workload(
        "bitonic_sort",
        "sort_parts",
        (PARTS // 2,),
        (256,),
        lambda r: [r.integers(0, 1 << 32, PARTS, dtype=np.uint32)],
        (0,),
        local_bytes=2048,
    ),
    Workload(
        "stencil",
        "jacobi_step",
        (SIDE, SIDE),
        (16, 16),
        lambda r: [floats(SIDE, SIDE)(r), np.zeros((SIDE, SIDE), np.float32), SIDE, SIDE],
        (1,),
        tolerance=1e-6,
    ),
    Workload(
        "sha256",
        "sha256",
        (1 << 20,),
        (128,),
        lambda r: [r.integers(0, 256, 64 << 20).astype(np.uint8), 64, np.zeros((1 << 20, 8), np.uint32)],
        (2,),
    ),
    Workload(
        "fft",
        "fft",
        (128 << 16,),
        (128,),
        lambda r: [
            r.standard_normal((1 << 16, 512)).astype(np.float32),
            np.zeros((1 << 16, 512), np.float32),
        ],
        (1,),
        tolerance=1e-3,
    ),
    Workload("spmv", "spmv", (1 << 20,), (256,), lambda r: sparse(r, 1 << 20, 16), (4,), tolerance=1e-4),
]


def ours(workload: Workload) -> qn.Program:
    source = (KERNELS / f"{workload.name}.cl").read_text()
    return qn.Program(source, name=f"{workload.name}.cl", options=["-cl-mad-enable"])


def theirs() -> qn.Program:
    return qn.Program((NATIVE / "workloads.cu").read_text(), name="workloads.cu", language="cuda")


def compare(report: Report, device: qn.Device, workload: Workload, by_hand: qn.Program) -> None:
    queue = qn.Queue(device)
    made = workload.arguments(np.random.default_rng(1))

    def arguments() -> list[Any]:
        return [qn.asarray(a, device=device) if isinstance(a, np.ndarray) else a for a in made]

    def contestant(name: str, kernel: qn.Kernel, given: list[Any]) -> Contestant:
        return Contestant(name, lambda: kernel(queue, workload.size, workload.local, *given), queue.finish)

    extra = [qn.LocalMemory(workload.local_bytes)] if workload.local_bytes else []
    first, second = arguments(), arguments()
    contestants = [
        contestant("Quern, OpenCL C", ours(workload)[workload.kernel], [*first, *extra]),
        contestant("CUDA C", by_hand[workload.kernel], second),
    ]
    report.add(
        take_turns(
            workload.name,
            "cuda",
            contestants,
            rounds=report.options.rounds,
            batch=workload.batch,
            drain_inside=True,
            reference="CUDA C",
            bar=BAR,
        )
    )
    for place in workload.written:
        # The n bodies move on with every launch, and both were launched equally often.
        np.testing.assert_allclose(
            first[place].get(), second[place].get(), rtol=workload.tolerance, atol=workload.tolerance
        )


def main() -> None:
    report = Report(options(__doc__, rounds=20))
    device = chosen(report, "cuda")
    if device:
        by_hand = theirs()
        for workload in WORKLOADS:
            compare(report, device, workload, by_hand)
    report.finish()


if __name__ == "__main__":
    main()
