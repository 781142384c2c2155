# SPDX-License-Identifier: MIT
"""What `import quern` costs on top of NumPy's own import, each time in a fresh process."""

import statistics
import subprocess
import sys

from quern_bench import Report, Row, options

PROGRAM = """
import time, {first}
start = time.perf_counter()
import {second}
print(time.perf_counter() - start)
"""


def import_time(first, second):
    program = PROGRAM.format(first=first, second=second)
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    return float(done.stdout)


def main():
    report = Report(options(__doc__, rounds=20))
    pairs = {"NumPy": ("sys", "numpy"), "Quern after NumPy": ("numpy", "quern")}
    times = {name: [] for name in pairs}
    for _ in range(report.options.rounds):
        for name, pair in pairs.items():
            times[name].append(import_time(*pair))
    rows = []
    for name, taken in times.items():
        least, middle = min(taken), statistics.median(taken)
        bar = "60 ms" if name.startswith("Quern") else ""
        rows.append(Row("import", "host", name, least, middle, middle / least, len(taken), 1, bar=bar))
    report.add(rows)
    report.finish()


if __name__ == "__main__":
    main()
