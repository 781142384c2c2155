# SPDX-License-Identifier: MIT
"""Further distributions of real numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._arguments import Number, Options, Size
from ._draws import Draws

if TYPE_CHECKING:
    from typing_extensions import Unpack


class FurtherDistributions(Draws):
    """Distributions of real numbers that are made of uniform, normal and gamma numbers."""

    def beta(
        self,
        a: Number,
        b: Number,
        size: Size = None,
        **options: Unpack[Options],
    ) -> Any:
        """Beta numbers, which lie between 0 and 1.

        Parameters
        ----------
        a, b : float or array_like
            The shapes, above 0. They may be as small as the dtype allows.
        size : int or tuple of ints, optional
            Shape of the result; without it, what the parameters broadcast to.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`, as Generator explains them.

        Returns
        -------
        Array or float
            The numbers; one Python number without `size` where all parameters are numbers.

        Examples
        --------
        >>> rng = qn.random.default_rng(7)
        >>> x = rng.beta(2, 3, size=100)
        >>> bool(((x >= 0) & (x <= 1)).all())
        True
        """
        return self._draw("beta", (a, b), size, **options)

    def chisquare(
        self,
        df: Number,
        size: Size = None,
        **options: Unpack[Options],
    ) -> Any:
        """Chi-square numbers: sums of `df` squares of normal numbers.

        Parameters
        ----------
        df : float or array_like
            The degrees of freedom, above 0.
        size : int or tuple of ints, optional
            Shape of the result; without it, what the parameters broadcast to.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`, as Generator explains them.

        Returns
        -------
        Array or float
            The numbers; one Python number without `size` where all parameters are numbers.

        Examples
        --------
        >>> rng = qn.random.default_rng(7)
        >>> x = rng.chisquare(3, size=100)
        >>> bool((x > 0).all())
        True
        """
        return self._draw("chisquare", (df,), size, **options)

    def f(
        self,
        dfnum: Number,
        dfden: Number,
        size: Size = None,
        **options: Unpack[Options],
    ) -> Any:
        """Numbers of Fisher's F distribution, the ratio of two chi-square numbers over their degrees of freedom.

        Parameters
        ----------
        dfnum, dfden : float or array_like
            The degrees of freedom of numerator and denominator, above 0.
        size : int or tuple of ints, optional
            Shape of the result; without it, what the parameters broadcast to.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`, as Generator explains them.

        Returns
        -------
        Array or float
            The numbers; one Python number without `size` where all parameters are numbers.

        Examples
        --------
        >>> rng = qn.random.default_rng(7)
        >>> rng.f(3, 5, size=4).shape
        (4,)
        """
        return self._draw("f", (dfnum, dfden), size, **options)

    def gumbel(
        self,
        loc: Number = 0.0,
        scale: Number = 1.0,
        size: Size = None,
        **options: Unpack[Options],
    ) -> Any:
        """Gumbel numbers, the distribution of the largest of many numbers.

        Parameters
        ----------
        loc : float or array_like, optional
            The mode.
        scale : float or array_like, optional
            The scale, at least 0.
        size : int or tuple of ints, optional
            Shape of the result; without it, what the parameters broadcast to.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`, as Generator explains them.

        Returns
        -------
        Array or float
            The numbers; one Python number without `size` where all parameters are numbers.

        Examples
        --------
        >>> rng = qn.random.default_rng(7)
        >>> rng.gumbel(0, 2, size=4).shape
        (4,)
        """
        return self._draw("gumbel", (loc, scale), size, **options)

    def laplace(
        self,
        loc: Number = 0.0,
        scale: Number = 1.0,
        size: Size = None,
        **options: Unpack[Options],
    ) -> Any:
        """Laplace numbers: exponential distances from `loc` to both sides.

        Parameters
        ----------
        loc : float or array_like, optional
            The mean.
        scale : float or array_like, optional
            The mean distance, at least 0.
        size : int or tuple of ints, optional
            Shape of the result; without it, what the parameters broadcast to.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`, as Generator explains them.

        Returns
        -------
        Array or float
            The numbers; one Python number without `size` where all parameters are numbers.

        Examples
        --------
        >>> rng = qn.random.default_rng(7)
        >>> rng.laplace(0, 2, size=4).shape
        (4,)
        """
        return self._draw("laplace", (loc, scale), size, **options)

    def logistic(
        self,
        loc: Number = 0.0,
        scale: Number = 1.0,
        size: Size = None,
        **options: Unpack[Options],
    ) -> Any:
        """Logistic numbers.

        Parameters
        ----------
        loc : float or array_like, optional
            The mean.
        scale : float or array_like, optional
            The scale, at least 0.
        size : int or tuple of ints, optional
            Shape of the result; without it, what the parameters broadcast to.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`, as Generator explains them.

        Returns
        -------
        Array or float
            The numbers; one Python number without `size` where all parameters are numbers.

        Examples
        --------
        >>> rng = qn.random.default_rng(7)
        >>> rng.logistic(0, 2, size=4).shape
        (4,)
        """
        return self._draw("logistic", (loc, scale), size, **options)

    def noncentral_chisquare(
        self,
        df: Number,
        nonc: Number,
        size: Size = None,
        **options: Unpack[Options],
    ) -> Any:
        """Noncentral chi-square numbers: sums of squares of normal numbers whose means are not 0.

        The device must have float64.

        Parameters
        ----------
        df : float or array_like
            The degrees of freedom, above 0.
        nonc : float or array_like
            The sum of the squares of the means, at least 0.
        size : int or tuple of ints, optional
            Shape of the result; without it, what the parameters broadcast to.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`, as Generator explains them.

        Returns
        -------
        Array or float
            The numbers; one Python number without `size` where all parameters are numbers.

        Examples
        --------
        >>> rng = qn.random.default_rng(7)
        >>> rng.noncentral_chisquare(3, 2, size=4).shape
        (4,)
        """
        return self._draw("noncentral_chisquare", (df, nonc), size, **options)

    def noncentral_f(
        self,
        dfnum: Number,
        dfden: Number,
        nonc: Number,
        size: Size = None,
        **options: Unpack[Options],
    ) -> Any:
        """Noncentral F numbers, with a noncentral chi-square number as numerator.

        The device must have float64.

        Parameters
        ----------
        dfnum, dfden : float or array_like
            The degrees of freedom of numerator and denominator, above 0.
        nonc : float or array_like
            The noncentrality of the numerator, at least 0.
        size : int or tuple of ints, optional
            Shape of the result; without it, what the parameters broadcast to.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`, as Generator explains them.

        Returns
        -------
        Array or float
            The numbers; one Python number without `size` where all parameters are numbers.

        Examples
        --------
        >>> rng = qn.random.default_rng(7)
        >>> rng.noncentral_f(3, 5, 2, size=4).shape
        (4,)
        """
        return self._draw("noncentral_f", (dfnum, dfden, nonc), size, **options)

    def pareto(
        self,
        a: Number,
        size: Size = None,
        **options: Unpack[Options],
    ) -> Any:
        """Pareto numbers of the second kind (Lomax), which begin at 0.

        Parameters
        ----------
        a : float or array_like
            The shape, above 0.
        size : int or tuple of ints, optional
            Shape of the result; without it, what the parameters broadcast to.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`, as Generator explains them.

        Returns
        -------
        Array or float
            The numbers; one Python number without `size` where all parameters are numbers.

        Examples
        --------
        >>> rng = qn.random.default_rng(7)
        >>> x = rng.pareto(3, size=100)
        >>> bool((x >= 0).all())
        True
        """
        return self._draw("pareto", (a,), size, **options)

    def power(
        self,
        a: Number,
        size: Size = None,
        **options: Unpack[Options],
    ) -> Any:
        """Numbers from 0 to 1 whose density is a * x**(a - 1).

        Parameters
        ----------
        a : float or array_like
            The exponent, above 0.
        size : int or tuple of ints, optional
            Shape of the result; without it, what the parameters broadcast to.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`, as Generator explains them.

        Returns
        -------
        Array or float
            The numbers; one Python number without `size` where all parameters are numbers.

        Examples
        --------
        >>> rng = qn.random.default_rng(7)
        >>> x = rng.power(3, size=100)
        >>> bool(((x >= 0) & (x <= 1)).all())
        True
        """
        return self._draw("power", (a,), size, **options)

    def rayleigh(
        self,
        scale: Number = 1.0,
        size: Size = None,
        **options: Unpack[Options],
    ) -> Any:
        """Rayleigh numbers: distances of points with two normal coordinates.

        Parameters
        ----------
        scale : float or array_like, optional
            The deviation of the coordinates, at least 0.
        size : int or tuple of ints, optional
            Shape of the result; without it, what the parameters broadcast to.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`, as Generator explains them.

        Returns
        -------
        Array or float
            The numbers; one Python number without `size` where all parameters are numbers.

        Examples
        --------
        >>> rng = qn.random.default_rng(7)
        >>> x = rng.rayleigh(2, size=100)
        >>> bool((x >= 0).all())
        True
        """
        return self._draw("rayleigh", (scale,), size, **options)

    def standard_cauchy(
        self,
        size: Size = None,
        **options: Unpack[Options],
    ) -> Any:
        """Cauchy numbers with mode 0 and scale 1.

        Parameters
        ----------
        size : int or tuple of ints, optional
            Shape of the result.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`, as Generator explains them.

        Returns
        -------
        Array or float
            The numbers; one Python number without `size`.

        Examples
        --------
        >>> rng = qn.random.default_rng(7)
        >>> rng.standard_cauchy(size=4).shape
        (4,)
        """
        return self._draw("standard_cauchy", (), size, **options)

    def standard_t(
        self,
        df: Number,
        size: Size = None,
        **options: Unpack[Options],
    ) -> Any:
        """Numbers of Student's t distribution.

        Parameters
        ----------
        df : float or array_like
            The degrees of freedom, above 0.
        size : int or tuple of ints, optional
            Shape of the result; without it, what the parameters broadcast to.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`, as Generator explains them.

        Returns
        -------
        Array or float
            The numbers; one Python number without `size` where all parameters are numbers.

        Examples
        --------
        >>> rng = qn.random.default_rng(7)
        >>> rng.standard_t(5, size=4).shape
        (4,)
        """
        return self._draw("standard_t", (df,), size, **options)

    def triangular(
        self,
        left: Number,
        mode: Number,
        right: Number,
        size: Size = None,
        **options: Unpack[Options],
    ) -> Any:
        """Numbers of the triangular distribution.

        Parameters
        ----------
        left, mode, right : float or array_like
            Where the density begins, where it is highest and where it ends: left <= mode <= right, left < right.
        size : int or tuple of ints, optional
            Shape of the result; without it, what the parameters broadcast to.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`, as Generator explains them.

        Returns
        -------
        Array or float
            The numbers; one Python number without `size` where all parameters are numbers.

        Examples
        --------
        >>> rng = qn.random.default_rng(7)
        >>> x = rng.triangular(-1, 0, 3, size=100)
        >>> bool(((x >= -1) & (x <= 3)).all())
        True
        """
        return self._draw("triangular", (left, mode, right), size, **options)

    def vonmises(
        self,
        mu: Number,
        kappa: Number,
        size: Size = None,
        **options: Unpack[Options],
    ) -> Any:
        """Angles of the von Mises distribution, from -pi to pi.

        By the method of Best and Fisher, for every `kappa`.

        Parameters
        ----------
        mu : float or array_like
            The mean angle.
        kappa : float or array_like
            The concentration, at least 0; at 0 all angles are equally likely.
        size : int or tuple of ints, optional
            Shape of the result; without it, what the parameters broadcast to.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`, as Generator explains them.

        Returns
        -------
        Array or float
            The numbers; one Python number without `size` where all parameters are numbers.

        Examples
        --------
        >>> rng = qn.random.default_rng(7)
        >>> x = rng.vonmises(1, 4, size=100)
        >>> bool((abs(x) <= np.pi).all())
        True
        """
        return self._draw("vonmises", (mu, kappa), size, **options)

    def wald(
        self,
        mean: Number,
        scale: Number,
        size: Size = None,
        **options: Unpack[Options],
    ) -> Any:
        """Numbers of the Wald (inverse Gaussian) distribution.

        Parameters
        ----------
        mean, scale : float or array_like
            The mean and the scale, above 0.
        size : int or tuple of ints, optional
            Shape of the result; without it, what the parameters broadcast to.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`, as Generator explains them.

        Returns
        -------
        Array or float
            The numbers; one Python number without `size` where all parameters are numbers.

        Examples
        --------
        >>> rng = qn.random.default_rng(7)
        >>> x = rng.wald(3, 2, size=100)
        >>> bool((x > 0).all())
        True
        """
        return self._draw("wald", (mean, scale), size, **options)

    def weibull(
        self,
        a: Number,
        size: Size = None,
        **options: Unpack[Options],
    ) -> Any:
        """Weibull numbers with scale 1.

        Parameters
        ----------
        a : float or array_like
            The shape, at least 0; at 0 all numbers are 0.
        size : int or tuple of ints, optional
            Shape of the result; without it, what the parameters broadcast to.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`, as Generator explains them.

        Returns
        -------
        Array or float
            The numbers; one Python number without `size` where all parameters are numbers.

        Examples
        --------
        >>> rng = qn.random.default_rng(7)
        >>> x = rng.weibull(1.5, size=100)
        >>> bool((x >= 0).all())
        True
        """
        return self._draw("weibull", (a,), size, **options)
