# SPDX-License-Identifier: MIT
"""A kernel that fails while it runs: every read of memory that it wrote raises KernelError, and no other read does."""

import copy
import io
import pickle

import numpy as np
import pytest

import quern as qn

pytestmark = pytest.mark.usefixtures("no_errors_left")

PROGRAM = qn.Program("""
    kernel void diverge(global float *x, int fails) {
        local float shared_value[4];
        int i = get_global_id(0);
        if (!fails || get_local_id(0) == 0) barrier(CLK_LOCAL_MEM_FENCE);
        shared_value[get_local_id(0) % 4] = 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        x[i] = 7;
    }
    kernel void diverge_reading(global const float *x, global float *y) {
        local float shared_value[4];
        if (get_local_id(0) == 0) barrier(CLK_LOCAL_MEM_FENCE);
        shared_value[get_local_id(0) % 4] = x[get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        y[get_global_id(0)] = shared_value[0];
    }
    kernel void slow(global float *x, int n) {
        float sum = 0;
        for (int k = 0; k < n; ++k) sum += (float)(k & 3);
        x[get_global_id(0)] = sum >= 0 ? 3 : 4;
    }
    kernel void add_one(global const float *x, global float *y) { y[get_global_id(0)] = x[get_global_id(0)] + 1; }
""")
N = 64
NAMED = "kernel 'diverge'"


@pytest.fixture
def host():
    if not qn.devices("host"):
        pytest.skip("needs the host device, whose kernels can fail alone")
    return qn.device("host")


@pytest.fixture(params=["known", "under way"])
def failing(host, request):
    """An array whose kernel failed, or is about to, on a queue of its own."""
    x = qn.asarray(np.zeros(N, np.float32), device=host)
    failed = qn.Queue(host)
    if request.param == "under way":
        PROGRAM.slow(failed, N, 16, x, 3_000_000)
    event = PROGRAM.diverge(failed, N, 16, x, 1)
    if request.param == "known":
        with pytest.raises(qn.KernelError, match=NAMED):
            event.wait()
    return x


def read_with_queue(x):
    out = np.empty(N, np.float32)
    qn.Queue(x.device).copy(out, x).wait()


def read_rectangle(x):
    out = np.empty((4, 16), np.uint8)
    qn.copy_rect(out, x, (16, 4), src_pitches=(64,), queue=qn.Queue(x.device)).wait()


def copy_to_buffer(x):
    queue, memory = qn.Queue(x.device), qn.Buffer(4 * N, device=x.device)
    queue.copy(memory, x)
    memory.read(queue=qn.Queue(x.device))


def launch_on_other_queue(x):
    y = qn.zeros(N, np.float32, device=x.device)
    PROGRAM.add_one(qn.Queue(x.device), N, 16, x, y)
    y.get(queue=qn.Queue(x.device))


def event_of_launch(x):
    y = qn.zeros(N, np.float32, device=x.device)
    PROGRAM.add_one(qn.Queue(x.device), N, 16, x, y).wait()


def scan(x):
    qn.cumsum(x).get()


def copy_if(x):
    x[x > 0].get()


