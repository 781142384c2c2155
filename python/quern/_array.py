# SPDX-License-Identifier: MIT
"""Making arrays from shapes, from NumPy, and from page-locked memory."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, prod
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from . import _core
from ._core import ArgumentValueError, Array, Buffer, Device, PinnedBuffer, Queue
from ._interop import from_foreign, is_foreign


def _default_dtype(device: Device | str | None, queue: Queue | None) -> DTypeLike:
    """The default float: float64 where the device has it."""
    target = queue.device if queue is not None else _core.device(device)
    return np.float64 if target.has_fp64 else np.float32


def empty(
    shape: int | Sequence[int],
    dtype: DTypeLike | None = None,
    device: Device | str | None = None,
    *,
    queue: Queue | None = None,
) -> Array:
    """An array whose elements are whatever was in memory."""
    return _core.empty(shape, _default_dtype(device, queue) if dtype is None else dtype, device, queue)


def zeros(
    shape: int | Sequence[int],
    dtype: DTypeLike | None = None,
    device: Device | str | None = None,
    *,
    queue: Queue | None = None,
) -> Array:
    """An array of zeros."""
    return _core.zeros(shape, _default_dtype(device, queue) if dtype is None else dtype, device, queue)


def asarray(
    obj: ArrayLike | Array,
    dtype: DTypeLike | None = None,
    *,
    device: Device | str | None = None,
    copy: bool | None = None,
    queue: Queue | None = None,
) -> Array:
    """An array on the device with the elements of `obj`.

    Arrays of NumPy and of other libraries are copied, unless `copy=False`, which shares their memory on the device where
    it is and is an error elsewhere. An Array that is already what was asked for is returned as it is, unless `copy=True`.
    """
    target = queue.device if queue is not None else _core.device(device)
    if isinstance(obj, Array):
        return _from_array(obj, dtype, target, copy, queue)
    if is_foreign(obj):
        return _from_array(from_foreign(obj, target), dtype, target, copy is not False, queue)
    if copy is False:
        return _share(obj, dtype, target)
    values = np.asarray(obj, dtype=dtype, order="C")
    result = _core.empty(values.shape, values.dtype, None if queue is not None else target, queue)
    result.set(values, queue=queue)
    return result


def _from_array(
    array: Array, dtype: DTypeLike | None, target: Device, copy: bool | None, queue: Queue | None
) -> Array:
    wanted = array.dtype if dtype is None else np.dtype(dtype)
    if array.device == target and wanted == array.dtype and not copy:
        return array
    if copy is False:
        raise ArgumentValueError(
            f"asarray: {array!r} cannot become dtype {wanted} on '{target.spec}' without a copy"
        )
    if wanted != array.dtype:
        array, copy = array.astype(wanted), False
    if array.device != target:
        return array.to_device(queue or target)
    return array.copy() if copy else array


def _share(obj: Any, dtype: DTypeLike | None, target: Device) -> Array:
    if not target.shares_host_memory:
        raise ArgumentValueError(
            f"asarray: copy=False needs a device that shares host memory; '{target.spec}' does not"
        )
    if not isinstance(obj, np.ndarray):
        raise ArgumentValueError(f"asarray: copy=False needs a NumPy array, not {type(obj).__name__}")
    if dtype is not None and np.dtype(dtype) != obj.dtype:
        raise ArgumentValueError(f"asarray: copy=False cannot turn {obj.dtype} into {np.dtype(dtype)}")
    if not obj.flags.aligned:
        raise ArgumentValueError("asarray: copy=False needs an array whose elements are aligned")
    low, high = np.lib.array_utils.byte_bounds(obj)
    memory = Buffer.wrap(low, high - low, target, obj, "rw" if obj.flags.writeable else "r")
    return Array(memory, obj.dtype, obj.shape, strides=obj.strides, offset=obj.ctypes.data - low)


def full(
    shape: int | Sequence[int],
    fill_value: complex,
    *,
    dtype: DTypeLike | None = None,
    device: Device | str | None = None,
    queue: Queue | None = None,
) -> Array:
    """An array of one number; the dtype is that of the number where none is given."""
    if dtype is None:
        kinds = {bool: np.bool_, int: np.int64, complex: np.complex128}
        dtype = kinds.get(type(fill_value)) or _default_dtype(device, queue)
    return _core.full(shape, fill_value, dtype, device, queue)


def ones(
    shape: int | Sequence[int],
    *,
    dtype: DTypeLike | None = None,
    device: Device | str | None = None,
    queue: Queue | None = None,
) -> Array:
    """An array of ones."""
    return full(
        shape, 1, dtype=_default_dtype(device, queue) if dtype is None else dtype, device=device, queue=queue
    )


def arange(
    start: float,
    stop: float | None = None,
    step: float = 1,
    *,
    dtype: DTypeLike | None = None,
    device: Device | str | None = None,
    queue: Queue | None = None,
) -> Array:
    """Numbers from `start` to before `stop`, in steps of `step`; of one number alone, from 0 to before it."""
    if stop is None:
        start, stop = 0, start
    if step == 0:
        raise ArgumentValueError("arange: a step of 0 leads nowhere")
    if dtype is None:
        is_whole = all(isinstance(value, (int, np.integer)) for value in (start, stop, step))
        dtype = np.int64 if is_whole else _default_dtype(device, queue)
    count = max(0, ceil((stop - start) / step))
    return _core.arange(start, step, count, dtype, device, queue)


def pinned_empty(
    shape: int | Sequence[int], dtype: DTypeLike = np.float64, device: Device | str | None = None
) -> NDArray[Any]:
    """A NumPy array in page-locked memory, from and to which the device copies at full speed."""
    lengths = (shape,) if isinstance(shape, int) else tuple(shape)
    element = np.dtype(dtype)
    count = prod(lengths)
    if count == 0:
        return np.empty(lengths, element)
    memory = PinnedBuffer(count * element.itemsize, device)
    flat: NDArray[Any] = np.frombuffer(cast(Any, memory), dtype=element)
    return flat.reshape(lengths)
