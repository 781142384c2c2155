# SPDX-License-Identifier: MIT
"""Events and event loops: how `await` wakes a loop, several loops, loops that end early, and what stays open."""

import asyncio
import gc
import os
import sys
import threading
import weakref

import numpy as np
import pytest

import quern as qn

pytestmark = pytest.mark.smoke

# A time that only a hang takes.
HANG = 60


class LoopWithoutReaders(asyncio.SelectorEventLoop):
    """A loop that cannot watch file descriptors, as that of Windows."""

    def add_reader(self, *_):
        raise NotImplementedError


def make_uvloop():
    return pytest.importorskip("uvloop").new_event_loop()


@pytest.fixture(
    params=[asyncio.new_event_loop, LoopWithoutReaders, make_uvloop],
    ids=["asyncio", "without_readers", "uvloop"],
)
def loop(request):
    made = request.param()
    made.set_debug(True)
    yield made
    made.close()


@pytest.fixture(autouse=True)
def nothing_is_logged(caplog):
    yield
    assert not [
        record for record in caplog.records if record.name == "asyncio" and record.levelname != "DEBUG"
    ]


def test_an_event_that_is_done_is_awaited_without_the_loop(queue):
    event = queue.barrier()
    event.wait()
    with pytest.raises(StopIteration):
        next(event.__await__())  # there is no loop


def test_another_thread_wakes_the_loop(loop, queue):
    async def main():
        for value in range(3):
            go = qn.UserEvent()
            a = qn.zeros(8, "float32", queue.device)
            event = queue.fill(a, value, wait_for=go)
            threading.Timer(0.02, go.set_done).start()
            await event
            assert (a.get(queue=queue) == value).all()

    loop.run_until_complete(asyncio.wait_for(main(), HANG))


def test_other_tasks_run_while_one_awaits(loop, queue):
    async def main():
        go = qn.UserEvent()
        order = []

        async def wait():
            await queue.barrier(go)
            order.append("event")

        task = asyncio.ensure_future(wait())
        for i in range(100):
            await asyncio.sleep(0)
            order.append(i)
        go.set_done()
        await task
        assert order == [*range(100), "event"]

    loop.run_until_complete(asyncio.wait_for(main(), HANG))


def test_many_short_and_long_awaits(loop, queue, spin):
    """Waits of any length end, in a row and at the same time."""

    async def main():
        for seconds in (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-4, 1e-4, 1e-6):
            event = spin(queue, seconds)
            await event
            assert event.done
        others = [qn.Queue(queue.device) for _ in range(20)]
        targets = [qn.zeros(1, "float32", queue.device) for _ in others]
        events = [spin(q, 1e-4, a) for q, a in zip(others * 5, targets * 5, strict=True)]
        await asyncio.gather(*events, *events)
        assert all(event.done for event in events)

    loop.run_until_complete(asyncio.wait_for(main(), HANG))


def test_loops_in_several_threads_await_the_same_events(device, basic):
    queue = qn.Queue(device)
    arrays = [qn.zeros(16, "float32", device) for _ in range(20)]
    go = qn.UserEvent()
    events = [queue.fill(a, i, wait_for=go) for i, a in enumerate(arrays)]
    results = []

    def work():
        async def main():
            await asyncio.gather(*events)
            mine = qn.Queue(device)
            out = np.zeros(16, "float32")
            for i, a in enumerate(arrays):
                await mine.copy(out, a)
                assert (out == i).all()
            results.append(threading.get_ident())

        asyncio.run(asyncio.wait_for(main(), HANG), debug=True)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    go.set_done()
    for thread in threads:
        thread.join()
    assert len(set(results)) == 8


def test_a_loop_that_is_dropped_while_tasks_await_is_collected(queue):
    go = qn.UserEvent()
    event = queue.barrier(go)
    loop = asyncio.new_event_loop()
    task = asyncio.ensure_future(event, loop=loop)
    loop.run_until_complete(asyncio.sleep(0.01))
    task._log_destroy_pending = False  # asyncio would mention it
    gone = weakref.ref(loop)
    del task
    with pytest.warns(ResourceWarning, match="unclosed event loop"):
        del loop
        gc.collect()
    assert gone() is None
    go.set_done()
    assert event.wait(HANG)


@pytest.mark.parametrize("is_set_before", [True, False])
def test_a_loop_is_closed_while_tasks_await(queue, is_set_before):
    """The events end after the loop, or the loop ends before it sees that they have ended."""
    go = qn.UserEvent()
    event = queue.barrier(go)
    loop = asyncio.new_event_loop()

    async def wait():
        await event

    task = loop.create_task(wait())
    loop.run_until_complete(asyncio.sleep(0.01))
    if is_set_before:
        go.set_done()
        assert event.wait(HANG)
    task._log_destroy_pending = False  # it is destroyed, which asyncio would mention
    loop.close()
    if not is_set_before:
        go.set_done()
    assert event.wait(HANG)
    gone = weakref.ref(loop)
    del loop, task
    gc.collect()
    assert gone() is None
    asyncio.run(asyncio.wait_for(wait(), HANG))


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="counts descriptors in /proc")
def test_loops_leave_no_descriptor_and_no_thread(run_python, device):
    run_python(
        f"""
import asyncio, os, time
import quern as qn

queue = qn.Queue("{device.spec}")
def count():
    return len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))

async def main():
    go = qn.UserEvent()
    event = queue.barrier(go)
    asyncio.get_running_loop().call_later(0.001, go.set_done)
    await event

asyncio.run(main())
time.sleep(0.1)
before = count()
for _ in range(20):
    asyncio.run(main())
for _ in range(1000):  # the thread that woke the last loop may still hold its descriptor
    left = [now - then for now, then in zip(count(), before)]
    if max(left) <= 0:
        break
    time.sleep(0.01)
assert max(left) <= 0, left
"""
    )


def test_a_process_ends_while_its_loop_awaits(run_python, device):
    run_python(
        f"""
import asyncio
import quern as qn

async def main():
    queue, go = qn.Queue("{device.spec}"), qn.UserEvent()
    asyncio.ensure_future(queue.barrier(go))
    await asyncio.sleep(0.01)
    return go

kept = asyncio.new_event_loop()
go = kept.run_until_complete(main())
""",
        timeout=HANG,
    )


@pytest.mark.skipif(sys.version_info < (3, 12), reason="asyncio.eager_task_factory")
def test_eager_tasks_await_events(device):
    async def main():
        asyncio.get_running_loop().set_task_factory(asyncio.eager_task_factory)
        go = qn.UserEvent()
        events = [qn.Queue(device).barrier(go) for _ in range(10)]

        async def wait(event):
            await event

        tasks = [asyncio.create_task(wait(event)) for event in events]
        go.set_done()
        await asyncio.wait_for(asyncio.gather(*tasks), HANG)

    asyncio.run(main(), debug=True)


def test_events_of_queues_that_come_and_go_wake_the_loop(device, basic, monkeypatch):
    """A new queue may have the address of a former one. The check of all queues now and then would hide it."""
    monkeypatch.setattr("quern._future._Waiters.CHECK", 10 * HANG)
    x = qn.zeros(1, "float32", device)

    async def main():
        for k in range(1500):
            queue = qn.Queue(device)
            event = basic.spin(queue, 1, None, x, 100 + 37 * k)
            await asyncio.wait_for(event, HANG)
            del queue, event

    asyncio.run(main())
