# SPDX-License-Identifier: MIT
"""Profiles: what they record, their tables, traces and pictures, and what happens when the block goes wrong."""

import inspect
import itertools
import json
import re
import threading
import xml.etree.ElementTree

import numpy as np
import pytest

import quern as qn

SIZE = 100_000


def of_kind(profile, *kinds):
    return [record for record in profile.records if record.kind in kinds]


@pytest.fixture
def x(queue):
    array = qn.zeros(SIZE, "float32", queue=queue)
    queue.finish()
    return array


def test_a_kernel_has_its_name_sizes_bytes_and_line(queue, basic, x):
    with qn.profile() as p:
        line = inspect.currentframe().f_lineno + 1
        basic.add(queue, SIZE, None, x, x, x)
        queue.finish()
    (kernel,) = of_kind(p, "kernel")
    assert kernel.name == "add"
    assert kernel.device == queue.device.spec
    assert kernel.global_size == (SIZE,)
    assert len(kernel.local_size) == 1
    assert (kernel.bytes_read, kernel.bytes_written) == (2 * x.nbytes, x.nbytes)
    assert kernel.line == f"{__file__}:{line}"
    assert not kernel.failed
    (wait,) = of_kind(p, "host wait") or [None]
    assert wait is None or wait.line == f"{__file__}:{line + 1}"


def test_copies_and_fills_have_their_bytes(queue):
    values = np.ones(SIZE, "float32")
    one, other = (qn.Buffer(values.nbytes, queue=queue) for _ in range(2))
    with qn.profile() as p:
        one.write(values, queue=queue)
        queue.copy(other, one)
        other.fill(0, queue=queue)
        one.read(queue=queue)
    records = of_kind(p, "upload", "copy", "fill", "download")
    assert [record.kind for record in records] == ["upload", "copy", "fill", "download"]
    assert [(record.bytes_read, record.bytes_written) for record in records] == [
        (0, values.nbytes),
        (values.nbytes, values.nbytes),
        (0, values.nbytes),
        (values.nbytes, 0),
    ]


def test_a_rectangle_counts_the_bytes_it_moves(queue):
    source = qn.Buffer(64 * 64, queue=queue)
    target = np.zeros((8, 16), "uint8")
    with qn.profile() as p:
        qn.copy_rect(target, source, (16, 8), src_pitches=(64,), queue=queue).wait()
    assert [record.bytes_read for record in of_kind(p, "download")] == [128]


def test_times_are_those_of_a_profiling_queue(device, basic, x):
    queue = qn.Queue(device, profiling=True)
    with qn.profile() as p:
        events = [basic.twice(queue, SIZE, None, x) for _ in range(5)]
    kernels = of_kind(p, "kernel")
    assert [(k.times.started, k.times.ended) for k in kernels] == [
        (e.times.started, e.times.ended) for e in events
    ]
    (row,) = p.rows()
    assert row.total == pytest.approx(sum(event.times.duration for event in events) * 1e-9)


def test_queues_that_are_not_made_for_profiling_have_times_in_order(queue, basic, x):
    with qn.profile() as p:
        for _ in range(10):
            basic.twice(queue, SIZE, None, x)
    times = [record.times for record in of_kind(p, "kernel")]
    assert len(times) == 10
    for before, after in itertools.pairwise(times):
        assert before.queued <= before.started <= before.ended <= after.started
    event = basic.twice(queue, SIZE, None, x)
    with pytest.raises(ValueError, match="profiling=True"):
        _ = event.times


def test_expressions_are_named_by_their_operations(queue, x):
    with queue, qn.profile() as p:
        y = 2 * x + 1  # evaluated at the end of the block
    assert [record.name for record in of_kind(p, "kernel")] == ["multiply, add"]
    assert (y.get(queue=queue) == 1).all()


