# SPDX-License-Identifier: MIT
"""Reductions of arrays over all or some of their axes. They are enqueued at once and wait for nothing."""

from __future__ import annotations

import builtins

import numpy as np
from numpy.typing import DTypeLike

from . import _core
from ._array import integer_of
from ._core import ArgumentTypeError, ArgumentValueError, Array
from ._operands import Axis, Values, as_array, as_float, axes_of, axis_of, is_half, written

# What changes nothing, and stands for elements that a mask leaves out.
_NEUTRAL: dict[str, complex] = {"sum": 0, "prod": 1, "any": False, "all": True}
_COMBINE = {"sum": "add", "prod": "multiply", "min": "minimum", "max": "maximum"}


def _folded(
    name: str,
    x: Array,
    axis: Axis,
    keepdims: bool,
    dtype: DTypeLike | None = None,
    correction: float = 0.0,
) -> Array:
    if axis is not None:
        # As in NumPy, a number has an axis for what is folded by a ufunc, but has none for others.
        is_number = x.ndim == 0 and axis in (0, -1) and name not in ("mean", "var")
        axis = None if is_number else axes_of(name, axis, x.ndim)
    return _core.reduce(name, x, axis=axis, dtype=dtype, keepdims=keepdims, correction=correction)


def _reduced(
    name: str,
    x: Values,
    axis: Axis,
    keepdims: bool,
    where: Values | None,
    out: Array | None,
    initial: complex | None = None,
    dtype: DTypeLike | None = None,
) -> Array:
    """A reduction of the elements where the mask holds, and of `initial`."""
    array = as_array(name, x)
    if initial is not None and name in ("min", "max") and array.dtype.kind in "biu":
        initial = bool(initial) if array.dtype.kind == "b" else int(initial.real)
    if where is not None:
        neutral = _NEUTRAL.get(name, initial)
        if neutral is None:
            raise ArgumentValueError(f"{name}: with where= it needs initial=, since all may be left out")
        array = _core.where(where, array, neutral)
    if initial is not None and array.size == 0 and name in ("min", "max"):
        shape = _folded("any", array, axis, keepdims).shape
        return written(
            name, _core.full(shape, initial, array.dtype, array.device, None), out, broadcasts=False
        )
    result = _folded(name, array, axis, keepdims, dtype)
    if initial is not None:
        # As in NumPy, it is of the result's type before it is combined.
        kind = result.dtype.kind
        first = bool(initial) if kind == "b" else int(initial.real) if kind in "iu" else initial
        result = _core.apply(_COMBINE[name], result, first).astype(result.dtype, copy=False)
    return written(name, result, out, broadcasts=False)


def sum(
    x: Values,
    /,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    *,
    keepdims: bool = False,
    initial: complex | None = None,
    where: Values | None = None,
) -> Array:
    """The sum of the elements; small integers are summed in 64 bits."""
    return _reduced("sum", x, axis, keepdims, where, out, initial, dtype)


def prod(
    x: Values,
    /,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    *,
    keepdims: bool = False,
    initial: complex | None = None,
    where: Values | None = None,
) -> Array:
    """The product of the elements; small integers are multiplied in 64 bits."""
    return _reduced("prod", x, axis, keepdims, where, out, initial, dtype)


def min(
    x: Values,
    /,
    axis: Axis = None,
    out: Array | None = None,
    *,
    keepdims: bool = False,
    initial: complex | None = None,
    where: Values | None = None,
) -> Array:
    """The least element, or NaN where there is one."""
    return _reduced("min", x, axis, keepdims, where, out, initial)


def max(
    x: Values,
    /,
    axis: Axis = None,
    out: Array | None = None,
    *,
    keepdims: bool = False,
    initial: complex | None = None,
    where: Values | None = None,
) -> Array:
    """The greatest element, or NaN where there is one."""
    return _reduced("max", x, axis, keepdims, where, out, initial)


amax, amin = max, min


def _position(name: str, x: Values, axis: int | None, out: Array | None, keepdims: bool) -> Array:
    array = as_array(name, x)
    at = None
    if axis is not None and not (array.ndim == 0 and axis in (0, -1)):
        at = axis_of(name, axis, array.ndim)
    return written(name, _core.reduce(name, array, axis=at, keepdims=keepdims), out, broadcasts=False)


def argmin(
    x: Values, /, axis: int | None = None, out: Array | None = None, *, keepdims: bool = False
) -> Array:
    """Where the least element is: the first of equal ones, the first NaN where there is one."""
    return _position("argmin", x, axis, out, keepdims)


def argmax(
    x: Values, /, axis: int | None = None, out: Array | None = None, *, keepdims: bool = False
) -> Array:
    """Where the greatest element is: the first of equal ones, the first NaN where there is one."""
    return _position("argmax", x, axis, out, keepdims)


def any(
    x: Values,
    /,
    axis: Axis = None,
    out: Array | None = None,
    *,
    keepdims: bool = False,
    where: Values | None = None,
) -> Array:
    """Whether any element is not zero."""
    return _reduced("any", x, axis, keepdims, where, out)


def all(
    x: Values,
    /,
    axis: Axis = None,
    out: Array | None = None,
    *,
    keepdims: bool = False,
    where: Values | None = None,
) -> Array:
    """Whether no element is zero."""
    return _reduced("all", x, axis, keepdims, where, out)


