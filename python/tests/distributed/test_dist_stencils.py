# SPDX-License-Identifier: MIT
"""Slices that are shifted along split axes: values, arrays that keep old elements, messages."""

import random

import numpy as np
import programs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quern
import quern.dist as qn


@pytest.fixture(autouse=True)
def on_device(device):
    with quern.device(device):
        yield


def stencils(seed):
    """Random shifted slices of one array, held while it is written by slices, in place and through its block."""
    rng = random.Random(seed)
    shape = tuple(rng.randint(6, 40) for _ in range(rng.randint(1, 3)))
    layout = rng.choice([None, programs.grid_of(rng, qn.size(), len(shape)), (qn.size(),)])
    a = programs.values_of(rng, shape, "float64")
    x = qn.asarray(a, layout=layout)
    x = rng.choice([lambda: x, x.copy, lambda: qn.zeros_like(x) + x])()
    if rng.random() < 0.5:
        y = qn.zeros(shape, layout=layout)
        y[...] = x
        x = y
    held = []
    for _ in range(12):
        width = rng.choice([2, 2, 2, 4, 6])
        if min(shape) <= width:
            continue
        starts = [rng.randint(0, width) for _ in shape]
        index = tuple(slice(one, length - width + one) for one, length in zip(starts, shape, strict=True))
        if rng.random() < 0.2:
            index = (index[0], *[rng.choice([slice(None), 1]) for _ in shape[1:]])
        held.append((x[index], a[index].copy()))
        kind = rng.randint(0, 6)
        middle = tuple(slice(1, -1) for _ in shape)
        if kind == 0:
            x[middle] = 0.5 * (
                x[tuple(slice(2, None) for _ in shape)] + x[tuple(slice(None, -2) for _ in shape)]
            )
            a[middle] = 0.5 * (
                a[tuple(slice(2, None) for _ in shape)] + a[tuple(slice(None, -2) for _ in shape)]
            )
        elif kind == 1:
            x += 1
            a += 1
        elif kind == 2:
            x.local[...] = x.local * 2
            a *= 2
        elif kind == 3 and len(held) > 1:
            (p, b), (q, c) = rng.sample(held, 2)
            if b.shape == c.shape:
                held.append((p + q, b + c))
        elif kind == 4:
            del held[rng.randrange(len(held))]
        elif kind == 5:
            x[0] = 7
            a[0] = 7
    for got, expected in held:
        programs.same(got, expected)
    programs.same(x, a)


@settings(max_examples=80, deadline=None)
@given(ranks=st.integers(1, 6), seed=st.integers(0, 2**31))
def test_shifted_slices_are_copies_on_the_host(ranks, seed):
    with quern.device("host"):
        qn.on_threads(ranks, stencils, seed, timeout=60)


@pytest.mark.parametrize("ranks", [2, 3])
def test_shifted_slices_are_copies(ranks):
    for seed in range(3):
        qn.on_threads(ranks, stencils, seed, timeout=120)


@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
def test_a_sweep_sends_one_row_to_each_neighbour(ranks):
    def program():
        u = qn.zeros((40, 30), layout=(ranks, 1))
        u[0] = 100.0
        counts = []
        for _ in range(5):
            before = qn._ranks.current().sent
            u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
            after = qn._ranks.current().sent
            counts.append((after[0] - before[0], after[1] - before[1]))
        neighbours = (qn.rank() > 0) + (qn.rank() < ranks - 1)
        assert counts == [(neighbours, 28 * 8 * neighbours)] * 5
        return u.get()

    v = np.zeros((40, 30))
    v[0] = 100.0
    for _ in range(5):
        v[1:-1, 1:-1] = 0.25 * (v[:-2, 1:-1] + v[2:, 1:-1] + v[1:-1, :-2] + v[1:-1, 2:])
    for got in qn.on_threads(ranks, program, timeout=60):
        np.testing.assert_array_equal(got, v)


@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
def test_fields_are_exchanged_in_one_message_for_each_neighbour(ranks):
    whole = np.arange(40.0).reshape(20, 2)

    def program():
        fields = [
            qn.HaloArray((20, 2), [width, 0], dtype, layout=(ranks, 1))
            for width, dtype in ((1, "float64"), (2, "float32"), (1, "int16"))
        ]
        (rows,), _ = fields[0].layout.intervals(qn.rank())
        for one in fields:
            one.interior[...] = whole[slice(*rows)].astype(one.dtype)
        before = qn._ranks.current().sent
        under_way = qn.exchange_begin(*fields)
        with pytest.raises(ValueError, match="has begun"):
            fields[1].exchange()
        under_way.finish()
        after = qn._ranks.current().sent
        neighbours = (qn.rank() > 0) + (qn.rank() < ranks - 1)
        cells = 2 * (1 * 8 + 2 * 4 + 1 * 2)
        assert (after[0] - before[0], after[1] - before[1]) == (neighbours, neighbours * cells)
        return [(one.local.get(), rows) for one in fields]

    for blocks in qn.on_threads(ranks, program, timeout=60):
        for (block, (start, stop)), width in zip(blocks, (1, 2, 1), strict=True):
            padded = np.pad(whole, ((width, width), (0, 0)))
            np.testing.assert_array_equal(block, padded[start : stop + 2 * width])


def test_exchanges_of_several_fields_run_on_the_current_queue():
    def program():
        u, v = (qn.HaloArray(400_000, 100_000) for _ in range(2))
        u.interior[...] = v.interior[...] = 1.0
        quern.synchronize()
        with quern.Queue(quern.device(), name=f"rank {qn.rank()}"):
            qn.exchange_begin(u, v).finish()
        return u.local.get().sum(), v.local.get().sum()

    with quern.profile() as profile:
        assert qn.on_threads(2, program, timeout=60) == [(300_000.0, 300_000.0)] * 2
    names = {record.queue_name for record in profile.records}
    assert {"rank 0", "rank 1"} <= names


def test_only_halo_arrays_are_exchanged():
    with pytest.raises(TypeError, match="expected arrays of class HaloArray, got Array"):
        qn.exchange(qn.ones(3))
    with pytest.raises(ValueError, match="no arrays"):
        qn.exchange()


def test_a_sweep_copies_no_block():
    """The kernel of the expression reads the rows of neighbours beside the block."""

    def program():
        def sweep():
            u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])

        u = qn.zeros((400, 300), layout=(qn.size(), 1))
        sweep()
        quern.current_queue().finish()  # of this rank
        qn.barrier()
        with quern.profile() as profile:
            qn.barrier()
            sweep()
            quern.current_queue().finish()  # of this rank
            qn.barrier()
        return [record.name for record in profile.records if record.kind == "kernel"]

    # The profile has the kernels of all ranks of the process. A slice that is computed for itself is an "astype".
    for names in qn.on_threads(3, program, timeout=60):
        assert names
        assert "astype" not in names


def test_the_block_is_contiguous_and_has_the_memory_of_the_array():
    def program():
        x = qn.zeros((9, 4), layout=(qn.size(), 1))
        local = x.local
        x[1:-1] = x[2:] + x[:-2] + 1
        local += 1
        return x.get()

    expected = np.ones((9, 4))
    expected[1:-1] = 2
    for got in qn.on_threads(3, program, timeout=60):
        np.testing.assert_array_equal(got, expected)
