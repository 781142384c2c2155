# SPDX-License-Identifier: MIT
"""Captured graphs: what is recorded, replays and their order, and what is refused."""

import asyncio
import gc
import threading

import numpy as np
import pytest

import quern as qn

pytestmark = pytest.mark.smoke

SOURCE = """
kernel void scale(global float *x, float a) { x[get_global_id(0)] *= a; }
kernel void add(global const float *x, global float *y) { y[get_global_id(0)] += x[get_global_id(0)]; }
"""


@pytest.fixture(scope="module")
def program():
    return qn.Program(SOURCE)


def numbers(queue, n=64, first=0):
    return qn.asarray(np.arange(first, first + n, dtype="float32"), device=queue.device)


def test_nothing_runs_until_the_graph_is_launched(queue, program):
    x, y = numbers(queue), qn.zeros(64, "float32", queue.device)
    with queue.capture() as graph:
        event = program.add(queue, 64, None, x, y)
        assert qn.is_capturing()
        assert not event.done and event.status == "queued"
        assert not graph.complete
    assert not qn.is_capturing()
    assert graph.complete and len(graph) == 1
    assert (y.get() == 0).all()
    for _ in range(3):
        assert graph.launch(queue).wait()
    assert (y.get() == 3 * np.arange(64)).all()


def test_copies_fills_and_expressions_are_recorded(queue):
    host = np.arange(64, dtype="float32")
    x, y = qn.zeros(64, "float32", queue.device), qn.zeros(64, "float32", queue.device)
    with queue.capture() as graph:
        queue.copy(x, host)  # an upload of the values at the time of the capture
        queue.copy(y, x)
        z = 2 * x + y
        queue.fill(x, 7)
        w = qn.full(64, 2.5, dtype="float64" if queue.device.has_fp64 else "float32")
        w += 1
        total = z.sum()
    host[:] = -1
    for _ in range(2):
        x.fill(0, queue=queue)
        graph.launch(queue)
        assert (x.get() == 7).all()
        assert (z.get() == 3 * np.arange(64)).all()
        assert float(total) == 3 * np.arange(64).sum()
        assert (w.get() == 3.5).all()


def test_overlapping_views_are_added_in_each_replay(queue):
    x, expected = numbers(queue), np.arange(64, dtype="float32")
    with queue.capture() as graph:
        x[1:] += x[:-1]
    for _ in range(3):
        graph.launch(queue)
        expected[1:] += expected[:-1].copy()
    assert (x.get() == expected).all()


def test_many_small_kernels_in_a_row(queue, program):
    x = qn.ones(16, "float32", queue.device)
    with queue.capture() as graph:
        for _ in range(20):
            program.scale(queue, 16, None, x, 1.5)
    assert len(graph) == 20
    graph.launch(queue)
    graph.launch(queue)
    assert np.allclose(x.get(), 1.5**40)


def test_large_kernels_use_all_their_elements(queue):
    n = 3_000_001
    x = qn.asarray(np.arange(n, dtype="float32"), device=queue.device)
    with queue.capture() as graph:
        y = x + 1
        z = y.copy()
        z[:] = z * 2
    graph.launch(queue)
    assert (z.get() == (np.arange(n, dtype="float32") + 1) * 2).all()


def test_memory_of_dropped_arrays_is_reused_in_the_graph(queue):
    x = numbers(queue, 1 << 18)
    with queue, queue.capture() as graph:
        y = x
        for _ in range(40):
            y = qn.sin(y)
            qn.eval(y)
    before = qn.pool_stats(queue.device).in_use
    expected = np.arange(1 << 18, dtype="float32")
    for _ in range(40):
        expected = np.sin(expected)
    graph.launch(queue)
    assert np.allclose(y.get(), expected, rtol=1e-4, atol=1e-4)
    del graph, y
    gc.collect()
    assert before - qn.pool_stats(queue.device).in_use <= 6 << 20


