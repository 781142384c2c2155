# SPDX-License-Identifier: MIT
"""User events: work that they hold back, and errors that reach what depends on them."""

import asyncio
import threading

import numpy as np
import pytest

import quern as qn

pytestmark = pytest.mark.smoke


def test_work_waits_until_the_event_is_set(queue):
    a = qn.zeros(8, "float32", queue.device)
    go = qn.UserEvent(queue.context)
    event = queue.fill(a, 3, wait_for=go)
    assert isinstance(go, qn.Event)
    assert go.status == event.status == "queued"
    assert event.wait(timeout=0.01) is False
    assert go.wait(timeout=0.01) is False
    # Nothing else is held back.
    other = qn.Queue(queue.device)
    b = qn.zeros(8, "float32", queue.device)
    other.fill(b, 1).wait()
    go.set_done()
    assert event.wait()
    assert go.wait() and go.status == "complete"
    assert (a.get() == 3).all()


def test_the_representation_says_what_it_is(queue):
    event, go = qn.UserEvent(queue.context), qn.UserEvent(queue.context, name="go")
    assert repr(event) == "<quern.UserEvent queued>"
    assert repr(go) == "<quern.UserEvent 'go' queued>"
    go.set_done()
    event.set_error(OSError("no such file"))
    assert repr(go) == "<quern.UserEvent 'go' complete>"
    assert repr(event) == "<quern.UserEvent failed>"


def test_work_of_every_device_waits(device, other_device):
    go = qn.UserEvent()
    arrays = [qn.zeros(8, "float32", d) for d in (device, other_device)]
    events = [qn.Queue(a.device).fill(a, 2, wait_for=[go]) for a in arrays]
    # And work that waits for those, on the other device.
    events += [
        qn.Queue(a.device).fill(a, 4, wait_for=event)
        for a, event in zip(reversed(arrays), events, strict=True)
    ]
    assert not any(event.done for event in events)
    go.set_done()
    assert qn.wait_all(events)
    assert all((a.get() == 4).all() for a in arrays)


def test_another_thread_may_set_it_while_one_waits(queue):
    go = qn.UserEvent()
    out = np.zeros(4, "float32")
    a = qn.asarray(np.arange(4, dtype="float32"), device=queue.device)
    event = queue.copy(out, a, wait_for=go)
    thread = threading.Timer(0.05, go.set_done)
    thread.start()
    assert event.wait()
    assert (out == np.arange(4)).all()
    thread.join()


def test_an_error_names_the_first_cause_and_the_chain(queue, basic, no_errors_left):
    a = qn.zeros(8, "float32", queue.device)
    go = qn.UserEvent(name="upload")
    other = qn.Queue(queue.device)
    first = queue.fill(a, 1, wait_for=go)
    second = basic.twice(other, 8, None, a)
    cause = OSError("the file is gone")
    go.set_error(cause)
    with pytest.raises(OSError, match="the file is gone") as raised:
        go.wait()
    assert raised.value is cause and go.error is cause and go.status == "failed"
    with pytest.raises(qn.DependencyError) as chain:
        second.wait()
    assert chain.value.__cause__ is cause
    # test_error_places.py has the whole text.
    assert str(chain.value).startswith("kernel 'twice' on a queue of")
    assert str(chain.value).endswith("user event 'upload', which failed: OSError: the file is gone")
    assert isinstance(first.error, qn.DependencyError) and first.status == "failed"
    # The memory is marked until it is written again.
    with pytest.raises(qn.DependencyError, match="upload"):
        a.get()
    with pytest.raises(qn.DependencyError, match="upload"):
        queue.fill(a, 1, wait_for=go)
    queue.fill(a, 2)
    assert (a.get(queue=queue) == 2).all()


def test_lazy_arrays_of_failed_work_fail_too(device, no_errors_left):
    a = qn.zeros(8, "float32", device)
    go = qn.UserEvent()
    a.fill(1, wait_for=go)
    b = a + 1
    go.set_error(ValueError("no"))
    with pytest.raises(qn.DependencyError):
        b.get()


def test_a_name_without_its_keyword_is_refused():
    with pytest.raises(TypeError, match="the name is a keyword argument"):
        qn.UserEvent("go")


