# SPDX-License-Identifier: MIT
"""Layouts, blocks, messages, files and ghost cells of distributed arrays."""

import errno
import os
import threading
import time
import types

import numpy as np
import pytest

import quern
import quern.dist as qn
from quern._core import Communicator
from quern.dist import _ranks


@pytest.fixture(autouse=True)
def on_host():
    with quern.device("host"):
        yield


def test_one_process_is_one_rank():
    assert qn.size() == 1
    assert qn.rank() == 0
    x = qn.arange(10.0)
    assert float(((2 * x) ** 2).sum()) == np.sum((2 * np.arange(10.0)) ** 2)
    assert isinstance(x.local, quern.Array)


def test_local_is_the_block_without_a_copy():
    def program():
        x = qn.zeros((4, 6), layout=(2, 2))
        assert x.local.shape == (2, 3)
        x.local[...] = qn.rank()
        rows, columns = x.owned
        assert rows == ((2 * (qn.rank() // 2), 2 * (qn.rank() // 2) + 2),)
        assert columns == ((3 * (qn.rank() % 2), 3 * (qn.rank() % 2) + 3),)
        return x.get(), [[x.owner((i, j)) for j in range(6)] for i in range(4)]

    for whole, owners in qn.on_threads(4, program):
        np.testing.assert_array_equal(whole, owners)


def test_layouts_are_described():
    def program():
        return [
            str(qn.zeros((6, 4), layout=layout).layout)
            for layout in ((2, 2), (4,), "replicated", qn.owned(3), qn.cyclic(2, (2, 2)))
        ]

    assert qn.on_threads(4, program)[0] == [
        "block(2, 2)",
        "block(4, whole)",
        "replicated",
        "owned by rank 3",
        "block(2 cyclic by 2, 2 cyclic by 2)",
    ]


def test_gather_gives_one_rank_or_all_the_elements():
    def program():
        x = qn.arange(7)
        return x.gather(1), x.gather().get()

    results = qn.on_threads(3, program)
    assert [one is not None for one, _ in results] == [False, True, False]
    np.testing.assert_array_equal(results[1][0].get(), np.arange(7))
    for _, whole in results:
        np.testing.assert_array_equal(whole, np.arange(7))


def test_what_reads_no_other_block_sends_nothing():
    def program():
        x = qn.arange(12.0)
        total = x.sum()
        before = x.comm.sent
        repr(x), str(x.layout), x.shape, x.owner(3), x.owned, float(total), repr(total)
        y = 2 * x + qn.ones(12)
        y += 1
        z = qn.where(y > 3, y, 0)[2:-2:2].T
        z.local.get()
        qn.zeros_like(x)
        return x.comm.sent == before

    assert qn.on_threads(4, program) == [True] * 4


def test_shifted_slices_exchange_the_elements_at_the_edges_of_blocks():
    """A sweep of Jacobi's method on 2 x 2 blocks: each rank has two neighbours, one row or column each."""
    shape, sweeps = (20, 30), 3

    def program():
        x = qn.asarray(start, layout=(2, 2))
        before = np.array(x.comm.sent)
        for _ in range(sweeps):
            x[1:-1, 1:-1] = 0.25 * (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:])
        return x.get(), np.array(x.comm.sent) - before, x.layout

    start = np.random.default_rng(1).random(shape)
    expected = start.copy()
    for _ in range(sweeps):
        expected[1:-1, 1:-1] = 0.25 * (
            expected[:-2, 1:-1] + expected[2:, 1:-1] + expected[1:-1, :-2] + expected[1:-1, 2:]
        )
    gathered = 3  # messages of get()
    for rank, (whole, (messages, nbytes), layout) in enumerate(qn.on_threads(4, program)):
        np.testing.assert_array_equal(whole, expected)
        rows, columns = (stop - start for ((start, stop),) in layout.intervals(rank))
        assert messages == 2 * sweeps + gathered
        assert nbytes == 8 * (sweeps * (rows - 1 + columns - 1) + gathered * rows * columns)


def test_sums_have_the_same_bits_on_all_ranks():
    numbers = np.random.default_rng(2).standard_normal(1001)

    def program():
        return float(qn.asarray(numbers).sum())

    for ranks in (2, 5, 8):
        assert len(set(qn.on_threads(ranks, program))) == 1


def test_random_numbers_do_not_depend_on_the_ranks():
    def program():
        rng = qn.default_rng(5)
        return rng.standard_normal((7, 9)).get(), rng.random(11).get()

    (first, second), *_ = qn.on_threads(1, program)
    for ranks in (2, 3, 7):
        for normal, uniform in qn.on_threads(ranks, program):
            np.testing.assert_array_equal(normal, first)
            np.testing.assert_array_equal(uniform, second)


def test_a_generator_without_seed_is_the_same_on_all_ranks():
    first, *others = qn.on_threads(3, lambda: qn.default_rng().random(5).get())
    for other in others:
        np.testing.assert_array_equal(other, first)


@pytest.mark.parametrize("layout", [None, (4,), "replicated", qn.cyclic(2, (2, 2)), qn.owned(2)])
@pytest.mark.parametrize("shape", [(9, 5), (0, 3), (4, 1)])
def test_saved_files_are_numpys_and_load_in_any_layout(layout, shape, tmp_path):
    whole = np.arange(int(np.prod(shape))).reshape(shape)
    qn.on_threads(4, lambda: qn.save(tmp_path / "x", qn.asarray(whole, layout=layout)))
    np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), whole)
    for ranks in (1, 3):
        for loaded in qn.on_threads(ranks, lambda: qn.load(tmp_path / "x.npy").get()):
            np.testing.assert_array_equal(loaded, whole)
    assert os.listdir(tmp_path) == ["x.npy"]


