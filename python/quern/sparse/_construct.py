# SPDX-License-Identifier: MIT
"""Functions that make sparse arrays: identities, diagonals, blocks, random entries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._core import ArgumentValueError, Array, sparse_assemble
from .._operands import default_float
from ._base import SparseArray, as_sparse, with_own_values
from ._blocks import dia_array
from ._compressed import csr_array
from ._coo import coo_array


def _host(values: Any) -> np.ndarray[Any, Any]:
    return values.get() if isinstance(values, Array) else np.asarray(values)


def eye_array(
    m: int,
    n: int | None = None,
    *,
    k: int = 0,
    dtype: Any = float,
    format: str | None = None,
    device: Any = None,
) -> Any:
    """Make a sparse matrix with ones on a diagonal.

    Parameters
    ----------
    m : int
        Number of rows.
    n : int, optional
        Number of columns; as many as rows by default.
    k : int, optional
        Offset of the diagonal from the main one: positive above it, negative below.
    dtype : dtype, optional
        Dtype of the entries.
    format : str, optional
        Format of the result; "dia" by default.
    device : Device or str, optional
        Device of the result; the current device by default.

    Returns
    -------
    SparseArray
        The matrix.

    Examples
    --------
    >>> print(qn.sparse.eye_array(2, 3, k=1).toarray())
    [[0. 1. 0.]
     [0. 0. 1.]]
    """
    n = m if n is None else n
    ones = np.ones((1, max(0, min(m + k, n))), dtype)
    return dia_array((ones, np.array([k], np.int32)), shape=(m, n), device=device).asformat(format)


def eye(m: int, n: int | None = None, k: int = 0, dtype: Any = float, format: str | None = None) -> Any:
    """Make a sparse matrix with ones on a diagonal, like eye_array().

    Parameters
    ----------
    m : int
        Number of rows.
    n : int, optional
        Number of columns; as many as rows by default.
    k : int, optional
        Offset of the diagonal from the main one: positive above it, negative below.
    dtype : dtype, optional
        Dtype of the entries.
    format : str, optional
        Format of the result; "dia" by default.

    Returns
    -------
    SparseArray
        The matrix.

    Examples
    --------
    >>> print(qn.sparse.eye(2).toarray())
    [[1. 0.]
     [0. 1.]]
    """
    return eye_array(m, n, k=k, dtype=dtype, format=format)


def identity(n: int, dtype: Any = "d", format: str | None = None) -> Any:
    """Make a sparse identity matrix.

    Parameters
    ----------
    n : int
        Number of rows and of columns.
    dtype : dtype, optional
        Dtype of the entries.
    format : str, optional
        Format of the result; "dia" by default.

    Returns
    -------
    SparseArray
        The matrix.

    Examples
    --------
    >>> print(qn.sparse.identity(2).toarray())
    [[1. 0.]
     [0. 1.]]
    """
    return eye_array(n, dtype=dtype, format=format)


def diags_array(
    diagonals: Any,
    /,
    *,
    offsets: Any = 0,
    shape: tuple[int, int] | None = None,
    format: str | None = None,
    dtype: Any = None,
    device: Any = None,
) -> Any:
    """Make a sparse matrix from its diagonals.

    Parameters
    ----------
    diagonals : sequence of array_like
        Elements of each diagonal. A single element is repeated if `shape` is given.
    offsets : sequence of int or int, optional
        Offset of each diagonal from the main one: positive above it, negative below.
    shape : tuple of int, optional
        Shape of the result; by default the smallest square that holds the diagonals.
    format : str, optional
        Format of the result; "dia" by default.
    dtype : dtype, optional
        Dtype of the entries.
    device : Device or str, optional
        Device of the result; the current device by default.

    Returns
    -------
    SparseArray
        The matrix.

    Examples
    --------
    >>> A = qn.sparse.diags_array([[1, 2, 3], [9, 9]], offsets=[0, -1])
    >>> print(A.toarray())
    [[1. 0. 0.]
     [9. 2. 0.]
     [0. 9. 3.]]
    """
    if isinstance(offsets, (int, np.integer)):
        is_one = len(diagonals) == 0 or np.ndim(_host(diagonals[0])) == 0
        lines = [np.atleast_1d(_host(diagonals))] if is_one else [np.atleast_1d(_host(diagonals[0]))]
        if not is_one and len(diagonals) != 1:
            raise ArgumentValueError("different number of diagonals and offsets")
        moves = [int(offsets)]
    else:
        lines = [np.atleast_1d(_host(line)) for line in diagonals]
        moves = [int(move) for move in _host(offsets)]
    if len(lines) != len(moves):
        raise ArgumentValueError("different number of diagonals and offsets")
    if shape is None:
        length = len(lines[0]) + abs(moves[0])
        shape = (length, length)
    rows, columns = shape
    kind = np.dtype(dtype) if dtype is not None else np.result_type(*lines, np.float32)
    if dtype is None and any(line.dtype.kind in "bui" for line in lines):
        kind = np.result_type(*lines, np.float64) if kind.kind != "c" else kind
    width = max([0, *(min(rows + move, columns - move) + max(0, move) for move in moves)])
    data = np.zeros((len(moves), width), kind)
    for line, move, target in zip(lines, moves, data, strict=True):
        start = max(0, move)
        length = min(rows + move, columns - move, rows, columns)
        if length < 0:
            raise ArgumentValueError(f"offset {move} is out of bounds for shape {tuple(shape)}")
        if len(line) < length and len(line) != 1:
            raise ArgumentValueError(
                f"the diagonal at offset {move} has {length} places, got {len(line)} elements"
            )
        target[start : start + length] = line[:length] if len(line) != 1 else line[0]
    return dia_array((data, np.array(moves, np.int32)), shape=(rows, columns), device=device).asformat(format)


def diags(
    diagonals: Any,
    offsets: Any = 0,
    shape: tuple[int, int] | None = None,
    format: str | None = None,
    dtype: Any = None,
) -> Any:
    """Make a sparse matrix from its diagonals, like diags_array().

    Parameters
    ----------
    diagonals : sequence of array_like
        Elements of each diagonal. A single element is repeated if `shape` is given.
    offsets : sequence of int or int, optional
        Offset of each diagonal from the main one: positive above it, negative below.
    shape : tuple of int, optional
        Shape of the result; by default the smallest square that holds the diagonals.
    format : str, optional
        Format of the result; "dia" by default.
    dtype : dtype, optional
        Dtype of the entries.

    Returns
    -------
    SparseArray
        The matrix.

    Examples
    --------
    >>> print(qn.sparse.diags([[1, 2], [3]], [0, 1]).toarray())
    [[1. 3.]
     [0. 2.]]
    """
    return diags_array(diagonals, offsets=offsets, shape=shape, format=format, dtype=dtype)


def random_array(
    shape: tuple[int, int],
    *,
    density: float = 0.01,
    format: str = "coo",
    dtype: Any = None,
    rng: Any = None,
    data_sampler: Any = None,
    device: Any = None,
) -> Any:
    """Make a sparse matrix with random entries at random positions.

    Parameters
    ----------
    shape : tuple of int
        Shape of the matrix.
    density : float, optional
        Fraction of the elements that are stored, from 0 to 1.
    format : str, optional
        Format of the result.
    dtype : dtype, optional
        Dtype of the entries; float64 by default, or float32 on devices without float64.
    rng : int or numpy.random.Generator, optional
        Seed or generator.
    data_sampler : callable, optional
        Function that is called with `size=` and returns the values; by default uniform numbers in [0, 1).
    device : Device or str, optional
        Device of the result; the current device by default.

    Returns
    -------
    SparseArray
        The matrix.

    Examples
    --------
    >>> A = qn.sparse.random_array((3, 4), density=0.25, rng=7)
    >>> A.nnz
    3
    """
    if not 0 <= density <= 1:
        raise ArgumentValueError(f"random_array: density must be between 0 and 1, got {density}")
    rows, columns = (int(length) for length in shape)
    generator = np.random.default_rng(rng)
    count = round(density * rows * columns)
    places = generator.choice(rows * columns, size=count, replace=False) if count else np.zeros(0, np.int64)
    made = csr_array((rows, columns), device=device) if dtype is None else None
    kind = np.dtype(dtype) if dtype is not None else default_float(made.device)  # type: ignore[union-attr]
    if data_sampler is not None:
        values = np.asarray(data_sampler(size=count)).astype(kind)
    elif kind.kind in "iu":
        limits = np.iinfo(kind)
        values = generator.integers(limits.min, limits.max, size=count, dtype=kind, endpoint=True)
    elif kind.kind == "c":
        values = (generator.random(count) + 1j * generator.random(count)).astype(kind)
    else:
        values = generator.random(count).astype(kind)
    narrow = np.int32 if max(rows, columns) < 2**31 else np.int64
    where = ((places // max(columns, 1)).astype(narrow), (places % max(columns, 1)).astype(narrow))
    return coo_array((values, where), shape=(rows, columns), device=device).asformat(format)


def random(
    m: int, n: int, density: float = 0.01, format: str = "coo", dtype: Any = None, rng: Any = None
) -> Any:
    """Make a sparse matrix with random entries at random positions, like random_array().

    Parameters
    ----------
    m : int
        Number of rows.
    n : int
        Number of columns.
    density : float, optional
        Fraction of the elements that are stored, from 0 to 1.
    format : str, optional
        Format of the result.
    dtype : dtype, optional
        Dtype of the entries; float64 by default, or float32 on devices without float64.
    rng : int or numpy.random.Generator, optional
        Seed or generator.

    Returns
    -------
    SparseArray
        The matrix.

    Examples
    --------
    >>> qn.sparse.random(3, 4, density=0.25, rng=7).nnz
    3
    """
    return random_array((m, n), density=density, format=format, dtype=dtype, rng=rng)


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
    if left.shape[0] != left.shape[1] or right.shape[0] != right.shape[1]:
        raise ArgumentValueError("kronsum: expected square matrices")
    kind = np.result_type(left.dtype, right.dtype)
    outer = eye_array(right.shape[0], dtype=kind, device=left.device)
    inner = eye_array(left.shape[0], dtype=kind, device=left.device)
    return (kron(outer, left, "csr") + kron(right, inner, "csr")).asformat(format or "csr")


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
    if not table or len({len(row) for row in table}) != 1 or not table[0]:
        raise ArgumentValueError("block_array: expected rows of the same number of blocks")
    first = next((one for row in table for one in row if isinstance(one, (SparseArray, Array))), None)
    device = None if first is None else first.device
    parts = [[None if one is None else as_sparse(one, device) for one in row] for row in table]
    heights: list[int] = [
        _common([p.shape[0] for p in row if p is not None], "row", i) for i, row in enumerate(parts)
    ]
    columns = list(zip(*parts, strict=True))
    widths = [
        _common([p.shape[1] for p in col if p is not None], "column", j) for j, col in enumerate(columns)
    ]
    tops, lefts = np.cumsum([0, *heights]), np.cumsum([0, *widths])
    shape = (int(tops[-1]), int(lefts[-1]))
    placed = [
        (part._csr(), int(tops[i]), int(lefts[j]))
        for i, row in enumerate(parts)
        for j, part in enumerate(row)
        if part is not None
    ]
    if not placed:
        return csr_array(shape, dtype=dtype).asformat(format or "coo")
    result = csr_array._of_csr(sparse_assemble(shape, *map(list, zip(*placed, strict=True))))
    if dtype is not None:
        result = result.astype(dtype)
    return result.asformat(format or "coo")


def _common(lengths: Sequence[int], what: str, index: int) -> int:
    if not lengths:
        raise ArgumentValueError(f"block_array: {what} {index} has only None, so its length is not known")
    if len(set(lengths)) != 1:
        raise ArgumentValueError(
            f"block_array: blocks of {what} {index} have the lengths {sorted(set(lengths))}"
        )
    return int(lengths[0])


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
    count = len(mats)
    return block_array(
        [[mats[i] if i == j else None for j in range(count)] for i in range(count)],
        format=format,
        dtype=dtype,
    )


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
