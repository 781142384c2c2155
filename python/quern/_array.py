# SPDX-License-Identifier: MIT
"""Conversion of Python and NumPy objects to arrays, and NumPy arrays in page-locked memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from operator import index
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from . import _core
from ._bfloat16 import as_dtype
from ._core import (
    ArgumentTypeError,
    ArgumentValueError,
    Array,
    Buffer,
    Device,
    PinnedBuffer,
    Queue,
)
from ._functions import asfortranarray
from ._interop import from_foreign, is_foreign

Order = Literal["C", "F", "A", "K"]


def integer_of(function: str, name: str, value: Any) -> int:
    """Convert an argument to int; a number with a fraction raises TypeError."""
    try:
        return index(value)
    except TypeError:
        raise ArgumentTypeError(f"{function}: {name} must be an integer, got {value!r}") from None


def native(dtype: DTypeLike) -> np.dtype[Any]:
    """Return the dtype in the machine's byte order, which all elements on devices have."""
    given = as_dtype(dtype)
    return given if given.isnative else given.newbyteorder("=")


def shape_of(function: str, shape: Any) -> int | tuple[int, ...]:
    """Convert a shape argument to one length or a tuple of lengths."""
    if isinstance(shape, int):
        return shape
    is_list = isinstance(shape, (tuple, list))
    is_several = is_list or (isinstance(shape, Iterable) and getattr(shape, "ndim", 1) > 0)
    try:
        return tuple(map(index, shape)) if is_several else index(shape)
    except TypeError:
        raise ArgumentTypeError(
            f"{function}: shape must be an integer or a sequence of integers, got {shape!r}"
        ) from None


def asarray(
    obj: ArrayLike | Array,
    dtype: DTypeLike | None = None,
    order: Order | None = None,
    *,
    device: Device | str | None = None,
    copy: bool | None = None,
    queue: Queue | None = None,
    like: Array | None = None,
) -> Array:
    """Convert `obj` to an array on a device.

    Parameters
    ----------
    obj : array_like
        Array, number, nested sequence of numbers, or buffer.
    dtype : dtype, optional
        Dtype of the result; by default it follows from `obj`.
    order : str, optional
        "C" or "F" for a result in C or Fortran order; "A", "K" and None keep the order of an Array.
    device : Device or str, optional
        Device of the result; by default that of `obj` if it is an Array, otherwise the current device.
    copy : bool, optional
        True: always copy. False: share the memory of `obj`, or raise an error if that needs a copy. By default an Array
        of this dtype on this device is returned unchanged, and arrays of NumPy and other libraries are copied.
    queue : Queue, optional
        Queue to enqueue the work on; the current queue by default.
    like : Array, optional
        Array whose device the result is on, unless `device` or `queue` selects another.

    Returns
    -------
    Array
        Array with the elements of `obj`.

    Raises
    ------
    TypeError
        If no device has elements of this dtype, such as strings.
    ValueError
        If copy=False needs a copy.

    Examples
    --------
    >>> print(qn.asarray([[1, 2], [3, 4]], dtype="float32"))
    [[1. 2.]
     [3. 4.]]
    """
    if like is not None:
        device = _device_like("asarray", like, device, queue)
    if order is not None:
        result = asarray(obj, dtype, device=device, copy=copy, queue=queue)
        letter = order.upper() if isinstance(order, str) else ""
        if letter not in ("C", "F", "A", "K"):
            raise ArgumentValueError(f"asarray: order must be 'C', 'F', 'A' or 'K', got {order!r}")
        if letter == "C":
            return _core.as_contiguous(result)
        return asfortranarray(result) if letter == "F" and result.ndim > 1 else result
    if isinstance(obj, Array):
        return _from_array(obj, dtype, device, copy, queue)
    target = queue.device if queue is not None else _core.device(device)
    if is_foreign(obj):
        return _from_array(from_foreign(obj, target), dtype, target, copy is not False, queue)
    if dtype is not None:
        dtype = as_dtype(dtype)
    if copy is False:
        return _share(obj, dtype, target)
    values = np.asarray(obj, dtype=dtype, order="C")
    if values.dtype.kind in "SU":
        raise ArgumentTypeError(
            f"asarray: dtype {values.dtype}: devices do not support strings; elements must be bool, integers, "
            "floats, complex numbers or structures of them"
        )
    if dtype is None and not target.has_fp64 and not hasattr(obj, "dtype"):
        # Python numbers have the default precision of the device.
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
    subok: bool = False,
    ndmin: int = 0,
    ndmax: int = 0,
    device: Device | str | None = None,
    like: Array | None = None,
) -> Array:
    """Make an array from `obj`; the elements are copied by default.

    Parameters
    ----------
    obj : array_like
        Array, number, nested sequence of numbers, or buffer.
    dtype : dtype, optional
        Dtype of the result; by default it follows from `obj`.
    copy : bool, optional
        True: always copy. False: share the memory of `obj`, or raise an error if that needs a copy. None: copy only if needed.
    order : str, optional
        "C" or "F" for a result in C or Fortran order; "A", "K" and None keep the order of an Array.
    subok : bool, optional
        Accepted for compatibility with NumPy; it has no effect.
    ndmin : int, optional
        Minimum number of axes. Axes of length 1 are added in front.
    ndmax : int, optional
        Maximum number of axes of a nested sequence; 0 for NumPy's maximum. A deeper sequence raises TypeError, because
        its elements would be lists.
    device : Device or str, optional
        Device of the result; by default that of `obj` if it is an Array, otherwise the current device.
    like : Array, optional
        Array whose device the result is on, unless `device` selects another.

    Returns
    -------
    Array
        Array with the elements of `obj`.

    Raises
    ------
    TypeError
        If no device has elements of this dtype, such as strings.
    ValueError
        If copy=False needs a copy.

    Examples
    --------
    >>> print(qn.array([1, 2, 3], dtype="int32", ndmin=2))
    [[1 2 3]]
    """
    result = asarray(obj, dtype, device=device, copy=copy, order=order, like=like)
    if ndmax and result.ndim > ndmax and not hasattr(obj, "dtype"):
        raise ArgumentTypeError(f"array: the nested sequence has {result.ndim} axes, more than ndmax={ndmax}")
    return result if result.ndim >= ndmin else result.reshape((1,) * (ndmin - result.ndim) + result.shape)