def test_an_exception_leaves_the_block_and_what_was_recorded(queue, basic, x):
    with pytest.raises(KeyError), queue, qn.profile() as p:
        basic.twice(queue, SIZE, None, x)
        pending = x + 1
        raise KeyError("wrong")
    assert [record.name for record in of_kind(p, "kernel")] == ["twice"]
    assert not pending.in_memory
    with qn.profile() as later:  # the end of another block evaluates it
        pass
    assert [record.name for record in later.records] == ["add"]


def test_nested_profiles_each_have_their_own(queue, basic, x):
    with qn.profile() as outer:
        basic.twice(queue, SIZE, None, x)
        with qn.profile() as inner:
            basic.fill(queue, SIZE, None, x, 1.0, SIZE)
    assert [record.name for record in of_kind(outer, "kernel")] == ["twice", "fill"]
    assert [record.name for record in of_kind(inner, "kernel")] == ["fill"]


def test_profiles_record_all_threads(device, basic):
    def work():
        queue = qn.Queue(device)
        array = qn.zeros(SIZE, "float32", queue=queue)
        with qn.profile() as own:
            for _ in range(10):
                basic.twice(queue, SIZE, None, array)
        assert len(of_kind(own, "kernel")) >= 10

    threads = [threading.Thread(target=work) for _ in range(4)]
    with qn.profile() as p:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    kernels = of_kind(p, "kernel")
    assert len(kernels) == 40
    assert len({record.queue for record in kernels}) == len({record.thread for record in kernels}) == 4


def test_a_profile_can_be_read_while_it_is_open(queue, basic, x):
    with qn.profile() as p:
        basic.twice(queue, SIZE, None, x)
        assert len(of_kind(p, "kernel")) == 1
        assert "twice" in p.table()
        assert repr(p) == "<quern.Profile, open>"
        basic.twice(queue, SIZE, None, x)
    assert len(of_kind(p, "kernel")) == 2
    assert repr(p) == "<quern.Profile, ended>"


def test_a_profile_collects_once():
    p = qn.profile()
    assert repr(p) == "<quern.Profile, not begun>"
    with pytest.raises(ValueError, match="has not begun"):
        p.table()
    with p, pytest.raises(ValueError, match="collects once"):
        p.__enter__()
    with pytest.raises(ValueError, match="collects once"):
        p.__enter__()


def test_an_empty_profile_is_empty_in_every_form(tmp_path):
    with qn.profile() as p:
        pass
    assert p.records == [] and p.rows() == []
    assert p.table() == "nothing was recorded"
    p.save(tmp_path / "trace.json")
    assert json.loads((tmp_path / "trace.json").read_text())["traceEvents"] == []
    assert "nothing was recorded" in "".join(xml.etree.ElementTree.fromstring(p.plot().svg).itertext())


def test_the_table_is_sorted_and_complete(queue, basic, x, spin):
    with qn.profile() as p:
        for _ in range(3):
            basic.twice(queue, SIZE, None, x)
        spin(queue, 0.05)
    rows = [row for row in p.rows() if row.kind == "kernel"]
    assert [(row.name, row.count) for row in rows if row.name == "twice"] == [("twice", 3)]
    assert rows[0].name == "spin"
    assert [row.total for row in p.rows()] == sorted((row.total for row in p.rows()), reverse=True)
    assert sum(row.share for row in p.rows()) == pytest.approx(1)
    twice = next(row for row in rows if row.name == "twice")
    assert twice.mean == pytest.approx(twice.total / 3)
    assert twice.bytes == 3 * x.nbytes
    assert twice.bytes_per_second == pytest.approx(twice.bytes / twice.total)
    assert twice.fraction_of_limit == pytest.approx(twice.bytes_per_second / qn.copy_bandwidth(queue.device))
    head, *lines = p.table().splitlines()
    assert head.split() == [
        "kind",
        "name",
        "device",
        "count",
        "total",
        "mean",
        "share",
        "bytes",
        "bytes/s",
        "of",
        "limit",
        "line",
    ]
    assert any(re.search(r"\bkernel +twice\b.* 3 ", line) for line in lines)


