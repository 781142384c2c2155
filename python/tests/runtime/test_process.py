# SPDX-License-Identifier: MIT
"""The life of a process: import, fork, Ctrl-C, exit with work in flight, and long runs that leak nothing."""

import pytest

FORK = """
import os, sys
import numpy as np, quern as qn

def work():
    a = qn.asarray(np.ones(16, np.float32), device="{device}")
    p = qn.Program("kernel void twice(global float *a) {{ a[get_global_id(0)] *= 2; }}")
    p.twice(qn.Queue("{device}"), 16, None, a)
    assert (a.get() == 2).all()
    return a

def in_child(f):
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = f()
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)
"""


def test_a_fork_before_first_use_works(run_python, device):
    code = """
    def child():
        work()
        return 0
    assert in_child(child) == 0
    work()
    """
    run_python(FORK.format(device=device.spec) + unindent(code))


def test_a_fork_after_use_is_an_error_in_the_child_only(run_python, device):
    code = """
    a = work()
    queue = qn.Queue("%s")
    event = queue.barrier()
    event.wait()
    def child():
        for use in (work, lambda: a.get(), lambda: qn.Queue("%s"), lambda: queue.barrier(), queue.finish):
            try:
                use()
            except qn.ForkError as error:
                assert "spawn" in str(error)
            else:
                return 3
        return 0
    assert in_child(child) == 0
    assert (a.get() == 2).all()
    work()
    """
    run_python(FORK.format(device=device.spec) + unindent(code % (device.spec, device.spec)))


def test_a_child_that_exits_normally_is_silent(run_python, device):
    code = """
    a = work()
    child = os.fork()
    if child == 0:
        sys.exit(0)  # destructors and exit handlers of the child run
    _, status = os.waitpid(child, 0)
    assert status == 0
    work()
    """
    # Python 3.12 and later warn of any fork of a process with threads.
    env = {"PYTHONWARNINGS": "ignore::DeprecationWarning"}
    done = run_python(FORK.format(device=device.spec) + unindent(code), env=env)
    assert done.stderr == ""


def unindent(code):
    import textwrap

    return textwrap.dedent(code)


SPIN = """
import numpy as np, quern as qn, time
device = qn.device("{device}")
queue = qn.Queue(device)
a = qn.zeros(1, "float32", device)
spin = qn.Program('''
kernel void spin(global float *a, int n) {{
  float x = a[0];
  for (int i = 0; i < n; i++) x = x * 0.999f + 0.5f;
  a[0] = x;
}}''').build(device).spin
"""


def test_exit_with_work_in_flight_is_silent(run_python, device):
    code = """
    events = [spin(queue, 1, None, a, 20_000_000) for _ in range(3)]
    host = np.zeros(1 << 20, np.uint8)
    buffer = qn.Buffer(1 << 20, device=device)
    events.append(queue.copy(buffer, host))
    with queue:
        globals_stay = qn.asarray(np.arange(10))
    """
    done = run_python(SPIN.format(device=device.spec) + unindent(code))
    assert done.stdout == done.stderr == ""


def test_exit_with_waiting_threads_is_silent(run_python, device):
    code = """
    import threading
    event = spin(queue, 1, None, a, 300_000_000)
    for _ in range(2):
        threading.Thread(target=event.wait, daemon=True).start()
    time.sleep(0.1)
    """
    done = run_python(SPIN.format(device=device.spec) + unindent(code))
    assert done.stdout == done.stderr == ""


def test_ctrl_c_ends_a_wait_before_the_work_is_done(run_python, device):
    code = """
    import os, signal, threading
    event = spin(queue, 1, None, a, 600_000_000)
    threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        event.wait()
    except KeyboardInterrupt:
        assert not event.done
    else:
        raise SystemExit("no KeyboardInterrupt")
    # The library works on.
    other = qn.Queue(device)
    b = qn.asarray(np.arange(3), device=device, queue=other)
    assert b.get(queue=other).tolist() == [0, 1, 2]
    event.wait()
    assert event.status == "complete"
    """
    run_python(SPIN.format(device=device.spec) + unindent(code))


def test_ctrl_c_ends_a_call_that_copies_in(run_python, device):
    code = """
    import os, signal, threading
    event = spin(queue, 1, None, a, 600_000_000)
    threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        spin(queue, 1, None, qn.InOut(np.ones(1, np.float32)), 1)
    except KeyboardInterrupt:
        assert not event.done
    else:
        raise SystemExit("no KeyboardInterrupt")
    queue.finish()
    """
    run_python(SPIN.format(device=device.spec) + unindent(code))


