# SPDX-License-Identifier: MIT
"""Reductions that leave NaN out, by NumPy's names. They are made of others, and run as those do."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from . import _core, _functions
from ._core import ArgumentValueError, Array
from ._functions import cumprod, cumsum
from ._operands import Axis, Values, as_array, default_float, is_half
from ._statistics import (
    middle_of,
    of_nothing,
    ordered_lines,
    parts_of,
    quantile_dtype,
    quantiles_of,
    real_numbers,
)

__all__ = [
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmedian",
    "nanmin",
    "nanpercentile",
    "nanprod",
    "nanquantile",
    "nanstd",
    "nansum",
    "nanvar",
]


def _with(function: str, x: Values, number: float) -> Array:
    """The elements, with a number in the place of NaN."""
    array = as_array(function, x)
    if array.dtype.kind not in "fc":
        return array
    return _core.where(_core.apply("isnan", array), number, array)


def nansum(x: Values, axis: Axis = None, dtype: DTypeLike | None = None, *, keepdims: bool = False) -> Array:
    """The sum of what is not NaN."""
    return _functions.sum(_with("nansum", x, 0), axis, dtype, keepdims=keepdims)


def nanprod(x: Values, axis: Axis = None, dtype: DTypeLike | None = None, *, keepdims: bool = False) -> Array:
    """The product of what is not NaN."""
    return _functions.prod(_with("nanprod", x, 1), axis, dtype, keepdims=keepdims)


def nancumsum(x: Values, axis: int | None = None, dtype: DTypeLike | None = None) -> Array:
    """The sums up to each element of what is not NaN."""
    return cumsum(_with("nancumsum", x, 0), axis, dtype)


def nancumprod(x: Values, axis: int | None = None, dtype: DTypeLike | None = None) -> Array:
    """The products up to each element of what is not NaN."""
    return cumprod(_with("nancumprod", x, 1), axis, dtype)


def _only_nan(x: Array, axis: Axis, keepdims: bool = False) -> Array:
    return _functions.all(_core.apply("isnan", x), axis, keepdims=keepdims)


def nanmax(x: Values, axis: Axis = None, *, keepdims: bool = False) -> Array:
    """The greatest element that is not NaN; NaN where there is no other."""
    array = as_array("nanmax", x)
    found = _functions.max(_with("nanmax", array, -np.inf), axis, keepdims=keepdims)
    return found if array.dtype.kind != "f" else _core.where(_only_nan(array, axis, keepdims), np.nan, found)


def nanmin(x: Values, axis: Axis = None, *, keepdims: bool = False) -> Array:
    """The least element that is not NaN; NaN where there is no other."""
    array = as_array("nanmin", x)
    found = _functions.min(_with("nanmin", array, np.inf), axis, keepdims=keepdims)
    return found if array.dtype.kind != "f" else _core.where(_only_nan(array, axis, keepdims), np.nan, found)


def _check_some(function: str, x: Array, axis: int | None) -> None:
    if x.dtype.kind in "fc" and bool(_functions.any(_only_nan(x, axis))):
        raise ArgumentValueError(f"{function}: there is nothing but NaN to choose from")


def nanargmax(x: Values, axis: int | None = None, *, keepdims: bool = False) -> Array:
    """Where the greatest element is that is not NaN. Waits to know that there is one."""
    array = as_array("nanargmax", x)
    _check_some("nanargmax", array, axis)
    return _functions.argmax(_with("nanargmax", array, -np.inf), axis, keepdims=keepdims)


def nanargmin(x: Values, axis: int | None = None, *, keepdims: bool = False) -> Array:
    """Where the least element is that is not NaN. Waits to know that there is one."""
    array = as_array("nanargmin", x)
    _check_some("nanargmin", array, axis)
    return _functions.argmin(_with("nanargmin", array, np.inf), axis, keepdims=keepdims)


def _count(x: Array, axis: Axis, keepdims: bool) -> Array:
    """How many elements are not NaN."""
    return _functions.count_nonzero(_core.apply("equal", x, x), axis, keepdims=keepdims)


def nanmean(x: Values, axis: Axis = None, dtype: DTypeLike | None = None, *, keepdims: bool = False) -> Array:
    """The mean of what is not NaN."""
    array = as_array("nanmean", x)
    if array.dtype.kind not in "fc":
        return _functions.mean(array, axis, dtype, keepdims=keepdims)
    if is_half(array, dtype):
        return nanmean(array.astype(np.float32), axis, keepdims=keepdims).astype(np.float16)
    total = nansum(array, axis, dtype, keepdims=keepdims)
    return total / _count(array, axis, keepdims).astype(total.dtype)


def nanvar(
    x: Values,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    *,
    ddof: float = 0,
    keepdims: bool = False,
) -> Array:
    """The mean square distance to the mean, of what is not NaN; NaN where no more than `ddof` are left."""
    array = as_array("nanvar", x)
    if array.dtype.kind not in "fc":
        return _functions.var(array, axis, dtype, ddof=ddof, keepdims=keepdims)
    if is_half(array, dtype):
        single = nanvar(array.astype(np.float32), axis, ddof=ddof, keepdims=keepdims)
        return single.astype(np.float16)
    distance = _core.apply("absolute", array - nanmean(array, axis, dtype, keepdims=True))
    # Left out is what was NaN; a distance from infinity is NaN, and the variance with it.
    squares = _core.where(_core.apply("isnan", array), 0, distance * distance)
    total = _functions.sum(squares, axis, keepdims=keepdims)
    left = _count(array, axis, keepdims).astype(total.dtype) - ddof
    return _core.where(left > 0, total / left, np.nan)


def nanstd(
    x: Values,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    *,
    ddof: float = 0,
    keepdims: bool = False,
) -> Array:
    """The square root of the variance, of what is not NaN."""
    return _core.apply("sqrt", nanvar(x, axis, dtype, ddof=ddof, keepdims=keepdims))


def _at(ordered: Array, place: Array) -> Array:
    """Of each line the element at a place of its own, or the first where that is before it."""
    inside = _core.apply("maximum", place, 0)
    return _core.take_along_axis(ordered, inside[..., None], ordered.ndim - 1)[..., 0]


def nanmedian(x: Values, axis: Axis = None, *, keepdims: bool = False) -> Array:
    """The middle of what is not NaN, in order; NaN where there is nothing."""
    ordered, kept = ordered_lines("nanmedian", as_array("nanmedian", x), axis)
    if ordered.dtype.kind not in "fc":
        ordered = ordered.astype(default_float(ordered.device))
    if ordered.shape[-1] == 0:
        result = of_nothing(ordered, ordered.dtype)
    else:
        count = _count(ordered, -1, False)
        low, high = _at(ordered, (count - 1) // 2), _at(ordered, count // 2)
        # Where there is only one in the middle, both are it; twice of it may overflow.
        result = _core.where(count % 2 == 1, low, middle_of(low, high))
    return result.reshape(kept) if keepdims else result


def _quantile(ordered: Array, part: Any, dtype: np.dtype[Any]) -> Array:
    if ordered.shape[-1] == 0:
        return of_nothing(ordered, dtype)
    last = _count(ordered, -1, False) - 1
    # Places need more digits than elements, and are within the line also where they are rounded. NumPy counts in the
    # precision of q.
    counted = part.dtype if part.dtype == np.float32 else default_float(ordered.device)
    place = (last.astype(counted) * float(part)).astype(default_float(ordered.device), copy=False)
    low = _core.apply("floor", place)
    computed = np.dtype(np.float32) if dtype == np.float16 else dtype
    weight = (place - low).astype(computed, copy=False)
    at = _core.apply("minimum", low.astype(np.int64), last)
    first = _at(ordered, at).astype(computed, copy=False)
    second = _at(ordered, _core.apply("minimum", at + 1, last)).astype(computed, copy=False)
    step = second - first
    between = _core.where(weight >= 0.5, second - step * (1 - weight), first + step * weight)
    # Where the place is an element's, it is that element, also beside infinities.
    return _core.where(weight == 0, first, between).astype(dtype, copy=False)


def _quantiles(
    function: str, array: Array, parts: np.ndarray[Any, Any], is_weak: bool, axis: Axis, keepdims: bool
) -> Array:
    if array.dtype.kind != "f":
        # There is no NaN to leave out.
        return quantiles_of(function, array, parts, is_weak, axis, "linear", keepdims)
    ordered, kept = ordered_lines(function, array, axis)
    dtype = quantile_dtype(function, ordered, parts, is_weak)
    own = kept if keepdims else ordered.shape[:-1]
    results = [_quantile(ordered, part, dtype).reshape(own) for part in parts.reshape(-1)]
    return results[0] if parts.ndim == 0 else _core.stack(results, 0, None).reshape(*parts.shape, *own)


def nanquantile(
    x: Values, q: float | ArrayLike | Array, axis: Axis = None, *, keepdims: bool = False
) -> Array:
    """What a part q of the elements that are not NaN is not above, between two of them by a straight line."""
    return _quantiles("nanquantile", real_numbers("nanquantile", x), *parts_of(q, 1), axis, keepdims)


def nanpercentile(
    x: Values, q: float | ArrayLike | Array, axis: Axis = None, *, keepdims: bool = False
) -> Array:
    """What q percent of the elements that are not NaN are not above."""
    return _quantiles("nanpercentile", real_numbers("nanpercentile", x), *parts_of(q, 100), axis, keepdims)
