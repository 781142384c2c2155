# SPDX-License-Identifier: MIT
"""The usual distributions of real numbers: uniform, normal, exponential, gamma."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import DTypeLike

from .._core import ArgumentValueError, Array
from ._arguments import Number, Options, Size, Where
from ._draws import Draws

if TYPE_CHECKING:
    from typing_extensions import Unpack


class UsualDistributions(Draws):
    """Uniform, normal, exponential and gamma numbers."""

    def random(
        self,
        size: Size = None,
        dtype: DTypeLike | None = None,
        out: Array | None = None,
        **where: Unpack[Where],
    ) -> Any:
        """Draw uniform samples over [0, 1), in steps of 2**-24 (float32) or 2**-53 (float64).

        Parameters
        ----------
        size : int or tuple of ints, optional
            Shape of the result.
        dtype : dtype, optional
            float32 or float64; by default float64 if the device has it.
        out : Array, optional
            Array to fill; the call then returns the Event.
        **where
            `device`, `queue` and `wait_for`; see Generator.

        Returns
        -------
        Array or float
            The samples; a Python number if `size` is None.

        Examples
        --------
        >>> rng = qn.random.default_rng(7)
        >>> x = rng.random(size=100)
        >>> bool(((x >= 0) & (x < 1)).all())
        True
        """
        return self._draw("uniform", (0.0, 1.0), size, dtype=dtype, out=out, **where)

    def uniform(
        self,
        low: Number = 0.0,
        high: Number = 1.0,
        size: Size = None,
        **options: Unpack[Options],
    ) -> Any:
        """Draw uniform samples over [low, high); rounding may give `high` itself.

        Parameters
        ----------
        low, high : float or array_like, optional
            Ends of the interval.
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
        >>> x = rng.uniform(-1, 1, size=100)
        >>> bool(((x >= -1) & (x <= 1)).all())
        True
        """
        return self._draw("uniform", (low, high), size, **options)

    def standard_normal(
        self,
        size: Size = None,
        dtype: DTypeLike | None = None,
        out: Array | None = None,
        **where: Unpack[Where],
    ) -> Any:
        """Draw samples from a standard normal distribution, by the Box-Muller method.

        Parameters
        ----------
        size : int or tuple of ints, optional
            Shape of the result.
        dtype : dtype, optional
            float32 or float64; by default float64 if the device has it.
        out : Array, optional
            Array to fill; the call then returns the Event.
        **where
            `device`, `queue` and `wait_for`; see Generator.

        Returns
        -------
        Array or float
            The samples; a Python number if `size` is None.

        Examples
        --------
        >>> rng = qn.random.default_rng(7)
        >>> rng.standard_normal(size=4).shape
        (4,)
        """
        return self._draw("normal", (0.0, 1.0), size, dtype=dtype, out=out, **where)

    def normal(
        self,
        loc: Number = 0.0,
        scale: Number = 1.0,
        size: Size = None,
        **options: Unpack[Options],
    ) -> Any:
        """Draw samples from a normal distribution with mean `loc` and standard deviation `scale`.

        Parameters
        ----------
        loc : float or array_like, optional
            Mean of the distribution.
        scale : float or array_like, optional
            Standard deviation, at least 0.
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
        >>> x = rng.normal(5, 0.001, size=100)
        >>> bool((abs(x - 5) < 0.1).all())
        True
        """
        return self._draw("normal", (loc, scale), size, **options)

    def lognormal(
        self,
        mean: Number = 0.0,
        sigma: Number = 1.0,
        size: Size = None,
        **options: Unpack[Options],
    ) -> Any:
        """Draw samples from a log-normal distribution.

        Parameters
        ----------
        mean : float or array_like, optional
            Mean of the logarithm.
        sigma : float or array_like, optional
            Standard deviation of the logarithm, at least 0.
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
        >>> x = rng.lognormal(size=100)
        >>> bool((x > 0).all())
        True
        """
        return self._draw("lognormal", (mean, sigma), size, **options)

    def standard_exponential(
        self,
        size: Size = None,
        dtype: DTypeLike | None = None,
        method: str = "zig",
        out: Array | None = None,
        **where: Unpack[Where],
    ) -> Any:
        """Draw samples from a standard exponential distribution, with mean 1.

        Parameters
        ----------
        size : int or tuple of ints, optional
            Shape of the result.
        dtype : dtype, optional
            float32 or float64; by default float64 if the device has it.
        method : {"zig", "inv"}, optional
            Accepted for compatibility with NumPy; inversion is always used.
        out : Array, optional
            Array to fill; the call then returns the Event.
        **where
            `device`, `queue` and `wait_for`; see Generator.

        Returns
        -------
        Array or float
            The samples; a Python number if `size` is None.

        Examples
        --------
        >>> rng = qn.random.default_rng(7)
        >>> x = rng.standard_exponential(size=100)
        >>> bool((x > 0).all())
        True
        """
        if method not in ("zig", "inv"):
            raise ArgumentValueError(f"standard_exponential: expected method 'zig' or 'inv', got {method!r}")
        return self._draw("exponential", (1.0,), size, dtype=dtype, out=out, **where)

    def exponential(
        self,
        scale: Number = 1.0,
        size: Size = None,
        **options: Unpack[Options],
    ) -> Any:
        """Draw samples from an exponential distribution with mean `scale`.

        Parameters
        ----------
        scale : float or array_like, optional
            Mean, at least 0.
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
        >>> x = rng.exponential(2, size=100)
        >>> bool((x > 0).all())
        True
        """
        return self._draw("exponential", (scale,), size, **options)

    def standard_gamma(
        self,
        shape: Number,
        size: Size = None,
        dtype: DTypeLike | None = None,
        out: Array | None = None,
        **where: Unpack[Where],
    ) -> Any:
        """Draw samples from a standard gamma distribution, with scale 1.

        Parameters
        ----------
        shape : float or array_like
            Shape parameter, at least 0.
        size : int or tuple of ints, optional
            Shape of the result; by default the broadcast shape of the parameters.
        dtype : dtype, optional
            float32 or float64; by default float64 if the device has it.
        out : Array, optional
            Array to fill; the call then returns the Event.
        **where
            `device`, `queue` and `wait_for`; see Generator.

        Returns
        -------
        Array or float
            The samples; a Python number if `size` is None and all parameters are numbers.

        Examples
        --------
        >>> rng = qn.random.default_rng(7)
        >>> rng.standard_gamma(2.5, size=4).shape
        (4,)
        """
        return self._draw("gamma", (shape, 1.0), size, dtype=dtype, out=out, **where)

    def gamma(
        self,
        shape: Number,
        scale: Number = 1.0,
        size: Size = None,
        **options: Unpack[Options],
    ) -> Any:
        """Draw samples from a gamma distribution.

        Parameters
        ----------
        shape : float or array_like
            Shape parameter, at least 0.
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
        >>> rng.gamma(2.5, 2, size=4).shape
        (4,)
        """
        return self._draw("gamma", (shape, scale), size, **options)
