# SPDX-License-Identifier: MIT
"""The door of every function: what it was given becomes arrays beside each other and axes from 0 on, and its result
goes where out= says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from . import _core
from ._array import asarray
from ._core import ArgumentIndexError, ArgumentTypeError, ArgumentValueError, Array, Device

Values = Array | ArrayLike
Axis = int | Sequence[int] | None


_CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")


class ArgumentAxisError(ArgumentValueError, ArgumentIndexError, np.exceptions.AxisError):
    """There is no such axis. It is NumPy's AxisError, too."""

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


def axes_of(function: str, axes: Any, rank: int) -> tuple[int, ...]:
    """One axis or several, each once, counted from the front."""
    given = axes if isinstance(axes, Sequence) else (axes,)
    found = tuple(axis_of(function, axis, rank) for axis in given)
    if len(set(found)) != len(found):
        raise ArgumentValueError(f"{function}: an axis is there twice in {axes}")
    return found


def written(
    function: str,
    result: Array,
    out: Any,
    where: Any = True,
    *,
    casting: Any = "same_kind",
    broadcasts: bool = True,
) -> Array:
    """The result, or where there is one the array out= with it, changed only where the mask holds."""
    target = out[0] if isinstance(out, tuple) else out
    if target is None:
        # NumPy leaves the others as memory happens to be.
        return result if where is True else _core.where(where, result, np.zeros((), result.dtype)[()])
    if not isinstance(target, Array):
        raise ArgumentTypeError(
            f"{function}: out: the result is an array on a device, which a {type(target).__name__} cannot hold; "
            "leave out= away and use get()"
        )
    fits = zip(reversed(result.shape), reversed(target.shape), strict=False)
    is_smaller = broadcasts and result.ndim <= target.ndim and all(n in (1, m) for n, m in fits)
    if result.shape != target.shape and not is_smaller:
        raise ArgumentValueError(
            f"{function}: out: expected an array of shape {result.shape}, got one of {target.shape}"
        )
    check_cast(f"{function}: out", result.dtype, target.dtype, casting)
    if where is not True:
        result = _core.where(where, result.astype(target.dtype, copy=False), target)
    target[...] = result
    return target
