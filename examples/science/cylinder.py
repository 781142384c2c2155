# SPDX-License-Identifier: MIT
"""Flow past a cylinder by the lattice Boltzmann method: behind it vortices leave in turns (Karman's street).

Shows a kernel with a loop over nine directions and tables in constant memory. Each cell holds the density of the fluid
that moves in each direction; in a step it collects them from its neighbours and lets them collide.

    python examples/science/cylinder.py --width 600 --steps 20000
"""

import argparse
import sys
from pathlib import Path

import numpy as np

import quern as qn

sys.path.append(str(Path(__file__).parents[1]))  # examples/, where pictures.py is
from pictures import SIGNED, colours, save_png

STEPS = np.array([[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1], [1, 1], [-1, 1], [-1, -1], [1, -1]])
WEIGHTS = np.array([4 / 9] + 4 * [1 / 9] + 4 * [1 / 36], np.float32)

SOURCE = """
constant int step_x[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, step_y[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
constant int back[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
constant float weight[9] = {4.0f/9, 1.0f/9, 1.0f/9, 1.0f/9, 1.0f/9, 1.0f/36, 1.0f/36, 1.0f/36, 1.0f/36};

float at_rest(int k, float density, float u, float v) {  // the equilibrium of a fluid that moves with (u, v)
  const float along = 3 * (step_x[k] * u + step_y[k] * v);
  return weight[k] * density * (1 + along + 0.5f * along * along - 1.5f * (u * u + v * v));
}

kernel void advance(global const float *f, global float *moved, global const uchar *wall, float speed, float rate) {
  const int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0), height = get_global_size(1);
  const int cells = width * height, at = y * width + x;
  float in[9], density = 0, u = 0, v = 0;
#pragma unroll
  for (int k = 0; k < 9; k++) {
    const int from_x = clamp(x - step_x[k], 0, width - 1), row = y - step_y[k];
    const int from_y = row < 0 ? height - 1 : row == height ? 0 : row;  // what leaves on top comes in below
    const int from = from_y * width + from_x;
    in[k] = wall[from] ? f[back[k] * cells + at] : f[k * cells + from];  // walls send everything back
    density += in[k];
    u += step_x[k] * in[k];
    v += step_y[k] * in[k];
  }
  u /= density;
  v /= density;
#pragma unroll
  for (int k = 0; k < 9; k++) {
    const float out = in[k] - rate * (in[k] - at_rest(k, density, u, v));
    moved[k * cells + at] = x == 0 ? at_rest(k, 1, speed, 0) : wall[at] ? f[k * cells + at] : out;
  }
}
"""


def channel(height, width, speed):
    """The fluid, which moves to the right, faster above than below, so that vortices come soon; and the cylinder."""
    y, x = np.mgrid[:height, :width]
    wall = (x - width / 5) ** 2 + (y - height / 2) ** 2 < (height / 9) ** 2
    u = speed * (1 + 0.5 * np.sin(2 * np.pi * y / height))
    along = 3 * STEPS[:, 0, None, None] * u
    f = WEIGHTS[:, None, None] * (1 + along + 0.5 * along**2 - 1.5 * u**2)
    return f.astype(np.float32), wall.astype(np.uint8)


def advance(f, wall, steps, speed, rate):
    """The fluid after an even number of steps."""
    kernel = qn.Program(SOURCE).advance
    f, wall = qn.asarray(f), qn.asarray(wall)
    other = qn.empty_like(f)
    height, width = wall.shape
    for _ in range(steps // 2):
        kernel(None, (width, height), None, f, other, wall, speed, rate)
        kernel(None, (width, height), None, other, f, wall, speed, rate)
    return f


def velocity(f):
    """Both components, by NumPy's names for the sums over directions."""
    density = f.sum(axis=0)
    return tuple(
        qn.einsum("k,kyx->yx", qn.asarray(STEPS[:, i].astype("float32")), f) / density for i in (0, 1)
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--width", type=int, default=360, help="cells; the height is a third of it")
    parser.add_argument("--steps", type=int, default=9000)
    parser.add_argument("--speed", type=float, default=0.1, help="of the inflow, in cells per step")
    parser.add_argument("--reynolds", type=float, default=150, help="speed times diameter over viscosity")
    parser.add_argument("--output", type=Path, default=Path("demo-output/cylinder.png"))
    options = parser.parse_args()

    height = options.width // 3
    viscosity = options.speed * (2 * height / 9) / options.reynolds
    f, wall = channel(height, options.width, options.speed)
    f = advance(f, wall, options.steps, options.speed, 1 / (3 * viscosity + 0.5))
    u, v = velocity(f)
    print(f"{f.device}: {options.steps} steps; the fluid moves with {float(qn.mean(u)):.4f} on average")
    assert abs(float(qn.mean(u)) / options.speed - 1) < 0.2, "what flows in flows out"

    rotation = qn.gradient(v, axis=1) - qn.gradient(u, axis=0)
    picture = colours(rotation.get(), SIGNED, -0.03, 0.03)
    picture[wall == 1] = (40, 44, 52)
    save_png(options.output, picture)
    print(f"saved {options.output}")


if __name__ == "__main__":
    main()
