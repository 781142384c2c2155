# SPDX-License-Identifier: MIT
"""Numbers of every distribution: bits against the oracle, and fit."""

import numpy as np
import oracle
import pytest
from goodness import (
    binomial_probabilities,
    chi_square,
    gamma_distribution,
    kolmogorov_smirnov,
    normal_distribution,
    poisson_probabilities,
)
from hypothesis import given, settings
from hypothesis import strategies as st

import quern as qn

REALS = [np.float32, np.float64]
SIZES = [0, 1, 2, 3, 5, 63, 64, 65, 4 * 16 * 7 + 3]
REAL_DRAWS = {
    "random": {},
    "uniform": {"low": -3.0, "high": 5.0},
    "standard_normal": {},
    "normal": {"loc": 2.0, "scale": 0.5},
    "standard_exponential": {},
    "exponential": {"scale": 3.0},
    "lognormal": {"mean": 0.5, "sigma": 0.25},
    "standard_gamma": {"shape": 2.5},
    "gamma": {"shape": 0.5, "scale": 2.0},
}
INTEGER_DRAWS = {
    "integers": {"low": -5, "high": 95},
    "poisson": {"lam": 3.5},
    "binomial": {"n": 40, "p": 0.5},
}
# What the documentation promises to be the same to the bit.
EXACT = ["random", "uniform", "standard_normal", "normal", "standard_exponential", "exponential", "integers"]


def with_fp64(device, dtype=np.float64):
    if np.dtype(dtype) == np.float64 and not device.has_fp64:
        pytest.skip("needs float64")


@pytest.mark.parametrize("dtype", REALS)
def test_uniform_numbers_are_the_documented_bits(device, dtype):
    with_fp64(device, dtype)
    rng = qn.random.default_rng(7)
    for size in SIZES:  # each starts where the one before it ended, at odd places too
        state = rng.bit_generator.state
        drawn = rng.random(size, dtype, device=device)
        assert drawn.dtype == dtype and drawn.shape == (size,)
        assert np.array_equal(drawn.get(), oracle.uniform(state, size, dtype))


@pytest.mark.parametrize("dtype", REALS)
@settings(max_examples=15, deadline=None)
@given(sizes=st.lists(st.integers(0, 200), max_size=6), start=st.integers(0, 1 << 40))
def test_a_draw_in_pieces_is_the_draw_in_one(device, dtype, sizes, start):
    with_fp64(device, dtype)
    whole, parts = qn.random.default_rng(1), qn.random.default_rng(1)
    for rng in (whole, parts):
        rng.bit_generator.advance(start)
    pieces = [parts.random(size, dtype, device=device).get() for size in sizes]
    drawn = whole.random(sum(sizes), dtype, device=device).get()
    assert np.array_equal(np.concatenate([*pieces, np.empty(0, dtype)]), drawn)


@settings(max_examples=25, deadline=None)
@given(
    shape=st.lists(st.integers(0, 12), max_size=4),
    name=st.sampled_from([*REAL_DRAWS, *INTEGER_DRAWS]),
    start=st.integers(0, 9),
)
def test_a_shape_is_filled_in_c_order(shape, name, start):
    arguments = REAL_DRAWS.get(name, INTEGER_DRAWS.get(name))
    drawn = []
    for size in (tuple(shape), int(np.prod(shape, dtype=int))):
        rng = qn.random.default_rng(1)
        rng.bit_generator.advance(start)
        drawn.append(getattr(rng, name)(**arguments, size=size, device="host").get())
    assert drawn[0].shape == tuple(shape)
    assert np.array_equal(drawn[0].ravel(), drawn[1])


@pytest.mark.parametrize("dtype", REALS)
def test_normal_numbers_in_even_pieces_are_those_in_one(device, dtype):
    with_fp64(device, dtype)
    whole, parts = qn.random.default_rng(1), qn.random.default_rng(1)
    pieces = [parts.standard_normal(size, dtype, device=device).get() for size in (2, 6, 4, 60, 30)]
    drawn = whole.standard_normal(102, dtype, device=device).get()
    assert np.array_equal(np.concatenate(pieces), drawn)