def count_nonzero(x: Values, /, axis: Axis = None, *, keepdims: bool = False) -> Array:
    """How many elements are not zero."""
    return _folded("count_nonzero", as_array("count_nonzero", x), axis, keepdims)


def _count(x: Array, mask: Array, axis: Axis, keepdims: bool) -> Array:
    return _folded("count_nonzero", _core.broadcast_to(mask, x.shape), axis, keepdims)


def mean(
    x: Values,
    /,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    *,
    keepdims: bool = False,
    where: Values | None = None,
) -> Array:
    """The mean, in floating point, of the elements where the mask holds."""
    array = as_array("mean", x)
    if where is None:
        result = _folded("mean", array, axis, keepdims, dtype)
    elif is_half(array, dtype):
        single = mean(array.astype(np.float32), axis, keepdims=keepdims, where=where)
        result = single.astype(np.float16)
    else:
        mask = as_array("mean", where, array.device)
        total = _reduced("sum", as_float(array), axis, keepdims, mask, None, dtype=dtype)
        result = total / _count(array, mask, axis, keepdims).astype(total.dtype)
    return written("mean", result, out, broadcasts=False)


def var(
    x: Values,
    /,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    *,
    correction: float = 0.0,
    keepdims: bool = False,
    ddof: float = 0,
    where: Values | None = None,
) -> Array:
    """The mean square distance to the mean, over the count less `correction`, which NumPy calls `ddof`."""
    if correction and ddof:
        raise ArgumentValueError("var: correction and ddof are two names for one thing; give one of them")
    array = as_array("var", x)
    if array.dtype.kind == "c" and dtype is not None and np.dtype(dtype).kind != "c":
        raise ArgumentTypeError(
            f"var: a complex number does not become {np.dtype(dtype)}; see real() and imag()"
        )
    if where is None:
        result = _folded("var", array, axis, keepdims, dtype, correction or ddof)
    elif is_half(array, dtype):
        single = var(
            array.astype(np.float32), axis, correction=correction or ddof, keepdims=keepdims, where=where
        )
        result = single.astype(np.float16)
    else:
        mask = as_array("var", where, array.device)
        array = array if dtype is None else array.astype(dtype, copy=False)
        middle = mean(array, axis, dtype, keepdims=True, where=mask)
        distance = _core.apply("absolute", array - middle)
        total = _reduced("sum", distance * distance, axis, keepdims, mask, None)
        left = _count(array, mask, axis, keepdims).astype(total.dtype) - (correction or ddof)
        result = total / _core.apply("maximum", left, 0)
    if dtype is not None and np.dtype(dtype).kind == "c":
        result = result.astype(dtype)  # Also of real numbers, as in NumPy.
    return written("var", result, out, broadcasts=False)


def std(
    x: Values,
    /,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    *,
    correction: float = 0.0,
    keepdims: bool = False,
    ddof: float = 0,
    where: Values | None = None,
) -> Array:
    """The square root of the variance."""
    square = var(x, axis, dtype, correction=correction, keepdims=keepdims, ddof=ddof, where=where)
    return written("std", _core.apply("sqrt", square), out, broadcasts=False)


def ptp(x: Values, /, axis: Axis = None, *, keepdims: bool = False) -> Array:
    """The distance of the greatest element from the least."""
    x = as_array("ptp", x)
    return max(x, axis, keepdims=keepdims) - min(x, axis, keepdims=keepdims)


def diff(
    x: Values,
    /,
    n: int = 1,
    axis: int = -1,
    prepend: Values | None = None,
    append: Values | None = None,
) -> Array:
    """The differences of neighbours along an axis, `n` times over; of booleans, whether they differ."""
    x = as_array("diff", x)
    n = integer_of("diff", "n", n)
    if n < 0:
        raise ArgumentValueError(f"diff: n is {n}, but must not be negative")
    if n == 0:
        return x
    if x.ndim == 0:
        raise ArgumentValueError("diff: expected one dimension or more, got an array of none")
    along = axis_of("diff", axis, x.ndim)
    x = _with_ends(x, along, prepend, append)
    before = (slice(None),) * along
    later, earlier = (*before, slice(1, None)), (*before, slice(None, -1))
    for _ in range(builtins.min(n, x.shape[along])):  # then nothing is left
        x = x[later] != x[earlier] if x.dtype == np.bool_ else x[later] - x[earlier]
    return x


def _with_ends(x: Array, axis: int, prepend: Values | None, append: Values | None) -> Array:
    """The array with others, or single values, before and after it along an axis."""
    first, last = (None if end is None else as_array("diff", end, x.device) for end in (prepend, append))
    parts = [part for part in (first, x, last) if part is not None]
    if len(parts) == 1:
        return x
    lengths = [part.shape[axis] if part.ndim else 1 for part in parts]
    shape = [*x.shape[:axis], builtins.sum(lengths), *x.shape[axis + 1 :]]
    result = _core.empty(shape, np.result_type(*(part.dtype for part in parts)), x.device, None)
    start = 0
    for part, length in zip(parts, lengths, strict=True):
        place = (*(slice(None),) * axis, slice(start, start + length))
        result[place] = part
        start += length
    return result


__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "count_nonzero",
    "diff",
    "max",
    "mean",
    "min",
    "prod",
    "ptp",
    "std",
    "sum",
    "var",
]
