# SPDX-License-Identifier: MIT
"""New distributed arrays. None of these functions communicates."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

import quern

from .._core import ArgumentValueError, Communicator, DistributedArray, Layout
from .._core import Array as LocalArray
from ._array import Array, wrap
from ._layouts import LayoutLike, layout_of
from ._ranks import current, using
from ._texts import exchanged


def _shape(shape: Any) -> tuple[int, ...]:
    if isinstance(shape, (tuple, list)):
        return tuple(operator.index(one) for one in shape)
    return (operator.index(shape),)


def _new(make: Any, shape: Any, layout: Any, *args: Any, **kwargs: Any) -> Array:
    comm = current()
    chosen = layout_of(layout, _shape(shape), comm)
    return _made(make, comm, chosen, *args, **kwargs)


def _made(make: Any, comm: Communicator, layout: Layout, *args: Any, **kwargs: Any) -> Array:
    """An array whose elements are all alike; `make` is quern.zeros, quern.full..."""
    if comm.size == 1 or any(np.ndim(one) for one in args):
        return Array(make(layout.local_shape(comm.rank), *args, **kwargs), layout, comm)
    element = make((), *args, **kwargs)
    made = wrap(DistributedArray.empty(comm, layout, element.dtype, element.device))
    if make is not quern.empty:
        made.local[...] = element
    return made


def asarray(
    obj: Any, dtype: Any = None, *, layout: LayoutLike = None, device: Any = None, copy: bool | None = None
) -> Array:
    """Distribute an array that all ranks have.

    Parameters
    ----------
    obj : array_like or Array
        Values, the same on every rank; each rank keeps its block. A distributed array is returned as it is, or in
        another layout or dtype.
    dtype : dtype, optional
        NumPy dtype for the elements, otherwise as given in `obj`.
    layout : Layout, str, sequence of ints, cyclic or owned, optional
        'block' (default), 'replicated', the lengths of a process grid, cyclic(...), owned(...), or a Layout.
    device : Device or str, optional
        Device of the result; the current device by default.
    copy : bool, optional
        True copies a distributed array always; False raises ValueError if elements must be copied.

    Returns
    -------
    Array
        Distributed array.

    Examples
    --------
    >>> qn.dist.asarray([[1, 2], [3, 4]]).shape
    (2, 2)
    """
    if isinstance(obj, Array):
        result = obj if dtype is None else obj.astype(dtype, copy=False)
        result = result if layout is None else result.redistribute(layout)
        if copy is False and result is not obj:
            raise ArgumentValueError("asarray: copy=False, but the dtype or the layout differs")
        return result.copy() if copy and result is obj else result
    if copy is False:
        raise ArgumentValueError("asarray: copy=False needs a distributed array; from_local() shares memory")
    comm = current()
    whole = quern.asarray(obj, dtype=dtype, device=device)
    if whole is obj:
        whole = obj.copy()  # a single rank would share the memory, several would not
    return wrap(DistributedArray.distribute(comm, layout_of(layout, whole.shape, comm), whole))


def asarray_beside(obj: Any, x: Array) -> Array:
    """Values that all ranks of another array give alike, in blocks over these ranks on its device."""
    if isinstance(obj, Array):
        return obj
    with using(x.comm):
        return asarray(obj, device=x.device)


def array(obj: Any, dtype: Any = None, *, layout: LayoutLike = None, device: Any = None) -> Array:
    """Distribute a copy of an array that all ranks have.

    Parameters
    ----------
    obj : array_like or Array
        Values, the same on every rank; each rank keeps its block.
    dtype : dtype, optional
        NumPy dtype for the elements, otherwise as given in `obj`.
    layout : Layout, str, sequence of ints, cyclic or owned, optional
        'block' (default), 'replicated', the lengths of a process grid, cyclic(...), owned(...), or a Layout.
    device : Device or str, optional
        Device of the result; the current device by default.

    Returns
    -------
    Array
        Distributed array with memory of its own.

    Examples
    --------
    >>> qn.dist.array([1, 2, 3]).shape
    (3,)
    """
    return asarray(obj, dtype, layout=layout, device=device).copy()


def from_local(local: Any, layout: LayoutLike = None, comm: Communicator | None = None) -> Array:
    """Make a distributed array of the blocks that ranks have. The ranks compare their shapes and dtypes.

    Parameters
    ----------
    local : array_like
        Block of this rank; it is not copied if it is a quern.Array.
    layout : Layout, optional
        Layout of the whole array. By default blocks follow each other along the first axis, in the order of the
        ranks.
    comm : Communicator, optional
        Ranks; by default those of init().

    Returns
    -------
    Array
        Distributed array.

    Examples
    --------
    >>> qn.dist.from_local([1.0, 2.0]).shape
    (2,)
    """
    block = local if isinstance(local, LocalArray) else quern.asarray(local)
    comm = comm or current()
    if layout is not None and not isinstance(layout, Layout):
        raise ArgumentValueError("from_local: layout: expected a Layout, which has a shape")
    kinds = exchanged(comm, f"{block.dtype.str} {' '.join(map(str, block.shape))}", "from_local")
    blocks = [(one.split()[0], tuple(map(int, one.split()[1:]))) for one in kinds]
    if isinstance(layout, Layout):
        expected = [layout.local_shape(rank) for rank in range(comm.size)]
    else:
        if not all(shape for _, shape in blocks):
            bare = next(rank for rank, (_, shape) in enumerate(blocks) if not shape)
            raise ArgumentValueError(
                f"from_local: blocks must have at least one axis; the block of rank {bare} has shape ()"
            )
        expected = [(*shape[:1], *blocks[0][1][1:]) for _, shape in blocks]
    for rank, ((dtype, shape), wanted) in enumerate(zip(blocks, expected, strict=True)):
        if (dtype, shape) != (blocks[0][0], wanted):
            raise ArgumentValueError(
                f"from_local: the block of rank {rank} has shape {shape} and dtype {np.dtype(dtype)}, but expected is "
                + (
                    f"shape {wanted}"
                    if layout is not None
                    else f"shape {('n', *wanted[1:])}".replace("'n'", "n")
                )
                + f" and dtype {np.dtype(blocks[0][0])}"
                + (", as the layout and rank 0 have" if layout is not None else ", as rank 0 has")
            )
    if isinstance(layout, Layout):
        return Array(block, layout, comm)
    # Axes behind the first one are whole: grid axes of length 1.
    rows = [shape[0] for _, shape in blocks]
    return Array(block, Layout.irregular([rows, *([one] for one in block.shape[1:])]), comm)


def empty(shape: Any, dtype: Any = None, *, layout: LayoutLike = None, device: Any = None) -> Array:
    """Make an array without setting its elements.

    Parameters
    ----------
    shape : int or tuple of ints
        Shape of the whole array.
    dtype : dtype, optional
        Data type; the device's default float by default.
    layout : Layout, str, sequence of ints, cyclic or owned, optional
        'block' (default), 'replicated', the lengths of a process grid, cyclic(...), owned(...), or a Layout.
    device : Device or str, optional
        Device of the result; the current device by default.

    Returns
    -------
    Array
        Distributed array.

    Examples
    --------
    >>> qn.dist.empty((2, 3)).shape
    (2, 3)
    """
    return _new(quern.empty, shape, layout, dtype=dtype, device=device)


def zeros(shape: Any, dtype: Any = None, *, layout: LayoutLike = None, device: Any = None) -> Array:
    """Make an array of zeros.

    Parameters
    ----------
    shape : int or tuple of ints
        Shape of the whole array.
    dtype : dtype, optional
        Data type; the device's default float by default.
    layout : Layout, str, sequence of ints, cyclic or owned, optional
        'block' (default), 'replicated', the lengths of a process grid, cyclic(...), owned(...), or a Layout.
    device : Device or str, optional
        Device of the result; the current device by default.

    Returns
    -------
    Array
        Distributed array.

    Examples
    --------
    >>> qn.dist.zeros(3).get()
    array([0., 0., 0.])
    """
    return _new(quern.zeros, shape, layout, dtype=dtype, device=device)


def ones(shape: Any, dtype: Any = None, *, layout: LayoutLike = None, device: Any = None) -> Array:
    """Make an array of ones.

    Parameters
    ----------
    shape : int or tuple of ints
        Shape of the whole array.
    dtype : dtype, optional
        Data type; the device's default float by default.
    layout : Layout, str, sequence of ints, cyclic or owned, optional
        'block' (default), 'replicated', the lengths of a process grid, cyclic(...), owned(...), or a Layout.
    device : Device or str, optional
        Device of the result; the current device by default.

    Returns
    -------
    Array
        Distributed array.

    Examples
    --------
    >>> qn.dist.ones(3).get()
    array([1., 1., 1.])
    """
    return _new(quern.ones, shape, layout, dtype=dtype, device=device)


def full(
    shape: Any, fill_value: Any, dtype: Any = None, *, layout: LayoutLike = None, device: Any = None
) -> Array:
    """Make an array of one value.

    Parameters
    ----------
    shape : int or tuple of ints
        Shape of the whole array.
    fill_value : number
        Value of all elements.
    dtype : dtype, optional
        NumPy dtype for the elements, otherwise as NumPy chooses for `fill_value`.
    layout : Layout, str, sequence of ints, cyclic or owned, optional
        'block' (default), 'replicated', the lengths of a process grid, cyclic(...), owned(...), or a Layout.
    device : Device or str, optional
        Device of the result; the current device by default.

    Returns
    -------
    Array
        Distributed array.

    Examples
    --------
    >>> qn.dist.full(3, 7).get()
    array([7, 7, 7])
    """
    if isinstance(fill_value, Array):
        fill_value = fill_value.item()
    return _new(quern.full, shape, layout, fill_value, dtype=dtype, device=device)


def _like(x: Array, make: Any, dtype: Any, device: Any) -> Array:
    where = x.device if device is None else device
    return _made(make, x.comm, x.layout, dtype=dtype or x.dtype, device=where)


def empty_like(x: Array, dtype: Any = None, *, device: Any = None) -> Array:
    """Make an array with the shape and layout of another, without setting its elements.

    Parameters
    ----------
    x : Array
        Distributed array.
    dtype : dtype, optional
        Data type; that of the array by default.
    device : Device or str, optional
        Device of the result; that of the array by default.

    Returns
    -------
    Array
        Distributed array.

    Examples
    --------
    >>> qn.dist.empty_like(qn.dist.ones(3)).shape
    (3,)
    """
    return _like(x, quern.empty, dtype, device)


def zeros_like(x: Array, dtype: Any = None, *, device: Any = None) -> Array:
    """Make an array of zeros with the shape and layout of another.

    Parameters
    ----------
    x : Array
        Distributed array.
    dtype : dtype, optional
        Data type; that of the array by default.
    device : Device or str, optional
        Device of the result; that of the array by default.

    Returns
    -------
    Array
        Distributed array.

    Examples
    --------
    >>> qn.dist.zeros_like(qn.dist.ones(3)).get()
    array([0., 0., 0.])
    """
    return _like(x, quern.zeros, dtype, device)


def ones_like(x: Array, dtype: Any = None, *, device: Any = None) -> Array:
    """Make an array of ones with the shape and layout of another.

    Parameters
    ----------
    x : Array
        Distributed array.
    dtype : dtype, optional
        Data type; that of the array by default.
    device : Device or str, optional
        Device of the result; that of the array by default.

    Returns
    -------
    Array
        Distributed array.

    Examples
    --------
    >>> qn.dist.ones_like(qn.dist.zeros(3)).get()
    array([1., 1., 1.])
    """
    return _like(x, quern.ones, dtype, device)


def full_like(x: Array, fill_value: Any, dtype: Any = None, *, device: Any = None) -> Array:
    """Make an array of one value with the shape and layout of another.

    Parameters
    ----------
    x : Array
        Distributed array.
    fill_value : number
        Value of all elements.
    dtype : dtype, optional
        Data type; that of the array by default.
    device : Device or str, optional
        Device of the result; that of the array by default.

    Returns
    -------
    Array
        Distributed array.

    Examples
    --------
    >>> qn.dist.full_like(qn.dist.zeros(3), 5).get()
    array([5., 5., 5.])
    """
    made = _like(x, quern.empty, dtype, device)
    made[...] = fill_value
    return made


def _indices(layout: Layout, rank: int, axis: int, device: Any) -> LocalArray:
    """The indices along an axis that a rank has, as int64."""
    runs = layout.intervals(rank)[axis]
    parts = [quern.arange(start, stop, dtype=np.int64, device=device) for start, stop in runs]
    if not parts:
        return quern.empty((0,), dtype=np.int64, device=device)
    return parts[0] if len(parts) == 1 else quern.concat(parts)


def arange(
    start: Any,
    stop: Any = None,
    step: Any = 1,
    dtype: Any = None,
    *,
    layout: LayoutLike = None,
    device: Any = None,
) -> Array:
    """Evenly spaced numbers from start up to and excluding stop.

    Parameters
    ----------
    start : number
        First number; the end of an interval from 0 if `stop` is omitted.
    stop : number, optional
        End, which is excluded.
    step : number, optional
        Distance between neighbours.
    dtype : dtype, optional
        NumPy dtype for the elements, otherwise int64 or the default float.
    layout : Layout, str, sequence of ints, cyclic or owned, optional
        'block' (default), 'replicated', the lengths of a process grid, cyclic(...), owned(...), or a Layout.
    device : Device or str, optional
        Device of the result; the current device by default.

    Returns
    -------
    Array
        Distributed array of one axis.

    Examples
    --------
    >>> qn.dist.arange(1, 7, 2).get()
    array([1, 3, 5])
    """
    if stop is None:
        start, stop = 0, start
    if step == 0:
        raise ArgumentValueError("arange: step must not be 0")
    # The dtype that NumPy and quern give, by a short range.
    first = start + type(stop)(0)
    kind = quern.arange(first, first + step, step, dtype=dtype, device=device).dtype
    count = builtin_max(0, math.ceil((stop - start) / step))
    comm = current()
    chosen = layout_of(layout, (count,), comm)
    places = _indices(chosen, comm.rank, 0, device)
    # NumPy's distance between floats is that of its first two numbers.
    distance = step if kind.kind in "iu" else kind.type(start + step) - kind.type(start)
    if kind.kind in "iu":
        local = (places * int(distance) + int(start)).astype(kind)
    else:
        local = places.astype(kind) * distance + kind.type(start)
    return Array(local.astype(kind), chosen, comm)


builtin_max = max


def linspace(
    start: float,
    stop: float,
    num: int = 50,
    endpoint: bool = True,
    dtype: Any = None,
    *,
    layout: LayoutLike = None,
    device: Any = None,
) -> Array:
    """Evenly spaced numbers from start to stop.

    Parameters
    ----------
    start : number
        First number.
    stop : number
        Last number.
    num : int, optional
        How many numbers.
    endpoint : bool, optional
        Whether `stop` is included.
    dtype : dtype, optional
        Data type; the device's default float by default.
    layout : Layout, str, sequence of ints, cyclic or owned, optional
        'block' (default), 'replicated', the lengths of a process grid, cyclic(...), owned(...), or a Layout.
    device : Device or str, optional
        Device of the result; the current device by default.

    Returns
    -------
    Array
        Distributed array of one axis.

    Examples
    --------
    >>> qn.dist.linspace(0, 1, 5).get()
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    kind = quern.linspace(start, stop, 2, dtype=dtype, device=device).dtype
    work = quern.linspace(0.0, 1.0, 2, device=device).dtype
    comm = current()
    chosen = layout_of(layout, (num,), comm)
    parts = num - 1 if endpoint else num
    places = _indices(chosen, comm.rank, 0, device).astype(work)
    step = (stop - start) / parts if parts > 0 else 0.0
    local = places * step + start
    if endpoint and num > 1:
        local = quern.where(places == num - 1, quern.asarray(float(stop), dtype=work, device=device), local)
    return Array((quern.floor(local) if kind.kind in "iu" else local).astype(kind), chosen, comm)


