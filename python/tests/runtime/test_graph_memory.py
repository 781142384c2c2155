# SPDX-License-Identifier: MIT
"""Memory of graphs: what is marked as not launched, whose errors reach whom, and what held-back launches keep."""

import gc

import numpy as np
import pytest

import quern as qn

pytestmark = pytest.mark.smoke

SOURCE = """
kernel void add(global const float *x, global float *y) { y[get_global_id(0)] += x[get_global_id(0)]; }
kernel void set(global float *x, float a) { x[get_global_id(0)] = a; }
"""


@pytest.fixture(scope="module")
def program():
    return qn.Program(SOURCE)


def array(queue, values, dtype="float32"):
    return qn.asarray(np.asarray(values, dtype), device=queue.device)


def computed(lazy):
    """Enqueues the array's expression."""
    assert lazy.buffer is not None


def test_independent_work_in_a_capture_has_results(queue, program):
    other, u = qn.Queue(queue.device), array(queue, [1, 2, 3])
    with queue.capture() as graph:
        with other:
            w = u * 2
        b = qn.empty(3, "float32", queue.device)
        program.set(other, 3, None, b, 7)
    assert len(graph) == 0
    assert (w.get() == [2, 4, 6]).all() and (b.get() == 7).all()


def test_independent_work_in_a_capture_that_fails_has_results(queue, program):
    other = qn.Queue(queue.device)
    with pytest.raises(ZeroDivisionError), queue.capture():
        b = qn.empty(3, "float32", queue.device)
        program.set(other, 3, None, b, 7)
        y = qn.zeros(3, "float32", queue.device) + b
        1 / 0  # noqa: B018
    assert (b.get() == 7).all()
    with pytest.raises(qn.CaptureError):
        y.get()


def test_independent_work_does_not_join_by_memory_that_the_capture_has_dropped(queue):
    other, u = qn.Queue(queue.device), array(queue, np.arange(1000))
    with queue.capture() as graph:
        kept = [(u + k) * 2 for k in range(3)]
        for each in kept:
            computed(each)
        del each
        del kept
        with other:
            w = u * 3
            computed(w)
    operations = len(graph)
    assert operations > 0
    assert (w.get() == 3 * np.arange(1000)).all()


def test_a_graph_in_a_capture_is_part_of_it_as_a_whole(queue, program):
    """Only its second operation uses memory of the capture."""
    other = qn.Queue(queue.device)
    a, y, x = (array(queue, v) for v in ([0, 0, 0], [0, 0, 0], [1, 1, 1]))
    with other.capture() as inner:
        program.add(other, 3, None, x, a)
        program.add(other, 3, None, a, y)
    with queue.capture() as outer:
        program.add(queue, 3, None, x, y)
        inner.launch(other)
    assert len(outer) == 3
    assert (a.get() == 0).all()
    outer.launch(queue)
    assert (a.get() == 1).all() and (y.get() == 2).all()
    outer.launch(queue)
    assert (a.get() == 2).all() and (y.get() == 5).all()


def test_results_of_a_graph_in_a_capture_wait_for_the_launch(queue):
    x = array(queue, [1, 2, 3])
    with queue.capture() as inner:
        s = x * 2
    with queue.capture() as middle:
        inner.launch(queue)
    with queue.capture() as outer:
        middle.launch(queue)
    with pytest.raises(qn.CaptureError, match="not launched yet"):
        s.get()
    outer.launch(queue)
    assert (s.get() == [2, 4, 6]).all()


def test_index_errors_reach_what_is_computed_from_the_elements(queue):
    x, index = array(queue, np.arange(4)), array(queue, [1, 2], "int64")
    u, out = array(queue, [5, 6]), array(queue, [0, 0])
    with queue.capture() as graph:
        t = x[index]
        computed(t)
        y = t + 1
        computed(y)
        z = y * 2
        queue.copy(out, z)
        apart = u * 2
    graph.launch(queue)
    assert (z.get() == [4, 6]).all() and (out.get() == [4, 6]).all() and (apart.get() == [10, 12]).all()
    index[1] = 9
    graph.launch(queue)
    for each in (t, y, z, out):
        with pytest.raises(IndexError, match="index 9 is out of bounds for axis 0 with size 4"):
            each.get()
    assert (apart.get() == [10, 12]).all()
    index[1] = 3
    graph.launch(queue)
    assert (z.get() == [4, 8]).all() and (out.get() == [4, 8]).all()


def test_index_errors_do_not_reach_what_uses_the_memory_later(queue, no_errors_left):
    x, index, u = array(queue, np.arange(4)), array(queue, [1, 9], "int64"), array(queue, [5, 6])
    out = array(queue, [0, 0])
    with queue.capture() as graph:
        t = x[index]
        computed(t)
        del t
        w = u * 2
        queue.copy(out, w)
    graph.launch(queue)
    assert (w.get() == [10, 12]).all() and (out.get() == [10, 12]).all()


def test_index_errors_of_a_graph_in_a_capture_reach_what_is_computed_there(queue):
    x, index = array(queue, np.arange(4)), array(queue, [1, 9], "int64")
    with queue.capture() as inner:
        t = x[index]
    with queue.capture() as outer:
        before = x * 2
        inner.launch(queue)
        after = t + 1
    outer.launch(queue)
    assert (before.get() == [0, 2, 4, 6]).all()
    with pytest.raises(IndexError, match="index 9"):
        after.get()


def held_launch(queue):
    y = qn.zeros(1 << 16, "float32", queue.device)
    with queue.capture() as graph:
        t = qn.full(1 << 16, 3.0, dtype="float32")
        u = t * 2
        queue.copy(y, u)
    go = qn.UserEvent(queue.context, name="go")
    return y, go, graph.launch(queue, wait_for=go)


def test_a_held_back_launch_keeps_the_memory_of_its_graph(queue):
    y, go, event = held_launch(queue)
    gc.collect()
    # New arrays of the same size are not held back.
    for k in range(4):
        other = qn.Queue(queue.device)
        new = qn.empty(1 << 16, "float32", queue.device)
        assert other.fill(new, k).wait(timeout=60)
    qn.trim_pool(queue.device)
    go.set_done()
    assert event.wait()
    assert (y.get() == 6).all()


def test_an_allocation_that_trims_does_not_wait_for_held_back_work(run_python, device):
    run_python(f"""
    import quern as qn
    device = qn.device({device.spec!r})
    queue = qn.Queue(device)
    y = qn.zeros(1 << 16, "float32", device)
    with queue.capture() as graph:
        u = qn.full(1 << 16, 3.0, dtype="float32") * 2
        queue.copy(y, u)
    go = qn.UserEvent(queue.context)
    event = graph.launch(queue, wait_for=go)
    del graph, u
    stats = qn.pool_stats(device)
    qn.set_pool_limit(stats.in_use + stats.in_pool + 1000, device)
    try:
        qn.empty(1 << 22, "float32", device)
    except MemoryError:
        pass
    else:
        raise SystemExit("no error")
    go.set_done()
    event.wait()
    assert (y.get() == 6).all()
    """)
