# SPDX-License-Identifier: MIT
"""Argument conversion of functions written in Python: arrays on one device, casting rules, axes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from ._array import asarray
from ._core import ArgumentIndexError, ArgumentTypeError, ArgumentValueError, Array, Device, Error

Values = Array | ArrayLike


_CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")


class ArgumentAxisError(ArgumentValueError, ArgumentIndexError, np.exceptions.AxisError):
    """Axis out of range; also a numpy.exceptions.AxisError."""

    __module__ = "quern"


class LinAlgError(Error, np.linalg.LinAlgError):
    """Linear algebra without a result: a singular matrix, no convergence; also a numpy.linalg.LinAlgError."""

    __module__ = "quern.linalg"


def as_array(function: str, value: Any, device: Device | None = None) -> Array:
    """Return an Array unchanged; convert numbers, lists and arrays of other libraries to one on the device."""
    if isinstance(value, Array):
        return value
    if value is None or isinstance(value, (str, bytes)):
        raise ArgumentTypeError(f"{function}: expected an array or numbers, got {type(value).__name__}")
    return asarray(value, device=device)


def as_arrays(function: str, *values: Any) -> list[Array]:
    """Convert all values to arrays on the device of the first Array."""
    device = next((value.device for value in values if isinstance(value, Array)), None)
    return [as_array(function, value, device) for value in values]


def as_operand(function: str, value: Any, device: Device | None) -> Any:
    """Like as_array(), but keep Python numbers, which take the dtype of the other operands."""
    is_number = isinstance(value, (bool, int, float, complex)) and not isinstance(value, np.generic)
    return value if is_number else as_array(function, value, device)


def default_float(device: Device) -> np.dtype[Any]:
    """float64 if the device supports it, otherwise float32."""
    return np.dtype(np.float64 if device.has_fp64 else np.float32)


def check_cast(function: str, given: DTypeLike, wanted: DTypeLike, casting: str = "same_kind") -> None:
    """Raise ArgumentTypeError if NumPy's casting rule forbids the conversion."""
    if casting not in _CASTINGS:
        raise ArgumentValueError(
            f"{function}: casting must be one of {', '.join(_CASTINGS)}, got {casting!r}"
        )
    if not np.can_cast(given, wanted, casting):  # type: ignore[arg-type]
        raise ArgumentTypeError(
            f"{function}: cannot cast {np.dtype(given)} to {np.dtype(wanted)} by the rule '{casting}'"
        )


def dtype_of_signature(function: str, signature: Any) -> np.dtype[Any]:
    """Return the one dtype of a signature as NumPy's functions take it: "dd->d", or a tuple of dtypes and None."""
    if isinstance(signature, str):
        given: list[Any] = list(signature.replace("->", ""))
    else:
        given = list(signature) if isinstance(signature, tuple) else [signature]
    try:
        dtypes: set[np.dtype[Any]] = {np.dtype(one) for one in given if one is not None}
    except TypeError:
        raise ArgumentTypeError(
            f"{function}: signature {signature!r} has types that NumPy does not know"
        ) from None
    if len(dtypes) != 1:
        raise ArgumentTypeError(
            f"{function}: signature {signature!r}: operands and result must have one type; convert the operands "
            "with astype(), or select the type with dtype="
        )
    return dtypes.pop()


def axis_of(function: str, axis: Any, rank: int) -> int:
    """Return the axis as a non-negative integer, or raise an error."""
    if isinstance(axis, (bool, Array)) or not hasattr(axis, "__index__"):
        raise ArgumentTypeError(f"{function}: axis must be an integer, got {type(axis).__name__}")
    at: int = axis.__index__()
    if not -rank <= at < rank:
        raise ArgumentAxisError(at, rank, function)
    return at % rank
