# SPDX-License-Identifier: MIT
"""Index arrays of distributed arrays: x[i, j], x[i] = v, take, put, take_along_axis, nonzero."""

from __future__ import annotations

from typing import Any

import numpy as np

import quern

from .._core import ArgumentIndexError, ArgumentTypeError, ArgumentValueError
from .._core import Array as LocalArray
from ._array import Array, is_number, replicated, wrap
from ._reductions import _axes, _call, _checked

Index = Any


def has_arrays(index: Index) -> bool:
    """Whether an index consists of arrays or lists of integers, perhaps beside slices."""
    parts = index if isinstance(index, tuple) else (index,)
    return any(
        isinstance(one, (Array, LocalArray, list)) or (isinstance(one, np.ndarray) and one.ndim)
        for one in parts
    )


def _integers(index: Any, length: int, stride: int, beside: Array, name: str) -> Array:
    """Indices along an axis as a distributed array of int64, none of them negative.

    One that is out of bounds becomes a number whose place is negative, which all ranks find together.
    """
    if isinstance(index, Array):
        given = index
    else:
        values = np.asarray(index.get() if isinstance(index, LocalArray) else index)
        given = replicated(values.astype(np.int64) if values.size == 0 else values, beside)
    if given.dtype.kind not in "iu":
        raise ArgumentTypeError(f"{name}: expected indices of integers or a mask, got {given.dtype}")
    given = given.astype(np.int64, copy=False)
    wrapped = _call("where", _call("less", given, 0), _call("add", given, length), given)
    is_out = _call("logical_or", _call("less", wrapped, 0), _call("greater_equal", wrapped, length))
    return _call("where", is_out, np.int64(-(beside.size // max(stride, 1) + 1)), wrapped)


def _strides(shape: tuple[int, ...]) -> list[int]:
    strides = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        strides[axis] = strides[axis + 1] * shape[axis + 1]
    return strides


def _is_mask(one: Any) -> bool:
    return isinstance(one, (Array, LocalArray, np.ndarray)) and one.dtype == np.bool_ and one.ndim > 0


def _without_masks(parts: list[Any], x: Array) -> list[Any]:
    """An index with arrays of integers in place of masks: one for each axis of a mask, with its true elements."""
    parts = [
        np.asarray(one) if isinstance(one, list) and np.asarray(one).dtype == np.bool_ else one
        for one in parts
    ]
    if not any(_is_mask(one) for one in parts):
        return parts
    widths = [0 if one is None or one is Ellipsis else one.ndim if _is_mask(one) else 1 for one in parts]
    result: list[Any] = []
    axis = 0
    for number, (one, width) in enumerate(zip(parts, widths, strict=True)):
        if one is Ellipsis:
            axis = x.ndim - sum(widths[number + 1 :])
        if not _is_mask(one):
            result.append(one)
        else:
            lengths = x.shape[axis : axis + width]
            if one.shape != lengths:
                raise ArgumentIndexError(f"a mask of shape {one.shape} for axes of lengths {lengths}")
            whole = one.get() if isinstance(one, LocalArray) else one
            result.extend(nonzero(whole) if isinstance(whole, Array) else np.nonzero(whole))
        axis += width
    return result


def places_of(x: Array, index: Index) -> Array:
    """The places that an index with arrays selects, by NumPy's rules: numbers of elements in C order."""
    parts = _without_masks(list(index) if isinstance(index, tuple) else [index], x)
    if sum(one is Ellipsis for one in parts) > 1:
        raise ArgumentIndexError("an index has at most one ellipsis")
    used = sum(one is not None and one is not Ellipsis for one in parts)
    if used > x.ndim:
        raise ArgumentIndexError(f"too many indices: the array has {x.ndim} axes, but {used} were indexed")
    at = next((i for i, one in enumerate(parts) if one is Ellipsis), len(parts))
    parts[at : at + 1] = [slice(None)] * (x.ndim - used)

    strides = _strides(x.shape)
    arrays: list[tuple[int, Array]] = []  # strides and indices that broadcast together
    axes: list[Any] = []  # of the result: an arange of places, or None for where the arrays are
    is_adjacent, was_array, axis = True, False, 0
    for one in parts:
        if one is None:
            axes.append(np.zeros(1, dtype=np.int64))
            was_array = False
            continue
        length, stride = x.shape[axis], strides[axis]
        axis += 1
        if isinstance(one, slice):
            axes.append(np.arange(*one.indices(length), dtype=np.int64) * stride)
            was_array = False
            continue
        chosen = _integers(one, length, stride, x, f"axis {axis - 1}")
        if not arrays:
            axes.append(None)
        elif not was_array:
            is_adjacent = False
        arrays.append((stride, chosen))
        was_array = True
    before = next(number for number, one in enumerate(axes) if one is None)
    if not is_adjacent:
        axes.insert(0, axes.pop(before))
        before = 0

    ndim = max(one.ndim for _, one in arrays)
    after = len(axes) - before - 1
    places: Array | None = None
    for stride, chosen in arrays:
        shape = (1,) * (ndim - chosen.ndim) + chosen.shape + (1,) * after
        term = wrap(chosen._blocks.reshape(list(shape))) if shape != chosen.shape else chosen
        term = _call("multiply", term, stride)
        places = term if places is None else _call("add", places, term)
    assert places is not None
    for number, axis_places in enumerate(axes):
        if axis_places is None:
            continue
        behind = len(axes) - number - 1 + (ndim - 1 if number < before else 0)
        places = _call("add", places, replicated(axis_places.reshape((-1,) + (1,) * behind), x))
    if places.layout.is_replicated and places.ndim:
        places = places.redistribute("block")  # no messages
    return places


def get_at(x: Array, index: Index) -> Array:
    """x[index] for an index with arrays."""
    return wrap(x._blocks.gather_at(places_of(x, index)._blocks))


def set_at(x: Array, index: Index, value: Any) -> None:
    """x[index] = value for an index with arrays."""
    _write(x, places_of(x, index), value)


def _write(x: Array, places: Array, value: Any) -> None:
    if is_number(value):
        values = places._with(quern.full(places.local.shape, value, dtype=x.dtype, device=x.device))
    else:
        values = value if isinstance(value, Array) else replicated(value, x)
        values = wrap(values._blocks.broadcast_to(list(places.shape)))
    x._blocks.scatter_at(places._blocks, values._blocks)


def take(x: Array, indices: Any, axis: int | None = None) -> Array:
    """Take elements at indices along an axis.

    Parameters
    ----------
    x : Array
        Distributed array.
    indices : Array or array_like of ints
        Indices along the axis; negative ones count from the end. Those that are not distributed are the same on every
        rank.
    axis : int, optional
        Axis; by default the elements in C order.

    Returns
    -------
    Array
        Elements at the indices.

    Examples
    --------
    >>> qn.dist.take(qn.dist.arange(5), [4, 0, 4]).get()
    array([4, 0, 4])
    """
    x = _checked(x, "take")
    if axis is None:
        axis, x = 0, x if x.ndim == 1 else wrap(x._blocks.reshape([-1 if x.size else 0]))
    (along,) = _axes(axis, x.ndim) or [0]
    if not isinstance(indices, Array) or indices.layout.is_replicated:
        given = indices.local.get() if isinstance(indices, Array) else indices
        values = np.asarray(given.get() if isinstance(given, LocalArray) else given)
        if values.size == 0:
            values = values.astype(np.int64)
        if values.dtype.kind not in "iu":
            raise ArgumentTypeError(f"take: expected indices of integers, got {values.dtype}")
        if values.ndim == 1:
            return wrap(x._blocks.take(values.tolist(), along))
        indices = values
    return get_at(x, (*[slice(None)] * along, indices))


def put(x: Array, indices: Any, values: Any) -> None:
    """Write values to elements, which are counted in C order.

    Parameters
    ----------
    x : Array
        Distributed array, which changes.
    indices : Array or array_like of ints
        Numbers of elements; negative ones count from the end.
    values : Array, array_like or number
        Values, which broadcast to the shape of the indices.

    Examples
    --------
    >>> x = qn.dist.zeros((2, 2))
    >>> qn.dist.put(x, [0, 3], [1.0, 2.0])
    >>> x.get()
    array([[1., 0.],
           [0., 2.]])
    """
    x = _checked(x, "put")
    _write(x, _integers(indices, x.size, 1, x, "put"), values)


def take_along_axis(x: Array, indices: Any, axis: int = -1) -> Array:
    """Take elements at indices of the same number of axes, along one axis.

    Parameters
    ----------
    x : Array
        Distributed array.
    indices : Array or array_like of ints
        Indices along the axis; their other axes have the lengths of the array, or 1.
    axis : int, optional
        Axis to take along.

    Returns
    -------
    Array
        Elements, in the layout of the indices.

    Examples
    --------
    >>> x = qn.dist.asarray([[3, 1, 2], [4, 6, 5]])
    >>> qn.dist.take_along_axis(x, qn.dist.argsort(x)).get()
    array([[1, 2, 3],
           [4, 5, 6]])
    """
    x = _checked(x, "take_along_axis")
    (along,) = _axes(axis, x.ndim) or [0]
    strides = _strides(x.shape)
    chosen = _integers(indices, x.shape[along], strides[along], x, "take_along_axis")
    if chosen.ndim != x.ndim:
        raise ArgumentValueError(
            f"take_along_axis: indices of {chosen.ndim} axes for an array of {x.ndim}; they must have as many"
        )
    places = _call("multiply", chosen, strides[along])
    for one, length in enumerate(x.shape):
        if one != along:
            numbers = np.arange(length, dtype=np.int64) * strides[one]
            shape = [-1 if other == one else 1 for other in range(x.ndim)]
            places = _call("add", places, replicated(numbers.reshape(shape), x))
    return wrap(x._blocks.gather_at(places._blocks))


def nonzero(x: Array) -> tuple[Array, ...]:
    """Indices of the elements that are not zero, in C order. The array must not be 0-d.

    Parameters
    ----------
    x : Array
        Distributed array.

    Returns
    -------
    tuple of Arrays
        For each axis the indices, int64.

    Examples
    --------
    >>> qn.dist.nonzero(qn.dist.asarray([0, 5, 0, 7]))[0].get()
    array([1, 3])
    """
    x = _checked(x, "nonzero")
    if not x.ndim:
        raise ArgumentValueError("nonzero: expected an array of at least one axis")
    mask = _call("not_equal", x, 0)
    shape = mask.local.shape
    return tuple(
        mask._with(quern.broadcast_to(mask._blocks.global_indices(axis), shape))[mask]
        for axis in range(x.ndim)
    )
