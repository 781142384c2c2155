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
    """Eigenvalues and right eigenvectors, which are columns.

    Examples
    --------
    >>> result = qn.linalg.eig(np.array([[2.0, 0.0], [0.0, 3.0]]))
    >>> result.eigenvalues.get()
    array([2.+0.j, 3.+0.j])
    >>> values, vectors = result
    """

    eigenvalues: Array
    eigenvectors: Array


class EighResult(NamedTuple):
    """Eigenvalues of a Hermitian matrix, ascending, and eigenvectors, which are columns.

    Examples
    --------
    >>> result = qn.linalg.eigh(np.array([[3.0, 0.0], [0.0, 2.0]]))
    >>> result.eigenvalues.get()
    array([2., 3.])
    """

    eigenvalues: Array
    eigenvectors: Array


class QRResult(NamedTuple):
    """Orthonormal columns and an upper triangular matrix.

    Examples
    --------
    >>> result = qn.linalg.qr(np.array([[0.0, 2.0], [1.0, 0.0]]))
    >>> qn.allclose(result.Q @ result.R, np.array([[0.0, 2.0], [1.0, 0.0]]))
    True
    """

    Q: Array
    R: Array


class SVDResult(NamedTuple):
    """Left singular vectors, singular values and right singular vectors.

    Examples
    --------
    >>> result = qn.linalg.svd(np.array([[0.0, 2.0], [1.0, 0.0]]))
    >>> result.S.get()
    array([2., 1.])
    """

    U: Array
    S: Array
    Vh: Array


class SlogdetResult(NamedTuple):
    """Sign and logarithm of the magnitude of a determinant.

    Examples
    --------
    >>> sign, logarithm = qn.linalg.slogdet(np.diag([-2.0, 3.0]))
    >>> float(sign * qn.exp(logarithm))
    -6.0
    """

    sign: Array
    logabsdet: Array


class UniqueAllResult(NamedTuple):
    """Unique values with first indices, inverse indices and counts.

    Examples
    --------
    >>> result = qn.unique_all(qn.asarray([3, 1, 3]))
    >>> result.values.get(), result.indices.get()
    (array([1, 3]), array([1, 0]))
    >>> result.inverse_indices.get(), result.counts.get()
    (array([1, 0, 1]), array([1, 2]))
    """

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCountsResult(NamedTuple):
    """Unique values and their counts.

    Examples
    --------
    >>> values, counts = qn.unique_counts(qn.asarray([3, 1, 3]))
    >>> values.get(), counts.get()
    (array([1, 3]), array([1, 2]))
    """

    values: Array
    counts: Array


class UniqueInverseResult(NamedTuple):
    """Unique values and the inverse indices.

    Examples
    --------
    >>> values, inverse = qn.unique_inverse(qn.asarray([3, 1, 3]))
    >>> values[inverse].get()
    array([3, 1, 3])
    """

    values: Array
    inverse_indices: Array
