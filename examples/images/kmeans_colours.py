# SPDX-License-Identifier: MIT
"""A picture with eight colours: k-means finds the colours that represent all others best.

Shows broadcasting, argmin and weighted counts. The distances of all pixels to all centres are an expression; only the index of
the nearest centre is stored.

    python examples/images/kmeans_colours.py --clusters 6
"""

import argparse
import sys
from pathlib import Path

import numpy as np

import quern as qn

sys.path.append(str(Path(__file__).parents[1]))  # examples/, where pictures.py is
from pictures import save_png


def landscape(height, width):
    """A sunset over hills, by formulas: float32 of the shape (height, width, 3), from 0 to 255."""
    y, x = np.mgrid[:height, :width]
    y, x = y / height, x / width
    sky = np.stack([90 + 165 * y, 50 + 120 * y**1.5, 110 - 30 * y], axis=-1)
    sun = np.exp(-((x - 0.65) ** 2 * (width / height) ** 2 + (y - 0.5) ** 2) / 0.012)[..., None]
    picture = sky * (1 - sun) + np.array([255, 240, 170]) * sun
    for level, height_of_hill, colour in (
        (0.62, 0.06, (96, 60, 92)),
        (0.72, 0.07, (52, 48, 72)),
        (0.85, 0.05, (18, 26, 34)),
    ):
        ridge = level + height_of_hill * (np.sin(9 * x + 20 * level) + 0.4 * np.sin(31 * x + 7 * level))
        shade = 1 + 0.5 * (y - ridge)[..., None]
        picture = np.where((y > ridge)[..., None], np.array(colour) * shade, picture)
    grain = np.random.default_rng(4).normal(0, 4, picture.shape)
    return np.clip(picture + grain, 0, 255).astype(np.float32)


def nearest(pixels, centres):
    """For each pixel the index of the nearest centre."""
    return qn.sum((pixels[:, None, :] - centres[None, :, :]) ** 2, axis=2).argmin(axis=1)


def kmeans(pixels, clusters, steps):
    """Lloyd's iteration: each pixel to its nearest centre, each centre to the mean of its pixels."""
    brightness = qn.argsort(qn.sum(pixels, axis=1))
    chosen = np.linspace(0, len(pixels) - 1, clusters).astype(int)  # from the darkest to the brightest
    centres = pixels[brightness[qn.asarray(chosen)]]
    for _ in range(steps):
        index = nearest(pixels, centres)
        count = qn.bincount(index, minlength=clusters)
        sums = [qn.bincount(index, weights=pixels[:, c], minlength=clusters) for c in range(3)]
        means = qn.stack(sums, axis=1) / qn.maximum(count, 1)[:, None]
        centres = qn.where((count > 0)[:, None], means, centres).astype("float32")
    return centres, nearest(pixels, centres)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--size", type=int, default=240, help="height of the picture")
    parser.add_argument("--clusters", type=int, default=8)
    parser.add_argument("--steps", type=int, default=15)
    parser.add_argument("--output", type=Path, default=Path("demo-output/kmeans_colours.png"))
    options = parser.parse_args()

    original = landscape(options.size, options.size * 3 // 2)
    pixels = qn.asarray(original.reshape(-1, 3))
    centres, index = kmeans(pixels, options.clusters, options.steps)
    reduced = centres[index]
    error = float(qn.sqrt(qn.mean((reduced - pixels) ** 2)))
    print(
        f"{pixels.device}: {len(pixels):,} pixels, {options.clusters} colours, mean error {error:.2f} of 255"
    )
    print(np.round(centres.get()).astype(int))

    both = [original, reduced.get().reshape(original.shape)]
    save_png(options.output, np.concatenate(both, axis=1).round().astype(np.uint8))
    print(f"saved {options.output}")


if __name__ == "__main__":
    main()
