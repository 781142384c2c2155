# SPDX-License-Identifier: MIT
"""What a new expression of arrays costs: its first evaluation, the same in a second process from the cache on disk, and
a script of 300 of them."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import quern as qn
from quern_bench import Report, Row, chosen, options

COUNT = 1000
BARS = {"host": ("1 ms", "3 ms", "1 s"), "cuda": ("40 ms", "3 ms", ""), "opencl": ("", "", "")}

EXPRESSIONS = (
    lambda x, y: 5 * x + 6 * y,
    lambda x, y: x * y + 3,
    lambda x, y: (x - y) * (x + y),
    lambda x, y: qn.sqrt(x * x + y * y),
    lambda x, y: qn.exp(-x) * y + qn.where(x > 0, x, y),
    lambda x, y: qn.clip(x, 0.25, 0.75) / (y + 1),
)


def operands(device):
    rng = np.random.default_rng(1)
    x, y = (qn.asarray(rng.random(COUNT, dtype=np.float32), device=device) for _ in range(2))
    (x - y).get()  # the first of a process loads the compiler
    return x, y


def first_times(device):
    """Seconds of each expression until its result is in NumPy."""
    x, y = operands(device)
    times = []
    for expression in EXPRESSIONS:
        start = time.perf_counter()
        expression(x, y).get()
        times.append(time.perf_counter() - start)
    return times


def script_time(device, count=300):
    """Seconds of as many distinct expressions of two to sixteen operations, all together."""
    x, y = operands(device)
    start = time.perf_counter()
    for number in range(count):
        value, bits = x, number + 256  # the number's bits say what the operations are
        while bits > 1:
            value = value * y if bits & 1 else value + y
            value = abs(value) if bits & 2 else -value
            bits >>= 1
        value.get()
    return [time.perf_counter() - start]


MEASURES = {"first": first_times, "script": script_time}


def in_another_process(measure, backend):
    child = [sys.executable, __file__, "--child", measure, backend]
    return json.loads(subprocess.run(child, check=True, capture_output=True, text=True).stdout)


def measure(report, backend):
    with tempfile.TemporaryDirectory() as cache:
        os.environ["QUERN_CACHE_DIR"] = cache
        times = {
            "Quern, new": in_another_process("first", backend),
            "Quern, second process, cached": in_another_process("first", backend),
        }
    bars = BARS[backend]
    if backend == "host":
        with tempfile.TemporaryDirectory() as cache:
            os.environ["QUERN_CACHE_DIR"] = cache
            times["Quern, 300 of them"] = in_another_process("script", backend)
    report.add(
        [
            Row(
                "a new expression",
                backend,
                name,
                min(seconds),
                statistics.median(seconds),
                statistics.median(seconds) / min(seconds),
                len(seconds),
                1,
                bar=bar,
            )
            for (name, seconds), bar in zip(times.items(), bars, strict=False)
        ]
    )


def main():
    if sys.argv[1:2] == ["--child"]:
        print(json.dumps(MEASURES[sys.argv[2]](qn.device(sys.argv[3]))))
        return
    report = Report(options(__doc__, rounds=1))
    for backend in ("host", "opencl", "cuda"):
        if chosen(report, backend):
            measure(report, backend)
    report.finish()


if __name__ == "__main__":
    main()
