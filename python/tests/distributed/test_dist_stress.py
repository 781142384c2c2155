# SPDX-License-Identifier: MIT
"""Ranks under strain: garbage collection on one rank, an element that all add to, two devices for each rank, a full /dev/shm."""

import os
import subprocess
import sys
from pathlib import Path

import launchers
import pytest
import stress_program

import quern
import quern.dist as qn

PROGRAM = Path(__file__).with_name("stress_program.py")
# Mounts a /dev/shm of its own and becomes the program.
SMALL = 'mount -t tmpfs -o "size=$1" tmpfs /dev/shm && shift && exec "$@"'


@pytest.fixture(params=launchers.LAUNCHERS)
def mpiexec(request):
    return launchers.Launcher(request.param, PROGRAM)


def small_shared_memory(size):
    """The start of a command that sees a /dev/shm of this size."""
    command = ["unshare", "--mount", "sh", "-c", SMALL, "sh", size]
    try:
        found = subprocess.run([*command, "true"], capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("unshare is not installed")
    if found.returncode != 0:
        pytest.skip(f"unshare --mount is not permitted: {found.stderr.strip()}")
    return command


def assert_right(done, ranks):
    assert done.returncode == 0, done.stdout + done.stderr
    for rank in range(ranks):
        assert f"rank {rank} of {ranks}: right" in done.stdout


@pytest.mark.parametrize("ranks", [1, 2, 5])
def test_garbage_collection_on_one_thread_disturbs_no_other(ranks):
    with quern.device("host"):
        qn.on_threads(ranks, stress_program.collect, timeout=120)


def test_garbage_collection_on_one_process_disturbs_no_other(mpiexec):
    assert_right(mpiexec(3, "collect"), 3)


@pytest.mark.parametrize("ranks", [2, 8])
def test_all_threads_add_to_an_element_of_a_busy_rank(ranks):
    with quern.device("host"):
        qn.on_threads(ranks, stress_program.storm, timeout=120)


def test_all_processes_add_to_an_element_of_a_busy_rank(mpiexec):
    assert_right(mpiexec(4, "storm"), 4)


def test_threads_drive_two_devices_each():
    if not quern.devices("opencl"):
        pytest.skip("no OpenCL device")
    qn.on_threads(3, stress_program.two_devices, timeout=120)


def test_processes_drive_two_devices_each(mpiexec):
    if not quern.devices("opencl"):
        pytest.skip("no OpenCL device")
    assert_right(mpiexec(3, "two_devices"), 3)


@pytest.mark.parametrize("size", ["64k", "4m"])
def test_a_small_shared_memory_folder_is_enough_or_is_named(mpiexec, size):
    """Whether MPI starts there is up to MPI; what has started is right."""
    done = mpiexec(3, "shared_memory", before=small_shared_memory(size))
    if done.returncode == 0:
        assert_right(done, 3)
    else:
        assert "right" not in done.stdout
        # A launcher may lose what ranks print that end while MPI starts. What Quern raises reaches its reader.
        if "Traceback" in done.stderr:
            assert "/dev/shm" in done.stdout + done.stderr


def test_a_shared_memory_folder_that_fills_later_does_not_touch_global_arrays(mpiexec):
    """The memory of global arrays is not in the folder. Messages of MPI may be, and a full folder then kills ranks."""
    done = mpiexec(3, "full_shared_memory", before=small_shared_memory("100m"))
    assert done.stdout.count("global arrays are right") == 3, done.stdout + done.stderr
    if done.returncode != 0:
        assert any(words in done.stdout + done.stderr for words in ("Bus error", "signal 7", "has ended"))


def test_check_names_a_small_shared_memory_folder():
    done = subprocess.run(
        [*small_shared_memory("64k"), sys.executable, "-m", "quern", "dist", "check", "-n", "1"],
        env={**os.environ, **launchers.ENVIRONMENT},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert "!! /dev/shm: 0.0 GiB" in done.stdout
    assert done.returncode == 1
