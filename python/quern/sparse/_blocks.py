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
from ._foreign import is_scipy, scipy_sparse
from ._index import grown, is_coordinates, is_shape
from ._parts import PartsArray


class bsr_array(PartsArray):
    """Sparse matrix in block sparse row (BSR) format: dense blocks in compressed rows.

    Parameters
    ----------
    arg1 : array_like, sparse array or tuple
        An array; a sparse array of Quern or SciPy; a shape; `(data, (rows, columns))`; or `(data, indices, indptr)`,
        where `data` has the shape (blocks, rows of a block, columns of a block).
    shape : tuple of int, optional
        Shape of the matrix; by default the smallest that fits.
    dtype : dtype, optional
        Dtype of the entries.
    copy : bool, optional
        Whether to copy the values if they could be shared; indices are always copied.
    blocksize : tuple of int, optional
        Shape of a block; by default that of `data`, or (1, 1).
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
    _wanted_block: tuple[int, int] | None

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
        if is_scipy(arg1) and arg1.format == "bsr" and blocksize not in (None, arg1.blocksize):
            arg1 = arg1.tocsr()
        self._wanted_block = None if blocksize is None else (int(blocksize[0]), int(blocksize[1]))
        super().__init__(arg1, shape, dtype, copy, device=device)

    @staticmethod
    def _own(given: Any) -> tuple[Any, ...] | None:
        if is_scipy(given) and given.format == "bsr":
            return given.data, given.indices, given.indptr
        return given if isinstance(given, tuple) and len(given) == 3 else None

    def _check(self, wanted: tuple[int, int] | None, parts: tuple[Array, ...]) -> None:
        values, indices, starts = parts
        if values.ndim != 3:
            raise ArgumentValueError("bsr_array: data must have three dimensions: blocks, rows, columns")
        if self._wanted_block not in (None, values.shape[1:]):
            raise ArgumentValueError(
                f"blocksize {self._wanted_block} does not fit data of shape {values.shape}"
            )
        high, wide = values.shape[1:]
        self._shape = wanted or ((int(starts.size) - 1) * high, grown(indices) * wide)
        sparse_check_bsr(self._shape, values, indices, starts)
        self._parts = parts

    def _converted(self, given: Any) -> Any:
        return given.tobsr(self._wanted_block)

    @classmethod
    def _of_csr(cls, matrix: SparseCsr, blocksize: tuple[int, int] = (1, 1)) -> Any:
        return cls._of_parts(matrix.shape, matrix.to_bsr(*blocksize))

    def _to_csr(self) -> SparseCsr:
        return sparse_csr_of_bsr(self._shape, *self._parts)

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
        """Return a SciPy array with a copy of the blocks; needs SciPy.

        Returns
        -------
        SciPy sparse array
            The copy, in the same format.

        Examples
        --------
        >>> A = qn.sparse.bsr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> A.get().nnz
        3
        """
        return scipy_sparse().bsr_array(tuple(part.get() for part in self._parts), shape=self._shape)


class dia_array(PartsArray):
    """Sparse matrix in diagonal (DIA) format.

    Parameters
    ----------
    arg1 : array_like, sparse array or tuple
        An array; a sparse array of Quern or SciPy; a shape; or `(data, offsets)` with a shape, where `data[k, j]` is the
        entry in column `j` of the diagonal at offset `offsets[k]` from the main one, positive above it.
    shape : tuple of int, optional
        Shape of the matrix; by default the smallest that fits.
    dtype : dtype, optional
        Dtype of the entries.
    copy : bool, optional
        Whether to copy the values if they could be shared; indices are always copied.
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

    @staticmethod
    def _own(given: Any) -> tuple[Any, ...] | None:
        if is_scipy(given) and given.format == "dia":
            return given.data, given.offsets
        is_pair = isinstance(given, tuple) and len(given) == 2
        return given if is_pair and not is_shape(given) and not is_coordinates(given) else None

    def _check(self, wanted: tuple[int, int] | None, parts: tuple[Array, ...]) -> None:
        if wanted is None:
            raise ArgumentValueError("dia_array: (data, offsets) needs a shape")
        values, offsets = parts
        values = values.reshape(1, -1) if values.ndim == 1 else values
        offsets = offsets.reshape(1) if offsets.ndim == 0 else offsets
        sparse_check_dia(wanted, values, offsets)
        self._shape, self._parts = wanted, (values, offsets)

    @classmethod
    def _of_csr(cls, matrix: SparseCsr) -> Any:
        return cls._of_parts(matrix.shape, matrix.to_dia())

    def _to_csr(self) -> SparseCsr:
        return sparse_csr_of_dia(self._shape, *self._parts)

    @property
    def nnz(self) -> int:
        """Number of elements on the stored diagonals, explicit zeros included."""
        rows, columns = self._shape
        width = min(columns, self._parts[0].shape[1])
        offsets = self._parts[1].get()
        return int(sum(max(0, min(rows + k, width) - max(k, 0)) for k in offsets.tolist()))

    def _summed(self) -> Any:
        return self

    @property
    def offsets(self) -> Array:
        """A copy of the offset of each diagonal from the main one, positive above it."""
        return self._parts[1].copy()

    def get(self) -> Any:
        """Return a SciPy array with a copy of the diagonals; needs SciPy.

        Returns
        -------
        SciPy sparse array
            The copy, in the same format.

        Examples
        --------
        >>> A = qn.sparse.dia_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> A.get().nnz
        3
        """
        return scipy_sparse().dia_array(tuple(part.get() for part in self._parts), shape=self._shape)
