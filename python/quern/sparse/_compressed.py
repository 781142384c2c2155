# SPDX-License-Identifier: MIT
"""Compressed rows and compressed columns."""

from __future__ import annotations

from typing import Any, ClassVar

from .._core import Array, SparseCsr, sparse_csr_of_coo, sparse_csr_of_dense
from ._base import SparseArray
from ._entries import as_sparse
from ._foreign import is_scipy, scipy_sparse
from ._index import (
    check_two_dimensions,
    device_of,
    grown,
    indices_of,
    is_coordinates,
    is_shape,
    is_shared,
    shape_of,
    values_of,
)


class _Compressed(SparseArray):
    """Entries by lines: rows, or columns. `_lines` is the matrix, or its transpose, in compressed rows."""

    _lines: SparseCsr
    # Whether lines are columns.
    _is_by_columns: ClassVar[bool] = False

    def _make(self, given: Any, wanted: tuple[int, int] | None, dtype: Any, copy: bool, device: Any) -> None:
        self._set(self._parsed(given, wanted, dtype, copy, device))

    def _set(self, lines: SparseCsr) -> None:
        self._lines = lines
        self._shape = lines.shape[::-1] if self._is_by_columns else lines.shape

    def _parsed(self, given: Any, shape: Any, dtype: Any, copy: bool, device: Any) -> SparseCsr:
        if is_scipy(given):
            check_two_dimensions(given.ndim)
            if given.format == self.format:
                parts = (given.data, given.indices, given.indptr)
                return self._of_parts(parts, given.shape, dtype, True, device)
            given = as_sparse(given, device)
        if isinstance(given, SparseArray):
            same = (given if device is None else given.to_device(device)).asformat(self.format)
            lines = same._lines
            self._sharing(same)
            if dtype is not None or copy:
                values = lines.data if dtype is None else lines.data.astype(dtype)
                lines = lines.with_data(values.copy())
                self._exposure = [False]
            return lines  # type: ignore[no-any-return]
        if is_shape(given):
            return self._of_parts(
                ([], [], [0] * (self._line_shape(shape_of(given))[0] + 1)),
                given,
                dtype or "f8",
                False,
                device,
            )
        if is_coordinates(given):
            return self._of_coordinates(given, shape, dtype, device)
        if isinstance(given, tuple) and len(given) == 3:
            return self._of_parts(given, shape, dtype, copy, device)
        dense = values_of(given, dtype, device)
        check_two_dimensions(dense.ndim)
        return sparse_csr_of_dense(dense.T if self._is_by_columns else dense)

    def _line_shape(self, shape: tuple[int, int]) -> tuple[int, int]:
        return (shape[1], shape[0]) if self._is_by_columns else (shape[0], shape[1])

    def _of_parts(self, parts: Any, shape: Any, dtype: Any, copy: bool, device: Any) -> SparseCsr:
        device = device_of(device, *parts)
        values = values_of(parts[0], dtype, device, copy)
        self._is_exposed = is_shared(parts[0], copy)
        indices, starts = indices_of(parts[1], device), indices_of(parts[2], device)
        lengths = (int(starts.size) - 1, grown(indices)) if shape is None else self._line_shape(shape)
        return SparseCsr(lengths, values, indices, starts)

    def _of_coordinates(self, given: Any, shape: Any, dtype: Any, device: Any) -> SparseCsr:
        device = device_of(device, given[0], *given[1])
        rows, columns = (indices_of(part, device) for part in given[1])
        lengths = (grown(rows), grown(columns)) if shape is None else shape
        first, second = (columns, rows) if self._is_by_columns else (rows, columns)
        return sparse_csr_of_coo(
            self._line_shape(lengths), values_of(given[0], dtype, device), first, second, True
        )

    @classmethod
    def _of_lines(cls, lines: SparseCsr) -> Any:
        result = cls.__new__(cls)
        result._is_exposed = False
        result._kept = None
        result._set(lines)
        return result

    def _arrays(self) -> tuple[Array, ...]:
        return self._lines.data, self._lines.indices, self._lines.indptr

    @classmethod
    def _of_arrays(cls, shape: tuple[int, int], arrays: tuple[Array, ...]) -> Any:
        return cls._of_lines(SparseCsr(shape[::-1] if cls._is_by_columns else shape, *arrays))

    def _summed(self) -> Any:
        return self._of_lines(self._lines.sum_duplicates())

    def _values(self) -> Array:
        return self._lines.data

    def _with_values(self, values: Array) -> Any:
        return self._of_lines(self._lines.with_data(values))

    @property
    def indices(self) -> Array:
        """A copy of the columns of the entries (rows, in a csc_array)."""
        return self._lines.indices.copy()

    @property
    def indptr(self) -> Array:
        """A copy of the first entry of each row (column, in a csc_array)."""
        return self._lines.indptr.copy()

    @property
    def has_sorted_indices(self) -> bool:
        """Whether indices increase in each row (column, in a csc_array)."""
        return self._lines.has_sorted_indices()

    @property
    def has_canonical_format(self) -> bool:
        """Whether indices increase in each row and none repeats."""
        return self._lines.has_canonical_format()

    def sort_indices(self) -> None:
        """Sort the entries of each row in place.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> A.sort_indices()
        >>> A.has_sorted_indices
        True
        """
        self._replace(self._lines.sorted_indices())

    def sorted_indices(self) -> Any:
        """Return a copy with sorted entries in each row.

        Returns
        -------
        sparse array
            The sorted copy.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> A.sorted_indices().has_sorted_indices
        True
        """
        return self._of_lines(self._lines.sorted_indices()).copy()

    def sum_duplicates(self) -> None:
        """Sort the entries of each row and sum duplicates, in place.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> A.sum_duplicates()
        >>> A.nnz
        3
        """
        self._replace(self._lines.sum_duplicates())

    def eliminate_zeros(self) -> None:
        """Remove entries that are zero, in place.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> A.eliminate_zeros()
        >>> A.nnz
        3
        """
        self._replace(self._lines.eliminate_zeros())

    def check_format(self, full_check: bool = True) -> None:
        """Raise ArgumentError if the arrays are not consistent.

        Parameters
        ----------
        full_check : bool, optional
            Accepted for compatibility with SciPy; it has no effect.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> A.check_format()
        """
        SparseCsr(self._lines.shape, self._lines.data, self._lines.indices, self._lines.indptr)

    def _replace(self, lines: SparseCsr) -> None:
        self._set(lines)
        self._kept = None

    def get(self) -> Any:
        """Return a SciPy array with a copy of the entries; needs SciPy.

        Returns
        -------
        SciPy sparse array
            The copy, in the same format.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> A.get().nnz
        3
        """
        kind = getattr(scipy_sparse(), f"{self.format}_array")
        lines = self._lines
        return kind((lines.data.get(), lines.indices.get(), lines.indptr.get()), shape=self._shape)


