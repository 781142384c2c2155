# SPDX-License-Identifier: MIT
"""The programs of examples/ranks/laplace give what NumPy gives, on ranks of each MPI that is installed."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import quern

LADDER = Path(__file__).parents[3] / "examples" / "ranks" / "laplace" / "ladder.py"
QUERN = {"dist_slices.py", "halo_array.py", "one_sided.py"}


@pytest.mark.parametrize("mpiexec", ["mpiexec.openmpi", "mpiexec.mpich"])
@pytest.mark.parametrize(
    "problem",
    [
        ["--ranks", "3", "--size", "24", "--sweeps", "70", "--every", "20"],
        pytest.param(
            ["--ranks", "2", "--size", "9", "--sweeps", "1000", "--every", "10"], marks=pytest.mark.slow
        ),
        pytest.param(
            ["--ranks", "5", "--size", "6", "--sweeps", "20", "--every", "5"], marks=pytest.mark.slow
        ),
    ],
    ids=["three ranks", "a problem that converges", "more ranks than rows"],
)
def test_every_program_gives_what_numpy_gives(mpiexec, problem, tmp_path):
    if shutil.which(mpiexec) is None:
        pytest.skip(f"{mpiexec} is not installed")
    if not LADDER.exists():
        pytest.skip("the examples are not there")
    package = str(Path(quern.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, str(LADDER), "--mpiexec", mpiexec, "--json", str(tmp_path / "rows.json"), *problem],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([package, os.environ.get("PYTHONPATH", "")])},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rows = {row["file"]: row for row in json.loads((tmp_path / "rows.json").read_text())}
    assert len(rows) == 8
    assert all(row["missing"] or row["right"] for row in rows.values())
    assert not any(rows[name]["missing"] for name in QUERN)
    assert all(row["lines"] > 0 for row in rows.values())
    if "1000" in problem:
        assert 0 < rows["dist_slices.py"]["sweeps"] < 1000
