# SPDX-License-Identifier: MIT
"""The result of a search for parameters: its candidates as tables, files and pictures."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _core
from ._units import time_text

if TYPE_CHECKING:
    import os

    from ._core import Device, TuneCandidate

    Value = bool | int | float | str


class TunePicture:
    """Picture of a search, which notebooks show.

    Attributes
    ----------
    svg : str
        Text of the picture.

    Examples
    --------
    >>> result = qn.tune(lambda n: qn.eval(qn.ones(10 * n)), {"n": [1, 2]}, verify=False, keep=False)
    >>> result.plot().svg[:4]
    '<svg'
    """

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<quern.TunePicture of {len(self.svg)} characters of SVG>"


class TuneResult:
    """Candidates of a search, and the best of them. `tune()` returns it.

    Examples
    --------
    >>> result = qn.tune(lambda n: qn.eval(qn.ones(10 * n)), {"n": [1, 2]}, verify=False, keep=False)
    >>> sorted(result.best), len(result.candidates)
    (['n'], 2)
    """

    def __init__(self, search: Any, device: Device, problem: str, problem_class: str) -> None:
        self._search = search
        self.device = device
        self.problem = problem
        self.problem_class = problem_class
        self.candidates: list[TuneCandidate] = search.candidates
        try:
            self._best: TuneCandidate = self.candidates[search.best_index]
        except _core.Error:
            if search.interrupted:  # before there was anything to return
                raise KeyboardInterrupt from None
            raise

    @property
    def best(self) -> dict[str, Value]:
        """Value of each parameter of the fastest configuration that gives right results."""
        return self._best.parameters

    @property
    def seconds(self) -> float:
        """Shortest time of a run of the best configuration, in seconds."""
        return self._best.seconds or 0.0

    @property
    def default_seconds(self) -> float | None:
        """Shortest time of a run of the default configuration; None if it cannot be used."""
        return self.candidates[0].seconds

    @property
    def gain(self) -> float | None:
        """Time of the default configuration over that of the best; None if the default cannot be used."""
        return None if not self.default_seconds or not self.seconds else self.default_seconds / self.seconds

    @property
    def strategy(self) -> str:
        """Strategy of the search."""
        return str(self._search.strategy)

    @property
    def space_size(self) -> int:
        """Number of configurations that the restrictions allow."""
        return int(self._search.space_size)

    @property
    def search_seconds(self) -> float:
        """Duration of the whole search, in seconds."""
        return float(self._search.seconds)

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended the search."""
        return bool(self._search.interrupted)

    @property
    def timed_out(self) -> bool:
        """Whether the time limit ended the search."""
        return bool(self._search.timed_out)

    def table(self, most: int = 20) -> str:
        """The candidates as text, the fastest first.

        Parameters
        ----------
        most : int, optional
            Largest number of candidates.

        Returns
        -------
        str
            Table with a row for each candidate.
        """
        return str(self._search.table(most))

    def csv(self) -> str:
        """The candidates as comma-separated values, in the order of the search."""
        return str(self._search.csv())

    def json(self) -> str:
        """The search as a JSON document, with the times of all runs."""
        return str(self._search.json())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the candidates to a file.

        Parameters
        ----------
        path : str or pathlib.Path
            File to write; its name ends in ".csv", ".json" or ".txt".

        Raises
        ------
        ValueError
            If the name of the file has another ending.
        """
        texts: dict[str, Callable[[], str]] = {
            ".csv": self.csv,
            ".json": self.json,
            ".txt": partial(self.table, len(self.candidates)),
        }
        write = texts.get(Path(path).suffix.lower())
        if write is None:
            raise _core.ArgumentValueError(
                f"path: expected a name that ends in .csv, .json or .txt, got {path!s}"
            )
        Path(path).write_text(write(), encoding="utf-8")

    def plot(self, path: str | os.PathLike[str] | None = None, *, width: int = 900) -> TunePicture:
        """Draw the times in the order of the search, and by the values of each parameter.

        Parameters
        ----------
        path : str or pathlib.Path, optional
            SVG file to write.
        width : int, optional
            Width of the picture in pixels.

        Returns
        -------
        TunePicture
            The picture, which notebooks show.
        """
        picture = TunePicture(self._search.svg(width))
        if path is not None:
            Path(path).write_text(picture.svg, encoding="utf-8")
        return picture

    def __repr__(self) -> str:
        best = ", ".join(f"{name}={value}" for name, value in self.best.items())
        gain = "" if self.gain is None else f", {self.gain:.3g} times as fast as the default"
        ended = " (interrupted)" if self.interrupted else " (time limit)" if self.timed_out else ""
        return (
            f"<quern.TuneResult {self.problem} on '{self.device.spec}': {best}: {time_text(self.seconds)}{gain}; "
            f"{len(self.candidates)} of {self.space_size} candidates{ended}>"
        )
