# SPDX-License-Identifier: MIT
"""README.md and docs/: Python blocks run and print what the page shows, C++ blocks are examples that are built, links lead
somewhere."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
# Blocks that import these are skipped where they are not installed.
OPTIONAL = ("matplotlib", "pyopencl", "cupy", "numba", "jax")
SIGNATURES = {".png": b"\x89PNG\r\n\x1a\n", ".svg": b"<svg"}


def load(name):
    """A module of tools/docs."""
    spec = importlib.util.spec_from_file_location(f"docs_{name}", ROOT / "tools" / "docs" / f"{name}.py")
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


BLOCKS = load("blocks")
FENCE = BLOCKS.FENCE


def blocks(language):
    for page in PAGES:
        for block in BLOCKS.blocks_of(page):
            if block.language == language:
                name = page.relative_to(ROOT / "docs") if page.is_relative_to(ROOT / "docs") else page.name
                yield pytest.param(block, id=f"{name}-{block.line}")


@pytest.mark.parametrize("block", list(blocks("python")))
def test_a_python_block_runs_and_prints_what_the_page_shows(block, tmp_path, monkeypatch):
    for library in OPTIONAL:
        if re.search(rf"^ *(?:import|from) {library}\b", block.code, re.MULTILINE):
            pytest.importorskip(library)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    printed = block.run()
    assert block.prints(printed), (
        f"{block.page}:{block.line} shows\n{block.output}\nand the block prints\n{printed}"
    )
    for name in block.pictures:
        written = (tmp_path / name).read_bytes()
        assert SIGNATURES[Path(name).suffix] in written[:2000] and len(written) > 500, name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_outputs_and_pictures_stand_behind_the_block_that_makes_them(page):
    assert BLOCKS.unmade_pictures(page) == set()
    outputs = len(re.findall(r"^```output$", page.read_text(), re.MULTILINE))
    assert outputs == sum(
        block.output is not None for block in BLOCKS.blocks_of(page) if block.language == "python"
    )


def test_another_output_than_that_of_the_page_is_noticed(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python\nprint(1 + 1)\n```\n\n```output\n3\n```\n\n![two](pictures/two.png)\n")
    (block,) = (one for one in BLOCKS.blocks_of(page) if one.language == "python")
    assert (block.output, block.pictures, block.line) == ("3\n", ["two.png"], 2)
    assert not block.prints(block.run())
    block.output = "2 ... \n"
    assert not block.prints("1 s\n") and block.prints("2 in 3 s\n")
    page.write_text("![two](pictures/two.png)\n")
    assert BLOCKS.unmade_pictures(page) == {"two.png"}
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "two.png").touch()
    assert BLOCKS.unmade_pictures(page) == set()


@pytest.mark.parametrize("block", list(blocks("cpp")))
def test_a_cpp_block_is_an_example(block):
    examples = [path.read_text() for path in sorted((ROOT / "examples").glob("*/*.cpp"))]
    # The licence line and the description above the first include are left out on the page.
    shown = [text[text.index("#include") :] for text in examples]
    assert block.code in shown, f"{block.page.name}:{block.line} differs from every examples/*/*.cpp"


LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def prose(page):
    return FENCE.sub("", page.read_text())


def anchors(page):
    """What GitHub calls the headings of a page."""
    titles = HEADING.findall(prose(page))
    return [re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files_and_headings(page):
    for target in LINK.findall(prose(page)):
        if "://" in target:
            continue
        if re.match(r"(?:\.\./)*pictures/", target) and Path(target).name not in BLOCKS.unmade_pictures(page):
            continue  # made by the block before
        name, _, heading = target.partition("#")
        other = page.parent / name if name else page
        assert other.exists(), target
        assert not heading or heading in anchors(other), target


def test_the_index_of_decisions_lists_each_entry_once():
    page = ROOT / "docs" / "decisions.md"
    entries = anchors(page)[2:]  # after the title and "Index"
    listed = [target[1:] for target in LINK.findall(prose(page).partition("\n## ")[2].partition("\n## ")[0])]
    assert sorted(listed) == sorted(entries)
