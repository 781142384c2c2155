# SPDX-License-Identifier: MIT
"""How commands print: colours on terminals, plain text in pipes, JSON, tables, errors."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Sequence
from typing import IO, Any

_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}
_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


class CommandError(Exception):
    """A message for the user and the exit code of the command."""

    def __init__(self, text: str, status: int = 2) -> None:
        super().__init__(text)
        self.status = status


def wants_colors(stream: IO[str], choice: str = "auto") -> bool:
    """Whether text for the stream has colours: not in pipes, not with NO_COLOR, not on terminals without colours."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


class Output:
    """Prints the results of a command."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.command: str = options.command
        self.is_json: bool = getattr(options, "json", False)
        self._choice: str = getattr(options, "color", "auto")
        self._has_colors = wants_colors(sys.stdout, self._choice)

    def paint(self, text: str, *styles: str) -> str:
        """The text in these colours, where there are colours."""
        return _painted(text, styles) if self._has_colors else text

    def line(self, text: str = "") -> None:
        """Prints a line, unless the result is JSON."""
        if not self.is_json:
            print(text, flush=True)

    def mark(self, mark: str, text: str) -> None:
        """Prints a line that begins with ok, -- (missing, not needed) or !! (a failure)."""
        color = {"ok": "green", "--": "dim", "!!": "red"}[mark.strip()]
        indent = mark[: len(mark) - len(mark.lstrip())]
        self.line(f"{indent}{self.paint(mark.strip(), color)} {text}")

    def result(self, facts: Any) -> None:
        """Prints the result as JSON, if that is wanted."""
        if self.is_json:
            print(json.dumps(facts, indent=2), flush=True)

    def fail(self, text: str, status: int) -> int:
        """Prints an error and returns the exit code."""
        if self.is_json:
            self.result({"error": text, "exit_code": status})
        else:
            label = "error:"
            if wants_colors(sys.stderr, self._choice):
                label = _painted(label, ("red", "bold"))
            print(f"quern {self.command}: {label} {text}", file=sys.stderr)
        return status

    def table(self, header: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> None:
        """Prints a table. The first `left` columns begin at the left edge, the others end at the right."""
        widths = [max(_width(row[i]) for row in [header, *rows]) for i in range(len(header))]

        def joined(row: Sequence[str]) -> str:
            cells = [
                cell + " " * (width - _width(cell)) if i < left else " " * (width - _width(cell)) + cell
                for i, (cell, width) in enumerate(zip(row, widths, strict=True))
            ]
            return "  ".join(cells).rstrip()

        self.line(self.paint(joined(header), "bold"))
        for row in rows:
            self.line(joined(row))


def _painted(text: str, styles: Sequence[str]) -> str:
    return f"\x1b[{';'.join(_CODES[style] for style in styles)}m{text}\x1b[0m"


def _width(text: str) -> int:
    return len(_ESCAPE.sub("", text))


def count_of(number: int, noun: str) -> str:
    """A number and a noun: 1 error, 2 errors."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def bytes_text(count: float) -> str:
    """A size in words."""
    value = float(count)
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if value < 1024:
            return f"{value:.4g} {unit}"
        value /= 1024
    return f"{value:.4g} TiB"


def check_may_write(path: str, force: bool) -> None:
    """Raises CommandError if a file exists and must not be overwritten, or cannot be written."""
    if path == "-":
        return
    if os.path.isdir(path):
        raise CommandError(f"{path} is a folder")
    if os.path.exists(path) and not force:
        raise CommandError(f"{path} exists; --force overwrites it")
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise CommandError(f"{path}: there is no folder {folder}")


def write_text(path: str, text: str) -> None:
    """Writes a file, or standard output for "-". The file is complete or absent."""
    if path == "-":
        sys.stdout.write(text)
        return
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise
