#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the stubs of the functions that the registry in C++ describes.

    tools/write_stubs.py MODULE_FOLDER NANOBIND_STUB CORE_STUB FUNCTIONS_STUB LINALG_STUB

NANOBIND_STUB is what nanobind wrote of quern._core. CORE_STUB is the same with the methods of Array that come from the
registry; FUNCTIONS_STUB is that of quern/_functions.py, LINALG_STUB that of quern/linalg.py.
"""

from __future__ import annotations

import re
import sys
import textwrap
from pathlib import Path

HEAD = '''"""{about}"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy.typing as npt

from ._core import Array, Device, Queue
from ._results import UniqueAllResult, UniqueCountsResult, UniqueInverseResult

'''


def definition(core: object, name: str, is_method: bool, indent: str = "") -> str:
    """A function with its documentation."""
    function = core.functions[name] if not is_method else getattr(core.Array, name.rsplit(".", 1)[-1])  # type: ignore[attr-defined]
    text = core.stub_of(name, is_method) + ":\n"  # type: ignore[attr-defined]
    doc = function.__doc__.rstrip().replace("\\", "\\\\")
    body = f'"""{doc}\n"""' if "\n" in doc else f'"""{doc}"""'
    return (
        textwrap.indent(text + textwrap.indent(body, "    ", lambda line: bool(line.strip())), indent) + "\n"
    )


def write_module(core: object, path: str, about: str, prefix: str) -> None:
    """The stub of a module that has the functions whose names begin like this."""
    names = sorted(core.functions)  # type: ignore[attr-defined]
    own = [name for name in names if name.startswith(prefix) and "." not in name.removeprefix(prefix)]
    parts = [definition(core, name, False) for name in own]
    Path(path).write_text(
        HEAD.format(about=about) + "__all__: list[str]\n\n" + "\n".join(parts), encoding="utf-8"
    )


def main() -> None:
    folder, nanobind_stub, core_stub, functions_stub, linalg_stub = sys.argv[1:]
    sys.path.insert(0, folder)
    import _core  # type: ignore[import-not-found]

    write_module(_core, functions_stub, "The functions of the registry in C++ by their names.", "")
    write_module(_core, linalg_stub, "Linear algebra that needs no factorisation.", "linalg.")

    text = Path(nanobind_stub).read_text(encoding="utf-8")
    kind = type(next(iter(_core.functions.values())))
    for name, value in vars(_core.Array).items():
        if isinstance(value, kind):
            method = definition(_core, name, True, "    ").rstrip("\n")
            method = method.replace("npt.", "numpy.typing.")
            pattern = rf"^    {name}: .*$|^    def {name}\(\*args, \*\*kwargs\).*$"
            text, count = re.subn(pattern, lambda _, method=method: method, text, count=1, flags=re.MULTILINE)
            if count != 1:
                raise SystemExit(f"write_stubs: {core_stub} has no method {name}")
    text = re.sub(r"^functions: dict.*$", "functions: dict[str, Any]", text, flags=re.MULTILINE)
    Path(core_stub).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
