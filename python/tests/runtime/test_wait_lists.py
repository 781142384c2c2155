# SPDX-License-Identifier: MIT
"""Wait lists: every enqueue waits for events of other queues and other backends, and its caller does not."""

import kernels
import numpy as np
import pytest

import quern as qn

SIZE = 64
VALUES = np.arange(SIZE, dtype="float32")


class Work:
    """Memory of one test, and the results to compare with NumPy's."""

    def __init__(self, device, other_device, basic):
        self.basic, self.queue, self.device = basic, qn.Queue(device), device
        self.x = qn.asarray(VALUES, device=device)
        self.y = qn.zeros(SIZE, "float32", device)
        self.far = qn.zeros(SIZE, "float32", other_device)
        self.out = np.zeros(SIZE, "float32")
        qn.synchronize(device)
        qn.synchronize(other_device)


def kernel(work, events):
    work.basic.add(work.queue, SIZE, None, work.x, work.x, work.y, wait_for=events)
    return lambda: (work.y.get(), 2 * VALUES)


def fill(work, events):
    work.y.fill(3, queue=work.queue, wait_for=events)
    return lambda: (work.y.get(), np.full(SIZE, 3))


def fill_a_buffer(work, events):
    work.y.buffer.fill(np.float32(4), queue=work.queue, wait_for=events)
    return lambda: (work.y.get(), np.full(SIZE, 4))


def upload(work, events):
    work.queue.copy(work.y, VALUES + 1, wait_for=events)
    return lambda: (work.y.get(), VALUES + 1)


def download(work, events):
    work.queue.copy(work.out, work.x, wait_for=events)
    return lambda: (work.out, VALUES)


def copy(work, events):
    work.queue.copy(work.y, work.x, wait_for=events)
    return lambda: (work.y.get(), VALUES)


def copy_to_another_device(work, events):
    work.queue.copy(work.far, work.x, wait_for=events)
    return lambda: (work.far.get(), VALUES)


def rectangle(work, events):
    qn.copy_rect(work.y.buffer, work.x.buffer, (16, 4), src_pitches=(32,), queue=work.queue, wait_for=events)
    expected = np.zeros(SIZE, "float32")
    expected[:16] = VALUES[:32].reshape(4, 8)[:, :4].ravel()
    return lambda: (work.y.get(), expected)


def map_and_unmap(work, events):
    mapped = work.y.map("discard", queue=work.queue, wait_for=events)

    def check():
        mapped.wait()[:] = VALUES
        mapped.unmap()
        return work.y.get(queue=work.queue), VALUES

    return check


def unmap(work, events):
    mapped = work.y.map("discard", queue=work.queue)
    mapped.wait()[:] = VALUES
    mapped.unmap(wait_for=events)
    return lambda: (work.y.get(queue=work.queue), VALUES)


def migrate(work, events):
    work.queue.migrate(work.x, wait_for=events)
    return lambda: (work.x.get(), VALUES)


def barrier(work, events):
    work.queue.barrier(events)
    work.basic.add(work.queue, SIZE, None, work.x, work.x, work.y)
    return lambda: (work.y.get(), 2 * VALUES)


def get_async(work, events):
    future = work.x.get_async(queue=work.queue, wait_for=events)
    return lambda: (future.result(60), VALUES)


def set_async(work, events):
    future = work.y.set_async(VALUES, queue=work.queue, wait_for=events)

    def check():
        future.result(60)
        return work.y.get(), VALUES

    return check


def elementwise(work, events):
    twice = qn.ElementwiseKernel("const float *x, float *y", "y[i] = 2 * x[i]")
    twice(work.x, work.y, queue=work.queue, wait_for=events)
    return lambda: (work.y.get(), 2 * VALUES)


def gather(work, events):
    positions = qn.asarray(np.arange(SIZE, dtype="int32")[::-1].copy(), device=work.device)
    qn.algorithms.gather(work.x, positions, out=work.y, queue=work.queue, wait_for=events)
    return lambda: (work.y.get(), VALUES[::-1])


def sort(work, events):
    keys = qn.asarray(-VALUES, device=work.device)
    qn.algorithms.sort(keys, out=work.y, queue=work.queue, wait_for=events)
    return lambda: (work.y.get(), np.sort(-VALUES))


def product(work, events):
    """A product, for which a library of the device is called."""
    a = qn.asarray(VALUES.reshape(8, 8), device=work.device)
    b = qn.eye(8, dtype="float32", device=work.device) * 2
    qn.eval(b)
    with work.queue:
        work.queue.barrier(events)
        c = a @ b
        qn.eval(c)
    return lambda: (c.get().ravel(), 2 * VALUES)


OPERATIONS = [
    kernel, fill, fill_a_buffer, upload, download, copy, copy_to_another_device, rectangle, map_and_unmap, unmap,
    migrate, barrier, get_async, set_async, elementwise, gather, sort, product,
]  # fmt: skip


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.__name__)
def test_an_operation_waits_for_held_back_work_of_another_backend(device, other_device, basic, operation):
    work = Work(device, other_device, basic)
    go = qn.UserEvent()
    awaited = qn.Queue(other_device).fill(qn.zeros(4, device=other_device), 1, wait_for=go)
    check = operation(work, awaited)
    last = work.queue.marker()
    assert not awaited.done and not last.done
    go.set_done()
    assert last.wait(60)
    assert awaited.done
    np.testing.assert_array_equal(*check())


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.__name__)
def test_an_operation_waits_for_running_work_of_another_backend(device, other_device, basic, operation):
    work = Work(device, other_device, basic)
    spin = kernels.BASIC.build(other_device).spin
    awaited = [
        spin(qn.Queue(other_device), 1, None, qn.zeros(1, "float32", other_device), 2_000_000),
        qn.Queue(device).fill(qn.zeros(4, device=device), 1),
    ]
    check = operation(work, awaited)
    assert work.queue.marker().wait(60)
    assert all(event.done for event in awaited)
    np.testing.assert_array_equal(*check())


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.__name__)
def test_an_operation_waits_for_another_queue_of_its_device(device, basic, spin, operation):
    work = Work(device, device, basic)
    awaited = spin(qn.Queue(device), 0.005, qn.zeros(1, "float32", device))
    check = operation(work, [awaited])
    assert work.queue.marker().wait(60)
    assert awaited.done
    np.testing.assert_array_equal(*check())
