# SPDX-License-Identifier: MIT
"""Ising's model of a magnet at three temperatures: below, at and above the one where the order is lost.

Shows random numbers that are drawn inside of the kernel that uses them: no line of the loop stores them. All three
temperatures are one array. Its spins are flipped by Metropolis' rule, the black and the white cells of a chessboard in turns.

    python examples/science/ising.py --size 512 --sweeps 3000
"""

import argparse
import sys
from pathlib import Path

import numpy as np

import quern as qn

sys.path.append(str(Path(__file__).parents[1]))  # examples/, where pictures.py is
from pictures import save_png

CRITICAL = 2 / np.log(1 + np.sqrt(2))  # Onsager's temperature


def around(spins):
    """The sums of the four neighbours; the plane is closed like a torus."""
    return qn.roll(spins, 1, -1) + qn.roll(spins, -1, -1) + qn.roll(spins, 1, -2) + qn.roll(spins, -1, -2)


def simulate(temperatures, size, sweeps, seed=1):
    """The spins, float32 of the shape (temperatures, size, size), after some sweeps from full order."""
    rng = qn.random.default_rng(seed)
    beta = qn.asarray(1 / np.asarray(temperatures, np.float32))[:, None, None]
    y, x = np.mgrid[:size, :size]
    colour = [qn.asarray((x + y) % 2 == parity) for parity in (0, 1)]
    spins = qn.ones((len(temperatures), size, size), dtype="float32")
    for _ in range(sweeps):
        for cells in colour:
            cost = 2 * spins * around(spins)  # of flipping a spin
            flips = cells & (rng.random(spins.shape, dtype="float32") < qn.exp(-beta * cost))
            spins = qn.where(flips, -spins, spins)
        qn.eval(spins)
    return spins


def energy(spins):
    """Of a spin, the mean at each temperature; every pair counts once."""
    return -qn.mean(spins * around(spins), axis=(1, 2)) / 2


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--size", type=int, default=256, help="spins along each side")
    parser.add_argument("--sweeps", type=int, default=1000)
    parser.add_argument("--output", type=Path, default=Path("demo-output/ising.png"))
    options = parser.parse_args()

    temperatures = [0.9 * CRITICAL, CRITICAL, 1.3 * CRITICAL]
    spins = simulate(temperatures, options.size, options.sweeps)
    magnetisation, energies = qn.mean(spins, axis=(1, 2)).get(), energy(spins).get()
    for row in zip(temperatures, magnetisation, energies, strict=True):
        print("temperature {:.3f}: magnetisation {:+.3f}, energy of a spin {:.3f}".format(*row))
    assert magnetisation[0] > 0.5 > abs(magnetisation[2]), "order below the critical temperature only"

    panels = np.where(spins.get() > 0, 235, 30).astype(np.uint8)
    save_png(options.output, np.concatenate(list(panels), axis=1))
    print(f"saved {options.output}")


if __name__ == "__main__":
    main()
