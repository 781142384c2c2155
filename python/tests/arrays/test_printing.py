# SPDX-License-Identifier: MIT
"""Arrays as text: what NumPy writes, with the device."""

import numpy as np
import pytest

import quern as qn

pytestmark = pytest.mark.smoke

ARRAYS = [
    np.float32(2.5),
    np.arange(3),
    np.array([], np.int16),
    np.array([[1.5, np.nan], [-np.inf, 1e10]]),
    np.arange(24, dtype=np.uint8).reshape(2, 3, 4),
    np.array([True, False]),
    np.array([1 + 2j, 3.5 - 1j], np.complex64),
    np.linspace(0, 1, 30),
    np.arange(1001),
    np.arange(5000.0).reshape(50, 100),
    np.arange(4000).reshape(2, 2000),
    np.arange(2**11).reshape([2] * 11),
    np.zeros((2, 0, 3)),
]


@pytest.mark.parametrize("data", ARRAYS, ids=lambda data: f"{data.dtype}{list(data.shape)}")
def test_text_is_numpys(device, data):
    x = qn.asarray(data, device=device)
    assert str(x) == str(data)
    assert f"{x}" == (format(data.item(), "") if x.ndim == 0 else str(data))
    expected, _, rest = np.array_repr(np.asarray(data)).rpartition("]" if data.ndim else ",")
    if data.ndim == 0:
        assert repr(x) == f"Array({data}, dtype={data.dtype}, device='{device.spec}')"
        return
    body, _, rest = repr(x).rpartition("]")
    # The name is as long as NumPy's, but for its first letter.
    assert body == expected.replace("array(", "Array(", 1)
    shape = f"shape={data.shape}, " if data.size > 1000 or (data.size == 0 and data.ndim > 1) else ""
    assert " ".join(rest.split()) == f", {shape}dtype={data.dtype}, device='{device.spec}')"
    assert max(map(len, repr(x).splitlines())) <= 75


def test_print_options_are_honoured(device):
    data = np.linspace(0, 1, 7)
    x = qn.asarray(data, device=device)
    for options in ({"precision": 2}, {"threshold": 5, "edgeitems": 1}, {"suppress": True, "linewidth": 40}):
        with np.printoptions(**options):
            assert str(x) == str(data)


def test_strided_and_lazy_arrays_are_printed_right(device):
    data = np.arange(6000).reshape(60, 100)
    x = qn.asarray(data, device=device)
    assert str(x.T[::-3]) == str(data.T[::-3])
    assert str(x + 1) == str(data + 1)


def test_of_a_large_array_only_the_edges_come_to_the_host(device, monkeypatch):
    copied = []
    get = qn.Array.get
    monkeypatch.setattr(
        qn.Array, "get", lambda x, *args, **options: copied.append(x.size) or get(x, *args, **options)
    )
    data = np.arange(10**6).reshape(1000, 1000)
    assert str(qn.asarray(data, device=device)) == str(data)
    assert sum(copied) <= 36


def test_formats_are_for_numbers(device):
    x = qn.asarray(np.array([1.5, 2.5]), device=device)
    assert f"{x[0]:8.3f}|{x.sum() if hasattr(x, 'sum') else qn.sum(x):g}" == "   1.500|4"
    with pytest.raises(TypeError, match="shape"):
        format(x, ".2f")


def test_html_is_a_small_table(device):
    x = qn.asarray(np.arange(10000).reshape(100, 100), device=device)
    html = x._repr_html_()
    assert html.count("<tr>") == 7 and html.count("<td>") == 49
    for text in ("(100, 100)", "int64", device.spec, "78.1 KiB", "<td>9999</td>", "<td>0</td>"):
        assert text in html
    assert "<td>5</td>" in qn.asarray(5, device=device)._repr_html_()
    assert "<table>" not in qn.zeros((0, 2), device=device)._repr_html_()
    deep = qn.asarray(np.arange(8).reshape(2, 2, 2), device=device)._repr_html_()
    assert deep.count("<td>") == 4 and "[0, :, :]" in deep
