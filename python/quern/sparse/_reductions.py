# SPDX-License-Identifier: MIT
"""Sums, extremes, counts and selections of the elements of sparse arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _functions
from .._array import asarray
from .._core import ArgumentTypeError, ArgumentValueError, Array, SparseCsr
from .._functions import arange, flatnonzero, where, zeros
from ._entries import Entries
from ._vector import SparseVector


def axis_of(what: str, axis: Any, out: None = None) -> int | None:
    """0, 1 or None. NumPy's functions, such as np.sum(A), pass `out`, which sparse arrays do not have."""
    if out is not None:
        raise ArgumentTypeError(f"{what}: sparse arrays have no out=")
    if isinstance(axis, tuple) and len(axis) == 1:
        axis = axis[0]
    if axis is None or (isinstance(axis, tuple) and sorted(one % 2 for one in axis) == [0, 1]):
        return None
    if not isinstance(axis, (int, np.integer)) or not -2 <= axis < 2:
        raise ArgumentValueError(f"{what}: axis must be 0, 1 or None, got {axis!r}")
    return int(axis) % 2


def _counts(matrix: SparseCsr, axis: int | None) -> Any:
    """Entries of each column (axis 0) or row (axis 1)."""
    if axis is None:
        return int(matrix.nnz)
    if axis == 1:
        return (matrix.indptr[1:] - matrix.indptr[:-1]).astype("int64")
    ones = _functions.ones(matrix.nnz, "int64", device=matrix.data.device)
    return matrix.with_data(ones).column_sums()


