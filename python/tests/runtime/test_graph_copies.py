# SPDX-License-Identifier: MIT
"""Captured graphs: copies between host memory and devices."""

import gc
import weakref

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


def test_each_replay_copies_to_host_memory(queue, program):
    x, y = numbers(queue, 1 << 16), qn.zeros(1 << 16, "float32", queue.device)
    out, doubled, part = (
        np.zeros(1 << 16, "float32"),
        np.zeros(1 << 16, "float32"),
        np.full((4, 6), -1, "int32"),
    )
    grid = qn.asarray(np.arange(24, dtype="int32").reshape(4, 6), device=queue.device)
    odd = np.zeros(1 << 15, "float32")
    with queue.capture() as graph:
        program.add(queue, x.size, None, x, y)
        queue.copy(out, y)
        (2 * y).get_async(out=doubled)
        y[1::2].get_async(out=odd)
        qn.copy_rect(
            part, grid.buffer, (8, 3, 1), dst_origin=(4, 1), src_origin=(8, 0), dst_pitches=24, src_pitches=24
        )
    assert not out.any() and not doubled.any() and (part == -1).all()
    expected = np.full((4, 6), -1)
    expected[1:4, 1:3] = np.arange(24).reshape(4, 6)[0:3, 2:4]
    for k in range(1, 4):
        graph.launch(queue).wait()
        assert (out == k * np.arange(1 << 16)).all()
        assert (doubled == 2 * k * np.arange(1 << 16)).all()
        assert (odd == k * np.arange(1, 1 << 16, 2)).all()
        assert (part == expected).all()
        part[:], out[:] = -1, 0


def test_the_graph_keeps_the_host_memory_that_it_writes(queue, program):
    x = qn.ones(1 << 16, "float32", queue.device)
    out = np.zeros(1 << 16, "float32")
    gone = weakref.ref(out)
    with queue.capture() as graph:
        program.scale(queue, x.size, None, x, 2)
        queue.copy(out, x)
    del out
    gc.collect()
    assert gone() is not None
    graph.launch(queue).wait()
    assert (gone() == 2).all()
    event = graph.launch(queue)
    del graph  # a launch that runs keeps it, too
    event.wait()
    queue.finish()
    for _ in range(100):
        gc.collect()
        qn.zeros(1, device=queue.device).get()  # objects go in a later call of the library
        if gone() is None:
            break
    assert gone() is None


def test_pinned_memory_and_updates_of_the_source(queue, program):
    x, z = qn.ones(4096, "float32", queue.device), qn.full(4096, 5, dtype="float32", device=queue.device)
    out = qn.pinned_empty(4096, "float32")
    with queue.capture() as graph:
        program.scale(queue, x.size, None, x, 2)
        queue.copy(out, x)
    graph.launch(queue).wait()
    assert (out == 2).all()
    graph.update(x, z)
    graph.launch(queue).wait()
    assert (out == 10).all() and (x.get() == 2).all()


def test_an_upload_waits_for_a_graph_that_writes_its_memory(queue, program, spin):
    x, y = numbers(queue, 1 << 16), qn.zeros(1 << 16, "float32", queue.device)
    out = np.zeros(1 << 16, "float32")
    with queue.capture() as graph:
        program.scale(queue, x.size, None, x, 2)
        queue.copy(out, x)
    other = qn.Queue(queue.device)
    spin(queue, 0.1)
    graph.launch(queue)
    other.copy(y, out).wait()
    assert (y.get() == 2 * np.arange(1 << 16)).all()


def test_an_upload_of_what_the_capture_copies_to_the_host_is_refused(queue):
    x, y = numbers(queue), qn.zeros(64, "float32", queue.device)
    out = np.zeros(64, "float32")
    with pytest.raises(qn.CaptureError, match="earlier copy of the capture writes"), queue.capture():
        queue.copy(out, x)
        queue.copy(y, out)


def test_a_graph_with_host_memory_in_a_capture(queue, program):
    x, y = qn.ones(64, "float32", queue.device), qn.zeros(64, "float32", queue.device)
    values, out = np.arange(64, dtype="float32"), np.zeros(64, "float32")
    with queue.capture() as inner:
        queue.copy(y, values)
        program.add(queue, 64, None, x, y)
        queue.copy(out, y)
    values[:] = -1
    with queue.capture() as outer:
        program.scale(queue, 64, None, x, 2)
        inner.launch(queue)
    del inner
    for k in (2, 4):
        outer.launch(queue).wait()
        assert (out == np.arange(64) + k).all()


def test_a_failed_read_in_a_capture_leaves_nothing_of_it(queue, program):
    x = qn.ones(64, "float32", queue.device)
    with queue.capture() as graph:
        program.scale(queue, 64, None, x, 2)
        for read in (x.get, x.buffer.read, x.get_async):
            with pytest.raises(qn.CaptureError, match=r"queue\.copy\(out, x\)"):
                read()
    assert len(graph) == 1
    graph.launch(queue).wait()
    assert (x.get() == 2).all()
