# SPDX-License-Identifier: MIT
"""Unique values, membership and places in sorted vectors, by sorting."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core import ArgumentValueError
from ._array import Array, replicated
from ._creation import arange, ones_like, zeros
from ._cumulative import cumulative_sum
from ._indexing import take_along_axis
from ._manipulation import argsort, concat, reshape, sort
from ._ranks import using
from ._reductions import _call, _checked


class UniqueAll(NamedTuple):
    """Result of unique_all()."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCounts(NamedTuple):
    """Result of unique_counts()."""

    values: Array
    counts: Array


class UniqueInverse(NamedTuple):
    """Result of unique_inverse()."""

    values: Array
    inverse_indices: Array


def _numbers(count: int, beside: Array) -> Array:
    """0, 1, ... on the ranks and the device of another array."""
    with using(beside.comm):
        return arange(count, device=beside.device)


def _inverse(order: Array, values: Array) -> Array:
    """The elements that have these values at these places, int64."""
    with using(order.comm):
        result = zeros(order.size, dtype=np.int64, device=order.device)
    if order.size:
        result[order] = values
    return result


def _starts(ordered: Array) -> Array:
    """Which elements of a sorted vector differ from the one before."""
    is_first = ones_like(ordered, dtype=np.bool_)
    if ordered.size > 1:
        is_first[1:] = _call("not_equal", ordered[1:], ordered[:-1])
    return is_first


def unique_values(x: Array) -> Array:
    """Sorted unique values of all elements. Each NaN is a value of its own.

    Parameters
    ----------
    x : Array
        Distributed array.

    Returns
    -------
    Array
        Values, split along their axis.

    Examples
    --------
    >>> qn.dist.unique_values(qn.dist.asarray([3, 1, 3])).get()
    array([1, 3])
    """
    x = _checked(x, "unique_values")
    ordered = sort(reshape(x, (x.size,)))
    return ordered[_starts(ordered)]


def unique_all(x: Array) -> UniqueAll:
    """Sorted unique values of all elements, with their first indices, the way back, and their counts.

    Parameters
    ----------
    x : Array
        Distributed array.

    Returns
    -------
    UniqueAll
        values, indices, inverse_indices, counts. Each NaN is a value of its own.

    Examples
    --------
    >>> qn.dist.unique_all(qn.dist.asarray([3, 1, 3])).counts.get()
    array([1, 2])
    """
    x = _checked(x, "unique_all")
    flat = reshape(x, (x.size,))
    order = argsort(flat)
    ordered = take_along_axis(flat, order, 0)
    is_first = _starts(ordered)
    places = _numbers(x.size, x)[is_first]
    inverse = _inverse(order, _call("subtract", cumulative_sum(is_first, 0, np.int64), 1))
    ends = concat([places[1:], replicated(np.array([x.size]), x)]) if x.size else places
    counts = _call("subtract", ends, places)
    return UniqueAll(ordered[is_first], order[is_first], reshape(inverse, x.shape), counts)


def unique_counts(x: Array) -> UniqueCounts:
    """Sorted unique values of all elements, and how often each occurs.

    Parameters
    ----------
    x : Array
        Distributed array.

    Returns
    -------
    UniqueCounts
        values, counts. Each NaN is a value of its own.

    Examples
    --------
    >>> qn.dist.unique_counts(qn.dist.asarray([3, 1, 3])).counts.get()
    array([1, 2])
    """
    found = unique_all(x)
    return UniqueCounts(found.values, found.counts)


def unique_inverse(x: Array) -> UniqueInverse:
    """Sorted unique values of all elements, and the number of each element's value.

    Parameters
    ----------
    x : Array
        Distributed array.

    Returns
    -------
    UniqueInverse
        values, inverse_indices. Each NaN is a value of its own.

    Examples
    --------
    >>> qn.dist.unique_inverse(qn.dist.asarray([3, 1, 3])).inverse_indices.get()
    array([1, 0, 1])
    """
    found = unique_all(x)
    return UniqueInverse(found.values, found.inverse_indices)


def _vector(value: Any, beside: Array) -> Array:
    given = value if isinstance(value, Array) else replicated(value, beside)
    return reshape(given, (given.size,))


def searchsorted(x1: Array, x2: Any, *, side: str = "left", sorter: Any = None) -> Array:
    """Places at which elements would keep a sorted vector sorted. Both are sorted together.

    Parameters
    ----------
    x1 : Array
        Sorted vector.
    x2 : Array or array_like
        Elements to find places for.
    side : {'left', 'right'}, optional
        Whether a place is before or behind equal elements.
    sorter : Array or array_like of ints, optional
        Indices that sort the vector.

    Returns
    -------
    Array
        Places, int64, in the shape of the elements.

    Examples
    --------
    >>> qn.dist.searchsorted(qn.dist.asarray([1, 2, 4]), [2, 5]).get()
    array([1, 3])
    """
    x1 = _checked(x1, "searchsorted")
    if x1.ndim != 1:
        raise ArgumentValueError("searchsorted: expected a vector")
    if side not in ("left", "right"):
        raise ArgumentValueError("searchsorted: side must be 'left' or 'right'")
    vector = x1 if sorter is None else x1[sorter]
    wanted = _vector(x2, x1)
    shape = x2.shape if isinstance(x2, Array) else np.shape(x2)
    is_left = side == "left"
    joined = concat([wanted, vector] if is_left else [vector, wanted])
    order = argsort(joined)  # equal elements keep their order
    split = wanted.size if is_left else vector.size
    is_vector = _call("greater_equal" if is_left else "less", order, split)
    before = _inverse(order, cumulative_sum(is_vector, 0, np.int64))
    return reshape(before[:split] if is_left else before[split:], shape)


def isin(x1: Array, x2: Any, *, invert: bool = False) -> Array:
    """Whether elements are among others.

    Parameters
    ----------
    x1 : Array
        Distributed array.
    x2 : Array or array_like
        The others.
    invert : bool, optional
        Whether to tell which are not.

    Returns
    -------
    Array
        Array of bool, in the shape of the first array.

    Examples
    --------
    >>> qn.dist.isin(qn.dist.arange(4), [1, 3]).get()
    array([False,  True, False,  True])
    """
    x1 = _checked(x1, "isin")
    others = sort(_vector(x2, x1))
    found = _call("less", searchsorted(others, x1), searchsorted(others, x1, side="right"))
    found = _call("logical_and", found, _call("equal", x1, x1))  # NaN equals nothing
    return _call("logical_not", found) if invert else found
