# SPDX-License-Identifier: MIT
"""gather, scatter and transpose against NumPy."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import quern as qn
from quern import algorithms

POINT = np.dtype([("x", np.int32), ("y", np.int16, (3,)), ("name", np.int8)], align=True)
UFUNCS = {
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


def random_elements(dtype, n, seed=0):
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind in "iuf":
        return rng.integers(-50 if np.dtype(dtype).kind != "u" else 0, 50, n).astype(dtype)
    return rng.integers(0, 256, n * np.dtype(dtype).itemsize, dtype=np.uint8).view(dtype)


@pytest.mark.parametrize("dtype", ["uint8", "float32", "complex128", POINT], ids=str)
@pytest.mark.parametrize("n", [0, 1, 1001])
def test_gather_picks_elements(device, dtype, n):
    values = random_elements(dtype, 57)
    positions = np.random.default_rng(1).integers(0, 57, n).astype(np.int32)
    picked = algorithms.gather(qn.asarray(values, device=device), qn.asarray(positions, device=device))
    np.testing.assert_array_equal(picked.get(), values[positions])


@pytest.mark.parametrize("index", ["int8", "uint16", "int64", "uint64"])
def test_positions_are_of_any_integer_dtype(device, index):
    if device.backend == "opencl" and index not in ("int8", "uint64"):
        pytest.skip("another slow kernel for PoCL")
    values = np.arange(100, dtype=np.float32)
    positions = np.arange(99, -1, -3).astype(index)
    x = qn.asarray(values, device=device)
    picked = algorithms.gather(x, qn.asarray(positions, device=device))
    np.testing.assert_array_equal(picked.get(), values[positions])


def test_positions_outside_follow_the_mode(device):
    values, positions = np.float32([10, 20, 30]), np.int32([-4, -1, 0, 2, 3, 100])
    x, p = qn.asarray(values, device=device), qn.asarray(positions, device=device)
    assert list(algorithms.gather(x, p).get()) == [0, 0, 10, 30, 0, 0]
    assert list(algorithms.gather(x, p, mode="clip").get()) == [10, 10, 10, 30, 30, 30]
    assert list(algorithms.gather(x, p, mode="wrap").get()) == [30, 30, 10, 30, 10, 20]
    with pytest.raises(IndexError, match="4 of 6 positions are outside of the array's 3 elements"):
        algorithms.gather(x, p, mode="raise")
    out, ones = qn.zeros(3, np.float32, device), qn.asarray(np.ones(6, np.float32), device=device)
    with pytest.raises(IndexError, match="outside") as caught:
        algorithms.scatter(out, p, ones, combine="add", mode="raise")
    assert isinstance(caught.value, qn.ArgumentError)
    assert list(out.get()) == [0, 0, 0]
    algorithms.scatter(out, p, ones, combine="add")
    assert list(out.get()) == [1, 0, 1]
    algorithms.scatter(out, p, ones, combine="add", mode="wrap")
    assert list(out.get()) == [3, 1, 4]
    algorithms.scatter(out, p, ones, combine="add", mode="clip")
    assert list(out.get()) == [6, 1, 7]


@pytest.mark.parametrize("mode", ["raise", "clip", "wrap"])
def test_nothing_can_be_gathered_from_an_empty_array(device, mode):
    x, p = np.zeros(0, np.float32), np.zeros(2, np.int32)
    with pytest.raises(IndexError):
        np.take(x, p, mode=mode)
    with pytest.raises(IndexError, match="gather"):
        algorithms.gather(qn.asarray(x, device=device), qn.asarray(p, device=device), mode=mode)


def expect_combined(device, dtype, combine):
    start, values = random_elements(dtype, 40), random_elements(dtype, 3001, 1)
    positions = np.random.default_rng(2).integers(0, 40, 3001).astype(np.int32)
    expected = start.copy()
    UFUNCS[combine].at(expected, positions, values)
    out = qn.asarray(start, device=device)
    event = algorithms.scatter(
        out, qn.asarray(positions, device=device), qn.asarray(values, device=device), combine=combine
    )
    assert isinstance(event, qn.Event)
    np.testing.assert_array_equal(out.get(), expected)


@pytest.mark.parametrize("combine", UFUNCS)
@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64", "float32", "float64"])
def test_scatter_counts_every_value(device, dtype, combine):
    if dtype.startswith("float") and combine in ("and", "or", "xor"):
        out, p = qn.zeros(3, dtype, device), qn.zeros(3, np.int32, device)
        with pytest.raises(qn.ArgumentError, match="expected an integer of 32 or 64 bits"):
            algorithms.scatter(out, p, qn.zeros(3, dtype, device), combine=combine)
        return
    if device.backend == "opencl" and (dtype, combine) not in [
        ("int32", "add"),
        ("int64", "min"),
        ("float32", "add"),
        ("float32", "max"),
        ("float64", "add"),
    ]:
        pytest.skip("another slow kernel for PoCL")
    expect_combined(device, dtype, combine)


def test_nan_wins_in_min_and_max(device):
    positions = qn.asarray(np.int32([0, 1, 1, 2]), device=device)
    values = qn.asarray(np.float32([np.nan, np.nan, 5, 5]), device=device)
    for combine, last in (("min", 1), ("max", 5)):
        out = qn.asarray(np.float32([1, 1, 1]), device=device)
        algorithms.scatter(out, positions, values, combine=combine)
        np.testing.assert_array_equal(out.get(), [np.nan, np.nan, last])


@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_exchange_keeps_what_was_there(device, dtype):
    out = qn.asarray(np.arange(5).astype(dtype), device=device)
    values = qn.asarray(np.arange(100, 103).astype(dtype), device=device)
    previous = qn.zeros(3, dtype, device)
    positions = qn.asarray(np.int32([4, 9, 0]), device=device)
    algorithms.scatter(out, positions, values, combine="exchange", previous=previous)
    assert list(out.get()) == [102, 1, 2, 3, 100]
    assert list(previous.get()) == [4, 0, 0]


@pytest.mark.parametrize("dtype", ["uint8", "float32", POINT], ids=str)
def test_scatter_stores_elements_of_any_dtype(device, dtype):
    values = random_elements(dtype, 1001)
    positions = np.random.default_rng(3).permutation(1001).astype(np.int64)
    expected = values.copy()
    expected[positions] = values
    out = qn.zeros(1001, dtype, device)
    algorithms.scatter(out, qn.asarray(positions, device=device), qn.asarray(values, device=device))
    np.testing.assert_array_equal(out.get(), expected)


@pytest.mark.parametrize("dtype", ["uint8", "float32", "complex128", POINT], ids=str)
@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (1, 100), (33, 65), (200, 7), (129, 130)])
def test_transpose_is_that_of_numpy(device, dtype, shape):
    matrix = random_elements(dtype, shape[0] * shape[1]).reshape(shape)
    turned = algorithms.transpose(qn.asarray(matrix, device=device))
    assert turned.shape == shape[::-1]
    np.testing.assert_array_equal(turned.get(), matrix.T)


def test_bad_arguments_are_errors(device):
    x, p = qn.zeros(3, np.float32, device), qn.zeros(3, np.int32, device)
    with pytest.raises(qn.ArgumentError, match="positions has dtype float32, expected an integer"):
        algorithms.gather(x, x)
    with pytest.raises(qn.ArgumentError, match="mode: expected one of 'drop', 'clip', 'wrap', 'raise'"):
        algorithms.gather(x, p, mode="ignore")
    with pytest.raises(qn.ArgumentError, match="out overlaps x"):
        algorithms.gather(x, p, out=x)
    with pytest.raises(qn.ArgumentError, match="combine: expected one of 'set', 'add'"):
        algorithms.scatter(x, p, qn.zeros(3, np.float32, device), combine="multiply")
    with pytest.raises(qn.ArgumentError, match="values has dtype int32, expected float32"):
        algorithms.scatter(x, p, qn.zeros(3, np.int32, device))
    with pytest.raises(qn.ArgumentError, match="values has 2 elements, expected 3"):
        algorithms.scatter(x, p, qn.zeros(2, np.float32, device))
    with pytest.raises(qn.ArgumentError, match="out has dtype int16, expected a number of 32 or 64 bits"):
        algorithms.scatter(qn.zeros(3, np.int16, device), p, qn.zeros(3, np.int16, device), combine="add")
    with pytest.raises(qn.ArgumentError, match="previous: give an array"):
        algorithms.scatter(x, p, qn.zeros(3, np.float32, device), combine="exchange")
    with pytest.raises(qn.ArgumentError, match="matrix has 1 dimensions, expected two"):
        algorithms.transpose(x)
    with pytest.raises(qn.ArgumentError, match=r"out has the shape \(2, 3\), expected \(3, 2\)"):
        algorithms.transpose(qn.zeros((2, 3), np.int8, device), out=qn.zeros((2, 3), np.int8, device))


@given(positions=st.lists(st.integers(-5, 12), max_size=80))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_scatter_adds_what_bincount_counts(device, positions):
    out = qn.zeros(8, np.int32, device)
    ones = qn.asarray(np.ones(len(positions), np.int32), device=device)
    algorithms.scatter(out, qn.asarray(np.int32(positions), device=device), ones, combine="add")
    inside = [p for p in positions if 0 <= p < 8]
    np.testing.assert_array_equal(out.get(), np.bincount(inside, minlength=8) if inside else np.zeros(8))
