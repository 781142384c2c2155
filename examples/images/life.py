# SPDX-License-Identifier: MIT
"""Conway's Game of Life, as a movie: five cells grow for a thousand generations.

Shows a kernel on bytes. Each cell keeps its age, so one array holds the state and what the picture needs; the world is closed
like a torus.

    python examples/images/life.py --size 300 --frames 120
"""

import argparse
import sys
from pathlib import Path

import numpy as np

import quern as qn

sys.path.append(str(Path(__file__).parents[1]))  # examples/, where pictures.py is
from pictures import ICE, colours, save_movie

SOURCE = """
// age: 0 is a dead cell; a living one counts its generations up to 255.
kernel void generation(global const uchar *age, global uchar *next) {
  const int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0), height = get_global_size(1);
  int neighbours = 0;
  for (int dy = -1; dy <= 1; dy++) {
    for (int dx = -1; dx <= 1; dx++) {
      const int column = (x + dx + width) % width, row = (y + dy + height) % height;
      neighbours += (dx != 0 || dy != 0) && age[row * width + column] > 0;
    }
  }
  const int at = y * width + x;
  const bool lives = neighbours == 3 || (neighbours == 2 && age[at] > 0);
  next[at] = lives ? min(age[at] + 1, 255) : 0;
}
"""
R_PENTOMINO = [(0, 1), (0, 2), (1, 0), (1, 1), (2, 1)]


def world(size, cells=R_PENTOMINO):
    """An empty world with some cells in the middle."""
    age = np.zeros((size, size), np.uint8)
    for y, x in cells:
        age[size // 2 + y, size // 2 + x] = 1
    return age


def advance(age, spare, generations):
    """Both arrays in their new roles, after some generations."""
    kernel = qn.Program(SOURCE).generation
    height, width = age.shape
    for _ in range(generations):
        kernel(None, (width, height), None, age, spare)
        age, spare = spare, age
    return age, spare


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--size", type=int, default=140, help="cells along each side")
    parser.add_argument("--frames", type=int, default=110)
    parser.add_argument("--generations", type=int, default=10, help="between two frames")
    parser.add_argument("--output", type=Path, default=Path("demo-output/life.png"))
    options = parser.parse_args()

    age = qn.asarray(world(options.size))
    spare, frames = qn.empty_like(age), []
    for _ in range(options.frames):
        shown = np.log1p(age.get().astype(float))  # old cells are bright
        frames.append(np.repeat(np.repeat(colours(shown, ICE, 0, 5.6), 2, axis=0), 2, axis=1))
        age, spare = advance(age, spare, options.generations)
    total = options.frames * options.generations
    print(f"{age.device}: {int((age > 0).sum())} cells live after {total} generations")

    save_movie(options.output, frames)
    print(f"saved {options.output}")


if __name__ == "__main__":
    main()
