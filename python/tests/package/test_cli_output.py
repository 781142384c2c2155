# SPDX-License-Identifier: MIT
"""What all commands have in common: colours, JSON, exit codes, messages of errors."""

import json
import os
import subprocess
import sys

import pytest
from processes import settings

import quern as qn
from quern import cli

GOOD = "kernel void twice(global float *x) { x[get_global_id(0)] *= 2; }\n"
BAD = "kernel void wrong(global float *x) { x[0] = y; }\n"


@pytest.fixture
def sources(tmp_path):
    (tmp_path / "good.cl").write_text(GOOD)
    (tmp_path / "bad.cl").write_text(BAD)
    return tmp_path


COMMANDS = [
    ("devices",),
    ("devices", "--verbose"),
    ("doctor",),
    ("doctor", "--device", "host"),
    ("cache", "info"),
    ("cache", "prune"),
    ("cache", "clear"),
    ("check", "good.cl", "bad.cl"),
    ("lower", "good.cl", "--target", "c"),
    ("explain", "5*x + 6*y"),
    ("run", "good.cl", "--args", "zeros:float32:4", "--size", "4"),
    ("bench", "launch", "--size", "small", "--time", "0", "--peers", "none"),
    ("completion", "bash"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_pipes_get_plain_text(quern, sources, command):
    done = quern(*command)
    assert done.stdout and "\x1b" not in done.stdout + done.stderr and "\r" not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_prints_one_object_of_json(quern, sources, command):
    done = quern(*command, "--json")
    assert isinstance(json.loads(done.stdout), dict)
    assert done.returncode == (1 if "bad.cl" in command else 0)


def test_commands_of_ranks_print_json_too(quern):
    done = quern("launch", "--json", "-n", "2", "--", "true")
    if done.returncode:
        pytest.skip(f"needs an mpiexec: {done.stderr.strip()}")
    command = json.loads(done.stdout)["command"]
    assert command[-3:] == ["-n", "2", "true"] and os.path.isabs(command[0])


@pytest.mark.parametrize(
    "command", [("devices",), ("doctor", "--device", "host"), ("check", "bad.cl")], ids=" ".join
)
def test_terminals_get_colors(terminal, sources, command):
    has_colors = command[0] != "doctor"
    _, text = terminal("-m", "quern", *command)
    assert ("\x1b[" in text) == has_colors
    _, text = terminal("-m", "quern", *command, NO_COLOR="1")
    assert "\x1b" not in text
    _, text = terminal("-m", "quern", *command, "--color=never")
    assert "\x1b" not in text
    _, text = terminal("-m", "quern", *command, TERM="dumb")
    assert "\x1b" not in text


def test_an_empty_no_color_is_not_set(terminal):
    assert "\x1b[" in terminal("-m", "quern", "devices", NO_COLOR="")[1]


def test_colors_can_be_forced_into_a_pipe(quern):
    assert "\x1b[1m" in quern("devices", "--color=always").stdout


def test_json_has_no_colors_in_a_terminal(terminal):
    code, text = terminal("-m", "quern", "devices", "--json")
    assert code == 0 and isinstance(json.loads(text), dict)


def test_an_error_is_one_line_and_an_exit_code(quern, sources):
    done = quern("lower", "missing.cl", "--target", "c")
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr == "quern lower: error: missing.cl: No such file or directory\n"
    done = quern("lower", "missing.cl", "--target", "c", "--json")
    assert done.returncode == 2 and done.stderr == ""
    assert json.loads(done.stdout) == {"error": "missing.cl: No such file or directory", "exit_code": 2}


def test_a_device_that_is_not_there_is_a_failure(quern, sources):
    done = quern("run", "good.cl", "--args", "zeros:float32:4", "--size", "4", "--device", "host:7")
    assert done.returncode == 1 and "host:7" in done.stderr and "Traceback" not in done.stderr


def test_a_reader_that_leaves_early_is_no_error(tmp_path):
    command = f"{sys.executable} -m quern completion fish | head -n 1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, env=settings(tmp_path), timeout=120
    )
    assert done.returncode == 0 and done.stderr == ""


def test_every_command_has_help(capsys):
    for name in cli.COMMANDS:
        with pytest.raises(SystemExit) as ended:
            cli.main([name, "--help"])
        assert ended.value.code == 0
        assert f"usage: quern {name}" in capsys.readouterr().out


def test_devices_as_json_are_those_of_the_library(capsys):
    assert cli.main(["devices", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    found = [device["spec"] for backend in facts["backends"] for device in backend["devices"]]
    assert found == [device.spec for device in qn.devices()]
    assert facts["default"] == qn.default_device().spec
