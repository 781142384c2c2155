# SPDX-License-Identifier: MIT
"""quern bench: what it measures, its report, and its comparison with older results."""

import copy
import json
import re
import xml.etree.ElementTree as ElementTree

import pytest
from processes import START

import quern as qn
from quern import cli
from quern._progress import Bar
from quern.cli.bench import _limits, _measure, _ours, _peers
from quern.cli.bench._names import NAMES, PEER_NAMES


@pytest.fixture(scope="module")
def result(tmp_path_factory, device_spec):
    """A measurement of all rows at the small size."""
    file = tmp_path_factory.mktemp("bench") / "result.json"
    arguments = ["--device", device_spec, "--size", "small", "--time", "0", "--peers", "numpy"]
    assert cli.main(["bench", *arguments, "--output", str(file)]) == 0
    return json.loads(file.read_text())


def test_every_row_is_measured(result, device):
    assert [row["name"] for row in result["rows"]] == list(NAMES)
    assert result["device"]["spec"] == device.spec
    for row in result["rows"]:
        assert 0 < row["minimum_s"] <= row["median_s"] and row["rounds"] >= 3
        if row["rate"] is not None:
            assert row["rate"] == pytest.approx(row["amount"] / row["minimum_s"])
            assert row["share"] == pytest.approx(row["rate"] / row["limit"])
        for peer in row["peers"]:
            assert peer["ratio"] == pytest.approx(peer["minimum_s"] / row["minimum_s"])
    assert [row["name"] for row in result["rows"] if row["rate"] is None] == ["launch", "compile"]


def test_limits_are_those_of_the_device(result, device):
    assert result["limits"]["copy_bandwidth"] == pytest.approx(qn.copy_bandwidth(device))
    assert (result["limits"]["transfer"] == 0) == device.shares_host_memory
    assert _limits.flop_rate(device, seconds=0.05) > 0


def test_amounts_are_the_bytes_and_operations_of_a_call(result):
    elements, side = result["elements"], result["side"]
    amounts = {row["name"]: row["amount"] for row in result["rows"]}
    assert amounts["bandwidth"] == 8 * elements
    assert amounts["upload"] == amounts["download"] == amounts["reduction"] == 4 * elements
    assert amounts["elementwise"] == 12 * elements
    assert amounts["scan"] == 8 * elements
    assert amounts["matmul"] == 2 * side**3


@pytest.mark.parametrize("name", PEER_NAMES)
def test_a_library_computes_or_is_skipped_by_name(name):
    device = qn.device("host")
    data = _ours.Data(1 << 12, 16)
    skipped = []
    found, versions = _peers.contestants([name], device, data, lambda *what: skipped.append(what))
    assert (name in versions) == bool(found) == (not skipped)
    if skipped:
        pytest.skip(f"{name}: {skipped[0][1]}")
    for benchmark, contestants in found.items():
        assert benchmark in NAMES
        for contestant in contestants:
            contestant.call()
            contestant.finish()


def test_a_peer_that_fails_is_skipped_and_the_others_are_measured():
    def fail():
        raise ValueError("first line\nsecond line")

    calls = []
    skipped = []
    benchmark = _measure.Benchmark("row", "row", _measure.Contestant("Quern", lambda: calls.append("Quern")))
    benchmark.peers = [
        _measure.Contestant("broken", fail),
        _measure.Contestant("right", lambda: calls.append("right")),
    ]
    times, rounds = _measure.measure(benchmark, 0, Bar("bench"), lambda *what: skipped.append(what))
    assert list(times) == ["Quern", "right"] and rounds == 3
    assert skipped == [("broken: row", "ValueError: first line")]
    assert calls.count("Quern") == calls.count("right")


def test_contestants_take_turns_in_a_rotating_order():
    calls = []
    contestants = [_measure.Contestant(name, lambda name=name: calls.append(name), batch=1) for name in "abc"]
    times = {name: [] for name in "abc"}
    for round_ in range(3):
        _measure.take_turns(contestants, round_, 1, times)
    assert "".join(calls) == "abcbcacab"
    assert all(len(taken) == 3 for taken in times.values())


def edited(result, **seconds):
    """The result with other times of some rows."""
    other = copy.deepcopy(result)
    for row in other["rows"]:
        row["minimum_s"] = seconds.get(row["name"], row["minimum_s"])
    return other


@pytest.fixture
def compare(tmp_path, capsys):
    def run(old, new, *arguments):
        (tmp_path / "old.json").write_text(json.dumps(old))
        (tmp_path / "new.json").write_text(json.dumps(new))
        files = ["--load", str(tmp_path / "new.json"), "--compare", str(tmp_path / "old.json")]
        return cli.main(["bench", *files, *arguments]), capsys.readouterr().out

    return run


def test_a_comparison_names_the_slower_and_the_faster_rows(result, compare):
    old = edited(result, sort=1.0, scan=1.0, matmul=1.0)
    new = edited(result, sort=1.2, scan=0.8, matmul=1.05)
    status, text = compare(old, new, "--json")
    verdicts = {row["name"]: row["verdict"] for row in json.loads(text)["comparison"]["rows"]}
    assert status == 1
    assert verdicts.pop("sort") == "slower" and verdicts.pop("scan") == "faster"
    assert set(verdicts.values()) == {"same"}
    status, text = compare(old, new)
    assert re.search(r"^sort +1 s +1.2 s +1.20 +slower$", text, re.MULTILINE)
    assert compare(old, new, "--tolerance", "0.3")[0] == 0
    assert compare(new, old)[0] == 1  # scan is slower that way


