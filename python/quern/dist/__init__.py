# SPDX-License-Identifier: MIT
"""Arrays distributed over the ranks of an MPI program, with NumPy's functions.

import quern.dist as qn

x = qn.linspace(0, 1, 10_000_000)       # each rank has a block
print(float((qn.sin(x) ** 2).mean()))   # the same number on every rank

One process without mpiexec is a program of one rank; `mpiexec -n 4 python program.py` runs it on four. All ranks call the
same functions in the same order. docs/distributed.md explains layouts, slices and errors.
"""

from __future__ import annotations

from typing import Any

import quern

from .._core import Communicator, DistributedError, HaloExchange, Layout, Status
from .._signatures import ClassSignature as _ClassSignature
from . import _elementwise, _methods, fft, linalg, sparse
from . import _indexing as _indexing
from . import _masks as _masks
from . import _numpy as _numpy
from ._array import Array
from ._checkpoints import load_checkpoint, save_checkpoint
from ._composed import (
    broadcast_arrays,
    diff,
    meshgrid,
    moveaxis,
    outer,
    tensordot,
    tril,
    triu,
    unstack,
    vecdot,
)
from ._counter import Counter, Locks
from ._creation import (
    arange,
    array,
    asarray,
    empty,
    empty_like,
    eye,
    from_local,
    full,
    full_like,
    linspace,
    ones,
    ones_like,
    zeros,
    zeros_like,
)
from ._cumulative import cumulative_prod, cumulative_sum, histogram
from ._files import load, save
from ._global import GlobalArray
from ._halo import HaloArray, exchange, exchange_begin
from ._handles import Handle
from ._indexing import nonzero, put, take, take_along_axis
from ._layouts import cyclic, owned
from ._manipulation import (
    argsort,
    broadcast_to,
    concat,
    dot,
    expand_dims,
    flip,
    matmul,
    matrix_transpose,
    permute_dims,
    reshape,
    roll,
    sort,
    squeeze,
    stack,
    transpose,
)
from ._messages import ANY_SOURCE as ANY_SOURCE
from ._messages import ANY_TAG as ANY_TAG
from ._messages import (
    allgather,
    allreduce,
    alltoall,
    bcast,
    irecv,
    isend,
    recv,
    reduce,
    scatter,
    send,
)
from ._messages import (
    stack_at as _stack_at,
)
from ._random import default_rng
from ._ranks import barrier, init, on_threads, rank, size, using
from ._reductions import (
    all,
    any,
    argmax,
    argmin,
    count_nonzero,
    max,
    mean,
    min,
    prod,
    ptp,
    std,
    sum,
    var,
)
from ._repetition import repeat, tile
from ._sets import isin, searchsorted, unique_all, unique_counts, unique_inverse, unique_values
from ._standard import astype, broadcast_shapes, can_cast, finfo, iinfo, isdtype, result_type
from ._texts import DistributedOSError

newaxis = None
__array_api_version__ = quern.__array_api_version__
__array_namespace_info__ = quern.__array_namespace_info__

globals().update(_elementwise.elementwise)
_methods.add_methods(globals())
for _class in (Communicator, HaloExchange, Layout, Status):
    _class.__signature__ = _ClassSignature()  # type: ignore[union-attr]
for _class in (Array, Communicator, HaloArray, HaloExchange, Layout, Status):  # type: ignore[assignment]
    _class.__module__ = "quern.dist"
del _class

