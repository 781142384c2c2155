# SPDX-License-Identifier: MIT
"""Devices: their properties, how one is chosen, and which one is current."""

import asyncio
import threading

import pytest

import quern as qn


def test_a_device_says_what_programs_need(device):
    assert device.backend in ("host", "opencl", "cuda")
    assert device.kind in ("cpu", "gpu", "accelerator")
    assert device.name and device.vendor and device.platform and device.version
    assert isinstance(device.driver_version, str)
    assert device.compute_units >= 1
    assert device.global_memory >= device.max_allocation > 1 << 20
    assert device.local_memory > 0
    assert device.max_work_group_size >= 1
    assert len(device.max_work_item_sizes) == 3
    assert isinstance(device.has_fp64, bool) and isinstance(device.has_fp16, bool)
    assert device.memory_info.total >= device.memory_info.free > 0


def test_info_answers_every_query_in_text(device):
    info = device.info()
    assert info
    assert all(isinstance(name, str) and isinstance(value, str) for name, value in info.items())


def test_a_device_is_found_again_by_its_spec(device):
    assert qn.device(device.spec) == device
    assert hash(qn.device(device.spec)) == hash(device)
    assert device in qn.devices(device.backend)
    assert device.spec in repr(device) and device.name in repr(device)


def test_a_device_is_found_by_a_part_of_its_name(device):
    part = device.name.split()[0].upper()
    assert qn.device(f"{device.backend}:{part}").backend == device.backend


@pytest.mark.parametrize(
    "spec", ["host:99", "host:no such name", "quantum", "opencl:no such name", "cuda:99"]
)
def test_a_device_that_is_not_there_is_named(spec):
    with pytest.raises((qn.DeviceNotFound, qn.ArgumentError)) as error:
        qn.device(spec)
    assert spec.split(":")[0] in str(error.value)


def test_the_host_is_always_there():
    assert qn.device("host").shares_host_memory


def test_with_makes_a_device_current(device):
    before = qn.current_device()
    with qn.device(device.spec) as entered:
        assert entered == device == qn.current_device()
        assert qn.current_queue().device == device
        assert qn.zeros(3, "int32").device == device
        with qn.device("host"):
            assert qn.current_device() == qn.device("host")
        assert qn.current_device() == device
    assert qn.current_device() == before


def test_with_queue_makes_queue_and_device_current(queue):
    with queue as entered:
        assert entered is queue
        assert qn.current_queue() == queue
        assert qn.current_device() == queue.device
    assert qn.current_queue() != queue


def test_an_exception_restores_the_current_device(device):
    before = qn.current_device()
    with pytest.raises(ZeroDivisionError), device:
        raise ZeroDivisionError
    assert qn.current_device() == before


def test_one_device_object_is_entered_twice(device):
    before = qn.current_queue()
    with device, device:
        assert qn.current_device() == device
    assert qn.current_queue() == before


def test_a_thread_starts_with_the_default_device(queue):
    seen = []
    with queue:
        thread = threading.Thread(target=lambda: seen.append(qn.current_queue()))
        thread.start()
        thread.join()
    assert seen == [qn.Queue.of(qn.default_device())]


def test_threads_choose_for_themselves(device):
    first, second = qn.Queue(device), qn.Queue(device)
    barrier = threading.Barrier(2)
    seen = {}

    def work(queue):
        with queue:
            barrier.wait()
            seen[queue] = qn.current_queue()
            barrier.wait()

    threads = [threading.Thread(target=work, args=(q,)) for q in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == {first: first, second: second}


def test_tasks_choose_for_themselves_and_inherit(device):
    outer, inner = qn.Queue(device), qn.Queue(device)

    async def inside():
        assert qn.current_queue() == outer
        with inner:
            await asyncio.sleep(0.01)
            return qn.current_queue()

    async def beside():
        await asyncio.sleep(0.005)
        return qn.current_queue()

    async def main():
        with outer:
            return await asyncio.gather(inside(), beside())

    assert asyncio.run(main()) == [inner, outer]


SET = """
import threading
import quern as qn

before = qn.default_device()
qn.set_device("{spec}")
found = []

def look():
    found.append((qn.current_device().spec, qn.zeros(3).device.spec, qn.current_queue().device.spec))

look()
thread = threading.Thread(target=look)
thread.start()
thread.join()
assert found == 2 * [3 * ("{spec}",)], found
assert qn.default_device().spec == "{spec}"
with qn.device("host"):
    qn.set_device("{spec}")
    assert qn.zeros(3).device.spec == "host"
qn.set_device(qn.device("host"))
assert qn.zeros(3).device.spec == "host"
qn.set_device(None)
assert qn.default_device() == qn.current_device() == qn.zeros(3).device == before
"""


def test_set_device_lasts_and_is_for_every_thread(run_python, device):
    run_python(SET.format(spec=device.spec))


def test_set_device_wants_a_device():
    for wrong in (3, "nothing", ["host"]):
        with pytest.raises(qn.Error):
            qn.set_device(wrong)


def test_a_device_that_is_looked_up_and_dropped_is_warned_of(run_python):
    code = """
    import warnings
    import quern as qn

    def discarded():
        qn.device("host")

    def used():
        with qn.device("host"):
            pass
        return [qn.device("host"), qn.device("host").spec, str(qn.device("host"))]

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        used()
        assert not seen, seen[0].message
        discarded()
        qn.device(spec="host")
    assert [one.category for one in seen] == [UserWarning, UserWarning]
    assert "set_device('host')" in str(seen[0].message)
    exec(compile("qn.device('host')", "<input>", "single"))  # a prompt prints it
    """
    assert "host" in run_python(code, env={"PYTHONWARNINGS": "error"}).stdout


def test_quern_device_sets_the_default(run_python, device):
    done = run_python(
        "import quern as qn; print(qn.default_device().spec)", env={"QUERN_DEVICE": device.spec}
    )
    assert done.stdout.strip() == device.spec


def test_a_wrong_quern_device_is_an_error_on_use_only(run_python):
    done = run_python(
        """
        import quern as qn
        try:
            qn.default_device()
        except (qn.DeviceNotFound, qn.ArgumentError) as error:
            print(error)
        """,
        env={"QUERN_DEVICE": "nonsense"},
    )
    assert "nonsense" in done.stdout


def test_a_context_holds_its_devices(device):
    context = qn.Context([device])
    assert context.devices == [device]
    queue = qn.Queue(device, context)
    assert queue.context == context
    buffer = qn.Buffer(16, context=context)
    buffer.write(bytes(range(16)), queue=queue)
    assert bytes(buffer.read()) == bytes(range(16))
    assert qn.Context.of(device) == qn.Context.of(device) != context


def test_a_context_of_two_backends_is_an_error(device, other_device):
    with pytest.raises(qn.ArgumentError):
        qn.Context([device, other_device])


@pytest.mark.parametrize("broken", ["/nonexistent/lib.so", __file__])
def test_broken_drivers_break_nothing_else(run_python, broken):
    done = run_python(
        """
        import numpy as np, quern as qn
        assert [d.backend for d in qn.devices()] == ["host"]
        for report in qn.backend_reports():
            if report.backend != "host":
                assert report.attempts and not any(a.ok for a in report.attempts), report.backend
        print(qn.asarray(np.arange(3)).get().tolist())
        """,
        env={
            "QUERN_OPENCL_LIBRARY": broken,
            "QUERN_CUDA_LIBRARY": broken,
            "QUERN_NVRTC_LIBRARY": broken,
            "QUERN_DEVICE": None,
        },
    )
    assert done.stdout.strip() == "[0, 1, 2]"
    assert done.stderr == ""
