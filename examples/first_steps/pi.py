# SPDX-License-Identifier: MIT
"""Pi by random points: the part of them that lies in the quarter of a circle, times four.

Shows a kernel that makes its random numbers itself, by counters, so that no memory is read at all; and, for the picture,
the same points as arrays.

    python examples/first_steps/pi.py --points 100000000
"""

import argparse
import sys
import time
from math import pi, sqrt
from pathlib import Path

import numpy as np

import quern as qn

sys.path.append(str(Path(__file__).parents[1]))  # examples/, where pictures.py is
from pictures import save_png

SOURCE = """
#include <quern/random.cl>

kernel void throw_points(uint4 counter, uint4 key, uint blocks_each, global uint *inside) {
  const uint first = get_global_id(0) * blocks_each;
  uint hits = 0;
  for (uint i = 0; i < blocks_each; ++i) {  // four words, two points
    const uint4 block = (uint4)(counter.x + first + i, counter.yzw);
    const float4 p = random_uniform4(philox4x32(block, key.xy));
    hits += (p.x * p.x + p.y * p.y < 1 ? 1 : 0) + (p.z * p.z + p.w * p.w < 1 ? 1 : 0);
  }
  inside[get_global_id(0)] = hits;
}
"""


def hits(program, points, items=4096, seed=1):
    """The number of points inside the circle; each work-item throws points / items of them."""
    rng = qn.random.default_rng(seed)
    counter, key = rng.bit_generator.reserve(points // 2)
    vectors = [np.array(words, qn.vec.uint4)[()] for words in (counter, key)]
    inside = qn.empty(items, np.uint32)
    program.throw_points(None, items, None, *vectors, points // 2 // items, inside)
    return int(inside.get().sum())


def picture(points, size, seed=1):
    """Points inside the circle are orange, those outside are blue."""
    x, y = qn.random.default_rng(seed).random((2, points), dtype="float32")
    inside = x * x + y * y < 1
    counts = [
        qn.histogram2d(1 - y[mask], x[mask], bins=size, range=[[0, 1], [0, 1]])[0].get() > 0
        for mask in (inside, ~inside)
    ]
    pixels = np.full((size, size, 3), 16, np.uint8)
    pixels[counts[0]] = (255, 160, 40)
    pixels[counts[1]] = (60, 120, 220)
    return pixels


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--points", type=int, default=1 << 26, help="a multiple of 8192")
    parser.add_argument("--size", type=int, default=320, help="pixels along each side of the picture")
    parser.add_argument("--output", type=Path, default=Path("demo-output/pi.png"))
    options = parser.parse_args()
    points = options.points // 8192 * 8192
    program = qn.Program(SOURCE)
    hits(program, 8192)  # builds the kernel

    start = time.perf_counter()
    estimate = 4 * hits(program, points) / points
    seconds = time.perf_counter() - start
    print(f"{qn.current_device()}: {points:,} points, {points / seconds / 1e6:,.0f} million a second")
    error = sqrt(pi * (4 - pi) / points)  # one standard deviation
    print(f"pi is {pi:.6f}, the estimate {estimate:.6f} +- {error:.6f}")
    assert abs(estimate - pi) < 6 * error

    save_png(options.output, picture(40_000, options.size))
    print(f"saved {options.output}")


if __name__ == "__main__":
    main()
