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
        """Uniform numbers in [0, 1), in steps of 2**-24 (float32) or 2**-53 (float64).

        Parameters
        ----------
        size : int or tuple of ints, optional
            Shape of the result.
        dtype : dtype, optional
            float32 or float64, which is the default where the device has it.
        out : Array, optional
            An array to be filled; then the result is the Event of the draw.
        **where
            `device`, `queue` and `wait_for`, as Generator explains them.

        Returns
        -------
        Array or float
            The numbers; one Python number without `size`.

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
        """Uniform numbers in [low, high); rounding may reach high.

        Parameters
        ----------
        low, high : float or array_like, optional
            The ends of the interval.
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
        """Normal numbers with mean 0 and deviation 1, by the method of Box and Muller.

        Parameters
        ----------
        size : int or tuple of ints, optional
            Shape of the result.
        dtype : dtype, optional
            float32 or float64, which is the default where the device has it.
        out : Array, optional
            An array to be filled; then the result is the Event of the draw.
        **where
            `device`, `queue` and `wait_for`, as Generator explains them.

        Returns
        -------
        Array or float
            The numbers; one Python number without `size`.

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
        """Normal numbers with mean `loc` and deviation `scale`.

        Parameters
        ----------
        loc : float or array_like, optional
            The mean.
        scale : float or array_like, optional
            The standard deviation, at least 0.
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
        """Numbers whose logarithm is normal with this mean and deviation.

        Parameters
        ----------
        mean : float or array_like, optional
            The mean of the logarithm.
        sigma : float or array_like, optional
            The standard deviation of the logarithm, at least 0.
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
        """Exponential numbers with mean 1.

        Parameters
        ----------
        size : int or tuple of ints, optional
            Shape of the result.
        dtype : dtype, optional
            float32 or float64, which is the default where the device has it.
        method : {"zig", "inv"}, optional
            Looked at by NumPy only: numbers are made by inversion.
        out : Array, optional
            An array to be filled; then the result is the Event of the draw.
        **where
            `device`, `queue` and `wait_for`, as Generator explains them.

        Returns
        -------
        Array or float
            The numbers; one Python number without `size`.

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
        """Exponential numbers with mean `scale`.

        Parameters
        ----------
        scale : float or array_like, optional
            The mean, at least 0.
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
        """Gamma numbers of this shape, with scale 1.

        Parameters
        ----------
        shape : float or array_like
            The shape, at least 0.
        size : int or tuple of ints, optional
            Shape of the result; without it, what the parameters broadcast to.
        dtype : dtype, optional
            float32 or float64, which is the default where the device has it.
        out : Array, optional
            An array to be filled; then the result is the Event of the draw.
        **where
            `device`, `queue` and `wait_for`, as Generator explains them.

        Returns
        -------
        Array or float
            The numbers; one Python number without `size` where all parameters are numbers.

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
        """Gamma numbers of this shape and scale.

        Parameters
        ----------
        shape : float or array_like
            The shape, at least 0.
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
        >>> rng.gamma(2.5, 2, size=4).shape
        (4,)
        """
        return self._draw("gamma", (shape, scale), size, **options)
