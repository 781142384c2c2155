# SPDX-License-Identifier: MIT
"""Out-of-order queues, queues that do not track memory, and priorities."""

import asyncio
import importlib.util
import threading
from pathlib import Path

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import quern as qn

pytestmark = pytest.mark.smoke

SOURCE = """
kernel void combine(global const uint *a, global const uint *b, global uint *out, uint factor) {
  size_t i = get_global_id(0);
  out[i] = out[i] * factor + 3 * a[i] + b[i];
}
// The flags are not arguments, so nothing that tracks memory orders the two kernels.
kernel void meet(ulong mine, ulong other, global int *out) {
  volatile global int *set = (volatile global int *)mine;
  volatile global int *awaited = (volatile global int *)other;
  *set = 1;
  while (*awaited == 0) {}
  out[0] = 1;
}
kernel void wait_until_set(ulong flag, global int *out) {
  volatile global int *awaited = (volatile global int *)flag;
  while (*awaited == 0) {}
  out[0] = 1;
}
kernel void take_number(ulong counter, global int *out) {
  out[0] = atomic_inc((volatile global int *)counter);
}
"""
PROGRAM = qn.Program(SOURCE)
ITEMS = 64


@pytest.fixture
def ooo(device):
    return qn.Queue(device, out_of_order=True)


def numbers(device, value=0):
    return qn.asarray(np.full(ITEMS, value, "uint32"), device=device)


def test_a_user_event_holds_back_only_what_waits_for_it(ooo):
    go = qn.UserEvent(ooo.context, name="go")
    a, b, c = (qn.zeros(ITEMS, "float32", ooo.device) for _ in range(3))
    held = ooo.fill(a, 1, wait_for=go)
    by_memory = ooo.copy(b, a)
    ooo.fill(c, 3).wait()
    assert (c.get() == 3).all()
    assert held.status == by_memory.status == "queued"
    with pytest.raises(TimeoutError, match=r"2 operations are held back.*user event 'go'"):
        ooo.finish(timeout=0.01)
    go.set_done()
    ooo.finish()
    assert held.done and by_memory.done
    assert (b.get() == 1).all()


graphs = st.lists(
    st.tuples(
        st.integers(0, 5), st.integers(0, 5), st.integers(0, 5), st.integers(0, 3), st.sampled_from("ooioog")
    ),
    min_size=1,
    max_size=40,
)


@hypothesis.settings(max_examples=25)
@hypothesis.given(steps=graphs)
def test_memory_orders_operations_as_one_after_the_other(device, steps):
    """Reads after writes, writes after reads and writes after writes, on queues of both orders and some held back."""
    ooo, in_order = qn.Queue(device, out_of_order=True), qn.Queue(device)
    go = qn.UserEvent()
    expected = [np.uint32(i + 1) for i in range(6)]
    arrays = [numbers(device, i + 1) for i in range(6)]
    with np.errstate(over="ignore"):
        for a, b, out, factor, where in steps:
            if out in (a, b):
                continue
            wait_for = go if where == "g" else None
            queue = in_order if where == "i" else ooo
            PROGRAM.combine(queue, ITEMS, None, arrays[a], arrays[b], arrays[out], factor, wait_for=wait_for)
            expected[out] = expected[out] * np.uint32(factor) + np.uint32(3) * expected[a] + expected[b]
    go.set_done()
    ooo.finish()
    for array, value in zip(arrays, expected, strict=True):
        assert (array.get() == value).all()


@hypothesis.settings(max_examples=25)
@hypothesis.given(steps=graphs)
def test_wait_lists_order_operations_without_tracking(device, steps):
    queue = qn.Queue(device, out_of_order=True, track_memory=False)
    expected = [np.uint32(i + 1) for i in range(6)]
    arrays = [numbers(device, i + 1) for i in range(6)]
    qn.synchronize(device)
    written, read = [[] for _ in range(6)], [[] for _ in range(6)]
    with np.errstate(over="ignore"):
        for a, b, out, factor, _ in steps:
            if out in (a, b):
                continue
            wait_for = written[a] + written[b] + written[out] + read[out]
            event = PROGRAM.combine(
                queue, ITEMS, None, arrays[a], arrays[b], arrays[out], factor, wait_for=wait_for
            )
            read[a].append(event)
            read[b].append(event)
            written[out], read[out] = [event], []
            expected[out] = expected[out] * np.uint32(factor) + np.uint32(3) * expected[a] + expected[b]
    queue.finish()
    for array, value in zip(arrays, expected, strict=True):
        assert (array.get() == value).all()


@pytest.mark.parametrize("out_of_order", [False, True])
def test_without_tracking_memory_orders_nothing(device, out_of_order):
    untracked = qn.Queue(device, out_of_order=out_of_order, track_memory=False)
    go, a = qn.UserEvent(), qn.zeros(ITEMS, "float32", device)
    held = qn.Queue(device).fill(a, 1, wait_for=go)
    assert untracked.fill(a, 2).wait()
    assert not held.done
    # Another queue waits for both.
    go.set_done()
    assert (a.get() == 1).all()


def test_array_operations_need_tracking_on_an_out_of_order_queue(device):
    queue = qn.Queue(device, out_of_order=True, track_memory=False)
    a = qn.zeros(ITEMS, "float32", device)
    with pytest.raises(ValueError, match="does not track memory"), queue:
        a + 1
    with pytest.raises(ValueError, match="does not track memory"):
        qn.zeros(3, "float32", queue=queue)


def test_barriers_and_markers(ooo):
    a, b, c = (qn.zeros(ITEMS, "float32", ooo.device) for _ in range(3))
    first, second = qn.UserEvent(), qn.UserEvent()
    held = ooo.fill(a, 1, wait_for=first)
    marker = ooo.marker()  # after all work so far, and in front of nothing
    assert ooo.fill(b, 1).wait()
    assert not marker.done
    barrier = ooo.barrier(second)  # after its events only, and in front of all later work
    later = ooo.fill(c, 1)
    assert later.wait(timeout=0.01) is False
    second.set_done()
    assert later.wait() and barrier.wait() and not held.done
    everything = ooo.barrier()
    last = ooo.fill(c, 2)
    assert last.wait(timeout=0.01) is False and not everything.done
    first.set_done()
    assert last.wait() and marker.done and everything.done and held.done


def test_a_failure_reaches_what_depends_on_it_and_nothing_else(ooo, no_errors_left):
    a, b, c, d = (qn.zeros(ITEMS, "float32", ooo.device) for _ in range(4))
    go = qn.UserEvent(name="input")
    failed = ooo.fill(a, 1, wait_for=go)
    by_memory = ooo.copy(b, a)
    by_list = ooo.fill(c, 1, wait_for=failed)
    independent = ooo.fill(d, 1)
    go.set_error(RuntimeError("no input"))
    assert independent.wait()
    for event in (failed, by_memory, by_list):
        with pytest.raises(qn.DependencyError, match="no input"):
            event.wait()
    ooo.finish()
    assert (d.get() == 1).all()


def test_callbacks_futures_and_await(ooo):
    arrays = [qn.zeros(ITEMS, "float32", ooo.device) for _ in range(20)]
    go, called, over = qn.UserEvent(), [], threading.Event()
    ooo.fill(arrays[0], 9, wait_for=go).on_done(lambda event: (called.append("held"), over.set()))
    events = [ooo.fill(a, i) for i, a in enumerate(arrays[1:])]
    for event in qn.as_completed(events):
        assert event.done
    for event in events:
        event.future().result()

    async def wait():
        await asyncio.gather(*events)
        go.set_done()
        await ooo.finished()

    asyncio.run(wait())
    assert over.wait(10)
    assert called == ["held"]


def test_times_and_recording(device):
    queue = qn.Queue(device, out_of_order=True, profiling=True)
    a, b = (qn.zeros(ITEMS, "float32", device) for _ in range(2))
    queue.start_recording()
    events = [queue.fill(a, 1), queue.fill(b, 2)]
    recorded = queue.stop_recording()
    assert len(recorded) == 2
    for event in events + recorded:
        assert event.times.started <= event.times.ended


def test_a_profile_shows_one_queue(ooo):
    a, b = numbers(ooo.device), numbers(ooo.device)
    go = qn.UserEvent()
    with qn.profile() as profile:
        PROGRAM.combine(ooo, ITEMS, None, a, a, b, 1, wait_for=go)
        other = [numbers(ooo.device) for _ in range(2)]
        PROGRAM.combine(ooo, ITEMS, None, other[0], other[0], other[1], 1)
        PROGRAM.combine(ooo, ITEMS, None, b, b, other[0], 1)
        go.set_done()
        ooo.finish()
    kernels = [record for record in profile.records if record.kind == "kernel"]
    assert len(kernels) == 3
    assert len({record.queue for record in kernels}) == 1
    # The last waits for the first, which writes what it reads; the second waits for neither.
    assert kernels[2].waits_for
    assert not kernels[1].waits_for


def test_maps(ooo):
    a = qn.zeros(ITEMS, "float32", ooo.device)
    event = ooo.fill(a, 2)
    with a.map("rw", queue=ooo) as view:
        assert event.done
        assert (view == 2).all()
        view[:] = 5
    ooo.fill(qn.zeros(ITEMS, "float32", ooo.device), 1)
    assert (a.get() == 5).all()


def test_array_expressions(ooo):
    x = np.arange(1000, dtype="float32")
    with ooo:
        a = qn.asarray(x)
        b = (a * 2 + 1).sum() + a[::3].max()
        c = qn.sort(-a)[:5]
        a += 1
        matrix = qn.reshape(a, (10, 100)) @ qn.reshape(a, (100, 10))
    y = x + 1
    assert float(b) == (x * 2 + 1).sum() + x[::3].max()
    assert (c.get() == np.sort(-x)[:5]).all()
    np.testing.assert_allclose(matrix.get(), y.reshape(10, 100) @ y.reshape(100, 10), rtol=1e-5)


def test_a_bad_index_is_reported(ooo, no_errors_left):
    with ooo:
        a = qn.arange(10, dtype="float32")
        bad = a[qn.asarray([1, 100])] + 0
        good = a + 1
        assert (good.get() == np.arange(1, 11)).all()
        with pytest.raises(IndexError, match="100"):
            bad.get()


def test_temporary_memory_is_not_reused_too_early(ooo):
    """An in-order queue may reuse memory at once; operations of an out-of-order one may still use it."""
    go = qn.UserEvent()
    results = []
    for i in range(30):
        source = numbers(ooo.device, i)
        result = numbers(ooo.device)
        PROGRAM.combine(ooo, ITEMS, None, source, source, result, 0, wait_for=go if i % 3 == 0 else None)
        results.append(result)
        del source  # its memory goes back to the pool
    go.set_done()
    for i, result in enumerate(results):
        assert (result.get() == 4 * i).all()


