# SPDX-License-Identifier: MIT
"""lower_bound, upper_bound, merge and merge_by_key against NumPy."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import quern as qn
from quern import algorithms

DTYPES = ["bool", "int8", "uint16", "int32", "uint64", "float16", "float32", "float64"]
ON_POCL = ("int32", "float32")


def numbers(dtype, n, seed=0):
    """Few different ones, so that there are ties; NaNs and both zeros."""
    values = np.random.default_rng(seed).integers(-40, 40, n)
    if np.dtype(dtype).kind in "bu":
        values = abs(values)
    values = values.astype(dtype)
    if values.dtype.kind == "f" and n > 4:
        values[::11], values[1::11], values[2::11] = np.nan, -0.0, -np.nan
    return values


def skip_most_on_pocl(device, dtype):
    if device.backend == "opencl" and dtype not in ON_POCL:
        pytest.skip("another slow kernel for PoCL")


@pytest.mark.parametrize("dtype", DTYPES)
def test_bounds_are_those_of_searchsorted(device, dtype):
    skip_most_on_pocl(device, dtype)
    for n, m in [(0, 5), (1, 5), (100, 0), (1001, 333), (5000, 20001)]:
        keys, values = np.sort(numbers(dtype, n)), numbers(dtype, m, 1)
        k, v = qn.asarray(keys, device=device), qn.asarray(values, device=device)
        np.testing.assert_array_equal(algorithms.lower_bound(k, v).get(), np.searchsorted(keys, values))
        right = algorithms.upper_bound(k, v)
        assert right.dtype == np.int64
        np.testing.assert_array_equal(right.get(), np.searchsorted(keys, values, side="right"))


def test_bounds_in_descending_keys(device):
    keys, values = np.int32([9, 7, 7, 3]), np.int32([10, 9, 8, 7, 3, 0])
    k, v = qn.asarray(keys, device=device), qn.asarray(values, device=device)
    assert list(algorithms.lower_bound(k, v, descending=True).get()) == [0, 0, 1, 1, 3, 4]
    assert list(algorithms.upper_bound(k, v, descending=True).get()) == [0, 1, 1, 3, 4, 4]


@pytest.mark.parametrize("dtype", DTYPES)
def test_merged_arrays_are_sorted_with_those_of_a_first(device, dtype):
    skip_most_on_pocl(device, dtype)
    for n, m in [(0, 0), (0, 5), (5, 0), (1, 1), (1000, 3), (3072, 1), (5001, 9999)]:
        a, b = np.sort(numbers(dtype, n)), np.sort(numbers(dtype, m, 1))
        both = np.r_[a, b]
        order = np.argsort(both, kind="stable")
        x, y = qn.asarray(a, device=device), qn.asarray(b, device=device)
        np.testing.assert_array_equal(algorithms.merge(x, y).get(), both[order])
        places = np.arange(n + m, dtype=np.int32)
        keys, values = algorithms.merge_by_key(
            (x, qn.asarray(places[:n], device=device)), (y, qn.asarray(places[n:], device=device))
        )
        np.testing.assert_array_equal(keys.get(), both[order])
        np.testing.assert_array_equal(values.get(), order)


def test_descending_arrays_merge(device):
    a, b = np.int32([9, 5, 5, 1]), np.int32([8, 5, 0])
    merged = algorithms.merge(qn.asarray(a, device=device), qn.asarray(b, device=device), descending=True)
    assert list(merged.get()) == [9, 8, 5, 5, 5, 1, 0]


@pytest.mark.parametrize("dtype", ["complex128", "complex64", "i4,i4,i4", "u1,u1,u1", "float16"])
def test_values_of_any_dtype_merge(device, dtype):
    if dtype != "complex128":
        skip_most_on_pocl(device, dtype)
    a, b = np.int32([1, 3, 3]), np.int32([2, 3])
    numbers = np.arange(1, 6)
    if "," in dtype:
        values = np.array([(k, k + 10, k + 20) for k in numbers], dtype)
    else:
        values = (numbers * (1 + 2j) if dtype.startswith("complex") else numbers).astype(dtype)
    _, merged = algorithms.merge_by_key(
        (qn.asarray(a, device=device), qn.asarray(values[:3], device=device)),
        (qn.asarray(b, device=device), qn.asarray(values[3:], device=device)),
    )
    np.testing.assert_array_equal(merged.get(), values[[0, 3, 1, 2, 4]])


def test_bad_arguments_are_errors(device):
    a, b = qn.zeros(3, np.int32, device), qn.zeros(3, np.int64, device)
    with pytest.raises(qn.ArgumentError, match="values has dtype int64, expected int32"):
        algorithms.lower_bound(a, b)
    with pytest.raises(qn.ArgumentError, match="out has dtype int32, expected int64"):
        algorithms.lower_bound(a, a, out=qn.zeros(3, np.int32, device))
    with pytest.raises(qn.ArgumentError, match="b has dtype int64, expected int32"):
        algorithms.merge(a, b)
    with pytest.raises(qn.ArgumentError, match="out has 5 elements, expected 6"):
        algorithms.merge(a, a, out=qn.zeros(5, np.int32, device))
    with pytest.raises(qn.ArgumentError, match="a has dtype complex64"):
        algorithms.merge(qn.zeros(3, np.complex64, device), qn.zeros(3, np.complex64, device))
    with pytest.raises(qn.ArgumentError, match="a's values has 2 elements, expected 3"):
        algorithms.merge_by_key((a, qn.zeros(2, np.int32, device)), (a, a))
    buffer = qn.Buffer(64, device=device)
    first, six = qn.Array(buffer, np.int32, 3), qn.Array(buffer, np.int32, 6)
    with pytest.raises(qn.ArgumentError, match="out overlaps a"):
        algorithms.merge(first, a, out=six)


@given(
    a=st.lists(st.floats(width=32), max_size=60),
    b=st.lists(st.floats(width=32), max_size=60),
)
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_merge_is_a_stable_sort_of_both(device, a, b):
    a, b = np.sort(np.float32(a)), np.sort(np.float32(b))
    x, y = qn.asarray(a, device=device), qn.asarray(b, device=device)
    np.testing.assert_array_equal(algorithms.merge(x, y).get(), np.sort(np.r_[a, b]))
    np.testing.assert_array_equal(algorithms.lower_bound(x, y).get(), np.searchsorted(a, b))
