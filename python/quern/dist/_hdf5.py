# SPDX-License-Identifier: MIT
"""Distributed arrays in files of HDF5, through h5py. Ranks write one after the other, and read at the same time."""

from __future__ import annotations

import contextlib
import importlib
import os
from typing import Any

import numpy as np

import quern

from .._core import ArgumentTypeError, ArgumentValueError, Layout
from .._core import Array as LocalArray
from ._array import Array
from ._block_files import boxes
from ._layouts import LayoutLike, layout_of
from ._texts import together


def is_name(path: Any) -> bool:
    """Whether a file of this name is one of HDF5."""
    return isinstance(path, str) and path.endswith((".h5", ".hdf5"))


def _h5py() -> Any:
    try:
        h5py = importlib.import_module("h5py")
    except ImportError:
        raise ImportError(
            "files of HDF5 need h5py: pip install h5py, or choose a name that ends in .npy"
        ) from None
    return h5py


def save(path: str, x: Array, dataset: str) -> None:
    """Writes a file with one dataset; it appears when it is complete."""
    if not isinstance(dataset, str) or not dataset.strip("/"):
        raise ArgumentTypeError(f"save: dataset: expected a name, got {dataset!r}")
    h5py, partial, rank = _h5py(), path + ".partial", x.comm.rank

    def create() -> None:
        if rank == 0:
            with h5py.File(partial, "w") as file:
                file.create_dataset(dataset, shape=x.shape, dtype=x.dtype)

    def write(writer: int) -> None:
        if rank == writer and x.layout.is_first_replica(rank) and x.local.size:
            block = x.local.get()
            with h5py.File(partial, "r+") as file:
                for here, there in boxes(x.layout, rank):
                    file[dataset][there] = block[here]

    def publish() -> None:
        if rank == 0:
            with open(partial, "rb") as file:
                os.fsync(file.fileno())
            os.replace(partial, path)

    try:
        together(x.comm, "save", create)
        for writer in range(x.comm.size):  # one after the other
            together(x.comm, "save", write, writer)
        together(x.comm, "save", publish)
    except BaseException:
        if rank == 0 and os.path.exists(partial):
            os.unlink(partial)
        raise


def load(path: str, dataset: str | None, layout: LayoutLike, device: Any, comm: Any) -> Array:
    """Each rank reads its block of a dataset."""
    h5py = _h5py()
    with contextlib.ExitStack() as files:
        found = together(comm, "load", _opened, h5py, path, dataset, files)
        chosen = layout_of(layout, found.shape, comm)
        local = together(comm, "load", _read_block, found, chosen, comm.rank, device)
    return Array(local, chosen, comm)


def _opened(h5py: Any, path: str, dataset: str | None, files: contextlib.ExitStack) -> Any:
    """A dataset of a file that is open until `files` closes it."""
    file = files.enter_context(h5py.File(path, "r"))
    name = _only_dataset(h5py, file, path) if dataset is None else dataset
    try:
        found = file[name]
    except KeyError:
        raise ArgumentValueError(f"load: {path} has no dataset {name!r}") from None
    if not isinstance(found, h5py.Dataset):
        raise ArgumentValueError(f"load: {name!r} of {path} is a group, not a dataset")
    return found


def _read_block(found: Any, layout: Layout, rank: int, device: Any) -> LocalArray:
    block = np.empty(layout.local_shape(rank), dtype=found.dtype)
    for here, there in boxes(layout, rank):
        if block[here].size:
            block[here] = found[there]
    return quern.asarray(block, device=device)


def _only_dataset(h5py: Any, file: Any, path: str) -> str:
    names: list[str] = []
    file.visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) else None)
    if len(names) != 1:
        listed = ", ".join(sorted(names)) or "none"
        raise ArgumentValueError(f"load: {path} has {len(names)} datasets ({listed}): name one with dataset=")
    return names[0]