READS = {
    "get": lambda x: x.get(),
    "get on a queue": lambda x: x.get(queue=qn.Queue(x.device)),
    "get_async": lambda x: x.get_async().result(),
    "item": lambda x: x[3].item(),
    "float": lambda x: float(x[3]),
    "tolist": lambda x: x.tolist(),
    "bool": lambda x: bool(x[0]),
    "iteration": lambda x: [float(each) for each in x],
    "asnumpy": lambda x: qn.asnumpy(x),
    "np.asarray": lambda x: np.asarray(x),
    "np.array": lambda x: np.array(x),
    "memoryview": lambda x: memoryview(x),
    "np.frombuffer": lambda x: np.frombuffer(x, np.float32),
    "str": lambda x: str(x),
    "repr": lambda x: repr(x),
    "DLPack": lambda x: np.from_dlpack(x),
    "DLPack to quern": lambda x: qn.from_dlpack(x).get(),
    "pickle": lambda x: pickle.dumps(x),
    "deepcopy": lambda x: copy.deepcopy(x).get(),
    "np.save": lambda x: np.save(io.BytesIO(), np.asarray(x)),
    "qn.save": lambda x: qn.save(io.BytesIO(), x),
    "copy": lambda x: x.copy().get(),
    "a slice": lambda x: x[4:8].get(),
    "a strided view": lambda x: x[::3].get(),
    "reshape": lambda x: x.reshape(8, 8).T.get(),
    "expression": lambda x: (2 * x + 1).get(),
    "expression on a queue": lambda x: (2 * x).get(queue=qn.Queue(x.device)),
    "comparison": lambda x: bool((x == 0).all()),
    "sum": lambda x: float(qn.sum(x)),
    "max": lambda x: float(x.max()),
    "cumsum": scan,
    "sort": lambda x: qn.sort(x).get(),
    "argsort": lambda x: qn.argsort(x).get(),
    "mask": copy_if,
    "gather": lambda x: x[qn.asarray([1, 2], device=x.device)].get(),
    "nonzero": lambda x: qn.nonzero(x)[0].get(),
    "matmul": lambda x: (x.reshape(8, 8) @ x.reshape(8, 8)).get(),
    "histogram": lambda x: qn.histogram(x, bins=4, range=(0, 1))[0].get(),
    "unique": lambda x: qn.unique(x).get(),
    "ElementwiseKernel": lambda x: elementwise(x).get(),
    "Queue.copy": read_with_queue,
    "copy_rect": read_rectangle,
    "Buffer.read": lambda x: x.buffer.read(),
    "Buffer.wait": lambda x: x.buffer.wait(),
    "a copy of the buffer": copy_to_buffer,
    "a kernel that reads it": launch_on_other_queue,
    "the event of a kernel that reads it": event_of_launch,
    "Out": lambda x: PROGRAM.add_one(qn.Queue(x.device), N, 16, x, qn.Out(np.empty(N, np.float32))).wait(),
}


def elementwise(x):
    y = qn.empty(N, np.float32, device=x.device)
    qn.ElementwiseKernel("float *x, float *y", "y[i] = x[i] * 3")(x, y)
    return y


@pytest.mark.parametrize("way", READS)
def test_reading_what_a_failed_kernel_wrote_raises_its_error(failing, way):
    with pytest.raises(qn.KernelError, match=NAMED):
        READS[way](failing)
    with pytest.raises(qn.KernelError, match=NAMED):  # each time
        failing.get(queue=qn.Queue(failing.device))


def test_copy_to_another_device_raises(failing, other_device):
    if other_device.backend == "host":
        pytest.skip("needs a device that is not the host")
    with pytest.raises(qn.KernelError, match=NAMED):
        qn.asarray(failing, device=other_device).get()


OVERWRITES = {
    "fill": lambda x: x.fill(5),
    "set": lambda x: x.set(np.full(N, 5, np.float32)),
    "assignment": lambda x: x.__setitem__(..., 5),
    "assignment of an array": lambda x: x.__setitem__(
        slice(None), qn.asarray(np.full(N, 5, np.float32), device=x.device)
    ),
    "Queue.fill": lambda x: qn.Queue(x.device).fill(x, 5),
    "Queue.copy": lambda x: qn.Queue(x.device).copy(x, np.full(N, 5, np.float32)),
    "Buffer.write": lambda x: x.buffer.write(np.full(N, 5, np.float32)),
}


@pytest.mark.parametrize("way", OVERWRITES)
def test_memory_that_is_wholly_overwritten_is_clean_again(failing, way):
    OVERWRITES[way](failing)
    assert np.array_equal(failing.get(queue=qn.Queue(failing.device)), np.full(N, 5, np.float32))
    assert float(failing.sum()) == 5 * N


