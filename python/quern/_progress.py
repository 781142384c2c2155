# SPDX-License-Identifier: MIT
"""Progress of long work on the terminal: how much is done, how long the rest will take."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import IO, Any, Protocol

from . import _core

Progress = Callable[[int, int], Any]


class Bar:
    """Shows on standard error how far work has come, once it takes longer than half a second.

    with Bar("tuning", total=200, unit="candidates") as bar:
        for candidate in candidates:
            ...
            bar.step(note="best 1.2 ms")  # or bar(done, total, note)

    QUERN_PROGRESS=auto (the default) shows it if the stream is a terminal, `always` in pipes and files, too, as one line
    every few seconds, `never` does not show it. tqdm or rich draws the bar if one of them is installed. Threads may share
    a bar.
    """

    _delay = 0.5
    _interval = 0.1

    def __init__(
        self,
        label: str,
        total: int = 0,
        *,
        unit: str = "",
        stream: IO[str] | None = None,
        is_shown: bool | None = None,
    ) -> None:
        self._label = label
        self._total = total
        self._unit = unit
        self._stream = sys.stderr if stream is None else stream
        self._is_shown = is_wanted(self._stream) if is_shown is None else is_shown
        self._start = time.monotonic()
        self._next = self._start + self._delay
        self._done = 0
        self._note = ""
        self._drawing: _Drawing | None = None
        self._lock = threading.Lock()

    def __call__(self, done: int, total: int | None = None, note: str | None = None) -> None:
        """Shows that `done` of `total` is done, and a short note behind it, such as the best result so far."""
        with self._lock:
            self._update(done, total, note)

    def step(self, count: int = 1, note: str | None = None) -> None:
        """Shows that `count` more is done."""
        with self._lock:
            self._update(self._done + count, None, note)

    def say(self, line: str) -> None:
        """Prints a line above the bar. Prints nothing if bars are not shown."""
        with self._lock:
            if self._is_shown:
                with self._while_the_stream_lives():
                    self._erase()
                    print(line, file=self._stream, flush=True)

    def close(self) -> None:
        """Removes the bar. Further calls draw it again."""
        with self._lock, self._while_the_stream_lives():
            self._erase()

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def _update(self, done: int, total: int | None, note: str | None) -> None:
        self._done = done
        self._total = self._total if total is None else total
        self._note = self._note if note is None else note
        now = time.monotonic()
        if not self._is_shown or now < self._next:
            return
        self._next = now + self._interval
        with self._while_the_stream_lives():
            if self._drawing is None:
                self._drawing = _drawing(self._label, self._unit, self._stream)
                _core.hide_progress(True)
            self._drawing.draw(done, self._total, self._note, now - self._start)

    def _erase(self) -> None:
        if self._drawing is not None:
            drawing, self._drawing = self._drawing, None
            _core.hide_progress(False)
            drawing.erase()

    @contextlib.contextmanager
    def _while_the_stream_lives(self) -> Iterator[None]:
        """Shows nothing more if the stream is gone, as a pipe whose reader has ended: the work goes on."""
        try:
            yield
        except (OSError, ValueError):
            self._is_shown = False
            if self._drawing is not None:
                self._drawing = None
                _core.hide_progress(False)


def is_wanted(stream: IO[str]) -> bool:
    """Whether progress is shown on a stream: QUERN_PROGRESS, or whether the stream is a terminal."""
    wanted = os.environ.get("QUERN_PROGRESS", "auto").lower()
    return wanted == "always" or (wanted != "never" and _is_terminal(stream))


class CountedFile:
    """An open file that shows how much of it is read or written; `total` is 0 if that is unknown."""

    def __init__(self, file: IO[bytes], label: str, total: int) -> None:
        self._file = file
        self._done = 0
        self.bar = Bar(label, total, unit="bytes")

    def write(self, data: Any) -> int:
        """Writes to the file."""
        count = self._file.write(data)
        self._count(count)
        return count

    def read(self, *size: int) -> bytes:
        """Reads from the file."""
        data = self._file.read(*size)
        self._count(len(data))
        return data

    def _count(self, nbytes: int) -> None:
        self._done += nbytes
        self.bar(self._done)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def duration(seconds: float) -> str:
    """A time in words for people, such as 0:42 or 1:02:03."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


class _Drawing(Protocol):
    """One way to draw a bar. `total` is 0 if it is unknown."""

    def draw(self, done: int, total: int, note: str, elapsed: float) -> None: ...
    def erase(self) -> None: ...


def _is_terminal(stream: IO[str]) -> bool:
    try:
        return stream.isatty()
    except (AttributeError, ValueError):  # no stream at all, or a closed one
        return False


