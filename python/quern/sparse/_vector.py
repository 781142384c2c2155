# SPDX-License-Identifier: MIT
"""Sparse arrays of one dimension: rows and columns of sparse matrices."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from .._array import asarray
from .._core import ArgumentIndexError, ArgumentValueError, Array, Device, SparseCsr, sparse_csr_of_dense
from ._index import is_integer


class SparseVector:
    """One-dimensional sparse array, in coordinate (COO) format. Indexing a sparse matrix with an integer returns it.

    Parameters
    ----------
    values : array_like
        Elements; the nonzero ones are stored.

    Examples
    --------
    >>> A = qn.sparse.csr_array([[1, 0, 2], [0, 3, 0]])
    >>> print(A[0].toarray(), A[:, 1].nnz, A[0] @ qn.ones(3))
    [1 0 2] 1 3.0
    """

    format: ClassVar[str] = "coo"
    ndim: ClassVar[int] = 1
    __array_ufunc__ = None
    __array_priority__ = 2000

    def __init__(self, values: Any) -> None:
        dense = values if isinstance(values, Array) else asarray(values)
        if dense.ndim != 1:
            raise ArgumentValueError(f"expected one dimension, got {dense.ndim}")
        self._row = sparse_csr_of_dense(dense.reshape(1, -1))

    @classmethod
    def _of_row(cls, row: SparseCsr) -> SparseVector:
        """The row of a matrix that has only this one."""
        result = cls.__new__(cls)
        result._row = row
        return result

    def to_device(self, device: Any) -> SparseVector:
        """Return the vector on a device.

        Parameters
        ----------
        device : Device or str
            Device of the result.

        Returns
        -------
        SparseVector
            The vector on that device.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> A[0].to_device("host").device.spec
        'host'
        """
        row = self._row
        parts = (part.to_device(device) for part in (row.data, row.indices, row.indptr))
        return self._of_row(SparseCsr(row.shape, *parts))

    def __reduce__(self) -> tuple[Any, ...]:
        row = self._row
        return _vector_of_parts, (row.shape, row.data, row.indices, row.indptr)

    def __copy__(self) -> SparseVector:
        return self._of_row(self._row)

    def __deepcopy__(self, memo: Any) -> SparseVector:
        return self._of_row(self._row.with_data(self._row.data.copy()))

    @property
    def shape(self) -> tuple[int]:
        """Number of elements, zeros included."""
        return (self._row.shape[1],)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Dtype of the entries."""
        return self._row.data.dtype

    @property
    def device(self) -> Device:
        """Device of the entries."""
        return self._row.data.device

    @property
    def nnz(self) -> int:
        """Number of stored entries."""
        return self._row.nnz

    @property
    def data(self) -> Array:
        """Values of the entries."""
        return self._row.data

    @property
    def coords(self) -> tuple[Array]:
        """Indices of the entries."""
        return (self._row.indices.copy(),)

    def _matrix(self) -> Any:
        from ._compressed import csr_array

        return csr_array._of_lines(self._row)

    def tocsr(self) -> Any:
        """Return a matrix of one row, in CSR format.

        Returns
        -------
        csr_array
            The matrix.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> A[0].tocsr().shape
        (1, 3)
        """
        return self._matrix().copy()

    def toarray(self) -> Array:
        """Return a dense array.

        Returns
        -------
        Array
            The elements.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> print(A[0].toarray())
        [1. 0. 2.]
        """
        return self._row.to_dense().reshape(-1)

    todense = toarray

    def get(self) -> Any:
        """Return a SciPy array with a copy of the entries; needs SciPy.

        Returns
        -------
        SciPy sparse array
            The copy, of one dimension.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> A[0].get().shape
        (3,)
        """
        return self._matrix().get().tocoo().reshape(-1)

    def copy(self) -> SparseVector:
        """Return a copy.

        Returns
        -------
        SparseVector
            The copy, whose values are its own.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> A[0].copy().nnz
        2
        """
        return self._of_row(self._row.with_data(self._row.data.copy()))

    def astype(self, dtype: Any) -> SparseVector:
        """Return the vector with entries of another dtype.

        Parameters
        ----------
        dtype : dtype
            Dtype of the entries.

        Returns
        -------
        SparseVector
            The converted vector.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> A[0].astype("int64").dtype
        dtype('int64')
        """
        return self._of_row(self._row.with_data(self._row.data.astype(dtype)))

    def sum(self) -> Array:
        """Return the sum of all elements.

        Returns
        -------
        Array
            The sum.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> A[0].sum().item()
        3.0
        """
        return self._matrix().sum()  # type: ignore[no-any-return]

    def max(self) -> Array:
        """Return the maximum of all elements, zeros included.

        Returns
        -------
        Array
            The maximum.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> A[0].max().item()
        2.0
        """
        return self._matrix().max()  # type: ignore[no-any-return]

    def min(self) -> Array:
        """Return the minimum of all elements, zeros included.

        Returns
        -------
        Array
            The minimum.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> A[0].min().item()
        0.0
        """
        return self._matrix().min()  # type: ignore[no-any-return]

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, tuple):
            if len(key) != 1:
                raise ArgumentIndexError(f"a sparse vector takes one index, got {len(key)}")
            key = key[0]
        return self._matrix()[0, key] if is_integer(key) else self._of_row(self._matrix()[[0]][:, key]._csr())

    def _binary(self, name: str, other: Any) -> Any:
        if isinstance(other, SparseVector):
            if other.shape != self.shape:
                raise ArgumentValueError(f"inconsistent shapes {self.shape} and {other.shape}")
            other = other._matrix()
        result = getattr(self._matrix(), name)(other)
        if isinstance(result, Array):
            return result.reshape(-1)
        return NotImplemented if result is NotImplemented else self._of_row(result._csr())

    def __add__(self, other: Any) -> Any:
        return self._binary("__add__", other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._binary("__sub__", other)

    def __rsub__(self, other: Any) -> Any:
        return self._binary("__rsub__", other)

    def __mul__(self, other: Any) -> Any:
        return self._binary("__mul__", other)

    __rmul__ = __mul__

    def multiply(self, other: Any) -> Any:
        """Return the element-wise product.

        Parameters
        ----------
        other : sparse array, array_like or number
            Second operand; arrays are broadcast.

        Returns
        -------
        SparseVector
            The products.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> print(A[0].multiply(2).toarray())
        [2. 0. 4.]
        """
        return self * other

    def __truediv__(self, other: Any) -> Any:
        return self._binary("__truediv__", other)

    def __neg__(self) -> SparseVector:
        return self._of_row(self._row.with_data(-self._row.data))

    def __abs__(self) -> Any:
        return self._of_row(abs(self._matrix())._csr())

    def __matmul__(self, other: Any) -> Any:
        """Product with a vector, or with a matrix on the right.

        Parameters
        ----------
        other : sparse array, array_like or number
            What is multiplied with the array from the right.

        Returns
        -------
        Array or SparseVector
            The product.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> A[0].dot(qn.ones(3)).item()
        3.0
        """
        if isinstance(other, SparseVector):
            other = other.toarray()
        result = self._matrix() @ other
        if isinstance(result, Array):
            return result[0]
        return self._of_row(result._csr())

    dot = __matmul__

    def __rmatmul__(self, other: Any) -> Any:
        if isinstance(other, (Array, np.ndarray, list)):
            dense = other if isinstance(other, Array) else asarray(other, device=self.device)
            return self._matrix() @ dense if dense.ndim == 1 else dense @ self.toarray()
        return other @ self.toarray()

    def __len__(self) -> int:
        raise TypeError("the length of a sparse vector is ambiguous; use shape[0] or nnz")

    def __repr__(self) -> str:
        return (
            f"<SparseVector of dtype {self.dtype} with {self.nnz} stored entries and shape {self.shape} "
            f"on {self.device.spec}>"
        )


def _vector_of_parts(shape: tuple[int, int], values: Array, indices: Array, starts: Array) -> SparseVector:
    return SparseVector._of_row(SparseCsr(shape, values, indices, starts))
