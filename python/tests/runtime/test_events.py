# SPDX-License-Identifier: MIT
"""Events that are complete: functions, futures, `await`, waits for several events."""

import asyncio
import concurrent.futures
import gc
import queue as queues
import sys
import threading
import warnings
import weakref

import numpy as np
import pytest

import quern as qn

pytestmark = pytest.mark.smoke

# A time that only a hang takes.
HANG = 60


def test_a_function_is_called_once_with_the_event(queue, spin):
    ended = queues.SimpleQueue()
    event = spin(queue, 0.01)
    for _ in range(3):
        event.on_done(lambda e: ended.put((e.status, threading.get_ident())))
    calls = [ended.get(timeout=HANG) for _ in range(3)]
    assert {status for status, _ in calls} == {"complete"}
    assert len({thread for _, thread in calls}) == 1
    assert threading.get_ident() not in {thread for _, thread in calls}
    event.on_done(ended.put)  # of an event that is complete already
    assert ended.get(timeout=HANG).done
    assert ended.empty()


def test_functions_of_a_queue_are_called_in_order(queue, spin):
    ended = queues.SimpleQueue()
    spin(queue, 0.05)
    for i in range(100):
        queue.barrier().on_done(lambda _, i=i: ended.put(i))
    assert [ended.get(timeout=HANG) for _ in range(100)] == list(range(100))


def test_a_function_may_enqueue_and_wait(queue, basic):
    ended = queues.SimpleQueue()
    a = qn.zeros(16, "float32", queue.device)

    def twice(_):
        basic.twice(queue, 16, None, a).wait()
        ended.put(a.get(queue=queue))

    basic.fill(queue, 16, None, a, 3.0, 16).on_done(twice)
    assert (ended.get(timeout=HANG) == 6).all()


def test_exceptions_of_functions_go_to_the_unraisable_hook(queue, monkeypatch):
    caught, ended = [], queues.SimpleQueue()
    monkeypatch.setattr(sys, "unraisablehook", lambda info: caught.append((info.exc_value, info.object)))

    def fails(_):
        raise ValueError("no")

    event = queue.barrier()
    event.on_done(fails)
    event.on_done(ended.put)
    assert ended.get(timeout=HANG).done
    ((error, function),) = caught
    assert isinstance(error, ValueError) and function is fails
    caught.clear()


@pytest.mark.parametrize("wrong", [None, 1, "f"])
def test_what_is_not_a_function_is_refused(queue, wrong):
    with pytest.raises(qn.ArgumentTypeError, match="on_done"):
        queue.barrier().on_done(wrong)


def test_a_function_may_drop_the_last_reference_to_its_queue(device, spin):
    ended = queues.SimpleQueue()
    holder = [qn.Queue(device)]
    event = spin(holder[0], 0.02)
    event.on_done(lambda _: (holder.clear(), ended.put(1)))
    del event
    assert ended.get(timeout=HANG) == 1


def test_functions_are_released_after_their_call(queue):
    class Callback:
        def __init__(self):
            self.called = threading.Event()

        def __call__(self, event):
            self.called.set()

    callback = Callback()
    gone, called = weakref.ref(callback), callback.called
    queue.barrier().on_done(callback)
    del callback
    assert called.wait(HANG)
    for _ in range(100):
        if gone() is None:
            break
        threading.Event().wait(0.01)
        queue.barrier().wait()
        gc.collect()
    assert gone() is None


def test_a_future_is_that_of_concurrent_futures(queue, spin):
    events = [spin(queue, 0.01) for _ in range(3)]
    futures = [event.future() for event in events]
    assert all(isinstance(future, concurrent.futures.Future) for future in futures)
    done, pending = concurrent.futures.wait(futures, timeout=HANG)
    assert len(done) == 3 and not pending
    assert all(event.done for event in events)
    assert [future.result() for future in futures] == [None] * 3
    assert futures[0].exception() is None


def test_a_future_waits_as_long_as_it_is_told(queue, spin):
    for seconds in (0.4, 2, 10):
        future = spin(queue, seconds).future()
        try:
            future.result(timeout=0.02)
            gave_up = False
        except TimeoutError:
            gave_up = True
        assert future.result(timeout=120) is None
        if gave_up:
            break
    assert gave_up and future.done()


