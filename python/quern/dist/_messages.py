# SPDX-License-Identifier: MIT
"""Messages between ranks: arrays of any device, with the names and argument orders of mpi4py."""

from __future__ import annotations

import atexit
import sys
from typing import Any

import quern

from .. import _core
from .._core import ArgumentTypeError, ArgumentValueError, Event, Status
from .._core import Array as LocalArray
from ._array import Array
from ._ranks import current

ANY_SOURCE = -1
ANY_TAG = -1

# Nothing may call MPI after mpi4py has finalised it.
atexit.register(_core.message_stop)

_MPI_OPERATIONS = {
    "SUM": "sum",
    "PROD": "prod",
    "MIN": "min",
    "MAX": "max",
    "LAND": "logical_and",
    "LOR": "logical_or",
    "BAND": "bitwise_and",
    "BOR": "bitwise_or",
    "BXOR": "bitwise_xor",
}


def _given(function: str, x: Any, name: str = "x") -> LocalArray:
    """An array to send; values of NumPy are copied to the current device."""
    if isinstance(x, LocalArray):
        return x
    if isinstance(x, Array):
        raise ArgumentTypeError(
            f"{function}: {name}: expected an array of one rank, got a distributed one; its block is {name}.local"
        )
    made: LocalArray = quern.asarray(x)
    return made


def _target(function: str, out: Any) -> LocalArray:
    if isinstance(out, LocalArray):
        return out
    if isinstance(out, Array):
        raise ArgumentTypeError(
            f"{function}: out: expected an array of one rank, got a distributed one; its block is out.local"
        )
    raise ArgumentTypeError(f"{function}: out: expected quern.Array, got {type(out).__name__}")


def _new(function: str, shape: Any, dtype: Any) -> LocalArray:
    if shape is None or dtype is None:
        raise ArgumentValueError(f"{function}: give out, or shape and dtype")
    made: LocalArray = quern.empty(shape, dtype)
    return made


def _into(result: LocalArray | None, out: Any, function: str) -> LocalArray | None:
    """The result, or `out` with its values."""
    if out is None or result is None:
        return result
    target = _target(function, out)
    if target.shape != result.shape or target.dtype != result.dtype:
        raise ArgumentValueError(
            f"{function}: out has {target.dtype} of shape {target.shape}, and the result {result.dtype} of shape "
            f"{result.shape}"
        )
    target[...] = result
    return target


def _operation(function: str, op: Any) -> str:
    if isinstance(op, str):
        return op
    if type(op).__module__.split(".")[0] == "mpi4py":
        mpi = sys.modules["mpi4py.MPI"]
        for name, operation in _MPI_OPERATIONS.items():
            if op == getattr(mpi, name):
                return operation
    raise ArgumentTypeError(f"{function}: op: expected the name of an operation, such as 'sum', got {op!r}")


def send(x: Any, dest: int, tag: int = 0) -> None:
    """Send an array to a rank.

    Waits for the kernels that compute the elements, and until the message has left. Messages that arrive meanwhile are
    accepted, so two ranks may send to each other first and receive afterwards.

    Parameters
    ----------
    x : array_like
        Array of this rank, on any device.
    dest : int
        Rank that receives it; may be this one.
    tag : int, optional
        Number, from 0, by which the receiver can choose messages.

    Examples
    --------
    >>> qn.dist.send(qn.arange(3), dest=qn.dist.rank(), tag=7)
    >>> qn.dist.recv(source=qn.dist.rank(), tag=7).get()
    array([0, 1, 2])
    """
    _core.message_send(current(), _given("send", x), dest, tag)


