# SPDX-License-Identifier: MIT
"""Random numbers: each rank draws the elements of its block, which are the same for any number of ranks."""

from __future__ import annotations

import secrets
from typing import Any

import numpy as np

import quern

from .._core import ArgumentTypeError, Layout
from .._core import Array as LocalArray
from ._array import Array, is_number
from ._creation import _shape
from ._distributions import Distributions
from ._layouts import LayoutLike, layout_of
from ._ranks import current

_GROUP = 4  # neighbouring elements may share a block of words


class Generator(Distributions):
    """Random number generator of distributed arrays; default_rng() makes one.

    The numbers are those of quern.random.Generator with the same seed and shape, on any number of ranks and in any layout.
    The distributions of one number are there, except lognormal; their parameters are numbers. All ranks call the same methods. Nothing is communicated.
    """

    def __init__(self, seed: Any) -> None:
        self._rng = quern.random.default_rng(seed)

    def _draw(self, method: str, size: Any, layout: LayoutLike, *args: Any, **kwargs: Any) -> Array:
        if size is None:
            raise ArgumentTypeError(f"{method}: size is needed: the shape of the distributed array")
        if not all(one is None or is_number(one) for one in args):
            raise ArgumentTypeError(f"{method}: parameters must be numbers, the same on every rank")
        shape, comm = _shape(size), current()
        chosen = layout_of(layout, shape, comm)
        bits = self._rng.bit_generator
        before = bits.state

        def draw(position: int, count: int) -> tuple[LocalArray, int]:
            """Elements of a draw that starts at this word, and the word behind them. Draws are lazy."""
            bits.state = {**before, "position": position}
            drawn = getattr(self._rng, method)(*args, size=count, **kwargs)
            return drawn, bits.state["position"]

        total = int(np.prod(shape, dtype=np.int64))
        # A draw starts at a multiple of the words of a group, and all elements take equally many words.
        one = draw(0, _GROUP)[1]
        start = draw(before["position"], _GROUP)[1] - one
        end = draw(start, total)[1]

        # Rows that this rank has elements of, all columns of them, in C order.
        lengths = shape or (1,)
        columns = int(np.prod(lengths[1:], dtype=np.int64))
        owned = chosen.intervals(comm.rank) if shape else (((0, 1),),)
        parts = []
        for first, last in owned[0] if all(owned) else ():
            low = first * columns // _GROUP * _GROUP
            drawn, _ = draw(start + low // _GROUP * one, last * columns - low)
            rows = drawn[first * columns - low :].reshape((last - first, *lengths[1:]))
            parts.append(_selected(rows, owned[1:]))
        bits.state = {**before, "position": end}
        if not parts:
            kind = draw(start, 1)[0]
            bits.state = {**before, "position": end}
            local = quern.empty(chosen.local_shape(comm.rank), dtype=kind.dtype, device=kind.device)
        else:
            local = parts[0] if len(parts) == 1 else quern.concat(parts)
        return Array(local.reshape(chosen.local_shape(comm.rank)), chosen, comm)

    def random(self, size: Any, dtype: Any = np.float64, *, layout: LayoutLike = None) -> Array:
        """Draw numbers that are uniform in [0, 1).

        Parameters
        ----------
        size : int or tuple of ints
            Shape of the whole array.
        dtype : dtype, optional
            float32 or float64.
        layout : Layout, str, sequence of ints, cyclic or owned, optional
            'block' (default), 'replicated', the lengths of a process grid, cyclic(...), owned(...), or a Layout.

        Returns
        -------
        Array
            The samples.

        Examples
        --------
        >>> qn.dist.default_rng(7).random((2, 3)).shape
        (2, 3)
        """
        return self._draw("random", size, layout, dtype=dtype)

    def uniform(
        self,
        low: float = 0.0,
        high: float = 1.0,
        size: Any = None,
        dtype: Any = np.float64,
        *,
        layout: LayoutLike = None,
    ) -> Array:
        """Draw numbers that are uniform in [low, high).

        Parameters
        ----------
        low, high : float, optional
            Bounds.
        size : int or tuple of ints
            Shape of the whole array.
        dtype : dtype, optional
            float32 or float64.
        layout : Layout, str, sequence of ints, cyclic or owned, optional
            'block' (default), 'replicated', the lengths of a process grid, cyclic(...), owned(...), or a Layout.

        Returns
        -------
        Array
            The samples.

        Examples
        --------
        >>> qn.dist.default_rng(7).uniform(-1, 1, 3).shape
        (3,)
        """
        return self._draw("uniform", size, layout, low, high, dtype=dtype)

    def standard_normal(self, size: Any, dtype: Any = np.float64, *, layout: LayoutLike = None) -> Array:
        """Draw normal numbers with mean 0 and standard deviation 1.

        Parameters
        ----------
        size : int or tuple of ints
            Shape of the whole array.
        dtype : dtype, optional
            float32 or float64.
        layout : Layout, str, sequence of ints, cyclic or owned, optional
            'block' (default), 'replicated', the lengths of a process grid, cyclic(...), owned(...), or a Layout.

        Returns
        -------
        Array
            The samples.

        Examples
        --------
        >>> qn.dist.default_rng(7).standard_normal(3).shape
        (3,)
        """
        return self._draw("standard_normal", size, layout, dtype=dtype)

    def normal(
        self,
        loc: float = 0.0,
        scale: float = 1.0,
        size: Any = None,
        dtype: Any = np.float64,
        *,
        layout: LayoutLike = None,
    ) -> Array:
        """Draw normal numbers.

        Parameters
        ----------
        loc, scale : float, optional
            Mean and standard deviation.
        size : int or tuple of ints
            Shape of the whole array.
        dtype : dtype, optional
            float32 or float64.
        layout : Layout, str, sequence of ints, cyclic or owned, optional
            'block' (default), 'replicated', the lengths of a process grid, cyclic(...), owned(...), or a Layout.

        Returns
        -------
        Array
            The samples.

        Examples
        --------
        >>> qn.dist.default_rng(7).normal(size=3).shape
        (3,)
        """
        return self._draw("normal", size, layout, loc, scale, dtype=dtype)

    def exponential(
        self, scale: float = 1.0, size: Any = None, dtype: Any = np.float64, *, layout: LayoutLike = None
    ) -> Array:
        """Draw exponential numbers.

        Parameters
        ----------
        scale : float, optional
            Mean.
        size : int or tuple of ints
            Shape of the whole array.
        dtype : dtype, optional
            float32 or float64.
        layout : Layout, str, sequence of ints, cyclic or owned, optional
            'block' (default), 'replicated', the lengths of a process grid, cyclic(...), owned(...), or a Layout.

        Returns
        -------
        Array
            The samples.

        Examples
        --------
        >>> qn.dist.default_rng(7).exponential(size=3).shape
        (3,)
        """
        return self._draw("exponential", size, layout, scale, dtype=dtype)

    def integers(
        self,
        low: int,
        high: int | None = None,
        size: Any = None,
        dtype: Any = np.int64,
        endpoint: bool = False,
        *,
        layout: LayoutLike = None,
    ) -> Array:
        """Draw random integers from low (inclusive) to high (exclusive), or from 0 to low.

        Parameters
        ----------
        low, high : int
            Bounds; `high` is exclusive unless `endpoint` is True.
        size : int or tuple of ints
            Shape of the whole array.
        dtype : dtype, optional
            Any integer dtype.
        endpoint : bool, optional
            Whether `high` is inclusive.
        layout : Layout, str, sequence of ints, cyclic or owned, optional
            'block' (default), 'replicated', the lengths of a process grid, cyclic(...), owned(...), or a Layout.

        Returns
        -------
        Array
            The samples.

        Examples
        --------
        >>> qn.dist.default_rng(7).integers(10, size=3).shape
        (3,)
        """
        return self._draw("integers", size, layout, low, high, dtype=dtype, endpoint=endpoint)

    def __repr__(self) -> str:
        return f"quern.dist.Generator({self._rng.bit_generator!r})"


def _selected(rows: LocalArray, owned: Any) -> LocalArray:
    """The columns of these intervals, for each axis behind the first one."""
    for axis, intervals in enumerate(owned, 1):
        before = (slice(None),) * axis
        parts = [rows[before + (slice(first, last),)] for first, last in intervals]  # noqa: RUF005
        rows = parts[0] if len(parts) == 1 else quern.concat(parts, axis=axis)
    return rows


def default_rng(seed: Any = None) -> Generator:
    """Make a random number generator of distributed arrays.

    Parameters
    ----------
    seed : int or sequence of ints, optional
        Seed, the same on every rank; by default rank 0 chooses one for all.

    Returns
    -------
    Generator
        The generator.

    Examples
    --------
    >>> x = qn.dist.default_rng(7).random(1000)
    >>> bool(((x >= 0) & (x < 1)).all())
    True
    """
    if seed is None:
        comm = current()
        own = quern.asarray(np.array([secrets.randbits(62)], dtype=np.int64))
        every = Array(own, Layout.block([comm.size], (comm.size,)), comm)
        seed = int(every[0])
    return Generator(seed)
