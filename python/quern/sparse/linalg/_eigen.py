# SPDX-License-Identifier: MIT
"""Eigenvalues of Hermitian operators and singular values."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._array import asarray
from ..._core import (
    ArgumentTypeError,
    ArgumentValueError,
    Array,
    Error,
    sparse_eigsh,
    sparse_svds,
)
from ..._functions import argsort
from ..._operands import LinAlgError
from .._construct import eye_array
from .._entries import as_sparse, is_sparse
from ._direct import factorized
from ._operator import LinearOperator, aslinearoperator, device_of, native, vector


class ArpackNoConvergence(Error):
    """Not all eigenvalues converged. The name is SciPy's; Quern does not use ARPACK.

    Attributes
    ----------
    eigenvalues : Array
        Eigenvalues that converged.
    eigenvectors : Array
        Their vectors, as columns.
    """

    def __init__(self, msg: str, eigenvalues: Array, eigenvectors: Array) -> None:
        super().__init__(msg)
        self.eigenvalues = eigenvalues
        self.eigenvectors = eigenvectors


def _start(matrix: Any, count: int, v0: Any, device: Any, rng: Any = None) -> Array:
    if v0 is not None:
        return vector(v0, device)
    # Not constant: an eigenvector of many matrices is.
    drawn = np.random.default_rng(20 if rng is None else rng).uniform(-1, 1, count)
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
    rng: Any = None,
) -> Any:
    """Find some eigenvalues and eigenvectors of a Hermitian matrix, by the Lanczos method with restarts.

    Parameters
    ----------
    A : sparse array, array or LinearOperator
        The matrix.
    k : int, optional
        Number of eigenvalues, less than the number of rows.
    which : str, optional
        "LM" and "SM": largest and smallest magnitude; "LA" and "SA": largest and smallest; "BE": half of them from each
        end, one more from the upper end if `k` is odd.
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
    rng : int or numpy.random.Generator, optional
        Seed or generator of the starting vector.

    Returns
    -------
    Array or tuple of Array
        Eigenvalues in increasing order, and the vectors as columns. The residual of each pair was computed.

    Raises
    ------
    ArpackNoConvergence
        If not all pairs converge. It has those that did.

    Examples
    --------
    >>> A = qn.sparse.diags_array([1.0, 2.0, 3.0, 4.0, 5.0], format="csr")
    >>> w = qn.sparse.linalg.eigsh(A, 2, return_eigenvectors=False)
    >>> print(qn.round(w, 6))
    [4. 5.]
    """
    start = _start(native(A), A.shape[1], v0, device_of(A, v0), rng)
    if sigma is None:
        values, vectors, failure = sparse_eigsh(native(A), k, which, ncv, start, tol, maxiter, None)
        if failure is not None:
            raise ArpackNoConvergence(failure, values, vectors)
    else:
        values, vectors = _near(A, float(sigma), OPinv, k, which, ncv, start, tol, maxiter)
    return (values, vectors) if return_eigenvectors else values


def _near(
    A: Any, sigma: float, OPinv: Any, k: int, which: str, ncv: Any, start: Array, tol: float, maxiter: Any
) -> tuple[Array, Array]:
    """Eigenpairs near sigma. Their residuals are computed with A itself."""
    operator = aslinearoperator(A)
    kind = np.result_type(operator.dtype, np.float32)
    precision = float(np.finfo(kind).eps)
    norm = _norm(A, operator, start)
    failure = f"eigsh: A - sigma I is too near to a singular matrix at sigma = {sigma}; use another sigma"
    values, vectors = start[:0].real, start.reshape(-1, 1)[:, :0]
    # The inverse of a nearly singular matrix drowns all eigenvalues but one in rounding errors. So another shift is used
    # then: at a distance that costs a third of the digits. The order is still that of the distances from sigma.
    step = precision ** (1 / 3) * norm
    for used in (sigma, sigma - step, sigma - 1.7 * step):
        try:
            inverse = _inverse(A, used, OPinv)
            # On CUDA the error of a singular matrix comes with the first solution.
            if OPinv is None and not _growth(inverse, start) * norm < precision ** (-2 / 3):
                continue
        except LinAlgError:
            continue
        shift = (sigma, used) if which == "LM" else None
        inverted, found, trouble = sparse_eigsh(native(inverse), k, which, ncv, start, tol, maxiter, shift)
        moved = used + 1 / inverted
        order = argsort(moved)
        moved, found = moved[order], found[:, order]
        if trouble is not None:
            failure, values, vectors = trouble, moved, found
            if used == sigma:
                continue
            break
        limit = max(16 * tol, 1e3 * precision ** (2 / 3)) * norm
        residuals = [
            float(np.linalg.norm((operator.matvec(found[:, j]) - moved[j] * found[:, j]).get()))
            for j in range(k)
        ]
        good = [j for j in range(k) if residuals[j] <= limit]
        if len(good) == k:
            return moved, found
        values, vectors = moved[good], found[:, good]
        if OPinv is not None:
            failure = "eigsh: the residuals are not small; OPinv must be the inverse of A - sigma I"
            break
    raise ArpackNoConvergence(failure, values, vectors)


def _norm(A: Any, operator: LinearOperator, start: Array) -> float:
    """An estimate of the norm of A: the greatest sum of a column, or the growth of a vector."""
    if is_sparse(A):
        return float(abs(as_sparse(A)).sum(axis=0).max()) or 1.0
    return _growth(operator, start) or 1.0


def _growth(operator: LinearOperator, start: Array) -> float:
    """A lower bound of the norm, by two steps of the power method."""
    x, factor = start.get(), 0.0
    for _ in range(2):
        x = x / (np.linalg.norm(x) or 1.0)
        x = operator.matvec(asarray(x, device=start.device)).get()
        factor = float(np.linalg.norm(x))
        if not np.isfinite(factor):
            return np.inf
    return factor


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
    solver: str = "arpack",
    rng: Any = None,
    options: Any = None,
    random_state: Any = None,
) -> Any:
    """Find some singular values and vectors of a matrix.

    They are computed from the eigenvectors of A^H A. If the smallest of the wanted values are too small for that, those of
    [[0, A], [A^H, 0]] are used. u and vh are orthonormal also for values that are 0.

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
    solver : str, optional
        Accepted for compatibility with SciPy; it has no effect.
    rng : int or numpy.random.Generator, optional
        Seed or generator of the starting vector.
    options : dict, optional
        Accepted for compatibility with SciPy; it has no effect.
    random_state : int or numpy.random.Generator, optional
        An older name of `rng`.

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
    start = _start(matrix, min(A.shape), v0, device_of(A, v0), random_state if rng is None else rng)
    u, s, vh, failure = sparse_svds(matrix, k, which, ncv, start, tol, maxiter)
    if failure is not None:
        raise ArpackNoConvergence(f"svds, eigenvalues of A^H A: {failure}", s, u)
    return (u, s, vh) if return_singular_vectors else s
