# SPDX-License-Identifier: MIT
"""Making arrays from shapes, from NumPy, and from page-locked memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, prod
from operator import index
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from . import _core
from ._core import ArgumentTypeError, ArgumentValueError, Array, Buffer, Device, PinnedBuffer, Queue
from ._interop import from_foreign, is_foreign


def _default_dtype(device: Device | str | None, queue: Queue | None) -> DTypeLike:
    """The default float: float64 where the device has it."""
    target = queue.device if queue is not None else _core.device(device)
    return np.float64 if target.has_fp64 else np.float32


def integer_of(function: str, name: str, value: Any) -> int:
    """A count that was given: nothing is cut off a fraction."""
    try:
        return index(value)
    except TypeError:
        raise ArgumentTypeError(f"{function}: {name} is an integer, got {value!r}") from None


def shape_of(function: str, shape: Any) -> int | tuple[int, ...]:
    """A shape that was given: one length, or several."""
    if isinstance(shape, int):
        return shape
    is_list = isinstance(shape, (tuple, list))
    is_several = is_list or (isinstance(shape, Iterable) and getattr(shape, "ndim", 1) > 0)
    try:
        return tuple(map(index, shape)) if is_several else index(shape)
    except TypeError:
        raise ArgumentTypeError(
            f"{function}: a shape is an integer or a sequence of them, got {shape!r}"
        ) from None


def empty(
    shape: int | Sequence[int],
    dtype: DTypeLike | None = None,
    device: Device | str | None = None,
    *,
    queue: Queue | None = None,
) -> Array:
    """An array whose elements are whatever was in memory."""
    wanted = _default_dtype(device, queue) if dtype is None else dtype
    return _core.empty(shape_of("empty", shape), wanted, device, queue)


def zeros(
    shape: int | Sequence[int],
    dtype: DTypeLike | None = None,
    device: Device | str | None = None,
    *,
    queue: Queue | None = None,
) -> Array:
    """An array of zeros."""
    wanted = _default_dtype(device, queue) if dtype is None else dtype
    return _core.zeros(shape_of("zeros", shape), wanted, device, queue)


def asarray(
    obj: ArrayLike | Array,
    dtype: DTypeLike | None = None,
    *,
    device: Device | str | None = None,
    copy: bool | None = None,
    queue: Queue | None = None,
) -> Array:
    """An array on the device with the elements of `obj`: an array, numbers, nested lists of them, or a buffer.

    Arrays of NumPy and of other libraries are copied, unless `copy=False`, which shares their memory on the device
    where it is and is an error elsewhere. An Array stays on its device where no other is given, and one that is already
    what was asked for is returned as it is, unless `copy=True`.
    """
    if isinstance(obj, Array):
        return _from_array(obj, dtype, device, copy, queue)
    target = queue.device if queue is not None else _core.device(device)
    if is_foreign(obj):
        return _from_array(from_foreign(obj, target), dtype, target, copy is not False, queue)
    if copy is False:
        return _share(obj, dtype, target)
    values = np.asarray(obj, dtype=dtype, order="C")
    if values.dtype.kind in "SU":
        raise ArgumentTypeError(
            f"asarray: dtype {values.dtype}: no device has strings; elements are bool, integers, floats, complex "
            "numbers and structures of them"
        )
    if dtype is None and not target.has_fp64 and not hasattr(obj, "dtype"):
        # Numbers of Python's are of the default precision, which is that of the device.
        values = values.astype(_SINGLE.get(values.dtype.char, values.dtype))
    result = _core.empty(values.shape, values.dtype, None if queue is not None else target, queue)
    result.set(values, queue=queue)
    return result


def array(
    obj: ArrayLike | Array,
    dtype: DTypeLike | None = None,
    *,
    copy: bool | None = True,
    ndmin: int = 0,
    device: Device | str | None = None,
) -> Array:
    """As asarray, but a copy unless `copy` says otherwise, with `ndmin` axes at least."""
    result = asarray(obj, dtype, device=device, copy=copy)
    return result if result.ndim >= ndmin else result.reshape((1,) * (ndmin - result.ndim) + result.shape)


def asanyarray(
    obj: ArrayLike | Array, dtype: DTypeLike | None = None, *, device: Device | str | None = None
) -> Array:
    """asarray, by another of NumPy's names."""
    return asarray(obj, dtype, device=device)


_SINGLE = {"d": np.dtype(np.float32), "D": np.dtype(np.complex64)}


