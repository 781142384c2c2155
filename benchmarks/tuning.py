# SPDX-License-Identifier: MIT
"""Tuning a stencil on an OpenCL device: evaluations and time until a configuration is within 5 % of the best."""

import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from datetime import datetime

import numpy as np

import quern as qn
from quern_bench import Report, chosen, options, peer

# A 9-point blur. A work-item computes ROWS rows of WIDTH columns; Kernel Tuner names the sizes of work-groups.
SOURCE = """
kernel void blur(global const float *x, global float *y, int side) {
  int column = get_global_id(0) * WIDTH + 1, row = get_global_id(1) * ROWS + 1;
  for (int r = row; r < row + ROWS; ++r)
    for (int c = column; c < column + WIDTH; ++c) {
      if (r >= side - 1 || c >= side - 1) continue;
      float sum = 0;
      for (int i = -1; i <= 1; ++i)
        for (int j = -1; j <= 1; ++j) sum += x[(r + i) * side + c + j];
      y[r * side + c] = sum / 9;
    }
}
"""
PARAMETERS = {"block_size_x": [4, 16, 64], "block_size_y": [1, 4], "WIDTH": [1, 4, 16], "ROWS": [1, 4, 16]}
RESTRICTIONS = "block_size_x * block_size_y <= 128"


def expected(x):
    y = np.zeros_like(x)
    side = len(x)
    for i in range(3):
        for j in range(3):
            y[1:-1, 1:-1] += x[i : side - 2 + i, j : side - 2 + j]
    return y / np.float32(9)


def of_quern(x, strategy, budget, device, seed=0):
    """The configurations in order, the seconds at which each was known, and those of the whole search."""
    side = len(x)
    source, target = qn.asarray(x, device=device), qn.zeros((side, side), "float32", device)

    def size(p):
        blocks = (p.block_size_x * p.WIDTH, p.block_size_y * p.ROWS)
        return tuple(
            -(-side // block) * local
            for block, local in zip(blocks, (p.block_size_x, p.block_size_y), strict=True)
        )

    start = time.perf_counter()
    result = qn.tune(
        SOURCE,
        PARAMETERS,
        args=(source, target, side),
        global_size=size,
        local_size=lambda p: (p.block_size_x, p.block_size_y),
        restrictions=RESTRICTIONS,
        verify={1: expected(x)},
        strategy=strategy,
        max_evaluations=budget,
        seed=seed,
        device=device,
        keep=False,
        progress=False,
    )
    seconds = time.perf_counter() - start
    order = [(tuple(c.parameters.values()), c.found_at) for c in result.candidates if c.seconds]
    times = {tuple(c.parameters.values()): c.seconds for c in result.candidates if c.seconds}
    return order, times, seconds


def of_kernel_tuner(kernel_tuner, x, strategy, budget, seed=0):
    side = len(x)
    start = time.time()
    results, _ = kernel_tuner.tune_kernel(
        "blur",
        SOURCE,
        (side, side),
        [x, np.zeros_like(x), np.int32(side)],
        PARAMETERS,
        grid_div_x=["block_size_x", "WIDTH"],
        grid_div_y=["block_size_y", "ROWS"],
        restrictions=[RESTRICTIONS],
        answer=[None, expected(x), None],
        atol=1e-5,
        lang="OpenCL",
        iterations=7,
        quiet=True,
        strategy=strategy,
        strategy_options={"max_fevals": budget} if budget else {},
        seed=seed,
    )
    seconds = time.time() - start
    order = []
    for row in results:
        if isinstance(row["time"], float):
            order.append((tuple(row[name] for name in PARAMETERS), _since(row, start)))
    return order, seconds


def _since(row, start):
    return datetime.fromisoformat(row["timestamp"]).timestamp() - start


def search(library, strategy, side, budget):
    """One search, in a process of its own; prints what it found as JSON."""
    x = np.random.default_rng(5).random((side, side), dtype=np.float32)
    if library == "Quern":
        order, times, seconds = of_quern(x, strategy, budget, qn.device("opencl"))
    else:
        order, seconds = of_kernel_tuner(importlib.import_module("kernel_tuner"), x, strategy, budget)
        times = {}
    print(json.dumps([order, list(times.items()), seconds]))


def in_a_process(*arguments):
    """A search with empty caches of compiled kernels, those of PoCL too."""
    with tempfile.TemporaryDirectory() as folder:
        settings = {**os.environ, "QUERN_CACHE_DIR": f"{folder}/quern", "POCL_CACHE_DIR": f"{folder}/pocl"}
        done = subprocess.run(
            [sys.executable, __file__, "--search", *map(str, arguments)],
            env=settings,
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode != 0:
        print(f"{arguments[0]}, {arguments[1]}: {done.stderr.strip().splitlines()[-1]}")
        return None
    order, times, seconds = json.loads(done.stdout.splitlines()[-1])
    return [(tuple(one), at) for one, at in order], {tuple(one): time for one, time in times}, seconds


def add(options, times, name, order, seconds):
    """Prints a line: evaluations and seconds until a configuration within 5 % of the best, by the same times for all."""
    least = min(times.values())
    near = [(count, at) for count, (one, at) in enumerate(order, 1) if times.get(one, np.inf) <= 1.05 * least]
    count, at = near[0] if near else (None, None)
    until = f"{count:4} in {at:7.2f} s" if near else "not found"
    print(f"{name:36} {until:>22} {len(order):10} in {seconds:7.2f} s", flush=True)
    if options.json:
        row = {"search": name, "evaluations": count, "seconds": at, "all": len(order), "whole": seconds}
        with open(options.json, "a") as file:
            file.write(json.dumps(row) + "\n")


def main():
    if sys.argv[1:2] == ["--search"]:
        library, strategy, side, budget = sys.argv[2:]
        return search(library, strategy, int(side), int(budget) or None)
    report = Report(options(__doc__, rounds=1))
    device = chosen(report, "opencl")
    if device is None:
        print("no OpenCL device")
        return None
    side = 256 if report.options.small else 1024
    budget = 5 if report.options.small else 20
    has_peer = peer(report, "kernel_tuner") is not None
    print(f"{device.spec}: {device.name}")
    print(f"{'search':36} {'within 5 %':>22} {'whole search':>22}")
    strategies = {
        "brute": "brute_force",
        "random": "random_sample",
        "anneal": "simulated_annealing",
        "bayes": "bayes_opt",
    }
    times = {}
    for ours, theirs in strategies.items():
        most = 0 if ours == "brute" else budget
        for library, strategy in (("Quern", ours), ("Kernel Tuner", theirs)):
            found = in_a_process(library, strategy, side, most) if library == "Quern" or has_peer else None
            if found:
                order, measured, seconds = found
                times = times or measured
                add(report.options, times, f"{library}, {strategy}", order, seconds)
    return None


main()
