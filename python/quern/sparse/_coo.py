# SPDX-License-Identifier: MIT
"""Coordinates: a row, a column and a value for each entry."""

from __future__ import annotations

from typing import Any

from .._core import Array, SparseCsr, sparse_check_coo, sparse_csr_of_coo
from ._foreign import is_scipy, scipy_sparse
from ._index import check_two_dimensions, grown, is_coordinates
from ._parts import PartsArray


class coo_array(PartsArray):
    """Sparse matrix in coordinate (COO) format. Duplicate entries count as their sum.

    Parameters
    ----------
    arg1 : array_like, sparse array or tuple
        An array, whose nonzero elements are stored; a sparse array of Quern or SciPy; a shape; or `(data, (rows,
        columns))`.
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
    >>> A = qn.sparse.coo_array(([1, 2, 4], ([0, 1, 1], [1, 0, 0])), shape=(2, 2))
    >>> print(A.toarray())
    [[0 1]
     [6 0]]
    """

    format = "coo"

    @staticmethod
    def _own(given: Any) -> tuple[Any, ...] | None:
        if is_scipy(given) and given.format == "coo":
            check_two_dimensions(given.ndim)
            return given.data, given.row, given.col
        return (given[0], *given[1]) if is_coordinates(given) else None

    def _check(self, wanted: tuple[int, int] | None, parts: tuple[Array, ...]) -> None:
        values, rows, columns = parts
        self._shape = wanted or (grown(rows), grown(columns))
        sparse_check_coo(self._shape, values, rows, columns)
        self._parts = parts

    @classmethod
    def _of_csr(cls, matrix: SparseCsr) -> Any:
        # Copies: a caller may write to them.
        return cls._of_parts(matrix.shape, (matrix.data.copy(), matrix.row_indices(), matrix.indices.copy()))

    def _to_csr(self) -> SparseCsr:
        values, rows, columns = self._parts
        return sparse_csr_of_coo(self._shape, values, rows, columns, False)

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
        """Sort the entries and sum duplicates, in place.

        Examples
        --------
        >>> A = qn.sparse.coo_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> A.sum_duplicates()
        >>> A.nnz
        3
        """
        self.__dict__.update(coo_array._of_csr(self._csr()).__dict__)

    def eliminate_zeros(self) -> None:
        """Remove entries that are zero, in place.

        Examples
        --------
        >>> A = qn.sparse.coo_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> A.eliminate_zeros()
        >>> A.nnz
        3
        """
        values, rows, columns = self._parts
        kept = values != 0
        self.__dict__.update(self._of_parts(self._shape, (values[kept], rows[kept], columns[kept])).__dict__)

    def get(self) -> Any:
        """Return a SciPy array with a copy of the entries; needs SciPy.

        Returns
        -------
        SciPy sparse array
            The copy, in the same format.

        Examples
        --------
        >>> A = qn.sparse.coo_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> A.get().nnz
        3
        """
        values, rows, columns = (part.get() for part in self._parts)
        return scipy_sparse().coo_array((values, (rows, columns)), shape=self._shape)