def _from_array(
    array: Array, dtype: DTypeLike | None, device: Device | str | None, copy: bool | None, queue: Queue | None
) -> Array:
    source = array.device
    target = queue.device if queue is not None else source if device is None else _core.device(device)
    wanted = array.dtype if dtype is None else np.dtype(dtype)
    if source == target and wanted == array.dtype:
        return array.copy() if copy else array
    if copy is False:
        raise ArgumentValueError(
            f"asarray: {array!r} cannot become dtype {wanted} on '{target.spec}' without a copy"
        )
    if source == target:
        return array.astype(wanted)
    # Converted where it is shorter: what crosses is the smaller of the two.
    if wanted.itemsize < array.dtype.itemsize:
        array = array.astype(wanted)
    moved = array.to_device(queue or target)
    return moved if moved.dtype == wanted else moved.astype(wanted)


def _share(obj: Any, dtype: DTypeLike | None, target: Device) -> Array:
    if not target.shares_host_memory:
        raise ArgumentValueError(
            f"asarray: copy=False needs a device that shares host memory; '{target.spec}' does not"
        )
    if isinstance(obj, (memoryview, bytearray)):
        obj = np.asarray(obj)
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
    fill_value: complex | ArrayLike | Array,
    dtype: DTypeLike | None = None,
    device: Device | str | None = None,
    *,
    queue: Queue | None = None,
) -> Array:
    """An array of one value, or of values that are broadcast; the dtype is theirs where none is given."""
    shape = shape_of("full", shape)
    if isinstance(fill_value, np.generic):
        dtype = fill_value.dtype if dtype is None else np.dtype(dtype)
        # Numbers of NumPy's are converted as arrays are; those of Python's must fit.
        is_real = dtype.kind != "c" and fill_value.dtype.kind == "c"
        fill_value = fill_value.item() if is_real else fill_value.astype(dtype).item()
    if isinstance(fill_value, (bool, int, float, complex)):
        return _core.full(
            shape, fill_value, _dtype_of(fill_value, device, queue) if dtype is None else dtype, device, queue
        )
    values = asarray(fill_value, device=device, queue=queue)
    result = empty(shape, values.dtype if dtype is None else dtype, device or values.device, queue=queue)
    result[...] = values
    return result


def _dtype_of(number: complex, device: Device | str | None, queue: Queue | None) -> DTypeLike:
    if isinstance(number, bool):
        return np.bool_
    if isinstance(number, int):
        return np.int64 if number < 1 << 63 else np.uint64
    single = np.dtype(_default_dtype(device, queue)).itemsize == 4
    if isinstance(number, float):
        return np.float32 if single else np.float64
    return np.complex64 if single else np.complex128


def ones(
    shape: int | Sequence[int],
    dtype: DTypeLike | None = None,
    device: Device | str | None = None,
    *,
    queue: Queue | None = None,
) -> Array:
    """An array of ones."""
    wanted = _default_dtype(device, queue) if dtype is None else dtype
    return _core.full(shape_of("ones", shape), 1, wanted, device, queue)


def arange(
    start: float,
    stop: float | None = None,
    step: float = 1,
    dtype: DTypeLike | None = None,
    *,
    device: Device | str | None = None,
    queue: Queue | None = None,
) -> Array:
    """Numbers from `start` to before `stop`, in steps of `step`; of one number alone, from 0 to before it."""
    if stop is None:
        start, stop = 0, start
    if step == 0:
        raise ArgumentValueError("arange: a step of 0 leads nowhere")
    start, stop, step = (_python_number(value) for value in (start, stop, step))
    is_whole = isinstance(start, int) and isinstance(stop, int) and isinstance(step, int)
    if dtype is None:
        dtype = np.int64 if is_whole else _default_dtype(device, queue)
    # Whole numbers are divided as such: their quotient as a float may round to one more or less.
    count = -((stop - start) // -step) if is_whole else ceil((stop - start) / step)
    if not is_whole and np.dtype(dtype).kind in "iu":
        # As in NumPy, the step between integers is that between the first two of them.
        start, step = int(start), int(start + step) - int(start)
    if np.dtype(dtype) == np.uint64:
        # They are counted in 64 bits with a sign, and what is above that wraps around to the same bits.
        start, step = ((value + (1 << 63)) % (1 << 64) - (1 << 63) for value in (start, step))
    return _core.arange(start, step, max(0, int(count)), dtype, device, queue)


def _python_number(value: Any) -> Any:
    """What NumPy's numbers and arrays of one element are as Python's."""
    return value.item() if hasattr(value, "item") else value


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