class Reductions(Entries):
    """What sparse arrays compute of all elements, or of each row or column."""

    def getnnz(self, axis: int | None = None) -> Any:
        """Return the number of stored entries: of all, of each column (axis 0) or of each row (axis 1).

        Parameters
        ----------
        axis : int, optional
            0 for each column, 1 for each row; by default all elements.

        Returns
        -------
        int or Array
            The number, or numbers as int64.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> print(A.getnnz(axis=1))
        [2 1]
        """
        return self.nnz if axis is None else _counts(self._csr(), axis_of("getnnz", axis))

    def count_nonzero(self, axis: int | None = None) -> Any:
        """Return the number of elements that are not zero; duplicates are summed first.

        Parameters
        ----------
        axis : int, optional
            0 for each column, 1 for each row; by default all elements.

        Returns
        -------
        int or Array
            The number, or numbers as int64.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> A.count_nonzero()
        3
        """
        matrix = self._csr().sum_duplicates().eliminate_zeros()
        return int(matrix.nnz) if axis is None else _counts(matrix, axis_of("count_nonzero", axis))

    def sum(self, axis: int | None = None, dtype: Any = None, out: None = None) -> Array:
        """Return the sum of all elements, or of each column (axis 0) or row (axis 1).

        Parameters
        ----------
        axis : int, optional
            0 for each column, 1 for each row; by default all elements.
        dtype : dtype, optional
            Dtype of the result.
        out : None, optional
            Must be None; NumPy's functions, such as np.sum(A), pass it.

        Returns
        -------
        Array
            The sum, or that of each line.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> print(A.sum(), A.sum(axis=0))
        6.0 [1. 3. 2.]
        """
        axis = axis_of("sum", axis, out)
        kind = self.dtype.kind
        # Booleans are summed as integers, but two entries at one place are one element.
        matrix = self._csr().sum_duplicates() if kind == "b" and axis is None else self._csr()
        wide = np.dtype(np.uint64 if kind == "u" else np.int64) if kind in "bui" else self.dtype
        matrix = matrix.with_data(matrix.data.astype(np.dtype(dtype) if dtype is not None else wide))
        if axis is None:
            return matrix.data.sum(dtype=matrix.data.dtype)
        return matrix.row_sums() if axis == 1 else matrix.column_sums()

    def mean(self, axis: int | None = None, dtype: Any = None, out: None = None) -> Array:
        """Return the mean of all elements, or of each column (axis 0) or row (axis 1).

        Parameters
        ----------
        axis : int, optional
            0 for each column, 1 for each row; by default all elements.
        dtype : dtype, optional
            Dtype of the result.
        out : None, optional
            Must be None; NumPy's functions, such as np.sum(A), pass it.

        Returns
        -------
        Array
            The mean, or that of each line.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> A.mean().item()
        1.0
        """
        axis = axis_of("mean", axis, out)
        rows, columns = self.shape
        count = rows * columns if axis is None else rows if axis == 0 else columns
        kind = np.dtype(dtype) if dtype is not None else np.result_type(self.dtype, np.float32(0))
        if dtype is None and self.dtype.kind in "bui":
            kind = np.dtype(np.float64)
        return self.sum(axis, dtype=kind) / count

    def max(self, axis: int | None = None, out: None = None, *, explicit: bool = False) -> Any:
        """Return the maximum of all elements, or a SparseVector of that of each column (axis 0) or row (axis 1).

        Zeros that are not stored count, unless `explicit` is set.

        Parameters
        ----------
        axis : int, optional
            0 for each column, 1 for each row; by default all elements.
        out : None, optional
            Must be None; NumPy's functions, such as np.sum(A), pass it.
        explicit : bool, optional
            If True, zeros that are not stored do not count.

        Returns
        -------
        Array or SparseVector
            The maximum, or that of each line.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> A.max().item()
        3.0
        """
        return self._extreme("maximum", axis_of("max", axis, out), explicit)

    def min(self, axis: int | None = None, out: None = None, *, explicit: bool = False) -> Any:
        """Return the minimum of all elements, or a SparseVector of that of each column (axis 0) or row (axis 1).

        Parameters
        ----------
        axis : int, optional
            0 for each column, 1 for each row; by default all elements.
        out : None, optional
            Must be None; NumPy's functions, such as np.sum(A), pass it.
        explicit : bool, optional
            If True, zeros that are not stored do not count.

        Returns
        -------
        Array or SparseVector
            The minimum, or that of each line.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> A.min().item(), A.min(explicit=True).item()
        (0.0, 1.0)
        """
        return self._extreme("minimum", axis_of("min", axis, out), explicit)

    def nanmax(self, axis: int | None = None, out: None = None, *, explicit: bool = False) -> Any:
        """Return the maximum of the elements that are not NaN, like max().

        Parameters
        ----------
        axis : int, optional
            0 for each column, 1 for each row; by default all elements.
        out : None, optional
            Must be None; NumPy's functions, such as np.sum(A), pass it.
        explicit : bool, optional
            If True, zeros that are not stored do not count.

        Returns
        -------
        Array or SparseVector
            The maximum, or that of each line.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> A.nanmax().item()
        3.0
        """
        return self._extreme("fmax", axis_of("nanmax", axis, out), explicit)

    def nanmin(self, axis: int | None = None, out: None = None, *, explicit: bool = False) -> Any:
        """Return the minimum of the elements that are not NaN, like max().

        Parameters
        ----------
        axis : int, optional
            0 for each column, 1 for each row; by default all elements.
        out : None, optional
            Must be None; NumPy's functions, such as np.sum(A), pass it.
        explicit : bool, optional
            If True, zeros that are not stored do not count.

        Returns
        -------
        Array or SparseVector
            The minimum, or that of each line.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> A.nanmin().item()
        0.0
        """
        return self._extreme("fmin", axis_of("nanmin", axis, out), explicit)

    def argmax(self, axis: int | None = None, out: None = None, *, explicit: bool = False) -> Any:
        """Return the index of the first maximum: in the flattened matrix, or an Array for each column (axis 0) or row (axis 1).

        Zeros that are not stored count, unless `explicit` is set; lines without entries then give 0.

        Parameters
        ----------
        axis : int, optional
            0 for each column, 1 for each row; by default all elements.
        out : None, optional
            Must be None; NumPy's functions, such as np.sum(A), pass it.
        explicit : bool, optional
            If True, zeros that are not stored do not count.

        Returns
        -------
        int or Array
            Index, or indices as int64.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> A.argmax()
        4
        """
        return self._place_of_extreme("argmax", axis_of("argmax", axis, out), explicit)

    def argmin(self, axis: int | None = None, out: None = None, *, explicit: bool = False) -> Any:
        """Return the index of the first minimum, like argmax().

        Parameters
        ----------
        axis : int, optional
            0 for each column, 1 for each row; by default all elements.
        out : None, optional
            Must be None; NumPy's functions, such as np.sum(A), pass it.
        explicit : bool, optional
            If True, zeros that are not stored do not count.

        Returns
        -------
        int or Array
            Index, or indices as int64.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> A.argmin()
        1
        """
        return self._place_of_extreme("argmin", axis_of("argmin", axis, out), explicit)

    def _lines_along(self, axis: int) -> SparseCsr:
        """The matrix whose rows are reduced, sorted and without duplicates."""
        matrix = self._csr()
        return (matrix.transposed(not self._is_exposed) if axis == 0 else matrix).sum_duplicates()

    def _extreme(self, name: str, axis: int | None, explicit: bool) -> Any:
        """`name` is a function of two elements, of which one is the result."""
        rows, columns = self.shape
        if (rows * columns if axis is None else self.shape[axis]) == 0:
            raise ArgumentValueError(f"{name}: a line without elements has no extreme")
        combine = getattr(_functions, name)
        zero = self.dtype.type(0)
        if axis is None:
            data = self._csr().sum_duplicates().data
            if data.size == 0:
                return asarray(zero, device=self.device)
            most = combine.reduce(data)
            return most if explicit or data.size == rows * columns else combine(most, zero)
        lines = self._lines_along(axis)
        count, length = lines.shape
        if lines.nnz == 0:
            return SparseVector(zeros(count, self.dtype, device=self.device))
        lengths = lines.indptr[1:] - lines.indptr[:-1]
        used = flatnonzero(lengths)
        most = combine.reduceat(lines.data, lines.indptr[used])
        if not explicit:
            most = where(lengths[used] < length, combine(most, zero), most)
        result = zeros(count, self.dtype, device=self.device)
        result[used] = most
        return SparseVector(result)

    def _place_of_extreme(self, name: str, axis: int | None, explicit: bool) -> Any:
        if axis is None:
            return self._place_in_all(name, explicit)
        if self.shape[axis] == 0:
            raise ArgumentValueError(f"{name}: lines without elements have no extreme")
        lines = self._lines_along(axis)
        count, length = lines.shape
        result = zeros(count, np.int64, device=self.device)
        if lines.nnz == 0:
            return result
        combine = _functions.maximum if name == "argmax" else _functions.minimum
        lengths = (lines.indptr[1:] - lines.indptr[:-1]).astype("int64")
        used = flatnonzero(lengths)
        starts = lines.indptr[used]
        rows, columns = lines.row_indices(), lines.indices.astype("int64")
        most = combine.reduceat(lines.data, starts)
        of_line = zeros(count, self.dtype, device=self.device)
        of_line[used] = most
        # The first column with the extreme, and the first one without an entry, which is zero.
        data = lines.data
        is_extreme = (data == of_line[rows]) | (data != data)
        first = _functions.minimum.reduceat(where(is_extreme, columns, length), starts)
        if not explicit:
            places = (
                arange(lines.nnz, dtype=np.int64, device=self.device) - lines.indptr.astype("int64")[rows]
            )
            gap = _functions.minimum.reduceat(where(columns != places, places, length), starts)
            gap = where(gap < lengths[used], gap, lengths[used])
            is_beyond = (most > 0) if name == "argmax" else (most < 0)
            is_stored = is_beyond | (most != most) | (lengths[used] == length)
            first = where(is_stored, first, where((most == 0) & (first < gap), first, gap))
        result[used] = first
        return result

    def _place_in_all(self, name: str, explicit: bool) -> int:
        rows, columns = self.shape
        if rows * columns == 0:
            raise ArgumentValueError(f"{name}: a matrix without elements has no extreme")
        matrix = self._csr().sum_duplicates()
        if matrix.nnz == 0:
            if explicit:
                raise ArgumentValueError(
                    f"{name}: a matrix without entries has no extreme when explicit=True"
                )
            return 0
        at = int(getattr(matrix.data, name)())
        if explicit:
            return at
        keys = matrix.row_indices().astype("int64") * columns + matrix.indices
        most = matrix.data[at].item()
        is_beyond = most > 0 if name == "argmax" else most < 0
        if is_beyond or most != most or matrix.nnz == rows * columns:
            return int(keys[at])
        is_moved = keys != arange(matrix.nnz, dtype=np.int64, device=self.device)
        gap = int(is_moved.argmax()) if bool(is_moved.any()) else matrix.nnz
        return min(int(keys[at]), gap) if most == 0 else gap

    def diagonal(self, k: int = 0) -> Array:
        """Return a diagonal: `k` is its offset from the main one, positive above it, negative below.

        Parameters
        ----------
        k : int, optional
            Offset of the diagonal from the main one: positive above it, negative below.

        Returns
        -------
        Array
            The elements, of zeros too.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> print(A.diagonal())
        [1. 3.]
        """
        return self._csr().diagonal(k)

    def trace(self, offset: int = 0) -> Array:
        """Return the sum of a diagonal; `offset` is positive above the main one, negative below.

        Parameters
        ----------
        offset : int, optional
            Offset of the diagonal from the main one, positive above it, negative below.

        Returns
        -------
        Array
            The sum.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> A.trace().item()
        4.0
        """
        return self.diagonal(offset).sum()

    def nonzero(self) -> tuple[Array, Array]:
        """Return row and column indices of the elements that are not zero.

        Returns
        -------
        tuple of Array
            Rows and columns of the nonzero elements.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> rows, columns = A.nonzero()
        >>> print(rows, columns)
        [0 0 1] [0 2 1]
        """
        matrix = self._csr().sum_duplicates().eliminate_zeros()
        return matrix.row_indices(), matrix.indices.copy()
