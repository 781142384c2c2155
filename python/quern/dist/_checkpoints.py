# SPDX-License-Identifier: MIT
"""Checkpoints: folders of .npy files with a manifest, which appear whole or not at all."""

from __future__ import annotations

import contextlib
import ctypes
import glob
import json
import math
import os
import secrets
import shutil
import urllib.parse
import zlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

import quern

from .._core import ArgumentTypeError, ArgumentValueError, DistributedError, Layout
from .._core import Array as LocalArray
from .._progress import Bar
from . import _block_files
from ._array import Array
from ._layouts import LayoutLike, layout_of
from ._ranks import current
from ._texts import together

_MANIFEST = "checkpoint.json"
_FORMAT = "quern checkpoint"
_VERSION = 1


def save_checkpoint(
    folder: Any, state: Mapping[str, Any], *, progress: Callable[[int, int], Any] | bool | None = None
) -> None:
    """Save arrays and values as a checkpoint, which all ranks write together.

    A checkpoint is a folder with one file of NumPy's format .npy for each array, and a manifest with the values. It
    appears when it is complete: if a rank fails, is killed, or the disk is full, the previous checkpoint stays. One
    program at a time writes to a folder.

    Parameters
    ----------
    folder : str or path
        Name, the same on every rank, in a folder that all ranks see. A checkpoint of this name is replaced.
    state : mapping of str to objects
        Distributed arrays; arrays of Quern or NumPy with the same values on every rank; None, booleans, numbers, texts,
        and lists and dictionaries of them.
    progress : callable or bool, optional
        Function that gets the bytes that this rank has written and all that it will write. By default rank 0 shows a bar
        on a terminal if writing takes longer than half a second; False shows none.

    Examples
    --------
    >>> import os, tempfile
    >>> name = os.path.join(tempfile.mkdtemp(), "state")
    >>> qn.dist.save_checkpoint(name, {"u": qn.dist.arange(4), "step": 3})
    >>> sorted(os.listdir(name))
    ['checkpoint.json', 'u.npy']
    """
    comm = current()
    path = _path_of(folder, "save_checkpoint")
    arrays, text = _agreed(state, comm)
    partial = f"{path}.partial-{_of_ranks(comm, secrets.randbits(40))[0]:010x}"  # as rank 0 says

    def create() -> None:
        _remove_remains(path)
        os.mkdir(partial)
        for name, x in arrays.items():
            _block_files.create(os.path.join(partial, _file_of(name)), x.shape, x.dtype)

    def write() -> None:
        report = _Report("saving", comm.rank, progress, sum(_bytes_here(x, comm) for x in arrays.values()))
        with contextlib.closing(report):
            for name, x in arrays.items():
                _write(os.path.join(partial, _file_of(name)), x, comm, report.add)
        if comm.rank == 0:
            _write_text(os.path.join(partial, _MANIFEST), text)
            _synchronise(partial)

    try:
        together(comm, "save_checkpoint", create if comm.rank == 0 else None)
        together(comm, "save_checkpoint", write)
        together(comm, "save_checkpoint", _publish if comm.rank == 0 else None, partial, path)
    except BaseException:
        if comm.rank == 0:
            shutil.rmtree(partial, ignore_errors=True)
        raise


def load_checkpoint(
    folder: Any,
    *,
    names: Iterable[str] | None = None,
    layout: LayoutLike | Mapping[str, LayoutLike] = None,
    device: Any = None,
    progress: Callable[[int, int], Any] | bool | None = None,
) -> dict[str, Any]:
    """Load a checkpoint, on any number of ranks and in any layout.

    Parameters
    ----------
    folder : str or path
        Name, the same on every rank.
    names : iterable of str, optional
        What to load; by default everything.
    layout : Layout, str, sequence of ints, cyclic, owned or mapping, optional
        Layout of the distributed arrays, as for other functions, or a mapping from names to layouts; blocks by default.
    device : Device or str, optional
        Device of the result; the current device by default.
    progress : callable or bool, optional
        As for save_checkpoint.

    Returns
    -------
    dict
        What was saved, by its names. Tuples have become lists.

    Examples
    --------
    >>> import os, tempfile
    >>> name = os.path.join(tempfile.mkdtemp(), "state")
    >>> qn.dist.save_checkpoint(name, {"u": qn.dist.arange(4), "step": 3})
    >>> state = qn.dist.load_checkpoint(name)
    >>> int(state["u"].sum()), state["step"]
    (6, 3)
    """
    comm = current()
    path = _path_of(folder, "load_checkpoint")
    chosen = None if names is None else list(names)
    manifest, wanted, wholes = together(comm, "load_checkpoint", _opened, path, chosen)
    layouts = {
        name: layout_of(layout.get(name) if isinstance(layout, Mapping) else layout, whole.shape, comm)
        for name, whole in wholes.items()
        if manifest["arrays"][name]["kind"] == "distributed"
    }
    total = sum(
        math.prod(one.local_shape(comm.rank)) * wholes[name].itemsize for name, one in layouts.items()
    )

    def read() -> dict[str, Any]:
        state: dict[str, Any] = {}
        with contextlib.closing(_Report("loading", comm.rank, progress, total)) as report:
            for name in wanted:
                if name in layouts:
                    block = _block_files.read(wholes[name], layouts[name], comm.rank, report.add)
                    state[name] = Array(quern.asarray(block, device=device), layouts[name], comm)
                elif name in wholes:
                    values = np.array(wholes[name])
                    is_local = manifest["arrays"][name]["kind"] == "local"
                    state[name] = quern.asarray(values, device=device) if is_local else values
                else:
                    state[name] = manifest["values"][name]
        return state

    state: dict[str, Any] = together(comm, "load_checkpoint", read)
    return state


