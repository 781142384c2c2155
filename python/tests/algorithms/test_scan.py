# SPDX-License-Identifier: MIT
"""scan and reduce_by_key, against NumPy and sequential loops."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import quern as qn
from quern import algorithms

SIZES = [0, 1, 2, 263, 264, 4095, 4096, 4097, 100_003]
UFUNCS = {"sum": np.add, "product": np.multiply, "max": np.maximum, "min": np.minimum}
INTEGERS = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
REALS = [*INTEGERS, "float32", "float64"]


@pytest.fixture(params=REALS)
def dtype(request, device):
    if device.backend == "opencl" and request.param not in ("uint8", "float32"):
        pytest.skip("each dtype takes a compiler of PoCL's kind a second")
    return request.param


def values(n, dtype, low=0, high=3, seed=0):
    return np.random.default_rng(seed).integers(low, high, n).astype(dtype)


@pytest.mark.parametrize("n", SIZES)
def test_sums_of_integers_are_exact(device, loops, n):
    x = values(n, "int32", -100, 100)
    data = qn.asarray(x, device=device)
    expected = np.cumsum(x, dtype=np.int64)
    assert algorithms.scan(data).dtype == np.int64
    assert np.array_equal(algorithms.inclusive_scan(data).get(), expected)
    assert np.array_equal(algorithms.exclusive_scan(data).get(), expected - x)


@pytest.mark.parametrize("op", ["sum", "max", "min"])
def test_every_dtype_scans_as_numpy_does(device, dtype, op):
    x = values(20_011, dtype, 0, 100)
    got = algorithms.scan(qn.asarray(x, device=device), op=op)
    expected = np.cumsum(x) if op == "sum" else UFUNCS[op].accumulate(x)
    assert got.dtype == expected.dtype
    assert np.array_equal(got.get(), expected)


@pytest.mark.parametrize("n", [1, 255, 4097, 20_011])
@pytest.mark.parametrize("segmented", [False, True])
def test_half_precision_scans_as_numpy_does(device, loops, n, segmented):
    if not device.has_fp16:
        pytest.skip("needs float16")
    x = values(n, "float16", -50, 50)
    few = (values(n, "int32", 0, 16, seed=1) == 0).astype("float16")  # sums that float16 holds exactly
    starts = np.arange(n) % 1000 == 0
    given = {"starts": qn.asarray(starts.astype("uint8"), device=device)} if segmented else {}
    parts = np.split(np.arange(n), np.flatnonzero(starts)[1:]) if segmented else [np.arange(n)]
    cases = (("sum", few, np.add), ("max", x, np.maximum), ("min", x, np.minimum))
    for op, source, ufunc in cases:
        got = algorithms.scan(qn.asarray(source, device=device), op=op, **given)
        expected = np.concatenate([ufunc.accumulate(source[part]) for part in parts])
        assert got.dtype == np.float16
        np.testing.assert_array_equal(got.get(), expected)
    before = algorithms.exclusive_scan(qn.asarray(few, device=device), **given).get()
    np.testing.assert_array_equal(before, np.concatenate([np.add.accumulate(few[p]) - few[p] for p in parts]))


def test_a_device_without_half_precision_says_so(device):
    if device.has_fp16:
        pytest.skip("has float16")
    x = qn.zeros(10, np.float16, device)
    with pytest.raises(qn.ArgumentTypeError, match=f"float16 needs half precision, which {device.spec}"):
        algorithms.scan(x)
    with pytest.raises(qn.ArgumentTypeError, match=r"'x', half.*float16 needs half precision"):
        qn.ElementwiseKernel("half *x", "x[i] = 1")(x)
    with pytest.raises(qn.ArgumentTypeError, match=r"'a', half.*float16 needs half precision"):
        qn.ElementwiseKernel("half a, float *x", "x[i] = a")(1.0, qn.zeros(10, np.float32, device))
    with pytest.raises(qn.ArgumentTypeError, match="float16 needs half precision"):
        qn.ReductionKernel("float16", "0", "a + b")(x)


def test_products_wrap_as_integers_do(device):
    x = values(5003, "uint32", 1, 2**31) | 1
    got = algorithms.scan(qn.asarray(x, device=device), op="product")
    assert np.array_equal(got.get(), np.cumprod(x, dtype=np.uint64))


def test_complex_numbers_are_summed_and_multiplied(device):
    angles = np.random.default_rng(1).random(3001)
    x = np.exp(1j * angles).astype("complex64")
    data = qn.asarray(x, device=device)
    assert np.allclose(algorithms.scan(data).get(), np.cumsum(x), rtol=1e-4, atol=1e-3)
    assert np.allclose(algorithms.scan(data, op="product").get(), np.cumprod(x), rtol=1e-3, atol=1e-3)
    with pytest.raises(qn.ArgumentError, match="ordered"):
        algorithms.scan(data, op="max")


def test_float_sums_are_as_good_as_a_loop(device):
    x = np.random.default_rng(2).random(1_000_003).astype("float32")
    exact = np.cumsum(x, dtype="float64")
    got = algorithms.scan(qn.asarray(x, device=device)).get()
    assert np.abs(got - exact).max() <= np.abs(np.cumsum(x) - exact).max()


@pytest.mark.parametrize("op", ["max", "min"])
def test_nan_is_passed_on(device, op):
    x = values(5003, "float32", -50, 50)
    x[3333] = np.nan
    got = algorithms.scan(qn.asarray(x, device=device), op=op).get()
    assert np.array_equal(got, UFUNCS[op].accumulate(x), equal_nan=True)


def segmented(x, starts, op, exclusive=False):
    neutral = {"sum": 0, "max": -np.inf, "min": np.inf}[op]
    out, total = np.empty(x.size), neutral
    for k in range(x.size):
        if starts[k] or k == 0:
            total = neutral
        before = total
        total = UFUNCS[op](total, x[k])
        out[k] = before if exclusive else total
    return out


@pytest.mark.parametrize("op", ["sum", "max"])
@pytest.mark.parametrize("exclusive", [False, True])
def test_segments_are_apart(device, loops, op, exclusive):
    x = values(60_013, "float32", -9, 9)
    starts = values(x.size, "bool", 0, 2, seed=1) & (np.arange(x.size) % 17 == 3)
    got = algorithms.scan(
        qn.asarray(x, device=device), op=op, exclusive=exclusive, starts=qn.asarray(starts, device=device)
    )
    assert np.array_equal(got.get(), segmented(x, starts, op, exclusive))


def test_keys_make_segments(device):
    x = values(60_013, "float32", -9, 9)
    keys = np.sort(values(x.size, "int64", 0, 300, seed=1))
    starts = np.concatenate([[True], keys[1:] != keys[:-1]])
    got = algorithms.scan(qn.asarray(x, device=device), keys=qn.asarray(keys, device=device))
    assert np.array_equal(got.get(), segmented(x, starts, "sum"))


def test_a_scan_may_run_in_place(device):
    x = values(50_003, "int64", -9, 9)
    data = qn.asarray(x, device=device)
    event = algorithms.scan(data, out=data)
    assert isinstance(event, qn.Event)
    event.wait()
    assert np.array_equal(data.get(), np.cumsum(x))


@pytest.mark.parametrize("n", SIZES)
def test_values_of_equal_keys_are_summed(device, loops, n):
    keys = np.sort(values(n, "uint32", 0, 40, seed=1))
    x = values(n, "int32", -100, 100)
    got_keys, got = algorithms.reduce_by_key(qn.asarray(keys, device=device), qn.asarray(x, device=device))
    unique, start = np.unique(keys, return_index=True)
    assert np.array_equal(got_keys.get(), unique)
    assert np.array_equal(got.get(), np.add.reduceat(x.astype("int64"), start) if n else [])


def test_runs_are_reduced_by_other_operations(device):
    keys = values(10_007, "float64", 0, 2, seed=1)
    x = values(keys.size, "float32", -100, 100)
    start = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    got_keys, got = algorithms.reduce_by_key(
        qn.asarray(keys, device=device), qn.asarray(x, device=device), op="max"
    )
    assert np.array_equal(got_keys.get(), keys[start])
    assert np.array_equal(got.get(), np.maximum.reduceat(x, start))


@settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    derandomize=True,
)
@given(st.lists(st.integers(-5, 5), max_size=3000))
def test_differences_of_sums_are_the_elements(device, x):
    x = np.array(x, np.int64)
    sums = algorithms.scan(qn.asarray(x, device=device)).get()
    assert np.array_equal(np.diff(sums, prepend=0), x)


def test_arguments_that_do_not_fit_are_named(device):
    x = qn.zeros(10, "float32", device)
    with pytest.raises(qn.ArgumentError, match="op"):
        algorithms.scan(x, op="mean")
    with pytest.raises(qn.ArgumentError, match="starts"):
        algorithms.scan(x, starts=qn.zeros(9, "bool", device))
    with pytest.raises(qn.ArgumentError, match="not both"):
        algorithms.scan(x, starts=x, keys=x)
    with pytest.raises(qn.ArgumentError, match="out"):
        algorithms.scan(x, out=qn.zeros(9, "float32", device))
    with pytest.raises(qn.ArgumentError, match="numbers"):
        algorithms.scan(qn.zeros(3, np.dtype([("a", "i4")]), device))
    with pytest.raises(qn.ArgumentError, match="values"):
        algorithms.reduce_by_key(x, qn.zeros(9, "float32", device))


@pytest.mark.parametrize("n", [1000, 100_003])
@pytest.mark.parametrize("capacity", [(1, 1), (70, 30), (30, 70)])
def test_runs_that_do_not_fit_are_counted_and_not_stored(device, n, capacity):
    keys = np.arange(n, dtype="int32") // 7
    values = np.ones(n, "int32")
    whole = qn.full(n, -7, "int32", device=device), qn.full(n, -7, "int64", device=device)
    count = qn.zeros(1, "uint64", device)
    on_device = qn.asarray(keys, device=device), qn.asarray(values, device=device)
    out = whole[0][: capacity[0]], whole[1][: capacity[1]]
    algorithms.reduce_by_key(*on_device, out=out, count=count).wait()
    assert count.get().tolist() == [keys[-1] + 1]
    for array, expected, stored in zip(whole, (np.unique(keys), np.bincount(keys)), capacity, strict=True):
        assert np.array_equal(array.get()[:stored], expected[:stored])
        assert (array.get()[stored:] == -7).all()


@pytest.mark.parametrize("n", [1000, 100_003])
def test_reduce_by_key_refuses_an_output_without_any_capacity(device, n):
    keys, count = qn.zeros(n, "int32", device), qn.full(1, 7, "uint64", device=device)
    one, none = qn.zeros(1, "int32", device), qn.zeros(0, "int32", device)
    with pytest.raises(qn.ArgumentError, match="reduce_by_key: keys_out has no elements"):
        algorithms.reduce_by_key(keys, keys, out=(none, one), count=count)
    with pytest.raises(qn.ArgumentError, match="reduce_by_key: values_out has no elements"):
        algorithms.reduce_by_key(keys, keys, out=(one, none), count=count)
    assert count.get().tolist() == [7]
    algorithms.reduce_by_key(none, none, out=(qn.zeros_like(none), qn.zeros_like(none)), count=count).wait()
    assert count.get().tolist() == [0]


@pytest.mark.parametrize("n", [1000, 100_003])
def test_results_of_bool_are_true_where_an_element_is_not_zero(device, n):
    halves, many = (
        qn.full(n, 0.5, dtype="float32", device=device),
        qn.full(n, 256, dtype="int32", device=device),
    )
    for x in halves, many:
        assert algorithms.scan(x, dtype=bool).get().all()
    keys = qn.zeros(n, "int32", device)
    found, count = qn.zeros(1, "bool", device), qn.zeros(1, "uint64", device)
    algorithms.reduce_by_key(keys, halves, out=(qn.zeros(1, "int32", device), found), count=count).wait()
    assert found.get().all() and count.get()[0] == 1


@pytest.mark.parametrize("n", [3000, 50_003])
def test_float16_is_summed_in_float32(device, n):
    if not device.has_fp16:
        pytest.skip("no float16")
    got = algorithms.scan(qn.ones(n, dtype="float16", device=device)).get()
    np.testing.assert_array_equal(got, np.arange(1, n + 1).astype(np.float16))
