# SPDX-License-Identifier: MIT
"""A small model of lazy arrays: storages, pending expressions, and queues that run late.

Enqueued operations do not run at once. progress() runs a given number of them on a given queue, so an order that the
rules do not enforce will sooner or later be broken. Each rule can be left out, to see that it is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakSet

import numpy as np

RULES = {
    "readers": "expressions that read a storage are evaluated before anything writes it",
    "exports": "what was shared with others is never read lazily",
    "aliasing": "a target that its own expression reads at other places is written from a copy",
    "rebinding": "assignment replaces the expression of an array only if no other array holds that expression",
    "hazards": "an operation waits for what other queues do with the same memory",
    "finish": "finishing a queue evaluates the expressions that were recorded on it",
}


@dataclass
class Operation:
    run: Callable[[], None]
    waits_for: list[Operation]
    done: bool = False


@dataclass(eq=False)
class Queue:
    operations: list[Operation] = field(default_factory=list)

    def progress(self, count: int) -> None:
        """Runs the next `count` operations, and on other queues only what they wait for."""
        for operation in [o for o in self.operations if not o.done][:count]:
            _complete(operation, self)
        self.operations = [o for o in self.operations if not o.done]


def _complete(operation: Operation, queue: Queue | None = None) -> None:
    for earlier in operation.waits_for:
        if not earlier.done:
            _complete(earlier)
    if not operation.done:
        operation.run()
        operation.done = True


@dataclass(eq=False)
class Storage:
    data: np.ndarray
    is_shared: bool = False
    uses: list[tuple[Queue, Operation, bool]] = field(default_factory=list)  # and whether it writes


@dataclass(eq=False)
class Memory:
    """A concrete array: a NumPy view of a storage's data."""

    storage: Storage
    view: np.ndarray

    def element(self, at: Any) -> Any:
        return self.view[at]


@dataclass(eq=False)
class Expression:
    """An operation on concrete arrays and expressions; forgets them when it has a value."""

    queue: Queue
    function: Callable[..., np.ndarray]
    inputs: list[Memory | Expression]
    shape: tuple[int, ...]
    dtype: np.dtype
    memory: Memory | None = None

    def leaves(self) -> list[Memory]:
        if self.memory is not None:
            return [self.memory]
        return [m for i in self.inputs for m in (i.leaves() if isinstance(i, Expression) else [i])]

    def element(self, at: Any) -> Any:
        if self.memory is not None:
            return self.memory.element(at)
        return self.function(*(i.element(at) for i in self.inputs))


@dataclass(eq=False)
class Array:
    """What the user holds."""

    value: Memory | Expression


