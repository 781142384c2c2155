# SPDX-License-Identifier: MIT
"""Kernels that go wrong: faults on the host, kernels that never end, and exits beside them."""

import signal
import textwrap

import pytest

START = """
import sys, threading, time
import numpy as np
import quern as qn
device = qn.device("{device}")
queue = qn.Queue(device)
"""


def program(device, code):
    return START.format(device=device) + textwrap.dedent(code)


FAULTY = """
copy = qn.Program('''{pragma}
kernel void copy_one(global const int *a, global int *b) {{
  {local}
  b[get_global_id(0)] = a[get_global_id(0)];
}}''', **{options})
a, b = qn.full(1024, 7, "int32", device), qn.zeros(1024, "int32", device)
"""

BARRIER = "local int t[64]; t[get_local_id(0)] = 1; barrier(CLK_LOCAL_MEM_FENCE);"
FORMS = {
    "plain": {"pragma": "", "local": ""},
    "split": {"pragma": "", "local": BARRIER},
    "fibers": {"pragma": "#pragma quern fibers", "local": BARRIER},
}


def faulty(form="plain", **options):
    return FAULTY.format(options=options, **FORMS[form])


@pytest.mark.parametrize("form", FORMS)
def test_a_null_pointer_is_a_kernel_error_of_the_launch(run_python, form):
    code = """
    for _ in range(3):
        event = copy.copy_one(queue, 1024, 64, None, b)
        try:
            event.wait()
        except qn.KernelError as error:
            text = str(error)
            for part in ("copy_one", "SIGSEGV", "address 0x", "work-group", "debug=True"):
                assert part in text, text
        else:
            raise SystemExit("no error")
        assert event.status == "failed"
    # The process goes on, on other queues.
    other, c = qn.Queue(device), qn.zeros(1024, "int32", device)
    copy.copy_one(other, 1024, 64, a, c).wait()
    assert (c.get(queue=other) == 7).all()
    """
    run_python(program("host", faulty(form) + textwrap.dedent(code)))


@pytest.mark.parametrize("form", FORMS)
def test_in_an_eager_block_the_launch_raises_its_own_fault(run_python, form):
    code = """
    c = qn.zeros(1024, "int32", device)
    with qn.eager():
        try:
            copy.copy_one(queue, 1024, 64, None, b)
        except qn.KernelError as error:
            assert "copy_one" in str(error)
        else:
            raise SystemExit("no error")
        copy.copy_one(queue, 1024, 64, a, c)
    queue.finish()  # the fault was raised, so this raises nothing
    assert (c.get() == 7).all()
    """
    run_python(program("host", faulty(form) + textwrap.dedent(code)))


def test_a_debug_build_names_the_work_group_and_the_line_that_fault(run_python):
    code = """
    import shutil
    bad = qn.Program('''kernel void far(global int *a) {
      int one = 1;
      if (get_group_id(0) == 2 && get_group_id(1) == 3)
        a[1L << 44] = one;
    }''', name="far.cl", debug=True)
    try:
        bad.far(queue, (32, 32), (8, 8), a).wait()
    except qn.KernelError as error:
        assert "in work-group (2,3,0)" in str(error), error
        assert ", at far.cl:4" in str(error) or shutil.which("addr2line") is None, error
    else:
        raise SystemExit("no error")
    """
    run_python(program("host", faulty() + textwrap.dedent(code)))


SLOW_ADDR2LINE = """
import os, shutil, signal
from pathlib import Path
tool = shutil.which("addr2line")
if tool is None:
    raise SystemExit(0)
Path("bin").mkdir()
script = Path("bin/addr2line")
script.write_text(f"#!/bin/sh\\n[ -e {os.getcwd()}/asked ] || {{ touch {os.getcwd()}/asked; sleep 1000; }}\\nexec {tool} \\"$@\\"\\n")
script.chmod(0o755)
os.environ["PATH"] = f"{os.getcwd()}/bin:{os.environ['PATH']}"
bad = qn.Program('''kernel void far(global int *a, int fails) {
  if (fails)
    a[1L << 44] = 1;
}''', name="far.cl", debug=True)
c = qn.zeros(64, "int32", device)
launched = []

def interrupt():
    while not Path("asked").exists():
        time.sleep(0.01)
    copy.copy_one(queue, 64, 64, a, c)  # while the other thread waits for addr2line
    launched.append(True)
    os.kill(os.getpid(), signal.SIGINT)

def expect_interruption(call):
    thread = threading.Thread(target=interrupt, daemon=True)
    thread.start()
    try:
        call()
    except KeyboardInterrupt:
        assert launched
        thread.join()
    else:
        raise SystemExit("not interrupted")

def expect_error(call):
    try:
        call()
    except qn.KernelError as error:
        assert ", at far.cl:3" in str(error), error
    else:
        raise SystemExit("no error")
"""


@pytest.mark.parametrize("where", ["calling thread", "worker"])
@pytest.mark.parametrize("wait", ["event.wait()", "queue.finish()", "b.get()"])
def test_ctrl_c_ends_the_search_for_the_line_of_a_fault_and_the_error_is_raised_later(
    run_python, where, wait
):
    code = f"""
    if {where == "calling thread"}:
        for _ in range(50):  # short kernels run where they are called, once they are known to be short
            bad.far(queue, 4, 4, b, 0).wait()
    event = bad.far(queue, 4, 4, b, 1)
    expect_interruption(lambda: {wait})
    expect_error(lambda: {wait})
    assert (c.get() == 7).all()
    """
    run_python(program("host", faulty() + SLOW_ADDR2LINE + textwrap.dedent(code)), timeout=100)


def test_a_fault_on_the_calling_thread_is_a_kernel_error(run_python):
    code = """
    for _ in range(50):  # short kernels run where they are called, once they are known to be short
        copy.copy_one(queue, 64, 64, a, b).wait()
    event = copy.copy_one(queue, 64, 64, None, b)
    try:
        event.wait()
    except qn.KernelError as error:
        assert "SIGSEGV" in str(error), error
    else:
        raise SystemExit("no error")
    """
    run_python(program("host", faulty() + textwrap.dedent(code)))


def test_a_kernel_that_prints_and_faults_is_a_kernel_error(run_python):
    code = """
    bad = qn.Program('''kernel void show(global int *a, global int *b) {
      printf("%d\\\\n", b[0]);
      a[get_global_id(0)] = 1;
    }''')
    try:
        bad.show(queue, 1, 1, None, b).wait()
    except qn.KernelError as error:
        assert "SIGSEGV" in str(error), error
    else:
        raise SystemExit("no error")
    """
    assert run_python(program("host", faulty() + textwrap.dedent(code))).stdout == "0\n"


@pytest.mark.parametrize("when", ["never", "before", "after"])
def test_faults_of_others_end_the_process_as_ever(run_python, when):
    code = f"""
    import ctypes, faulthandler
    if "{when}" == "before":
        faulthandler.enable()
    try:
        copy.copy_one(queue, 1024, 64, None, b).wait()
    except qn.KernelError:
        pass
    if "{when}" == "after":
        faulthandler.enable()
    ctypes.string_at(8)
    """
    done = run_python(program("host", faulty() + textwrap.dedent(code)), check=False)
    assert done.returncode == -signal.SIGSEGV, done.stderr
    assert ("Segmentation fault" in done.stderr) == (when != "never"), done.stderr
    assert "kernel" not in done.stderr


@pytest.mark.parametrize("seen", [False, True])
def test_faults_of_kernels_are_errors_behind_a_handler_that_came_later(run_python, seen):
    """Quern looks for other handlers only once in some milliseconds: both cases occur."""
    code = f"""
    copy.copy_one(queue, 1024, 64, a, b).wait()
    import faulthandler
    faulthandler.enable()
    if {seen}:
        time.sleep(0.05)
    for _ in range(2):
        try:
            copy.copy_one(queue, 1024, 64, None, b).wait()
        except qn.KernelError as error:
            assert "SIGSEGV" in str(error), error
        else:
            raise SystemExit("no error")
    other, c = qn.Queue(device), qn.zeros(1024, "int32", device)
    copy.copy_one(other, 1024, 64, a, c).wait()
    assert (c.get(queue=other) == 7).all()
    import ctypes
    ctypes.string_at(8)  # the fault of another
    """
    done = run_python(program("host", faulty() + textwrap.dedent(code)), check=False)
    assert done.returncode == -signal.SIGSEGV, done.stderr
    assert "Segmentation fault" in done.stderr and "no error" not in done.stderr, done.stderr


def test_faults_of_kernels_are_errors_after_another_library_removed_our_handler(run_python):
    """LLVM, on Ctrl-C, restores the handlers that it found, and so removes those that came later."""
    code = """
    import ctypes
    libc, SIGSEGV = ctypes.CDLL(None), 11
    found = (ctypes.c_char * 256)()
    libc.sigaction(SIGSEGV, None, found)
    copy.copy_one(queue, 1024, 64, a, b).wait()
    libc.sigaction(SIGSEGV, found, None)
    time.sleep(0.05)  # Quern looks once in some milliseconds
    try:
        copy.copy_one(queue, 1024, 64, None, b).wait()
    except qn.KernelError as error:
        print("SIGSEGV" in str(error))
    """
    assert run_python(program("host", faulty() + textwrap.dedent(code))).stdout == "True\n"


