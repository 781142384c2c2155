# SPDX-License-Identifier: MIT
"""Programs of events that go wrong: many threads, forks, exits and functions that fail, beside work that is held back."""

import gc
import queue as queues
import sys
import threading
import weakref

import numpy as np
import pytest

import quern as qn

HANG = 120  # seconds


def in_threads(count, function):
    errors = []

    def run(number):
        try:
            function(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(HANG)
    assert not any(thread.is_alive() for thread in threads)
    return errors


def test_two_hundred_threads_share_a_queue_behind_events_of_their_own(queue):
    total = qn.zeros(1, "int32", queue.device)
    add = qn.Program("kernel void add(global int *x, int y) { x[0] += y; }").build(queue.device).add
    ended, events = queues.SimpleQueue(), [qn.UserEvent() for _ in range(200)]

    def work(number):
        add(queue, 1, None, total, number, wait_for=events[number]).on_done(ended.put)
        # The queue is in order, so each operation also waits for those of the threads before it.
        events[-1 - number].set_done()

    assert not in_threads(200, work)
    assert all(ended.get(timeout=HANG).status == "complete" for _ in range(200))
    assert int(total.get()[0]) == sum(range(200))


def test_of_many_threads_that_set_an_event_one_succeeds(queue):
    for _ in range(20):
        event = qn.UserEvent(name="raced")
        held = queue.barrier(event)
        start = threading.Barrier(8)

        def work(number, event=event, start=start):
            start.wait()
            if number % 2:
                event.set_error(ValueError(str(number)))
            else:
                event.set_done()

        errors = in_threads(8, work)
        assert len(errors) == 7 and all("already" in str(error) for error in errors)
        try:
            assert held.wait(HANG) and event.status == "complete"
        except qn.DependencyError:
            assert event.status == "failed" and str(event.error) in "1357"
        with pytest.raises(qn.Error, match="already"):
            event.set_done()
        try:
            queue.finish()
        except qn.Error:
            assert event.status == "failed"


def test_a_function_may_raise_enqueue_and_drop_the_last_reference_to_its_queue(device, monkeypatch):
    raised, hold = queues.SimpleQueue(), {}
    monkeypatch.setattr(sys, "unraisablehook", lambda info: raised.put(info.exc_value))
    hold["queue"] = qn.Queue(device)
    hold["array"] = qn.zeros(1000, "float32", device)
    go, out = qn.UserEvent(), np.zeros(1000, "float32")
    ended = threading.Event()

    def function(event):
        queue, array = hold.pop("queue"), hold.pop("array")
        queue.fill(array, 5)
        queue.copy(out, array).on_done(lambda _: ended.set())
        del queue, array
        gc.collect()
        raise LookupError("as planned")

    hold["queue"].barrier(go).on_done(function)
    go.set_done()
    assert ended.wait(HANG)
    assert (out == 5).all()
    assert isinstance(raised.get(timeout=HANG), LookupError)
    # Functions go on after that.
    after = threading.Event()
    qn.Queue(device).barrier().on_done(lambda _: after.set())
    assert after.wait(HANG)


def test_functions_of_held_back_work_are_released_with_it(device):
    class Big:
        pass

    big = Big()
    alive = weakref.ref(big)
    go = qn.UserEvent()
    ended = threading.Event()
    event = qn.Queue(device).barrier(go)
    event.on_done(lambda _, big=big: ended.set())
    del big
    gc.collect()
    assert alive() is not None
    go.set_error(ValueError())
    assert ended.wait(HANG)
    del event
    for _ in range(1000):
        gc.collect()
        if alive() is None:
            break
        threading.Event().wait(0.01)
    assert alive() is None


PROCESS = """
import os, sys, threading, time
import quern as qn
queue = qn.Queue({spec!r})
a = qn.zeros(1000, "float32", {spec!r})
go = qn.UserEvent(name="go")
"""


def test_a_process_may_fork_beside_held_back_work(run_python, device):
    code = """
event = queue.fill(a, 3, wait_for=go)
ended = threading.Event()
event.on_done(lambda _: ended.set())
child = os.fork()
if child == 0:
    for use in (go.set_done, lambda: queue.fill(a, 1), lambda: event.wait(1), queue.finish):
        try:
            use()
        except qn.ForkError:
            continue
        os._exit(1)
    del event, queue, go, a
    sys.exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert not event.done
go.set_done()
assert ended.wait(60) and (a.get() == 3).all()
"""
    # Python 3.12 and later warn of any fork() beside other threads.
    warnings = {"PYTHONWARNINGS": "ignore::DeprecationWarning"}
    done = run_python(PROCESS.format(spec=device.spec) + code, timeout=HANG, env=warnings)
    assert done.stderr == ""


@pytest.mark.parametrize(
    "code",
    [
        # a function at exit that enqueues more, some of it held back for ever
        "queue.barrier().on_done(lambda _: (time.sleep(0.3), queue.fill(a, 1, wait_for=go).on_done(print)))",
        # a chain of functions that never ends
        "def again(_): queue.barrier().on_done(again)\nagain(None)",
        # a function that raises while the interpreter goes away
        "def late(_): time.sleep(0.3); raise ValueError('late')\nqueue.barrier().on_done(late)",
        # held-back work of two queues that wait for each other's events
        "other = qn.Queue(queue.device); e = queue.barrier(go); other.fill(a, 1, wait_for=e); queue.fill(a, 2)",
        # a thread in finish() when the main thread ends
        "queue.fill(a, 1, wait_for=go); threading.Thread(target=queue.finish, daemon=True).start(); time.sleep(0.1)",
    ],
)
def test_a_process_ends_whatever_is_held_back(run_python, device, code):
    done = run_python(PROCESS.format(spec=device.spec) + code, timeout=HANG)
    assert "ValueError" in done.stderr or done.stderr == ""


def test_synchronize_and_reads_end_with_ctrl_c_while_an_event_is_not_set(run_python, device):
    code = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background ignores it
float(a.sum())  # builds its kernel, which takes PoCL longer than the timer below
queue.fill(a, 3, wait_for=go)
for wait in (lambda: qn.synchronize({spec!r}), a.get, lambda: float(a.sum()), lambda: a.map().wait()):
    threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        wait()
    except KeyboardInterrupt:
        continue
    raise SystemExit("no KeyboardInterrupt")
go.set_done()
assert (a.get() == 3).all()
"""
    run_python((PROCESS + code).format(spec=device.spec), timeout=HANG)
