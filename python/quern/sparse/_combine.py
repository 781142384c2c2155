# SPDX-License-Identifier: MIT
"""Functions that make sparse arrays of others: Kronecker products, blocks, stacks, triangles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._core import (
    ArgumentValueError,
    Array,
    SparseCsr,
    sparse_block_array,
    sparse_block_diag,
    sparse_kronsum,
)
from ._base import SparseArray
from ._compressed import csr_array
from ._entries import as_sparse, with_own_values
from ._vector import SparseVector


def kron(A: Any, B: Any, format: str | None = None) -> Any:
    """Kronecker product of two sparse matrices.

    Parameters
    ----------
    A : sparse array or array_like
        First matrix.
    B : sparse array or array_like
        Second matrix.
    format : str, optional
        Format of the result; "coo" by default.

    Returns
    -------
    SparseArray
        The product.

    Examples
    --------
    >>> print(qn.sparse.kron([[1, 2]], [[1], [1]]).toarray())
    [[1 2]
     [1 2]]
    """
    left = as_sparse(A)
    right = as_sparse(B, left.device)
    return csr_array._of_csr(left._csr().kron(right._csr())).asformat(format or "coo")


def kronsum(A: Any, B: Any, format: str | None = None) -> Any:
    """Kronecker sum of two square sparse matrices: kron(I, A) + kron(B, I).

    Parameters
    ----------
    A : sparse array or array_like
        First square matrix.
    B : sparse array or array_like
        Second square matrix.
    format : str, optional
        Format of the result; "csr" by default.

    Returns
    -------
    SparseArray
        The sum.

    Examples
    --------
    >>> print(qn.sparse.kronsum([[1, 2], [0, 1]], [[5]]).toarray())
    [[6 2]
     [0 6]]
    """
    left = as_sparse(A)
    right = as_sparse(B, left.device)
    left._check_device(right)
    return csr_array._of_csr(sparse_kronsum(left._csr(), right._csr())).asformat(format or "csr")


def block_array(blocks: Any, *, format: str | None = None, dtype: Any = None) -> Any:
    """Make a sparse matrix from blocks.

    Parameters
    ----------
    blocks : nested sequence of sparse arrays, arrays and None
        Rows of blocks; None is a block of zeros.
    format : str, optional
        Format of the result; "coo" by default.
    dtype : dtype, optional
        Dtype of the entries.

    Returns
    -------
    SparseArray
        The matrix.

    Examples
    --------
    >>> A = qn.sparse.csr_array([[1, 2]])
    >>> print(qn.sparse.block_array([[A, None], [None, A]]).toarray())
    [[1 2 0 0]
     [0 0 1 2]]
    """
    table = [list(row) for row in blocks]
    device = _device_of([one for row in table for one in row])
    parts = [[None if one is None else as_sparse(one, device)._csr() for one in row] for row in table]
    return _made(sparse_block_array(parts), format, dtype)


def _device_of(blocks: Sequence[Any]) -> Any:
    """The device of the first block that has one."""
    first = next((one for one in blocks if isinstance(one, (SparseArray, SparseVector, Array))), None)
    return None if first is None else first.device


def _made(matrix: SparseCsr, format: str | None, dtype: Any) -> Any:
    result = csr_array._of_csr(matrix)
    if dtype is not None:
        result = result.astype(dtype)
    return result.asformat(format or "coo")


bmat = block_array


def _format_of(blocks: Sequence[Any], format: str | None, wanted: str) -> str:
    if format is not None:
        return format
    return wanted if all(getattr(block, "format", None) == wanted for block in blocks) else "coo"


def vstack(blocks: Sequence[Any], format: str | None = None, dtype: Any = None) -> Any:
    """Stack sparse matrices vertically (row-wise).

    Parameters
    ----------
    blocks : sequence of sparse array or array_like
        Matrices with the same number of columns.
    format : str, optional
        Format of the result; by default "csr" if all blocks are, otherwise "coo".
    dtype : dtype, optional
        Dtype of the entries.

    Returns
    -------
    SparseArray
        The matrix.

    Examples
    --------
    >>> A = qn.sparse.csr_array([[1, 2]])
    >>> print(qn.sparse.vstack([A, A]).toarray())
    [[1 2]
     [1 2]]
    """
    return block_array([[block] for block in blocks], format=_format_of(blocks, format, "csr"), dtype=dtype)


def hstack(blocks: Sequence[Any], format: str | None = None, dtype: Any = None) -> Any:
    """Stack sparse matrices horizontally (column-wise).

    Parameters
    ----------
    blocks : sequence of sparse array or array_like
        Matrices with the same number of rows.
    format : str, optional
        Format of the result; by default "csc" if all blocks are, otherwise "coo".
    dtype : dtype, optional
        Dtype of the entries.

    Returns
    -------
    SparseArray
        The matrix.

    Examples
    --------
    >>> A = qn.sparse.csr_array([[1, 2]])
    >>> print(qn.sparse.hstack([A, A]).toarray())
    [[1 2 1 2]]
    """
    return block_array([list(blocks)], format=_format_of(blocks, format, "csc"), dtype=dtype)


def block_diag(mats: Sequence[Any], format: str | None = None, dtype: Any = None) -> Any:
    """Make a block diagonal sparse matrix.

    Parameters
    ----------
    mats : sequence of sparse array or array_like
        Matrices on the diagonal.
    format : str, optional
        Format of the result; "coo" by default.
    dtype : dtype, optional
        Dtype of the entries.

    Returns
    -------
    SparseArray
        The matrix.

    Examples
    --------
    >>> print(qn.sparse.block_diag([[[1, 2]], [[3]]]).toarray())
    [[1 2 0]
     [0 0 3]]
    """
    if len(mats) == 0:
        raise ArgumentValueError("block_diag: expected at least one matrix")
    device = _device_of(mats)
    return _made(sparse_block_diag([as_sparse(one, device)._csr() for one in mats]), format, dtype)


def tril(A: Any, k: int = 0, format: str | None = None) -> Any:
    """Lower triangle of a sparse matrix.

    Parameters
    ----------
    A : sparse array or array_like
        The matrix.
    k : int, optional
        Offset of the diagonal from the main one: positive above it, negative below.
    format : str, optional
        Format of the result; "coo" by default.

    Returns
    -------
    SparseArray
        A copy of the entries on and below the diagonal.

    Examples
    --------
    >>> print(qn.sparse.tril([[1, 2], [3, 4]]).toarray())
    [[1 0]
     [3 4]]
    """
    return csr_array._of_csr(with_own_values(as_sparse(A)._csr().tril(k))).asformat(format or "coo")


def triu(A: Any, k: int = 0, format: str | None = None) -> Any:
    """Upper triangle of a sparse matrix.

    Parameters
    ----------
    A : sparse array or array_like
        The matrix.
    k : int, optional
        Offset of the diagonal from the main one: positive above it, negative below.
    format : str, optional
        Format of the result; "coo" by default.

    Returns
    -------
    SparseArray
        A copy of the entries on and above the diagonal.

    Examples
    --------
    >>> print(qn.sparse.triu([[1, 2], [3, 4]]).toarray())
    [[1 2]
     [0 4]]
    """
    return csr_array._of_csr(with_own_values(as_sparse(A)._csr().triu(k))).asformat(format or "coo")


def find(A: Any) -> tuple[Array, Array, Array]:
    """Indices and values of the nonzero elements of a sparse matrix.

    Parameters
    ----------
    A : sparse array or array_like
        The matrix. Duplicate entries are summed.

    Returns
    -------
    tuple of Array
        Row indices, column indices and values.

    Examples
    --------
    >>> rows, columns, values = qn.sparse.find([[0, 5], [7, 0]])
    >>> print(rows, columns, values)
    [0 1] [1 0] [5 7]
    """
    matrix = as_sparse(A)._csr().sum_duplicates().eliminate_zeros()
    return matrix.row_indices(), matrix.indices.copy(), matrix.data.copy()
