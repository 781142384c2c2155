# SPDX-License-Identifier: MIT
"""Messages between ranks that are threads: values, order, events, errors."""

import asyncio
import threading
import time

import message_programs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quern
import quern.dist as qn


@pytest.fixture(autouse=True)
def on_device(device):
    with quern.device(device):
        yield


@pytest.mark.parametrize("name", [body.__name__ for body in message_programs.BODIES])
@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
def test_programs_of_messages(device, ranks, name):
    for seed in range(8 if device.backend == "host" else 2):
        qn.on_threads(ranks, message_programs.run, name, seed, timeout=60)


@settings(max_examples=60, deadline=None)
@given(
    ranks=st.integers(1, 6),
    seed=st.integers(0, 2**31),
    name=st.sampled_from(["messages", "all_ranks"]),
)
def test_random_programs_of_messages_on_the_host(ranks, seed, name):
    with quern.device("host"):
        qn.on_threads(ranks, message_programs.run, name, seed, timeout=60)


@pytest.mark.parametrize("name", ["messages", "all_ranks"])
@pytest.mark.parametrize("ranks", [16, 64])
def test_messages_of_many_ranks(ranks, name):
    with quern.device("host"):
        qn.on_threads(ranks, message_programs.run, name, ranks, timeout=300)


def test_a_send_waits_for_the_kernel_that_makes_its_data(device):
    """The kernel is held back, so the message cannot have left."""

    def program():
        x, go = quern.zeros(8, "float32"), quern.UserEvent()
        if qn.rank() == 1:
            return qn.recv(source=0).get().tolist()
        quern.Queue(device).fill(x, 3, wait_for=go)
        event = qn.isend(x, 1)
        assert event.wait(timeout=0.02) is False
        go.set_done()
        assert event.wait(timeout=60)
        return [3.0] * 8

    assert qn.on_threads(2, program, timeout=60) == [[3.0] * 8] * 2


def test_messages_leave_in_the_order_of_the_calls(device):
    def program():
        if qn.rank() == 1:
            return [int(qn.recv(source=0)[0]) for _ in range(3)]
        x, go = quern.zeros(2, "int32"), quern.UserEvent()
        quern.Queue(device).fill(x, 1, wait_for=go)
        events = [qn.isend(x, 1), qn.isend(np.array([2, 2], "int32"), 1)]
        threading.Timer(0.02, go.set_done).start()
        qn.send(np.array([3, 3], "int32"), 1)
        assert quern.wait_all(events, timeout=60)
        return [1, 2, 3]

    assert qn.on_threads(2, program, timeout=60) == [[1, 2, 3]] * 2


def test_a_receive_can_be_in_a_wait_list(device, basic):
    """Also of a kernel that uses other memory, and of another queue."""

    def program():
        me = qn.rank()
        x, y = quern.zeros(8, "float32"), quern.ones(8, "float32")
        quern.synchronize()
        arrived = qn.irecv(x, me, 1)
        event = basic.twice(quern.Queue(device), 8, None, y, wait_for=arrived)
        assert event.wait(timeout=0.02) is False
        assert arrived.status == "queued"
        qn.send(quern.full(8, 5.0, "float32"), me, 1)
        assert event.wait(timeout=60)
        return (x + y).get().tolist()

    assert qn.on_threads(2, program, timeout=60) == [[7.0] * 8] * 2


def test_a_receive_is_in_order_with_other_work_on_the_array(device):
    def program():
        me = qn.rank()
        x = quern.full(4, 2.0, "float32")
        before = x * 10  # lazy: reads the old elements
        event = qn.irecv(x, me)
        after = x * 10
        other = quern.ones(4, "float32") + 1  # nothing else is held back
        assert other.get().tolist() == [2.0] * 4
        assert not event.done
        qn.isend(quern.full(4, 3.0, "float32"), me)
        return before.get().tolist(), after.get().tolist()

    assert qn.on_threads(1, program) == [([20.0] * 4, [30.0] * 4)]


