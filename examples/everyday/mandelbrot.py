# SPDX-License-Identifier: MIT
"""The Mandelbrot set: after how many steps each point of the plane leaves the circle of radius 2."""

import numpy as np


def main(width=600, height=400, steps=60):
    real = np.linspace(-2.25, 0.75, width)
    imaginary = np.linspace(-1.0, 1.0, height)
    c = real[None, :] + 1j * imaginary[:, None]
    z = np.zeros_like(c)
    count = np.zeros(c.shape, dtype=np.int32)
    for _ in range(steps):
        inside = (z.real**2 + z.imag**2) <= 4.0
        z[inside] = z[inside] ** 2 + c[inside]
        count += inside
    return count


if __name__ == "__main__":
    count = main()
    print(f"{int((count == count.max()).sum())} of {count.size} points stay")
