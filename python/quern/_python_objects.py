# SPDX-License-Identifier: MIT
"""Functions that take objects of Python's: callables, iterators, buffers, nested lists of arrays."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from . import _core
from ._array import asarray, integer_of, warn_of_overflow
from ._core import ArgumentTypeError, ArgumentValueError, Array, Device
from ._functions import arange, concat, meshgrid
from ._operands import Values, as_array, as_arrays, as_operand, default_float

_Device = Device | str | None

__all__ = [
    "block",
    "frombuffer",
    "fromfunction",
    "fromiter",
    "piecewise",
]


def frombuffer(
    buffer: Any, dtype: DTypeLike = float, count: int = -1, offset: int = 0, *, device: _Device = None
) -> Array:
    """Interpret a buffer as a one-dimensional array; the elements are copied to the device."""
    return asarray(np.frombuffer(buffer, dtype, count, offset), device=device)


def fromiter(iterable: Iterable[Any], dtype: DTypeLike, count: int = -1, *, device: _Device = None) -> Array:
    """Make a one-dimensional array from an iterable."""
    return asarray(np.fromiter(iterable, dtype, count), device=device)


def fromfunction(
    function: Callable[..., Any],
    shape: Sequence[int],
    *,
    dtype: DTypeLike | None = None,
    device: _Device = None,
    **kwargs: Any,
) -> Any:
    """Make an array by calling a function once with arrays of the coordinates of all elements."""
    wanted = default_float(_core.device(device)) if dtype is None else dtype
    lengths = [integer_of("fromfunction", "a length", length) for length in shape]
    axes = [arange(length, dtype=wanted, device=device) for length in lengths]
    return function(*meshgrid(*axes, indexing="ij", copy=False), **kwargs)


def block(arrays: Any) -> Array:
    """Join arrays in nested lists: the innermost lists along the last axis, the next ones along the axis before it."""

    def depth_of(node: Any) -> int:
        return 1 + max((depth_of(one) for one in node), default=0) if isinstance(node, list) else 0

    def leaves(node: Any) -> list[Any]:
        return [leaf for one in node for leaf in leaves(one)] if isinstance(node, list) else [node]

    depth = depth_of(arrays)
    given = as_arrays("block", *leaves(arrays))
    rank = max(depth, *(x.ndim for x in given))
    made = iter([x.reshape((1,) * (rank - x.ndim) + x.shape) for x in given])

    def joined(node: Any, level: int) -> Array:
        if not isinstance(node, list):
            if level:
                raise ArgumentValueError("block: the lists must be nested equally deep")
            return next(made)
        if not node:
            raise ArgumentValueError("block: there is nothing in a list")
        return concat([joined(one, level - 1) for one in node], axis=-level)

    return joined(arrays, depth) if depth else given[0].copy()


def piecewise(
    x: Values,
    condlist: Sequence[Any] | Array,
    funclist: Sequence[Callable[..., Any] | Any],
    *args: Any,
    **kw: Any,
) -> Array:
    """Evaluate a piecewise-defined function: each element uses the function or number of the last condition that is True.

    Elements without a True condition use an extra last function, or become 0. Functions are called with all elements and
    the extra arguments; their results are converted to the dtype of x.
    """
    array = as_array("piecewise", x)
    one = [condlist] if isinstance(condlist, Array) or np.ndim(condlist[0]) < array.ndim else condlist
    conditions = [as_array("piecewise", condition, array.device) for condition in one]
    functions = list(funclist)
    if len(functions) == len(conditions) + 1:
        functions = [functions[-1], *functions[:-1]]
        conditions.insert(0, _core.full((), True, np.bool_, array.device, None))
    if len(functions) != len(conditions):
        raise ArgumentValueError(f"piecewise: {len(functions)} functions for {len(conditions)} conditions")
    result = _core.zeros(array.shape, array.dtype, array.device, None)
    for condition, function in zip(conditions, functions, strict=True):
        values = function(array, *args, **kw) if callable(function) else function
        operand = as_operand("piecewise", values, array.device)
        if isinstance(operand, Array):
            operand = _assigned(operand, array.dtype)
        else:
            operand = _core.full((), _as_kind_of(operand, array.dtype), array.dtype, array.device, None)
        result = _core.where(condition.astype(np.bool_, copy=False), operand, result)
    return result


def _assigned(values: Array, dtype: np.dtype[Any]) -> Array:
    """What an assignment makes of them; NumPy warns where imaginary parts are lost."""
    if values.dtype.kind == "c" and dtype.kind != "c":
        warnings.warn("piecewise: imaginary parts are discarded", np.exceptions.ComplexWarning, stacklevel=3)
        if dtype.kind != "b":
            values = _core.apply("real", values)
    return values.astype(dtype, copy=False)


def _as_kind_of(number: complex, dtype: np.dtype[Any]) -> complex:
    """A number of Python's as an element takes it: a fraction is cut off, an imaginary part is an error."""
    if dtype.kind == "b":
        return bool(number)
    if isinstance(number, complex) and dtype.kind != "c":
        raise ArgumentTypeError(f"piecewise: the complex number {number} does not become {dtype}")
    warn_of_overflow(number, dtype)
    return int(number.real) if dtype.kind in "iu" else number
