# SPDX-License-Identifier: MIT
"""Progress: bars, lines of long builds and saves, QUERN_PROGRESS, Ctrl-C."""

import io
import re
import shutil

import numpy as np
import pytest

import quern as qn
from quern import _progress, _storage
from quern._progress import Bar


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def plain(monkeypatch):
    """Bars at once, drawn without a library."""
    monkeypatch.setattr(Bar, "_delay", 0)
    monkeypatch.setattr(Bar, "_interval", 0)
    monkeypatch.setattr(_progress, "_libraries", ())
    monkeypatch.delenv("QUERN_PROGRESS", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")


def shown(stream):
    """The last state of the line."""
    return stream.getvalue().rpartition("\r")[2].removesuffix("\x1b[K")


def test_a_bar_shows_share_time_left_and_note(plain):
    stream = Terminal()
    bar = Bar("tuning", 200, unit="candidates", stream=stream)
    bar._start -= 10  # a quarter took ten seconds
    bar(50, note="best 1.2 ms")
    assert re.fullmatch(r"tuning \[#+\.+\]  25 %, 0:30 left, best 1\.2 ms", shown(stream))
    bar.step(50)
    assert " 50 %, 0:10 left, best 1.2 ms" in shown(stream)
    bar.close()
    assert stream.getvalue().endswith("\r\x1b[K")


def test_work_goes_on_if_its_stream_is_gone(plain):
    class Gone(Terminal):
        def write(self, text):
            raise BrokenPipeError("the reader has ended")

    closed = Terminal()
    closed.close()
    for stream in (Gone(), closed):
        with Bar("tuning", 10, stream=stream, is_shown=True) as bar:
            bar(1)
            bar.say("a line")
            bar(2)
        assert bar._drawing is None and not bar._is_shown


def test_a_bar_without_a_total_shows_what_is_done(plain):
    stream = Terminal()
    with Bar("saving", unit="bytes", stream=stream) as bar:
        bar(3 << 20)
        assert shown(stream) == "saving 3 MiB, 0:00"


def test_a_line_fits_into_the_terminal(plain, monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    stream = Terminal()
    with Bar("a long label", 10, stream=stream) as bar:
        bar(5, note="and a note that is longer than the terminal")
        assert len(shown(stream)) <= 29


def test_lines_above_stay(plain):
    stream = Terminal()
    with Bar("tuning", 2, stream=stream) as bar:
        bar(1)
        bar.say("candidate 7 is wrong")
        bar(2)
    assert "\r\x1b[Kcandidate 7 is wrong\n\rtuning" in stream.getvalue()


def test_short_work_shows_nothing(monkeypatch):
    monkeypatch.delenv("QUERN_PROGRESS", raising=False)
    stream = Terminal()
    with Bar("short", 2, stream=stream) as bar:
        bar(1)
    assert stream.getvalue() == ""


def test_pipes_stay_silent(plain):
    stream = io.StringIO()
    with Bar("saving", 2, stream=stream) as bar:
        bar(1)
        bar.say("a line")
    assert stream.getvalue() == ""


def test_the_variable_shows_lines_in_pipes_and_nothing_on_terminals(plain, monkeypatch):
    monkeypatch.setenv("QUERN_PROGRESS", "always")
    stream = io.StringIO()
    with Bar("saving", 4, stream=stream) as bar:
        for done in range(4):
            bar(done)  # one line, as all of them are in the same five seconds
    assert stream.getvalue() == "saving: 0 %\n"
    monkeypatch.setenv("QUERN_PROGRESS", "never")
    stream = Terminal()
    with Bar("saving", 2, stream=stream) as bar:
        bar(1)
    assert stream.getvalue() == ""


@pytest.mark.parametrize("library", ["tqdm", "rich"])
def test_a_library_draws_the_bar(plain, monkeypatch, library):
    pytest.importorskip(library)
    monkeypatch.setattr(_progress, "_libraries", (library,))
    stream = Terminal()
    with Bar("tuning", 200, unit="candidates", stream=stream) as bar:
        bar._start -= 10
        bar(50, note="best 1.2 ms")
        text = stream.getvalue()
        assert "tuning" in text and "25" in text and "0:30" in text and "best 1.2 ms" in text
        assert not isinstance(bar._drawing, _progress._Line)


def test_a_broken_library_does_not_end_the_work(plain, monkeypatch):
    monkeypatch.setattr(_progress, "_libraries", ("json",))  # is there, and has no bar
    monkeypatch.setattr(_progress, "_Rich", None)
    stream = Terminal()
    with Bar("tuning", 2, stream=stream) as bar:
        bar(1)
        assert "50 %" in shown(stream)


@pytest.mark.parametrize("save", [qn.save, qn.savez, qn.savez_compressed])
def test_large_saves_show_a_bar_and_write_the_same(plain, monkeypatch, tmp_path, capsys, save):
    values = np.random.default_rng(3).random(300_000)
    save(tmp_path / "plain", values)
    monkeypatch.setattr(_storage, "_LARGE", 1)
    monkeypatch.setenv("QUERN_PROGRESS", "always")
    save(tmp_path / "shown", values)
    assert capsys.readouterr().err.startswith("saving shown.np")
    for name in ("plain", "shown"):
        [file] = tmp_path.glob(f"{name}.*")
        found = qn.load(file)
        np.testing.assert_array_equal((found if save is qn.save else found["arr_0"]).get(), values)
    if save is qn.save:
        assert (tmp_path / "plain.npy").read_bytes() == (tmp_path / "shown.npy").read_bytes()


@pytest.mark.parametrize("ending", ["npy", "npz"])
def test_large_loads_show_a_bar_and_read_the_same(plain, monkeypatch, tmp_path, capsys, ending):
    monkeypatch.setenv("QUERN_PROGRESS", "always")
    monkeypatch.setattr(_storage, "_LARGE", 1 << 10)
    path, values = tmp_path / f"values.{ending}", np.random.default_rng(1).random(1 << 14)
    np.save(path, values) if ending == "npy" else np.savez(path, x=values)
    found = qn.load(path)
    assert (np.asarray(found if ending == "npy" else found["x"]) == values).all()
    assert f"loading values.{ending}" in capsys.readouterr().err
    monkeypatch.setenv("QUERN_PROGRESS", "never")
    qn.load(path)
    assert capsys.readouterr().err == ""


def test_ctrl_c_in_a_save_keeps_the_old_file(plain, monkeypatch, tmp_path):
    file = tmp_path / "x.npy"
    qn.save(file, np.zeros(3))
    before = file.read_bytes()
    monkeypatch.setattr(_storage, "_LARGE", 1)
    monkeypatch.setenv("QUERN_PROGRESS", "always")

    def interrupt(*args):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(_progress.CountedFile, "_count", interrupt)
        with pytest.raises(KeyboardInterrupt):
            qn.save(file, np.ones(300_000))
    assert file.read_bytes() == before and list(tmp_path.iterdir()) == [file]
    qn.save(file, np.ones(300_000))
    assert qn.load(file).shape == (300_000,)


BUILD = """
import sys, quern as qn
try:
    qn.Program("kernel void f(global int *x) { x[0] = 1; }", name="slow.cl").build("host")
except KeyboardInterrupt:
    print("interrupted")
    qn.Program("kernel void g(global int *x) { x[0] = 1; }").lowered_source("host")
"""


@pytest.fixture
def slow_compiler(tmp_path):
    """Settings by which a build takes two seconds and a half."""
    compiler = shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("needs gcc or clang")
    script = tmp_path / "slow-compiler"
    script.write_text(f'#!/bin/sh\nsleep 2.5\nexec {compiler} "$@"\n')
    script.chmod(0o755)
    return {"QUERN_CC": str(script)}


def test_a_long_build_is_shown_on_a_terminal_and_its_line_is_removed(terminal, slow_compiler):
    code, text = terminal("-c", BUILD, **slow_compiler)
    assert code == 0
    assert re.match(r"\rcompiling slow\.cl for 'host': 0:0\d\x1b\[K", text)
    assert text.endswith("\r\x1b[K")


@pytest.mark.parametrize(("setting", "is_shown"), [("never", False), ("always", True), ("auto", False)])
def test_the_variable_holds_for_builds(run_python, slow_compiler, tmp_path, setting, is_shown):
    env = {"QUERN_PROGRESS": setting, "QUERN_CACHE_DIR": str(tmp_path / "cache"), **slow_compiler}
    done = run_python(BUILD, env=env)
    assert ("compiling slow.cl for 'host': 0:0" in done.stderr) == is_shown
    assert "\x1b" not in done.stderr and "\r" not in done.stderr


def test_ctrl_c_ends_a_build_that_is_shown(terminal, slow_compiler):
    start = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    code, text = terminal("-c", start + BUILD, interrupt_at="compiling", **slow_compiler)
    assert code == 0
    assert text.endswith("\x1b[K\r\x1b[Kinterrupted\r\n")


def test_builds_are_not_shown_beside_a_bar(terminal, slow_compiler):
    code = """
from quern._progress import Bar
Bar._delay = 0
with Bar("tuning", 2) as bar:
    bar(1)
"""
    build = BUILD.replace("\n", "\n    ").rstrip()
    _, text = terminal("-c", code + build, **slow_compiler)
    assert "tuning" in text and "compiling" not in text


def test_a_build_in_the_background_is_not_shown(terminal, slow_compiler):
    code = """
import quern as qn
x = qn.ones(1 << 20, device="host")
for _ in range(3):
    qn.eval(x * 3 + 1)
qn.finish_compilation()
"""
    code, text = terminal("-c", code, **slow_compiler)
    assert (code, text) == (0, "")
