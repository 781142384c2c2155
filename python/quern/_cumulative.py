# SPDX-License-Identifier: MIT
"""Sums, products, maxima and minima up to each element of an axis. They are enqueued at once and wait for nothing."""

from __future__ import annotations

from numpy.typing import DTypeLike

from . import _core
from ._core import ArgumentValueError, Array
from ._operands import Values, as_array, as_vector, axis_of

__all__ = ["cummax", "cummin", "cumprod", "cumsum", "cumulative_prod", "cumulative_sum"]


def _up_to_each(
    operation: str, name: str, x: Values, axis: int | None, dtype: DTypeLike | None = None
) -> Array:
    array = as_vector(as_array(name, x))
    return _core.cumulative(
        operation, array, None if axis is None else axis_of(name, axis, array.ndim), dtype
    )


def _by_the_standard(
    operation: str,
    name: str,
    x: Values,
    axis: int | None,
    dtype: DTypeLike | None,
    include_initial: bool,
) -> Array:
    array = as_vector(as_array(name, x))
    if axis is None and array.ndim != 1:
        raise ArgumentValueError(f"{name}: expected an axis, because the array has {array.ndim} of them")
    at = axis_of(name, -1 if axis is None else axis, array.ndim)
    return _core.cumulative(operation, array, at, dtype, include_initial)


def cumulative_sum(
    x: Values,
    /,
    *,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    include_initial: bool = False,
) -> Array:
    """The sums up to each element along an axis; small integers are summed in 64 bits."""
    return _by_the_standard("sum", "cumulative_sum", x, axis, dtype, include_initial)


def cumulative_prod(
    x: Values,
    /,
    *,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    include_initial: bool = False,
) -> Array:
    """The products up to each element along an axis; small integers are multiplied in 64 bits."""
    return _by_the_standard("prod", "cumulative_prod", x, axis, dtype, include_initial)


def cumsum(x: Values, axis: int | None = None, dtype: DTypeLike | None = None) -> Array:
    """The sums up to each element along an axis, or of all of them in C order where it is None."""
    return _up_to_each("sum", "cumsum", x, axis, dtype)


def cumprod(x: Values, axis: int | None = None, dtype: DTypeLike | None = None) -> Array:
    """The products up to each element along an axis, or of all of them in C order where it is None."""
    return _up_to_each("prod", "cumprod", x, axis, dtype)


def cummax(x: Values, axis: int | None = None) -> Array:
    """The greatest element up to each along an axis, as numpy.maximum.accumulate; NaNs are passed on."""
    return _up_to_each("max", "cummax", x, axis)


def cummin(x: Values, axis: int | None = None) -> Array:
    """The least element up to each along an axis, as numpy.minimum.accumulate; NaNs are passed on."""
    return _up_to_each("min", "cummin", x, axis)
