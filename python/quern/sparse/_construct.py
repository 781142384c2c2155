# SPDX-License-Identifier: MIT
"""Functions that make sparse arrays of numbers: identities, diagonals, random entries."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core import ArgumentValueError, Array, sparse_eye
from .._operands import default_float
from ._blocks import dia_array
from ._compressed import csc_array, csr_array
from ._coo import coo_array
from ._index import shape_of


def _host(values: Any) -> np.ndarray[Any, Any]:
    return values.get() if isinstance(values, Array) else np.asarray(values)


def eye_array(
    m: int,
    n: int | None = None,
    k: int = 0,
    dtype: Any = float,
    format: str | None = None,
    *,
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
    if format in ("csr", "csc"):
        # The transpose of the identity has its ones on the opposite diagonal.
        shape, offset = ((m, n), k) if format == "csr" else ((n, m), -k)
        lines = sparse_eye(shape_of(shape), offset, dtype, device)
        return (csr_array if format == "csr" else csc_array)._of_lines(lines)
    ones = np.ones((1, max(0, min(m + k, n))), dtype)
    return dia_array((ones, np.array([k], np.int32)), shape=(m, n), device=device).asformat(format)


eye = eye_array


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
    offsets: Any = 0,
    shape: tuple[int, int] | None = None,
    format: str | None = None,
    dtype: Any = None,
    *,
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


diags = diags_array


def spdiags(data: Any, diags: Any, m: Any = None, n: int | None = None, format: str | None = None) -> Any:
    """Make a sparse matrix from diagonals that are the rows of an array.

    Parameters
    ----------
    data : array_like
        Element j of row k is in column j of the diagonal `diags[k]`.
    diags : sequence of int or int
        Offset of each diagonal from the main one: positive above it, negative below.
    m : int or tuple of int, optional
        Number of rows, or the shape; by default the matrix is square with the columns of `data`.
    n : int, optional
        Number of columns.
    format : str, optional
        Format of the result; "dia" by default.

    Returns
    -------
    SparseArray
        The matrix.

    Examples
    --------
    >>> print(qn.sparse.spdiags([[1, 2, 3], [4, 5, 6]], [0, 1], 3, 3).toarray())
    [[1 5 0]
     [0 2 6]
     [0 0 3]]
    """
    values = np.atleast_2d(_host(data))
    if m is None and n is None:
        m = n = values.shape[1]
    elif n is None:
        m, n = shape_of(m)
    return dia_array((values, np.atleast_1d(_host(diags))), shape=(m, n)).asformat(format)


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
    m: int,
    n: int,
    density: float = 0.01,
    format: str = "coo",
    dtype: Any = None,
    rng: Any = None,
    data_rvs: Any = None,
    *,
    random_state: Any = None,
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
    data_rvs : callable, optional
        Function of a number of entries that returns their values; by default uniform numbers in [0, 1).
    random_state : int or numpy.random.Generator, optional
        An older name of `rng`.

    Returns
    -------
    SparseArray
        The matrix.

    Examples
    --------
    >>> qn.sparse.random(3, 4, density=0.25, rng=7).nnz
    3
    """
    sampler = None if data_rvs is None else lambda size: data_rvs(size)
    rng = random_state if rng is None else rng
    return random_array((m, n), density=density, format=format, dtype=dtype, rng=rng, data_sampler=sampler)


rand = random
