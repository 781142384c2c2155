# SPDX-License-Identifier: MIT
"""A flight into the Mandelbrot set, as a movie.

Shows a kernel over the pixels whose work-items take very different times, and copies that do not wait: while the host colours a
picture, the device computes the next one.

    python examples/images/mandelbrot_zoom.py --width 640 --frames 120
"""

import argparse
import sys
from pathlib import Path

import numpy as np

import quern as qn

sys.path.append(str(Path(__file__).parents[1]))  # examples/, where pictures.py is
from pictures import WHEEL, colours, save_movie

SOURCE = """
kernel void escape(global float *steps, float centre_x, float centre_y, float scale, int most) {
  const int column = get_global_id(0), row = get_global_id(1);
  const int width = get_global_size(0), height = get_global_size(1);
  const float cx = centre_x + scale * (column - width / 2), cy = centre_y + scale * (row - height / 2);
  float x = 0, y = 0;
  int n = 0;
  while (n < most && x * x + y * y < 64) {
    const float next = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = next;
    n++;
  }
  // Between two whole steps the distance says where; -1 are the points that stay.
  steps[row * width + column] = n < most ? n + 1 - log2(log2(x * x + y * y) / 6) : -1;
}
"""
CENTRE = (-0.743644, 0.131826)


def escape(width, height, scale, most, centre=CENTRE):
    """After how many steps each point leaves, float32 of the shape (height, width); `scale` is the side of a pixel."""
    steps = qn.empty((height, width), "float32")
    qn.Program(SOURCE).escape(None, (width, height), None, steps, *centre, scale, most)
    return steps


def picture(steps):
    shown = colours(np.sqrt(np.maximum(steps, 0)) % 4, WHEEL, 0, 4)
    shown[steps < 0] = 0
    return shown


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--width", type=int, default=320, help="pixels; the height is two thirds of it")
    parser.add_argument("--frames", type=int, default=60)
    parser.add_argument("--most", type=int, default=600, help="steps of a point that does not leave")
    parser.add_argument("--output", type=Path, default=Path("demo-output/mandelbrot_zoom.png"))
    options = parser.parse_args()

    width, height = options.width, options.width * 2 // 3
    # From 3 wide to 1/200 of that: further in, neighbouring pixels would be the same float.
    scales = 3 / width * 200 ** -np.linspace(0, 1, options.frames)
    coming = [escape(width, height, scale, options.most).get_async() for scale in scales]
    frames = [picture(steps.result()) for steps in coming]
    inside = np.mean([np.all(frame == 0, axis=-1).mean() for frame in frames])
    print(f"{qn.current_device()}: {options.frames} pictures, {inside:.1%} of their points stay")

    save_movie(options.output, frames, 60)
    print(f"saved {options.output}")


if __name__ == "__main__":
    main()
