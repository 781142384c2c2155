# SPDX-License-Identifier: MIT
"""Waves meet a wall with two slits and a round obstacle: the wave equation by finite differences.

Shows NumPy's slices on the device: each time step is one assignment, and runs as one kernel. The movie has the height of
the water.

    python examples/science/waves.py --size 400 --frames 80
"""

import argparse
import sys
from pathlib import Path

import numpy as np

import quern as qn

sys.path.append(str(Path(__file__).parents[1]))  # examples/, where pictures.py is
from pictures import SIGNED, colours, save_movie


def obstacles(size):
    """1 where the water is free, 0 in the wall with two slits and in the disc behind it."""
    y, x = np.mgrid[:size, :size] / size
    wall = (abs(x - 0.35) < 0.01) & (abs(abs(y - 0.5) - 0.1) > 0.03)
    disc = (x - 0.72) ** 2 + (y - 0.5) ** 2 < 0.08**2
    return (~(wall | disc)).astype(np.float32)


def sponge(size, width):
    """1 inside, a little less near the edges, where waves die away instead of coming back."""
    distance = np.minimum(np.arange(size), np.arange(size)[::-1])
    line = 1 - 0.05 * np.clip(1 - distance / width, 0, 1) ** 2
    return (line[:, None] * line).astype(np.float32)


def advance(height, before, free, keep, first, steps, length=16.0):
    """Goes on for some steps; a paddle on the left moves the water with waves of this length, in cells."""
    for step in range(first, first + steps):
        u = height[1:-1, 1:-1]
        around = height[:-2, 1:-1] + height[2:, 1:-1] + height[1:-1, :-2] + height[1:-1, 2:]
        # The waves run half a cell in a step; before[...] is the height one step ago and becomes the next one.
        before[1:-1, 1:-1] = (2 * u - before[1:-1, 1:-1] + 0.25 * (around - 4 * u)) * free[1:-1, 1:-1]
        before[1:-1, 4] += 0.25 * np.sin(np.pi * step / length)
        before *= keep
        height *= keep
        height, before = before, height
    return height, before


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--size", type=int, default=240, help="cells along each side")
    parser.add_argument("--frames", type=int, default=50)
    parser.add_argument("--steps", type=int, default=20, help="steps between two frames")
    parser.add_argument("--output", type=Path, default=Path("demo-output/waves.png"))
    options = parser.parse_args()

    wall = obstacles(options.size)
    free, keep = qn.asarray(wall), qn.asarray(sponge(options.size, options.size // 8))
    height, before, frames = qn.zeros_like(free), qn.zeros_like(free), []
    for frame in range(options.frames):
        height, before = advance(height, before, free, keep, frame * options.steps, options.steps)
        picture = colours(height.get(), SIGNED, -1, 1)
        picture[wall == 0] = (40, 44, 52)
        frames.append(picture)
    steps = options.frames * options.steps
    print(
        f"{height.device}: {steps} steps, heights from {float(height.min()):.2f} to {float(height.max()):.2f}"
    )
    assert float(qn.max(qn.abs(height))) < 10, "the steps are small enough to be stable"

    save_movie(options.output, frames)
    print(f"saved {options.output}")


if __name__ == "__main__":
    main()
