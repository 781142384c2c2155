# SPDX-License-Identifier: MIT
"""Memory that must not be written: every function that writes refuses it, before anything is enqueued."""

import numpy as np
import pytest

import quern as qn
from quern import algorithms

N = 64
VALUES = np.arange(N, dtype=np.float32)


@pytest.fixture(params=["memmap", "read-only NumPy array", "DLPack"])
def read_only(request, tmp_path):
    """An array over memory of the host that must not be written; a write to the memmap's ends the process."""
    if not qn.devices("host"):
        pytest.skip("needs a device that shares host memory")
    if request.param == "memmap":
        VALUES.tofile(tmp_path / "values")
        memory = np.memmap(tmp_path / "values", np.float32, "r")
    else:
        memory = VALUES.copy()
        memory.flags.writeable = False
    if request.param == "DLPack":
        with qn.device("host"):
            return qn.from_dlpack(memory)
    return qn.asarray(memory, device="host", copy=False)


def own(x, dtype=np.float32):
    return qn.asarray(np.ones(N, dtype), device=x.device)


def launch_kernel(x):
    program = qn.Program("kernel void one(global float *x) { x[get_global_id(0)] = 1; }")
    program.one(qn.Queue(x.device), N, None, x)


def launch_atomics(x):
    program = qn.Program("kernel void count(global int *x) { atomic_add(&x[0], 1); }")
    program.count(qn.Queue(x.device), N, None, as_integers(x))


def launch_with_buffer(x):
    program = qn.Program("kernel void one(global float *x) { x[get_global_id(0)] = 1; }")
    program.one(qn.Queue(x.device), 4, None, x.buffer[16:32])


def as_integers(x, dtype=np.int32):
    return qn.asarray(np.asarray(x).view(dtype), device=x.device, copy=False)


def reduce_into(x):
    qn.ReductionKernel(np.float32, "0", "a + b", "y[i]", "const float *y")(own(x), out=x[:1].reshape(()))


def scan_into(x):
    scan = qn.ScanKernel(
        np.float32, "const float *y, float *x", "y[i]", "a + b", neutral="0", output_statement="x[i] = item"
    )
    scan(own(x), x)


def add_in_place(x):
    x += 1


