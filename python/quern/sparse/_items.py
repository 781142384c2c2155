# SPDX-License-Identifier: MIT
"""A[key] and A[key] = values of sparse arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._array import asarray
from .._core import (
    ArgumentIndexError,
    ArgumentTypeError,
    ArgumentValueError,
    Array,
    SparseCsr,
    sparse_csr_of_coo,
)
from .._functions import broadcast_to, concat, isin, searchsorted, where
from ._index import is_integer, rows_of, split_key
from ._vector import SparseVector

if TYPE_CHECKING:
    from ._base import SparseArray


def _keys(matrix: SparseCsr) -> Array:
    """row * columns + column of each entry."""
    return matrix.row_indices().astype("int64") * matrix.shape[1] + matrix.indices


def _mask_of(key: Any) -> Any:
    """A matrix of booleans with the shape of the indexed one, or None."""
    if getattr(key, "ndim", 0) != 2 or getattr(key, "dtype", None) != np.bool_:
        return None
    return key.get() if hasattr(key, "get") else key


def _places(shape: tuple[int, int], key: Any) -> tuple[Any, Any]:
    """Rows and columns of all elements of a key, as NumPy arrays of one shape."""
    mask = _mask_of(key)
    if mask is not None:
        if mask.shape != shape:
            raise ArgumentValueError(f"a mask of shape {mask.shape} does not fit a matrix of shape {shape}")
        return mask.nonzero()  # type: ignore[no-any-return]
    rows, columns = split_key(key)
    chosen = [_numbers(part, count) for part, count in zip((rows, columns), shape, strict=True)]
    if isinstance(rows, slice) and not is_integer(columns):
        chosen[0] = chosen[0][:, None]
    if isinstance(columns, slice) and not is_integer(rows):
        chosen[0] = chosen[0].reshape(-1, 1)
    return np.broadcast_arrays(*chosen)  # type: ignore[return-value]


def _numbers(part: Any, count: int) -> Any:
    """Indices from 0 on, in the shape of an index."""
    if isinstance(part, slice):
        return np.arange(*part.indices(count), dtype=np.int64)
    given = np.asarray(part.get() if isinstance(part, Array) else part)
    flat = rows_of(given.reshape(-1), count)
    return flat if given.dtype == np.bool_ else flat.reshape(given.shape)


def _check_keys(shape: tuple[int, int]) -> None:
    if shape[0] * shape[1] >= 2**63:
        raise ArgumentIndexError(
            f"a matrix of shape {shape} has too many places for arrays of indices; use slices"
        )


def elements(matrix: SparseCsr, rows: Any, columns: Any) -> Array:
    """The elements at these places, in their shape."""
    _check_keys(matrix.shape)
    whole = matrix.sum_duplicates()
    wanted = asarray(np.asarray(rows, np.int64) * matrix.shape[1] + columns, device=matrix.data.device)
    zeros = asarray(np.zeros((), matrix.data.dtype), device=matrix.data.device)
    if whole.nnz == 0:
        return broadcast_to(zeros, wanted.shape).copy()
    keys = _keys(whole)
    at = searchsorted(keys, wanted)
    at = where(at < keys.size, at, 0)
    found: Array = where(keys[at] == wanted, whole.data[at], zeros)
    return found


def get_items(array: SparseArray, key: Any, of_csr: Any) -> Any:
    """A[key]. `of_csr` makes a sparse array of the result's format."""
    matrix = array._csr()
    if _mask_of(key) is not None:
        return elements(matrix, *_places(array.shape, key))
    rows, columns = split_key(key)
    if is_integer(rows) and is_integer(columns):
        row = matrix.take_rows(asarray(rows_of(rows, array.shape[0]), device=array.device))
        column = int(rows_of(columns, array.shape[1])[0])
        return where(row.indices == column, row.data, row.data.dtype.type(0)).sum(dtype=row.data.dtype)
    if not isinstance(rows, slice) and not isinstance(columns, slice):
        places = _places(array.shape, key)
        found = elements(matrix, *places)
        if is_integer(rows) != is_integer(columns) and found.ndim == 1:
            return SparseVector(found)
        return of_csr(_dense_csr(found)) if found.ndim == 2 else found
    if not _is_whole(rows):
        matrix = matrix.take_rows(asarray(rows_of(rows, array.shape[0]), device=array.device))
    if not _is_whole(columns):
        chosen = asarray(rows_of(columns, array.shape[1]), device=array.device)
        matrix = matrix.transposed(not array._is_exposed).take_rows(chosen).transposed()
    if is_integer(rows):
        return SparseVector._of_row(matrix)
    if is_integer(columns):
        return SparseVector._of_row(matrix.transposed())
    if _is_whole(rows) and _is_whole(columns):
        matrix = matrix.with_data(matrix.data.copy())
    return of_csr(matrix)


def _is_whole(part: Any) -> bool:
    return isinstance(part, slice) and part == slice(None)


def _dense_csr(dense: Array) -> SparseCsr:
    from .._core import sparse_csr_of_dense

    return sparse_csr_of_dense(dense)


def set_items(array: SparseArray, key: Any, values: Any) -> None:
    """A[key] = values. Entries that are stored are written in place; others make new arrays."""
    if array.format not in ("csr", "csc", "coo"):
        raise ArgumentTypeError(f"elements of a {array.format}_array cannot be assigned; convert it to csr")
    _check_keys(array.shape)
    rows, columns = _places(array.shape, key)
    given = values.toarray() if hasattr(values, "toarray") else values
    given = given if isinstance(given, Array) else asarray(given, device=array.device)
    given = broadcast_to(given.astype(array.dtype), rows.shape).reshape(-1)
    # Of places that are given twice the last one counts.
    wanted = (rows.astype(np.int64) * array.shape[1] + columns).reshape(-1)
    unique, last = np.unique(wanted[::-1], return_index=True)
    if unique.size == 0:
        return
    new = given[asarray(len(wanted) - 1 - last, device=array.device)]
    if _write_in_place(array, unique, new):
        return
    matrix = array._csr().sum_duplicates()
    places = asarray(unique, device=array.device)
    kept = ~isin(_keys(matrix), places)
    columns_of_all = array.shape[1]
    merged = sparse_csr_of_coo(
        array.shape,
        concat([matrix.data[kept], new]),
        concat([matrix.row_indices().astype("int64")[kept], places // columns_of_all]),
        concat([matrix.indices.astype("int64")[kept], places % columns_of_all]),
        False,
    )
    array.__dict__.update(type(array)._of_csr(merged).__dict__)


def _write_in_place(array: SparseArray, wanted: Any, values: Array) -> bool:
    """Whether all places were stored once, in increasing order, and are written."""
    if array.format == "coo":
        return False
    lines: SparseCsr = array._lines  # type: ignore[attr-defined]
    if lines.nnz == 0 or not lines.has_canonical_format():
        return False
    if array.format == "csc":
        order = wanted % array.shape[1] * array.shape[0] + wanted // array.shape[1]
    else:
        order = wanted
    places, keys = asarray(order, device=array.device), _keys(lines)
    at = searchsorted(keys, places)
    at = where(at < keys.size, at, 0)
    if not bool((keys[at] == places).all()):
        return False
    array.data[at] = values  # what was derived from the values is not used any more
    return True