def test_both_ranks_may_receive_first_or_send_first(device):
    def program():
        other = 1 - qn.rank()
        x, y = quern.full(50_000, float(qn.rank())), quern.zeros(50_000)
        event = qn.irecv(y, other)
        z = x * 2  # work on the same queue while the receive waits
        qn.send(z, other)
        event.wait()
        qn.send(y, other)
        return float(qn.recv(source=other).get()[0])

    assert qn.on_threads(2, program, timeout=60) == [0.0, 2.0]


def test_a_receive_can_be_awaited():
    async def receive(x):
        event = qn.irecv(x, 0)
        qn.send(quern.arange(3), 0)
        await event
        return x.get().tolist()

    assert asyncio.run(receive(quern.zeros(3, "int64"))) == [0, 1, 2]


def test_groups_of_ranks_have_messages_of_their_own():
    def program():
        comm = qn._ranks.current()
        part = comm.split(comm.rank % 2)
        qn.isend(np.array(100 + comm.rank), comm.rank)
        with qn.using(part):
            qn.send(np.array(comm.rank), (part.rank + 1) % part.size)
            got = int(qn.recv())
        return got, int(qn.recv(source=comm.rank))

    assert qn.on_threads(4, program, timeout=60) == [(2, 100), (3, 101), (0, 102), (1, 103)]


def test_messages_and_bytes_are_counted():
    def program():
        comm = qn._ranks.current()
        before = comm.sent
        if qn.rank() == 0:
            qn.send(quern.zeros(10), 1)
            qn.send(quern.zeros(10_000), 1)
        else:
            qn.recv()
            qn.recv()
        return tuple(b - a for a, b in zip(before, comm.sent, strict=True))

    assert qn.on_threads(2, program) == [(2, 80_080), (0, 0)]


def test_strided_arrays_are_sent_and_received():
    def program():
        x, y = quern.arange(12.0).reshape(3, 4), quern.zeros((4, 6))
        qn.send(x.T, qn.rank())
        qn.recv(y[:, ::2], qn.rank())
        with pytest.raises(ValueError, match="must be contiguous"):
            qn.irecv(y[:, ::2])
        return y.get()

    expected = np.zeros((4, 6))
    expected[:, ::2] = np.arange(12.0).reshape(3, 4).T
    np.testing.assert_array_equal(qn.on_threads(1, program)[0], expected)


@pytest.mark.parametrize(
    ("call", "kind", "match"),
    [
        (lambda x: qn.send(x, 2), ValueError, "send: rank 2 does not exist among 2"),
        (lambda x: qn.send(x, -1), ValueError, "send: rank -1 does not exist"),
        (lambda x: qn.recv(x, 7), ValueError, "recv: rank 7 does not exist"),
        (lambda x: qn.isend(x, 9), ValueError, "isend: rank 9"),
        (lambda x: qn.irecv(x, -2), ValueError, "irecv: rank -2"),
        (lambda x: qn.send(x, 0, -1), ValueError, "tag must not be negative"),
        (lambda x: qn.recv(x, 0, -5), ValueError, "tag must not be negative"),
        (lambda x: qn.bcast(x, 2), ValueError, "bcast: rank 2 does not exist"),
        (lambda x: qn.gather(x, root=-1), ValueError, "gather: rank -1 does not exist"),
        (lambda x: qn.reduce(x, op="median"), ValueError, "must be one of sum, prod"),
        (lambda x: qn.allreduce(x, op=3), TypeError, "name of an operation"),
        (lambda x: qn.alltoall(x), ValueError, "one entry for each of the 2 ranks"),
        (lambda x: qn.recv(1), TypeError, "recv: out: expected quern.Array, got int"),
        (lambda x: qn.recv(shape=3), ValueError, "give out, or shape and dtype"),
        (lambda x: qn.send(qn.zeros(3), 0), TypeError, "its block is x.local"),
        (lambda x: qn.irecv(qn.zeros(3)), TypeError, "its block is out.local"),
        (lambda x: qn.allreduce(quern.ones(3, "float32"), op="bitwise_or"), TypeError, "bitwise_or"),
    ],
)
def test_wrong_arguments_are_named_before_anything_is_sent(call, kind, match):
    def program():
        with pytest.raises(kind, match=match):
            call(quern.zeros(3))
        qn.barrier()
        return qn._ranks.current().size

    assert qn.on_threads(2, program, timeout=20) == [2, 2]


