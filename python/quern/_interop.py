# SPDX-License-Identifier: MIT
"""Arrays of other libraries: DLPack, CUDA's array interface, NumPy, dask."""

from __future__ import annotations

import functools
import importlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._core import ArgumentTypeError, ArgumentValueError, Array, Device, Queue
from ._methods import array_method


def asnumpy(x: ArrayLike | Array) -> NDArray[Any]:
    """Convert `x` to a NumPy array.

    Parameters
    ----------
    x : array_like
        An Array is copied to the host; the call waits for its elements. Other objects go to numpy.asarray().

    Returns
    -------
    numpy.ndarray
        The elements in host memory.

    Examples
    --------
    >>> qn.asnumpy(qn.arange(3))
    array([0, 1, 2])
    """
    return x.get() if isinstance(x, Array) else np.asarray(x)


def from_dlpack(x: Any, /, *, device: Device | str | None = None, copy: bool | None = None) -> Array:
    """Make an array from an object with the DLPack protocol; it shares memory where possible.

    Work that the other library has enqueued on the array runs before work that is enqueued here. An array in read-only memory
    is read-only here, too.

    Parameters
    ----------
    x : object
        Object with `__dlpack__` and `__dlpack_device__`, such as an array of NumPy, CuPy, JAX or PyTorch.
    device : Device or str, optional
        Device of the result; by default that of `x`. The elements are copied if `x` is on another device.
    copy : bool, optional
        True: always copy. False: raise an error if a copy is needed. None: copy only if needed.

    Returns
    -------
    Array
        Array with the elements of `x`.

    Raises
    ------
    TypeError
        If `x` does not have the protocol.
    ValueError
        If copy=False and `x` is on another device.

    Examples
    --------
    >>> values = np.array([1.0, 2.0])
    >>> x = qn.from_dlpack(values)
    >>> values[0] = 5
    >>> print(x)
    [5. 2.]
    """
    if not hasattr(x, "__dlpack__") or not hasattr(x, "__dlpack_device__"):
        raise ArgumentTypeError(
            f"from_dlpack: x: expected an object with __dlpack__ and __dlpack_device__, got {type(x).__name__}"
        )
    home = _core.dlpack_device(*(int(part) for part in x.__dlpack_device__()))
    target = home if device is None else _core.device(device)
    if target != home and copy is False:
        raise ArgumentValueError(
            f"from_dlpack: copy=False: moving the array from '{home.spec}' to '{target.spec}' needs a copy"
        )
    queue = queue_on(home)
    result = _core.import_dlpack(_capsule(x, queue), queue, _is_immutable(x))
    if target != home:
        return result.to_device(target)
    return result.copy() if copy else result


# Libraries with immutable arrays; the capsules of some versions are not marked read-only.
_IMMUTABLE = ("jax", "jaxlib", "tensorflow")


def _is_immutable(x: Any) -> bool:
    is_writable = getattr(getattr(x, "flags", None), "writeable", True)
    return type(x).__module__.partition(".")[0] in _IMMUTABLE or is_writable is False


def _capsule(x: Any, queue: Queue) -> Any:
    """DLPack capsule of x, whose elements are ready for work on the queue."""
    # Stream 1 is the legacy default stream; DLPack forbids 0, which is ambiguous.
    stream = (queue.native_handle or 1) if queue.device.backend == "cuda" else None
    try:
        return x.__dlpack__(stream=stream, max_version=(1, 1))
    except TypeError:  # producers of DLPack before version 1
        return x.__dlpack__() if stream is None else x.__dlpack__(stream=stream)


def is_foreign(obj: Any) -> bool:
    """Whether the object is an array of another library with DLPack or the CUDA array interface."""
    if isinstance(obj, (np.ndarray, np.generic, list, tuple, int, float, complex, str, bytes)):
        return False
    kind = type(obj)
    return hasattr(kind, "__dlpack__") or hasattr(kind, "__cuda_array_interface__")


def from_foreign(obj: Any, target: Device) -> Array:
    """Make an array that shares the memory of another library's array, on its device."""
    if hasattr(type(obj), "__dlpack__"):
        return from_dlpack(obj)
    home = target if target.backend == "cuda" else _core.device("cuda")
    return _core.import_cuda_interface(obj, queue_on(home))


def queue_on(device: Device) -> Queue:
    """The current queue if it is on this device, otherwise the device's default queue."""
    current = _core.current_queue()
    return current if current.device == device else Queue.of(device)


@array_method("__dask_tokenize__")
def dask_tokenize(self: Array) -> tuple[Any, ...]:
    """Return the name of these elements in graphs of dask: equal elements on a device have equal names."""
    normalize_token = importlib.import_module("dask.base").normalize_token
    _register_percentiles()
    return ("quern.Array", self.device.spec, normalize_token(self.get()))


@functools.cache
def _register_percentiles() -> None:
    """dask.array finds percentiles in a table by type, and all other functions by NumPy's protocols."""

    def percentile(a: Array, q: Any, method: str = "linear") -> tuple[Any, int]:
        # dask merges the few numbers of each chunk on the host.
        return (_core.functions["percentile"](a, q, method=method).get() if len(a) else None), len(a)

    importlib.import_module("dask.array.dispatch").percentile_lookup.register(Array, percentile)
