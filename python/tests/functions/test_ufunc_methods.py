# SPDX-License-Identifier: MIT
"""Methods of functions of two operands: at, reduceat, and reduce and accumulate of all of them. NumPy is the oracle."""

import numpy as np
import pytest

import quern as qn

RNG = np.random.default_rng(7)
TARGET = RNG.integers(1, 20, 50)
PLACES = RNG.integers(-50, 50, 400)
VALUES = RNG.integers(1, 5, 400)
REAL = ["i1", "u1", "i4", "u8", "f4"]
ASSOCIATIVE = ["add", "multiply", "maximum", "minimum", "bitwise_or", "bitwise_and", "bitwise_xor", "gcd"]


def check_at(device, name, target, index, values):
    theirs = target.copy()
    with np.errstate(all="ignore"):
        getattr(np, name).at(theirs, index, values)
    ours = qn.asarray(target, device=device)
    on_device = values if np.isscalar(values) else qn.asarray(values, device=device)
    getattr(qn, name).at(ours, index, on_device)
    np.testing.assert_allclose(ours.get(), theirs, rtol=1e-5, err_msg=name)
    again = qn.asarray(target, device=device)
    getattr(np, name).at(again, index, on_device)
    np.testing.assert_allclose(again.get(), theirs, rtol=1e-5, err_msg=f"numpy.{name}")


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("name", ["add", "subtract", "maximum", "minimum", "multiply"])
def test_every_value_counts_where_an_index_repeats(device, name, dtype):
    # Few repetitions where products would overflow floating point.
    count = 60 if name == "multiply" else 400
    check_at(device, name, TARGET.astype(dtype), PLACES[:count], VALUES[:count].astype(dtype))


@pytest.mark.parametrize(
    "name", ["bitwise_or", "bitwise_and", "bitwise_xor", "gcd", "logical_or", "logical_xor"]
)
def test_other_operations_count_every_value_too(device, name):
    check_at(device, name, TARGET.astype("i4"), PLACES, VALUES.astype("i4"))


@pytest.mark.parametrize("name", ["floor_divide", "remainder", "left_shift"])
def test_operations_that_are_not_associative_go_in_the_order_of_the_values(device, name):
    places = np.array([3, 3, 0, 3, 0, 7])
    check_at(device, name, TARGET.astype("i4"), places, np.array([2, 3, 2, 1, 4, 5], "i4"))


def test_quotients_go_in_the_order_of_the_values(device):
    target = TARGET.astype("f4")
    check_at(device, "divide", target, np.array([3, 3, 0]), np.array([2, 4, 8], "f4"))
    check_at(device, "power", target, [3, 3, 0], 2.0)


def test_complex_numbers_and_booleans_are_updated(device):
    target = (TARGET[:5] + 1j).astype("c8")
    check_at(device, "add", target, PLACES[:20] % 5, (VALUES[:20] * 1j).astype("c8"))
    truths = TARGET[:5] > 10
    check_at(device, "logical_or", truths, PLACES[:20] % 5, VALUES[:20] > 3)
    check_at(device, "add", truths, PLACES[:20] % 5, VALUES[:20] > 3)


@pytest.mark.parametrize(
    "index",
    [
        (np.array([0, 2, 2, -1]), slice(None)),
        (slice(None), np.array([1, 1, 0])),
        (np.array([0, 0, 3]), np.array([1, 1, 2])),
        np.array([3, 3, 3]),
        (Ellipsis, 1),
        slice(1, None),
        2,
    ],
    ids=str,
)
def test_indices_are_numpys(device, index):
    target = np.arange(12, dtype="f4").reshape(4, 3)
    check_at(device, "add", target, index, 2.0)
    values = np.arange(1, 1 + np.size(target[index]), dtype="f4").reshape(target[index].shape)
    check_at(device, "add", target, index, values)


def test_masks_choose_what_is_updated(device):
    target = np.arange(6, dtype="f4")
    check_at(device, "add", target, target > 2, np.float32(3))


def test_views_are_updated(device):
    whole = np.arange(24, dtype="f4").reshape(4, 6)
    ours = qn.asarray(whole, device=device)
    np.add.at(whole[::2, 1::2].T, np.array([0, 0, 2]), 10.0)
    qn.add.at(ours[::2, 1::2].T, np.array([0, 0, 2]), 10.0)
    np.testing.assert_array_equal(ours.get(), whole)


def test_values_may_be_of_the_array_itself(device):
    values = np.arange(6, dtype="f4")
    ours = qn.asarray(values, device=device)
    np.add.at(values, [0, 0, 1], values[3:])
    qn.add.at(ours, [0, 0, 1], ours[3:])
    np.testing.assert_array_equal(ours.get(), values)