def test_an_event_is_set_once(device):
    done, failed = qn.UserEvent(), qn.UserEvent(name="it")
    done.set_done()
    for again in (done.set_done, lambda: done.set_error(ValueError())):
        with pytest.raises(qn.Error, match="already"):
            again()
    assert done.status == "complete"
    failed.set_error(ValueError("first"))
    for again in (failed.set_done, lambda: failed.set_error(ValueError("second"))):
        with pytest.raises(qn.Error, match="user event 'it' is set already"):
            again()
    assert str(failed.error) == "first"


@pytest.mark.parametrize("wrong", [None, "no", ValueError])
def test_an_error_is_an_exception(wrong):
    event = qn.UserEvent()
    with pytest.raises(qn.ArgumentTypeError, match="exception"):
        event.set_error(wrong)
    assert event.status == "queued"


def test_an_event_that_is_dropped_before_it_is_set_fails(queue, no_errors_left):
    event = queue.barrier(qn.UserEvent(name="lost"))
    with pytest.raises(qn.DependencyError, match=r"user event 'lost'.*destroyed"):
        event.wait(60)


def test_finish_names_a_user_event_that_is_not_set(queue):
    a = qn.zeros(8, "float32", queue.device)
    go = qn.UserEvent(name="go")
    queue.fill(a, 1, wait_for=go)
    queue.fill(a, 2)
    with pytest.raises(TimeoutError, match="2 operations are held back: a fill waits for user event 'go'"):
        queue.finish(timeout=0.01)
    go.set_done()
    queue.finish(timeout=60)


def test_ctrl_c_ends_a_wait_for_an_event_that_is_not_set(run_python, device):
    run_python(
        f"""
import os, signal, threading
import quern as qn
queue = qn.Queue("{device.spec}")
go = qn.UserEvent()
event = queue.barrier(go)
future = event.future()
waits = [event.wait, go.wait, queue.finish, future.result, lambda: qn.wait_any([event, go]),
         lambda: qn.wait_all([go]), lambda: list(qn.as_completed([go, event])), lambda: event.wait(100)]
for wait in waits:
    threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        wait()
    except KeyboardInterrupt:
        continue
    raise SystemExit("no KeyboardInterrupt")
go.set_done()
assert event.wait() and future.result(60) is None
"""
    )


def test_each_of_ten_thousand_dependants_fails(queue, no_errors_left):
    go, arrays = (
        qn.UserEvent(queue.context, name="go"),
        [qn.zeros(4, "float32", queue.device) for _ in range(2)],
    )
    events = [queue.fill(arrays[0], 1, wait_for=go) for _ in range(10_000)]
    go.set_error(OSError("boom"))
    for event in events:
        with pytest.raises(qn.DependencyError, match="boom"):
            event.wait()
        assert event.status == "failed"
    with pytest.raises(qn.DependencyError):
        arrays[0].get()


def test_of_many_operations_those_that_depend_on_an_error_fail(queue, no_errors_left):
    go = qn.UserEvent(queue.context)
    bad, good = (qn.zeros(4, "float32", queue.device) for _ in range(2))
    events = [queue.fill(good, 1) if k % 3 else queue.fill(bad, 1, wait_for=go) for k in range(9_000)]
    go.set_error(OSError("boom"))
    for _ in qn.as_completed(events):
        pass
    assert [event.status for event in events] == ["complete" if k % 3 else "failed" for k in range(9_000)]
    with pytest.raises(qn.DependencyError):
        bad.get()
    assert (good.get() == 1).all()


@pytest.mark.parametrize("kind", [asyncio.CancelledError, KeyboardInterrupt, SystemExit, OSError])
def test_a_future_has_an_error_of_any_class(device, kind):
    event, called = qn.UserEvent(), threading.Event()
    future, error = event.future(), kind("stopped")
    future.add_done_callback(lambda _: called.set())
    event.set_error(error)
    assert called.wait(60)
    assert future.exception(60) is error
    with pytest.raises(kind):
        future.result(60)
    later = event.future()
    with pytest.raises(kind):
        later.result(60)


def test_times_of_a_user_event_and_of_held_back_work_are_refused_at_once(queue):
    go, x = qn.UserEvent(queue.context), qn.zeros(4, "float32", queue.device)
    event = queue.fill(x, 1, wait_for=go)
    for each in (go, event):
        with pytest.raises(ValueError, match="has no times"):
            _ = each.times
        assert not each.done
    go.set_done()
    assert event.wait()