def exact_normals(words):
    """Box and Muller in long double, of pairs of words; u is rounded to float32, as documented."""
    wide = np.longdouble
    bits = (words[:, 0] >> np.uint32(1)).astype(np.float32).astype(wide)
    u = ((bits + wide(0.5)) / wide(2) ** 31).astype(np.float32).astype(wide)
    angle = (words[:, 1].view(np.int32).astype(wide) + wide(0.5)) / wide(2) ** 31 * 4 * np.arctan(wide(1))
    radius = np.sqrt(-2 * np.log(u))
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1).ravel()


def test_float32_normals_are_as_near_to_the_exact_ones_as_documented(device):
    rng = qn.random.default_rng(21)
    state = rng.bit_generator.state
    n = 1 << 16
    drawn = rng.standard_normal(n, np.float32, device=device).get()
    exact = exact_normals(oracle.words(state, n).reshape(-1, 2))
    if device.backend == "cuda":
        radius = np.hypot(*exact.reshape(-1, 2).T).repeat(2)
        assert (np.abs(drawn - exact) * np.minimum(radius, 1)).max() < 2e-6
    else:
        ulp = np.spacing(np.abs(exact).astype(np.float32)).astype(np.longdouble)
        assert (np.abs(drawn - exact) / ulp).max() < 5


def test_float64_normals_are_within_5_ulp_of_the_exact_ones(device):
    with_fp64(device)
    wide = np.longdouble
    rng = qn.random.default_rng(22)
    state = rng.bit_generator.state
    n = 1 << 15
    drawn = rng.standard_normal(n, np.float64, device=device).get().reshape(-1, 2)
    words = oracle.words(state, 2 * n).reshape(-1, 4).astype(np.uint64)
    joined = words[:, ::2] | words[:, 1::2] << np.uint64(32)
    radius = np.sqrt(-2 * np.log(((joined[:, 0] >> np.uint64(12)).astype(wide) + wide(0.5)) / wide(2) ** 52))
    angle = (joined[:, 1] << np.uint64(3) >> np.uint64(12)).astype(wide) + wide(0.5)
    angle = angle / wide(2) ** 52 * np.arctan(wide(1))
    swapped = words[:, 3] >> np.uint64(29) & np.uint64(1) != 0
    sine, cosine = np.sin(angle), np.cos(angle)
    signs = [1 - 2 * (words[:, 3] >> np.uint64(31 - i) & np.uint64(1)).astype(wide) for i in (0, 1)]
    for i, exact in enumerate(
        (np.where(swapped, sine, cosine) * radius, np.where(swapped, cosine, sine) * radius)
    ):
        ulp = np.spacing(np.abs(exact).astype(np.float64)).astype(wide)
        assert (np.abs(drawn[:, i] - exact * signs[i]) / ulp).max() < 5


def test_exponential_numbers_are_within_5_ulp_of_the_exact_ones(device):
    wide = np.longdouble
    rng = qn.random.default_rng(23)
    state = rng.bit_generator.state
    drawn = rng.standard_exponential(1 << 16, np.float32, device=device).get()
    bits = (oracle.words(state, 1 << 16) >> np.uint32(1)).astype(wide)
    exact = -np.log1p(-((wide(2) ** 31 - 1 - bits) + wide(0.5)) / wide(2) ** 31)
    assert (np.abs(drawn - exact) / np.spacing(exact.astype(np.float32)).astype(wide)).max() < 5


@pytest.mark.parametrize("name", EXACT)
def test_every_device_draws_the_same_bits(device, other_device, name):
    arguments = REAL_DRAWS.get(name) or INTEGER_DRAWS.get(name) or {}
    dtypes = [np.int64] if name == "integers" else REALS
    for dtype in dtypes:
        with_fp64(device, dtype)
        with_fp64(other_device, dtype)
        drawn = [
            getattr(qn.random.default_rng(5), name)(**arguments, size=1003, dtype=dtype, device=where).get()
            for where in (device, other_device)
        ]
        assert np.array_equal(*drawn)


