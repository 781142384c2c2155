# SPDX-License-Identifier: MIT
"""Kernel texts with placeholders."""

import numpy as np
import pytest

import quern as qn

TEXT = """
kernel void axpy({{ T }} a, global const {{ T.vector(width) }} *x, global {{ T.vector(width) }} *y) {
  size_t i = get_global_id(0) * {{ unroll }};
{% for k in range(unroll) %}  y[i + {{ k }}] += a * x[i + {{ k }}];
{% endfor %}}
"""


@pytest.mark.parametrize(
    ("dtype", "width", "unroll"), [(np.float32, 1, 1), (np.int32, 4, 2), (np.dtype("uint64"), 2, 3)]
)
def test_dtypes_sizes_and_parameters_make_a_kernel(device, dtype, width, unroll):
    pytest.importorskip("jinja2")
    program = qn.Template(TEXT).program(T=dtype, width=width, unroll=unroll)
    x, y = np.arange(24, dtype=dtype), np.full(24, 3, dtype)
    target = qn.asarray(y, device=device)
    program.axpy(qn.Queue(device), 24 // width // unroll, None, 5, qn.asarray(x, device=device), target)
    np.testing.assert_array_equal(target.get(), y + 5 * x)


def test_the_same_values_are_the_same_program():
    pytest.importorskip("jinja2")
    template = qn.Template(TEXT)
    first = template.program(T=np.float32, width=4, unroll=1)
    assert template.program(T=np.float32, width=4, unroll=1) is first
    assert template.program(T=np.float32, width=4, unroll=2) is not first


@pytest.mark.parametrize(
    ("value", "literal"),
    [
        (True, "1"),
        (np.False_, "0"),
        (None, "NULL"),
        (7, "7"),
        (np.uint64(2**64 - 1), "18446744073709551615"),
        (0.1, "0.1"),
        (1e-300, "1e-300"),
        (float("inf"), "INFINITY"),
        (-np.float32("inf"), "-INFINITY"),
        (float("nan"), "NAN"),
        (np.float64(2), "2.0"),
        (np.float32(0.1), "0.1f"),
        (np.float32(1e20), "1e+20f"),
        (np.float32(2), "2.0f"),
        (np.float16(0.5), "(half)0.5f"),
        (np.complex64(1 + 2j), "(float2)(1.0f, 2.0f)"),
        (1j, "(double2)(0.0, 1.0)"),
        (float, "double"),
        ("text", "text"),
    ],
)
def test_values_are_literals_of_c(value, literal):
    pytest.importorskip("jinja2")
    assert qn.Template("{{ x }}").render(x=value) == literal


def test_values_keep_their_meaning_within_the_template():
    pytest.importorskip("jinja2")
    template = qn.Template("{% if x is none %}a{% elif x %}b{% else %}c{% endif %}")
    assert [template.render(x=x) for x in (None, True, False)] == ["a", "b", "c"]


def test_dtypes_in_lists_and_dicts_are_types_of_c():
    pytest.importorskip("jinja2")
    text = "{% for T in types %}{{ T }} {{ T.vector(2) }} {{ T.itemsize }};{% endfor %}{{ names.key }}"
    rendered = qn.Template(text).render(types=[np.float32, np.dtype("int64")], names={"key": np.uint8})
    assert rendered == "float float2 4;long long2 8;uchar"


def test_mistakes_are_errors_with_name_and_line():
    pytest.importorskip("jinja2")
    with pytest.raises(qn.ArgumentError, match="'T' is undefined"):
        qn.Template(TEXT).render(width=1, unroll=1)
    with pytest.raises(qn.ArgumentError, match=r"steps\.cl:2"):
        qn.Template("kernel\n{% for %}", name="steps.cl")
    with pytest.raises(qn.ArgumentError, match="lanes must be 1, 2, 3, 4, 8 or 16, got 5"):
        qn.Template("{{ T.vector(5) }}").render(T=np.float32)
