# SPDX-License-Identifier: MIT
"""Arrays in files of NumPy's formats; arrays and programs in pickles."""

from __future__ import annotations

import os
import tempfile
import zipfile
from collections.abc import Callable
from typing import IO, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._array import asarray
from ._core import (
    ArgumentTypeError,
    ArgumentValueError,
    Array,
    Device,
    DeviceNotFound,
    ForkError,
    Kernel,
    Program,
)
from ._core import device as find_device
from ._interop import asnumpy

_File = str | os.PathLike[str] | IO[bytes]


def save(file: _File, arr: Array | ArrayLike) -> None:
    """Save an array to a .npy file.

    The file is replaced only when all elements are written.

    Parameters
    ----------
    file : path or file object
        Name of the file, to which ".npy" is added if it is missing, or a file that is open for writing bytes.
    arr : array_like
        Array to save. The call waits for its elements.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO()
    >>> qn.save(file, qn.arange(3))
    >>> print(qn.load(io.BytesIO(file.getvalue())))
    [0 1 2]
    """
    _check_file("save", file, "write")
    values = asnumpy(arr)
    _write(file, ".npy", lambda target: np.lib.format.write_array(target, values, allow_pickle=False))


def savez(file: _File, *args: Array | ArrayLike, **kwds: Array | ArrayLike) -> None:
    """Save arrays to a .npz file.

    The file is replaced only when all arrays are written.

    Parameters
    ----------
    file : path or file object
        Name of the file, to which ".npz" is added if it is missing, or a file that is open for writing bytes.
    *args : array_like
        Arrays to save under the names arr_0, arr_1, ...
    **kwds : array_like
        Arrays to save under their keywords.

    Raises
    ------
    ValueError
        If a keyword is also the name of a positional array.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO()
    >>> qn.savez(file, qn.arange(3), weights=qn.ones(2))
    >>> sorted(qn.load(io.BytesIO(file.getvalue())))
    ['arr_0', 'weights']
    """
    _check_file("savez", file, "write")
    values = {f"arr_{number}": x for number, x in enumerate(args)}
    if twice := values.keys() & kwds.keys():
        raise ArgumentValueError(
            f"savez: {', '.join(sorted(twice))}: the name is that of an array without one"
        )
    everything = {name: asnumpy(x) for name, x in (values | kwds).items()}
    _write(file, ".npz", lambda target: np.savez(target, allow_pickle=False, **everything))


def load(file: _File, *, device: Device | str | None = None) -> Array | dict[str, Array]:
    """Load the arrays of a .npy or .npz file to a device.

    Parameters
    ----------
    file : path or file object
        Name of the file, or a file that is open for reading bytes.
    device : Device or str, optional
        Device of the arrays; the current device by default.

    Returns
    -------
    Array or dict of Array
        The array of a .npy file; the arrays of a .npz file by their names.

    Raises
    ------
    ValueError
        If the file is not one of NumPy's formats.
    TypeError
        If no device has elements of the dtype in the file.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO()
    >>> np.save(file, [1.0, 2.0])
    >>> print(qn.load(io.BytesIO(file.getvalue())))
    [1. 2.]
    """
    _check_file("load", file, "read")
    name = str(getattr(file, "name", file))
    try:
        found = np.load(file, allow_pickle=False)
        if isinstance(found, np.ndarray):
            return _on_device(found, name, device)
        with found:
            return {key: _on_device(found[key], f"{name}[{key!r}]", device) for key in found.files}
    except (ValueError, EOFError, zipfile.BadZipFile, KeyError) as error:
        if isinstance(error, (ArgumentTypeError, ArgumentValueError)):
            raise
        raise ArgumentValueError(f"load: {name}: no file of NumPy's that can be read: {error}") from error


def _check_file(function: str, file: object, method: str) -> None:
    if not isinstance(file, (str, os.PathLike)) and not hasattr(file, method):
        raise ArgumentTypeError(
            f"{function}: file: expected a path or an open file as the first argument, got {type(file).__name__}"
        )


def _on_device(values: NDArray[Any], name: str, device: Device | str | None) -> Array:
    try:
        return asarray(values, device=device)
    except ArgumentTypeError as error:
        raise ArgumentTypeError(f"load: {name}: {error}") from error


def _write(file: _File, ending: str, write: Callable[[IO[bytes]], None]) -> None:
    """Writes beside the file and renames, so that there is the old one or the new one."""
    if not isinstance(file, (str, os.PathLike)):
        write(file)
        return
    path = os.fspath(file)
    if not path.endswith(ending):
        path += ending
    try:
        handle, temporary = tempfile.mkstemp(
            dir=os.path.dirname(path) or ".", prefix=f".{os.path.basename(path)}."
        )
    except OSError as error:
        # By the name that the user knows.
        raise OSError(error.errno, error.strerror, path) from None
    try:
        with os.fdopen(handle, "wb") as target:
            write(target)
            target.flush()
            os.fsync(target.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def reduce(x: Array, protocol: int) -> tuple[Callable[..., Array], tuple[Any, str]]:
    """What pickle keeps of an array. From protocol 5 on the host's memory may go out of band."""
    shares = protocol >= 5 and x.device.shares_host_memory
    return restore, (np.asarray(x) if shares else x.get(), x.device.spec)


def restore(values: NDArray[Any], spec: str) -> Any:
    """The array on the device it was on, or on the current one where that is not there."""
    try:
        home = find_device(spec)
    except DeviceNotFound:
        home = find_device()
    except ForkError as error:
        return LostArray(str(error))
    return asarray(values, device=home)


def restore_program(source: str, keywords: dict[str, Any], kernel: str | None) -> Program | Kernel:
    """The program of a pickle, or a kernel of it. It is built when it is used, by the cache where that has it."""
    program = Program(source, **keywords)
    return program if kernel is None else program[kernel]


def restore_binary(binary: bytes, spec: str, kernel: str | None) -> Program | Kernel:
    """The program of a binary, which only its device has."""
    try:
        device = find_device(spec)
    except DeviceNotFound as error:
        raise DeviceNotFound(
            f"a program that was made from a binary needs its device '{spec}': {error}"
        ) from None
    program = Program.from_binary(binary, device)
    return program if kernel is None else program[kernel]


def restore_generator(kind: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """An ElementwiseKernel, ReductionKernel or ScanKernel of a pickle."""
    return kind(*args, **named)


class LostArray:
    """An array in a process that was forked and cannot have one: every use raises ForkError.

    A worker of multiprocessing.Pool that fails while it reads its task ends without a word, and its parent waits for
    ever. So reading succeeds, and the error comes where the task uses the array, from where it gets to the parent.
    """

    def __init__(self, why: str):
        self._why = why

    def __getattr__(self, name: str) -> Any:
        raise ForkError(self._why)

    def __repr__(self) -> str:
        return f"<no quern.Array: {self._why}>"


def _refuse(self: LostArray, *args: Any, **options: Any) -> Any:
    raise ForkError(self._why)


# Operators and protocols are looked up in the class.
_OWN = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__format__", "__str__", "__reduce_ex__")
for _name in (
    *sorted({name for name in dir(Array) if name.startswith("__")} - {*dir(object), "__module__"}),
    *_OWN,
):
    setattr(LostArray, _name, _refuse)
