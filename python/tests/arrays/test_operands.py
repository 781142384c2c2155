# SPDX-License-Identifier: MIT
"""Operands beside an array: numbers of Python and NumPy, lists and None; and out=."""

import enum

import numpy as np
import pytest

import quern as qn


def test_signed_and_unsigned_integers_are_compared_exactly(device):
    # Their common type is float64, which takes neighbours of 2^63 for equal.
    a = np.array([2**63, 2**63 - 1, 0, 2**64 - 1, 5], np.uint64)
    b = np.array([2**63 - 1, 2**63 - 1, -1, -1, 5], np.int64)
    x, y = qn.asarray(a, device=device), qn.asarray(b, device=device)
    for name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"):
        function = getattr(np, name)
        np.testing.assert_array_equal(getattr(qn, name)(x, y).get(), function(a, b))
        np.testing.assert_array_equal(getattr(qn, name)(y, x).get(), function(b, a))


def test_integers_have_no_negative_powers(device):
    x = qn.arange(4, device=device)
    with pytest.raises(ValueError, match="negative integer powers"):
        x**-1
    np.testing.assert_array_equal((x ** qn.asarray([2, 3, 0, 1], device=device)).get(), [0, 1, 1, 3])


def test_integers_beyond_64_bits_raise_or_are_compared(device):
    x = qn.arange(3, device=device)
    with pytest.raises(OverflowError, match="out of bounds for int64"):
        x + 2**70
    with pytest.raises(OverflowError, match="300 is out of bounds"):
        x.astype("uint8") + 300
    assert (x < 2**70).get().all()
    assert not (x == -(2**70)).get().any()
    np.testing.assert_array_equal((x.astype("float32") + 2**70).get(), np.arange(3, dtype=np.float32) + 2**70)


def test_equality_is_elementwise(device):
    x = qn.asarray(np.array([1, 2]), device=device)
    np.testing.assert_array_equal((x == [1, 3]).get(), [True, False])
    np.testing.assert_array_equal((x == np.array([1, 3])).get(), [True, False])
    np.testing.assert_array_equal((x == None).get(), [False, False])  # noqa: E711
    np.testing.assert_array_equal((x != None).get(), [True, True])  # noqa: E711
    np.testing.assert_array_equal((x == "1").get(), [False, False])
    with pytest.raises(TypeError):
        x < None  # noqa: B015


def test_numbers_of_numpy_have_a_type_and_those_of_python_have_none(device):
    x = qn.ones(2, dtype="float32", device=device)
    assert (x * 2.5).dtype == np.float32
    assert (x * np.float64(2.5)).dtype == np.float64
    assert (np.float64(2.5) * x.astype("int8")).dtype == np.float64
    assert (x.astype("int8") + np.int64(300)).dtype == np.int64
    assert (x.astype("float64") * np.float32(0.1)).get()[0] == np.float64(np.float32(0.1))

    class Size(enum.IntEnum):
        TWO = 2

    assert (x * Size.TWO).dtype == np.float32


def test_lists_and_arrays_of_numpy_are_moved_to_the_device_of_the_others(device):
    x = qn.asarray(np.array([1.0, 2.0], np.float32), device=device)
    got = qn.add(x, [1, 2])
    assert got.device == device
    np.testing.assert_array_equal(got.get(), [2, 4])
    np.testing.assert_array_equal(qn.where([True, False], x, np.float32(7)).get(), [1, 7])
    np.testing.assert_array_equal(qn.maximum((3, 0), x).get(), [3, 2])
    x += [1, 1]
    np.testing.assert_array_equal(x.get(), [2, 3])


def test_functions_take_numbers_and_lists_alone():
    assert qn.add(1, 2.5).get() == 3.5
    assert qn.add(1, 2).dtype == np.int64
    np.testing.assert_array_equal(qn.sqrt([4.0, 9.0]).get(), [2, 3])
    with pytest.raises(qn.ArgumentTypeError, match="expected an array or numbers, got str"):
        qn.add("1", 2)


