# SPDX-License-Identifier: MIT
"""`quern tune` tunes algorithms of the library, and lists, exports, imports and forgets the results."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import quern as qn
from quern.cli import INTERRUPTED, main


@pytest.fixture
def tune(tmp_path):
    """Runs `python -m quern tune` with these arguments and a cache of its own."""

    def run(*arguments, check=True):
        paths = [str(Path(qn.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
        done = subprocess.run(
            [sys.executable, "-m", "quern", "tune", *arguments],
            capture_output=True,
            text=True,
            env={
                **os.environ,
                "QUERN_CACHE_DIR": str(tmp_path / "cache"),
                "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            },
            timeout=120,
        )
        if check:
            assert done.returncode == 0, done.stderr
        return done

    return run


def test_a_workload_is_tuned_listed_exported_and_forgotten(tune, tmp_path):
    assert "no results are kept" in tune().stdout
    done = tune("scan", "--device", "host", "--repeats", "1")
    assert "scan_chunks, the cumulative sum of" in done.stdout
    listed = json.loads(tune("--list", "--json").stdout)["results"]
    assert [result["problem"] for result in listed] == ["scan_chunks"]
    assert listed[0]["device"]["name"] == qn.device("host").name
    assert "scan_chunks" in tune("--list").stdout
    tune("--export", str(tmp_path / "results.json"))
    assert json.loads((tmp_path / "results.json").read_text())["results"] == listed
    assert json.loads(tune("--export", "-").stdout)["results"] == listed
    assert tune("--forget", "sort").stdout == "0 results removed\n"
    assert tune("--forget", "scan").stdout == "1 results removed\n"
    assert json.loads(tune("--list", "--json").stdout)["results"] == []
    assert tune("--import", str(tmp_path / "results.json")).stdout == "1 results kept\n"
    assert json.loads(tune("--list", "--json").stdout)["results"] == listed


def test_a_dry_run_keeps_nothing(tune):
    rows = json.loads(tune("scan", "--device", "host", "--repeats", "1", "--dry-run", "--json").stdout)[
        "results"
    ]
    assert rows[0]["problem"] == "scan_chunks" and rows[0]["candidates"] > 1 and rows[0]["seconds"] > 0
    assert json.loads(tune("--list", "--json").stdout)["results"] == []


@pytest.mark.parametrize("has_result", [True, False])
def test_ctrl_c_leaves_all_devices_and_workloads(monkeypatch, capsys, has_result):
    found = qn.tuning.algorithms("host")
    result = qn.tuning.tune_algorithm(
        found[0], "host", repeats=1, max_evaluations=1, keep=False, progress=False
    )
    asked, tuned = [], []

    def algorithms(device):
        asked.append(device)
        return found

    def interrupted(algorithm, device, **options):
        tuned.append(algorithm)
        if not has_result:
            raise KeyboardInterrupt
        return result

    monkeypatch.setattr(type(result), "interrupted", True)
    monkeypatch.setattr(qn.tuning, "algorithms", algorithms)
    monkeypatch.setattr(qn.tuning, "tune_algorithm", interrupted)
    status = main(["tune", "--all", "--device", "host", "--device", "host", "--dry-run", "--json"])
    assert status == INTERRUPTED
    assert len(asked) == 1 and len(tuned) == 1
    assert len(json.loads(capsys.readouterr().out)["results"]) == int(has_result)


def test_mistakes_have_an_exit_code_and_a_reason(tune, tmp_path):
    (tmp_path / "bad.json").write_text("{}")
    for arguments, status, reason in (
        (("guess",), 2, "unknown workload 'guess'"),
        (("scan", "--device", "nothing"), 1, "nothing"),
        (("--import", str(tmp_path / "missing.json")), 2, "missing.json"),
        (("--import", str(tmp_path / "bad.json")), 2, "format"),
    ):
        done = tune(*arguments, check=False)
        assert done.returncode == status and reason in done.stderr and done.stdout == "", arguments


def test_what_happens_to_kept_results_is_one_thing_at_a_time(tune, tmp_path):
    done = tune("--import", str(tmp_path / "absent.json"), "--forget", check=False)
    assert done.returncode == 2 and "not allowed with" in done.stderr
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe{")
    done = tune("--import", str(tmp_path / "bytes.json"), check=False)
    assert done.returncode == 2 and "not a text in UTF-8" in done.stderr and "Traceback" not in done.stderr


def test_an_export_says_what_it_wrote(tune, tmp_path):
    file = tmp_path / "results.json"
    assert json.loads(tune("--export", str(file), "--json").stdout) == {"file": str(file), "results": 0}
    done = tune("--export", str(file), check=False)
    assert done.returncode == 2 and "exists; --force overwrites it" in done.stderr
