# SPDX-License-Identifier: MIT
"""Code blocks of the pages: the output that a page shows behind a block, and the pictures that the block makes.

A block of Python runs by itself, in an empty folder. Two things may follow it, with at most blank lines between them:

- a block of the language `output`: what the program prints. `...` is any text, as in doctest.
- images whose target begins with `pictures/`: the files of these names that the program has written.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

FENCE = re.compile(r"^```(\w+)\n(.*?)^```$\n?", re.MULTILINE | re.DOTALL)
_OUTPUT = re.compile(r"\s*^```output\n(.*?)^```$\n?", re.MULTILINE | re.DOTALL)
_PICTURE = re.compile(r"\s*!\[[^\]]*\]\(((?:\.\./)*pictures/([\w.-]+))\)")


@dataclass
class Block:
    """One block of code of a page."""

    page: Path
    line: int  # of the first line of the code, from 1
    language: str
    code: str
    output: str | None = None
    pictures: list[str] = field(default_factory=list)

    def run(self) -> str:
        """Runs a block of Python in the current folder, and returns what it prints."""
        # Blank lines in front keep the page's line numbers in tracebacks.
        program = compile("\n" * (self.line - 1) + self.code, str(self.page), "exec")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(program, {"__name__": "__main__"})
        return printed.getvalue()

    def prints(self, printed: str) -> bool:
        """Whether that is the output which the page shows; True if it shows none."""
        if self.output is None:
            return True
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        return doctest.OutputChecker().check_output(self.output, printed, flags)


def blocks_of(page: Path) -> Iterator[Block]:
    """The blocks of code of a page."""
    text = page.read_text(encoding="utf-8")
    for match in FENCE.finditer(text):
        line = text.count("\n", 0, match.start(2)) + 1
        block = Block(page, line, match[1], match[2])
        at = match.end()
        while True:
            if block.output is None and (shown := _OUTPUT.match(text, at)):
                block.output, at = shown[1], shown.end()
            elif picture := _PICTURE.match(text, at):
                block.pictures.append(picture[2])
                at = picture.end()
            else:
                break
        yield block


def unmade_pictures(page: Path) -> set[str]:
    """Pictures that a page shows, that are no files of the repository, and that no block before them makes."""
    prose = FENCE.sub("", page.read_text(encoding="utf-8"))
    shown = set(re.findall(r"!\[[^\]]*\]\((?:\.\./)*pictures/([\w.-]+)\)", prose))
    shown -= {path.name for path in page.parent.glob("pictures/*")}
    return shown - {
        name for block in blocks_of(page) if block.language == "python" for name in block.pictures
    }
