# SPDX-License-Identifier: MIT
"""Permutations, shuffles and choices."""

from itertools import permutations

import numpy as np
import pytest
from goodness import chi_square

import quern as qn


@pytest.mark.parametrize("count", [0, 1, 2, 3, 100, 4099])
def test_a_permutation_has_every_number_once(device, count):
    order = qn.random.default_rng(1).permutation(count, device=device)
    assert order.dtype == np.int64
    assert np.array_equal(np.sort(order.get()), np.arange(count))


def test_a_permutation_is_another_one_each_time(device):
    rng = qn.random.default_rng(1)
    first, second = (rng.permutation(1000, device=device).get() for _ in range(2))
    assert not np.array_equal(first, second)
    assert np.count_nonzero(first == np.arange(1000)) < 10


def test_every_device_finds_the_same_order(device, other_device):
    first, second = (
        qn.random.default_rng(5).permutation(1003, device=where).get() for where in (device, other_device)
    )
    assert np.array_equal(first, second)


def test_all_orders_are_equally_likely():
    rng = qn.random.default_rng(2)
    counts = dict.fromkeys(permutations(range(4)), 0)
    for _ in range(4000):
        counts[tuple(rng.permutation(4, device="host").get())] += 1
    assert chi_square(list(counts.values()), np.full(24, 1 / 24)) > 0.001


def test_every_number_comes_to_every_place():
    rng = qn.random.default_rng(3)
    places = np.zeros((10, 10))
    for _ in range(2000):
        places[np.arange(10), rng.permutation(10, device="host").get()] += 1
    assert chi_square(places.ravel(), np.full(100, 1 / 100)) > 0.001


@pytest.mark.parametrize("dtype", ["int8", "float32", "float64", "complex128", [("a", "i4"), ("b", "i8")]])
def test_rows_stay_together(device, dtype):
    values = np.zeros((50, 3), np.dtype(dtype, align=isinstance(dtype, list)))
    numbers = np.arange(50)[:, None] + np.zeros(3, int)
    if isinstance(dtype, list):
        values["a"], values["b"] = numbers, numbers
    else:
        values[...] = numbers
    x = qn.asarray(values, device=device)
    shuffled = qn.random.default_rng(4).permutation(x)
    assert np.array_equal(x.get(), values)
    order = qn.random.default_rng(4).permutation(50, device=device).get()
    assert np.array_equal(shuffled.get(), values[order])
    event = qn.random.default_rng(4).shuffle(x)
    assert isinstance(event, qn.Event)
    assert np.array_equal(x.get(), values[order])


def test_shuffling_nothing_is_allowed(device):
    x = qn.empty(0, np.float32, device)
    qn.random.default_rng(4).shuffle(x).wait()
    assert qn.random.default_rng(4).permutation(x).shape == (0,)


def test_choices_with_replacement_are_even(device):
    chosen = qn.random.default_rng(6).choice(7, 50_000, device=device).get()
    assert chosen.dtype == np.int64
    assert chi_square(np.bincount(chosen, minlength=7), np.full(7, 1 / 7)) > 0.001


def test_choices_follow_their_probabilities(device):
    if not device.has_fp64:
        pytest.skip("needs float64")
    p = np.array([0, 0.1, 0.2, 0, 0.65, 0.05, 0])
    chosen = qn.random.default_rng(7).choice(7, (50, 1000), p=p, device=device).get()
    assert chosen.shape == (50, 1000)
    counts = np.bincount(chosen.ravel(), minlength=7)
    assert (counts[p == 0] == 0).all()
    assert chi_square(counts[p > 0], p[p > 0]) > 0.001


def test_choices_without_replacement_are_distinct(device):
    rng = qn.random.default_rng(8)
    for size in (0, 1, 10, 100):
        chosen = rng.choice(100, size, replace=False, device=device).get()
        assert chosen.shape == (size,) and np.unique(chosen).size == size


