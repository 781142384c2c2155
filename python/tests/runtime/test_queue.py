# SPDX-License-Identifier: MIT
"""Queues and events: order, waiting, wait lists, profile times."""

import time

import numpy as np
import pytest

import quern as qn

pytestmark = pytest.mark.smoke


def test_a_launch_returns_an_event(queue, basic):
    a = qn.zeros(16, "float32", queue.device)
    event = basic.fill(queue, 16, None, a, 3.0, 16)
    assert event.wait() is True
    assert event.done
    assert event.status == "complete"
    assert event.error is None
    assert "complete" in repr(event)


def test_wait_gives_up_at_its_timeout(queue, spin):
    # On a busy machine this thread may sleep until short work is over.
    for seconds in (0.4, 2, 10):
        event = spin(queue, seconds)
        gave_up = event.wait(timeout=0.02) is False
        status = event.status
        assert event.wait(timeout=120) is True
        if gave_up and status in ("queued", "submitted"):
            break
    assert gave_up and status in ("queued", "submitted")
    assert event.done


def test_wait_takes_no_nonsense_for_a_timeout(queue, spin):
    event = spin(queue, 0.01)
    with pytest.raises(ValueError):
        event.wait(timeout=float("nan"))
    assert event.wait(float("inf"))


def test_a_queue_keeps_its_order(queue, basic):
    a = qn.zeros(1000, "float32", queue.device)
    basic.fill(queue, 1000, None, a, 1.0, 1000)
    for _ in range(10):
        basic.twice(queue, 1000, None, a)
    queue.finish()
    assert (a.get() == 1024).all()


def test_finish_waits_for_everything(queue, spin):
    event = spin(queue, 0.1)
    queue.flush()
    queue.finish()
    assert event.done


def test_synchronize_waits_for_every_queue_of_the_device(device, spin):
    events = [spin(qn.Queue(device), 0.05, qn.zeros(1, "float32", device)) for _ in range(2)]
    qn.synchronize(device)
    assert all(event.done for event in events)


def test_a_wait_list_orders_queues(device, basic, spin):
    first, second = qn.Queue(device), qn.Queue(device)
    out = np.zeros(64, np.float32)
    source = qn.zeros(64, "float32", device)
    spin(first, 0.1)
    written = basic.fill(first, 64, None, source, 7.0, 64)
    # The copy goes through memory that the library cannot see: only the wait list orders the two queues.
    read = second.copy(out, source, wait_for=written)
    read.wait()
    assert written.done
    assert (out == 7).all()


@pytest.mark.parametrize("as_sequence", [list, tuple])
def test_a_wait_list_is_an_event_or_a_sequence(device, basic, as_sequence):
    queues = [qn.Queue(device) for _ in range(3)]
    arrays = [qn.zeros(8, "float32", device) for _ in range(3)]
    events = [basic.fill(q, 8, None, a, 1.0, 8) for q, a in zip(queues, arrays, strict=True)]
    basic.twice(queues[0], 8, None, arrays[0], wait_for=as_sequence(events)).wait()
    basic.twice(queues[0], 8, None, arrays[0], wait_for=events[1]).wait()
    assert (arrays[0].get() == 4).all()


@pytest.mark.parametrize("wrong", [1, "event", [None], object()])
def test_a_wait_list_of_something_else_is_an_error(queue, basic, wrong):
    a = qn.zeros(8, "float32", queue.device)
    with pytest.raises(qn.ArgumentTypeError, match="wait_for"):
        basic.twice(queue, 8, None, a, wait_for=wrong)


def test_a_wait_list_crosses_backends(device, other_device, basic, spin):
    here, there = qn.Queue(device), qn.Queue(other_device)
    a = qn.zeros(1, "float32", device)
    out = np.zeros(4, np.float32)
    slow = spin(here, 0.1, a)
    b = qn.asarray(np.full(4, 5, np.float32), device=other_device)
    read = there.copy(out, b, wait_for=slow)
    assert read.wait()
    assert slow.done
    assert (out == 5).all()


