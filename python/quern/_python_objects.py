# SPDX-License-Identifier: MIT
"""Functions that take Python objects: callables, iterators, buffers, nested lists of arrays."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from . import _core
from ._array import asarray, integer_of, warn_of_overflow
from ._core import ArgumentTypeError, ArgumentValueError, Array, Device
from ._functions import arange, meshgrid
from ._operands import Values, as_array, as_arrays, as_operand, default_float

_Device = Device | str | None

__all__ = [
    "block",
    "einsum",
    "frombuffer",
    "fromfunction",
    "fromiter",
    "piecewise",
]


def _subscripts(labels: Sequence[Any]) -> str:
    """Text of a list of axis numbers, as "AC" for [0, 2]."""
    # Sorted, as the axes of a result without a list are.
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    text = ""
    for label in labels:
        if label is Ellipsis:
            text += "..."
            continue
        number = operator.index(label)
        if not 0 <= number < len(letters):
            raise ArgumentValueError(
                f"einsum: subscript {number} is not within the valid range [0, {len(letters)})"
            )
        text += letters[number]
    return text


def einsum(
    *operands: Any,
    out: Array | None = None,
    optimize: Any = False,
    dtype: DTypeLike | None = None,
    order: str = "K",
    casting: str = "safe",
) -> Array:
    """Einstein summation over the operands, as in ``einsum("ij,jk->ik", a, b)``.

    "..." means axes that are broadcast. Operands are contracted in pairs, the pair with the smallest result first.

    Parameters
    ----------
    *operands
        Comma-separated subscripts of the operands, those of the result after "->", and then the arrays. Or
        each array followed by the list of its axes' numbers, and at the end the list of the result's.
    out : Array, optional
        Array for the result.
    optimize : object, optional
        Accepted for compatibility with NumPy; it has no effect.
    dtype : dtype, optional
        Dtype of the result.
    order : {"C", "F", "A", "K"}, optional
        Memory layout of the result.
    casting : str, optional
        Which conversions are allowed.

    Returns
    -------
    Array
        The sums, with one axis for each subscript of the result.

    Examples
    --------
    >>> print(qn.einsum("ij,j->i", [[1, 2], [3, 4]], [1, 10]))
    [21 43]
    >>> print(qn.einsum([[1, 2], [3, 4]], [0, 1], [1, 10], [1], [0]))
    [21 43]
    """
    if operands and not isinstance(operands[0], str) and len(operands) > 1:
        count = len(operands) // 2
        text = ",".join(_subscripts(labels) for labels in operands[1 : 2 * count : 2])
        if len(operands) % 2:
            text += "->" + _subscripts(operands[-1])
        operands = (text, *operands[0 : 2 * count : 2])
    result: Array = _core.functions["einsum"](
        *operands, out=out, optimize=optimize, dtype=dtype, order=order, casting=casting
    )
    return result


def frombuffer(
    buffer: Any,
    dtype: DTypeLike = float,
    count: int = -1,
    offset: int = 0,
    *,
    device: _Device = None,
    like: Array | None = None,
) -> Array:
    """Interpret a buffer as a one-dimensional array.

    Parameters
    ----------
    buffer : bytes-like
        Object with the buffer protocol. Its elements are copied to the device.
    dtype : dtype, optional
        Dtype of the elements.
    count : int, optional
        Number of elements; -1: all of them.
    offset : int, optional
        Bytes to skip at the start of the buffer.
    device : Device or str, optional
        Device of the result; the current device by default.
    like : Array, optional
        Array whose device the result is on, unless `device` selects another.

    Returns
    -------
    Array
        One-dimensional array.

    Examples
    --------
    >>> print(qn.frombuffer(b"abc", dtype="uint8"))
    [97 98 99]
    """
    return asarray(np.frombuffer(buffer, dtype, count, offset), device=device, like=like)


def fromiter(
    iterable: Iterable[Any],
    dtype: DTypeLike,
    count: int = -1,
    *,
    device: _Device = None,
    like: Array | None = None,
) -> Array:
    """Make a one-dimensional array from an iterable.

    Parameters
    ----------
    iterable : iterable
        Elements of the array.
    dtype : dtype
        Dtype of the elements.
    count : int, optional
        Number of elements to read; -1: all of them.
    device : Device or str, optional
        Device of the result; the current device by default.
    like : Array, optional
        Array whose device the result is on, unless `device` selects another.

    Returns
    -------
    Array
        One-dimensional array.

    Examples
    --------
    >>> print(qn.fromiter((k * k for k in range(4)), dtype="int64"))
    [0 1 4 9]
    """
    return asarray(np.fromiter(iterable, dtype, count), device=device, like=like)


def fromfunction(
    function: Callable[..., Any],
    shape: Sequence[int],
    *,
    dtype: DTypeLike | None = None,
    device: _Device = None,
    **kwargs: Any,
) -> Any:
    """Make an array by calling a function once with the coordinates of all elements.

    Parameters
    ----------
    function : callable
        Function of as many arrays as `shape` has axes: the coordinates along each axis.
    shape : sequence of int
        Shape of the coordinate arrays.
    dtype : dtype, optional
        Dtype of the coordinates; by default the device's default floating-point dtype.
    device : Device or str, optional
        Device of the coordinates; the current device by default.
    **kwargs
        Keyword arguments of `function`.

    Returns
    -------
    Array
        Result of the function.

    Examples
    --------
    >>> print(qn.fromfunction(lambda i, j: 10 * i + j, (2, 3), dtype="int64"))
    [[ 0  1  2]
     [10 11 12]]
    """
    wanted = default_float(_core.device(device)) if dtype is None else dtype
    lengths = [integer_of("fromfunction", "a length", length) for length in shape]
    axes = [arange(length, dtype=wanted, device=device) for length in lengths]
    return function(*meshgrid(*axes, indexing="ij", copy=False), **kwargs)


def block(arrays: Any) -> Array:
    """Join arrays in nested lists to one array.

    Parameters
    ----------
    arrays : nested list of array_like
        The innermost lists are joined along the last axis, the lists around them along the axis before it.

    Returns
    -------
    Array
        The joined array.

    Raises
    ------
    ValueError
        If a list is empty, or if the lists are not nested equally deep.

    Examples
    --------
    >>> print(qn.block([[qn.ones((2, 2)), qn.zeros((2, 1))]]))
    [[1. 1. 0.]
     [1. 1. 0.]]
    """

    def leaves(node: Any) -> list[Any]:
        return [leaf for one in node for leaf in leaves(one)] if isinstance(node, list) else [node]

    given = as_arrays("block", *leaves(arrays))
    if not given:
        raise ArgumentValueError("block: lists must not be empty")
    made = iter(given)

    def converted(node: Any) -> Any:
        return [converted(one) for one in node] if isinstance(node, list) else next(made)

    return _core.block(converted(arrays), given[0])


def piecewise(
    x: Values,
    condlist: Sequence[Any] | Array,
    funclist: Sequence[Callable[..., Any] | Any],
    *args: Any,
    **kw: Any,
) -> Array:
    """Evaluate a function that is defined piece by piece.

    Each function is called once, with all elements; NumPy calls it with the elements of its condition only. An element takes
    the result of the last condition that is True there.

    Parameters
    ----------
    x : array_like
        Input array.
    condlist : sequence of array_like
        Conditions, as masks of the shape of `x`.
    funclist : sequence of callable or number
        One function or number for each condition. One more is for the elements without a True condition, which are 0 otherwise.
    *args
        More positional arguments of the functions.
    **kw
        Keyword arguments of the functions.

    Returns
    -------
    Array
        Array of the shape and dtype of `x`.

    Raises
    ------
    ValueError
        If the number of functions does not fit the number of conditions.

    Examples
    --------
    >>> x = qn.asarray([-2.0, -1.0, 3.0])
    >>> print(qn.piecewise(x, [x < 0, x >= 0], [lambda v: -v, 10]))
    [ 2.  1. 10.]
    """
    array = as_array("piecewise", x)
    one = [condlist] if isinstance(condlist, Array) or np.ndim(condlist[0]) < array.ndim else condlist
    conditions = [as_array("piecewise", condition, array.device) for condition in one]
    functions = list(funclist)
    if len(functions) == len(conditions) + 1:
        functions = [functions[-1], *functions[:-1]]
        conditions.insert(0, _core.full((), True, np.bool_, array.device, None))
    if len(functions) != len(conditions):
        raise ArgumentValueError(
            f"piecewise: got {len(functions)} functions for {len(conditions)} conditions; expected as many, or one more"
        )
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
    """Convert values as an assignment does; like NumPy, warn if imaginary parts are discarded."""
    if values.dtype.kind == "c" and dtype.kind != "c":
        warnings.warn("piecewise: imaginary parts are discarded", np.exceptions.ComplexWarning, stacklevel=3)
        if dtype.kind != "b":
            values = _core.apply("real", values)
    return values.astype(dtype, copy=False)


def _as_kind_of(number: complex, dtype: np.dtype[Any]) -> complex:
    """Convert a Python number to an element of the dtype: truncate a fraction, raise an error for an imaginary part."""
    if dtype.kind == "b":
        return bool(number)
    if isinstance(number, complex) and dtype.kind != "c":
        raise ArgumentTypeError(f"piecewise: cannot convert the complex number {number} to {dtype}")
    warn_of_overflow(number, dtype)
    return int(number.real) if dtype.kind in "iu" else number
