# SPDX-License-Identifier: MIT
"""Dense blocks in compressed rows, and diagonals."""

from __future__ import annotations

from typing import Any

from .._core import (
    ArgumentValueError,
    Array,
    SparseCsr,
    sparse_check_bsr,
    sparse_check_dia,
    sparse_csr_of_bsr,
    sparse_csr_of_dia,
)
from ._base import SparseArray, as_sparse, is_scipy, scipy_sparse
from ._index import device_of, grown, indices_of, is_coordinates, is_shape, is_shared, shape_of, values_of


class bsr_array(SparseArray):
    """A sparse matrix of dense blocks in compressed rows.

    Parameters
    ----------
    arg1 : array_like, sparse array or tuple
        An array; a sparse array of Quern or SciPy; a shape; `(data, (rows, columns))`; or `(data, indices, indptr)`,
        where `data` has the shape (blocks, rows of a block, columns of a block).
    shape : tuple of int, optional
        Shape of the matrix; by default the least that fits.
    dtype : dtype, optional
        Dtype of the entries.
    copy : bool, optional
        Whether to copy the values if they could be shared; indices are always copied.
    blocksize : tuple of int, optional
        Shape of a block; by default (1, 1), or that of `data`.
    device : Device or str, optional
        Device of a new matrix; by default that of the arrays, otherwise the current device.

    Examples
    --------
    >>> A = qn.sparse.bsr_array(([[[1, 2], [3, 4]]], [1], [0, 1]), shape=(2, 4))
    >>> print(A.toarray())
    [[0 0 1 2]
     [0 0 3 4]]
    """

    format = "bsr"
    _parts: tuple[Array, Array, Array]

    def __init__(
        self,
        arg1: Any,
        shape: tuple[int, int] | None = None,
        dtype: Any = None,
        copy: bool = False,
        blocksize: tuple[int, int] | None = None,
        *,
        device: Any = None,
    ) -> None:
        self._is_exposed, self._kept = False, None
        wanted = None if shape is None else shape_of(shape)
        if is_scipy(arg1) and arg1.format == "bsr" and blocksize in (None, arg1.blocksize):
            wanted = wanted or shape_of(arg1.shape)
            arg1 = (arg1.data, arg1.indices, arg1.indptr)
        if isinstance(arg1, tuple) and len(arg1) == 3:
            device = device_of(device, *arg1)
            values = values_of(arg1[0], dtype, device, copy)
            self._is_exposed = is_shared(arg1[0], copy)
            if values.ndim != 3:
                raise ArgumentValueError("bsr_array: data must have three dimensions: blocks, rows, columns")
            if blocksize is not None and tuple(blocksize) != values.shape[1:]:
                raise ArgumentValueError(
                    f"blocksize {tuple(blocksize)} does not fit data of shape {values.shape}"
                )
            indices, starts = (indices_of(part, device) for part in arg1[1:])
            high, wide = values.shape[1:]
            self._shape = wanted or ((int(starts.size) - 1) * high, grown(indices) * wide)
            sparse_check_bsr(self._shape, values, indices, starts)
            self._parts = (values, indices, starts)
        else:
            if is_shape(arg1):
                wanted = shape_of(arg1)
            given = as_sparse(_entries(arg1, wanted, dtype, device), device)
            made = given.tobsr(blocksize)
            self._shape, self._parts = made._shape, made._parts
            self._sharing(made)
            if dtype is not None or copy:
                self._exposure = [False]
                self._parts = (self._parts[0].astype(dtype or self._parts[0].dtype).copy(), *self._parts[1:])
        if wanted is not None and wanted != self._shape:
            raise ArgumentValueError(f"shape {wanted} does not fit a matrix of shape {self._shape}")

    @classmethod
    def _of_parts(cls, shape: tuple[int, int], parts: tuple[Array, Array, Array]) -> Any:
        result = cls.__new__(cls)
        result._is_exposed, result._kept = False, None
        result._shape, result._parts = shape, parts
        return result

    @classmethod
    def _of_csr(cls, matrix: SparseCsr, blocksize: tuple[int, int] = (1, 1)) -> Any:
        return cls._of_parts(matrix.shape, matrix.to_bsr(*blocksize))

    def _to_csr(self) -> SparseCsr:
        return sparse_csr_of_bsr(self._shape, *self._parts)

    def _values(self) -> Array:
        return self._parts[0]

    def _with_values(self, values: Array) -> Any:
        if values.shape != self._parts[0].shape:
            raise ArgumentValueError(f"expected values of shape {self._parts[0].shape}, got {values.shape}")
        return self._of_parts(self._shape, (values, *self._parts[1:]))

    def _transposed(self) -> Any:
        return self._of_csr(self._csr().transposed(not self._is_exposed), self.blocksize[::-1])

    def _summed(self) -> Any:
        return self._of_csr(self._csr(), self.blocksize)

    @property
    def blocksize(self) -> tuple[int, int]:
        """Shape of a block."""
        rows, columns = self._parts[0].shape[1:]
        return int(rows), int(columns)

    @property
    def indices(self) -> Array:
        """A copy of the column of each block."""
        return self._parts[1].copy()

    @property
    def indptr(self) -> Array:
        """A copy of the first block of each row of blocks."""
        return self._parts[2].copy()

    def get(self) -> Any:
        """Return a SciPy array with a copy of the blocks; needs SciPy."""
        return scipy_sparse().bsr_array(tuple(part.get() for part in self._parts), shape=self._shape)


