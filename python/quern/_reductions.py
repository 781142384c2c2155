# SPDX-License-Identifier: MIT
"""Reductions of arrays over all or some of their axes. They are enqueued at once and wait for nothing."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import DTypeLike

from . import _core
from ._core import Array

_Axis = int | Sequence[int] | None


def sum(x: Array, /, *, axis: _Axis = None, dtype: DTypeLike | None = None, keepdims: bool = False) -> Array:
    """The sum of the elements; small integers are summed in 64 bits."""
    return _core.reduce("sum", x, axis=axis, dtype=dtype, keepdims=keepdims)


def prod(x: Array, /, *, axis: _Axis = None, dtype: DTypeLike | None = None, keepdims: bool = False) -> Array:
    """The product of the elements; small integers are multiplied in 64 bits."""
    return _core.reduce("prod", x, axis=axis, dtype=dtype, keepdims=keepdims)


def min(x: Array, /, *, axis: _Axis = None, keepdims: bool = False) -> Array:
    """The least element, or NaN where there is one."""
    return _core.reduce("min", x, axis=axis, keepdims=keepdims)


def max(x: Array, /, *, axis: _Axis = None, keepdims: bool = False) -> Array:
    """The greatest element, or NaN where there is one."""
    return _core.reduce("max", x, axis=axis, keepdims=keepdims)


def argmin(x: Array, /, *, axis: int | None = None, keepdims: bool = False) -> Array:
    """Where the least element is: the first of equal ones, the first NaN where there is one."""
    return _core.reduce("argmin", x, axis=axis, keepdims=keepdims)


def argmax(x: Array, /, *, axis: int | None = None, keepdims: bool = False) -> Array:
    """Where the greatest element is: the first of equal ones, the first NaN where there is one."""
    return _core.reduce("argmax", x, axis=axis, keepdims=keepdims)


def any(x: Array, /, *, axis: _Axis = None, keepdims: bool = False) -> Array:
    """Whether any element is not zero."""
    return _core.reduce("any", x, axis=axis, keepdims=keepdims)


def all(x: Array, /, *, axis: _Axis = None, keepdims: bool = False) -> Array:
    """Whether no element is zero."""
    return _core.reduce("all", x, axis=axis, keepdims=keepdims)


def count_nonzero(x: Array, /, *, axis: _Axis = None, keepdims: bool = False) -> Array:
    """How many elements are not zero."""
    return _core.reduce("count_nonzero", x, axis=axis, keepdims=keepdims)


def mean(x: Array, /, *, axis: _Axis = None, dtype: DTypeLike | None = None, keepdims: bool = False) -> Array:
    """The mean, in floating point."""
    return _core.reduce("mean", x, axis=axis, dtype=dtype, keepdims=keepdims)


def var(x: Array, /, *, axis: _Axis = None, correction: float = 0.0, keepdims: bool = False) -> Array:
    """The mean square distance to the mean, over the count less `correction`."""
    return _core.reduce("var", x, axis=axis, keepdims=keepdims, correction=correction)


def std(x: Array, /, *, axis: _Axis = None, correction: float = 0.0, keepdims: bool = False) -> Array:
    """The square root of the variance."""
    return _core.apply("sqrt", var(x, axis=axis, correction=correction, keepdims=keepdims))
