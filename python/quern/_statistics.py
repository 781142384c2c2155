# SPDX-License-Identifier: MIT
"""Order statistics, from sorted arrays; means with weights; covariances."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._core import ArgumentTypeError, ArgumentValueError, Array
from ._functions import clip, concat, mean, sort, sum
from ._operands import Axis, Values, as_array, as_arrays, axes_of, default_float, held_by

__all__ = ["average", "corrcoef", "cov", "median", "percentile", "quantile"]

_METHODS = ("linear", "lower", "higher", "nearest", "midpoint")


def real_numbers(name: str, x: Values) -> Array:
    """The array, whose elements have an order."""
    array = as_array(name, x)
    if array.dtype.kind == "c":
        raise ArgumentTypeError(f"{name}: expected real numbers, got {array.dtype}")
    return array


def ordered_lines(name: str, x: Array, axis: Axis) -> tuple[Array, tuple[int, ...]]:
    """What the axes go over in order along a last axis, and the shape that the result has with keepdims."""
    axes = tuple(range(x.ndim)) if axis is None else axes_of(name, axis, x.ndim)
    rest = [k for k in range(x.ndim) if k not in axes]
    lengths = [x.shape[k] for k in rest]
    kept = tuple(1 if k in axes else length for k, length in enumerate(x.shape))
    lines = x.transpose([*rest, *axes]) if x.ndim else x
    return sort(lines.reshape([*lengths, prod(x.shape[k] for k in axes)])), kept


def parts_of(q: Any, whole: int) -> tuple[np.ndarray[Any, Any], bool]:
    """The parts that q names, from 0 to 1, and whether it is a Python number, which takes the array's dtype."""
    given = q.get() if isinstance(q, Array) else q
    is_weak = type(given) in (int, float)
    parts = np.asarray(given) if whole == 1 else np.asarray(np.true_divide(given, whole))
    if not ((parts >= 0) & (parts <= 1)).all():
        raise ArgumentValueError(f"q: expected numbers from 0 to {whole}, got {q!r}")
    return parts, is_weak


def quantile_dtype(function: str, x: Array, parts: np.ndarray[Any, Any], is_weak: bool) -> np.dtype[Any]:
    """The dtype of what lies between elements; whole numbers, 0 and 1, name elements."""
    if parts.dtype.kind in "biu":
        return x.dtype
    if x.dtype == np.bool_:
        raise ArgumentTypeError(f"{function}: there is nothing between two booleans; convert them to numbers")
    return held_by(x.device, np.result_type(x.dtype, 1.0 if is_weak else parts.dtype))


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
    last = ordered[..., -1].astype(value.dtype, copy=False)
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
    return quantiles_of("quantile", real_numbers("quantile", x), *parts_of(q, 1), axis, method, keepdims)


def percentile(
    x: Values,
    q: float | ArrayLike | Array,
    axis: Axis = None,
    *,
    method: str = "linear",
    keepdims: bool = False,
) -> Array:
    """What q percent of the elements are not above, along axes or of all."""
    return quantiles_of(
        "percentile", real_numbers("percentile", x), *parts_of(q, 100), axis, method, keepdims
    )


def quantiles_of(
    function: str,
    x: Array,
    parts: np.ndarray[Any, Any],
    is_weak: bool,
    axis: Axis,
    method: str,
    keepdims: bool,
) -> Array:
    if method not in _METHODS:
        raise ArgumentValueError(f"method: expected one of {', '.join(_METHODS)}, got {method!r}")
    ordered, kept = ordered_lines(function, x, axis)
    is_element = method in _METHODS[1:4]
    if method == "midpoint":
        parts = parts * 1.0
    dtype = ordered.dtype if is_element else quantile_dtype(function, ordered, parts, is_weak)
    count = ordered.shape[-1] - 1
    rounded = {"lower": np.floor, "higher": np.ceil, "nearest": np.rint}.get(method, lambda place: place)
    own = kept if keepdims else ordered.shape[:-1]
    results = []
    for part in parts.reshape(-1):
        # In the precision of q, as NumPy does.
        place = float(rounded(part * count))
        if method == "midpoint" and place != int(place):
            place = int(place) + 0.5
        value = of_nothing(ordered, dtype) if count < 0 else _or_nan(ordered, _between(ordered, place, dtype))
        results.append(value.reshape(own))
    if not results:
        return _core.empty((*parts.shape, *own), dtype, ordered.device, None)
    return results[0] if parts.ndim == 0 else _core.stack(results, 0, None).reshape(*parts.shape, *own)


def median(x: Values, axis: Axis = None, keepdims: bool = False) -> Array:
    """The middle of the sorted elements along axes or of all; of an even number, the mean of the two there."""
    ordered, kept = ordered_lines("median", as_array("median", x), axis)
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
    axis = None if axis is None else axes_of("average", axis, array.ndim)
    if weights is None:
        result = mean(array, axis, keepdims=keepdims)
        total = _core.full(result.shape, array.size / max(result.size, 1), result.dtype, array.device, None)
        return (result, total) if returned else result
    given = as_array("average", weights, array.device)
    if given.shape != array.shape:
        lengths = None if axis is None else tuple(array.shape[at] for at in axis)
        if axis is None or given.shape != lengths:
            raise ArgumentValueError(
                f"average: weights of shape {given.shape} for axis {axis} of an array of shape {array.shape}"
            )
        in_order = given.transpose([axis.index(at) for at in sorted(axis)])
        given = in_order.reshape([length if at in axis else 1 for at, length in enumerate(array.shape)])
    dtype = held_by(
        array.device,
        np.result_type(array.dtype, given.dtype, *([] if array.dtype.kind in "fc" else [np.float64])),
    )
    # Products of narrow integers do not fit their own type.
    array, given = array.astype(dtype, copy=False), given.astype(dtype, copy=False)
    total = sum(_core.broadcast_to(given, array.shape), axis, keepdims=keepdims)
    result = sum(array * given, axis, keepdims=keepdims) / total
    return (result, total) if returned else result


def cov(
    m: Values, y: Values | None = None, rowvar: bool = True, bias: bool = False, ddof: float | None = None
) -> Array:
    """The covariances of variables, of which each row holds the observations of one."""
    given = as_arrays("cov", m) if y is None else as_arrays("cov", m, y)
    device = given[0].device
    dtype = held_by(device, np.result_type(*(one.dtype for one in given), np.float64))
    rows = []
    for one in given:
        if one.ndim > 2:
            raise ArgumentValueError(f"cov: expected two dimensions at most, got {one.ndim}")
        table = (one if one.ndim == 2 else one.reshape(1, -1)).astype(dtype, copy=False)
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
    if result.dtype.kind != "c":
        return clip(result, -1, 1)
    return clip(_core.apply("real", result), -1, 1) + 1j * clip(_core.apply("imag", result), -1, 1)
