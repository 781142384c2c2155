# SPDX-License-Identifier: MIT
"""Preconditioners: operators that approximate the inverse of a matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._array import asarray
from ..._core import ArgumentTypeError, sparse_multigrid, sparse_preconditioner
from .._entries import as_sparse
from ._operator import LinearOperator


def _made(
    kind: str, A: Any, number: int = 1, ratio: float = 30.0, greatest: float | None = None
) -> LinearOperator:
    matrix = as_sparse(A)
    inverse = sparse_preconditioner(kind, matrix._csr(), number, ratio, greatest)
    return LinearOperator(matrix.shape, inverse.apply, dtype=matrix.dtype)


def jacobi(A: Any) -> LinearOperator:
    """Jacobi preconditioner: the inverse of the diagonal of a matrix.

    Parameters
    ----------
    A : sparse array or array_like
        The square matrix; its diagonal must not contain zeros.

    Returns
    -------
    LinearOperator
        An approximation of the inverse, for `M=` of the solvers.

    Examples
    --------
    >>> A = qn.sparse.diags_array([2.0, -1.0, -1.0], offsets=[0, 1, -1], shape=(4, 4), format="csr")
    >>> x, info = qn.sparse.linalg.cg(A, qn.ones(4), M=qn.sparse.linalg.jacobi(A))
    >>> print(qn.round(x, 3), info)
    [2. 3. 3. 2.] 0
    """
    return _made("jacobi", A)


def block_jacobi(A: Any, block_size: int = 4) -> LinearOperator:
    """Block Jacobi preconditioner: the inverses of the blocks on the diagonal of a matrix.

    Parameters
    ----------
    A : sparse array or array_like
        The square matrix.
    block_size : int, optional
        Number of rows of a block.

    Returns
    -------
    LinearOperator
        An approximation of the inverse, for `M=` of the solvers.

    Examples
    --------
    >>> A = qn.sparse.diags_array([2.0, -1.0, -1.0], offsets=[0, 1, -1], shape=(4, 4), format="csr")
    >>> x, info = qn.sparse.linalg.cg(A, qn.ones(4), M=qn.sparse.linalg.block_jacobi(A, 2))
    >>> print(qn.round(x, 3), info)
    [2. 3. 3. 2.] 0
    """
    return _made("block_jacobi", A, int(block_size))


def ic0(A: Any) -> LinearOperator:
    """Preconditioner by incomplete Cholesky factorisation without fill-in, IC(0).

    The host factorises the matrix once. Rows that depend on each other are solved one after another, which is slow on
    GPUs if there are long chains of such rows.

    Parameters
    ----------
    A : sparse array or array_like
        The Hermitian positive definite matrix.

    Returns
    -------
    LinearOperator
        An approximation of the inverse, for `M=` of the solvers.

    Examples
    --------
    >>> A = qn.sparse.diags_array([2.0, -1.0, -1.0], offsets=[0, 1, -1], shape=(4, 4), format="csr")
    >>> x, info = qn.sparse.linalg.cg(A, qn.ones(4), M=qn.sparse.linalg.ic0(A))
    >>> print(qn.round(x, 3), info)
    [2. 3. 3. 2.] 0
    """
    return _made("ic0", A)


def ilu0(A: Any) -> LinearOperator:
    """Preconditioner by incomplete LU factorisation without fill-in, ILU(0).

    The host factorises the matrix once. Rows that depend on each other are solved one after another, which is slow on
    GPUs if there are long chains of such rows.

    Parameters
    ----------
    A : sparse array or array_like
        The square matrix.

    Returns
    -------
    LinearOperator
        An approximation of the inverse, for `M=` of the solvers.

    Examples
    --------
    >>> A = qn.sparse.diags_array([2.0, -1.0, -1.0], offsets=[0, 1, -1], shape=(4, 4), format="csr")
    >>> x, info = qn.sparse.linalg.gmres(A, qn.ones(4), M=qn.sparse.linalg.ilu0(A))
    >>> print(qn.round(x, 3), info)
    [2. 3. 3. 2.] 0
    """
    return _made("ilu0", A)


def chebyshev(A: Any, degree: int = 4, ratio: float = 30.0, greatest: float | None = None) -> LinearOperator:
    """Chebyshev preconditioner: a polynomial of a Hermitian positive definite matrix.

    It consists of products with the matrix only, so it suits GPUs.

    Parameters
    ----------
    A : sparse array or array_like
        The Hermitian positive definite matrix.
    degree : int, optional
        Degree of the polynomial.
    ratio : float, optional
        Ratio of the largest to the smallest eigenvalue for which the polynomial is optimal.
    greatest : float, optional
        Upper bound of the eigenvalues; by default the largest sum of magnitudes in a row.

    Returns
    -------
    LinearOperator
        An approximation of the inverse, for `M=` of the solvers.

    Examples
    --------
    >>> A = qn.sparse.diags_array([2.0, -1.0, -1.0], offsets=[0, 1, -1], shape=(4, 4), format="csr")
    >>> x, info = qn.sparse.linalg.cg(A, qn.ones(4), M=qn.sparse.linalg.chebyshev(A))
    >>> print(qn.round(x, 3), info)
    [2. 3. 3. 2.] 0
    """
    return _made("chebyshev", A, int(degree), float(ratio), greatest)


def multigrid(ml: Any, sweeps: int = 1, *, device: Any = None) -> LinearOperator:
    """Multigrid preconditioner: a V-cycle on the device for a hierarchy of matrices, such as pyamg's.

    Parameters
    ----------
    ml : object
        Hierarchy such as `pyamg.ruge_stuben_solver(A.get())`: its list `levels` has objects with a matrix `A` and,
        except for the last one, `P` and `R`, the prolongation from the next level and the restriction to it.
    sweeps : int, optional
        Number of damped Jacobi sweeps before and after each coarse correction. The smoothers of the hierarchy are not
        used.
    device : Device or str, optional
        Device of the operator; by default the current device.

    Returns
    -------
    LinearOperator
        An approximation of the inverse, for `M=`. The coarsest matrix is inverted once on the host.

    Examples
    --------
    >>> from types import SimpleNamespace as Level
    >>> A = qn.sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(7, 7), format="csr")
    >>> P = qn.sparse.csr_array(qn.asarray([[0.5, 0, 0], [1, 0, 0], [0.5, 0.5, 0], [0, 1, 0],
    ...                                     [0, 0.5, 0.5], [0, 0, 1], [0, 0, 0.5]]))
    >>> ml = Level(levels=[Level(A=A, P=P, R=P.T), Level(A=P.T @ A @ P)])
    >>> x, info = qn.sparse.linalg.cg(A, qn.ones(7), M=qn.sparse.linalg.multigrid(ml), rtol=1e-10)
    >>> print(qn.round(x, 6), info)
    [3.5 6.  7.5 8.  7.5 6.  3.5] 0
    """
    levels = getattr(ml, "levels", None)
    if not levels or any(not hasattr(level, "P") or not hasattr(level, "R") for level in levels[:-1]):
        raise ArgumentTypeError(
            "multigrid: expected a hierarchy with levels that have A, P and R, as pyamg's"
        )
    matrices, steps, returns = (
        [as_sparse(getattr(level, name), device)._csr() for level in levels[:-1]] for name in "APR"
    )
    last = levels[-1].A
    dense = np.asarray(last.get().toarray() if hasattr(last, "get") else last.toarray())
    finest = as_sparse(levels[0].A, device)
    inverse = asarray(
        np.linalg.pinv(dense).astype(np.result_type(finest.dtype, np.float32)), device=finest.device
    )
    if len(levels) == 1:
        return LinearOperator(finest.shape, lambda r: inverse @ r, dtype=inverse.dtype)
    cycle = sparse_multigrid(matrices, steps, returns, inverse, int(sweeps))
    return LinearOperator(finest.shape, cycle.apply, dtype=inverse.dtype)
