# SPDX-License-Identifier: MIT
"""sort, argsort and sort_by_key against NumPy's stable sort."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import quern as qn

DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float16", "float32", "float64"]
# One more than a tile of any engine, and than the arrays that one work-item sorts.
SIZES = [0, 1, 2, 3, 255, 8192, 8193, 8833, 30011]


def keys(dtype, n, seed=0):
    """Random bits: every number, NaNs of both signs, both zeros."""
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, n).astype(bool)
    values = rng.integers(0, 256, n * dtype.itemsize, dtype=np.uint8).view(dtype)
    if dtype.kind == "f" and n > 20:
        values[::7], values[1::7], values[2::7], values[3::7] = np.nan, 0.0, -0.0, -np.nan
    return values


def expected_order(values, descending=False):
    """NumPy's stable order; descending is the stable order of the negated numbers, also with NaNs last."""
    if not descending:
        return np.argsort(values, kind="stable")
    if values.dtype.kind == "f":
        return np.argsort(-values, kind="stable")
    return len(values) - 1 - np.argsort(values[::-1], kind="stable")[::-1]


def bits(values):
    return values.view(f"u{values.dtype.itemsize}")


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", ["uint32", "float32"])
@pytest.mark.parametrize("n", SIZES)
def test_sort_is_that_of_numpy(device, dtype, n, descending):
    values = keys(dtype, n)
    order = expected_order(values, descending)
    result = qn.algorithms.sort(qn.asarray(values, device=device), descending=descending)
    assert result.dtype == values.dtype
    np.testing.assert_array_equal(result.get(), values[order])
    # Every bit pattern comes out as often as it went in, those of NaNs too.
    np.testing.assert_array_equal(np.sort(bits(result.get())), np.sort(bits(values)))


def expect_sorted(device, dtype):
    values = keys(dtype, 10007)
    x = qn.asarray(values, device=device)
    for descending in (False, True):
        order = expected_order(values, descending)
        np.testing.assert_array_equal(qn.algorithms.sort(x, descending=descending).get(), values[order])
        positions = qn.algorithms.argsort(x, descending=descending)
        assert positions.dtype == np.int64
        np.testing.assert_array_equal(positions.get(), order)


@pytest.mark.parametrize("dtype", DTYPES + FLOATS)
def test_every_dtype_sorts(device, dtype):
    if device.backend == "opencl" and dtype not in ("int16", "float64"):
        pytest.skip("another slow kernel for PoCL: run with the slow tests")
    expect_sorted(device, dtype)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", DTYPES + FLOATS)
def test_every_dtype_sorts_on_opencl_too(device, dtype):
    expect_sorted(device, dtype)


@pytest.mark.parametrize(
    "values",
    [
        np.zeros(20000, np.int32),
        np.arange(20000, dtype=np.int32),
        np.arange(20000, dtype=np.int32)[::-1].copy(),
        np.repeat(np.int32([5, -3, 2**31 - 1, -(2**31)]), 5000),
        np.r_[np.zeros(19999, np.int32), np.int32(1 << 30)],
        np.random.default_rng(3).zipf(1.3, 20000).astype(np.int32),
    ],
    ids=["equal", "ascending", "descending", "few", "outlier", "skewed"],
)
def test_any_distribution_sorts(device, values):
    x = qn.asarray(values, device=device)
    np.testing.assert_array_equal(qn.algorithms.argsort(x).get(), np.argsort(values, kind="stable"))


POINT = np.dtype([("x", np.float32), ("y", np.float64), ("name", np.int8)], align=True)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "complex64", "complex128", POINT], ids=str)
@pytest.mark.parametrize("n", [0, 1, 9001])
def test_values_follow_their_keys(device, dtype, n):
    rng = np.random.default_rng(5)
    rows = rng.integers(0, 256, (n, np.dtype(dtype).itemsize), dtype=np.uint8)
    values = rows.reshape(-1).view(dtype)
    by = rng.integers(0, 50, n).astype(np.int32)
    order = np.argsort(by, kind="stable")
    sorted_keys, sorted_values = qn.algorithms.sort_by_key(
        qn.asarray(by, device=device), qn.asarray(values, device=device)
    )
    np.testing.assert_array_equal(sorted_keys.get(), by[order])
    assert sorted_values.dtype == values.dtype
    assert sorted_values.get().tobytes() == rows[order].tobytes()  # padding too


