# SPDX-License-Identifier: MIT
"""Norms, diagonals and products of distributed arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core import ArgumentValueError
from ._array import Array
from ._composed import outer, tensordot, vecdot
from ._manipulation import matmul, matrix_transpose
from ._reductions import _call, _checked, count_nonzero, max, min, sum

__all__ = [
    "diagonal",
    "matmul",
    "matrix_norm",
    "matrix_transpose",
    "outer",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]


def vector_norm(
    x: Array, axis: Any = None, keepdims: bool = False, ord: float = 2, *, reproducible: bool = False
) -> Array:
    """Norm of vectors, which lie along axes.

    Parameters
    ----------
    x : Array
        Distributed array.
    axis : int or tuple of ints, optional
        Axes to reduce; all by default.
    keepdims : bool, optional
        Whether to keep reduced axes with length 1.
    ord : float, optional
        Order of the norm: a number, inf or -inf; 0 counts the elements that are not zero.
    reproducible : bool, optional
        Whether the result has the same bits for any number of ranks and any layout.

    Returns
    -------
    Array
        Norms.

    Examples
    --------
    >>> float(qn.dist.linalg.vector_norm(qn.dist.asarray([3.0, 4.0])))
    5.0
    """
    x = _checked(x, "vector_norm")
    if x.dtype.kind not in "fc":
        raise ArgumentValueError("vector_norm: expected floating-point or complex numbers; astype() converts")
    if reproducible and not (ord in (2, np.inf, -np.inf, 0) or (ord == 1 and x.dtype.kind == "f")):
        raise ArgumentValueError(
            "vector_norm: reproducible is for the orders 2, inf, -inf, 0, and 1 of real numbers"
        )
    if reproducible and ord == 2 and x.dtype.kind == "c":
        parts = (
            sum(_call("square", one), axis, None, keepdims, reproducible=True) for one in (x.real, x.imag)
        )
        return _call("sqrt", _call("add", *parts))
    sizes = _call("absolute", x)
    if ord == np.inf:
        return max(sizes, axis, keepdims)
    if ord == -np.inf:
        return min(sizes, axis, keepdims)
    if ord == 0:
        return count_nonzero(x, axis, keepdims).astype(sizes.dtype)
    if ord == 1:
        return sum(sizes, axis, None, keepdims, reproducible=reproducible)
    if ord == 2:
        return _call("sqrt", sum(_call("square", sizes), axis, None, keepdims, reproducible=reproducible))
    return _call(
        "power", sum(_call("power", sizes, ord), axis, None, keepdims, reproducible=reproducible), 1 / ord
    )


def matrix_norm(x: Array, *, keepdims: bool = False, ord: Any = "fro", reproducible: bool = False) -> Array:
    """Norm of matrices, which lie along the last two axes.

    Parameters
    ----------
    x : Array
        Distributed array of at least two axes.
    keepdims : bool, optional
        Whether to keep reduced axes with length 1.
    ord : {'fro', 1, -1, inf, -inf}, optional
        Frobenius' norm, the largest or smallest sum of a column (1, -1) or of a row (inf, -inf).
    reproducible : bool, optional
        Whether the result has the same bits for any number of ranks and any layout.

    Returns
    -------
    Array
        Norms.

    Examples
    --------
    >>> float(qn.dist.linalg.matrix_norm(qn.dist.full((2, 2), 2.0)))
    4.0
    """
    x = _checked(x, "matrix_norm")
    if x.ndim < 2:
        raise ArgumentValueError("matrix_norm: expected an array of at least two axes")
    if ord == "fro":
        return vector_norm(x, (-2, -1), keepdims, reproducible=reproducible)
    if ord not in (1, -1, np.inf, -np.inf):
        raise ArgumentValueError(f"matrix_norm: ord: expected 'fro', 1, -1, inf or -inf, got {ord!r}")
    if reproducible and x.dtype.kind == "c":
        raise ArgumentValueError("matrix_norm: reproducible is for real numbers, or for the order 'fro'")
    along = -2 if abs(ord) == 1 else -1
    sums = sum(_call("absolute", x), along, None, True, reproducible=reproducible)
    return (max if ord > 0 else min)(sums, (-2, -1), keepdims)


def diagonal(x: Array, *, offset: int = 0) -> Array:
    """Diagonals of matrices, which lie along the last two axes.

    Parameters
    ----------
    x : Array
        Distributed array of at least two axes.
    offset : int, optional
        Diagonal above (positive) or below the main one.

    Returns
    -------
    Array
        Diagonals along the last axis.

    Examples
    --------
    >>> qn.dist.linalg.diagonal(qn.dist.eye(2)).get()
    array([1., 1.])
    """
    x = _checked(x, "diagonal")
    if x.ndim < 2:
        raise ArgumentValueError("diagonal: expected an array of at least two axes")
    rows, columns = x.shape[-2:]
    first, length = -offset if offset < 0 else 0, 0
    if -rows < offset < columns:
        length = rows + offset if offset < 0 else columns - offset
        length = length if length < (columns if offset < 0 else rows) else (columns if offset < 0 else rows)
    places = np.arange(length)
    return x[..., places + first, places + first + offset]


def trace(x: Array, *, offset: int = 0, dtype: Any = None, reproducible: bool = False) -> Array:
    """Sums of the diagonals of matrices, which lie along the last two axes.

    Parameters
    ----------
    x : Array
        Distributed array of at least two axes.
    offset : int, optional
        Diagonal above (positive) or below the main one.
    dtype : dtype, optional
        Element type in which to compute and return the result.
    reproducible : bool, optional
        Whether the result has the same bits for any number of ranks and any layout.

    Returns
    -------
    Array
        Sums.

    Examples
    --------
    >>> float(qn.dist.linalg.trace(qn.dist.eye(3)))
    3.0
    """
    return sum(diagonal(x, offset=offset), -1, dtype, reproducible=reproducible)
