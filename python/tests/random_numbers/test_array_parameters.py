# SPDX-License-Identifier: MIT
"""Distributions whose parameters are arrays: fit, broadcasting and mistakes."""

import numpy as np
import pytest
from goodness import (
    binomial_probabilities,
    chi_square,
    gamma_distribution,
    kolmogorov_smirnov,
    normal_distribution,
    poisson_probabilities,
)

import quern as qn

N = 20_000
REALS = {
    "uniform": (([-3.0, 10.0], [5.0, 10.5]), lambda a, b: lambda x: (x - a) / (b - a)),
    "normal": (([2.0, -100.0], [0.5, 30.0]), lambda a, b: lambda x: normal_distribution((x - a) / b)),
    "lognormal": (
        ([0.5, -1.0], [0.25, 1.0]),
        lambda a, b: lambda x: normal_distribution((np.log(x) - a) / b),
    ),
    "exponential": (([3.0, 0.01],), lambda a: lambda x: -np.expm1(-x / a)),
    "gamma": (([0.5, 2.5], [2.0, 3.0]), lambda a, b: lambda x: gamma_distribution(a)(x / b)),
}


def rng_and_options(device):
    return qn.random.default_rng(11), {"device": device}


def needs_fp64(device):
    if not device.has_fp64:
        pytest.skip("needs float64")