@pytest.mark.parametrize("index", [[0, 2, 2, 2], slice(1, 4), [True, False, True, False, True]])
@pytest.mark.parametrize("name", ["negative", "sqrt", "square", "invert"])
def test_functions_of_one_operand_apply_as_often_as_an_index_repeats(device, name, index):
    theirs = np.array([4, 16, 3, 81, 2], "int32" if name == "invert" else "float32")
    ours = qn.asarray(theirs, device=device)
    again = qn.asarray(theirs, device=device)
    getattr(np, name).at(theirs, index)
    getattr(qn, name).at(ours, index)
    np.testing.assert_allclose(ours.get(), theirs, rtol=1e-6)
    getattr(np, name).at(again, index)
    np.testing.assert_allclose(again.get(), theirs, rtol=1e-6)
    assert not hasattr(getattr(qn, name), "reduce")


def test_what_cannot_be_updated_is_refused(device):
    x = qn.zeros(4, "int32", device)
    with pytest.raises(qn.ArgumentTypeError, match=r"add\.at: cannot cast float64 to int32"):
        qn.add.at(x, [0], 1.5)
    with pytest.raises(IndexError):
        qn.add.at(x, [4], 1)
    with pytest.raises(qn.ArgumentTypeError, match="expected an array to write to"):
        qn.add.at(np.zeros(3), [0], 1)
    with pytest.raises(TypeError):
        np.sin.at(x, [0])
    np.testing.assert_array_equal(x.get(), 0)


def test_positions_on_the_device_out_of_bounds_write_nothing(device):
    x = qn.zeros(4, "int32", device)
    with pytest.raises(IndexError, match="index 9 is out of bounds"):
        qn.add.at(x, qn.asarray(np.array([1, 9]), device=device), 1)
    np.testing.assert_array_equal(x.get(), 0)


@pytest.mark.parametrize("name", [*ASSOCIATIVE, "subtract", "floor_divide"])
@pytest.mark.parametrize("starts", [[0, 4, 1, 9], [2], [0, 1, 2, 3], [9, 3, 3, 5], []], ids=str)
def test_parts_of_an_axis_are_reduced(device, name, starts):
    values = RNG.integers(1, 7, 10).astype("i4")
    expected = getattr(np, name).reduceat(values, np.array(starts, int))
    x = qn.asarray(values, device=device)
    for made in (getattr(qn, name).reduceat(x, starts), getattr(np, name).reduceat(x, starts)):
        assert made.dtype == expected.dtype
        np.testing.assert_array_equal(made.get(), expected)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_parts_are_reduced_along_an_axis(device, axis):
    values = RNG.integers(0, 9, (5, 4, 6)).astype("f4")
    starts = np.array([0, 2, 1, 3])
    expected = np.add.reduceat(values, starts, axis=axis)
    x = qn.asarray(values, device=device)
    out = qn.zeros(expected.shape, "float32", device)
    assert qn.add.reduceat(x, qn.asarray(starts, device=device), axis, None, out) is out
    np.testing.assert_allclose(out.get(), expected, rtol=1e-6)
    np.testing.assert_array_equal(
        qn.maximum.reduceat(x, starts, axis=axis).get(), np.maximum.reduceat(values, starts, axis=axis)
    )
    with pytest.raises(IndexError, match="out of bounds"):
        qn.add.reduceat(x, [0, 9], axis)


def test_sums_of_parts_take_a_type(device):
    values = np.array([100, 100, 100], "i1")
    x = qn.asarray(values, device=device)
    assert qn.add.reduceat(x, [0, 1]).dtype == np.add.reduceat(values, [0, 1]).dtype
    np.testing.assert_array_equal(
        qn.add.reduceat(x, [0, 1], dtype="int8").get(), np.add.reduceat(values, [0, 1], dtype="int8")
    )


@pytest.mark.parametrize(
    "name", ["subtract", "bitwise_or", "bitwise_xor", "gcd", "floor_divide", "logical_xor"]
)
def test_all_functions_of_two_operands_reduce_and_accumulate(device, name):
    values = RNG.integers(1, 9, (4, 3)).astype("i4")
    x = qn.asarray(values, device=device)
    ours, theirs = getattr(qn, name), getattr(np, name)
    np.testing.assert_array_equal(ours.reduce(x).get(), theirs.reduce(values))
    np.testing.assert_array_equal(
        ours.reduce(x, axis=1, keepdims=True).get(), theirs.reduce(values, 1, keepdims=True)
    )
    np.testing.assert_array_equal(ours.accumulate(x, axis=1).get(), theirs.accumulate(values, axis=1))
    np.testing.assert_array_equal(theirs.accumulate(x).get(), theirs.accumulate(values))
    if name not in ("subtract", "floor_divide"):
        np.testing.assert_array_equal(ours.reduce(x, axis=None).get(), theirs.reduce(values, axis=None))
        np.testing.assert_array_equal(ours.reduce(x, initial=1).get(), theirs.reduce(values, initial=1))
