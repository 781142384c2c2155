# SPDX-License-Identifier: MIT
"""Arrays in order along an axis, what is in them once, and sets made of them."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from . import _core, _functions
from ._core import ArgumentValueError, Array
from ._operands import Values, as_array, as_arrays, as_vector, axis_of

__all__ = [
    "UniqueAllResult",
    "UniqueCountsResult",
    "UniqueInverseResult",
    "argpartition",
    "argsort",
    "lexsort",
    "partition",
    "sort",
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]


def _line(function: str, x: Array, axis: int | None) -> tuple[Array, int]:
    """What an axis goes over, and all elements where there is none."""
    return (x.reshape(-1), 0) if axis is None else (x, axis_of(function, axis, x.ndim))


def _check_kind(kind: str | None) -> None:
    if kind not in (None, "stable", "quicksort", "mergesort", "heapsort", "introselect"):
        raise ArgumentValueError(f"kind: expected one of NumPy's kinds of sorting, got {kind!r}")


def sort(
    x: Values,
    /,
    axis: int | None = -1,
    kind: str | None = None,
    *,
    descending: bool = False,
    stable: bool | None = True,
) -> Array:
    """The elements in order along an axis, or all of them where it is None; NaNs last. Sorts are always stable."""
    _check_kind(kind)
    return _core.sorted_along(*_line("sort", as_array("sort", x), axis), descending)


def argsort(
    x: Values,
    /,
    axis: int | None = -1,
    kind: str | None = None,
    *,
    descending: bool = False,
    stable: bool | None = True,
) -> Array:
    """The positions (int64) that put the elements in order along an axis; equal ones stay as they are, NaNs last."""
    _check_kind(kind)
    x = as_vector(as_array("argsort", x))
    return _core.argsorted_along(*_line("argsort", x, axis), descending)


def lexsort(keys: Sequence[Values] | Array, axis: int = -1) -> Array:
    """The positions that put the last key in order, where it is equal the one before it, and so on."""
    return _core.lexsort(as_arrays("lexsort", *keys), axis)


def partition(
    x: Values, kth: int | Sequence[int], axis: int | None = -1, kind: str | None = "introselect"
) -> Array:
    """Element `kth` where a sort puts it, lesser ones before it and greater ones behind; all are sorted here."""
    x = as_array("partition", x)
    _check_kth("partition", x, kth, axis)
    return sort(x, axis, kind)


def argpartition(
    x: Values, kth: int | Sequence[int], axis: int | None = -1, kind: str | None = "introselect"
) -> Array:
    """The positions that partition() takes the elements from."""
    x = as_array("argpartition", x)
    _check_kth("argpartition", x, kth, axis)
    return argsort(x, axis, kind)


def _check_kth(function: str, x: Array, kth: int | Sequence[int], axis: int | None) -> None:
    line, at = _line(function, x, axis)
    length = line.shape[at]
    if x.size == 0:
        return
    for k in [kth] if isinstance(kth, int) else kth:
        if not -length <= k < length:
            raise ArgumentValueError(f"kth: {k} is out of bounds for {length} elements")


class UniqueAllResult(NamedTuple):
    """Of each value: itself, where it first is, which elements have it, and how many."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCountsResult(NamedTuple):
    """Of each value: itself, and how many elements have it."""

    values: Array
    counts: Array


class UniqueInverseResult(NamedTuple):
    """The values, and which of them each element has."""

    values: Array
    inverse_indices: Array


def unique_all(x: Values, /) -> UniqueAllResult:
    """Values, first positions, inverse and counts; each NaN is a value of its own. Waits for their number."""
    return UniqueAllResult(*_core.unique_all(as_array("unique", x), False))


def unique_counts(x: Values, /) -> UniqueCountsResult:
    """Each value once and in order, and how often it is there; each NaN is a value of its own."""
    values, _, _, counts = _core.unique_all(as_array("unique", x), False)
    return UniqueCountsResult(values, counts)


def unique_inverse(x: Values, /) -> UniqueInverseResult:
    """Each value once and in order, and which of them each element is; each NaN is a value of its own."""
    values, _, inverse, _ = _core.unique_all(as_array("unique", x), False)
    return UniqueInverseResult(values, inverse)


def unique_values(x: Values, /) -> Array:
    """Each value once and in order; each NaN is a value of its own. Waits for their number."""
    return _core.unique_values(as_array("unique", x), False)


def unique(
    x: Values,
    /,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    """Each value once and in order, as numpy.unique; of an axis, each part that it goes over. With what else is asked
    for, a tuple. Waits for the number of values."""
    x = as_array("unique", x)
    if axis is not None:
        values, indices, inverse, counts = _unique_parts(x, axis_of("unique", axis, x.ndim))
    elif return_index or return_inverse or return_counts:
        values, indices, inverse, counts = _core.unique_all(x, equal_nan)
    else:
        return _core.unique_values(x, equal_nan)
    wanted = [(return_index, indices), (return_inverse, inverse), (return_counts, counts)]
    results = (values, *(part for is_wanted, part in wanted if is_wanted))
    return results if len(results) > 1 else values


def _unique_parts(x: Array, axis: int) -> tuple[Array, Array, Array, Array]:
    """The parts along an axis, compared by their elements from the first on, and where they were."""
    parts = _core.moveaxis(x, axis, 0)
    count = parts.shape[0]
    rows = parts.reshape(count, prod(parts.shape[1:]))
    if rows.shape[1] == 0:
        rows = _core.zeros((count, 1), np.bool_, x.device, None)
    order = _core.lexsort([rows[:, k] for k in reversed(range(rows.shape[1]))], -1)
    ordered = rows[order]
    starts = _core.full((count,), True, np.bool_, x.device, None)
    starts[1:] = _functions.any(ordered[1:] != ordered[:-1], axis=1)
    (first,) = _core.nonzero_indices(starts)
    ends = _core.full(first.shape, count, np.int64, x.device, None)
    ends[:-1] = first[1:]
    inverse = _core.empty((count,), np.int64, x.device, None)
    inverse[order] = _functions.cumsum(starts, 0) - 1
    indices = order[first]
    return _core.moveaxis(parts[indices], 0, axis), indices, inverse, ends - first