# What waits for the elements of a busy array, which `x` is.
WAITS = {
    "asarray": "np.asarray(x)",
    "array": "np.array(x)",
    "pickle": "pickle.dumps(x)",
    "pickle of protocol 5": "pickle.dumps(x, protocol=5)",
    "memoryview": "memoryview(x) if device.shares_host_memory else x.get()",
    "get": "x.get()",
    "item": "x.item()",
    "bool": "bool(x)",
    "print": "repr(x)",
    "tolist": "x.tolist()",
    "iteration": "list(x)[0].get()",
    "nonzero": "qn.nonzero(x)",
    "unique": "qn.unique(x)",
    "bincount": "qn.bincount(x.astype('int32'))",
    "mask": "x[x > 0]",
    "dlpack": "np.from_dlpack(x) if device.backend == 'host' else x.get()",
}


@pytest.mark.parametrize("way", WAITS)
def test_ctrl_c_ends_every_wait_for_an_array(run_python, device, way):
    code = f"""
    import os, pickle, signal, threading
    x = a
    with queue:
        {WAITS[way]}  # drivers may not load a kernel while another runs, and cannot be interrupted there
        event = spin(queue, 1, None, a, 1_500_000_000)
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        try:
            {WAITS[way]}
        except KeyboardInterrupt:
            assert not event.done
        else:
            raise SystemExit("no KeyboardInterrupt")
        queue.finish()
        assert x.get().size == np.asarray(x).size == 1  # and it is told once
    """
    run_python(SPIN.format(device=device.spec) + unindent(code))


def test_a_forked_pool_tells_its_parent_that_arrays_do_not_survive(run_python, device):
    code = """
    import multiprocessing
    import quern as qn

    def total(x):
        return float(x.sum())

    def same(x):
        return x

    def listed(x):
        return list(x)

    if __name__ == "__main__":
        x = qn.arange(5.0, device="%s")
        x.get()
        with multiprocessing.get_context("fork").Pool(1) as pool:
            for function, known in ((total, qn.ForkError), (len, qn.ForkError), (abs, qn.ForkError), (listed, qn.ForkError), (same, Exception)):
                try:
                    pool.apply_async(function, (x,)).get(60)
                except multiprocessing.TimeoutError:
                    raise SystemExit("the parent was told nothing")
                except known:
                    pass
                else:
                    raise SystemExit("no error")
    """
    run_python(unindent(code % device.spec), env={"PYTHONWARNINGS": "ignore"})


FAILING = """
import resource
import quern as qn
size = 1 << 26
queue, buffer = qn.Queue("host"), qn.Buffer(2 * size, device="host")
queue.fill(buffer, 1).wait()
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + size // 4, resource.RLIM_INFINITY))
# A rectangle that overlaps itself needs memory for a copy, which there is not.
pitches = dict(src_pitches=(2048,), dst_pitches=(2048,), dst_origin=(64, 0, 0))
event = qn.copy_rect(buffer, buffer, (1024, size // 1024, 1), queue=queue, **pitches)
"""


@pytest.mark.parametrize("wait", ["event.wait()", "queue.finish()", "qn.synchronize('host')"])
def test_waits_raise_what_made_work_fail(run_python, wait):
    code = f"""
    try:
        {wait}
    except (qn.Error, MemoryError) as error:
        print("raised")
    assert event.status == "failed" and event.error is not None, event
    """
    assert run_python(FAILING + unindent(code)).stdout == "raised\n"


CYCLES = """
import os, resource, gc
import numpy as np, quern as qn
program = qn.Program("kernel void twice(global float *a) {{ a[get_global_id(0)] *= 2; }}")
device = qn.device("{device}")

def cycles(count):
    for _ in range(count):
        queue = qn.Queue(device) if _ % 100 == 0 else None
        a = qn.Buffer(4096, device=device)
        event = program.twice(queue or qn.Queue.of(device), 16, None, a)
        if _ % 10 == 0:
            event.wait()
    qn.synchronize(device)
    gc.collect()
    qn.stats()
    pages = int(open("/proc/self/statm").read().split()[1])
    return pages * resource.getpagesize(), len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))

cycles({count} // 5)
before = cycles({count} // 5)
after = cycles({count})
assert after[0] - before[0] < 8 << 20, (before, after)
assert after[1:] == before[1:], (before, after)
"""


def test_cycles_leave_everything_flat(run_python, device):
    run_python(CYCLES.format(device=device.spec, count=3000))


@pytest.mark.slow
def test_100_000_cycles_leave_everything_flat(run_python, device):
    run_python(CYCLES.format(device=device.spec, count=100_000), timeout=600)


def test_importing_loads_nothing_that_it_does_not_need(run_python):
    """On top of NumPy: no compiler, no command line, no tools for tests, no other array library."""
    code = """
    import sys
    import numpy, numpy.typing
    before = set(sys.modules)
    import quern
    print(*sorted(set(sys.modules) - before))
    """
    loaded = set(run_python(code).stdout.split())
    assert "quern" in loaded
    # Of the standard library, what costs a millisecond together.
    allowed = {"__future__", "atexit", "copy", "dataclasses", "inspect", "dis", "opcode", "keyword"}
    others = {name for name in loaded if name.split(".")[0] not in ("quern", *allowed)}
    assert not others
    assert not loaded & {"quern.cli", "quern.bench", "quern.random", "quern.__main__"}