@pytest.mark.parametrize(
    ("shape", "dtype", "match"),
    [
        (3, "float64", r"has float32 of shape \(3,\), and the array is float64 of shape \(3,\)"),
        ((3, 1), "float32", r"of shape \(3,\), and the array is float32 of shape \(3, 1\)"),
        (2, "float32", "the message is longer"),
        (4, "float32", r"the array is float32 of shape \(4,\)"),
    ],
)
def test_a_message_of_another_dtype_or_shape_is_an_error(shape, dtype, match, no_errors_left):
    def program():
        out = quern.full(shape, 7, dtype)
        qn.send(quern.ones(3, "float32"), 0, 4)
        with pytest.raises(ValueError, match=match) as error:
            qn.recv(out, 0)
        assert "send to rank 0, tag 4" in str(error.value)
        assert "test_dist_messages.py:" in str(error.value)
        assert (out.get() == 7).all()
        event = qn.irecv(out, 0)
        qn.send(quern.ones(3, "float32"), 0, 4)
        with pytest.raises(quern.DependencyError, match=match):
            event.wait()
        return True

    assert qn.on_threads(1, program) == [True]


def test_ranks_that_disagree_about_a_collective_are_named():
    def program():
        qn.allgather(quern.zeros(3 + qn.rank()))

    with pytest.raises(qn.DistributedError, match="allgather"):
        qn.on_threads(2, program, timeout=20)


def test_a_rank_that_fails_ends_the_waits_of_others():
    caught = []

    def program():
        if qn.rank() == 1:
            time.sleep(0.05)
            raise OSError("no mesh")
        x = quern.zeros(4)
        event = qn.irecv(x, 1, 3)
        with pytest.raises(
            qn.DistributedError, match="rank 1 failed while rank 0 waited in recv from rank 1"
        ):
            qn.recv(source=1)
        with pytest.raises(quern.DependencyError, match="no mesh"):
            event.wait()
        caught.append(True)

    with pytest.raises(OSError, match="no mesh"):
        qn.on_threads(2, program)
    assert caught == [True]


def test_a_message_that_does_not_come_is_an_error_in_bounded_time():
    def program():
        if qn.rank() == 0:
            with pytest.raises(qn.DistributedError, match="has waited for 0 s in recv from rank 1, tag 6"):
                qn.recv(source=1, tag=6)
            event = qn.irecv(quern.zeros(2))
            with pytest.raises(quern.DependencyError, match="irecv from any rank"):
                event.wait(timeout=60)
        return True

    assert qn.on_threads(2, program, timeout=0.2) == [True, True]


def test_a_receive_of_a_failed_computation_fails_the_send(no_errors_left):
    def program():
        go = quern.UserEvent(name="input")
        x = quern.zeros(4, "float32")
        quern.Queue(x.device).fill(x, 3, wait_for=go)
        event = qn.isend(x, 0)
        go.set_error(OSError("the file is gone"))
        with pytest.raises(quern.DependencyError, match="the file is gone"):
            event.wait()
        # Later messages are not held back by it.
        qn.send(quern.ones(2), 0)
        return qn.recv().get().tolist()

    assert qn.on_threads(1, program) == [[1.0, 1.0]]


def test_mpi4py_is_refused_the_handles_of_opencl(device):
    """It would read memory at the number of the handle."""
    if device.backend != "opencl":
        pytest.skip("only the pointers of OpenCL are handles")
    with pytest.raises(BufferError, match="use get"):
        quern.arange(3).__dlpack__(stream=-1)
