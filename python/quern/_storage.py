# SPDX-License-Identifier: MIT
"""Saving and loading arrays in NumPy's file formats; pickling of arrays and programs."""

from __future__ import annotations

import os
import sys
import tempfile
import zipfile
from collections.abc import Callable
from typing import IO, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._array import asarray
from ._bfloat16 import is_bfloat16
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


def save(file: _File, arr: Array | ArrayLike, allow_pickle: bool = True) -> None:
    """Save an array to a .npy file.

    The file is replaced only when all elements are written.

    Parameters
    ----------
    file : path or file object
        Name of the file, to which ".npy" is added if it is missing, or a file that is open for writing bytes.
    arr : array_like
        Array to save. The call waits for its elements.
    allow_pickle : bool, optional
        Accepted for compatibility with NumPy; no array on a device has Python objects as elements.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO()
    >>> qn.save(file, qn.arange(3))
    >>> print(qn.load(io.BytesIO(file.getvalue())))
    [0 1 2]
    """
    _check_file("save", file, "write")
    values = _storable("save", arr)
    _write(
        file,
        ".npy",
        lambda target: np.lib.format.write_array(target, values, allow_pickle=False),
        values.nbytes,
    )


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
    everything = _named_arrays("savez", file, args, kwds)
    _write(
        file, ".npz", lambda target: np.savez(target, allow_pickle=False, **everything), _size_of(everything)
    )


def savez_compressed(file: _File, *args: Array | ArrayLike, **kwds: Array | ArrayLike) -> None:
    """Save arrays to a compressed .npz file.

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
    >>> qn.savez_compressed(file, zeros=qn.zeros(1000))
    >>> len(file.getvalue()) < 1000
    True
    """
    everything = _named_arrays("savez_compressed", file, args, kwds)
    _write(
        file,
        ".npz",
        lambda target: np.savez_compressed(target, allow_pickle=False, **everything),
        _size_of(everything),
        is_compressed=True,
    )


