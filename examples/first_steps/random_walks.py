# SPDX-License-Identifier: MIT
"""Many walkers start at one point and take random steps: where are they in the end?

Shows random numbers, cumulative sums and histograms on the device. After n steps the mean squared distance from the start
is n. In the picture the places that they visit most often are brightest.

    python examples/first_steps/random_walks.py --walkers 20000 --steps 1000
"""

import argparse
import sys
from pathlib import Path

import numpy as np

import quern as qn

sys.path.append(str(Path(__file__).parents[1]))  # examples/, where pictures.py is
from pictures import ICE, colours, save_png


def walk(walkers, steps, seed=1):
    """The positions x and y of all walkers after each step, each of the shape (walkers, steps)."""
    rng = qn.random.default_rng(seed)
    direction = rng.integers(0, 4, size=(walkers, steps), dtype="int32")
    east = qn.where(direction == 0, 1, qn.where(direction == 1, -1, 0))
    north = qn.where(direction == 2, 1, qn.where(direction == 3, -1, 0))
    return qn.cumsum(east, axis=1, dtype="int32"), qn.cumsum(north, axis=1, dtype="int32")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--walkers", type=int, default=10_000)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--output", type=Path, default=Path("demo-output/random_walks.png"))
    options = parser.parse_args()

    x, y = walk(options.walkers, options.steps)
    square = float(qn.mean((x[:, -1] ** 2 + y[:, -1] ** 2).astype("float32")))
    print(f"{x.device}: mean squared distance {square:.1f} after {options.steps} steps")

    reach = int(3 * np.sqrt(options.steps))  # a pixel for each place
    side = [-reach - 0.5, reach + 0.5]
    visits, _, _ = qn.histogram2d(y.ravel(), x.ravel(), bins=2 * reach + 1, range=[side, side])
    save_png(options.output, colours(np.log1p(visits.get()), ICE))
    print(f"saved {options.output}")


if __name__ == "__main__":
    main()
