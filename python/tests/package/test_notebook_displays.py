# SPDX-License-Identifier: MIT
"""Displays of notebooks: what they show, that all text is escaped, that they are small and start no work."""

import re
import types
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import quern as qn

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "</pre></title><script>alert('&')</script>"


def parsed(html):
    """The elements of a display. Text that is not escaped, and tags that are not closed, are errors."""
    return ElementTree.fromstring(html.replace("&middot;", "\u00b7").replace("&hellip;", "\u2026"))


def text_of(element):
    return " ".join(" ".join(element.itertext()).split())


def row_of(root, name):
    (row,) = [row for row in root.iter("tr") if len(row) and text_of(row[0]) == name]
    return [text_of(cell) for cell in row]


def boxes_of(root):
    """The boxes of a drawing by their title: the rectangle, and its lines of text."""
    found = []
    elements = list(root.iter())
    for number, element in enumerate(elements):
        if element.tag == SVG + "rect" and "rx" in element.attrib:
            texts = []
            for later in elements[number + 2 :]:
                if later.tag != SVG + "text":
                    break
                texts.append(later.text)
            x, y, width, height = (float(element.attrib[key]) for key in ("x", "y", "width", "height"))
            found.append((texts, (x, y, x + width, y + height)))
    return found


@pytest.fixture(scope="module")
def program():
    """Built in no test."""
    return """
    kernel void scale(global const float *x, global float4 *y, const float a, local float *t) { y[0] = a * x[0]; }
    kernel void twice(global float *x) {
      local float t[64];
      t[get_local_id(0)] = x[get_global_id(0)];
      barrier(CLK_LOCAL_MEM_FENCE);
      x[get_global_id(0)] += t[get_local_id(0)];
    }
    """


def test_a_device_shows_its_name_and_limits(device):
    root = parsed(device._repr_html_())
    assert text_of(root).startswith(f"quern.Device '{device.spec}' \u00b7 {' '.join(device.name.split())}")
    assert row_of(root, "backend")[1] == device.backend
    assert row_of(root, "largest work-group")[1] == f"{device.max_work_group_size:,} work-items"
    (part,) = device.split(counts=[1]) if device.backend == "host" else (device,)
    assert ("part of" in part._repr_html_()) == (part != device)


def test_a_program_shows_its_signatures_and_is_not_built_for_it(device, program):
    made = qn.Program(program)
    before = qn.stats().compilations
    with device:
        text = text_of(parsed(made._repr_html_()))
    assert not made.is_built(device) and qn.stats().compilations == before
    assert "2 kernels" in text and f"not built for {device.spec} yet" in text
    # As the program wrote them.
    assert "kernel void scale(global const float *x, global float4 *y, const float a, local float *t)" in text


def test_a_built_program_shows_its_resources_and_folds_its_source(device, program):
    made = qn.Program(program).build(device)
    with device:
        root = parsed(made._repr_html_())
    text = text_of(root)
    assert "kernel void scale(global const float *x, global float4 *y, float a, local float *t)" in text
    expected = made.twice.attributes(device)
    found = row_of(root, "twice")
    assert found[1] == f"{expected.max_work_group_size:,}" and found[3] == f"{expected.local_memory} B"
    assert [element for element in root.iter("details") if "open" in element.attrib] == []
    folded = {text_of(one.find("summary")): one.find("pre").text for one in root.iter("details")}
    assert folded["source"].split() == made.source.split()
    (lowered,) = [text for title, text in folded.items() if title.startswith(f"lowered for {device.spec}: ")]
    assert "twice" in lowered


def test_programs_with_errors_show_them():
    html = qn.Program("kernel void k(global float *x) { x[0] = ; }  // <b>")._repr_html_()
    parsed(html)
    broken = text_of(parsed(qn.Program("kernel void k(global nonsense *x) {}  // <b>")._repr_html_()))
    assert "nonsense" in broken


def test_a_binary_is_shown_without_source(device, program):
    made = qn.Program.from_binary(qn.Program(program).build(device).binary(device), device)
    with device:
        text = text_of(parsed(made._repr_html_()))
    assert "twice(global float *x)" in text and "lowered" not in text


