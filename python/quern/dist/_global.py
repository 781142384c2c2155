# SPDX-License-Identifier: MIT
"""GlobalArray: memory of all ranks, which any of them uses without the help of the others."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .._core import (
    ArgumentIndexError,
    ArgumentTypeError,
    ArgumentValueError,
    GlobalBlocks,
    Layout,
)
from .._core import Array as LocalArray
from ._halo import per_axis_periodic, per_axis_widths
from ._handles import Handle
from ._layouts import LayoutLike, layout_of, owned
from ._ranks import current

Patch = Any  # an index of slices without steps, and integers


def _parts(scale: complex) -> tuple[float, float]:
    if isinstance(scale, int) and abs(scale) > 2**53:
        raise ArgumentValueError(f"scale: integers up to 2**53 are exact, got {scale}")
    number = complex(scale)
    return number.real, number.imag


class GlobalArray:
    """Array in memory of all ranks: each reads, writes and adds to any part of it without the help of the owner.

    Called by all ranks, which must run on one node. What one rank writes, others see after sync(). Elements are zero
    at first.

    Parameters
    ----------
    shape : int or tuple of ints
        Shape of the whole array.
    dtype : dtype, optional
        Data type.
    layout : Layout, str or sequence of ints, optional
        'block' (default), the lengths of a process grid, owned(rank), or a Layout of blocks. Rank 0 owns a 0-d array by
        default.
    ghosts : int or sequence, optional
        Ghost cells of each block: one number, or for each axis a number or a pair (before, after).
    periodic : bool or sequence of bools, optional
        Whether the ends of axes are neighbours, for ghost cells.

    Examples
    --------
    >>> a = qn.dist.GlobalArray((4, 4), "int64")
    >>> a[1:3, :2] = [[1, 2], [3, 4]]
    >>> a.accumulate((slice(0, 4), 0), [10, 10, 10, 10])
    >>> a.sync()
    >>> a[:3, :2]
    array([[10,  0],
           [11,  2],
           [13,  4]])
    """

    __slots__ = ("_blocks", "_comm")

    def __init__(
        self,
        shape: Any,
        dtype: Any = np.float64,
        *,
        layout: LayoutLike = None,
        ghosts: Any = 0,
        periodic: Any = False,
    ) -> None:
        lengths = tuple(shape) if isinstance(shape, (tuple, list)) else (operator.index(shape),)
        self._comm = current()
        if layout is None and not lengths:
            layout = owned(0)
        widths = per_axis_widths(ghosts, len(lengths), "GlobalArray")
        self._blocks = GlobalBlocks(
            self._comm,
            layout_of(layout, lengths, self._comm),
            dtype,
            widths if any(before or after for before, after in widths) else [],
            per_axis_periodic(periodic, len(lengths)),
        )

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the whole array."""
        return self._blocks.layout.shape

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

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
        """Block of this rank on the host device, which shares the memory. fence() waits for work enqueued on it."""
        return self._blocks.local

    @property
    def local_with_ghosts(self) -> LocalArray:
        """Block of this rank with its ghost cells."""
        return self._blocks.local_with_ghosts

    def _patch(self, patch: Patch) -> tuple[list[tuple[int, int]], tuple[int, ...]]:
        """The intervals of a patch, and the shape of its elements without the axes of integers."""
        index = patch if isinstance(patch, tuple) else (patch,)
        if Ellipsis in index:
            at = index.index(Ellipsis)
            missing = self.ndim - len(index) + 1
            index = (*index[:at], *[slice(None)] * missing, *index[at + 1 :])
        if len(index) > self.ndim:
            raise ArgumentIndexError(f"an index of {len(index)} axes for an array of {self.ndim}")
        index = (*index, *[slice(None)] * (self.ndim - len(index)))
        bounds, shape = [], []
        for axis, (one, length) in enumerate(zip(index, self.shape, strict=True)):
            if isinstance(one, slice):
                start, stop, step = one.indices(length)
                if step != 1:
                    raise ArgumentIndexError(f"axis {axis}: a patch has no steps, got {one}")
                bounds.append((start, max(start, stop)))
                shape.append(max(stop - start, 0))
            else:
                try:
                    number = operator.index(one)
                except TypeError:
                    raise ArgumentTypeError(
                        f"axis {axis}: expected an integer or a slice, got {type(one).__name__}"
                    ) from None
                if not -length <= number < length:
                    raise ArgumentIndexError(f"index {number} is outside axis {axis} of length {length}")
                bounds.append((number % length, number % length + 1))
        return bounds, tuple(shape)

    def get(self, patch: Patch = ...) -> np.ndarray:
        """Copy a patch.

        Parameters
        ----------
        patch : index
            Integers and slices without steps, as in `a[1:3, 0]`; everything by default.

        Returns
        -------
        numpy.ndarray
            The elements, as they are at this moment.

        Examples
        --------
        >>> qn.dist.GlobalArray(3).get(slice(1, 3))
        array([0., 0.])
        """
        bounds, shape = self._patch(patch)
        out = np.empty(shape, self.dtype)
        self._blocks.get(bounds, out)
        return out

    def put(self, patch: Patch, values: Any) -> None:
        """Write a patch.

        Parameters
        ----------
        patch : index
            Integers and slices without steps.
        values : array_like
            Elements, which broadcast to the patch.

        Examples
        --------
        >>> a = qn.dist.GlobalArray(3)
        >>> a.put(slice(0, 2), 5)
        >>> a.get()
        array([5., 5., 0.])
        """
        bounds, shape = self._patch(patch)
        self._blocks.put(bounds, self._values(values, shape))

    def accumulate(self, patch: Patch, values: Any, scale: complex = 1) -> None:
        """Add to a patch. What several ranks add at the same time adds up.

        Parameters
        ----------
        patch : index
            Integers and slices without steps.
        values : array_like
            Elements, which broadcast to the patch.
        scale : number, optional
            Factor of the values.

        Examples
        --------
        >>> a = qn.dist.GlobalArray(3)
        >>> a.accumulate(..., [1, 2, 3], scale=2)
        >>> a.get()
        array([2., 4., 6.])
        """
        bounds, shape = self._patch(patch)
        self._blocks.accumulate(bounds, self._values(values, shape), *_parts(scale))

    def iget(self, patch: Patch = ...) -> Handle[np.ndarray]:
        """Copy a patch, as get(). The call copies the elements before it returns: the ranks share the memory.

        Parameters
        ----------
        patch : index
            Integers and slices without steps; everything by default.

        Returns
        -------
        Handle
            Its wait() returns the elements as they were at the call, and does not wait.

        Examples
        --------
        >>> qn.dist.GlobalArray(3).iget(slice(1, 3)).wait()
        array([0., 0.])
        """
        return Handle(self.get(patch))

    def iput(self, patch: Patch, values: Any) -> Handle[None]:
        """Write a patch, as put(). The call writes the elements before it returns, and the values may be changed at once.

        Parameters
        ----------
        patch : index
            Integers and slices without steps.
        values : array_like
            Elements, which broadcast to the patch.

        Returns
        -------
        Handle
            Its wait() returns None, and does not wait.

        Examples
        --------
        >>> a = qn.dist.GlobalArray(3)
        >>> a.iput(slice(0, 2), 5).wait()
        >>> a.get()
        array([5., 5., 0.])
        """
        self.put(patch, values)
        return Handle(None)

    def iaccumulate(self, patch: Patch, values: Any, scale: complex = 1) -> Handle[None]:
        """Add to a patch, as accumulate(). The call adds before it returns, and the values may be changed at once.

        Parameters
        ----------
        patch : index
            Integers and slices without steps.
        values : array_like
            Elements, which broadcast to the patch.
        scale : number, optional
            Factor of the values.

        Returns
        -------
        Handle
            Its wait() returns None, and does not wait.

        Examples
        --------
        >>> a = qn.dist.GlobalArray(3)
        >>> a.iaccumulate(..., [1, 2, 3], scale=2).wait()
        >>> a.get()
        array([2., 4., 6.])
        """
        self.accumulate(patch, values, scale)
        return Handle(None)

    def _values(self, values: Any, shape: tuple[int, ...]) -> np.ndarray:
        if isinstance(values, (np.ndarray, np.generic)):
            given = np.asarray(values)
        elif isinstance(values, LocalArray):
            given = values.get()
        else:  # Python numbers take the dtype; those that do not fit are an OverflowError
            given = np.asarray(values)
            if given.dtype.kind in "biu" and self.dtype.kind in "biu":
                given = np.asarray(values, self.dtype)
        if not np.can_cast(given.dtype, self.dtype, "same_kind"):
            raise ArgumentTypeError(f"values: cannot cast {given.dtype} to {self.dtype}")
        return np.ascontiguousarray(np.broadcast_to(given, shape), self.dtype)

    def __getitem__(self, patch: Patch) -> Any:
        found = self.get(patch)
        return found if found.ndim else found[()]

    def __setitem__(self, patch: Patch, values: Any) -> None:
        self.put(patch, values)

    def read_inc(self, index: Any, amount: int = 1) -> int:
        """Add to an element of a 4- or 8-byte integer type, at once for all ranks.

        Parameters
        ----------
        index : int or tuple of ints
            The element.
        amount : int, optional
            What is added.

        Returns
        -------
        int
            The element before.

        Examples
        --------
        >>> a = qn.dist.GlobalArray(3, "int32")
        >>> a.read_inc(1, 5), a.read_inc(1)
        (0, 5)
        """
        return self._blocks.read_inc(self._index(index), amount)

    def _index(self, index: Any) -> list[int]:
        if any(
            isinstance(one, slice) or one is Ellipsis
            for one in (index if isinstance(index, tuple) else (index,))
        ):
            raise ArgumentTypeError(f"index: expected {self.ndim} integers, got {index!r}")
        bounds, rest = self._patch(index)
        if rest:
            raise ArgumentIndexError(f"index: expected {self.ndim} integers, got {index!r}")
        return [start for start, _ in bounds]

    def _indices(self, indices: Any) -> np.ndarray:
        numbers = np.asarray(indices)
        if numbers.size == 0:
            return np.empty((0, self.ndim), np.int64)
        if numbers.dtype.kind not in "iu":
            raise ArgumentTypeError(f"indices: expected integers, got {numbers.dtype}")
        rows = numbers[:, None] if numbers.ndim == 1 and self.ndim == 1 else numbers
        if rows.ndim != 2 or rows.shape[1] != self.ndim:
            raise ArgumentValueError(
                f"indices: expected one row of {self.ndim} integers for each element, got an array of shape {numbers.shape}"
            )
        return np.ascontiguousarray(np.where(rows < 0, rows + np.array(self.shape), rows), np.int64)

    def gather(self, indices: Any) -> np.ndarray:
        """Copy single elements.

        Parameters
        ----------
        indices : array_like of ints
            One row for each element.

        Returns
        -------
        numpy.ndarray
            The elements.

        Examples
        --------
        >>> a = qn.dist.GlobalArray((2, 2))
        >>> a[1, 0] = 7
        >>> a.gather([[1, 0], [0, 0]])
        array([7., 0.])
        """
        rows = self._indices(indices)
        out = np.empty(len(rows), self.dtype)
        self._blocks.gather(rows, out)
        return out

    def scatter(self, indices: Any, values: Any) -> None:
        """Write single elements.

        Parameters
        ----------
        indices : array_like of ints
            One row for each element.
        values : array_like
            The elements.

        Examples
        --------
        >>> a = qn.dist.GlobalArray(3)
        >>> a.scatter([[2], [0]], [5, 6])
        >>> a.get()
        array([6., 0., 5.])
        """
        rows = self._indices(indices)
        self._blocks.scatter(rows, self._values(values, (len(rows),)))

    def scatter_accumulate(self, indices: Any, values: Any, scale: complex = 1) -> None:
        """Add to single elements; what comes several times adds up.

        Parameters
        ----------
        indices : array_like of ints
            One row for each element.
        values : array_like
            What is added.
        scale : number, optional
            Factor of the values.

        Examples
        --------
        >>> a = qn.dist.GlobalArray(3)
        >>> a.scatter_accumulate([[2], [2]], [5, 6])
        >>> a.get()
        array([ 0.,  0., 11.])
        """
        rows = self._indices(indices)
        self._blocks.scatter_accumulate(rows, self._values(values, (len(rows),)), *_parts(scale))

    def distribution(self, rank: int | None = None) -> tuple[slice, ...]:
        """Return the block of a rank.

        Parameters
        ----------
        rank : int, optional
            The rank; this one by default.

        Returns
        -------
        tuple of slices
            The block in the indices of the whole array.

        Examples
        --------
        >>> qn.dist.GlobalArray((4, 4)).distribution()
        (slice(0, 4, None), slice(0, 4, None))
        """
        block = self._blocks.block_of(self._comm.rank if rank is None else rank)
        return tuple(slice(start, stop) for start, stop in block)

    def locate(self, index: Any) -> int:
        """Return the rank that has an element.

        Parameters
        ----------
        index : int or tuple of ints
            The element.

        Returns
        -------
        int
            The rank.

        Examples
        --------
        >>> qn.dist.GlobalArray(4).locate(3)
        0
        """
        return self._blocks.owner(self._index(index))

    def locate_region(self, patch: Patch) -> list[tuple[int, tuple[slice, ...]]]:
        """Return the ranks that have elements of a patch.

        Parameters
        ----------
        patch : index
            Integers and slices without steps.

        Returns
        -------
        list of (int, tuple of slices)
            Each rank with its part of the patch.

        Examples
        --------
        >>> qn.dist.GlobalArray(4).locate_region(slice(1, 3))
        [(0, (slice(1, 3, None),))]
        """
        parts = self._blocks.ranks_of(self._patch(patch)[0])
        return [(rank, tuple(slice(start, stop) for start, stop in part)) for rank, part in parts]

    def fence(self) -> None:
        """Wait for work that this rank has enqueued on its block."""
        self._blocks.fence()

    def sync(self) -> None:
        """Let all ranks wait for each other, after a fence() on each. Called by all ranks."""
        self._blocks.sync()

    def update_ghosts(self) -> None:
        """Copy the elements of neighbouring blocks to the ghost cells. Called by all ranks; it contains two sync()."""
        self._blocks.update_ghosts()

    def __repr__(self) -> str:
        return f"<GlobalArray of shape {self.shape}, {self.dtype}, {self.layout}>"
