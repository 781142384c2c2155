# SPDX-License-Identifier: MIT
"""Programs on ranks that are processes, under each MPI launcher that is installed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import quern
from quern.dist import _installation, _launch

LAUNCHERS = {
    "open_mpi": ("mpiexec.openmpi", ["--oversubscribe"]),
    "mpich": ("mpiexec.mpich", []),
}
# Of one core each, so that ranks that wait give it to the others.
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "QUERN_DEVICE": "host",
    "QUERN_THREADS": "1",
    "PYTHONPATH": os.pathsep.join([str(Path(quern.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]),
}


class Launcher:
    """Runs a program of Python on ranks; one that does not end is an error."""

    def __init__(self, name, program):
        self.name, self.program = name, str(program)
        command, self.options = LAUNCHERS[name]
        self.path = shutil.which(command)
        if self.path is None:
            pytest.skip(f"{command} is not installed")

    def __call__(self, ranks, *arguments, before=(), outlives=False, **environment):
        """The finished process. `before` starts a command that starts another one; with `outlives`, ranks outlive one that
        is killed, as under `quern launch`."""
        program = [sys.executable, self.program, *map(str, arguments)]
        if outlives:
            program, _ = _launch.rank_command(_installation.identify(self.path), program)
        return subprocess.run(
            [*before, self.path, *self.options, "-n", str(ranks), *program],
            env={**os.environ, **ENVIRONMENT, **environment},
            capture_output=True,
            text=True,
            timeout=300,
        )
