# SPDX-License-Identifier: MIT
"""Repetition of elements and of whole arrays: each rank repeats its block, and elements move between neighbours."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import quern

from .._core import ArgumentValueError, Communicator, DistributedArray, Layout
from .._core import Array as LocalArray
from ._array import Array, wrap
from ._composed import _axis
from ._indexing import take
from ._manipulation import expand_dims, reshape
from ._reductions import _checked


def repeat(x: Array, repeats: Any, axis: int | None = None) -> Array:
    """Repeat elements along an axis.

    Parameters
    ----------
    x : Array
        Distributed array.
    repeats : int or array_like of ints
        Number of repetitions of all elements, or of each index along the axis; the same on every rank.
    axis : int, optional
        Axis; by default the elements in C order.

    Returns
    -------
    Array
        Repeated elements.

    Examples
    --------
    >>> qn.dist.repeat(qn.dist.asarray([1, 2]), 2).get()
    array([1, 1, 2, 2])
    """
    x = _checked(x, "repeat")
    if axis is None:
        axis, x = 0, reshape(x, (x.size,))
    along = _axis(axis, x.ndim)
    counts = repeats.get() if isinstance(repeats, (Array, quern.Array)) else repeats
    length = x.shape[along]
    total = len(np.repeat(np.empty((length, 0)), counts, axis=0))  # NumPy's errors
    blocks = _in_blocks(x, along)
    if blocks is None:
        return take(x, np.repeat(np.arange(length), counts), along)
    each = np.broadcast_to(np.asarray(counts, dtype=np.int64), (length,))
    after = _resized(blocks.layout, along, total, x.comm)
    start, stop = _interval(blocks.layout, x.comm.rank, along)
    if np.size(counts) == 1:
        local: LocalArray = quern.repeat(blocks.local, int(np.ravel(counts)[0]), axis=along)
    else:
        numbers = np.repeat(np.arange(stop - start), each[start:stop])
        local = quern.take(blocks.local, numbers, axis=along)
    if blocks.layout.is_replicated or blocks.layout.root is not None:
        return Array(local, after, x.comm)
    # Each rank has the repetitions of its elements; those beyond the bounds of equal blocks move.
    ends = np.concatenate([[0], np.cumsum(each)])
    lengths = _lengths(blocks.layout)
    bounds = np.concatenate([[0], np.cumsum(lengths[along])])
    lengths[along] = np.diff(ends[bounds]).tolist()
    if lengths == _lengths(after):
        return Array(local, after, x.comm)
    return Array(local, Layout.irregular(lengths), x.comm).redistribute(after)


def tile(x: Array, repetitions: int | Sequence[int]) -> Array:
    """Repeat a whole array along axes.

    Parameters
    ----------
    x : Array
        Distributed array.
    repetitions : int or sequence of ints
        Numbers of repetitions along the last axes; axes are added in front if there are more numbers.

    Returns
    -------
    Array
        Repeated array.

    Examples
    --------
    >>> qn.dist.tile(qn.dist.asarray([1, 2]), 2).get()
    array([1, 2, 1, 2])
    """
    x = _checked(x, "tile")
    counts = (
        [int(one) for one in repetitions]
        if isinstance(repetitions, Sequence)
        else [operator.index(repetitions)]
    )
    if min(counts, default=0) < 0:
        raise ArgumentValueError(f"tile: numbers of repetitions must not be negative, got {repetitions}")
    counts = [1] * (x.ndim - len(counts)) + counts
    if len(counts) > x.ndim:
        x = expand_dims(x, list(range(len(counts) - x.ndim)))
    for axis, count in enumerate(counts):
        if count != 1:
            x = _tiled(x, axis, count)
    return x


def _tiled(x: Array, axis: int, count: int) -> Array:
    """An array, several times along an axis."""
    length = x.shape[axis]
    blocks = _in_blocks(x, axis)
    if blocks is None:
        return take(x, np.tile(np.arange(length), count), axis)
    layout, comm = blocks.layout, x.comm
    after = _resized(layout, axis, length * count, comm)
    repetitions = [1] * x.ndim
    if layout.is_replicated or layout.root is not None or len(_lengths(layout)[axis]) == 1:
        repetitions[axis] = count
        return Array(quern.tile(blocks.local, repetitions), after, comm)
    if 0 < count <= comm.size:
        return wrap(DistributedArray.concat([blocks._blocks] * count, axis))
    # The array is at most as large as the result's block.
    start, stop = _interval(after, comm.rank, axis)
    first = start % length if length else 0
    place = [slice(*_interval(after, comm.rank, one)) for one in range(x.ndim)]
    place[axis] = slice(None)
    part = blocks.redistribute("replicated").local[tuple(place)]
    repetitions[axis] = -(-(first + stop - start) // length) if length else 0
    place = [slice(None)] * axis + [slice(first, first + stop - start)]
    return Array(quern.tile(part, repetitions)[tuple(place)].copy(), after, comm)


def _in_blocks(x: Array, axis: int) -> Array | None:
    """The array with one interval of an axis on each rank; None if other axes are split in another way."""
    layout, ranks = x.layout, range(x.comm.size)
    if layout.is_replicated or layout.root is not None:
        return x
    if not all(layout.is_first_replica(rank) for rank in ranks):
        return None
    own = [layout.intervals(rank) for rank in ranks]
    others: Layout | None = None  # as it, but for the axis
    for grid in _grids(layout):
        blocks = Layout.block(grid, x.shape)
        found = [blocks.intervals(rank) for rank in ranks]
        if found == own:
            return x if blocks == layout else Array(x.local, blocks, x.comm)
        if [_without(one, axis) for one in found] == [_without(one, axis) for one in own]:
            others = others or blocks
    return None if others is None else x.redistribute(others)


def _grids(layout: Layout) -> Iterator[list[int]]:
    """Process grids that split axes as the grid of a layout does, whose axes may be others."""
    ndim, splits = len(layout.shape), [one for one in layout.grid if one > 1]
    for axes in itertools.combinations(range(ndim), len(splits)):
        grid = [1] * ndim
        for axis, length in zip(axes, splits, strict=True):
            grid[axis] = length
        yield grid


def _without(intervals: tuple[Any, ...], axis: int) -> tuple[Any, ...]:
    return intervals[:axis] + intervals[axis + 1 :]


def _resized(layout: Layout, axis: int, length: int, comm: Communicator) -> Layout:
    """The layout of _in_blocks() for an axis of another length."""
    shape = (*layout.shape[:axis], length, *layout.shape[axis + 1 :])
    if layout.root is not None:
        return Layout.owned(comm.size, shape, layout.root)
    return Layout.replicated(comm.size, shape) if layout.is_replicated else Layout.block(layout.grid, shape)


def _interval(layout: Layout, rank: int, axis: int) -> tuple[int, int]:
    return (layout.intervals(rank)[axis] or ((0, 0),))[0]


def _lengths(layout: Layout) -> list[list[int]]:
    """The lengths of the blocks along each axis."""
    grid = (*layout.grid, *[1] * (len(layout.shape) - len(layout.grid)))
    return [
        [layout.local_shape(part * math.prod(grid[axis + 1 :]))[axis] for part in range(grid[axis])]
        for axis in range(len(layout.shape))
    ]
