# SPDX-License-Identifier: MIT
"""Elements by their positions: taken, put, found and chosen, by the array API's names and NumPy's."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Literal

import numpy as np

from . import _core
from ._array import arange, asarray
from ._core import ArgumentIndexError, ArgumentTypeError, ArgumentValueError, Array, Queue, apply
from ._manipulation import _axis, as_arrays, broadcast_arrays, stack

_Mode = Literal["raise", "wrap", "clip"]


def _positions(indices: Any, length: int, mode: _Mode, like: Array) -> Any:
    """Positions as an index takes them: as they are to be checked, or within the length."""
    if mode == "raise":
        return indices if isinstance(indices, Array) else np.asarray(indices, dtype=_index_type(indices))
    if mode not in ("wrap", "clip"):
        raise ArgumentValueError(f"mode is 'raise', 'wrap' or 'clip', got {mode!r}")
    given = asarray(indices, device=like.device) if not isinstance(indices, Array) else indices
    if given.dtype.kind not in "iu":
        raise ArgumentIndexError(f"positions are integers, got {given.dtype}")
    given = given.astype(np.int64)
    if length == 0:
        raise ArgumentIndexError("cannot take from an axis of no elements")
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


def take(x: Array, indices: Any, /, axis: int | None = None, mode: _Mode = "raise") -> Array:
    """Elements at these positions along an axis, or of the flat array."""
    whole = x.reshape(-1) if axis is None else x
    at = _axis(0 if axis is None else axis, whole.ndim, "take")
    positions = _positions(indices, whole.shape[at], mode, x)
    if getattr(positions, "dtype", np.dtype(np.int64)).kind not in "iu":
        raise ArgumentIndexError(f"take: positions are integers, got {positions.dtype}")
    return whole[((slice(None),) * at) + (positions,)]


def take_along_axis(x: Array, indices: Any, /, axis: int | None = -1) -> Array:
    """Elements at positions of the same shape, along one axis."""
    (positions,) = (
        as_arrays("take_along_axis", indices)
        if isinstance(indices, Array)
        else [asarray(indices, device=x.device)]
    )
    if axis is None:
        return _core.take_along_axis(x.reshape(-1), positions.reshape(-1), 0)
    return _core.take_along_axis(x, positions, axis)


def put_along_axis(x: Array, indices: Any, values: Any, axis: int | None) -> None:
    """Writes values to positions of the same shape, along one axis."""
    positions = indices if isinstance(indices, Array) else asarray(indices, device=x.device)
    given = (
        values if isinstance(values, (Array, bool, int, float, complex)) else asarray(values, device=x.device)
    )
    if axis is None:
        _core.put_along_axis(_flat_view(x, "put_along_axis"), positions.reshape(-1), given, 0)
    else:
        _core.put_along_axis(x, positions, given, axis)


def _flat_view(x: Array, function: str) -> Array:
    flat = x.reshape(-1)
    if x.size and not _core.shares_memory(flat, x):
        raise ArgumentValueError(f"{function}: the array cannot be written flat, since it is a strided view")
    return flat


def put(x: Array, indices: Any, values: Any, mode: _Mode = "raise") -> None:
    """Writes values to these positions of the flat array, over and over where there are fewer of them."""
    positions = _positions(indices, x.size, mode, x)
    count = positions.size
    given = values if isinstance(values, Array) else asarray(values, device=x.device)
    if count == 0 or given.size == 0:
        return
    given = given.reshape(-1)
    if given.size != 1 and given.size != count:
        given = given[arange(count, device=x.device) % given.size]
    flat = x.reshape(-1)
    if _core.shares_memory(flat, x):
        flat[positions.reshape(-1)] = given
        return
    rest = positions if isinstance(positions, Array) else asarray(positions, device=x.device)
    rest = rest.reshape(-1).astype(np.int64)
    # What is not there must not be there after it was divided, either.
    rest = where(rest < -x.size, x.size, where(rest < 0, rest + x.size, rest))
    parts = []
    for length in reversed(x.shape[1:]):
        parts.append(rest % length)
        rest = rest // length
    place = (rest, *reversed(parts))
    x[place] = given


def nonzero(x: Array, /) -> tuple[Array, ...]:
    """For each axis, where along it the elements are that are not zero. Waits for their number."""
    return _core.nonzero_indices(x)


def flatnonzero(x: Array, /) -> Array:
    """Where in the flat array the elements are that are not zero. Waits for their number."""
    return _core.nonzero_indices(x.reshape(-1))[0]


def argwhere(x: Array, /) -> Array:
    """The positions of elements that are not zero, one in each row. Waits for their number."""
    if x.ndim == 0:
        return _core.empty((int(bool(x)), 0), np.int64, x.device, None)
    return stack(nonzero(x), axis=1)


def searchsorted(
    x1: Array, x2: Any, /, side: Literal["left", "right"] = "left", sorter: Array | None = None
) -> Array:
    """Where values belong in a sorted array: in front of equal elements, or behind them."""
    if side not in ("left", "right"):
        raise ArgumentValueError(f"searchsorted: side is 'left' or 'right', got {side!r}")
    keys, values = as_arrays("searchsorted", x1, x2)
    order = None if sorter is None else as_arrays("searchsorted", keys, sorter)[1]
    return _core.searchsorted(keys, values, side == "right", order)


def clip(x: Array, /, min: Any = None, max: Any = None) -> Array:
    """Elements below `min` become it, elements above `max` become that."""
    result = x
    if min is not None and not _is_beyond(min, x, -1):
        result = apply("maximum", result, _bound(min, x))
    if max is not None and not _is_beyond(max, x, 1):
        result = apply("minimum", result, _bound(max, x))
    return result.copy() if result is x else result


def _bound(value: Any, x: Array) -> Any:
    return value if isinstance(value, (Array, bool, int, float, complex)) else asarray(value, device=x.device)


def _is_beyond(bound: Any, x: Array, side: int) -> bool:
    """Whether no integer of the array's type can reach the bound, so that it changes nothing."""
    if not isinstance(bound, int) or x.dtype.kind not in "iu":
        return False
    limits = np.iinfo(x.dtype)
    return bound < limits.min if side < 0 else bound > limits.max


