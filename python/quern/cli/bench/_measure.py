# SPDX-License-Identifier: MIT
"""Measurement: contestants take turns in one process, and the minima of their times are compared."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from ... import _core
from ..._progress import Bar


def nothing() -> None:
    """The wait of a contestant whose calls wait themselves."""


@dataclass
class Contestant:
    """One library's way to do the work."""

    name: str
    call: Callable[[], Any]
    finish: Callable[[], Any] = nothing  # waits for what the calls have enqueued
    batch: int | None = None  # calls of a sample; None: that of the benchmark


@dataclass
class Benchmark:
    """What is measured, and the work of one call."""

    name: str
    title: str
    ours: Contestant
    peers: list[Contestant] = field(default_factory=list)
    amount: float = 0  # bytes or operations of a call; 0 if it has no rate
    unit: str = ""  # "B" or "FLOP"
    limit: float = 0  # of the device, per second in the unit; 0 if unknown
    limit_name: str = ""
    flops_per_byte: float = 0  # for the roofline; 0: not in it
    batch: int = 1


@dataclass(frozen=True)
class Times:
    """Seconds of one call, over all samples."""

    minimum: float
    median: float


def sample(contestant: Contestant, batch: int) -> float:
    """Seconds of one of `batch` calls with the wait for all of them."""
    call = contestant.call
    start = time.perf_counter()
    for _ in range(batch):
        call()
    contestant.finish()
    return (time.perf_counter() - start) / batch


def measure(
    benchmark: Benchmark, seconds: float, bar: Bar, skip: Callable[[str, str], None]
) -> tuple[dict[str, Times], int]:
    """Times by contestant, and the number of rounds.

    Each contestant has an untimed call first. A peer that fails is left out and reported by `skip`; Quern's errors
    propagate. There are at least three rounds, and more until `seconds` are over, at most 100.
    """
    sample(benchmark.ours, 1)
    _core.finish_compilation()  # so that all rounds run the compiled kernel
    contestants = [benchmark.ours]
    for peer in benchmark.peers:
        try:
            sample(peer, 1)
            contestants.append(peer)
        except Exception as error:
            first_line = (str(error).splitlines() or [""])[0]
            skip(f"{peer.name}: {benchmark.name}", f"{type(error).__name__}: {first_line}")
    times: dict[str, list[float]] = {contestant.name: [] for contestant in contestants}
    end = time.perf_counter() + seconds
    was_collecting = gc.isenabled()
    gc.disable()
    try:
        rounds = 0
        while rounds < 3 or (rounds < 100 and time.perf_counter() < end):
            take_turns(contestants, rounds, benchmark.batch, times)
            rounds += 1
            bar.step(0, note=f"{benchmark.title}, round {rounds}")
    finally:
        if was_collecting:
            gc.enable()
    return {name: Times(min(taken), median(taken)) for name, taken in times.items()}, rounds


def take_turns(
    contestants: Sequence[Contestant], round_: int, batch: int, times: dict[str, list[float]]
) -> None:
    """One sample of each contestant, in an order that rotates. A slow moment of the machine then hits all alike."""
    for turn in range(len(contestants)):
        contestant = contestants[(round_ + turn) % len(contestants)]
        # Threads that still spin for one contestant take no core from the next; the untimed call warms caches.
        time.sleep(0.002)
        if batch == 1 and contestant.batch is None:
            sample(contestant, 1)
        times[contestant.name].append(sample(contestant, contestant.batch or batch))
