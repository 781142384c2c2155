# SPDX-License-Identifier: MIT
"""Futures of events, and `await` for events and arrays."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import threading
import weakref
from collections.abc import Callable, Generator
from typing import Any

from ._core import CaptureError, CompletionPort, Event


def _resume(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():  # its task may be cancelled
        waiter.set_result(None)


def _suspend(subscribe: Callable[[Callable[[Any], None]], None]) -> Generator[Any, None, None]:
    """Suspend the coroutine until the function that `subscribe` receives is called, on any thread."""
    loop = asyncio.get_running_loop()
    waiter = loop.create_future()

    def wake(_: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(_resume, waiter)

    subscribe(wake)
    yield from waiter


class _Waiters:
    """Futures of one event loop that wait for events. The thread of the loop resolves them."""

    # A driver that lost its device does not notify the loop, so all queues are checked now and then.
    CHECK = 1.0  # seconds

    def __init__(self, loop: asyncio.AbstractEventLoop):
        self.loop = loop
        self._port = CompletionPort()
        self._is_scheduled = False  # _poll will be called
        self._has_timer = False
        loop.add_reader(self._port.fileno(), self._serve)

    def add(self, event: Event, waiter: asyncio.Future[None]) -> None:
        """Resolve a future after an event."""
        polls = self._port.add(event, waiter)
        if polls and not self._is_scheduled:
            self._is_scheduled = True
            self.loop.call_soon(self._poll)
        if not self._has_timer:
            self._has_timer = True
            self.loop.call_later(self.CHECK, self._check)

    def _serve(self) -> None:
        for waiter in self._port.serve():
            _resume(waiter)
        self._schedule()

    def _poll(self) -> None:
        self._is_scheduled = False
        self._serve()

    def _check(self) -> None:
        self._has_timer = self._port.pending != 0
        if self._has_timer:
            self.loop.call_later(self.CHECK, self._check)
            for waiter in self._port.serve_all():
                _resume(waiter)
            self._schedule()

    def _schedule(self) -> None:
        """Poll in the next iteration of the loop, if that is worth it: the port limits how long."""
        if self._port.polls and not self._is_scheduled:
            self._is_scheduled = True
            self.loop.call_soon(self._poll)


# By the id of the loop. The loop owns its waiters, by the reader of their descriptor.
_waiters: weakref.WeakValueDictionary[int, _Waiters] = weakref.WeakValueDictionary()


def _future_of(event: Event) -> asyncio.Future[None] | None:
    """Future that the running loop resolves after an event; None if the loop cannot watch a file descriptor."""
    loop = asyncio.get_running_loop()
    waiters = _waiters.get(id(loop))
    if waiters is None or waiters.loop is not loop:
        try:
            waiters = _waiters[id(loop)] = _Waiters(loop)
        except NotImplementedError:
            return None
    waiter = loop.create_future()
    waiters.add(event, waiter)
    return waiter


def await_event(event: Event, result: Any = None) -> Generator[Any, None, Any]:
    """Iterator that `await` runs for an event: suspends until it is complete, and raises its error."""
    if not event.done:
        waiter = _future_of(event)
        if waiter is None:
            yield from _suspend(event.on_done)
        else:
            yield from waiter
    event.wait()
    return result


class Future(concurrent.futures.Future[Any]):
    """Result of asynchronous work. `result()` and `await` wait for it; cancelling it leaves the work alone."""

    def __init__(self, event: Event, value: Any, finish: Callable[[], object] | None = None):
        super().__init__()
        self.event = event
        self._value = value
        self._finish = finish
        self._resolving = threading.Lock()
        try:
            event.on_done(self._resolve)
        except CaptureError as error:  # a captured copy runs when its graph is launched
            self.set_running_or_notify_cancel()
            self.set_exception(error)

    def _resolve(self, event: Event) -> None:
        """Set the result of an event that is done: by the library's thread, or by the first that waits for it."""
        with self._resolving:
            if super().done():
                return
            # A signal handler may have ended an earlier call.
            if not self.running() and not self.set_running_or_notify_cancel():
                return
            try:
                event.wait()
                if self._finish is not None:
                    self._finish()
            except BaseException as error:
                if not self._is_own(error):
                    raise
                self.set_exception(error)
            else:
                self.set_result(self._value)

    def _is_own(self, error: BaseException) -> bool:
        """Whether it is the error of the work, and not a Ctrl-C: a user event may have an error of any class."""
        return isinstance(error, Exception) or error is self.event.error

    def _wait(self, timeout: float | None) -> None:
        """Wait for the event itself: the waiting thread helps with work of the host."""
        if super().done():
            return
        try:
            is_done = self.event.wait(timeout)
        except BaseException as error:
            if not self._is_own(error):
                raise
            is_done = True  # the error becomes that of the future
        if not is_done:
            raise TimeoutError(f"not done after {timeout} s")
        self._resolve(self.event)

    def done(self) -> bool:
        """Whether the work is done, so that result() does not wait."""
        return super().done() or self.event.done

    def result(self, timeout: float | None = None) -> Any:
        """Wait for the value and return it; raises the error of the work, or TimeoutError after `timeout` seconds."""
        self._wait(timeout)
        return super().result()

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """Wait for the work and return its exception, or None."""
        self._wait(timeout)
        return super().exception()

    def __await__(self) -> Generator[Any, None, Any]:
        if not self.done():
            yield from _suspend(self.add_done_callback)
        return self.result()

    def __repr__(self) -> str:
        state = "cancelled" if self.cancelled() else "done" if self.done() else "pending"
        return f"<quern.Future {state}>"
