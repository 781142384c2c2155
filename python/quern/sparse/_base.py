# SPDX-License-Identifier: MIT
"""What all sparse formats share: attributes, conversions, operators. Operations run on compressed rows in C++."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from .._array import asarray
from .._core import (
    ArgumentTypeError,
    ArgumentValueError,
    Array,
    Device,
    SparseCsr,
)
from .._functions import abs as _absolute
from .._functions import conj as _conj
from ._foreign import is_foreign, is_scipy, is_torch, torch_parts
from ._index import shape_of
from ._items import get_items, set_items
from ._vector import SparseVector

_FORMATS: dict[str, type[SparseArray]] = {}


class SparseArray:
    """A sparse matrix of two dimensions in device memory; the class of each format derives from it."""

    format: ClassVar[str] = ""
    ndim: ClassVar[int] = 2
    # NumPy's operators leave the work to the reflected operators of this class.
    __array_ufunc__ = None
    __array_priority__ = 2000

    _shape: tuple[int, int]
    # Set when a caller got an array that it may write to: what is derived from the values is then not kept.
    # Matrices that share their values, as A and A.T, share the flag.
    _exposure: list[bool]
    _kept: SparseCsr | None

    @property
    def _is_exposed(self) -> bool:
        return self._exposure[0]

    @_is_exposed.setter
    def _is_exposed(self, value: bool) -> None:
        if "_exposure" in self.__dict__:
            self._exposure[0] = value
        else:
            self._exposure = [value]

    def _sharing(self, other: SparseArray) -> Any:
        """This matrix, marked as one that shares its values with another."""
        self._exposure = other._exposure
        return self

    def __init_subclass__(cls) -> None:
        _FORMATS[cls.format] = cls

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

    # Each format defines these.
    def _make(self, given: Any, wanted: tuple[int, int] | None, dtype: Any, copy: bool, device: Any) -> None:
        """Set the shape and the arrays from what a constructor is given."""
        raise NotImplementedError

    def _to_csr(self) -> SparseCsr:
        raise NotImplementedError

    @classmethod
    def _of_csr(cls, matrix: SparseCsr) -> Any:
        raise NotImplementedError

    def _values(self) -> Array:
        raise NotImplementedError

    def _with_values(self, values: Array) -> Any:
        raise NotImplementedError

    def _arrays(self) -> tuple[Array, ...]:
        """Values and indices, which `_of_arrays` takes."""
        raise NotImplementedError

    @classmethod
    def _of_arrays(cls, shape: tuple[int, int], arrays: tuple[Array, ...]) -> Any:
        raise NotImplementedError

    def get(self) -> Any:
        """Return a SciPy array with a copy of the entries; needs SciPy."""
        raise NotImplementedError

    def _summed(self) -> Any:
        """The matrix without two entries at one place, for functions that do not distribute over sums."""
        return _FORMATS[self.format]._of_csr(self._csr().sum_duplicates())

    def _csr(self) -> SparseCsr:
        """The matrix in compressed rows."""
        if self._is_exposed:
            self._kept = None
            return self._to_csr()
        if self._kept is None:
            self._kept = self._to_csr()
        return self._kept

    # Attributes.
    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        return self._shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Dtype of the entries."""
        return self._values().dtype

    @property
    def device(self) -> Device:
        """Device of the entries."""
        return self._values().device

    @property
    def data(self) -> Array:
        """Values of the entries; writing to them changes the matrix."""
        self._is_exposed = True
        return self._values()

    @data.setter
    def data(self, values: Any) -> None:
        changed = self._with_values(asarray(values, device=self.device))
        self.__dict__.update(changed.__dict__)
        self._is_exposed = True

    @property
    def nnz(self) -> int:
        """Number of stored entries, explicit zeros included."""
        return int(self._values().size)

    @property
    def size(self) -> int:
        """Number of stored entries."""
        return self.nnz

    @property
    def nbytes(self) -> int:
        """Bytes of the values."""
        return self._values().nbytes

    @property
    def T(self) -> Any:
        """The transpose."""
        return self.transpose()

    @property
    def real(self) -> Any:
        """Real parts."""
        return self._with_values(self._values().real.copy())

    @property
    def imag(self) -> Any:
        """Imaginary parts."""
        return self._with_values(self._values().imag.copy())

    def getnnz(self, axis: int | None = None) -> Any:
        """Return the number of stored entries: of all, of each column (axis 0) or of each row (axis 1)."""
        if axis is None:
            return self.nnz
        ones = self._csr().with_data(
            asarray(np.ones(1, np.int64), device=self.device).repeat(self._csr().nnz)
        )
        return _FORMATS["csr"]._of_csr(ones).sum(axis)

    def count_nonzero(self) -> int:
        """Return the number of entries that are not zero; duplicates are summed first."""
        return int(self._csr().sum_duplicates().eliminate_zeros().nnz)

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
        raise ArgumentTypeError("sparse arrays cannot be iterated; use slices of rows")

    # Conversions.
    def asformat(self, format: str | None, copy: bool = False) -> Any:
        """Return the matrix in the format "csr", "csc", "coo", "bsr" or "dia"."""
        if format is None or format == self.format:
            return self.copy() if copy else self
        if format not in _FORMATS:
            raise ArgumentValueError(f"format: expected one of {', '.join(_FORMATS)}, got {format!r}")
        matrix = self._csr()
        # What is kept with this array must not change when a caller writes to the result.
        return _FORMATS[format]._of_csr(with_own_values(matrix) if format == "csr" else matrix)

    def tocsr(self, copy: bool = False) -> Any:
        """Return the matrix in compressed sparse row (CSR) format."""
        return self.asformat("csr", copy)

    def tocsc(self, copy: bool = False) -> Any:
        """Return the matrix in compressed sparse column (CSC) format."""
        return self.asformat("csc", copy)

    def tocoo(self, copy: bool = False) -> Any:
        """Return the matrix in coordinate (COO) format."""
        return self.asformat("coo", copy)

    def todia(self, copy: bool = False) -> Any:
        """Return the matrix in diagonal (DIA) format."""
        return self.asformat("dia", copy)

    def tobsr(self, blocksize: tuple[int, int] | None = None, copy: bool = False) -> Any:
        """Return the matrix in block sparse row (BSR) format, with blocks of this shape; (1, 1) by default."""
        if self.format == "bsr" and blocksize is None:
            return self.copy() if copy else self
        return _FORMATS["bsr"]._of_csr(self._csr(), blocksize or (1, 1))  # type: ignore[call-arg]

    def toarray(self) -> Array:
        """Return the matrix as a dense array."""
        return self._csr().to_dense()

    todense = toarray

    def to_scipy(self) -> Any:
        """Return a SciPy array with a copy of the entries; needs SciPy."""
        return self.get()

    def copy(self) -> Any:
        """Return a copy."""
        return self._with_values(self._values().copy())

    def to_device(self, device: Any) -> Any:
        """Return the matrix on a device; itself if it is there."""
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
        """Return the matrix with entries of another dtype."""
        if np.dtype(dtype) == self.dtype and not copy:
            return self
        return self._with_values(self._values().astype(dtype, casting=casting, copy=True))

    def conj(self, copy: bool = True) -> Any:
        """Return the complex conjugate."""
        if not copy and self.dtype.kind != "c":
            return self
        return self._with_values(_conj(self._values()).copy())

    conjugate = conj

    def transpose(self, axes: Any = None, copy: bool = False) -> Any:
        """Return the transpose."""
        if axes is not None and tuple(axes) not in ((1, 0), (-1, -2)):
            raise ArgumentValueError("transpose: sparse arrays take no other order of axes than (1, 0)")
        result = self._transposed()
        return result.copy() if copy else result

    def _transposed(self) -> Any:
        return _FORMATS[self.format]._of_csr(self._csr().transposed(not self._is_exposed))

    # Reductions and selections.
    def sum(self, axis: int | None = None, dtype: Any = None) -> Array:
        """Return the sum of all elements, or of each column (axis 0) or row (axis 1)."""
        kind = self.dtype.kind
        # Booleans are summed as integers, but two entries at one place are one element.
        matrix = self._csr().sum_duplicates() if kind == "b" and axis is None else self._csr()
        wide = np.dtype(np.uint64 if kind == "u" else np.int64) if kind in "bui" else self.dtype
        matrix = matrix.with_data(matrix.data.astype(np.dtype(dtype) if dtype is not None else wide))
        if axis is None:
            return matrix.data.sum(dtype=matrix.data.dtype)
        if axis in (0, -2):
            return matrix.transposed().row_sums()
        if axis in (1, -1):
            return matrix.row_sums()
        raise ArgumentValueError(f"sum: axis must be 0, 1 or None, got {axis!r}")

    def mean(self, axis: int | None = None, dtype: Any = None) -> Array:
        """Return the mean of all elements, or of each column (axis 0) or row (axis 1)."""
        rows, columns = self.shape
        count = rows * columns if axis is None else rows if axis in (0, -2) else columns
        kind = np.dtype(dtype) if dtype is not None else np.result_type(self.dtype, np.float32(0))
        if dtype is None and self.dtype.kind in "bui":
            kind = np.dtype(np.float64)
        return self.sum(axis, dtype=kind) / count

    def _extreme(self, name: str) -> Array:
        matrix = self._csr().sum_duplicates()
        rows, columns = self.shape
        if rows * columns == 0:
            raise ArgumentValueError(f"{name}: a matrix without elements has no {name}imum")
        if matrix.nnz == rows * columns:
            return getattr(matrix.data, name)()  # type: ignore[no-any-return]
        return getattr(matrix.data, name)(initial=0)  # type: ignore[no-any-return]

    def max(self) -> Array:
        """Return the maximum of all elements, zeros included."""
        return self._extreme("max")

    def min(self) -> Array:
        """Return the minimum of all elements, zeros included."""
        return self._extreme("min")

    def diagonal(self, k: int = 0) -> Array:
        """Return a diagonal: `k` is its offset from the main one, positive above it, negative below."""
        return self._csr().diagonal(k)

    def trace(self, offset: int = 0) -> Array:
        """Return the sum of a diagonal; `offset` is positive above the main one, negative below."""
        return self.diagonal(offset).sum()

    def nonzero(self) -> tuple[Array, Array]:
        """Return row and column indices of the elements that are not zero."""
        matrix = self._csr().sum_duplicates().eliminate_zeros()
        return matrix.row_indices(), matrix.indices.copy()

    def __getitem__(self, key: Any) -> Any:
        return get_items(self, key, _FORMATS["csc" if self.format == "csc" else "csr"]._of_csr)

    def __setitem__(self, key: Any, values: Any) -> None:
        set_items(self, key, values)

    # Arithmetic.
    def _dense(self, other: Any) -> Array:
        if isinstance(other, SparseVector):
            return other.toarray()
        return other if isinstance(other, Array) else asarray(other, device=self.device)

    def _check_device(self, other: Any) -> None:
        if other.device != self.device:
            raise ArgumentValueError(
                f"the matrix is on {self.device.spec} and the other operand on {other.device.spec}; "
                "move one of them by to_device()"
            )

    def _like(self, other: Any, matrix: SparseCsr) -> Any:
        """The result of an operation of two matrices: in compressed columns if both are."""
        kind = "csc" if self.format == "csc" and other.format == "csc" else "csr"
        return _FORMATS[kind]._of_csr(matrix)

    def _elementwise(self, name: str, other: Any) -> Any:
        other = as_sparse(other, self.device)
        self._check_device(other)
        if self.shape != other.shape:
            raise ArgumentValueError(f"inconsistent shapes {self.shape} and {other.shape}")
        return self._like(other, self._csr().elementwise(name, other._csr()))

    def _at_entries(self, other: Any) -> tuple[SparseCsr, Array]:
        """The matrix without duplicates, and the elements of an array, which is broadcast, at its entries."""
        dense = self._dense(other)
        matrix = self._csr().sum_duplicates()
        if dense.ndim > 2 or any(
            size not in (1, own) for size, own in zip(dense.shape[::-1], self.shape[::-1], strict=False)
        ):
            raise ArgumentValueError(f"inconsistent shapes {self.shape} and {dense.shape}")
        from .._functions import broadcast_to

        return matrix, broadcast_to(dense, self.shape)[matrix.row_indices(), matrix.indices]

    def multiply(self, other: Any) -> Any:
        """Return the element-wise product with a sparse array, an array that is broadcast, or a number."""
        if is_number(other):
            return self._with_values(self._values() * other)
        if is_sparse(other):
            return self._elementwise("multiply", other)
        matrix, values = self._at_entries(other)
        return _FORMATS["csr"]._of_csr(matrix.with_data(matrix.data * values))

    def maximum(self, other: Any) -> Any:
        """Return the element-wise maximum of two sparse arrays."""
        return self._elementwise("maximum", other)

    def minimum(self, other: Any) -> Any:
        """Return the element-wise minimum of two sparse arrays."""
        return self._elementwise("minimum", other)

    def power(self, n: Any, dtype: Any = None) -> Any:
        """Return the element-wise power, for a positive number `n`."""
        if not is_number(n) or n == 0 or (isinstance(n, (int, float)) and n < 0):
            raise ArgumentValueError("power: expected a number greater than 0, which leaves zeros zero")
        base = self._summed() if dtype is None else self._summed().astype(dtype)
        return base._with_values(base._values() ** n)

    def dot(self, other: Any) -> Any:
        """Return the matrix product."""
        return self @ other if not is_number(other) else self * other

    def __add__(self, other: Any) -> Any:
        if is_number(other):
            if other == 0:
                return self.copy()
            raise NotImplementedError(
                "adding a nonzero number to a sparse array gives a dense one; use toarray()"
            )
        if is_sparse(other):
            return self._elementwise("add", other)
        return self.toarray() + self._dense(other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if is_number(other) and other != 0:
            raise NotImplementedError("subtracting a nonzero number gives a dense array; use toarray()")
        if is_number(other):
            return self.copy()
        if is_sparse(other):
            return self._elementwise("subtract", other)
        return self.toarray() - self._dense(other)

    def __rsub__(self, other: Any) -> Any:
        if is_number(other):
            if other == 0:
                return -self
            raise NotImplementedError("subtracting from a nonzero number gives a dense array; use toarray()")
        if is_sparse(other):
            return as_sparse(other, self.device)._elementwise("subtract", self)
        return self._dense(other) - self.toarray()

    def __mul__(self, other: Any) -> Any:
        return self.multiply(other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if is_number(other):
            return self._with_values(self._values() / other)
        if is_sparse(other):
            return self.toarray() / as_sparse(other, self.device).toarray()
        matrix, values = self._at_entries(other)
        return _FORMATS["csr"]._of_csr(matrix.with_data(matrix.data / values))

    def __neg__(self) -> Any:
        return self._with_values(-self._values())

    def __abs__(self) -> Any:
        whole = self._summed()
        return whole._with_values(_absolute(whole._values()))

    def __pow__(self, n: Any) -> Any:
        return self.power(n)

    def __matmul__(self, other: Any) -> Any:
        if is_number(other):
            raise ArgumentValueError("matmul: a number is not allowed; use * instead")
        if is_sparse(other):
            other = as_sparse(other, self.device)
            self._check_device(other)
            return self._like(other, self._csr().matmul(other._csr()))
        dense = self._dense(other)
        self._check_device(dense)
        return self._csr().multiply(dense)

    def __rmatmul__(self, other: Any) -> Any:
        if is_number(other):
            raise ArgumentValueError("matmul: a number is not allowed; use * instead")
        if is_sparse(other):
            return as_sparse(other, self.device) @ self
        dense = self._dense(other)
        self._check_device(dense)
        return self._csr().transposed(not self._is_exposed).multiply(dense.T).T

    # Comparisons.
    def _compare(self, name: str, other: Any) -> Any:
        compare = getattr(np, name)
        if is_number(other):
            if compare(self.dtype.type(0), other):
                return _FORMATS["csr"]._of_csr(
                    csr_of_dense(getattr(_functions(), name)(self.toarray(), other))
                )
            matrix = self._csr().sum_duplicates()
            kept = matrix.with_data(getattr(_functions(), name)(matrix.data, other)).eliminate_zeros()
            return _FORMATS["csr"]._of_csr(kept)
        if not is_sparse(other):
            return getattr(_functions(), name)(self.toarray(), self._dense(other))
        if compare(0, 0):
            dense = getattr(_functions(), name)(self.toarray(), as_sparse(other, self.device).toarray())
            return _FORMATS["csr"]._of_csr(csr_of_dense(dense))
        return self._elementwise(name, other)

    def __eq__(self, other: object) -> Any:
        return self._compare("equal", other)

    def __ne__(self, other: object) -> Any:
        return self._compare("not_equal", other)

    def __lt__(self, other: Any) -> Any:
        return self._compare("less", other)

    def __le__(self, other: Any) -> Any:
        return self._compare("less_equal", other)

    def __gt__(self, other: Any) -> Any:
        return self._compare("greater", other)

    def __ge__(self, other: Any) -> Any:
        return self._compare("greater_equal", other)

    __hash__ = None  # type: ignore[assignment]


def _functions() -> Any:
    from .. import _functions as module

    return module


def with_own_values(matrix: SparseCsr) -> SparseCsr:
    """The matrix with a copy of its values; indices are never written to."""
    return matrix.with_data(matrix.data.copy())


def csr_of_dense(dense: Array) -> SparseCsr:
    from .._core import sparse_csr_of_dense

    return sparse_csr_of_dense(dense)


# Functions of elements that are zero at zero.
_OF_ENTRIES = "sin tan arcsin arctan sinh tanh arcsinh arctanh rint sign expm1 log1p deg2rad rad2deg floor ceil trunc sqrt"


def _add_function(name: str) -> None:
    def method(self: SparseArray) -> Any:
        whole = self._summed()
        return whole._with_values(getattr(_functions(), name)(whole._values()))

    method.__name__ = name
    method.__doc__ = f"Return the matrix with {name} of each element."
    setattr(SparseArray, name, method)


for _name in _OF_ENTRIES.split():
    _add_function(_name)
del _name


def is_number(value: Any) -> bool:
    """Whether a value is a Python or NumPy number, or a Quern array without axes."""
    if isinstance(value, Array):
        return value.ndim == 0
    return isinstance(value, (bool, int, float, complex, np.generic)) or (
        isinstance(value, np.ndarray) and value.ndim == 0
    )


def is_sparse(value: Any) -> bool:
    return isinstance(value, SparseArray) or is_foreign(value)


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


def as_sparse(value: Any, device: Any = None) -> Any:
    """A sparse array: itself, SciPy's or PyTorch's in its own format, or the nonzero elements of an array."""
    if isinstance(value, SparseArray):
        return value
    if is_torch(value):
        kind, parts = torch_parts(value, device)
        return _FORMATS[kind](parts, tuple(value.shape), device=device)
    if is_scipy(value):
        kind = value.format if value.format in _FORMATS else "csr"
        return _FORMATS[kind](value, device=device)
    return _FORMATS["csr"](value, device=device)
