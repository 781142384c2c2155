# SPDX-License-Identifier: MIT
"""Pages of the reference in C++: one for each public header, with its declarations and the comments above them."""

from __future__ import annotations

import re
from pathlib import Path

from docstrings import escaped
from headers import Declaration, read

LEFT_OUT = ("api.hpp", "quern.hpp")  # macros; the list of all others
MOST_NAMES = 5  # in a heading


def prose(comment: str) -> list[str]:
    """A comment as paragraphs: names in `code` stay so, all other text is plain."""
    return [escaped(line) for line in comment.splitlines()]


def _heading(one: Declaration) -> str:
    names = [f"`{name}`" for name in one.names[:MOST_NAMES]]
    return ", ".join(names) + (", …" if len(one.names) > MOST_NAMES else "")


def page_of(header: str, text: str) -> tuple[str, str]:
    """The page of a header and the first sentence of its comment."""
    about, declarations = read(text)
    lines = [f"# {header}", "", f"```cpp\n#include <{header}>\n```", "", *prose(about), ""]
    for one in declarations:
        space = re.sub(r"^quern(::)?", "", one.namespace)
        lines += [f"## {_heading(one)}", ""]
        lines += [f"In namespace `quern::{space}`.", ""] if space else []
        lines += [*prose(one.comment), "", "```cpp", *one.code, "```", ""]
    sentence = re.match(r".*?[.:](?=\s|$)", " ".join(about.split()))
    return "\n".join(lines), sentence[0].replace(":", ".") if sentence else ""


def write(folder: Path, include: Path) -> int:
    """Writes the pages into a folder, and returns how many there are."""
    pages = []
    for path in sorted(include.rglob("*.hpp")):
        header = path.relative_to(include.parent).as_posix()
        if path.name in LEFT_OUT:
            continue
        text, sentence = page_of(header, path.read_text(encoding="utf-8"))
        name = header.removeprefix("quern/").removesuffix(".hpp")
        target = folder / f"{name}.md"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        pages.append((name, header, sentence))
    lines = [
        "# Reference of C++",
        "",
        "`#include <quern/quern.hpp>` includes all of these headers. Functions of arrays have the names of Python's, and a",
        "structure of options for their keywords.",
        "",
        "| header | what it declares |",
        "|---|---|",
        *(f"| [{header}]({name}.md) | {escaped(sentence)} |" for name, header, sentence in pages),
        "",
        "```{toctree}",
        ":hidden:",
        "",
        *(name for name, *_ in pages),
        "```",
        "",
    ]
    (folder / "index.md").write_text("\n".join(lines), encoding="utf-8")
    return len(pages)
