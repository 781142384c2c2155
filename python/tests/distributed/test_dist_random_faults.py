# SPDX-License-Identifier: MIT
"""One rank is killed, is stopped or raises at a random operation: the others say which rank and where, and the job ends."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import quern

PROGRAM = Path(__file__).with_name("fault_program.py")
WORDS = {"kill": "has ended", "stop": "is stopped", "raise": "ValueError: no mesh"}


def run(launcher, *arguments):
    """Runs the program on three ranks, as users do. A job that does not end is an error."""
    if shutil.which(launcher) is None:
        pytest.skip(f"{launcher} is not installed")
    environment = {
        **os.environ,
        "QUERN_DEVICE": "host",
        "QUERN_THREADS": "1",
        "PYTHONPATH": os.pathsep.join(
            [str(Path(quern.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
        ),
    }
    return subprocess.run(
        [sys.executable, "-m", "quern", "launch", "-n", "3", "--mpiexec", launcher, str(PROGRAM), *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
    )


@pytest.mark.parametrize("launcher", ["mpiexec.openmpi", "mpiexec.mpich"])
@pytest.mark.parametrize(
    ("fault", "seed"),
    [
        *(("kill", seed) for seed in (11, 23, 24)),
        *(("raise", seed) for seed in (12, 24)),
        pytest.param("stop", 22, marks=pytest.mark.slow),
        pytest.param("stop", 24, marks=pytest.mark.slow),
    ],
)
def test_the_rank_at_fault_and_the_line_are_named(launcher, fault, seed):
    done = run(launcher, fault, str(seed))
    shown = done.stdout + done.stderr
    assert done.returncode != 0, shown
    victim = re.search(r"victim=(\d)", done.stdout).group(1)
    errors = re.findall(r"rank (\d) of 3, \w+, ranks (\(.*?\)): (.*)", done.stdout)
    if fault == "raise":  # Open MPI may end the other ranks before they print
        assert f"rank {victim} of 3:" in shown and "ValueError: no mesh" in shown, shown
        assert re.search(r"fault_program\.py\W+line \d+", shown), shown
        if not errors:
            return
    assert errors, shown
    # A rank may hear of the fault from another one that has found it.
    assert f"({victim},)" in [ranks for _, ranks, _ in errors], shown
    for _, _, text in (error for error in errors if error[0] != victim):
        assert f"rank {victim} " in text
        assert WORDS[fault] in text
        assert "fault_program.py:" in text