def _opened(path: str, names: list[str] | None) -> tuple[dict[str, Any], list[str], dict[str, np.ndarray]]:
    """The manifest, the names of what is to be loaded, and the arrays among it, mapped from their files."""
    path, manifest = _read_manifest(path)
    wanted = list(manifest["names"]) if names is None else names
    wholes = {}
    for name in wanted:
        if name not in manifest["names"]:
            raise ArgumentValueError(
                f"load_checkpoint: {path} has no {name!r}; it has {', '.join(manifest['names'])}"
            )
        if name in manifest["arrays"]:
            wholes[name] = _map(path, manifest["arrays"][name])
    return manifest, wanted, wholes


class _Report:
    """Adds up pieces for a function that the caller gave, or for a bar of rank 0."""

    def __init__(self, label: str, rank: int, wanted: Any, total: int) -> None:
        self._done, self._total = 0, total
        self._bar = Bar(label, unit="bytes") if rank == 0 and (wanted is None or wanted is True) else None
        self._function = wanted if callable(wanted) else self._bar

    def add(self, count: int) -> None:
        self._done += count
        if self._function is not None:
            self._function(self._done, self._total)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def _path_of(folder: Any, function: str) -> str:
    path = os.fspath(folder)
    if not isinstance(path, str) or not path.strip(os.sep):
        raise ArgumentTypeError(f"{function}: expected the name of a folder, got {folder!r}")
    return path.rstrip(os.sep)


def _describe(state: Mapping[str, Any], comm: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The arrays by their names, and the manifest."""
    if not isinstance(state, Mapping):
        raise ArgumentTypeError(
            f"save_checkpoint: expected a dictionary of arrays and values, got {type(state).__name__}"
        )
    arrays: dict[str, Any] = {}
    entries: dict[str, Any] = {}
    values: dict[str, Any] = {}
    for name, value in state.items():
        if not isinstance(name, str) or not name:
            raise ArgumentTypeError(f"save_checkpoint: names are texts, got {name!r}")
        if isinstance(value, (Array, LocalArray, np.ndarray)):
            if value.dtype.hasobject:
                raise ArgumentTypeError(f"save_checkpoint: {name!r} is an array of Python objects")
            if isinstance(value, Array) and (value.comm.size, value.comm.rank) != (comm.size, comm.rank):
                raise ArgumentValueError(
                    f"save_checkpoint: {name!r} is distributed over other ranks than those of init()"
                )
            kind = (
                "distributed"
                if isinstance(value, Array)
                else "local"
                if isinstance(value, LocalArray)
                else "numpy"
            )
            arrays[name] = value
            entries[name] = {
                "file": _file_of(name),
                "kind": kind,
                "dtype": value.dtype.name,
                "shape": list(value.shape),
            }
        else:
            values[name] = _plain(value, name)
    manifest = {
        "format": _FORMAT,
        "version": _VERSION,
        "names": list(state),
        "arrays": entries,
        "values": values,
    }
    return arrays, manifest


def _plain(value: Any, name: str) -> Any:
    """A value of the types that JSON has; numbers of NumPy become Python's."""
    if isinstance(value, np.generic) and not isinstance(value, (str, float)):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(one, name) for one in value]
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: _plain(one, name) for key, one in value.items()}
    raise ArgumentTypeError(
        f"save_checkpoint: {name!r}: cannot save {type(value).__name__}; expected arrays, None, booleans, numbers, texts, "
        "lists, or dictionaries with texts as keys"
    )


def _of_ranks(comm: Any, number: int) -> np.ndarray:
    """The numbers that the ranks give."""
    own = quern.asarray(np.array([number], dtype=np.int64))
    return Array(own, Layout.block([comm.size], (comm.size,)), comm).get()


def _agreed(state: Mapping[str, Any], comm: Any) -> tuple[dict[str, Any], str]:
    """The arrays by their names, and the text of the manifest. Raises on all ranks if their values differ.

    A rank whose values cannot be saved raises its own error; others then find that its values differ.
    """
    arrays: dict[str, Any] = {}
    error: Exception | None = None
    try:
        arrays, manifest = _describe(state, comm)
        text = json.dumps(manifest, indent=1)
    except Exception as failed:
        error, text = failed, f"{type(failed).__name__}: {failed}"
    digests = _of_ranks(comm, zlib.crc32(text.encode()))
    if error is not None:
        raise error
    different = [int(rank) for rank in np.flatnonzero(digests != digests[0])]
    if different:
        raise DistributedError(
            f"save_checkpoint: the names, shapes or values of rank {different[0]} differ from those of rank 0"
        )
    return arrays, text


