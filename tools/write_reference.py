#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes reference pages in Markdown from the rows of the registry in C++: one for each function, and an index.

    tools/write_reference.py [FOLDER]        build/reference where none is named

The pages have what help() shows: signature, parameters, result, example. A function with several names has one page.
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
SECTIONS = ("Parameters", "Returns", "Examples")


def parts_of(text: str) -> dict[str, list[str]]:
    """The lines of a documentation in NumPy's form, by the section that they are in; what comes first is in ""."""
    parts: dict[str, list[str]] = {"": []}
    lines, section = text.splitlines(), ""
    for at, line in enumerate(lines):
        follows = lines[at + 1] if at + 1 < len(lines) else ""
        if line in SECTIONS and follows == "-" * len(line):
            section = line
            parts[section] = []
        elif not (line == "-" * len(section) and section):
            parts[section].append(line)
    return parts


def entries(lines: list[str], code: bool) -> list[str]:
    """`name : type` and the text below it, as items of a list."""
    made = []
    for line in lines:
        if line.startswith("    "):
            made[-1] += f": {line.strip()}"
        elif line:
            name, _, kind = line.partition(" : ")
            made.append(f"- `{name}` ({kind})" if kind and code else f"- `{line}`")
    return made


def page_of(name: str, function: Any, aliases: list[str]) -> str:
    """The page of one function."""
    parts = parts_of(function.__doc__)
    text = [f"# {name}", "", f"```python\n{name}{inspect.signature(function)}\n```", "", *parts[""]]
    if aliases:
        text += [f"Also called {', '.join(f'`{one}`' for one in aliases)}.", ""]
    if "Parameters" in parts:
        text += ["## Parameters", "", *entries(parts["Parameters"], True), ""]
    text += ["## Returns", "", *entries(parts["Returns"], False), ""]
    if "Examples" in parts:
        example = "\n".join(parts["Examples"]).strip()
        text += ["## Examples", "", f"```pycon\n{example}\n```", ""]
    return "\n".join(text)


def has_own_row(core: Any, method: str) -> bool:
    """Whether a method of Array is a row of its own, and not a function of the same name."""
    try:
        return bool(core.stub_of(method))
    except ValueError:
        return False


def functions_of(core: Any) -> dict[str, tuple[Any, list[str]]]:
    """Each row by its first name, with its other names; methods that are not functions as well."""
    found: dict[str, tuple[Any, list[str]]] = {}
    by_page: dict[str, str] = {}
    for name, function in core.functions.items():
        # Examples call the function by the name at hand.
        page = function.__doc__.replace(f"qn.{name}(", "qn.(")
        if page in by_page:
            found[by_page[page]][1].append(name)
        else:
            by_page[page] = name
            found[name] = (function, [])
    kind = type(next(iter(core.functions.values())))
    for name, method in vars(core.Array).items():
        if isinstance(method, kind) and has_own_row(core, f"Array.{name}"):
            found[f"Array.{name}"] = (method, [])
    return found


def write(folder: Path) -> int:
    """Writes the pages into a folder, and returns how many there are."""
    from quern import _core

    folder.mkdir(parents=True, exist_ok=True)
    rows = functions_of(_core)
    index = ["# Functions", "", "| function | what it does |", "|---|---|"]
    for name in sorted(rows, key=str.lower):
        function, aliases = rows[name]
        (folder / f"{name}.md").write_text(page_of(name, function, aliases), encoding="utf-8")
        index.append(f"| [{name}]({name}.md) | {function.__doc__.splitlines()[0]} |")
    (folder / "index.md").write_text("\n".join(index) + "\n", encoding="utf-8")
    return len(rows)


def main() -> None:
    sys.path.insert(0, str(ROOT / "python"))
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "reference"
    print(f"{write(folder)} functions in {folder}")


if __name__ == "__main__":
    main()