def load(
    file: _File,
    mmap_mode: Literal["r+", "r", "w+", "c"] | None = None,
    allow_pickle: bool = False,
    fix_imports: bool = True,
    encoding: Literal["ASCII", "latin1", "bytes"] = "ASCII",
    *,
    max_header_size: int = 10000,
    device: Device | str | None = None,
) -> Array | dict[str, Array]:
    """Load the arrays of a .npy or .npz file to a device.

    Parameters
    ----------
    file : path or file object
        Name of the file, or a file that is open for reading bytes.
    mmap_mode : str, optional
        Memory-map the file while its elements are copied to the device, as NumPy does; None reads it.
    allow_pickle, fix_imports, encoding : optional
        Accepted for compatibility with NumPy. They concern Python objects, which no device has as elements, so that
        nothing is unpickled.
    max_header_size : int, optional
        Maximum size of the header that describes the array, as in NumPy.
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

        def read(source: _File) -> Array | dict[str, Array]:
            found = np.load(source, mmap_mode, allow_pickle=False, max_header_size=max_header_size)
            if isinstance(found, np.ndarray):
                return _on_device(found, name, device)
            with found:
                return {key: _on_device(found[key], f"{name}[{key!r}]", device) for key in found.files}

        if mmap_mode is not None or not isinstance(file, (str, os.PathLike)):
            return read(file)
        if (nbytes := os.stat(file).st_size) < _LARGE:  # NumPy reads from a path without copies
            return read(file)
        with open(file, "rb") as opened:
            result: Array | dict[str, Array] = _with_progress(
                opened, f"loading {os.path.basename(file)}", nbytes, read
            )
        return result
    except (ValueError, EOFError, zipfile.BadZipFile, KeyError) as error:
        if isinstance(error, (ArgumentTypeError, ArgumentValueError)):
            raise
        raise ArgumentValueError(f"load: {name}: not a readable .npy or .npz file: {error}") from error


def _named_arrays(
    function: str, file: object, args: tuple[Any, ...], kwds: dict[str, Any]
) -> dict[str, NDArray[Any]]:
    _check_file(function, file, "write")
    values = {f"arr_{number}": x for number, x in enumerate(args)}
    if twice := values.keys() & kwds.keys():
        raise ArgumentValueError(
            f"{function}: {', '.join(sorted(twice))}: the keyword is also the name of a positional array"
        )
    return {name: _storable(function, x) for name, x in (values | kwds).items()}


def _storable(function: str, x: Array | ArrayLike) -> NDArray[Any]:
    values = asnumpy(x)
    if is_bfloat16(values.dtype):
        raise ArgumentTypeError(
            f"{function}: NumPy's file formats have no bfloat16; save x.view('uint16'), and call view('bfloat16') after load()"
        )
    return values


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


# Files of at least this size show the progress of their reads and writes.
_LARGE = 256 << 20


def _size_of(arrays: dict[str, NDArray[Any]]) -> int:
    return sum(values.nbytes for values in arrays.values())


def _with_progress(
    file: IO[bytes], label: str, nbytes: int, work: Callable[[IO[bytes]], Any], is_compressed: bool = False
) -> Any:
    """The result of `work` on the file, with a bar if the file is large and bars are shown."""
    if nbytes < _LARGE:
        return work(file)
    from ._progress import CountedFile, is_wanted

    if not is_wanted(sys.stderr):
        return work(file)
    counted: Any = CountedFile(file, label, 0 if is_compressed else nbytes)
    with counted.bar:
        return work(counted)


def _write(
    file: _File,
    ending: str,
    write: Callable[[IO[bytes]], None],
    nbytes: int,
    is_compressed: bool = False,
) -> None:
    """Write a temporary file and rename it, so that `file` is always complete: the old one or the new one."""
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
        # Report the path that the user gave.
        raise OSError(error.errno, error.strerror, path) from None
    try:
        with os.fdopen(handle, "wb") as target:
            _with_progress(target, f"saving {os.path.basename(path)}", nbytes, write, is_compressed)
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


def restore(values: NDArray[Any], spec: str) -> Any:
    """Unpickle an array to the device it was on or, if that does not exist, to the current device."""
    try:
        home = find_device(spec)
    except DeviceNotFound:
        home = find_device()
    except ForkError as error:
        return LostArray(str(error))
    return asarray(values, device=home)


def restore_program(source: str, keywords: dict[str, Any], kernel: str | None) -> Program | Kernel:
    """Unpickle a program or one of its kernels. It is built, or loaded from the cache, when it is used."""
    program = Program(source, **keywords)
    return program if kernel is None else program[kernel]


def restore_device(spec: str) -> Device:
    """Unpickle a device, which must be there."""
    return find_device(spec)


def restore_binary(binary: bytes, spec: str, kernel: str | None) -> Program | Kernel:
    """Unpickle a program made from a binary, which needs the device it was built for."""
    try:
        device = find_device(spec)
    except DeviceNotFound as error:
        raise DeviceNotFound(f"a pickled program binary needs its device '{spec}': {error}") from None
    program = Program.from_binary(binary, device)
    return program if kernel is None else program[kernel]


def restore_generator(kind: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Unpickle an ElementwiseKernel, ReductionKernel or ScanKernel."""
    return kind(*args, **named)


class LostArray:
    """Placeholder for an array in a forked process, where Quern cannot be used: every use raises ForkError.

    If a worker of multiprocessing.Pool fails while it unpickles its task, it ends without a message and its parent waits
    forever. So unpickling succeeds, and the error is raised when the task uses the array; the pool passes it to the parent.
    """

    def __init__(self, why: str):
        self._why = why

    def __getattr__(self, name: str) -> Any:
        raise ForkError(self._why)

    def __repr__(self) -> str:
        return f"<no quern.Array: {self._why}>"


def _refuse(self: LostArray, *args: Any, **options: Any) -> Any:
    raise ForkError(self._why)


# Python looks up operators and protocols in the class.
_OWN = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__format__", "__str__", "__reduce_ex__")
for _name in (
    *sorted({name for name in dir(Array) if name.startswith("__")} - {*dir(object), "__module__"}),
    *_OWN,
):
    setattr(LostArray, _name, _refuse)
