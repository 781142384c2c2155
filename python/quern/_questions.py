# SPDX-License-Identifier: MIT
"""What can be asked about arrays, and how they are shown, by NumPy's names; nothing here is computed on a device."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import errstate, get_printoptions, isscalar, iterable, printoptions, set_printoptions

from . import _core, _functions
from ._core import ArgumentError, Array
from ._operands import Values, as_array, as_arrays, axis_of

__all__ = [
    "array2string",
    "array_equiv",
    "array_repr",
    "array_str",
    "errstate",
    "get_printoptions",
    "iscomplexobj",
    "isrealobj",
    "isscalar",
    "iterable",
    "may_share_memory",
    "ndim",
    "printoptions",
    "set_printoptions",
    "shape",
    "size",
]


def ndim(x: Values) -> int:
    """The number of axes."""
    return x.ndim if isinstance(x, Array) else np.ndim(x)


def shape(x: Values) -> tuple[int, ...]:
    """The lengths of the axes."""
    return x.shape if isinstance(x, Array) else np.shape(x)


def size(x: Values, axis: int | None = None) -> int:
    """The number of elements, or of those along an axis."""
    lengths = shape(x)
    return (
        int(np.prod(lengths, dtype=np.int64))
        if axis is None
        else lengths[axis_of("size", axis, len(lengths))]
    )


def iscomplexobj(x: Any) -> bool:
    """Whether the elements are complex, whatever they are."""
    return x.dtype.kind == "c" if isinstance(x, Array) else bool(np.iscomplexobj(x))


def isrealobj(x: Any) -> bool:
    """Whether the elements are not complex."""
    return not iscomplexobj(x)


def may_share_memory(a: Any, b: Any) -> bool:
    """Whether both are views of one allocation."""
    return isinstance(a, Array) and isinstance(b, Array) and _core.shares_memory(a, b)


def array_equiv(a1: Values, a2: Values) -> bool:
    """Whether all elements are equal where the shapes broadcast; waits for the answer."""
    try:
        same = _core.apply("equal", *as_arrays("array_equiv", a1, a2))
    except ArgumentError:
        return False
    return bool(_functions.all(same))


def array2string(x: Values, *args: Any, **options: Any) -> str:
    """The elements as text, with NumPy's options; waits for them."""
    return np.array2string(as_array("array2string", x).get(), *args, **options)


def array_str(x: Values) -> str:
    """str(x)"""
    return str(as_array("array_str", x))


def array_repr(x: Values) -> str:
    """repr(x)"""
    return repr(as_array("array_repr", x))