def test_long_sources_are_cut():
    lines = "".join(f"int f{k}(int x) {{ return x + {k}; }}\n" for k in range(5000))
    html = qn.Program(lines + "kernel void k(global int *x) { x[0] = f0(1); }")._repr_html_()
    assert len(html) < 100_000
    assert re.search(r"\.\.\. \d+ lines \.\.\.", html) and "f4999" in html
    wide = qn.Program("// " + "x" * 100_000 + "\nkernel void k(global int *x) { x[0] = 1; }")._repr_html_()
    assert len(wide) < 60_000 and "characters ..." in wide


def test_an_array_is_evaluated_as_if_it_were_printed(device):
    x = qn.asarray(np.arange(6, dtype="float32"), device=device)
    y = x * 2
    root = parsed(y._repr_html_())
    assert [text_of(cell) for cell in root.iter("td")] == ["0.", "2.", "4.", "6.", "8.", "10."]
    assert y.in_memory


def test_a_pending_error_is_raised_by_the_display(device, no_errors_left):
    x = qn.asarray(np.arange(6, dtype="float32"), device=device)
    wrong = x[qn.asarray(np.array([0, 99]), device=device)]
    with pytest.raises(IndexError):
        wrong._repr_html_()


def test_only_the_edges_of_a_large_array_are_copied(device, monkeypatch):
    copied = []
    get = qn.Array.get
    monkeypatch.setattr(
        qn.Array, "get", lambda x, *args, **options: copied.append(x.size) or get(x, *args, **options)
    )
    data = np.arange(10**6).reshape(10, 1000, 100)
    root = parsed(qn.asarray(data, device=device)._repr_html_())
    assert sum(copied) <= 49
    cells = [[text_of(cell) for cell in row] for row in root.iter("tr")]
    assert cells[0][:3] == ["0", "1", "2"] and cells[-1][-1] == "99999" and cells[3][3] == "\u2026"


@pytest.mark.parametrize("dtype", ["float32", "int16", "bool", "uint64"])
def test_a_histogram_on_request_is_numpys(device, dtype):
    rng = np.random.default_rng(1)
    data = (200 * rng.random((50, 30))).astype(dtype)
    view = qn.notebook.show(qn.asarray(data, device=device), histogram=7)
    counts, edges = np.histogram(data.astype("float64"), 7)
    np.testing.assert_array_equal(view.counts, counts)
    np.testing.assert_allclose(view.edges, edges, rtol=1e-6)
    root = parsed(view._repr_html_())
    bars = [bar for bar in root.iter(SVG + "rect") if len(bar)]
    assert [int(text_of(bar).rpartition(":")[2]) for bar in bars] == counts.tolist()
    heights = np.array([float(bar.attrib["height"]) for bar in bars])
    np.testing.assert_allclose(
        heights / heights.max(), np.maximum(counts / counts.max(), (counts > 0) / 60), atol=0.01
    )
    assert [int(line.split()[3]) for line in str(view).splitlines()[-7:]] == counts.tolist()


def test_a_histogram_leaves_out_what_is_not_finite(device):
    data = np.array([1, 2, np.nan, np.inf, 2.5, -np.inf], "float32")
    view = qn.notebook.show(qn.asarray(data, device=device), histogram=3)
    assert view.counts.tolist() == [1, 0, 2] and view.left_out == 3
    assert "3 not finite, left out" in text_of(parsed(view._repr_html_())) and "3 not finite" in str(view)
    for few in ([], [np.nan], [5.0, 5.0]):
        view = qn.notebook.show(qn.asarray(np.array(few, "float32"), device=device), histogram=2)
        assert view.counts.sum() == np.isfinite(few).sum()
        parsed(view._repr_html_())


def test_arrays_without_a_histogram(device):
    x = qn.asarray(np.ones(3, "complex64"), device=device)
    assert "svg" not in qn.notebook.show(x)._repr_html_()
    assert repr(qn.notebook.show(x)) == repr(x)
    with pytest.raises(qn.ArgumentError, match="real numbers"):
        qn.notebook.show(x, histogram=True)
    with pytest.raises(qn.ArgumentError, match="1 to 200 bins"):
        qn.notebook.show(x.real, histogram=10_000)
    with pytest.raises(qn.ArgumentError, match=r"expected a quern\.Array"):
        qn.notebook.show(np.ones(3))


