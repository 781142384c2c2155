# SPDX-License-Identifier: MIT
"""The harness of the benchmarks: contestants take turns in one process; a table and JSON rows come out.

A slow second of the machine then hits all contestants alike, and the ratio of two minima says something. Each
sample begins with an untimed call, which warms caches, pages and threads for the contestant that runs next.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import importlib
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

NATIVE = Path(__file__).parent / "native"


@dataclass
class Contestant:
    """One way to do the work. A native one times itself: `batch_time` takes a count and returns seconds."""

    name: str
    call: Callable[[], Any] | None = None
    drain: Callable[[], Any] = lambda: None  # waits for what `call` left running
    batch_time: Callable[[int], float] | None = None

    def sample(self, batch: int, drain_inside: bool) -> float:
        """Seconds for one of `batch` calls; with `drain_inside` the wait for them all counts too."""
        if self.batch_time:
            seconds = self.batch_time(batch)
            self.drain()
            return seconds / batch
        assert self.call
        call = self.call
        start = time.perf_counter()
        for _ in range(batch):
            call()
        if drain_inside:
            self.drain()
        seconds = time.perf_counter() - start
        self.drain()
        return seconds / batch


@dataclass
class Row:
    """What is printed and stored of one contestant."""

    benchmark: str
    device: str
    contestant: str
    minimum: float  # seconds
    median: float
    spread: float  # median over minimum
    rounds: int
    batch: int
    ratio: float | None = None  # its minimum over the reference's
    rate: float | None = None  # bytes in a second, at the minimum
    bar: str = ""  # what is asked of it


def take_turns(
    benchmark: str,
    device: str,
    contestants: Sequence[Contestant],
    *,
    rounds: int,
    batch: int = 1,
    drain_inside: bool = False,
    nbytes: int | None = None,
    reference: str | None = None,
    settle: float = 0.002,
    bar: str = "",
) -> list[Row]:
    """Samples every contestant once in each round, in an order that rotates; the first is ours.

    `settle` seconds pass before each sample, so that threads which still spin for one contestant take no core
    from the next.
    """
    times: dict[str, list[float]] = {contestant.name: [] for contestant in contestants}
    collecting = gc.isenabled()
    gc.disable()
    try:
        for round_ in range(rounds):
            for turn in range(len(contestants)):
                contestant = contestants[(round_ + turn) % len(contestants)]
                time.sleep(settle)
                contestant.sample(1, drain_inside)
                times[contestant.name].append(contestant.sample(batch, drain_inside))
            gc.collect()
    finally:
        if collecting:
            gc.enable()

    base = min(times[reference]) if reference in times else None
    rows = []
    for name, taken in times.items():
        least, middle = min(taken), statistics.median(taken)
        rows.append(
            Row(
                benchmark,
                device,
                name,
                least,
                middle,
                middle / least,
                rounds,
                batch,
                ratio=least / base if base else None,
                rate=nbytes / least if nbytes else None,
                bar=bar if name == contestants[0].name else "",
            )
        )
    return rows


def duration(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3f} {unit}"
    return f"{seconds * 1e9:.0f} ns"


@dataclass
class Report:
    """Collects the rows of a program, prints them as they come, and writes them when asked to."""

    options: argparse.Namespace
    rows: list[Row] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    def add(self, rows: Sequence[Row]) -> None:
        self.rows += rows
        print(f"\n{rows[0].benchmark} [{rows[0].device}], {rows[0].rounds} rounds of {rows[0].batch}")
        print(f"  {'':34} {'minimum':>12} {'median':>12} {'ratio':>8} {'rate':>12}  bar")
        for row in rows:
            ratio = f"{row.ratio:.3f}" if row.ratio else ""
            rate = f"{row.rate / 1e9:.1f} GB/s" if row.rate else ""
            times = f"{duration(row.minimum):>12} {duration(row.median):>12}"
            print(f"  {row.contestant:34} {times} {ratio:>8} {rate:>12}  {row.bar}", flush=True)

    def skip(self, what: str, why: object) -> None:
        self.skipped.append(f"{what}: {why}")
        print(f"\nskipped: {what}: {why}", flush=True)

    def finish(self) -> None:
        if self.options.json:
            machine = {
                "platform": platform.platform(),
                "processors": len(os.sched_getaffinity(0)),
                "python": platform.python_version(),
                "versions": versions(),
            }
            with open(self.options.json, "a") as file:
                for row in self.rows:
                    file.write(json.dumps({**asdict(row), **machine}) + "\n")


def versions() -> dict[str, str]:
    """The versions of what was compared."""
    names = ("quern", "numpy", "pyopencl", "cupy", "torch", "cuda.core")
    loaded = {name: sys.modules[name] for name in names if name in sys.modules}
    return {name: str(getattr(module, "__version__", "?")) for name, module in loaded.items()}


def options(description: str | None, rounds: int) -> argparse.Namespace:
    """The arguments that all programs take."""
    parser = argparse.ArgumentParser(description=(description or "").splitlines()[0])
    parser.add_argument(
        "--device", action="append", choices=["host", "opencl", "cuda"], help="may be repeated; otherwise all"
    )
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument(
        "--small",
        action="store_true",
        help="small sizes where a program has them, to see that every row works",
    )
    parser.add_argument("--json", metavar="FILE", help="append one JSON object for each row")
    return parser.parse_args()


def chosen(report: Report, backend: str) -> Any | None:
    """The first device of a backend, if it is there and wanted."""
    import quern as qn

    if report.options.device and backend not in report.options.device:
        return None
    try:
        return qn.device(backend)
    except qn.DeviceNotFound as error:
        report.skip(backend, str(error).splitlines()[0])
        return None


def run(description: str | None, rounds: int, **programs: Callable[[Report, Any], None]) -> None:
    """A benchmark with one program for each backend: runs those whose device is there, and reports."""
    report = Report(options(description, rounds=rounds))
    for backend, program in programs.items():
        device = chosen(report, backend)
        if device is not None:
            program(report, device)
    report.finish()


def peer(report: Report, name: str) -> ModuleType | None:
    """A peer's package, or None and a note."""
    try:
        return importlib.import_module(name)
    except Exception as error:
        report.skip(name, error)
        return None


def native(report: Report, name: str, *flags: str) -> ctypes.CDLL | None:
    """Compiles benchmarks/native/NAME.cpp and loads it; None and a note where that cannot be done."""
    compiler = os.environ.get("CXX") or shutil.which("g++") or shutil.which("c++")
    if not compiler:
        report.skip(name, "no C++ compiler")
        return None
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / f"{name}.so"
        source = NATIVE / f"{name}.cpp"
        command = [compiler, "-std=c++17", "-O3", "-shared", "-fPIC", *flags, source, "-o", library, "-ldl"]
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
        if done.returncode:
            report.skip(name, done.stderr)
            return None
        return ctypes.CDLL(str(library))
