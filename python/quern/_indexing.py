# SPDX-License-Identifier: MIT
"""Elements by their positions: taken, put, found and chosen, by the array API's names and NumPy's."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Literal

import numpy as np

from . import _core, _functions
from ._array import shape_of
from ._core import ArgumentIndexError, ArgumentTypeError, ArgumentValueError, Array, Queue, apply
from ._functions import arange, broadcast_arrays, stack
from ._memory_order import order_of
from ._operands import Values, as_array, as_arrays, as_operand, as_values, as_vector, axis_of

_Mode = Literal["raise", "wrap", "clip"]


def _positions(function: str, indices: Any, length: int, mode: _Mode, x: Array) -> Any:
    """Positions as an index takes them: as they are to be checked, or within the length."""
    if mode == "raise":
        # NumPy's are checked before anything is enqueued.
        return indices if isinstance(indices, Array) else np.asarray(indices, dtype=_index_type(indices))
    if mode not in ("wrap", "clip"):
        raise ArgumentValueError(f"{function}: mode is 'raise', 'wrap' or 'clip', got {mode!r}")
    given = as_array(function, indices, x.device)
    if given.dtype.kind not in "iu":
        raise ArgumentIndexError(f"{function}: positions are integers, got {given.dtype}")
    given = given.astype(np.int64)
    if given.size == 0:
        return given
    if length == 0:
        raise ArgumentIndexError(f"{function}: there is nothing to take from an axis of no elements")
    return given % length if mode == "wrap" else clip(given, 0, length - 1)


def where(condition: Any, x1: Any = None, x2: Any = None, /, *, queue: Queue | None = None) -> Any:
    """Elements of `x1` where the condition holds, of `x2` elsewhere; of a condition alone, where it holds: nonzero."""
    if x1 is None and x2 is None:
        return nonzero(condition)
    if x1 is None or x2 is None:
        raise ArgumentTypeError("where: expected both x1 and x2, or neither")
    return _core.where(condition, x1, x2, queue=queue)


def _index_type(indices: Any) -> Any:
    return np.int64 if np.size(indices) == 0 else None


def take(x: Values, indices: Any, /, axis: int | None = None, mode: _Mode = "raise") -> Array:
    """Elements at these positions along an axis, or of the flat array."""
    x = as_array("take", x, indices.device if isinstance(indices, Array) else None)
    whole = x.reshape(-1) if axis is None else as_vector(x)
    at = axis_of("take", 0 if axis is None else axis, whole.ndim)
    positions = _positions("take", indices, whole.shape[at], mode, x)
    if getattr(positions, "dtype", np.dtype(np.int64)).kind not in "iu":
        raise ArgumentIndexError(f"take: positions are integers, got {positions.dtype}")
    return whole[((slice(None),) * at) + (positions,)]


def take_along_axis(x: Values, indices: Any, /, axis: int | None = -1) -> Array:
    """Elements at positions of the same shape, along one axis."""
    x, positions = as_arrays("take_along_axis", x, indices)
    if axis is None:
        return _core.take_along_axis(x.reshape(-1), positions.reshape(-1), 0)
    return _core.take_along_axis(x, positions, axis_of("take_along_axis", axis, x.ndim))


def put_along_axis(x: Array, indices: Any, values: Any, axis: int | None) -> None:
    """Writes values to positions of the same shape, along one axis."""
    _check_target("put_along_axis", x)
    positions = as_array("put_along_axis", indices, x.device)
    given = as_operand("put_along_axis", values, x.device)
    if axis is None:
        _core.put_along_axis(_flat_view(x, "put_along_axis"), positions.reshape(-1), given, 0)
    else:
        _core.put_along_axis(x, positions, given, axis_of("put_along_axis", axis, x.ndim))


def _check_target(function: str, x: Any) -> None:
    if not isinstance(x, Array):
        raise ArgumentTypeError(f"{function}: expected an array to write to, got {type(x).__name__}")


def _flat_view(x: Array, function: str) -> Array:
    flat = x.reshape(-1)
    if x.size and not _core.shares_memory(flat, x):
        raise ArgumentValueError(f"{function}: the array cannot be written flat, since it is a strided view")
    return flat


def put(x: Array, indices: Any, values: Any, mode: _Mode = "raise") -> None:
    """Writes values to these positions of the flat array, over and over where there are fewer of them."""
    _check_target("put", x)
    positions = _positions("put", indices, x.size, mode, x)
    count = positions.size
    given = as_values("put", values, x)
    if count == 0 or given.size == 0:
        return
    given = given.reshape(-1)
    if given.size != 1 and given.size != count:
        given = given[arange(count, device=x.device) % given.size]
    flat = x.reshape(-1)
    if _core.shares_memory(flat, x):
        flat[positions.reshape(-1)] = given
        return
    rest = as_array("put", positions, x.device).reshape(-1).astype(np.int64)
    # What is not there must not be there after it was divided, either.
    rest = where(rest < -x.size, x.size, where(rest < 0, rest + x.size, rest))
    parts = []
    for length in reversed(x.shape[1:]):
        parts.append(rest % length)
        rest = rest // length
    place = (rest, *reversed(parts))
    x[place] = given


def nonzero(x: Values, /) -> tuple[Array, ...]:
    """For each axis, where along it the elements are that are not zero. Waits for their number."""
    return _core.nonzero_indices(as_array("nonzero", x))


def flatnonzero(x: Values, /) -> Array:
    """Where in the flat array the elements are that are not zero. Waits for their number."""
    return _core.nonzero_indices(as_array("flatnonzero", x).reshape(-1))[0]


def argwhere(x: Values, /) -> Array:
    """The positions of elements that are not zero, one in each row. Waits for their number."""
    x = as_array("argwhere", x)
    if x.ndim == 0:
        return _core.empty((int(bool(x)), 0), np.int64, x.device, None)
    return stack(nonzero(x), axis=1)


def searchsorted(
    x1: Values, x2: Values, /, side: Literal["left", "right"] = "left", sorter: Values | None = None
) -> Array:
    """Where values belong in a sorted array: in front of equal elements, or behind them."""
    if side not in ("left", "right"):
        raise ArgumentValueError(f"searchsorted: side is 'left' or 'right', got {side!r}")
    keys, values = as_arrays("searchsorted", x1, x2)
    order = None if sorter is None else as_arrays("searchsorted", keys, sorter)[1]
    return _core.searchsorted(keys, values, side == "right", order)


def clip(x: Values, /, min: Any = None, max: Any = None, *, a_min: Any = None, a_max: Any = None) -> Array:
    """Elements below `min` become it, elements above `max` become that; `a_min` and `a_max` are NumPy's older names."""
    if (min is not None and a_min is not None) or (max is not None and a_max is not None):
        raise ArgumentTypeError("clip: min and a_min, and max and a_max, are two names for one thing")
    low, high = a_min if min is None else min, a_max if max is None else max
    x = as_array("clip", x)
    low, high = (None if _is_beyond(bound, x, side) else bound for bound, side in ((low, -1), (high, 1)))
    bounds = [None if bound is None else as_operand("clip", bound, x.device) for bound in (low, high)]
    if low is None and high is None:
        return apply("positive", x).copy()
    # All three together have one dtype.
    given = [bound.dtype if isinstance(bound, Array) else bound for bound in bounds if bound is not None]
    dtype = np.result_type(x.dtype, *given)
    result, (least, most) = x.astype(dtype, copy=False), bounds
    if least is not None:
        result = apply("maximum", result, least)
    return result if most is None else apply("minimum", result, most)


