# SPDX-License-Identifier: MIT
"""Arrays joined, split, turned, repeated and padded, by the array API's names and NumPy's. Views where NumPy has
views."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike

from . import _core
from ._array import count_of, shape_of
from ._core import ArgumentTypeError, ArgumentValueError, Array
from ._dtypes import broadcast_shapes
from ._memory_order import Order, in_order
from ._operands import (
    ArgumentAxisError,
    Axis,
    Values,
    as_array,
    as_arrays,
    as_vector,
    axes_of,
    axis_of,
    check_cast,
    written,
)


def broadcast_to(x: Values, /, shape: int | Sequence[int]) -> Array:
    """A view in which elements stand for many; it is not written to."""
    return _core.broadcast_to(as_array("broadcast_to", x), shape_of("broadcast_to", shape))


def broadcast_arrays(*arrays: Values) -> tuple[Array, ...]:
    """Views of the shape that the arrays have together."""
    given = as_arrays("broadcast_arrays", *arrays)
    shape = broadcast_shapes(*(array.shape for array in given))
    return tuple(array if array.shape == shape else broadcast_to(array, shape) for array in given)


def reshape(
    x: Values, /, shape: int | Sequence[int], order: Order | None = "C", *, copy: bool | None = None
) -> Array:
    """Another shape for the same elements, read in C order or Fortran's: a view where strides allow, unless `copy` says
    otherwise."""
    x = as_array("reshape", x)
    if copy:
        return x.copy("F" if order == "F" else "C").reshape(shape, order=order or "C")
    result = x.reshape(shape, order=order or "C")
    if copy is False and result.size and not _core.shares_memory(result, x):
        raise ArgumentValueError(f"reshape: shape {shape} of this array needs a copy")
    return result


def ravel(x: Values, /, order: Order | None = "C") -> Array:
    """One dimension, with the elements next to each other: a view where they are so, otherwise a copy."""
    flat = in_order("ravel", as_array("ravel", x), order).reshape(-1)
    has_gaps = flat.in_memory and flat.size > 1 and flat.strides[0] != flat.dtype.itemsize
    return flat.copy() if has_gaps else flat


def permute_dims(x: Values, /, axes: Sequence[int]) -> Array:
    """A view with the axes in this order."""
    return as_array("permute_dims", x).transpose(tuple(axes))


def transpose(x: Values, /, axes: Sequence[int] | None = None) -> Array:
    """A view with the axes in another order, backwards when none is given."""
    return as_array("transpose", x).transpose(axes)


def matrix_transpose(x: Values, /) -> Array:
    """A view with the last two axes exchanged."""
    x = as_array("matrix_transpose", x)
    if x.ndim < 2:
        raise ArgumentValueError(f"matrix_transpose: at least two dimensions, got {x.ndim}")
    return swapaxes(x, -1, -2)


def swapaxes(x: Values, axis1: int, axis2: int, /) -> Array:
    """A view with two axes exchanged."""
    x = as_array("swapaxes", x)
    order = list(range(x.ndim))
    a, b = (axis_of("swapaxes", axis, x.ndim) for axis in (axis1, axis2))
    order[a], order[b] = order[b], order[a]
    return x.transpose(order)


def moveaxis(x: Values, source: int | Sequence[int], destination: int | Sequence[int], /) -> Array:
    """A view with axes moved to other places."""
    x = as_array("moveaxis", x)
    places = (axes_of("moveaxis", axes, x.ndim) for axes in (source, destination))
    return _core.moveaxis(x, *places)


def rollaxis(x: Values, axis: int, start: int = 0, /) -> Array:
    """A view with an axis moved in front of another."""
    x = as_array("rollaxis", x)
    at = axis_of("rollaxis", axis, x.ndim)
    to = start + x.ndim if start < 0 else start
    if not 0 <= to <= x.ndim:
        raise ArgumentAxisError(start, x.ndim + 1, "rollaxis")
    return moveaxis(x, at, to - 1 if at < to else to)


def squeeze(x: Values, /, axis: Axis = None) -> Array:
    """A view without axes of one element: these, or all."""
    x = as_array("squeeze", x)
    if axis is None or (x.ndim == 0 and axis in (0, -1)):
        return _core.squeeze(x, None)
    return _core.squeeze(x, axes_of("squeeze", axis, x.ndim))


def expand_dims(x: Values, /, axis: int | Sequence[int] = 0) -> Array:
    """A view with axes of one element at these places of the result."""
    x = as_array("expand_dims", x)
    count = len(axis) if isinstance(axis, Sequence) else 1
    return _core.expand_dims(x, axes_of("expand_dims", axis, x.ndim + count))


def atleast_1d(*arrays: Any) -> Any:
    """Arrays with one dimension at least."""
    return _of_all([x if x.ndim else x.reshape(1) for x in as_arrays("atleast_1d", *arrays)])


def atleast_2d(*arrays: Any) -> Any:
    """Arrays with two dimensions at least: a vector is a row."""
    return _of_all([x if x.ndim > 1 else x.reshape(1, x.size) for x in as_arrays("atleast_2d", *arrays)])


def atleast_3d(*arrays: Any) -> Any:
    """Arrays with three dimensions at least: of a matrix, the last is new."""
    return _of_all(
        [
            x if x.ndim > 2 else x[..., None] if x.ndim == 2 else x.reshape(1, x.size, 1)
            for x in as_arrays("atleast_3d", *arrays)
        ]
    )


def _of_all(results: list[Array]) -> Any:
    return results[0] if len(results) == 1 else tuple(results)


def flip(x: Values, /, axis: Axis = None) -> Array:
    """A view that goes backwards along these axes, or along all."""
    x = as_array("flip", x)
    return _core.flip(x, None if axis is None else axes_of("flip", axis, x.ndim))


def fliplr(x: Values, /) -> Array:
    """A view that goes backwards along the second axis."""
    return flip(x, 1)


def flipud(x: Values, /) -> Array:
    """A view that goes backwards along the first axis."""
    return flip(x, 0)


def rot90(x: Values, /, k: int = 1, axes: Sequence[int] = (0, 1)) -> Array:
    """A view turned by right angles, from the first of two axes to the second."""
    x = as_array("rot90", x)
    first, second = (axis_of("rot90", axis, x.ndim) for axis in axes)
    if first == second:
        raise ArgumentValueError("rot90: the axes must be two")
    turned = {0: x[...], 2: flip(x, (first, second))}.get(k % 4)
    if turned is not None:
        return turned
    return flip(swapaxes(x, first, second), first) if k % 4 == 1 else swapaxes(flip(x, first), first, second)


def roll(x: Values, /, shift: int | Sequence[int], axis: Axis = None) -> Array:
    """Elements that leave at one end come in at the other; without axes, of the flat array."""
    x = as_array("roll", x)
    if axis is not None:
        for one in axis if isinstance(axis, Sequence) else (axis,):
            axis_of("roll", one, x.ndim)
    return _core.roll(x, shift, axis)


def concat(
    arrays: Iterable[Any],
    /,
    axis: int | None = 0,
    out: Array | None = None,
    *,
    dtype: DTypeLike | None = None,
    casting: str = "same_kind",
) -> Array:
    """Arrays one behind the other along an axis, or flat; all are written into one result, of `dtype` where the rule
    `casting` lets them be."""
    given = _listed("concat", arrays, axis)
    _check_casts("concat", given, out, dtype, casting)
    result = _core.concat(given, axis, _together(given) if dtype is None else dtype)
    return written("concat", result, out, casting=casting, broadcasts=False)


def _together(arrays: list[Array]) -> np.dtype[Any]:
    """The dtype of all at once, which pairs of them do not always lead to."""
    return np.result_type(*(x.dtype for x in arrays))


concatenate = concat


def stack(
    arrays: Iterable[Any],
    /,
    axis: int = 0,
    out: Array | None = None,
    *,
    dtype: DTypeLike | None = None,
    casting: str = "same_kind",
) -> Array:
    """Arrays of one shape along a new axis."""
    given = _listed("stack", arrays, axis)
    _check_casts("stack", given, out, dtype, casting)
    result = _core.stack(given, axis, _together(given) if dtype is None else dtype)
    return written("stack", result, out, casting=casting, broadcasts=False)


def _check_casts(
    function: str, arrays: list[Array], out: Array | None, dtype: DTypeLike | None, casting: str
) -> None:
    if out is not None and dtype is not None:
        raise ArgumentTypeError(f"{function}: expected out or dtype, got both")
    wanted = dtype if out is None else getattr(out, "dtype", None)
    for x in arrays:
        check_cast(function, x.dtype, x.dtype if wanted is None else wanted, casting)


def _listed(function: str, arrays: Iterable[Any], axis: Any = 0) -> list[Array]:
    is_list = isinstance(arrays, Iterable)
    if not is_list or isinstance(axis, (Array, list, tuple)) or getattr(axis, "ndim", 0) > 0:
        wrong = axis if is_list else arrays
        raise ArgumentTypeError(
            f"{function}: the arrays go together in one list, {function}([a, b]), and an axis is an integer; "
            f"got {type(wrong).__name__}"
        )
    given = list(arrays)
    if not given:
        raise ArgumentValueError(f"{function}: there is nothing to join")
    return as_arrays(function, *given)


def vstack(arrays: Iterable[Any], /, *, dtype: DTypeLike | None = None, casting: str = "same_kind") -> Array:
    """Arrays joined along the first axis; vectors are rows."""
    rows = [x if x.ndim > 1 else x.reshape(1, x.size) for x in _listed("vstack", arrays)]
    return concat(rows, dtype=dtype, casting=casting)


def hstack(arrays: Iterable[Any], /, *, dtype: DTypeLike | None = None, casting: str = "same_kind") -> Array:
    """Arrays joined along the second axis, vectors along their only one."""
    parts = [x if x.ndim else x.reshape(1) for x in _listed("hstack", arrays)]
    return concat(parts, axis=0 if parts[0].ndim == 1 else 1, dtype=dtype, casting=casting)


def dstack(arrays: Iterable[Any], /) -> Array:
    """Arrays joined along the third axis."""
    return concat([atleast_3d(x) for x in _listed("dstack", arrays)], axis=2)


def column_stack(arrays: Iterable[Any], /) -> Array:
    """Vectors as the columns of a matrix."""
    columns = [x if x.ndim > 1 else x.reshape(x.size, 1) for x in _listed("column_stack", arrays)]
    return concat(columns, axis=1)


def unstack(x: Values, /, *, axis: int = 0) -> tuple[Array, ...]:
    """Views of all that an axis goes over."""
    x = as_array("unstack", x)
    if x.ndim == 0:
        raise ArgumentValueError("unstack: an array of no dimensions has no axis")
    before: tuple[Any, ...] = (slice(None),) * axis_of("unstack", axis, x.ndim)
    places = [(*before, at) for at in range(x.shape[len(before)])]
    return tuple(x[place] for place in places)


def array_split(x: Values, indices_or_sections: Any, /, axis: int = 0) -> list[Array]:
    """Views of parts along an axis: so many, the first ones longer where they differ, or cut at these places."""
    x = as_array("array_split", x)
    at = axis_of("array_split", axis, x.ndim)
    length = x.shape[at]
    if np.ndim(indices_or_sections) == 0:
        sections = int(indices_or_sections)
        if sections < 1:
            raise ArgumentValueError(f"split: {sections} parts")
        each, more = divmod(length, sections)
        cuts: list[int | None] = [k * each + min(k, more) for k in range(sections + 1)]
    else:
        cuts = [0, *(int(cut) for cut in indices_or_sections), None]
    before = (slice(None),) * at
    parts = [(*before, slice(cuts[k], cuts[k + 1])) for k in range(len(cuts) - 1)]
    return [x[part] for part in parts]


def split(x: Values, indices_or_sections: Any, /, axis: int = 0) -> list[Array]:
    """Views of equal parts along an axis, or of parts cut at these places."""
    x = as_array("split", x)
    if np.ndim(indices_or_sections) == 0 and x.shape[axis_of("split", axis, x.ndim)] % indices_or_sections:
        raise ArgumentValueError(
            f"split: {x.shape[axis]} elements do not make {indices_or_sections} equal parts; see array_split"
        )
    return array_split(x, indices_or_sections, axis=axis)


def vsplit(x: Values, indices_or_sections: Any, /) -> list[Array]:
    """split along the first axis of at least two."""
    x = as_array("vsplit", x)
    if x.ndim < 2:
        raise ArgumentValueError("vsplit: at least two dimensions")
    return split(x, indices_or_sections, axis=0)


def hsplit(x: Values, indices_or_sections: Any, /) -> list[Array]:
    """split along the second axis, or the only one."""
    x = as_array("hsplit", x)
    return split(x, indices_or_sections, axis=1 if x.ndim > 1 else 0)


def dsplit(x: Values, indices_or_sections: Any, /) -> list[Array]:
    """split along the third axis."""
    x = as_array("dsplit", x)
    if x.ndim < 3:
        raise ArgumentValueError("dsplit: at least three dimensions")
    return split(x, indices_or_sections, axis=2)


def repeat(x: Values, repeats: int | Sequence[int] | Array, /, axis: int | None = None) -> Array:
    """Each element so often, or each as often as its own number says."""
    counts = np.asarray(repeats.get() if isinstance(repeats, Array) else repeats)
    if counts.size == 0 and not hasattr(repeats, "dtype"):
        counts = counts.astype(np.int64)  # A list of nothing.
    if counts.dtype.kind not in "iub":
        raise ArgumentTypeError(f"repeat: counts are integers, got {counts.dtype}")
    x = as_array("repeat", x)
    whole = x.reshape(-1) if axis is None else as_vector(x)
    at = axis_of("repeat", 0 if axis is None else axis, whole.ndim)
    if counts.size == 1 and counts.ndim <= 1:
        return _core.repeat(whole, int(counts.reshape(())), at)
    if counts.shape != (whole.shape[at],):
        raise ArgumentValueError(
            f"repeat: counts of shape {counts.shape} for an axis of {whole.shape[at]} elements"
        )
    if (counts < 0).any():
        raise ArgumentValueError("repeat: counts cannot be negative")
    return whole[((slice(None),) * at) + (np.repeat(np.arange(len(counts)), counts),)]


def tile(x: Values, repetitions: int | Sequence[int], /) -> Array:
    """The whole array so often along each axis."""
    x = as_array("tile", x)
    given = repetitions if isinstance(repetitions, Iterable) else [repetitions]
    return _core.tile(x, [count_of("tile", "a repetition", count) for count in given])


def pad(
    x: Values,
    pad_width: Any,
    mode: Literal["constant", "edge", "reflect", "symmetric", "wrap", "empty"] = "constant",
    *,
    constant_values: Any = 0,
) -> Array:
    """The array with a margin: of numbers, or of its own elements as `mode` continues them."""
    x = as_array("pad", x)
    widths = _pairs(pad_width, x.ndim, "pad_width")
    if any(int(width) != width for pair in widths for width in pair):
        raise ArgumentTypeError("pad: widths are integers")
    before, behind = ([count_of("pad", "a width", int(pair[side])) for pair in widths] for side in (0, 1))
    whole = list(zip(before, behind, strict=True))
    if mode in ("constant", "empty"):
        return _core.pad_constant(x, whole, _pairs(constant_values, x.ndim, "constant_values"))
    return _core.pad(x, whole, mode)


def _pairs(value: Any, rank: int, role: str) -> list[tuple[Any, Any]]:
    """Before and behind for each axis; one number stands for all, one pair for all axes."""
    if isinstance(value, dict):
        by_axis = {axis_of("pad", axis, rank): pair for axis, pair in value.items()}
        value = [by_axis.get(axis, (0, 0)) for axis in range(rank)]
        value = [pair if isinstance(pair, Sequence) else (pair, pair) for pair in value]
    given = np.asarray(value)
    try:
        wide = np.broadcast_to(given, (rank, 2))
    except ValueError:
        raise ArgumentValueError(f"pad: {role} of shape {given.shape} for {rank} axes") from None
    return [(before, behind) for before, behind in wide.tolist()]


__all__ = [
    "array_split",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_arrays",
    "broadcast_to",
    "column_stack",
    "concat",
    "concatenate",
    "dsplit",
    "dstack",
    "expand_dims",
    "flip",
    "fliplr",
    "flipud",
    "hsplit",
    "hstack",
    "matrix_transpose",
    "moveaxis",
    "pad",
    "permute_dims",
    "ravel",
    "repeat",
    "reshape",
    "roll",
    "rollaxis",
    "rot90",
    "split",
    "squeeze",
    "stack",
    "swapaxes",
    "tile",
    "transpose",
    "unstack",
    "vsplit",
    "vstack",
]