def test_rows_of_other_sizes_are_not_compared(result, compare):
    new = edited(result)
    new["rows"][0]["amount"] *= 2
    new["rows"][0]["minimum_s"] *= 9
    del new["rows"][-1]
    status, text = compare(result, new, "--json")
    compared = json.loads(text)["comparison"]
    assert status == 0
    assert compared["rows"][0]["verdict"] == "new" and compared["missing"] == [NAMES[-1]]


def test_another_device_is_mentioned(result, compare):
    other = edited(result)
    other["device"]["name"] = "Some other device"
    assert "another device: Some other device" in compare(other, result)[1]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 2, "rows": []}'])
def test_a_file_that_is_no_result_is_refused(tmp_path, capsys, text):
    (tmp_path / "old.json").write_text(text)
    assert cli.main(["bench", "--load", str(tmp_path / "old.json")]) == 2
    assert "not a result of quern bench" in capsys.readouterr().err


def test_the_report_is_one_well_formed_file(result, compare, tmp_path):
    file = tmp_path / "report.html"
    other = edited(result, sort=9.0)
    other["device"]["name"] = "<b>A & B</b>"
    other["skipped"] = [{"what": "lib", "why": 'a "<" b'}]
    assert compare(result, other, "--html", str(file))[0] == 1
    text = file.read_text()
    page = ElementTree.fromstring(text)
    assert page.find("body/h1").text == "<b>A & B</b>"
    # Nothing outside: no address, no script, no element or attribute that loads something.
    assert not re.search(r"https?:|//|url\(|@import|<script|<link|<img|<iframe|src=|href=", text)
    assert {"head", "body"} == {child.tag for child in page}
    drawings = page.findall(".//svg")
    labels = [drawing.get("aria-label") for drawing in drawings]
    assert labels == ["share of the device's limit", "times beside other libraries", "roofline"]
    assert "prefers-color-scheme: dark" in text
    words = " ".join(page.itertext())
    for row in result["rows"]:
        assert row["title"] in words
    assert "slower" in words


def test_drawings_stay_in_their_frames(result, compare, tmp_path):
    file = tmp_path / "report.html"
    extreme = edited(result, elementwise=1e-9, scan=1e3, sort=1e-7)
    for row in extreme["rows"]:
        if row["rate"] is not None:
            row["rate"] = row["amount"] / row["minimum_s"]
            row["share"] = row["rate"] / row["limit"]
    compare(result, extreme, "--html", str(file))
    for drawing in ElementTree.fromstring(file.read_text()).findall(".//svg"):
        _, _, width, height = map(float, drawing.get("viewBox").split())
        for shape in drawing:
            if shape.tag == "rect":
                assert float(shape.get("x")) + float(shape.get("width")) <= width
            for at, most in (("x", width), ("y", height), ("cx", width), ("cy", height)):
                assert 0 <= float(shape.get(at, 0)) <= most


def test_files_are_not_overwritten_unasked(result, compare, tmp_path):
    file = tmp_path / "report.html"
    file.write_text("mine")
    assert compare(result, result, "--html", str(file))[0] == 2
    assert file.read_text() == "mine"
    assert compare(result, result, "--html", str(file), "--force")[0] == 0
    assert file.read_text().startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("arguments", [["nonsense"], ["--peers", "numpy,nonsense"], ["--time", "-1"]])
def test_unknown_names_are_refused(capsys, arguments):
    assert cli.main(["bench", *arguments]) == 2
    assert capsys.readouterr().err


def test_only_the_rows_that_are_named_are_measured(capsys):
    assert (
        cli.main(["bench", "sort", "launch", "--size", "small", "--time", "0", "--peers", "none", "--json"])
        == 0
    )
    facts = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in facts["rows"]] == ["launch", "sort"]
    assert facts["peers"] == {} and all(row["peers"] == [] for row in facts["rows"])


def test_ctrl_c_keeps_the_rows_that_are_measured(terminal, tmp_path):
    arguments = ["bench", "--size", "small", "--time", "2", "--peers", "none", "--output", "result.json"]
    status, text = terminal("-c", START, *arguments, interrupt_at="launch of an empty kernel")
    assert status == 130 and "Traceback" not in text
    rows = [row["name"] for row in json.loads((tmp_path / "result.json").read_text())["rows"]]
    assert rows == list(NAMES[: len(rows)]) and 0 < len(rows) < len(NAMES)
    table = text.rpartition("\x1b[K")[2]
    assert "bandwidth" in table and "matmul" not in table


def test_the_progress_is_on_standard_error_and_the_table_stays_plain(quern):
    done = quern(
        "bench", "launch", "--size", "small", "--time", "1.5", "--peers", "none", QUERN_PROGRESS="always"
    )
    assert done.returncode == 0
    assert "bench: " in done.stderr  # the row alone takes 1.5 seconds
    assert "bench:" not in done.stdout


def test_a_row_that_fails_does_not_hide_the_others(quern):
    nowhere = "/nonexistent"
    done = quern(
        "bench", "launch", "upload", "--size", "small", "--time", "0", "--peers", "none", "--json",
        "--device", "host", QUERN_CC=nowhere, PATH=nowhere,
    )  # fmt: skip
    facts = json.loads(done.stdout)
    assert done.returncode == 1
    assert [row["name"] for row in facts["rows"]] == ["upload"]
    [failed] = facts["failed"]
    assert failed["name"] == "launch" and "QUERN_CC" in failed["why"]
