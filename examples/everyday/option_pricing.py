# SPDX-License-Identifier: MIT
"""The price of a European and of an Asian call option by Monte Carlo, beside Black and Scholes' formula."""

from math import erf, exp, log, sqrt

import numpy as np


def exact(spot, strike, rate, volatility, years):
    """Black and Scholes: the price of the European call."""
    spread = volatility * sqrt(years)
    d = (log(spot / strike) + (rate + volatility**2 / 2) * years) / spread
    below = lambda x: (1 + erf(x / sqrt(2))) / 2  # noqa: E731
    return spot * below(d) - strike * exp(-rate * years) * below(d - spread)


def main(paths=50_000, steps=64, spot=100.0, strike=105.0, rate=0.03, volatility=0.2, years=1.0):
    """Both prices, each with its standard error."""
    rng = np.random.default_rng(7)
    dt = years / steps
    moves = (rate - volatility**2 / 2) * dt + volatility * sqrt(dt) * rng.standard_normal((paths, steps))
    prices = spot * np.exp(np.cumsum(moves, axis=1))
    results = []
    for final in (prices[:, -1], prices.mean(axis=1)):
        payoff = exp(-rate * years) * np.maximum(final - strike, 0.0)
        results.append((float(payoff.mean()), float(payoff.std()) / sqrt(paths)))
    return results


if __name__ == "__main__":
    for name, (price, error) in zip(("European", "Asian"), main(), strict=True):
        print(f"{name} call {price:.4f} +- {error:.4f}")
    print(f"Black and Scholes {exact(100.0, 105.0, 0.03, 0.2, 1.0):.4f}")