def test_memory_that_is_partly_overwritten_still_raises(failing):
    failing[: N // 2] = 5
    with pytest.raises(qn.KernelError, match=NAMED):
        failing.get()


def test_other_arrays_queues_and_later_launches_go_on(failing):
    device = failing.device
    for queue in (qn.Queue(device), qn.Queue.of(device)):
        x, y = qn.zeros(N, np.float32, device=device), qn.zeros(N, np.float32, device=device)
        PROGRAM.diverge(queue, N, 16, x, 0).wait()
        PROGRAM.add_one(queue, N, 16, x, y).wait()
        assert np.array_equal(y.get(), np.full(N, 8, np.float32))
        queue.finish()


def test_only_the_event_of_the_failed_kernel_fails_in_its_queue(host):
    queue = qn.Queue(host)
    x, y, z = (qn.zeros(N, np.float32, device=host) for _ in range(3))
    before = PROGRAM.diverge(queue, N, 16, y, 0)
    failed = PROGRAM.diverge(queue, N, 16, x, 1)
    after = PROGRAM.diverge(queue, N, 16, z, 0)
    before.wait()
    after.wait()
    with pytest.raises(qn.KernelError, match=NAMED):
        failed.wait()
    assert [each.status for each in (before, failed, after)] == ["complete", "failed", "complete"]
    assert isinstance(failed.error, qn.KernelError)
    assert after.error is None
    assert np.array_equal(z.get(), np.full(N, 7, np.float32))
    queue.finish()  # the failure was seen


def test_finish_raises_once(host):
    queue = qn.Queue(host)
    x = qn.zeros(N, np.float32, device=host)
    PROGRAM.diverge(queue, N, 16, x, 1)
    with pytest.raises(qn.KernelError, match=NAMED):
        queue.finish()
    queue.finish()


def test_finish_does_not_raise_what_a_read_has_raised(failing):
    queue = qn.Queue(failing.device)
    y = qn.zeros(N, np.float32, device=failing.device)
    PROGRAM.add_one(queue, N, 16, failing, y)
    with pytest.raises(qn.KernelError):
        y.get()
    queue.finish()


@pytest.mark.parametrize("is_slow", [False, True])
def test_operations_that_wait_for_a_failed_kernel_fail(host, is_slow):
    queue, other = qn.Queue(host), qn.Queue(host)
    x, y = qn.zeros(N, np.float32, device=host), qn.zeros(N, np.float32, device=host)
    if is_slow:
        PROGRAM.slow(queue, N, 16, x, 3_000_000)
    failed = PROGRAM.diverge(queue, N, 16, x, 1)

    def dependants():
        yield lambda: other.barrier(wait_for=failed).wait()
        yield lambda: other.fill(y, 1, wait_for=failed).wait()
        yield lambda: PROGRAM.slow(other, N, 16, y, 10, wait_for=failed).wait()
        yield lambda: other.barrier(wait_for=other.barrier(wait_for=failed)).wait()
        yield lambda: queue.barrier(wait_for=failed).wait()

    for dependant in dependants():
        with pytest.raises(qn.KernelError, match=NAMED):
            dependant()


def test_a_chain_of_launches_passes_the_error_on(host):
    first, second = qn.Queue(host), qn.Queue(host)
    x, y = qn.zeros(N, np.float32, device=host), qn.zeros(N, np.float32, device=host)
    PROGRAM.slow(first, N, 16, x, 1_000_000)
    PROGRAM.diverge(first, N, 16, x, 1)
    for k in range(2000):
        PROGRAM.add_one((first, second)[k % 2], N, 16, *((x, y) if k % 2 == 0 else (y, x)))
    for array in (x, y):
        with pytest.raises(qn.KernelError, match=NAMED):
            array.get()


def test_memory_of_an_array_that_is_gone_is_clean(host):
    for _ in range(20):
        x = qn.zeros(N, np.float32, device=host)
        PROGRAM.diverge(qn.Queue(host), N, 16, x, 1)
        del x
        y = qn.empty(N, np.float32, device=host)
        PROGRAM.diverge(qn.Queue(host), N, 16, y, 0)
        assert np.array_equal(y.get(), np.full(N, 7, np.float32))


def test_a_queue_that_is_gone_leaves_the_error_to_the_memory(host):
    x = qn.zeros(N, np.float32, device=host)
    queue = qn.Queue(host)
    PROGRAM.slow(queue, N, 16, x, 1_000_000)
    PROGRAM.diverge(queue, N, 16, x, 1)
    del queue
    with pytest.raises(qn.KernelError, match=NAMED):
        x.get()


def test_a_fault_is_an_error_of_the_memory_too(host):
    program = qn.Program("""
        kernel void copy_one(global const float *a, global float *b) { b[get_global_id(0)] = a[get_global_id(0)]; }
    """)
    x = qn.zeros(N, np.float32, device=host)
    with pytest.raises(qn.KernelError, match="'copy_one'"):
        program.copy_one(qn.Queue(host), N, 16, None, x).wait()
    with pytest.raises(qn.KernelError, match="'copy_one'"):
        (x + 1).get(queue=qn.Queue(host))
    x.fill(2)
    assert np.array_equal(x.get(), np.full(N, 2, np.float32))


@pytest.fixture
def foreign_queue(other_device):
    """A queue whose device cannot wait for the host's kernels by itself, so that operations are held back."""
    if other_device.backend == "host":
        pytest.skip("needs a device that is not the host")
    return qn.Queue(other_device)


@pytest.mark.parametrize("reads", [True, False], ids=["read", "write"])
def test_a_held_copy_only_comes_after_a_failed_kernel_whose_memory_it_overwrites(host, foreign_queue, reads):
    queue = qn.Queue(host)
    x, y = (qn.zeros(N, np.float32, device=host) for _ in range(2))
    source = qn.asarray(np.arange(N, dtype=np.float32), device=foreign_queue.device)
    foreign_queue.finish()
    PROGRAM.slow(queue, N, 16, y, 3_000_000)
    if reads:
        PROGRAM.diverge_reading(queue, N, 16, x, y)
    else:
        PROGRAM.diverge(queue, N, 16, x, 1)
    copied = foreign_queue.copy(x, source)
    copied.wait()
    assert copied.error is None
    foreign_queue.finish()
    assert np.array_equal(x.get(), np.arange(N, dtype=np.float32))
    with pytest.raises(qn.KernelError, match="kernel 'diverge"):
        queue.finish()
    if reads:
        with pytest.raises(qn.KernelError, match="kernel 'diverge_reading'"):
            y.get()


@pytest.mark.parametrize("is_explicit", [True, False], ids=["wait_for", "data"])
def test_a_held_operation_shares_the_failure_of_what_it_depends_on(host, foreign_queue, is_explicit):
    queue = qn.Queue(host)
    x = qn.zeros(N, np.float32, device=host)
    target = qn.zeros(N, np.float32, device=foreign_queue.device)
    foreign_queue.finish()
    PROGRAM.slow(queue, N, 16, x, 3_000_000)
    failed = PROGRAM.diverge(queue, N, 16, x, 1)
    event = foreign_queue.fill(target, 1, wait_for=failed) if is_explicit else foreign_queue.copy(target, x)
    with pytest.raises(qn.KernelError, match=NAMED):
        queue.finish()
    foreign_queue.finish()  # queue.finish() has raised this failure
    with pytest.raises(qn.KernelError, match=NAMED):
        event.wait()
    with pytest.raises(qn.KernelError, match=NAMED):
        target.get()
    target.fill(4)
    assert np.array_equal(target.get(), np.full(N, 4, np.float32))
