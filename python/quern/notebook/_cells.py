# SPDX-License-Identifier: MIT
"""Code of cells: compiled so that tracebacks and profiles show the lines of the cell, and run like a cell."""

from __future__ import annotations

import ast
import re
import sys
from types import FrameType
from typing import Any

NOTHING = object()


class CellCode:
    """The statements of a cell. The value of the last one is the result if it is an expression.

    The magic is the first line of the cell, so the code begins at its second line; of a line magic it is the only line.
    """

    def __init__(self, shell: Any, text: str, first_line: int):
        source = "\n" * (first_line - 1) + shell.transform_cell(text)
        name = shell.compile.cache(source, _cell_number(shell), raw_code=source)
        tree = shell.compile.ast_parse(source, filename=name)
        self.stored = sorted(
            {
                node.id
                for node in ast.walk(tree)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            }
        )
        last: ast.Expression | None = None
        if tree.body and isinstance(tree.body[-1], ast.Expr):
            last = ast.Expression(tree.body.pop().value)
        self._is_shown = not source.rstrip().endswith(";")
        self._body = shell.compile(tree, name, "exec") if tree.body else None
        self._last = shell.compile(last, name, "eval") if last is not None else None

    def run(self, names: dict[str, Any]) -> Any:
        """Run the statements; returns the value of the last one, or NOTHING."""
        if self._body is not None:
            exec(self._body, names)
        return eval(self._last, names) if self._last is not None else NOTHING

    def shows(self, value: Any) -> bool:
        """Whether a cell would display the value of its last statement."""
        return value is not NOTHING and value is not None and self._is_shown


def _cell_number(shell: Any) -> int:
    """Number of the running cell. shell.execution_count may be that of the next one, depending on IPython's version."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and hasattr(shell.compile, "format_code_name"):
        found = shell.compile.format_code_name(frame.f_code.co_filename)
        if found and (digits := re.search(r"\d+", found[1])):
            return int(digits[0])
        frame = frame.f_back
    return int(shell.execution_count)


def first_line_below(shell: Any, magic: str) -> int:
    """Number of the line below the magic in the cell that runs; blank lines may come before the magic."""
    try:
        raw = shell.history_manager.input_hist_raw[-1]
    except (AttributeError, IndexError):
        return 2
    for number, line in enumerate(raw.split("\n"), 1):
        if line.strip():
            return number + 1 if line.lstrip().startswith(f"%%{magic}") else 2
    return 2
