# SPDX-License-Identifier: MIT
"""Reductions of arrays over all or some of their axes. They are enqueued at once and wait for nothing."""

from __future__ import annotations

import builtins
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from . import _core
from ._array import asarray
from ._core import ArgumentValueError, Array

_Axis = int | Sequence[int] | None
_Values = Array | ArrayLike


# What changes nothing, and stands for elements that a mask leaves out.
_NEUTRAL: dict[str, complex] = {"sum": 0, "prod": 1, "any": False, "all": True}
_COMBINE = {"sum": "add", "prod": "multiply", "min": "minimum", "max": "maximum"}


def _reduced(
    name: str,
    x: _Values,
    axis: _Axis,
    keepdims: bool,
    where: _Values | None,
    initial: complex | None = None,
    dtype: DTypeLike | None = None,
) -> Array:
    """A reduction of the elements where the mask holds, and of `initial`."""
    array = asarray(x)
    if where is not None:
        neutral = _NEUTRAL.get(name, initial)
        if neutral is None:
            raise ArgumentValueError(f"{name}: with where= it needs initial=, since all may be left out")
        array = _core.where(where, array, neutral)
    if initial is None:
        return _core.reduce(name, array, axis=axis, dtype=dtype, keepdims=keepdims)
    if array.size == 0 and name in ("min", "max"):
        shape = _core.reduce("any", array, axis=axis, keepdims=keepdims).shape
        return _core.full(shape, initial, array.dtype, array.device, None)
    result = _core.reduce(name, array, axis=axis, dtype=dtype, keepdims=keepdims)
    return _core.apply(_COMBINE[name], result, initial).astype(result.dtype, copy=False)


def sum(
    x: _Values,
    /,
    axis: _Axis = None,
    dtype: DTypeLike | None = None,
    *,
    keepdims: bool = False,
    initial: complex | None = None,
    where: _Values | None = None,
) -> Array:
    """The sum of the elements; small integers are summed in 64 bits."""
    return _reduced("sum", x, axis, keepdims, where, initial, dtype)


def prod(
    x: _Values,
    /,
    axis: _Axis = None,
    dtype: DTypeLike | None = None,
    *,
    keepdims: bool = False,
    initial: complex | None = None,
    where: _Values | None = None,
) -> Array:
    """The product of the elements; small integers are multiplied in 64 bits."""
    return _reduced("prod", x, axis, keepdims, where, initial, dtype)


def min(
    x: _Values,
    /,
    axis: _Axis = None,
    *,
    keepdims: bool = False,
    initial: complex | None = None,
    where: _Values | None = None,
) -> Array:
    """The least element, or NaN where there is one."""
    return _reduced("min", x, axis, keepdims, where, initial)


def max(
    x: _Values,
    /,
    axis: _Axis = None,
    *,
    keepdims: bool = False,
    initial: complex | None = None,
    where: _Values | None = None,
) -> Array:
    """The greatest element, or NaN where there is one."""
    return _reduced("max", x, axis, keepdims, where, initial)


def argmin(x: _Values, /, axis: int | None = None, *, keepdims: bool = False) -> Array:
    """Where the least element is: the first of equal ones, the first NaN where there is one."""
    return _core.reduce("argmin", asarray(x), axis=axis, keepdims=keepdims)


def argmax(x: _Values, /, axis: int | None = None, *, keepdims: bool = False) -> Array:
    """Where the greatest element is: the first of equal ones, the first NaN where there is one."""
    return _core.reduce("argmax", asarray(x), axis=axis, keepdims=keepdims)


def any(x: _Values, /, axis: _Axis = None, *, keepdims: bool = False, where: _Values | None = None) -> Array:
    """Whether any element is not zero."""
    return _reduced("any", x, axis, keepdims, where)


def all(x: _Values, /, axis: _Axis = None, *, keepdims: bool = False, where: _Values | None = None) -> Array:
    """Whether no element is zero."""
    return _reduced("all", x, axis, keepdims, where)


