# SPDX-License-Identifier: MIT
"""Blocks of distributed arrays in files of NumPy's format .npy: each rank writes and reads its own."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .._core import Layout

Place = tuple[slice, ...]
# Bytes between two reports of progress, and of a copy of elements that are not neighbours in memory.
_piece = 16 << 20


def boxes(layout: Layout, rank: int) -> Iterator[tuple[Place, Place]]:
    """Boxes of a rank's block: where they are in the block and in the whole array."""
    axes = []
    for intervals in layout.intervals(rank):
        at, pairs = 0, []
        for start, stop in intervals:
            pairs.append((slice(at, at + stop - start), slice(start, stop)))
            at += stop - start
        axes.append(pairs)
    for box in itertools.product(*axes):
        yield tuple(one[0] for one in box), tuple(one[1] for one in box)


def _runs(shape: tuple[int, ...], here: Place, there: Place) -> Iterator[tuple[Place, int]]:
    """Parts of a box whose elements are neighbours in the file: where they are in the block, and the number of the
    first element in the file."""
    axis = len(shape)
    while axis > 0 and (there[axis - 1].start, there[axis - 1].stop) == (0, shape[axis - 1]):
        axis -= 1
    axis = max(axis - 1, 0)  # whole axes behind this one
    strides = [math.prod(shape[k + 1 :]) for k in range(len(shape))]
    first = sum(strides[k] * there[k].start for k in range(axis, len(shape)))
    for outer in itertools.product(*(range(s.stop - s.start) for s in there[:axis])):
        index = tuple(slice(here[k].start + i, here[k].start + i + 1) for k, i in enumerate(outer))
        yield (
            (*index, *here[axis:]),
            first + sum(strides[k] * (there[k].start + i) for k, i in enumerate(outer)),
        )


def create(path: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    """A file with the header, whose space on the disk is reserved."""
    with open(path, "wb") as stream:
        header = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_2_0(stream, header)
        start = stream.tell()
        stream.flush()
        size = math.prod(shape) * dtype.itemsize
        if size:
            os.posix_fallocate(stream.fileno(), start, size)
        os.fsync(stream.fileno())


def _start_of(stream: Any) -> int:
    version = np.lib.format.read_magic(stream)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    read(stream)
    return int(stream.tell())


def write(path: str, layout: Layout, rank: int, block: np.ndarray, progress: Callable[[int], Any]) -> None:
    """Writes a rank's block to its places. `progress` gets the number of bytes of each piece."""
    with open(path, "r+b", buffering=0) as stream:
        start, item = _start_of(stream), block.dtype.itemsize
        for here, there in boxes(layout, rank):
            for place, first in _runs(layout.shape, here, there):
                part = np.ascontiguousarray(block[place])
                bytes_of_part = memoryview(part.reshape(-1).view(np.uint8).data)
                for at in range(0, len(bytes_of_part), _piece):
                    piece = bytes_of_part[at : at + _piece]
                    _write_all(stream.fileno(), piece, start + first * item + at)
                    progress(len(piece))
        os.fsync(stream.fileno())


def _write_all(descriptor: int, piece: memoryview, position: int) -> None:
    while len(piece):
        count = os.pwrite(descriptor, piece, position)
        piece, position = piece[count:], position + count


def read(whole: np.ndarray, layout: Layout, rank: int, progress: Callable[[int], Any]) -> np.ndarray:
    """The block of a rank of an array that is mapped from a file."""
    block = np.empty(layout.local_shape(rank), dtype=whole.dtype)
    for here, there in boxes(layout, rank):
        target, source = block[here], whole[there]
        if target.ndim == 0 or target.nbytes <= _piece:
            target[...] = source
            progress(target.nbytes)
            continue
        rows = max(1, _piece // max(1, target.nbytes // len(target)))
        for row in range(0, len(target), rows):
            target[row : row + rows] = source[row : row + rows]
            progress(target[row : row + rows].nbytes)
    return block
