# SPDX-License-Identifier: MIT
"""Sums, products, maxima and minima up to each element of an axis. They are enqueued at once and wait for nothing."""

from __future__ import annotations

from numpy.typing import DTypeLike

from . import _core
from ._core import ArgumentValueError, Array

__all__ = ["cummax", "cummin", "cumprod", "cumsum", "cumulative_prod", "cumulative_sum"]


def _only_axis(x: Array, axis: int | None, name: str) -> int:
    if axis is None and x.ndim != 1:
        raise ArgumentValueError(f"{name}: expected an axis, because the array has {x.ndim} of them")
    return -1 if axis is None else axis


def cumulative_sum(
    x: Array,
    /,
    *,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    include_initial: bool = False,
) -> Array:
    """The sums up to each element along an axis; small integers are summed in 64 bits."""
    return _core.cumulative("sum", x, _only_axis(x, axis, "cumulative_sum"), dtype, include_initial)


def cumulative_prod(
    x: Array,
    /,
    *,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    include_initial: bool = False,
) -> Array:
    """The products up to each element along an axis; small integers are multiplied in 64 bits."""
    return _core.cumulative("prod", x, _only_axis(x, axis, "cumulative_prod"), dtype, include_initial)


def cumsum(x: Array, axis: int | None = None, dtype: DTypeLike | None = None) -> Array:
    """The sums up to each element along an axis, or of all of them in C order where it is None."""
    return _core.cumulative("sum", x, axis, dtype)


def cumprod(x: Array, axis: int | None = None, dtype: DTypeLike | None = None) -> Array:
    """The products up to each element along an axis, or of all of them in C order where it is None."""
    return _core.cumulative("prod", x, axis, dtype)


def cummax(x: Array, axis: int | None = None) -> Array:
    """The greatest element up to each along an axis, as numpy.maximum.accumulate; NaNs are passed on."""
    return _core.cumulative("max", x, axis)


def cummin(x: Array, axis: int | None = None) -> Array:
    """The least element up to each along an axis, as numpy.minimum.accumulate; NaNs are passed on."""
    return _core.cumulative("min", x, axis)