def count_nonzero(x: _Values, /, axis: _Axis = None, *, keepdims: bool = False) -> Array:
    """How many elements are not zero."""
    return _core.reduce("count_nonzero", asarray(x), axis=axis, keepdims=keepdims)


def mean(
    x: _Values, /, axis: _Axis = None, dtype: DTypeLike | None = None, *, keepdims: bool = False
) -> Array:
    """The mean, in floating point."""
    return _core.reduce("mean", asarray(x), axis=axis, dtype=dtype, keepdims=keepdims)


def var(
    x: _Values,
    /,
    axis: _Axis = None,
    dtype: DTypeLike | None = None,
    *,
    correction: float = 0.0,
    keepdims: bool = False,
    ddof: float = 0,
) -> Array:
    """The mean square distance to the mean, over the count less `correction`, which NumPy calls `ddof`."""
    if correction and ddof:
        raise ArgumentValueError("var: correction and ddof are two names for one thing; give one of them")
    return _core.reduce(
        "var", asarray(x), axis=axis, dtype=dtype, keepdims=keepdims, correction=correction or ddof
    )


def std(
    x: _Values,
    /,
    axis: _Axis = None,
    dtype: DTypeLike | None = None,
    *,
    correction: float = 0.0,
    keepdims: bool = False,
    ddof: float = 0,
) -> Array:
    """The square root of the variance."""
    return _core.apply("sqrt", var(x, axis, dtype, correction=correction, keepdims=keepdims, ddof=ddof))


def ptp(x: _Values, /, axis: _Axis = None, *, keepdims: bool = False) -> Array:
    """The distance of the greatest element from the least."""
    x = asarray(x)
    return max(x, axis, keepdims=keepdims) - min(x, axis, keepdims=keepdims)


def diff(
    x: _Values,
    /,
    n: int = 1,
    axis: int = -1,
    prepend: _Values | None = None,
    append: _Values | None = None,
) -> Array:
    """The differences of neighbours along an axis, `n` times over; of booleans, whether they differ."""
    x = asarray(x)
    if n < 0:
        raise ArgumentValueError(f"diff: n is {n}, but must not be negative")
    if x.ndim == 0:
        raise ArgumentValueError("diff: expected one dimension or more, got an array of none")
    if not -x.ndim <= axis < x.ndim:
        raise ArgumentValueError(f"diff: axis {axis} of an array of {x.ndim} dimensions")
    along = axis % x.ndim
    if n == 0:
        return x
    x = _with_ends(x, along, prepend, append)
    before = (slice(None),) * along
    later, earlier = (*before, slice(1, None)), (*before, slice(None, -1))
    for _ in range(n):
        x = x[later] != x[earlier] if x.dtype == np.bool_ else x[later] - x[earlier]
    return x


def _with_ends(x: Array, axis: int, prepend: _Values | None, append: _Values | None) -> Array:
    """The array with others, or single values, before and after it along an axis."""
    first, last = (None if end is None else asarray(end, device=x.device) for end in (prepend, append))
    parts = [part for part in (first, x, last) if part is not None]
    if len(parts) == 1:
        return x
    lengths = [part.shape[axis] if part.ndim else 1 for part in parts]
    shape = [*x.shape[:axis], builtins.sum(lengths), *x.shape[axis + 1 :]]
    result = _core.empty(shape, np.result_type(*(part.dtype for part in parts)), x.device, None)
    start = 0
    for part, length in zip(parts, lengths, strict=True):
        place = (*(slice(None),) * axis, slice(start, start + length))
        result[place] = part
        start += length
    return result


__all__ = [
    "all",
    "any",
    "argmax",
    "argmin",
    "count_nonzero",
    "diff",
    "max",
    "mean",
    "min",
    "prod",
    "ptp",
    "std",
    "sum",
    "var",
]
