# SPDX-License-Identifier: MIT
"""Order statistics: medians, quantiles and percentiles, from sorted arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._core import ArgumentValueError, Array
from ._differences import along, checked_axis
from ._sorting import sort

__all__ = ["median", "percentile", "quantile"]

_METHODS = ("linear", "lower", "higher", "nearest", "midpoint")


def _sorted(x: Array, axis: int | None, name: str) -> tuple[Array, int]:
    if x.dtype.kind == "c":
        raise ArgumentValueError(f"{name}: complex numbers have no order")
    if axis is None:
        x, axis = x.reshape(-1), 0
    axis = checked_axis(x, axis, name)
    if x.shape[axis] == 0:
        raise ArgumentValueError(f"{name} of no elements has no answer")
    return sort(x, axis), axis


def _between(ordered: Array, axis: int, place: float, dtype: np.dtype[Any]) -> Array:
    low = int(np.floor(place))
    weight = place - low
    first = along(ordered, axis, low).astype(dtype)
    if weight == 0:
        return first
    second = along(ordered, axis, low + 1).astype(dtype)
    # From the nearer one, as NumPy does.
    step = second - first
    return second - step * (1 - weight) if weight >= 0.5 else first + step * weight


def quantile(
    x: Array,
    q: float | ArrayLike,
    axis: int | None = None,
    *,
    method: str = "linear",
    keepdims: bool = False,
) -> Array:
    """What a part q of the elements is not above, along an axis or of all; NaN where there is one."""
    places = np.asarray(q, np.float64)
    if not ((places >= 0) & (places <= 1)).all():
        raise ArgumentValueError(f"q: expected numbers from 0 to 1, got {q!r}")
    if method not in _METHODS:
        raise ArgumentValueError(f"method: expected one of {', '.join(_METHODS)}, got {method!r}")
    ordered, at = _sorted(x, axis, "quantile")
    double = np.dtype(np.float64 if x.device.has_fp64 else np.float32)
    dtype = ordered.dtype if ordered.dtype.kind == "f" or method in _METHODS[1:4] else double
    count = ordered.shape[at] - 1
    rounded = {"lower": np.floor, "higher": np.ceil, "nearest": np.rint}.get(method, lambda place: place)
    last = along(ordered, at, -1)
    parts = []
    for one in places.reshape(-1):
        place = float(rounded(one * count))
        if method == "midpoint" and place != int(place):
            place = int(place) + 0.5
        value = _between(ordered, at, place, dtype)
        if ordered.dtype.kind == "f":
            value = _core.where(_core.apply("isnan", last), last, value)
        parts.append(value)
    own = (
        tuple(1 if axis is None or k == at else n for k, n in enumerate(x.shape)) if keepdims else last.shape
    )
    if places.ndim == 0:
        return parts[0].reshape(own)
    result = _core.empty((len(parts), *own), dtype, x.device, None)
    for k, part in enumerate(parts):
        result[k] = part.reshape(own)
    return result.reshape(*places.shape, *own)


def percentile(
    x: Array,
    q: float | ArrayLike,
    axis: int | None = None,
    *,
    method: str = "linear",
    keepdims: bool = False,
) -> Array:
    """What q percent of the elements are not above, along an axis or of all."""
    return quantile(x, np.asarray(q, np.float64) / 100, axis, method=method, keepdims=keepdims)


def median(x: Array, axis: int | None = None, keepdims: bool = False) -> Array:
    """The middle of the sorted elements along an axis or of all; of an even number, the mean of the two there."""
    ordered, at = _sorted(x, axis, "median")
    double = np.dtype(np.float64 if x.device.has_fp64 else np.float32)
    dtype = ordered.dtype if ordered.dtype.kind == "f" else double
    length = ordered.shape[at]
    low, high = (along(ordered, at, k).astype(dtype) for k in ((length - 1) // 2, length // 2))
    result = low if length % 2 else (low + high) * 0.5
    if ordered.dtype.kind == "f":
        last = along(ordered, at, -1)
        result = _core.where(_core.apply("isnan", last), last, result)
    if not keepdims:
        return result
    return result.reshape([1 if axis is None or k == at else n for k, n in enumerate(x.shape)])
