# SPDX-License-Identifier: MIT
"""Arrays like others, evenly spaced numbers, grids of indices, and matrices by their diagonals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike

from . import _core, _functions
from ._array import _default_dtype, arange, asarray, count_of, empty, full, integer_of, zeros
from ._core import ArgumentValueError, Array, Device, Queue, where
from ._memory_order import Order, laid_out
from ._operands import Values, as_array, as_arrays, axis_of, held_by

_Device = Device | str | None
_Shape = int | Sequence[int] | None


def empty_like(
    x: Values,
    /,
    dtype: DTypeLike | None = None,
    order: Order = "K",
    *,
    device: _Device = None,
    shape: _Shape = None,
) -> Array:
    """An array of the shape, dtype and device of another, with whatever was in memory."""
    x = as_array("empty_like", x)
    return empty(
        x.shape if shape is None else shape,
        x.dtype if dtype is None else dtype,
        device or x.device,
        order=order,
    )


def zeros_like(
    x: Values,
    /,
    dtype: DTypeLike | None = None,
    order: Order = "K",
    *,
    device: _Device = None,
    shape: _Shape = None,
) -> Array:
    """Zeros, of the shape, dtype and device of another array."""
    x = as_array("zeros_like", x)
    return zeros(
        x.shape if shape is None else shape,
        x.dtype if dtype is None else dtype,
        device or x.device,
        order=order,
    )


def ones_like(
    x: Values,
    /,
    dtype: DTypeLike | None = None,
    order: Order = "K",
    *,
    device: _Device = None,
    shape: _Shape = None,
) -> Array:
    """Ones, of the shape, dtype and device of another array."""
    return full_like(x, 1, dtype, order, device=device, shape=shape)


def full_like(
    x: Values,
    /,
    fill_value: Values,
    dtype: DTypeLike | None = None,
    order: Order = "K",
    *,
    device: _Device = None,
    shape: _Shape = None,
) -> Array:
    """One value, in the shape, dtype and on the device of another array."""
    x = as_array("full_like", x)
    return full(
        x.shape if shape is None else shape,
        fill_value,
        x.dtype if dtype is None else dtype,
        device or x.device,
        order=order,
    )


def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike | None = None,
    axis: int = 0,
    *,
    device: _Device = None,
    queue: Queue | None = None,
) -> Any:
    """`num` evenly spaced numbers from `start` to `stop`, which is the last of them where `endpoint` is true.

    With `retstep` a pair: the numbers, and the distance of neighbours. Of arrays, numbers along a new axis.
    """
    count = count_of("linspace", "num", num)
    if count < 0:
        raise ArgumentValueError(f"linspace: num is {count}, but must not be negative")
    if np.ndim(start) or np.ndim(stop):
        return _linspace_of_arrays(start, stop, count, endpoint, retstep, dtype, axis, device, queue)
    spacing = _spacing_dtype(start, stop, _core.device(device) if queue is None else queue.device)
    first, last = (value.item() if hasattr(value, "item") else value for value in (start, stop))
    wanted = spacing if dtype is None else np.dtype(dtype)
    numbers = _core.linspace(first, last, count, wanted, bool(endpoint), device, queue)
    if not retstep:
        return numbers
    steps = count - 1 if endpoint else count
    return numbers, spacing.type((last - first) / steps) if steps > 0 else float("nan")


def _spacing_dtype(start: Any, stop: Any, device: Device) -> np.dtype[Any]:
    """The dtype of numbers between two, in which they are computed; numbers of Python's take the other's."""
    weak = (int, float, complex)
    given = [
        one if type(one) in weak else one.dtype if hasattr(one, "dtype") else np.asarray(one).dtype
        for one in (start, stop)
    ]
    return held_by(device, np.result_type(*given, 1.0))


def _linspace_of_arrays(
    start: Any,
    stop: Any,
    count: int,
    endpoint: bool,
    retstep: bool,
    dtype: DTypeLike | None,
    axis: int,
    device: _Device,
    queue: Queue | None,
) -> Any:
    first, last = asarray(start, device=device, queue=queue), asarray(stop, device=device, queue=queue)
    # Differences of narrow integers do not fit their own type.
    spacing = _spacing_dtype(start, stop, first.device)
    first, last = first.astype(spacing, copy=False), last.astype(spacing, copy=False)
    steps = count - 1 if endpoint else count
    step = (last - first) / max(steps, 1)
    index = _core.arange(0, 1, count, spacing, step.device, queue)
    column = index.reshape(count, *(1,) * step.ndim)
    numbers = column * step + first
    if endpoint and count > 1:
        numbers = where(column == steps, last, numbers)
    wanted = spacing if dtype is None else np.dtype(dtype)
    if wanted.kind in "iu":
        numbers = _core.apply("floor", numbers)
    numbers = numbers.astype(wanted, copy=False)
    order = list(range(1, numbers.ndim))
    order.insert(axis_of("linspace", axis, numbers.ndim), 0)
    numbers = numbers.transpose(order)
    return (numbers, step if steps > 0 else float("nan")) if retstep else numbers


def logspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: float = 10.0,
    dtype: DTypeLike | None = None,
    *,
    device: _Device = None,
) -> Array:
    """`num` powers of the base, whose exponents are evenly spaced."""
    num = count_of("logspace", "num", num)
    exponents = linspace(start, stop, num, endpoint, device=device)
    powers = _core.apply("power", base, exponents)
    return powers if dtype is None else powers.astype(dtype, copy=False)


def geomspace(
    start: complex,
    stop: complex,
    /,
    num: int = 50,
    endpoint: bool = True,
    dtype: DTypeLike | None = None,
    *,
    device: _Device = None,
) -> Array:
    """`num` numbers, each the same multiple of the one before it; NaN between real numbers of different signs."""
    num = count_of("geomspace", "num", num)
    if start == 0 or stop == 0:
        raise ArgumentValueError("geomspace: a sequence by multiples has no zero in it")
    own = _spacing_dtype(start, stop, _core.device(device))
    first, last = (own.type(value.item() if hasattr(value, "item") else value) for value in (start, stop))
    # The first one is turned to the positive numbers, and what was computed is turned back.
    sign = np.sign(first)
    with np.errstate(invalid="ignore"):
        low, high = (np.log10(value / sign) for value in (first, last))
    numbers = logspace(low, high, num, endpoint, device=device) * sign.item()
    index = arange(num, device=device)
    numbers = where(index == 0, first.item(), numbers)
    if endpoint and num > 1:
        numbers = where(index == num - 1, last.item(), numbers)
    return numbers.astype(own if dtype is None else dtype, copy=False)


def eye(
    n_rows: int,
    n_cols: int | None = None,
    /,
    k: int = 0,
    dtype: DTypeLike | None = None,
    order: Order = "C",
    *,
    device: _Device = None,
    queue: Queue | None = None,
) -> Array:
    """Ones on the diagonal that is `k` above the main one, zeros elsewhere."""
    wanted = _default_dtype(device, queue) if dtype is None else dtype
    rows = count_of("eye", "n_rows", n_rows)
    columns = rows if n_cols is None else count_of("eye", "n_cols", n_cols)
    result = _core.eye(rows, columns, integer_of("eye", "k", k), wanted, device, queue)
    return laid_out("eye", order, result)


def identity(n: int, dtype: DTypeLike | None = None, *, device: _Device = None) -> Array:
    """A square matrix with ones on its main diagonal."""
    return eye(integer_of("identity", "n", n), dtype=dtype, device=device)


def _as_matrix(function: str, x: Values) -> Array:
    """As in NumPy, a vector is each row of a square matrix."""
    array = as_array(function, x)
    return _core.broadcast_to(array, array.shape * 2) if array.ndim == 1 else array


def tril(x: Values, /, k: int = 0) -> Array:
    """What is on and below the diagonal `k`; zeros above."""
    return _core.tril(_as_matrix("tril", x), k)


def triu(x: Values, /, k: int = 0) -> Array:
    """What is on and above the diagonal `k`; zeros below."""
    return _core.triu(_as_matrix("triu", x), k)


def tri(
    N: int,
    M: int | None = None,
    k: int = 0,
    dtype: DTypeLike | None = None,
    *,
    device: _Device = None,
) -> Array:
    """Ones on and below the diagonal `k`, zeros above."""
    target = _core.device(device)
    wanted = _default_dtype(target, None) if dtype is None else dtype
    rows = integer_of("tri", "N", N)
    columns = rows if M is None else integer_of("tri", "M", M)
    return tril(full((rows, columns), 1, wanted, target), k)


def diagonal(x: Values, /, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """A view of the diagonals of matrices, `offset` above the main one, along a new last axis."""
    return _core.diagonal(as_array("diagonal", x), offset, axis1, axis2)


def trace(
    x: Values,
    /,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    dtype: DTypeLike | None = None,
) -> Array:
    """The sum of the diagonal `offset` above the main one."""
    return _functions.sum(diagonal(x, offset, axis1, axis2), axis=-1, dtype=dtype)


def diag(v: Values, /, k: int = 0) -> Array:
    """The matrix with these numbers on its diagonal `k`, or the diagonal of a matrix, as a copy."""
    x = as_array("diag", v)
    if x.ndim == 2:
        return diagonal(x, k).copy()
    if x.ndim != 1:
        raise ArgumentValueError(f"diag: expected one or two dimensions, got shape {x.shape}")
    n = x.shape[0] + abs(k)
    result = zeros((n, n), x.dtype, x.device)
    diagonal(result, k)[...] = x
    return result


def diagflat(v: Values, /, k: int = 0) -> Array:
    """The matrix with all of these numbers on its diagonal `k`."""
    return diag(as_array("diagflat", v).reshape(-1), k)


def frombuffer(
    buffer: Any, dtype: DTypeLike = float, count: int = -1, offset: int = 0, *, device: _Device = None
) -> Array:
    """The elements that lie in the bytes of a buffer, as a copy on the device."""
    return asarray(np.frombuffer(buffer, dtype, count, offset), device=device)


def fromiter(iterable: Iterable[Any], dtype: DTypeLike, count: int = -1, *, device: _Device = None) -> Array:
    """What an iterable goes over."""
    return asarray(np.fromiter(iterable, dtype, count), device=device)


def meshgrid(
    *arrays: Values,
    indexing: Literal["xy", "ij"] = "xy",
    sparse: bool = False,
    copy: bool = True,
) -> tuple[Array, ...]:
    """Grids of coordinates: each array along its own axis, the same along all others.

    The first axis is that of the second array, as in drawings, unless `indexing="ij"`. With `sparse` the other axes
    have length 1; with `copy=False` the grids are views.
    """
    if indexing not in ("xy", "ij"):
        raise ArgumentValueError(f"meshgrid: indexing is {indexing!r}, but must be 'xy' or 'ij'")
    flat = [x.reshape(-1) for x in as_arrays("meshgrid", *arrays)]
    axes = list(range(len(flat)))
    if indexing == "xy" and len(flat) > 1:
        axes[:2] = [1, 0]
    lengths = [flat[axis].shape[0] for axis in axes]
    grids = []
    for x, axis in zip(flat, axes, strict=True):
        # Along the other axes one element stands for many.
        shape = [1] * len(flat) if sparse else list(lengths)
        shape[axis] = x.shape[0]
        strides = [0] * len(flat)
        strides[axis] = x.strides[0]
        grids.append(Array(x.buffer, x.dtype, shape, strides=strides, offset=x.offset))
    return tuple(x.copy() for x in grids) if copy else tuple(grids)


def indices(
    dimensions: Sequence[int],
    dtype: DTypeLike = np.int64,
    *,
    sparse: bool = False,
    device: _Device = None,
) -> Any:
    """The index of each element along each axis, stacked along a new first axis; `sparse` gives a tuple."""
    shape = tuple(integer_of("indices", "a length", length) for length in dimensions)
    axes = [arange(length, dtype=dtype, device=device) for length in shape]
    grids = meshgrid(*axes, indexing="ij", sparse=sparse, copy=False)
    if sparse:
        return grids
    result = empty((len(shape), *shape), dtype, device)
    for axis, grid in enumerate(grids):
        result[axis] = grid
    return result


def fromfunction(
    function: Callable[..., Any],
    shape: Sequence[int],
    *,
    dtype: DTypeLike | None = None,
    device: _Device = None,
    **kwargs: Any,
) -> Any:
    """What the function makes of the coordinates of every element, called once with all of them."""
    wanted = _default_dtype(device, None) if dtype is None else dtype
    lengths = [integer_of("fromfunction", "a length", length) for length in shape]
    axes = [arange(length, dtype=wanted, device=device) for length in lengths]
    return function(*meshgrid(*axes, indexing="ij", copy=False), **kwargs)


__all__ = [
    "diag",
    "diagflat",
    "diagonal",
    "empty_like",
    "eye",
    "frombuffer",
    "fromfunction",
    "fromiter",
    "full_like",
    "geomspace",
    "identity",
    "indices",
    "linspace",
    "logspace",
    "meshgrid",
    "ones_like",
    "trace",
    "tri",
    "tril",
    "triu",
    "zeros_like",
]
