# SPDX-License-Identifier: MIT
"""csr_array: compressed rows, of which each rank has some, and their products with distributed vectors."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

import quern

from ... import sparse
from ..._core import ArgumentTypeError, ArgumentValueError, Communicator, DistributedCsr, Layout
from ..._core import Array as LocalArray
from ...sparse._entries import is_sparse
from ...sparse._foreign import is_scipy
from .._array import Array, is_number, wrap
from .._layouts import layout_of
from .._ranks import current


def _operand(x: Any, comm: Communicator, shape: tuple[int, int]) -> Array:
    """A distributed array; other arrays have the same values on every rank."""
    if isinstance(x, Array):
        given = x
    else:
        local = x if isinstance(x, LocalArray) else quern.asarray(x)
        given = Array(local, Layout.replicated(comm.size, local.shape), comm)
    if given.ndim not in (1, 2) or given.shape[0] != shape[1]:
        raise ArgumentValueError(f"matmul: a matrix of shape {shape} and an array of shape {given.shape}")
    return given


class csr_array:
    """Sparse matrix in compressed rows, of which each rank has an interval.

    `A @ x` sends the elements of x that other ranks need, one message to each neighbour; which ones is found once, when
    the matrix is made. `A.T @ x` sends parts of sums back. All ranks call the same functions in the same order.

    Parameters
    ----------
    arg1 : sparse array or array_like
        Matrix that all ranks have, of SciPy, quern.sparse, or dense. Each rank copies its rows.
    dtype : dtype, optional
        Dtype of the entries, otherwise as given.
    layout : Layout, str or sequence of ints, optional
        Layout of vectors of as many elements as there are rows, which chooses the rows of each rank; intervals of equal
        length by default.
    device : Device or str, optional
        Device of the arrays; the current device by default.

    Examples
    --------
    >>> A = qn.dist.sparse.csr_array([[2.0, 0.0], [1.0, 3.0]])
    >>> (A @ qn.dist.ones(2)).get()
    array([2., 4.])
    """

    ndim = 2
    # NumPy's operators leave the work to the reflected operators of this class.
    __array_ufunc__ = None
    __array_priority__ = 2000

    def __init__(self, arg1: Any, *, dtype: Any = None, layout: Any = None, device: Any = None) -> None:
        comm = current()
        if is_scipy(arg1):
            whole = arg1.tocsr()  # stays on the host; only this rank's rows are copied
        elif is_sparse(arg1):
            whole = sparse.csr_array(arg1)
        else:
            whole = sparse.csr_array(arg1, device=device)
        if len(whole.shape) != 2:
            raise ArgumentValueError(f"csr_array: expected two dimensions, got {len(whole.shape)}")
        rows = layout_of([comm.size] if layout is None else layout, (whole.shape[0],), comm)
        start, stop = _interval(rows, comm)
        self._set(_native(whole[start:stop], dtype, device), comm)

    def _set(self, rows: Any, comm: Communicator) -> None:
        self._rows = DistributedCsr(comm, rows._csr())

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns of the whole matrix."""
        return self._rows.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Data type of the entries."""
        return self._rows.local.data.dtype

    @property
    def nnz(self) -> int:
        """Number of stored entries of all ranks, zeros included."""
        return self._rows.nnz

    @property
    def comm(self) -> Communicator:
        """Ranks that have the matrix."""
        return self._rows.communicator

    @property
    def local(self) -> Any:
        """The rows of this rank, a quern.sparse.csr_array with the columns of the whole matrix. Not to be written."""
        return sparse.csr_array._of_csr(self._rows.local)

    @property
    def row_layout(self) -> Layout:
        """Layout of vectors that `A @ x` returns."""
        return self._rows.row_layout

    @property
    def column_layout(self) -> Layout:
        """Layout of vectors that `A @ x` takes without moving them; that of the rows if the matrix is square."""
        return self._rows.column_layout

    @property
    def ghosts(self) -> int:
        """Number of elements of x that this rank needs from others in `A @ x`."""
        return self._rows.ghosts

    @property
    def neighbours(self) -> int:
        """Number of ranks that have these elements."""
        return self._rows.neighbours

    @property
    def T(self) -> _Transposed:
        """The transpose, for products with vectors. Its rows stay where they are."""
        return _Transposed(self)

    def matvec(self, x: Any) -> Array:
        """Return the product with a vector, as `A @ x`.

        Parameters
        ----------
        x : Array
            Vector, or matrix whose columns are vectors.

        Returns
        -------
        Array
            The product, in the layout of the rows.

        Examples
        --------
        >>> qn.dist.sparse.csr_array([[1.0, 2.0]]).matvec(qn.dist.ones(2)).get()
        array([3.])
        """
        return self.__matmul__(x)

    def rmatvec(self, x: Any) -> Array:
        """Return the product of the adjoint with a vector.

        Parameters
        ----------
        x : Array
            Vector, or matrix whose columns are vectors.

        Returns
        -------
        Array
            The product, in the layout of the columns.

        Examples
        --------
        >>> qn.dist.sparse.csr_array([[1.0, 2.0]]).rmatvec(qn.dist.ones(1)).get()
        array([1., 2.])
        """
        x = _operand(x, self.comm, self.shape[::-1])
        return _adjoint(self.T, x)

    def diagonal(self) -> Array:
        """Return the main diagonal of a square matrix. Does not communicate.

        Returns
        -------
        Array
            The elements, in the layout of the rows.

        Examples
        --------
        >>> qn.dist.sparse.csr_array([[2.0, 1.0], [0.0, 3.0]]).diagonal().get()
        array([2., 3.])
        """
        return wrap(self._rows.diagonal())

    def dot(self, x: Any) -> Array:
        """Return the product with a vector, as `A @ x`.

        Parameters
        ----------
        x : Array
            Vector, or matrix whose columns are vectors.

        Returns
        -------
        Array
            The product, in the layout of the rows.

        Examples
        --------
        >>> qn.dist.sparse.csr_array([[1.0, 2.0]]).dot(qn.dist.ones(2)).get()
        array([3.])
        """
        return self.__matmul__(x)

    def __matmul__(self, x: Any) -> Array:
        if is_number(x):
            raise ArgumentValueError("matmul: a number is not allowed")
        if is_sparse(x) or is_scipy(x) or isinstance(x, (csr_array, _Transposed)):
            raise ArgumentTypeError("matmul: products of two sparse matrices are not supported on many ranks")
        return wrap(self._rows.multiply(_operand(x, self.comm, self.shape)._blocks))

    def __repr__(self) -> str:
        rank, size = self.comm.rank, self.comm.size
        needs = f"needs {self.ghosts} elements of {self.neighbours} others"
        return (
            f"<csr_array of shape {self.shape}, {self.dtype}, {self.nnz} entries; rank {rank} of {size} has "
            f"{self._rows.local.shape[0]} rows and {needs}>"
        )


class _Transposed:
    """The transpose of a matrix of rows, as A.T: an operator."""

    ndim = 2
    __array_ufunc__ = None
    __array_priority__ = 2000

    def __init__(self, matrix: csr_array) -> None:
        self.T = matrix

    @property
    def shape(self) -> tuple[int, int]:
        return self.T.shape[::-1]

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.T.dtype

    @property
    def comm(self) -> Communicator:
        return self.T.comm

    def matvec(self, x: Any) -> Array:
        return self.__matmul__(x)

    def rmatvec(self, x: Any) -> Array:
        return _adjoint(self.T, _operand(x, self.comm, self.T.shape))

    def __matmul__(self, x: Any) -> Array:
        return wrap(self.T._rows.multiply_transposed(_operand(x, self.comm, self.shape)._blocks))

    def __repr__(self) -> str:
        return f"<transpose of {self.T!r}>"


def _adjoint(transpose: csr_array | _Transposed, x: Array) -> Array:
    """The conjugated transpose applied to x."""
    if transpose.dtype.kind != "c":
        return transpose.__matmul__(x)
    return transpose.__matmul__(x.conj()).conj()


def _interval(layout: Layout, comm: Communicator) -> tuple[int, int]:
    """The rows of this rank."""
    each = [layout.intervals(rank)[0] for rank in range(comm.size)]
    ends = [one[0] for one in each if one]
    if comm.size > 1 and (
        any(len(one) > 1 for one in each) or any(a[1] != b[0] for a, b in itertools.pairwise(ends))
    ):
        raise ArgumentValueError(
            f"csr_array: layout: each rank must have one interval of rows, in the order of the ranks; got {layout}"
        )
    if each[comm.rank]:
        return each[comm.rank][0]
    before = [one[0][1] for one in each[: comm.rank] if one]
    return (before[-1], before[-1]) if before else (0, 0)


def _native(rows: Any, dtype: Any, device: Any) -> Any:
    made = rows if isinstance(rows, sparse.csr_array) else sparse.csr_array(rows, device=device)
    if device is not None:
        made = made.to_device(device)
    return made if dtype is None else made.astype(dtype)


def from_local(rows: Any, *, dtype: Any = None, device: Any = None) -> csr_array:
    """Join the rows that each rank has to one matrix, in the order of the ranks.

    Parameters
    ----------
    rows : sparse array or array_like
        Rows of this rank, with the columns of the whole matrix. Numbers of rows may differ.
    dtype : dtype, optional
        Dtype of the entries, otherwise as given. All ranks must have the same.
    device : Device or str, optional
        Device of the arrays; the current device by default.

    Returns
    -------
    csr_array
        The matrix.

    Examples
    --------
    >>> qn.dist.sparse.from_local([[1.0, 2.0]]).shape
    (1, 2)
    """
    made = csr_array.__new__(csr_array)
    local = rows if is_sparse(rows) else sparse.csr_array(rows, device=device)
    made._set(_native(sparse.csr_array(local), dtype, device), current())
    return made