def isend(x: Any, dest: int, tag: int = 0) -> Event:
    """Send an array to a rank once its elements are computed.

    The elements are copied in the order of the queue, so the array may be changed at once.

    Parameters
    ----------
    x : array_like
        Array of this rank, on any device.
    dest : int
        Rank that receives it; may be this one.
    tag : int, optional
        Number, from 0, by which the receiver can choose messages.

    Returns
    -------
    Event
        Done when the message has left.

    Examples
    --------
    >>> event = qn.dist.isend(qn.arange(3), dest=qn.dist.rank())
    >>> qn.dist.recv().get()
    array([0, 1, 2])
    >>> event.wait()
    True
    """
    return _core.message_isend(current(), _given("isend", x), dest, tag)


def recv(
    out: Any = None,
    source: int = ANY_SOURCE,
    tag: int = ANY_TAG,
    status: Status | None = None,
    *,
    shape: Any = None,
    dtype: Any = None,
) -> LocalArray:
    """Receive an array from a rank.

    Parameters
    ----------
    out : quern.Array, optional
        Array with the shape and the dtype of the message, on any device. By default a new array on the current device.
    source : int, optional
        Rank that has sent the message; by default any.
    tag : int, optional
        Tag of the message; by default any.
    status : Status, optional
        Gets the rank and the tag of the message.
    shape : int or tuple of ints, optional
        Shape that a new array must have.
    dtype : dtype, optional
        Data type that a new array must have.

    Returns
    -------
    quern.Array
        `out`, or the new array.

    Examples
    --------
    >>> event = qn.dist.isend(qn.arange(3), dest=qn.dist.rank())
    >>> qn.dist.recv().get()
    array([0, 1, 2])
    """
    filled = Status() if status is None else status
    if out is None and (shape is not None or dtype is not None):
        out = _new("recv", shape, dtype)
    if out is None:
        return _core.message_recv_new(current(), source, tag, filled)
    target = _target("recv", out)
    _core.message_recv(current(), target, source, tag, filled)
    return target


def irecv(
    out: Any,
    source: int = ANY_SOURCE,
    tag: int = ANY_TAG,
    status: Status | None = None,
) -> Event:
    """Receive an array from a rank when it arrives.

    Work that was enqueued on `out` before sees its old elements. Later work waits for the message, on every queue, with or
    without the event.

    Parameters
    ----------
    out : quern.Array
        Contiguous array with the shape and the dtype of the message, on any device.
    source : int, optional
        Rank that has sent the message; by default any.
    tag : int, optional
        Tag of the message; by default any.
    status : Status, optional
        Gets the rank and the tag of the message.

    Returns
    -------
    Event
        Done when `out` has the elements of the message. For wait lists, `event.wait(timeout=...)` and `await`.

    Examples
    --------
    >>> x = qn.zeros(3)
    >>> event = qn.dist.irecv(x)
    >>> qn.dist.send(qn.ones(3), dest=qn.dist.rank())
    >>> event.wait()
    True
    >>> x.get()
    array([1., 1., 1.])
    """
    filled = Status() if status is None else status
    return _core.message_irecv(current(), _target("irecv", out), source, tag, filled)


def bcast(x: LocalArray, root: int = 0) -> LocalArray:
    """Copy the array of one rank to the arrays of all others.

    Parameters
    ----------
    x : quern.Array
        Array with the same shape and dtype on all ranks. It is written on ranks other than `root`.
    root : int, optional
        Rank whose elements are copied.

    Returns
    -------
    quern.Array
        The array itself.

    Examples
    --------
    >>> qn.dist.bcast(qn.arange(3)).get()
    array([0, 1, 2])
    """
    _core.message_bcast(current(), _target("bcast", x), root)
    return x


def reduce(x: Any, out: Any = None, op: Any = "sum", root: int = 0) -> LocalArray | None:
    """Combine the arrays of all ranks, element by element, on one rank.

    Parameters
    ----------
    x : array_like
        Array with the same shape and dtype on all ranks.
    out : quern.Array, optional
        Array for the result, on `root`.
    op : str or mpi4py.MPI.Op, optional
        Operation: sum, prod, min, max, logical_and, logical_or, bitwise_and, bitwise_or or bitwise_xor. Elements are
        combined in the order of the ranks.
    root : int, optional
        Rank that gets the result.

    Returns
    -------
    quern.Array or None
        The result; None on ranks other than `root`.

    Examples
    --------
    >>> qn.dist.reduce(qn.arange(3), op="max").get()
    array([0, 1, 2])
    """
    result = _core.message_reduce(current(), _given("reduce", x), _operation("reduce", op), root)
    return _into(result, out, "reduce")


