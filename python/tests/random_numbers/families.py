# SPDX-License-Identifier: MIT
"""Distribution functions and probabilities of NumPy's families, by their formulas: the oracle of tests of fit."""

from math import erf, exp, lgamma, log, log1p, pi, sqrt

import numpy as np
from goodness import kolmogorov_smirnov, normal_distribution, upper_gamma


def beta_function(a, b, x):
    """The regularised incomplete beta function, by Lentz's continued fraction."""
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_function(b, a, 1 - x)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    result = d
    for m in range(1, 5000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for factor in (even, odd):
            d, c = 1 / (1 + factor * d), 1 + factor / c
            result *= d * c
        if abs(d * c - 1) < 1e-14:
            break
    return front * result


def of_each(function):
    return lambda x: np.array([function(float(value)) for value in np.ravel(x)])


def chisquare(df):
    return of_each(lambda x: 1 - upper_gamma(df / 2, x / 2))


def f(dfnum, dfden):
    return of_each(lambda x: beta_function(dfnum / 2, dfden / 2, dfnum * x / (dfnum * x + dfden)))


def poisson_weights(rate):
    """Of 0, 1, 2...: as many as matter."""
    k = np.arange(int(rate + 12 * sqrt(rate) + 30))
    return np.exp(k * log(rate) - rate - np.vectorize(lgamma)(k + 1.0))


def noncentral_chisquare(df, nonc):
    weights = poisson_weights(nonc / 2)
    return of_each(
        lambda x: sum(w * (1 - upper_gamma(df / 2 + j, x / 2)) for j, w in enumerate(weights) if w > 1e-9)
    )


def noncentral_f(dfnum, dfden, nonc):
    weights = poisson_weights(nonc / 2)
    return of_each(
        lambda x: sum(
            w * beta_function(dfnum / 2 + j, dfden / 2, dfnum * x / (dfnum * x + dfden))
            for j, w in enumerate(weights)
            if w > 1e-9
        )
    )


def standard_t(df):
    def value(x):
        tail = beta_function(df / 2, 0.5, df / (df + x * x)) / 2
        return 1 - tail if x > 0 else tail

    return of_each(value)


def triangular(left, mode, right):
    def value(x):
        if x < mode:
            return (x - left) ** 2 / ((right - left) * (mode - left))
        return 1 - ((right - x) ** 2 / ((right - left) * (right - mode)) if right > mode else 0)

    return of_each(value)


def vonmises(mu, kappa):
    """Of angles seen from mu, by adding up the density there."""
    width = min(pi, 12 / sqrt(kappa)) if kappa else pi
    grid = np.linspace(-width, width, 200_001)
    density = np.exp(-2 * kappa * np.sin(grid / 2) ** 2)
    sums = np.concatenate([[0], np.cumsum((density[1:] + density[:-1]) / 2)])
    return lambda x: np.interp(x, grid, sums / sums[-1])


def wald(mean, scale):
    """Where exp(2 scale / mean) would be too large, with the normal tail's own formula."""

    def value(x):
        root = sqrt(scale / x)
        first = float(normal_distribution(root * (x / mean - 1)))
        z = root * (x / mean + 1)
        if z < 30:
            return first + exp(2 * scale / mean + log(max(0.5 * (1 - erf(z / sqrt(2))), 1e-300)))
        return first + exp(2 * scale / mean - z * z / 2) / (z * sqrt(2 * pi))

    return of_each(value)


# The distribution function of each family, given its parameters.
REALS = {
    "beta": lambda a, b: of_each(lambda x: beta_function(a, b, x)),
    "chisquare": chisquare,
    "f": f,
    "gumbel": lambda loc, scale: lambda x: np.exp(-np.exp(-(x - loc) / scale)),
    "laplace": lambda loc, scale: (
        lambda x: np.where(
            x < loc, np.exp(-np.abs(x - loc) / scale) / 2, 1 - np.exp(-np.abs(x - loc) / scale) / 2
        )
    ),
    "logistic": lambda loc, scale: lambda x: 1 / (1 + np.exp(-(x - loc) / scale)),
    "noncentral_chisquare": noncentral_chisquare,
    "noncentral_f": noncentral_f,
    "pareto": lambda a: lambda x: 1 - (1 + x) ** -a,
    "power": lambda a: lambda x: x**a,
    "rayleigh": lambda scale: lambda x: -np.expm1(-((x / scale) ** 2) / 2),
    "standard_cauchy": lambda: lambda x: 0.5 + np.arctan(x) / pi,
    "standard_t": standard_t,
    "triangular": triangular,
    "vonmises": vonmises,
    "wald": wald,
    "weibull": lambda a: lambda x: -np.expm1(-(x**a)),
}


def fit(name, parameters, values):
    """The probability of a larger distance between real numbers and their distribution."""
    if name == "vonmises":
        values = np.angle(np.exp(1j * (values - parameters[0])))
    return kolmogorov_smirnov(values, REALS[name](*parameters))


def zeta(a):
    """Of a > 1: a sum, and its rest by Euler and Maclaurin."""
    n = 100
    rest = n ** (1 - a) / (a - 1) - n**-a / 2 + a * n ** (-a - 1) / 12
    return sum(k**-a for k in range(1, n + 1)) + rest


def log_choose(n, k):
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def hypergeometric(ngood, nbad, nsample):
    def value(k):
        if k > ngood or nsample - k > nbad or k > nsample:
            return 0.0
        return exp(log_choose(ngood, k) + log_choose(nbad, nsample - k) - log_choose(ngood + nbad, nsample))

    return value


# The probability of each count, given the parameters.
COUNTS = {
    "geometric": lambda p: lambda k: p * exp((k - 1) * log1p(-p)) if k else 0.0,
    "hypergeometric": hypergeometric,
    "logseries": lambda p: lambda k: -exp(k * log(p)) / (k * log1p(-p)) if k else 0.0,
    "negative_binomial": lambda n, p: (
        lambda k: exp(lgamma(n + k) - lgamma(k + 1) - lgamma(n) + n * log(p) + k * log1p(-p))
    ),
    "zipf": lambda a: lambda k: k**-a / zeta(a) if k else 0.0,
}


def cells(name, parameters, values, most=3000):
    """How often each count is among the values, and its probability; all above the first ones are one cell."""
    probability = COUNTS[name](*parameters)
    probabilities = [probability(k) for k in range(most)]
    counts = np.bincount(np.minimum(values, most), minlength=most + 1)
    return counts, np.append(probabilities, max(0.0, 1 - sum(probabilities)))
