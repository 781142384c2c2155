# SPDX-License-Identifier: MIT
"""Linear operators: sparse arrays, arrays, and functions of vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._array import asarray
from ..._core import ArgumentTypeError, ArgumentValueError, Array, SparseCsr
from ..._functions import conj, stack
from .._base import SparseArray
from .._entries import as_sparse, is_number, is_sparse
from .._foreign import is_foreign

Function = Callable[[Any], Any]


class LinearOperator:
    """A linear operator given by functions of vectors, such as a kernel or an expression.

    Operators can be added, multiplied with each other and with numbers, and raised to powers; `A.H` is the adjoint,
    `A.T` the transpose. The results are operators.

    Parameters
    ----------
    shape : tuple of int
        Length of the results, and length of the arguments.
    matvec : callable
        Function that returns the operator applied to a vector.
    rmatvec : callable, optional
        Function that returns the adjoint operator applied to a vector; lsqr, lsmr, svds, `A.H` and `A.T` need it.
    matmat : callable, optional
        Function that returns the operator applied to the columns of a matrix; by default `matvec` of each.
    dtype : dtype, optional
        Dtype of the results; float64 by default.
    rmatmat : callable, optional
        Function that returns the adjoint applied to the columns of a matrix; by default `rmatvec` of each.

    Examples
    --------
    >>> double = qn.sparse.linalg.LinearOperator((3, 3), matvec=lambda x: 2 * x)
    >>> print(double @ qn.ones(3), (double @ double + 3 * double) @ qn.ones(3))
    [2. 2. 2.] [10. 10. 10.]
    """

    ndim = 2
    # NumPy's operators leave the work to the reflected operators of this class.
    __array_ufunc__ = None

    def __init__(
        self,
        shape: tuple[int, int],
        matvec: Function,
        rmatvec: Function | None = None,
        matmat: Function | None = None,
        dtype: Any = None,
        rmatmat: Function | None = None,
    ) -> None:
        if len(shape) != 2:
            raise ArgumentValueError(f"shape: expected two lengths, got {shape!r}")
        self.shape = (int(shape[0]), int(shape[1]))
        self.dtype = np.dtype(np.float64 if dtype is None else dtype)
        self._matvec, self._rmatvec = matvec, rmatvec
        self._matmat, self._rmatmat = matmat, rmatmat

    def matvec(self, x: Any) -> Array:
        """Apply the operator to a vector.

        Parameters
        ----------
        x : array_like
            Vector, of as many elements as the operator has columns.

        Returns
        -------
        Array
            The results, of as many elements as the operator has rows.

        Examples
        --------
        >>> double = qn.sparse.linalg.LinearOperator((2, 2), matvec=lambda x: 2 * x, rmatvec=lambda x: 2 * x)
        >>> print(double.matvec(qn.ones(2)))
        [2. 2.]
        """
        return _as_array(self._matvec(x), x)

    def rmatvec(self, x: Any) -> Array:
        """Apply the adjoint operator to a vector.

        Raises ArgumentValueError if the operator was made without `rmatvec`.

        Parameters
        ----------
        x : array_like
            Vector, of as many elements as the operator has rows.

        Returns
        -------
        Array
            The results, of as many elements as the operator has columns.

        Examples
        --------
        >>> double = qn.sparse.linalg.LinearOperator((2, 2), matvec=lambda x: 2 * x, rmatvec=lambda x: 2 * x)
        >>> print(double.rmatvec(qn.ones(2)))
        [2. 2.]
        """
        if self._rmatvec is None:
            raise ArgumentValueError("the operator has no rmatvec, which the method needs")
        return _as_array(self._rmatvec(x), x)

    def matmat(self, X: Any) -> Array:
        """Apply the operator to each column of a matrix.

        Parameters
        ----------
        X : array_like
            Matrix of as many rows as the operator has columns.

        Returns
        -------
        Array
            The results, as columns.

        Examples
        --------
        >>> double = qn.sparse.linalg.LinearOperator((2, 2), matvec=lambda x: 2 * x, rmatvec=lambda x: 2 * x)
        >>> print(double.matmat(qn.ones((2, 1))))
        [[2.]
         [2.]]
        """
        return _as_array(self._matmat(X), X) if self._matmat else _by_columns(self.matvec, X, self.shape[1])

    def rmatmat(self, X: Any) -> Array:
        """Apply the adjoint operator to each column of a matrix.

        Parameters
        ----------
        X : array_like
            Matrix of as many rows as the operator has.

        Returns
        -------
        Array
            The results, as columns.

        Examples
        --------
        >>> double = qn.sparse.linalg.LinearOperator((2, 2), matvec=lambda x: 2 * x, rmatvec=lambda x: 2 * x)
        >>> print(double.rmatmat(qn.ones((2, 1))))
        [[2.]
         [2.]]
        """
        return (
            _as_array(self._rmatmat(X), X) if self._rmatmat else _by_columns(self.rmatvec, X, self.shape[0])
        )

    def dot(self, x: Any) -> Any:
        """Apply the operator to a vector or a matrix, or multiply it with an operator or a number.

        Parameters
        ----------
        x : array_like, LinearOperator or number
            What is multiplied with the operator.

        Returns
        -------
        Array or LinearOperator
            The results; an operator if `x` is an operator or a number.

        Examples
        --------
        >>> double = qn.sparse.linalg.LinearOperator((2, 2), matvec=lambda x: 2 * x, rmatvec=lambda x: 2 * x)
        >>> print(double.dot(qn.ones(2)), double.dot(3) @ qn.ones(2))
        [2. 2.] [6. 6.]
        """
        if isinstance(x, LinearOperator):
            return _product(self, x)
        if is_number(x):
            return _scaled(self, x)
        given = x if hasattr(x, "ndim") else np.asarray(x)
        if given.ndim not in (1, 2) or given.shape[0] != self.shape[1]:
            raise ArgumentValueError(
                f"an operator of shape {self.shape} cannot be applied to an array of shape {given.shape}"
            )
        return self.matvec(given) if given.ndim == 1 else self.matmat(given)

    __call__ = dot
    __mul__ = dot

    def __rmul__(self, x: Any) -> Any:
        return _scaled(self, x) if is_number(x) else NotImplemented

    def __matmul__(self, x: Any) -> Any:
        if is_number(x):
            raise ArgumentValueError("matmul: a number is not allowed; use * instead")
        return self.dot(x)

    def __rmatmul__(self, x: Any) -> Any:
        if is_number(x):
            raise ArgumentValueError("matmul: a number is not allowed; use * instead")
        return self.T.dot(x.T).T

    def __truediv__(self, x: Any) -> Any:
        return _scaled(self, 1 / x) if is_number(x) else NotImplemented

    def __add__(self, other: Any) -> Any:
        return _sum(self, other) if isinstance(other, LinearOperator) else NotImplemented

    def __neg__(self) -> LinearOperator:
        return _scaled(self, -1)

    def __sub__(self, other: Any) -> Any:
        return _sum(self, -other) if isinstance(other, LinearOperator) else NotImplemented

    def __pow__(self, n: Any) -> LinearOperator:
        return _power(self, n)

    def adjoint(self) -> LinearOperator:
        """Return the adjoint operator.

        Returns
        -------
        LinearOperator
            The adjoint, whose `matvec` is the `rmatvec` of this operator.

        Examples
        --------
        >>> double = qn.sparse.linalg.LinearOperator((2, 2), matvec=lambda x: 2 * x, rmatvec=lambda x: 2 * x)
        >>> print(double.adjoint() @ qn.ones(2))
        [2. 2.]
        """
        return _adjoint(self)

    def transpose(self) -> LinearOperator:
        """Return the transposed operator.

        Returns
        -------
        LinearOperator
            The transpose: the conjugate of the adjoint.

        Examples
        --------
        >>> double = qn.sparse.linalg.LinearOperator((2, 2), matvec=lambda x: 2 * x, rmatvec=lambda x: 2 * x)
        >>> print(double.transpose() @ qn.ones(2))
        [2. 2.]
        """
        return _transposed(self)

    @property
    def H(self) -> LinearOperator:
        """The adjoint operator."""
        return self.adjoint()

    @property
    def T(self) -> LinearOperator:
        """The transposed operator."""
        return self.transpose()

    def __repr__(self) -> str:
        return f"<LinearOperator of shape {self.shape} and dtype {self.dtype}>"


def _by_columns(function: Function, X: Any, length: int) -> Array:
    if X.ndim != 2 or X.shape[0] != length:
        raise ArgumentValueError(f"expected a matrix of {length} rows, got an array of shape {X.shape}")
    if X.shape[1] == 0:
        raise ArgumentValueError("expected a matrix with columns")
    return stack([function(X[:, k]) for k in range(X.shape[1])], axis=1)


def _combined(
    shape: tuple[int, int],
    dtype: Any,
    of: tuple[LinearOperator, ...],
    apply: Callable[..., Any],
    apply_adjoint: Callable[..., Any],
) -> LinearOperator:
    """An operator of others. apply(x, *functions) gets their functions; the adjoint needs those of all adjoints."""
    has_adjoint = all(one._rmatvec is not None for one in of)
    return LinearOperator(
        shape,
        lambda x: apply(x, *(one.matvec for one in of)),
        (lambda x: apply_adjoint(x, *(one.rmatvec for one in of))) if has_adjoint else None,
        lambda x: apply(x, *(one.matmat for one in of)),
        dtype,
        (lambda x: apply_adjoint(x, *(one.rmatmat for one in of))) if has_adjoint else None,
    )


def _sum(a: LinearOperator, b: LinearOperator) -> LinearOperator:
    if a.shape != b.shape:
        raise ArgumentValueError(f"operators of shapes {a.shape} and {b.shape} cannot be added")

    def both(x: Any, f: Function, g: Function) -> Any:
        return f(x) + g(x)

    return _combined(a.shape, np.result_type(a.dtype, b.dtype), (a, b), both, both)


def _product(a: LinearOperator, b: LinearOperator) -> LinearOperator:
    if a.shape[1] != b.shape[0]:
        raise ArgumentValueError(f"operators of shapes {a.shape} and {b.shape} cannot be multiplied")
    return _combined(
        (a.shape[0], b.shape[1]),
        np.result_type(a.dtype, b.dtype),
        (a, b),
        lambda x, f, g: f(g(x)),
        lambda x, f, g: g(f(x)),
    )


def _scaled(a: LinearOperator, factor: Any) -> LinearOperator:
    factor = factor.item() if hasattr(factor, "item") else factor
    return _combined(
        a.shape,
        np.result_type(a.dtype, type(factor)) if isinstance(factor, complex) else a.dtype,
        (a,),
        lambda x, f: factor * f(x),
        lambda x, f: factor.conjugate() * f(x),
    )


def _power(a: LinearOperator, n: Any) -> LinearOperator:
    if a.shape[0] != a.shape[1]:
        raise ArgumentValueError(f"only square operators have powers, got the shape {a.shape}")
    if not isinstance(n, (int, np.integer)) or n < 0:
        raise ArgumentValueError(f"the power of an operator must be an integer of at least 0, got {n!r}")

    def repeated(x: Any, f: Function) -> Any:
        for _ in range(n):
            x = f(x)
        return x

    return _combined(a.shape, a.dtype, (a,), repeated, repeated)


def _adjoint(a: LinearOperator) -> LinearOperator:
    return LinearOperator(a.shape[::-1], a.rmatvec, a.matvec, a.rmatmat, a.dtype, a.matmat)


def _transposed(a: LinearOperator) -> LinearOperator:
    def conjugated(f: Function) -> Function:
        return lambda x: conj(f(conj(x)))

    return LinearOperator(
        a.shape[::-1],
        conjugated(a.rmatvec),
        conjugated(a.matvec),
        conjugated(a.rmatmat),
        a.dtype,
        conjugated(a.matmat),
    )


def _as_array(result: Any, like: Any) -> Array:
    if isinstance(result, Array):
        return result
    return asarray(result, device=like.device if isinstance(like, Array) else None)


def aslinearoperator(A: Any) -> LinearOperator:
    """Make a LinearOperator from a matrix.

    Parameters
    ----------
    A : sparse array, array or object
        A matrix, or an object with `shape` and `matvec`.

    Returns
    -------
    LinearOperator
        The operator; `A` itself if it is one.

    Examples
    --------
    >>> print(qn.sparse.linalg.aslinearoperator(qn.sparse.csr_array([[1.0, 2.0]])).matvec(qn.ones(2)))
    [3.]
    """
    if isinstance(A, LinearOperator):
        return A
    if is_sparse(A):
        matrix = as_sparse(A)
        return _of_matrix(matrix, lambda x: matrix.conj().T @ x)
    if hasattr(A, "matvec") and hasattr(A, "shape"):
        return LinearOperator(
            A.shape,
            _through_host(A.matvec),
            _through_host(getattr(A, "rmatvec", None)),
            dtype=getattr(A, "dtype", None),
        )
    dense = A if isinstance(A, Array) else asarray(A)
    if dense.ndim != 2:
        raise ArgumentTypeError("expected a matrix or an operator with shape and matvec")
    return _of_matrix(dense, lambda x: conj(dense.T) @ x)


def _of_matrix(matrix: Any, adjoint: Function) -> LinearOperator:
    """Of a matrix whose products take vectors and matrices."""
    apply = matrix.__matmul__
    return LinearOperator(matrix.shape, apply, adjoint, apply, matrix.dtype, adjoint)


def _through_host(function: Any) -> Any:
    """For operators of other libraries, such as pyamg's: they take NumPy arrays."""
    if function is None:
        return None

    def apply(x: Array) -> Array:
        return asarray(np.asarray(function(x.get())), device=x.device)

    return apply


def native(A: Any, device: Any = None) -> SparseCsr | tuple[Any, ...]:
    """What the C++ solvers take: compressed rows, or a shape, a dtype and functions. Those of other libraries go to the device."""
    if is_foreign(A):
        A = as_sparse(A, device)
    if isinstance(A, SparseArray):
        return A._csr()
    operator = aslinearoperator(A)
    return (
        operator.shape,
        operator.dtype,
        operator.matvec,
        operator.rmatvec if operator._rmatvec is not None else None,
    )


def device_of(*values: Any) -> Any:
    """The device of the first value that has one."""
    for value in values:
        if isinstance(value, (Array, SparseArray)):
            return value.device
    return None


def vector(value: Any, device: Any) -> Array:
    return value if isinstance(value, Array) else asarray(value, device=device)


def check_devices(A: Any, x: Array) -> None:
    """Raise ArgumentValueError if a matrix and a vector are on different devices."""
    if isinstance(A, SparseArray):
        A._check_device(x)
