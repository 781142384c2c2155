# SPDX-License-Identifier: MIT
"""Options of magics: those at the front of a line, and what follows them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_WORD = re.compile(r"""\s*((?:"[^"]*"|'[^']*'|[^\s"'])+)""")
FLAG, ONE, MANY = "flag", "one", "many"


def usage_error(text: str) -> Exception:
    """The error that IPython shows as one line."""
    from IPython.core.error import UsageError

    error: Exception = UsageError(text)
    return error


def parse(line: str, known: Mapping[str, str], short: Mapping[str, str]) -> tuple[dict[str, Any], str]:
    """Values of the options by name, and the rest of the line. Options end at "--" or at a word that is none."""
    values: dict[str, Any] = {name: [] if kind == MANY else None for name, kind in known.items()}
    at = 0
    while (match := _WORD.match(line, at)) and match[1].startswith("-"):
        word, at = match[1], match.end()
        if word == "--":
            break
        given, has_value, value = word.partition("=")
        name = given[2:] if given.startswith("--") else short.get(given[1:], "")
        if name not in known:
            options = ", ".join(f"--{option}" for option in known)
            raise usage_error(f"unknown option {given}; the options are {options}; -- ends them")
        if known[name] == FLAG:
            values[name] = True
            continue
        if not has_value:
            match = _WORD.match(line, at)
            if match is None:
                raise usage_error(f"option {given} needs a value")
            value, at = match[1], match.end()
        value = re.sub(r"\"([^\"]*)\"|'([^']*)'", lambda m: m[1] or m[2] or "", value)
        if known[name] == MANY:
            values[name].append(value)
        else:
            values[name] = value
    return values, line[at:].strip()


def number(name: str, text: str | None, least: int = 1) -> int | None:
    """The value of an option that is an int."""
    if text is None:
        return None
    try:
        value = int(text)
    except ValueError:
        value = least - 1
    if value < least:
        raise usage_error(f"--{name}: expected an int of at least {least}, got {text!r}")
    return value
