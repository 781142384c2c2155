# SPDX-License-Identifier: MIT
"""Keywords whose meaning differed from NumPy's in earlier versions. NumPy is the oracle."""

import warnings

import numpy as np
import pytest

import quern as qn


def assert_same(found, expected):
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(found.get(), expected, rtol=1e-6)


def test_dtype_is_that_of_the_result(device):
    """It does not cut the operands off where the result has a type of its own."""
    bits = np.array([2**32 - 1, 769276365, 5], "u4")
    x = qn.asarray(bits, device=device)
    assert_same(qn.bitwise_count(x, dtype="u1"), np.bitwise_count(bits, dtype="u1"))
    numbers = np.array([3 + 4j, 1j], "c8")
    z = qn.asarray(numbers, device=device)
    assert_same(qn.absolute(z, dtype="f4"), np.absolute(numbers, dtype="f4"))
    if device.has_fp64:
        assert_same(qn.absolute(z, dtype="f8"), np.absolute(numbers, dtype="f8"))
        with pytest.raises(qn.ArgumentTypeError):
            qn.absolute(qn.astype(z, "c16"), dtype="f4")
    with pytest.raises(qn.ArgumentTypeError):
        qn.bitwise_count(x, dtype="f4")


def test_exponents_stay_integers_beside_a_dtype(device):
    mantissas, exponents = np.array([0.5, 3.0], "f4"), np.array([3, -1], "i4")
    found = qn.ldexp(qn.asarray(mantissas, device=device), qn.asarray(exponents, device=device), dtype="f4")
    assert_same(found, np.ldexp(mantissas, exponents, dtype="f4"))


def test_the_strictest_rules_of_casting_refuse_conversions(device):
    one, other = np.array([1, 2], "i4"), np.array([1.5, 2.5], "f4")
    x, y = qn.asarray(one, device=device), qn.asarray(other, device=device)
    for casting in ("no", "equiv"):
        with pytest.raises(TypeError):
            np.multiply(one, other, casting=casting)
        with pytest.raises(qn.ArgumentTypeError, match=f"multiply: elements of .* '{casting}' forbids"):
            qn.multiply(x, y, casting=casting)
        with pytest.raises(qn.ArgumentTypeError, match="sin: elements of int32"):
            qn.sin(x, casting=casting)
        assert_same(qn.multiply(x, x, casting=casting), np.multiply(one, one, casting=casting))
        signed, unsigned = np.array([-1, 3]), np.array([2**63, 3], "u8")
        found = qn.less(
            qn.asarray(signed, device=device), qn.asarray(unsigned, device=device), casting=casting
        )
        assert_same(found, np.less(signed, unsigned, casting=casting))
        assert_same(qn.logical_and(x, y, casting=casting), np.logical_and(one, other, casting=casting))


@pytest.mark.parametrize("order", ["C", "F", "A"])
def test_a_copy_is_reshaped_in_the_given_order(device, order):
    values = np.arange(6, dtype="i4").reshape(2, 3).T
    x = qn.asarray(np.arange(6, dtype="i4").reshape(2, 3), device=device).T
    for copy in (True, None):
        found = qn.reshape(x, -1, order=order, copy=copy)
        assert_same(found, np.reshape(values, -1, order=order, copy=copy))


def test_axes_of_one_element_stay_where_they_are_in_the_order_of_memory(device):
    values = np.arange(6, dtype="i4").reshape(2, 3)
    x = qn.asarray(values, device=device)
    for shape, turn in (((2, 2, 3), (0, 1, 2)), ((2, 2, 3), (2, 0, 1)), ((2, 2, 3), (1, 2, 0))):
        expected = np.broadcast_to(values, shape).transpose(turn)
        found = qn.permute_dims(qn.broadcast_to(x, shape), turn)
        assert_same(qn.ravel(found, order="K"), np.ravel(expected, order="K"))


def test_rounded_numbers_go_into_an_array_of_their_shape(device):
    x = qn.asarray(np.array([1.25, 2.5], "f4"), device=device)
    with pytest.raises(qn.ArgumentValueError, match="shape"):
        qn.round(x, 1, out=qn.zeros((2, 2), "f4", device))
    out = qn.zeros(2, "f4", device)
    assert qn.round(x, 1, out=out) is out
    np.testing.assert_array_equal(out.get(), np.round(np.array([1.25, 2.5], "f4"), 1))


def test_the_rank_of_a_fit_is_numpys(device):
    if not device.has_fp64:
        pytest.skip("its default precision is another")
    x, y = np.arange(5.0), np.array([1.0, 0.0, 2.0, 1.0, 3.0])
    found = qn.polyfit(qn.asarray(x, device=device), qn.asarray(y, device=device), 2, full=True)
    expected = np.polyfit(x, y, 2, full=True)
    assert found[2].dtype == np.asarray(expected[2]).dtype and found[2].item() == expected[2]


def test_windows_slide_over_an_array_as_views(device):
    values = np.arange(12, dtype="f4").reshape(3, 4)
    x = qn.asarray(values, device=device)
    ours, theirs = (m.lib.stride_tricks.sliding_window_view for m in (qn, np))
    for args in (((2, 2),), (3, 1), (2, 0), ((2, 2), (1, 1))):
        assert_same(ours(x, *args), theirs(values, *args))
        assert_same(theirs(x, *args), theirs(values, *args))
    assert qn.shares_memory(ours(x, 2, 1), x)
    assert_same(ours(x[::-1], 2, 0).sum(-1), theirs(values[::-1], 2, 0).sum(-1))
    for wrong in ((4, 0), ((2, 2, 2),), (-1, 0), (2, None)):
        with pytest.raises(ValueError):
            theirs(values, *wrong)
        with pytest.raises(qn.ArgumentValueError, match="sliding_window_view"):
            ours(x, *wrong)


@pytest.mark.parametrize("name", ["nanmin", "nanmax"])
def test_nan_is_no_first_value_of_an_extreme_without_nan(device, name):
    values = np.array([[1, np.nan], [np.nan, np.nan]], "f4")
    mask = np.array([[True, False], [True, True]])
    x, m = qn.asarray(values, device=device), qn.asarray(mask, device=device)
    for axis in (None, 0, 1):
        for initial in (np.nan, 0.5, 2):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected = getattr(np, name)(values, axis=axis, initial=initial, where=mask)
            found = getattr(qn, name)(x, axis=axis, initial=initial, where=m)
            np.testing.assert_array_equal(found.get(), expected)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_float_power_converts_python_numbers_by_any_rule(device, dtype):
    if not device.has_fp64:
        pytest.skip("it computes in double precision")
    a = np.array([1.5, 2.0], dtype)
    x = qn.asarray(a, device=device)
    for one, other in ((3, -2), (a, 2), (2, a)):
        ours = [x if value is a else value for value in (one, other)]
        with device:
            found = qn.float_power(*ours, dtype=dtype, casting="no")
        assert found.dtype == np.dtype(dtype)
        np.testing.assert_allclose(found.get(), np.float_power(one, other, dtype=dtype))
