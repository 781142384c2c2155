# SPDX-License-Identifier: MIT
"""Sparse matrices with scipy.sparse's array interface, on any device.

Operations compute in CSR format (`csr_array`); other formats are converted to it once, when an operation needs it.
Functions and constructors have the parameters of SciPy's, and accept SciPy's matrices; `A.get()` is a SciPy array.
"""

from __future__ import annotations

from typing import Any

from ._base import SparseArray, issparse
from ._blocks import bsr_array, dia_array
from ._combine import (
    block_array,
    block_diag,
    bmat,
    find,
    hstack,
    kron,
    kronsum,
    tril,
    triu,
    vstack,
)
from ._compressed import csc_array, csr_array
from ._construct import diags, diags_array, eye, eye_array, identity, rand, random, random_array, spdiags
from ._coo import coo_array
from ._files import load_npz, save_npz
from ._vector import SparseVector

__all__ = [
    "SparseArray",
    "SparseVector",
    "block_array",
    "block_diag",
    "bmat",
    "bsr_array",
    "coo_array",
    "csc_array",
    "csr_array",
    "dia_array",
    "diags",
    "diags_array",
    "eye",
    "eye_array",
    "find",
    "hstack",
    "identity",
    "issparse",
    "kron",
    "kronsum",
    "linalg",
    "load_npz",
    "rand",
    "random",
    "random_array",
    "save_npz",
    "spdiags",
    "tril",
    "triu",
    "vstack",
]


def __getattr__(name: str) -> Any:
    if name == "linalg":
        import importlib

        return importlib.import_module("quern.sparse.linalg")
    raise AttributeError(f"module 'quern.sparse' has no attribute {name!r}")
