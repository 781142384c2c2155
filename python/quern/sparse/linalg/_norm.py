# SPDX-License-Identifier: MIT
"""Norms of sparse arrays, and the product with a vector whose dot product comes with it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import ArgumentTypeError, ArgumentValueError, Array, SparseCsr
from ..._functions import sqrt
from .._entries import as_sparse, is_sparse
from .._reductions import axis_of
from ._eigen import svds
from ._operator import device_of, vector


def norm(x: Any, ord: Any = None, axis: int | None = None) -> Any:
    """Norm of a sparse matrix, or of each of its columns or rows.

    Parameters
    ----------
    x : sparse array
        The matrix.
    ord : {None, 'fro', 1, -1, 2, inf, -inf} or number, optional
        Order of the norm. Of a matrix: the Frobenius norm by default, the greatest (1) or least (-1) sum of magnitudes
        of a column, the same of a row (inf, -inf), or the greatest singular value (2). Of vectors, the 2-norm by default,
        the number of nonzero elements (0), or any other number.
    axis : int, optional
        0 for the norms of the columns, 1 for those of the rows; by default the norm of the matrix.

    Returns
    -------
    Array
        The norm, without axes, or the norms.

    Examples
    --------
    >>> A = qn.sparse.csr_array([[3.0, 0.0], [4.0, 1.0]])
    >>> print(qn.sparse.linalg.norm(A, 1), qn.sparse.linalg.norm(A, axis=0))
    7.0 [5. 1.]
    """
    if not is_sparse(x):
        raise ArgumentTypeError("norm: expected a sparse array; use quern.linalg.norm for others")
    matrix = as_sparse(x)
    along = axis_of("norm", axis)
    if along is None and ord in (None, "fro", "f"):
        data = abs(matrix)._csr().data
        return sqrt((data * data).sum())
    if along is None:
        if ord == 2:
            return svds(matrix, 1, return_singular_vectors=False)[0]
        if ord in (1, -1, np.inf, -np.inf):
            sums = abs(matrix).sum(axis=0 if abs(ord) == 1 else 1)
            return sums.max() if ord > 0 else sums.min()
        raise ArgumentValueError(f"norm: ord must be None, 'fro', 1, -1, 2, inf or -inf, got {ord!r}")
    if not (ord is None or isinstance(ord, (int, float, np.number))):
        raise ArgumentValueError(f"norm: the order of a norm of vectors must be a number, got {ord!r}")
    if ord == 0:
        return matrix.count_nonzero(axis=along)
    sizes = abs(matrix)
    if ord in (np.inf, -np.inf):
        return (sizes.max if ord > 0 else sizes.min)(axis=along).toarray()
    if ord == 1:
        return sizes.sum(axis=along)
    if ord in (None, 2):
        return sqrt(sizes.power(2).sum(axis=along))
    return sizes.power(ord).sum(axis=along) ** (1 / ord)


def matvec_with_vdot(A: Any, x: Any) -> tuple[Array, Array]:
    """Product of a square matrix with a vector, and the dot product of the vector with it.

    The launch of the product also sums the parts of the dot product, so that neither vector is read again.

    Parameters
    ----------
    A : sparse array
        The matrix.
    x : array_like
        The vector.

    Returns
    -------
    tuple of Array
        `A @ x`, and `vdot(x, A @ x)` without axes. Neither waits.

    Examples
    --------
    >>> A = qn.sparse.csr_array([[2.0, 1.0], [1.0, 3.0]])
    >>> y, energy = qn.sparse.linalg.matvec_with_vdot(A, [1.0, 2.0])
    >>> print(y, energy)
    [4. 7.] 18.0
    """
    if not is_sparse(A):
        raise ArgumentTypeError("matvec_with_vdot: expected a sparse array")
    matrix = as_sparse(A, device_of(x))
    right = vector(x, matrix.device)
    matrix._check_device(right)
    rows: SparseCsr = matrix._csr()
    return rows.multiply_and_dot(right)
