# SPDX-License-Identifier: MIT
"""Order statistics, from sorted arrays; means with weights; covariances."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._core import ArgumentTypeError, ArgumentValueError, Array
from ._indexing import clip
from ._manipulation import concat
from ._operands import Axis, Values, as_array, as_arrays, as_float, axes_of, default_float
from ._reductions import mean, sum
from ._sorting import sort

__all__ = ["average", "corrcoef", "cov", "median", "percentile", "quantile"]

_METHODS = ("linear", "lower", "higher", "nearest", "midpoint")


def ordered_lines(
    name: str, x: Array, axis: Axis, takes_complex: bool = False
) -> tuple[Array, tuple[int, ...]]:
    """What the axes go over in order along a last axis, and the shape that the result has with keepdims."""
    if x.dtype.kind == "c" and not takes_complex:
        raise ArgumentTypeError(f"{name}: expected real numbers, got {x.dtype}")
    axes = tuple(range(x.ndim)) if axis is None else axes_of(name, axis, x.ndim)
    rest = [k for k in range(x.ndim) if k not in axes]
    lengths = [x.shape[k] for k in rest]
    kept = tuple(1 if k in axes else length for k, length in enumerate(x.shape))
    lines = x.transpose([*rest, *axes]) if x.ndim else x
    return sort(lines.reshape([*lengths, prod(x.shape[k] for k in axes)])), kept


def _between(ordered: Array, place: float, dtype: np.dtype[Any]) -> Array:
    low = int(np.floor(place))
    weight = place - low
    first = ordered[..., low].astype(dtype)
    if weight == 0:
        return first
    second = ordered[..., low + 1].astype(dtype)
    # From the nearer one, as NumPy does.
    step = second - first
    return second - step * (1 - weight) if weight >= 0.5 else first + step * weight


def _or_nan(ordered: Array, value: Array) -> Array:
    """NaN where there is one: it is the last."""
    if ordered.dtype.kind not in "fc":
        return value
    last = ordered[..., -1]
    return _core.where(_core.apply("isnan", last), last, value)


def of_nothing(ordered: Array, dtype: np.dtype[Any]) -> Array:
    """What is in the middle of no elements."""
    if dtype.kind not in "fc":
        raise ArgumentValueError(f"a quantile of no elements is NaN, which {dtype} does not hold")
    return _core.full(ordered.shape[:-1], np.nan, dtype, ordered.device, None)


def middle_of(low: Array, high: Array) -> Array:
    """The mean of two elements, of float16 in float32, where their sum does not overflow."""
    if low.dtype == np.float16:
        return ((low.astype(np.float32) + high) * 0.5).astype(np.float16)
    return (low + high) * 0.5


def quantile(
    x: Values,
    q: float | ArrayLike | Array,
    axis: Axis = None,
    *,
    method: str = "linear",
    keepdims: bool = False,
) -> Array:
    """What a part q of the elements is not above, along axes or of all; NaN where there is one, or nothing."""
    given = np.asarray(q.get() if isinstance(q, Array) else q)
    places = given.astype(np.float64)
    if not ((places >= 0) & (places <= 1)).all():
        raise ArgumentValueError(f"q: expected numbers from 0 to 1, got {q!r}")
    if method not in _METHODS:
        raise ArgumentValueError(f"method: expected one of {', '.join(_METHODS)}, got {method!r}")
    ordered, kept = ordered_lines("quantile", as_array("quantile", x), axis)
    # Of whole numbers, 0 and 1, the quantiles are elements.
    is_exact = ordered.dtype.kind == "f" or method in _METHODS[1:4] or given.dtype.kind in "iu"
    dtype = ordered.dtype if is_exact else default_float(ordered.device)
    count = ordered.shape[-1] - 1
    rounded = {"lower": np.floor, "higher": np.ceil, "nearest": np.rint}.get(method, lambda place: place)
    own = kept if keepdims else ordered.shape[:-1]
    parts = []
    for one in places.reshape(-1):
        place = float(rounded(one * count))
        if method == "midpoint" and place != int(place):
            place = int(place) + 0.5
        value = of_nothing(ordered, dtype) if count < 0 else _or_nan(ordered, _between(ordered, place, dtype))
        parts.append(value.reshape(own))
    return parts[0] if places.ndim == 0 else _core.stack(parts, 0, None).reshape(*places.shape, *own)


def percentile(
    x: Values,
    q: float | ArrayLike | Array,
    axis: Axis = None,
    *,
    method: str = "linear",
    keepdims: bool = False,
) -> Array:
    """What q percent of the elements are not above, along axes or of all."""
    places = np.asarray(q.get() if isinstance(q, Array) else q, np.float64) / 100
    return quantile(x, places, axis, method=method, keepdims=keepdims)


def median(x: Values, axis: Axis = None, keepdims: bool = False) -> Array:
    """The middle of the sorted elements along axes or of all; of an even number, the mean of the two there."""
    ordered, kept = ordered_lines("median", as_array("median", x), axis, takes_complex=True)
    dtype = ordered.dtype if ordered.dtype.kind in "fc" else default_float(ordered.device)
    length = ordered.shape[-1]
    if length == 0:
        result = of_nothing(ordered, dtype)
    else:
        low, high = (ordered[..., k].astype(dtype) for k in ((length - 1) // 2, length // 2))
        result = _or_nan(ordered, low if length % 2 else middle_of(low, high))
    return result.reshape(kept) if keepdims else result


def average(
    x: Values,
    axis: Axis = None,
    weights: Values | None = None,
    returned: bool = False,
    *,
    keepdims: bool = False,
) -> Any:
    """The mean with weights, of the array's shape or along one axis; with `returned`, also the sums of the weights."""
    array = as_array("average", x)
    if weights is None:
        result = mean(array, axis, keepdims=keepdims)
        total = _core.full(result.shape, array.size / max(result.size, 1), result.dtype, array.device, None)
        return (result, total) if returned else result
    given = as_array("average", weights, array.device)
    if given.shape != array.shape:
        if axis is None or given.ndim != 1:
            raise ArgumentValueError(
                f"average: weights of shape {given.shape} need an axis of an array of shape {array.shape}"
            )
        (at,) = axes_of("average", axis, array.ndim)
        if given.size != array.shape[at]:
            raise ArgumentValueError(
                f"average: {given.size} weights for an axis of {array.shape[at]} elements"
            )
        given = given.reshape([-1 if k == at else 1 for k in range(array.ndim)])
    dtype = np.result_type(
        array.dtype, given.dtype, *([] if array.dtype.kind in "fc" else [default_float(array.device)])
    )
    total = sum(_core.broadcast_to(given, array.shape), axis, dtype, keepdims=keepdims)
    result = sum(array * given, axis, dtype, keepdims=keepdims) / total
    return (result, total) if returned else result


