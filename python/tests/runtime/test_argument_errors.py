# SPDX-License-Identifier: MIT
"""Wrong arguments of every method of the runtime's classes are typed errors that name the argument."""

import numpy as np
import pytest

import quern as qn

HUGE = 1 << 70
SURROGATE = "\ud800"
SOURCE = "kernel void k(global float *x) { x[get_global_id(0)] = 1; }"


class Fixtures:
    """One object of each class on a device, made when a case asks for it."""

    def __init__(self, device):
        self.device = device
        self.queue = qn.Queue(device)
        self.buffer = qn.Buffer(64, queue=self.queue)
        self.array = qn.zeros(16, np.float32, queue=self.queue)
        self.context = qn.Context([device])
        self.program = qn.Program(SOURCE)
        self.kernel = self.program.k
        self.event = self.queue.barrier()


@pytest.fixture
def on(device):
    return Fixtures(device)


NO_SIZE = [-1, 3.5, HUGE, None, "8", [8], -HUGE]
NO_TEXT = [None, 3, b"text", SURROGATE]
NO_OBJECT = [3, 3.5, [3], object()]

CASES = {
    "Buffer.nbytes": (lambda on, v: qn.Buffer(v, device=on.device), "nbytes", NO_SIZE),
    "Buffer.access": (lambda on, v: qn.Buffer(8, device=on.device, access=v), "access", [*NO_TEXT, "x"]),
    "Buffer.queue": (lambda on, v: qn.Buffer(8, queue=v), "queue", NO_OBJECT),
    "Buffer.context": (lambda on, v: qn.Buffer(8, context=v), "context", [*NO_OBJECT, "host"]),
    "Buffer.device": (lambda on, v: qn.Buffer(8, device=v), "device", [3, 3.5, [3], SURROGATE]),
    "Buffer.wrap handle": (
        lambda on, v: qn.Buffer.wrap(v, 8, on.device),
        "native_handle",
        [0, -1, 3.5, HUGE, None, "8"],
    ),
    "Buffer.wrap nbytes": (lambda on, v: qn.Buffer.wrap(64, v, on.device), "nbytes", NO_SIZE),
    "Buffer.wrap access": (lambda on, v: qn.Buffer.wrap(64, 8, on.device, access=v), "access", NO_TEXT),
    "Buffer.sub_buffer offset": (lambda on, v: on.buffer.sub_buffer(v, 8), "offset", NO_SIZE),
    "Buffer.sub_buffer nbytes": (lambda on, v: on.buffer.sub_buffer(0, v), "nbytes", NO_SIZE),
    "Buffer.__getitem__": (lambda on, v: on.buffer[v], "buffer", [None, 3, 3.5, "a", (1, 2)]),
    "Buffer.__getitem__ start": (lambda on, v: on.buffer[v:8], "start", [3.5, "a", [1]]),
    "Buffer.fill": (lambda on, v: on.buffer.fill(v), "fill", [None, -1, 256, 3.5, "a", HUGE]),
    "Buffer.fill queue": (lambda on, v: on.buffer.fill(1, queue=v), "queue", NO_OBJECT),
    "Buffer.fill wait_for": (lambda on, v: on.buffer.fill(1, wait_for=v), "wait_for", NO_OBJECT),
    "Buffer.write source": (lambda on, v: on.buffer.write(v), "source", [None, 3, 3.5, "text", object()]),
    "Buffer.write offset": (lambda on, v: on.buffer.write(b"12345678", offset=v), "offset", NO_SIZE),
    "Buffer.read out": (lambda on, v: on.buffer.read(v), "out", [3, "text", b"123", object()]),
    "Buffer.read offset": (lambda on, v: on.buffer.read(offset=v), "offset", NO_SIZE),
    "PinnedBuffer": (lambda on, v: qn.PinnedBuffer(v, on.device), "nbytes", NO_SIZE),
    "set_pool_limit": (lambda on, v: qn.set_pool_limit(v, on.device), "nbytes", [-1, 3.5, HUGE, "8"]),
    "Queue.device": (lambda on, v: qn.Queue(v), "device", [3, 3.5, [3], SURROGATE]),
    "Queue.context": (lambda on, v: qn.Queue(context=v), "context", NO_OBJECT),
    "Queue.profiling": (lambda on, v: qn.Queue(on.device, profiling=v), "profiling", [None, 3, "yes"]),
    "Queue.of": (lambda on, v: qn.Queue.of(v), "device", [None, *NO_OBJECT]),
    "Queue.wrap": (lambda on, v: qn.Queue.wrap(v, on.device), "native_handle", [-1, 3.5, HUGE, None, "8"]),
    "Queue.copy dst": (lambda on, v: on.queue.copy(v, on.buffer), "dst", [None, 3, "text", b"1", object()]),
    "Queue.copy src": (lambda on, v: on.queue.copy(on.buffer, v), "src", [None, 3, "text", object()]),
    "Queue.fill dst": (lambda on, v: on.queue.fill(v, 1), "fill", [None, 3, b"12", np.zeros(4)]),
    "Queue.fill value": (lambda on, v: on.queue.fill(on.buffer, v), "fill", [None, -1, 256, "a"]),
    "Queue.barrier": (lambda on, v: on.queue.barrier(v), "wait_for", NO_OBJECT),
    "copy_rect dst": (lambda on, v: qn.copy_rect(v, on.buffer, (8, 2)), "dst", [None, 3, object()]),
    "copy_rect region": (
        lambda on, v: qn.copy_rect(on.buffer, on.buffer, v),
        "region",
        [3.5, "ab", (), (1, 2, 3, 4), (-1, 1), (1.5, 1), (HUGE, 1), object()],
    ),
    "copy_rect origin": (
        lambda on, v: qn.copy_rect(on.buffer, on.buffer, (8, 2), dst_origin=v),
        "dst",
        [3.5, "ab", (-1, 0), (0.5, 0), (HUGE, 0)],
    ),
    "copy_rect pitches": (
        lambda on, v: qn.copy_rect(on.buffer, on.buffer, (8, 2), src_pitches=v),
        "src",
        [3.5, "ab", (-1,), (0.5,), (HUGE,)],
    ),
    "LocalMemory": (lambda on, v: qn.LocalMemory(v), "nbytes", NO_SIZE),
    "Event.wait": (lambda on, v: on.event.wait(v), "timeout", ["1", [1], object(), float("nan")]),
    "Program.source": (lambda on, v: qn.Program(v), "source", NO_TEXT),
    "Program.language": (lambda on, v: qn.Program(SOURCE, language=v), "language", [*NO_TEXT, "c"]),
    "Program.name": (lambda on, v: qn.Program(SOURCE, name=v), "name", NO_TEXT),
    "Program.options": (lambda on, v: qn.Program(SOURCE, options=v), "options", [3, SURROGATE, [SURROGATE]]),
    "Program.defines": (
        lambda on, v: qn.Program(SOURCE, defines=v),
        "defines",
        [3, {SURROGATE: 1}, {"A": SURROGATE}, {3: 1}, {"A": object()}],
    ),
    "Program.include_paths": (
        lambda on, v: qn.Program(SOURCE, include_paths=v),
        "include_paths",
        [3, "folder", [SURROGATE]],
    ),
    "Program.name_expressions": (
        lambda on, v: qn.Program(SOURCE, name_expressions=v),
        "name_expressions",
        [3, "k", [SURROGATE]],
    ),
    "Program.debug": (lambda on, v: qn.Program(SOURCE, debug=v), "debug", [None, 3, "yes"]),
    "Program.build": (lambda on, v: on.program.build(v), "device", [3, 3.5, [3], SURROGATE]),
    "Program.log": (lambda on, v: on.program.log(v), "device", [3, 3.5, [3], SURROGATE]),
    "Program.binary": (lambda on, v: on.program.binary(v), "device", [3, 3.5, [3], SURROGATE]),
    "Program.lowered_source": (lambda on, v: on.program.lowered_source(v), "device", [3, 3.5, SURROGATE]),
    "Program.from_binary": (lambda on, v: qn.Program.from_binary(v, on.device), "binary", [None, 3, "text"]),
    "Program.global_": (lambda on, v: on.program.global_(v, on.device), "name", NO_TEXT),
    "Program.__getitem__": (lambda on, v: on.program[v], "name", NO_TEXT),
    "Kernel global size": (
        lambda on, v: on.kernel(on.queue, v, None, on.array),
        "global size",
        [None, -1, 3.5, HUGE, "8", (), (1, 2, 3, 4), (1.5,), (-1,)],
    ),
    "Kernel local size": (
        lambda on, v: on.kernel(on.queue, 16, v, on.array),
        "local size",
        [0, -1, 3.5, HUGE, "8", (), (1.5,), (1, 1)],
    ),
    "Kernel offset": (
        lambda on, v: on.kernel(on.queue, 16, None, on.array, offset=v),
        "offset",
        [-1, 3.5, HUGE, "8"],
    ),
    "Kernel grid": (
        lambda on, v: on.kernel(on.queue, None, None, on.array, grid=v, block=4),
        "grid",
        [-1, 3.5, HUGE, "8", (1 << 62, 1)],
    ),
    "Kernel shared_memory": (
        lambda on, v: on.kernel(on.queue, 16, None, on.array, shared_memory=v),
        "shared_memory",
        [-1, 3.5, HUGE, "8"],
    ),
    "Kernel queue": (lambda on, v: on.kernel(v, 16, None, on.array), "queue", NO_OBJECT),
    "Kernel wait_for": (
        lambda on, v: on.kernel(on.queue, 16, None, on.array, wait_for=v),
        "wait_for",
        NO_OBJECT,
    ),
    "Kernel wait": (lambda on, v: on.kernel(on.queue, 16, None, on.array, wait=v), "wait", [3, "yes"]),
    "Kernel argument": (
        lambda on, v: on.kernel(on.queue, 16, None, v),
        "'x'",
        [3, 3.5, "text", [1], object()],
    ),
    "Kernel names": (
        lambda on, v: on.kernel(on.queue, 16, None, **{v: on.array}),
        "parameter",
        ["y", SURROGATE],
    ),
    "Kernel.occupancy": (lambda on, v: on.kernel.occupancy(on.device, v), "local_size", NO_SIZE),
    "Kernel.occupancy shared": (
        lambda on, v: on.kernel.occupancy(on.device, 8, v),
        "shared_memory",
        NO_SIZE,
    ),
    "Kernel.attributes": (lambda on, v: on.kernel.attributes(v), "device", [3, 3.5, SURROGATE]),
    "In": (lambda on, v: qn.Out(v), "NumPy array", [None, 3, [1]]),
    "InOut": (lambda on, v: qn.InOut(v), "NumPy array", [None, 3, [1]]),
    "Context": (lambda on, v: qn.Context(v), "device", [None, 3, "host", [3], [None], []]),
    "Context.of": (lambda on, v: qn.Context.of(v), "device", [None, *NO_OBJECT]),
    "device": (lambda on, v: qn.device(v), "device", [3, 3.5, [3], SURROGATE]),
    "devices": (lambda on, v: qn.devices(v), "backend", [3, SURROGATE]),
    "synchronize": (lambda on, v: qn.synchronize(v), "device", [3, 3.5, SURROGATE]),
    "ElementwiseKernel arguments": (lambda on, v: qn.ElementwiseKernel(v, "x[i] = 1"), "arguments", NO_TEXT),
    "ElementwiseKernel operation": (lambda on, v: qn.ElementwiseKernel("float *x", v), "operation", NO_TEXT),
    "ElementwiseKernel preamble": (
        lambda on, v: qn.ElementwiseKernel("float *x", "x[i] = 1", preamble=v),
        "preamble",
        NO_TEXT,
    ),
    "ElementwiseKernel options": (
        lambda on, v: qn.ElementwiseKernel("float *x", "x[i] = 1", options=v),
        "options",
        [3, [3], [SURROGATE]],
    ),
    "ElementwiseKernel wait": (
        lambda on, v: qn.ElementwiseKernel("float *x", "x[i] = 1")(on.array, wait=v),
        "wait",
        [3, "yes"],
    ),
    "ReductionKernel": (lambda on, v: qn.ReductionKernel(np.float32, v, "a + b"), "neutral", NO_TEXT),
    "ScanKernel": (
        lambda on, v: qn.ScanKernel(np.float32, "float *x", "x[i]", v),
        "scan_expr",
        NO_TEXT,
    ),
    "ScanKernel items": (
        lambda on, v: qn.ScanKernel(np.float32, "float *x", "x[i]", "a + b", items=v),
        "items",
        NO_SIZE,
    ),
    "memory limit's device": (lambda on, v: qn.pool_stats(v), "device", [3, 3.5, SURROGATE]),
}