@pytest.mark.parametrize("engine", [qn.random.Philox, qn.random.Threefry])
def test_both_engines_draw_every_distribution(engine):
    for name, arguments in {**REAL_DRAWS, **INTEGER_DRAWS}.items():
        rng = qn.random.Generator(engine(5))
        values = getattr(rng, name)(**arguments, size=(10, 7), device="host").get()
        assert values.shape == (10, 7) and np.unique(values).size > 3


@pytest.mark.parametrize("dtype", REALS)
def test_uniform_numbers_fill_the_interval_evenly(device, dtype):
    with_fp64(device, dtype)
    rng = qn.random.default_rng(12)
    values = rng.random(50_000, dtype, device=device).get()
    assert values.min() >= 0 and values.max() < 1
    assert kolmogorov_smirnov(values, lambda x: x) > 0.001
    pairs = np.histogram2d(values[::2], values[1::2], bins=16, range=[[0, 1], [0, 1]])[0]
    assert chi_square(pairs.ravel(), np.full(256, 1 / 256)) > 0.001
    values = rng.uniform(-3, 5, 20_000, dtype=dtype, device=device).get()
    assert values.min() >= -3 and values.max() <= 5
    assert kolmogorov_smirnov(values, lambda x: (x + 3) / 8) > 0.001


@pytest.mark.parametrize("dtype", REALS)
def test_normal_numbers_are_normal(device, dtype):
    with_fp64(device, dtype)
    rng = qn.random.default_rng(13)
    values = rng.standard_normal(100_000, dtype, device=device).get().astype(np.float64)
    assert kolmogorov_smirnov(values, normal_distribution) > 0.001
    n = values.size
    # Moments within four deviations: of the mean, the variance, the third and the fourth moment.
    for power, moment, variance in ((1, 0, 1), (2, 1, 2), (3, 0, 15), (4, 3, 96)):
        assert abs((values**power).mean() - moment) < 4 * np.sqrt(variance / n)
    assert abs((values[::2] * values[1::2]).mean()) < 4 / np.sqrt(n / 2)
    assert abs((values[::2] ** 2 * values[1::2] ** 2).mean() - 1) < 4 * np.sqrt(8 / (n / 2))
    scaled = rng.normal(10, 0.5, 20_000, dtype=dtype, device=device).get()
    assert kolmogorov_smirnov((scaled - 10) / 0.5, normal_distribution) > 0.001
    logarithms = np.log(rng.lognormal(1, 0.25, 20_000, dtype=dtype, device=device).get())
    assert kolmogorov_smirnov((logarithms - 1) / 0.25, normal_distribution) > 0.001


@pytest.mark.parametrize("dtype", REALS)
def test_exponential_numbers_are_exponential(device, dtype):
    with_fp64(device, dtype)
    values = qn.random.default_rng(14).exponential(3, 50_000, dtype=dtype, device=device).get()
    assert values.min() > 0
    assert kolmogorov_smirnov(values, lambda x: 1 - np.exp(-x / 3)) > 0.001


@pytest.mark.parametrize("shape", [0.1, 0.7, 1.0, 2.5, 50.0])
@pytest.mark.parametrize("dtype", REALS)
def test_gamma_numbers_have_the_gamma_distribution(device, dtype, shape):
    with_fp64(device, dtype)
    values = qn.random.default_rng(15).gamma(shape, 2, 5000, dtype=dtype, device=device).get()
    assert kolmogorov_smirnov(values / 2, gamma_distribution(shape)) > 0.001


@pytest.mark.parametrize("rate", [0.01, 1.0, 9.5, 10.5, 60.0, 1000.0])
def test_poisson_numbers_have_the_poisson_distribution(device, rate):
    with_fp64(device)
    values = qn.random.default_rng(16).poisson(rate, 50_000, device=device).get()
    assert values.dtype == np.int64
    probabilities = poisson_probabilities(rate, int(rate + 20 * np.sqrt(rate) + 20))
    counts = np.bincount(values, minlength=probabilities.size)
    assert counts.size == probabilities.size
    assert chi_square(counts, probabilities / probabilities.sum()) > 0.001


@pytest.mark.parametrize(
    ("n", "p"), [(1, 0.3), (20, 0.25), (20, 0.9), (50, 0.5), (1000, 0.005), (1000, 0.4), (500, 0.97)]
)
def test_binomial_numbers_have_the_binomial_distribution(device, n, p):
    with_fp64(device)
    values = qn.random.default_rng(17).binomial(n, p, 50_000, device=device).get()
    probabilities = binomial_probabilities(n, p)
    counts = np.bincount(values, minlength=n + 1)
    assert counts.size == n + 1
    assert chi_square(counts, probabilities / probabilities.sum()) > 0.001


def test_large_means_keep_mean_and_variance(device):
    with_fp64(device)
    rng, n = qn.random.default_rng(18), 50_000
    for name, arguments, mean, variance in (
        ("poisson", (1e6,), 1e6, 1e6),
        ("poisson", (1e15,), 1e15, 1e15),
        ("binomial", (10**9, 0.25), 2.5e8, 1.875e8),
        ("binomial", (10**15, 0.75), 7.5e14, 1.875e14),
    ):
        values = getattr(rng, name)(*arguments, size=n, device=device).get().astype(np.float64) - mean
        assert abs(values.mean()) < 4 * np.sqrt(variance / n)
        assert abs(values.var() / variance - 1) < 4 * np.sqrt(2 / n)
        assert kolmogorov_smirnov(values / np.sqrt(variance), normal_distribution) > 0.001


def test_certain_outcomes(device):
    with_fp64(device)
    rng = qn.random.default_rng(19)

    def draw(name, *arguments, **options):
        return getattr(rng, name)(*arguments, size=100, device=device, **options).get()

    assert (draw("poisson", 0) == 0).all()
    assert (draw("binomial", 0, 0.5) == 0).all()
    assert (draw("binomial", 9, 0) == 0).all()
    assert (draw("binomial", 9, 1) == 9).all()
    assert (draw("standard_gamma", 0) == 0).all()
    assert (draw("normal", 3, 0) == 3).all()
    assert (draw("uniform", 2, 2) == 2).all()
    assert (draw("exponential", 0) == 0).all()
    assert (draw("integers", 5, 6) == 5).all()


@pytest.mark.parametrize("name", [*REAL_DRAWS, *INTEGER_DRAWS])
def test_every_size_is_filled_and_nothing_else(name):
    arguments = REAL_DRAWS.get(name, INTEGER_DRAWS.get(name))
    dtype = np.float64 if name in REAL_DRAWS else np.int64
    for size in SIZES:
        memory = qn.asarray(np.full(size + 2, 77, dtype), device="host")
        part = qn.Array(memory.buffer[8 : 8 * (size + 1)], dtype, size)
        event = getattr(qn.random.default_rng(4), name)(**arguments, out=part)
        event.wait()
        fresh = getattr(qn.random.default_rng(4), name)(**arguments, size=size, device="host")
        assert np.array_equal(memory.get()[1:-1], fresh.get())
        assert memory.get()[0] == 77 and memory.get()[-1] == 77


def test_out_gets_the_numbers_that_size_would_get(device, queue):
    out = qn.empty((3, 5), np.float32, device)
    event = qn.random.default_rng(3).random(out=out, queue=queue)
    assert isinstance(event, qn.Event)
    fresh = qn.random.default_rng(3).random((3, 5), np.float32, queue=queue)
    assert np.array_equal(out.get(), fresh.get())


def test_without_a_size_there_is_one_python_number(device):
    rng = qn.random.default_rng(3)
    with device:
        assert type(rng.random()) is float
        assert type(rng.integers(5)) is int
        assert type(rng.normal(dtype="float32")) is float