@pytest.mark.parametrize("dtype", ["uint8", "uint32"])
def test_arrays_sort_in_place_and_into_others(device, dtype):
    values = keys(dtype, 9001)
    x = qn.asarray(values, device=device)
    event = qn.algorithms.sort(x, out=x)
    assert isinstance(event, qn.Event)
    np.testing.assert_array_equal(x.get(), np.sort(values))

    k, v = qn.asarray(values, device=device), qn.asarray(np.arange(9001, dtype=np.int32), device=device)
    assert isinstance(qn.algorithms.sort_by_key(k, v, out=(k, v)), qn.Event)
    np.testing.assert_array_equal(v.get(), np.argsort(values, kind="stable"))

    c = np.arange(9001).astype(np.complex128)
    k, v = qn.asarray(values, device=device), qn.asarray(c, device=device)
    qn.algorithms.sort_by_key(k, v, out=(k, v))
    np.testing.assert_array_equal(v.get(), c[np.argsort(values, kind="stable")])


@pytest.mark.parametrize("dtype", ["int32", "uint32", "uint64"])
def test_positions_come_in_the_type_of_out(device, dtype):
    values = keys("uint32", 9001)
    out = qn.empty(9001, dtype, device)
    qn.algorithms.argsort(qn.asarray(values, device=device), out=out)
    np.testing.assert_array_equal(out.get(), np.argsort(values, kind="stable"))


def test_a_sort_waits_for_events(device, spin):
    other, queue = qn.Queue(device), qn.Queue(device)
    values = keys("uint32", 10000)
    x = qn.zeros(10000, np.uint32, queue=queue)
    queue.finish()
    spin(other, 0.02)
    written = other.copy(x, values)
    result = qn.empty(10000, np.uint32, queue=queue)
    event = qn.algorithms.sort(x, out=result, queue=queue, wait_for=written)
    event.wait()
    np.testing.assert_array_equal(result.get(), np.sort(values))


def test_bad_arguments_are_errors(device):
    x = qn.zeros(10, np.float32, device)
    with pytest.raises(qn.ArgumentError, match="keys has dtype complex64"):
        qn.algorithms.sort(qn.zeros(10, np.complex64, device))
    with pytest.raises(qn.ArgumentError, match="keys has 2 dimensions"):
        qn.algorithms.sort(qn.zeros((5, 2), np.float32, device))
    with pytest.raises(qn.ArgumentError, match="out has dtype float64, expected float32"):
        qn.algorithms.sort(x, out=qn.zeros(10, np.float64, device))
    with pytest.raises(qn.ArgumentError, match="out has 9 elements, expected 10"):
        qn.algorithms.sort(x, out=qn.zeros(9, np.float32, device))
    with pytest.raises(qn.ArgumentError, match="out has dtype float32, expected an integer"):
        qn.algorithms.argsort(x, out=x)
    with pytest.raises(qn.ArgumentError, match="values has 3 elements, expected 10"):
        qn.algorithms.sort_by_key(x, qn.zeros(3, np.int32, device))
    with pytest.raises(qn.ArgumentError, match="expected a tuple of two arrays"):
        qn.algorithms.sort_by_key(x, x, out=x)
    with pytest.raises(qn.ArgumentError, match=r"keys: expected quern\.Array, got"):
        qn.algorithms.sort(np.zeros(10))
    buffer = qn.Buffer(640, device=device)
    a, b = qn.Array(buffer, np.float32, 100), qn.Array(buffer, np.int32, 100)
    with pytest.raises(qn.ArgumentError, match="out overlaps keys"):
        qn.algorithms.argsort(a, out=b)


def test_arrays_of_another_device_are_errors(device, other_device):
    with pytest.raises(qn.ArgumentError, match=r"out is on .*, the queue on"):
        qn.algorithms.sort(qn.zeros(4, np.int32, device), out=qn.zeros(4, np.int32, other_device))


@given(
    values=st.sampled_from(["float32", "int16"]).flatmap(lambda t: hnp.arrays(t, st.integers(0, 400))),
    descending=st.booleans(),
)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_argsort_agrees_with_numpy(device, values, descending):
    positions = qn.algorithms.argsort(qn.asarray(values, device=device), descending=descending).get()
    if values.dtype == np.int16:
        np.testing.assert_array_equal(positions, expected_order(values.astype(np.int32), descending))
    else:
        np.testing.assert_array_equal(positions, expected_order(values, descending))


def test_values_that_are_structures_need_the_alignment_of_their_members_only():
    pair = np.dtype([("a", "i4"), ("b", "i4")])
    keys = np.random.default_rng(3).permutation(1000).astype(np.uint32)
    memory = np.arange(2 * keys.size + 1, dtype=np.int32)
    values = memory[1:].view(pair)  # at a multiple of 4 bytes, not of 8
    if values.ctypes.data % 8 == 0:
        values = memory[:-1].view(pair)
    x = qn.asarray(values, device="host", copy=False)
    sorted_keys, sorted_values = qn.algorithms.sort_by_key(qn.asarray(keys, device="host"), x)
    np.testing.assert_array_equal(sorted_keys.get(), np.sort(keys))
    np.testing.assert_array_equal(sorted_values.get(), values[np.argsort(keys, kind="stable")])
