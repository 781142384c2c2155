# SPDX-License-Identifier: MIT
"""Future: the value of an asynchronous copy, available when its event is complete."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Generator
from typing import Any

from ._core import Event


class Future:
    """Result of an asynchronous copy. `result()` and `await` wait for it."""

    def __init__(self, event: Event, value: Any, finish: Callable[[], None] | None = None):
        self.event = event
        self._value = value
        self._finish = finish
        self._lock = threading.Lock()

    def done(self) -> bool:
        """Whether the work is done, so that result() does not wait."""
        return self.event.done

    def result(self, timeout: float | None = None) -> Any:
        """Wait for the value and return it; raises the error of the work, or TimeoutError after `timeout` seconds."""
        if not self.event.wait(timeout):
            raise TimeoutError(f"not done after {timeout} s")
        with self._lock:  # _finish runs only once
            if self._finish is not None:
                self._finish()
                self._finish = None
        return self._value

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """Wait for the work and return its exception, or None."""
        try:
            self.result(timeout)
        except TimeoutError:
            raise
        except Exception as error:
            return error
        return None

    def __await__(self) -> Generator[Any, None, Any]:
        if not self.done():
            yield from asyncio.get_running_loop().run_in_executor(None, self.exception).__await__()
        return self.result()

    def __repr__(self) -> str:
        return f"<quern.Future {'done' if self.done() else 'pending'}>"
