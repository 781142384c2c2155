# SPDX-License-Identifier: MIT
"""The benchmarks: their sizes, Quern's way to do them, and the limits beside them."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import _core
from ..._core import Device, Queue
from ._measure import Benchmark, Contestant

_serial = itertools.count()


@dataclass
class Data:
    """The operands, on the host; all libraries use the same."""

    elements: int
    side: int  # of the matrices
    x: NDArray[np.float32] = field(init=False)
    y: NDArray[np.float32] = field(init=False)
    keys: NDArray[np.float32] = field(init=False)
    a: NDArray[np.float32] = field(init=False)
    b: NDArray[np.float32] = field(init=False)

    def __post_init__(self) -> None:
        generator = np.random.default_rng(7)
        self.x = generator.random(self.elements, np.float32)
        self.y = generator.random(self.elements, np.float32)
        self.keys = generator.random(max(1, self.elements // 4), np.float32)
        self.a = generator.random((self.side, self.side), np.float32)
        self.b = generator.random((self.side, self.side), np.float32)


def data_for(device: Device, size: str) -> Data:
    """Operands of this size: small ones fit into caches."""
    is_gpu = device.kind == "gpu"
    elements, side = {
        "small": (1 << 18, 256),
        "normal": (1 << 26, 4096) if is_gpu else (1 << 24, 1024),
        "large": (1 << 28, 8192) if is_gpu else (1 << 26, 2048),
    }[size]
    # A handful of arrays of this size are in memory at the same time.
    while elements * 4 * 16 > device.global_memory and elements > 1 << 18:
        elements //= 2
    return Data(elements, side)


def new_name() -> str:
    """The name of a kernel that no compiler has seen, in no process."""
    return f"bench_{np.random.default_rng().integers(1 << 62)}_{next(_serial)}"


def new_source(name: str) -> str:
    """A small kernel of this name."""
    return f"kernel void {name}(global float *x, float a) {{ x[get_global_id(0)] *= a; }}"


def benchmarks(device: Device, data: Data, limits: dict[str, float]) -> dict[str, Benchmark]:
    """The benchmarks by name, without peers."""
    import quern as qn

    queue = Queue.of(device)
    x, y = qn.asarray(data.x, device=device), qn.asarray(data.y, device=device)
    keys = qn.asarray(data.keys, device=device)
    a, b = qn.asarray(data.a, device=device), qn.asarray(data.b, device=device)
    other = qn.empty(x.shape, x.dtype, device=device)
    host = np.empty_like(data.x)
    empty = _core.Program("kernel void empty(global float *x) {}")["empty"]

    def enqueued(*functions: Any) -> list[Contestant]:
        """Contestants that wait for the device."""
        return [Contestant("Quern", f, lambda: _core.synchronize(device)) for f in functions]

    def lin_comb() -> None:
        qn.eval(5 * x + 6 * y)

    def total() -> None:
        qn.eval(qn.sum(x))

    def running_total() -> None:
        qn.eval(qn.cumsum(x))

    def sorted_keys() -> None:
        qn.eval(qn.sort(keys))

    def product() -> None:
        qn.eval(a @ b)

    def copy() -> None:
        queue.copy(other, x)

    def launch() -> None:
        empty(queue, 1, None, other)

    def first_launch() -> None:
        name = new_name()
        _core.Program(new_source(name))[name](queue, 1, None, other, 1)

    copy_, launch_, compile_, lin_comb_, total_, running_total_, sorted_, product_ = enqueued(
        copy, launch, first_launch, lin_comb, total, running_total, sorted_keys, product
    )

    upload = Contestant("Quern", lambda: queue.copy(other, data.x), queue.finish)
    download = Contestant("Quern", lambda: queue.copy(host, x), queue.finish)
    nbytes, bandwidth = data.x.nbytes, limits["copy_bandwidth"]
    link, link_name = limits["transfer"], "pinned memory"
    if device.shares_host_memory:
        link, link_name = bandwidth / 2, "copy bandwidth"
    with_bandwidth: dict[str, Any] = {"unit": "B", "limit": bandwidth, "limit_name": "copy bandwidth"}
    side = data.side
    millions = f"{data.elements / 1e6:.3g} M"
    return {
        "bandwidth": Benchmark(
            "bandwidth", f"copy of {millions} float32", copy_, amount=2 * nbytes, **with_bandwidth
        ),
        "launch": Benchmark("launch", "launch of an empty kernel", launch_, batch=100),
        "compile": Benchmark("compile", "first launch of a new kernel", compile_),
        "upload": Benchmark(
            "upload", "host to device", upload, amount=nbytes, unit="B", limit=link, limit_name=link_name
        ),
        "download": Benchmark(
            "download", "device to host", download, amount=nbytes, unit="B", limit=link, limit_name=link_name
        ),
        "elementwise": Benchmark(
            "elementwise", "5*x + 6*y", lin_comb_, amount=3 * nbytes, flops_per_byte=3 / 12, **with_bandwidth
        ),
        "reduction": Benchmark(
            "reduction", "sum(x)", total_, amount=nbytes, flops_per_byte=1 / 4, **with_bandwidth
        ),
        "scan": Benchmark(
            "scan", "cumsum(x)", running_total_, amount=2 * nbytes, flops_per_byte=1 / 8, **with_bandwidth
        ),
        "sort": Benchmark(
            "sort",
            f"sort of {data.keys.size / 1e6:.3g} M float32",
            sorted_,
            amount=2 * data.keys.nbytes,
            **with_bandwidth,
        ),
        "matmul": Benchmark(
            "matmul",
            f"product of {side} x {side} float32",
            product_,
            amount=2.0 * side**3,
            unit="FLOP",
            limit=limits["flop_rate"],
            limit_name="multiply-adds",
            flops_per_byte=2 * side**3 / (12 * side**2),
        ),
    }


def transfer_limit(device: Device, data: Data) -> float:
    """Bytes per second of copies from pinned memory to the device; 0 where memory is shared."""
    if device.shares_host_memory:
        return 0.0
    import time

    import quern as qn

    queue = Queue.of(device)
    pinned = qn.pinned_empty(data.x.shape, data.x.dtype, device=device)
    pinned[...] = data.x
    target = qn.empty(data.x.shape, data.x.dtype, device=device)
    taken = []
    for _ in range(5):
        start = time.perf_counter()
        queue.copy(target, pinned)
        queue.finish()
        taken.append(time.perf_counter() - start)
    return data.x.nbytes / min(taken)