def test_all_subsets_are_equally_likely():
    rng = qn.random.default_rng(9)
    counts = np.zeros((6, 6))
    for _ in range(3000):
        a, b = rng.choice(6, 2, replace=False, device="host").get()
        counts[a, b] += 1
    assert (counts.diagonal() == 0).all()
    assert chi_square(counts[~np.eye(6, dtype=bool)], np.full(30, 1 / 30)) > 0.001


def test_weights_hold_without_replacement():
    """The first by its weight, the second by its weight among those that are left."""
    rng = qn.random.default_rng(10)
    p = np.array([0.5, 0.3, 0.2, 0])
    counts = np.zeros((4, 4))
    for _ in range(3000):
        a, b = rng.choice(4, 2, replace=False, p=p, device="host").get()
        counts[a, b] += 1
    expected = np.array([[p[i] * p[j] / (1 - p[i]) * (i != j) for j in range(4)] for i in range(4)])
    possible = expected > 0
    assert (counts[~possible] == 0).all()
    assert chi_square(counts[possible], expected[possible]) > 0.001


def test_rows_of_arrays_are_chosen(device):
    values = np.arange(30, dtype=np.float32).reshape(10, 3)
    x = qn.asarray(values, device=device)
    rows = qn.random.default_rng(11).choice(10, (4, 2), device=device).get()
    chosen = qn.random.default_rng(11).choice(x, (4, 2))
    assert np.array_equal(chosen.get(), values[rows])


def test_without_a_size_one_is_chosen():
    rng = qn.random.default_rng(12)
    assert type(rng.choice(5, device="host")) is int
    assert rng.choice([1.5, 1.5], device="host") == 1.5
    row = rng.choice(np.ones((4, 3), np.float32), device="host")
    assert row.shape == (3,)


def test_the_order_of_draws_does_not_depend_on_what_is_chosen(device):
    """A choice takes words from the stream as any draw does."""
    rng = qn.random.default_rng(13)
    rng.choice(10, 5, device=device)
    assert rng.bit_generator.state["position"] == 5


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda rng: rng.permutation(-1), ValueError, ">= 0"),
        (lambda rng: rng.permutation(1.5), TypeError, "integer or an array"),
        (lambda rng: rng.permutation(qn.zeros((), "float32")), ValueError, "one dimension"),
        (lambda rng: rng.permutation(qn.zeros(5, "float32"), axis=1), IndexError, "axis"),
        (lambda rng: rng.shuffle([1, 2]), TypeError, "quern.Array"),
        (lambda rng: rng.choice(0, 3), ValueError, "non-empty population"),
        (lambda rng: rng.choice(-2, 3), ValueError, "non-empty population"),
        (lambda rng: rng.choice(3, 4, replace=False), ValueError, "without replacement"),
        (lambda rng: rng.choice(3, 4, p=[0.5, 0.5]), ValueError, "3 entries"),
        (lambda rng: rng.choice(3, 4, p=[0.5, 0.5, 0.5]), ValueError, "sum to 1"),
        (lambda rng: rng.choice(3, 4, p=[1.5, -0.5, 0]), ValueError, "negative"),
        (lambda rng: rng.choice(3, 4, p=[float("nan"), 0.5, 0.5]), ValueError, "NaN"),
        (lambda rng: rng.choice(3, 2, replace=False, p=[1, 0, 0]), ValueError, "above 0"),
        (lambda rng: rng.choice(2, 2, p=[[0.5, 0.5]]), ValueError, "one-dimensional"),
        (lambda rng: rng.choice(2, -2), ValueError, "negative"),
        (lambda rng: rng.choice("ab", 2), TypeError, "integer or an array"),
    ],
)
def test_bad_arguments_are_named(call, error, text):
    with qn.device("host"), pytest.raises(error, match=text) as caught:
        call(qn.random.default_rng(1))
    assert isinstance(caught.value, qn.ArgumentError)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_lines_along_an_axis_stay_together(device, axis):
    values = np.arange(5 * 6 * 7).reshape(5, 6, 7)
    array = qn.asarray(values, device=device)
    rng = qn.random.default_rng(21)
    permuted = rng.permutation(array, axis=axis).get()
    first = np.moveaxis(values, axis, 0)
    lines = {line.tobytes(): k for k, line in enumerate(np.ascontiguousarray(first))}
    found = [lines[np.ascontiguousarray(line).tobytes()] for line in np.moveaxis(permuted, axis, 0)]
    assert sorted(found) == list(range(first.shape[0])) != found
    rng.shuffle(array, axis=axis)
    again = [lines[np.ascontiguousarray(line).tobytes()] for line in np.moveaxis(array.get(), axis, 0)]
    assert sorted(again) == sorted(found)


