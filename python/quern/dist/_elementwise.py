# SPDX-License-Identifier: MIT
"""Elementwise functions: those of the registry, called with the blocks of each rank."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .._core import functions as _functions
from ._array import apply
from ._indexing import nonzero

# Functions of elements that are composed of others; all operations of the op table are elementwise.
_COMPOSED = (
    "angle",
    "around",
    "clip",
    "divmod",
    "fma",
    "frexp",
    "isclose",
    "mad",
    "mix",
    "modf",
    "nan_to_num",
    "round",
    "smoothstep",
    "where",
)


def _elementwise(name: str) -> Callable[..., Any]:
    function = _functions[name]

    # The operands differ between functions, so all of them are taken as they come.
    def call(*args: Any, **kwargs: Any) -> Any:
        if name == "where" and len(args) == 1 and not kwargs:  # indices, of the blocks of all ranks
            return nonzero(*args)
        return apply(function, name, args, kwargs)

    functools.update_wrapper(call, function, assigned=("__doc__", "__name__", "__qualname__"), updated=())
    call.__signature__ = function.__signature__  # type: ignore[attr-defined]
    call.__module__ = "quern.dist"
    return call


elementwise = {
    name: _elementwise(name)
    for name, function in _functions.items()
    if "." not in name and (hasattr(function, "at") or name in _COMPOSED)
}
