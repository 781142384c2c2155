# SPDX-License-Identifier: MIT
"""Linear operators: sparse arrays, arrays, and functions of vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._array import asarray
from ..._core import ArgumentTypeError, ArgumentValueError, Array, SparseCsr
from ..._functions import conj
from .._base import SparseArray
from .._entries import as_sparse, is_sparse
from .._foreign import is_foreign


class LinearOperator:
    """A linear operator given by functions of vectors, such as a kernel or an expression.

    Parameters
    ----------
    shape : tuple of int
        Length of the results, and length of the arguments.
    matvec : callable
        Function that returns the operator applied to a vector.
    rmatvec : callable, optional
        Function that returns the adjoint operator applied to a vector; lsqr, lsmr and svds need it.
    dtype : dtype, optional
        Dtype of the results; float64 by default.

    Examples
    --------
    >>> double = qn.sparse.linalg.LinearOperator((3, 3), matvec=lambda x: 2 * x)
    >>> print(double @ qn.ones(3))
    [2. 2. 2.]
    """

    ndim = 2

    def __init__(
        self,
        shape: tuple[int, int],
        matvec: Callable[[Array], Array],
        rmatvec: Callable[[Array], Array] | None = None,
        *,
        dtype: Any = None,
    ) -> None:
        if len(shape) != 2:
            raise ArgumentValueError(f"shape: expected two lengths, got {shape!r}")
        self.shape = (int(shape[0]), int(shape[1]))
        self.dtype = np.dtype(np.float64 if dtype is None else dtype)
        self._matvec = matvec
        self._rmatvec = rmatvec

    def matvec(self, x: Any) -> Array:
        """Return the operator applied to a vector."""
        return _as_array(self._matvec(x), x)

    def rmatvec(self, x: Any) -> Array:
        """Return the adjoint applied to a vector."""
        if self._rmatvec is None:
            raise ArgumentValueError("the operator has no rmatvec, which the method needs")
        return _as_array(self._rmatvec(x), x)

    def __matmul__(self, x: Any) -> Array:
        """Return the operator applied to a vector."""
        return self.matvec(x)

    dot = __matmul__

    def __repr__(self) -> str:
        return f"<LinearOperator of shape {self.shape} and dtype {self.dtype}>"


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
        return LinearOperator(
            matrix.shape, lambda x: matrix @ x, lambda x: matrix.conj().T @ x, dtype=matrix.dtype
        )
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
    rows, columns = dense.shape
    return LinearOperator(
        (rows, columns), lambda x: dense @ x, lambda x: conj(dense.T) @ x, dtype=dense.dtype
    )


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
