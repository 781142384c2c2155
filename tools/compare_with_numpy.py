#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares calls drawn at random with NumPy's results for as long as it is told to, and prints what differs.

    tools/compare_with_numpy.py [--seconds 3600] [--seed SEED] [--device host] [--only einsum,average]

Differences that docs/numpy-differences.md names are counted, not printed. The exit status is 1 where there is another one. A seed and
a name in the output repeat a call: --seed N --only NAME --calls 1.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "python" / "tests" / "functions")]

from differential_calls import CALLS, compared  # noqa: E402

import quern as qn  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--calls", type=int, default=None, help="of each function, instead of a time")
    parser.add_argument("--seed", type=int, default=None, help="the first one; a new one where none is given")
    parser.add_argument("--device", default="host")
    parser.add_argument("--only", default="", help="names of functions, with commas between them")
    options = parser.parse_args()

    device = qn.device(options.device)
    names = options.only.split(",") if options.only else sorted(CALLS)
    seed = time.time_ns() if options.seed is None else options.seed
    start, calls, rounds = time.monotonic(), 0, 0
    known: Counter[str] = Counter()
    unknown: Counter[tuple[str, str]] = Counter()
    while rounds < options.calls if options.calls else time.monotonic() - start < options.seconds:
        for name in names:
            one = compared(name, seed + rounds, device)
            calls += 1
            if one.known_as:
                known[one.known_as] += 1
            elif one.difference:
                unknown[name, one.difference] += 1
                if unknown[name, one.difference] <= 3:
                    print(one, flush=True)
        rounds += 1
    print(f"{calls} calls in {time.monotonic() - start:.0f} s on {device.spec}, first seed {seed}")
    for words, count in known.most_common():
        print(f"  {count:7} named in the documentation: {words}")
    for (name, difference), count in unknown.most_common():
        print(f"  {count:7} NOT NAMED: {name}: {difference}")
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
