# SPDX-License-Identifier: MIT
"""histogram and bincount against NumPy."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import quern as qn
from quern import algorithms

SIZES = [0, 1, 3, 511, 513, 100003]


def expect_same(x, values, bins, range=None):
    counts, edges = algorithms.histogram(x, bins, range)
    numbers = values.astype(np.uint8) if values.dtype.kind == "b" else values
    expected, expected_edges = np.histogram(numbers, bins, range)
    assert counts.dtype == np.int64
    np.testing.assert_array_equal(counts.get(), expected)
    np.testing.assert_allclose(edges, expected_edges, rtol=1e-6)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_a_histogram_is_that_of_numpy(device, dtype, n):
    values = (np.random.default_rng(1).normal(size=n) * 50 + 100).astype(dtype)
    x = qn.asarray(values, device=device)
    for bins, limits in [(10, None), (256, (0, 256)), (7, (10, 90.5)), (1, (0, 1)), (5000, (0, 200))]:
        expect_same(x, values, bins, limits)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "int64", "float64"])
def test_every_dtype_has_histograms(device, dtype):
    if device.backend == "opencl" and dtype not in ("uint8", "float64"):
        pytest.skip("another slow kernel for PoCL")
    values = (np.random.default_rng(1).normal(size=9001) * 50 + 100).clip(0, 255).astype(dtype)
    expect_same(qn.asarray(values, device=device), values, 16, (0, 256))


def test_edges_belong_to_the_bin_above_and_the_last_to_the_last(device):
    edges = np.linspace(0, 1, 257, dtype=np.float32)
    values = np.r_[edges, np.nextafter(edges, np.float32(2)), np.nextafter(edges, np.float32(-1))]
    values = np.r_[values, np.float32([np.nan, np.inf, -np.inf, -0.0])]
    x = qn.asarray(values, device=device)
    expect_same(x, values, 256, (0, 1))
    expect_same(x, values, 3, (0, 1))
    counts, _ = algorithms.histogram(x, 100, (0.1, 0.7))
    expected = np.histogram(values, np.linspace(0.1, 0.7, 101, dtype=np.float32))[0]
    np.testing.assert_array_equal(counts.get(), expected)


def test_bins_narrower_than_rounding_follow_their_edges(device):
    edges = np.linspace(1e6, 1e6 + 4, 257, dtype=np.float32)
    values = np.random.default_rng(2).uniform(1e6, 1e6 + 4, 5000).astype(np.float32)
    counts, _ = algorithms.histogram(qn.asarray(values, device=device), 256, (1e6, 1e6 + 4))
    np.testing.assert_array_equal(counts.get(), np.histogram(values, edges)[0])


def test_any_increasing_edges_make_bins(device):
    values = np.random.default_rng(3).normal(size=20001).astype(np.float32)
    x = qn.asarray(values, device=device)
    edges = np.float32([-3, -0.5, 0, 0, 0.25, 2])
    for given_edges in (edges, list(edges), qn.asarray(edges, device=device)):
        counts, _ = algorithms.histogram(x, given_edges)
        np.testing.assert_array_equal(counts.get(), np.histogram(values, edges)[0])


def test_equal_elements_fall_into_one_bin(device):
    values = np.full(70001, 0.5, np.float32)
    expect_same(qn.asarray(values, device=device), values, 256, (0, 1))
    expect_same(qn.asarray(values, device=device), values, 10)


def test_weights_are_summed(device):
    rng = np.random.default_rng(4)
    values = rng.integers(0, 300, 30001).astype(np.int32)
    for weights in (rng.normal(size=30001).astype(np.float32), rng.integers(-9, 9, 30001)):
        x, w = qn.asarray(values, device=device), qn.asarray(weights, device=device)
        counts = algorithms.bincount(x, w)
        assert counts.dtype == np.float64
        np.testing.assert_allclose(counts.get(), np.bincount(values, weights), atol=1e-9)
    sums, _ = algorithms.histogram(x, 20, (0, 250), w)
    np.testing.assert_allclose(sums.get(), np.histogram(values, 20, (0, 250), weights=weights)[0], atol=1e-9)


@pytest.mark.parametrize("n", SIZES)
def test_bincount_is_that_of_numpy(device, n):
    values = np.random.default_rng(5).integers(0, 1000, n).astype(np.int32)
    x = qn.asarray(values, device=device)
    np.testing.assert_array_equal(algorithms.bincount(x).get(), np.bincount(values))
    np.testing.assert_array_equal(
        algorithms.bincount(x, minlength=2000).get(), np.bincount(values, minlength=2000)
    )


def test_more_bins_than_local_memory_holds(device):
    values = np.random.default_rng(6).integers(0, 300_000, 100_000).astype(np.int32)
    np.testing.assert_array_equal(
        algorithms.bincount(qn.asarray(values, device=device)).get(), np.bincount(values)
    )


def test_bincount_leaves_out_what_out_has_no_element_for(device):
    values = np.int32([-1, 0, 3, 3, 4, 7, 2**31 - 1])
    out = qn.empty(5, np.int64, device)
    event = algorithms.bincount(qn.asarray(values, device=device), out=out)
    assert isinstance(event, qn.Event)
    assert list(out.get()) == [1, 0, 0, 2, 1]


def test_bad_arguments_are_errors(device):
    x = qn.zeros(10, np.float32, device)
    with pytest.raises(qn.ArgumentError, match="x has dtype float32, expected bool or an integer"):
        algorithms.bincount(x)
    with pytest.raises(qn.ArgumentError, match="x has -2"):
        algorithms.bincount(qn.asarray(np.int32([1, -2]), device=device))
    with pytest.raises(qn.ArgumentError, match="bins: expected at least one"):
        algorithms.histogram(x, 0, (0, 1))
    with pytest.raises(qn.ArgumentError, match="not finite or is reversed"):
        algorithms.histogram(x, 4, (1, 0))
    with pytest.raises(qn.ArgumentError, match="is not finite"):
        algorithms.histogram(qn.asarray(np.float32([1, np.nan]), device=device), 4)
    with pytest.raises(qn.ArgumentError, match="increasing"):
        algorithms.histogram(x, [1.0, 0.0])
    with pytest.raises(qn.ArgumentError, match="out has 3 elements, expected 4"):
        algorithms.histogram(x, 4, (0, 1), out=qn.zeros(3, np.int64, device))
    with pytest.raises(qn.ArgumentError, match="out has dtype int32, expected int64"):
        algorithms.histogram(x, 4, (0, 1), out=qn.zeros(4, np.int32, device))
    with pytest.raises(qn.ArgumentError, match="weights has 3 elements, expected 10"):
        algorithms.histogram(x, 4, (0, 1), qn.zeros(3, np.float32, device))
    with pytest.raises(qn.ArgumentError, match="x has dtype complex64"):
        algorithms.histogram(qn.zeros(4, np.complex64, device), 4, (0, 1))


@given(
    values=st.lists(st.floats(-4, 4, width=32), max_size=200),
    bins=st.integers(1, 50),
    low=st.floats(-3, 0, width=32),
    width=st.floats(0.5, 4, width=32),
)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_bins_are_those_of_the_edges(device, values, bins, low, width):
    values, limits = np.float32(values), (low, low + width)
    counts, edges = algorithms.histogram(qn.asarray(values, device=device), bins, limits)
    np.testing.assert_array_equal(counts.get(), np.histogram(values, edges)[0])