@pytest.mark.parametrize("call", ["replace", "fsync", "posix_fallocate"])
@pytest.mark.parametrize("failing", [0, 1])
def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path, monkeypatch, call, failing):
    if failing != 0 and call != "fsync":
        pytest.skip("rank 0 alone makes this call")
    np.save(tmp_path / "x.npy", np.arange(3))
    plain = getattr(os, call)

    def fail_on_one(*arguments):
        if qn.rank() == failing:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return plain(*arguments)

    monkeypatch.setattr(os, call, fail_on_one)
    errors = []

    def program():
        try:
            qn.save(tmp_path / "x.npy", qn.ones(8))
        except Exception as error:
            errors.append(error)

    qn.on_threads(3, program, timeout=20)
    assert len(errors) == 3
    assert len({str(error) for error in errors}) == 1
    for error in errors:
        assert isinstance(error, qn.DistributedError)
        assert isinstance(error, OSError)
        assert error.ranks == (failing,)
        assert f"rank {failing} failed: OSError: [Errno 28]" in str(error)
    assert os.listdir(tmp_path) == ["x.npy"]
    np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), np.arange(3))


def test_a_file_that_is_not_there_is_an_error_of_all_ranks(tmp_path):
    def program():
        with pytest.raises(OSError, match="absent"):
            qn.load(tmp_path / "absent.npy")

    qn.on_threads(3, program)


def test_0d_arrays_of_one_rank_get_other_shapes():
    def program():
        x = qn.asarray(3.0, layout=qn.owned(1))
        y = qn.zeros((2, 3))
        y[0] = x
        return [
            one.get()
            for one in (
                qn.expand_dims(x, 0),
                qn.reshape(x, (1, 1)),
                qn.squeeze(qn.expand_dims(x, 0)),
                x[None],
                y,
            )
        ]

    for got in qn.on_threads(3, program):
        expected = [
            np.array([3.0]),
            np.array([[3.0]]),
            np.array(3.0),
            np.array([3.0]),
            np.array([[3.0] * 3, [0.0] * 3]),
        ]
        for one, other in zip(got, expected, strict=True):
            np.testing.assert_array_equal(one, other, strict=True)


def test_a_global_array_of_no_axes_is_owned_by_rank_0():
    def program():
        a = qn.GlobalArray((), "int64")
        a.accumulate((), qn.rank() + 1)
        a.sync()
        return int(a.get(())), a.locate(())

    assert qn.on_threads(3, program) == [(6, 0)] * 3


