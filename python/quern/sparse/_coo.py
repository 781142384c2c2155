# SPDX-License-Identifier: MIT
"""Coordinates: a row, a column and a value for each entry."""

from __future__ import annotations

from typing import Any

from .._bfloat16 import is_bfloat16
from .._core import ArgumentValueError, Array, SparseCsr, sparse_check_coo, sparse_csr_of_coo
from ._base import SparseArray, as_sparse, is_scipy, scipy_sparse
from ._index import device_of, grown, indices_of, is_coordinates, is_shape, is_shared, shape_of, values_of


class coo_array(SparseArray):
    """A sparse matrix in coordinates; entries at the same place are summed.

    Parameters
    ----------
    arg1 : array_like, sparse array or tuple
        An array, whose nonzero elements are stored; a sparse array of Quern or SciPy; a shape; or `(data, (rows,
        columns))`.
    shape : tuple of int, optional
        Shape of the matrix; by default the least that fits.
    dtype : dtype, optional
        Dtype of the entries.
    copy : bool, optional
        Whether to copy the values if they could be shared; indices are always copied.
    device : Device or str, optional
        Device of a new matrix; by default that of the arrays, otherwise the current device.

    Examples
    --------
    >>> A = qn.sparse.coo_array(([1, 2, 4], ([0, 1, 1], [1, 0, 0])), shape=(2, 2))
    >>> print(A.toarray())
    [[0 1]
     [6 0]]
    """

    format = "coo"
    _parts: tuple[Array, Array, Array]

    def __init__(
        self,
        arg1: Any,
        shape: tuple[int, int] | None = None,
        dtype: Any = None,
        copy: bool = False,
        *,
        device: Any = None,
    ) -> None:
        self._is_exposed = False
        self._kept = None
        wanted = None if shape is None else shape_of(shape)
        if is_scipy(arg1) and arg1.format == "coo":
            wanted = wanted or shape_of(arg1.shape)
            arg1 = (arg1.data, (arg1.row, arg1.col))
        if is_coordinates(arg1):
            device = device_of(device, arg1[0], *arg1[1])
            values = values_of(arg1[0], dtype, device, copy)
            self._is_exposed = is_shared(arg1[0], copy)
            rows, columns = (indices_of(part, device) for part in arg1[1])
            self._shape = wanted or (grown(rows), grown(columns))
            if values.dtype == "float16" or is_bfloat16(values.dtype):
                values = values.astype("float32")
            sparse_check_coo(self._shape, values, rows, columns)
            self._parts = (values, rows, columns)
        elif is_shape(arg1):
            empty = coo_array(([], ([], [])), arg1, dtype or "f8", device=device)
            self._shape, self._parts = empty._shape, empty._parts
        else:
            given = as_sparse(arg1, device).tocoo()
            self._shape, self._parts = given._shape, given._parts
            self._sharing(given)
            if dtype is not None or copy:
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
    def _of_csr(cls, matrix: SparseCsr) -> Any:
        # Copies: a caller may write to them.
        return cls._of_parts(matrix.shape, (matrix.data.copy(), matrix.row_indices(), matrix.indices.copy()))

    def _to_csr(self) -> SparseCsr:
        return sparse_csr_of_coo(self._shape, *self._parts, False)

    def _values(self) -> Array:
        return self._parts[0]

    def _with_values(self, values: Array) -> Any:
        if values.shape != self._parts[0].shape:
            raise ArgumentValueError(f"expected values of shape {self._parts[0].shape}, got {values.shape}")
        return self._of_parts(self._shape, (values, *self._parts[1:]))

    def _transposed(self) -> Any:
        values, rows, columns = self._parts
        return self._of_parts(self._shape[::-1], (values, columns, rows))._sharing(self)

    @property
    def row(self) -> Array:
        """A copy of the row of each entry."""
        return self._parts[1].copy()

    @property
    def col(self) -> Array:
        """A copy of the column of each entry."""
        return self._parts[2].copy()

    @property
    def coords(self) -> tuple[Array, Array]:
        """Copies of the rows and columns of the entries."""
        return self.row, self.col

    def sum_duplicates(self) -> None:
        """Sort the entries and sum those at the same place, in place."""
        self.__dict__.update(coo_array._of_csr(self._csr()).__dict__)

    def eliminate_zeros(self) -> None:
        """Remove entries that are zero, in place."""
        values, rows, columns = self._parts
        kept = values != 0
        self.__dict__.update(self._of_parts(self._shape, (values[kept], rows[kept], columns[kept])).__dict__)

    def get(self) -> Any:
        """Return a SciPy array with a copy of the entries; needs SciPy."""
        values, rows, columns = (part.get() for part in self._parts)
        return scipy_sparse().coo_array((values, (rows, columns)), shape=self._shape)
