# SPDX-License-Identifier: MIT
"""Operators, comparisons and functions of the elements of sparse arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _functions
from .._array import asarray
from .._core import ArgumentValueError, Array, SparseCsr, sparse_csr_of_dense
from .._functions import broadcast_to
from ._entries import FORMATS, Entries, as_sparse, is_number, is_sparse
from ._vector import SparseVector


class Arithmetic(Entries):
    """What sparse arrays compute element by element, and their products."""

    def _dense(self, other: Any) -> Array:
        if isinstance(other, SparseVector):
            return other.toarray()
        return other if isinstance(other, Array) else asarray(other, device=self.device)

    def _like(self, other: Any, matrix: SparseCsr) -> Any:
        """The result of an operation of two matrices: in compressed columns if both are."""
        kind = "csc" if self.format == "csc" and other.format == "csc" else "csr"
        return FORMATS[kind]._of_csr(matrix)

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
        return matrix, broadcast_to(dense, self.shape)[matrix.row_indices(), matrix.indices]

    def multiply(self, other: Any) -> Any:
        """Return the element-wise product with a sparse array, an array that is broadcast, or a number."""
        if is_number(other):
            return self._with_values(self._values() * other)
        if is_sparse(other):
            return self._elementwise("multiply", other)
        matrix, values = self._at_entries(other)
        return FORMATS["csr"]._of_csr(matrix.with_data(matrix.data * values))

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
        return FORMATS["csr"]._of_csr(matrix.with_data(matrix.data / values))

    def __neg__(self) -> Any:
        return self._with_values(-self._values())

    def __abs__(self) -> Any:
        whole = self._summed()
        return whole._with_values(_functions.abs(whole._values()))

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
                return FORMATS["csr"]._of_csr(
                    sparse_csr_of_dense(getattr(_functions, name)(self.toarray(), other))
                )
            matrix = self._csr().sum_duplicates()
            kept = matrix.with_data(getattr(_functions, name)(matrix.data, other)).eliminate_zeros()
            return FORMATS["csr"]._of_csr(kept)
        if not is_sparse(other):
            return getattr(_functions, name)(self.toarray(), self._dense(other))
        if compare(0, 0):
            dense = getattr(_functions, name)(self.toarray(), as_sparse(other, self.device).toarray())
            return FORMATS["csr"]._of_csr(sparse_csr_of_dense(dense))
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


# Functions of elements that are zero at zero.
_OF_ENTRIES = "sin tan arcsin arctan sinh tanh arcsinh arctanh rint sign expm1 log1p deg2rad rad2deg floor ceil trunc sqrt"


def _add_function(name: str) -> None:
    def method(self: Arithmetic) -> Any:
        whole = self._summed()
        return whole._with_values(getattr(_functions, name)(whole._values()))

    method.__name__ = name
    method.__doc__ = f"Return the matrix with {name} of each element."
    setattr(Arithmetic, name, method)


for _name in _OF_ENTRIES.split():
    _add_function(_name)
del _name
