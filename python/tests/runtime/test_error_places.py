# SPDX-License-Identifier: MIT
"""Errors of asynchronous work name the operation, the device of its queue and the line that submitted it."""

import asyncio
import inspect

import numpy as np
import pytest

import quern as qn

pytestmark = pytest.mark.usefixtures("no_errors_left")


def here(lines=0):
    """The file and line of the caller, or of a line after it, as errors name it."""
    frame = inspect.currentframe().f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno + lines}"


def test_a_chain_names_the_line_of_each_operation(queue, basic):
    a = qn.zeros(8, "float32", queue.device)
    other = qn.Queue(queue.device)
    go = qn.UserEvent(name="upload")
    filled, first = queue.fill(a, 1, wait_for=go), here()
    doubled, second = basic.twice(other, 8, None, a), here()
    go.set_error(OSError("the file is gone"))
    where = f"on a queue of '{queue.device.spec}' at"
    with pytest.raises(qn.DependencyError) as error:
        doubled.wait()
    assert str(error.value) == (
        f"kernel 'twice' {where} {second} was not run: it depends on a fill {where} {first}, which depends on "
        "user event 'upload', which failed: OSError: the file is gone"
    )
    assert str(filled.error).startswith(f"a fill {where} {first} was not run")


@pytest.mark.parametrize("out_of_order", [False, True])
def test_a_chain_names_queues_by_their_names(device, basic, out_of_order):
    a = qn.zeros(8, "float32", device)
    upload = qn.Queue(device, name="upload", out_of_order=out_of_order)
    compute = qn.Queue(device, name="compute", out_of_order=out_of_order)
    go = qn.UserEvent(name="go")
    _, first = upload.fill(a, 1, wait_for=go), here()
    doubled, second = basic.twice(compute, 8, None, a), here()
    with pytest.raises(
        TimeoutError, match=r"^queue 'upload' of '.*' has not finished .* waits for user event 'go'"
    ):
        upload.finish(timeout=0.01)
    with pytest.raises(TimeoutError, match="kernel 'twice' waits for queue 'upload' of"):
        compute.finish(timeout=0.01)
    go.set_error(OSError("the file is gone"))
    with pytest.raises(qn.DependencyError) as error:
        doubled.wait()
    assert str(error.value) == (
        f"kernel 'twice' on queue 'compute' of '{device.spec}' at {second} was not run: it depends on a fill on "
        f"queue 'upload' of '{device.spec}' at {first}, which depends on user event 'go', which failed: "
        "OSError: the file is gone"
    )


def test_queues_have_names(device):
    queue = qn.Queue(device, name="upload")
    assert queue.name == "upload" and repr(queue).startswith("<quern.Queue 'upload' on ")
    assert qn.Queue(device).name == "" and qn.Queue.of(device).name == ""
    with pytest.raises(TypeError, match="name: expected a string or None, got 3"):
        qn.Queue(device, name=3)
    x = qn.zeros(8, device=device)
    with qn.profile() as p:
        qn.Queue(device, name="a & <b>").fill(x, 1).wait()
    assert "a & <b>" in [record.queue_name for record in p.records]
    assert "queue 1: a &amp; &lt;b&gt;" in p.plot().svg or "queue 0: a &amp; &lt;b&gt;" in p.plot().svg


@pytest.mark.parametrize("way", ["wait", "future", "await", "finish", "read"])
def test_each_way_to_the_error_names_the_line(queue, basic, way):
    a = qn.zeros(8, "float32", queue.device)
    go = qn.UserEvent(name="go")
    event, line = basic.twice(queue, 8, None, a, wait_for=go), here()

    async def wait():
        await event

    go.set_error(ValueError("no"))
    ways = {
        "wait": event.wait,
        "future": lambda: event.future().result(60),
        "await": lambda: asyncio.run(wait()),
        "finish": queue.finish,
        "read": a.get,
    }
    with pytest.raises(qn.DependencyError) as error:
        ways[way]()
    assert f"kernel 'twice' on a queue of '{queue.device.spec}' at {line}" in str(error.value)
    assert isinstance(error.value.__cause__, ValueError)


def test_an_operation_that_is_refused_names_its_own_line(queue):
    a = qn.zeros(8, "float32", queue.device)
    go = qn.UserEvent(name="go")
    go.set_error(ValueError("no"))
    line = here(2)
    with pytest.raises(qn.DependencyError) as error:
        queue.fill(a, 1, wait_for=go)
    assert f"a fill on a queue of '{queue.device.spec}' at {line} was not run" in str(error.value)


def test_work_of_another_backend_names_its_own_device(queue, other_device):
    a = qn.zeros(8, "float32", queue.device)
    b = qn.zeros(8, "float32", other_device)
    go = qn.UserEvent(name="go")
    first, line = queue.fill(a, 1, wait_for=go), here()
    second = qn.Queue(other_device).fill(b, 1, wait_for=first)
    go.set_error(ValueError("no"))
    with pytest.raises(qn.DependencyError) as error:
        second.wait()
    assert f"a fill on a queue of '{other_device.spec}' at" in str(error.value)
    assert f"depends on a fill on a queue of '{queue.device.spec}' at {line}" in str(error.value)


def test_a_kernel_that_fails_names_the_line_of_its_launch():
    """Faults of kernels are caught on the host."""
    queue = qn.Queue("host")
    program = qn.Program("kernel void broken(global int *a, long at) { a[at] = 1; }").build(queue.device)
    a = qn.zeros(4, "int32", "host")
    event, line = program.broken(queue, 1, None, a, 1 << 46), here()
    after = queue.fill(a, 0)
    with pytest.raises(qn.KernelError, match="'broken'") as error:
        event.wait()
    assert f"It was launched on a queue of 'host' at {line}" in str(error.value)
    after.wait()
    b = qn.zeros(4, "int32", "host")
    program.broken(queue, 1, None, b, 1 << 46)
    with pytest.raises(qn.KernelError, match="launched on a queue of 'host' at"):
        np.asarray(b.get())