def asanyarray(
    obj: ArrayLike | Array,
    dtype: DTypeLike | None = None,
    order: Order | None = None,
    *,
    device: Device | str | None = None,
    copy: bool | None = None,
    like: Array | None = None,
) -> Array:
    """Convert `obj` to an array on a device, like asarray().

    Parameters
    ----------
    obj : array_like
        Array, number, nested sequence of numbers, or buffer.
    dtype : dtype, optional
        Dtype of the result; by default it follows from `obj`.
    order : str, optional
        "C" or "F" for a result in C or Fortran order; "A", "K" and None keep the order of an Array.
    device : Device or str, optional
        Device of the result; by default that of `obj` if it is an Array, otherwise the current device.
    copy : bool, optional
        True: always copy. False: share the memory of `obj`, or raise an error if that needs a copy.
    like : Array, optional
        Array whose device the result is on, unless `device` selects another.

    Returns
    -------
    Array
        `obj` itself if it is an Array of this dtype on this device, otherwise a new array.

    Examples
    --------
    >>> print(qn.asanyarray([1, 2, 3]))
    [1 2 3]
    """
    return asarray(obj, dtype, order, device=device, copy=copy, like=like)


def _device_like(
    function: str, like: Any, device: Device | str | None, queue: Queue | None = None
) -> Device | str | None:
    """Return the device that like= selects, unless device= or queue= is given."""
    if not isinstance(like, Array):
        raise ArgumentTypeError(f"{function}: like must be an Array, got {type(like).__name__}")
    return like.device if device is None and queue is None else device


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
            f"asarray: copy=False: converting {array!r} to dtype {wanted} on '{target.spec}' needs a copy"
        )
    if source == target:
        return array.astype(wanted)
    # Convert before or after the copy, so that the smaller dtype is transferred.
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


def warn_of_overflow(number: complex, dtype: DTypeLike) -> None:
    """Emit NumPy's warning if a number overflows to infinity in the dtype."""
    wanted = np.dtype(dtype)
    if wanted.kind in "fc" and wanted.itemsize < 16 and isinstance(number, (float, complex)):
        np.asarray(number).astype(np.result_type(wanted, number) if wanted.kind == "c" else wanted)


def pinned_empty(
    shape: int | Sequence[int], dtype: DTypeLike = np.float64, device: Device | str | None = None
) -> NDArray[Any]:
    """Make an uninitialised NumPy array in page-locked memory.

    Devices copy from and to page-locked memory at full speed.

    Parameters
    ----------
    shape : int or sequence of int
        Shape of the array.
    dtype : dtype, optional
        Dtype of the elements.
    device : Device or str, optional
        Device that the copies are for; the current device by default.

    Returns
    -------
    numpy.ndarray
        Array in host memory. The elements are not initialised.

    Examples
    --------
    >>> staging = qn.pinned_empty(3, dtype="float32")
    >>> staging[:] = 1
    >>> print(qn.asarray(staging))
    [1. 1. 1.]
    """
    lengths = (shape,) if isinstance(shape, int) else tuple(shape)
    element = as_dtype(dtype)
    count = prod(lengths)
    if count == 0:
        return np.empty(lengths, element)
    memory = PinnedBuffer(count * element.itemsize, device)
    flat: NDArray[Any] = np.frombuffer(cast(Any, memory), dtype=element)
    return flat.reshape(lengths)
