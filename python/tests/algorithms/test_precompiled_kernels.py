# SPDX-License-Identifier: MIT
"""The algorithms on the host by precompiled kernels, for every dtype: nothing is compiled."""

import numpy as np
import pytest

import quern as qn
from quern import _core, algorithms

INTEGERS = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
REALS = [*INTEGERS, "float16", "float32", "float64"]
NUMBERS = [*REALS, "complex64", "complex128"]
UFUNCS = {"sum": np.add, "product": np.multiply, "max": np.maximum, "min": np.minimum}
SIZES = [0, 1, 2, 40, 41, 5000]  # more than 40 are sorted by their digits


def built():
    stats = qn.stats()
    return stats.compilations + stats.cache_hits_memory + stats.cache_hits_disk


@pytest.fixture(autouse=True)
def without_kernels(kernels, device):
    if device.backend != "host":
        pytest.skip("calls no functions")
    qn.finish_compilation()  # of the tests before
    _core.set_host_loop_use(_core.HostLoopUse.only)
    before = built()
    yield
    assert built() == before


def sample(dtype, n, seed=0, few=False):
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "c":
        return sample(dtype.char.lower(), n, seed, few) + 1j * sample(dtype.char.lower(), n, seed + 1, few)
    if few or dtype.kind == "b":
        return rng.integers(0, 4, n).astype(dtype)
    if dtype.kind != "f":
        return rng.integers(0, 256, n * dtype.itemsize, dtype=np.uint8).view(dtype)
    values = rng.normal(0, 100, n).astype(dtype)
    for k, special in enumerate([np.nan, 0.0, -0.0, np.inf, -np.inf, -np.nan]):
        values[k::13] = special
    return values


def up(values):
    return qn.asarray(values, device="host")


@pytest.mark.parametrize("dtype", REALS)
def test_keys_are_sorted_stably(dtype):
    for n in SIZES:
        values = sample(dtype, n)
        x = up(values)
        order = np.argsort(values, kind="stable")
        np.testing.assert_array_equal(algorithms.argsort(x).get(), order)
        np.testing.assert_array_equal(algorithms.sort(x).get(), values[order])
        ranks = np.argsort(np.argsort(values, kind="stable"), kind="stable")
        same = dict(zip(values[::-1].tolist(), ranks[::-1].tolist(), strict=True))
        opposite = [np.inf if v != v else -same[v] for v in values.tolist()]
        order = np.argsort(opposite, kind="stable")
        np.testing.assert_array_equal(algorithms.argsort(x, descending=True).get(), order)
        np.testing.assert_array_equal(algorithms.sort(x, descending=True).get(), values[order])


@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "float64"])
def test_values_follow_their_keys_in_place_too(dtype):
    keys, values = sample("float32", 3001), sample(dtype, 3001, 5)
    order = np.argsort(keys, kind="stable")
    x, y = up(keys), up(values)
    moved = algorithms.sort_by_key(x, y)
    np.testing.assert_array_equal(moved[0].get(), keys[order])
    np.testing.assert_array_equal(moved[1].get(), values[order])
    algorithms.sort_by_key(x, y, out=(x, y)).wait()
    np.testing.assert_array_equal(x.get(), keys[order])
    np.testing.assert_array_equal(y.get(), values[order])


@pytest.mark.parametrize("dtype", REALS)
def test_places_are_those_of_numpy(dtype):
    for n, count in [(0, 5), (1, 9), (500, 700), (500, 0)]:
        keys, values = np.sort(sample(dtype, n)), sample(dtype, count, 3)
        for side, bound in [("left", algorithms.lower_bound), ("right", algorithms.upper_bound)]:
            places = bound(up(keys), up(values))
            np.testing.assert_array_equal(places.get(), np.searchsorted(keys, values, side))


@pytest.mark.parametrize("value", ["int16", "complex128", [("a", "f4"), ("b", "u1")]])
def test_sorted_arrays_are_merged(value):
    for n, m in [(0, 7), (7, 0), (1, 1), (300, 500)]:
        a, b = np.sort(sample("float32", n)), np.sort(sample("float32", m, 1))
        counts = np.arange(n + m)
        both = np.zeros(n + m, value)
        both[both.dtype.names[0] if both.dtype.names else ...] = counts
        order = np.argsort(np.concatenate([a, b]), kind="stable")
        np.testing.assert_array_equal(algorithms.merge(up(a), up(b)).get(), np.concatenate([a, b])[order])
        merged = algorithms.merge_by_key((up(a), up(both[:n])), (up(b), up(both[n:])))
        np.testing.assert_array_equal(merged[0].get(), np.concatenate([a, b])[order])
        assert (merged[1].get() == both[order]).all()


