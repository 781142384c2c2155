# SPDX-License-Identifier: MIT
"""The command line."""

import sys

import quern as qn
from quern.cli import _doctor


def test_devices_lists_what_is_there(quern):
    done = quern("devices")
    assert done.returncode == 0
    for device in qn.devices():
        assert device.spec in done.stdout and device.name in done.stdout
    assert "(default)" in done.stdout
    assert done.stderr == ""


def test_devices_says_why_something_is_not_there(quern):
    done = quern(
        "devices",
        QUERN_OPENCL_LIBRARY="/nonexistent/libOpenCL.so",
        QUERN_CUDA_LIBRARY="/nonexistent/libcuda.so",
    )
    assert done.returncode == 0
    for backend, library in ("OpenCL", "/nonexistent/libOpenCL.so"), ("CUDA", "/nonexistent/libcuda.so"):
        # A build may leave the backend out (QUERN_OPENCL, QUERN_CUDA); it says so then instead.
        if f"this build of Quern has no {backend} backend" not in done.stdout:
            assert library in done.stdout
    assert "host (default)" in done.stdout


def test_doctor_runs_a_kernel_everywhere(quern):
    done = quern("doctor")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "right result" in done.stdout
    assert "cache" in done.stdout and "limits" in done.stdout


def test_doctor_says_when_nothing_works(quern):
    nowhere = "/nonexistent"
    done = quern(
        "doctor", QUERN_OPENCL_LIBRARY=nowhere, QUERN_CUDA_LIBRARY=nowhere, QUERN_CC=nowhere, PATH=nowhere
    )
    assert done.returncode == 1
    assert "install" in done.stdout or "QUERN_CC" in done.stdout


def test_doctor_says_when_the_default_device_is_not_there(quern):
    done = quern("doctor", QUERN_DEVICE="cuda", QUERN_CUDA_LIBRARY="/nonexistent")
    assert done.returncode == 1
    assert "!! no default device: QUERN_DEVICE" in done.stdout
    assert "Traceback" not in done.stderr


def test_doctor_says_when_the_default_device_cannot_build(quern, tmp_path):
    # Without a PATH some versions of PoCL abort where they have no kernel of an earlier process.
    done = quern(
        "doctor",
        QUERN_DEVICE="host",
        QUERN_CC="/nonexistent",
        PATH="/nonexistent",
        POCL_CACHE_DIR=str(tmp_path / "pocl"),
    )
    assert done.returncode == 1
    assert "!! a kernel on 'host'" in done.stdout
    assert "!! the default device 'host'" in done.stdout or "!! no device runs" in done.stdout
    assert "ok:" not in done.stdout


def test_doctor_outlives_a_driver_that_ends_its_process(monkeypatch, tmp_path):
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho 'no linker' >&2\nkill -ABRT $$\n")
    broken.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(broken))
    problem, failures = _doctor._try_kernel(qn.device("host"))
    assert "SIGABRT" in problem and "no linker" in problem and not failures


def test_doctor_tells_a_library_that_fails_from_a_kernel_that_fails(monkeypatch, tmp_path):
    broken = tmp_path / "python"
    monkeypatch.setattr(sys, "executable", str(broken))
    says = "#!/bin/sh\necho 'gives the right result'\n"
    broken.write_text(says + "echo 'cuBLAS: cublasCreate failed'\n")
    broken.chmod(0o755)
    assert _doctor._try_kernel(qn.device("host")) == (None, ["cuBLAS: cublasCreate failed"])
    broken.write_text(says + "kill -ABRT $$\n")
    problem, (failure,) = _doctor._try_kernel(qn.device("host"))
    assert problem is None and "library of 'host'" in failure and "SIGABRT" in failure


def test_doctor_says_that_a_driver_hangs(monkeypatch, tmp_path):
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\nexec sleep 600\n")
    broken.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(broken))
    monkeypatch.setattr(_doctor, "_trial_seconds", 0.1)
    problem, failures = _doctor._try_kernel(qn.device("host"))
    assert "did not end" in problem and not failures


def test_doctor_of_one_device(quern):
    done = quern("doctor", "--device", "host")
    assert done.returncode == 0 and "right result" in done.stdout
    done = quern("doctor", "--device", "nonsense:7")
    assert done.returncode == 1 and "nonsense:7" in done.stdout and done.stderr == ""


def test_doctor_counts_one_device_as_one(quern):
    nowhere = "/nonexistent"
    done = quern("doctor", QUERN_OPENCL_LIBRARY=nowhere, QUERN_CUDA_LIBRARY=nowhere)
    assert done.returncode == 0
    assert "ok: 1 device runs kernels" in done.stdout


def test_the_module_runs_as_a_program_too(quern):
    done = quern("devices", module="quern.cli")
    assert done.returncode == 0
    assert "(default)" in done.stdout


def test_cache_commands(quern, tmp_path):
    assert str(tmp_path / "cache") in quern("cache", "info").stdout
    quern("doctor")
    assert "entries" in quern("cache", "info").stdout
    assert quern("cache", "prune", "100M").returncode == 0
    assert quern("cache", "clear").returncode == 0
    assert "entries  0" in quern("cache", "info").stdout
    wrong = quern("cache", "prune", "lots")
    assert wrong.returncode == 2 and "lots" in wrong.stderr


def test_nonsense_is_refused(quern):
    assert quern("nonsense").returncode == 2
    assert quern().returncode == 2
    assert "quern 0." in quern("--version").stdout
