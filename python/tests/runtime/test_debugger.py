# SPDX-License-Identifier: MIT
"""Kernels built with debug=True, stepped through by gdb at their own source lines."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import quern as qn

SOURCE = """float twice(float x) {
  float doubled = 2 * x;
  return doubled;
}
kernel void steps(global float *a, local float *tile) {
  int i = get_global_id(0);
  float value = a[i] + 0.5f;
  tile[get_local_id(0)] = twice(value);
  barrier(CLK_LOCAL_MEM_FENCE);
  a[i] = tile[0] + i;
}
"""

PROGRAM = f"""
import numpy as np, quern as qn
a = qn.asarray(np.array([40, 1, 2, 3], np.float32), device="host")
program = qn.Program({SOURCE!r}, name="steps.cl", debug=True)
program.steps(None, 4, 4, a, qn.LocalMemory(16))
print(a.get())
"""


@pytest.fixture
def gdb(tmp_path):
    if shutil.which("gdb") is None or shutil.which("gcc") is None:
        pytest.skip("gdb or gcc is not installed")
    if sys.platform != "linux":
        pytest.skip("gdb's commands are those for Linux")

    def run(*commands):
        script = tmp_path / "program.py"
        script.write_text(PROGRAM)
        settings = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(Path(qn.__file__).parents[1]), *sys.path]),
            "QUERN_DEVICE": "host",
            "TMPDIR": str(tmp_path),
            "QUERN_CC": "gcc",
        }
        line = [
            "gdb",
            "-batch",
            "-nx",
            "-ex",
            "set breakpoint pending on",
            "-ex",
            "set debuginfod enabled off",
        ]
        for command in commands:
            line += ["-ex", command]
        done = subprocess.run(
            [*line, "--args", sys.executable, str(script)],
            capture_output=True,
            text=True,
            env=settings,
            cwd=tmp_path,
            timeout=120,
        )
        text = done.stdout + done.stderr
        if "ptrace" in text and "not permitted" in text:
            pytest.skip("the system does not let gdb trace processes")
        return text

    return run


def test_gdb_stops_at_a_line_of_the_kernel_and_shows_its_variables(gdb):
    text = gdb("break steps.cl:8", "run", "print i", "print value", "backtrace 1", "delete", "continue")
    assert "value = a[i] + 0.5f" in text or "tile[get_local_id(0)] = twice(value);" in text, text
    assert "$1 = 0" in text and "$2 = 40.5" in text, text
    assert "steps.cl:8" in text, text
    assert "[81. 82. 83. 84.]" in text, text


def test_gdb_steps_into_a_helper_and_over_a_barrier(gdb):
    text = gdb(
        "break steps.cl:3", "run", "print doubled", "backtrace 2", "delete", "tbreak steps.cl:10", "continue"
    )
    assert "$1 = 81" in text, text
    assert "steps.cl:3" in text and "steps.cl:8" in text, text
    assert "a[i] = tile[0] + i;" in text, text


def test_a_program_for_debugging_leaves_nothing_behind(run_python, tmp_path):
    folder = tmp_path / "temporary"
    folder.mkdir()
    program = PROGRAM + "import os\nassert os.listdir(os.environ['TMPDIR'])\n"
    run_python(program, env={"TMPDIR": str(folder), "QUERN_DEVICE": "host"})
    assert list(folder.iterdir()) == []


def test_debugging_changes_no_result(queue):
    a = np.arange(64, dtype=np.float32)
    results = []
    for debug in (False, True):
        x = qn.asarray(a, device=queue.device)
        qn.Program(SOURCE, debug=debug).build(queue.device).steps(queue, 64, 16, x, qn.LocalMemory(64))
        results.append(x.get())
    expected = 2 * (a.reshape(4, 16)[:, :1] + 0.5) + np.arange(64).reshape(4, 16)
    assert (results[0] == expected.ravel()).all() and (results[1] == results[0]).all()
