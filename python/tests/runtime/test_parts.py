# SPDX-License-Identifier: MIT
"""Parts of a device: how it is divided, what runs where, and what the parts share."""

import contextlib
import copy
import os
import pickle
import threading
from pathlib import Path

import numpy as np
import pytest

import quern as qn


def parts_of(device, **how):
    """The parts, or a skip if the device does not divide like this."""
    try:
        return device.split(**how)
    except qn.Error as error:
        pytest.skip(str(error))


@pytest.fixture
def halves(device):
    return parts_of(device, equally=2)


# --- Division ------------------------------------------------------------------------------------------------


def test_equal_parts(device, halves):
    assert len(halves) == 2
    first, second = halves
    assert first != second and first != device
    assert first.compute_units == second.compute_units >= 1
    assert 2 * first.compute_units <= device.compute_units
    assert (first.name, first.backend, first.kind) == (device.name, device.backend, device.kind)
    assert first.parent == second.parent == device
    assert device.parent is None
    assert device.parts[:2] == halves or set(halves) <= set(device.parts)
    assert device not in device.parts
    assert not set(halves) & set(qn.devices())


def test_one_part_is_a_device_of_its_own(device):
    (whole,) = parts_of(device, equally=1)
    assert whole != device
    assert 1 <= whole.compute_units <= device.compute_units


def test_parts_by_counts(device):
    unit = parts_of(device, equally=device_groups(device))[0].compute_units
    counts = [unit] if device_groups(device) < 3 else [2 * unit, unit]
    parts = device.split(counts=counts)
    assert [part.compute_units for part in parts] == counts


def device_groups(device):
    """The largest number of equal parts."""
    for count in range(device.compute_units, 0, -1):
        try:
            return len(device.split(equally=count))
        except qn.ArgumentError:
            continue
    return 0


@pytest.mark.parametrize("by", ["numa", "l3", "core"])
def test_domains_cover_the_device(device, by):
    parts = parts_of(device, by=by)
    assert sum(part.compute_units for part in parts) == device.compute_units
    if device.backend == "host":
        processors = [set(part.info()["processors"].split()) for part in parts]
        assert sum(map(len, processors)) == len(set().union(*processors)) == device.compute_units


def test_cores_of_the_host_are_those_of_the_system():
    def siblings(cpu):
        return Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list").read_text().strip()

    processors = [part.info()["processors"].split() for part in qn.device("host").split(by="core")]
    cores = [{siblings(cpu) for cpu in part} for part in processors]
    assert all(len(core) == 1 for core in cores)
    assert len(set.union(*cores)) == len(cores)


def test_the_same_division_returns_the_same_parts(device, halves):
    assert device.split(equally=2) == halves
    assert hash(device.split(equally=2)[0]) == hash(halves[0])
    assert device.parts == device.parts


def test_parts_are_found_by_their_names(device, halves):
    for number, part in enumerate(halves):
        assert part.spec == f"{device.spec}[{number} of 2]"
        assert qn.device(part.spec) == part
        assert part.spec in repr(part)
    assert qn.device(f"{device.spec}[ 1of2 ]") == halves[1]
    unit = halves[0].compute_units
    (counted,) = device.split(counts=[unit])
    assert counted.spec == f"{device.spec}[0 of ({unit},)]"
    assert qn.device(counted.spec) == counted


@pytest.mark.parametrize(
    "name",
    ["[2 of 2]", "[0 of 2", "[x of 2]", "[0 of 1000000]", "[0 of (1,]", "[0 of socket]", "[0 of 2]]", "[]"],
)
def test_a_part_that_is_not_there_is_named(device, halves, name):
    with pytest.raises(qn.DeviceNotFound) as error:
        qn.device(device.spec + name)
    assert device.spec + name in str(error.value)


def test_parts_are_pickled_and_copied(device, halves):
    for each in (device, *halves):
        assert pickle.loads(pickle.dumps(each)) == each
        assert copy.copy(each) == copy.deepcopy(each) == each


def test_parts_of_parts(device):
    groups = device_groups(device)
    if groups < 4:
        pytest.skip("needs four parts")
    half = device.split(equally=2)[0]
    quarters = half.split(equally=2)
    assert quarters[0].parent == half and half.parent == device
    assert quarters[1].spec == f"{device.spec}[0 of 2][1 of 2]"
    assert qn.device(quarters[1].spec) == quarters[1]
    assert (qn.arange(10, device=quarters[1]) + 1).sum() == 55