@pytest.mark.parametrize("name", REALS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_real_numbers_fit_the_parameters_of_their_column(device, name, dtype):
    if device.backend == "opencl" and (dtype == np.float64 or name == "lognormal"):
        pytest.skip("new kernels take PoCL long, and the host runs the same text")
    rng, where = rng_and_options(device)
    parameters, distribution = REALS[name]
    drawn = getattr(rng, name)(*parameters, size=(N, 2), dtype=dtype, **where)
    assert drawn.dtype == dtype
    got = drawn.get()
    for column in range(2):
        function = distribution(*(parameter[column] for parameter in parameters))
        assert kolmogorov_smirnov(got[:, column][:4000], function) > 1e-3


def test_counts_fit_the_parameters_of_their_column(device):
    needs_fp64(device)
    rng, where = rng_and_options(device)
    rates = [0.5, 4.0, 60.0]
    drawn = rng.poisson(rates, (N, 3), **where).get()
    for column, rate in enumerate(rates):
        expected = poisson_probabilities(rate, 200)
        assert chi_square(np.bincount(drawn[:, column], minlength=200)[:200], expected) > 1e-3
    trials, p = [10, 60, 300], [0.3, 0.9, 0.25]
    drawn = rng.binomial(trials, p, (N, 3), dtype=np.int32, **where).get()
    assert drawn.dtype == np.int32
    for column in range(3):
        counts = np.bincount(drawn[:, column], minlength=trials[column] + 1)
        assert chi_square(counts, binomial_probabilities(trials[column], p[column])) > 1e-3


@pytest.mark.parametrize("endpoint", [False, True])
def test_integers_are_all_equally_likely(device, endpoint):
    rng, where = rng_and_options(device)
    low, high = np.array([0, -7, 100]), np.array([5, 8, 103])
    drawn = rng.integers(low, high, (N, 3), endpoint=endpoint, **where).get()
    for column in range(3):
        count = high[column] - low[column] + endpoint
        counts = np.bincount(drawn[:, column] - low[column], minlength=count)
        assert len(counts) == count
        assert chi_square(counts, np.full(count, 1 / count)) > 1e-3
    if endpoint:
        wide = rng.integers([0], [2**64 - 1], (N, 1), dtype=np.uint64, endpoint=True, **where).get()
        assert chi_square(np.bincount((wide[:, 0] >> np.uint64(60)).astype(int)), np.full(16, 1 / 16)) > 1e-3


def test_numbers_do_not_depend_on_the_device_or_on_neighbours(device):
    rates = np.linspace(0.1, 5, 1000).astype(np.float32)
    drawn = [
        qn.random.default_rng(3).exponential(rates, dtype=np.float32, device=target).get()
        for target in (device, qn.device("host"))
    ]
    np.testing.assert_array_equal(*drawn)
    alone = qn.random.default_rng(3).exponential(np.ones(1000), dtype=np.float32, device=device).get()
    np.testing.assert_array_equal(drawn[0], alone * rates)


def test_draws_go_on_where_the_last_one_ended(device):
    first, both = qn.random.default_rng(5), qn.random.default_rng(5)
    scale = np.ones(30, np.float32)
    parts = [first.exponential(scale, dtype=np.float32, device=device).get() for _ in range(2)]
    whole = both.exponential(np.ones(60, np.float32), dtype=np.float32, device=device).get()
    np.testing.assert_array_equal(np.concatenate(parts), whole)
    assert len(set(whole.tolist())) > 50


def test_parameters_broadcast_as_those_of_numpy(device):
    rng = qn.random.default_rng(1)
    peer = np.random.default_rng(1)
    on_device = qn.asarray(np.float32([[0], [10], [20]]), device=device)
    cases = [
        ((np.zeros(4), 1.0), {}),
        ((0.0, np.ones((2, 1, 3))), {}),
        ((np.zeros((3, 1)), np.ones(4)), {}),
        ((np.zeros((3, 1)), np.ones(4)), {"size": (2, 3, 4)}),
        (([1, 2, 3], 1), {"size": (5, 3)}),
        ((np.array(2.0), 1.0), {}),
        ((on_device, 1.0), {}),
        ((on_device, np.ones(2)), {"size": (3, 2)}),
        ((np.zeros((0, 4)), 1.0), {}),
    ]
    for parameters, options in cases:
        got = rng.normal(*parameters, **options, dtype=np.float32, device=device)
        known = [p.get() if isinstance(p, qn.Array) else p for p in parameters]
        assert got.shape == np.shape(peer.normal(*known, **options))
    tight = rng.normal(on_device, np.float32(1e-3), dtype=np.float32)
    assert tight.device == device
    assert np.abs(tight.get() - on_device.get()).max() < 0.1


def test_an_output_is_filled_without_waiting(device):
    out = qn.zeros((2, 50), np.float32, device)
    event = qn.random.default_rng(1).uniform([[0], [100]], [[1], [101]], out=out)
    event.wait()
    assert (np.floor(out.get()) == [[0], [100]]).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda rng: rng.normal([1, 2], [1, 2, 3]), r"normal: .*\(2,\) and \(3,\) do not broadcast together"),
        (lambda rng: rng.normal([1, 2], size=3), r"normal: .*\(2,\) do not broadcast to \(3,\)"),
        (lambda rng: rng.normal([[1], [2]], size=2), r"normal: .*\(2, 1\) do not broadcast to \(2,\)"),
        (lambda rng: rng.normal(0, [1, -1]), "normal: expected scale >= 0 and finite everywhere"),
        (lambda rng: rng.normal([np.nan], 1), "normal: expected loc finite everywhere"),
        (lambda rng: rng.uniform([0, 2], [1, 1]), "uniform: expected low to be below high"),
        (lambda rng: rng.exponential([np.inf]), "exponential: expected scale"),
        (lambda rng: rng.gamma([-1]), "gamma: expected shape"),
        (lambda rng: rng.poisson([1, -1]), "poisson: expected lam"),
        (lambda rng: rng.binomial([5], [1.5]), "binomial: expected p from 0 to 1"),
        (lambda rng: rng.binomial([-5], 0.5), "binomial: expected n >= 0"),
        (lambda rng: rng.binomial([5.5], 0.5), "binomial: expected n to hold integers, got float64"),
        (lambda rng: rng.integers([5], [5]), "integers: expected low to be below high"),
        (lambda rng: rng.integers([300], 301, dtype=np.uint8), "integers: bounds do not fit uint8"),
        (lambda rng: rng.integers([0.5], 3), "integers: expected low to hold integers"),
        (lambda rng: rng.normal([1j]), "normal: expected loc to hold numbers, got complex128"),
        (lambda rng: rng.normal("1"), "normal: expected numbers or arrays as parameters, got str"),
        (lambda rng: rng.normal([1.0], dtype=np.int32), "normal: expected dtype float32 or float64"),
        (lambda rng: rng.poisson([1.0], dtype=np.float32), "poisson: expected an integer dtype"),
    ],
)
def test_mistakes_are_errors_before_anything_is_drawn(call, message):
    rng = qn.random.default_rng(1)
    before = rng.bit_generator.state
    with pytest.raises(qn.ArgumentError, match=message):
        call(rng)
    assert rng.bit_generator.state == before


def test_what_arrays_of_the_device_hold_is_not_looked_at(device):
    needs_fp64(device)
    rng = qn.random.default_rng(1)
    wrong = qn.asarray(np.float64([-1, 1]), device=device)
    assert np.isnan(rng.normal(0, wrong).get()).tolist() == [True, False]
    assert (rng.poisson(wrong).get() == -1).tolist() == [True, False]
