# SPDX-License-Identifier: MIT
"""Eigenvalues of Hermitian operators and singular values."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._array import asarray
from ..._core import ArgumentTypeError, ArgumentValueError, Array, sparse_eigsh, sparse_svds
from ..._functions import argsort
from .._base import as_sparse, is_sparse
from .._construct import eye_array
from ._direct import factorized
from ._operator import LinearOperator, aslinearoperator, device_of, native, vector


def _start(matrix: Any, count: int, v0: Any, device: Any) -> Array:
    if v0 is not None:
        return vector(v0, device)
    # Not constant: an eigenvector of many matrices is.
    drawn = np.random.default_rng(20).uniform(-1, 1, count)
    dtype = matrix[1] if isinstance(matrix, tuple) else matrix.data.dtype
    single = np.dtype(dtype) in (np.float32, np.complex64)
    return asarray(drawn.astype(np.float32 if single else np.float64), device=device)


def eigsh(
    A: Any,
    k: int = 6,
    *,
    which: str = "LM",
    v0: Any = None,
    ncv: int | None = None,
    maxiter: int | None = None,
    tol: float = 0,
    return_eigenvectors: bool = True,
    sigma: float | None = None,
    OPinv: Any = None,
) -> Any:
    """Find some eigenvalues and eigenvectors of a Hermitian matrix, by the Lanczos method with restarts.

    Parameters
    ----------
    A : sparse array, array or LinearOperator
        The matrix.
    k : int, optional
        Number of eigenvalues, less than the number of rows.
    which : str, optional
        "LM" and "SM": largest and smallest magnitude; "LA" and "SA": largest and smallest.
    v0 : array_like, optional
        Starting vector; random by default.
    ncv : int, optional
        Number of Lanczos vectors; max(2 k + 1, 20) by default.
    maxiter : int, optional
        Maximum number of restarts; 10 times the number of rows by default.
    tol : float, optional
        Relative tolerance; 0 means the machine precision.
    return_eigenvectors : bool, optional
        Whether to return the vectors, too.
    sigma : float, optional
        Shift-invert mode: find eigenvalues near sigma from those of (A - sigma I)^-1. `which="LM"` then means the
        nearest ones.
    OPinv : LinearOperator, optional
        (A - sigma I)^-1. By default SciPy's SuperLU factorises the matrix on the host.

    Returns
    -------
    Array or tuple of Array
        Eigenvalues in increasing order, and the vectors as columns.

    Examples
    --------
    >>> A = qn.sparse.diags_array([1.0, 2.0, 3.0, 4.0, 5.0], format="csr")
    >>> w = qn.sparse.linalg.eigsh(A, 2, return_eigenvectors=False)
    >>> print(qn.round(w, 6))
    [4. 5.]
    """
    matrix = native(A if sigma is None else _inverse(A, sigma, OPinv))
    start = _start(matrix, A.shape[1], v0, device_of(A, v0))
    values, vectors = sparse_eigsh(matrix, k, which, ncv, start, tol, maxiter)
    if sigma is not None:
        values = sigma + 1 / values
        order = argsort(values)
        values, vectors = values[order], vectors[:, order]
    return (values, vectors) if return_eigenvectors else values


def _inverse(A: Any, sigma: float, given: Any) -> LinearOperator:
    """(A - sigma I)^-1."""
    if given is not None:
        return aslinearoperator(given)
    if not is_sparse(A):
        raise ArgumentTypeError("eigsh: sigma needs a sparse array, or OPinv, the inverse of A - sigma I")
    matrix = as_sparse(A)
    kind = np.result_type(matrix.dtype, np.float32)
    shifted = matrix.astype(kind) - sigma * eye_array(matrix.shape[0], dtype=kind, device=matrix.device)
    return LinearOperator(matrix.shape, factorized(shifted), dtype=kind)


def svds(
    A: Any,
    k: int = 6,
    *,
    ncv: int | None = None,
    tol: float = 0,
    which: str = "LM",
    v0: Any = None,
    maxiter: int | None = None,
    return_singular_vectors: bool = True,
) -> Any:
    """Find some singular values and vectors of a matrix.

    They are computed from the eigenvalues of A^H A, so values below sqrt(eps) times the largest are not accurate. The
    vectors of such values are not orthonormal on the longer side of the matrix: in u if A has at least as many rows as
    columns, otherwise in vh.

    Parameters
    ----------
    A : sparse array, array or LinearOperator
        The matrix. A LinearOperator needs `rmatvec`.
    k : int, optional
        Number of singular values.
    ncv : int, optional
        Number of Lanczos vectors; max(2 k + 1, 20) by default.
    tol : float, optional
        Relative tolerance; 0 means the machine precision.
    which : str, optional
        "LM" for the largest or "SM" for the smallest singular values.
    v0 : array_like, optional
        Starting vector; random by default.
    maxiter : int, optional
        Maximum number of restarts; 10 times the shorter side of the matrix by default.
    return_singular_vectors : bool, optional
        If False, return only the singular values.

    Returns
    -------
    Array or tuple of Array
        u, s and vh; the singular values s are in increasing order.

    Examples
    --------
    >>> A = qn.sparse.diags_array([1.0, 2.0, 3.0, 4.0, 5.0], format="csr")
    >>> print(qn.round(qn.sparse.linalg.svds(A, 2, return_singular_vectors=False), 6))
    [4. 5.]
    """
    if which not in ("LM", "SM"):
        raise ArgumentValueError(f"svds: which must be 'LM' or 'SM', got {which!r}")
    matrix = native(A)
    start = _start(matrix, min(A.shape), v0, device_of(A, v0))
    u, s, vh = sparse_svds(matrix, k, which, ncv, start, tol, maxiter)
    return (u, s, vh) if return_singular_vectors else s