def accumulated(values, op, starts, exclusive, dtype):
    """By a sequential loop."""
    ufunc = UFUNCS[op]
    result = np.zeros(len(values), dtype)
    ends = [*np.flatnonzero(starts[1:]) + 1, len(values)]
    begin = 0
    for end in ends:
        sums = ufunc.accumulate(values[begin:end].astype(dtype))
        if exclusive:
            info = np.finfo if np.dtype(dtype).kind == "f" else np.iinfo
            low, high = (False, True) if dtype == "bool" else (info(dtype).min, info(dtype).max)
            if np.dtype(dtype).kind == "f":
                low, high = -np.inf, np.inf
            neutral = {"sum": 0, "product": 1, "max": low, "min": high}[op]
            sums = np.concatenate([np.asarray([neutral], dtype), sums[:-1]])
        result[begin:end] = sums
        begin = end
    return result


def assert_scanned(result, expected):
    """Equal; numbers that are rounded may be combined in another order."""
    if expected.dtype.kind != "f":
        np.testing.assert_array_equal(result, expected)
    else:
        np.testing.assert_allclose(result, expected, rtol=700 * np.finfo(expected.dtype).eps)


@pytest.mark.parametrize("op", UFUNCS)
@pytest.mark.parametrize("dtype", [*INTEGERS, "float32", "float64"])
def test_scans_are_those_of_a_loop(dtype, op):
    values = sample(dtype, 700, few=True)
    if op == "product":
        values = np.maximum(values, np.asarray(1, dtype))
        values[::5] = 2 if dtype != "bool" else 1
        values[3::7] = 1
    if np.dtype(dtype).kind == "f" and op != "product":
        values[333] = np.nan
    starts = np.random.default_rng(1).integers(0, 9, 700) == 0
    keys = np.cumsum(starts).astype("int16")
    for exclusive in (False, True):
        for wanted in {dtype, algorithms.scan(up(values), op=op).dtype.name}:
            out = up(np.zeros(700, wanted))
            algorithms.scan(up(values), op=op, exclusive=exclusive, out=out).wait()
            none = np.zeros(700, bool)
            with np.errstate(over="ignore"):
                expected = accumulated(values, op, none, exclusive, wanted)
            assert_scanned(out.get(), expected)
            with np.errstate(over="ignore"):
                expected = accumulated(values, op, starts, exclusive, wanted)
            for segments in [{"starts": up(starts)}, {"keys": up(keys)}]:
                algorithms.scan(up(values), op=op, exclusive=exclusive, out=out, **segments).wait()
                assert_scanned(out.get(), expected)


@pytest.mark.parametrize("dtype", ["float16", "complex64", "complex128"])
def test_scans_of_halves_and_complex_numbers(dtype):
    values = sample(dtype, 300, few=True)
    np.testing.assert_array_equal(algorithms.scan(up(values)).get(), np.cumsum(values, dtype=dtype))
    if dtype == "float16":
        np.testing.assert_array_equal(
            algorithms.scan(up(values), op="max").get(), np.maximum.accumulate(values)
        )
    else:
        values = np.exp(1j * np.arange(300)).astype(dtype)
        scanned = algorithms.scan(up(values), op="product").get()
        np.testing.assert_allclose(scanned, np.cumprod(values), rtol=1e-4)


def test_a_sum_that_begins_with_a_negative_zero_keeps_it():
    scanned = algorithms.scan(up(np.asarray([-0.0, -0.0], "float32"))).get()
    assert np.signbit(scanned).all()


