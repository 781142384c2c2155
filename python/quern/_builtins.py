# SPDX-License-Identifier: MIT
"""Methods that Python's own functions call on arrays: round, divmod, math.trunc, is_integer, hash, pickle.dumps."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ._bfloat16 import is_bfloat16
from ._core import ArgumentTypeError, Array
from ._functions import divmod as divided
from ._functions import round as rounded
from ._methods import array_method

_OPERANDS = (Array, np.ndarray, np.generic, bool, int, float, complex, list, tuple)


@array_method("__round__")
def _round(self: Array, ndigits: int | None = None) -> Any:
    """Round to `ndigits` digits; without `ndigits`, a 0-d array returns a Python int, as NumPy's scalars do."""
    if ndigits is None and self.ndim == 0:
        value: Any = self.item()
        return round(value)
    return rounded(self, 0 if ndigits is None else ndigits)


@array_method("__divmod__")
def _divmod(self: Array, other: Any) -> Any:
    return divided(self, other) if isinstance(other, _OPERANDS) else NotImplemented


@array_method("__rdivmod__")
def _rdivmod(self: Array, other: Any) -> Any:
    return divided(other, self) if isinstance(other, _OPERANDS) else NotImplemented


@array_method("__trunc__")
def _trunc(self: Array) -> Any:
    """Truncate a single element to a Python int."""
    value: Any = self.item()
    return math.trunc(value)


@array_method("is_integer")
def _is_integer(self: Array) -> bool:
    """Test whether a single number is an integer, like float.is_integer().

    Returns
    -------
    bool
        True if the number has no fraction.

    Raises
    ------
    TypeError
        If the array has axes, or if its dtype is not real.

    Examples
    --------
    >>> qn.asarray(2.0).is_integer()
    True
    """
    value: Any = _number("is_integer", self)
    return isinstance(value, int) or bool(value.is_integer())


@array_method("as_integer_ratio")
def _as_integer_ratio(self: Array) -> tuple[int, int]:
    """Express a single number as a ratio of two integers, like float.as_integer_ratio().

    Returns
    -------
    tuple of int
        Numerator and denominator.

    Raises
    ------
    TypeError
        If the array has axes, or if its dtype is not real.

    Examples
    --------
    >>> qn.asarray(0.75).as_integer_ratio()
    (3, 4)
    """
    value: Any = _number("as_integer_ratio", self)
    ratio: tuple[int, int] = value.as_integer_ratio()
    return ratio


@array_method("__hash__")
def _hash(self: Array) -> int:
    """Return hash(self): for a 0-d array the hash of its number."""
    if self.ndim != 0 or self.dtype.names is not None:
        raise TypeError("unhashable type: 'quern.Array'; only a 0-d array has a hash")
    return hash(self.item())


@array_method("__reduce_ex__")
def _reduce_ex(self: Array, protocol: Any, /) -> Any:
    """Return what pickle stores. From protocol 5 on, host memory may be passed out of band."""
    from ._storage import restore

    shares = protocol >= 5 and self.device.shares_host_memory
    return restore, (np.asarray(self) if shares else self.get(), self.device.spec)


def _number(method: str, self: Array) -> Any:
    if self.ndim != 0 or (self.dtype.kind not in "biuf" and not is_bfloat16(self.dtype)):
        raise ArgumentTypeError(f"{method}: expected a 0-d array of a real dtype, got {self!r}")
    return self.item()
