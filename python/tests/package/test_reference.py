# SPDX-License-Identifier: MIT
"""The reference pages: each function of the registry has one, with all of its parameters, and the index leads there."""

import importlib.util
import inspect
import re
from pathlib import Path

import pytest

from quern import _core

TOOL = Path(__file__).parents[3] / "tools" / "write_reference.py"


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("write_reference", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def folder(tool, tmp_path_factory):
    made = tmp_path_factory.mktemp("reference")
    assert tool.write(made) > 300
    return made


def test_every_function_has_a_page_under_one_of_its_names(folder, tool):
    rows = tool.functions_of(_core)
    known = {name for name, (_, aliases) in rows.items() for name in (name, *aliases)}
    assert set(_core.functions) <= known
    assert {path.stem for path in folder.iterdir()} == {*rows, "index"}
    named = next(name for name, (_, aliases) in rows.items() if "arccos" in (name, *aliases))
    assert "`acos`" in (folder / f"{named}.md").read_text() or named == "acos"
    assert "`arccos`" in (folder / f"{named}.md").read_text() or named == "arccos"


def test_pages_have_all_parameters_and_the_example(folder, tool):
    for name, (function, _) in tool.functions_of(_core).items():
        text = (folder / f"{name}.md").read_text()
        for parameter in inspect.signature(function).parameters.values():
            star = "*" if parameter.kind is parameter.VAR_POSITIONAL else ""
            if parameter.name != "self":
                assert f"- `{star}{parameter.name}` (" in text, name
        assert function.__doc__.splitlines()[0] in text
        example = text.partition("```pycon\n")[2].partition("\n```")[0]
        assert example.startswith(">>> ") and example in function.__doc__


def test_the_index_leads_to_all_pages(folder):
    links = re.findall(r"\]\(([^)]+)\)", (folder / "index.md").read_text())
    assert sorted(links) == sorted(path.name for path in folder.iterdir() if path.name != "index.md")