@pytest.mark.parametrize(
    ("one", "other", "text"),
    [
        (np.zeros((2, 3)), np.zeros((5, 4)), r"rank 1 has shape \(5, 4\).* expected is shape \(n, 3\)"),
        (np.zeros(2), np.zeros(2, "float32"), "rank 1 .*dtype float32, .* dtype float64, as rank 0 has"),
        (np.zeros(2), np.zeros(()), r"rank 1 has shape \(\)"),
    ],
    ids=["shapes", "dtypes", "axes"],
)
def test_blocks_that_do_not_fit_are_an_error_of_all_ranks(one, other, text):
    def program():
        with pytest.raises(ValueError, match=text):
            qn.from_local(other if qn.rank() == 1 else one)
        with pytest.raises(ValueError, match="rank 1"):
            qn.from_local(
                other if qn.rank() == 1 else one, qn.Layout.block([3], (3 * len(one), *one.shape[1:]))
            )

    qn.on_threads(3, program)


@pytest.mark.parametrize("ranks", [1, 2, 4, 6])
@pytest.mark.parametrize("periodic", [False, True, (True, False)])
def test_ghost_cells_hold_the_neighbours_elements(ranks, periodic):
    shape, widths = (7, 8), ((1, 2), (2, 0))
    whole = np.arange(1.0, 57.0).reshape(shape)

    def program():
        u = qn.HaloArray(shape, widths, periodic=periodic)
        u.array[...] = qn.asarray(whole)
        u.exchange_begin()
        u.exchange_end()
        ends = (periodic, periodic) if isinstance(periodic, bool) else periodic
        padded = whole
        for axis, (wide, end) in enumerate(zip(widths, ends, strict=True)):
            pairs = [(0, 0), (0, 0)]
            pairs[axis] = wide
            padded = np.pad(padded, pairs, mode="wrap" if end else "constant")
        ((top, bottom),), ((left, right),) = u.layout.intervals(qn.rank())
        expected = padded[top : bottom + sum(widths[0]), left : right + sum(widths[1])]
        np.testing.assert_array_equal(u.local.get(), expected)
        np.testing.assert_array_equal(u.interior.get(), whole[top:bottom, left:right])

    qn.on_threads(ranks, program)


def test_jacobi_with_ghost_cells_is_that_of_one_array():
    shape, sweeps = (12, 15), 20

    def program():
        u = qn.HaloArray(shape, 1, corners=False)
        (rows,), (columns,) = u.layout.intervals(qn.rank())
        if rows[0] == 0:
            u.local[0] = 100.0
        if columns[0] == 0:
            u.local[:, 0] = 75.0
        for _ in range(sweeps):
            u.exchange()
            v = u.local
            u.interior[...] = 0.25 * (v[:-2, 1:-1] + v[2:, 1:-1] + v[1:-1, :-2] + v[1:-1, 2:])
        return u.array.get()

    v = np.zeros((shape[0] + 2, shape[1] + 2))
    v[0] = 100.0
    v[:, 0] = 75.0
    for _ in range(sweeps):
        v[1:-1, 1:-1] = 0.25 * (v[:-2, 1:-1] + v[2:, 1:-1] + v[1:-1, :-2] + v[1:-1, 2:])
    for whole in qn.on_threads(6, program):
        np.testing.assert_array_equal(whole, v[1:-1, 1:-1])


def test_halo_arrays_refuse_what_has_no_neighbours():
    with pytest.raises(ValueError, match="cyclic"):
        qn.on_threads(2, lambda: qn.HaloArray(8, 1, layout=qn.cyclic(2)))
    with pytest.raises(ValueError, match="widths"):
        qn.HaloArray((3, 3), (1,))
    u = qn.HaloArray(3)
    with pytest.raises(ValueError, match="without exchange_begin"):
        u.exchange_end()


def test_operands_of_numpy_and_quern_are_the_same_on_every_rank():
    a = np.arange(12.0).reshape(3, 4)

    def program():
        x = qn.asarray(a)
        return (x + a).get(), (a * x).get(), (x - quern.asarray(a[0])).get(), np.sin(x).get(), (x @ a.T).get()

    for added, product, difference, sines, matrix in qn.on_threads(3, program):
        np.testing.assert_array_equal(added, a + a)
        np.testing.assert_array_equal(product, a * a)
        np.testing.assert_array_equal(difference, a - a[0])
        np.testing.assert_allclose(sines, np.sin(a), rtol=1e-14, atol=1e-15)
        np.testing.assert_array_equal(matrix, a @ a.T)


