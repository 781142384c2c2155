# SPDX-License-Identifier: MIT
"""Every Python block of README.md and docs/ runs, and every C++ block is an example that is built."""

import contextlib
import io
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(language):
    for page in PAGES:
        text = page.read_text()
        for match in FENCE.finditer(text):
            if match[1] == language:
                line = text.count("\n", 0, match.start(2)) + 1
                yield pytest.param(page, line, match[2], id=f"{page.name}-{line}")


@pytest.mark.parametrize(("page", "line", "code"), list(blocks("python")))
def test_a_python_block_runs(page, line, code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # Blank lines in front keep the page's line numbers in tracebacks.
    program = compile("\n" * (line - 1) + code, str(page), "exec")
    with contextlib.redirect_stdout(io.StringIO()):
        exec(program, {"__name__": "__main__"})


@pytest.mark.parametrize(("page", "line", "code"), list(blocks("cpp")))
def test_a_cpp_block_is_an_example(page, line, code):
    examples = [path.read_text() for path in sorted((ROOT / "examples").glob("*.cpp"))]
    # The licence line and the description above the first include are left out on the page.
    shown = [text[text.index("#include") :] for text in examples]
    assert code in shown, f"{page.name}:{line} differs from every examples/*.cpp"