def test_text_of_the_program_is_escaped(device):
    made = qn.Program(f"// {HOSTILE}\nkernel void k(global int *x) {{ x[0] = 1; }}", name=HOSTILE)
    fields = qn.asarray(np.zeros(2, [("<b>", "f4"), ("&", "i4")]), device=device)
    result = qn.benchmark(lambda: None, repeat=1, name=HOSTILE, device=device)
    names = {"x": qn.asarray(np.ones(1 << 17, "float32"), device=device)}
    # A file's name may be anything.
    exec(compile("y = x + 1", HOSTILE, "exec"), names)
    plan = qn.explain(names["y"])
    with qn.profile() as profile:
        queue = qn.Queue(device, name=HOSTILE)
        exec(compile("x.fill(1, queue=queue).wait()", HOSTILE, "exec"), names | {"queue": queue})
    for shown in (made, fields, result, plan, profile):
        html = shown._repr_html_()
        assert "<script" not in html and "<b>'" not in html
        assert "script" in text_of(parsed(html)) or shown is fields
    ElementTree.fromstring(plan.svg)


def test_the_graph_of_an_expression_is_drawn(device):
    x = qn.asarray(np.arange(12, dtype="float32").reshape(3, 4), device=device)
    row = qn.asarray(np.ones(4, "float32"), device=device)
    plan = qn.explain((x + qn.sin(row)) * (x + 2.5))
    root = ElementTree.fromstring(plan.svg)
    boxes = boxes_of(root)
    titles = sorted(texts[0] for texts, _ in boxes)
    assert titles == sorted(["array (3, 4)", "array (4,)", "2.5", "sin", "add", "add", "multiply", "result"])
    of_array = next(texts for texts, _ in boxes if texts[0] == "array (3, 4)")
    assert of_array[1] == "float32, 48 B"
    # Two arrows to each operation of two operands, one to sin and to the result.
    arrows = [path for path in root.iter(SVG + "path") if "stroke" not in path.attrib]
    assert len(arrows) == 3 * 2 + 1 + 1
    places = {texts[0]: place for texts, place in boxes}
    assert places["array (4,)"][3] < places["sin"][1] < places["multiply"][1] < places["result"][1]
    width, height = (float(root.attrib[name]) for name in ("width", "height"))
    for number, (_, (left, top, right, bottom)) in enumerate(boxes):
        assert 0 <= left < right <= width and 0 <= top < bottom <= height
        for _, other in boxes[:number]:
            assert right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top
    line = "test_notebook_displays.py:"
    assert all(line in texts[1] for texts, _ in boxes if texts[0] in ("sin", "add", "multiply"))


def test_long_edges_pass_between_the_boxes(device):
    x = qn.asarray(np.arange(4, dtype="float32"), device=device)
    y = x
    for _ in range(6):
        y = qn.sqrt(y)
    root = ElementTree.fromstring(qn.explain(y + x).svg)
    boxes = boxes_of(root)
    assert len(boxes) == 1 + 6 + 1 + 1
    for path in root.iter(SVG + "path"):
        if "stroke" in path.attrib:
            # The vertical parts are where an edge passes a layer.
            for x_of, top, bottom in re.findall(r"([\d.]+) ([\d.]+)V([\d.]+)", path.attrib["d"]):
                at, low, high = float(x_of), float(top), float(bottom)
                for _, (left, upper, right, lower) in boxes:
                    assert not (left < at < right and upper < high and low < lower)


