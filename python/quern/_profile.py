# SPDX-License-Identifier: MIT
"""Profiles: what all queues did in a block, as a table, a trace or a picture."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType

from . import _core
from ._core import ProfileRecord, ProfileRow


class ProfilePicture:
    """Lanes of a profile as SVG, which notebooks show.

    Parameters
    ----------
    svg : str
        Text of the picture.

    Examples
    --------
    >>> with qn.profile() as p:
    ...     qn.eval(qn.ones(1_000_000) + 1)
    >>> p.plot().svg[:4]
    '<svg'
    """

    def __init__(self, svg: str):
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<quern.ProfilePicture of {len(self.svg)} characters of SVG>"


class Profile:
    """Profile that profile() returns; it collects in its `with` block.

    The methods wait for the recorded operations. They may be called in the block, too, for what is recorded so far.

    Examples
    --------
    >>> with qn.profile() as p:
    ...     qn.eval(qn.ones(1_000_000) + 1)
    >>> [(record.name, record.bytes_written) for record in p.records if record.kind == "kernel"]
    [('add', 8000000)]
    """

    def __init__(self) -> None:
        self._entered: _core.ProfileRecording | None = None

    @property
    def _recording(self) -> _core.ProfileRecording:
        if self._entered is None:
            raise _core.ArgumentValueError("the profile has not begun: use `with qn.profile() as p:`")
        return self._entered

    def __enter__(self) -> Profile:
        if self._entered is not None:
            raise _core.ArgumentValueError("a profile collects once: call qn.profile() for another one")
        self._entered = _core.ProfileRecording()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._recording.stop()
        else:
            self._recording.cancel()

    @property
    def records(self) -> list[ProfileRecord]:
        """Operations and waits, in the order of submission."""
        return self._recording.records()

    @property
    def at_once(self) -> int:
        """Number of small computations of the calling thread, which have no records."""
        return self._recording.at_once

    @property
    def dropped(self) -> int:
        """Number of operations that were not recorded, because a profile holds a million records at most."""
        return self._recording.dropped

    def rows(self, by: str = "name") -> list[ProfileRow]:
        """Rows of the table, the longest total time first.

        Parameters
        ----------
        by : str, optional
            "name": a row for each kind, name and device. "line": a row for each source line of these.

        Returns
        -------
        list of ProfileRow
            Rows with count, total, mean, share, bytes, bytes per second and fraction of the device's limit.

        Raises
        ------
        ValueError
            If `by` is neither "name" nor "line".

        Examples
        --------
        >>> with qn.profile() as p:
        ...     x = qn.zeros(1_000_000, "float32")
        ...     x.fill(1).wait()
        True
        >>> [row.count for row in p.rows() if row.kind == "fill"]
        [2]
        """
        return self._recording.rows(_is_by_line(by))

    def table(self, by: str = "name") -> str:
        """Table of the rows as text.

        The limit of a device is the bandwidth of a large copy, which the first call measures.

        Parameters
        ----------
        by : str, optional
            "name": a row for each kind, name and device. "line": a row for each source line of these.

        Returns
        -------
        str
            Table, the longest total time first.

        Raises
        ------
        ValueError
            If `by` is neither "name" nor "line".

        Examples
        --------
        >>> with qn.profile() as p:
        ...     pass
        >>> print(p.table())
        nothing was recorded
        """
        return self._recording.table(_is_by_line(by)).rstrip("\n")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a trace for Perfetto (ui.perfetto.dev) or chrome://tracing.

        Parameters
        ----------
        path : str or path
            File to write, such as "trace.json".

        Raises
        ------
        OSError
            If the file cannot be written.

        Examples
        --------
        >>> with qn.profile() as p:
        ...     qn.eval(qn.ones(1_000_000) + 1)
        >>> p.save("trace.json")
        """
        Path(path).write_text(self._recording.trace(), encoding="utf-8")

    def plot(self, path: str | os.PathLike[str] | None = None, *, width: int = 1000) -> ProfilePicture:
        """Draw a lane for each queue and waiting thread.

        Parameters
        ----------
        path : str or path, optional
            File to write: ".svg" needs no other package, ".png" needs Matplotlib.
        width : int, optional
            Width of the picture in pixels, at least 300.

        Returns
        -------
        ProfilePicture
            ProfilePicture as SVG, which notebooks show.

        Raises
        ------
        ValueError
            If the name of the file ends neither in ".svg" nor in ".png".
        ImportError
            If the file is a ".png" and Matplotlib is not installed.
        OSError
            If the file cannot be written.

        Examples
        --------
        >>> with qn.profile() as p:
        ...     qn.eval(qn.ones(1_000_000) + 1)
        >>> picture = p.plot("lanes.svg")
        >>> picture.svg[:4]
        '<svg'
        """
        suffix = Path(path).suffix.lower() if path is not None else ".svg"
        if suffix not in (".svg", ".png"):
            raise _core.ArgumentValueError(f"path: expected a name that ends in .svg or .png, got {path!s}")
        picture = ProfilePicture(self._recording.svg(width))
        if path is not None and suffix == ".svg":
            Path(path).write_text(picture.svg, encoding="utf-8")
        elif path is not None:
            _save_png(self._recording, Path(path), width)
        return picture

    def _repr_html_(self) -> str | None:
        if self._entered is None or self._entered.is_open:
            return None  # repr() says so
        from .notebook._profiles import profile_html

        return profile_html(self)

    def __repr__(self) -> str:
        if self._entered is None:
            return "<quern.Profile, not begun>"
        return f"<quern.Profile, {'open' if self._entered.is_open else 'ended'}>"