def test_rows_by_line_tell_two_calls_apart(queue, basic, x):
    with qn.profile() as p:
        basic.twice(queue, SIZE, None, x)
        basic.twice(queue, SIZE, None, x)
    assert [row.line for row in p.rows() if row.kind == "kernel"] == ["2 lines"]
    lines = {row.line for row in p.rows(by="line") if row.kind == "kernel"}
    assert len(lines) == 2 and all(line.startswith(__file__) for line in lines)
    with pytest.raises(ValueError, match="'name' or 'line'"):
        p.table(by="colour")


def test_a_trace_has_a_lane_for_each_queue_and_arrows_for_waits(device, basic, x, spin, tmp_path):
    first, second = qn.Queue(device), qn.Queue(device)
    # On a busy machine this thread may sleep until short work is over, and nothing waits.
    for seconds in (0.05, 0.5, 5):
        with qn.profile() as p:
            event = spin(first, seconds, x)
            basic.twice(second, SIZE, None, x, wait_for=[event]).wait()
        if any(record.waits_for for record in p.records):
            break
    path = tmp_path / "trace.json"
    p.save(path)
    events = json.loads(path.read_text())["traceEvents"]
    names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
    assert {"queue 0", "queue 1"} <= set(names.values())
    assert device.spec in {e["args"]["name"] for e in events if e["name"] == "process_name"}
    slices = [e for e in events if e["ph"] == "X"]
    assert {e["name"] for e in slices} >= {"spin", "twice"}
    for one in slices:
        assert one["ts"] >= 0 and one["dur"] >= 0 and (one["pid"], one["tid"]) in names
    twice = next(e for e in slices if e["name"] == "twice")
    assert twice["args"]["global"] == [SIZE] and twice["args"]["line"].startswith(__file__)
    starts = [e for e in events if e["ph"] == "s"]
    ends = [e for e in events if e["ph"] == "f"]
    assert len(starts) == len(ends) > 0
    assert {e["id"] for e in starts} == {e["id"] for e in ends}
    # Slices of one lane do not overlap.
    for lane in names:
        ordered = sorted((e["ts"], e["ts"] + e["dur"]) for e in slices if (e["pid"], e["tid"]) == lane)
        for (_, end), (start, _) in itertools.pairwise(ordered):
            assert end <= start + 0.01
    with pytest.raises(OSError):
        p.save(tmp_path / "absent" / "trace.json")


def test_a_picture_is_svg(queue, basic, x, tmp_path):
    program = qn.Program("kernel void odd_name(global float *a) { a[get_global_id(0)] += 1; }")
    with qn.profile() as p:
        for _ in range(3000):
            basic.twice(queue, 16, None, x)
        program.odd_name(queue, SIZE, None, x)
        queue.finish()
    picture = p.plot(tmp_path / "lanes.svg", width=800)
    text = (tmp_path / "lanes.svg").read_text()
    assert text == picture.svg == picture._repr_svg_()
    root = xml.etree.ElementTree.fromstring(text)
    assert root.tag.endswith("svg") and float(root.attrib["width"]) == 800
    bars = [r for r in root.iter("{http://www.w3.org/2000/svg}rect") if len(r)]
    assert 1 <= len(bars) < 3100
    assert any("odd_name" in "".join(bar.itertext()) for bar in bars)
    with pytest.raises(ValueError, match=r"svg or \.png"):
        p.plot(tmp_path / "lanes.gif")


def test_a_png_is_drawn_by_matplotlib_or_an_error_names_it(queue, basic, x, tmp_path):
    with qn.profile() as p:
        basic.twice(queue, SIZE, None, x)
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        with pytest.raises(ImportError, match="Matplotlib"):
            p.plot(tmp_path / "lanes.png")
    else:
        p.plot(tmp_path / "lanes.png")
        assert (tmp_path / "lanes.png").read_bytes().startswith(b"\x89PNG")


