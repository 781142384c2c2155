# SPDX-License-Identifier: MIT
"""What NumPy's order= asks for: elements counted or laid out as C does, or Fortran, whose first axis is the fastest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

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
