# SPDX-License-Identifier: MIT
"""Elementwise functions composed of several operations, with all of NumPy's keywords. NumPy is the oracle."""

import numpy as np
import pytest

import quern as qn

VALUES = np.array([7.5, -7.25, 0.0, 2.5], np.float32)


@pytest.mark.parametrize("name", ["modf", "frexp"])
def test_two_results_go_where_out_says(device, name):
    x = qn.asarray(VALUES, device=device)
    expected = getattr(np, name)(VALUES)
    outs = tuple(qn.zeros(4, part.dtype, device) for part in expected)
    first, second = getattr(qn, name)(x, out=outs)
    assert first is outs[0] and second is outs[1]
    for ours, theirs in zip(outs, expected, strict=True):
        np.testing.assert_array_equal(ours.get(), theirs)


def test_one_of_two_results_may_be_new(device):
    x = qn.asarray(VALUES, device=device)
    out = qn.zeros(4, "float32", device)
    quotients, rest = qn.divmod(x, 2, out=(None, out))
    assert rest is out and quotients is not out
    for ours, theirs in zip((quotients, rest), np.divmod(VALUES, np.float32(2)), strict=True):
        np.testing.assert_array_equal(ours.get(), theirs)


def test_two_results_are_of_the_operands_as_they_were(device):
    x = qn.asarray(VALUES, device=device)
    rest = qn.zeros(4, "float32", device)
    qn.divmod(x, 2, out=(x, rest))
    for ours, theirs in zip((x, rest), np.divmod(VALUES, np.float32(2)), strict=True):
        np.testing.assert_array_equal(ours.get(), theirs)


def test_masks_and_types_of_two_results(device):
    values = np.array([7, -7, 3], np.int16)
    x = qn.asarray(values, device=device)
    mask = np.array([True, False, True])
    outs = (qn.full(3, 9, dtype="int32", device=device), qn.full(3, 9, dtype="int32", device=device))
    theirs = (np.full(3, 9, np.int32), np.full(3, 9, np.int32))
    qn.divmod(x, 2, out=outs, where=qn.asarray(mask, device=device), dtype="int32")
    np.divmod(values, 2, out=theirs, where=mask, dtype="int32")
    for ours, expected in zip(outs, theirs, strict=True):
        np.testing.assert_array_equal(ours.get(), expected)
    with pytest.raises(qn.ArgumentTypeError, match="dtype"):
        qn.modf(qn.asarray(VALUES, device=device), dtype="int32")


def test_numpys_functions_of_two_results_take_our_arrays(device):
    x = qn.asarray(VALUES, device=device)
    outs = (qn.zeros(4, "float32", device), qn.zeros(4, "float32", device))
    fractions, whole = np.modf(x, out=outs)
    assert fractions is outs[0] and whole is outs[1]
    np.testing.assert_array_equal(whole.get(), np.modf(VALUES)[1])


def test_rounding_goes_where_out_says(device):
    x = qn.asarray(VALUES, device=device)
    out = qn.zeros(4, "float32", device)
    assert x.round(1, out) is out
    np.testing.assert_array_equal(out.get(), VALUES.round(1))
    assert np.round(x, 1, out=out) is out


def test_powers_are_wide(device):
    if not device.has_fp64:
        pytest.skip("the device has no float64")
    x = qn.asarray(np.array([2, 4], np.int32), device=device)
    assert qn.float_power(x, -1, dtype="complex128").dtype == np.complex128
    np.testing.assert_array_equal(qn.float_power(x, -1).get(), np.float_power([2, 4], -1))
    with pytest.raises(
        qn.ArgumentTypeError, match="float_power: the result has dtype float64, not dtype=float32"
    ):
        qn.float_power(x, 2, dtype="float32")


def test_bounds_of_closeness_are_arrays_too(device):
    a = np.array([1.0, 2.0, 3.0], np.float32)
    b = np.array([1.1, 2.1, 3.1], np.float32)
    bounds = np.array([0.2, 0.01, 0.2], np.float32)
    ours = qn.isclose(qn.asarray(a, device=device), b, atol=qn.asarray(bounds, device=device))
    np.testing.assert_array_equal(ours.get(), np.isclose(a, b, atol=bounds))
