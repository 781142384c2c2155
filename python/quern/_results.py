# SPDX-License-Identifier: MIT
"""Named tuples that functions of the registry return."""

from __future__ import annotations

from typing import NamedTuple

from ._core import Array

__all__ = [
    "EigResult",
    "EighResult",
    "QRResult",
    "SVDResult",
    "SlogdetResult",
    "UniqueAllResult",
    "UniqueCountsResult",
    "UniqueInverseResult",
]


class EigResult(NamedTuple):
    """Eigenvalues and right eigenvectors, which are columns."""

    eigenvalues: Array
    eigenvectors: Array


class EighResult(NamedTuple):
    """Eigenvalues of a Hermitian matrix, ascending, and eigenvectors, which are columns."""

    eigenvalues: Array
    eigenvectors: Array


class QRResult(NamedTuple):
    """Orthonormal columns and an upper triangular matrix."""

    Q: Array
    R: Array


class SVDResult(NamedTuple):
    """Left singular vectors, singular values and right singular vectors."""

    U: Array
    S: Array
    Vh: Array


class SlogdetResult(NamedTuple):
    """Sign and logarithm of the magnitude of a determinant."""

    sign: Array
    logabsdet: Array


class UniqueAllResult(NamedTuple):
    """Unique values with first indices, inverse indices and counts."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCountsResult(NamedTuple):
    """Unique values and their counts."""

    values: Array
    counts: Array


class UniqueInverseResult(NamedTuple):
    """Unique values and the inverse indices."""

    values: Array
    inverse_indices: Array