def _is_beyond(bound: Any, x: Array, side: int) -> bool:
    """Whether no integer of the array's type can reach the bound, so that it changes nothing."""
    if type(bound) is not int or x.dtype.kind not in "iu":
        return False
    limits = np.iinfo(x.dtype)
    return bound <= limits.min if side < 0 else bound >= limits.max


def extract(condition: Any, x: Values, /) -> Array:
    """Elements of the flat array for which the condition holds. Waits for their number."""
    mask, values = (one.reshape(-1) for one in as_arrays("extract", condition, x))
    return values[mask.astype(np.bool_)]


def compress(condition: Any, x: Values, /, axis: int | None = None) -> Array:
    """What an axis goes over for which the condition holds. Waits for the number."""
    mask, x = as_arrays("compress", condition, x)
    if mask.ndim != 1:
        raise ArgumentValueError(f"compress: the condition has one dimension, got {mask.ndim}")
    return take(x, flatnonzero(mask), axis=axis)


def place(x: Array, mask: Any, values: Any, /) -> None:
    """Writes values to the elements for which the mask holds, in their order, over and over."""
    _check_target("place", x)
    chosen = as_array("place", mask, x.device)
    if chosen.size != x.size:
        raise ArgumentValueError(f"place: a mask of {chosen.size} elements for an array of {x.size}")
    positions = flatnonzero(chosen)
    if positions.size:
        given = as_values("place", values, x)
        if given.size == 0:
            raise ArgumentValueError("place: there are no values for what the mask chooses")
        put(x, positions, given)


