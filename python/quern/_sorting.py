# SPDX-License-Identifier: MIT
"""Arrays in order along an axis, what is in them once, and sets made of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from . import _core
from ._core import ArgumentValueError, Array

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


def _flat(x: Array, axis: int | None) -> tuple[Array, int]:
    return (x.reshape(-1), 0) if axis is None else (x, axis)


def _check_kind(kind: str | None) -> None:
    if kind not in (None, "stable", "quicksort", "mergesort", "heapsort", "introselect"):
        raise ArgumentValueError(f"kind: expected one of NumPy's kinds of sorting, got {kind!r}")


def sort(
    x: Array,
    /,
    axis: int | None = -1,
    kind: str | None = None,
    *,
    descending: bool = False,
    stable: bool | None = True,
) -> Array:
    """The elements in order along an axis, or all of them where it is None; NaNs last. Sorts are always stable."""
    _check_kind(kind)
    return _core.sorted_along(*_flat(x, axis), descending)


def argsort(
    x: Array,
    /,
    axis: int | None = -1,
    kind: str | None = None,
    *,
    descending: bool = False,
    stable: bool | None = True,
) -> Array:
    """The positions (int64) that put the elements in order along an axis; equal ones stay as they are, NaNs last."""
    _check_kind(kind)
    return _core.argsorted_along(*_flat(x, axis), descending)


def lexsort(keys: Sequence[Array] | Array, axis: int = -1) -> Array:
    """The positions that put the last key in order, where it is equal the one before it, and so on."""
    return _core.lexsort(list(keys), axis)


def partition(
    x: Array, kth: int | Sequence[int], axis: int | None = -1, kind: str | None = "introselect"
) -> Array:
    """Element `kth` where a sort puts it, lesser ones before it and greater ones behind; all are sorted here."""
    _check_kth(x, kth, axis)
    return sort(x, axis, kind)


def argpartition(
    x: Array, kth: int | Sequence[int], axis: int | None = -1, kind: str | None = "introselect"
) -> Array:
    """The positions that partition() takes the elements from."""
    _check_kth(x, kth, axis)
    return argsort(x, axis, kind)


def _check_kth(x: Array, kth: int | Sequence[int], axis: int | None) -> None:
    length = x.size if axis is None else x.shape[axis]
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


def unique_all(x: Array, /) -> UniqueAllResult:
    """Values, first positions, inverse and counts; each NaN is a value of its own. Waits for their number."""
    return UniqueAllResult(*_core.unique_all(x, False))


def unique_counts(x: Array, /) -> UniqueCountsResult:
    """Each value once and in order, and how often it is there; each NaN is a value of its own."""
    values, _, _, counts = _core.unique_all(x, False)
    return UniqueCountsResult(values, counts)


def unique_inverse(x: Array, /) -> UniqueInverseResult:
    """Each value once and in order, and which of them each element is; each NaN is a value of its own."""
    values, _, inverse, _ = _core.unique_all(x, False)
    return UniqueInverseResult(values, inverse)


def unique_values(x: Array, /) -> Array:
    """Each value once and in order; each NaN is a value of its own. Waits for their number."""
    return _core.unique_values(x, False)


def unique(
    x: Array,
    /,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: None = None,
    *,
    equal_nan: bool = True,
) -> Any:
    """Each value once and in order, as numpy.unique; with what else is asked for, a tuple."""
    if axis is not None:
        raise ArgumentValueError("unique: axis is not supported; values are those of all elements")
    if not (return_index or return_inverse or return_counts):
        return _core.unique_values(x, equal_nan)
    values, indices, inverse, counts = _core.unique_all(x, equal_nan)
    wanted = [(return_index, indices), (return_inverse, inverse), (return_counts, counts)]
    return (values, *(part for is_wanted, part in wanted if is_wanted))
