# SPDX-License-Identifier: MIT
"""Direct solvers: triangular systems on the device, others by cuDSS on CUDA or by SciPy's SuperLU on the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._array import asarray
from ..._core import ArgumentValueError, Array, SparseTriangle, sparse_factorize
from ..._operands import LinAlgError
from .._entries import as_sparse, is_sparse
from ._operator import device_of, vector


def spsolve_triangular(
    A: Any,
    b: Any,
    lower: bool = True,
    overwrite_A: bool = False,
    overwrite_b: bool = False,
    unit_diagonal: bool = False,
) -> Array:
    """Solve A x = b for a triangular matrix.

    Parameters
    ----------
    A : sparse array
        The triangular matrix; nonzero entries in the other triangle raise ValueError.
    b : array_like
        Right-hand sides: a vector, or a matrix with a right-hand side in each column.
    lower : bool, optional
        Whether the matrix is lower triangular.
    overwrite_A : bool, optional
        Accepted for compatibility with SciPy; it has no effect.
    overwrite_b : bool, optional
        Accepted for compatibility with SciPy; it has no effect.
    unit_diagonal : bool, optional
        If True, the diagonal counts as ones and is not read.

    Returns
    -------
    Array
        The solution, in the shape of `b`.

    Examples
    --------
    >>> A = qn.sparse.csr_array([[2.0, 0], [1, 4]])
    >>> print(qn.sparse.linalg.spsolve_triangular(A, [2.0, 9.0]))
    [1. 2.]
    """
    matrix = as_sparse(A, device_of(b))
    other = matrix._csr().triu(1) if lower else matrix._csr().tril(-1)
    if other.eliminate_zeros().nnz:
        raise ArgumentValueError(f"A is not {'lower' if lower else 'upper'} triangular")
    return SparseTriangle(matrix._csr(), lower, unit_diagonal).solve(vector(b, matrix.device))


def _superlu(what: str) -> Any:
    """scipy.sparse.linalg; an error that says what to install where it is missing."""
    try:
        import scipy.sparse.linalg  # type: ignore[import-untyped]
    except ImportError as error:
        raise ImportError(
            f"{what} needs cuDSS on CUDA (pip install nvidia-cudss-cu13) or SuperLU of SciPy (pip install scipy); "
            "quern.sparse.linalg.cg, gmres and others need no library"
        ) from error
    return scipy.sparse.linalg


def factorized(A: Any) -> Callable[[Any], Array]:
    """Factorise a matrix, and return a function that solves A x = b.

    The matrix is factorised once: by cuDSS on CUDA if it is found, otherwise by SciPy's SuperLU, which gets a copy on the host.

    Parameters
    ----------
    A : sparse array
        The square matrix.

    Returns
    -------
    callable
        Function of `b`, a vector or a matrix of columns, that returns the solution.

    Raises
    ------
    ImportError
        If neither cuDSS nor SciPy is installed.
    LinAlgError
        If the matrix is singular. With cuDSS, a solution that does not solve the system raises it when it is read.

    Examples
    --------
    >>> solve = qn.sparse.linalg.factorized(qn.sparse.csr_array([[2.0, 1.0], [1.0, 3.0]]))
    >>> print(solve(qn.asarray([3.0, 4.0])), solve(qn.asarray([2.0, 1.0])))
    [1. 1.] [1. 0.]
    """
    matrix = as_sparse(A)
    if matrix.shape[0] != matrix.shape[1]:
        raise ArgumentValueError(f"a direct solution needs a square matrix, got the shape {matrix.shape}")
    matrix = matrix.astype(np.result_type(matrix.dtype, np.float32), copy=False)
    factors = sparse_factorize(matrix._csr())
    if factors is not None:
        return lambda b: factors.solve(vector(b, matrix.device))
    try:
        lu = _superlu("a direct solution").splu(matrix.tocsc().get())
    except RuntimeError as error:  # SuperLU's word for a pivot that is zero
        raise LinAlgError(f"Singular matrix: {error}") from error

    def solve(b: Any) -> Array:
        right, kind = (
            vector(b, matrix.device).get(),
            lu.L.dtype,
        )  # SuperLU wants the right sides in its own type
        if np.iscomplexobj(right) and not np.issubdtype(kind, np.complexfloating):
            found = lu.solve(right.real.astype(kind)) + 1j * lu.solve(right.imag.astype(kind))
        else:
            found = lu.solve(right.astype(kind))
        return asarray(found, device=matrix.device)

    return solve


def spsolve(A: Any, b: Any, permc_spec: str | None = None, use_umfpack: bool = True) -> Any:
    """Solve A x = b by a direct method, like factorized().

    Parameters
    ----------
    A : sparse array
        A square matrix.
    b : array_like or sparse array
        Right-hand sides: a vector, or a matrix with a right-hand side in each column.
    permc_spec : str, optional
        Accepted for compatibility with SciPy; it has no effect.
    use_umfpack : bool, optional
        Accepted for compatibility with SciPy; it has no effect.

    Returns
    -------
    Array or sparse array
        The solution, sparse if `b` is, and a vector if `b` is one or a matrix of one column.

    Examples
    --------
    >>> print(qn.sparse.linalg.spsolve(qn.sparse.csr_array([[2.0, 1.0], [0.0, 4.0]]), [4.0, 8.0]))
    [1. 2.]
    """
    matrix = as_sparse(A, device_of(b))
    right = as_sparse(b, matrix.device).toarray() if is_sparse(b) else vector(b, matrix.device)
    kind = np.result_type(matrix.dtype, right.dtype, np.float32)  # both sides decide, as in SciPy
    found = factorized(matrix.astype(kind, copy=False))(right)
    if is_sparse(b):
        return as_sparse(found, matrix.device)
    return found[:, 0] if found.ndim == 2 and found.shape[1] == 1 else found
