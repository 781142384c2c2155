# SPDX-License-Identifier: MIT
"""Updates of captured graphs: numbers and memory of their operations."""

import numpy as np
import pytest
from test_graphs import SOURCE

import quern as qn

pytestmark = pytest.mark.smoke


@pytest.fixture(scope="module")
def program():
    return qn.Program(SOURCE)


def test_update_changes_numbers_and_memory_of_a_kernel(queue, program):
    x, y = qn.ones(64, "float32", queue.device), qn.ones(64, "float32", queue.device)
    with queue.capture() as graph:
        node = program.scale(queue, 64, None, x, 3)
    graph.launch(queue)
    graph.update(node, a=5)
    graph.launch(queue)
    graph.update(node, x=y)
    graph.launch(queue)
    graph.update(node, {1: 2})
    graph.launch(queue)
    assert (x.get() == 15).all() and (y.get() == 10).all()


def test_update_replaces_memory_everywhere(queue, program):
    x, y = qn.ones(64, "float32", queue.device), qn.zeros(64, "float32", queue.device)
    with queue.capture() as graph:
        program.add(queue, 64, None, x, y)
        z = y + x
        queue.copy(x, y)
    graph.launch(queue)
    assert (y.get() == 1).all() and (z.get() == 2).all()
    new = qn.asarray(np.full(64, 10, "float32"), device=queue.device)
    graph.update(y, new)
    graph.launch(queue)
    assert (y.get() == 1).all(), "the old memory is left alone"
    assert (new.get() == 11).all() and (x.get() == 11).all() and (z.get() == 12).all()


def test_updates_do_not_change_launches_in_flight(queue, program):
    x = qn.ones(1 << 20, "float32", queue.device)
    with queue.capture() as graph:
        node = program.scale(queue, x.size, None, x, 1)
    for k in range(1, 6):
        graph.update(node, a=k)
        graph.launch(queue)
    assert (x.get() == 120).all()


def test_updates_do_not_change_launches_that_are_held_back(queue, program):
    x = qn.ones(64, "float32", queue.device)
    with queue.capture() as graph:
        node = program.scale(queue, 64, None, x, 2)
    go = qn.UserEvent(queue.context)
    graph.launch(queue, wait_for=go)
    graph.update(node, a=100)
    go.set_done()
    queue.finish()
    assert (x.get() == 2).all()
    graph.launch(queue)
    assert (x.get() == 200).all()


def test_bad_updates_change_nothing(queue, program):
    x, y = qn.ones(64, "float32", queue.device), qn.zeros(64, "float32", queue.device)
    with queue.capture() as graph:
        node = program.scale(queue, 64, None, x, 2)
        filled = queue.fill(y, 1)
    with pytest.raises(ValueError, match="has no parameter 'b'; it has x, a"):
        graph.update(node, b=1)
    with pytest.raises(TypeError, match="expected a value"):
        graph.update(node, a=x)
    with pytest.raises(
        TypeError, match=r"argument 1 \('a', float\) of kernel 'scale': cannot be given a str"
    ):
        graph.update(node, a="2")
    for number in (2, -1):
        with pytest.raises(ValueError, match=f"2 parameters, counted from 0; got the number {number}"):
            graph.update(node, {number: 2})
    with pytest.raises(ValueError, match="dtype, shape and layout"):
        graph.update(x, qn.ones(65, "float32", queue.device))
    with pytest.raises(ValueError, match="event of a kernel, got that of a fill"):
        graph.update(filled, a=1)
    with pytest.raises(ValueError, match="in the capture of this graph"):
        graph.update(queue.fill(y, 1), a=1)
    with pytest.raises(TypeError, match="expected an Array or a Buffer"):
        graph.update(x, 3)
    graph.launch(queue)
    assert (x.get() == 2).all()


def test_update_refuses_memory_that_the_graph_does_not_use(queue, program):
    x, y, other, new = (qn.ones(64, "float32", queue.device) for _ in range(4))
    with queue.capture() as graph:
        program.add(queue, 64, None, x, y)
        queue.fill(y, 3)
    uses = r"first argument \(256 bytes\).* uses 256 bytes \(first in kernel 'add'\), 256 bytes \(first in kernel"
    with pytest.raises(ValueError, match=uses):
        graph.update(other, new)
    with pytest.raises(qn.ArgumentError, match=uses):
        graph.update(other.buffer, new.buffer)
    graph.update(x, new)
    with pytest.raises(ValueError, match="an earlier update replaced it"):
        graph.update(x, other)
    graph.update(new, x)
    graph.launch(queue)
    assert (y.get() == 3).all()
    with queue.capture() as empty:
        pass
    with pytest.raises(ValueError, match="uses no memory"):
        empty.update(x, new)


def test_an_update_of_several_arguments_changes_all_or_none(queue, program):
    x, y = qn.ones(64, "float32", queue.device), qn.zeros(64, "float32", queue.device)
    with queue.capture() as graph:
        node = program.scale(queue, 64, None, x, 2)
    with pytest.raises(TypeError, match="cannot be given a str"):
        graph.update(node, x=y, a="bad")
    with pytest.raises(TypeError, match="expected a value"):
        graph.update(node, {0: y}, a=y)
    with pytest.raises(ValueError, match="no parameter 'b'"):
        graph.update(node, {"x": y, "b": 1})
    graph.launch(queue)
    assert (x.get() == 2).all() and (y.get() == 0).all()
    y.fill(3)
    graph.update(node, {"x": y}, a=5)
    graph.launch(queue)
    assert (x.get() == 2).all() and (y.get() == 15).all()


def test_memory_that_two_queues_share_after_an_update(queue, program):
    """The operations are ordered as if the memory had been shared in the capture."""
    other = qn.Queue(queue.device)
    x, y = qn.ones(64, "float32", queue.device), qn.ones(64, "float32", queue.device)
    with queue.capture() as graph:
        begin = queue.marker()
        other.marker(begin)
        program.scale(queue, 64, None, x, 3)
        program.add(other, 64, None, y, y)
    graph.update(y, x)
    for n in range(1, 4):
        graph.launch(queue)
        assert (x.get() == 6.0**n).all()
