# SPDX-License-Identifier: MIT
"""Timing of calls that use a device; the device is synchronised around each call."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import numpy as np

from . import _core
from ._core import Device, Queue, copy_bandwidth
from ._units import time_text


@dataclass(frozen=True)
class Spread:
    """Distribution of the times of many calls, in seconds.

    Examples
    --------
    >>> from quern.bench import Spread
    >>> times = Spread((0.2, 0.1, 0.4))
    >>> times.minimum, times.median
    (0.1, 0.2)
    """

    values: tuple[float, ...]

    @property
    def minimum(self) -> float:
        """Shortest time."""
        return min(self.values)

    @property
    def median(self) -> float:
        """Median time."""
        return median(self.values)

    @property
    def spread(self) -> float:
        """Relative noise: half the interquartile range over the median."""
        low, high = np.percentile(self.values, (25, 75))
        return float(high - low) / 2 / self.median if self.median > 0 else 0.0


@dataclass(frozen=True)
class BenchmarkResult:
    """Result of benchmark(): times of a call on the host and on the device.

    Examples
    --------
    >>> x = qn.ones(1000)
    >>> result = qn.benchmark(lambda: qn.eval(x + 1), repeat=5, bytes=16_000)
    >>> result.bandwidth == 16_000 / result.best
    True
    """

    name: str
    device: Device
    host: Spread = field(repr=False)
    """Wall clock of one call, with everything it enqueued finished."""
    kernels: Spread | None = field(repr=False)
    """Time the device was busy with what one call enqueued on the current queue; None when it enqueued nothing."""
    bytes: int | None = None
    flops: int | None = None
    peak: float = 0.0
    """Bytes per second that the device copies, measured."""

    @property
    def best(self) -> float:
        """Time for the rates: the shortest device time, or the shortest host time without device work."""
        return self.kernels.minimum if self.kernels is not None else self.host.minimum

    @property
    def bandwidth(self) -> float | None:
        """Bytes per second, if `bytes` was given."""
        return None if self.bytes is None else self.bytes / self.best

    @property
    def flop_rate(self) -> float | None:
        """Operations per second, if `flops` was given."""
        return None if self.flops is None else self.flops / self.best

    @property
    def fraction_of_peak(self) -> float | None:
        """Bandwidth as a fraction of the device's copy bandwidth; above 1 if the data fits in a cache."""
        return None if self.bandwidth is None or not self.peak else self.bandwidth / self.peak

    def as_json(self) -> str:
        """The result as one line of JSON."""
        row: dict[str, object] = {
            "name": self.name,
            "device": self.device.spec,
            "calls": len(self.host.values),
        }
        for label, spread in (("host", self.host), ("device", self.kernels)):
            if spread is not None:
                row |= {
                    f"{label}_min_s": spread.minimum,
                    f"{label}_median_s": spread.median,
                    f"{label}_spread": spread.spread,
                }
        row |= {
            "bandwidth": self.bandwidth,
            "flop_rate": self.flop_rate,
            "fraction_of_peak": self.fraction_of_peak,
        }
        return json.dumps({key: value for key, value in row.items() if value is not None})

    def __repr__(self) -> str:
        lines = [f"{self.name} on '{self.device.spec}', {len(self.host.values)} calls"]
        for label, spread in (("host", self.host), ("device", self.kernels)):
            if spread is not None:
                figures = f"{time_text(spread.median):>10} {time_text(spread.minimum):>10}"
                lines.append(f"  {label:<7} median, min {figures}   spread {100 * spread.spread:.0f}%")
        if self.bandwidth is not None:
            lines.append(
                f"  {self.bandwidth / 1e9:.4g} GB/s, {self.fraction_of_peak or 0:.2f} of the device's copy"
            )
        if self.flop_rate is not None:
            lines.append(f"  {self.flop_rate / 1e9:.4g} GFLOP/s")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from .notebook._times import times_html

        return times_html(self)


def benchmark(
    f: Callable[..., Any],
    *args: Any,
    repeat: int = 30,
    warmup: int = 3,
    bytes: int | None = None,
    flops: int | None = None,
    device: Device | str | None = None,
    name: str | None = None,
    **kwargs: Any,
) -> BenchmarkResult:
    """Measure the time of `f(*args, **kwargs)` on the host and on the device.

    The device is synchronised before and after each timed call. The device times come from a profiling queue that is the
    current queue during the calls, so `f` must use the current queue (queue=None).

    Parameters
    ----------
    f : callable
        Function, kernel or other callable to measure.
    *args
        Positional arguments of `f`.
    repeat : int, optional
        Number of timed calls.
    warmup : int, optional
        Number of calls before the timed ones; at least one.
    bytes : int, optional
        Bytes that one call reads and writes, for the bandwidth.
    flops : int, optional
        Operations of one call, for the rate of operations.
    device : Device or str, optional
        Device to measure; the current device by default.
    name : str, optional
        Name of the result; by default that of `f`.
    **kwargs
        Keyword arguments of `f`.

    Returns
    -------
    BenchmarkResult
        Times of the calls, and the rates that follow from `bytes` and `flops`.

    Raises
    ------
    ValueError
        If `repeat` is less than 1.

    Examples
    --------
    >>> x = qn.ones(1000)
    >>> result = qn.benchmark(lambda: qn.eval(x + 1), repeat=5, name="add")
    >>> result.name, len(result.host.values)
    ('add', 5)
    """
    if repeat < 1:
        raise _core.ArgumentValueError("repeat: must be at least 1")
    target = _core.device(device)
    queue = Queue(target, profiling=True)
    host_times: list[float] = []
    device_times: list[float] = []
    with queue:
        for turn in range(-max(warmup, 1), repeat):
            elapsed, busy = _timed_call(f, args, kwargs, target, queue)
            if turn >= 0:
                host_times.append(elapsed)
                device_times += [] if busy is None else [busy]
    kernels = Spread(tuple(device_times)) if device_times else None
    label = name or getattr(f, "__name__", None) or getattr(f, "name", None) or type(f).__name__
    peak = copy_bandwidth(target) if bytes is not None else 0.0
    return BenchmarkResult(label, target, Spread(tuple(host_times)), kernels, bytes, flops, peak)


def _timed_call(
    f: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any], device: Device, queue: Queue
) -> tuple[float, float | None]:
    """Host time of one call in seconds, and device time, or None if the device did no work."""
    _core.synchronize(device)
    queue.start_recording()
    start = time.perf_counter()
    try:
        f(*args, **kwargs)
        _core.synchronize(device)
        elapsed = time.perf_counter() - start
    finally:
        events = queue.stop_recording()
    times = [event.times for event in events]
    return elapsed, sum(t.duration for t in times) * 1e-9 if times else None
