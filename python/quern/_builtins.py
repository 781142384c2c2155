# SPDX-License-Identifier: MIT
"""What Python's own functions of numbers ask arrays for: round, divmod and math.trunc."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ._core import Array
from ._functions import divmod as divided
from ._functions import round as rounded

_OPERANDS = (Array, np.ndarray, np.generic, bool, int, float, complex, list, tuple)


def _round(self: Array, ndigits: int | None = None) -> Any:
    """Rounded to so many digits; without them, a number of no dimensions is Python's integer, as NumPy's are."""
    if ndigits is None and self.ndim == 0:
        value: Any = self.item()
        return round(value)
    return rounded(self, 0 if ndigits is None else ndigits)


def _divmod(self: Array, other: Any) -> Any:
    return divided(self, other) if isinstance(other, _OPERANDS) else NotImplemented


def _rdivmod(self: Array, other: Any) -> Any:
    return divided(other, self) if isinstance(other, _OPERANDS) else NotImplemented


def _trunc(self: Array) -> Any:
    """The integer of a single element, as int() gives it."""
    value: Any = self.item()
    return math.trunc(value)


for _name, _method in (
    ("__round__", _round),
    ("__divmod__", _divmod),
    ("__rdivmod__", _rdivmod),
    ("__trunc__", _trunc),
):
    setattr(Array, _name, _method)
del _name, _method
