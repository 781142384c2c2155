# SPDX-License-Identifier: MIT
"""Counter and Locks: a number and locks of all ranks, for programs that balance their load."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from .._core import SharedCounter, SharedLocks
from ._ranks import current


class Counter:
    """Number of all ranks, from 0, for programs that balance their load: each rank takes the next task.

    Called by all ranks, which must run on one node.

    Examples
    --------
    >>> tasks = qn.dist.Counter()
    >>> tasks.next(), tasks.next()
    (0, 1)
    """

    __slots__ = ("_counter",)

    def __init__(self) -> None:
        self._counter = SharedCounter(current())

    def next(self, step: int = 1) -> int:
        """Return the number and add the step, at once for all ranks.

        Parameters
        ----------
        step : int, optional
            What is added.

        Returns
        -------
        int
            The number before.

        Examples
        --------
        >>> qn.dist.Counter().next()
        0
        """
        return self._counter.next(step)

    def reset(self, value: int = 0) -> None:
        """Set the number. Called by all ranks, which wait for each other.

        Parameters
        ----------
        value : int, optional
            The number that next() returns first.
        """
        self._counter.reset(value)


class Locks:
    """Locks of all ranks.

    Called by all ranks, which must run on one node. A rank that waits for a lock of a rank that has died gets a
    DistributedError.

    Parameters
    ----------
    count : int, optional
        Number of locks.

    Examples
    --------
    >>> locks = qn.dist.Locks(2)
    >>> with locks.holding(1):
    ...     pass
    """

    __slots__ = ("_locks",)

    def __init__(self, count: int = 1) -> None:
        self._locks = SharedLocks(current(), count)

    def lock(self, number: int = 0) -> None:
        """Wait for a lock and take it.

        Parameters
        ----------
        number : int, optional
            Which lock.
        """
        self._locks.lock(number)

    def unlock(self, number: int = 0) -> None:
        """Release a lock.

        Parameters
        ----------
        number : int, optional
            Which lock.
        """
        self._locks.unlock(number)

    @contextlib.contextmanager
    def holding(self, number: int = 0) -> Iterator[None]:
        """Hold a lock in a `with` block.

        Parameters
        ----------
        number : int, optional
            Which lock.

        Examples
        --------
        >>> with qn.dist.Locks().holding():
        ...     pass
        """
        self._locks.lock(number)
        try:
            yield
        finally:
            self._locks.unlock(number)
