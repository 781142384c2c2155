# SPDX-License-Identifier: MIT
"""What the ladders share: rungs, their measurement in turns, and the command line.

A rung is a function that gets a problem and returns a function without arguments: one run of the computation, which ends when
its result is there. What the rung does before (imports, compilers, copies to a device) is not measured. A rung whose library is not
installed raises ImportError or Missing, and is listed with the reason.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import report

import quern as qn


class Missing(Exception):
    """Why a rung cannot be measured here."""


@dataclass
class Rung:
    name: str
    prepare: Callable[[Any], Callable[[], Any]]
    most: int | None  # a larger problem is measured at this size
    is_quern: bool


@dataclass
class Row:
    """What was measured of a rung; without times if `missing` says why."""

    name: str
    is_quern: bool
    missing: str | None = None
    seconds: float | None = None  # the least
    median: float | None = None
    first: float | None = None  # the first run, with what it compiles
    rounds: int = 0
    measured_size: int = 0  # times of a smaller problem are scaled up
    difference: float = 0.0
    is_right: bool = True


class Ladder:
    """One computation and the ways to write it. `problem(size)` makes the data, `work(size)` counts the operations, and
    `reference(problem)` is the right result, up to `tolerance` (see `difference`)."""

    def __init__(self, name, title, problem, reference, work, size, tolerance=0.0, figures=None):
        self.name, self.title, self.problem, self.reference, self.work = name, title, problem, reference, work
        self.size, self.tolerance, self.figures, self.rungs = size, tolerance, figures, []

    def rung(self, name, most=None):
        """Decorates the function of a rung."""

        def add(prepare):
            self.rungs.append(Rung(name, prepare, most, False))
            return prepare

        return add

    def rung_of_devices(self, name):
        """Decorates the function of a rung of Quern's, which has one rung for each backend; `device` is its argument."""

        def add(prepare):
            for backend, shown in (("host", "host"), ("opencl", "OpenCL"), ("cuda", "CUDA")):
                self.rungs.append(
                    Rung(f"{name}, {shown}", lambda p, b=backend: on_device(prepare, p, b), None, True)
                )
            return prepare

        return add

    def measure(self, size, seconds, show=print):
        """All rungs, in turns: one run of each in a round, so that a slow second of the machine meets all of them."""
        rows, running, references = [], [], {}
        for rung in self.rungs:
            row = Row(rung.name, rung.is_quern, measured_size=min(size, rung.most or size))
            rows.append(row)
            problem = self.problem(row.measured_size)
            try:
                run = rung.prepare(problem)
                start = time.perf_counter()
                run()
                row.first = time.perf_counter() - start
                start = time.perf_counter()
                result = run()
                second = time.perf_counter() - start
            except (ImportError, Missing) as error:
                row.missing = reason(error)
                show(f"{row.name}: {row.missing}")
                continue
            if row.measured_size not in references:
                references[row.measured_size] = self.reference(problem)
            row.difference = difference(result, references[row.measured_size])
            row.is_right = row.difference <= self.tolerance
            rounds = int(np.clip(seconds / max(second, 1e-6), 1 if second > seconds else 2, 30))
            running.append((row, run, rounds, []))
            show(f"{row.name}: ready")
        for number in range(max((rounds for *_, rounds, _ in running), default=0)):
            for _, run, rounds, times in running:
                if number < rounds:
                    if not times or times[-1] < 0.1:
                        run()  # brings caches and threads back to this rung
                    start = time.perf_counter()
                    run()
                    times.append(time.perf_counter() - start)
        for row, _, rounds, times in running:
            scale = self.work(size) / self.work(row.measured_size)
            row.seconds, row.median, row.rounds = min(times) * scale, statistics.median(times) * scale, rounds
        return rows

    def main(self):
        """The command line of a ladder."""
        parser = argparse.ArgumentParser(description=f"The ladder: {self.title}")
        parser.add_argument("--size", type=int, default=self.size)
        parser.add_argument(
            "--seconds", type=float, default=1.0, help="at most so long for the rounds of a rung"
        )
        parser.add_argument("--json", type=Path, metavar="FILE")
        parser.add_argument("--picture", type=Path, metavar="FILE.svg")
        parser.add_argument(
            "--page", type=Path, metavar="FILE.md", help="put the table between this ladder's marks"
        )
        parser.add_argument(
            "--note", default="", help="a sentence below the table, such as 'The machine was busy.'"
        )
        options = parser.parse_args()
        rows = self.measure(options.size, options.seconds, lambda text: None)
        machine = describe_machine()
        table = report.table(self, rows, options.size, machine, options.note)
        print(table)
        if options.json:
            content = {
                "ladder": self.name,
                "size": options.size,
                "machine": machine,
                "rows": [asdict(r) for r in rows],
            }
            options.json.write_text(json.dumps(content, indent=1))
        if options.picture:
            options.picture.parent.mkdir(parents=True, exist_ok=True)
            options.picture.write_text(report.bars(f"{self.title}, size {options.size:,}", rows))
        if options.page:
            report.put(options.page, self.name, table)
        return 0 if all(row.is_right for row in rows) else 1


def on_device(prepare, problem, backend):
    devices = qn.devices(backend)
    if not devices:
        raise Missing("no such device")
    with qn.device(devices[0]):
        run = prepare(problem, devices[0])

    def run_there():
        with qn.device(devices[0]):
            return run()

    return run_there


def difference(result, expected):
    """The greatest difference of two results, relative to the greatest expected number."""
    result = np.asarray(result.get() if hasattr(result, "get") else result, dtype=np.float64)
    expected = np.asarray(expected, dtype=np.float64)
    if result.shape != expected.shape:
        return float("inf")
    most = float(np.abs(result - expected).max()) / (float(np.abs(expected).max()) or 1.0)
    return most if np.isfinite(most) else float("inf")


def reason(error):
    if isinstance(error, ImportError) and error.name:
        return f"{error.name.partition('.')[0]} is not installed"
    return (str(error).splitlines() or [type(error).__name__])[0]


def describe_machine():
    names = [line.split(":")[1].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")]
    devices = [d.name for backend in ("opencl", "cuda") for d in qn.devices(backend)[:1]]
    return {
        "processor": names[0] if names else platform.processor(),
        "cores": len(os.sched_getaffinity(0)),
        "devices": devices,
        "date": time.strftime("%Y-%m-%d"),
        "commit": _commit(),
    }


def _commit():
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def _lines(path):
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []
