# SPDX-License-Identifier: MIT
"""CuPy's forms of generated kernels: a reduction of named inputs, and size= where no array says how large."""

import numpy as np
import pytest

import quern as qn


def needs(device, dtype):
    if np.dtype(dtype) in (np.float64, np.complex128) and not device.has_fp64:
        pytest.skip("needs double precision")


def table(dtype, shape=(5, 37)):
    values = np.random.default_rng(3).uniform(-4, 4, shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * values[::-1]
    return values.astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_reduction_in_cupys_form_has_an_axis_and_a_last_step(device, dtype):
    needs(device, dtype)
    x = table(dtype)
    l2norm = qn.ReductionKernel("T x", "float32 y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
    given = qn.asarray(x, device=device)
    wide = x.astype("float64")
    for axis in (None, 0, 1, (0, 1)):
        got = l2norm(given, axis=axis)
        assert got.dtype == np.float32
        np.testing.assert_allclose(got.get(), np.sqrt((wide * wide).sum(axis=axis)), rtol=1e-5)
    assert l2norm(given, axis=1, keepdims=True).shape == (5, 1)
    assert l2norm.name == "l2norm" and l2norm.dtype == np.float32


def test_reduction_in_cupys_form_by_keywords_and_of_open_types(device):
    x, y = table("complex64"), table("complex64")[::-1].copy()
    vdot = qn.ReductionKernel(
        in_params="T x, T y",
        out_params="T z",
        map_expr="conj(x) * y",
        reduce_expr="a + b",
        post_map_expr="z = a",
        identity="0",
        name="vdot",
    )
    got = vdot(qn.asarray(x, device=device), qn.asarray(y, device=device))
    assert got.dtype == np.complex64
    np.testing.assert_allclose(got.get(), np.vdot(x, y), rtol=1e-4)
    r, s = table("float32"), table("float32")[::-1].copy()
    got = vdot(qn.asarray(r, device=device), qn.asarray(s, device=device))
    assert got.dtype == np.float32
    np.testing.assert_allclose(got.get(), np.vdot(r, s), rtol=1e-4)
    with pytest.raises(qn.ArgumentError, match="the dtype depends on the arrays"):
        _ = vdot.dtype


def test_reduction_in_cupys_form_writes_to_out(device):
    x = table("float32")
    given = qn.asarray(x, device=device)
    for post, wanted in (("y = a", x.sum(axis=1)), ("y = a / 37", x.mean(axis=1))):
        mean = qn.ReductionKernel("T x", "T y", "x", "a + b", post, "0")
        by_name, by_place = qn.empty(5, "float32", device=device), qn.empty(5, "float32", device=device)
        mean(given, axis=1, out=by_name).wait()
        mean(given, by_place, axis=1).wait()
        np.testing.assert_allclose(by_name.get(), wanted, rtol=1e-4, atol=1e-5)
        np.testing.assert_array_equal(by_place.get(), by_name.get())
        with pytest.raises(qn.ArgumentError, match="by position and by name"):
            mean(given, by_place, axis=1, out=by_name)
        with pytest.raises(qn.ArgumentError, match="out: expected a contiguous array of float32"):
            mean(given, axis=1, out=qn.empty(4, "float32", device=device))


def test_reduction_in_cupys_form_takes_numbers_raw_arrays_and_a_reduce_type(device):
    x = table("int8", 300)
    w = np.arange(300, dtype="int32")
    given, weights = qn.asarray(x, device=device), qn.asarray(w, device=device)
    kernel = qn.ReductionKernel(
        "int8 x, int32 factor, raw int32 w",
        "int64 y",
        "x * factor * w[i]",
        "a + b",
        "y = a + 1",
        "0",
        reduce_type="int64",
    )
    assert int(kernel(given, 3, weights).get()) == int((x.astype("int64") * 3 * w).sum()) + 1
    mean = qn.ReductionKernel("T x", "T y", "x", "a + b", "y = a / 300", "0", reduce_type="int32")
    assert int(mean(given).get()) == int(x.sum(dtype="int64") / 300)


def test_reduction_in_cupys_form_of_booleans_counts_no_overflow(device):
    """256 times true is true, although a bool is a byte."""
    x = np.ones(512, dtype=bool)
    anything = qn.ReductionKernel("bool x", "bool y", "x", "a + b", "y = a", "0")
    got = anything(qn.asarray(x, device=device)).get()
    assert got.dtype == bool and got.view("uint8") == 1
    assert anything(qn.asarray(~x, device=device)).get().view("uint8") == 0


def test_reduction_in_cupys_form_of_a_structure(device):
    x = table("float32", 1000)
    extent = qn.ReductionKernel(
        "T x",
        "T y",
        "(range_t){x, x}",
        "(range_t){fmin(a.low, b.low), fmax(a.high, b.high)}",
        "y = a.high - a.low",
        "(range_t){INFINITY, -INFINITY}",
        "extent",
        reduce_type="range_t",
        preamble="typedef struct { float low, high; } range_t;",
    )
    assert extent(qn.asarray(x, device=device)).get() == np.ptp(x)


def test_pyopencls_form_keeps_its_place_and_its_name(device):
    x = qn.asarray(np.float32([1, 2, 3]), device=device)
    dot = qn.ReductionKernel("float32", "0", "a + b", "x[i] * x[i]", "const float *x", "dot")
    assert dot.name == "dot" and dot(x).get() == 14
    plain = qn.ReductionKernel(np.float32, "0", "a + b", "x[i] * x[i]", "const float *x", name="plain")
    assert plain.name == "plain" and plain(x).get() == 14


def test_mistakes_in_cupys_form_say_what_to_write(device):
    with pytest.raises(
        qn.ArgumentError, match=r"identity: missing.*'T x', 'T y', 'x \* x', 'a \+ b', 'y = sqrt\(a\)'"
    ):
        qn.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)")
    with pytest.raises(qn.ArgumentError, match="declares 2 outputs, but a reduction has one"):
        qn.ReductionKernel("T x", "T y, T z", "x", "a + b", "y = a", "0")
    with pytest.raises(qn.ArgumentError, match=r"'sqrt\(a\)' does not assign to the output, as in 'y = a'"):
        qn.ReductionKernel("T x", "T y", "x", "a + b", "sqrt(a)", "0")
    kernel = qn.ReductionKernel("T x", "U y", "x", "a + b", "y = a", "0")
    x = qn.asarray(np.float32([1, 2]), device=device)
    with pytest.raises(qn.ArgumentError, match="no argument determines the type 'U'; pass the output 'y'"):
        kernel(x)
    out = qn.empty((), "int32", device=device)
    kernel(x, out=out).wait()
    assert out.get() == 3


def test_size_says_how_many_elements_there_are(device):
    x = np.arange(20, dtype="float32")
    given = qn.asarray(x, device=device)
    pairs = qn.ElementwiseKernel("raw T x", "T y", "y = x[2 * i] + x[2 * i + 1]")
    got = pairs(given, size=10)
    assert got.shape == (10,)
    np.testing.assert_array_equal(got.get(), x[::2] + x[1::2])
    out = qn.zeros(20, "float32", device=device)
    store = qn.ElementwiseKernel("raw float32 x", "raw float32 y", "y[i] = x[i] + n")
    store(given, out, size=7).wait()
    np.testing.assert_array_equal(out.get(), np.where(np.arange(20) < 7, x + 7, 0))
    indexed = qn.ElementwiseKernel("float a, float *y", "y[i] = a * i")
    np.testing.assert_array_equal(
        indexed(2, queue=qn.Queue(device), size=5).get(), np.float32([0, 2, 4, 6, 8])
    )


def test_a_call_without_a_size_names_what_to_pass(device):
    squares = qn.ElementwiseKernel("int32 x", "int32 y", "y = x * i")
    with (
        qn.device(device),
        pytest.raises(qn.ArgumentError, match=r"the size of 'y'; pass .* as size=, or pass 'y'"),
    ):
        squares(3)
    with qn.device(device):
        assert list(squares(3, size=4).get()) == [0, 3, 6, 9]
        with pytest.raises(qn.ArgumentError, match="size: cannot be combined with range or slice"):
            squares(3, size=4, range=3)
        with pytest.raises(qn.ArgumentError, match="size"):
            squares(3, size=-1)


def test_a_parameter_called_size_is_a_parameter(device):
    scaled = qn.ElementwiseKernel("T x, T size", "T y", "y = x * size")
    got = scaled(qn.asarray(np.float32([1, 2]), device=device), size=3)
    assert list(got.get()) == [3, 6]