def extract(condition: Any, x: Array, /) -> Array:
    """Elements of the flat array for which the condition holds. Waits for their number."""
    mask, values = (one.reshape(-1) for one in as_arrays("extract", condition, x))
    return values[mask.astype(np.bool_)]


def compress(condition: Any, x: Array, /, axis: int | None = None) -> Array:
    """What an axis goes over for which the condition holds. Waits for the number."""
    mask, x = as_arrays("compress", condition, x)
    if mask.ndim != 1:
        raise ArgumentValueError(f"compress: the condition has one dimension, got {mask.ndim}")
    return take(x, flatnonzero(mask), axis=axis)


def place(x: Array, mask: Any, values: Any, /) -> None:
    """Writes values to the elements for which the mask holds, in their order, over and over."""
    chosen = mask if isinstance(mask, Array) else asarray(mask, device=x.device)
    if chosen.size != x.size:
        raise ArgumentValueError(f"place: a mask of {chosen.size} elements for an array of {x.size}")
    positions = flatnonzero(chosen)
    if positions.size:
        given = values if isinstance(values, Array) else asarray(values, device=x.device)
        if given.size == 0:
            raise ArgumentValueError("place: there are no values for what the mask chooses")
        put(x, positions, given)


def choose(x: Array, choices: Sequence[Any] | Array, /, mode: _Mode = "raise") -> Array:
    """For each element the one of the choices that it counts, all broadcast."""
    all_of = as_arrays("choose", x, *choices)
    positions, *rest = broadcast_arrays(*all_of)
    positions = _positions(positions, len(rest), mode, x)
    return _core.take_along_axis(stack(rest), positions[None], 0)[0]


def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Array:
    """For each element the choice of the first condition that holds, or the default."""
    if len(condlist) != len(choicelist) or not condlist:
        raise ArgumentValueError(f"select: {len(condlist)} conditions for {len(choicelist)} choices")
    result: Any = default
    for condition, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        if not isinstance(condition, Array) or condition.dtype != np.bool_:
            raise ArgumentTypeError("select: conditions are arrays of booleans")
        result = where(condition, _bound(choice, condition), _bound(result, condition))
    chosen: Array = result
    return chosen


def unravel_index(indices: Any, shape: int | Sequence[int]) -> tuple[Array, ...]:
    """Positions among all elements of a shape as positions along each axis."""
    lengths = (shape,) if isinstance(shape, int) else tuple(shape)
    (rest,) = as_arrays("unravel_index", indices)
    if not isinstance(indices, Array):
        given = np.asarray(indices)
        if given.size and (given.min() < 0 or given.max() >= prod(lengths)):
            raise ArgumentValueError(f"unravel_index: a position is out of bounds for shape {lengths}")
    parts = []
    for length in reversed(lengths[1:]):
        parts.append(rest % length)
        rest = rest // length
    return (rest, *reversed(parts))


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