# Libraries that draw bars, the first that is installed first.
_libraries = ("tqdm", "rich")


def _drawing(label: str, unit: str, stream: IO[str]) -> _Drawing:
    if not _is_terminal(stream) or os.environ.get("TERM") == "dumb":
        return _Lines(label, unit, stream)
    for name in _libraries:
        if importlib.util.find_spec(name) is not None:
            try:
                return _Tqdm(label, unit, stream) if name == "tqdm" else _Rich(label, unit, stream)
            except Exception:  # a broken installation must not end the work
                continue
    return _Line(label, unit, stream)


def _share(done: int, total: int) -> float:
    return min(1.0, done / total) if total > 0 else 0.0


def _amount(count: int, unit: str) -> str:
    if unit != "bytes":
        return f"{count} {unit}".rstrip()
    value = float(count)
    for name in ("bytes", "KiB", "MiB"):
        if value < 1024:
            return f"{value:.4g} {name}"
        value /= 1024
    return f"{value:.4g} GiB"


def _figures(done: int, total: int, unit: str, note: str, elapsed: float) -> str:
    """What stands behind the bar: share, time left, note."""
    parts = []
    if total > 0:
        parts.append(f"{100 * _share(done, total):3.0f} %")
        if 0 < done < total:
            parts.append(f"{duration(elapsed / done * (total - done))} left")
    else:
        parts += [_amount(done, unit)] if done else []
        parts.append(duration(elapsed))
    return ", ".join([*parts, note] if note else parts)


class _Line:
    """One line that is drawn again and again, without a library."""

    def __init__(self, label: str, unit: str, stream: IO[str]) -> None:
        self._label, self._unit, self._stream = label, unit, stream

    def draw(self, done: int, total: int, note: str, elapsed: float) -> None:
        columns = shutil.get_terminal_size().columns
        figures = _figures(done, total, self._unit, note, elapsed)
        text = f"{self._label} {figures}"
        width = min(40, columns - len(text) - 5)
        if total > 0 and width >= 10:
            filled = int(_share(done, total) * width)
            text = f"{self._label} [{'#' * filled}{'.' * (width - filled)}] {figures}"
        self._stream.write(f"\r{text[: columns - 1]}\x1b[K")
        self._stream.flush()

    def erase(self) -> None:
        self._stream.write("\r\x1b[K")
        self._stream.flush()


class _Lines:
    """A new line every few seconds, for streams that keep everything."""

    interval = 5.0

    def __init__(self, label: str, unit: str, stream: IO[str]) -> None:
        self._label, self._unit, self._stream = label, unit, stream
        self._next = 0.0

    def draw(self, done: int, total: int, note: str, elapsed: float) -> None:
        if elapsed >= self._next:
            self._next = elapsed + self.interval
            print(
                f"{self._label}: {_figures(done, total, self._unit, note, elapsed).strip()}",
                file=self._stream,
                flush=True,
            )

    def erase(self) -> None:
        """Lines stay."""


class _Tqdm:
    def __init__(self, label: str, unit: str, stream: IO[str]) -> None:
        from tqdm import tqdm

        is_bytes = unit == "bytes"
        self._bar = tqdm(
            desc=label,
            total=0,
            unit="B" if is_bytes else f" {unit}" if unit else "",
            unit_scale=is_bytes,
            unit_divisor=1024 if is_bytes else 1000,
            file=stream,
            leave=False,
            ncols=shutil.get_terminal_size().columns,
            nrows=shutil.get_terminal_size().lines,
            mininterval=0,
        )

    def draw(self, done: int, total: int, note: str, elapsed: float) -> None:
        bar = self._bar
        bar.total = total if total > 0 else None
        bar.start_t = bar._time() - elapsed  # the bar is made late
        bar.n = done
        bar.ncols = shutil.get_terminal_size().columns
        bar.set_postfix_str(note, refresh=False)
        bar.refresh()

    def erase(self) -> None:
        self._bar.close()


class _Rich:
    def __init__(self, label: str, unit: str, stream: IO[str]) -> None:
        from rich import console, progress

        self._unit = unit
        self._progress = progress.Progress(
            progress.TextColumn("{task.description}"),
            progress.BarColumn(),
            progress.TextColumn("{task.fields[figures]}"),
            console=console.Console(file=stream),
            transient=True,
            auto_refresh=False,
        )
        self._task = self._progress.add_task(label, total=None, figures="")
        self._progress.start()

    def draw(self, done: int, total: int, note: str, elapsed: float) -> None:
        figures = _figures(done, total, self._unit, note, elapsed)
        self._progress.update(self._task, completed=done, total=total if total > 0 else None, figures=figures)
        self._progress.refresh()

    def erase(self) -> None:
        self._progress.stop()