def test_views_are_permuted_and_shuffled(device):
    array = qn.asarray(np.arange(60).reshape(10, 6), device=device)
    rng = qn.random.default_rng(22)
    columns = rng.permutation(array.T).get()
    assert sorted(columns[:, 0].tolist()) == list(range(6))
    rng.shuffle(array[::2])
    got = array.get()
    assert np.array_equal(got[1::2], np.arange(60).reshape(10, 6)[1::2])
    assert sorted(got[::2, 0].tolist()) == list(range(0, 60, 12))


def test_each_line_is_permuted_by_itself(device):
    values = np.tile(np.arange(40), (50, 1))
    rng = qn.random.default_rng(23)
    got = rng.permuted(qn.asarray(values, device=device), axis=1).get()
    assert np.array_equal(np.sort(got, axis=1), values)
    assert len({row.tobytes() for row in got}) == 50
    columns = rng.permuted(qn.asarray(values.T.copy(), device=device), axis=0).get()
    assert np.array_equal(np.sort(columns, axis=0), values.T)
    everything = rng.permuted(qn.asarray(values, device=device)).get()
    assert everything.shape == values.shape
    assert np.array_equal(np.sort(everything.ravel()), np.sort(values.ravel()))
    out = qn.asarray(values, device=device)
    assert rng.permuted(out, axis=1, out=out) is out
    assert np.array_equal(np.sort(out.get(), axis=1), values) and not np.array_equal(out.get(), values)
    assert rng.permuted(np.zeros((0, 3)), axis=1, device=device).shape == (0, 3)
    assert rng.permuted([3, 1, 2], device=device).size == 3


def test_orders_of_lines_are_all_equally_likely(device):
    got = qn.random.default_rng(24).permuted(np.tile(np.arange(3), (6000, 1)), axis=1, device=device).get()
    codes = got @ np.array([9, 3, 1])
    counts = np.unique(codes, return_counts=True)[1]
    assert chi_square(counts, np.full(6, 1 / 6)) > 1e-3


def test_choices_take_the_place_of_their_axis(device):
    values = np.arange(12).reshape(3, 4)
    array = qn.asarray(values, device=device)
    rng = qn.random.default_rng(25)
    columns = rng.choice(array, 5, axis=1).get()
    assert columns.shape == (3, 5)
    assert np.array_equal(columns, values[:, columns[0]])
    assert rng.choice(array, (2, 5), axis=1).shape == (3, 2, 5)
    assert rng.choice(array, axis=1).shape == (3,)
    distinct = rng.choice(array, 4, replace=False, axis=1).get()
    assert sorted(distinct[0].tolist()) == [0, 1, 2, 3]
    assert rng.choice(5, axis=1, device=device) < 5  # as NumPy, which does not look at it then
    assert sorted(rng.permutation(5, axis=1, device=device).tolist()) == list(range(5))


def test_bytes_are_all_equally_likely(device):
    with device:
        rng = qn.random.default_rng(26)
        drawn = rng.bytes(100_000)
        assert type(drawn) is bytes and len(drawn) == 100_000
        assert (
            chi_square(np.bincount(np.frombuffer(drawn, np.uint8), minlength=256), np.full(256, 1 / 256))
            > 1e-3
        )
        assert rng.bytes(0) == b""
        assert qn.random.default_rng(26).bytes(10) == drawn[:10]
    with pytest.raises(ValueError, match="bytes: expected length >= 0"):
        rng.bytes(-1)
    with pytest.raises(TypeError, match="permuted: expected an array"):
        rng.permuted(3)
    with pytest.raises(np.exceptions.AxisError):
        rng.permuted([1, 2], axis=3, device=device)
