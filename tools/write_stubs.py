#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the stubs of the functions that the registry in C++ describes.

    tools/write_stubs.py MODULE_FOLDER NANOBIND_STUB CORE_STUB FUNCTIONS_STUB LINALG_STUB FFT_STUB

NANOBIND_STUB is what nanobind wrote of quern._core. CORE_STUB is the same with the methods of Array that come from the
registry, and those that modules of the package add with @array_method; FUNCTIONS_STUB is that of quern/_functions.py, LINALG_STUB that of quern/linalg.py,
FFT_STUB that of quern/fft.py.
"""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

HEAD = '''"""{about}"""

from collections.abc import Callable, Sequence
from typing import Any{typing}

import numpy.typing as npt

from ._core import Array, Device, Queue
{imports}
'''

# The methods of functions of two operands, of one, and of two operands with two results.
UFUNC_METHODS = {
    "binary": ("reduce", "accumulate", "reduceat", "outer", "at"),
    "unary": ("at",),
    "pair": ("outer",),
    "plain": (),  # other functions with the attributes of numpy.ufunc, such as matmul
}
# A decorator keeps the definition that it decorates, so that editors show the parameters and the text of each function.
UFUNC_TYPES = """
_P = ParamSpec("_P")
_R = TypeVar("_R", covariant=True)
"""
UFUNCS = """
@type_check_only
class _{Kind}Ufunc(Protocol[_P, _R]):
    nin: int
    nout: int
    nargs: int
    identity: Any
    signature: str | None
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R: ...
{methods}

def _{kind}_ufunc(function: Callable[_P, _R]) -> _{Kind}Ufunc[_P, _R]: ...

"""


def with_text(head: str, doc: str, indent: str = "") -> str:
    """A definition with its documentation."""
    doc = doc.rstrip().replace("\\", "\\\\")
    body = f'"""{doc}\n"""' if "\n" in doc else f'"""{doc}"""'
    text = head + ":\n" + textwrap.indent(body, "    ", lambda line: bool(line.strip()))
    return textwrap.indent(text, indent) + "\n"


def definition(core: Any, name: str, is_method: bool, indent: str = "") -> str:
    """The definition of a function of the registry, or of a method of Array."""
    function = core.functions[name] if not is_method else getattr(core.Array, name.rsplit(".", 1)[-1])
    return with_text(core.stub_of(name, is_method), function.__doc__, indent)


def ufunc_kind(function: Any) -> str:
    """Which methods the function has, such as add.reduce; empty if it has none."""
    found = tuple(method for method in UFUNC_METHODS["binary"] if hasattr(function, method))
    if not hasattr(function, "nin"):
        return ""
    kinds = [kind for kind, methods in UFUNC_METHODS.items() if methods == found]
    if found and not kinds:
        raise SystemExit(f"write_stubs: {function.__name__} has only {', '.join(found)}")
    return kinds[0] if kinds else ""


def ufunc_class(core: Any, kind: str, name: str) -> str:
    """The type of functions with those methods, which have the same parameters in all of them."""
    methods = [
        "    @staticmethod\n"
        + with_text(core.stub_of(f"{name}.{method}"), getattr(core.functions[name], method).__doc__, "    ")
        for method in UFUNC_METHODS[kind]
    ]
    return UFUNCS.format(kind=kind, Kind=kind.capitalize(), methods="".join(methods).rstrip("\n"))


def write_module(core: Any, path: str, about: str, prefix: str, errors: tuple[str, ...] = ()) -> None:
    """The stub of a module that has the functions whose names begin like this, and exceptions of quern._operands."""
    names = sorted(core.functions)
    own = [name for name in names if name.startswith(prefix) and "." not in name.removeprefix(prefix)]
    ufuncs = {name: kind for name in own if (kind := ufunc_kind(core.functions[name]))}
    parts = [
        (f"@_{ufuncs[name]}_ufunc\n" if name in ufuncs else "") + definition(core, name, False)
        for name in own
    ]
    typing = ", ParamSpec, Protocol, TypeVar, type_check_only" if ufuncs else ""
    # In full: type checkers do not know which names `from ._functions import *` brings otherwise.
    results = sorted(set(re.findall(r"-> (\w+Result):", "".join(parts))))
    imports = "".join(f"from ._operands import {name} as {name}\n" for name in errors)
    imports += "".join(f"from ._results import {name} as {name}\n" for name in results)
    exported = sorted([name.removeprefix(prefix) for name in own] + list(errors))
    public = "".join(f'    "{name}",\n' for name in exported)
    text = HEAD.format(about=about, typing=typing, imports=imports) + f"__all__ = [\n{public}]\n\n"
    text += UFUNC_TYPES if ufuncs else ""
    for kind in UFUNC_METHODS:
        text += "".join([ufunc_class(core, kind, name) for name in own if ufuncs.get(name) == kind][:1])
    Path(path).write_text(text + "\n".join(parts), encoding="utf-8")


def python_methods() -> str:
    """The methods of Array that modules of the package add, as their source defines them."""
    methods = []
    for path in sorted((Path(__file__).parents[1] / "python/quern").glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if not isinstance(node, ast.FunctionDef):
                continue
            names = [
                call.args[0].value
                for call in node.decorator_list
                if isinstance(call, ast.Call) and ast.unparse(call.func) == "array_method"
            ]
            for name in names:
                (node.args.posonlyargs + node.args.args)[0].annotation = None  # self
                head = f"def {name}({ast.unparse(node.args)}) -> {ast.unparse(node.returns)}".replace(
                    "np.", "numpy."
                )
                doc = ast.get_docstring(node)
                methods.append(with_text(head, doc, "    ") if doc else f"    {head}: ...\n")
    return "\n".join(methods)


def main() -> None:
    folder, nanobind_stub, core_stub, functions_stub, linalg_stub, fft_stub = sys.argv[1:]
    sys.path.insert(0, folder)
    import _core  # type: ignore[import-not-found]

    write_module(_core, functions_stub, "Functions of the C++ registry by name.", "")
    write_module(_core, linalg_stub, "Linear algebra.", "linalg.", ("LinAlgError",))
    write_module(_core, fft_stub, "Fourier transforms.", "fft.")

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
    # At the end of the class. nanobind says that a class with __eq__ has no hash.
    before, array, behind = re.split(r"^(class Array:\n(?: .*\n|\n)*)", text, maxsplit=1, flags=re.MULTILINE)
    array = re.sub(r"^    __hash__: .*\n\n", "", array, flags=re.MULTILINE)
    text = f"{before}{array.rstrip()}\n\n{python_methods()}\n\n{behind}"
    text = re.sub(r"^functions: dict.*$", "functions: dict[str, Any]", text, flags=re.MULTILINE)
    # nanobind leaves it out: its module is quern.
    text += "\n" + with_text("def eval(*arrays: Array) -> None", _core.eval.__doc__)
    Path(core_stub).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