__all__ = [
    "Array",
    "Communicator",
    "Counter",
    "DistributedError",
    "DistributedOSError",
    "GlobalArray",
    "HaloArray",
    "HaloExchange",
    "Handle",
    "Layout",
    "Locks",
    "Status",
    "all",
    "allgather",
    "allreduce",
    "alltoall",
    "any",
    "arange",
    "argmax",
    "argmin",
    "argsort",
    "array",
    "asarray",
    "asnumpy",
    "astype",
    "barrier",
    "bcast",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "can_cast",
    "concat",
    "count_nonzero",
    "cumulative_prod",
    "cumulative_sum",
    "cyclic",
    "default_rng",
    "diff",
    "dot",
    "empty",
    "empty_like",
    "exchange",
    "exchange_begin",
    "expand_dims",
    "eye",
    "fft",
    "finfo",
    "flip",
    "from_local",
    "full",
    "full_like",
    "gather",
    "histogram",
    "iinfo",
    "init",
    "irecv",
    "isdtype",
    "isend",
    "isin",
    "linalg",
    "linspace",
    "load",
    "load_checkpoint",
    "matmul",
    "matrix_transpose",
    "max",
    "mean",
    "meshgrid",
    "min",
    "moveaxis",
    "nonzero",
    "on_threads",
    "ones",
    "ones_like",
    "outer",
    "owned",
    "permute_dims",
    "prod",
    "ptp",
    "put",
    "rank",
    "recv",
    "redistribute",
    "reduce",
    "repeat",
    "reshape",
    "result_type",
    "roll",
    "save",
    "save_checkpoint",
    "scatter",
    "searchsorted",
    "send",
    "size",
    "sort",
    "sparse",
    "squeeze",
    "stack",
    "std",
    "sum",
    "take",
    "take_along_axis",
    "tensordot",
    "tile",
    "transpose",
    "tril",
    "triu",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "unstack",
    "using",
    "var",
    "vecdot",
    "zeros",
    "zeros_like",
]
__all__ += sorted(_elementwise.elementwise)


def redistribute(x: Array, layout: Any) -> Array:
    """Return the same elements in another layout.

    Parameters
    ----------
    x : Array
        Distributed array.
    layout : Layout, str, sequence of ints, cyclic or owned
        New layout, as for zeros().

    Returns
    -------
    Array
        The array itself if it has the layout already.

    Examples
    --------
    >>> str(qn.dist.redistribute(qn.dist.zeros(4), "replicated").layout)
    'replicated'
    """
    return x.redistribute(layout)


def gather(x: Any, out: Any = None, root: int | None = None) -> quern.Array | None:
    """Return all elements of a distributed array on one rank, or stack the arrays of all ranks there.

    Parameters
    ----------
    x : Array or quern.Array
        Distributed array, or an array of this rank, with the same shape and dtype on all ranks.
    out : quern.Array, optional
        Array for the result, if `x` is an array of this rank.
    root : int, optional
        Rank that gets the elements. By default all ranks get those of a distributed array, and rank 0 the arrays of all
        ranks.

    Returns
    -------
    quern.Array
        All elements, or an array whose row r is the array of rank r; None on ranks other than `root`.

    Examples
    --------
    >>> qn.dist.gather(qn.dist.ones(3)).shape
    (3,)
    """
    if isinstance(x, Array):
        if isinstance(out, int) and root is None:  # gather(x, root)
            out, root = None, out
        if out is not None:
            raise quern.ArgumentTypeError(
                "gather: out is for arrays of one rank; a distributed array has gather(root)"
            )
        return x.gather(root)
    local = x if isinstance(x, quern.Array) else quern.asarray(x)
    return _stack_at(local, out, 0 if root is None else root)


def asnumpy(x: Array) -> Any:
    """Return all elements as a NumPy array, on every rank.

    Parameters
    ----------
    x : Array
        Distributed array.

    Returns
    -------
    numpy.ndarray
        The elements.

    Examples
    --------
    >>> qn.dist.asnumpy(qn.dist.ones(3))
    array([1., 1., 1.])
    """
    return x.get()


def __getattr__(name: str) -> Any:
    # Dtypes and constants are those of quern.
    value = getattr(quern, name, None) if not name.startswith("_") else None
    if isinstance(value, (float, type)) and name in quern._dtypes.__all__:
        return value
    text = f"module 'quern.dist' has no attribute {name!r}"
    if value is not None:
        text += f"; quern.{name} takes the arrays of one rank: x.local, or x.gather()"
    raise AttributeError(text)
