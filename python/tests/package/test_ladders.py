# SPDX-License-Identifier: MIT
"""The ladders at a tiny size: every rung that can run gives the right result, and what cannot is listed with the reason."""

import importlib.util
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import quern as qn

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "examples" / "ladders"
SIZES = {
    "laplace": 24,
    "linear_combination": 5000,
    "matrix_product": 32,
    "pi": 50_000,
    "polygon_mask": 40,
    "scalar_product": 5003,
    "vector_sum": 5003,
}
PEERS = {"numexpr": "numexpr", "Numba": "numba", "Cython with OpenMP": "cython", "C through CFFI": "cffi"}


@pytest.fixture(scope="module")
def modules():
    """ladder.py and report.py."""
    sys.path.insert(0, str(FOLDER))
    try:
        import ladder
        import report

        yield ladder, report
    finally:
        sys.path.remove(str(FOLDER))
        for name in ("ladder", "report"):
            sys.modules.pop(name, None)


@pytest.mark.parametrize("name", SIZES)
def test_every_rung_gives_the_right_result(name, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"before\n<!-- ladder {name} -->\n<!-- end of {name} -->\nafter\n")
    command = [sys.executable, FOLDER / f"{name}.py", "--size", str(SIZES[name]), "--seconds", "0.01"]
    outputs = ["--json", tmp_path / "rows.json", "--picture", tmp_path / "p" / "bars.svg", "--page", page]
    done = subprocess.run([*command, *outputs], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = {row["name"]: row for row in json.loads((tmp_path / "rows.json").read_text())["rows"]}
    measured = {name for name, row in rows.items() if row["missing"] is None}
    assert {"pure Python", "NumPy", "kernel, host", "arrays, host"} <= measured
    assert all(rows[name]["is_right"] and rows[name]["seconds"] > 0 for name in measured)
    for rung, module in PEERS.items():
        if importlib.util.find_spec(module) is None and importlib.util.find_spec(module.title()) is None:
            assert rows[rung]["missing"].lower() == f"{module} is not installed"
    for backend, shown in (("opencl", "OpenCL"), ("cuda", "CUDA")):
        is_there = bool(qn.devices(backend))
        assert (f"kernel, {shown}" in measured) == is_there
        assert is_there or rows[f"kernel, {shown}"]["missing"] == "no such device"
    text = page.read_text()
    assert text.startswith("before\n") and text.endswith("after\n")
    assert all(f"\n| {name} |" in text for name in measured)
    assert all(f"{name} (" in text for name in set(rows) - measured)
    picture = ET.parse(tmp_path / "p" / "bars.svg").getroot()
    assert len(picture.findall("{http://www.w3.org/2000/svg}rect")) == len(measured)


def test_the_page_and_the_command_know_all_ladders():
    spec = importlib.util.spec_from_file_location("all_ladders", FOLDER / "all.py")
    every = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(every)
    scripts = {path.stem for path in FOLDER.glob("*.py")} - {"all", "compiled", "ladder", "report"}
    assert set(every.LADDERS) == set(SIZES) == scripts
    text = (ROOT / "docs" / "ladders.md").read_text()
    assert re.findall(r"<!-- ladder (\w+) -->", text) == re.findall(r"<!-- end of (\w+) -->", text)
    assert set(re.findall(r"<!-- ladder (\w+) -->", text)) == scripts
    assert all((ROOT / "docs" / "pictures" / f"ladder_{name}.svg").exists() for name in scripts)
    assert set(re.findall(r"\(pictures/ladder_(\w+)\.svg\)", text)) == scripts


def example_of(ladder):
    ladder = ladder.Ladder(
        "squares",
        "Squares",
        np.arange,
        lambda x: x.astype(float) ** 2,
        lambda size: size,
        100,
        tolerance=1e-6,
    )
    ladder.rung("right")(lambda x: lambda: x * x)
    ladder.rung("a part", most=10)(lambda x: lambda: x * x)
    ladder.rung("wrong")(lambda x: lambda: x + x)
    ladder.rung("of another shape")(lambda x: lambda: x[1:])
    ladder.rung("not a number")(lambda x: lambda: x * np.nan)

    @ladder.rung("absent")
    def absent(x):
        import a_library_that_is_absent  # noqa: F401

    return ladder


def test_wrong_and_absent_rungs_are_reported(modules):
    ladder, report = modules
    example = example_of(ladder)
    rows = {row.name: row for row in example.measure(100, 0.001, lambda text: None)}
    assert [row.is_right for row in rows.values()] == [True, True, False, False, False, True]
    assert rows["absent"].missing == "a_library_that_is_absent is not installed"
    assert rows["absent"].seconds is None
    assert rows["right"].difference == 0 and rows["wrong"].difference > 0.9
    assert rows["a part"].measured_size == 10
    machine = {"processor": "P", "cores": 2, "devices": [], "date": "D", "commit": "C"}
    table = report.table(example, list(rows.values()), 100, machine, "A note.")
    assert "(from size 10)" in table and "WRONG by" in table and "A note." in table
    assert "Not measured: absent (a_library_that_is_absent is not installed)." in table


def test_rungs_take_turns_and_parts_are_scaled(modules, monkeypatch):
    """Two rungs and a clock of their own: 'slow' takes 4/64 s, 'fast' 1/64 s, for a tenth of the work."""
    ladder, _ = modules
    calls, now = [], [0.0]
    monkeypatch.setattr(ladder.time, "perf_counter", lambda: now[0])
    example = ladder.Ladder("x", "X", lambda size: size, lambda p: 0, lambda size: size, 100)

    def adds(name, seconds):
        def prepare(problem):
            def run():
                calls.append(name)
                now[0] += seconds
                return 0

            return run

        return prepare

    example.rung("slow")(adds("slow", 4 / 64))
    example.rung("fast", most=10)(adds("fast", 1 / 64))
    slow, fast = example.measure(100, 2 / 64, lambda text: None)
    assert (slow.seconds, slow.rounds, fast.seconds, fast.rounds) == (4 / 64, 1, 10 / 64, 2)
    assert calls[4:] == ["slow", "slow", "fast", "fast", "fast", "fast"]


def test_bars_grow_with_the_logarithm_of_the_time(modules):
    ladder, report = modules
    seconds = [2e-6, 2e-4, 2e-2, 2.0]
    rows = [ladder.Row(f"rung <{s}>", s < 1e-3, seconds=s) for s in seconds]
    rows.append(ladder.Row("absent", False, missing="it is"))
    root = ET.fromstring(report.bars("A & B", rows))
    bars = root.findall("{http://www.w3.org/2000/svg}rect")
    widths = [float(bar.get("width")) for bar in bars]
    steps = np.diff(widths)
    assert len(bars) == 4 and (steps > 50).all() and np.ptp(steps) < 0.3
    assert [bar.get("class") for bar in bars] == ["quern", "quern", "other", "other"]
    assert "prefers-color-scheme: dark" in root[0].text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (12.34, "12.3 s"),
        (1234.5, "1,234 s"),
        (0.5, "500 ms"),
        (2.5e-3, "2.5 ms"),
        (3.21e-6, "3.21 us"),
        (7e-9, "7 ns"),
    ],
)
def test_durations_have_three_digits_and_a_unit(modules, seconds, text):
    assert modules[1].duration(seconds) == text


def test_a_page_without_a_place_is_an_error(modules, tmp_path):
    page = tmp_path / "page.md"
    page.write_text("no marks")
    with pytest.raises(SystemExit, match="no place for pi"):
        modules[1].put(page, "pi", "table")
