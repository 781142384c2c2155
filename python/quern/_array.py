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
from ._core import (
    ArgumentOverflowError,
    ArgumentTypeError,
    ArgumentValueError,
    Array,
    Buffer,
    Device,
    PinnedBuffer,
    Queue,
)
from ._interop import from_foreign, is_foreign
from ._memory_order import Order, laid_out, made


def _default_dtype(device: Device | str | None, queue: Queue | None) -> DTypeLike:
    """The default float: float64 where the device has it."""
    if queue is not None and not isinstance(queue, Queue):
        raise ArgumentTypeError(f"queue: expected a quern.Queue or None, got {type(queue).__name__}")
    target = queue.device if queue is not None else _core.device(device)
    return np.float64 if target.has_fp64 else np.float32


_MOST = (1 << 63) - 1


def integer_of(function: str, name: str, value: Any) -> int:
    """An integer that was given: nothing is cut off a fraction."""
    try:
        return index(value)
    except TypeError:
        raise ArgumentTypeError(f"{function}: {name} is an integer, got {value!r}") from None


def count_of(function: str, name: str, value: Any) -> int:
    """A count of elements that was given, which may be negative, but not more than can be counted."""
    count = integer_of(function, name, value)
    if count > _MOST:
        raise ArgumentValueError(f"{function}: {name} is {count}, which is more than an array can have")
    return max(count, -_MOST)


def native(dtype: DTypeLike) -> np.dtype[Any]:
    """The dtype in the byte order of the machine, in which all elements on devices are."""
    given = np.dtype(dtype)
    return given if given.isnative else given.newbyteorder("=")


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
    order: Order = "C",
    queue: Queue | None = None,
) -> Array:
    """An array whose elements are whatever was in memory."""
    wanted = _default_dtype(device, queue) if dtype is None else dtype
    return made("empty", order, shape_of("empty", shape), lambda own: _core.empty(own, wanted, device, queue))


def zeros(
    shape: int | Sequence[int],
    dtype: DTypeLike | None = None,
    device: Device | str | None = None,
    *,
    order: Order = "C",
    queue: Queue | None = None,
) -> Array:
    """An array of zeros."""
    wanted = _default_dtype(device, queue) if dtype is None else dtype
    return made("zeros", order, shape_of("zeros", shape), lambda own: _core.zeros(own, wanted, device, queue))


def asarray(
    obj: ArrayLike | Array,
    dtype: DTypeLike | None = None,
    *,
    device: Device | str | None = None,
    copy: bool | None = None,
    order: Order | None = None,
    queue: Queue | None = None,
) -> Array:
    """An array on the device with the elements of `obj`: an array, numbers, nested lists of them, or a buffer.

    Arrays of NumPy and of other libraries are copied, unless `copy=False`, which shares their memory on the device
    where it is and is an error elsewhere. An Array stays on its device where no other is given, and one that is already
    what was asked for is returned as it is, unless `copy=True`. With order="F" the result is in Fortran's order.
    """
    if order is not None:
        return laid_out("asarray", order, asarray(obj, dtype, device=device, copy=copy, queue=queue))
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
    if not values.dtype.isnative:
        values = values.astype(native(values.dtype))
    result = _core.empty(values.shape, values.dtype, None if queue is not None else target, queue)
    result.set(values, queue=queue)
    return result


def array(
    obj: ArrayLike | Array,
    dtype: DTypeLike | None = None,
    *,
    copy: bool | None = True,
    order: Order | None = None,
    ndmin: int = 0,
    device: Device | str | None = None,
) -> Array:
    """As asarray, but a copy unless `copy` says otherwise, with `ndmin` axes at least."""
    result = asarray(obj, dtype, device=device, copy=copy, order=order)
    return result if result.ndim >= ndmin else result.reshape((1,) * (ndmin - result.ndim) + result.shape)


def asanyarray(
    obj: ArrayLike | Array,
    dtype: DTypeLike | None = None,
    order: Order | None = None,
    *,
    device: Device | str | None = None,
) -> Array:
    """asarray, by another of NumPy's names."""
    return asarray(obj, dtype, device=device, order=order)


_SINGLE = {"d": np.dtype(np.float32), "D": np.dtype(np.complex64)}