class csr_array(_Compressed):
    """Sparse matrix in compressed sparse row (CSR) format.

    Parameters
    ----------
    arg1 : array_like, sparse array or tuple
        An array, whose nonzero elements are stored; a sparse array of Quern or SciPy; a shape; `(data, (rows,
        columns))`, whose duplicates are summed; or `(data, indices, indptr)`.
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
    >>> A = qn.sparse.csr_array(([1.0, 2.0, 3.0], [0, 2, 1], [0, 2, 3]), shape=(2, 3))
    >>> print(A.toarray())
    [[1. 0. 2.]
     [0. 3. 0.]]
    >>> print(A @ qn.ones(3))
    [3. 3.]
    """

    format = "csr"

    def _to_csr(self) -> SparseCsr:
        return self._lines

    def _csr(self) -> SparseCsr:
        return self._lines

    @classmethod
    def _of_csr(cls, matrix: SparseCsr) -> Any:
        return cls._of_lines(matrix)

    def _transposed(self) -> Any:
        return csc_array._of_lines(self._lines)._sharing(self)

    def tocsc(self, copy: bool = False) -> Any:
        """Return the matrix in compressed sparse column (CSC) format.

        Parameters
        ----------
        copy : bool, optional
            If True, the result never shares values with the array.

        Returns
        -------
        csc_array
            The matrix in this format.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> print(A.tocsc().indptr)
        [0 1 2 3]
        """
        return csc_array._of_lines(self._lines.transposed(False))


class csc_array(_Compressed):
    """Sparse matrix in compressed sparse column (CSC) format.

    The first product converts it to CSR format, and keeps the result for later ones.

    Parameters
    ----------
    arg1 : array_like, sparse array or tuple
        An array, whose nonzero elements are stored; a sparse array of Quern or SciPy; a shape; `(data, (rows,
        columns))`, whose duplicates are summed; or `(data, indices, indptr)`.
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
    >>> A = qn.sparse.csc_array([[1, 0], [2, 3]])
    >>> print(A.indptr, A.indices)
    [0 2 3] [0 1 1]
    """

    format = "csc"
    _is_by_columns = True

    def _to_csr(self) -> SparseCsr:
        return self._lines.transposed(not self._is_exposed)

    @classmethod
    def _of_csr(cls, matrix: SparseCsr) -> Any:
        return cls._of_lines(matrix.transposed(False))

    def _transposed(self) -> Any:
        return csr_array._of_lines(self._lines)._sharing(self)
