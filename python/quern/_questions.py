# SPDX-License-Identifier: MIT
"""What can be asked about arrays, and how they are shown, by NumPy's names; nothing here is computed on a device."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from numpy import (
    base_repr,
    binary_repr,
    errstate,
    format_float_positional,
    format_float_scientific,
    get_printoptions,
    isscalar,
    iterable,
    mintypecode,
    printoptions,
    set_printoptions,
    typename,
)

from ._core import Array
from ._operands import Values, as_array, axis_of

__all__ = [
    "array2string",
    "array_repr",
    "array_str",
    "base_repr",
    "binary_repr",
    "einsum_path",
    "errstate",
    "format_float_positional",
    "format_float_scientific",
    "get_printoptions",
    "iscomplexobj",
    "isrealobj",
    "isscalar",
    "iterable",
    "mintypecode",
    "ndim",
    "printoptions",
    "set_printoptions",
    "shape",
    "size",
    "typename",
]


def ndim(a: Values) -> int:
    """Number of axes (dimensions) of an array."""
    return a.ndim if isinstance(a, Array) else np.ndim(a)


def shape(a: Values) -> tuple[int, ...]:
    """Shape of an array: the lengths of its axes."""
    return a.shape if isinstance(a, Array) else np.shape(a)


def size(a: Values, axis: int | None = None) -> int:
    """Number of elements of an array, or its length along an axis."""
    lengths = shape(a)
    return prod(lengths) if axis is None else lengths[axis_of("size", axis, len(lengths))]


def iscomplexobj(x: Any) -> bool:
    """Test whether the dtype is complex; the values do not matter."""
    return x.dtype.kind == "c" if isinstance(x, Array) else bool(np.iscomplexobj(x))


def isrealobj(x: Any) -> bool:
    """Test whether the dtype is not complex."""
    return not iscomplexobj(x)


def einsum_path(*operands: Any, optimize: Any = "greedy", einsum_call: Any = False) -> Any:
    """Best contraction order for einsum(), and a text that describes it. Only the shapes of the operands matter."""

    def stand_in(one: Any) -> Any:
        return np.broadcast_to(np.zeros((), one.dtype), one.shape) if isinstance(one, Array) else one

    return np.einsum_path(*map(stand_in, operands), optimize=optimize, einsum_call=einsum_call)


def array2string(a: Values, *args: Any, **options: Any) -> str:
    """Format an array as a string, with NumPy's options; waits for the elements."""
    return np.array2string(as_array("array2string", a).get(), *args, **options)


def array_str(
    a: Values,
    max_line_width: int | None = None,
    precision: int | None = None,
    suppress_small: bool | None = None,
) -> str:
    """Format an array as str(a) does, with NumPy's options."""
    return _shown(str, as_array("array_str", a), max_line_width, precision, suppress_small)


def array_repr(
    arr: Values,
    max_line_width: int | None = None,
    precision: int | None = None,
    suppress_small: bool | None = None,
) -> str:
    """Format an array as repr(arr) does, with NumPy's options."""
    return _shown(repr, as_array("array_repr", arr), max_line_width, precision, suppress_small)


def _shown(show: Callable[[Array], str], x: Array, width: Any, precision: Any, suppress: Any) -> str:
    given = {"linewidth": width, "precision": precision, "suppress": suppress}
    with printoptions(**{key: value for key, value in given.items() if value is not None}):
        return show(x)
