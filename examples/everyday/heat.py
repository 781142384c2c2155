# SPDX-License-Identifier: MIT
"""The heat equation on a plate with a hot edge, by finite differences on slices."""

import numpy as np


def main(size=512, steps=200, diffusion=0.2):
    plate = np.zeros((size, size))
    plate[0, :] = 100.0
    plate[:, 0] = np.linspace(100.0, 0.0, size)
    for _ in range(steps):
        middle = plate[1:-1, 1:-1]
        around = plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:]
        plate[1:-1, 1:-1] = middle + diffusion * (around - 4 * middle)
    return plate


if __name__ == "__main__":
    plate = main()
    print(f"mean {float(plate.mean()):.6f}, next to the corner {float(plate[1, 1]):.6f}")