def test_a_barrier_joins_queues(device, spin):
    first, second = qn.Queue(device), qn.Queue(device)
    slow = spin(first, 0.1)
    second.barrier(slow)
    second.finish()
    assert slow.done


def test_profile_times_are_in_order(device, basic):
    queue = qn.Queue(device, profiling=True)
    assert queue.profiling
    a = qn.zeros(1 << 16, "float32", device)
    times = basic.twice(queue, 1 << 16, None, a).times
    assert times.queued <= times.submitted <= times.started <= times.ended
    assert times.duration == times.ended - times.started > 0


def test_profile_times_are_on_the_hosts_clock(device, spin):
    queue = qn.Queue(device, profiling=True)
    spin(queue, 0.001).wait()
    before = time.monotonic_ns()
    times = spin(queue, 0.05).times
    after = time.monotonic_ns()
    slack = 1_000_000_000  # a busy machine may interrupt the comparison of the clocks
    assert before - slack < times.started < times.ended < after + slack
    assert times.duration == times.ended - times.started > 0


def test_times_need_a_profiling_queue(queue, spin):
    event = spin(queue, 0.001)
    with pytest.raises(qn.ArgumentValueError, match="profiling"):
        _ = event.times


def test_copies_and_fills_have_times(device):
    queue = qn.Queue(device, profiling=True)
    buffer = qn.Buffer(1 << 20, device=device)
    host = np.zeros(1 << 20, np.uint8)
    for event in (buffer.fill(1, queue=queue), queue.copy(host, buffer), queue.copy(buffer, host)):
        assert event.times.duration >= 0


def test_copies_overlap_with_kernels(device, spin):
    if device.compute_units < 2:
        pytest.skip("needs two compute units")
    first, second = (qn.Queue(device, profiling=True) for _ in range(2))
    buffer = qn.Buffer(4 << 20, device=device)
    host = qn.pinned_empty(4 << 20, np.uint8, device)
    host[:] = 1
    second.copy(buffer, host).wait()
    # On a busy machine this thread may sleep until short work is over.
    for seconds in (0.4, 2, 10):
        kernel = spin(first, seconds, qn.zeros(1, "float32", device))
        first.flush()
        time.sleep(0.1)  # until it runs
        copied = [copy.times for copy in [second.copy(buffer, host) for _ in range(16)]]
        ran = kernel.times
        overlaps = any(ran.started < times.started and times.ended < ran.ended for times in copied)
        if overlaps:
            break
    assert overlaps


def test_queues_compare_by_identity(device):
    first, second = qn.Queue(device), qn.Queue(device)
    assert first == first and first != second
    assert len({first, second, first}) == 2
    assert qn.Queue.of(device) == qn.Queue.of(device)
    assert device.spec in repr(first)


def test_a_queue_shows_its_native_handle(queue):
    assert (queue.native_handle != 0) == (queue.device.backend != "host")


def test_a_native_queue_is_wrapped(queue, basic):
    if queue.device.backend == "host":
        pytest.skip("the host has no native queues")
    wrapped = qn.Queue.wrap(queue.native_handle, queue.device, owner=queue)
    a = qn.zeros(8, "float32", queue.device)
    basic.fill(wrapped, 8, None, a, 2.0, 8).wait()
    assert (a.get() == 2).all()


def test_recording_keeps_every_event(queue, basic):
    a = qn.zeros(8, "float32", queue.device)
    queue.start_recording()
    events = [basic.twice(queue, 8, None, a), queue.fill(a, 1)]
    assert len(queue.stop_recording()) == len(events)
    basic.twice(queue, 8, None, a).wait()
    assert queue.stop_recording() == []


def test_a_queue_is_no_queue_of_another_type():
    with pytest.raises(qn.ArgumentTypeError):
        qn.Queue(3)