@pytest.mark.parametrize("case", CASES)
def test_wrong_arguments_are_typed_errors_that_name_them(on, case):
    call, named, values = CASES[case]
    for value in values:
        with pytest.raises((qn.Error, MemoryError)) as caught:
            call(on, value)
        text = str(caught.value)
        assert "incompatible function arguments" not in text, value
        if not isinstance(caught.value, MemoryError):
            assert isinstance(caught.value, qn.ArgumentError), (value, caught.value)
            assert named in text, (value, text)


def test_an_attribute_that_is_no_text_is_no_kernel(on):
    assert not hasattr(on.program, SURROGATE)


def test_objects_of_different_classes_are_not_equal(on):
    for each in (on.device, on.queue, on.context):
        assert each != 3
        assert each != "host"


METHODS_OF_OTHERS = """
import sys

import numpy as np

from quern import _core

kinds = [kind for kind in vars(_core).values() if isinstance(kind, type) and not issubclass(kind, BaseException)]
for kind in kinds:
    for name, value in sorted(vars(kind).items()):
        if type(value).__name__ not in ("nb_method", "property"):
            continue
        called = value.fget if isinstance(value, property) else value
        for count in range(4):
            for other in (5, np.ones(2), None):
                print(kind.__name__, name, count, type(other).__name__, file=sys.stderr, flush=True)
                try:
                    found = called(other, *[1, None, 3][:count])
                except Exception:
                    continue
                assert name.startswith("__"), found
"""


def test_methods_of_a_class_do_not_take_objects_of_others(run_python):
    done = run_python(METHODS_OF_OTHERS, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
