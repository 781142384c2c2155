# SPDX-License-Identifier: MIT
"""Functions that consist of others: differences, triangles, products over chosen axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import quern

from .._core import ArgumentTypeError, ArgumentValueError
from .._core import Array as LocalArray
from ._array import Array, replicated
from ._manipulation import broadcast_to, concat, matmul, permute_dims, reshape
from ._reductions import _axes, _call, _checked
from ._reductions import sum as _sum


def _axis(axis: int, ndim: int) -> int:
    (one,) = _axes(axis, ndim) or [0]
    return one


def moveaxis(x: Array, source: int | Sequence[int], destination: int | Sequence[int]) -> Array:
    """Move axes to other positions. The elements stay on their ranks.

    Parameters
    ----------
    x : Array
        Distributed array.
    source : int or sequence of ints
        Axes to move.
    destination : int or sequence of ints
        Their new positions.

    Returns
    -------
    Array
        The array with moved axes.

    Examples
    --------
    >>> qn.dist.moveaxis(qn.dist.zeros((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    x = _checked(x, "moveaxis")
    first = [_axis(one, x.ndim) for one in (source if isinstance(source, Sequence) else [source])]
    then = [
        _axis(one, x.ndim) for one in (destination if isinstance(destination, Sequence) else [destination])
    ]
    if len(first) != len(then) or len(set(first)) != len(first) or len(set(then)) != len(then):
        raise ArgumentValueError("moveaxis: source and destination need the same number of different axes")
    order = [one for one in range(x.ndim) if one not in first]
    for place, one in sorted(zip(then, first, strict=True)):
        order.insert(place, one)
    return permute_dims(x, order)


def unstack(x: Array, *, axis: int = 0) -> tuple[Array, ...]:
    """Split into the arrays along an axis.

    Parameters
    ----------
    x : Array
        Distributed array.
    axis : int, optional
        Axis to split along.

    Returns
    -------
    tuple of Arrays
        As many arrays as the axis is long, without it.

    Examples
    --------
    >>> len(qn.dist.unstack(qn.dist.zeros((2, 3))))
    2
    """
    x = _checked(x, "unstack")
    along = _axis(axis, x.ndim)
    return tuple(x[(slice(None),) * along + (number,)] for number in range(x.shape[along]))


def broadcast_arrays(*arrays: Array) -> tuple[Array, ...]:
    """Broadcast arrays to one shape.

    Parameters
    ----------
    *arrays : Array
        Distributed arrays.

    Returns
    -------
    tuple of Arrays
        Broadcast arrays.

    Examples
    --------
    >>> [one.shape for one in qn.dist.broadcast_arrays(qn.dist.zeros(3), qn.dist.zeros((2, 1)))]
    [(2, 3), (2, 3)]
    """
    shape = np.broadcast_shapes(*(_checked(one, "broadcast_arrays").shape for one in arrays))
    return tuple(broadcast_to(one, shape) for one in arrays)


def diff(
    x: Array, *, axis: int = -1, n: int = 1, prepend: Array | None = None, append: Array | None = None
) -> Array:
    """Differences of neighbouring elements along an axis.

    Parameters
    ----------
    x : Array
        Distributed array.
    axis : int, optional
        Axis.
    n : int, optional
        How many times to take differences.
    prepend, append : Array, optional
        Arrays that are joined with the array before.

    Returns
    -------
    Array
        Differences; the axis is n elements shorter.

    Examples
    --------
    >>> qn.dist.diff(qn.dist.asarray([1, 4, 9])).get()
    array([3, 5])
    """
    x = _checked(x, "diff")
    along = _axis(axis, x.ndim)
    if n < 0:
        raise ArgumentValueError("diff: n must not be negative")
    parts = [one for one in (prepend, x, append) if one is not None]
    x = concat(parts, along) if len(parts) > 1 else x
    name = "not_equal" if x.dtype == np.bool_ else "subtract"
    before = (slice(None),) * along
    upper, lower = before + (slice(1, None),), before + (slice(None, -1),)  # noqa: RUF005
    for _ in range(n):
        x = _call(name, x[upper], x[lower])
    return x


def _triangle(name: str, x: Any, k: int) -> Array:
    array = _checked(x, name)
    if array.ndim < 2:
        raise ArgumentValueError(f"{name}: expected an array of at least two axes")
    rows, columns = (array._blocks.global_indices(axis) for axis in (array.ndim - 2, array.ndim - 1))
    is_kept = columns - rows <= k if name == "tril" else columns - rows >= k
    kept: LocalArray = quern.where(
        is_kept, array.local, quern.zeros((), dtype=array.dtype, device=array.device)
    )
    return array._with(kept)


def tril(x: Array, *, k: int = 0) -> Array:
    """Lower triangle of matrices; other elements are zero. Does not communicate.

    Parameters
    ----------
    x : Array
        Distributed array of at least two axes.
    k : int, optional
        Diagonal above which elements are zero.

    Returns
    -------
    Array
        Lower triangles, in the layout of the array.

    Examples
    --------
    >>> qn.dist.tril(qn.dist.ones((2, 2))).get()
    array([[1., 0.],
           [1., 1.]])
    """
    return _triangle("tril", x, k)


def triu(x: Array, *, k: int = 0) -> Array:
    """Upper triangle of matrices; other elements are zero. Does not communicate.

    Parameters
    ----------
    x : Array
        Distributed array of at least two axes.
    k : int, optional
        Diagonal below which elements are zero.

    Returns
    -------
    Array
        Upper triangles, in the layout of the array.

    Examples
    --------
    >>> qn.dist.triu(qn.dist.ones((2, 2))).get()
    array([[1., 1.],
           [0., 1.]])
    """
    return _triangle("triu", x, k)


def outer(x1: Array, x2: Array) -> Array:
    """Products of all pairs of elements of two arrays.

    Parameters
    ----------
    x1, x2 : Array
        Arrays, taken in C order.

    Returns
    -------
    Array
        Matrix of products; split as the first array.

    Examples
    --------
    >>> qn.dist.outer(qn.dist.arange(2), qn.dist.arange(3)).get()
    array([[0, 0, 0],
           [0, 1, 2]])
    """
    beside = x1 if isinstance(x1, Array) else _checked(x2, "outer")
    first, second = (one if isinstance(one, Array) else replicated(one, beside) for one in (x1, x2))
    return _call("multiply", reshape(first, (first.size, 1)), reshape(second, (1, second.size)))


def vecdot(x1: Array, x2: Array, *, axis: int = -1, reproducible: bool = False) -> Array:
    """Scalar products of vectors, which lie along an axis; the first ones are conjugated.

    Parameters
    ----------
    x1, x2 : Array
        Arrays that broadcast.
    axis : int, optional
        Axis of the vectors, counted from the end.
    reproducible : bool, optional
        Whether the result has the same bits for any number of ranks and any layout.

    Returns
    -------
    Array
        Scalar products.

    Examples
    --------
    >>> float(qn.dist.vecdot(qn.dist.arange(3.0), qn.dist.arange(3.0)))
    5.0
    """
    beside = x1 if isinstance(x1, Array) else _checked(x2, "vecdot")
    first, second = (one if isinstance(one, Array) else replicated(one, beside) for one in (x1, x2))
    if first.shape[axis] != second.shape[axis]:
        raise ArgumentValueError(f"vecdot: vectors of lengths {first.shape[axis]} and {second.shape[axis]}")
    kind = quern.result_type(first.dtype, second.dtype)
    if first.dtype.kind == "c":
        first = _call("conj", first)
    return _sum(_call("multiply", first, second), axis=axis, dtype=kind, reproducible=reproducible)


def tensordot(x1: Array, x2: Array, *, axes: Any = 2) -> Array:
    """Sums of products over chosen axes of two arrays, as a product of matrices.

    Parameters
    ----------
    x1, x2 : Array
        Distributed arrays.
    axes : int or pair of sequences of ints, optional
        Number of the last axes of the first array and of the first axes of the second one; or the axes of each.

    Returns
    -------
    Array
        The other axes of the first array, then those of the second one.

    Examples
    --------
    >>> qn.dist.tensordot(qn.dist.ones((2, 3, 4)), qn.dist.ones((3, 4, 5))).shape
    (2, 5)
    """
    x1, x2 = _checked(x1, "tensordot"), _checked(x2, "tensordot")
    if isinstance(axes, int):
        if not 0 <= axes <= min(x1.ndim, x2.ndim):
            raise ArgumentValueError(f"tensordot: {axes} axes of arrays of {x1.ndim} and {x2.ndim}")
        first, second = list(range(x1.ndim - axes, x1.ndim)), list(range(axes))
    else:
        pair = [list(one) if isinstance(one, Sequence) else [one] for one in axes]
        if len(pair) != 2:
            raise ArgumentTypeError("tensordot: axes: expected an integer or two sequences of integers")
        first, second = ([_axis(axis, x.ndim) for axis in one] for one, x in zip(pair, (x1, x2), strict=True))
    if [x1.shape[one] for one in first] != [x2.shape[one] for one in second]:
        raise ArgumentValueError("tensordot: the axes of the arrays have different lengths")
    rows = [one for one in range(x1.ndim) if one not in first]
    columns = [one for one in range(x2.ndim) if one not in second]
    inner = int(np.prod([x1.shape[one] for one in first], dtype=np.int64))
    shape = [x1.shape[one] for one in rows], [x2.shape[one] for one in columns]
    m, n = (int(np.prod(one, dtype=np.int64)) for one in shape)
    left = reshape(permute_dims(x1, rows + first), (m, inner))
    right = reshape(permute_dims(x2, second + columns), (inner, n))
    return reshape(matmul(left, right), (*shape[0], *shape[1]))


def meshgrid(*arrays: Array, indexing: str = "xy") -> tuple[Array, ...]:
    """Coordinates of a grid, from the coordinates along each axis.

    Parameters
    ----------
    *arrays : Array
        Vectors of coordinates.
    indexing : {'xy', 'ij'}, optional
        Whether the first vector runs along the second axis ('xy') or along the first ('ij').

    Returns
    -------
    tuple of Arrays
        One array for each vector.

    Examples
    --------
    >>> [one.shape for one in qn.dist.meshgrid(qn.dist.arange(3), qn.dist.arange(2))]
    [(2, 3), (2, 3)]
    """
    if indexing not in ("xy", "ij"):
        raise ArgumentValueError("meshgrid: indexing must be 'xy' or 'ij'")
    order = list(range(len(arrays)))
    if indexing == "xy" and len(arrays) > 1:
        order[:2] = [1, 0]
    shaped = []
    for number, one in enumerate(arrays):
        shape = [1] * len(arrays)
        shape[order[number]] = -1 if _checked(one, "meshgrid").size else 0
        shaped.append(reshape(one, shape))
    return tuple(one.copy() for one in broadcast_arrays(*shaped)) if arrays else ()
