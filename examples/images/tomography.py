# SPDX-License-Identifier: MIT
"""Computed tomography: a slice of a body from its X-ray shadows, by filtered back-projection.

Shows Fourier transforms of all shadows at once, and a kernel in which every pixel gathers what the rays through it have seen.
The body is made of ellipses, whose shadows have a formula. The picture has the body, the shadows and the reconstruction.

    python examples/images/tomography.py --size 512 --angles 720
"""

import argparse
import sys
from pathlib import Path

import numpy as np

import quern as qn

sys.path.append(str(Path(__file__).parents[1]))  # examples/, where pictures.py is
from pictures import save_png

SOURCE = """
kernel void back_project(global const float *shadows, global const float2 *directions, int angles, global float *image) {
  const int column = get_global_id(0), row = get_global_id(1), size = get_global_size(0);
  const float middle = 0.5f * (size - 1), x = column - middle, y = middle - row;
  float sum = 0;
  for (int k = 0; k < angles; k++) {
    const float at = x * directions[k].x + y * directions[k].y + middle;  // where the ray meets the detector
    const int left = (int)floor(at);
    if (left >= 0 && left + 1 < size) {
      const float part = at - left;
      sum += (1 - part) * shadows[k * size + left] + part * shadows[k * size + left + 1];
    }
  }
  image[row * size + column] = sum;
}
"""

# Density, centre x and y, half axes, angle: a head with two cavities and some small things, within the unit circle.
BODY = [
    (1.0, 0.0, 0.0, 0.66, 0.88, 0.0),
    (-0.7, 0.0, -0.01, 0.61, 0.83, 0.0),
    (-0.25, 0.24, 0.05, 0.12, 0.32, -0.3),
    (-0.25, -0.24, 0.05, 0.16, 0.40, 0.3),
    (0.25, 0.0, 0.40, 0.22, 0.18, 0.0),
    (0.4, -0.10, -0.50, 0.05, 0.05, 0.0),
    (0.4, 0.12, -0.55, 0.07, 0.04, 0.7),
]


def body(size):
    """The densities that the reconstruction should find."""
    axis = (np.arange(size) - (size - 1) / 2) / (size / 2)
    x, y = np.meshgrid(axis, -axis)
    image = np.zeros((size, size), np.float32)
    for density, cx, cy, a, b, turn in BODY:
        along = (x - cx) * np.cos(turn) + (y - cy) * np.sin(turn)
        across = (y - cy) * np.cos(turn) - (x - cx) * np.sin(turn)
        image[(along / a) ** 2 + (across / b) ** 2 <= 1] += density
    return image


def shadows(size, angles):
    """How much the body absorbs along each ray: one row of detector cells for each angle."""
    theta = np.pi * np.arange(angles)[:, None] / angles
    s = (np.arange(size) - (size - 1) / 2) / (size / 2)
    total = np.zeros((angles, size))
    for density, cx, cy, a, b, turn in BODY:
        reach = (a * np.cos(theta - turn)) ** 2 + (b * np.sin(theta - turn)) ** 2
        away = s - cx * np.cos(theta) - cy * np.sin(theta)
        total += 2 * density * a * b / reach * np.sqrt(np.maximum(reach - away**2, 0))
    return (total * size / 2).astype(np.float32)


def reconstruct(rays):
    """The densities from the shadows: a ramp filter along each row, then the back-projection."""
    angles, size = rays.shape
    rays = qn.asarray(rays)
    # The exact filter of band-limited shadows (Ramachandran and Lakshminarayanan), which starts as a row of numbers.
    place = np.fft.fftfreq(2 * size, 1 / (2 * size))
    odd = place % 2 == 1
    ramp = np.where(odd, -1 / (np.pi * np.where(odd, place, 1)) ** 2, np.where(place == 0, 0.25, 0))
    ramp = qn.fft.rfft(qn.asarray(ramp.astype(np.float32)))
    filtered = qn.fft.irfft(qn.fft.rfft(rays, 2 * size, axis=1) * ramp, 2 * size, axis=1)[:, :size]
    theta = np.pi * np.arange(angles) / angles
    directions = qn.asarray(np.stack([np.cos(theta), np.sin(theta)], axis=1).astype(np.float32))
    image = qn.empty((size, size), "float32")
    kernel = qn.Program(SOURCE).back_project
    kernel(None, (size, size), None, qn.ascontiguousarray(filtered), directions, angles, image)
    return image * (np.pi / angles)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--size", type=int, default=256, help="pixels along each side, and cells of the detector"
    )
    parser.add_argument("--angles", type=int, default=360)
    parser.add_argument("--output", type=Path, default=Path("demo-output/tomography.png"))
    options = parser.parse_args()

    rays, expected = shadows(options.size, options.angles), body(options.size)
    image = reconstruct(rays).get()
    error = np.sqrt(np.mean((image - expected) ** 2))
    print(f"{qn.current_device()}: {options.angles} angles, error {error:.3f} of densities from 0 to 1")
    assert error < 0.1

    middle = rays[np.linspace(0, options.angles - 1, options.size).astype(int)] / rays.max()
    panels = np.concatenate([expected, middle, image], axis=1)
    save_png(options.output, (np.clip(panels, 0, 1) * 255).astype(np.uint8))
    print(f"saved {options.output}")


if __name__ == "__main__":
    main()