def test_a_part_of_one_unit_has_one_part():
    (single,) = qn.device("host").split(counts=[1])
    (same,) = single.split(by="core")
    assert same.info()["processors"] == single.info()["processors"]
    assert same.parent == single
    with pytest.raises(ValueError, match="equally=2"):
        single.split(equally=2)


@pytest.mark.parametrize(
    ("how", "error"),
    [
        ({}, TypeError),
        ({"equally": 1, "counts": [1]}, TypeError),
        ({"equally": 0}, ValueError),
        ({"equally": -1}, ValueError),
        ({"equally": 2**70}, ValueError),
        ({"equally": 1 << 40}, ValueError),
        ({"equally": "2"}, TypeError),
        ({"equally": 2.0}, TypeError),
        ({"counts": []}, ValueError),
        ({"counts": [0]}, ValueError),
        ({"counts": [1, -1]}, ValueError),
        ({"counts": ["1"]}, TypeError),
        ({"counts": "11"}, TypeError),
        ({"counts": 2}, TypeError),
        ({"counts": [1 << 40]}, ValueError),
        ({"counts": [2**63 - 1, 2**63 - 1, 2]}, ValueError),
        ({"by": "socket"}, ValueError),
        ({"by": 3}, TypeError),
    ],
)
def test_a_division_that_is_none_is_an_error(device, how, error):
    before = device.parts
    with pytest.raises(error):
        device.split(**how)
    with pytest.raises(qn.ArgumentError):
        device.split(**how)
    assert device.parts == before


def test_more_units_than_there_are_is_an_error_with_the_figures(device):
    units = device.compute_units
    with pytest.raises(ValueError, match=rf"{units} compute units"):
        device.split(counts=[units, 1])
    with pytest.raises(ValueError, match=str(units)):
        device.split(equally=units + 1)


# --- Work ----------------------------------------------------------------------------------------------------


def test_programs_arrays_and_algorithms_run_on_parts(halves):
    for part in halves:
        rng = np.random.default_rng(5)
        host = rng.random((300, 40), dtype="float32")
        x = qn.asarray(host, device=part)
        assert x.device == part and qn.Queue.of(part).device == part
        y = 2 * x + 1
        np.testing.assert_allclose(y.get(), 2 * host + 1, rtol=1e-6)
        np.testing.assert_allclose(float(y.sum()), (2 * host + 1).sum(dtype="float64"), rtol=1e-5)
        np.testing.assert_array_equal(qn.sort(x.reshape(-1)).get(), np.sort(host.reshape(-1)))
        np.testing.assert_allclose((x.T @ x).get(), host.T @ host, rtol=2e-4)
        program = qn.Program("kernel void plus(global float *x, float y) { x[get_global_id(0)] += y; }")
        queue = qn.Queue(part)
        program.plus(queue, x.size, None, x, 3)
        np.testing.assert_allclose(x.get(), host + np.float32(3), rtol=1e-6)


def test_linear_algebra_runs_on_parts(halves):
    host = np.random.default_rng(3).random((60, 60)) + 60 * np.eye(60)
    for part in halves:
        a = qn.asarray(host, device=part)
        np.testing.assert_allclose(qn.linalg.solve(a, a).get(), np.eye(60), atol=1e-10)


def test_parts_do_not_compile_what_their_device_has(device, halves):
    source = f"kernel void shared(global int *x) {{ x[get_global_id(0)] += {os.getpid()}; }}"
    x = qn.zeros(64, "int32", device=device)
    qn.Program(source).shared(qn.Queue(device), 64, None, x).wait()
    before = qn.stats().compilations
    for part in halves:
        x = qn.zeros(64, "int32", device=part)
        qn.Program(source).shared(qn.Queue(part), 64, None, x)
        assert (x.get() == os.getpid()).all()
    assert qn.stats().compilations == before


def test_a_part_may_be_current(device, halves):
    with halves[1]:
        assert qn.current_device() == halves[1]
        assert qn.ones(3).device == halves[1]
    with qn.device(halves[0].spec):
        assert qn.current_queue() == qn.Queue.of(halves[0])


def test_a_part_may_be_the_default_device(run_python, device, halves):
    code = """
        import quern as qn
        assert qn.default_device().spec == {spec!r}, qn.default_device()
        assert qn.default_device().parent.spec == {parent!r}
        assert int((qn.arange(5) + 1).sum()) == 15
        qn.set_device({other!r})
        assert qn.ones(3).device.spec == {other!r}
    """
    run_python(
        code.format(spec=halves[0].spec, parent=device.spec, other=halves[1].spec),
        env={"QUERN_DEVICE": halves[0].spec},
    )


