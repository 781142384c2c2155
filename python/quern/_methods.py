# SPDX-License-Identifier: MIT
"""The decorator of methods of Array that are written in Python. tools/write_stubs.py finds them by it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ._core import Array

_Function = TypeVar("_Function", bound=Callable[..., Any])


def array_method(name: str) -> Callable[[_Function], _Function]:
    """Make a function a method of Array: array_method("__str__")(function)."""

    def add(function: _Function) -> _Function:
        function.__name__ = name
        function.__qualname__ = f"Array.{name}"
        setattr(Array, name, function)
        return function

    return add