def test_products_and_long_expressions_are_drawn_as_chains():
    operations = [
        f"{name}(float32) at cells.py:{k}" for k, name in enumerate(["sqrt", "add", "multiply"] * 8)
    ]
    plan = types.SimpleNamespace(
        operations=operations,
        values=[],
        elements=9,
        arrays_read=1,
        bytes_read=36,
        bytes_written=36,
        source="//",
    )
    boxes = boxes_of(ElementTree.fromstring(qn.Explanation([plan]).svg))
    titles = [texts[0] for texts, _ in boxes]
    assert titles[:7] == ["1 array", "sqrt", "add", "multiply", "sqrt", "add", "multiply"]
    assert titles[7:] == ["... 13 more", "add", "multiply", "sqrt", "add", "multiply", "result"]
    assert boxes[1][0] == ["sqrt", "float32, cells.py:0"]
    tops = [place[1] for _, place in boxes]
    assert tops == sorted(tops)


def test_what_is_in_memory_needs_no_kernel(device):
    x = qn.asarray(np.ones(3, "float32"), device=device)
    html = qn.explain(x)._repr_html_()
    assert "0 kernels" in text_of(parsed(html)) and "all arrays are in memory" in html


def test_several_kernels_are_drawn_below_each_other(device):
    x = qn.asarray(np.ones(12, "float32"), device=device)
    plan = qn.explain(x + 1, x[:6] * 2)
    boxes = boxes_of(ElementTree.fromstring(plan.svg))
    add, multiply = (
        next(place for texts, place in boxes if texts[0] == name) for name in ("add", "multiply")
    )
    assert add[3] < multiply[1]
    assert plan._repr_html_().count("source of kernel") == 2


def test_a_profile_shows_its_picture_and_its_rows(device):
    with qn.profile() as profile:
        assert profile._repr_html_() is None  # it is open, and a display must not wait
        x = qn.zeros(1 << 17, "float32", device)
        x.fill(1).wait()
    root = parsed(profile._repr_html_())
    (picture,) = root.iter(SVG + "svg")
    assert "max-width" in picture.attrib["style"]
    row = profile.rows()[[r.name for r in profile.rows()].index("fill")]
    assert row_of(root, "fill")[1:4] == ["fill", device.spec, str(row.count)]
    assert row_of(root, "fill")[-1] == (
        f"test_notebook_displays.py:{row.line.rpartition(':')[2]}" if ":" in row.line else row.line
    )
    assert qn.profile()._repr_html_() is None


def test_a_profile_has_no_background_of_its_own(device):
    """Pages are light or dark, so nothing fills the picture, and its text is grey."""
    with qn.profile() as profile:
        qn.zeros(1 << 17, "float32", device).fill(1).wait()
    root = ElementTree.fromstring(profile.plot().svg)
    assert not [rect for rect in root.iter(SVG + "rect") if rect.attrib["width"] == "100%"]

    def light(colour):
        """Relative luminance, by WCAG."""
        parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    on_page = [text for text in root.iter(SVG + "text") if "pointer-events" not in text.attrib]
    assert on_page
    for text in on_page:
        value = light(text.attrib["fill"])
        assert 1.05 / (value + 0.05) > 4 and (value + 0.05) / (light("#111111") + 0.05) > 4


def test_times_are_shown_with_their_spread(device):
    x = qn.asarray(np.ones(1 << 17, "float32"), device=device)
    result = qn.benchmark(
        lambda: qn.eval(x + 1), repeat=5, bytes=1 << 20, flops=1 << 17, name="add", device=device
    )
    root = parsed(result._repr_html_())
    found = row_of(root, "host")
    assert len(found) == 5 and found[4] == f"{100 * result.host.spread:.0f}%"
    assert "add \u00b7 on " + device.spec in text_of(root) and "GFLOP/s" in text_of(root)
    # A mark for each call and one for the median, for host and device, and the axis.
    assert len(list(root.iter(SVG + "rect"))) == 2 * (5 + 1) + 1


def test_the_plain_representations_are_as_before(device):
    x = qn.asarray(np.ones(3, "float32"), device=device)
    assert repr(device) == f"<quern.Device '{device.spec}' {device.name}>"
    assert repr(qn.Program("kernel void k(global int *x) {}")) == "<quern.Program kernel.cl: k>"
    assert repr(x) == f"Array([1., 1., 1.], dtype=float32, device='{device.spec}')"
    assert repr(qn.explain(x + 1)).startswith("kernel 1 of 1: 3 elements")
