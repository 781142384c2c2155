# SPDX-License-Identifier: MIT
"""Tests of fit. Seeds are fixed where these are used, so a test passes always or never."""

from math import erf, exp, lgamma, log, sqrt

import numpy as np


def kolmogorov_smirnov(sample, distribution):
    """The probability of a larger distance between the sample and a distribution function."""
    values = np.sort(np.asarray(sample, np.float64).ravel())
    n = values.size
    expected = distribution(values)
    above = (np.arange(1, n + 1) / n - expected).max()
    below = (expected - np.arange(n) / n).max()
    scaled = (sqrt(n) + 0.12 + 0.11 / sqrt(n)) * max(above, below)
    return min(1.0, 2 * sum((-1) ** (j - 1) * exp(-2 * (j * scaled) ** 2) for j in range(1, 101)))


def chi_square(counts, probabilities):
    """The probability of a larger deviation of counts; cells that expect fewer than 8 are put together."""
    counts, probabilities = np.asarray(counts, np.float64), np.asarray(probabilities, np.float64)
    expected = probabilities * counts.sum()
    rare = expected < 8
    if rare.any():
        counts = np.append(counts[~rare], counts[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
        if expected[-1] < 1:  # what hardly happens at all
            assert counts[-1] <= 5
            counts, expected = counts[:-1], expected[:-1]
    statistic = ((counts - expected) ** 2 / expected).sum()
    return upper_gamma((counts.size - 1) / 2, statistic / 2)


def upper_gamma(a, x):
    """The regularised upper incomplete gamma function."""
    if x <= 0:
        return 1.0
    if x < a + 1:  # by the series of the lower one
        term = total = 1 / a
        k = a
        while abs(term) > abs(total) * 1e-15:
            k += 1
            term *= x / k
            total += term
        return 1 - total * exp(-x + a * log(x) - lgamma(a))
    b, c = x + 1 - a, 1e300  # by a continued fraction
    d = 1 / b
    result = d
    for i in range(1, 10000):
        factor = -i * (i - a)
        b += 2
        d = 1 / (factor * d + b)
        c = b + factor / c
        result *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return exp(-x + a * log(x) - lgamma(a)) * result


def normal_distribution(x):
    return 0.5 * (1 + np.vectorize(erf)(np.asarray(x) / sqrt(2)))


def gamma_distribution(shape):
    return lambda x: 1 - np.vectorize(lambda value: upper_gamma(shape, value))(x)


def poisson_probabilities(rate, count):
    k = np.arange(count)
    return np.exp(k * log(rate) - rate - np.vectorize(lgamma)(k + 1.0))


def binomial_probabilities(n, p):
    k = np.arange(n + 1)
    choose = lgamma(n + 1) - np.vectorize(lgamma)(k + 1.0) - np.vectorize(lgamma)(n - k + 1.0)
    return np.exp(choose + k * log(p) + (n - k) * log(1 - p))
