# SPDX-License-Identifier: MIT
"""Interactive sessions on ipyparallel engines that are MPI ranks: the example program, and the notebook from top to bottom."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import quern as qn
from quern.dist import _installation

FOLDER = Path(__file__).parents[3] / "examples" / "ranks"


@pytest.fixture
def mpiexec(tmp_path, monkeypatch):
    """The mpiexec that belongs to mpi4py's library."""
    pytest.importorskip("mpi4py")
    pytest.importorskip("ipyparallel")
    if not FOLDER.exists():
        pytest.skip("the examples are not there")
    try:
        choice = _installation.choose()
    except _installation.InstallationError as error:
        pytest.skip(str(error))
    if choice.mpi4py is None or choice.mpi4py.library is None:
        pytest.skip("mpi4py finds no MPI library")
    package = str(Path(qn.__file__).parents[1])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([package, os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    monkeypatch.setenv("QUERN_DEVICE", "host")
    for name, text in choice.variables.items():
        monkeypatch.setenv(name, text)
    return choice.mpiexec.path


def test_engines_of_ipyparallel_are_ranks(mpiexec, tmp_path):
    done = subprocess.run(
        [sys.executable, str(FOLDER / "ipyparallel_engines.py"), "--ranks", "2", "--mpiexec", mpiexec],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ranks: [(0, 2), (1, 2)]" in done.stdout
    assert "NumPy gives the same" in done.stdout


@pytest.mark.filterwarnings("ignore")
def test_the_notebook_runs_from_top_to_bottom(mpiexec, tmp_path, monkeypatch):
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("MPIEXEC", mpiexec)
    book = nbformat.read(FOLDER / "interactive.ipynb", as_version=4)
    nbformat.validate(book)
    cells = [cell for cell in book.cells if cell.cell_type == "code"]
    assert all(cell.outputs == [] and cell.execution_count is None for cell in cells)
    nbclient.NotebookClient(
        book, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    for cell in cells:  # as stored, those that show an error on purpose have a tag
        errors = [output for output in cell.outputs if output.output_type == "error"]
        assert bool(errors) == ("raises-exception" in cell.metadata.get("tags", [])), cell.source
    shown = str([cell.outputs for cell in cells])
    assert "0 2 (30, 80)" in shown
    assert "1 2 (30, 80)" in shown
    assert "mean after 20 sweeps:" in shown
