# SPDX-License-Identifier: MIT
"""Runs all ladders, one after the other, and writes their tables and pictures to the documentation.

python examples/ladders/all.py --page docs/ladders.md --pictures docs/pictures --note "The machine was quiet."
"""

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
LADDERS = (
    "polygon_mask",
    "laplace",
    "pi",
    "vector_sum",
    "matrix_product",
    "linear_combination",
    "scalar_product",
)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--page", type=Path, help="Markdown page with a place for each table")
    parser.add_argument("--pictures", type=Path, help="folder for the pictures")
    parser.add_argument("--note", default="")
    parser.add_argument("--only", nargs="+", choices=LADDERS, default=LADDERS)
    options, further = parser.parse_known_args()  # --size and --seconds go to every ladder
    failed = []
    for name in options.only:
        command = [sys.executable, HERE / f"{name}.py", "--note", options.note, *further]
        if options.page:
            command += ["--page", options.page]
        if options.pictures:
            command += ["--picture", options.pictures / f"ladder_{name}.svg"]
        print(f"## {name}", flush=True)
        if subprocess.run(command, check=False).returncode != 0:
            failed.append(name)
    if failed:
        raise SystemExit(f"wrong or failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
