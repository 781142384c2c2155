# SPDX-License-Identifier: MIT
"""The magics of `%load_ext quern` in a plain IPython, without a notebook."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import quern as qn

interactive = pytest.importorskip("IPython.core.interactiveshell")
utils = pytest.importorskip("IPython.utils.capture")

TWICE = """%%quern_kernel
kernel void twice(global float *x) {
  x[get_global_id(0)] *= 2;
}
"""


@pytest.fixture
def shell(device, tmp_path, monkeypatch):
    """A fresh IPython that has loaded the extension; its current device is the device of the test."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    from traitlets.config import Config

    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    made = interactive.InteractiveShell.instance(config=config)
    monkeypatch.chdir(tmp_path)
    made.push({"qn": qn, "np": np})
    with device:
        assert made.extension_manager.load_extension("quern") is None
        yield made
    interactive.InteractiveShell.clear_instance()
    made.restore_sys_module_state()
    # Arrays of the cells must not be pending in the tests that follow.
    made.user_ns.clear()
    made.user_ns_hidden.clear()
    for name in ("last_type", "last_value", "last_traceback", "last_exc"):
        if hasattr(sys, name):
            delattr(sys, name)


class Ran:
    """What a cell wrote and displayed, and its error."""

    def __init__(self, shell, text):
        with utils.capture_output() as captured:
            self.result = shell.run_cell(text, store_history=True)
        self.error = self.result.error_before_exec or self.result.error_in_exec
        self.text, self.warnings = captured.stdout, captured.stderr
        self.displays = [output.data for output in captured.outputs]


def ok(shell, text):
    ran = Ran(shell, text)
    assert ran.error is None, ran.text
    return ran


def test_kernels_of_a_cell_become_python_names(shell):
    ran = ok(shell, TWICE)
    assert repr(ran.result.result) == "<quern.Program cell: twice>"
    ok(shell, "x = qn.arange(5, dtype='float32')\nevent = twice(None, 5, None, x)")
    np.testing.assert_array_equal(shell.user_ns["x"].get(), 2 * np.arange(5))


@pytest.mark.parametrize("blank", ["", "\n\n"])
def test_diagnostics_have_the_lines_of_the_cell(shell, blank):
    text = blank + TWICE.replace("x[get_global_id(0)]", "y[get_global_id(0)]")
    wrong = 1 + text[: text.index("y[")].count("\n")
    ran = Ran(shell, text)
    assert isinstance(ran.error, qn.BuildError)
    assert {d.line for d in ran.error.diagnostics if d.severity == "error"} == {wrong}
    assert f"cell:{wrong}:3: error: " in ran.text
    # The message, and no frames of the library.
    assert "Traceback" not in ran.text and "_kernel_cell" not in ran.text
    assert "twice" not in shell.user_ns


def test_a_cell_that_is_wrong_leaves_the_kernels_of_the_last_one(shell):
    ok(shell, TWICE)
    before = shell.user_ns["twice"]
    assert Ran(shell, TWICE.replace("*= 2", "*= two")).error is not None
    assert shell.user_ns["twice"] is before


def test_options_of_a_kernel_cell(shell, device, tmp_path):
    (tmp_path / "factor.h").write_text("#define FACTOR 10\n")
    cell = TWICE.replace("*= 2", "*= FACTOR * N + M")
    cell = cell.replace("kernel void", '#include "factor.h"\nkernel void', 1)
    line = f"--name p -D N={{n}} --define=M --include '{tmp_path}' --options '-cl-mad-enable -DOTHER=1' -q"
    ok(shell, "n = 7")
    ran = ok(shell, cell.replace("%%quern_kernel", f"%%quern_kernel -d '{device.spec}' {line}", 1))
    assert ran.result.result is None and ran.displays == []
    ok(shell, "x = qn.ones(3, 'float32')\nevent = p.twice(None, 3, None, x)")
    assert shell.user_ns["x"].get().tolist() == [71] * 3
    assert repr(shell.user_ns["p"]) == "<quern.Program p.cl: twice>"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("--colour red", "unknown option --colour; the options are --device, "),
        ("--device", "needs a value"),
        ("--name lambda", "expected a Python name, got 'lambda'"),
        ("fast", "unexpected 'fast'"),
    ],
)
def test_wrong_options_are_one_line(shell, line, words):
    ran = Ran(shell, TWICE.replace("%%quern_kernel", f"%%quern_kernel {line}", 1))
    assert type(ran.error).__name__ == "UsageError" and words in str(ran.error)
    assert "twice" not in shell.user_ns


def test_a_language_of_the_cell_is_that_of_the_program(shell):
    ran = Ran(shell, TWICE.replace("%%quern_kernel", "%%quern_kernel --language fortran", 1))
    assert isinstance(ran.error, qn.ArgumentError) and "fortran" in str(ran.error)
    square = 'extern "C" __global__ void square(float *x) { x[threadIdx.x] *= x[threadIdx.x]; }'
    for gpu in qn.devices("cuda"):
        ok(shell, f"%%quern_kernel -l cuda -d {gpu.spec}\n{square}")
        x = qn.asarray(np.arange(4, dtype="float32"), device=gpu)
        shell.user_ns["square"](x, grid=1, block=4, queue=qn.Queue(gpu)).wait()
        assert x.get().tolist() == [0, 1, 4, 9]


