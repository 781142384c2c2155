# SPDX-License-Identifier: MIT
"""Programs that mix lazy arithmetic, views, writes, raw kernels, exports and two queues, beside the same in NumPy."""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
import numpy as np
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, rule

# Small integers: exact in every order of operations, so that a wrong answer is a wrong order.
VALUES = st.lists(st.integers(0, 9), min_size=6, max_size=6)
FUNCTIONS = {"add": np.add, "subtract": np.subtract, "maximum": np.maximum}
VIEWS = {
    "tail": slice(1, None),
    "head": slice(None, -1),
    "reversed": slice(None, None, -1),
    "all": slice(None),
    "even": slice(None, None, 2),
}
QUEUES = st.integers(0, 1)


class LazyMachine(RuleBasedStateMachine):
    """Subclasses say what is tested: `make()` returns an object with the methods of lazy_model.Model."""

    arrays = Bundle("arrays")
    exports = Bundle("exports")

    def make(self) -> Any:
        raise NotImplementedError

    @initialize()
    def start(self):
        self.tested = self.make()

    @rule(target=arrays, values=VALUES)
    def asarray(self, values):
        values = np.array(values, np.int64)
        return self.tested.asarray(values), values

    @rule(target=arrays, name=st.sampled_from(sorted(FUNCTIONS)), a=arrays, b=arrays)
    def apply(self, name, a, b):
        (x, p), (y, q) = a, b
        n = min(len(p), len(q))
        if len(p) != n:
            x, p = self.tested.view(x, slice(0, n)), p[:n]
        if len(q) != n:
            y, q = self.tested.view(y, slice(0, n)), q[:n]
        return self.tested.apply(FUNCTIONS[name], x, y), FUNCTIONS[name](p, q)

    @rule(target=arrays, name=st.sampled_from(sorted(VIEWS)), a=arrays)
    def view(self, name, a):
        index = VIEWS[name] if len(a[1]) > 1 else slice(None)
        return self.tested.view(a[0], index), a[1][index]

    @rule(target=arrays, a=arrays)
    def share(self, a):
        """Another handle of the same array."""
        return self.tested.share(a[0]), a[1]

    @rule(a=arrays, b=arrays, start=st.integers(0, 5))
    def assign(self, a, b, start):
        n = min(len(a[1]) - start, len(b[1]))
        if n > 0:
            value = self.tested.view(b[0], slice(0, n)) if n != len(b[1]) else b[0]
            self.tested.assign(a[0], slice(start, start + n), value)
            a[1][start : start + n] = b[1][:n].copy()

    @rule(name=st.sampled_from(sorted(FUNCTIONS)), a=arrays, b=arrays)
    def update(self, name, a, b):
        if len(a[1]) == len(b[1]):
            self.tested.update(a[0], FUNCTIONS[name], b[0])
            a[1][...] = FUNCTIONS[name](a[1], b[1])

    @rule(a=arrays)
    def update_from_itself(self, a):
        """a[1:] += a[:-1]"""
        if len(a[1]) > 1:
            tail, head = VIEWS["tail"], VIEWS["head"]
            self.tested.update(self.tested.view(a[0], tail), np.add, self.tested.view(a[0], head))
            a[1][tail] += a[1][head].copy()

    @rule(target=arrays, a=arrays, b=arrays)
    def update_a_shared_sum(self, a, b):
        """c = a + b; d = c; d += b"""
        if len(a[1]) != len(b[1]):
            return a
        c, p = self.tested.apply(np.add, a[0], b[0]), a[1] + b[1]
        self.tested.update(self.tested.share(c), np.add, b[0])
        p += b[1]
        return c, p

    @rule(a=arrays, b=arrays)
    def raw_kernel(self, a, b):
        # A kernel whose work-items read what others write has no answer.
        if len(a[1]) == len(b[1]) and not np.shares_memory(a[1], b[1]):
            self.tested.raw_kernel(a[0], b[0])
            a[1][...] += b[1]

    @rule(target=exports, a=arrays)
    def export(self, a):
        return a, self.tested.export(a[0])

    @rule(exported=exports, value=st.integers(0, 9))
    def foreign_write(self, exported, value):
        (x, p), memory = exported
        self.tested.foreign_write(memory, x, value)
        p[...] = value

    @rule(index=QUEUES)
    def use_queue(self, index):
        self.tested.use_queue(index)

    @rule(index=QUEUES, count=st.integers(1, 4))
    def progress(self, index, count):
        self.tested.progress(index, count)

    @rule(index=QUEUES)
    def finish(self, index):
        self.tested.finish(index)

    @rule(a=arrays)
    def get(self, a):
        np.testing.assert_array_equal(self.tested.get(a[0]), a[1])

    @rule(a=consumes(arrays))
    def drop(self, a):
        pass

    @rule(a=arrays, b=arrays)
    def finished_work_is_done(self, a, b):
        """After both queues are finished nothing is left to do."""
        for index in (0, 1):
            self.tested.finish(index)
        assert self.tested.is_done(a[0])

    def teardown(self):
        if not hasattr(self, "tested"):
            return
        try:
            for x, expected in self.bundle_values():
                np.testing.assert_array_equal(self.tested.get(x), expected)
        finally:
            self.tested.close()

    def bundle_values(self):
        return [self.names_to_values[v.name] for v in self.bundles.get("arrays", [])]
