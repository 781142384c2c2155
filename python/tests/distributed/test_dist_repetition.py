# SPDX-License-Identifier: MIT
"""Repetition of elements and of whole distributed arrays: values of every layout, layouts, messages."""

import numpy as np
import pytest

import quern
import quern.dist as qn
from quern.dist import _repetition


@pytest.fixture(autouse=True)
def on_host():
    with quern.device("host"):
        yield


REPEATED_LAYOUTS = [None, "replicated", qn.owned(1), qn.cyclic(2), (1, 3), (3, 1), qn.cyclic(2, (1, 3))]


@pytest.mark.parametrize("shape", [(7, 5), (2, 3), (0, 4), (3, 0), (9, 1)], ids=str)
@pytest.mark.parametrize(
    "layout", REPEATED_LAYOUTS, ids=lambda one: one if type(one) is str else type(one).__name__
)
def test_repetitions_of_every_layout(layout, shape):
    a = np.random.default_rng(2).integers(-9, 9, shape)
    rng = np.random.default_rng(3)
    counts = [rng.integers(0, 5, length) for length in shape]

    def program():
        x = qn.asarray(a, layout=layout)
        for axis in (0, 1, -1, None):
            for count in (0, 1, 2, 5, [3]):
                found = qn.repeat(x, count, axis)
                np.testing.assert_array_equal(found.get(), np.repeat(a, count, axis), strict=True)
            if axis is not None:
                found = qn.repeat(x, counts[axis], axis)
                np.testing.assert_array_equal(found.get(), np.repeat(a, counts[axis], axis), strict=True)
        for repetitions in (0, 1, 2, 3, 4, 7, (2, 1), (5, 1), (2, 5), (0, 3), (2, 3, 4)):
            found = qn.tile(x, repetitions)
            np.testing.assert_array_equal(found.get(), np.tile(a, repetitions), strict=True)

    qn.on_threads(3, program, timeout=60)


def test_repetitions_of_selected_elements_and_of_replicas():
    a = np.arange(40.0).reshape(8, 5)
    mask = a % 7 < 2

    def program():
        x = qn.asarray(a, layout=(2, 2))
        for got, expected in (
            (qn.repeat(x[mask], 3), np.repeat(a[mask], 3)),
            (qn.tile(x[mask], 5), np.tile(a[mask], 5)),
            (qn.repeat(x.sum(axis=0), [1, 0, 2, 0, 3]), np.repeat(a.sum(axis=0), [1, 0, 2, 0, 3])),
            (qn.tile(x.sum(axis=1), 6), np.tile(a.sum(axis=1), 6)),
            (qn.tile(x, (6, 5)), np.tile(a, (6, 5))),
            (qn.repeat(x.T, 3, 0), np.repeat(a.T, 3, 0)),
            (qn.tile(x.T, (2, 5)), np.tile(a.T, (2, 5))),
            (qn.repeat(x[:, 2], 3), np.repeat(a[:, 2], 3)),
            (qn.tile(x[None, 1:7:2], (1, 2, 1)), np.tile(a[None, 1:7:2], (1, 2, 1))),
        ):
            np.testing.assert_array_equal(got.get(), expected, strict=True)

    qn.on_threads(4, program, timeout=60)


def test_repetitions_have_the_layout_of_the_array_and_move_what_is_beyond_the_bounds():
    def program():
        x = qn.asarray(np.arange(12.0).reshape(6, 2), layout=(2, 1))
        before = x.comm.sent
        found = qn.repeat(x, 3, axis=0), qn.repeat(x, 2, axis=1), qn.tile(x, (1, 4))
        assert x.comm.sent == before
        assert [str(one.layout) for one in found] == ["block(2, whole)"] * 3
        assert str(qn.tile(x, (5, 1)).layout) == str(qn.tile(x, (2, 1)).layout) == "block(2, whole)"
        assert str(qn.repeat(x, [0, 0, 0, 0, 4, 4], axis=0).layout) == "block(2, whole)"

    qn.on_threads(2, program)


def test_repetitions_name_wrong_numbers():
    x = qn.arange(3)
    for numbers, kind in (
        ([1, 2], ValueError),
        (-1, ValueError),
        ([1, -2, 3], ValueError),
    ):
        with pytest.raises(kind):
            np.repeat(np.arange(3), numbers)
        with pytest.raises(kind):
            qn.repeat(x, numbers)
    with pytest.raises(ValueError, match="negative"):
        qn.tile(x, -1)


def test_repetitions_make_no_lists_of_indices(monkeypatch):
    def refused(*arguments):
        raise AssertionError("elements were taken one by one")

    def program():
        x = qn.arange(10)
        for found in (qn.repeat(x, 4), qn.repeat(x, np.arange(10)), qn.tile(x, 2), qn.tile(x, 9)):
            found.get()

    monkeypatch.setattr(_repetition, "take", refused)
    qn.on_threads(3, program)


@pytest.mark.parametrize("ranks", [1, 2])
def test_repetitions_of_every_device(device, ranks):
    a = np.arange(12, dtype="float32").reshape(3, 4)

    def program():
        x = qn.asarray(a, device=device)
        for got, expected in (
            (qn.repeat(x, 2, 0), np.repeat(a, 2, 0)),
            (qn.repeat(x, [1, 0, 3], 0), np.repeat(a, [1, 0, 3], 0)),
            (qn.tile(x, (5, 2)), np.tile(a, (5, 2))),
        ):
            assert got.device == device
            np.testing.assert_array_equal(got.get(), expected, strict=True)

    qn.on_threads(ranks, program)
