# SPDX-License-Identifier: MIT
"""tune() finds right and fast parameters, keeps them, and Tuned uses them without measuring."""

import contextlib
import csv
import io
import json
import os
import signal
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import quern as qn
from quern import _core, _tune

SIZE = 3000
SOURCE = """
#if EACH == 8
#error eight are too many
#endif
kernel void scale(global const float *x, global float *y, int n) {
  for (int k = 0; k < EACH; ++k) {
    int i = get_global_id(0) * EACH + k;
    if (i < n) y[i] = x[i] * (EACH == 4 ? 3 : 2);
  }
}
"""


def groups(p):
    return -(-SIZE // p.EACH)


@pytest.fixture(autouse=True)
def no_results():
    qn.tuning.forget()
    yield
    qn.tuning.forget()


@pytest.fixture
def arrays(device):
    x = np.arange(SIZE, dtype="float32")
    return qn.asarray(x, device=device), qn.zeros(SIZE, "float32", device)


def tune_scale(arrays, device, values=(1, 2, 4, 8), **options):
    settings = {"global_size": groups, "device": device, "repeats": 2, "progress": False, **options}
    return qn.tune(SOURCE, {"EACH": values}, args=(*arrays, SIZE), **settings)


def test_the_best_is_right_and_failures_are_recorded(device, arrays):
    result = tune_scale(arrays, device)
    assert result.best["EACH"] in (1, 2)
    status = {c.parameters["EACH"]: c.status for c in result.candidates}
    assert status[4] == "wrong" and status[8] == "not compiled"
    errors = {c.parameters["EACH"]: c.error for c in result.candidates}
    assert "element 1 is 3.0, expected 2.0" in errors[4]
    assert "BuildError" in errors[8]
    assert all(c.seconds > 0 and c.times for c in result.candidates if c.parameters["EACH"] in (1, 2))
    assert result.default_seconds >= result.seconds > 0
    assert result.space_size == 4 and not result.interrupted and not result.timed_out


def test_arrays_have_their_values_again_after_the_search(device, arrays):
    x, y = arrays
    y.set(np.full(SIZE, 7, "float32"))
    source = "kernel void twice(global float *x) { x[get_global_id(0)] *= FACTOR; }"
    before = x.get()
    result = qn.tune(source, {"FACTOR": [2, 3]}, args=[x], device=device, repeats=2, progress=False)
    assert [c.status for c in result.candidates] == ["measured", "wrong"]
    np.testing.assert_array_equal(x.get(), before)
    tune_scale(arrays, device, (1, 2))
    np.testing.assert_array_equal(y.get(), np.full(SIZE, 7, "float32"))


def test_tuned_uses_a_kept_result_and_otherwise_its_defaults(device, arrays):
    x, y = arrays
    scale = qn.Tuned(SOURCE, {"EACH": 1}, global_size=groups)
    with qn.Queue(device):
        scale(x, y, SIZE)
        np.testing.assert_array_equal(y.get(), 2 * x.get())
        assert scale.origin(x, y, SIZE) == "defaults"
        # The only candidate besides the default wins if the default cannot be used.
        scale.tune(
            {"EACH": [2, 8]},
            args=(x, y, SIZE),
            defaults={"EACH": 2},
            device=device,
            repeats=1,
            progress=False,
        )
        assert scale.origin(x, y, SIZE) == "kept"
        assert scale.parameters(x, y, SIZE) == {"EACH": 2}
        y.fill(0)
        scale(x, y, SIZE)
        np.testing.assert_array_equal(y.get(), 2 * x.get())
        # Arrays of another order of magnitude are another class.
        assert scale.origin(qn.zeros(1 << 20, "float32", device), y, SIZE) == "defaults"


def test_another_process_finds_the_result(device, arrays, run_python):
    tune_scale(arrays, device, (2, 8), problem="shared", problem_class="any")
    code = f"""
        import quern as qn
        scale = qn.Tuned({SOURCE!r}, {{"EACH": 1}}, problem="shared", problem_class="any")
        print(scale.parameters(device={device.spec!r}), scale.origin(device={device.spec!r}))
        other = qn.Tuned({SOURCE + " "!r}, {{"EACH": 1}}, problem="shared", problem_class="any")
        print(other.origin(device={device.spec!r}))
    """
    assert run_python(code).stdout.split("\n")[:2] == ["{'EACH': 2} kept", "defaults"]  # of another source
    assert "defaults" in run_python(code, env={"QUERN_TUNING": "off"}).stdout.split("\n")[0]


def test_without_a_result_nothing_is_measured(device, arrays, monkeypatch):
    def search(*args):
        raise AssertionError("a search that was not asked for")

    monkeypatch.setattr(_core, "tune_search", search)
    monkeypatch.setattr(_core, "tune_algorithm", search)
    scale = qn.Tuned(SOURCE, {"EACH": 1}, global_size=groups)
    with qn.Queue(device) as queue:
        scale(*arrays, SIZE)
        before = qn.stats().launches
        for _ in range(3):
            scale(*arrays, SIZE)
        queue.finish()
        assert qn.stats().launches == before + 3


def test_algorithms_without_results_launch_what_they_launch_with_tuning_off(device, run_python):
    code = f"""
        import os, numpy as np, quern as qn
        with qn.device({device.spec!r}):
            x = qn.asarray(np.arange(1 << 16, dtype="float32")[::-1].copy())
            qn.eval(qn.sort(x), qn.cumulative_sum(x), x.sum(), x.reshape(256, 256) @ x.reshape(256, 256))
            qn.synchronize()
            folder = os.path.join(qn.cache.info().folder, "tuning")
            print(qn.stats().launches, [files for _, _, files in os.walk(folder) if files])
            print(len(qn.tuning.results()))
    """
    run_python(code)  # compiles
    on, off = (run_python(code, env={"QUERN_TUNING": setting}).stdout for setting in (None, "off"))
    assert on == off
    assert on.splitlines()[0].endswith("[]")


def test_templates_programs_kernels_and_callables_are_tuned(device, arrays):
    pytest.importorskip("jinja2")
    x, y = arrays
    options = {"device": device, "repeats": 1, "progress": False}
    template = qn.Template(
        "kernel void t(global const float *x, global {{ T }} *y) { y[get_global_id(0)] = {{ factor }} * x[get_global_id(0)]; }"
    )
    result = qn.tune(template, {"T": ["float"], "factor": [2, 3]}, args=(x, y), name="t", **options)
    assert result.best == {"T": "float", "factor": 2}
    program = qn.Program(
        "kernel void a(global float *y) { y[0] = BASE + SHIFT; } kernel void b(global float *y) { y[0] = 1; }",
        defines={"BASE": 1, "SHIFT": 0},
    )
    for kernel, name in ((program, "a"), (program.a, None)):
        result = qn.tune(
            kernel,
            {"SHIFT": [0, 1]},
            args=(y,),
            name=name,
            global_size=1,
            verify=lambda y: float(y.get()[0]) == 2,
            **options,
        )
        assert [c.status for c in result.candidates] == ["wrong", "measured"]
        assert result.best == {"SHIFT": 1}
    with pytest.raises(ValueError, match="the kernels a, b; say which"):
        qn.tune(program, {"SHIFT": [0]}, args=(y,), global_size=1, **options)

    def scaled(x, factor, shift):
        return factor * x + shift

    result = qn.tune(scaled, {"factor": [1, 2], "shift": [0.5, 1.5]}, args=(x,), verify=False, **options)
    assert set(result.best) == {"factor", "shift"} and len(result.candidates) == 4
    result = qn.tune(scaled, {"factor": [1, 2], "shift": [0.5]}, args=(x,), **options)
    assert [c.status for c in result.candidates] == ["measured", "wrong"]
    assert result.problem.endswith("scaled")


def test_sizes_and_arguments_may_depend_on_parameters(device, arrays):
    source = """
    kernel void reversed(global const float *x, global float *y, local float *tile) {
      size_t l = get_local_id(0), g = get_group_id(0);
      tile[l] = x[g * TILE + l];
      barrier(CLK_LOCAL_MEM_FENCE);
      y[g * TILE + l] = tile[l] + 1;
    }"""
    x, y = (qn.asarray(np.arange(1024, dtype="float32"), device=device), qn.zeros(1024, "float32", device))
    result = qn.tune(
        source,
        {"TILE": [4, 8, 16]},
        args=lambda p: (x, y, qn.LocalMemory(4 * p.TILE)),
        global_size=1024,
        local_size=lambda p: p.TILE,
        verify={1: np.arange(1024) + 1.0},
        device=device,
        repeats=1,
        progress=False,
    )
    assert all(c.status in ("measured", "hopeless") for c in result.candidates)


def test_what_exceeds_a_limit_of_the_device_is_recorded(device):
    source = "kernel void one(global float *x, local float *t) { t[0] = 1; x[get_global_id(0)] = t[0]; }"
    x = qn.zeros(1 << 20, "float32", device)
    result = qn.tune(
        source,
        {"GROUP": [8, 1 << 20], "BYTES": [64, 1 << 40]},
        args=lambda p: (x, qn.LocalMemory(p.BYTES)),
        local_size=lambda p: p.GROUP,
        device=device,
        repeats=1,
        progress=False,
    )
    assert result.best == {"GROUP": 8, "BYTES": 64}
    for candidate in result.candidates[1:]:
        assert candidate.status == "not run" and candidate.error and candidate.seconds is None


def test_restrictions_exclude_configurations(device):
    def f(a, b):
        pass

    options = {"verify": False, "device": device, "repeats": 1, "progress": False, "keep": False}
    for restrictions in (
        "a * b <= 4",
        ["a * b <= 4"],
        lambda p: p.a * p["b"] <= 4,
        (lambda p: p.a * p.b <= 4,),
    ):
        result = qn.tune(f, {"a": [1, 2, 4], "b": [1, 2, 4]}, restrictions=restrictions, **options)
        assert {tuple(c.parameters.values()) for c in result.candidates} == {
            (1, 1),
            (1, 2),
            (1, 4),
            (2, 1),
            (2, 2),
            (4, 1),
        }
    with pytest.raises(ValueError, match="there is no parameter 'c'"):
        qn.tune(f, {"a": [1], "b": [1]}, restrictions="a < c", **options)
    with pytest.raises(ValueError, match="restrictions"):
        qn.tune(f, {"a": [1], "b": [1]}, restrictions="a <", **options)
    with pytest.raises(ValueError, match="exclude all"):
        qn.tune(f, {"a": [1], "b": [1]}, restrictions="a > 1", **options)
    with pytest.raises(ZeroDivisionError):
        qn.tune(f, {"a": [1], "b": [1]}, restrictions=lambda p: p.a / 0, **options)
    with pytest.raises(ValueError, match="give defaults= or verify="):
        qn.tune(f, {"a": [1, 2], "b": [1]}, restrictions="a > 1", **{**options, "verify": None})


@pytest.mark.parametrize("strategy", ["brute", "random", "anneal", "bayes"])
def test_a_search_is_repeatable_by_its_seed(device, strategy):
    def order(seed):
        result = qn.tune(
            lambda a, b: None,
            {"a": list(range(12)), "b": list("xyz")},
            verify=False,
            strategy=strategy,
            seed=seed,
            max_evaluations=8,
            device=device,
            repeats=1,
            progress=False,
            keep=False,
        )
        assert result.strategy == strategy
        return [tuple(c.parameters.values()) for c in result.candidates]

    first = order(1)
    assert len(set(first)) == 8
    if strategy in ("brute", "random"):  # the others follow the times, too
        assert order(1) == first
        assert (order(2) == first) == (strategy == "brute")


def test_invalid_arguments_are_refused(device):
    options = {"verify": False, "device": device, "progress": False, "keep": False}
    with pytest.raises(ValueError, match="strategy"):
        qn.tune(lambda a: None, {"a": [1]}, strategy="guess", **options)
    with pytest.raises(ValueError, match="parameters"):
        qn.tune(lambda a: None, {"a": []}, **options)
    with pytest.raises(ValueError, match="'a' has a value twice"):
        qn.tune(lambda a: None, {"a": [1, 1]}, **options)
    with pytest.raises(TypeError, match="'a': expected a bool, an int"):
        qn.tune(lambda a: None, {"a": [1, None]}, **options)
    with pytest.raises(ValueError, match="defaults"):
        qn.tune(lambda a: None, {"a": [1]}, defaults={"b": 1}, **options)
    with pytest.raises(ValueError, match="does not belong"):
        qn.tune(lambda a: None, {"a": [1]}, defaults={"a": 2}, **options)
    with pytest.raises(TypeError, match="kernel: expected"):
        qn.tune(7, {"a": [1]}, **options)
    with pytest.raises(qn.Error, match=r"no configuration gave a right result(.|\n)*boom"):
        qn.tune(lambda a: exec("raise RuntimeError('boom')"), {"a": [1, 2]}, **options)
    with pytest.raises(ValueError, match=r"default configuration \(a=1\) gives no reference: boom"):
        qn.tune(lambda a: exec("raise RuntimeError('boom')"), {"a": [1, 2]}, **{**options, "verify": None})


def test_a_verify_function_may_say_what_is_wrong(device):
    answers = {1: None, 2: True, 3: "three is odd", 4: False, 5: np.bool_(True)}

    def f(a):
        f.last = a

    result = qn.tune(
        f,
        {"a": list(answers)},
        verify=lambda: answers[f.last],
        device=device,
        repeats=1,
        progress=False,
        keep=False,
    )
    errors = [c.error for c in result.candidates]
    assert errors == ["", "", "three is odd", "verify() says that the results are wrong", ""]


def test_a_time_limit_leaves_the_default_measured(device):
    result = qn.tune(
        lambda a: None,
        {"a": list(range(1000))},
        verify=False,
        time_limit=0,
        device=device,
        progress=False,
        keep=False,
    )
    assert result.timed_out and 1 <= len(result.candidates) < 1000
    assert "time limit" in repr(result)


@pytest.mark.parametrize("raised_by", ["signal", "exception"])
def test_ctrl_c_returns_the_best_so_far(device, raised_by):
    calls = []
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background ignores it

    def f(a):
        calls.append(a)
        if len(calls) == 100:
            if raised_by == "signal":
                os.kill(os.getpid(), signal.SIGINT)
            else:
                raise KeyboardInterrupt

    try:
        result = qn.tune(f, {"a": list(range(1000))}, verify=False, device=device, progress=False, keep=False)
    finally:
        signal.signal(signal.SIGINT, before)
    assert result.interrupted and len(result.candidates) < 1000
    assert result.best["a"] in calls
    qn.synchronize(device)


def test_ctrl_c_before_the_first_result_is_raised(device):
    def f(a):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        qn.tune(f, {"a": [1, 2]}, verify=False, device=device, progress=False, keep=False)


@pytest.fixture
def search_threads(monkeypatch):
    """Sets how many threads compile for a search, which decides how far ahead it looks: this machine may have few."""
    search = _core.tune_search

    def set_threads(count):
        def with_threads(target, queue, space, checks, settings, show):
            settings |= {"threads": count, "compiles_while_measuring": True}
            return search(target, queue, space, checks, settings, show)

        monkeypatch.setattr(_core, "tune_search", with_threads)

    return set_threads


@pytest.mark.parametrize("threads", [2, 16])
@pytest.mark.parametrize("raised", [KeyboardInterrupt, SystemExit])
def test_ctrl_c_in_a_restriction_ends_the_search(device, raised, threads, search_threads):
    search_threads(threads)
    calls, runs = [], []
    asked_at_the_first_run = 0

    def first_of_each(p):  # of so many configurations that they are not listed beforehand
        calls.append(p)
        # A search that was stopped before its first run would raise KeyboardInterrupt, which ends pytest.
        if runs and len(calls) > asked_at_the_first_run:
            raise raised
        return p.b == 0

    def run(a, b):
        nonlocal asked_at_the_first_run
        if not runs:
            asked_at_the_first_run = len(calls) + 1000
        runs.append(a)

    def search():
        return qn.tune(
            run,
            {"a": list(range(1100)), "b": list(range(1000))},
            restrictions=first_of_each,
            verify=False,
            device=device,
            repeats=1,
            progress=False,
            keep=False,
        )

    with pytest.raises(SystemExit) if raised is SystemExit else contextlib.nullcontext():
        result = search()
        assert result.interrupted and [c.parameters for c in result.candidates] == [
            {"a": a, "b": 0} for a in range(len(result.candidates))
        ]
    assert len(calls) == asked_at_the_first_run + 1


def test_ctrl_c_in_a_restriction_before_the_first_run_is_raised(device, search_threads):
    search_threads(16)
    calls = []

    def first_of_each(p):
        calls.append(p)
        if len(calls) == 5000:
            raise KeyboardInterrupt
        return p.b == 0

    with pytest.raises(KeyboardInterrupt):
        qn.tune(
            lambda a, b: None,
            {"a": list(range(1100)), "b": list(range(1000))},
            restrictions=first_of_each,
            verify=False,
            device=device,
            progress=False,
            keep=False,
        )
    assert len(calls) == 5000


def test_the_work_that_makes_arguments_is_not_timed(device, monkeypatch):
    x = qn.zeros(16, "float32", device)
    is_timed = False
    made_while_timed = []
    launcher_of = _tune._Target.launcher

    def launcher(self, parameters):
        launch = launcher_of(self, parameters)

        def timed(*arguments):
            nonlocal is_timed
            is_timed = True
            try:
                return launch(*arguments)
            finally:
                is_timed = False

        return timed

    monkeypatch.setattr(_tune._Target, "launcher", launcher)

    def arguments(p):
        made_while_timed.append(is_timed)
        return [x + 1]

    qn.tune(
        "kernel void add(global float *x) { x[get_global_id(0)] += TERM; }",
        {"TERM": [1]},
        args=arguments,
        verify=False,
        device=device,
        repeats=3,
        progress=False,
        keep=False,
    )
    assert len(made_while_timed) >= 3 and not any(made_while_timed)


def test_other_exceptions_that_are_no_exception_are_raised(device):
    def f(a):
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        qn.tune(f, {"a": [1, 2]}, verify=False, device=device, progress=False, keep=False)


def test_results_are_exported_imported_and_forgotten(device, arrays, tmp_path):
    tune_scale(arrays, device, (2, 8), problem="one")
    tune_scale(arrays, device, (1, 8), problem="two")
    text = qn.tuning.export_results(tmp_path / "results.json")
    assert (tmp_path / "results.json").read_text() == text
    document = json.loads(text)
    assert [r["problem"] for r in document["results"]] == ["one", "two"]
    assert document["results"][0]["parameters"] == {"EACH": 2}
    assert document["results"][0]["device"]["name"] == device.name
    assert qn.tuning.results() == document["results"]
    assert qn.tuning.forget("one") == 1
    assert [r["problem"] for r in qn.tuning.results()] == ["two"]
    assert qn.tuning.import_results(tmp_path / "results.json") == 2
    assert qn.tuning.import_results(text) == 2
    qn.tuning.reload()
    assert qn.tuning.results() == document["results"]
    document["version"] = 99
    with pytest.raises(ValueError, match="version"):
        qn.tuning.import_results(json.dumps(document))


def test_a_search_is_exported(device, arrays, tmp_path):
    result = tune_scale(arrays, device, keep=False)
    assert qn.tuning.results() == []
    rows = list(csv.DictReader(io.StringIO(result.csv())))
    assert [int(row["EACH"]) for row in rows] == [1, 2, 4, 8]
    assert float(rows[0]["seconds"]) == pytest.approx(result.candidates[0].seconds, rel=1e-4)
    document = json.loads(result.json())
    assert document["best"] == result.best
    assert document["candidates"][0]["times"] == result.candidates[0].times
    assert document["candidates"][2]["seconds"] is None
    table = result.table().splitlines()
    assert "best" in table[1] and len(table) == 5
    for name in ("a.csv", "a.json", "a.txt"):
        result.save(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 0
    with pytest.raises(ValueError, match="ends in"):
        result.save(tmp_path / "a.xls")
    picture = result.plot(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text() == picture.svg == picture._repr_svg_()
    root = ElementTree.fromstring(picture.svg)
    circles = root.findall(".//{http://www.w3.org/2000/svg}circle")
    assert len(circles) == 2 * 2  # the right candidates, in the order of the search and by their parameter


def test_progress_is_shown_where_it_is_wanted(device, capsys, monkeypatch):
    from quern import _progress

    monkeypatch.setattr(_progress.Bar, "_delay", 0.0)
    monkeypatch.setattr(_progress.Bar, "_interval", 0.0)
    monkeypatch.setenv("QUERN_PROGRESS", "always")
    qn.tune(lambda a: None, {"a": [1, 2]}, verify=False, device=device, keep=False, problem="thing")
    assert "tuning thing" in capsys.readouterr().err
    qn.tune(lambda a: None, {"a": [1, 2]}, verify=False, device=device, keep=False, progress=False)
    assert capsys.readouterr().err == ""
