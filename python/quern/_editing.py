# SPDX-License-Identifier: MIT
"""Arrays with parts put in, taken out, written over or laid side by side, by NumPy's names."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from . import _core
from ._array import arange, count_of, shape_of, warn_of_overflow
from ._core import ArgumentTypeError, ArgumentValueError, Array
from ._functions import flatnonzero, take
from ._manipulation import concat
from ._operands import (
    Values,
    as_array,
    as_arrays,
    as_operand,
    as_values,
    axis_of,
    check_cast,
    check_number_cast,
    written,
)

__all__ = [
    "append",
    "block",
    "copyto",
    "delete",
    "fill_diagonal",
    "insert",
    "piecewise",
    "putmask",
    "resize",
    "trim_zeros",
]


def append(x: Values, values: Values, axis: int | None = None) -> Array:
    """The array with values behind it along an axis, or flat."""
    return concat(as_arrays("append", x, values), axis=axis)


def _line(function: str, x: Values, axis: int | None) -> tuple[Array, int]:
    array = as_array(function, x)
    if axis is None:
        return array.reshape(-1), 0
    return array, axis_of(function, axis, array.ndim)


def _on_host(obj: Any) -> Any:
    return obj.get() if isinstance(obj, Array) else obj


def delete(x: Values, obj: Any, axis: int | None = None) -> Array:
    """The array without these positions of an axis, or of all elements."""
    array, at = _line("delete", x, axis)
    try:
        left = np.delete(np.arange(array.shape[at]), _on_host(obj))
    except IndexError as error:
        raise _core.ArgumentIndexError(f"delete: {error}") from None
    return take(array, left, axis=at)


def insert(x: Values, obj: Any, values: Values, axis: int | None = None) -> Array:
    """The array with values in front of these positions of an axis, or of all elements."""
    array, at = _line("insert", x, axis)
    given = as_values("insert", values, array).astype(array.dtype, copy=False)
    positions = _on_host(obj)
    count = np.arange(array.shape[at])[positions].size if isinstance(positions, slice) else np.size(positions)
    if np.ndim(positions) == 0 and not isinstance(positions, slice):
        # All at one place: as many as there are along the first axis.
        given = given.reshape((1,) * (array.ndim - given.ndim) + given.shape)
        given = _core.moveaxis(given, 0, at)
        count = given.shape[at]
    try:
        # Old elements by their positions, new ones by their numbers counted down from -1.
        order = np.insert(np.arange(array.shape[at]), positions, -1 - np.arange(count))
    except IndexError as error:
        raise _core.ArgumentIndexError(f"insert: {error}") from None
    result = _core.empty(
        (*array.shape[:at], len(order), *array.shape[at + 1 :]), array.dtype, array.device, None
    )
    before = (slice(None),) * at
    old, new = np.flatnonzero(order >= 0), np.empty(count, np.int64)
    new[-1 - order[order < 0]] = np.flatnonzero(order < 0)
    old_place, new_place = (*before, old), (*before, new)
    result[old_place] = array
    result[new_place] = given
    return result


def resize(x: Values, new_shape: int | Sequence[int]) -> Array:
    """The elements over and over in another shape."""
    flat = as_array("resize", x).reshape(-1)
    given = shape_of("resize", new_shape)
    shape = (given,) if isinstance(given, int) else given
    if any(length < 0 for length in shape):
        raise ArgumentValueError(f"resize: lengths must not be negative, got {shape}")
    count = count_of("resize", "the number of elements", prod(shape))
    if flat.size == 0:
        return _core.zeros(shape, flat.dtype, flat.device, None)
    return flat[arange(count, device=flat.device) % flat.size].reshape(shape)


def block(arrays: Any) -> Array:
    """Arrays in nested lists side by side: the innermost lists along the last axis, those around them along the one
    before it."""

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


def trim_zeros(x: Values, trim: str = "fb") -> Array:
    """A vector without the zeros in front and behind. Waits to know where they end."""
    array = as_array("trim_zeros", x)
    if not isinstance(trim, str):
        raise ArgumentTypeError(f"trim_zeros: trim is a string of 'f' and 'b', got {type(trim).__name__}")
    if array.ndim != 1:
        raise ArgumentValueError(f"trim_zeros: expected one dimension, got {array.ndim}")
    places = flatnonzero(array)
    if places.size == 0:
        return array[:0]
    first, last = (int(places[k]) for k in (0, -1))
    return array[first if "f" in trim.lower() else 0 : last + 1 if "b" in trim.lower() else None]


def copyto(dst: Array, src: Values, casting: str = "same_kind", where: Any = True) -> None:
    """Writes elements to an array, broadcast, where the mask holds."""
    if not isinstance(dst, Array):
        raise ArgumentTypeError(f"copyto: expected an array to write to, got {type(dst).__name__}")
    source = as_operand("copyto", src, dst.device)
    if not isinstance(source, Array):
        check_number_cast("copyto", source, dst.dtype, casting)
        if casting == "unsafe" and np.result_type(dst.dtype, source) != dst.dtype:
            source = np.asarray(source).astype(dst.dtype).item()
        warn_of_overflow(source, dst.dtype)
        source = _core.full((), source, dst.dtype, dst.device, None)
    else:
        check_cast("copyto", source.dtype, dst.dtype, casting)
    written("copyto", source, dst, where, casting="unsafe")


def putmask(x: Array, mask: Values, values: Values) -> None:
    """Writes to the elements for which the mask holds what is at the same place of the values, over and over."""
    if not isinstance(x, Array):
        raise ArgumentTypeError(f"putmask: expected an array to write to, got {type(x).__name__}")
    given = as_values("putmask", values, x)
    if given.size:
        chosen = as_array("putmask", mask, x.device).reshape(x.shape).astype(np.bool_)
        x[...] = _core.where(chosen, resize(given, x.shape).astype(x.dtype), x)


def fill_diagonal(x: Array, val: Values, wrap: bool = False) -> None:
    """Writes to the diagonal of a matrix; with `wrap`, of a tall one again below it."""
    if not isinstance(x, Array):
        raise ArgumentTypeError(f"fill_diagonal: expected an array to write to, got {type(x).__name__}")
    if x.ndim < 2 or (x.ndim > 2 and len(set(x.shape)) > 1):
        raise ArgumentValueError(f"fill_diagonal: expected a matrix or equal lengths, got shape {x.shape}")
    width = x.shape[1]
    length = min(x.shape)
    steps = np.arange(0, max(x.shape[0], 1), width + 1) if wrap and x.ndim == 2 else [0]
    rows = np.concatenate([np.arange(at, min(at + length, x.shape[0])) for at in steps])
    columns = np.concatenate([np.arange(min(length, x.shape[0] - at)) for at in steps])
    given = as_values("fill_diagonal", val, x).reshape(-1)
    place = (rows, columns) if x.ndim == 2 else (columns,) * x.ndim
    x[place] = given if given.size == 1 else resize(given, len(rows)).astype(x.dtype)


def piecewise(
    x: Values,
    condlist: Sequence[Any] | Array,
    funclist: Sequence[Callable[..., Any] | Any],
    *args: Any,
    **kw: Any,
) -> Array:
    """For each element what the function, or number, of the last condition that holds makes of it, or else 0, or what a
    last function without a condition does. Functions are given all elements, and what else is passed; what they return
    becomes the dtype of x, as in an assignment."""
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
