# SPDX-License-Identifier: MIT
"""Reductions over all axes and some, compared with NumPy."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.extra import numpy as hnp

import quern as qn

NAMES = ["sum", "prod", "min", "max", "any", "all", "mean", "var", "std", "argmin", "argmax", "count_nonzero"]
DTYPES = ["bool", "int8", "int32", "uint16", "uint64", "float16", "float32", "float64", "complex64"]
AXES = [None, 0, 1, -1, (0, 2), (0, 1, 2), ()]


def check(name, x, a, **options):
    with np.errstate(all="ignore"):
        expected = np.asarray(getattr(np, name)(a, **options))
    got = getattr(qn, name)(x, **options)
    assert got.shape == expected.shape
    if a.dtype.kind != "c" or name != "std":
        assert got.dtype == expected.dtype
    tolerance = 1e-5 if expected.dtype.itemsize <= 4 or a.dtype == np.complex64 else 1e-12
    tolerance = 1e-2 if a.dtype == np.float16 else tolerance
    np.testing.assert_allclose(got.get(), expected, rtol=tolerance, atol=tolerance)


def numbers(dtype):
    return np.random.default_rng(1).integers(0, 5, (4, 5, 6)).astype(dtype)


@pytest.mark.parametrize("name", NAMES)
def test_reductions_are_numpys_over_any_axes(device, name):
    a = numbers("float32")
    x = qn.asarray(a, device=device)
    for axis in AXES if device.backend == "host" else [None, 1]:
        if not (name.startswith("arg") and isinstance(axis, tuple)):
            check(name, x, a, axis=axis)
            check(name, x, a, axis=axis, keepdims=True)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_reductions_are_numpys_of_any_type(name, dtype):
    a = numbers(dtype)
    check(name, qn.asarray(a, device="host"), a)


@pytest.mark.parametrize("name", ["min", "max", "argmin", "argmax", "sum", "mean"])
def test_not_a_number_is_passed_on(device, name):
    a = np.array([[1, np.nan, 0.5], [3, 2, 1], [np.nan, np.nan, 7]], np.float32)
    x = qn.asarray(a, device=device)
    check(name, x, a)
    check(name, x, a, axis=1)


@pytest.mark.parametrize("name", ["argmin", "argmax"])
def test_the_first_of_equal_elements_is_found(device, name):
    a = np.array([3, 1, 1, 3, 2] * 1000, np.int32)
    assert getattr(qn, name)(qn.asarray(a, device=device)).item() == getattr(np, name)(a)


def test_an_expression_is_reduced_in_one_kernel(device):
    a = np.linspace(-1, 1, 3000, dtype=np.float32).reshape(30, 100)
    x = qn.asarray(a, device=device)
    qn.sum(x * x + 1, axis=1).get()
    before = qn.stats().launches
    got = qn.sum(x * x + 1, axis=1, dtype="float64")
    assert qn.stats().launches == before + 1
    np.testing.assert_allclose(got.get(), (a * a + 1).sum(axis=1, dtype=np.float64), rtol=1e-6)


def test_broadcast_operands_are_reduced(device):
    a, b = np.arange(4, dtype=np.float32)[:, None], np.arange(6, dtype=np.float32)
    x, y = qn.asarray(a, device=device), qn.asarray(b, device=device)
    np.testing.assert_array_equal(qn.sum(x * y, axis=0).get(), (a * b).sum(axis=0))
    np.testing.assert_array_equal(qn.sum(qn.arange(10, device=device)).get(), 45)
    np.testing.assert_array_equal(qn.sum(qn.full((3, 4), 2, device=device), axis=0).get(), [6, 6, 6, 6])


@pytest.mark.parametrize("name", ["sum", "prod", "any", "all", "count_nonzero"])
def test_a_reduction_of_no_elements_is_the_identity(device, name):
    a = np.zeros((3, 0), np.float32)
    x = qn.asarray(a, device=device)
    check(name, x, a)
    check(name, x, a, axis=1)


@pytest.mark.parametrize("name", ["min", "max", "argmin", "argmax"])
def test_extremes_of_no_elements_are_errors(device, name):
    with pytest.raises(qn.ArgumentValueError, match="the array is empty"):
        getattr(qn, name)(qn.zeros((0,), "float32", device))


def test_masks_and_first_values_are_numpys(device):
    a = np.array([[1.5, -2, 3], [4, 0.5, -6]], np.float32)
    mask = np.array([True, False, True])
    x = qn.asarray(a, device=device)
    for name, options in (
        ("sum", {"where": mask}),
        ("sum", {"initial": 5, "axis": 1}),
        ("prod", {"where": mask, "initial": 2}),
        ("max", {"initial": 3, "axis": 0}),
        ("min", {"where": mask, "initial": 10, "axis": 1}),
        ("all", {"where": mask}),
    ):
        check(name, x, a, **options)
    check("max", x[:0], a[:0], initial=7, axis=0)
    with pytest.raises(qn.ArgumentValueError, match="needs initial="):
        qn.max(x, where=mask)
    check("var", x, a, dtype="float64")


def test_wrong_axes_are_errors(device):
    x = qn.zeros((2, 3), "float32", device)
    with pytest.raises(qn.ArgumentValueError, match="axis 2 is out of bounds"):
        qn.sum(x, axis=2)
    with pytest.raises(qn.ArgumentValueError, match="is repeated"):
        qn.sum(x, axis=(0, -2))


def test_sums_of_floats_are_as_exact_as_numpys(device):
    a = np.random.default_rng(3).random(1 << 18, dtype=np.float32)
    exact = a.astype(np.float64).sum()
    got = qn.sum(qn.asarray(a, device=device)).item()
    assert abs(got - exact) <= max(abs(float(a.sum()) - exact), np.spacing(np.float32(exact)))


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_sums_of_any_shape_and_layout_are_numpys(data):
    a = data.draw(
        hnp.arrays(
            "int64",
            hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=5),
            elements=st.integers(0, 9),
        )
    )
    x = qn.asarray(a, device="host")
    if data.draw(st.booleans()):
        x, a = x.T, a.T
    if data.draw(st.booleans()):
        x, a = x[::-1], a[::-1]
    axis = data.draw(st.none() | st.integers(-a.ndim, a.ndim - 1))
    np.testing.assert_array_equal(qn.sum(x + 1, axis=axis).get(), (a + 1).sum(axis=axis))


def test_a_number_has_an_axis_where_numpys_has(device):
    x = qn.asarray(2.5, device=device)
    for axis in (0, -1):
        for name in ("sum", "prod", "max", "min", "any", "all", "argmax", "argmin", "count_nonzero"):
            assert getattr(qn, name)(x, axis=axis).item() == getattr(np, name)(np.float64(2.5), axis=axis)
    for function in (lambda: qn.mean(x, axis=0), lambda: qn.sum(x, axis=1), lambda: x.sum(axis=(0,))):
        with pytest.raises(np.exceptions.AxisError, match="out of bounds") as caught:
            function()
        assert isinstance(caught.value, qn.ArgumentError)


def test_reductions_are_written_where_they_are_wanted(device):
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    x, out = qn.asarray(a, device=device), qn.zeros(3, "float32", device)
    for name in ("sum", "max", "mean", "std"):
        assert getattr(qn, name)(x, axis=0, out=out) is out
        np.testing.assert_allclose(out.get(), getattr(np, name)(a, axis=0))
    with pytest.raises(qn.ArgumentValueError, match="sum: out"):
        qn.sum(x, out=out)


def test_what_a_maximum_begins_with_takes_the_elements_type(device):
    x = qn.asarray([True, False], device=device)
    assert qn.max(x, where=[False, True], initial=2).dtype == np.bool_
    assert qn.max(qn.asarray([1, 2], device=device), where=x, initial=0.5).dtype == np.int64
