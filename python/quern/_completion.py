# SPDX-License-Identifier: MIT
"""Events in the order in which they complete."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator

from ._core import AsCompleted, Event


def as_completed(events: Iterable[Event], timeout: float | None = None) -> Iterator[Event]:
    """
    Iterate over events in the order in which their operations end.

    Parameters
    ----------
    events : iterable of Event
        Events of any queue, device and backend.
    timeout : float, optional
        Longest time to wait for all of them, in seconds. By default there is no limit.

    Returns
    -------
    iterator of Event
        Events whose operations have ended, with or without an error.

    Raises
    ------
    TimeoutError
        If `timeout` passed before all operations have ended.

    Examples
    --------
    >>> events = [qn.zeros(3).fill(i) for i in range(4)]
    >>> [event.status for event in qn.as_completed(events)]
    ['complete', 'complete', 'complete', 'complete']
    """
    given = list(events) if isinstance(events, Iterable) else events
    waiting = AsCompleted(given)
    limit = None if timeout is None else time.monotonic() + timeout
    return _in_order(given, waiting, limit, timeout)


def _in_order(
    given: list[Event], waiting: AsCompleted, limit: float | None, timeout: float | None
) -> Iterator[Event]:
    while waiting.left:
        index = waiting.next(None if limit is None else max(0.0, limit - time.monotonic()))
        if index is None:
            raise TimeoutError(f"{waiting.left} of {len(given)} events are not done after {timeout} s")
        yield given[index]