def profile() -> Profile:
    """Record all operations of all queues, devices and threads in a `with qn.profile() as p:` block.

    Kernels, copies, fills, calls of libraries and waits have names, sizes, bytes, times and the source line that
    submitted them. Leaving the block evaluates the pending expressions of all queues and does not wait for them. If an
    exception leaves the block, nothing is evaluated, and the profile has what was recorded before.

    Returns
    -------
    Profile
        Context manager with `table()`, `rows()`, `records`, `save()` for Perfetto and `plot()`.

    Notes
    -----
    Profiles may be nested and may overlap on several threads; each records all operations of the process. Small work
    that the host computes on the calling thread has no queue: `at_once` counts it. Bytes of a kernel are the sizes of its
    arguments, each counted once.

    OpenCL queues of another owner, and those whose `native_handle` the program has read, record no times unless they were
    made for profiling. Other queues record times while a profile is open.

    Examples
    --------
    >>> with qn.profile() as p:
    ...     y = 2 * qn.ones(1_000_000, "float32") + 1
    >>> [row.name for row in p.rows() if row.kind == "kernel"]
    ['multiply, add']
    """
    return Profile()


def _is_by_line(by: str) -> bool:
    if by not in ("name", "line"):
        raise _core.ArgumentValueError(f"by: expected 'name' or 'line', got {by!r}")
    return by == "line"


def _save_png(recording: _core.ProfileRecording, path: Path, width: int) -> None:
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(
            "a .png needs Matplotlib: install it (pip install matplotlib) or write an .svg"
        ) from error
    records, lanes = recording.records(), recording.lanes()
    dots = 100
    figure = Figure(
        figsize=(max(width, 300) / dots, 0.8 + 0.3 * max(len(lanes), 1)), dpi=dots, layout="tight"
    )
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    timed = [record.times for record in records if record.times is not None]
    start = min((times.started for times in timed), default=0)
    for number, lane in enumerate(lanes):
        spans, colours = [], []
        for index in lane.records:
            times = records[index].times
            if times is not None:
                spans.append(((times.started - start) * 1e-6, times.duration * 1e-6))
                colours.append(records[index].colour)
        axes.broken_barh(spans, (number - 0.4, 0.8), facecolors=colours)
    axes.set_yticks(range(len(lanes)), [f"{lane.device} {lane.label}" for lane in lanes])
    axes.invert_yaxis()
    axes.set_xlabel("ms")
    figure.savefig(path)