def test_a_kernel_named_like_a_keyword_needs_a_name_for_the_program(shell):
    cell = TWICE.replace("twice", "lambda")
    assert "'lambda' is not a name of Python" in str(Ran(shell, cell).error)
    ok(shell, cell.replace("%%quern_kernel", "%%quern_kernel --name p", 1))
    assert shell.user_ns["p"]["lambda"].name == "lambda"


def test_a_statement_is_timed_on_host_and_device(shell, device):
    ok(shell, "x = qn.ones(1 << 18, 'float32')")
    before = qn.stats().launches
    ran = ok(shell, "r = %qn_time -r 6 -w 2 --bytes 2097152 -o 2 * x + 1")
    result = shell.user_ns["r"]
    # A pending result is evaluated in each call.
    assert qn.stats().launches - before >= 8
    assert len(result.host.values) == 6 == len(result.kernels.values)
    assert result.device == device and result.name == "2 * x + 1" and result.bandwidth > 0
    assert len(ran.displays) == 1
    assert "6 calls" in ran.displays[0]["text/plain"] and "<table>" in ran.displays[0]["text/html"]
    assert ok(shell, "%qn_time -r 2 x + 1").result.result is None


def test_a_timed_cell_keeps_no_names_and_evaluates_what_it_assigns(shell):
    ok(shell, "x = qn.zeros(1 << 18, 'float32')\ny = 5")
    before = qn.stats().launches
    ok(shell, "%%qn_time --repeat=3\ny = x + 1\nz = [y * 2, y * 3]")
    assert qn.stats().launches - before >= 6
    assert shell.user_ns["y"] == 5 and "z" not in shell.user_ns


def test_in_place_operations_are_timed(shell):
    ok(shell, "x = qn.zeros(1 << 18, 'float32')")
    ok(shell, "%qn_time -r 4 -w 1 x += 1")
    assert float(shell.user_ns["x"][0]) == 5


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", "needs a statement"),
        ("-r 0 x", "--repeat: expected an int of at least 1"),
        ("--loops 3 x", "unknown option --loops"),
    ],
)
def test_wrong_timings_are_one_line(shell, line, words):
    ran = Ran(shell, f"%qn_time {line}")
    assert type(ran.error).__name__ == "UsageError" and words in str(ran.error)


def test_a_statement_that_begins_with_a_minus_follows_two(shell):
    ok(shell, "x = qn.ones(3)")
    ran = ok(shell, "r = %qn_time -r 2 -o -- -x")
    assert shell.user_ns["r"].name == "-x" and ran.error is None


def test_an_error_of_a_timed_statement_is_raised_with_its_line(shell):
    ran = Ran(shell, "%%qn_time -r 1\nx = 1\nx / 0")
    assert isinstance(ran.error, ZeroDivisionError)
    # IPython marks the line that failed.
    assert re.search(r"-+> 3 x / 0", ran.text), ran.text


def test_a_profiled_cell_runs_in_the_notebook_and_is_drawn(shell, device):
    ran = ok(
        shell,
        "%%qn_profile -n p -s trace.json --width 700\nx = qn.ones(1 << 18, 'float32')\ny = 2 * x\ny.sum()",
    )
    assert float(shell.user_ns["y"][0]) == 2
    profile = shell.user_ns["p"]
    kernels = [record.name for record in profile.records if record.kind == "kernel"]
    assert "multiply" in " ".join(kernels)
    value, picture = ran.displays
    assert value["text/plain"] == repr(shell.user_ns["y"].sum())
    assert picture["image/svg+xml"] == profile.plot(width=700).svg
    assert 'width="700' in picture["text/html"] and device.spec in picture["text/html"]
    assert "multiply" in picture["text/plain"]
    assert "multiply" in Path("trace.json").read_text()


def test_a_profile_names_the_lines_of_the_cell(shell):
    ran = ok(shell, "%%qn_profile --by line --table\nx = qn.zeros(1 << 18, 'float32')\n\nx.fill(1).wait()")
    number = ran.result.execution_count
    # In the table, and in the tooltips of the picture.
    assert {f"In[{number}]:2</td>", f"In[{number}]:4</td>"} <= set(
        re.findall(r"In\[\d+\]:\d+</td>", ran.displays[-1]["text/html"])
    )
    assert f" In[{number}]:4</title>" in ran.displays[-1]["text/html"]
    assert "ipython-input" not in ran.displays[-1]["text/html"]


def test_a_profile_of_a_cell_that_fails_is_drawn_and_the_error_raised(shell):
    ran = Ran(shell, "%%qn_profile\nx = qn.zeros(1 << 18, 'float32')\nx.fill(1).wait()\nx + 'a'")
    assert isinstance(ran.error, TypeError)
    assert "fill" in ran.displays[-1]["text/plain"]
    assert isinstance(Ran(shell, "%%qn_profile\nx = (").error, SyntaxError)
    assert "expected name or line" in str(Ran(shell, "%%qn_profile --by size\n1").error)


def test_unloading_removes_the_magics(shell):
    assert shell.extension_manager.unload_extension("quern") is None
    assert "quern_kernel" not in shell.magics_manager.magics["cell"]
    assert "qn_time" not in shell.magics_manager.magics["line"]
    assert shell.extension_manager.load_extension("quern") is None
    ok(shell, TWICE)


def test_importing_quern_does_not_import_ipython():
    program = "import sys, quern; print([name for name in sys.modules if name.startswith(('IPython', 'quern.notebook'))])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
