# SPDX-License-Identifier: MIT
"""Cumulative sums, products, maxima and minima, compared with NumPy."""

import os

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.extra import numpy as hnp

import quern as qn

PAIRS = {
    "cumsum": np.cumsum,
    "cumprod": np.cumprod,
    "cummax": np.maximum.accumulate,
    "cummin": np.minimum.accumulate,
}


def numbers(dtype, shape=(3, 50, 7)):
    a = np.random.default_rng(1).integers(0, 3, shape).astype(dtype)
    return a + np.asarray(1j, dtype) if a.dtype.kind == "c" else a


def check(name, x, a, axis):
    expected = PAIRS[name](a, axis)
    got = getattr(qn, name)(x, axis)
    assert got.shape == expected.shape and got.dtype == expected.dtype
    np.testing.assert_allclose(got.get(), expected, rtol=1e-3 if a.dtype.itemsize == 2 else 1e-5)


@pytest.mark.parametrize("dtype", ["bool", "uint16", "float16", "float32", "complex64"])
def test_sums_are_numpys_along_every_axis(device, dtype):
    a = numbers(dtype)
    x = qn.asarray(a, device=device)
    for axis in (0, 1, 2, None):
        check("cumsum", x, a, axis)


@pytest.mark.parametrize("name", PAIRS)
def test_float16_is_accumulated_where_the_device_does_not_compute_with_it(device, name):
    a = np.array([[2, 0.5, np.inf], [1, -0.75, 1.25], [0.5, 3, 2]], np.float16)
    x = qn.asarray(a, device=device)
    for axis in (0, 1):
        check(name, x, a, axis)
    one = qn.cumulative_sum(qn.asarray(np.float16(15.67), device=device).reshape(1), dtype=np.float16)
    np.testing.assert_array_equal(one.get(), np.array([15.67], np.float16))
    with_zero = qn.cumulative_sum(x[:, 0], include_initial=True)
    np.testing.assert_array_equal(with_zero.get(), np.array([0, 2, 3, 3.5], np.float16))


@pytest.mark.parametrize("name", ["cumprod", "cummax", "cummin"])
def test_other_operations_are_numpys(device, name):
    a = numbers("float32", (4, 9))
    for axis in (0, 1):
        check(name, qn.asarray(a, device=device), a, axis)
    a = np.array([[1, np.nan, 3], [5, 2, np.nan]], np.float32)
    check(name, qn.asarray(a, device=device), a, 1)


def test_products_of_complex_numbers_are_numpys(device):
    a = (numbers("complex64", (40, 3)) / 2).astype(np.complex64)
    check("cumprod", qn.asarray(a, device=device), a, 0)


@pytest.mark.parametrize("shape", [(3, 70001), (70001, 3), (2, 40000, 2), (1000, 1100), (100000, 1)])
def test_long_axes_are_cut_into_chunks(device, shape):
    a = np.random.default_rng(2).integers(0, 9, shape).astype(np.int32)
    x = qn.asarray(a, device=device)
    for axis in range(a.ndim):
        np.testing.assert_array_equal(qn.cumsum(x, axis).get(), np.cumsum(a, axis))


def test_an_initial_element_is_neutral(device):
    a = numbers("int32", (3, 4))
    x = qn.asarray(a, device=device)
    for axis in (0, 1):
        got = qn.cumulative_sum(x, axis=axis, include_initial=True)
        np.testing.assert_array_equal(got.get(), np.cumulative_sum(a, axis=axis, include_initial=True))
        got = qn.cumulative_prod(x, axis=axis, dtype="float64", include_initial=True)
        expected = np.cumulative_prod(a, axis=axis, dtype=np.float64, include_initial=True)
        np.testing.assert_array_equal(got.get(), expected, strict=True)
    np.testing.assert_array_equal(qn.cumulative_sum(x[0], include_initial=True).get()[0], 0)


def test_the_elements_of_nothing_and_of_a_number_are_accumulated(device):
    assert qn.cumsum(qn.zeros((0, 3), "float32", device), 0).shape == (0, 3)
    assert qn.cumulative_sum(qn.zeros((0,), "float32", device), include_initial=True).get().tolist() == [0]
    np.testing.assert_array_equal(qn.cumsum(qn.asarray(np.float32(3), device=device)).get(), [3])


def test_sums_of_floats_keep_the_bound_of_a_plain_sum(device):
    a = np.random.default_rng(3).random((4, 1 << 16), dtype=np.float32)
    exact = np.cumsum(a, 1, dtype=np.float64)
    bound = np.arange(1, a.shape[1] + 1) * np.finfo(np.float32).eps * exact
    for x, axis in ((qn.asarray(a, device=device), 1), (qn.asarray(a.T.copy(), device=device), 0)):
        got = qn.cumsum(x, axis).get()
        assert (np.abs((got if axis else got.T) - exact) <= bound).all()