def test_faults_of_kernels_are_errors_after_ctrl_c_beside_an_opencl_driver(run_python, device):
    if device.backend != "opencl":
        pytest.skip("for OpenCL drivers, whose compilers may install handlers")
    code = f"""
    import os, signal
    signal.signal(signal.SIGINT, signal.default_int_handler)
    other = qn.device("{device.spec}")
    x = qn.zeros(64, "int32", other)
    qn.Program("kernel void set(global int *a) {{ a[get_global_id(0)] = 1; }}").set(qn.Queue(other), 64, None, x).wait()
    copy.copy_one(queue, 1024, 64, a, b).wait()
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(10)
    except KeyboardInterrupt:
        pass
    time.sleep(0.05)
    try:
        copy.copy_one(queue, 1024, 64, None, b).wait()
    except qn.KernelError as error:
        print("SIGSEGV" in str(error))
    """
    done = run_python(program("host", faulty() + textwrap.dedent(code)))
    assert done.stdout == "True\n", done.stderr


ENDLESS = """
endless = qn.Program('''
kernel void forever(global volatile int *stop) { while (!stop[0]) ; stop[1 + get_global_id(0)] = 1; }
kernel void twice(global int *a) { a[get_global_id(0)] *= 2; }
''').build(device)
"""


@pytest.mark.parametrize("threads", ["1", "2"])
def test_other_queues_of_the_host_go_on_beside_kernels_that_never_end(run_python, threads):
    code = """
    stops = [qn.zeros(101, "int32", device) for _ in range(3)]
    stuck = [endless.forever(qn.Queue(device), 100, 1, stop) for stop in stops]
    for i in range(20):
        other = qn.Queue(device)
        x = qn.asarray(np.arange(1000 + i, dtype=np.int32), device=device, queue=other)
        endless.twice(other, x.size, None, x)
        assert (x.get(queue=other) == 2 * np.arange(1000 + i)).all()
        y = np.arange(300.0 + i)  # kernels of the library
        with other:
            z = qn.asarray(y, device=device)
            assert (z[::-1] * 2 + 1).sum().get() == (2 * y + 1).sum()
    assert not any(event.done for event in stuck)
    """
    run_python(program("host", ENDLESS + textwrap.dedent(code)), env={"QUERN_THREADS": threads}, timeout=300)


def test_ctrl_c_ends_the_wait_for_a_kernel_that_never_ends(run_python, device):
    if device.backend == "cuda" or device.kind == "gpu":
        pytest.skip("a GPU would stay busy with it")
    code = """
    import os, signal
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs inherit that it is ignored
    event = endless.forever(queue, 4, 1, qn.zeros(5, "int32", device))
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        event.wait()
    except KeyboardInterrupt:
        print("interrupted")
    assert not event.done
    """
    done = run_python(program(device.spec, ENDLESS + textwrap.dedent(code)))
    assert done.stdout == "interrupted\n" and done.stderr == ""


def test_a_process_exits_beside_a_kernel_that_never_ends(run_python, device):
    if device.backend == "cuda" or device.kind == "gpu":
        pytest.skip("a GPU would stay busy with it")
    code = """
    events = [endless.forever(qn.Queue(device), 4, 1, qn.zeros(5, "int32", device)) for _ in range(2)]
    endless.forever(queue, 4, 1, qn.zeros(5, "int32", device))
    time.sleep(0.2)
    print("the last line")
    sys.exit(3)
    """
    done = run_python(program(device.spec, ENDLESS + textwrap.dedent(code)), check=False)
    assert done.returncode == 3, done.stderr
    assert done.stdout == "the last line\n" and done.stderr == ""


def test_a_process_exits_while_daemon_threads_launch(run_python, device):
    code = """
    def launch():
        own = qn.Queue(device)
        x = qn.zeros(100, "int32", device)
        while True:
            endless.twice(own, 100, None, x)
    def build():
        x = qn.zeros(100, "int32", device)
        for i in range(1 << 30):
            fresh = qn.Program(f"kernel void add{i}(global int *a) {{ a[get_global_id(0)] += {i}; }}")
            getattr(fresh, f"add{i}")(queue, 100, None, x)
    # Compilers of GPU drivers destroy what they work on at exit, and are not ours to stop.
    for work in (launch, launch, build if device.kind == "cpu" else launch):
        threading.Thread(target=work, daemon=True).start()
    time.sleep(1)
    print("the last line")
    sys.exit(3)
    """
    for _ in range(3):
        done = run_python(program(device.spec, ENDLESS + textwrap.dedent(code)), check=False)
        assert done.returncode == 3, (done.returncode, done.stderr)
        assert done.stdout == "the last line\n" and done.stderr == ""


def test_the_process_exits_while_a_callback_handles_errors(run_python):
    code = """
    fail = qn.Program("kernel void fail() { *(global int *)8 = 1; }").fail
    begun = threading.Event()
    def fail_forever(event):
        begun.set()
        while True:
            try:
                event.wait()
            except qn.KernelError:
                pass
    fail(queue, 1, None).on_done(fail_forever)
    begun.wait()
    """
    assert run_python(program("host", code)).stderr == ""
