# SPDX-License-Identifier: MIT
"""Linear systems, least squares and eigenvalues of sparse arrays and linear operators.

Names, parameters and results are those of scipy.sparse.linalg. Solvers read the residual every few iterations, without
stopping the device. They compute the residual of the returned solution again: `info` is 0 only if it meets the tolerance.
"""

from __future__ import annotations

from ._direct import factorized, spsolve, spsolve_triangular
from ._eigen import ArpackNoConvergence, eigsh, svds
from ._norm import matvec_with_vdot, norm
from ._operator import LinearOperator, aslinearoperator
from ._preconditioners import block_jacobi, chebyshev, ic0, ilu0, jacobi, multigrid
from ._solvers import bicgstab, cg, gmres, lsmr, lsqr, minres

__all__ = [
    "ArpackNoConvergence",
    "LinearOperator",
    "aslinearoperator",
    "bicgstab",
    "block_jacobi",
    "cg",
    "chebyshev",
    "eigsh",
    "factorized",
    "gmres",
    "ic0",
    "ilu0",
    "jacobi",
    "lsmr",
    "lsqr",
    "matvec_with_vdot",
    "minres",
    "multigrid",
    "norm",
    "spsolve",
    "spsolve_triangular",
    "svds",
]
