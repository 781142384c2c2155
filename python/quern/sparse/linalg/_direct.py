# SPDX-License-Identifier: MIT
"""Direct solvers: triangular systems on the device, others by SciPy's SuperLU on the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._array import asarray
from ..._core import ArgumentValueError, Array, SparseTriangle
from .._base import as_sparse, is_sparse
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
            f"{what} uses SuperLU of SciPy, which is not installed: pip install scipy; "
            "quern.sparse.linalg.cg, gmres and others need no library"
        ) from error
    return scipy.sparse.linalg


def factorized(A: Any) -> Callable[[Any], Array]:
    """Return a function that solves A x = b for a vector or the columns of a matrix.

    SciPy's SuperLU factorises a copy of the matrix on the host, once. Raises ImportError where SciPy is not installed.

    Examples
    --------
    >>> solve = qn.sparse.linalg.factorized(qn.sparse.csr_array([[2.0, 1.0], [1.0, 3.0]]))
    >>> print(solve(qn.asarray([3.0, 4.0])), solve(qn.asarray([2.0, 1.0])))
    [1. 1.] [1. 0.]
    """
    matrix = as_sparse(A)
    lu = _superlu("factorized").splu(matrix.tocsc().get())

    def solve(b: Any) -> Array:
        right = vector(b, matrix.device)
        return asarray(lu.solve(right.get()), device=right.device)

    return solve


def spsolve(A: Any, b: Any) -> Any:
    """Solve A x = b directly, by SciPy's SuperLU: the host factorises a copy of the matrix.

    `b` is a vector, a matrix or a sparse array. Raises ImportError where SciPy is not installed.
    """
    solvers = _superlu("spsolve")
    matrix = as_sparse(A, device_of(b))
    if is_sparse(b):
        found = solvers.spsolve(matrix.tocsc().get(), as_sparse(b, matrix.device).tocsc().get())
        return as_sparse(found, matrix.device)
    right = vector(b, matrix.device)
    return asarray(solvers.spsolve(matrix.tocsc().get(), right.get()), device=matrix.device)
