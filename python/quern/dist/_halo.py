# SPDX-License-Identifier: MIT
"""HaloArray: blocks with ghost cells."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .._core import ArgumentTypeError, ArgumentValueError, HaloBlocks, HaloExchange, Layout
from .._core import Array as LocalArray
from ._array import Array
from ._layouts import LayoutLike, layout_of
from ._ranks import current

Widths = Any  # int, or for each axis an int or a pair


def per_axis_widths(widths: Widths, ndim: int, what: str) -> list[tuple[int, int]]:
    """The ghost cells before and after a block along each axis."""
    per_axis = list(widths) if isinstance(widths, (tuple, list)) else [widths] * ndim
    if len(per_axis) != ndim:
        raise ArgumentValueError(f"{what}: widths of {len(per_axis)} axes for an array of {ndim}")
    pairs = [one if isinstance(one, (tuple, list)) else (one, one) for one in per_axis]
    return [(operator.index(before), operator.index(after)) for before, after in pairs]


def per_axis_periodic(periodic: Any, ndim: int) -> list[bool]:
    """Whether the ends of each axis are neighbours."""
    if not isinstance(periodic, (tuple, list)):
        return [bool(periodic)] * ndim
    if len(periodic) != ndim:
        raise ArgumentValueError(f"periodic: {len(periodic)} values for an array of {ndim} axes")
    return [bool(one) for one in periodic]


class HaloArray:
    """Distributed array whose blocks have ghost cells: copies of the neighbours' elements, which stencils read.

    Ghost cells outside the array are left to the program, for boundary values. They are zero at first.

    Parameters
    ----------
    shape : int or tuple of ints
        Shape of the whole array, without ghost cells.
    widths : int or sequence
        Ghost cells: one number, or for each axis a number or a pair (before, after).
    dtype : dtype, optional
        Data type.
    periodic : bool or sequence of bools, optional
        Whether the ends of axes are neighbours.
    corners : bool, optional
        Whether ghost cells beyond two or more faces are exchanged, too.
    layout : Layout, str or sequence of ints, optional
        'block' (default), the lengths of a process grid, or a Layout of blocks.
    device : Device or str, optional
        Device of the result; the current device by default.

    Examples
    --------
    >>> u = qn.dist.HaloArray(4, 1, periodic=True)
    >>> u.interior[...] = [1.0, 2.0, 3.0, 4.0]
    >>> u.exchange()
    >>> u.local.get()
    array([4., 1., 2., 3., 4., 1.])
    """

    __slots__ = ("_blocks", "_comm")

    def __init__(
        self,
        shape: Any,
        widths: Widths = 1,
        dtype: Any = np.float64,
        *,
        periodic: Any = False,
        corners: bool = True,
        layout: LayoutLike = None,
        device: Any = None,
    ) -> None:
        lengths = tuple(shape) if isinstance(shape, (tuple, list)) else (operator.index(shape),)
        self._comm = current()
        chosen = layout_of(layout, lengths, self._comm)
        self._blocks = HaloBlocks(
            self._comm,
            chosen,
            per_axis_widths(widths, len(lengths), "HaloArray"),
            per_axis_periodic(periodic, len(lengths)),
            corners,
            dtype,
            device,
        )

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the whole array, without ghost cells."""
        return self._blocks.layout.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Data type of the elements."""
        return self._blocks.local.dtype

    @property
    def layout(self) -> Layout:
        """Which rank has which elements."""
        return self._blocks.layout

    @property
    def local(self) -> LocalArray:
        """Block of this rank with its ghost cells."""
        return self._blocks.local

    @property
    def interior(self) -> LocalArray:
        """Block of this rank without ghost cells, a view."""
        return self._blocks.interior

    @property
    def array(self) -> Array:
        """The elements as a distributed array that shares the memory."""
        return Array(self._blocks.interior, self._blocks.layout, self._comm)

    def exchange_begin(self) -> None:
        """Send the elements that other ranks need, one message for each neighbour.

        Elements at the edges of the block must not be written until exchange_end().
        """
        self._blocks.exchange_begin()

    def exchange_end(self) -> None:
        """Wait for the messages of the neighbours and write the ghost cells."""
        self._blocks.exchange_end()

    def exchange(self) -> None:
        """Update the ghost cells."""
        self._blocks.exchange_begin()
        self._blocks.exchange_end()

    def __repr__(self) -> str:
        return f"<HaloArray of shape {self.shape}, {self.dtype}, {self.layout}; block with ghost cells:\n{self.local}>"


def exchange_begin(*fields: HaloArray) -> HaloExchange:
    """Send the elements of several arrays that other ranks need, one message for each neighbour.

    Elements at the edges of the blocks must not be written until finish() of the result.

    Parameters
    ----------
    *fields : HaloArray
        Arrays; all ranks give the same ones in the same order.

    Returns
    -------
    HaloExchange
        The exchange, whose finish() waits and writes the ghost cells.

    Examples
    --------
    >>> u, v = qn.dist.HaloArray(4, 1, periodic=True), qn.dist.HaloArray(4, 1, periodic=True)
    >>> u.interior[...] = [1.0, 2.0, 3.0, 4.0]
    >>> under_way = qn.dist.exchange_begin(u, v)
    >>> squares = u.interior[1:-1] ** 2
    >>> under_way.finish()
    >>> u.local.get()
    array([4., 1., 2., 3., 4., 1.])
    """
    for one in fields:
        if not isinstance(one, HaloArray):
            raise ArgumentTypeError(f"exchange: expected arrays of class HaloArray, got {type(one).__name__}")
    return HaloExchange([one._blocks for one in fields])


def exchange(*fields: HaloArray) -> None:
    """Update the ghost cells of several arrays, with one message for each neighbour.

    Parameters
    ----------
    *fields : HaloArray
        Arrays; all ranks give the same ones in the same order.

    Examples
    --------
    >>> u, v = qn.dist.HaloArray(3, 1, periodic=True), qn.dist.HaloArray(3, 1, "int32", periodic=True)
    >>> v.interior[...] = [1, 2, 3]
    >>> qn.dist.exchange(u, v)
    >>> v.local.get()
    array([3, 1, 2, 3, 1], dtype=int32)
    """
    exchange_begin(*fields).finish()