class Model:
    def __init__(self, without: str | None = None):
        self.rules = set(RULES) - {without}
        self.queues = [Queue(), Queue()]
        self.current = self.queues[0]
        self.pending: WeakSet[Expression] = WeakSet()
        self.holders: WeakSet[Array] = WeakSet()

    # --- the runtime ---

    def _enqueue(
        self, queue: Queue, run: Callable[[], None], reads: list[Storage], writes: list[Storage]
    ) -> None:
        if "readers" in self.rules:
            for storage in writes:
                self._evaluate_readers(storage)
        operation = Operation(run, list(queue.operations[-1:]))
        if "hazards" in self.rules:
            for storage in reads + writes:
                for other, earlier, wrote in storage.uses:
                    if other is not queue and (wrote or storage in writes):
                        operation.waits_for.append(earlier)
        for storage in reads + writes:
            storage.uses = [use for use in storage.uses if not use[1].done]
            storage.uses.append((queue, operation, storage in writes))
        queue.operations.append(operation)

    def _evaluate_readers(self, storage: Storage) -> None:
        for expression in list(self.pending):
            if expression.memory is None and any(leaf.storage is storage for leaf in expression.leaves()):
                self._evaluate(expression)

    def _evaluate(self, value: Memory | Expression) -> Memory:
        if isinstance(value, Memory):
            return value
        if value.memory is None:
            storage = Storage(np.full(value.shape, 77, value.dtype))  # what was in the memory before
            memory = Memory(storage, storage.data)
            self._store(value, memory, value.queue)
            value.memory, value.inputs = memory, []
            self.pending.discard(value)
        return value.memory

    def _store(self, value: Memory | Expression, target: Memory, queue: Queue) -> None:
        """Computes into memory that the value does not read, or reads in the same places only."""
        frozen = _frozen(value)
        reads = list({id(m.storage): m.storage for m in _leaves(frozen)}.values())

        def run() -> None:
            # Each work-item by itself: what it reads, another may have written.
            for at in np.ndindex(target.view.shape):
                target.view[at] = frozen.element(at)

        self._enqueue(queue, run, [s for s in reads if s is not target.storage], [target.storage])

    # --- what users do ---

    def asarray(self, values: np.ndarray) -> Array:
        storage = Storage(values.copy())
        return self._hold(Memory(storage, storage.data))

    def apply(self, function: Callable[..., np.ndarray], *arrays: Array) -> Array:
        inputs = [_known(a.value) for a in arrays]
        example = function(*(np.zeros(_shape(i), _dtype(i)) for i in inputs))
        node = Expression(self.current, function, inputs, example.shape, example.dtype)
        self.pending.add(node)
        if "exports" in self.rules and any(leaf.storage.is_shared for leaf in node.leaves()):
            self._evaluate(node)
        return self._hold(node)

    def view(self, array: Array, index: Any) -> Array:
        memory = self._evaluate(array.value)
        return self._hold(Memory(memory.storage, memory.view[index]))

    def assign(self, array: Array, index: Any, value: Array) -> None:
        memory = self._evaluate(array.value)
        self._write(Memory(memory.storage, memory.view[index]), _known(value.value))

    def share(self, array: Array) -> Array:
        return self._hold(array.value)

    def update(self, array: Array, function: Callable[..., np.ndarray], other: Array) -> None:
        """array += other, and the like."""
        old = array.value
        is_alone = not any(h.value is old for h in self.holders if h is not array) and not any(
            old in p.inputs for p in self.pending
        )
        if isinstance(old, Expression) and old.memory is None and (is_alone or "rebinding" not in self.rules):
            array.value = self.apply(function, array, other).value
            return
        memory = self._evaluate(old)
        inputs: list[Memory | Expression] = [memory, _known(other.value)]
        self._write(memory, Expression(self.current, function, inputs, memory.view.shape, memory.view.dtype))

    def _write(self, target: Memory, value: Memory | Expression) -> None:
        overlaps = any(
            leaf.storage is target.storage and not _same_elements(leaf.view, target.view)
            for leaf in _leaves(value)
        )
        if overlaps and "aliasing" in self.rules:
            copy = Expression(self.current, np.positive, [value], _shape(value), _dtype(value))
            value = self._evaluate(copy)
        self._store(value, target, self.current)

    def raw_kernel(self, target: Array, source: Array) -> None:
        """A user's kernel: target[i] += source[i] on this queue."""
        out, value = self._evaluate(target.value), self._evaluate(source.value)

        def run() -> None:
            out.view[...] += value.view

        reads = [] if value.storage is out.storage else [value.storage]
        self._enqueue(self.current, run, reads, [out.storage])

    def export(self, array: Array) -> np.ndarray:
        """Waits for the work enqueued on the memory and shares it with a library that does not use the queues."""
        memory = self._evaluate(array.value)
        self._evaluate_readers(memory.storage)
        memory.storage.is_shared = True
        self._wait_for(memory.storage)
        return memory.view

    def foreign_write(self, exported: np.ndarray, array: Array, value: int) -> None:
        """Another library waits for the work enqueued on the shared memory, then writes it."""
        self._wait_for(self._evaluate(array.value).storage)
        exported[...] = value

    def _wait_for(self, storage: Storage) -> None:
        for _, operation, _ in storage.uses:
            _complete(operation)

    def get(self, array: Array) -> np.ndarray:
        memory = self._evaluate(array.value)
        for _, operation, wrote in memory.storage.uses:
            if wrote:
                _complete(operation)
        return memory.view.copy()

    def use_queue(self, index: int) -> None:
        self.current = self.queues[index]

    def finish(self, index: int) -> None:
        queue = self.queues[index]
        if "finish" in self.rules:
            for expression in list(self.pending):
                if expression.queue is queue:
                    self._evaluate(expression)
        queue.progress(len(queue.operations))

    def is_done(self, array: Array) -> bool:
        """Whether the elements are in memory."""
        value = array.value if isinstance(array.value, Memory) else array.value.memory
        return value is not None and all(o.done for _, o, wrote in value.storage.uses if wrote)

    def progress(self, index: int, count: int) -> None:
        self.queues[index].progress(count)

    def close(self) -> None:
        """Nothing of this outlives it."""

    def _hold(self, value: Memory | Expression) -> Array:
        array = Array(value)
        self.holders.add(array)
        return array


def _known(value: Memory | Expression) -> Memory | Expression:
    return value.memory if isinstance(value, Expression) and value.memory is not None else value


def _frozen(value: Memory | Expression) -> Memory | Expression:
    """The expression as it is enqueued: what is evaluated later does not change it."""
    value = _known(value)
    if isinstance(value, Memory):
        return value
    return Expression(
        value.queue, value.function, [_frozen(i) for i in value.inputs], value.shape, value.dtype
    )


def _leaves(value: Memory | Expression) -> list[Memory]:
    return value.leaves() if isinstance(value, Expression) else [value]


def _shape(value: Memory | Expression) -> tuple[int, ...]:
    return value.shape if isinstance(value, Expression) else value.view.shape


def _dtype(value: Memory | Expression) -> np.dtype:
    return value.dtype if isinstance(value, Expression) else value.view.dtype


def _same_elements(a: np.ndarray, b: np.ndarray) -> bool:
    return a.ctypes.data == b.ctypes.data and a.strides == b.strides and a.shape == b.shape