WRITES = {
    "fill": lambda x: x.fill(1),
    "fill of a slice": lambda x: x[4:8].fill(1),
    "fill of a strided view": lambda x: x[::3].fill(1),
    "set": lambda x: x.set(VALUES),
    "set_async": lambda x: x.set_async(VALUES).wait(),
    "set of a slice": lambda x: x[4:8].set(VALUES[4:8]),
    "Buffer.write": lambda x: x.buffer.write(VALUES),
    "Buffer.write of a part": lambda x: x.buffer.write(VALUES[:2], offset=8),
    "Buffer.fill": lambda x: x.buffer.fill(1),
    "fill of a sub-buffer": lambda x: x.buffer[16:32].fill(1),
    "sub_buffer": lambda x: x.buffer.sub_buffer(16, 16).fill(1),
    "Queue.fill": lambda x: qn.Queue(x.device).fill(x, 1),
    "Queue.copy from the host": lambda x: qn.Queue(x.device).copy(x, VALUES),
    "Queue.copy": lambda x: qn.Queue(x.device).copy(x, own(x)),
    "Queue.copy of buffers": lambda x: qn.Queue(x.device).copy(x.buffer[:16], own(x).buffer[:16]),
    "copy_rect": lambda x: qn.copy_rect(x, own(x), (16, 2), queue=qn.Queue(x.device)),
    "copy_rect from the host": lambda x: qn.copy_rect(x.buffer, VALUES, (16, 2)),
    "shuffle": lambda x: qn.random.default_rng(1).shuffle(x),
    "random out=": lambda x: qn.random.default_rng(1).random(N, np.float32, out=x),
    "assignment": lambda x: x.__setitem__(..., 1),
    "assignment of an array": lambda x: x.__setitem__(slice(None), own(x)),
    "assignment to a slice": lambda x: x.__setitem__(slice(1, 9, 2), 1),
    "assignment of an element": lambda x: x.__setitem__(3, 1),
    "assignment by a mask": lambda x: x.__setitem__(own(x, bool), 1),
    "assignment by indices": lambda x: x.__setitem__(qn.asarray([1, 2], device=x.device), 1),
    "in place": add_in_place,
    "out= of a ufunc": lambda x: qn.add(own(x), 1, out=x),
    "out= of a reduction": lambda x: qn.sum(own(x).reshape(1, N), axis=0, out=x),
    "copyto": lambda x: qn.copyto(x, 1),
    "put": lambda x: qn.put(x, qn.asarray([1], device=x.device), 5),
    "sort in place": lambda x: x.sort(),
    "a kernel": launch_kernel,
    "an atomic kernel": launch_atomics,
    "a kernel on a sub-buffer": launch_with_buffer,
    "ElementwiseKernel": lambda x: qn.ElementwiseKernel("float *x", "x[i] = 1")(x),
    "out= of a ReductionKernel": reduce_into,
    "ScanKernel": scan_into,
    "algorithms.sort": lambda x: algorithms.sort(own(x), out=x),
    "algorithms.argsort": lambda x: algorithms.argsort(own(x)[: N // 2], out=as_integers(x, np.int64)),
    "algorithms.scan": lambda x: algorithms.scan(own(x), out=x),
    "algorithms.copy_if": lambda x: algorithms.copy_if(own(x), "x[i] > 0", out=x, count=own(x, np.int64)[:1]),
    "algorithms.gather": lambda x: algorithms.gather(own(x), own(x, np.int32), out=x),
    "algorithms.scatter": lambda x: algorithms.scatter(x, own(x, np.int32), own(x)),
    "algorithms.scatter that adds": lambda x: algorithms.scatter(x, own(x, np.int32), own(x), combine="add"),
    "algorithms.transpose": lambda x: algorithms.transpose(own(x).reshape(8, 8), out=x.reshape(8, 8)),
    "algorithms.lower_bound": lambda x: algorithms.lower_bound(
        own(x), own(x)[: N // 2], out=as_integers(x, np.int64)
    ),
}


@pytest.mark.parametrize("way", WRITES)
def test_functions_that_write_refuse_read_only_memory(read_only, way):
    with pytest.raises(qn.ArgumentError, match="read-only"):
        WRITES[way](read_only)
    assert np.array_equal(read_only.get(), VALUES)


def test_nothing_is_enqueued_before_the_refusal(read_only):
    queue = qn.Queue(read_only.device)
    queue.start_recording()
    for write in (lambda: queue.fill(read_only, 1), lambda: queue.copy(read_only, VALUES)):
        with pytest.raises(qn.ArgumentValueError, match="read-only"):
            write()
    assert queue.stop_recording() == []


def test_read_only_memory_is_exported_as_such(read_only):
    assert not np.from_dlpack(read_only).flags.writeable
    assert memoryview(read_only).readonly
    assert not np.asarray(read_only).flags.writeable
    with pytest.raises(BufferError):
        read_only.__dlpack__()  # a capsule of old, which has no flag for it


def test_read_only_memory_can_be_read_in_every_way(read_only):
    device = read_only.device
    assert np.array_equal((read_only + 1).get(), VALUES + 1)
    assert float(read_only.sum()) == VALUES.sum()
    out = np.empty_like(VALUES)
    qn.Queue(device).copy(out, read_only).wait()
    assert np.array_equal(out, VALUES)
    assert np.array_equal(read_only.copy().get(), VALUES)


def test_a_buffer_that_kernels_only_read_is_filled_by_copies(device):
    """Access is what kernels may do; memory of the library's own gets its contents by copies."""
    queue = qn.Queue(device)
    buffer = qn.Buffer(4 * N, device=device, access="r")
    buffer.write(VALUES, queue=queue)
    assert np.array_equal(buffer.read(queue=queue).view(np.float32), VALUES)
    buffer.fill(0, queue=queue)
    assert not buffer.read(queue=queue).any()