def allreduce(x: Any, out: Any = None, op: Any = "sum") -> LocalArray:
    """Combine the arrays of all ranks, element by element, on every rank.

    Parameters
    ----------
    x : array_like
        Array with the same shape and dtype on all ranks.
    out : quern.Array, optional
        Array for the result.
    op : str or mpi4py.MPI.Op, optional
        Operation: sum, prod, min, max, logical_and, logical_or, bitwise_and, bitwise_or or bitwise_xor. Elements are
        combined in the order of the ranks.

    Returns
    -------
    quern.Array
        The result, with the same bits on all ranks.

    Examples
    --------
    >>> qn.dist.allreduce(qn.arange(3)).get()
    array([0, 1, 2])
    """
    result = _core.message_allreduce(current(), _given("allreduce", x), _operation("allreduce", op))
    combined = _into(result, out, "allreduce")
    assert combined is not None
    return combined


def stack_at(x: LocalArray, out: Any, root: int) -> LocalArray | None:
    """The arrays of all ranks on one of them: gather() of arrays of one rank."""
    return _into(_core.message_gather(current(), x, root), out, "gather")


def allgather(x: Any, out: Any = None) -> LocalArray:
    """Stack the arrays of all ranks along a new first axis, on every rank.

    Parameters
    ----------
    x : array_like
        Array with the same shape and dtype on all ranks.
    out : quern.Array, optional
        Array for the result.

    Returns
    -------
    quern.Array
        Array whose row r is the array of rank r.

    Examples
    --------
    >>> qn.dist.allgather(qn.arange(3)).shape
    (1, 3)
    """
    stacked = _into(_core.message_allgather(current(), _given("allgather", x)), out, "allgather")
    assert stacked is not None
    return stacked


def scatter(x: Any, out: Any = None, root: int = 0, *, shape: Any = None, dtype: Any = None) -> LocalArray:
    """Give each rank a row of an array of one rank.

    Parameters
    ----------
    x : array_like
        On `root` an array whose row r goes to rank r; ignored on other ranks.
    out : quern.Array, optional
        Array for the row of this rank. By default a new array, whose shape and dtype ranks other than `root` must give.
    root : int, optional
        Rank that has the rows.
    shape : int or tuple of ints, optional
        Shape of a new array.
    dtype : dtype, optional
        Data type of a new array.

    Returns
    -------
    quern.Array
        `out`, or the new array.

    Examples
    --------
    >>> qn.dist.scatter(qn.ones((qn.dist.size(), 2))).get()
    array([1., 1.])
    """
    comm = current()
    rows = _given("scatter", x) if comm.rank == root else None
    if out is not None:
        target = _target("scatter", out)
    elif rows is not None and shape is None and rows.ndim > 0:
        target = quern.empty(rows.shape[1:], rows.dtype, device=rows.device)
    else:
        target = _new("scatter", shape, dtype)
    _core.message_scatter(comm, rows, target, root)
    return target


def alltoall(x: Any, out: Any = None) -> LocalArray:
    """Send row r of an array to rank r, and receive a row from each rank.

    Parameters
    ----------
    x : array_like
        Array with one row for each rank, with the same shape and dtype on all ranks.
    out : quern.Array, optional
        Array for the result.

    Returns
    -------
    quern.Array
        Array whose row r is from rank r.

    Examples
    --------
    >>> qn.dist.alltoall(qn.ones((qn.dist.size(), 2))).get()
    array([[1., 1.]])
    """
    exchanged = _into(_core.message_alltoall(current(), _given("alltoall", x)), out, "alltoall")
    assert exchanged is not None
    return exchanged
