# SPDX-License-Identifier: MIT
"""Random orders, choices and bytes."""

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
    """Permutations and choices: by sorting random keys, so that they are the same on every device."""

    def bytes(self, length: int) -> builtins.bytes:
        """Random bytes.

        Parameters
        ----------
        length : int
            How many.

        Returns
        -------
        bytes
            The bytes, of which every value is equally likely.

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
        """The integers below x, or a copy of an array with what is along an axis, in random order.

        Parameters
        ----------
        x : int or array_like
            How many integers, or an array.
        axis : int, optional
            The axis whose order is random: what it goes over stays together.
        device, queue : optional
            Where the result is, if x is no Array.

        Returns
        -------
        Array
            The integers, or the array in another order.

        Examples
        --------
        >>> sorted(qn.random.default_rng(7).permutation(5).tolist())
        [0, 1, 2, 3, 4]
        """
        return self._bits._native.permutation(count_or_array(x, device, queue), axis, device, queue)

    def shuffle(
        self, x: Array, axis: int = 0, *, queue: Queue | None = None, wait_for: Waits = None
    ) -> Event:
        """Puts what is along an axis of an array into random order, in place.

        Parameters
        ----------
        x : Array
            The array, which changes.
        axis : int, optional
            The axis whose order becomes random: what it goes over stays together.
        queue : Queue, optional
            Where the work is enqueued.
        wait_for : Event or sequence of Events, optional
            What must be done before.

        Returns
        -------
        Event
            Of the last command, which is not waited for.

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
        """Integers below a, or what is along an axis of an array, all equally likely or with probabilities p.

        Parameters
        ----------
        a : int or array_like
            How many integers, or an array.
        size : int or tuple of ints, optional
            Shape of the choices, which takes the place of the axis.
        replace : bool, optional
            Whether one may be chosen twice.
        p : array_like, optional
            The probabilities, which sum to 1; the device must have float64.
        axis : int, optional
            The axis of an array.
        shuffle : bool, optional
            Looked at by NumPy only: the order is always random.
        device, queue : optional
            Where the result is, if a is no Array.

        Returns
        -------
        Array or a number
            The choices; one Python number without `size` where one number is chosen.

        Examples
        --------
        >>> len(set(qn.random.default_rng(7).choice(10, 4, replace=False).tolist()))
        4
        """
        weights = None
        if p is not None:
            weights = np.asarray(p, np.float64)
            if weights.ndim != 1:
                raise ArgumentValueError(f"choice: expected p of one dimension, got {weights.ndim}")
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