def test_a_cancelled_future_leaves_the_work_alone(queue):
    go = qn.UserEvent()
    a = qn.zeros(4, "float32", queue.device)
    event = queue.fill(a, 5, wait_for=go)
    future = event.future()
    assert future.cancel() and future.cancelled()
    go.set_done()
    assert event.wait()
    with pytest.raises(concurrent.futures.CancelledError):
        future.result()
    assert (a.get() == 5).all()


def test_events_arrays_copies_and_queues_can_be_awaited(device, basic):
    async def main():
        queue = qn.Queue(device)
        a = qn.zeros(100, "float32", device)
        assert await basic.fill(queue, 100, None, a, 2.0, 100) is None
        b = a * 3 + 1  # pending
        assert await b is b
        assert (await b.get_async() == 7).all()
        out = np.zeros(100, "float32")
        await queue.copy(out, b)
        assert (out == 7).all()
        basic.twice(queue, 100, None, a)
        assert await queue.finished() is None
        assert (await a.get_async(queue=queue) == 4).all()

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        asyncio.run(main(), debug=True)


def test_gather_takes_ten_thousand_events(device):
    async def main():
        queue = qn.Queue(device)
        before = threading.active_count()
        go = qn.UserEvent()
        events = [queue.barrier(go)] + [queue.barrier() for _ in range(9999)]
        waiting = asyncio.gather(*events)
        await asyncio.sleep(0)
        assert not waiting.done()
        go.set_done()
        assert await asyncio.wait_for(waiting, HANG) == [None] * 10000
        # Python counts the thread of the library while it runs functions.
        assert threading.active_count() <= before + 1

    asyncio.run(main())


def test_a_cancelled_task_leaves_the_work_alone(device, caplog):
    async def wait(event):
        await event

    async def main():
        queue = qn.Queue(device)
        go = qn.UserEvent()
        a = qn.zeros(4, "float32", device)
        event = queue.fill(a, 5, wait_for=go)
        tasks = [asyncio.create_task(wait(event)) for _ in range(3)]
        await asyncio.sleep(0.01)
        tasks[0].cancel()
        with pytest.raises(asyncio.CancelledError):
            await tasks[0]
        go.set_done()
        await asyncio.gather(*tasks[1:])
        assert (await a.get_async() == 5).all()

    asyncio.run(main(), debug=True)
    assert not [record for record in caplog.records if record.levelname in ("ERROR", "CRITICAL")]


def test_a_loop_may_end_before_its_events(device, caplog):
    go = qn.UserEvent()
    event = qn.Queue(device).barrier(go)

    async def main():
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(event.future(), 0.01)
        task = asyncio.ensure_future(event)
        await asyncio.sleep(0.01)
        task.cancel()

    asyncio.run(main(), debug=True)
    go.set_done()
    assert event.wait(HANG)
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


def test_await_raises_the_error_of_the_work(device):
    async def main():
        queue = qn.Queue(device)
        go = qn.UserEvent(name="go")
        event = queue.barrier(go)
        future = event.future()
        go.set_error(ValueError("no"))
        for awaitable in (event, future, event.future(), queue.finished()):
            try:
                await awaitable
            except qn.DependencyError as error:
                assert isinstance(error.__cause__, ValueError)
            else:
                assert awaitable not in (event, future)
        with pytest.raises(ValueError, match="no"):
            await go

    asyncio.run(main(), debug=True)


def test_finished_raises_what_finish_would(device):
    queue = qn.Queue(device)
    go = qn.UserEvent()
    queue.barrier(go)
    future = queue.finished()
    go.set_error(ValueError("no"))
    with pytest.raises(qn.DependencyError):
        future.result(HANG)
    queue.finish()


def test_wait_all_and_wait_any(device, spin):
    queues_ = [qn.Queue(device) for _ in range(3)]
    targets = [qn.zeros(1, "float32", device) for _ in queues_]
    events = [spin(q, 0.02, a) for q, a in zip(queues_, targets, strict=True)]
    first = qn.wait_any(events)
    assert first.done
    assert qn.wait_all(events) is True
    assert all(event.done for event in events)
    assert qn.wait_all([]) is True
    with pytest.raises(ValueError, match="wait_any"):
        qn.wait_any([])
    for function in (qn.wait_all, qn.wait_any, qn.as_completed):
        with pytest.raises(TypeError, match=function.__name__):
            function([1])
        with pytest.raises(TypeError, match=function.__name__):
            function(events[0])