def _file_of(name: str) -> str:
    return urllib.parse.quote(name, safe=" ()[]+,=@") + ".npy"


def _bytes_here(x: Any, comm: Any) -> int:
    if not isinstance(x, Array):
        return x.nbytes if comm.rank == 0 else 0
    return int(x.local.nbytes) if x.layout.is_first_replica(comm.rank) else 0


def _write(file: str, x: Any, comm: Any, progress: Callable[[int], Any]) -> None:
    if not _bytes_here(x, comm):
        return
    if isinstance(x, Array):
        _block_files.write(file, x.layout, comm.rank, x.local.get(), progress)
    else:
        block = x.get() if isinstance(x, LocalArray) else x
        _block_files.write(file, Layout.replicated(1, block.shape), 0, block, progress)


def _remove_remains(path: str) -> None:
    """What a killed program has left, and the checkpoint under its old name if the new one is complete."""
    for remains in glob.glob(glob.escape(path) + ".partial-*"):
        shutil.rmtree(remains)
    if os.path.exists(os.path.join(path, _MANIFEST)):
        shutil.rmtree(path + ".old", ignore_errors=True)


def _write_text(file: str, text: str) -> None:
    with open(file, "w") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())


def _synchronise(folder: str) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _publish(partial: str, path: str) -> None:
    """Gives the complete folder its name. At every moment load_checkpoint finds a complete checkpoint."""
    parent = os.path.dirname(os.path.abspath(path))
    if not os.path.lexists(path):
        os.rename(partial, path)
    else:
        if not os.path.exists(os.path.join(path, _MANIFEST)) and (
            not os.path.isdir(path) or os.listdir(path)
        ):
            raise FileExistsError(17, "it exists and is not a checkpoint, so it is not replaced", path)
        if not _exchange(partial, path):
            old = path + ".old"
            shutil.rmtree(old, ignore_errors=True)
            os.rename(path, old)
            os.rename(partial, path)
            partial = old
        _synchronise(parent)
        shutil.rmtree(partial, ignore_errors=True)
    _synchronise(parent)


def _exchange(one: str, other: str) -> bool:
    """Exchanges two names in one step; false where the file system cannot."""
    try:
        call = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    return bool(call(here, os.fsencode(one), here, os.fsencode(other), exchange) == 0)


def _read_manifest(path: str) -> tuple[str, dict[str, Any]]:
    """The folder that has the checkpoint, and its manifest."""
    for folder in (path, path + ".old"):
        try:
            with open(os.path.join(folder, _MANIFEST)) as stream:
                manifest = json.load(stream)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except ValueError as error:
            raise ArgumentValueError(f"load_checkpoint: {folder}/{_MANIFEST} is damaged: {error}") from None
        if not isinstance(manifest, dict) or manifest.get("format") != _FORMAT:
            raise ArgumentValueError(f"load_checkpoint: {folder} is not a checkpoint of Quern")
        if manifest.get("version") != _VERSION:
            raise ArgumentValueError(
                f"load_checkpoint: {folder} has version {manifest.get('version')} of the format, and this Quern reads {_VERSION}"
            )
        for key, kind in (("names", list), ("arrays", dict), ("values", dict)):
            if not isinstance(manifest.get(key), kind):
                raise ArgumentValueError(f"load_checkpoint: {folder}/{_MANIFEST} is damaged: it has no {key}")
        missing = [
            one
            for one in manifest["names"]
            if one not in manifest["arrays"] and one not in manifest["values"]
        ]
        missing += [
            name
            for name, entry in manifest["arrays"].items()
            if not isinstance(entry, dict) or not {"file", "kind", "dtype", "shape"} <= set(entry)
        ]
        if missing:
            raise ArgumentValueError(
                f"load_checkpoint: {folder}/{_MANIFEST} is damaged: its entry of {missing[0]!r} is not complete"
            )
        return folder, manifest
    raise FileNotFoundError(2, f"there is no checkpoint: the folder has no {_MANIFEST}", path)


def _map(path: str, entry: dict[str, Any]) -> np.ndarray:
    file = os.path.join(path, entry["file"])
    whole: np.ndarray = np.load(file, mmap_mode="r" if math.prod(entry["shape"]) else None)
    if list(whole.shape) != entry["shape"]:
        raise ArgumentValueError(
            f"load_checkpoint: {file} has shape {whole.shape}, and the manifest says {tuple(entry['shape'])}"
        )
    if whole.dtype.name != entry["dtype"]:
        whole = whole.view(np.dtype(entry["dtype"]))  # bfloat16, whose name NumPy's files do not have
    return whole
