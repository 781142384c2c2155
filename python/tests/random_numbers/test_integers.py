# SPDX-License-Identifier: MIT
"""Integers without bias: against the oracle and by their counts."""

import numpy as np
import oracle
import pytest
from goodness import chi_square
from hypothesis import given, settings
from hypothesis import strategies as st

import quern as qn

TYPES = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]


@pytest.mark.parametrize("dtype", TYPES)
def test_every_type_has_its_whole_range(device, dtype):
    limits = np.iinfo(dtype)
    rng = qn.random.default_rng(2)
    state = rng.bit_generator.state
    drawn = rng.integers(limits.min, limits.max, 1003, dtype, endpoint=True, device=device)
    assert drawn.dtype == dtype
    assert drawn.get().tolist() == oracle.integers(state, 1003, limits.min, limits.max)


@pytest.mark.parametrize("dtype", TYPES)
def test_words_that_would_bring_a_bias_are_refused(device, dtype):
    """Ranges just above half the words there are, of which nearly every other one is refused."""
    rng = qn.random.default_rng(3)
    rng.random(3, np.float32, device=device)
    limits = np.iinfo(dtype)
    first, last = limits.min // 2 - 1, limits.max // 2 + 7
    if limits.min == 0:
        first, last = 1, limits.max // 2 + 9
    state = rng.bit_generator.state
    drawn = rng.integers(first, last, 1003, dtype, endpoint=True, device=device)
    assert drawn.get().tolist() == oracle.integers(state, 1003, first, last)


@pytest.mark.parametrize("engine", [qn.random.Philox, qn.random.Threefry])
@settings(max_examples=30, deadline=None)
@given(
    bounds=st.lists(st.integers(-(1 << 63), (1 << 63) - 1), min_size=2, max_size=2),
    size=st.integers(0, 100),
    start=st.integers(0, (1 << 64) - 1000),
)
def test_any_bounds_of_64_bits(engine, bounds, size, start):
    first, last = sorted(bounds)
    rng = qn.random.Generator(engine(1))
    rng.bit_generator.advance(start)
    state = rng.bit_generator.state
    drawn = rng.integers(first, last, size, endpoint=True, device="host")
    assert drawn.get().tolist() == oracle.integers(state, size, first, last)


def test_a_type_does_not_change_the_numbers(device):
    drawn = [
        qn.random.default_rng(5).integers(10, 100, 101, dtype, device=device).get().tolist()
        for dtype in (np.int8, np.uint16, np.int32, np.int64)
    ]
    assert drawn.count(drawn[0]) == 4


def test_bools_are_integers_below_two(device):
    drawn = qn.random.default_rng(5).integers(0, 2, 1000, bool, device=device).get()
    assert drawn.dtype == bool
    assert 400 < drawn.sum() < 600


@pytest.mark.parametrize(("low", "count"), [(0, 2), (-3, 7), (5, 100), (0, 256), (1 << 40, 1000)])
def test_all_integers_are_equally_likely(device, low, count):
    drawn = qn.random.default_rng(6).integers(low, low + count, 50_000, device=device).get()
    counts = np.bincount(drawn - low, minlength=count)
    assert counts.size == count
    assert chi_square(counts, np.full(count, 1 / count)) > 0.001


def test_a_range_of_three_quarters_is_not_biased(device):
    """Without refusal a third of these would be twice as likely."""
    count = 3 << 30
    drawn = qn.random.default_rng(6).integers(0, count, 50_000, np.uint32, device=device).get()
    assert chi_square(np.bincount(drawn // (1 << 24), minlength=192), np.full(192, 1 / 192)) > 0.001
    assert chi_square(np.bincount(drawn % 3, minlength=3), np.full(3, 1 / 3)) > 0.001


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"low": 5, "high": 5}, ValueError, "low < high"),
        ({"low": 5, "high": 4, "endpoint": True}, ValueError, "low <= high"),
        ({"low": 0}, ValueError, "low < high"),
        ({"low": -129, "high": 5, "dtype": "int8"}, ValueError, "least int8"),
        ({"low": 0, "high": 257, "dtype": "uint8"}, ValueError, "greatest uint8"),
        ({"low": -1, "high": 5, "dtype": "uint64"}, ValueError, "least uint64"),
        ({"low": 0, "high": 1 << 64, "endpoint": True, "dtype": "uint64"}, ValueError, "greatest uint64"),
        ({"low": 0, "high": 3, "dtype": "bool"}, ValueError, "greatest bool"),
        ({"low": 0, "high": 5, "dtype": "float32"}, TypeError, "integer dtype"),
        ({"low": 0.5, "high": 5}, TypeError, "integers"),
    ],
)
def test_bad_bounds_are_named(arguments, error, text):
    with pytest.raises(error, match=text) as caught:
        qn.random.default_rng(1).integers(**arguments, size=3, device="host")
    assert isinstance(caught.value, qn.ArgumentError)
