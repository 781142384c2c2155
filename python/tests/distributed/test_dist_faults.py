# SPDX-License-Identifier: MIT
"""Ranks that disagree, fail or do not come: errors that name ranks and lines, on all ranks, in bounded time."""

import contextlib
import sys
import time

import numpy as np
import pytest

import quern
import quern.dist as qn


@pytest.fixture(autouse=True)
def on_host():
    with quern.device("host"):
        yield


def errors_of(ranks, function, **options):
    """The exceptions of all ranks."""
    found = [None] * ranks

    def run():
        try:
            function()
        except Exception as error:
            found[qn.rank()] = error
            raise

    with pytest.raises(Exception):  # noqa: B017
        qn.on_threads(ranks, run, **options)
    return found


def lengths(*parts):
    """A layout of blocks of these lengths, along one axis or along each."""
    return qn.Layout.irregular([list(one) for one in parts] if isinstance(parts[0], list) else [list(parts)])


def test_different_operations_are_named_with_their_lines():
    def program():
        x = qn.ones(8)
        if qn.rank() == 0:
            x.sum()
        else:
            x.max()

    errors = errors_of(2, program)
    assert all(isinstance(error, qn.DistributedError) for error in errors)
    assert any("sum (" in str(e) and "max (" in str(e) and "test_dist_faults.py:" in str(e) for e in errors)
    assert any(error.ranks for error in errors)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda: qn.ones(8), lambda: qn.ones(9)),
        (lambda: qn.ones(8), lambda: qn.ones(8, "float32")),
        (lambda: qn.ones((4, 4), layout=(2, 1)), lambda: qn.ones((4, 4), layout=(1, 2))),
        (lambda: qn.ones(8, layout=lengths(3, 5)), lambda: qn.ones(8, layout=lengths(4, 4))),
        (
            lambda: qn.ones((4, 4), layout=lengths([2, 2], [4])),
            lambda: qn.ones((4, 4), layout=lengths([2, 2], [4])).T,
        ),
    ],
    ids=["shapes", "dtypes", "layouts", "lengths", "axes"],
)
def test_different_arguments_are_found(one, other):
    def program():
        x = (one if qn.rank() == 0 else other)()
        x.sum()

    errors = errors_of(2, program)
    assert any(isinstance(error, qn.DistributedError) for error in errors)


def test_an_exception_reaches_the_ranks_that_wait():
    def program():
        if qn.rank() == 1:
            raise ValueError("no mesh")
        qn.ones(8).sum()

    errors = errors_of(3, program)
    assert isinstance(errors[1], ValueError)
    for error in (errors[0], errors[2]):
        assert isinstance(error, qn.DistributedError)
        assert "rank 1" in str(error)
        assert "no mesh" in str(error)
        assert error.ranks == (1,)


@pytest.mark.parametrize("end", [lambda: None, sys.exit], ids=["return", "exit"])
def test_a_program_that_ends_early_is_named(end):
    def program():
        qn.barrier()
        part = qn._ranks.current().split(0)
        if qn.rank() == 1:
            end()
            return
        with qn.using(part) if qn.rank() == 0 else contextlib.nullcontext():
            qn.ones(8).sum()

    with contextlib.suppress(SystemExit):
        errors = errors_of(3, program, timeout=60)
        for error in (errors[0], errors[2]):
            assert isinstance(error, qn.DistributedError)
            assert "the program of rank 1 has ended after operation" in str(error)


def test_programs_that_end_at_different_times_end_silently():
    def program():
        time.sleep(0.2 * qn.rank())
        return float(qn.ones(8).sum()), time.sleep(0.2 * (2 - qn.rank()))

    assert qn.on_threads(3, program, timeout=60) == [(8.0, None)] * 3


def test_a_rank_that_does_not_come_is_named():
    def program():
        if qn.rank() == 2:
            time.sleep(3)
            return
        qn.ones(8).sum()

    errors = errors_of(3, program, warn=0.5, timeout=1.5)
    assert any("rank 2" in str(error) for error in errors[:2])


def test_what_is_not_supported_is_named():
    x = qn.ones((3, 4))
    with pytest.raises(AttributeError, match=r"quern\.partition takes the arrays of one rank"):
        _ = qn.partition
    with pytest.raises(IndexError, match="a mask of shape"):
        x[x[0] > 0]
    with pytest.raises(TypeError, match="indices of integers"):
        x[x]
    with pytest.raises(TypeError, match=r"x\.get\(\) gathers"):
        np.asarray(x)
    with pytest.raises(TypeError, match=r"numpy\.median does not take distributed arrays"):
        np.median(x)
    with pytest.raises(TypeError, match=r"numpy\.linalg\.svd does not take"):
        np.linalg.svd(x)
    with pytest.raises(TypeError, match=r"numpy\.add\.at does not take"):
        np.add.at(x, 0, 1)
    with pytest.raises(TypeError, match=r"numpy\.sum .*with out="):
        np.sum(x, out=np.zeros(()))
    with pytest.raises(TypeError, match=r"x\.local"):
        list(x)
    with pytest.raises(ValueError, match="stacks"):
        qn.ones((2, 3, 3)) @ qn.ones((3, 3, 3))
    with pytest.raises(ValueError, match="where needs an initial value"):
        qn.max(x, where=x > 0)
    with pytest.raises(TypeError, match="distributed array"):
        qn.sum(np.ones(3))
    with pytest.raises(ValueError, match="process grid"):
        qn.zeros(3, layout=(2, 2))
    with pytest.raises(TypeError, match="layout"):
        qn.zeros(3, layout=2.5)
    with pytest.raises(TypeError, match="comm"):
        qn.init("world")


@pytest.mark.parametrize("index", [[0, 5], [-6, 0]])
def test_an_index_of_one_rank_out_of_bounds_is_an_error_of_all(index):
    def program():
        x, y = qn.arange(5), qn.zeros((5, 3))
        places = qn.from_local(np.array(index if qn.rank() == 1 else [0, 1]))
        for attempt in (
            lambda: x[places],
            lambda: y[places],
            lambda: qn.put(x, places, 1),
            lambda: qn.take(y, places, 0),
        ):
            with pytest.raises(IndexError, match="rank 1 is out of bounds"):
                attempt()
        with pytest.raises(IndexError, match="out of bounds"):
            y[:, [0, 3]]
        return float(y.sum())

    assert qn.on_threads(3, program) == [0.0] * 3


def test_an_element_of_one_rank_is_not_read_by_all():
    def program():
        x = qn.ones(1, layout=qn.owned(1))
        with pytest.raises(ValueError, match="one rank only"):
            float(x)
        return float(x.redistribute("replicated"))

    assert qn.on_threads(2, program) == [1.0, 1.0]


def test_errors_of_one_rank_on_bad_arguments_are_those_of_numpy():
    x = qn.zeros((3, 4))
    with pytest.raises(IndexError, match="out of bounds"):
        x[3]
    with pytest.raises(IndexError, match="too many indices"):
        x[0, 0, 0]
    with pytest.raises(ValueError, match="broadcast"):
        x + qn.zeros(3)
    with pytest.raises(ValueError, match="shape"):
        x[0] = qn.zeros(3)
    with pytest.raises(ValueError, match="reshape"):
        qn.reshape(x, (5, 5))
    with pytest.raises(np.exceptions.AxisError):
        qn.sum(x, axis=2)
