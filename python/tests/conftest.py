# SPDX-License-Identifier: MIT
"""The device fixture, which runs a test on every backend present, and programs that tests share."""

import os
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path

import hypothesis
import numpy as np
import pytest

# A cache of this run's own, so that tests neither depend on nor change the user's; workers have it from their parent.
if "PYTEST_XDIST_WORKER" not in os.environ:
    os.environ["QUERN_CACHE_DIR"] = tempfile.mkdtemp(prefix="quern-test-cache-")

# JAX would take three quarters of a GPU's memory at its first use, and other processes run their tests beside it.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import kernels

import quern as qn
from quern import _core

# Quick runs try the same examples every time; full ones look for new ones. An example may have to compile a kernel.
hypothesis.settings.register_profile("quick", derandomize=True, deadline=None)
hypothesis.settings.register_profile("full", deadline=None)
hypothesis.settings.load_profile("full" if os.environ.get("QUERN_TEST_FULL") == "1" else "quick")


def pytest_addoption(parser):
    parser.addoption(
        "--device",
        action="append",
        metavar="SPEC",
        help="run device tests on this device only; may be repeated (default: QUERN_TEST_DEVICES, or every device)",
    )


def chosen_devices(config):
    """The specs to test on. Those that are named must be there."""
    named = config.getoption("--device") or os.environ.get("QUERN_TEST_DEVICES", "").replace(",", " ").split()
    if not named:
        return [device.spec for device in qn.devices()]
    return [
        d.spec
        for spec in named
        for d in (qn.devices(spec) if spec in ("host", "opencl", "cuda") else [qn.device(spec)])
    ]


def pytest_generate_tests(metafunc):
    if "device_spec" in metafunc.fixturenames:
        metafunc.parametrize("device_spec", chosen_devices(metafunc.config), scope="session")


def pytest_runtest_logreport(report):
    """Appends each failure, when it happens, to the file that QUERN_TEST_FAILURES names: a run may be cut off."""
    path = os.environ.get("QUERN_TEST_FAILURES")
    if path and report.failed and "PYTEST_XDIST_WORKER" not in os.environ:  # workers report to their parent
        with open(path, "a") as file:
            file.write(f"FAILED {report.nodeid} ({report.when})\n{report.longreprtext}\n\n")


@pytest.fixture(scope="session")
def device(device_spec):
    return qn.device(device_spec)


@pytest.fixture
def queue(device):
    return qn.Queue(device)


@pytest.fixture
def set_loops():
    """Sets the loop structure of generated kernels for one test: 'grid' or 'chunks'."""
    before = _core.loop_structure()
    yield lambda name: _core.set_loop_structure(getattr(_core.LoopStructure, name))
    _core.set_loop_structure(before)


@pytest.fixture(scope="session")
def basic(device):
    """The program most tests use, built once for each device."""
    return kernels.BASIC.build(device)


@pytest.fixture(scope="session")
def other_device(device, pytestconfig):
    """A device of another backend, if there is one."""
    others = [d for d in map(qn.device, chosen_devices(pytestconfig)) if d.backend != device.backend]
    if not others:
        pytest.skip("needs devices of two backends")
    return others[0]


@pytest.fixture(scope="session")
def spin(device, basic):
    """spin(queue, seconds, array, **options): keeps a queue busy for about that long."""
    array = qn.zeros(1, np.float32, device)
    queue = qn.Queue(device)
    basic.spin(queue, 1, None, array, 1000).wait()
    rounds, elapsed = 1 << 14, 0.0
    while elapsed < 0.05:
        rounds *= 4
        start = time.perf_counter()
        basic.spin(queue, 1, None, array, rounds).wait()
        elapsed = time.perf_counter() - start
    per_second = rounds / elapsed

    def run(on, seconds, target=None, **options):
        if seconds > 0.05:
            # The host runs on the calling thread what was short last time.
            basic.spin(queue, 1, None, qn.zeros(1, np.float32, device), int(per_second * 0.05)).wait()
        return basic.spin(
            on, 1, None, array if target is None else target, int(per_second * seconds), **options
        )

    return run


@pytest.fixture
def is_quick_on_pocl(request):
    """Whether a quick run has come to PoCL, which takes long for new kernels; the host compiles the same text."""
    callspec = getattr(request.node, "callspec", None)
    spec = callspec.params.get("device_spec") if callspec else None
    is_quick_run = "not slow" in (request.config.option.markexpr or "")
    return is_quick_run and bool(spec) and spec.startswith("opencl") and qn.device(spec).kind == "cpu"


@pytest.fixture
def no_errors_left():
    """Raises the deferred errors that no read has raised here, so that the next test does not get them."""
    yield
    for device in qn.devices():
        for _ in range(1000):
            try:
                qn.synchronize(device)
                break
            except qn.Error:
                continue


@pytest.fixture
def run_python(request, tmp_path):
    """Runs a program in a process of its own, which can import the modules of the test's folder; returns its result."""

    def run(code, *, env=None, timeout=120, check=True):
        paths = [
            str(Path(qn.__file__).parents[1]),
            str(Path(__file__).parent),
            str(request.path.parent),
            os.environ.get("PYTHONPATH", ""),
        ]
        settings = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), **(env or {})}
        settings = {name: value for name, value in settings.items() if value is not None}
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code)],
            capture_output=True,
            text=True,
            env=settings,
            timeout=timeout,
            cwd=tmp_path,
        )
        if check:
            assert done.returncode == 0, done.stdout + done.stderr
        return done

    return run
