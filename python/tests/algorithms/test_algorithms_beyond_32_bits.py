# SPDX-License-Identifier: MIT
"""Algorithms on more than 2^32 elements, if the device has the memory."""

import numpy as np
import pytest

import quern as qn
from quern import algorithms

COUNT = (1 << 31) + 3
PERIOD = 251

pytestmark = [pytest.mark.slow, pytest.mark.large_memory]

fill = qn.ElementwiseKernel("uchar *x", f"x[i] = (uchar)(((ulong)i * 37) % {PERIOD})")
# How often each of these numbers occurs: as the period runs through all of them, only its beginning counts once more.
EXPECTED = np.full(PERIOD, COUNT // PERIOD)
EXPECTED[(np.arange(COUNT % PERIOD) * 37) % PERIOD] += 1


@pytest.fixture
def many(device):
    if device.kind != "gpu" or device.memory_info.free < 48 << 30:
        pytest.skip("takes tens of gigabytes")
    x = qn.empty(COUNT, np.uint8, device)
    fill(x)
    yield x
    qn.trim_pool(device)


def sorted_numbers():
    return np.repeat(np.arange(PERIOD, dtype=np.uint8), EXPECTED)


def test_many_keys_sort(many):
    np.testing.assert_array_equal(algorithms.sort(many).get(), sorted_numbers())


def test_many_keys_have_positions(many):
    positions = algorithms.argsort(many)
    picked = algorithms.gather(many, positions)
    np.testing.assert_array_equal(picked.get(), sorted_numbers())
    places = positions.get()
    assert (places[: EXPECTED[0]] == np.arange(EXPECTED[0]) * PERIOD).all()


def test_many_elements_are_counted(many):
    np.testing.assert_array_equal(algorithms.bincount(many).get(), EXPECTED)
    counts, _ = algorithms.histogram(many, PERIOD, (0, PERIOD))
    np.testing.assert_array_equal(counts.get(), EXPECTED)


def test_many_elements_merge_and_are_found(many):
    ordered = algorithms.sort(many)
    one = qn.asarray(np.uint8([PERIOD - 1]), device=many.device)
    merged = algorithms.merge(ordered, one)
    assert merged.size == COUNT + 1
    assert (merged.get()[:-1] == sorted_numbers()).all()
    assert list(algorithms.lower_bound(ordered, one).get()) == [COUNT - EXPECTED[-1]]
    assert list(algorithms.upper_bound(ordered, one).get()) == [COUNT]


def test_many_elements_are_scattered(many):
    positions = qn.asarray(np.int64([0, COUNT - 1, COUNT, 1 << 31]), device=many.device)
    algorithms.scatter(many, positions, qn.asarray(np.uint8([251, 252, 253, 254]), device=many.device))
    picked = algorithms.gather(many, positions)
    assert list(picked.get()) == [251, 252, 0, 254]


def test_a_matrix_of_many_elements_is_transposed(many):
    rows, columns = 1 << 16, 1 << 15
    matrix = qn.Array(many.buffer, np.uint8, (rows, columns))
    turned = algorithms.transpose(matrix).get()
    np.testing.assert_array_equal(turned[-1], matrix.get()[:, -1])
    np.testing.assert_array_equal(turned[:, -1], matrix.get()[-1])


def test_many_elements_are_scanned(many):
    sums = qn.empty(COUNT, np.uint8, many.device)
    algorithms.scan(many, out=sums).wait()
    wrong = qn.ReductionKernel(
        "int64",
        "0",
        "a + b",
        "(uchar)(y[i] - (i == 0 ? 0 : y[i - 1])) != x[i]",
        "const uchar *x, const uchar *y",
    )
    assert int(wrong(many, sums).get()) == 0


def test_many_elements_are_selected(many):
    kept = algorithms.copy_if(many, "x[i] == 3")
    assert kept.size == EXPECTED[3]
    assert (kept.get() == 3).all()
    assert algorithms.unique(many).size == COUNT
    both, count = algorithms.partition(many, "x[i] < 5")
    assert int(count.get()[0]) == EXPECTED[:5].sum()
    assert (both.get()[: EXPECTED[:5].sum()] < 5).all()
