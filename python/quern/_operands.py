# SPDX-License-Identifier: MIT
"""What functions written in Python make of their arguments: arrays beside each other, and axes from 0 on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from ._array import asarray
from ._core import ArgumentIndexError, ArgumentTypeError, ArgumentValueError, Array, Device

Values = Array | ArrayLike


_CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")


class ArgumentAxisError(ArgumentValueError, ArgumentIndexError, np.exceptions.AxisError):
    """Axis out of range. It is a numpy.exceptions.AxisError, too."""

    __module__ = "quern"


def as_array(function: str, value: Any, device: Device | None = None) -> Array:
    """An array as it is; numbers, lists and arrays of others as an array on the device."""
    if isinstance(value, Array):
        return value
    if value is None or isinstance(value, (str, bytes)):
        raise ArgumentTypeError(f"{function}: expected an array or numbers, got {type(value).__name__}")
    return asarray(value, device=device)


def as_arrays(function: str, *values: Any) -> list[Array]:
    """All of them arrays, on the device of the first that is one."""
    device = next((value.device for value in values if isinstance(value, Array)), None)
    return [as_array(function, value, device) for value in values]


def as_operand(function: str, value: Any, device: Device | None) -> Any:
    """As as_array, but numbers of Python's stay what they are, since they take the others' dtype."""
    is_number = isinstance(value, (bool, int, float, complex)) and not isinstance(value, np.generic)
    return value if is_number else as_array(function, value, device)


def default_float(device: Device) -> np.dtype[Any]:
    """float64 where the device has it."""
    return np.dtype(np.float64 if device.has_fp64 else np.float32)


def check_cast(function: str, given: DTypeLike, wanted: DTypeLike, casting: str = "same_kind") -> None:
    """Throws where NumPy's rule does not let elements of one dtype become those of another."""
    if casting not in _CASTINGS:
        raise ArgumentValueError(f"{function}: casting is one of {', '.join(_CASTINGS)}, got {casting!r}")
    if not np.can_cast(given, wanted, casting):  # type: ignore[arg-type]
        raise ArgumentTypeError(
            f"{function}: {np.dtype(given)} does not become {np.dtype(wanted)} by the rule '{casting}'"
        )


def axis_of(function: str, axis: Any, rank: int) -> int:
    """The axis, counted from the front."""
    if isinstance(axis, (bool, Array)) or not hasattr(axis, "__index__"):
        raise ArgumentTypeError(f"{function}: an axis is an integer, got {type(axis).__name__}")
    at: int = axis.__index__()
    if not -rank <= at < rank:
        raise ArgumentAxisError(at, rank, function)
    return at % rank