def test_synchronize_waits_for_a_part(halves, spin):
    queue = qn.Queue(halves[0])
    x = qn.zeros(1 << 16, "float32", device=halves[0])
    event = queue.fill(x, 1)
    qn.synchronize(halves[0])
    assert event.done


def test_synchronize_of_a_device_waits_for_its_parts(device, halves):
    targets = list(halves)
    with contextlib.suppress(qn.Error):  # parts of some devices cannot be divided further
        targets += halves[1].split(equally=1)
    for target in targets:
        for synchronize in (lambda: qn.synchronize(device), qn.synchronize):
            go = qn.UserEvent(name="go")
            with qn.Queue(target) as queue:
                event = queue.fill(qn.zeros(64, "float32", device=target), 1, wait_for=go)
            timer = threading.Timer(0.1, go.set_done)
            timer.start()
            with qn.device(device):
                synchronize()
            assert event.done
            timer.join()


def test_synchronize_of_a_part_does_not_wait_for_others(device, halves):
    go = qn.UserEvent(name="go")
    event = qn.Queue(halves[1]).fill(qn.zeros(64, "float32", device=halves[1]), 1, wait_for=go)
    whole = qn.Queue(device).fill(qn.zeros(64, "float32", device=device), 1, wait_for=go)
    qn.synchronize(halves[0])
    assert not event.done and not whole.done
    go.set_done()
    qn.synchronize(device)
    assert event.done and whole.done


# --- Two parts at work ---------------------------------------------------------------------------------------

MEET = """
kernel void meet(ulong mine, ulong other, long most, global int *met) {
  volatile global int *a = (volatile global int *)mine, *b = (volatile global int *)other;
  *a = 1;
  for (long i = 0; i < most; ++i) {
    if (*b) { *met = 1; return; }
  }
}
"""


def test_both_halves_work_at_the_same_time(device, halves):
    """Each kernel waits until the other has begun. Quern does not know that they share memory."""
    # An iteration is a load from memory on a GPU, which takes some 0.5 us. Other processes wait for a GPU that is busy.
    most = 2_000_000 if device.kind == "gpu" else 4_000_000_000
    if device.backend == "cuda":
        flags = qn.zeros(64, "int32", device=device)
        address = flags.buffer.native_handle
    elif device.kind == "cpu":  # PoCL's kernels use host addresses, too
        flags = np.zeros(64, "int32")
        address = flags.ctypes.data
    else:
        pytest.skip("kernels of this device do not share addresses")
    program = qn.Program(MEET)
    met = [qn.zeros(1, "int32", device=part) for part in halves]
    queues = [qn.Queue(part) for part in halves]

    def launch(wait_for):
        events = []
        for i, queue in enumerate(queues):
            there, other = address + 128 * i, address + 128 * (1 - i)
            events.append(program.meet(queue, 1, None, there, other, most, met[i], wait_for=wait_for))
            queue.flush()
        return events

    # The first launch of a kernel may wait for running ones. Here both flags are set, so that none waits for the other.
    flags[...] = 1
    qn.synchronize(device)
    for event in launch([]):
        event.wait()
    flags[...] = 0
    for result in met:
        result.fill(0)
    qn.synchronize(device)
    for part in halves:
        qn.synchronize(part)
    go = qn.UserEvent(name="both")
    events = launch(go)
    go.set_done()
    for event in events:
        event.wait()
    assert [int(m.get()[0]) for m in met] == [1, 1]


def test_a_half_goes_on_beside_a_kernel_that_never_ends(run_python, device):
    if device.backend != "host":
        pytest.skip("a kernel that never ends takes the device of others")
    code = """
        import numpy as np, quern as qn
        first, second = qn.device("host").split(equally=2)
        forever = qn.Program("kernel void forever(global volatile int *x) { while (1) x[0] += 1; }")
        x = qn.zeros(1, "int32", device=first)
        event = forever.forever(qn.Queue(first), first.compute_units, 1, x)
        for i in range(200):
            y = qn.arange(1000, device=second) + i
            assert int(y.sum()) == 499500 + 1000 * i
        assert float(qn.ones(1 << 20).sum()) == 1 << 20  # the whole host goes on, too
        assert int((qn.arange(1000, device=first) + 1).sum()) == 500500  # and so do other queues of the same part
        assert not event.done
        print("done")
    """
    if device.compute_units < 2:
        pytest.skip("needs two processors")
    assert "done" in run_python(code).stdout


def test_work_of_a_part_runs_in_a_team_of_its_own(run_python):
    """The threads of a part may use its processors only, and no thread of the whole host starts."""
    code = """
        import os
        import numpy as np, quern as qn
        device = qn.device("host")
        parts = device.split(by="core")
        program = qn.Program("kernel void add(global float *x) { for (int i = 0; i < 1000; ++i) x[get_global_id(0)] += 1; }")
        for part in parts:
            x = qn.zeros(1 << 16, "float32", device=part)
            program.add(qn.Queue(part), x.size, None, x).wait()
            assert (x.get() == 1000).all()
        teams = []
        for thread in os.listdir("/proc/self/task"):
            name = open(f"/proc/self/task/{thread}/comm").read().strip()
            assert not (name.startswith("quern-") and name[6:].isdigit()), name
            if name.startswith("quern-team"):
                teams.append(frozenset(os.sched_getaffinity(int(thread))))
        expected = {frozenset(map(int, part.info()["processors"].split())) for part in parts}
        assert set(teams) == expected, (teams, expected)
        assert os.sched_getaffinity(0) >= frozenset.union(*expected)  # that of the caller has not changed
    """
    run_python(code)


def test_parts_honour_the_limits_of_the_process(run_python):
    code = """
        import os
        allowed = sorted(os.sched_getaffinity(0))[-1:]
        os.sched_setaffinity(0, allowed)
        import quern as qn
        (part,) = qn.device("host").split(equally=1)
        assert part.info()["processors"] == str(allowed[0])
        try:
            qn.device("host").split(equally=2)
        except ValueError:
            print("refused")
    """
    assert "refused" in run_python(code).stdout
    code = """
        import quern as qn
        device = qn.device("host")
        assert device.compute_units == 1 and len(device.split(by="core")) == 1
        assert float(qn.ones(1 << 20, device=device.split(equally=1)[0]).sum()) == 1 << 20
    """
    run_python(code, env={"QUERN_THREADS": "1"})


def test_cuda_parts_use_multiprocessors_of_their_own(device, halves):
    if device.backend != "cuda":
        pytest.skip("multiprocessors are those of CUDA")
    source = """
    extern "C" __global__ void where(unsigned *sm) {
      unsigned id;
      asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
      if (threadIdx.x == 0) sm[blockIdx.x] = id;
      for (long long start = clock64(); clock64() - start < 20000;) {}
    }
    """
    program = qn.Program(source, language="cuda")
    used = []
    for part in halves:
        sm = qn.zeros(4096, "uint32", device=part)
        program.where(qn.Queue(part), None, None, sm, grid=4096, block=128)
        used.append(set(sm.get().tolist()))
        assert len(used[-1]) <= part.compute_units
    assert not used[0] & used[1]
    for part, expected in zip(halves, used, strict=True):
        queue = qn.Queue(part)
        sm, other = qn.zeros(4096, "uint32", device=part), qn.zeros(4096, "uint32", device=part)
        with queue.capture() as graph:
            program.where(queue, None, None, sm, grid=4096, block=128)
        graph.launch(queue)
        graph.update(sm, other)
        graph.launch(queue)
        assert set(sm.get().tolist()) <= expected and set(other.get().tolist()) <= expected


def test_a_forked_child_gets_an_error(run_python, device):
    code = """
        import os
        import quern as qn
        device = qn.device({spec!r})
        float(qn.ones(3, device=device).sum())
        child = os.fork()
        if child == 0:
            try:
                device.split(equally=1)
            except qn.ForkError:
                os._exit(0)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    """
    run_python(code.format(spec=device.spec))


def test_a_process_ends_with_work_on_parts(run_python, device, halves):
    code = """
        import quern as qn
        for part in qn.device({spec!r}).split(equally=2):
            x = qn.zeros(1 << 20, "float32", device=part)
            go = qn.UserEvent()
            queue = qn.Queue(part)
            for i in range(50):
                queue.fill(x, i)
            queue.fill(x, 1, wait_for=go)
    """
    done = run_python(code.format(spec=device.spec))
    assert done.stderr == ""


# --- Memory --------------------------------------------------------------------------------------------------


def shares_memory(device):
    return device.backend in ("host", "cuda")


