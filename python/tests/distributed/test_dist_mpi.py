# SPDX-License-Identifier: MIT
"""The programs of distributed arrays on processes, under each MPI launcher that is installed, and faults of processes."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from launchers import ENVIRONMENT, LAUNCHERS, Launcher

import quern
from quern.dist import _installation

PROGRAM = Path(__file__).with_name("rank_program.py")


@pytest.fixture(params=LAUNCHERS)
def mpiexec(request):
    """Runs the program on ranks; returns the finished process. One that does not end is an error."""
    return Launcher(request.param, PROGRAM)


@pytest.fixture
def mpi4py(mpiexec, tmp_path):
    """The variables with which mpi4py loads the library of this mpiexec."""
    pytest.importorskip("mpi4py")
    if mpiexec.name == "open_mpi":
        variables = {"MPI4PY_MPIABI": "openmpi"}
    else:
        library, errors, _ = _installation.library_of_quern(_installation.identify(mpiexec.path))
        assert library is not None, errors
        variables = _installation.mpi4py_variables(library, tmp_path)
    found = _installation.find_mpi4py(variables)
    if found.library is None and "cannot open shared object file" in found.errors[0]:
        pytest.skip(f"mpi4py does not find the library of {mpiexec.name}")
    return variables


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_programs_give_what_numpy_gives(mpiexec, ranks):
    done = mpiexec(ranks, "bodies")
    assert done.returncode == 0, done.stderr[-3000:]
    for rank in range(ranks):
        assert f"rank {rank} of {ranks}: right" in done.stdout


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_messages_are_what_their_senders_sent(mpiexec, ranks):
    done = mpiexec(ranks, "messages")
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.count("right") == ranks


@pytest.mark.parametrize("device", ["host", "opencl"])
@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_functions_of_mpi4py_take_arrays(mpiexec, mpi4py, ranks, device):
    if device == "opencl" and not quern.devices("opencl"):
        pytest.skip("no OpenCL device")
    done = mpiexec(ranks, "mpi4py_calls", device, **mpi4py)
    assert done.returncode == 0, done.stderr[-3000:]


def test_messages_under_way_may_outlive_mpi(mpiexec):
    done = mpiexec(2, "leave_messages")
    assert done.returncode == 0, done.stderr[-3000:]


def test_a_rank_that_dies_before_it_sends_is_named(mpiexec):
    done = mpiexec(3, "wait_for_the_dead", outlives=True)
    assert "rank 1 of 3 dies" in done.stdout
    assert done.returncode != 0
    for function in ("recv", "irecv"):
        assert re.search(rf"rank [02]: {function}: .*rank 1 .*has ended while rank", done.stdout)


def test_files_are_written_by_all_ranks(mpiexec, tmp_path):
    done = mpiexec(3, "files", str(tmp_path))
    assert done.returncode == 0, done.stderr[-3000:]
    assert os.listdir(tmp_path) == ["x.npy"]


def test_communicators_of_mpi4py_are_taken(mpiexec, mpi4py):
    done = mpiexec(4, "mpi4py_communicator", **mpi4py)
    assert done.returncode == 0, done.stderr[-3000:]


def test_objects_and_open_exchanges_may_outlive_mpi(mpiexec):
    done = mpiexec(2, "leave_objects")
    assert done.returncode == 0, done.stderr[-3000:]


def test_ranks_that_disagree_are_named_with_both_lines(mpiexec):
    done = mpiexec(2, "disagree")
    assert done.returncode != 0
    assert "sum (" in done.stderr
    assert "max (" in done.stderr
    assert "rank_program.py:" in done.stderr


def test_an_exception_on_one_rank_ends_all(mpiexec):
    done = mpiexec(3, "raise_on_one")
    assert done.returncode != 0
    assert "rank 1 of 3:" in done.stderr
    assert "ValueError: no mesh" in done.stderr


@pytest.mark.parametrize("how", ["exit", "return"])
def test_a_program_that_ends_early_is_named(mpiexec, how):
    done = mpiexec(3, "end_on_one", how)
    assert done.returncode != 0
    assert "the program of rank 1 has ended after operation" in done.stdout


def test_the_end_of_a_child_process_is_not_that_of_its_rank(mpiexec):
    done = mpiexec(3, "fork_on_one")
    assert done.returncode == 0, done.stderr[-3000:]


def test_a_normal_end_is_silent(mpiexec):
    done = mpiexec(3, "leave_objects")
    assert done.returncode == 0
    assert done.stderr == ""


def test_a_rank_that_does_not_call_init_is_named(mpiexec):
    done = mpiexec(3, "absent_from_init", QUERN_DIST_TIMEOUT="2")
    assert done.returncode != 0
    assert "all of them must call init()" in done.stderr
    assert "QUERN_DIST_TIMEOUT" in done.stderr


def test_a_full_disk_is_an_error_of_all_ranks(mpiexec, tmp_path):
    done = mpiexec(3, "full_disk", str(tmp_path))
    assert done.returncode == 0, done.stderr[-3000:]
    for rank in range(3):
        assert f"rank {rank}: save: " in done.stdout
    assert os.listdir(tmp_path) == []


def test_a_killed_rank_ends_all(mpiexec):
    done = mpiexec(3, "die_on_one")
    assert done.returncode != 0
    assert "rank 1 of 3 dies" in done.stdout


def test_a_launcher_of_another_mpi_is_named():
    if not shutil.which("mpiexec.mpich"):
        pytest.skip("mpiexec.mpich is not installed")
    program = "import quern.dist as qn; qn.init()"
    environment = {
        **os.environ,
        **ENVIRONMENT,
        "OMPI_COMM_WORLD_SIZE": "4",
        "QUERN_MPI_LIBRARY": "libmpich.so.12",
    }
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode != 0
    assert "the launcher (Open MPI) has started 4 ranks" in done.stderr
    assert "MPICH" in done.stderr
