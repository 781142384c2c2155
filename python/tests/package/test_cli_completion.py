# SPDX-License-Identifier: MIT
"""Completion scripts: shells accept them, and they complete what the parsers take."""

import shutil
import subprocess

import pytest

from quern import cli
from quern.cli import _completion


@pytest.fixture
def script(tmp_path, capsys):
    """The script for a shell, in a file."""

    def write(shell):
        assert cli.main(["completion", shell]) == 0
        file = tmp_path / f"quern.{shell}"
        file.write_text(capsys.readouterr().out)
        return file

    return write


@pytest.mark.parametrize(("shell", "option"), [("bash", "-n"), ("zsh", "-n"), ("fish", "--no-execute")])
def test_the_shell_accepts_its_script(script, shell, option):
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"needs {shell}")
    done = subprocess.run([program, option, script(shell)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def completed(file, *words):
    """What bash offers behind these words."""
    line = " ".join(f"'{word}'" for word in words)
    code = f"source {file}; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _quern; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    done = subprocess.run(
        ["bash", "--norc", "-c", code], capture_output=True, text=True, check=True, cwd=file.parent
    )
    assert done.stderr == ""
    return done.stdout.split()


def test_bash_completes_commands_options_and_values(script):
    if shutil.which("bash") is None:
        pytest.skip("needs bash")
    file = script("bash")
    (file.parent / "kernel.cl").write_text("")
    assert completed(file, "quern", "de") == ["devices"]
    assert set(cli.COMMANDS) < set(completed(file, "quern", ""))
    assert completed(file, "quern", "devices", "--v") == ["--verbose"]
    assert completed(file, "quern", "lower", "--target", "c") == ["c", "cuda"]
    assert completed(file, "quern", "cache", "pr") == ["prune"]
    assert completed(file, "quern", "check", "ker") == ["kernel.cl"]
    assert completed(file, "quern", "check", "-I", "ker") == ["kernel.cl"]
    assert completed(file, "quern", "nonsense", "") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_know_every_command_and_option(script, shell):
    text = script(shell).read_text()
    for name, words in _completion.commands().items():
        assert name in text
        for option in words.options:
            assert (option[2:] if shell == "fish" and option.startswith("--") else option[1:]) in text


def test_every_command_takes_json_and_help():
    for name, words in _completion.commands().items():
        assert {"--json", "--help"} <= set(words.options), name
