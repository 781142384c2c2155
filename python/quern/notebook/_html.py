# SPDX-License-Identifier: MIT
"""The pieces of HTML that all displays are made of: escaped, small, and readable on light and dark pages."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

# A notebook may hold hundreds of displays, so long texts are cut.
_MOST_LINES = 300
_MOST_CHARACTERS = 20_000
# No colour is set but greys that let the page's background through; text has the colour of the page.
_PRE = "max-height:30em;overflow:auto;padding:0.5em;background:rgba(128,128,128,0.12);line-height:1.3"
_CELL = "text-align:left"
_NUMBER = "text-align:right"


def facts(*texts: object) -> str:
    """Short facts in one line."""
    return " &middot; ".join(escape(str(text)) for text in texts if text != "")


def card(kind: str, line: str, *parts: str) -> str:
    """A display: the class, a line of facts as HTML, and what is below."""
    return f"<div><div><b>quern.{escape(kind)}</b> {line}</div>{''.join(parts)}</div>"


def folded(title: str, content: str, is_open: bool = False) -> str:
    """Content that a click on the title shows. `content` is HTML."""
    state = " open" if is_open else ""
    return f'<details{state}><summary style="cursor:pointer">{escape(title)}</summary>{content}</details>'


def code(text: str) -> str:
    """Text of a program; the middle of a long one is left out."""
    lines = text.strip("\n").split("\n")
    if len(lines) > _MOST_LINES:
        half = _MOST_LINES // 2
        lines = [*lines[:half], f"... {len(lines) - 2 * half} lines ...", *lines[-half:]]
    text = "\n".join(lines)
    if len(text) > _MOST_CHARACTERS:
        half = _MOST_CHARACTERS // 2
        text = f"{text[:half]}\n... {len(text) - 2 * half} characters ...\n{text[-half:]}"
    return f'<pre style="{_PRE}">{escape(text)}</pre>'


def table(head: Sequence[str], rows: Iterable[Sequence[object]], numbers: Sequence[int] = ()) -> str:
    """A table; the columns in `numbers` are aligned at their right. An empty head is left out."""
    styles = dict.fromkeys(numbers, _NUMBER)

    def line(tag: str, cells: Sequence[object]) -> str:
        return "".join(
            f'<{tag} style="{styles.get(column, _CELL)}">{escape(str(cell))}</{tag}>'
            for column, cell in enumerate(cells)
        )

    top = f"<thead><tr>{line('th', head)}</tr></thead>" if head else ""
    body = "".join(f"<tr>{line('td', row)}</tr>" for row in rows)
    return f"<table>{top}<tbody>{body}</tbody></table>"


def shell() -> Any:
    """The running IPython, or None. It is not imported for this."""
    module = sys.modules.get("IPython")
    return module.get_ipython() if module is not None and hasattr(module, "get_ipython") else None


def place(line: str) -> str:
    """A source line as "In[3]:2" if it is in a cell, or "file.py:2" without the folder."""
    file, colon, number = line.rpartition(":")
    if not colon:
        return line
    running = shell()
    if running is not None and hasattr(running.compile, "format_code_name"):
        found = running.compile.format_code_name(file)
        if found:
            return f"{found[1].replace(' ', '')}:{number}"
    return f"{os.path.basename(file)}:{number}"
