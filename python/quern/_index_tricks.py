# SPDX-License-Identifier: MIT
"""Grids and rows written as slices, and the positions of parts of matrices, by NumPy's names."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy import index_exp, ndenumerate, ndindex, s_

from . import _core, _functions
from ._array import shape_of
from ._core import ArgumentTypeError, ArgumentValueError, Array
from ._functions import arange, clip, concat, flatnonzero, linspace, meshgrid, nonzero, stack, tri
from ._memory_order import order_of
from ._operands import Values, as_array, as_arrays

__all__ = [
    "c_",
    "diag_indices",
    "index_exp",
    "ix_",
    "mgrid",
    "ndenumerate",
    "ndindex",
    "ogrid",
    "r_",
    "ravel_multi_index",
    "s_",
    "tril_indices",
    "tril_indices_from",
    "triu_indices",
    "triu_indices_from",
    "unravel_index",
]


def _numbers(part: slice) -> Array:
    """What a slice counts; a complex step is the number of points, the last of which is the end."""
    start, step = part.start or 0, 1 if part.step is None else part.step
    if isinstance(step, complex):
        points: Array = linspace(start, part.stop, int(abs(step)))
        return points
    return arange(start, part.stop, step)


class _Grid:
    """mgrid and ogrid: coordinates of the points that slices name, as one array or each along its own axis."""

    def __init__(self, sparse: bool):
        self._sparse = sparse

    def __getitem__(self, key: slice | tuple[slice, ...]) -> Any:
        lines = [_numbers(part) for part in (key if isinstance(key, tuple) else (key,))]
        if not isinstance(key, tuple):
            return lines[0]
        dtype = np.result_type(*(line.dtype for line in lines))
        grids = meshgrid(*(line.astype(dtype) for line in lines), indexing="ij", sparse=self._sparse)
        return grids if self._sparse else stack(grids)


class _Joined:
    """r_ and c_: arrays, numbers and slices one behind the other, as a row or as columns."""

    def __init__(self, as_columns: bool):
        self._as_columns = as_columns

    def __getitem__(self, key: Any) -> Array:
        parts = key if isinstance(key, tuple) else (key,)
        name = "c_" if self._as_columns else "r_"
        if any(isinstance(part, str) for part in parts):
            raise ArgumentTypeError(f"{name}: expected arrays, numbers and slices, got a string")
        made = as_arrays(name, *(_numbers(part) if isinstance(part, slice) else part for part in parts))
        # Numbers of Python's take the others' dtype.
        dtype = np.result_type(
            *(
                part if type(part) in (int, float, complex) else x.dtype
                for part, x in zip(parts, made, strict=True)
            )
        )
        if self._as_columns:
            made = [x if x.ndim > 1 else x.reshape(-1, 1) for x in made]
        else:
            made = [x if x.ndim else x.reshape(1) for x in made]
        return concat([x.astype(dtype, copy=False) for x in made], axis=-1 if self._as_columns else 0)


mgrid, ogrid = _Grid(sparse=False), _Grid(sparse=True)
r_, c_ = _Joined(as_columns=False), _Joined(as_columns=True)


def ix_(*sequences: Values) -> tuple[Array, ...]:
    """Positions along each axis such that together they choose all crossings; a mask stands for where it holds."""
    given = as_arrays("ix_", *sequences)
    result = []
    for at, line in enumerate(given):
        if line.ndim != 1:
            raise ArgumentValueError(f"ix_: expected one dimension each, got {line.ndim}")
        if line.dtype == np.bool_:
            line = flatnonzero(line)
        elif line.size == 0 and not hasattr(sequences[at], "dtype"):
            line = line.astype(np.int64)  # A list of nothing.
        result.append(line.reshape([-1 if k == at else 1 for k in range(len(given))]))
    return tuple(result)


def diag_indices(n: int, ndim: int = 2) -> tuple[Array, ...]:
    """The positions of the diagonal of an array of equal lengths."""
    return (arange(n),) * ndim


def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Array, ...]:
    """The positions on and below the diagonal `k`."""
    return nonzero(tri(n, m, k, np.bool_))


def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Array, ...]:
    """The positions on and above the diagonal `k`."""
    return nonzero(_core.apply("logical_not", tri(n, m, k - 1, np.bool_)))


def _matrix(function: str, x: Values) -> Array:
    array = as_array(function, x)
    if array.ndim != 2:
        raise ArgumentValueError(f"{function}: expected two dimensions, got {array.ndim}")
    return array


def tril_indices_from(x: Values, k: int = 0) -> tuple[Array, ...]:
    """The positions on and below the diagonal `k` of a matrix."""
    rows, columns = _matrix("tril_indices_from", x).shape
    return tril_indices(rows, k, columns)


def triu_indices_from(x: Values, k: int = 0) -> tuple[Array, ...]:
    """The positions on and above the diagonal `k` of a matrix."""
    rows, columns = _matrix("triu_indices_from", x).shape
    return triu_indices(rows, k, columns)


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


def ravel_multi_index(
    multi_index: Sequence[Values] | Array,
    dims: int | Sequence[int],
    mode: str | Sequence[str] = "raise",
    order: str = "C",
) -> Array:
    """Positions along each axis as positions among all elements of a shape, in C order or Fortran's.

    With mode "raise" it waits to know that all positions are there; "wrap" and "clip" bring them into range without.
    """
    lengths = lengths_of("ravel_multi_index", dims)
    parts = positions_of("ravel_multi_index", *multi_index)
    if len(parts) != len(lengths):
        raise ArgumentValueError(f"ravel_multi_index: {len(parts)} positions for {len(lengths)} axes")
    modes = [mode] * len(parts) if isinstance(mode, str) else list(mode)
    if len(modes) != len(parts):
        raise ArgumentValueError(f"ravel_multi_index: {len(modes)} modes for {len(parts)} axes")
    check_positions(
        "ravel_multi_index",
        *((part, length) for part, length, how in zip(parts, lengths, modes, strict=True) if how == "raise"),
    )
    inside = [_inside(part, length, how) for part, length, how in zip(parts, lengths, modes, strict=True)]
    if order_of("ravel_multi_index", order, "CF") == "F":
        inside, lengths = inside[::-1], lengths[::-1]
    result = inside[0]
    for part, length in zip(inside[1:], lengths[1:], strict=True):
        result = result * length + part
    return result


def _inside(positions: Array, length: int, mode: str) -> Array:
    if mode == "raise":
        return positions
    if mode not in ("wrap", "clip"):
        raise ArgumentValueError(f"ravel_multi_index: mode is 'raise', 'wrap' or 'clip', got {mode!r}")
    return positions % length if mode == "wrap" else clip(positions, 0, length - 1)
