# SPDX-License-Identifier: MIT
"""Heat spreads over a plate: a NumPy program whose arrays are on the device.

Shows arrays that follow NumPy. The function `spread` is NumPy's text; it takes NumPy's arrays, too, and that is how the
program checks itself. Each line of the loop runs as one kernel.

    python examples/first_steps/heat.py --size 400 --steps 1500
"""

import argparse
import sys
from pathlib import Path

import numpy as np

import quern as qn

sys.path.append(str(Path(__file__).parents[1]))  # examples/, where pictures.py is
from pictures import colours, save_png


def cold_plate(size):
    """A plate at 0 degrees with a hot edge on top and two warm squares inside."""
    plate = np.zeros((size, size), np.float32)
    plate[0, :] = 100
    plate[size // 2 : size // 2 + size // 5, size // 5 : 2 * size // 5] = 70
    plate[2 * size // 5 : 4 * size // 5, 3 * size // 5 : 7 * size // 10] = 90
    return plate


def spread(plate, steps, diffusion=0.2):
    for _ in range(steps):
        middle = plate[1:-1, 1:-1]
        around = plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:]
        plate[1:-1, 1:-1] = middle + diffusion * (around - 4 * middle)
    return plate


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--size", type=int, default=300, help="points along each side")
    parser.add_argument("--steps", type=int, default=800)
    parser.add_argument("--output", type=Path, default=Path("demo-output/heat.png"))
    options = parser.parse_args()

    plate = spread(qn.asarray(cold_plate(options.size)), options.steps)
    print(f"{plate.device}: mean temperature {float(plate.mean()):.3f}")

    expected = spread(cold_plate(options.size), 20)
    np.testing.assert_allclose(spread(qn.asarray(cold_plate(options.size)), 20).get(), expected, atol=1e-3)
    print("20 steps checked against NumPy")

    save_png(options.output, colours(plate.get(), low=0, high=100))
    print(f"saved {options.output}")


if __name__ == "__main__":
    main()
