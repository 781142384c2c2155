# SPDX-License-Identifier: MIT
"""quern behind the interface of the model, for the same machine."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import kernels
import numpy as np

import quern as qn


class Quern:
    def __init__(self, device: qn.Device):
        self.device = device
        self.queues = [qn.Queue(device), qn.Queue(device)]
        self.entered = ExitStack()
        self.use_queue(0)
        self.add = kernels.ADD_STRIDED.build(device)

    def asarray(self, values: np.ndarray) -> qn.Array:
        return qn.asarray(values, queue=self.current)

    def apply(self, function: Any, *arrays: qn.Array) -> qn.Array:
        return qn._core.apply(function.__name__, *arrays)

    def view(self, array: qn.Array, index: Any) -> qn.Array:
        return array[index]

    def share(self, array: qn.Array) -> qn.Array:
        return array

    def assign(self, array: qn.Array, index: Any, value: qn.Array) -> None:
        array[index] = value

    def update(self, array: qn.Array, function: Any, other: qn.Array) -> None:
        if function is np.add:
            array += other
        elif function is np.subtract:
            array -= other
        else:
            array[...] = qn._core.apply(function.__name__, array, other)

    def raw_kernel(self, target: qn.Array, source: qn.Array) -> None:
        places = [n // 8 for n in (target.offset, source.offset, target.strides[0], source.strides[0])]
        self.add.add_strided(self.current, target.size, None, target.buffer, source.buffer, *places)

    def export(self, array: qn.Array) -> Any:
        pointer = array.buffer.native_handle
        array.buffer.wait()
        return pointer

    def foreign_write(self, exported: Any, array: qn.Array, value: int) -> None:
        """Through a second wrapping of the memory, which the library knows nothing of."""
        array.buffer.wait()
        other = qn.Buffer.wrap(exported, array.buffer.nbytes, self.device)
        view = qn.Array(other, array.dtype, array.shape, strides=array.strides, offset=array.offset)
        queue = qn.Queue(self.device)
        with queue:
            view[...] = value
        queue.finish()

    def get(self, array: qn.Array) -> np.ndarray:
        return array.get()

    def use_queue(self, index: int) -> None:
        # Entered, and not left before the end: leaving evaluates what was written.
        self.current = self.entered.enter_context(self.queues[index])

    def close(self) -> None:
        self.entered.close()

    def finish(self, index: int) -> None:
        self.queues[index].finish()

    def is_done(self, array: qn.Array) -> bool:
        return array.in_memory

    def progress(self, index: int, count: int) -> None:
        """Devices make progress by themselves."""
