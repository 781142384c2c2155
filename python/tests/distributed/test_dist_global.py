# SPDX-License-Identifier: MIT
"""Global arrays, counters and locks: one-sided work of several ranks against NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quern
import quern.dist as qn


@pytest.fixture(autouse=True)
def on_host():
    with quern.device("host"):
        yield


@st.composite
def one_sided_programs(draw):
    shape = tuple(draw(st.lists(st.integers(1, 7), min_size=1, max_size=3)))
    ranks = draw(st.integers(1, 5))

    def patch():
        index = []
        for length in shape:
            a, b = draw(st.integers(0, length)), draw(st.integers(0, length))
            index.append(
                draw(st.sampled_from([slice(min(a, b), max(a, b)), slice(None), length - 1, -length]))
            )
        return tuple(index)

    kinds = st.sampled_from(["put", "accumulate", "get"])
    steps = [
        (draw(st.integers(0, ranks - 1)), draw(kinds), patch(), draw(st.integers(-9, 9)))
        for _ in range(draw(st.integers(1, 6)))
    ]
    return ranks, shape, draw(st.sampled_from(["int32", "float64", "complex64"])), steps


@given(one_sided_programs())
def test_any_rank_reads_writes_and_adds_anywhere(drawn):
    ranks, shape, dtype, steps = drawn

    def program():
        a, expected = qn.GlobalArray(shape, dtype), np.zeros(shape, dtype)
        for rank, kind, patch, value in steps:
            values = np.arange(expected[patch].size).reshape(expected[patch].shape) + value
            if qn.rank() == rank:
                if kind == "put":
                    a[patch] = values
                elif kind == "accumulate":
                    a.accumulate(patch, values, scale=2)
                else:
                    np.testing.assert_array_equal(a.get(patch), expected[patch], strict=True)
            if kind == "put":
                expected[patch] = values
            elif kind == "accumulate":
                expected[patch] += (2 * values).astype(dtype)
            a.sync()
        np.testing.assert_array_equal(a.get(), expected, strict=True)
        np.testing.assert_array_equal(a.local.get(), expected[a.distribution()])
        for rank, part in a.locate_region(...):
            inside = tuple(one.start for one in part)
            assert a.locate(inside) == rank
        a.sync()

    qn.on_threads(ranks, program)


def test_what_all_ranks_add_at_once_adds_up():
    def program():
        a = qn.GlobalArray((30, 1000))
        for _ in range(10):
            a.accumulate(..., qn.rank() + 1.0)
            a.scatter_accumulate([[29, 999], [29, 999]], [1, 1])
        a.sync()
        return a.get()

    expected = np.full((30, 1000), 10.0 * (1 + 2 + 3 + 4))
    expected[29, 999] += 80
    for got in qn.on_threads(4, program):
        np.testing.assert_array_equal(got, expected)


def test_single_elements():
    def program():
        a = qn.GlobalArray((5, 4), "int64", layout=(1, 3))
        if qn.rank() == 1:
            a.scatter([[4, 3], [-1, 0], [0, 1]], [1, 2, 3])
        a.sync()
        before = a.read_inc((2, 2), 3)
        a.sync()
        return before, a.gather([[4, 3], [4, 0], [0, 1], [2, 2]]).tolist(), a[2, 2]

    results = qn.on_threads(3, program)
    assert sorted(before for before, _, _ in results) == [0, 3, 6]
    assert all(found == [1, 2, 3, 9] and one == 9 for _, found, one in results)


def test_work_on_the_local_block_is_seen_by_others():
    def program():
        a = qn.GlobalArray(12, ghosts=(1,), periodic=True)
        a.local[...] = qn.rank()
        a.update_ghosts()
        return a.get(), a.local_with_ghosts.get()

    results = qn.on_threads(3, program)
    whole = np.repeat([0.0, 1.0, 2.0], 4)
    for rank, (got, padded) in enumerate(results):
        np.testing.assert_array_equal(got, whole)
        np.testing.assert_array_equal(padded, np.take(whole, range(4 * rank - 1, 4 * rank + 5), mode="wrap"))


def test_a_counter_gives_each_number_once_and_locks_exclude():
    def program():
        counter, locks, a = qn.Counter(), qn.Locks(2), qn.GlobalArray(1)
        mine = [counter.next() for _ in range(100)]
        for _ in range(20):
            with locks.holding(1):
                a[0] = a[0] + 1
        a.sync()
        total = a[0]
        counter.reset(5)
        return mine, total, counter.next(0)

    results = qn.on_threads(4, program)
    assert sorted(number for mine, _, _ in results for number in mine) == list(range(400))
    assert all(total == 80 and reset == 5 for _, total, reset in results)


def test_a_product_balanced_by_a_counter():
    rng = np.random.default_rng(1)
    x, y = rng.standard_normal((40, 30)), rng.standard_normal((30, 20))

    def program():
        a, b, c = (qn.GlobalArray(s) for s in ((40, 30), (30, 20), (40, 20)))
        a.put(a.distribution(), x[a.distribution()])
        b.put(b.distribution(), y[b.distribution()])
        a.sync()
        counter = qn.Counter()
        while (task := counter.next()) < 12:
            i, k = divmod(task, 3)
            rows, middle = slice(10 * i, 10 * i + 10), slice(10 * k, 10 * k + 10)
            c.accumulate(rows, a[rows, middle] @ b[middle])
        c.sync()
        return c.get()

    for got in qn.on_threads(3, program):
        np.testing.assert_allclose(got, x @ y)


def test_bad_arguments_are_errors_that_name_them():
    a = qn.GlobalArray((4, 4), "int32")
    for patch, error in (
        (slice(0, 4, 2), IndexError),
        ((0, 0, 0), IndexError),
        (4, IndexError),
        ("x", TypeError),
    ):
        with pytest.raises(error):
            a.get(patch)
    with pytest.raises(TypeError, match="cannot cast float64 to int32"):
        a.put(..., 1.5)
    with pytest.raises(ValueError, match="broadcast"):
        a.put(slice(0, 2), np.ones(3, "int32"))
    with pytest.raises(TypeError, match="scale"):
        a.accumulate(..., 1, scale=0.5)
    with pytest.raises(TypeError, match="read_inc"):
        qn.GlobalArray(3).read_inc(0)
    with pytest.raises(IndexError, match="outside axis 0"):
        a.gather([[4, 0]])
    with pytest.raises(ValueError, match="does not have lock"):
        qn.Locks().unlock()
    with pytest.raises(IndexError, match="lock 3"):
        qn.Locks(2).lock(3)
    with pytest.raises(qn.DistributedError, match="shared memory"):
        qn.GlobalArray(1 << 50)
    for indices in ([[0, 1, 1]], [0, 1], [[[0, 1]]]):
        with pytest.raises(ValueError, match="one row of 2 integers"):
            a.gather(indices)
    with pytest.raises(TypeError, match="2 integers"):
        a.read_inc((slice(0, 2), 1))
    with pytest.raises(OverflowError):
        qn.GlobalArray(3, "int8")[0] = 300
    with pytest.raises(ValueError, match="exact"):
        a.accumulate(..., 1, scale=2**53 + 1)
    with pytest.raises(ValueError, match="periodic: 1 values"):
        qn.GlobalArray((3, 3), ghosts=1, periodic=(True,))
    with pytest.raises(ValueError, match="too many"):
        qn.Locks(1 << 58)
    assert a.gather([]).shape == (0,)
    np.testing.assert_array_equal(a.get(), np.zeros((4, 4), "int32"))


def test_python_numbers_take_the_dtype():
    a = qn.GlobalArray(3, "uint8")
    a[0] = 5
    a[1:] = [6, 7]
    a.accumulate(..., [1, 2, 3])
    assert a.get().tolist() == [6, 8, 10]


def test_ranks_that_disagree_about_ghost_cells_are_named():
    def program():
        with pytest.raises(qn.DistributedError, match="GlobalArray"):
            qn.GlobalArray(8, ghosts=qn.rank())
        return True

    assert qn.on_threads(2, program, timeout=20) == [True, True]


def test_a_rank_that_fails_with_a_lock_is_named():
    def program():
        locks, a = qn.Locks(), qn.GlobalArray(1, "int32")
        if qn.rank() == 0:
            locks.lock()
            a[0] = 1
            raise ValueError("no mesh")
        while not a[0]:
            pass
        locks.lock()

    with pytest.raises((ValueError, qn.DistributedError), match="no mesh"):
        qn.on_threads(2, program, timeout=60)


def test_operations_that_have_begun_are_those_that_wait():
    def program():
        a, b = qn.GlobalArray((6, 4), "int64"), qn.GlobalArray((6, 4), "int64")
        patch = (slice(1, 5), 2)
        values = np.arange(4)
        if qn.rank() == 0:
            handle = a.iput(patch, values)
            b.put(patch, values)
            values[:] = -1  # the handle does not read them any more
            assert handle.wait() is None
            assert handle.done
        a.sync()
        b.sync()
        handles = [a.iaccumulate(patch, [1, 2, 3, 4], scale=2) for _ in range(3)]
        for _ in range(3):
            b.accumulate(patch, [1, 2, 3, 4], scale=2)
        for handle in handles:
            handle.wait()
            assert handle.test()
        a.sync()
        b.sync()
        got = a.iget(patch)
        np.testing.assert_array_equal(got.wait(), np.arange(4) + 6 * qn.size() * np.arange(1, 5), strict=True)
        np.testing.assert_array_equal(a.iget().wait(), b.get(), strict=True)
        with pytest.raises(IndexError):
            a.iget((slice(0, 2), 9))
        qn.barrier()

    qn.on_threads(3, program)


def test_operations_with_handles_work_before_they_return_and_say_so():
    a = qn.GlobalArray(4, "int64")
    handle = a.iput(slice(0, 2), [5, 6])
    assert a.get().tolist() == [5, 6, 0, 0]  # before its wait()
    read = a.iget()
    a.put(..., 9)
    assert read.wait().tolist() == [5, 6, 0, 0]
    added = a.iaccumulate(0, 1)
    assert a[0] == 10
    assert handle.wait() is added.wait() is None
    for name in ("iget", "iput", "iaccumulate"):
        assert "before it returns" in getattr(qn.GlobalArray, name).__doc__
