# SPDX-License-Identifier: MIT
"""Arrays as sets, and how often their elements occur: on sorting, searching and counting."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from . import _core
from ._array import asarray
from ._core import ArgumentValueError, Array
from ._differences import joined
from ._sorting import sort, unique

__all__ = [
    "bincount",
    "digitize",
    "histogram",
    "in1d",
    "intersect1d",
    "isin",
    "setdiff1d",
    "setxor1d",
    "union1d",
]


def _flat(x: Array, dtype: DTypeLike | None = None) -> Array:
    """All elements in C order, without gaps."""
    flat = x if dtype is None or x.dtype == dtype else x.astype(dtype)
    return _core.as_contiguous(flat.reshape(-1))


def _beside(values: Array | ArrayLike, x: Array) -> Array:
    return values if isinstance(values, Array) else asarray(np.asarray(values), device=x.device)


def isin(x: Array | ArrayLike, test_elements: Array | ArrayLike, /, *, invert: bool = False) -> Array:
    """Whether each element is among others, in the array's shape."""
    if not isinstance(x, Array):
        x = _beside(x, test_elements) if isinstance(test_elements, Array) else asarray(x)
    others = _beside(test_elements, x)
    dtype = np.result_type(x.dtype, others.dtype)
    is_positive = None
    if dtype.kind == "f" and x.dtype.kind in "iu" and others.dtype.kind in "iu":
        # uint64 beside signed integers: no type holds both, but what is negative is not among the others.
        dtype = np.dtype(np.uint64)
        is_positive = _flat(x) >= 0
        others = others[others >= 0]
    elements, known = _flat(x, dtype), sort(_flat(others, dtype))
    low, high = (find(known, elements) for find in (_core.lower_bound, _core.upper_bound))
    # NaN is equal to nothing, although it has a place.
    found = _core.apply("logical_and", high > low, elements == elements)
    if is_positive is not None:
        found = _core.apply("logical_and", found, is_positive)
    return (_core.apply("logical_not", found) if invert else found).reshape(x.shape)


def in1d(x: Array, test_elements: Array | ArrayLike, /, *, invert: bool = False) -> Array:
    """Whether each element, in C order, is among others."""
    return isin(x, test_elements, invert=invert).reshape(-1)


def _kept(x: Array, where: Array) -> Array:
    kept: Array = _core.copy_if(x, _core.as_contiguous(where))
    return kept


def intersect1d(x1: Array, x2: Array, /) -> Array:
    """The values that both arrays have, in order."""
    dtype = np.result_type(x1.dtype, x2.dtype)
    values = unique(_flat(x1, dtype))
    return _kept(values, isin(values, x2))


def union1d(x1: Array, x2: Array, /) -> Array:
    """The values that either array has, in order."""
    values: Array = unique(joined([x1.reshape(-1), x2.reshape(-1)], 0))
    return values


def setdiff1d(x1: Array, x2: Array, /) -> Array:
    """The values that only the first array has, in order."""
    values = unique(_flat(x1))
    return _kept(values, isin(values, x2, invert=True))


def setxor1d(x1: Array, x2: Array, /) -> Array:
    """The values that one of the arrays has and the other has not, in order."""
    return union1d(setdiff1d(x1, x2), setdiff1d(x2, x1))


def bincount(x: Array, /, weights: Array | None = None, minlength: int = 0) -> Array:
    """How often each number from 0 on occurs, or the sums of its weights. Waits for the greatest one."""
    if x.ndim != 1:
        raise ArgumentValueError(f"bincount: expected one axis, got {x.ndim}")
    if minlength < 0:
        raise ArgumentValueError(f"minlength: expected 0 or more, got {minlength}")
    if weights is not None and weights.shape != x.shape:
        raise ArgumentValueError(f"bincount: weights of shape {weights.shape} for numbers of shape {x.shape}")
    own = None if weights is None else _flat(weights)
    counts: Array = _core.bincount(_flat(x), own, minlength)
    return counts


def histogram(
    x: Array,
    bins: int | Array | ArrayLike = 10,
    range: tuple[float, float] | None = None,
    density: bool | None = None,
    weights: Array | None = None,
) -> tuple[Array, Array]:
    """How many elements fall into each bin, or the sums of their weights, and the edges of the bins."""
    from . import algorithms

    flat = _flat(x)
    own = None if weights is None else _flat(weights)
    counts, edges = algorithms.histogram(flat, bins, range, own)
    limits = edges if isinstance(edges, Array) else asarray(edges, device=x.device)
    if not density:
        return counts, limits
    total = _core.reduce("sum", counts)
    return counts / (limits[1:] - limits[:-1]) / total, limits


def digitize(x: Array, bins: Array | ArrayLike, right: bool = False) -> Array:
    """Which bin each element belongs to: 0 in front of the first edge, as many as there are edges behind the last."""
    edges: Any = bins.get() if isinstance(bins, Array) else np.asarray(bins)
    steps = np.diff(edges)
    if edges.ndim != 1 or not ((steps >= 0).all() or (steps <= 0).all()):
        raise ArgumentValueError("bins: expected edges of one axis, increasing or decreasing")
    dtype = np.result_type(x.dtype, edges.dtype)
    is_falling = edges.size > 1 and edges[0] > edges[-1]
    rising = asarray(np.ascontiguousarray(edges[::-1] if is_falling else edges, dtype), device=x.device)
    find = _core.lower_bound if right else _core.upper_bound
    places: Array = find(rising, _flat(x, dtype))
    return (edges.size - places if is_falling else places).reshape(x.shape)