def _from_array(
    array: Array, dtype: DTypeLike | None, device: Device | str | None, copy: bool | None, queue: Queue | None
) -> Array:
    source = array.device
    target = queue.device if queue is not None else source if device is None else _core.device(device)
    wanted = array.dtype if dtype is None else native(dtype)
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
    order: Order = "C",
    queue: Queue | None = None,
) -> Array:
    """An array of one value, or of values that are broadcast; the dtype is theirs where none is given."""
    lengths = shape_of("full", shape)
    if isinstance(fill_value, np.generic):
        dtype = fill_value.dtype if dtype is None else np.dtype(dtype)
        # Numbers of NumPy's are converted as arrays are; those of Python's must fit.
        is_real = dtype.kind != "c" and fill_value.dtype.kind == "c"
        fill_value = fill_value.item() if is_real else fill_value.astype(dtype).item()
    if isinstance(fill_value, (bool, int, float, complex)):
        number, own_type = fill_value, _dtype_of(fill_value, device, queue) if dtype is None else dtype
        warn_of_overflow(number, own_type)
        return made("full", order, lengths, lambda own: _core.full(own, number, own_type, device, queue))
    values = asarray(fill_value, device=device, queue=queue)
    result = empty(
        lengths, values.dtype if dtype is None else dtype, device or values.device, order=order, queue=queue
    )
    result[...] = values
    return result


def warn_of_overflow(number: complex, dtype: DTypeLike) -> None:
    """NumPy's warning that a number becomes infinity."""
    wanted = np.dtype(dtype)
    if wanted.kind in "fc" and wanted.itemsize < 16 and isinstance(number, (float, complex)):
        np.asarray(number).astype(np.result_type(wanted, number) if wanted.kind == "c" else wanted)


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
    order: Order = "C",
    queue: Queue | None = None,
) -> Array:
    """An array of ones."""
    wanted = _default_dtype(device, queue) if dtype is None else dtype
    return made("ones", order, shape_of("ones", shape), lambda own: _core.full(own, 1, wanted, device, queue))


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
    start, stop, step = (_python_number(value) for value in (start, stop, step))
    for value in (start, stop, step):
        if not isinstance(value, (int, float)):
            raise ArgumentTypeError(f"arange: expected real numbers, got {type(value).__name__}")
    if step == 0:
        raise ArgumentValueError("arange: the step must not be 0")
    is_whole = isinstance(start, int) and isinstance(stop, int) and isinstance(step, int)
    if dtype is None:
        is_large = is_whole and not all(-(1 << 63) <= value < 1 << 63 for value in (start, stop, step))
        dtype = np.int64 if is_whole and not is_large else _default_dtype(device, queue)
    wanted = native(dtype)
    # Whole numbers are divided as such: their quotient as a float may round to one more or less.
    count = -((stop - start) // -step) if is_whole else _ceiling((stop - start) / step)
    count = max(0, count_of("arange", "the number of elements", count))
    if wanted == np.bool_ and count > 2:
        raise ArgumentTypeError(f"arange: booleans are two, but there are {count} elements")
    if not is_whole and wanted.kind in "iu":
        # As in NumPy, the step between integers is that between the first two of them.
        start, step = int(start), int(start + step) - int(start)
    if wanted.kind in "iu":
        limits = np.iinfo(wanted)
        for value in (start, start + step)[:count]:
            if not limits.min <= value <= limits.max:
                raise ArgumentOverflowError(f"arange: {value} is not within the range of {wanted}")
        # They are counted in 64 bits with a sign, and wrap around to the same bits as in NumPy.
        start, step = ((value + (1 << 63)) % (1 << 64) - (1 << 63) for value in (start, step))
    elif is_whole:
        start, step = (value if -(1 << 63) <= value < 1 << 63 else float(value) for value in (start, step))
    return _core.arange(start, step, count, wanted, device, queue)


def _ceiling(quotient: float) -> int:
    if quotient != quotient:
        raise ArgumentValueError("arange: there is no number of elements between these numbers")
    return ceil(quotient) if abs(quotient) < _MOST else _MOST + 1 if quotient > 0 else 0


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
