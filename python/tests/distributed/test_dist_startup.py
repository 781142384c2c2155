# SPDX-License-Identifier: MIT
"""Ranks of one machine share the kernel cache: each kernel is compiled by one rank, and the others load it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import quern

PROGRAM = Path(__file__).parents[3] / "benchmarks" / "rank_startup.py"
LAUNCHERS = {
    "open_mpi": ("mpiexec.openmpi", ["--oversubscribe", "--allow-run-as-root"]),
    "mpich": ("mpiexec.mpich", []),
}


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_four_ranks_compile_each_kernel_once(launcher, tmp_path):
    program, options = LAUNCHERS[launcher]
    mpiexec, compiler = shutil.which(program), shutil.which("gcc") or shutil.which("cc")
    if mpiexec is None or compiler is None:
        pytest.skip(f"{program} or a C compiler is not installed")
    if not PROGRAM.exists():
        pytest.skip("the benchmarks are not there")
    counted, log, cache = tmp_path / "cc", tmp_path / "log", tmp_path / "cache"
    counted.write_text(f'#!/bin/sh\necho "$$" >> {log}\nexec {compiler} "$@"\n')
    counted.chmod(0o755)
    environment = {
        **os.environ,
        "QUERN_CC": str(counted),
        "QUERN_CACHE_DIR": str(cache),
        "QUERN_DEVICE": "host",
        "QUERN_HOST_LOOPS": "never",
        "OMPI_MCA_mpi_yield_when_idle": "1",
        "PYTHONPATH": os.pathsep.join(
            [str(Path(quern.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
        ),
    }

    def run():
        done = subprocess.run(
            [mpiexec, *options, "-n", "4", sys.executable, str(PROGRAM), "--as-rank"],
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        assert all(f"rank {rank} of 4: right" in done.stdout for rank in range(4))
        return len(log.read_text().splitlines())

    compiled = run()
    kernels = len(list(cache.glob("*.quern")))
    assert compiled == kernels > 0
    assert run() == compiled  # a second job compiles nothing