@pytest.mark.parametrize("dtype", NUMBERS)
def test_runs_of_equal_elements_are_found(dtype):
    values = np.repeat(sample(dtype, 200, few=True), np.random.default_rng(0).integers(1, 4, 200))
    if np.dtype(dtype).kind in "fc":
        values[10:13], values[20:22], values[21] = np.nan, 0.0, -0.0
    heads = np.concatenate([[True], values[1:] != values[:-1]])
    starts = np.flatnonzero(heads)
    lengths = np.diff([*starts, len(values)])
    x = up(values)
    np.testing.assert_array_equal(algorithms.unique(x).get(), values[heads])
    runs, counts = algorithms.run_length_encode(x)
    np.testing.assert_array_equal(runs.get(), values[heads])
    np.testing.assert_array_equal(counts.get(), lengths)
    np.testing.assert_array_equal(algorithms.nonzero(x).get(), np.flatnonzero(values))
    weights = np.arange(len(values), dtype="float32")
    keys, sums = algorithms.reduce_by_key(x, up(weights))
    np.testing.assert_array_equal(keys.get(), values[heads])
    np.testing.assert_array_equal(sums.get(), np.add.reduceat(weights, starts))


@pytest.mark.parametrize("mask", ["bool", "int16", "uint64", "float32"])
@pytest.mark.parametrize("dtype", ["uint8", "complex128", [("a", "f4"), ("b", "u1", 3)]])
def test_a_mask_keeps_the_elements_where_it_is_true(dtype, mask):
    values = np.zeros(1000, dtype)
    values[values.dtype.names[0] if values.dtype.names else ...] = np.arange(1000) % 200
    where = sample(mask, 1000, few=True)
    if mask == "float32":
        where[:20] = [-0.0, np.nan] * 10
    x, kept = up(values), where != 0
    assert (algorithms.copy_if(x, up(where)).get() == values[kept]).all()
    assert (algorithms.remove_if(x, up(where)).get() == values[~kept]).all()
    both, count = algorithms.partition(x, up(where))
    assert count.get()[0] == kept.sum()
    assert (both.get() == np.concatenate([values[kept], values[~kept]])).all()


@pytest.mark.parametrize("dtype", ["uint8", "int32", [("a", "f4"), ("b", "u1", 3)]])
@pytest.mark.parametrize("capacity", [0, 1, 300])
def test_a_mask_stores_only_what_fits(dtype, capacity):
    values = np.zeros(1000, dtype)
    values[values.dtype.names[0] if values.dtype.names else ...] = 1 + np.arange(1000) % 200
    where = sample("bool", 1000)
    whole, count = qn.zeros(1000, values.dtype, "host"), qn.zeros(1, "uint64", "host")
    algorithms.copy_if(up(values), up(where), out=whole[:capacity], count=count).wait()
    assert count.get()[0] == where.sum()
    assert (whole.get()[:capacity] == values[where][:capacity]).all()
    assert (whole.get()[capacity:] == np.zeros(1000 - capacity, dtype)).all()


@pytest.mark.parametrize("capacity", [1, 70])
def test_runs_and_positions_are_stored_only_where_they_fit(capacity):
    values = np.repeat(np.arange(1, 201, dtype="int32"), 3)
    x, count = up(values), qn.zeros(1, "uint64", "host")
    ones = up(np.ones(values.size, "int32"))
    threes, runs, positions = np.full(200, 3), np.arange(1, 201), np.arange(600)

    def whole(dtype):
        return qn.full(values.size, -7, dtype, device="host")

    def check(expected, *arrays):
        for array, right in zip(arrays, expected, strict=True):
            assert (array.get()[:capacity] == right[:capacity]).all()
            assert (array.get()[capacity:] == -7).all()
        assert count.get().tolist() == [len(expected[0])]

    keys, lengths = whole("int32"), whole("int64")
    algorithms.run_length_encode(x, out=(keys[:capacity], lengths[:capacity]), count=count).wait()
    check((runs, threes), keys, lengths)
    keys, sums = whole("int32"), whole("int64")
    algorithms.reduce_by_key(x, ones, out=(keys[:capacity], sums[:capacity]), count=count).wait()
    check((runs, threes), keys, sums)
    keys = whole("int32")
    algorithms.unique(x, out=keys[:capacity], count=count).wait()
    check((runs,), keys)
    indices = whole("int64")
    algorithms.nonzero(x, out=indices[:capacity], count=count).wait()
    check((positions,), indices)


