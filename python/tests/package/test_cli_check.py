# SPDX-License-Identifier: MIT
"""quern check and Program.diagnostics: a linter of kernel files."""

import json
import random
import re
from pathlib import Path

import pytest

import quern as qn
from quern import cli

ROOT = Path(__file__).parents[3]

TWO_ERRORS = """float half_of(float x) { return x * undeclared; }
kernel void scale(global float *x) {
\tx[get_global_id(0)] *= 2
}
"""


@pytest.fixture
def check(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(text, *arguments, name="kernel.cl"):
        (tmp_path / name).write_text(text)
        status = cli.main(["check", name, *arguments])
        return status, capsys.readouterr().out

    return run


def test_a_right_file_prints_nothing(check):
    assert check("kernel void f(global int *x) { x[0] = 1; }") == (0, "")


def test_each_function_has_its_error_at_its_line_and_column(check):
    status, text = check(TWO_ERRORS)
    assert status == 1
    lines = text.splitlines()
    assert [re.match(r"kernel\.cl:(\d+):(\d+): error: \S", line).groups() for line in lines] == [
        ("1", "37"),
        ("3", "26"),
    ]
    assert "'undeclared'" in lines[0] and "';'" in lines[1]


def test_thousands_of_errors_are_all_printed_in_order(check):
    lines = [f"kernel void f{i}(global float *x) {{ x[0] = undeclared{i}; }}" for i in range(3000)]
    status, text = check("\n".join(lines))
    assert status == 1
    found = [re.match(r"kernel\.cl:(\d+):\d+: error: .*'(\w+)'", line).groups() for line in text.splitlines()]
    assert found == [(str(i + 1), f"undeclared{i}") for i in range(3000)]


def test_an_error_of_some_targets_names_them(check):
    status, text = check("#ifdef QUERN_CUDA\nkernel void f() { return 1; }\n#endif\n")
    assert status == 1 and text.startswith("kernel.cl:2:") and text.endswith(" [cuda]\n")
    assert check("#ifdef QUERN_CUDA\n#error no\n#endif\n", "--target", "host")[0] == 0
    assert check("#ifdef QUERN_CUDA\n#error no\n#endif\n", "--target", "cuda")[0] == 1


def test_warnings_are_errors_only_if_that_is_wanted(check):
    text = "#warning soon\nkernel void f() {}\n"
    status, printed = check(text)
    assert status == 0 and printed.startswith("kernel.cl:1:2: warning: ")
    assert check(text, "--werror")[0] == 1


def test_macros_and_include_folders_are_used(check, tmp_path):
    text = '#include "part.h"\nkernel void f(global int *x) { x[0] = N + M; }\n'
    (tmp_path / "part.h").write_text("#define N 1\n")
    assert check(text)[0] == 1
    assert check(text, "-D", "M=2") == (0, "")
    (tmp_path / "part.h").unlink()
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "part.h").write_text("#define N 1\n")
    assert check(text, "-DM")[0] == 1
    assert check(text, "-DM", "-I", "folder") == (0, "")


def test_an_error_in_an_include_file_has_its_name(check, tmp_path):
    (tmp_path / "part.h").write_text("\nint f(int x) { return y; }\n")
    status, text = check('#include "part.h"\n')
    assert status == 1 and re.match(r"\S*part\.h:2:23: error: ", text)


def test_several_files_are_checked_and_one_that_is_missing_does_not_hide_the_others(quern, tmp_path):
    (tmp_path / "a.cl").write_text("kernel void f() { return 1; }\n")
    (tmp_path / "b.cl").write_text("kernel void f() { g(); }\n")
    done = quern("check", "a.cl", "missing.cl", "b.cl")
    assert done.returncode == 2
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == ["a.cl", "b.cl"]
    assert "missing.cl" in done.stderr


def test_an_editor_pipes_its_text(quern):
    done = quern("check", "-", "--stdin-name", "editor.cl", stdin="kernel void f() { g(); }\n")
    assert done.returncode == 1 and done.stdout.startswith("editor.cl:1:19: error: ")


def test_json_has_every_field(check):
    status, text = check(TWO_ERRORS, "--json")
    facts = json.loads(text)
    assert status == 1 and facts["errors"] == 2 and facts["warnings"] == 0
    assert [(d["line"], d["column"], d["severity"]) for d in facts["diagnostics"]] == [
        (1, 37, "error"),
        (3, 26, "error"),
    ]
    assert all(
        d["file"] == "kernel.cl" and d["targets"] == ["host", "opencl", "cuda"] for d in facts["diagnostics"]
    )


def test_a_device_checks_with_its_own_compiler(check, device):
    assert check("kernel void f(global int *x) { x[0] = 1; }", "--device", device.spec) == (0, "")
    status, text = check("kernel void f() { g(); }", "--target", "host", "--device", device.spec)
    assert status == 1
    assert all(re.match(r"kernel\.cl:1:\d+: (error|warning): ", line) for line in text.splitlines())
    assert len(text.splitlines()) == 1 or ("[host]" in text and f"[{device.spec}]" in text)


def test_a_terminal_shows_the_line(terminal, tmp_path):
    (tmp_path / "kernel.cl").write_text(TWO_ERRORS)
    code, text = terminal("-m", "quern", "check", "kernel.cl")
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text).replace("\r", "")
    assert code == 1
    lines = plain.splitlines()
    shown = lines.index("     3 | \tx[get_global_id(0)] *= 2")
    assert lines[shown + 1] == "       | \t                        ^"
    assert lines[-1] == "2 errors, 0 warnings"


def test_the_hooks_for_pre_commit_call_the_command():
    text = (ROOT / ".pre-commit-hooks.yaml").read_text()
    assert text.count("entry: quern check\n") == text.count("- id: ") == 2
    pattern = re.search(r"files: (.*)", text)[1]
    assert re.search(pattern, "folder/kernel.cl") and not re.search(pattern, "kernel.clang")


def test_diagnostics_are_those_of_a_build():
    program = qn.Program(TWO_ERRORS, name="two.cl")
    with pytest.raises(qn.BuildError) as raised:
        program.build("host")
    found = program.diagnostics("host")
    assert found[0] == raised.value.diagnostics[0]
    assert [d.line for d in found] == [1, 3]


def test_diagnostics_need_no_device_of_the_backend():
    program = qn.Program("kernel void f(global int *x) { x[0] = y; }")
    assert [d.severity for d in program.diagnostics("cuda")] == ["error"]
    assert qn.Program("kernel void f() {}").diagnostics() == []


def test_diagnostics_have_errors_exactly_where_a_build_fails():
    texts = [path.read_text() for path in sorted((ROOT / "tests" / "frontend").glob("**/*.cl"))]
    texts = [text for text in texts if len(text) < 6000]
    assert texts
    rng = random.Random(11)
    failures = 0
    for _ in range(200):
        tokens = re.findall(r"\w+|\s+|[^\w\s]", rng.choice(texts))
        for _ in range(rng.randint(0, 2)):
            place = rng.randrange(len(tokens))
            tokens[place] = rng.choice(["", rng.choice(tokens), tokens[place] + rng.choice(tokens)])
        text = "".join(tokens)
        for target in ("host", "cuda"):
            errors = [d.text for d in qn.Program(text).diagnostics(target) if d.severity == "error"]
            try:
                qn.Program(text).lowered_source(target)
                assert errors == [], text
            except qn.BuildError as error:
                failures += 1
                assert error.diagnostics[0].text in errors, text
    assert 20 < failures < 380
