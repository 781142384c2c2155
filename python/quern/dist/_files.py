# SPDX-License-Identifier: MIT
"""Files of NumPy's format .npy and of HDF5, which all ranks write and read together."""

from __future__ import annotations

import contextlib
import os
from typing import Any

import numpy as np

import quern

from .._core import ArgumentTypeError, Layout
from .._core import Array as LocalArray
from . import _block_files, _hdf5
from ._array import Array
from ._layouts import LayoutLike, layout_of
from ._ranks import current
from ._texts import together


def save(file: Any, x: Array, *, dataset: str = "array") -> None:
    """Save an array in a file of NumPy's format .npy or of HDF5, which all ranks write together.

    The file appears under its name when it is complete. If a rank fails, all ranks raise DistributedError and the old
    file stays. HDF5 needs h5py; the ranks write to it one after the other, so that any h5py will do.

    Parameters
    ----------
    file : str or path
        Name, the same on every rank, in a folder that all ranks see. A name that ends in '.h5' or '.hdf5' is one of HDF5;
        others get '.npy' if it is missing.
    x : Array
        Distributed array.
    dataset : str
        Name of the dataset in a file of HDF5.

    Examples
    --------
    >>> import os, tempfile
    >>> name = os.path.join(tempfile.mkdtemp(), "x.npy")
    >>> qn.dist.save(name, qn.dist.arange(4))
    >>> np.load(name)
    array([0, 1, 2, 3])
    """
    if not isinstance(x, Array):
        raise ArgumentTypeError(f"save: expected a distributed array, got {type(x).__name__}")
    path = os.fspath(file)
    if _hdf5.is_name(path):
        _hdf5.save(path, x, dataset)
        return
    path = path if path.endswith(".npy") else path + ".npy"
    partial, comm, rank = path + ".partial", x.comm, x.comm.rank
    text = f"save: {path!r} is not changed"
    try:
        create = _block_files.create if rank == 0 else None
        together(comm, text, create, partial, x.shape, x.dtype)
        together(comm, text, _write_block, partial, x)
        together(comm, text, os.replace if rank == 0 else None, partial, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(partial)
        raise


def _write_block(partial: str, x: Array) -> None:
    if x.local.size and x.layout.is_first_replica(x.comm.rank):
        _block_files.write(partial, x.layout, x.comm.rank, x.local.get(), lambda count: None)


def load(file: Any, *, layout: LayoutLike = None, device: Any = None, dataset: str | None = None) -> Array:
    """Load an array from a file of NumPy's format .npy or of HDF5; each rank reads its block.

    Parameters
    ----------
    file : str or path
        Name, the same on every rank.
    layout : Layout, str, sequence of ints, cyclic or owned, optional
        'block' (default), 'replicated', the lengths of a process grid, cyclic(...), owned(...), or a Layout.
    device : Device or str, optional
        Device of the result; the current device by default.
    dataset : str, optional
        Name of the dataset in a file of HDF5; by default the only one.

    Returns
    -------
    Array
        Distributed array.

    Examples
    --------
    >>> import os, tempfile
    >>> name = os.path.join(tempfile.mkdtemp(), "x.npy")
    >>> np.save(name, np.arange(4))
    >>> int(qn.dist.load(name).sum())
    6
    """
    comm = current()
    if _hdf5.is_name(os.fspath(file)):
        return _hdf5.load(os.fspath(file), dataset, layout, device, comm)
    whole = together(comm, "load", lambda: np.load(os.fspath(file), mmap_mode="r"))
    chosen = layout_of(layout, whole.shape, comm)
    local: LocalArray = together(comm, "load", _read_block, whole, chosen, comm.rank, device)
    return Array(local, chosen, comm)


def _read_block(whole: np.ndarray, layout: Layout, rank: int, device: Any) -> LocalArray:
    return quern.asarray(_block_files.read(whole, layout, rank, lambda count: None), device=device)