def test_elementwise_functions_of_the_registry_are_there():
    functions = quern._core.functions
    missing = [name for name in functions if "." not in name and hasattr(functions[name], "at")]
    assert [name for name in missing if not callable(getattr(qn, name, None))] == []
    assert set(qn.__all__) <= set(dir(qn))
    assert qn.float32 is quern.float32
    x = qn.asarray([5.0, 7.0])
    quotient, rest = qn.divmod(x, 3)
    np.testing.assert_array_equal(quotient.get(), [1, 2])
    np.testing.assert_array_equal(rest.get(), [2, 1])
    out = qn.zeros(2)
    assert qn.add(x, 1, out=out) is out
    np.testing.assert_array_equal(out.get(), [6, 8])


def test_groups_of_ranks_have_arrays_of_their_own():
    def program():
        comm = qn._ranks.current()
        part = comm.split(comm.rank % 2)
        with qn.using(part):
            return qn.size(), float(qn.full(4, float(comm.rank % 2)).sum())

    assert qn.on_threads(5, program) == [(3, 0.0), (2, 4.0), (3, 0.0), (2, 4.0), (3, 0.0)]


@pytest.mark.parametrize("arguments", [(4.0,), (0, 2.5), (0, 5, 0.5), (1.0, 4), (5,), (2, 8, 3)])
def test_arange_has_the_dtype_of_all_its_arguments(arguments):
    np.testing.assert_array_equal(qn.arange(*arguments).get(), np.arange(*arguments), strict=True)


@pytest.mark.parametrize("ranks", [1, 3])
def test_other_layouts_and_gathered_arrays_have_memory_of_their_own(ranks):
    def program():
        x = qn.zeros(6)
        for layout in ("block", "replicated"):
            y = x.redistribute(layout)
            for z in (y.redistribute(layout), y.redistribute("replicated"), y.gather()):
                z += 1
            assert not y.get().any()
        return x.get()

    for got in qn.on_threads(ranks, program):
        np.testing.assert_array_equal(got, np.zeros(6))


@pytest.mark.parametrize(
    ("index", "value", "kind", "match"),
    [
        (np.array([True, False, True]), np.arange(3.0), ValueError, "broadcast_to"),
        (np.array([True, False]), 1.0, IndexError, r"a mask of shape \(2,\)"),
        (np.array([True, False]), np.arange(1.0), IndexError, r"a mask of shape \(2,\)"),
        ((slice(None), np.array([True, False, True])), 1.0, IndexError, r"a mask of shape \(3,\) for axes"),
    ],
)
def test_masks_and_values_that_do_not_fit_are_named_on_all_ranks(index, value, kind, match):
    def program():
        x = qn.zeros((3, 4))
        with pytest.raises(kind, match=match):
            x[index] = value

    qn.on_threads(3, program)


@pytest.mark.parametrize("is_true", [False, True])
def test_a_mask_of_one_number_takes_an_array(is_true):
    def program():
        x, a = qn.arange(4.0), np.arange(4.0)
        x[qn.asarray(np.array(is_true))] = qn.ones((1, 4))
        a[np.array(is_true)] = np.ones((1, 4))
        np.testing.assert_array_equal(x.get(), a, strict=True)

    qn.on_threads(2, program)


def test_parameters_of_distributions_are_numbers():
    with pytest.raises(TypeError, match="parameters must be numbers"):
        qn.default_rng(1).gamma(np.ones(3), size=3)


@pytest.mark.parametrize("ranks", [1, 3])
def test_where_of_a_condition_has_the_indices_of_all_ranks(ranks):
    def program():
        mask = np.arange(15).reshape(5, 3) % 4 == 0
        for one, other in zip(qn.where(qn.asarray(mask)), np.where(mask), strict=True):
            np.testing.assert_array_equal(one.get(), other)

    qn.on_threads(ranks, program)


def test_threads_that_use_the_world_first_at_the_same_time_make_one(monkeypatch):
    made, together = [], threading.Barrier(4)

    def world():
        time.sleep(0.05)  # as MPI_Comm_dup, which waits for other ranks and lets other threads run
        made.append(Communicator.self_only())
        return made[-1]

    monkeypatch.setattr(_ranks, "_world", [])
    monkeypatch.setattr(_ranks, "Communicator", types.SimpleNamespace(world=world))
    found = []

    def use():
        together.wait()
        found.append(_ranks.current())

    threads = [threading.Thread(target=use) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(made) == 1
    assert all(one is made[0] for one in found) and len(found) == 4
