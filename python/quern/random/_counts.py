# SPDX-License-Identifier: MIT
"""Distributions of counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._core import ArgumentValueError
from ._arguments import Number, Options, Size, integer, is_single
from ._draws import Draws

if TYPE_CHECKING:
    from typing_extensions import Unpack


class CountDistributions(Draws):
    """Integers: numbers of events, trials and successes."""

    def poisson(
        self,
        lam: Number = 1.0,
        size: Size = None,
        **options: Unpack[Options],
    ) -> Any:
        """Poisson numbers: how many events there are of which `lam` are expected.

        The device must have float64.

        Parameters
        ----------
        lam : float or array_like, optional
            The mean, at least 0.
        size : int or tuple of ints, optional
            Shape of the result; without it, what the parameters broadcast to.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`, as Generator explains them.

        Returns
        -------
        Array or int
            The numbers; one Python number without `size` where all parameters are numbers.

        Examples
        --------
        >>> rng = qn.random.default_rng(7)
        >>> x = rng.poisson(4, size=100)
        >>> bool((x >= 0).all())
        True
        """
        return self._draw("poisson", (lam,), size, **options)

    def binomial(
        self,
        n: Number,
        p: Number,
        size: Size = None,
        **options: Unpack[Options],
    ) -> Any:
        """Binomial numbers: how many of n trials succeed, each with probability p.

        The device must have float64.

        Parameters
        ----------
        n : int or array_like of ints
            The number of trials, at least 0.
        p : float or array_like
            The probability of success, from 0 to 1.
        size : int or tuple of ints, optional
            Shape of the result; without it, what the parameters broadcast to.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`, as Generator explains them.

        Returns
        -------
        Array or int
            The numbers; one Python number without `size` where all parameters are numbers.

        Examples
        --------
        >>> rng = qn.random.default_rng(7)
        >>> x = rng.binomial(10, 0.5, size=100)
        >>> bool(((x >= 0) & (x <= 10)).all())
        True
        """
        if is_single("binomial", n):
            n = integer("binomial: n", n)
            if n >= 1 << 63:
                raise ArgumentValueError(f"binomial: expected n below 2**63, got {n}")
        return self._draw("binomial", (n, p), size, **options)

    def geometric(
        self,
        p: Number,
        size: Size = None,
        **options: Unpack[Options],
    ) -> Any:
        """Geometric numbers: how many trials a first success takes.

        The device must have float64.

        Parameters
        ----------
        p : float or array_like
            The probability of success, above 0.
        size : int or tuple of ints, optional
            Shape of the result; without it, what the parameters broadcast to.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`, as Generator explains them.

        Returns
        -------
        Array or int
            The numbers; one Python number without `size` where all parameters are numbers.

        Examples
        --------
        >>> rng = qn.random.default_rng(7)
        >>> x = rng.geometric(0.3, size=100)
        >>> bool((x >= 1).all())
        True
        """
        return self._draw("geometric", (p,), size, **options)

    def hypergeometric(
        self,
        ngood: Number,
        nbad: Number,
        nsample: Number,
        size: Size = None,
        **options: Unpack[Options],
    ) -> Any:
        """Hypergeometric numbers: how many of a sample without replacement are good.

        The device must have float64.

        Parameters
        ----------
        ngood, nbad : int or array_like of ints
            How many there are of both kinds, below 10**9.
        nsample : int or array_like of ints
            How many are taken, at most ngood + nbad.
        size : int or tuple of ints, optional
            Shape of the result; without it, what the parameters broadcast to.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`, as Generator explains them.

        Returns
        -------
        Array or int
            The numbers; one Python number without `size` where all parameters are numbers.

        Examples
        --------
        >>> rng = qn.random.default_rng(7)
        >>> x = rng.hypergeometric(10, 20, 5, size=100)
        >>> bool(((x >= 0) & (x <= 5)).all())
        True
        """
        for name, value in (("ngood", ngood), ("nbad", nbad), ("nsample", nsample)):
            if is_single("hypergeometric", value):
                integer(f"hypergeometric: {name}", value)
        return self._draw("hypergeometric", (ngood, nbad, nsample), size, **options)

    def logseries(
        self,
        p: Number,
        size: Size = None,
        **options: Unpack[Options],
    ) -> Any:
        """Numbers of the logarithmic series distribution.

        The device must have float64.

        Parameters
        ----------
        p : float or array_like
            The parameter of the series, from 0 on and below 1.
        size : int or tuple of ints, optional
            Shape of the result; without it, what the parameters broadcast to.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`, as Generator explains them.

        Returns
        -------
        Array or int
            The numbers; one Python number without `size` where all parameters are numbers.

        Examples
        --------
        >>> rng = qn.random.default_rng(7)
        >>> x = rng.logseries(0.6, size=100)
        >>> bool((x >= 1).all())
        True
        """
        return self._draw("logseries", (p,), size, **options)

    def negative_binomial(
        self,
        n: Number,
        p: Number,
        size: Size = None,
        **options: Unpack[Options],
    ) -> Any:
        """Negative binomial numbers: how many trials fail before there are n successes.

        The device must have float64.

        Parameters
        ----------
        n : float or array_like
            The number of successes, above 0; it need not be whole.
        p : float or array_like
            The probability of success, above 0.
        size : int or tuple of ints, optional
            Shape of the result; without it, what the parameters broadcast to.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`, as Generator explains them.

        Returns
        -------
        Array or int
            The numbers; one Python number without `size` where all parameters are numbers.

        Examples
        --------
        >>> rng = qn.random.default_rng(7)
        >>> x = rng.negative_binomial(3, 0.4, size=100)
        >>> bool((x >= 0).all())
        True
        """
        return self._draw("negative_binomial", (n, p), size, **options)

    def zipf(
        self,
        a: Number,
        size: Size = None,
        **options: Unpack[Options],
    ) -> Any:
        """Zipf numbers: k has a probability proportional to k**-a.

        The device must have float64. Numbers stay below 2**63.

        Parameters
        ----------
        a : float or array_like
            The exponent, above 1.
        size : int or tuple of ints, optional
            Shape of the result; without it, what the parameters broadcast to.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`, as Generator explains them.

        Returns
        -------
        Array or int
            The numbers; one Python number without `size` where all parameters are numbers.

        Examples
        --------
        >>> rng = qn.random.default_rng(7)
        >>> x = rng.zipf(2, size=100)
        >>> bool((x >= 1).all())
        True
        """
        return self._draw("zipf", (a,), size, **options)
