# SPDX-License-Identifier: MIT
"""docs/command-line.md: its examples are run in order, and what they print is compared."""

import doctest
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from processes import settings

from quern import cli

PAGE = Path(__file__).parents[3] / "docs" / "command-line.md"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MARK = "@@@"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the files of the page."""
    place = tmp_path_factory.mktemp("page")
    for language, text in FENCE.findall(PAGE.read_text()):
        if language == "opencl":
            name = re.match(r"// (\S+)\n", text)[1]
            (place / name).write_text(text)
        if language == "python":
            subprocess.run([sys.executable, "-c", text], cwd=place, check=True)
    return place


def sessions():
    for number, (language, text) in enumerate(FENCE.findall(PAGE.read_text())):
        if language == "console":
            yield pytest.param(text, id=f"block {number}")


def printed(commands, folder):
    """What each command prints, in one shell."""
    start = f'quern() {{ {shlex.quote(sys.executable)} -m quern "$@"; }}\nmark() {{ local s=$?; echo {MARK}; return $s; }}\n'
    script = start + "".join(f"mark\n{command}\n" for command in commands)
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        cwd=folder,
        env=settings(folder / "cache"),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )
    return done.stdout.split(f"{MARK}\n")[1:]


# The blocks use the files that the blocks before them have written.
@pytest.mark.parametrize("session", list(sessions()))
def test_an_example_prints_what_the_page_shows(session, folder):
    parts = re.split(r"^\$ (.*)\n", session, flags=re.MULTILINE)[1:]
    commands, expected = parts[::2], parts[1::2]
    checker, flags = doctest.OutputChecker(), doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    for command, wanted, got in zip(commands, expected, printed(commands, folder), strict=True):
        assert checker.check_output(wanted, got, flags), f"$ {command}\n{got}\ninstead of\n{wanted}"


def test_every_command_is_on_the_page():
    text = PAGE.read_text()
    for name in cli.COMMANDS:
        assert f"`quern {name}`" in text


def test_the_exit_codes_are_those_of_the_program():
    table = re.findall(r"^\| (\d+) \|", PAGE.read_text(), re.MULTILINE)
    assert [int(code) for code in table] == [cli.OK, cli.FAILED, cli.WRONG_USE, cli.INTERRUPTED]