def cov(
    m: Values, y: Values | None = None, rowvar: bool = True, bias: bool = False, ddof: float | None = None
) -> Array:
    """The covariances of variables, of which each row holds the observations of one."""
    given = as_arrays("cov", m) if y is None else as_arrays("cov", m, y)
    rows = []
    for one in given:
        if one.ndim > 2:
            raise ArgumentValueError(f"cov: expected two dimensions at most, got {one.ndim}")
        table = as_float(one if one.ndim == 2 else one.reshape(1, -1))
        rows.append(table.T if not rowvar and one.ndim == 2 else table)
    table = rows[0] if y is None else concat(rows)
    less = ddof if ddof is not None else 0 if bias else 1
    distance = table - mean(table, 1, keepdims=True)
    result = _core.matmul(distance, _core.apply("conj", distance).T) / (table.shape[1] - less)
    return _core.squeeze(result, None)


def corrcoef(x: Values, y: Values | None = None, rowvar: bool = True) -> Array:
    """The correlations of variables, from -1 to 1, of which each row holds the observations of one."""
    c = cov(x, y, rowvar)
    if c.ndim == 0:
        return c / c
    width = _core.apply("sqrt", _core.apply("real", _core.diagonal(c, 0, 0, 1)))
    result = c / width[:, None] / width[None]
    return clip(result, -1, 1) if result.dtype.kind != "c" else result