def test_a_call_of_a_library_has_its_name():
    a = qn.asarray(np.eye(300) * 2, device="host")
    with qn.profile() as p:
        inverse = qn.linalg.inv(a)
    (call,) = of_kind(p, "library")
    assert call.name == "inv"
    assert (call.bytes_read, call.bytes_written) == (a.nbytes, inverse.nbytes)
    assert call.times.started <= call.times.ended


def test_small_work_of_the_host_is_counted():
    device = qn.device("host")
    x = qn.asarray(np.arange(8.0), device=device)
    with qn.profile() as p:
        assert float((x + 1).sum()) == 36
    assert p.at_once >= 1
    assert "at once" in p.table()
    with qn.profile() as p:
        pass
    assert p.at_once == 0


def test_work_on_both_sides_of_a_profile_keeps_its_order(queue, basic):
    x = qn.zeros(SIZE, "float32", queue=queue)
    basic.fill(queue, SIZE, None, x, 1.0, SIZE)
    for _ in range(5):
        basic.twice(queue, SIZE, None, x)
        with qn.profile():
            basic.twice(queue, SIZE, None, x)
    assert (x.get(queue=queue) == 1024).all()


def test_a_queue_whose_native_handle_is_known_stays_on_it(device, basic, x):
    queue = qn.Queue(device)
    handle = queue.native_handle
    with qn.profile() as p:
        basic.twice(queue, SIZE, None, x)
        assert queue.native_handle == handle
    (record,) = of_kind(p, "kernel")
    assert (record.times is None) == (device.backend == "opencl")
    if record.times is None:
        assert "1 record has no times" in p.table()
        assert p.rows()[0].timed == 0


def test_held_back_work_has_times(device, other_device, basic):
    near, far = qn.Queue(device), qn.Queue(other_device)
    x = qn.zeros(SIZE, "float32", queue=near)
    source, target = (qn.Buffer(x.nbytes, queue=far) for _ in range(2))
    with qn.profile() as p:
        event = far.copy(target, source)
        basic.twice(near, SIZE, None, x, wait_for=[event]).wait()
    twice = next(record for record in p.records if record.name == "twice")
    assert twice.times is not None and twice.times.queued <= twice.times.started


def test_a_failed_kernel_is_marked(run_python):
    code = """
        import quern as qn

        queue = qn.Queue("host")
        wrong = qn.Program("kernel void wrong(global int *x) { x[get_global_id(0)] = 1; }").wrong
        with qn.profile() as p:
            event = wrong(queue, 100, None, None)
            try:
                event.wait()
            except qn.KernelError:
                pass
            else:
                raise SystemExit("no fault")
        (kernel,) = [record for record in p.records if record.kind == "kernel"]
        assert kernel.failed
        assert "1 operation failed" in p.table()
        assert "#ff0000" in p.plot().svg and '"failed":true' in p._recording.trace()
        print("marked")
    """
    assert "marked" in run_python(code).stdout


def test_reading_a_profile_does_not_report_the_failure(run_python):
    code = """
        import quern as qn

        queue = qn.Queue("host")
        wrong = qn.Program("kernel void wrong(global int *x) { x[get_global_id(0)] = 1; }").wrong
        with qn.profile() as p:
            wrong(queue, 100, None, None)
        assert [record.failed for record in p.records if record.kind == "kernel"] == [True]
        try:
            queue.finish()
        except qn.KernelError:
            print("reported")
    """
    assert "reported" in run_python(code).stdout


def test_a_profile_that_is_left_open_ends_with_the_program(run_python):
    code = """
        import quern as qn

        p = qn.profile().__enter__()
        qn.eval(qn.ones(100_000, device="host") + 1)
        print("open")
    """
    assert run_python(code).stdout == "open\n"


def test_a_profile_that_is_dropped_ends(queue, basic, x):
    from quern import _core

    recording = _core.ProfileRecording()
    del recording
    with qn.profile() as p:
        basic.twice(queue, SIZE, None, x)
    assert len(of_kind(p, "kernel")) == 1
