# SPDX-License-Identifier: MIT
"""Preconditioners: operators that approximate the inverse of a matrix."""

from __future__ import annotations

from typing import Any

from ..._core import sparse_preconditioner
from .._base import as_sparse
from ._operator import LinearOperator


def _made(
    kind: str, A: Any, number: int = 1, ratio: float = 30.0, greatest: float | None = None
) -> LinearOperator:
    matrix = as_sparse(A)
    inverse = sparse_preconditioner(kind, matrix._csr(), number, ratio, greatest)
    return LinearOperator(matrix.shape, inverse.apply, dtype=matrix.dtype)


def jacobi(A: Any) -> LinearOperator:
    """Return the inverse of the diagonal of a matrix."""
    return _made("jacobi", A)


def block_jacobi(A: Any, block_size: int = 4) -> LinearOperator:
    """Return the inverse of the blocks on the diagonal of a matrix."""
    return _made("block_jacobi", A, int(block_size))


def ic0(A: Any) -> LinearOperator:
    """Return the incomplete Cholesky factorisation without fill-in, for a Hermitian positive definite matrix.

    The host computes it once. A GPU solves with it level by level, which is slow for matrices with many levels.
    """
    return _made("ic0", A)


def ilu0(A: Any) -> LinearOperator:
    """Return the incomplete LU factorisation without fill-in; the host computes it once."""
    return _made("ilu0", A)


def chebyshev(A: Any, degree: int = 4, ratio: float = 30.0, greatest: float | None = None) -> LinearOperator:
    """Return a polynomial of the matrix, for Hermitian positive definite matrices.

    It is best for eigenvalues from `greatest` / `ratio` to `greatest`; by default the greatest sum of magnitudes of a
    row. It needs only products, so it suits GPUs.
    """
    return _made("chebyshev", A, int(degree), float(ratio), greatest)