def test_threads_share_a_queue(ooo):
    arrays = [numbers(ooo.device) for _ in range(32)]
    one = numbers(ooo.device, 1)
    shared = numbers(ooo.device)

    def work(a):
        for _ in range(5):
            PROGRAM.combine(ooo, ITEMS, None, one, one, a, 1)
        PROGRAM.combine(ooo, ITEMS, None, one, one, shared, 1)

    threads = [threading.Thread(target=work, args=(a,)) for a in arrays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ooo.finish()
    assert all((a.get() == 20).all() for a in arrays)
    assert (shared.get() == 4 * len(arrays)).all()


def test_wait_lists_across_backends(device, other_device):
    here, there = (qn.Queue(d, out_of_order=True) for d in (device, other_device))
    a, b = qn.zeros(ITEMS, "float32", device), qn.zeros(ITEMS, "float32", other_device)
    go = qn.UserEvent()
    first = here.fill(a, 1, wait_for=go)
    second = there.fill(b, 2, wait_for=first)
    third = here.copy(a, b, wait_for=second)
    assert not third.done
    go.set_done()
    assert third.wait()
    assert (a.get() == 2).all()


def test_independent_kernels_run_at_the_same_time():
    """Each ends only if the other has begun; on the host, where kernels may take the address of memory."""
    queue = qn.Queue("host", out_of_order=True)
    flags = np.zeros(64, "int32")
    shared = qn.asarray(flags, device="host", copy=False)
    a, b = (qn.zeros(1, "int32", "host") for _ in range(2))
    address = flags.ctypes.data
    first = PROGRAM.meet(queue, 1, 1, address, address + 128, a)
    second = PROGRAM.meet(queue, 1, 1, address + 128, address, b)
    assert first.wait() and second.wait()
    assert int(a[0]) == int(b[0]) == 1
    del shared


@pytest.mark.parametrize("as_graph", [False, True])
def test_ready_work_of_higher_priority_runs_first(run_python, as_graph):
    done = run_python(
        f"""
        as_graph = {as_graph}"""
        """
        import numpy as np, quern as qn
        from test_out_of_order import SOURCE
        names = ["low", "normal", "high", "low", "normal", "high"]

        def order(attempt):
            # A new program, because kernels that are known to be short run on the calling thread.
            program = qn.Program(SOURCE + f"// {attempt}").build("host")
            cells = np.zeros(64, "int32")
            address = cells.ctypes.data
            outs = [qn.zeros(1, "int32", "host") for _ in range(7)]
            queues = [qn.Queue("host", out_of_order=i % 2 == 0, priority=name) for i, name in enumerate(names)]
            # The only worker is busy while work of all priorities becomes ready.
            graphs, any_queue = [], qn.Queue("host")
            for out in outs[:6]:
                with any_queue.capture() as graph:
                    program.take_number(any_queue, 1, 1, address, out)
                graphs.append(graph)
            program.wait_until_set(qn.Queue("host"), 1, 1, address + 128, outs[6])
            if as_graph:
                events = [graph.launch(q) for graph, q in zip(graphs, queues)]
            else:
                events = [program.take_number(q, 1, 1, address, out) for q, out in zip(queues, outs)]
            cells[32] = 1
            while not all(event.done for event in events):
                pass
            places = {name: [] for name in names}
            for name, out in zip(names, outs):
                places[name].append(int(out[0]))
            return {name: sorted(each) for name, each in places.items()}

        # A worker that is busy for long gets a substitute, which may come before all work is enqueued.
        wanted = {"high": [0, 1], "normal": [2, 3], "low": [4, 5]}
        print(any(order(attempt) == wanted for attempt in range(5)))
        """,
        env={"QUERN_THREADS": "1"},
    )
    assert done.stdout.strip() == "True"


def test_a_graph_has_the_priority_of_the_queue_that_it_is_launched_on(device):
    if device.backend != "cuda":
        pytest.skip("stream priorities of CUDA")
    source = """
    kernel void burn(global float *x, int rounds) {
      float value = get_global_id(0);
      for (int i = 0; i < rounds; i++) value = value * 0.999f + 0.5f;
      if (value < 0) x[0] = value;
    }
    kernel void set(global float *x) { x[0] = 2; }
    """
    program = qn.Program(source).build(device)
    x, y = qn.zeros(1, "float32", device), qn.zeros(1, "float32", device)
    normal, high = qn.Queue(device), qn.Queue(device, priority="high")
    with normal.capture() as graph:
        program.set(normal, 1, 1, y)
    graph.launch(high).wait()
    # 20 times the work-items that fit on the device: those of higher priority need not wait for the last ones.
    long = program.burn(normal, 20 * 2048 * device.compute_units, 256, x, 1 << 20)
    normal.flush()
    graph.launch(high).wait()
    assert not long.done
    assert long.wait() and float(y[0]) == 2


def test_options_are_properties(device):
    queue = qn.Queue(device, out_of_order=True, track_memory=False)
    assert queue.out_of_order and not queue.track_memory and queue.priority == 0
    assert "out of order, without memory tracking" in repr(queue)
    default = qn.Queue(device)
    assert not default.out_of_order and default.track_memory
    assert qn.Queue(device, priority="high").priority >= 0
    assert qn.Queue(device, priority="low").priority <= 0
    assert qn.Queue(device, priority=10**30).priority >= 0
    assert qn.Queue(device, priority="normal").priority == 0
    with pytest.raises(
        ValueError, match="priority: expected 'low', 'normal', 'high' or an integer, got 'fast'"
    ):
        qn.Queue(device, priority="fast")
    for wrong in (1.5, None, True):
        with pytest.raises(TypeError, match="priority"):
            qn.Queue(device, priority=wrong)


def test_a_process_may_end_with_work_held_back(device_spec, run_python):
    done = run_python(
        f"""
        import quern as qn
        queue = qn.Queue({device_spec!r}, out_of_order=True)
        go = qn.UserEvent()
        a = [qn.zeros(8, "float32", queue.device) for _ in range(10)]
        events = [queue.fill(x, 1, wait_for=go) for x in a[:5]] + [queue.fill(x, 1) for x in a[5:]]
        qn.wait_all(events[5:])
        print("ends")
        """
    )
    assert done.stdout.strip() == "ends"


def test_a_child_process_gets_an_error(device_spec, run_python):
    done = run_python(
        f"""
        import os
        import quern as qn
        queue = qn.Queue({device_spec!r}, out_of_order=True)
        a = qn.zeros(8, "float32", queue.device)
        queue.fill(a, 1).wait()
        child = os.fork()
        if child == 0:
            try:
                queue.fill(a, 2)
            except qn.ForkError:
                os._exit(0)
            os._exit(1)
        assert os.waitpid(child, 0)[1] == 0
        queue.fill(a, 3).wait()
        assert (a.get() == 3).all()
        print("ok")
        """
    )
    assert done.stdout.strip() == "ok"


def test_the_example_factorises_as_numpy_does(device):
    if not device.has_fp64:
        pytest.skip("needs float64")
    path = Path(__file__).parents[3] / "examples" / "systems" / "cholesky.py"
    spec = importlib.util.spec_from_file_location("cholesky", path)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    n = 7 * 16
    random = np.random.default_rng(3).standard_normal((n, n))
    a = random @ random.T + n * np.eye(n)
    factor = example.cholesky(qn.Queue(device, out_of_order=True), a, 16)
    np.testing.assert_allclose(factor, np.linalg.cholesky(a), rtol=1e-12, atol=1e-12)
