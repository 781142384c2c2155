# SPDX-License-Identifier: MIT
"""Many expressions of the kernel language checked by one kernel, since PoCL takes a third of a second for each.

    table = Table(x=np.float32([1, 2]), v=np.int32([[1, 2, 3, 4], [5, 6, 7, 8]]))
    table.add("x + 1", [2, 3], "float")
    table.run(queue)

An input with n rows of w elements is a vector of w in the kernel, and the kernel runs once for each row.
"""

import math

import cuda
import numpy as np

import quern as qn

NAMES = {
    "char": np.int8,
    "uchar": np.uint8,
    "short": np.int16,
    "ushort": np.uint16,
    "int": np.int32,
    "uint": np.uint32,
    "long": np.int64,
    "ulong": np.uint64,
    "half": np.float16,
    "float": np.float32,
    "double": np.float64,
}
OF_DTYPE = {np.dtype(dtype): name for name, dtype in NAMES.items()}
INTEGERS = [name for name in NAMES if np.dtype(NAMES[name]).kind in "iu"]


def split(type_name):
    """The element's name and the width: ("float", 4)."""
    base = type_name.rstrip("0123456789")
    return base, int(type_name[len(base) :] or 1)


def name_of(array):
    return OF_DTYPE[array.dtype] + (str(array.shape[1]) if array.ndim == 2 else "")


class Table:
    def __init__(self, **inputs):
        self.inputs = {name: np.ascontiguousarray(array) for name, array in inputs.items()}
        self.rows = len(next(iter(self.inputs.values()))) if inputs else 1
        self.checks = []

    def add(self, expression, expected, type_name, *, ulp=0, before=""):
        """`before` are statements; they and the expression may use the inputs by name and `i`, the row."""
        base, width = split(type_name)
        shape = (self.rows, width) if width > 1 else (self.rows,)
        kind = np.float64 if ulp else NAMES[base]
        value = np.broadcast_to(np.asarray(expected, kind), shape)
        self.checks.append((expression, value, type_name, ulp, before))

    def source(self, prelude=""):
        parameters, loads, stores = [], [], []
        for name, array in self.inputs.items():
            base, width = split(name_of(array))
            kind = f"{base}{width}" if width > 1 else base
            parameters.append(f"global const {base if width == 3 else kind} *in_{name}")
            load = f"vload3(i, in_{name})" if width == 3 else f"in_{name}[i]"
            loads.append(f"  const {kind} {name} = {load};")
        counts = {}
        for expression, _, kind, _, before in self.checks:
            base, width = split(kind)
            slot = counts.get(kind, 0)
            counts[kind] = slot + 1
            at = f"{slot} * rows + i"
            store = f"vstore3(result, {at}, out_{kind})" if width == 3 else f"out_{kind}[{at}] = result"
            stores.append(f"  {{ {before} {kind} result = {expression}; {store}; }}")
        parameters += [
            f"global {split(kind)[0] if split(kind)[1] == 3 else kind} *out_{kind}" for kind in counts
        ]
        text = "\n".join([*loads, *stores])
        return (
            f"#pragma OPENCL FP_CONTRACT OFF\n{prelude}\nkernel void table({', '.join(parameters)}, int rows) {{\n"
            f"  const int i = get_global_id(0);\n{text}\n}}\n",
            counts,
        )

    def run(self, queue, prelude="", local=None, **options):
        source, counts = self.source(prelude)
        program = qn.Program(source, name="table.cl", **options)
        if queue.device.backend == "host":
            cuda.compiles(program)
        outputs = {}
        for kind, slots in counts.items():
            base, width = split(kind)
            outputs[kind] = qn.zeros(slots * self.rows * width, NAMES[base], queue=queue)
        inputs = [qn.asarray(array.reshape(-1), queue=queue) for array in self.inputs.values()]
        program.table(queue, self.rows, local, *inputs, *outputs.values(), self.rows)
        results = {kind: array.get() for kind, array in outputs.items()}
        slots = dict.fromkeys(counts, 0)
        for expression, expected, kind, ulp, _ in self.checks:
            got = results[kind].reshape(counts[kind], *expected.shape)[slots[kind]]
            slots[kind] += 1
            compare(expression, got, expected, ulp)


def compare(what, got, expected, ulp):
    if ulp:
        bad = ulps(got, expected) > ulp
        worst = np.flatnonzero(bad.reshape(-1))
        assert not len(worst), (
            f"{what}: {got.reshape(-1)[worst[0]]!r} for {expected.reshape(-1)[worst[0]]!r} "
            f"(row {worst[0]}, {ulps(got, expected).reshape(-1)[worst[0]]:.3g} ulp)"
        )
        return
    np.testing.assert_array_equal(got, expected, err_msg=what)
    if expected.dtype.kind == "f":
        number = ~np.isnan(expected)
        np.testing.assert_array_equal(
            np.signbit(got)[number], np.signbit(expected)[number], err_msg=f"the sign of {what}"
        )


def ulps(got, expected):
    """How far `got` is from `expected`, which is more precise, in units of the last place of got's type."""
    kind = got.dtype.type
    with np.errstate(all="ignore"):
        rounded = expected.astype(kind)
        unit = np.spacing(np.abs(np.where(np.isfinite(rounded), rounded, 1)).astype(kind)).astype(np.float64)
        error = np.abs(got.astype(np.float64) - expected) / unit
        same = (np.isnan(got) & np.isnan(rounded)) | (got == rounded)
    return np.where(same, 0.0, np.where(np.isfinite(error), error, math.inf))
