# SPDX-License-Identifier: MIT
"""copy_if, remove_if, partition, nonzero, unique and run_length_encode, against NumPy."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import quern as qn
from quern import algorithms

SIZES = [0, 1, 2, 511, 512, 513, 4095, 4096, 4097, 100_003]
DTYPES = [
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float32", "float64", "complex64", "complex128"),
]
FEW = ["uint8", "int64", "complex64"]


@pytest.fixture(params=DTYPES)
def dtype(request, device):
    if device.backend == "opencl" and request.param not in FEW:
        pytest.skip("each dtype takes a compiler of PoCL's kind a second")
    return request.param


def values(n, dtype, distinct=5, seed=0):
    return np.random.default_rng(seed).integers(0, distinct, n).astype(dtype)


@pytest.mark.parametrize("n", SIZES)
def test_what_is_kept_stays_in_order(device, loops, n):
    x = values(n, "float32", 1000)
    got = algorithms.copy_if(qn.asarray(x, device=device), "x[i] > limit", limit=500)
    assert np.array_equal(got.get(), x[x > 500])
    got = algorithms.remove_if(qn.asarray(x, device=device), "x[i] > limit", limit=500)
    assert np.array_equal(got.get(), x[x <= 500])


@pytest.mark.parametrize("keep", [0, 1000])
def test_all_elements_or_none_may_be_kept(device, loops, keep):
    x = values(10_007, "float32", 1000)
    got = algorithms.copy_if(qn.asarray(x, device=device), "x[i] > limit", limit=keep - 1)
    assert np.array_equal(got.get(), x[x > keep - 1])


def test_masks_select_elements_of_every_dtype(device, dtype):
    x = values(5003, dtype, 100)
    mask = values(x.size, "bool", 2, seed=1)
    got = algorithms.copy_if(qn.asarray(x, device=device), qn.asarray(mask, device=device))
    assert got.dtype == x.dtype
    assert np.array_equal(got.get(), x[mask])


def test_masks_select_structures(device, loops):
    x = np.zeros(3001, [("a", "i2"), ("b", "f8"), ("c", "u1", (3,))])
    x["a"] = values(x.size, "i2", 100)
    x["c"][:, 1] = values(x.size, "u1", 100)
    mask = values(x.size, "int32", 2, seed=1)
    got = algorithms.copy_if(qn.asarray(x, device=device), qn.asarray(mask, device=device))
    assert np.array_equal(got.get(), x[mask != 0])


def test_predicates_look_into_structures(device):
    x = np.zeros(3001, np.dtype([("a", "i4"), ("b", "f4")]))
    x["a"] = values(x.size, "i4", 100)
    got = algorithms.copy_if(qn.asarray(x, device=device), "x[i].a % 3 == 0")
    assert np.array_equal(got.get(), x[x["a"] % 3 == 0])


def test_predicates_may_use_other_arrays_and_the_index(device):
    x, y = values(5003, "int32", 100), values(5003, "float64", 100, seed=1)
    got = algorithms.copy_if(
        qn.asarray(x, device=device),
        "x[i] < y[i] * factor && i % step == 0",
        y=qn.asarray(y, device=device),
        factor=np.float32(0.5),
        step=3,
    )
    assert np.array_equal(got.get(), x[(x < y * 0.5) & (np.arange(x.size) % 3 == 0)])


@pytest.mark.parametrize("n", SIZES)
def test_a_partition_is_stable_on_both_sides(device, loops, n):
    x = values(n, "int32", 1000)
    got, count = algorithms.partition(qn.asarray(x, device=device), "x[i] % 3 == 0")
    kept = x % 3 == 0
    assert np.array_equal(got.get(), np.concatenate([x[kept], x[~kept]]))
    assert count.get()[0] == kept.sum()


def test_nonzero_finds_positions(device, dtype):
    x = values(5003, dtype, 3)
    got = algorithms.nonzero(qn.asarray(x, device=device))
    assert got.dtype == np.int64
    assert np.array_equal(got.get(), np.flatnonzero(x))


@pytest.mark.parametrize("n", [7, 5003])
def test_nonzero_of_float16_needs_no_half_precision(device, n):
    x = np.resize(np.array([0, -0.0, np.nan, 6e-8, 0, -1.5, np.inf], np.float16), n)
    data = qn.asarray(x, device=device)
    assert np.array_equal(algorithms.nonzero(data).get(), np.flatnonzero(x))
    assert np.array_equal(qn.argwhere(data.reshape(-1, 1)).get(), np.argwhere(x.reshape(-1, 1)))


def runs_of(x):
    heads = np.flatnonzero(np.concatenate([[True], x[1:] != x[:-1]])) if x.size else np.zeros(0, int)
    return x[heads], heads, np.diff(np.append(heads, x.size))


def test_unique_takes_the_first_of_each_run(device, dtype):
    x = values(5003, dtype, 2)
    heads, starts, lengths = runs_of(x)
    data = qn.asarray(x, device=device)
    assert np.array_equal(algorithms.unique(data).get(), heads)
    got = algorithms.unique(data, return_index=True, return_counts=True)
    for array, expected in zip(got, (heads, starts, lengths), strict=True):
        assert np.array_equal(array.get(), expected)


@pytest.mark.parametrize("n", SIZES)
def test_runs_are_encoded(device, loops, n):
    x = np.sort(values(n, "uint32", 50))
    heads, _, lengths = runs_of(x)
    got_values, got_lengths = algorithms.run_length_encode(qn.asarray(x, device=device))
    assert np.array_equal(got_values.get(), heads)
    assert np.array_equal(got_lengths.get(), lengths)
    assert np.array_equal(np.repeat(got_values.get(), got_lengths.get()), x)


@settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    derandomize=True,
)
@given(st.lists(st.integers(0, 3), max_size=3000), st.integers(0, 3))
def test_selections_complement_each_other(device, x, limit):
    x = np.array(x, np.int32)
    data = qn.asarray(x, device=device)
    kept = algorithms.copy_if(data, "x[i] > limit", limit=limit).get()
    rest = algorithms.remove_if(data, "x[i] > limit", limit=limit).get()
    both, count = algorithms.partition(data, "x[i] > limit", limit=limit)
    assert np.array_equal(kept, x[x > limit])
    assert np.array_equal(rest, x[x <= limit])
    assert np.array_equal(both.get(), np.concatenate([kept, rest]))
    assert count.get()[0] == kept.size


def test_a_call_with_outputs_returns_an_event_without_waiting(device, queue):
    x = values(5003, "float32", 100)
    data = qn.asarray(x, device=device)
    out, count = qn.zeros(x.size, "float32", device), qn.zeros(1, "int64", device)
    event = algorithms.copy_if(data, "x[i] > 50", out=out, count=count, queue=queue)
    assert isinstance(event, qn.Event)
    event.wait()
    kept = x[x > 50]
    assert count.get()[0] == kept.size
    assert np.array_equal(out.get()[: kept.size], kept)
    assert not out.get()[kept.size :].any()


def test_an_output_needs_no_more_room_than_what_is_kept(device, loops):
    x = values(100_003, "int32", 100)
    kept = x[x > 90]
    out, count = qn.zeros(kept.size, "int32", device), qn.zeros(1, "uint64", device)
    algorithms.copy_if(qn.asarray(x, device=device), "x[i] > 90", out=out, count=count).wait()
    assert np.array_equal(out.get(), kept)


@pytest.mark.parametrize("n", [700, 5000, 100_003])
@pytest.mark.parametrize("capacity", [0, 1, 77, 600])
def test_what_does_not_fit_into_an_output_is_counted_and_not_stored(device, loops, n, capacity):
    check_short_outputs(device, n, capacity)


def check_short_outputs(device, n, capacity):
    x = values(n, "int32", 1000)
    on_device, mask = qn.asarray(x, device=device), qn.asarray(x % 8 != 0, device=device)
    heads = np.flatnonzero(np.concatenate([[True], x[1:] != x[:-1]]))
    calls = [
        ("int32", x[x > 9], lambda **to: algorithms.copy_if(on_device, "x[i] > 9", **to)),
        ("int32", x[x % 8 != 0], lambda **to: algorithms.copy_if(on_device, mask, **to)),
        ("int32", x[x % 8 == 0], lambda **to: algorithms.remove_if(on_device, mask, **to)),
        ("int64", np.flatnonzero(x), lambda **to: algorithms.nonzero(on_device, **to)),
        ("int32", x[heads], lambda **to: algorithms.unique(on_device, **to)),
    ]
    for dtype, expected, call in calls if capacity else calls[:4]:
        # The output is the front of a larger array, whose rest must stay as it is.
        whole, count = qn.full(n, -7, dtype, device=device), qn.zeros(1, "uint64", device)
        call(out=whole[:capacity], count=count).wait()
        assert count.get().tolist() == [expected.size]
        stored = min(capacity, expected.size)
        assert np.array_equal(whole.get()[:stored], expected[:stored])
        assert (whole.get()[stored:] == -7).all()


@pytest.mark.parametrize("n", [700, 100_003])
@pytest.mark.parametrize("capacity", [(1, 1), (5, 3), (3, 5), (600, 77)])
def test_runs_that_do_not_fit_into_an_output_are_counted_and_not_stored(device, loops, n, capacity):
    x = values(n, "int32", 3)
    heads = np.flatnonzero(np.concatenate([[True], x[1:] != x[:-1]]))
    expected = x[heads], np.diff(np.concatenate([heads, [n]]))
    whole = qn.full(n, -7, "int32", device=device), qn.full(n, -7, "int64", device=device)
    count = qn.zeros(1, "uint64", device)
    out = whole[0][: capacity[0]], whole[1][: capacity[1]]
    algorithms.run_length_encode(qn.asarray(x, device=device), out=out, count=count).wait()
    assert count.get().tolist() == [heads.size]
    for array, right, length in zip(whole, expected, capacity, strict=True):
        stored = min(length, heads.size)
        assert np.array_equal(array.get()[:stored], right[:stored])
        assert (array.get()[stored:] == -7).all()


def test_an_output_without_any_capacity_is_refused_where_there_is_a_result(device, loops):
    x, count = qn.ones(100, "float32", device), qn.full(1, 7, "uint64", device=device)
    none, positions = qn.zeros(0, "float32", device), qn.zeros(0, "int64", device)
    with pytest.raises(qn.ArgumentError, match="unique: out has no elements"):
        algorithms.unique(x, out=none, count=count)
    with pytest.raises(qn.ArgumentError, match="run_length_encode: out has no elements"):
        algorithms.run_length_encode(x, out=(none, qn.zeros(100, "int64", device)), count=count)
    with pytest.raises(qn.ArgumentError, match="run_length_encode: lengths has no elements"):
        algorithms.run_length_encode(x, out=(qn.zeros(100, "float32", device), positions), count=count)
    assert count.get().tolist() == [7]
    # Nothing may be selected, and an empty array has no runs.
    algorithms.copy_if(x, "x[i] > 1", out=none, count=count).wait()
    assert count.get().tolist() == [0]
    algorithms.unique(none, out=qn.zeros(0, "float32", device), count=count).wait()
    assert count.get().tolist() == [0]


def test_arguments_that_do_not_fit_are_named(device):
    x, count = qn.zeros(10, "float32", device), qn.zeros(1, "uint64", device)
    with pytest.raises(qn.ArgumentError, match="predicate"):
        algorithms.copy_if(x, 5)
    with pytest.raises(qn.ArgumentError, match="count"):
        algorithms.copy_if(x, "x[i] > 0", out=qn.zeros(10, "float32", device))
    with pytest.raises(qn.ArgumentError, match="out"):
        algorithms.copy_if(x, "x[i] > 0", out=x, count=count)
    with pytest.raises(qn.ArgumentError, match="float64"):
        algorithms.copy_if(x, "x[i] > 0", out=qn.zeros(10, "float64", device), count=count)
    with pytest.raises(qn.ArgumentError, match="mask"):
        algorithms.copy_if(x, qn.zeros(9, "bool", device))
    with pytest.raises(qn.ArgumentError, match="limit"):
        algorithms.copy_if(x, "x[i] > limit", limit="much")
    with pytest.raises(qn.ArgumentError, match="compared"):
        algorithms.unique(qn.zeros(5, np.dtype([("a", "i4")]), device))
    with pytest.raises(qn.BuildError):
        algorithms.copy_if(x, "x[i] > nothing")


def test_a_count_that_overlaps_is_refused_before_anything_is_written(device):
    element = np.dtype([("a", "u1", 3)])
    x = qn.asarray(np.frombuffer(bytes(range(15)), element), device=device)
    mask = qn.asarray(np.array([1, 0, 1, 1, 0]), device=device)
    memory = qn.zeros(3, dtype="uint64", device=device)
    out = qn.Array(memory.buffer.sub_buffer(0, 15), element, (5,))
    with pytest.raises(ValueError, match="count"):
        algorithms.copy_if(x, mask, out=out, count=memory[:1])
    assert not memory.get().any()
