# SPDX-License-Identifier: MIT
"""Permutations, choices and random bytes."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from .._core import ArgumentTypeError, ArgumentValueError, Array, Device, Event, Queue
from ._arguments import Size, Waits, count_or_array, integer
from ._draws import Draws


class Orders(Draws):
    """Permutations and choices. They sort random keys, so results are equal on every device."""

    def bytes(self, length: int) -> builtins.bytes:
        """Draw random bytes.

        Parameters
        ----------
        length : int
            Number of bytes.

        Returns
        -------
        bytes
            The bytes, uniformly distributed.

        Examples
        --------
        >>> len(qn.random.default_rng(7).bytes(10))
        10
        """
        count = integer("bytes: length", length)
        if count < 0:
            raise ArgumentValueError(f"bytes: expected length >= 0, got {count}")
        drawn = self._draw("integers", (0, 255), count, dtype=np.uint8)
        return cast(builtins.bytes, drawn.get().tobytes())

    def permutation(
        self,
        x: int | Array | ArrayLike,
        axis: int = 0,
        *,
        device: Device | str | None = None,
        queue: Queue | None = None,
    ) -> Array:
        """Permute range(x), or a copy of an array along an axis, randomly.

        Parameters
        ----------
        x : int or array_like
            An integer n for range(n), or an array to sample from.
        axis : int, optional
            Axis to permute along; slices along it stay intact.
        device, queue : optional
            Device or queue of the result if `x` is not an Array.

        Returns
        -------
        Array
            The permuted integers, or the permuted copy.

        Examples
        --------
        >>> sorted(qn.random.default_rng(7).permutation(5).tolist())
        [0, 1, 2, 3, 4]
        """
        return self._bits._native.permutation(count_or_array(x, device, queue), axis, device, queue)

    def shuffle(
        self, x: Array, axis: int = 0, *, queue: Queue | None = None, wait_for: Waits = None
    ) -> Event:
        """Shuffle an array along an axis, in place.

        Parameters
        ----------
        x : Array
            Array to shuffle.
        axis : int, optional
            Axis to shuffle along; slices along it stay intact.
        queue : Queue, optional
            Queue to enqueue the work on; the current queue by default.
        wait_for : Event or sequence of Events, optional
            Events to wait for before the shuffle.

        Returns
        -------
        Event
            Event of the shuffle; the call does not wait for it.

        Examples
        --------
        >>> x = qn.arange(5)
        >>> event = qn.random.default_rng(7).shuffle(x)
        >>> sorted(x.tolist())
        [0, 1, 2, 3, 4]
        """
        if not isinstance(x, Array):
            raise ArgumentTypeError(f"shuffle: expected a quern.Array, got {type(x).__name__}")
        return self._bits._native.shuffle(x, axis, queue, wait_for)

    def choice(
        self,
        a: int | Array | ArrayLike,
        size: Size = None,
        replace: bool = True,
        p: ArrayLike | Array | None = None,
        axis: int = 0,
        shuffle: bool = True,
        *,
        device: Device | str | None = None,
        queue: Queue | None = None,
    ) -> Any:
        """Draw a random sample from range(a), or from an array along an axis.

        Parameters
        ----------
        a : int or array_like
            An integer n for range(n), or an array to sample from.
        size : int or tuple of ints, optional
            Shape of the sample; it replaces the axis in the shape of the array.
        replace : bool, optional
            Whether to sample with replacement.
        p : array_like, optional
            Probability of each entry; they sum to 1. Uniform by default. The device must have float64.
        axis : int, optional
            Axis of the array to sample along.
        shuffle : bool, optional
            Accepted for compatibility with NumPy; the order is always random.
        device, queue : optional
            Device or queue of the result if `a` is not an Array.

        Returns
        -------
        Array or a number
            The sample; a Python number if `size` is None and the sample is one number.

        Examples
        --------
        >>> len(set(qn.random.default_rng(7).choice(10, 4, replace=False).tolist()))
        4
        """
        weights = None
        if p is not None:
            weights = np.asarray(p, np.float64)
            if weights.ndim != 1:
                raise ArgumentValueError(
                    f"choice: expected a one-dimensional p, got {weights.ndim} dimensions"
                )
        shape: Sequence[int] = () if size is None else (size,) if isinstance(size, int) else size
        chosen = self._bits._native.choice(
            count_or_array(a, device, queue),
            shape,
            bool(replace),
            None if weights is None else weights.tolist(),
            axis,
            device,
            queue,
        )
        return chosen if size is not None or chosen.ndim else chosen.get(queue=queue).item()
