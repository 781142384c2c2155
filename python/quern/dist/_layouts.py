# SPDX-License-Identifier: MIT
"""What `layout=` takes, as a layout of a shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._core import ArgumentTypeError, ArgumentValueError, Communicator, Layout


class cyclic:
    """Layout for `layout=`: blocks of a fixed length, dealt to the ranks round robin.

    Parameters
    ----------
    block : int
        Number of neighbouring indices that stay together.
    grid : sequence of ints, optional
        Process grid; its lengths multiply to the number of ranks. By default all ranks along the first axis.

    Examples
    --------
    >>> qn.dist.zeros(10, layout=qn.dist.cyclic(2)).layout.intervals(0)
    (((0, 10),),)
    """

    def __init__(self, block: int = 1, grid: Sequence[int] | None = None) -> None:
        self.block, self.grid = block, grid

    def _of(self, shape: tuple[int, ...], ranks: int) -> Layout:
        grid = [ranks] if self.grid is None else _grid(self.grid, ranks)
        return Layout.cyclic(grid, shape, self.block)


class owned:
    """Layout for `layout=`: one rank owns all elements.

    Parameters
    ----------
    rank : int
        The owner.

    Examples
    --------
    >>> str(qn.dist.zeros(10, layout=qn.dist.owned(0)).layout)
    'owned by rank 0'
    """

    def __init__(self, rank: int) -> None:
        self.rank = rank

    def _of(self, shape: tuple[int, ...], ranks: int) -> Layout:
        return Layout.owned(ranks, shape, self.rank)


LayoutLike = Layout | cyclic | owned | str | int | Sequence[int] | None


def _grid(lengths: Sequence[int], ranks: int) -> list[int]:
    grid = [int(one) for one in lengths]
    product = 1
    for one in grid:
        product *= one
    if product != ranks:
        raise ArgumentValueError(
            f"layout: a process grid {tuple(grid)} has {product} ranks, and there are {ranks}"
        )
    return grid


def layout_of(layout: Any, shape: tuple[int, ...], communicator: Communicator) -> Layout:
    """The layout of an array of this shape."""
    ranks = communicator.size
    if layout is None or (isinstance(layout, str) and layout == "block"):
        return Layout.for_shape(ranks, shape)
    if isinstance(layout, Layout):
        if layout.shape != shape:
            raise ArgumentValueError(f"layout: it is of shape {layout.shape}, and the array of shape {shape}")
        return layout
    if isinstance(layout, (cyclic, owned)):
        return layout._of(shape, ranks)
    if isinstance(layout, str) and layout == "replicated":
        return Layout.replicated(ranks, shape)
    if isinstance(layout, int) and not isinstance(layout, bool):
        return Layout.block(_grid([layout], ranks), shape)
    if isinstance(layout, Sequence) and not isinstance(layout, str):
        return Layout.block(_grid(layout, ranks), shape)
    raise ArgumentTypeError(
        "layout: expected a Layout, 'block', 'replicated', the lengths of a process grid, cyclic(...) or owned(...), "
        f"got {layout!r}"
    )
