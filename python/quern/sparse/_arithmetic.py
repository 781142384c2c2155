# SPDX-License-Identifier: MIT
"""Operators, comparisons and functions of the elements of sparse arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _functions
from .._array import asarray
from .._core import ArgumentTypeError, ArgumentValueError, Array, SparseCsr, sparse_csr_of_dense
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
        """Return the element-wise product with a sparse array, an array that is broadcast, or a number.

        Parameters
        ----------
        other : sparse array, array_like or number
            Second operand; arrays are broadcast.

        Returns
        -------
        sparse array
            The products, as a csr_array unless `other` is a number.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> print(A.multiply([1.0, 2.0, 3.0]).toarray())
        [[1. 0. 6.]
         [0. 6. 0.]]
        """
        if is_number(other):
            return self._with_values(self._values() * other)
        if is_sparse(other):
            return self._elementwise("multiply", other)
        matrix, values = self._at_entries(other)
        return FORMATS["csr"]._of_csr(matrix.with_data(matrix.data * values))

    def maximum(self, other: Any) -> Any:
        """Return the element-wise maximum of two sparse arrays.

        Parameters
        ----------
        other : sparse array
            Second operand.

        Returns
        -------
        sparse array
            The maxima.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> print(A.maximum(2 * A).toarray())
        [[2. 0. 4.]
         [0. 6. 0.]]
        """
        return self._elementwise("maximum", other)

    def minimum(self, other: Any) -> Any:
        """Return the element-wise minimum of two sparse arrays.

        Parameters
        ----------
        other : sparse array
            Second operand.

        Returns
        -------
        sparse array
            The minima.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> print(A.minimum(2 * A).toarray())
        [[1. 0. 2.]
         [0. 3. 0.]]
        """
        return self._elementwise("minimum", other)

    def power(self, n: Any, dtype: Any = None) -> Any:
        """Return the element-wise power, for a positive number `n`.

        Parameters
        ----------
        n : number
            Exponent, greater than 0.
        dtype : dtype, optional
            Dtype of the result.

        Returns
        -------
        sparse array
            The powers.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> print(A.power(2).toarray())
        [[1. 0. 4.]
         [0. 9. 0.]]
        """
        if not is_number(n) or n == 0 or (isinstance(n, (int, float)) and n < 0):
            raise ArgumentValueError("power: expected a number greater than 0, which leaves zeros zero")
        base = self._summed() if dtype is None else self._summed().astype(dtype)
        return base._with_values(base._values() ** n)

    def dot(self, other: Any) -> Any:
        """Return the matrix product.

        Parameters
        ----------
        other : sparse array, array_like or number
            What is multiplied with the array from the right.

        Returns
        -------
        Array or sparse array
            The product; sparse if `other` is sparse or a number.

        Examples
        --------
        >>> A = qn.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        >>> print(A.dot(qn.ones(3)))
        [3. 3.]
        """
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

    def __imul__(self, other: Any) -> Any:
        return self._scale("__imul__", other)

    def __itruediv__(self, other: Any) -> Any:
        return self._scale("__itruediv__", other)

    def _scale(self, name: str, other: Any) -> Any:
        """Multiply or divide the entries in place; matrices that share them change, too."""
        if not is_number(other):
            return NotImplemented
        values = self.data  # from here on, no copy of the values is kept
        getattr(values, name)(other)
        return self

    def __round__(self, ndigits: int = 0) -> Any:
        whole = self._summed()
        return whole._with_values(_functions.round(whole._values(), ndigits))

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """Do what NumPy's function does: np.sqrt(A), np.float64(2) * A, np.ones(3) @ A."""
        out = kwargs.pop("out", None)
        if method != "__call__" or kwargs:
            return NotImplemented
        result = _by_name(ufunc.__name__, inputs)
        if out is None or result is NotImplemented:
            return result
        (target,) = out
        if isinstance(target, Entries) or is_sparse(result):
            raise ArgumentTypeError(f"{ufunc.__name__}: out= of sparse arrays is not supported")
        target[...] = result
        return target

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


# NumPy's functions that are operators, and others that sparse arrays have as methods.
_OPERATORS = {
    "absolute": "abs",
    "add": "add",
    "divide": "truediv",
    "equal": "eq",
    "greater": "gt",
    "greater_equal": "ge",
    "less": "lt",
    "less_equal": "le",
    "matmul": "matmul",
    "multiply": "mul",
    "negative": "neg",
    "not_equal": "ne",
    "power": "pow",
    "subtract": "sub",
}
_METHODS = {"maximum", "minimum"}
_REFLECTED_COMPARISONS = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}


def _by_name(name: str, inputs: tuple[Any, ...]) -> Any:
    """The result of one of NumPy's functions, of which one operand is a sparse array."""
    first = inputs[0]
    if name in _OF_ENTRIES.split() or name in ("conjugate", "square"):
        return first.multiply(first) if name == "square" else getattr(first, name)()
    if name in _OPERATORS:
        short = _OPERATORS[name]
        if isinstance(first, Entries):
            return getattr(first, f"__{short}__")(*inputs[1:])
        reflected = getattr(inputs[1], f"__{_REFLECTED_COMPARISONS.get(short, 'r' + short)}__", None)
        return NotImplemented if reflected is None else reflected(first)
    if name in _METHODS:
        own, other = (first, inputs[1]) if isinstance(first, Entries) else (inputs[1], first)
        return getattr(own, name)(other)
    return NotImplemented


# Functions of elements that are zero at zero.
_OF_ENTRIES = "sin tan arcsin arctan sinh tanh arcsinh arctanh rint sign expm1 log1p deg2rad rad2deg floor ceil trunc sqrt"


def _add_function(name: str) -> None:
    def method(self: Arithmetic) -> Any:
        whole = self._summed()
        return whole._with_values(getattr(_functions, name)(whole._values()))

    method.__name__ = name
    method.__qualname__ = f"Arithmetic.{name}"
    method.__doc__ = f"""Compute {name}() of each element; zeros remain zeros, and duplicates are summed first.

    Returns
    -------
    sparse array
        The results, in the format of the array.

    Examples
    --------
    >>> qn.sparse.eye_array(2).{name}().nnz
    2
    """
    setattr(Arithmetic, name, method)


for _name in _OF_ENTRIES.split():
    _add_function(_name)
del _name
