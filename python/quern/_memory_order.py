# SPDX-License-Identifier: MIT
"""What NumPy's order= asks for: elements counted or laid out as C does, or Fortran, whose first axis is the fastest."""

from __future__ import annotations

from typing import Any, Literal

from ._core import ArgumentValueError

Order = Literal["C", "F", "A", "K"]


def order_of(function: str, order: Any, allowed: str = "CFAK") -> str:
    """The letter that was given, as a capital."""
    letter = "C" if order is None else order.upper() if isinstance(order, str) else ""
    if len(letter) != 1 or letter not in allowed:
        names = ", ".join(map(repr, allowed))
        raise ArgumentValueError(f"{function}: order is one of {names}, got {order!r}")
    return letter
