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


def test_mistakes_are_told_by_name_and_line():
    pytest.importorskip("jinja2")
    with pytest.raises(qn.ArgumentError, match="'T' is undefined"):
        qn.Template(TEXT).render(width=1, unroll=1)
    with pytest.raises(qn.ArgumentError, match=r"steps\.cl:2"):
        qn.Template("kernel\n{% for %}", name="steps.cl")
    with pytest.raises(qn.ArgumentError, match="no vectors of 5 lanes"):
        qn.Template("{{ T.vector(5) }}").render(T=np.float32)