def choose(x: Values, choices: Sequence[Any] | Array, /, mode: _Mode = "raise") -> Array:
    """For each element the one of the choices that it counts, all broadcast."""
    positions, *rest = broadcast_arrays(*as_arrays("choose", x, *choices))
    positions = _positions("choose", positions, len(rest), mode, positions)
    return _core.take_along_axis(stack(rest), positions[None], 0)[0]


def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Array:
    """For each element the choice of the first condition that holds, or the default."""
    if len(condlist) != len(choicelist) or not condlist:
        raise ArgumentValueError(f"select: {len(condlist)} conditions for {len(choicelist)} choices")
    result, *given = as_arrays("select", default, *choicelist, *condlist)
    choices, conditions = given[: len(choicelist)], given[len(choicelist) :]
    # Numbers of Python's take the others' dtype.
    weak = (int, float, complex)
    named = [*zip((default, *choicelist), (result, *choices), strict=True)]
    dtype = np.result_type(*(one if type(one) in weak else array.dtype for one, array in named))
    result, *choices = (array.astype(dtype, copy=False) for _, array in named)
    for condition, choice in zip(reversed(conditions), reversed(choices), strict=True):
        if condition.dtype != np.bool_:
            raise ArgumentTypeError(f"select: conditions are booleans, got {condition.dtype}")
        result = _core.where(condition, choice, result)
    return result


def lengths_of(function: str, shape: int | Sequence[int]) -> tuple[int, ...]:
    """The axes of a shape whose elements are counted, as many as can be."""
    given = shape_of(function, shape)
    lengths = (given,) if isinstance(given, int) else given
    if not lengths:
        raise ArgumentValueError(f"{function}: expected a shape of one axis or more, got {shape!r}")
    if any(length < 0 for length in lengths) or prod(lengths) >= 1 << 63:
        raise ArgumentValueError(f"{function}: there is no array of shape {lengths}")
    return lengths


def positions_of(function: str, *values: Any) -> list[Array]:
    """Positions as int64."""
    arrays = as_arrays(function, *values)
    for k, one in enumerate(arrays):
        if one.size == 0 and one.dtype.kind == "f":
            arrays[k] = one.astype(np.int64)  # a list of nothing
        elif one.dtype.kind not in "iu":
            raise ArgumentTypeError(f"{function}: positions are integers, got {one.dtype}")
    return [one.astype(np.int64, copy=False) for one in arrays]


def check_positions(function: str, *positions: tuple[Array, int]) -> None:
    """Throws NumPy's ValueError where a position is not within its length. Waits to know."""
    outside = [(one < 0) | (one >= length) for one, length in positions if one.size]
    if not outside:
        return
    flags = [_functions.any(one) for one in outside]
    if bool(_functions.any(stack(flags))):
        raise ArgumentValueError(
            f"{function}: a position is out of bounds for {', '.join(str(length) for _, length in positions)} elements"
        )


def unravel_index(indices: Any, shape: int | Sequence[int], order: str = "C") -> tuple[Array, ...]:
    """Positions among all elements of a shape, in C order or Fortran's, as positions along each axis.

    Waits to know that all of them are there.
    """
    lengths = lengths_of("unravel_index", shape)
    (rest,) = positions_of("unravel_index", indices)
    check_positions("unravel_index", (rest, prod(lengths)))
    is_fortran = order_of("unravel_index", order, "CF") == "F"
    parts = []
    for length in lengths[:-1] if is_fortran else reversed(lengths[1:]):
        parts.append(rest % length)
        rest = rest // length
    return (*parts, rest) if is_fortran else (rest, *reversed(parts))


__all__ = [
    "argwhere",
    "choose",
    "clip",
    "compress",
    "extract",
    "flatnonzero",
    "nonzero",
    "place",
    "put",
    "put_along_axis",
    "searchsorted",
    "select",
    "take",
    "take_along_axis",
    "unravel_index",
    "where",
]
