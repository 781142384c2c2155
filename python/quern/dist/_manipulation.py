# SPDX-License-Identifier: MIT
"""Shapes, order and selection of the elements of distributed arrays, products and sorting."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

import quern

from .._core import ArgumentTypeError, ArgumentValueError, DistributedArray
from .._core import Array as LocalArray
from ._array import Array, replicated, wrap
from ._indexing import take_along_axis
from ._reductions import _axes, _call, _checked
from ._reductions import any as _any
from ._reductions import sum as _sum


def _integers(value: Any) -> list[int]:
    """One integer, or several."""
    return [operator.index(one) for one in (value if isinstance(value, (tuple, list)) else (value,))]


def permute_dims(x: Array, axes: Sequence[int]) -> Array:
    """Permute the axes. The elements stay on their ranks.

    Parameters
    ----------
    x : Array
        Distributed array.
    axes : sequence of ints
        Axis d of the result is axis axes[d] of the array.

    Returns
    -------
    Array
        The array with permuted axes.

    Examples
    --------
    >>> qn.dist.permute_dims(qn.dist.zeros((2, 3)), (1, 0)).shape
    (3, 2)
    """
    return wrap(_checked(x, "permute_dims")._blocks.permute_dims(list(axes)))


def transpose(x: Array, axes: Sequence[int] | None = None) -> Array:
    """Reverse or permute the axes. The elements stay on their ranks.

    Parameters
    ----------
    x : Array
        Distributed array.
    axes : sequence of ints, optional
        Axis d of the result is axis axes[d] of the array; by default in reverse order.

    Returns
    -------
    Array
        The array with permuted axes.

    Examples
    --------
    >>> qn.dist.transpose(qn.dist.zeros((2, 3))).shape
    (3, 2)
    """
    return _checked(x, "transpose").T if axes is None else permute_dims(x, axes)


def matrix_transpose(x: Array) -> Array:
    """Exchange the last two axes. The elements stay on their ranks.

    Parameters
    ----------
    x : Array
        Distributed array.

    Returns
    -------
    Array
        The array with its last two axes exchanged.

    Examples
    --------
    >>> qn.dist.matrix_transpose(qn.dist.zeros((2, 3))).shape
    (3, 2)
    """
    return _checked(x, "matrix_transpose").mT


def reshape(x: Array, shape: int | Sequence[int], *, copy: bool | None = None) -> Array:
    """Give the elements another shape, in C order.

    Elements stay on their ranks if only axes behind the first one change and only the first one is split. Otherwise they
    move, and the result is split along its first axis.

    Parameters
    ----------
    x : Array
        Distributed array.
    shape : int or sequence of ints
        New shape; one length may be -1.
    copy : bool, optional
        The result is always a copy; False raises ValueError.

    Returns
    -------
    Array
        The elements in the new shape.

    Examples
    --------
    >>> qn.dist.reshape(qn.dist.arange(6), (2, -1)).shape
    (2, 3)
    """
    if copy is False:
        raise ArgumentValueError("reshape: the result is a copy, and copy=False was given")
    lengths = _integers(shape)
    return wrap(_checked(x, "reshape")._blocks.reshape(lengths))


def expand_dims(x: Array, axis: int | Sequence[int] = 0) -> Array:
    """Insert axes of length 1.

    Parameters
    ----------
    x : Array
        Distributed array.
    axis : int or sequence of ints, optional
        Positions of the new axes in the result.

    Returns
    -------
    Array
        The array with more axes.

    Examples
    --------
    >>> qn.dist.expand_dims(qn.dist.zeros(3), 0).shape
    (1, 3)
    """
    axes = _integers(axis)
    return wrap(_checked(x, "expand_dims")._blocks.expand_dims(axes))


def squeeze(x: Array, axis: int | Sequence[int] | None = None) -> Array:
    """Remove axes of length 1.

    Parameters
    ----------
    x : Array
        Distributed array.
    axis : int or sequence of ints, optional
        Axes to remove; by default all of length 1.

    Returns
    -------
    Array
        The array with fewer axes.

    Examples
    --------
    >>> qn.dist.squeeze(qn.dist.zeros((1, 3))).shape
    (3,)
    """
    x = _checked(x, "squeeze")
    axes = _axes(axis, x.ndim)
    if axes is None:
        axes = [one for one, length in enumerate(x.shape) if length == 1]
    return wrap(x._blocks.squeeze(axes))


def broadcast_to(x: Array, shape: int | Sequence[int]) -> Array:
    """Repeat axes of length 1, and add axes in front, to get a shape.

    Parameters
    ----------
    x : Array
        Distributed array.
    shape : int or sequence of ints
        Shape of the result.

    Returns
    -------
    Array
        Broadcast array; new and repeated axes are whole on every rank.

    Examples
    --------
    >>> qn.dist.broadcast_to(qn.dist.zeros(3), (2, 3)).shape
    (2, 3)
    """
    lengths = _integers(shape)
    return wrap(_checked(x, "broadcast_to")._blocks.broadcast_to(lengths))


def roll(x: Array, shift: int | Sequence[int], axis: int | Sequence[int] | None = None) -> Array:
    """Shift elements cyclically. One message for each pair of neighbours.

    Parameters
    ----------
    x : Array
        Distributed array.
    shift : int or sequence of ints
        Distances, one for each axis.
    axis : int or sequence of ints, optional
        Axes; by default the elements in C order.

    Returns
    -------
    Array
        Shifted elements, in the layout of the array.

    Examples
    --------
    >>> qn.dist.roll(qn.dist.arange(4), 1).get()
    array([3, 0, 1, 2])
    """
    x = _checked(x, "roll")
    if axis is None:
        if x.ndim != 1:
            flat = roll(reshape(x, (-1,)), shift, 0)
            return wrap(reshape(flat, x.shape)._blocks.redistribute(x.layout))
        axis = 0
    axes = _integers(axis)
    shifts = _integers(shift)
    if len(shifts) == 1:
        shifts = shifts * len(axes)
    elif len(axes) == 1:
        axes = axes * len(shifts)
    return wrap(x._blocks.roll(shifts, axes))


def flip(x: Array, axis: int | Sequence[int] | None = None) -> Array:
    """Reverse the order of the elements along axes.

    Parameters
    ----------
    x : Array
        Distributed array.
    axis : int or sequence of ints, optional
        Axes; all by default.

    Returns
    -------
    Array
        Reversed elements.

    Examples
    --------
    >>> qn.dist.flip(qn.dist.arange(3)).get()
    array([2, 1, 0])
    """
    x = _checked(x, "flip")
    axes = _axes(axis, x.ndim)
    chosen = range(x.ndim) if axes is None else axes
    return x[tuple(slice(None, None, -1 if one in chosen else 1) for one in range(x.ndim))]


def concat(arrays: Sequence[Array], axis: int | None = 0) -> Array:
    """Join arrays along an axis.

    Parameters
    ----------
    arrays : sequence of Arrays
        Distributed arrays.
    axis : int, optional
        Axis to join along; None joins the elements in C order.

    Returns
    -------
    Array
        Joined arrays; split as the first one.

    Examples
    --------
    >>> qn.dist.concat([qn.dist.zeros(1), qn.dist.ones(2)]).get()
    array([0., 1., 1.])
    """
    given = [_checked(one, "concat") for one in arrays]
    if axis is None:
        return concat([reshape(one, (-1,)) for one in given], 0)
    return wrap(DistributedArray.concat([one._blocks for one in given], axis))


def stack(arrays: Sequence[Array], axis: int = 0) -> Array:
    """Join arrays along a new axis.

    Parameters
    ----------
    arrays : sequence of Arrays
        Distributed arrays of one shape.
    axis : int, optional
        Position of the new axis, which is whole on every rank.

    Returns
    -------
    Array
        Joined arrays.

    Examples
    --------
    >>> qn.dist.stack([qn.dist.zeros(3), qn.dist.ones(3)]).shape
    (2, 3)
    """
    return concat([expand_dims(_checked(one, "stack"), axis) for one in arrays], axis)


def sort(x: Array, axis: int = -1, descending: bool = False, *, stable: bool = True) -> Array:
    """Sort along an axis. NaNs come last.

    Parameters
    ----------
    x : Array
        Distributed array.
    axis : int, optional
        Axis to sort along.
    descending : bool, optional
        Whether larger elements come first.
    stable : bool, optional
        Equal elements always keep their order.

    Returns
    -------
    Array
        Sorted elements, in the layout of the array.

    Examples
    --------
    >>> qn.dist.sort(qn.dist.asarray([3, 1, 2])).get()
    array([1, 2, 3])
    """
    x = _checked(x, "sort")
    if x.dtype.kind == "c" and x.comm.size > 1:
        return take_along_axis(x, argsort(x, axis, descending), axis)
    return wrap(x._blocks.sort(axis, descending))


def argsort(x: Array, axis: int = -1, descending: bool = False, *, stable: bool = True) -> Array:
    """Indices that sort along an axis. Equal elements keep their order; NaNs come last.

    Parameters
    ----------
    x : Array
        Distributed array.
    axis : int, optional
        Axis to sort along.
    descending : bool, optional
        Whether larger elements come first.
    stable : bool, optional
        Equal elements always keep their order.

    Returns
    -------
    Array
        Indices, int64, in the layout of the array.

    Examples
    --------
    >>> qn.dist.argsort(qn.dist.asarray([3, 1, 2])).get()
    array([1, 2, 0])
    """
    x = _checked(x, "argsort")
    if x.dtype.kind != "c" or x.comm.size == 1:
        return wrap(x._blocks.argsort(axis, descending))
    # By the imaginary parts, then by the real parts; equal ones keep their order.
    real, imaginary = x.real, x.imag
    order = argsort(imaginary, axis, descending)
    order = take_along_axis(order, argsort(take_along_axis(real, order, axis), axis, descending), axis)
    if bool(_any(_call("isnan", x))):
        # NumPy's order: no NaN, NaN as imaginary part, as real part, as both.
        kinds = [_call("isnan", one).astype(np.int32) for one in (real, imaginary)]
        kind = _call("add", _call("multiply", kinds[0], 2), kinds[1])
        order = take_along_axis(order, argsort(take_along_axis(kind, order, axis), axis), axis)
    return order


def _operand(value: Any, beside: Any) -> Array:
    if isinstance(value, Array):
        return value
    if isinstance(value, (LocalArray, np.ndarray, list, tuple)):
        return replicated(value, beside)
    raise ArgumentTypeError(f"matmul: expected a distributed array, got {type(value).__name__}")


def matmul(x1: Array, x2: Array) -> Array:
    """Product of matrices and vectors.

    If the rows of the first matrix are split and the product is not wider than it, only the second matrix moves. Other
    products are computed panel by panel on a grid of ranks (SUMMA). Of stacks of matrices, each rank multiplies some, or
    some of their rows.

    Parameters
    ----------
    x1, x2 : Array
        Matrices or vectors; arrays that are not distributed are the same on every rank.

    Returns
    -------
    Array
        Product.

    Examples
    --------
    >>> qn.dist.matmul(qn.dist.eye(2), qn.dist.arange(2.0)).get()
    array([0., 1.])
    """
    beside = x1 if isinstance(x1, Array) else _checked(x2, "matmul")
    return wrap(_operand(x1, beside)._blocks.matmul(_operand(x2, beside)._blocks))


def dot(x1: Array, x2: Array, *, reproducible: bool = False) -> Array:
    """Scalar product of vectors, or product of matrices and vectors.

    Parameters
    ----------
    x1, x2 : Array
        Matrices or vectors.
    reproducible : bool, optional
        Whether the scalar product has the same bits for any number of ranks and any layout; for vectors only.

    Returns
    -------
    Array
        Product.

    Examples
    --------
    >>> float(qn.dist.dot(qn.dist.arange(3.0), qn.dist.arange(3.0)))
    5.0
    """
    if isinstance(x1, Array) and isinstance(x2, Array) and x1.ndim == x2.ndim == 1:
        if x1.shape != x2.shape:
            raise ArgumentValueError(f"dot: vectors of lengths {x1.size} and {x2.size}")
        kind = quern.result_type(x1.dtype, x2.dtype)
        if kind.kind == "b":
            return matmul(x1, x2)
        return _sum(_call("multiply", x1, x2), dtype=kind, reproducible=reproducible)
    if reproducible:
        raise ArgumentValueError("dot: reproducible is for vectors")
    return matmul(x1, x2)
