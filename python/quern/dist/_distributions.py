# SPDX-License-Identifier: MIT
"""Distributions of distributed random numbers: the methods of numpy.random.Generator that take numbers as parameters."""

from __future__ import annotations

from typing import Any

from ._array import Array
from ._layouts import LayoutLike

Number = float


class Distributions:
    """Methods of Generator. Parameters are numbers; `size` is the shape of the whole array, and `layout` that of zeros().

    lognormal is missing: its exp() may round differently in blocks of different shapes.
    """

    def _draw(self, method: str, size: Any, layout: LayoutLike, *args: Any, **kwargs: Any) -> Array:
        raise NotImplementedError

    def beta(self, a: Number, b: Number, size: Any = None, *, layout: LayoutLike = None) -> Array:
        """Draw numbers from the beta distribution."""
        return self._draw("beta", size, layout, a, b)

    def binomial(self, n: Number, p: Number, size: Any = None, *, layout: LayoutLike = None) -> Array:
        """Draw integers of successes among n trials of probability p."""
        return self._draw("binomial", size, layout, n, p)

    def chisquare(self, df: Number, size: Any = None, *, layout: LayoutLike = None) -> Array:
        """Draw numbers from the chi-square distribution."""
        return self._draw("chisquare", size, layout, df)

    def f(self, dfnum: Number, dfden: Number, size: Any = None, *, layout: LayoutLike = None) -> Array:
        """Draw numbers from the F distribution."""
        return self._draw("f", size, layout, dfnum, dfden)

    def gamma(
        self, shape: Number, scale: Number = 1.0, size: Any = None, *, layout: LayoutLike = None
    ) -> Array:
        """Draw numbers from the gamma distribution."""
        return self._draw("gamma", size, layout, shape, scale)

    def geometric(self, p: Number, size: Any = None, *, layout: LayoutLike = None) -> Array:
        """Draw integers of trials until the first success of probability p."""
        return self._draw("geometric", size, layout, p)

    def gumbel(
        self, loc: Number = 0.0, scale: Number = 1.0, size: Any = None, *, layout: LayoutLike = None
    ) -> Array:
        """Draw numbers from the Gumbel distribution."""
        return self._draw("gumbel", size, layout, loc, scale)

    def hypergeometric(
        self, ngood: Number, nbad: Number, nsample: Number, size: Any = None, *, layout: LayoutLike = None
    ) -> Array:
        """Draw integers of good ones among nsample of ngood + nbad."""
        return self._draw("hypergeometric", size, layout, ngood, nbad, nsample)

    def laplace(
        self, loc: Number = 0.0, scale: Number = 1.0, size: Any = None, *, layout: LayoutLike = None
    ) -> Array:
        """Draw numbers from the Laplace distribution."""
        return self._draw("laplace", size, layout, loc, scale)

    def logistic(
        self, loc: Number = 0.0, scale: Number = 1.0, size: Any = None, *, layout: LayoutLike = None
    ) -> Array:
        """Draw numbers from the logistic distribution."""
        return self._draw("logistic", size, layout, loc, scale)

    def logseries(self, p: Number, size: Any = None, *, layout: LayoutLike = None) -> Array:
        """Draw integers from the logarithmic series distribution."""
        return self._draw("logseries", size, layout, p)

    def negative_binomial(
        self, n: Number, p: Number, size: Any = None, *, layout: LayoutLike = None
    ) -> Array:
        """Draw integers of failures before n successes of probability p."""
        return self._draw("negative_binomial", size, layout, n, p)

    def noncentral_chisquare(
        self, df: Number, nonc: Number, size: Any = None, *, layout: LayoutLike = None
    ) -> Array:
        """Draw numbers from the noncentral chi-square distribution."""
        return self._draw("noncentral_chisquare", size, layout, df, nonc)

    def pareto(self, a: Number, size: Any = None, *, layout: LayoutLike = None) -> Array:
        """Draw numbers from the Pareto II (Lomax) distribution."""
        return self._draw("pareto", size, layout, a)

    def poisson(self, lam: Number = 1.0, size: Any = None, *, layout: LayoutLike = None) -> Array:
        """Draw integers of events, by the Poisson distribution."""
        return self._draw("poisson", size, layout, lam)

    def power(self, a: Number, size: Any = None, *, layout: LayoutLike = None) -> Array:
        """Draw numbers in [0, 1) with density a x^(a - 1)."""
        return self._draw("power", size, layout, a)

    def rayleigh(self, scale: Number = 1.0, size: Any = None, *, layout: LayoutLike = None) -> Array:
        """Draw numbers from the Rayleigh distribution."""
        return self._draw("rayleigh", size, layout, scale)

    def standard_cauchy(self, size: Any = None, *, layout: LayoutLike = None) -> Array:
        """Draw numbers from the standard Cauchy distribution."""
        return self._draw("standard_cauchy", size, layout)

    def standard_exponential(self, size: Any = None, *, layout: LayoutLike = None) -> Array:
        """Draw numbers from the exponential distribution with mean 1."""
        return self._draw("standard_exponential", size, layout)

    def standard_gamma(self, shape: Number, size: Any = None, *, layout: LayoutLike = None) -> Array:
        """Draw numbers from the gamma distribution with scale 1."""
        return self._draw("standard_gamma", size, layout, shape)

    def standard_t(self, df: Number, size: Any = None, *, layout: LayoutLike = None) -> Array:
        """Draw numbers from Student's t distribution."""
        return self._draw("standard_t", size, layout, df)

    def triangular(
        self, left: Number, mode: Number, right: Number, size: Any = None, *, layout: LayoutLike = None
    ) -> Array:
        """Draw numbers from the triangular distribution."""
        return self._draw("triangular", size, layout, left, mode, right)

    def vonmises(self, mu: Number, kappa: Number, size: Any = None, *, layout: LayoutLike = None) -> Array:
        """Draw numbers on the circle, from the von Mises distribution."""
        return self._draw("vonmises", size, layout, mu, kappa)

    def wald(self, mean: Number, scale: Number, size: Any = None, *, layout: LayoutLike = None) -> Array:
        """Draw numbers from the Wald (inverse Gaussian) distribution."""
        return self._draw("wald", size, layout, mean, scale)

    def weibull(self, a: Number, size: Any = None, *, layout: LayoutLike = None) -> Array:
        """Draw numbers from the Weibull distribution."""
        return self._draw("weibull", size, layout, a)

    def zipf(self, a: Number, size: Any = None, *, layout: LayoutLike = None) -> Array:
        """Draw integers from the Zipf distribution."""
        return self._draw("zipf", size, layout, a)
