# SPDX-License-Identifier: MIT
"""What a sparse array of any format is: shape, entries, and what its class defines. Which classes there are."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from .._array import asarray
from .._core import ArgumentValueError, Array, Device, SparseCsr
from ._foreign import is_foreign, is_scipy, is_torch, torch_parts
from ._vector import SparseVector

FORMATS: dict[str, Any] = {}  # the classes by the names of their formats


class Entries:
    """The entries of a sparse array in device memory."""

    format: ClassVar[str] = ""
    ndim: ClassVar[int] = 2
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

    def _sharing(self, other: Entries) -> Any:
        """This matrix, marked as one that shares its values with another."""
        self._exposure = other._exposure
        return self

    def __init_subclass__(cls) -> None:
        if cls.format:
            FORMATS[cls.format] = cls

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
        raise NotImplementedError

    def _summed(self) -> Any:
        """The matrix without two entries at one place, for functions that do not distribute over sums."""
        return FORMATS[self.format]._of_csr(self._csr().sum_duplicates())

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
    def real(self) -> Any:
        """Real parts."""
        return self._with_values(self._values().real.copy())

    @property
    def imag(self) -> Any:
        """Imaginary parts."""
        return self._with_values(self._values().imag.copy())

    def toarray(self, order: str | None = None, out: Any = None) -> Array:
        """Return the matrix as a dense array.

        Parameters
        ----------
        order : str, optional
            Memory order of the result: "C", the default, or "F".
        out : Array, optional
            Array for the result.

        Returns
        -------
        Array
            The elements; `out` if it is given.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> print(A.toarray())
        [[1. 0. 2.]
         [0. 3. 0.]]
        """
        dense = self._csr().to_dense()
        if out is not None:
            out[...] = dense
            return out  # type: ignore[no-any-return]
        return dense if order != "F" else dense.copy(order="F")

    todense = toarray

    def copy(self) -> Any:
        """Return a copy.

        Returns
        -------
        sparse array
            The copy, whose values are its own.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> A.copy().nnz
        3
        """
        return self._with_values(self._values().copy())

    def _check_device(self, other: Any) -> None:
        if other.device != self.device:
            raise ArgumentValueError(
                f"the matrix is on {self.device.spec} and the other operand on {other.device.spec}; "
                "move one of them by to_device()"
            )


def with_own_values(matrix: SparseCsr) -> SparseCsr:
    """The matrix with a copy of its values; indices are never written to."""
    return matrix.with_data(matrix.data.copy())


def is_number(value: Any) -> bool:
    """Whether a value is a Python or NumPy number, or a Quern array without axes."""
    if isinstance(value, Array):
        return value.ndim == 0
    return isinstance(value, (bool, int, float, complex, np.generic)) or (
        isinstance(value, np.ndarray) and value.ndim == 0
    )


def is_sparse(value: Any) -> bool:
    return isinstance(value, Entries) or is_foreign(value)


def as_sparse(value: Any, device: Any = None) -> Any:
    """A sparse array: itself, SciPy's or PyTorch's in its own format, or the nonzero elements of an array."""
    if isinstance(value, Entries):
        return value
    if isinstance(value, SparseVector):
        return value.tocsr()
    if is_torch(value):
        kind, parts = torch_parts(value, device)
        return FORMATS[kind](parts, tuple(value.shape), device=device)
    if is_scipy(value):
        kind = value.format if value.format in FORMATS else "csr"
        return FORMATS[kind](value, device=device)
    return FORMATS["csr"](value, device=device)
