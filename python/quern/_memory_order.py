# SPDX-License-Identifier: MIT
"""What NumPy's order= asks for: elements counted or laid out as C does, or Fortran, whose first axis is the fastest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from . import _core
from ._core import ArgumentValueError, Array

Order = Literal["C", "F", "A", "K"]


def order_of(function: str, order: Any, allowed: str = "CFAK") -> str:
    """The letter that was given, as a capital."""
    letter = "C" if order is None else order.upper() if isinstance(order, str) else ""
    if len(letter) != 1 or letter not in allowed:
        names = ", ".join(map(repr, allowed))
        raise ArgumentValueError(f"{function}: order is one of {names}, got {order!r}")
    return letter


def made(function: str, order: Any, shape: int | tuple[int, ...], make: Callable[[Any], Array]) -> Array:
    """A new array, laid out as C does, or with "F" as Fortran does: the transpose of one in C order."""
    if order_of(function, order) != "F" or isinstance(shape, int):
        return make(shape)
    return make(shape[::-1]).T


def laid_out(function: str, order: Any, x: Array) -> Array:
    """The array itself, or where it has to be and is not, a copy in C order or Fortran's."""
    letter = order_of(function, order)
    if letter == "C" and order is not None:
        return _core.as_contiguous(x)
    if letter != "F" or x.ndim < 2 or _is_fortran(x):
        return x
    return x.T.copy().T


def _is_fortran(x: Array) -> bool:
    step = x.itemsize
    for length, stride in zip(x.shape, x.strides, strict=True):
        if length > 1 and stride != step:
            return False
        step *= length
    return True


def _is_c(x: Array) -> bool:
    return _is_fortran(x.T)


def in_order(function: str, x: Array, order: Any) -> Array:
    """A view whose C order is the order that was asked for."""
    letter = order_of(function, order)
    if letter == "C" or x.ndim < 2:
        return x
    if letter == "K":  # as elements are in memory, but never backwards
        strides = x.strides
        return x.transpose(sorted(range(x.ndim), key=lambda axis: -abs(strides[axis])))
    return x.T if letter == "F" or (_is_fortran(x) and not _is_c(x)) else x


def flattened(x: Array, order: Any) -> Array:
    """A copy of one dimension."""
    return in_order("flatten", x, order).copy().reshape(-1)


def reshaped(x: Array, shape: int | Sequence[int], order: Any) -> Array:
    """Another shape for the elements, which are read and written in the order."""
    letter = order_of("reshape", order, "CFA")
    if letter == "C" or (letter == "A" and in_order("reshape", x, letter) is x):
        return x.reshape(shape)
    lengths = tuple(int(length) for length in np.atleast_1d(np.asarray(shape)))
    return x.T.reshape(lengths[::-1]).T