def test_waits_give_up_at_their_timeout(device):
    go, other = qn.UserEvent(), qn.UserEvent()
    assert qn.wait_any([go, other], timeout=0.01) is None
    assert qn.wait_all([go, other], timeout=0.01) is False
    iterator = qn.as_completed([go, other], timeout=0.05)
    go.set_done()
    assert next(iterator).done
    with pytest.raises(TimeoutError, match="1 of 2"):
        next(iterator)
    assert qn.wait_any([go, other]).done
    other.set_error(ValueError("no"))
    assert qn.wait_any([other]).status == "failed"
    with pytest.raises(ValueError, match="no"):
        qn.wait_all([go, other])


def test_as_completed_gives_every_event_once(device, basic):
    queues_ = [qn.Queue(device) for _ in range(4)]
    arrays = [qn.zeros(64, "float32", device) for _ in queues_]
    events = [basic.twice(queues_[i % 4], 64, None, arrays[i % 4]) for i in range(400)]
    numbers = {id(event): i for i, event in enumerate(events)}
    order = [numbers[id(event)] for event in qn.as_completed(events)]
    assert sorted(order) == list(range(400))
    for i in range(4):
        of_queue = [number for number in order if number % 4 == i]
        assert of_queue == sorted(of_queue)


AT_EXIT = """
import sys, threading, time
import numpy as np, quern as qn
queue = qn.Queue("{device}")
a = qn.zeros(1000, "float32", "{device}")
"""


@pytest.mark.parametrize(
    "code",
    [
        # functions that were not called
        "go = qn.UserEvent(); event = queue.fill(a, 1, wait_for=go); event.on_done(print)",
        # a function that runs while the interpreter exits
        "queue.barrier().on_done(lambda _: time.sleep(0.5)); time.sleep(0.1)",
        "queue.barrier().on_done(lambda _: [queue.barrier().wait() for _ in range(100000)]); time.sleep(0.1)",
        # held-back work, with and without a reference to what holds it back
        "go = qn.UserEvent(); [queue.fill(a, i, wait_for=go) for i in range(100)]",
        "queue.fill(a, 1, wait_for=qn.UserEvent()); a = None",
        # a thread that waits for a user event that is never set
        "go = qn.UserEvent(); threading.Thread(target=go.wait, daemon=True).start()",
        "go = qn.UserEvent(); future = queue.fill(a, 1, wait_for=go).future(); future.add_done_callback(print)",
    ],
)
def test_a_process_ends_with_functions_and_held_back_work(run_python, device, code):
    run_python(AT_EXIT.format(device=device.spec) + code, timeout=HANG)


def test_no_thread_starts_before_the_first_function(run_python, device):
    run_python(
        AT_EXIT.format(device=device.spec)
        + "import os\n"
        + "queue.fill(a, 1).wait()\n"
        + "before = len(os.listdir('/proc/self/task'))\n"
        + "ended = threading.Event()\n"
        + "queue.barrier().on_done(lambda _: ended.set())\n"
        + "assert ended.wait(60)\n"
        + "for _ in range(100): queue.barrier().on_done(lambda _: None)\n"
        + "assert len(os.listdir('/proc/self/task')) == before + 1\n"
    )


def test_a_forked_child_gets_an_error(run_python, device):
    code = """
import os
event = queue.fill(a, 1)
event.on_done(lambda _: None)
event.wait()
child = os.fork()
if child == 0:
    status = 1
    try:
        event.on_done(print)
    except qn.ForkError:
        try:
            qn.UserEvent()
        except qn.ForkError:
            status = 0
    os._exit(status)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
ended = threading.Event()
queue.barrier().on_done(lambda _: ended.set())
assert ended.wait(60)
"""
    run_python(AT_EXIT.format(device=device.spec) + code)


def test_two_hundred_threads_share_a_queue(queue, basic):
    a = qn.zeros(1, "float32", queue.device)
    ended = queues.SimpleQueue()

    def work():
        for _ in range(5):
            basic.twice(queue, 1, None, a).on_done(ended.put)

    threads = [threading.Thread(target=work) for _ in range(200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(ended.get(timeout=HANG).done for _ in range(1000))