@pytest.mark.parametrize("dtype", [*INTEGERS[1:], "float32", "float64"])
def test_histograms_are_those_of_numpy(dtype):
    values, weights = sample(dtype, 3000), sample("int32", 3000, 2).astype("float64")
    if np.dtype(dtype).kind == "f":
        values = np.where(np.isfinite(values), values, 1).astype(dtype)
    x = up(values)
    for bins in (1, 10, 1000):
        edges = algorithms.histogram(x, bins)[1]
        np.testing.assert_array_equal(algorithms.histogram(x, bins)[0].get(), np.histogram(values, edges)[0])
        sums = algorithms.histogram(x, bins, weights=up(weights))[0]
        np.testing.assert_allclose(sums.get(), np.histogram(values, edges, weights=weights)[0])
    edges = [-np.inf, -3, 0, 0, 1, 50, np.inf]
    np.testing.assert_array_equal(algorithms.histogram(x, edges)[0].get(), np.histogram(values, edges)[0])


def test_nan_is_not_counted():
    values = np.asarray([np.nan, 1, 2, np.inf, -np.inf, 2, 3], "float32")
    counts = algorithms.histogram(up(values), 4, range=(1, 3))[0]
    np.testing.assert_array_equal(counts.get(), [1, 0, 2, 1])
    with pytest.raises(ValueError, match="not finite"):
        algorithms.histogram(up(values), 4)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_numbers_are_counted(dtype):
    values = sample(dtype, 500, few=True)
    np.testing.assert_array_equal(
        algorithms.bincount(up(values), minlength=3).get(), np.bincount(values, minlength=3)
    )
    weights = np.arange(500.0)
    counted = algorithms.bincount(up(values), weights=up(weights)).get()
    np.testing.assert_array_equal(counted, np.bincount(values, weights))
    if dtype == "int8":
        with pytest.raises(ValueError, match="-1"):
            algorithms.bincount(up(-values))


@pytest.mark.parametrize("n", [10, 100, 5003])
def test_small_float_sums_are_numpys_to_the_last_bit(n):
    x = np.random.default_rng(n).standard_normal(n).astype(np.float32)
    x[:4] = [-3e38, 3e38, 3e38, -3e38]
    np.testing.assert_array_equal(qn.cumsum(up(x)).get(), np.cumsum(x))
    starts = np.arange(n) % 7 == 0
    segments = np.concatenate([np.cumsum(part) for part in np.split(x, np.flatnonzero(starts)[1:])])
    np.testing.assert_array_equal(algorithms.scan(up(x), starts=up(starts)).get(), segments)


@pytest.mark.parametrize("n", [1000, 50_003])
def test_bool_and_float16_are_computed_as_compiled_kernels_do(n):
    assert algorithms.scan(up(np.full(n, 0.5, np.float32)), dtype=bool).get().all()
    assert algorithms.scan(up(np.full(n, 256, np.int32)), dtype=bool).get().all()
    sums = algorithms.scan(up(np.ones(n, np.float16))).get()
    np.testing.assert_array_equal(sums, np.arange(1, n + 1).astype(np.float16))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_numbers_may_be_aligned_as_their_parts(dtype):
    itemsize = np.dtype(dtype).itemsize
    memory = np.zeros(102 * itemsize + 64, np.uint8)
    start = -memory.ctypes.data % itemsize + itemsize // 2
    values = memory[start : start + 100 * itemsize].view(dtype)
    values[:] = np.arange(100) % 5 + 1j
    x = qn.from_dlpack(values)
    np.testing.assert_allclose(qn.cumsum(x).get(), np.cumsum(values), rtol=1e-4)
    np.testing.assert_array_equal(qn.nonzero(x)[0].get(), np.flatnonzero(values))
    mask = values.real > 2
    np.testing.assert_array_equal(x[up(mask)].get(), values[mask])


def test_a_count_that_overlaps_is_refused_before_anything_is_written():
    element = np.dtype([("a", "u1", 3)])
    x, mask = up(np.frombuffer(bytes(range(15)), element)), up(np.array([1, 0, 1, 1, 0]))
    memory = up(np.zeros(3, np.uint64))
    out = qn.Array(memory.buffer.sub_buffer(0, 15), element, (5,))
    with pytest.raises(ValueError, match="count"):
        algorithms.copy_if(x, mask, out=out, count=memory[:1])
    assert not memory.get().any()
