# SPDX-License-Identifier: MIT
"""Sparse matrices whose rows are spread over the ranks of an MPI program, and solvers for them.

import quern.dist as qn

A = qn.sparse.csr_array(matrix)                 # a matrix of SciPy's that all ranks have; each keeps some rows
x, info = qn.sparse.linalg.cg(A, qn.ones(A.shape[0]))
"""

from __future__ import annotations

from . import linalg
from ._csr import csr_array, from_local

__all__ = ["csr_array", "from_local", "linalg"]

for _one in (csr_array, from_local):
    _one.__module__ = "quern.dist.sparse"
del _one
