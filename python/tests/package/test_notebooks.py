# SPDX-License-Identifier: MIT
"""The notebooks of examples/notebooks run from top to bottom on every device, and are stored without outputs."""

import json
import os
import re
from itertools import pairwise
from pathlib import Path

import pytest

import quern as qn

FOLDER = Path(__file__).parents[3] / "examples" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
by_name = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def text_of(cell):
    return "".join(cell["source"])


def test_there_are_notebooks():
    if not FOLDER.exists():
        pytest.skip("the examples are not there")
    assert {"first_steps", "kernel_to_tuned", "image_processing", "events"} <= {
        path.stem for path in NOTEBOOKS
    }


@by_name
def test_a_notebook_is_stored_without_what_a_run_leaves(path):
    book = json.loads(path.read_text(encoding="utf-8"))
    assert book["nbformat"] == 4 and set(book["metadata"]) == {"kernelspec", "language_info"}
    for cell in book["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None
            assert set(cell["metadata"]) <= {"tags"}
    # As script/docs and editors write it, so that a saved notebook differs in what was changed only.
    assert path.read_text(encoding="utf-8") == json.dumps(book, indent=1, ensure_ascii=False) + "\n"


@by_name
def test_a_sentence_is_in_front_of_each_cell(path):
    """Code follows text, or a kernel that the text announces."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert cells[0]["cell_type"] == "markdown" and text_of(cells[0]).startswith("# ")
    for before, cell in pairwise(cells):
        if cell["cell_type"] == "code":
            assert before["cell_type"] == "markdown", text_of(cell)
            assert re.search(r"[.:]$", text_of(before).rstrip()), text_of(before)


@by_name
def test_links_of_a_notebook_lead_to_files(path):
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "markdown":
            for target in re.findall(r"\]\(([^)#]+)", text_of(cell)):
                assert "://" in target or (path.parent / target).exists(), target
            for name in re.findall(r"`((?:docs|examples)/[^`]+)`", text_of(cell)):
                assert (FOLDER.parents[1] / name).exists(), name


@by_name
def test_a_notebook_runs_from_top_to_bottom(path, device_spec, tmp_path, monkeypatch, is_quick_on_pocl):
    if is_quick_on_pocl and path.stem != "first_steps":
        pytest.skip("quick runs execute this one on the host only")
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    pytest.importorskip("jinja2")
    paths = [str(Path(qn.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))
    monkeypatch.setenv("QUERN_DEVICE", device_spec)
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    book = nbformat.read(path, as_version=4)
    nbformat.validate(book)
    client = nbclient.NotebookClient(
        book, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()
    outputs = [output for cell in book.cells if cell.cell_type == "code" for output in cell.outputs]
    # A cell that shows an error on purpose says so by its tag, and does show one.
    for cell in book.cells:
        if cell.cell_type != "code":
            continue
        errors = [output for output in cell.outputs if output.output_type == "error"]
        is_meant = "raises-exception" in cell.metadata.get("tags", [])
        assert bool(errors) == is_meant, cell.source
        warnings = [o.text for o in cell.outputs if o.output_type == "stream" and o.name == "stderr"]
        assert warnings == [], cell.source
    shown = [output.data for output in outputs if output.output_type in ("display_data", "execute_result")]
    assert any("text/html" in data for data in shown)
    assert all(len(data.get("text/html", "")) < 100_000 for data in shown)