class dia_array(SparseArray):
    """A sparse matrix of diagonals.

    Parameters
    ----------
    arg1 : array_like, sparse array or tuple
        An array; a sparse array of Quern or SciPy; a shape; or `(data, offsets)`, where `data[k, j]` is the entry in
        column `j` of the diagonal that is `offsets[k]` above the main one.
    shape : tuple of int, optional
        Shape of the matrix; needed with `(data, offsets)`.
    dtype : dtype, optional
        Dtype of the entries.
    copy : bool, optional
        Whether to copy the values if they could be shared; offsets are always copied.
    device : Device or str, optional
        Device of a new matrix; by default that of the arrays, otherwise the current device.

    Examples
    --------
    >>> A = qn.sparse.dia_array(([[1, 2, 3], [4, 5, 6]], [0, 1]), shape=(3, 3))
    >>> print(A.toarray())
    [[1 5 0]
     [0 2 6]
     [0 0 3]]
    """

    format = "dia"
    _parts: tuple[Array, Array]

    def __init__(
        self,
        arg1: Any,
        shape: tuple[int, int] | None = None,
        dtype: Any = None,
        copy: bool = False,
        *,
        device: Any = None,
    ) -> None:
        self._is_exposed, self._kept = False, None
        wanted = None if shape is None else shape_of(shape)
        if is_scipy(arg1) and arg1.format == "dia":
            wanted = wanted or shape_of(arg1.shape)
            arg1 = (arg1.data, arg1.offsets)
        if isinstance(arg1, tuple) and len(arg1) == 2 and not is_shape(arg1) and not is_coordinates(arg1):
            if wanted is None:
                raise ArgumentValueError("dia_array: (data, offsets) needs a shape")
            device = device_of(device, *arg1)
            values = values_of(arg1[0], dtype, device, copy)
            self._is_exposed = is_shared(arg1[0], copy)
            offsets = indices_of(arg1[1], device)
            values = values.reshape(1, -1) if values.ndim == 1 else values
            offsets = offsets.reshape(1) if offsets.ndim == 0 else offsets
            self._shape, self._parts = wanted, (values, offsets)
            sparse_check_dia(self._shape, *self._parts)
        else:
            if is_shape(arg1):
                wanted = shape_of(arg1)
            made = as_sparse(_entries(arg1, wanted, dtype, device), device).todia()
            self._shape, self._parts = made._shape, made._parts
            self._sharing(made)
            if dtype is not None or copy:
                self._exposure = [False]
                self._parts = (self._parts[0].astype(dtype or self._parts[0].dtype).copy(), self._parts[1])
        if wanted is not None and wanted != self._shape:
            raise ArgumentValueError(f"shape {wanted} does not fit a matrix of shape {self._shape}")

    @classmethod
    def _of_parts(cls, shape: tuple[int, int], parts: tuple[Array, Array]) -> Any:
        result = cls.__new__(cls)
        result._is_exposed, result._kept = False, None
        result._shape, result._parts = shape, parts
        return result

    @classmethod
    def _of_csr(cls, matrix: SparseCsr) -> Any:
        return cls._of_parts(matrix.shape, matrix.to_dia())

    def _to_csr(self) -> SparseCsr:
        return sparse_csr_of_dia(self._shape, *self._parts)

    def _values(self) -> Array:
        return self._parts[0]

    def _with_values(self, values: Array) -> Any:
        if values.shape != self._parts[0].shape:
            raise ArgumentValueError(f"expected values of shape {self._parts[0].shape}, got {values.shape}")
        return self._of_parts(self._shape, (values, self._parts[1]))

    @property
    def nnz(self) -> int:
        """Number of places on the stored diagonals."""
        rows, columns = self._shape
        width = min(columns, self._parts[0].shape[1])
        offsets = self._parts[1].get()
        return int(sum(max(0, min(rows + k, width) - max(k, 0)) for k in offsets.tolist()))

    def _summed(self) -> Any:
        return self

    @property
    def offsets(self) -> Array:
        """A copy of how far each diagonal is above the main one."""
        return self._parts[1].copy()

    def get(self) -> Any:
        """Return a SciPy array with a copy of the diagonals; needs SciPy."""
        return scipy_sparse().dia_array(tuple(part.get() for part in self._parts), shape=self._shape)


def _entries(given: Any, shape: Any, dtype: Any, device: Any) -> Any:
    """What a format makes of arguments that are not its own."""
    from ._compressed import csr_array
    from ._coo import coo_array

    if is_coordinates(given):
        return coo_array(given, shape, dtype, device=device)
    return csr_array(given, dtype=dtype, device=device) if is_shape(given) else given
