# SPDX-License-Identifier: MIT
"""Arrays joined, split, turned, repeated and padded, by the array API's names and NumPy's. Views where NumPy has
views."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike

from . import _core
from ._array import asarray
from ._core import ArgumentTypeError, ArgumentValueError, Array
from ._dtypes import broadcast_shapes

_Axis = int | Sequence[int] | None


def as_arrays(function: str, *values: Any) -> list[Array]:
    """All of them arrays on the device of the first that is one."""
    device = next((value.device for value in values if isinstance(value, Array)), None)
    if any(value is None or isinstance(value, str) for value in values):
        raise ArgumentTypeError(f"{function}: expected arrays, got {[type(v).__name__ for v in values]}")
    return [value if isinstance(value, Array) else asarray(value, device=device) for value in values]


def _axis(axis: Any, rank: int, function: str) -> int:
    """An axis from 0 on."""
    if isinstance(axis, (bool, Array)) or not hasattr(axis, "__index__"):
        raise ArgumentTypeError(f"{function}: an axis is an integer, got {type(axis).__name__}")
    if not -rank <= axis < rank:
        raise ArgumentValueError(
            f"{function}: axis {axis} is out of bounds for an array of {rank} dimensions"
        )
    return axis.__index__() % rank if rank else 0


def broadcast_to(x: Array, /, shape: int | Sequence[int]) -> Array:
    """A view in which elements stand for many; it is not written to."""
    return _core.broadcast_to(x, shape)


def broadcast_arrays(*arrays: Array) -> list[Array]:
    """Views of the shape that the arrays have together."""
    given = as_arrays("broadcast_arrays", *arrays)
    shape = broadcast_shapes(*(array.shape for array in given))
    return [array if array.shape == shape else broadcast_to(array, shape) for array in given]


def reshape(x: Array, /, shape: int | Sequence[int], *, copy: bool | None = None) -> Array:
    """Another shape for the same elements: a view where strides allow, unless `copy` says otherwise."""
    if copy:
        return x.copy().reshape(shape)
    result = x.reshape(shape)
    if copy is False and result.size and not _core.shares_memory(result, x):
        raise ArgumentValueError(f"reshape: shape {shape} of this array needs a copy")
    return result


def ravel(x: Array, /) -> Array:
    """One dimension: a view where strides allow, otherwise a copy."""
    return x.reshape(-1)


def permute_dims(x: Array, /, axes: Sequence[int]) -> Array:
    """A view with the axes in this order."""
    return x.transpose(tuple(axes))


def transpose(x: Array, /, axes: Sequence[int] | None = None) -> Array:
    """A view with the axes in another order, backwards when none is given."""
    return x.transpose(axes)


def matrix_transpose(x: Array, /) -> Array:
    """A view with the last two axes exchanged."""
    if x.ndim < 2:
        raise ArgumentValueError(f"matrix_transpose: at least two dimensions, got {x.ndim}")
    return swapaxes(x, -1, -2)


def swapaxes(x: Array, axis1: int, axis2: int, /) -> Array:
    """A view with two axes exchanged."""
    order = list(range(x.ndim))
    a, b = (_axis(axis, x.ndim, "swapaxes") for axis in (axis1, axis2))
    order[a], order[b] = order[b], order[a]
    return x.transpose(order)


def moveaxis(x: Array, source: int | Sequence[int], destination: int | Sequence[int], /) -> Array:
    """A view with axes moved to other places."""
    return _core.moveaxis(x, source, destination)


def squeeze(x: Array, /, axis: _Axis = None) -> Array:
    """A view without axes of one element: these, or all."""
    return _core.squeeze(x, axis)


def expand_dims(x: Array, /, axis: int | Sequence[int] = 0) -> Array:
    """A view with axes of one element at these places of the result."""
    return _core.expand_dims(x, axis)


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


def flip(x: Array, /, axis: _Axis = None) -> Array:
    """A view that goes backwards along these axes, or along all."""
    return _core.flip(x, axis)


def fliplr(x: Array, /) -> Array:
    """A view that goes backwards along the second axis."""
    return flip(x, 1)


def flipud(x: Array, /) -> Array:
    """A view that goes backwards along the first axis."""
    return flip(x, 0)


def rot90(x: Array, /, k: int = 1, axes: Sequence[int] = (0, 1)) -> Array:
    """A view turned by right angles, from the first of two axes to the second."""
    first, second = (_axis(axis, x.ndim, "rot90") for axis in axes)
    if first == second:
        raise ArgumentValueError("rot90: the axes must be two")
    turned = {0: x[...], 2: flip(x, (first, second))}.get(k % 4)
    if turned is not None:
        return turned
    return flip(swapaxes(x, first, second), first) if k % 4 == 1 else swapaxes(flip(x, first), first, second)


def roll(x: Array, /, shift: int | Sequence[int], axis: _Axis = None) -> Array:
    """Elements that leave at one end come in at the other; without axes, of the flat array."""
    return _core.roll(x, shift, axis)


def concat(arrays: Iterable[Any], /, axis: int | None = 0, *, dtype: DTypeLike | None = None) -> Array:
    """Arrays one behind the other along an axis, or flat; all are written into one result."""
    return _core.concat(_listed("concat", arrays), axis, dtype)


concatenate = concat


def stack(arrays: Iterable[Any], /, axis: int = 0, *, dtype: DTypeLike | None = None) -> Array:
    """Arrays of one shape along a new axis."""
    return _core.stack(_listed("stack", arrays), axis, dtype)


def _listed(function: str, arrays: Iterable[Any]) -> list[Array]:
    given = list(arrays)
    if not given:
        raise ArgumentValueError(f"{function}: there is nothing to join")
    return as_arrays(function, *given)


def vstack(arrays: Iterable[Any], /, *, dtype: DTypeLike | None = None) -> Array:
    """Arrays joined along the first axis; vectors are rows."""
    rows = [x if x.ndim > 1 else x.reshape(1, x.size) for x in _listed("vstack", arrays)]
    return concat(rows, dtype=dtype)


def hstack(arrays: Iterable[Any], /, *, dtype: DTypeLike | None = None) -> Array:
    """Arrays joined along the second axis, vectors along their only one."""
    parts = [x if x.ndim else x.reshape(1) for x in _listed("hstack", arrays)]
    return concat(parts, axis=0 if parts[0].ndim == 1 else 1, dtype=dtype)


def dstack(arrays: Iterable[Any], /) -> Array:
    """Arrays joined along the third axis."""
    return concat([atleast_3d(x) for x in _listed("dstack", arrays)], axis=2)


def column_stack(arrays: Iterable[Any], /) -> Array:
    """Vectors as the columns of a matrix."""
    columns = [x if x.ndim > 1 else x.reshape(x.size, 1) for x in _listed("column_stack", arrays)]
    return concat(columns, axis=1)


def unstack(x: Array, /, *, axis: int = 0) -> tuple[Array, ...]:
    """Views of all that an axis goes over."""
    if x.ndim == 0:
        raise ArgumentValueError("unstack: an array of no dimensions has no axis")
    before = (slice(None),) * _axis(axis, x.ndim, "unstack")
    return tuple(x[(*before, at)] for at in range(x.shape[len(before)]))


def array_split(x: Array, indices_or_sections: Any, /, axis: int = 0) -> list[Array]:
    """Views of parts along an axis: so many, the first ones longer where they differ, or cut at these places."""
    at = _axis(axis, x.ndim, "split")
    length = x.shape[at]
    if np.ndim(indices_or_sections) == 0:
        sections = int(indices_or_sections)
        if sections < 1:
            raise ArgumentValueError(f"split: {sections} parts")
        each, more = divmod(length, sections)
        cuts = [k * each + min(k, more) for k in range(sections + 1)]
    else:
        cuts = [0, *(int(cut) for cut in indices_or_sections), None]
    before = (slice(None),) * at
    return [x[(*before, slice(cuts[k], cuts[k + 1]))] for k in range(len(cuts) - 1)]


def split(x: Array, indices_or_sections: Any, /, axis: int = 0) -> list[Array]:
    """Views of equal parts along an axis, or of parts cut at these places."""
    if np.ndim(indices_or_sections) == 0 and x.shape[_axis(axis, x.ndim, "split")] % indices_or_sections:
        raise ArgumentValueError(
            f"split: {x.shape[axis]} elements do not make {indices_or_sections} equal parts; see array_split"
        )
    return array_split(x, indices_or_sections, axis=axis)


def vsplit(x: Array, indices_or_sections: Any, /) -> list[Array]:
    """split along the first axis of at least two."""
    if x.ndim < 2:
        raise ArgumentValueError("vsplit: at least two dimensions")
    return split(x, indices_or_sections, axis=0)


def hsplit(x: Array, indices_or_sections: Any, /) -> list[Array]:
    """split along the second axis, or the only one."""
    return split(x, indices_or_sections, axis=1 if x.ndim > 1 else 0)


def dsplit(x: Array, indices_or_sections: Any, /) -> list[Array]:
    """split along the third axis."""
    if x.ndim < 3:
        raise ArgumentValueError("dsplit: at least three dimensions")
    return split(x, indices_or_sections, axis=2)


def repeat(x: Array, repeats: int | Sequence[int] | Array, /, axis: int | None = None) -> Array:
    """Each element so often, or each as often as its own number says."""
    counts = np.asarray(repeats.get() if isinstance(repeats, Array) else repeats)
    if counts.dtype.kind not in "iub":
        raise ArgumentTypeError(f"repeat: counts are integers, got {counts.dtype}")
    if counts.size == 1 and counts.ndim <= 1:
        return _core.repeat(x, int(counts.reshape(())), axis)
    whole = x.reshape(-1) if axis is None else x
    at = _axis(0 if axis is None else axis, whole.ndim, "repeat")
    if counts.shape != (whole.shape[at],):
        raise ArgumentValueError(
            f"repeat: counts of shape {counts.shape} for an axis of {whole.shape[at]} elements"
        )
    if (counts < 0).any():
        raise ArgumentValueError("repeat: counts cannot be negative")
    return whole[(*((slice(None),) * at), np.repeat(np.arange(len(counts)), counts))]


def tile(x: Array, repetitions: int | Sequence[int], /) -> Array:
    """The whole array so often along each axis."""
    return _core.tile(x, [repetitions] if isinstance(repetitions, int) else list(repetitions))


def pad(
    x: Array,
    pad_width: Any,
    mode: Literal["constant", "edge", "reflect", "symmetric", "wrap", "empty"] = "constant",
    *,
    constant_values: Any = 0,
) -> Array:
    """The array with a margin: of numbers, or of its own elements as `mode` continues them."""
    widths = _pairs(pad_width, x.ndim, "pad_width")
    if any(int(width) != width for pair in widths for width in pair):
        raise ArgumentTypeError("pad: widths are integers")
    whole = [(int(before), int(behind)) for before, behind in widths]
    if mode in ("constant", "empty"):
        return _core.pad_constant(x, whole, _pairs(constant_values, x.ndim, "constant_values"))
    return _core.pad(x, whole, mode)


def _pairs(value: Any, rank: int, role: str) -> list[tuple[Any, Any]]:
    """Before and behind for each axis; one number stands for all, one pair for all axes."""
    if isinstance(value, dict):
        by_axis = {_axis(axis, rank, "pad"): pair for axis, pair in value.items()}
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
