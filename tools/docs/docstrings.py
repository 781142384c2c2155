# SPDX-License-Identifier: MIT
"""Docstrings in NumPy's form as MyST Markdown: signatures, fields and examples of one object of the reference."""

from __future__ import annotations

import inspect
import re
from typing import Any

# Classes that types link to, by the words of docstrings: python_reference.py fills it.
LINKED: dict[str, str] = {}
SECTIONS = ("Parameters", "Returns", "Raises", "Examples", "Notes", "Attributes")


def text_of(value: Any) -> str:
    """The documentation, without the line of the signature with which nanobind begins it."""
    text = inspect.getdoc(value) or ""
    name = getattr(value, "__name__", "")
    while name and text.startswith(f"{name}("):
        text = text.partition("\n")[2].lstrip("\n")
    return text


def sections_of(text: str) -> dict[str, list[str]]:
    """The lines of each section, and in "" those before the first one."""
    found: dict[str, list[str]] = {"": []}
    lines, title = text.splitlines(), ""
    for at, line in enumerate(lines):
        follows = lines[at + 1] if at + 1 < len(lines) else ""
        if line in SECTIONS and follows == "-" * len(line):
            title = line
            found[title] = []
        elif not (title and line == "-" * len(title)):
            found[title].append(line)
    return found


def entries(lines: list[str]) -> list[tuple[str, str, str]]:
    """Name, type and text of each entry of a section."""
    made: list[tuple[str, str, str]] = []
    for line in lines:
        if line.startswith("    ") and made:
            name, kind, text = made[-1]
            made[-1] = (name, kind, f"{text} {line.strip()}".strip())
        elif line:
            name, _, kind = line.partition(" : ")
            made.append((name, kind, ""))
    return made


def escaped(text: str) -> str:
    """Prose of a docstring as Markdown: only `code`, lists and indented lines are markup."""
    parts = re.split(r"(``?[^`\n]+``?)", text)
    return "".join(
        one if at % 2 else re.sub(r"([*_\[\]<>$|~\\])", r"\\\1", one) for at, one in enumerate(parts)
    )


def summary_of(value: Any) -> str:
    """The first sentence."""
    text = " ".join(text_of(value).partition("\n\n")[0].split())
    match = re.match(r".*?[.!](?=\s+[A-Z`]|$)", text)
    return match[0] if match else text


def signature_of(value: Any) -> str:
    """The parameters with their defaults. Types are those of the documentation, which are shorter."""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return ""
    parameters = [
        one.replace(annotation=inspect.Parameter.empty, default=_default(one.default))
        for one in signature.parameters.values()
        if one.name != "self"
    ]
    return str(inspect.Signature(parameters))


class _Written:
    """A default that is shown by these words."""

    def __init__(self, words: str) -> None:
        self.words = words

    def __repr__(self) -> str:
        return self.words


def _default(value: Any) -> Any:
    """A default as it is shown: repr of objects without a literal would hold an address."""
    if value is inspect.Parameter.empty or isinstance(
        value, (bool, int, float, str, type(None), tuple, bytes)
    ):
        return value
    return _Written(value.__name__ if isinstance(value, type) else "...")


def type_of(words: str) -> str:
    """A type in the words of a docstring, with links to the classes of quern."""
    return re.sub(
        r"\w+(?:\.\w+)*",
        lambda match: f"{{py:obj}}`{match[0]} <{LINKED[match[0]]}>`" if match[0] in LINKED else match[0],
        escaped(words),
    )


def _field(title: str, described: list[tuple[str, str, str]]) -> list[str]:
    """A field of an entry: one item for each name, type and text."""
    lines = []
    for name, kind, text in described:
        kind = type_of(kind)
        head = f"{name} ({kind})" if name and kind else name or kind
        lines.append(f"  - {head}: {escaped(text)}" if text else f"  - {head}")
    return [f":{title}:", *lines] if lines else []


def body_of(value: Any) -> list[str]:
    """The documentation below a signature."""
    parts = sections_of(text_of(value))
    lines = [escaped(line) for line in parts[""]] + [""]
    for title in ("Notes", "Attributes"):
        if title in parts:
            lines += [f"**{title}**", "", *(escaped(line) for line in parts[title]), ""]
    lines += _field(
        "Parameters",
        [(f"**{escaped(name)}**", kind, text) for name, kind, text in entries(parts.get("Parameters", []))],
    )
    results = entries(parts.get("Returns", []))
    lines += _field(
        "Returns",
        [(f"*{escaped(name)}*" if kind else "", kind or name, text) for name, kind, text in results],
    )
    lines += _field("Raises", [("", name, text) for name, _, text in entries(parts.get("Raises", []))])
    if "Examples" in parts:
        example = "\n".join(parts["Examples"]).strip()
        lines += ["", "```pycon", example, "```"]
    return [*lines, ""]