def test_rows_of_complex_numbers_are_accumulated(device):
    a = numbers("complex64", (300, 1000))
    check("cumsum", qn.asarray(a, device=device), a, 1)


@pytest.mark.parametrize("axis", [0, 1, None])
def test_an_expression_is_accumulated_without_a_kernel_of_its_own(device, axis):
    if os.environ.get("QUERN_HOST_LOOPS") == "only" or os.environ.get("QUERN_CC") == "/nonexistent":
        pytest.skip("nothing is compiled")
    a = (np.arange(60_000) % 4).astype(np.float32).reshape(600, 100)  # fewer are not worth a kernel
    x = qn.asarray(a, device=device)
    y = qn.cumsum(x, axis)
    before = qn.stats().launches
    y = qn.cumsum(x, axis)
    plain = qn.stats().launches - before
    qn.cumsum(x * 2 + x, axis)
    before = qn.stats().launches
    y = qn.cumsum(x * 2 + x, axis)
    if axis is not None:
        assert qn.stats().launches - before == plain
    np.testing.assert_array_equal(y.get(), np.cumsum(a * 2 + a, axis))


def test_what_is_accumulated_is_read_before_it_is_written(device):
    x = qn.asarray(np.ones(1000, np.float32), device=device)
    y = x + 1
    z = qn.cumsum(y)
    x += 5
    np.testing.assert_array_equal(z.get(), np.cumsum(np.full(1000, 2.0)))
    np.testing.assert_array_equal(y.get(), 2)


def test_broadcast_and_counted_expressions_are_accumulated(device):
    a, b = np.arange(4, dtype=np.float32)[:, None], np.arange(6, dtype=np.float32)
    x, y = qn.asarray(a, device=device), qn.asarray(b, device=device)
    np.testing.assert_array_equal(qn.cumsum(x * y, 1).get(), np.cumsum(a * b, 1))
    np.testing.assert_array_equal(
        qn.cumsum(qn.arange(10, device=device) + 1).get(), np.cumsum(np.arange(1, 11))
    )
    np.testing.assert_array_equal(qn.cumsum(qn.full((3, 4), 2, device=device), 0).get()[-1], [6, 6, 6, 6])


def test_wrong_arguments_are_told(device):
    x = qn.zeros((2, 3), "float32", device)
    with pytest.raises(qn.ArgumentValueError, match="axis 2 is out of bounds"):
        qn.cumsum(x, 2)
    with pytest.raises(qn.ArgumentValueError, match="expected an axis"):
        qn.cumulative_sum(x)
    with pytest.raises(qn.ArgumentError, match="ordered"):
        qn.cummax(qn.zeros((2, 3), "complex64", device), 0)


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_sums_of_any_shape_and_layout_are_numpys(data):
    a = data.draw(
        hnp.arrays(
            "int32",
            hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=6),
            elements=st.integers(-4, 4),
        )
    )
    x = qn.asarray(a, device="host")
    if data.draw(st.booleans()):
        x, a = x.T, a.T
    if data.draw(st.booleans()):
        x, a = x[::-2], a[::-2]
    axis = data.draw(st.none() | st.integers(-a.ndim, a.ndim - 1))
    np.testing.assert_array_equal(qn.cumsum(x, axis).get(), np.cumsum(a, axis))


def test_overlapping_views_of_one_array_are_accumulated(device):
    values = np.arange(300, dtype=np.float32) ** 2 % 17
    x = qn.asarray(values, device=device)
    np.testing.assert_array_equal(
        qn.cumulative_sum(x[1:] - x[:-1]).get(), np.cumsum(values[1:] - values[:-1])
    )


@pytest.mark.parametrize(
    "call",
    [
        lambda m, x, out: m.cumsum(x, 1, None, out),
        lambda m, x, out: m.cumprod(x, axis=0, dtype=np.float32, out=out),
        lambda m, x, out: m.cumulative_sum(x, axis=1, out=out),
        lambda m, x, out: m.cumulative_prod(x, axis=0, out=out),
        lambda m, x, out: x.cumsum(1, out=out),
        lambda m, x, out: x.cumprod(axis=0, out=out),
    ],
)
def test_results_go_into_the_array_that_was_given(device, call):
    a = numbers("int16", (3, 5))
    expected, out = np.zeros((3, 5), np.float32), qn.zeros((3, 5), "float32", device)
    call(np, a, expected)
    assert call(qn, qn.asarray(a, device=device), out) is out
    np.testing.assert_array_equal(out.get(), expected)


def test_an_array_that_does_not_hold_the_result_is_refused(device):
    x = qn.asarray(numbers("float32", (3, 5)), device=device)
    with pytest.raises(qn.ArgumentValueError, match="cumsum: out: expected an array of shape"):
        qn.cumsum(x, 0, out=qn.zeros((5, 3), "float32", device))
    with pytest.raises(qn.ArgumentTypeError, match="cummax: out: cannot cast float32 to int32"):
        qn.cummax(x, 0, out=qn.zeros((3, 5), "int32", device))
