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
        """Draw samples from a Poisson distribution with expected value `lam`.

        The device must have float64.

        Parameters
        ----------
        lam : float or array_like, optional
            Mean, at least 0.
        size : int or tuple of ints, optional
            Shape of the result; by default the broadcast shape of the parameters.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`; see Generator.

        Returns
        -------
        Array or int
            The samples; a Python number if `size` is None and all parameters are numbers.

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
        """Draw samples from a binomial distribution: successes in n trials with probability p.

        The device must have float64.

        Parameters
        ----------
        n : int or array_like of ints
            Number of trials, at least 0.
        p : float or array_like
            Probability of success, from 0 to 1.
        size : int or tuple of ints, optional
            Shape of the result; by default the broadcast shape of the parameters.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`; see Generator.

        Returns
        -------
        Array or int
            The samples; a Python number if `size` is None and all parameters are numbers.

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
        """Draw samples from a geometric distribution: trials until the first success.

        The device must have float64.

        Parameters
        ----------
        p : float or array_like
            Probability of success, above 0 and at most 1.
        size : int or tuple of ints, optional
            Shape of the result; by default the broadcast shape of the parameters.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`; see Generator.

        Returns
        -------
        Array or int
            The samples; a Python number if `size` is None and all parameters are numbers.

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
        """Draw samples from a hypergeometric distribution: good items in a sample without replacement.

        The device must have float64.

        Parameters
        ----------
        ngood, nbad : int or array_like of ints
            Number of good and of bad items, below 10**9.
        nsample : int or array_like of ints
            Size of the sample, at most ngood + nbad.
        size : int or tuple of ints, optional
            Shape of the result; by default the broadcast shape of the parameters.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`; see Generator.

        Returns
        -------
        Array or int
            The samples; a Python number if `size` is None and all parameters are numbers.

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
        """Draw samples from a logarithmic series distribution.

        The device must have float64.

        Parameters
        ----------
        p : float or array_like
            Parameter of the series, 0 <= p < 1.
        size : int or tuple of ints, optional
            Shape of the result; by default the broadcast shape of the parameters.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`; see Generator.

        Returns
        -------
        Array or int
            The samples; a Python number if `size` is None and all parameters are numbers.

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
        """Draw samples from a negative binomial distribution: failures before n successes.

        The device must have float64.

        Parameters
        ----------
        n : float or array_like
            Number of successes, above 0; it need not be an integer.
        p : float or array_like
            Probability of success, above 0 and at most 1.
        size : int or tuple of ints, optional
            Shape of the result; by default the broadcast shape of the parameters.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`; see Generator.

        Returns
        -------
        Array or int
            The samples; a Python number if `size` is None and all parameters are numbers.

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
        """Draw samples from a Zipf distribution: the probability of k is proportional to k**-a.

        The device must have float64. Samples are below 2**63.

        Parameters
        ----------
        a : float or array_like
            Exponent, above 1.
        size : int or tuple of ints, optional
            Shape of the result; by default the broadcast shape of the parameters.
        **options
            `dtype`, `out`, `device`, `queue` and `wait_for`; see Generator.

        Returns
        -------
        Array or int
            The samples; a Python number if `size` is None and all parameters are numbers.

        Examples
        --------
        >>> rng = qn.random.default_rng(7)
        >>> x = rng.zipf(2, size=100)
        >>> bool((x >= 1).all())
        True
        """
        return self._draw("zipf", (a,), size, **options)
