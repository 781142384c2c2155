# SPDX-License-Identifier: MIT
"""What an option is worth: many random courses of a share's price, beside the exact formulas.

Shows random numbers, reductions that are fused with what they add up, and histograms. The European call pays by the last price,
the Asian one by the (geometric) mean of all prices; both have formulas to compare with.

    python examples/science/option_pricing.py --paths 1000000
"""

import argparse
import sys
from math import erf, exp, log, sqrt
from pathlib import Path

import numpy as np

import quern as qn

sys.path.append(str(Path(__file__).parents[1]))  # examples/, where pictures.py is
from pictures import FIRE, colours, save_png

SPOT, STRIKE, RATE, VOLATILITY, YEARS = 100.0, 105.0, 0.03, 0.25, 1.0


def call(mean, deviation):
    """The discounted mean of max(price - strike, 0), if the price's logarithm is normal: Black and Scholes' formula."""
    d = (mean - log(STRIKE)) / deviation
    below = lambda x: (1 + erf(x / sqrt(2))) / 2  # noqa: E731
    return exp(-RATE * YEARS) * (exp(mean + deviation**2 / 2) * below(d + deviation) - STRIKE * below(d))


def exact(steps):
    """The prices of both options."""
    drift, dt = RATE - VOLATILITY**2 / 2, YEARS / steps
    european = call(log(SPOT) + drift * YEARS, VOLATILITY * sqrt(YEARS))
    # The mean of the logarithms: step j of n moves the n - j + 1 prices from j on.
    shares = np.arange(1, steps + 1)[::-1] / steps
    asian = call(log(SPOT) + drift * dt * shares.sum(), VOLATILITY * sqrt(dt * (shares**2).sum()))
    return european, asian


def simulate(paths, steps, seed=7, levels=200):
    """Both prices with their standard errors, and how many courses pass each level of price at each time."""
    rng = qn.random.default_rng(seed)
    dt = YEARS / steps
    price = qn.zeros(paths, dtype="float32")  # logarithms
    total, passed = qn.zeros(paths, dtype="float32"), []
    for _ in range(steps):
        price += (RATE - VOLATILITY**2 / 2) * dt + VOLATILITY * sqrt(dt) * rng.normal(
            size=paths, dtype="float32"
        )
        total += price
        passed.append(qn.histogram(SPOT * qn.exp(price), bins=levels, range=(40, 200))[0])
    results = []
    for logarithm in (price, total / steps):
        payoff = exp(-RATE * YEARS) * qn.maximum(SPOT * qn.exp(logarithm) - STRIKE, 0)
        results.append((float(qn.mean(payoff)), float(qn.std(payoff)) / sqrt(paths)))
    return results, qn.stack(passed, axis=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--paths", type=int, default=100_000)
    parser.add_argument("--steps", type=int, default=250, help="days of trade")
    parser.add_argument("--output", type=Path, default=Path("demo-output/option_pricing.png"))
    options = parser.parse_args()

    results, passed = simulate(options.paths, options.steps)
    formulas = exact(options.steps)
    print(f"{passed.device}: {options.paths:,} courses of {options.steps} steps")
    for name, (price, error), formula in zip(("European", "Asian"), results, formulas, strict=True):
        print(f"  {name:9}{price:8.4f} +- {error:.4f}; the formula gives {formula:.4f}")
        assert abs(price - formula) < 5 * error

    picture = colours(
        np.sqrt(passed.get()[::-1]), FIRE, 0, 0.2 * np.sqrt(options.paths)
    )  # high prices on top
    strike = round((1 - (STRIKE - 40) / 160) * len(picture))
    picture[strike] = (120, 200, 255)
    save_png(options.output, np.repeat(picture, 2, axis=1))
    print(f"saved {options.output}")


if __name__ == "__main__":
    main()