def test_results_are_written_where_they_are_wanted(device):
    a = np.array([1.0, -2.0, 3.0], np.float32)
    x, out = qn.asarray(a, device=device), qn.zeros(3, "float32", device)
    assert qn.multiply(x, 2, out=out) is out
    np.testing.assert_array_equal(out.get(), a * 2)
    qn.abs(x, out=out[::-1])
    np.testing.assert_array_equal(out.get(), np.abs(a)[::-1])
    qn.negative(x, out=out, where=x > 0)
    np.testing.assert_array_equal(out.get(), [-1, 2, -3])
    assert qn.add(x, 1, dtype="float64").dtype == np.float64
    with pytest.raises(qn.ArgumentTypeError, match=r"cannot cast .* to int32"):
        qn.add(x, 1, out=qn.zeros(3, "int32", device))
    with pytest.raises(qn.ArgumentValueError, match="out: expected an array of shape"):
        qn.add(x, 1, out=qn.zeros(2, "float32", device))


def test_rounding_takes_decimals(device):
    a = np.array([1.25, -0.35, 1234.5, 2.5], np.float64 if device.has_fp64 else np.float32)
    x = qn.asarray(a, device=device)
    for decimals in (0, 1, -2):
        np.testing.assert_array_equal(qn.round(x, decimals).get(), np.round(a, decimals))
    np.testing.assert_array_equal(qn.round(qn.asarray([15, 25, -7], device=device), -1).get(), [20, 20, -10])


def test_closeness_is_numpys(device):
    a = np.array([1.0, 1.0 + 1e-6, np.inf, np.nan, 0.0, -np.inf], np.float32)
    b = np.array([1.0, 1.0, np.inf, np.nan, 1e-9, np.inf], np.float32)
    x, y = qn.asarray(a, device=device), qn.asarray(b, device=device)
    for equal_nan in (False, True):
        expected = np.isclose(a, b, equal_nan=equal_nan)
        np.testing.assert_array_equal(qn.isclose(x, y, equal_nan=equal_nan).get(), expected)
    assert not qn.allclose(x, y)
    assert qn.allclose(x[:3], y[:3])
    assert qn.array_equal(x, x, equal_nan=True)
    assert not qn.array_equal(x, x[:2])


def test_nan_and_infinity_are_replaced(device):
    a = np.array([np.nan, np.inf, -np.inf, 2.5], np.float32)
    x = qn.asarray(a, device=device)
    np.testing.assert_array_equal(qn.nan_to_num(x).get(), np.nan_to_num(a))
    got = qn.nan_to_num(x, nan=1, posinf=2, neginf=3).get()
    np.testing.assert_array_equal(got, np.nan_to_num(a, nan=1, posinf=2, neginf=3))
    z = (a + 1j).astype(np.complex64)
    np.testing.assert_array_equal(qn.nan_to_num(qn.asarray(z, device=device)).get(), np.nan_to_num(z))


def test_large_unsigned_numbers_are_counted(device):
    got = qn.arange(2**63, 2**63 + 3, dtype="uint64", device=device)
    np.testing.assert_array_equal(got.get(), np.arange(2**63, 2**63 + 3, dtype=np.uint64))
    got = qn.arange(2**63 + 2, 2**63 - 1, -1, dtype="uint64", device=device)
    assert got.get().tolist() == [2**63 + 2, 2**63 + 1, 2**63]
    assert qn.arange(np.int64(3), device=device).get().tolist() == [0, 1, 2]


def test_a_predicate_that_compares_the_pointer_is_an_error():
    x = qn.arange(4, device="host")
    for function in (qn.algorithms.copy_if, qn.algorithms.remove_if, qn.algorithms.partition):
        with pytest.raises(qn.ArgumentValueError, match=r"an element is x\[i\]"):
            function(x, "x > 0")
    with pytest.raises(qn.ArgumentValueError, match=r"an element is x\[i\]"):
        qn.algorithms.copy_if(x, "i > 1 && (x)")
    np.testing.assert_array_equal(qn.algorithms.copy_if(x, "*x == 0 && x[i] > 1").get(), [2, 3])
