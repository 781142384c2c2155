# SPDX-License-Identifier: MIT
"""The base class of all formats: construction, conversions, changes of the shape, items."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core import ArgumentTypeError, ArgumentValueError, Array
from .._functions import conj as _conj
from ._arithmetic import Arithmetic
from ._entries import FORMATS, as_sparse, with_own_values
from ._foreign import is_torch
from ._index import lengths_of, shape_of
from ._items import get_items, set_items
from ._reductions import Reductions
from ._vector import SparseVector


class SparseArray(Arithmetic, Reductions):
    """A sparse matrix of two dimensions in device memory; the class of each format derives from it.

    Examples
    --------
    >>> matrix = qn.sparse.csr_array(np.eye(3))
    >>> isinstance(matrix, qn.sparse.SparseArray), matrix.nnz
    (True, 3)
    """

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
        self._make(as_sparse(arg1, device) if is_torch(arg1) else arg1, wanted, dtype, copy, device)
        if wanted is not None and wanted != self._shape:
            raise ArgumentValueError(f"shape {wanted} does not fit a matrix of shape {self._shape}")

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} of dtype {self.dtype} with {self.nnz} stored entries and shape {self.shape} "
            f"on {self.device.spec}>"
        )

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise ArgumentTypeError("a sparse array is not a dense one; use .toarray(), or A @ x for products")

    def __bool__(self) -> bool:
        if self.shape == (1, 1):
            return self.nnz != 0
        raise ArgumentValueError("the truth value of a sparse array with more than one element is ambiguous")

    def __len__(self) -> int:
        raise ArgumentTypeError("the length of a sparse array is ambiguous; use shape[0] or nnz")

    def __iter__(self) -> Any:
        return (self[row] for row in range(self._shape[0]))

    # Conversions.
    def asformat(self, format: str | None, copy: bool = False) -> Any:
        """Convert the matrix to another format.

        Parameters
        ----------
        format : str
            "csr", "csc", "coo", "bsr" or "dia"; None for the format of the array.
        copy : bool, optional
            If True, the result never shares values with the array.

        Returns
        -------
        sparse array
            The matrix in this format; itself if it has the format already.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> A.asformat("coo").format
        'coo'
        """
        if format is None or format == self.format:
            return self.copy() if copy else self
        if format not in FORMATS:
            raise ArgumentValueError(f"format: expected one of {', '.join(FORMATS)}, got {format!r}")
        matrix = self._csr()
        # What is kept with this array must not change when a caller writes to the result.
        return FORMATS[format]._of_csr(with_own_values(matrix) if format == "csr" else matrix)

    def tocsr(self, copy: bool = False) -> Any:
        """Return the matrix in compressed sparse row (CSR) format.

        Parameters
        ----------
        copy : bool, optional
            If True, the result never shares values with the array.

        Returns
        -------
        csr_array
            The matrix in this format.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> print(A.tocsr().indptr)
        [0 2 3]
        """
        return self.asformat("csr", copy)

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
        return self.asformat("csc", copy)

    def tocoo(self, copy: bool = False) -> Any:
        """Return the matrix in coordinate (COO) format.

        Parameters
        ----------
        copy : bool, optional
            If True, the result never shares values with the array.

        Returns
        -------
        coo_array
            The matrix in this format.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> print(A.tocoo().row)
        [0 0 1]
        """
        return self.asformat("coo", copy)

    def todia(self, copy: bool = False) -> Any:
        """Return the matrix in diagonal (DIA) format.

        Parameters
        ----------
        copy : bool, optional
            If True, the result never shares values with the array.

        Returns
        -------
        dia_array
            The matrix in this format.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> print(A.todia().offsets)
        [0 2]
        """
        return self.asformat("dia", copy)

    def tobsr(self, blocksize: tuple[int, int] | None = None, copy: bool = False) -> Any:
        """Return the matrix in block sparse row (BSR) format.

        Parameters
        ----------
        blocksize : tuple of int, optional
            Shape of the blocks; (1, 1) by default.
        copy : bool, optional
            If True, the result never shares values with the array.

        Returns
        -------
        bsr_array
            The matrix in this format.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> A.tobsr((1, 3)).blocksize
        (1, 3)
        """
        if self.format == "bsr" and blocksize is None:
            return self.copy() if copy else self
        return FORMATS["bsr"]._of_csr(self._csr(), blocksize or (1, 1))

    def to_scipy(self) -> Any:
        """Return a SciPy array with a copy of the entries; needs SciPy.

        Returns
        -------
        SciPy sparse array
            The copy, in the same format.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> A.to_scipy().nnz
        3
        """
        return self.get()

    def to_device(self, device: Any) -> Any:
        """Return the matrix on a device; itself if it is there.

        Parameters
        ----------
        device : Device or str
            Device of the result.

        Returns
        -------
        sparse array
            The matrix on that device.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> A.to_device("host").device.spec
        'host'
        """
        moved = tuple(part.to_device(device) for part in self._arrays())
        if moved[0].device == self.device:
            return self
        return self._of_arrays(self._shape, moved)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._of_arrays, (self._shape, self._arrays())

    def __copy__(self) -> Any:
        return self._with_values(self._values())._sharing(self)

    def __deepcopy__(self, memo: Any) -> Any:
        return self.copy()

    def astype(self, dtype: Any, casting: str = "unsafe", copy: bool = True) -> Any:
        """Convert the entries to another dtype.

        Parameters
        ----------
        dtype : dtype
            Dtype of the entries.
        casting : str, optional
            Rule that must allow the conversion: "no", "equiv", "safe", "same_kind" or "unsafe".
        copy : bool, optional
            If True, the result never shares values with the array.

        Returns
        -------
        sparse array
            The matrix with the converted entries.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> A.astype("int64").dtype
        dtype('int64')
        """
        if np.dtype(dtype) == self.dtype and not copy:
            return self
        return self._with_values(self._values().astype(dtype, casting=casting, copy=True))

    def conj(self, copy: bool = True) -> Any:
        """Return the complex conjugate.

        Parameters
        ----------
        copy : bool, optional
            If True, the result never shares values with the array.

        Returns
        -------
        sparse array
            The matrix of the conjugates.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> qn.sparse.csr_array([[1 + 2j]]).conj().toarray().item()
        (1-2j)
        """
        if not copy and self.dtype.kind != "c":
            return self
        return self._with_values(_conj(self._values()).copy())

    conjugate = conj

    def transpose(self, axes: Any = None, copy: bool = False) -> Any:
        """Return the transpose.

        Parameters
        ----------
        axes : tuple of int, optional
            None or (1, 0).
        copy : bool, optional
            If True, the result never shares values with the array.

        Returns
        -------
        sparse array
            The transpose, which shares its values with the array if its format allows it.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> A.transpose().shape
        (3, 2)
        """
        if axes is not None and tuple(axes) not in ((1, 0), (-1, -2)):
            raise ArgumentValueError("transpose: sparse arrays take no other order of axes than (1, 0)")
        result = self._transposed()
        return result.copy() if copy else result

    def _transposed(self) -> Any:
        return FORMATS[self.format]._of_csr(self._csr().transposed(not self._is_exposed))

    @property
    def T(self) -> Any:
        """The transpose."""
        return self.transpose()

    # Changes of the shape.
    def reshape(self, *shape: Any, order: str = "C", copy: bool = False) -> Any:
        """Return the elements in another shape, in the same format; a SparseVector for one length.

        One length may be -1. With `order` "F" columns are read and written first.

        Parameters
        ----------
        *shape : int or tuple of int
            New lengths, of which one may be -1.
        order : str, optional
            "C": rows are read and written first; "F": columns are.
        copy : bool, optional
            If True, the result never shares values with the array.

        Returns
        -------
        sparse array or SparseVector
            The elements in the new shape.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> A.reshape(3, -1).shape
        (3, 2)
        """
        lengths = lengths_of(shape[0] if len(shape) == 1 else shape, self._shape[0] * self._shape[1])
        if order not in ("C", "F"):
            raise ArgumentValueError(f"reshape: order must be 'C' or 'F', got {order!r}")
        if lengths == self._shape:
            return self.copy() if copy else self
        rows, columns = lengths if len(lengths) == 2 else (1, lengths[0])
        made = FORMATS["coo"]._of_csr(self._csr())
        values, row, column = made._parts
        row, column = row.astype("int64"), column.astype("int64")
        if order == "C":
            place = row * self._shape[1] + column
            parts = (place // max(columns, 1), place % max(columns, 1))
        else:
            place = column * self._shape[0] + row
            parts = (place % max(rows, 1), place // max(rows, 1))
        narrow = "int32" if max(rows, columns) < 2**31 else "int64"
        made = FORMATS["coo"]._of_parts((rows, columns), (values, *(part.astype(narrow) for part in parts)))
        return made.asformat(self.format) if len(lengths) == 2 else SparseVector._of_row(made._csr())

    def resize(self, *shape: Any) -> None:
        """Change the shape in place; elements outside the new shape are dropped, new ones are zero.

        Parameters
        ----------
        *shape : int or tuple of int
            Number of rows and number of columns.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> A.resize(1, 2)
        >>> print(A.toarray())
        [[1. 0.]]
        """
        rows, columns = shape_of(shape[0] if len(shape) == 1 else shape)
        made = FORMATS["coo"]._of_csr(self._csr())
        values, row, column = made._parts
        if rows < self._shape[0] or columns < self._shape[1]:
            kept = (row < rows) & (column < columns)
            values, row, column = values[kept], row[kept], column[kept]
        self._become(FORMATS["coo"]._of_parts((rows, columns), (values, row, column)))

    def setdiag(self, values: Any, k: int = 0) -> None:
        """Set a diagonal in place: to a number, or to the elements of a vector as far as it goes.

        Parameters
        ----------
        values : array_like
            A number, or a vector that is written as far as it goes.
        k : int, optional
            Offset of the diagonal from the main one: positive above it, negative below.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> A.setdiag(5)
        >>> print(A.toarray())
        [[5. 0. 2.]
         [0. 5. 0.]]
        """
        length = min(self._shape[0] + min(k, 0), self._shape[1] - max(k, 0))
        if length <= 0:
            raise ArgumentValueError(f"setdiag: k = {k} is outside of a matrix of shape {self._shape}")
        given = values if isinstance(values, Array) else np.asarray(values)
        if given.ndim > 1:
            raise ArgumentValueError("setdiag: expected a number or a vector")
        if given.ndim == 1:
            given = given[:length]
            length = len(given)
        places = np.arange(length)
        target = self if self.format in ("csr", "csc", "coo") else self.tocsr()
        target[places + max(-k, 0), places + max(k, 0)] = given
        if target is not self:
            self._become(target)

    def _become(self, other: Any) -> None:
        """Take the elements of another sparse array, in the format of this one."""
        made = other.asformat(self.format)
        self.__dict__.update(made.__dict__)

    def __getitem__(self, key: Any) -> Any:
        return get_items(self, key, FORMATS["csc" if self.format == "csc" else "csr"]._of_csr)

    def __setitem__(self, key: Any, values: Any) -> None:
        set_items(self, key, values)


def issparse(x: Any) -> bool:
    """Test whether an object is a sparse array of Quern.

    Parameters
    ----------
    x : object
        Object to test.

    Returns
    -------
    bool
        True for sparse arrays of Quern; False for those of SciPy.

    Examples
    --------
    >>> qn.sparse.issparse(qn.sparse.csr_array([[1]])), qn.sparse.issparse(qn.ones(2))
    (True, False)
    """
    return isinstance(x, SparseArray)