def test_the_graph_keeps_the_memory_of_its_operations(queue, program):
    x, y = numbers(queue), qn.zeros(64, "float32", queue.device)
    with queue.capture() as graph:
        program.add(queue, 64, None, x, y)
    del x
    gc.collect()
    others = [qn.ones(64, "float32", queue.device) for _ in range(8)]
    graph.launch(queue)
    assert (y.get() == np.arange(64)).all()
    del others


def test_a_released_buffer_stays_valid_in_the_graph(queue, program):
    buffer = qn.Buffer(256, device=queue.device)
    queue.fill(buffer, np.float32(1))
    y = qn.zeros(64, "float32", queue.device)
    with queue.capture() as graph:
        program.add(queue, 64, None, buffer, y)
    buffer.release()
    graph.launch(queue)
    graph.launch(queue)
    assert (y.get() == 2).all()


def test_replays_are_ordered_with_other_work_by_memory(queue, program):
    x, y = qn.ones(1 << 16, "float32", queue.device), qn.zeros(1 << 16, "float32", queue.device)
    other = qn.Queue(queue.device)
    with queue.capture() as graph:
        program.add(queue, x.size, None, x, y)
    for k in range(20):
        other.fill(x, k)
        graph.launch(queue)
        program.scale(other, y.size, None, y, 1.0)
    assert (y.get() == sum(range(20))).all()


def test_two_queues_replay_one_graph_in_turn(queue, program):
    x, y = qn.ones(1 << 16, "float32", queue.device), qn.zeros(1 << 16, "float32", queue.device)
    with queue.capture() as graph:
        for _ in range(4):
            program.add(queue, x.size, None, x, y)
    queues = [queue, qn.Queue(queue.device)]
    for k in range(20):
        graph.launch(queues[k % 2])
    assert (y.get() == 80).all()