def eye(
    n: int,
    m: int | None = None,
    k: int = 0,
    dtype: Any = None,
    *,
    layout: LayoutLike = None,
    device: Any = None,
) -> Array:
    """Matrix with ones on a diagonal and zeros elsewhere.

    Parameters
    ----------
    n : int
        Number of rows.
    m : int, optional
        Number of columns; as many as rows by default.
    k : int, optional
        Diagonal, counted upwards from the main one.
    dtype : dtype, optional
        Data type; the device's default float by default.
    layout : Layout, str, sequence of ints, cyclic or owned, optional
        'block' (default), 'replicated', the lengths of a process grid, cyclic(...), owned(...), or a Layout.
    device : Device or str, optional
        Device of the result; the current device by default.

    Returns
    -------
    Array
        Distributed matrix.

    Examples
    --------
    >>> qn.dist.eye(2).get()
    array([[1., 0.],
           [0., 1.]])
    """
    kind = quern.empty((0,), dtype=dtype, device=device).dtype
    comm = current()
    chosen = layout_of(layout, (n, n if m is None else m), comm)
    k = builtin_max(-n, min(k, chosen.shape[1]))  # the same matrix, and a number that fits
    rows, columns = (_indices(chosen, comm.rank, axis, device) for axis in (0, 1))
    return Array((rows[:, None] + k == columns[None, :]).astype(kind), chosen, comm)
