# SPDX-License-Identifier: MIT
"""Arrays as sets, and how often their elements occur: on sorting, searching and counting."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core, _functions
from ._array import count_of
from ._core import ArgumentTypeError, ArgumentValueError, Array
from ._functions import concat as joined
from ._functions import sort, unique
from ._operands import Values, as_array, as_arrays, default_float, flat

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


def _beside(function: str, *values: Values) -> list[Array]:
    """All of them arrays on one device."""
    arrays = as_arrays(function, *values)
    first, second = (x.device for x in arrays)
    if first != second:
        raise ArgumentValueError(
            f"{function}: the first array is on '{first.spec}', the second on '{second.spec}'; "
            f"move it with to_device({first.spec!r})"
        )
    return arrays


def isin(x: Values, test_elements: Values, /, *, invert: bool = False) -> Array:
    """Whether each element is among others, in the array's shape."""
    x, others = _beside("isin", x, test_elements)
    dtype = np.result_type(x.dtype, others.dtype)
    is_positive = None
    if dtype.kind == "f" and x.dtype.kind in "iu" and others.dtype.kind in "iu":
        # uint64 beside signed integers: no type holds both, but what is negative is not among the others.
        dtype = np.dtype(np.uint64)
        is_positive = flat(x) >= 0
        others = others[others >= 0]
    elements, known = flat(x, dtype), sort(flat(others, dtype))
    low, high = (_core.searchsorted(known, elements, is_right, None) for is_right in (False, True))
    # NaN is equal to nothing, although it has a place.
    found = _core.apply("logical_and", high > low, elements == elements)
    if is_positive is not None:
        found = _core.apply("logical_and", found, is_positive)
    return (_core.apply("logical_not", found) if invert else found).reshape(x.shape)


def in1d(x: Values, test_elements: Values, /, *, invert: bool = False) -> Array:
    """Whether each element, in C order, is among others."""
    return isin(x, test_elements, invert=invert).reshape(-1)


def _kept(x: Array, where: Array) -> Array:
    kept: Array = _core.copy_if(x, _core.as_contiguous(where))
    return kept


def intersect1d(x1: Values, x2: Values, /) -> Array:
    """The values that both arrays have, in order."""
    x1, x2 = _beside("intersect1d", x1, x2)
    values = unique(flat(x1, np.result_type(x1.dtype, x2.dtype)))
    return _kept(values, isin(values, x2))


def union1d(x1: Values, x2: Values, /) -> Array:
    """The values that either array has, in order."""
    values: Array = unique(joined([x.reshape(-1) for x in _beside("union1d", x1, x2)], 0))
    return values


def setdiff1d(x1: Values, x2: Values, /) -> Array:
    """The values that only the first array has, in order."""
    x1, x2 = _beside("setdiff1d", x1, x2)
    values = unique(flat(x1))
    return _kept(values, isin(values, x2, invert=True))


def setxor1d(x1: Values, x2: Values, /) -> Array:
    """The values that one of the arrays has and the other has not, in order."""
    x1, x2 = _beside("setxor1d", x1, x2)
    # Sorted, not made unique again: each has its values once, and the NaN of each is another one.
    return sort(joined([setdiff1d(x1, x2), setdiff1d(x2, x1)], 0))


def bincount(x: Values, /, weights: Values | None = None, minlength: int = 0) -> Array:
    """How often each number from 0 on occurs, or the sums of its weights. Waits for the greatest one."""
    x = as_array("bincount", x)
    if x.size == 0 and x.dtype.kind == "f":
        x = x.astype(np.int64)  # A list of nothing.
    if x.ndim != 1:
        raise ArgumentValueError(f"bincount: expected one axis, got {x.ndim}")
    minlength = count_of("bincount", "minlength", minlength)
    if minlength < 0:
        raise ArgumentValueError(f"minlength: expected 0 or more, got {minlength}")
    own = None if weights is None else flat(as_array("bincount", weights, x.device))
    if own is not None and own.shape != x.shape:
        raise ArgumentValueError(f"bincount: weights of shape {own.shape} for numbers of shape {x.shape}")
    if x.size == 0:
        return _core.zeros((minlength,), np.int64, x.device, None)  # Also with weights, as in NumPy.
    counts: Array = _core.bincount(flat(x), own, minlength)
    return counts


def histogram(
    x: Values,
    bins: int | Values = 10,
    range: tuple[float, float] | None = None,
    density: bool | None = None,
    weights: Values | None = None,
) -> tuple[Array, Array]:
    """How many elements fall into each bin, or the sums of their weights, and the edges of the bins."""
    from . import algorithms

    x = as_array("histogram", x)
    if isinstance(bins, int):
        bins = count_of("histogram", "bins", bins)
    own = None if weights is None else flat(as_array("histogram", weights, x.device))
    is_count = not isinstance(bins, Array) and np.ndim(bins) == 0
    if own is not None and own.dtype == np.bool_ and own.size and not is_count:
        raise ArgumentTypeError("histogram: weights are numbers, got bool")
    if is_count and x.dtype == np.float16:
        # Edges are of the elements' type, and what counts is on which side of them an element is.
        _, edges = algorithms.histogram(flat(x), bins, range)
        first, last = (np.float16(edges[0]), np.float16(edges[-1])) if range is None else range
        bins = as_array("histogram", np.linspace(first, last, len(edges), dtype=np.float16), x.device)
    if isinstance(bins, Array):
        compared = np.float32 if x.dtype in (np.float16, np.float32) else np.float64
        counts, _ = algorithms.histogram(flat(x), flat(bins, compared), range, own)
        limits = bins
    else:
        counts, edges = algorithms.histogram(flat(x), bins, range, own)
        # Edges that were given keep their dtype.
        limits = as_array("histogram", edges if np.ndim(bins) == 0 else bins, x.device)
    if own is not None:
        counts = counts.astype(own.dtype, copy=False)
    if not density:
        return counts, limits
    total = _functions.sum(counts)
    widths = (limits[1:] - limits[:-1]).astype(default_float(x.device), copy=False)
    return counts / widths / total, limits


def digitize(x: Values, bins: Values, right: bool = False) -> Array:
    """Which bin each element belongs to: 0 in front of the first edge, as many as there are edges behind the last."""
    x = as_array("digitize", x)
    edges: Any = bins.get() if isinstance(bins, Array) else np.asarray(bins)
    if "c" in (x.dtype.kind, edges.dtype.kind):
        raise ArgumentTypeError("digitize: complex numbers and edges do not make bins")
    if edges.ndim != 1:
        raise ArgumentValueError(f"digitize: bins: expected edges of one axis, got {edges.ndim}")
    is_falling = _is_falling(edges)
    dtype = np.result_type(x.dtype, edges.dtype)
    rising = as_array("digitize", np.ascontiguousarray(edges[::-1] if is_falling else edges, dtype), x.device)
    find = _core.lower_bound if right else _core.upper_bound
    places: Array = find(rising, flat(x, dtype))
    return (edges.size - places if is_falling else places).reshape(x.shape)


def _is_falling(edges: Any) -> bool:
    """Whether edges decrease; an error where they do both. As in NumPy, NaN belongs behind rising edges and in front of
    falling ones."""
    numbers = edges.astype(np.float64)
    others = np.flatnonzero(numbers[1:] != numbers[:1])
    if others.size == 0:
        return False
    rest = numbers[others[0] + 1 :]
    is_rising = bool(numbers[0] < rest[0])
    if (rest[:-1] > rest[1:]).any() if is_rising else (rest[:-1] < rest[1:]).any():
        raise ArgumentValueError("digitize: bins: expected edges that increase or decrease")
    return not is_rising
