# SPDX-License-Identifier: MIT
"""Memory that is allocated and released in the order of a queue, while its work is held back."""

import itertools

import numpy as np
import pytest

import quern as qn

NBYTES = 3_000_000  # a size that no other test uses


HOLD = """
// Ends when the host sets the flag, or after many rounds.
kernel void hold(ulong flag, global int *out) {
  volatile global int *set = (volatile global int *)flag;
  for (long i = 0; i < 20000000000 && *set == 0; i++) {}
  out[0] = *set;
}
"""


class Held:
    """A queue whose first kernel runs until end() is called, if the device shares addresses with the host."""

    numbers = itertools.count()

    def __init__(self, device, spin):
        qn.trim_pool(device)
        self.queue = qn.Queue(device)
        self.is_exact = device.kind == "cpu"
        if self.is_exact:
            # A kernel that was short before may run in the thread that launches it, so each has its own text.
            program = qn.Program(HOLD.replace("20000000000", str(20000000000 + next(self.numbers)))).build(
                device
            )
            self.flag = np.zeros(1, "int32")
            self.out = qn.zeros(1, "int32", device=device)
            qn.synchronize(device)
            self.event = program.hold(self.queue, 1, None, self.flag.ctypes.data, self.out)
        else:
            self.event = spin(self.queue, 0.5)
        self.queue.flush()

    def is_held(self):
        return not self.is_exact or not self.event.done

    def end(self):
        if self.is_exact:
            self.flag[0] = 1
        self.queue.finish()


@pytest.fixture
def held(device, spin):
    held = Held(device, spin)
    yield held
    held.end()


def test_released_memory_is_allocated_again_before_its_work_has_run(held):
    outs = [np.empty(NBYTES, "uint8") for _ in range(5)]
    events = []
    for value, out in enumerate(outs):
        buffer = held.queue.allocate(NBYTES)
        held.queue.fill(buffer, value)
        events.append(held.queue.copy(out, buffer))
        buffer.release()
    assert held.is_held()
    stats = qn.pool_stats(queue=held.queue)
    assert stats.allocations == 5 and stats.reused == 4  # all five are the same memory
    held.end()
    assert all(event.done for event in events)
    for value, out in enumerate(outs):
        assert (out == value).all()


def test_another_queue_waits_for_the_work_of_memory_that_it_gets(device, held):
    other, out, mine = qn.Queue(device), np.empty(NBYTES, "uint8"), np.empty(NBYTES, "uint8")
    first = held.queue.allocate(NBYTES)
    held.queue.fill(first, 1)
    held.queue.copy(out, first)
    first.release()
    second = other.allocate(NBYTES)
    assert qn.pool_stats(queue=other).reused == 1
    other.fill(second, 2)
    event = other.copy(mine, second)
    assert not event.done or not held.is_exact
    assert held.is_held()
    held.end()
    assert event.wait()
    assert (out == 1).all() and (mine == 2).all()


def test_a_thousand_temporary_arrays_take_the_memory_of_one(device, held):
    total = qn.zeros(1000, "float32", device=device)
    add = (
        qn.Program(
            "kernel void add(global float *t, global const float *x)"
            "{ t[get_global_id(0)] += x[get_global_id(0)]; }"
        )
        .build(device)
        .add
    )
    for _ in range(1000):
        x = held.queue.empty(1000, "float32")
        held.queue.fill(x, 1)
        add(held.queue, 1000, None, total, x)
        del x
    assert held.is_held()
    assert qn.pool_stats(queue=held.queue).peak <= 2 * 4096
    held.end()
    assert (total.get() == 1000).all()


def test_work_that_is_held_back_keeps_the_memory_that_it_uses(device):
    """Operations that wait for a user event are not with the driver yet, so their memory is not reused."""
    queue, go = qn.Queue(device), qn.UserEvent()
    queue.barrier(go)
    outs = [np.empty(NBYTES, "uint8") for _ in range(3)]
    for value, out in enumerate(outs):
        buffer = queue.allocate(NBYTES)
        queue.fill(buffer, value)
        event = queue.copy(out, buffer)
        buffer.release()
    assert qn.pool_stats(queue=queue).in_use >= 3 * NBYTES
    assert not event.done
    go.set_done()
    queue.finish()
    assert all((out == value).all() for value, out in enumerate(outs))
    assert qn.pool_stats(queue=queue).in_use == 0


def test_arrays_of_a_queue_are_on_its_device(device):
    queue = qn.Queue(device)
    x = queue.empty((3, 4), "int16")
    assert (x.shape, x.dtype, x.device) == ((3, 4), np.int16, device)
    assert queue.empty(2).dtype == np.float64 or not device.has_fp64
    assert queue.allocate(0).nbytes == 0
    buffer = queue.allocate(100)
    assert buffer.nbytes == 100 and buffer.device == device


@pytest.mark.parametrize(
    ("nbytes", "error"), [(-1, ValueError), ("1", TypeError), (1.5, TypeError), (None, TypeError)]
)
def test_a_size_that_is_none_is_an_error(device, nbytes, error):
    with pytest.raises(error, match="nbytes"):
        qn.Queue(device).allocate(nbytes)


def test_more_than_the_device_has_is_an_error(device):
    with pytest.raises(qn.OutOfDeviceMemory):
        qn.Queue(device).allocate(1 << 50)
