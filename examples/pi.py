# SPDX-License-Identifier: MIT
"""Pi by random points: the part of them that lies in the quarter of a circle, times four.

The points are made inside the kernel, by counters, so that no memory is read at all; NumPy and pure Python beside it.
"""

import argparse
import random
import time
from math import pi, sqrt

import numpy as np

import quern as qn

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


def timed(name, points, throw):
    start = time.perf_counter()
    hits = throw(points)
    seconds = time.perf_counter() - start
    estimate = 4 * hits / points
    assert abs(estimate - pi) < 6 * sqrt(pi * (4 - pi) / points), f"{name}: {estimate}"
    print(f"  {name:12} {estimate:.6f}  {points / seconds / 1e6:10.1f} million points a second")


def with_python(points):
    rng = random.Random(1)
    return sum(rng.random() ** 2 + rng.random() ** 2 < 1 for _ in range(points))


def with_numpy(points):
    x, y = np.random.default_rng(1).random((2, points), np.float32)
    return np.count_nonzero(x * x + y * y < 1)


def with_quern(points, items=4096):
    rng = qn.random.default_rng(1)
    counter, key = rng.bit_generator.reserve(points // 2)
    vectors = [np.array(words, qn.vec.uint4)[()] for words in (counter, key)]
    inside = qn.empty(items, np.uint32)
    program.throw_points(None, items, None, *vectors, points // 2 // items, inside)
    return int(inside.get().sum())


parser = argparse.ArgumentParser(description="Pi by random points")
parser.add_argument("--points", type=int, default=1 << 26, help="a multiple of 8192")
points = parser.parse_args().points // 8192 * 8192
program = qn.Program(SOURCE)
with_quern(8192)  # builds the kernel

print(f"pi is {pi:.6f}; {points:,} points on {qn.current_device()}")
timed("pure Python", points // 256, with_python)
timed("NumPy", points // 8, with_numpy)
timed("Quern", points, with_quern)