def test_a_draw_waits_for_events(device, queue, spin):
    other = qn.Queue(device)
    blocker = qn.zeros(1, np.float32, device)
    event = spin(other, 0.05, blocker)
    drawn = qn.random.default_rng(3).random(10, np.float32, queue=queue, wait_for=[event])
    queue.finish()
    assert event.done
    assert drawn.get().max() < 1


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda rng: rng.uniform(2, 1, 3), ValueError, "low <= high"),
        (lambda rng: rng.uniform(0, float("inf"), 3), ValueError, "high"),
        (lambda rng: rng.uniform(float("nan"), 1, 3), ValueError, "low"),
        (lambda rng: rng.uniform(-3e38, 3e38, 3, dtype="float32"), ValueError, "too large"),
        (lambda rng: rng.normal(0, -1, 3), ValueError, "scale"),
        (lambda rng: rng.normal(float("nan"), 1, 3), ValueError, "mean"),
        (lambda rng: rng.lognormal(0, -1, 3), ValueError, "sigma"),
        (lambda rng: rng.exponential(-1, 3), ValueError, "scale"),
        (lambda rng: rng.gamma(-1, 1, 3), ValueError, "shape"),
        (lambda rng: rng.gamma(1, -1, 3), ValueError, "scale"),
        (lambda rng: rng.poisson(-1, 3), ValueError, "lam"),
        (lambda rng: rng.poisson(float("nan"), 3), ValueError, "lam"),
        (lambda rng: rng.poisson(1e19, 3), ValueError, "fit int64"),
        (lambda rng: rng.poisson(200, 3, dtype="uint8"), ValueError, "fit uint8"),
        (lambda rng: rng.poisson(2, 3, dtype="float32"), TypeError, "integer dtype"),
        (lambda rng: rng.binomial(-1, 0.5, 3), ValueError, "n >= 0"),
        (lambda rng: rng.binomial(1 << 63, 0.5, 3), ValueError, "2\\*\\*63"),
        (lambda rng: rng.binomial(1.5, 0.5, 3), TypeError, "n"),
        (lambda rng: rng.binomial(3, 1.5, 3), ValueError, "p <= 1"),
        (lambda rng: rng.binomial(300, 0.5, 3, dtype="int8"), ValueError, "fit int8"),
        (lambda rng: rng.random(3, "int32"), TypeError, "float32 or float64"),
        (lambda rng: rng.random(3, "complex64"), TypeError, "complex64"),
        (lambda rng: rng.random(-1), ValueError, "negative"),
        (lambda rng: rng.random((1 << 40, 1 << 40)), ValueError, "address space"),
        (lambda rng: rng.normal({}, 1, 2), TypeError, "numbers or arrays as parameters"),
        (lambda rng: rng.random(4, out=qn.empty(3, "float32", "host")), ValueError, "shape"),
        (lambda rng: rng.random(out=np.empty(3)), TypeError, "quern.Array"),
        (lambda rng: rng.random(dtype="f8", out=qn.empty(3, "float32", "host")), TypeError, "dtype"),
    ],
)
def test_bad_arguments_are_named(call, error, text):
    rng = qn.random.default_rng(1)
    with qn.device("host"), pytest.raises(error, match=text) as caught:
        call(rng)
    assert isinstance(caught.value, qn.ArgumentError)


@pytest.mark.slow
@pytest.mark.large_memory
def test_more_than_two_to_the_31_elements(device):
    """Only where a device has the memory for it: parts of a draw are launched one after the other."""
    n = (1 << 31) + 3
    if device.kind != "gpu" or device.memory_info.free < 12 << 30:
        pytest.skip("needs a GPU with 12 GiB")
    rng = qn.random.default_rng(8)
    rng.bit_generator.advance(1)
    state = rng.bit_generator.state
    drawn = rng.random(n, np.float32, device=device)
    for start in (0, (1 << 30) - 5, (1 << 31) - 5, n - 9):
        count = min(9, n - start)
        part = drawn.buffer[4 * start : 4 * (start + count)].read().view(np.float32)
        there = {**state, "position": state["position"] + start}
        assert np.array_equal(part, oracle.uniform(there, count, np.float32))
    small = rng.integers(0, 250, n, np.uint8, device=device)
    assert small.size == n
