# SPDX-License-Identifier: MIT
"""Reproducible sums have the same bits on any number of ranks and in any layout, and are rounded once."""

import math
import random
from fractions import Fraction

import numpy as np
import programs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quern
import quern.dist as qn

DTYPES = ["float32", "float64", "complex64", "complex128"]


@pytest.fixture(autouse=True)
def on_host():
    with quern.device("host"):
        yield


def numbers(rng, shape, dtype):
    """Numbers of many sizes and both signs, whose sums depend on the order."""
    count = int(np.prod(shape, dtype=np.int64))
    most = 30 if dtype in ("float32", "complex64") else 200

    def one():
        return np.ldexp(rng.uniform(-1, 1), rng.randint(-most, most))

    real = np.array([one() for _ in range(count)])
    if dtype.startswith("complex"):
        return (real + 1j * np.array([one() for _ in range(count)])).astype(dtype).reshape(shape)
    return real.astype(dtype).reshape(shape)


def results(a, b, axis, layout):
    x, y = (qn.asarray(one, layout=layout()) for one in (a, b))
    return [
        one.get()
        for one in (
            qn.sum(x, axis=axis, reproducible=True),
            qn.sum(x, reproducible=True),
            qn.mean(x, axis=axis, reproducible=True),
            qn.var(x, axis=axis, reproducible=True),
            qn.std(x, correction=1, keepdims=True, reproducible=True),
            qn.dot(qn.reshape(x, (a.size,)), qn.reshape(y, (a.size,)), reproducible=True),
            qn.linalg.vector_norm(x, reproducible=True),
            qn.vecdot(x, y, reproducible=True),
            *([] if a.ndim < 2 else matrix_results(x)),
        )
    ]


def matrix_results(x):
    orders = ["fro"] if x.dtype.kind == "c" else ["fro", 1, np.inf]
    return [
        qn.linalg.trace(x, reproducible=True),
        *(qn.linalg.matrix_norm(x, ord=order, reproducible=True) for order in orders if x.size),
    ]


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32 - 1), ranks=st.integers(2, 7), dtype=st.sampled_from(DTYPES))
def test_bits_do_not_depend_on_ranks_and_layouts(seed, ranks, dtype):
    with quern.device("host"):
        rng = random.Random(seed)
        shape = programs.shape_of(rng, longest=12)
        a, b = numbers(rng, shape, dtype), numbers(rng, shape, dtype)
        axis = rng.choice([None, *range(len(shape))])

        def program():
            own = random.Random(seed + 1)
            return results(a, b, axis, lambda: programs.layout_of(own, qn.size(), shape))

        expected = results(a, b, axis, lambda: None)
        for got in qn.on_threads(ranks, program, timeout=60):
            for one, other in zip(got, expected, strict=True):
                assert one.dtype == other.dtype
                assert one.shape == other.shape
                assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize("seed", range(20))
def test_sums_are_those_of_fsum(seed):
    rng = random.Random(seed)
    a = numbers(rng, (rng.randint(1, 300),), "float64")
    if seed % 3 == 0:
        a = np.concatenate([a, -a, [rng.uniform(-1, 1)], [5e-324, -(2.0**-1050)]])
    rng.shuffle(a)
    for got in qn.on_threads(3, lambda: float(qn.asarray(a).sum(reproducible=True))):
        assert got == math.fsum(a)
    long = np.tile(a, 20)  # enough for several sums at a time
    for got in qn.on_threads(2, lambda: float(qn.asarray(long).sum(reproducible=True))):
        assert got == math.fsum(long)
    small = numbers(rng, (100,), "float32")
    assert float(qn.asarray(small).sum(reproducible=True)) == np.float32(math.fsum(small.astype("float64")))


@pytest.mark.parametrize(
    "values",
    [
        [1e308, 1e308, -1e308],
        [1e308, 1e308],
        [-1e308, -1e308],
        [np.inf, 1.0],
        [np.inf, -np.inf],
        [np.nan, 1.0],
        [5e-324, 5e-324],
        [1.0, 2.0**-53],
        [1.0, 2.0**-53, 2.0**-1074],
        [1.0 + 2.0**-52, 2.0**-53],
        [-1.0, -(2.0**-53), -(2.0**-1074)],
        [],
    ],
)
def test_special_sums(values):
    a = np.array(values)
    got = float(qn.asarray(a).sum(reproducible=True))
    if a.size and np.isfinite(a).all():
        try:
            expected = float(sum(map(Fraction, values)))
        except OverflowError:
            expected = math.copysign(math.inf, values[0])
    else:
        expected = float(np.sum(a)) if not {np.inf, -np.inf} <= set(values) else math.nan
    np.testing.assert_equal(got, expected)


def test_other_dtypes():
    half = np.array([0.1, 0.2, 0.3], dtype="float16")
    got = qn.asarray(half).sum(reproducible=True)
    assert got.dtype == np.float16
    assert float(got) == np.float16(math.fsum(half.astype("float64")))
    assert int(qn.arange(5).sum(reproducible=True)) == 10
    assert float(qn.arange(5).sum(dtype="float64", reproducible=True)) == 10.0
    mask = np.array([True, False, True, True, False])
    assert float(qn.arange(5.0).sum(where=mask, initial=0.5, reproducible=True)) == 5.5
    with pytest.raises(ValueError, match="vectors"):
        qn.dot(qn.eye(2), qn.eye(2), reproducible=True)


@pytest.mark.parametrize("dtype", DTYPES)
def test_variances_are_those_of_numpy(dtype):
    rng = random.Random(3)
    a = numbers(rng, (5, 40), dtype)

    def program():
        x = qn.asarray(a)
        for axis in (None, 0, 1):
            for correction in (0, 1):
                got = qn.var(x, axis=axis, correction=correction, reproducible=True)
                expected = np.var(a, axis=axis, ddof=correction)
                assert got.dtype == expected.dtype
                np.testing.assert_allclose(
                    got.get(), expected, rtol=1e-4 if expected.itemsize == 4 else 1e-12
                )
                np.testing.assert_allclose(
                    qn.std(x, axis=axis, correction=correction, reproducible=True).get(),
                    np.sqrt(expected),
                    rtol=1e-4 if expected.itemsize == 4 else 1e-12,
                )

    qn.on_threads(3, program)