def test_threads_replay_one_graph(queue, program):
    x, y = qn.ones(256, "float32", queue.device), qn.zeros(256, "float32", queue.device)
    with queue.capture() as graph:
        program.add(queue, x.size, None, x, y)

    def replay():
        own = qn.Queue(queue.device)
        for _ in range(25):
            graph.launch(own)
        own.finish()

    threads = [threading.Thread(target=replay) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (y.get() == 100).all()


def test_queues_that_depend_on_captured_work_join(queue, program):
    second, third = qn.Queue(queue.device), qn.Queue(queue.device)
    x = qn.ones(64, "float32", queue.device)
    y, z, w, free = (qn.zeros(64, "float32", queue.device) for _ in range(4))
    with queue.capture() as graph:
        first = program.scale(queue, 64, None, x, 2)
        program.add(second, 64, None, x, y)  # by memory
        program.add(third, 64, None, w, z, wait_for=first)  # by the event
        program.add(queue, 64, None, y, z)  # after both
        independent = qn.Queue(queue.device)
        independent.fill(free, 5).wait()
    assert (free.get() == 5).all(), "independent work runs at once"
    assert len(graph) == 4
    w.fill(5, queue=queue)
    graph.launch(queue)
    assert (y.get() == 2).all() and (z.get() == 7).all()
    graph.launch(second)
    assert (x.get() == 4).all() and (y.get() == 6).all() and (z.get() == 18).all()


def test_another_thread_runs_work_on_the_captured_queue(queue, program):
    x, y = qn.ones(64, "float32", queue.device), qn.ones(64, "float32", queue.device)
    with queue.capture() as graph:
        program.scale(queue, 64, None, x, 2)
        thread = threading.Thread(target=lambda: program.scale(queue, 64, None, y, 3).wait())
        thread.start()
        thread.join()
        program.scale(queue, 64, None, x, 2)
    assert (y.get() == 3).all() and (x.get() == 1).all()
    assert len(graph) == 2


def test_expressions_of_other_threads_are_not_recorded(queue):
    x = qn.ones(64, "float32", queue.device)
    made = []
    with queue.capture() as graph:

        def make():
            with queue:
                pass
            made.append(x + 1)

        thread = threading.Thread(target=make)
        thread.start()
        thread.join()
        y = x * 3
    assert len(graph) == 1
    assert (made[0].get() == 2).all()
    graph.launch(queue)
    assert (y.get() == 3).all()


def test_expressions_from_before_the_capture_are_not_recorded(queue):
    with queue:
        x = numbers(queue)
        before = x + 1
        with queue.capture() as graph:
            after = before * 2
    assert (before.get() == np.arange(64) + 1).all()
    assert len(graph) == 1
    x += 100
    graph.launch(queue)
    assert (after.get() == 2 * (np.arange(64) + 1)).all()


def test_a_forked_child_cannot_capture(run_python, device):
    code = """
        import os
        import quern as qn
        queue = qn.Queue({spec!r})
        x = qn.ones(4, "float32", queue.device)
        with queue.capture() as graph:
            x += 1
        graph.launch(queue).wait()
        begun = queue.capture()
        child = os.fork()
        if child == 0:
            for use in (begun.__enter__, lambda: graph.launch(queue)):
                try:
                    use()
                except qn.ForkError:
                    continue
                os._exit(1)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        graph.launch(queue).wait()
        assert (x.get() == 3).all()
    """
    run_python(code.format(spec=device.spec))


def test_reads_and_waits_are_refused(queue, program):
    x = qn.ones(64, "float32", queue.device)
    scalar = qn.asarray(np.float32(3), device=queue.device)

    def refused(function):
        with pytest.raises(qn.CaptureError) as caught, queue.capture() as graph:
            program.scale(queue, 64, None, x, 2)
            function()
        assert not graph.complete
        return str(caught.value)

    refused(x.get)
    refused(lambda: float(scalar))
    refused(lambda: print(x))
    refused(lambda: bool((x > 0).all()))
    refused(lambda: np.asarray(x))
    refused(lambda: x[3].item())
    refused(queue.finish)
    refused(lambda: x.get(out=np.zeros(64, "float32")))
    refused(x.get_async)
    refused(lambda: x.get_async(out=np.zeros(128, "float32")[::2]))
    refused(lambda: x.buffer.read())
    refused(lambda: np.testing.assert_array_equal(x.get(), 1))
    assert "launch() of the graph returns" in refused(lambda: program.scale(queue, 64, None, x, 1).wait())
    refused(lambda: program.scale(queue, 64, None, x, 1).on_done(print))
    refused(lambda: x.map("r"))
    refused(lambda: qn.random.default_rng(1).random(4))
    assert (x.get() == 1).all(), "nothing was run"


def test_events_from_outside_are_refused(queue, program):
    x = qn.ones(64, "float32", queue.device)
    go = qn.UserEvent(queue.context, name="go")
    with pytest.raises(qn.CaptureError, match="user event 'go'"), queue.capture():
        program.scale(queue, 64, None, x, 2, wait_for=go)
    earlier = qn.Queue(queue.device).fill(x, 1)
    earlier.wait()
    with pytest.raises(qn.CaptureError, match="outside of the capture"), queue.capture():
        program.scale(queue, 64, None, x, 2, wait_for=earlier)
    event = queue.fill(x, 1, wait_for=go)
    with pytest.raises(qn.CaptureError, match=r"held back.*user event 'go'"), queue.capture():
        pass
    go.set_done()
    event.wait()
    with queue.capture() as graph:
        program.scale(queue, 64, None, x, 2)
    graph.launch(queue)
    assert (x.get() == 2).all()


def test_captured_events_are_refused_outside(queue, program):
    x = qn.ones(64, "float32", queue.device)
    with queue.capture():
        event = program.scale(queue, 64, None, x, 2)
    with pytest.raises(qn.CaptureError, match="captured operation"):
        event.wait()
    with pytest.raises(qn.CaptureError, match="captured operation"):
        queue.fill(x, 1, wait_for=event)
    assert not event.done


def test_awaiting_a_captured_event_is_refused(queue, program):
    x = qn.ones(64, "float32", queue.device)
    with queue.capture() as graph:
        event = program.scale(queue, 64, None, x, 2)

    async def wait():
        await event

    with pytest.raises(qn.CaptureError, match="belongs to a captured operation"):
        asyncio.run(asyncio.wait_for(wait(), 10))
    with pytest.raises(qn.CaptureError, match="belongs to a captured operation"):
        qn.wait_any([event], timeout=10)
    graph.launch(queue)
    assert (x.get() == 2).all()


def test_uploads_wait_for_reads_into_the_same_memory(queue, spin):
    values = np.zeros(1 << 16, "float32")
    source = qn.full(values.size, 3, dtype="float32", device=queue.device)
    target = qn.zeros(values.size, "float32", queue.device)
    qn.synchronize(queue.device)
    other = qn.Queue(queue.device)
    spin(other, 0.1)
    event = other.copy(values, source)
    with queue.capture() as graph:
        queue.copy(target, values)
    graph.launch(queue)
    assert (target.get() == 3).all()
    event.wait()

    go = qn.UserEvent()
    event = other.copy(values, source, wait_for=go)
    with pytest.raises(qn.CaptureError, match="held back"), queue.capture():
        queue.copy(target, values)
    go.set_done()
    event.wait()


def test_nested_captures_are_refused(queue, program):
    x = qn.ones(64, "float32", queue.device)
    with queue.capture() as graph:
        program.scale(queue, 64, None, x, 2)
        with pytest.raises(qn.CaptureError, match="nested"), qn.Queue(queue.device).capture():
            pass
        program.scale(queue, 64, None, x, 2)
    graph.launch(queue)
    assert (x.get() == 4).all()


def test_an_exception_abandons_the_capture(queue, program):
    x = qn.ones(64, "float32", queue.device)
    with pytest.raises(ZeroDivisionError), queue.capture() as graph:
        program.scale(queue, 64, None, x, 2)
        y = x + 1
        qn.eval(y)
        1 / 0  # noqa: B018
    with pytest.raises(qn.CaptureError, match="not complete"):
        graph.launch(queue)
    with pytest.raises(qn.CaptureError, match="its capture failed"):
        y.get()
    program.scale(queue, 64, None, x, 3)
    assert (x.get() == 3).all(), "the queue works as before"


def test_results_cannot_be_read_before_the_first_launch(queue):
    x = numbers(queue)
    with queue.capture() as graph:
        y = x + 1
    with pytest.raises(qn.CaptureError, match="not launched yet"):
        y.get()
    graph.launch(queue)
    assert (y.get() == np.arange(64) + 1).all()


def test_a_graph_in_a_capture_becomes_part_of_it(queue, program):
    x = qn.ones(64, "float32", queue.device)
    with queue.capture() as inner:
        program.scale(queue, 64, None, x, 2)
        y = x + 1
    with queue.capture() as outer:
        inner.launch(queue)
        z = y * 10
        inner.launch(queue)
    del inner
    assert len(outer) == 5
    outer.launch(queue)
    assert (x.get() == 4).all() and (z.get() == 30).all()


def test_other_devices_and_contexts_are_refused(queue, program):
    x = qn.ones(64, "float32", queue.device)
    with queue.capture() as graph:
        program.scale(queue, 64, None, x, 2)
    context = qn.Context([queue.device])
    with pytest.raises(ValueError, match="in another context"):
        graph.launch(qn.Queue(queue.device, context))
    other = next((d for d in qn.devices() if d != queue.device), None)
    if other is None:
        pytest.skip("one device only")
    with pytest.raises(ValueError, match="cannot be launched on one of"):
        graph.launch(qn.Queue(other))
    y = qn.zeros(64, "float32", other)
    with pytest.raises(qn.CaptureError, match="one device only"), queue.capture():
        event = program.scale(queue, 64, None, x, 2)
        qn.Queue(other).fill(y, 1, wait_for=event)
    with pytest.raises(qn.CaptureError, match="between devices"), queue.capture():
        queue.copy(x, y)


def test_index_errors_of_a_replay_reach_readers(queue):
    x, index = numbers(queue), qn.asarray(np.array([1, 2, 3]), device=queue.device)
    with queue.capture() as graph:
        y = x[index]
        z = y * 2
    graph.launch(queue)
    assert (z.get() == [2, 4, 6]).all()
    index[1] = 64
    graph.launch(queue)
    with pytest.raises(IndexError, match="index 64 is out of bounds for axis 0 with size 64"):
        y.get()
    index[1] = 5
    graph.launch(queue)
    assert (y.get() == [1, 5, 3]).all()


def test_a_failing_kernel_reaches_readers(run_python):
    """In a process of its own: other drivers install handlers of faults, too."""
    run_python("""
    import quern as qn
    queue = qn.Queue(qn.device("host"))
    fail = qn.Program("kernel void fail(global int *x, ulong at) { *(at ? (global int *)at : x) = 1; }").fail
    x = qn.zeros(4, "int32", queue.device)
    with queue.capture() as graph:
        node = fail(queue, 1, None, x, 0)
    graph.launch(queue).wait()
    graph.update(node, at=8)
    event = graph.launch(queue)
    for read in (event.wait, x.get):
        try:
            read()
        except qn.KernelError:
            continue
        raise SystemExit("no error")
    """)


def test_a_profile_shows_launches_of_graphs(queue, program):
    x = qn.ones(64, "float32", queue.device)
    with queue.capture() as graph:
        for _ in range(3):
            program.scale(queue, 64, None, x, 2)
    with qn.profile() as p:
        graph.launch(queue)
        graph.launch(queue)
        queue.finish()
    records = [r for r in p.records if r.kind == "graph"]
    assert [r.name for r in records] == ["graph of 3 operations"] * 2
    assert all(r.times.ended >= r.times.started > 0 for r in records)
    assert "graph of 3 operations" in p.table()


def test_times_of_a_profiling_queue(device, program):
    queue = qn.Queue(device, profiling=True)
    x = qn.ones(64, "float32", device)
    with queue.capture() as graph:
        program.scale(queue, 64, None, x, 2)
        program.scale(queue, 64, None, x, 2)
    event = graph.launch(queue)
    event.wait()
    assert event.times.duration >= 0


def test_a_graph_may_be_dropped_while_it_runs(queue, program):
    x = qn.ones(1 << 20, "float32", queue.device)
    for _ in range(5):
        with queue.capture() as graph:
            queue.copy(x, np.ones(1 << 20, "float32"))
            for _ in range(8):
                program.scale(queue, x.size, None, x, 2)
        graph.launch(queue)
        del graph
    assert (x.get() == 256).all()


def test_matrix_products_are_recorded(queue):
    rng = np.random.default_rng(3)
    a, b = rng.random((96, 64), dtype="float32"), rng.random((64, 32), dtype="float32")
    x, y = (qn.asarray(m, device=queue.device) for m in (a, b))
    with queue.capture() as graph:
        z = x @ y + 1
        s = qn.sort(z, axis=1)
        c = qn.cumsum(z, axis=0)
    for _ in range(2):
        graph.launch(queue)
        assert np.allclose(z.get(), a @ b + 1, rtol=1e-4)
        assert np.allclose(s.get(), np.sort(a @ b + 1, axis=1), rtol=1e-4)
        assert np.allclose(c.get(), np.cumsum(a @ b + 1, axis=0), rtol=1e-4)
        x *= 2
        a = a * 2


def test_an_empty_capture_can_be_launched(queue):
    with queue.capture() as graph:
        pass
    assert len(graph) == 0
    assert graph.launch(queue).wait()
