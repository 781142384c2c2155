# SPDX-License-Identifier: MIT
"""Order statistics: medians, quantiles and percentiles, from sorted arrays."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._core import ArgumentTypeError, ArgumentValueError, Array
from ._operands import Axis, Values, as_array, axes_of, default_float
from ._sorting import sort

__all__ = ["median", "percentile", "quantile"]

_METHODS = ("linear", "lower", "higher", "nearest", "midpoint")


def _sorted(name: str, x: Array, axis: Axis) -> tuple[Array, tuple[int, ...]]:
    """What the axes go over in order along a last axis, and the shape that the result has with keepdims."""
    if x.dtype.kind == "c":
        raise ArgumentTypeError(f"{name}: complex numbers have no order")
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
    if ordered.dtype.kind != "f":
        return value
    last = ordered[..., -1]
    return _core.where(_core.apply("isnan", last), last, value)


def _nothing(ordered: Array, dtype: np.dtype[Any]) -> Array:
    """What is in the middle of no elements."""
    if dtype.kind != "f":
        raise ArgumentValueError(f"a quantile of no elements is NaN, which {dtype} does not hold")
    return _core.full(ordered.shape[:-1], np.nan, dtype, ordered.device, None)


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
    ordered, kept = _sorted("quantile", as_array("quantile", x), axis)
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
        value = _nothing(ordered, dtype) if count < 0 else _or_nan(ordered, _between(ordered, place, dtype))
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
    ordered, kept = _sorted("median", as_array("median", x), axis)
    dtype = ordered.dtype if ordered.dtype.kind == "f" else default_float(ordered.device)
    length = ordered.shape[-1]
    if length == 0:
        result = _nothing(ordered, dtype)
    else:
        low, high = (ordered[..., k].astype(dtype) for k in ((length - 1) // 2, length // 2))
        result = _or_nan(ordered, low if length % 2 else (low + high) * 0.5)
    return result.reshape(kept) if keepdims else result
