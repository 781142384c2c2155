# SPDX-License-Identifier: MIT
"""Linear operators of distributed vectors, and conjugate gradients."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np

from ..._core import ArgumentTypeError, ArgumentValueError, DistributedArray, distributed_cg
from .._array import Array, wrap
from .._creation import asarray, asarray_beside
from .._ranks import using
from ._csr import csr_array

__all__ = ["LinearOperator", "aslinearoperator", "cg"]

Function = Callable[[Array], Array]


class LinearOperator:
    """A linear operator given by functions of distributed vectors, such as sweeps of a stencil.

    Parameters
    ----------
    shape : tuple of int
        Length of the results, and length of the arguments.
    matvec : callable
        Function that returns the operator applied to a distributed vector. All ranks call it.
    rmatvec : callable, optional
        Function that returns the adjoint operator applied to a distributed vector.
    dtype : dtype, optional
        Dtype of the results; float64 by default.

    Examples
    --------
    >>> double = qn.dist.sparse.linalg.LinearOperator((3, 3), matvec=lambda x: 2 * x)
    >>> (double @ qn.dist.ones(3)).get()
    array([2., 2., 2.])
    """

    ndim = 2
    # NumPy's operators leave the work to the reflected operators of this class.
    __array_ufunc__ = None

    def __init__(
        self,
        shape: tuple[int, int],
        matvec: Function,
        rmatvec: Function | None = None,
        dtype: Any = None,
    ) -> None:
        if len(shape) != 2:
            raise ArgumentValueError(f"shape: expected two lengths, got {shape!r}")
        self.shape = (int(shape[0]), int(shape[1]))
        self.dtype = np.dtype(np.float64 if dtype is None else dtype)
        self._matvec, self._rmatvec = matvec, rmatvec

    def matvec(self, x: Array) -> Array:
        """Return the operator applied to a vector.

        Parameters
        ----------
        x : Array
            Distributed vector.

        Returns
        -------
        Array
            Distributed vector.

        Examples
        --------
        >>> identity = qn.dist.sparse.linalg.LinearOperator((2, 2), matvec=lambda x: x)
        >>> identity.matvec(qn.dist.ones(2)).get()
        array([1., 1.])
        """
        return _applied("matvec", self._matvec, x, self.shape)

    def rmatvec(self, x: Array) -> Array:
        """Return the adjoint applied to a vector.

        Parameters
        ----------
        x : Array
            Distributed vector.

        Returns
        -------
        Array
            Distributed vector.

        Examples
        --------
        >>> same = qn.dist.sparse.linalg.LinearOperator((2, 2), matvec=lambda x: x, rmatvec=lambda x: x)
        >>> same.rmatvec(qn.dist.ones(2)).get()
        array([1., 1.])
        """
        if self._rmatvec is None:
            raise ArgumentValueError("the operator has no rmatvec")
        return _applied("rmatvec", self._rmatvec, x, self.shape[::-1])

    def __matmul__(self, x: Array) -> Array:
        return self.matvec(x)

    __call__ = __matmul__

    def __repr__(self) -> str:
        return f"<LinearOperator of shape {self.shape} and dtype {self.dtype}>"


def _applied(name: str, function: Function, x: Any, shape: tuple[int, int]) -> Array:
    if not isinstance(x, Array) or x.shape != shape[1:]:
        got = f"an array of shape {x.shape}" if isinstance(x, Array) else type(x).__name__
        raise ArgumentTypeError(f"{name}: expected a distributed vector of {shape[1]} elements, got {got}")
    result = function(x)
    if not isinstance(result, Array):
        raise ArgumentTypeError(
            f"{name}: the function returned {type(result).__name__}, not a distributed array"
        )
    if result.shape != shape[:1]:
        raise ArgumentValueError(
            f"{name}: the function returned shape {result.shape} for an operator of shape {shape}"
        )
    return result


def aslinearoperator(A: Any) -> LinearOperator:
    """Make a LinearOperator from a matrix.

    Parameters
    ----------
    A : csr_array, Array or object
        A matrix on many ranks, or an object with `shape` and `matvec`.

    Returns
    -------
    LinearOperator
        The operator; `A` itself if it is one.

    Examples
    --------
    >>> qn.dist.sparse.linalg.aslinearoperator(qn.dist.eye(2)).matvec(qn.dist.ones(2)).get()
    array([1., 1.])
    """
    if isinstance(A, LinearOperator):
        return A
    if isinstance(A, Array):
        if A.ndim != 2:
            raise ArgumentValueError(f"expected a matrix, got an array of shape {A.shape}")
        return LinearOperator((A.shape[0], A.shape[1]), lambda x: A @ x, lambda x: (A.T.conj()) @ x, A.dtype)
    if hasattr(A, "shape") and hasattr(A, "matvec"):
        return LinearOperator(A.shape, A.matvec, getattr(A, "rmatvec", None), getattr(A, "dtype", None))
    raise ArgumentTypeError(
        f"expected a matrix of quern.dist or an operator with shape and matvec, got {type(A).__name__}"
    )


def _native(A: Any) -> Any:
    """What the solver in C++ takes: a matrix of rows, or a function of blocks."""
    if isinstance(A, csr_array):
        return A._rows
    operator = aslinearoperator(A)

    def apply(blocks: DistributedArray) -> DistributedArray:
        return operator.matvec(wrap(blocks))._blocks

    return apply


def cg(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
    callback: Callable[[Array], Any] | None = None,
) -> tuple[Array, int]:
    """Solve A x = b by conjugate gradients, for a Hermitian positive definite matrix on many ranks.

    Parameters
    ----------
    A : csr_array, Array or LinearOperator
        The matrix, or an object with `shape` and `matvec`.
    b : Array
        Right-hand side, a distributed vector, or values that all ranks have.
    x0 : Array, optional
        Initial guess; zeros by default.
    rtol : float, optional
        Relative tolerance: the system is solved if norm(b - A @ x) <= max(rtol * norm(b), atol). This residual is computed
        anew before the solution is returned.
    atol : float, optional
        Absolute tolerance.
    maxiter : int, optional
        Maximum number of iterations; 10 times the number of rows by default.
    M : csr_array, Array or LinearOperator, optional
        Preconditioner, an approximation of the inverse of A.
    callback : callable, optional
        Function that is called with x after each iteration.

    Returns
    -------
    tuple of Array and int
        The solution in the layout of b, and 0 if it meets the tolerance; otherwise the number of iterations, or -1 if the
        matrix is not definite. It may be less than `maxiter` if rounding keeps the residual above the tolerance.

    Examples
    --------
    >>> A = qn.dist.sparse.csr_array([[2.0, 1.0], [1.0, 3.0]])
    >>> x, info = qn.dist.sparse.linalg.cg(A, qn.dist.asarray([3.0, 4.0]))
    >>> print(x.get().round(6), info)
    [1. 1.] 0
    """
    # A vector that is not distributed gets the ranks of the arguments that are.
    comm = next((one.comm for one in (b, A, x0, M) if isinstance(one, (Array, csr_array))), None)
    with nullcontext() if comm is None else using(comm):
        right = asarray(b)
    operator = A if isinstance(A, csr_array) else aslinearoperator(A)
    if right.ndim != 1 or operator.shape != (right.size, right.size):
        raise ArgumentValueError(f"cg: A has the shape {tuple(operator.shape)}, and b {right.shape}")
    guess = None if x0 is None else asarray_beside(x0, right)
    dtype = np.result_type(operator.dtype, right.dtype, *([] if guess is None else [guess.dtype]))
    if dtype.kind not in "fc":
        dtype = np.dtype(np.float64)
    if M is not None and tuple(M.shape) != tuple(operator.shape):
        raise ArgumentValueError(f"cg: M has the shape {tuple(M.shape)}, and A {tuple(operator.shape)}")

    def called(blocks: DistributedArray) -> None:
        assert callback is not None
        callback(wrap(blocks))

    x, info, _, _ = distributed_cg(
        _native(operator),
        right._blocks,
        None if guess is None else guess._blocks,
        rtol,
        atol or 0.0,
        maxiter,
        None if M is None else _native(M),
        None if callback is None else called,
        dtype,
    )
    return wrap(x), info
