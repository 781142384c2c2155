# SPDX-License-Identifier: MIT
"""Two galaxies pass each other: every star attracts every other one.

Shows a kernel on vectors of four floats, arrays that take turns as input and output, and a movie whose frames are
histograms, made on the device.

    python examples/science/nbody.py --stars 4000 --frames 120
"""

import argparse
import sys
from pathlib import Path

import numpy as np

import quern as qn

sys.path.append(str(Path(__file__).parents[1]))  # examples/, where pictures.py is
from pictures import FIRE, colours, save_movie

SOURCE = """
// One step of one star. x, y and z of a position are its place, w is its mass.
kernel void step(global const float4 *position, global float4 *velocity, global float4 *moved, int n, float dt) {
  const int i = get_global_id(0);
  const float4 p = position[i];
  float3 force = (float3)(0, 0, 0);
  for (int j = 0; j < n; j++) {
    const float4 q = position[j];
    const float3 d = q.xyz - p.xyz;
    const float r2 = dot(d, d) + 0.01f;  // softened: stars that nearly meet do not fly apart
    const float inverse = 1 / sqrt(r2);
    force += d * (q.w * inverse * inverse * inverse);
  }
  const float3 v = velocity[i].xyz + force * dt;
  velocity[i] = (float4)(v, 0);
  moved[i] = (float4)(p.xyz + v * dt, p.w);
}
"""


def galaxy(stars, centre, drift, tilt, rng):
    """Stars on circles around a heavy core, which holds most of the mass."""
    radius = 0.25 + 0.9 * np.sqrt(rng.random(stars))
    angle = 2 * np.pi * rng.random(stars)
    speed = np.sqrt(radius**2 / (radius**2 + 0.01) ** 1.5)  # of a circle around the core
    place = np.stack([radius * np.cos(angle), radius * np.sin(angle), np.zeros(stars)], axis=1)
    velocity = np.stack([-speed * np.sin(angle), speed * np.cos(angle), np.zeros(stars)], axis=1)
    place[0], velocity[0] = 0, 0
    turn = np.array([[1, 0, 0], [0, np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), np.cos(tilt)]])
    mass = np.full((stars, 1), 0.1 / stars)
    mass[0] = 1
    place = np.concatenate([place @ turn.T + centre, mass], axis=1)
    velocity = np.concatenate([velocity @ turn.T + drift, np.zeros((stars, 1))], axis=1)
    return place, velocity


def two_galaxies(stars, seed=3):
    """Positions and velocities, float32 of the shape (stars, 4)."""
    rng = np.random.default_rng(seed)
    left = galaxy(stars // 2, (-1.3, -0.6, 0), (0.35, 0.05, 0), 0.5, rng)
    right = galaxy(stars - stars // 2, (1.3, 0.6, 0), (-0.35, -0.05, 0), -0.9, rng)
    return tuple(np.concatenate(parts).astype(np.float32) for parts in zip(left, right, strict=True))


def advance(kernel, position, velocity, spare, steps, dt):
    """Moves the stars; returns the arrays in their new roles."""
    for _ in range(steps):
        kernel(None, len(position), None, position, velocity, spare, len(position), dt)
        position, spare = spare, position
    return position, spare


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--stars", type=int, default=3000)
    parser.add_argument("--frames", type=int, default=90)
    parser.add_argument("--steps", type=int, default=8, help="steps between two frames")
    parser.add_argument("--size", type=int, default=300, help="pixels along each side")
    parser.add_argument("--output", type=Path, default=Path("demo-output/nbody.png"))
    options = parser.parse_args()

    kernel = qn.Program(SOURCE).step
    position, velocity = (qn.asarray(part) for part in two_galaxies(options.stars))
    before = (position[:, 3:] * velocity).sum(axis=0).get()
    spare, frames = qn.empty_like(position), []
    for _ in range(options.frames):
        x, y = position[:, 0], position[:, 1]
        density, _, _ = qn.histogram2d(-y, x, bins=options.size, range=[[-2.8, 2.8], [-2.8, 2.8]])
        frames.append(colours(np.log1p(density.get()), FIRE, 0, 1.6))
        position, spare = advance(kernel, position, velocity, spare, options.steps, 0.008)
    after = (position[:, 3:] * velocity).sum(axis=0).get()
    pairs = options.stars**2 * options.frames * options.steps
    print(
        f"{position.device}: {pairs / 1e9:.1f} billion pairs; momentum changed by {abs(after - before).max():.1e}"
    )
    assert abs(after - before).max() < 1e-3, "every force has its opposite"

    save_movie(options.output, frames)
    print(f"saved {options.output}")


if __name__ == "__main__":
    main()