def test_memory_of_the_device_is_used_on_its_parts(device, halves, basic):
    x = qn.asarray(np.arange(1000, dtype="float32"), device=device)
    if not shares_memory(device):
        with pytest.raises(qn.ArgumentError, match="copy it there"):
            basic.twice(qn.Queue(halves[0]), 1000, None, x)
        return
    events = [
        basic.twice(qn.Queue(part), 500, None, x[500 * i : 500 * (i + 1)]) for i, part in enumerate(halves)
    ]
    y = x + 1  # waits for both
    np.testing.assert_array_equal(y.get(), 2 * np.arange(1000) + 1)
    assert all(event.done for event in events)
    # And the memory of a part on the device and on the other part.
    z = qn.asarray(np.arange(1000, dtype="float32"), device=halves[0])
    basic.twice(qn.Queue(device), 1000, None, z)
    basic.twice(qn.Queue(halves[1]), 1000, None, z)
    np.testing.assert_array_equal(z.get(), 4 * np.arange(1000))


def test_parts_of_a_context_share_its_memory(halves, basic):
    context = qn.Context(halves)
    queues = [qn.Queue(part, context) for part in halves]
    x = queues[0].empty(1000, "float32")
    queues[0].fill(x, 3)
    for i in range(10):
        basic.twice(queues[i % 2], 1000, None, x)
    out = np.empty(1000, "float32")
    queues[1].copy(out, x).wait()
    assert (out == 3 * 2**10).all()


def test_a_context_may_hold_a_device_and_its_parts(device, halves, basic):
    context = qn.Context([device, *halves])
    queues = [qn.Queue(each, context) for each in (device, *halves)]
    x = queues[0].empty(1000, "float32")
    queues[0].fill(x, 1)
    for i in range(9):
        basic.twice(queues[i % 3], 1000, None, x)
    out = np.empty(1000, "float32")
    queues[2].copy(out, x).wait()
    assert (out == 2**9).all()


def test_copies_between_parts_and_their_device(device, halves):
    queue = qn.Queue(halves[0])
    go = qn.UserEvent()
    source = qn.asarray(np.arange(100_000), device=device)
    middle, target = (qn.zeros(100_000, "int64", device=part) for part in halves)
    first = queue.copy(middle, source, wait_for=go)
    second = queue.copy(target, middle)
    back = qn.zeros(100_000, "int64", device=device)
    third = qn.Queue(device).copy(back, target)
    assert not (first.done or second.done or third.done)
    go.set_done()
    assert third.wait()
    np.testing.assert_array_equal(back.get(), np.arange(100_000))


def test_a_part_has_a_pool_of_its_own(halves):
    first, second = halves
    before = qn.pool_stats(second).in_use
    x = qn.empty(1 << 20, "uint8", device=first)
    assert qn.pool_stats(first).in_use >= 1 << 20
    assert qn.pool_stats(second).in_use == before
    del x


def test_arrays_of_different_parts_do_not_mix(halves):
    x, y = (qn.ones(3, device=part) for part in halves)
    with pytest.raises(qn.ArgumentError):
        _ = x + y


def test_arrays_on_parts_are_pickled(halves):
    x = qn.arange(5, device=halves[1])
    y = pickle.loads(pickle.dumps(x))
    assert y.device == halves[1] and (y.get() == np.arange(5)).all()


# --- Work shared out by speed --------------------------------------------------------------------------------


def test_a_sum_is_shared_out_by_speed(device, other_device):
    """Parts of two devices take blocks of one sum as they get done."""
    workers = []
    for each in (device, other_device):
        try:
            workers += each.split(equally=2)
        except qn.Error:
            workers.append(each)
    share_sum(workers)


def test_a_sum_is_shared_out_over_unequal_parts(device):
    groups = device_groups(device)
    if groups < 2:
        pytest.skip("needs two parts")
    unit = device.split(equally=groups)[0].compute_units
    share_sum(device.split(counts=[max(1, groups - 1) * unit, unit]))


def share_sum(workers):
    blocks = np.random.default_rng(1).integers(0, 1000, (64, 50_000), dtype="int64")
    lock, ended = threading.Lock(), threading.Event()
    waiting, done = list(range(len(blocks))), {}

    def take(worker, number):
        queue = qn.Queue(worker)
        with queue:
            total = qn.asarray(blocks[number], queue=queue).sum()
            qn.eval(total)

        def reached(event):
            assert event.error is None
            with lock:
                done[number] = (worker, int(total))
                if len(done) == len(blocks):
                    ended.set()
                following = waiting.pop() if waiting else None
            if following is not None:
                take(worker, following)

        queue.barrier().on_done(reached)

    for worker, number in [(worker, waiting.pop()) for worker in workers]:  # each has one before any is done
        take(worker, number)
    assert ended.wait(60)
    assert sum(total for _, total in done.values()) == blocks.sum()
    assert {worker for worker, _ in done.values()} == set(workers)
