# SPDX-License-Identifier: MIT
"""A model of many ranks: messages recorded on ranks that are threads, replayed with the latency and bandwidth of a network.

    python benchmarks/scaling_model.py [--latency 1.5e-6] [--bandwidth 12.5e9] [--ranks 4 16 64 256 1024] [PROGRAM...]

Each program has a block of fixed size on every rank (weak scaling). Three things are recorded:

- messages and bytes that each rank sends in one step, on the given number of ranks. Blocks are small there, so they are
  recorded for two lengths; the bytes of longer blocks follow from a line through both;
- the time of one step on one rank and one thread, with the block of the table;
- nothing else: the model adds latency * messages + bytes / bandwidth of the rank that sends most to the time of one
  rank. It knows no overlap, no shared links, no waiting for late ranks, and no cost of Python beside that of one rank.
"""

import argparse
import math
import os
import time
from dataclasses import dataclass
from typing import Any

os.environ.setdefault("QUERN_THREADS", "1")

import quern
import quern.dist as qn


@dataclass
class Program:
    """What a step does with blocks of a length, and how its bytes and its work grow."""

    make: Any  # length of the block, number of ranks -> function of one step
    lengths: tuple[int, int]  # of blocks for which messages are recorded
    length: int  # of the block in the table
    power: int  # bytes are a line in length**power
    most: int = 1024  # ranks; more of them would compute for minutes
    work: Any = lambda ranks: 1.0  # work of a rank on so many ranks, over that of one rank alone


def grid_of(ranks, axes):
    """The process grid with sides as equal as possible."""
    grid, left = [], ranks
    for axis in range(axes, 0, -1):
        side = max(d for d in range(1, round(left ** (1 / axis)) + 1) if left % d == 0)
        grid.append(side)
        left //= side
    return tuple(grid)


def jacobi_by_slices(length, ranks):
    rows, columns = grid_of(ranks, 2)
    u = qn.zeros((length * rows, length * columns), layout=(rows, columns))

    def step():
        u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])

    return step, u


def jacobi_with_halo(length, ranks):
    rows, columns = grid_of(ranks, 2)
    u = qn.HaloArray((length * rows, length * columns), 1, layout=(rows, columns), corners=False)

    def step():
        u.exchange()
        v = u.local
        u.interior[...] = 0.25 * (v[:-2, 1:-1] + v[2:, 1:-1] + v[1:-1, :-2] + v[1:-1, 2:])

    return step, u


def seven_points(length, ranks):
    grid = grid_of(ranks, 3)
    u = qn.HaloArray(tuple(length * side for side in grid), 1, layout=grid, corners=False)

    def step():
        u.exchange()
        v, inner = u.local, slice(1, -1)
        u.interior[...] = (
            v[:-2, inner, inner]
            + v[2:, inner, inner]
            + v[inner, :-2, inner]
            + v[inner, 2:, inner]
            + v[inner, inner, :-2]
            + v[inner, inner, 2:]
        ) / 6

    return step, u


def sum_of_all(length, ranks):
    x = qn.ones(length * ranks)
    return lambda: float(x.sum()), x


def rows_to_columns(length, ranks):
    side = length * math.isqrt(ranks)
    x = qn.ones((side, side), layout=(ranks, 1))
    return lambda: x.redistribute((1, ranks)), x


def product(length, ranks):
    side = math.isqrt(ranks)
    a = qn.ones((length * side, length * side), dtype="float32", layout=(side, side))
    b = qn.ones((length * side, length * side), dtype="float32", layout=(side, side))
    return lambda: qn.matmul(a, b), a


def sort(length, ranks):
    x = qn.default_rng(1).random(length * ranks)
    return lambda: qn.sort(x), x


PROGRAMS = {
    "Jacobi, slices": Program(jacobi_by_slices, (16, 32), 2048, 1),
    "Jacobi, HaloArray": Program(jacobi_with_halo, (16, 32), 2048, 1),
    "7 points, HaloArray": Program(seven_points, (8, 16), 128, 2),
    "sum": Program(sum_of_all, (64, 128), 4_000_000, 1),
    "rows to columns": Program(rows_to_columns, (32, 64), 2048, 2),
    # Panels have 512 columns: the number of messages grows with the side of the product, so it is recorded as it is.
    "matmul float32": Program(product, (512, 512), 512, 2, most=64, work=math.sqrt),
    "sort": Program(sort, (1 << 11, 1 << 12), 4_000_000, 1),
}


def recorded(program, length, ranks):
    """Messages and bytes of one step: those of the rank that sends most of each."""

    def run():
        step, _ = program.make(length, ranks)
        step()
        comm = qn._ranks.current()
        before = comm.sent
        step()
        after = comm.sent
        return after[0] - before[0], after[1] - before[1]

    sent = qn.on_threads(ranks, run, warn=600.0)
    return max(one[0] for one in sent), max(one[1] for one in sent)


def bytes_of(program, ranks):
    """Messages, and bytes of a block of the length of the table by a line through two lengths."""
    first, second = program.lengths
    messages, low = recorded(program, first, ranks)
    if first == second == program.length:
        return messages, low
    more_messages, high = recorded(program, second, ranks)
    slope = (high - low) / (second**program.power - first**program.power)
    return max(messages, more_messages), low + slope * (program.length**program.power - first**program.power)


def time_of(program):
    """Seconds of one step on one rank: the minimum of repetitions."""
    step, _ = program.make(program.length, 1)
    best = math.inf
    for _ in range(9):
        quern.synchronize()
        start = time.perf_counter()
        result = step()
        if isinstance(result, qn.Array):
            quern.eval(result.local)
        quern.synchronize()
        best = min(best, time.perf_counter() - start)
    return best


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=", ".join(PROGRAMS))
    parser.add_argument("--latency", type=float, default=1.5e-6, help="seconds of a message")
    parser.add_argument("--bandwidth", type=float, default=12.5e9, help="bytes per second of a rank")
    parser.add_argument("--ranks", type=int, nargs="+", default=[4, 16, 64, 256, 1024])
    options = parser.parse_args()
    print(f"MODEL: {options.latency * 1e6:g} us a message, {options.bandwidth / 1e9:g} GB/s a rank")
    for name in options.programs or PROGRAMS:
        program = PROGRAMS[name]
        alone = time_of(program)
        print(f"{name}: {1e3 * alone:.3f} ms on one rank", flush=True)
        for ranks in [one for one in options.ranks if one <= program.most]:
            messages, size = bytes_of(program, ranks)
            local = alone * program.work(ranks)
            sending = options.latency * messages + size / options.bandwidth
            print(
                f"  {ranks:5d} ranks: {messages:5d} messages, {size / 1e6:10.4f} MB, "
                f"{1e3 * (local + sending):9.3f} ms, efficiency {local / (local + sending):.3f}",
                flush=True,
            )


main()
