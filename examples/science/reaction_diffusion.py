# SPDX-License-Identifier: MIT
"""Reaction and diffusion of two substances (Gray and Scott's model): spots that grow, divide and fill the plane.

Shows a kernel over two dimensions, and two pairs of arrays that take turns as its input and output.

    python examples/science/reaction_diffusion.py --size 400 --steps 12000
"""

import argparse
import sys
from pathlib import Path

import numpy as np

import quern as qn

sys.path.append(str(Path(__file__).parents[1]))  # examples/, where pictures.py is
from pictures import ICE, colours, save_png

SOURCE = """
float around(global const float *a, int x, int y, int width, int height) {  // the plane is closed like a torus
  const int left = (x + width - 1) % width, right = (x + 1) % width;
  const int up = (y + height - 1) % height, down = (y + 1) % height;
  return a[y * width + left] + a[y * width + right] + a[up * width + x] + a[down * width + x]
         - 4 * a[y * width + x];
}

kernel void react(global const float *u, global const float *v, global float *new_u, global float *new_v,
                  float feed, float kill) {
  const int x = get_global_id(0), y = get_global_id(1);
  const int width = get_global_size(0), height = get_global_size(1), at = y * width + x;
  const float turned = u[at] * v[at] * v[at];  // u + 2 v become 3 v
  new_u[at] = u[at] + 0.2f * around(u, x, y, width, height) - turned + feed * (1 - u[at]);
  new_v[at] = v[at] + 0.1f * around(v, x, y, width, height) + turned - (feed + kill) * v[at];
}
"""


def start(size, seed=5):
    """Only the first substance, and some drops of the second one."""
    rng = np.random.default_rng(seed)
    u, v = np.ones((size, size), np.float32), np.zeros((size, size), np.float32)
    edge = max(4, size // 40)
    for y, x in rng.integers(0, size - edge, size=(12, 2)):
        u[y : y + edge, x : x + edge] = 0.5
        v[y : y + edge, x : x + edge] = 0.25 + 0.05 * rng.random((edge, edge), dtype=np.float32)
    return u, v


def react(u, v, steps, feed=0.030, kill=0.060):
    """Both substances after an even number of steps."""
    kernel = qn.Program(SOURCE).react
    u, v = qn.asarray(u), qn.asarray(v)
    other_u, other_v = qn.empty_like(u), qn.empty_like(v)
    height, width = u.shape
    for _ in range(steps // 2):
        kernel(None, (width, height), None, u, v, other_u, other_v, feed, kill)
        kernel(None, (width, height), None, other_u, other_v, u, v, feed, kill)
    return u, v


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--size", type=int, default=256, help="cells along each side")
    parser.add_argument("--steps", type=int, default=6000)
    parser.add_argument("--output", type=Path, default=Path("demo-output/reaction_diffusion.png"))
    options = parser.parse_args()

    u, v = react(*start(options.size), options.steps)
    print(f"{u.device}: {options.steps} steps; the second substance covers {float((v > 0.1).mean()):.0%}")
    assert float(v.min()) >= 0 and float(u.max()) <= 1

    save_png(options.output, colours(v.get(), ICE, 0, 0.4))
    print(f"saved {options.output}")


if __name__ == "__main__":
    main()
