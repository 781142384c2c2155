# SPDX-License-Identifier: MIT
"""Further distributions of real numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._arguments import Number, Options, Size
from ._draws import Draws

if TYPE_CHECKING:
    from typing_extensions import Unpack


class FurtherDistributions(Draws):
    """Distributions of real numbers that are based on uniform, normal and gamma numbers."""

    def beta(
        self,
        a: Number,
        b: Number,
        size: Size = None,
        **options: Unpack[Options],
    ) -> Any:
        """Draw samples from a beta distribution, over [0, 1].

        Parameters
        ----------
        a, b : float or array_like
            Shape parameters, above 0.
        size : int or tuple of ints, optional
            Shape of the result; by default the broadcast shape of the parameters.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`; see Generator.

        Returns
        -------
        Array or float
            The samples; a Python number if `size` is None and all parameters are numbers.

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
        """Draw samples from a chi-square distribution.

        Parameters
        ----------
        df : float or array_like
            Degrees of freedom, above 0.
        size : int or tuple of ints, optional
            Shape of the result; by default the broadcast shape of the parameters.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`; see Generator.

        Returns
        -------
        Array or float
            The samples; a Python number if `size` is None and all parameters are numbers.

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
        """Draw samples from an F distribution.

        Parameters
        ----------
        dfnum, dfden : float or array_like
            Degrees of freedom of numerator and denominator, above 0.
        size : int or tuple of ints, optional
            Shape of the result; by default the broadcast shape of the parameters.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`; see Generator.

        Returns
        -------
        Array or float
            The samples; a Python number if `size` is None and all parameters are numbers.

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
        """Draw samples from a Gumbel (extreme value) distribution.

        Parameters
        ----------
        loc : float or array_like, optional
            Mode of the distribution.
        scale : float or array_like, optional
            Scale parameter, at least 0.
        size : int or tuple of ints, optional
            Shape of the result; by default the broadcast shape of the parameters.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`; see Generator.

        Returns
        -------
        Array or float
            The samples; a Python number if `size` is None and all parameters are numbers.

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
        """Draw samples from a Laplace (double exponential) distribution around `loc`.

        Parameters
        ----------
        loc : float or array_like, optional
            Mean of the distribution.
        scale : float or array_like, optional
            Scale parameter (exponential decay), at least 0.
        size : int or tuple of ints, optional
            Shape of the result; by default the broadcast shape of the parameters.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`; see Generator.

        Returns
        -------
        Array or float
            The samples; a Python number if `size` is None and all parameters are numbers.

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
        """Draw samples from a logistic distribution.

        Parameters
        ----------
        loc : float or array_like, optional
            Mean of the distribution.
        scale : float or array_like, optional
            Scale parameter, at least 0.
        size : int or tuple of ints, optional
            Shape of the result; by default the broadcast shape of the parameters.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`; see Generator.

        Returns
        -------
        Array or float
            The samples; a Python number if `size` is None and all parameters are numbers.

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
        """Draw samples from a noncentral chi-square distribution.

        The device must have float64.

        Parameters
        ----------
        df : float or array_like
            Degrees of freedom, above 0.
        nonc : float or array_like
            Noncentrality, at least 0: the sum of the squared means.
        size : int or tuple of ints, optional
            Shape of the result; by default the broadcast shape of the parameters.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`; see Generator.

        Returns
        -------
        Array or float
            The samples; a Python number if `size` is None and all parameters are numbers.

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
        """Draw samples from a noncentral F distribution.

        The device must have float64.

        Parameters
        ----------
        dfnum, dfden : float or array_like
            Degrees of freedom of numerator and denominator, above 0.
        nonc : float or array_like
            Noncentrality of the numerator, at least 0.
        size : int or tuple of ints, optional
            Shape of the result; by default the broadcast shape of the parameters.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`; see Generator.

        Returns
        -------
        Array or float
            The samples; a Python number if `size` is None and all parameters are numbers.

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
        """Draw samples from a Pareto II (Lomax) distribution, which starts at 0.

        Parameters
        ----------
        a : float or array_like
            Shape parameter, above 0.
        size : int or tuple of ints, optional
            Shape of the result; by default the broadcast shape of the parameters.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`; see Generator.

        Returns
        -------
        Array or float
            The samples; a Python number if `size` is None and all parameters are numbers.

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
        """Draw samples from a power distribution over [0, 1], with density a * x**(a - 1).

        Parameters
        ----------
        a : float or array_like
            Exponent, above 0.
        size : int or tuple of ints, optional
            Shape of the result; by default the broadcast shape of the parameters.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`; see Generator.

        Returns
        -------
        Array or float
            The samples; a Python number if `size` is None and all parameters are numbers.

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
        """Draw samples from a Rayleigh distribution.

        Parameters
        ----------
        scale : float or array_like, optional
            Scale parameter (mode), at least 0.
        size : int or tuple of ints, optional
            Shape of the result; by default the broadcast shape of the parameters.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`; see Generator.

        Returns
        -------
        Array or float
            The samples; a Python number if `size` is None and all parameters are numbers.

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
        """Draw samples from a standard Cauchy distribution, with mode 0.

        Parameters
        ----------
        size : int or tuple of ints, optional
            Shape of the result.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`; see Generator.

        Returns
        -------
        Array or float
            The samples; a Python number if `size` is None.

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
        """Draw samples from a Student's t distribution.

        Parameters
        ----------
        df : float or array_like
            Degrees of freedom, above 0.
        size : int or tuple of ints, optional
            Shape of the result; by default the broadcast shape of the parameters.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`; see Generator.

        Returns
        -------
        Array or float
            The samples; a Python number if `size` is None and all parameters are numbers.

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
        """Draw samples from a triangular distribution over [left, right].

        Parameters
        ----------
        left, mode, right : float or array_like
            Lower limit, peak and upper limit of the density: left <= mode <= right, left < right.
        size : int or tuple of ints, optional
            Shape of the result; by default the broadcast shape of the parameters.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`; see Generator.

        Returns
        -------
        Array or float
            The samples; a Python number if `size` is None and all parameters are numbers.

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
        """Draw samples from a von Mises distribution: angles from -pi to pi, in radians.

        The method of Best and Fisher is used for every `kappa`.

        Parameters
        ----------
        mu : float or array_like
            Mean angle, in radians.
        kappa : float or array_like
            Concentration, at least 0; at 0 the angles are uniform.
        size : int or tuple of ints, optional
            Shape of the result; by default the broadcast shape of the parameters.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`; see Generator.

        Returns
        -------
        Array or float
            The samples; a Python number if `size` is None and all parameters are numbers.

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
        """Draw samples from a Wald (inverse Gaussian) distribution.

        Parameters
        ----------
        mean, scale : float or array_like
            Mean and scale parameter, above 0.
        size : int or tuple of ints, optional
            Shape of the result; by default the broadcast shape of the parameters.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`; see Generator.

        Returns
        -------
        Array or float
            The samples; a Python number if `size` is None and all parameters are numbers.

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
        """Draw samples from a Weibull distribution with scale 1.

        Parameters
        ----------
        a : float or array_like
            Shape parameter, at least 0; at 0 all samples are 0.
        size : int or tuple of ints, optional
            Shape of the result; by default the broadcast shape of the parameters.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`; see Generator.

        Returns
        -------
        Array or float
            The samples; a Python number if `size` is None and all parameters are numbers.

        Examples
        --------
        >>> rng = qn.random.default_rng(7)
        >>> x = rng.weibull(1.5, size=100)
        >>> bool((x >= 0).all())
        True
        """
        return self._draw("weibull", (a,), size, **options)
