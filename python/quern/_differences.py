# SPDX-License-Identifier: MIT
"""What is made of differences between neighbours: slopes, integrals, and values between points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _core, _functions
from ._array import integer_of
from ._core import ArgumentTypeError, ArgumentValueError, Array
from ._functions import clip
from ._operands import (
    Values,
    along,
    as_array,
    as_arrays,
    as_complex,
    as_float,
    axes_of,
    axis_of,
    check_cast,
    check_subtraction,
    default_float,
)

__all__ = ["diff", "ediff1d", "gradient", "interp", "trapezoid"]


def joined(parts: Sequence[Array], axis: int) -> Array:
    """Arrays behind each other along an axis."""
    dtype = np.result_type(*(part.dtype for part in parts))
    lengths = list(parts[0].shape)
    lengths[axis] = sum(part.shape[axis] for part in parts)
    result = _core.empty(lengths, dtype, parts[0].device, None)
    start = 0
    for part in parts:
        end = start + part.shape[axis]
        along(result, axis, slice(start, end))[...] = part
        start = end
    return result


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
    for _ in range(min(n, x.shape[along])):  # then nothing is left
        x = x[later] != x[earlier] if x.dtype == np.bool_ else x[later] - x[earlier]
    return x


def _with_ends(x: Array, axis: int, prepend: Values | None, append: Values | None) -> Array:
    """The array with others, or single values, before and after it along an axis."""
    first, last = (None if end is None else as_array("diff", end, x.device) for end in (prepend, append))
    parts = [part for part in (first, x, last) if part is not None]
    if len(parts) == 1:
        return x
    lengths = [part.shape[axis] if part.ndim else 1 for part in parts]
    shape = [*x.shape[:axis], sum(lengths), *x.shape[axis + 1 :]]
    result = _core.empty(shape, np.result_type(*(part.dtype for part in parts)), x.device, None)
    start = 0
    for part, length in zip(parts, lengths, strict=True):
        place = (*(slice(None),) * axis, slice(start, start + length))
        result[place] = part
        start += length
    return result


def ediff1d(x: Values, /, to_end: Any = None, to_begin: Any = None) -> Array:
    """The differences of neighbours of all elements in C order, with others in front and behind."""
    array = as_array("ediff1d", x).reshape(-1)
    check_subtraction("ediff1d", array)
    made = []
    for part in (to_begin, diff(array), to_end):
        if part is not None:
            given = as_array("ediff1d", part, array.device).reshape(-1)
            check_cast("ediff1d", given.dtype, array.dtype, "same_kind")
            made.append(given.astype(array.dtype, copy=False))
    return made[0] if len(made) == 1 else joined(made, 0)


def gradient(x: Values, /, *spacing: Values, axis: int | Sequence[int] | None = None) -> Any:
    """The slopes along each axis, between the neighbours inside and between two elements at the ends. Of each axis,
    `spacing` has the step or the places of the elements."""
    given = as_array("gradient", x)
    x = as_float(given)
    axes = range(x.ndim) if axis is None else axes_of("gradient", axis, x.ndim)
    steps = [as_array("gradient", step, x.device) if np.ndim(step) else step for step in spacing or (1.0,)]
    if len(steps) == 1:
        steps *= len(axes)
    if len(steps) != len(axes):
        raise ArgumentValueError(f"gradient: {len(spacing)} steps for {len(axes)} axes")
    results = []
    for at, step in zip(axes, steps, strict=True):
        if x.shape[at] < 2:
            raise ArgumentValueError(
                f"gradient: expected two elements or more along axis {at}, got {x.shape[at]}"
            )
        check_subtraction("gradient", given)
        results.append(_slopes(x, at, step))
    return results[0] if len(results) == 1 else tuple(results)


def _slopes(x: Array, at: int, step: Any) -> Array:
    result = _core.empty(x.shape, x.dtype, x.device, None)
    first, last, inside = slice(0, 1), slice(-1, None), slice(1, -1)
    rise = diff(x, axis=at)
    if not isinstance(step, Array):
        width: Any = float(step)
        along(result, at, inside)[...] = (along(x, at, slice(2, None)) - along(x, at, slice(None, -2))) / (
            2.0 * width
        )
        along(result, at, first)[...] = along(rise, at, first) / width
        along(result, at, last)[...] = along(rise, at, last) / width
        return result
    if step.shape != (x.shape[at],):
        raise ArgumentValueError(f"gradient: {step.size} places for an axis of {x.shape[at]} elements")
    # Integers may lie in falling order, and differences of narrow ones do not fit their own type.
    width = (
        diff(as_float(step))
        .astype(x.dtype, copy=False)
        .reshape([-1 if k == at else 1 for k in range(x.ndim)])
    )
    slope = rise / width
    before, behind = along(width, at, slice(None, -1)), along(width, at, slice(1, None))
    # The slope of the parabola through three points.
    along(result, at, inside)[...] = (
        along(slope, at, slice(None, -1)) * behind + along(slope, at, slice(1, None)) * before
    ) / (before + behind)
    along(result, at, first)[...] = along(slope, at, first)
    along(result, at, last)[...] = along(slope, at, last)
    return result


def trapezoid(y: Values, x: Values | None = None, dx: float = 1.0, axis: int = -1) -> Array:
    """The integral along an axis by trapezoids, at the places x or in steps of dx."""
    y = as_array("trapezoid", y)
    at = axis_of("trapezoid", axis, y.ndim)
    width: Any = dx
    if x is not None:
        places = as_array("trapezoid", x, y.device)
        width = diff(places) if places.ndim == 1 else diff(places, axis=axis)
        if places.ndim == 1:
            width = width.reshape([-1 if k == at else 1 for k in range(y.ndim)])
    # As in NumPy, neighbours are added in their own type.
    heights = along(y, at, slice(1, None)) + along(y, at, slice(None, -1))
    return _functions.sum(width * heights / 2.0, axis=at)


def interp(
    x: Values,
    xp: Values,
    fp: Values,
    left: complex | None = None,
    right: complex | None = None,
    period: float | None = None,
) -> Array:
    """The values between the points (xp, fp), which lie in order, at x; outside of them the first and the last, or `left`
    and `right`. With a `period` the points repeat, in any order."""
    x, xp, fp = as_arrays("interp", x, xp, fp)
    if xp.ndim != 1 or xp.shape != fp.shape or xp.size == 0:
        raise ArgumentValueError(f"interp: expected points of one axis, got shapes {xp.shape} and {fp.shape}")
    ends = [end for end in (left, right) if isinstance(end, complex)]
    if "c" in (x.dtype.kind, xp.dtype.kind) or (ends and fp.dtype.kind != "c"):
        raise ArgumentTypeError("interp: only the values fp may be complex, and then left and right")
    dtype = default_float(x.device)
    places, points = x.astype(dtype).reshape(-1).copy(), xp.astype(dtype).copy()
    values = fp.astype(np.result_type(dtype, 1j) if fp.dtype.kind == "c" else dtype).copy()
    if period is not None:
        places, points, values = _within_period(places, points, values, period)
        left = right = None
    if values.dtype.kind != "c":
        return _between_points(places, points, values, left, right).reshape(x.shape)
    parts = [
        _between_points(
            places,
            points,
            _core.apply(part, values).copy(),
            *(None if end is None else getattr(complex(end), part) for end in (left, right)),
        )
        for part in ("real", "imag")
    ]
    return as_complex(*parts).reshape(x.shape)


def _within_period(places: Array, points: Array, values: Array, period: float) -> tuple[Array, Array, Array]:
    if period == 0:
        raise ArgumentValueError("interp: period must not be 0")
    length = abs(period)
    places, points = (_core.apply("remainder", one, length).copy() for one in (places, points))
    order = _core.argsorted_along(points, 0, False)
    points, values = points[order], values[order]
    # One point more at either end.
    points = joined([points[-1:] - length, points, points[:1] + length], 0)
    return places, points, joined([values[-1:], values, values[:1]], 0)


def _between_points(
    places: Array, points: Array, values: Array, left: complex | None, right: complex | None
) -> Array:
    """Straight lines between points as NumPy computes them, of which infinities make no more NaN than they must."""
    last = points.size - 1
    low = clip(_core.upper_bound(points, places) - 1, 0, max(last - 1, 0)).copy()
    high = _core.apply("minimum", low + 1, last).copy()
    x0, y0 = _core.gather(points, low), _core.gather(values, low)
    x1, y1 = _core.gather(points, high), _core.gather(values, high)
    slope = (y1 - y0) / (x1 - x0)
    result = slope * (places - x0) + y0
    # From the other end where that is NaN; a line between equal values is level also where it is infinitely long.
    back = slope * (places - x1) + y1
    back = _core.where(_core.apply("isnan", back) & (y0 == y1), y0, back)
    result = _core.where(_core.apply("isnan", result), back, result)
    result = _core.where(places == x0, y0, result)
    if last == 0:
        result = y0  # of one point, also for NaN
    first_value, last_value = along(values, 0, slice(0, 1)), along(values, 0, slice(-1, None))
    first_point, last_point = along(points, 0, slice(0, 1)), along(points, 0, slice(-1, None))
    result = _core.where(places == last_point, last_value, result)
    result = _core.where(places > last_point, last_value if right is None else right, result)
    result = _core.where(places < first_point, first_value if left is None else left, result)
    return result if last == 0 else _core.where(_core.apply("isnan", places), places, result)
