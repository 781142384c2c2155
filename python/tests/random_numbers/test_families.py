# SPDX-License-Identifier: MIT
"""Distributions from beta to zipf: fit, edges of their domains, parameters that are arrays, mistakes."""

from math import pi

import numpy as np
import pytest
from families import COUNTS, REALS, beta_function, cells, fit, zeta
from goodness import chi_square, kolmogorov_smirnov

import quern as qn

REAL_PARAMETERS = {
    "beta": [(2, 3), (0.05, 0.5), (0.4, 30), (300, 40)],
    "chisquare": [(3,), (0.3,), (200,)],
    "f": [(5, 7), (0.5, 1.5), (100, 3)],
    "gumbel": [(1, 2)],
    "laplace": [(1, 2)],
    "logistic": [(1, 2)],
    "noncentral_chisquare": [(3, 2), (0.5, 4), (0.7, 60)],
    "noncentral_f": [(5, 7, 2), (0.8, 6, 30)],
    "pareto": [(3,), (0.7,)],
    "power": [(0.5,), (5,)],
    "rayleigh": [(2,)],
    "standard_cauchy": [()],
    "standard_t": [(1.5,), (30,)],
    "triangular": [(-1, 0, 3), (0, 0, 1), (0, 1, 1)],
    "vonmises": [(1, 4), (0, 0.01), (-3, 200), (0.5, 1e5), (2, 1e-12)],
    "wald": [(3, 2), (0.1, 50), (50, 0.5)],
    "weibull": [(0.5,), (3,)],
}
COUNT_PARAMETERS = {
    "geometric": [(0.3,), (0.9,), (1e-3,)],
    "hypergeometric": [
        (30, 40, 25),
        (5, 5, 3),
        (1000, 3000, 500),
        (3, 1000, 200),
        (40, 30, 60),
        (40, 3000, 2000),
    ],
    "logseries": [(0.6,), (0.999,), (0.01,)],
    "negative_binomial": [(3, 0.4), (0.5, 0.1), (200, 0.6)],
    "zipf": [(2,), (4,), (1.2,)],
}
FIRST = {name: sets[0] for name, sets in {**REAL_PARAMETERS, **COUNT_PARAMETERS}.items()}


def is_slow(device):
    """OpenCL on a processor takes a second for each new kernel; the host runs the same text."""
    return device.backend == "opencl" and device.kind == "cpu"


def with_fp64(device, dtype=np.float64):
    if np.dtype(dtype) == np.float64 and not device.has_fp64:
        pytest.skip("needs float64")


def test_the_oracle_has_values_that_are_known():
    assert abs(beta_function(2, 3, 0.5) - 0.6875) < 1e-12
    assert abs(beta_function(0.5, 0.5, 0.25) - 1 / 3) < 1e-12  # 2 / pi arcsin sqrt x
    assert abs(zeta(2) - pi**2 / 6) < 1e-9
    assert abs(REALS["chisquare"](2)([2.0])[0] - (1 - np.exp(-1))) < 1e-12
    assert abs(REALS["standard_t"](1)([1.0])[0] - 0.75) < 1e-12
    assert abs(REALS["wald"](1, 1)([1.0])[0] - 0.6681020012231706) < 1e-9
    assert abs(COUNTS["hypergeometric"](5, 5, 3)(0) - 10 / 120) < 1e-12
    assert abs(sum(COUNTS["negative_binomial"](3, 0.4)(k) for k in range(200)) - 1) < 1e-12


def test_every_family_is_tested():
    assert set(REAL_PARAMETERS) == set(REALS)
    assert set(COUNT_PARAMETERS) == set(COUNTS)


@pytest.mark.parametrize("name", REAL_PARAMETERS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_real_numbers_have_their_distribution(device, name, dtype):
    with_fp64(device, np.float64 if "noncentral" in name else dtype)
    if is_slow(device) and dtype == np.float64:
        pytest.skip("a second for each kernel")
    rng = qn.random.default_rng(31)
    for parameters in REAL_PARAMETERS[name]:
        drawn = getattr(rng, name)(*parameters, size=6000, dtype=dtype, device=device)
        assert drawn.dtype == dtype
        values = drawn.get().astype(np.float64)
        assert np.isfinite(values).all()
        assert fit(name, parameters, values) > 1e-3, parameters


@pytest.mark.parametrize("name", COUNT_PARAMETERS)
def test_counts_have_their_distribution(device, name):
    with_fp64(device)
    rng = qn.random.default_rng(32)
    for parameters in COUNT_PARAMETERS[name]:
        drawn = getattr(rng, name)(*parameters, size=50_000, device=device)
        assert drawn.dtype == np.int64
        values = drawn.get()
        assert values.min() >= 0
        assert chi_square(*cells(name, parameters, values)) > 1e-3, parameters


@pytest.mark.parametrize("name", REAL_PARAMETERS)
def test_moments_are_those_of_the_distribution(name):
    """Means and variances that the formulas give, of as many numbers as show an error of a few per cent."""
    moments = {
        "beta": ((2, 3), 0.4, 0.04),
        "chisquare": ((3,), 3, 6),
        "f": ((5, 20), 20 / 18, 2 * 400 * 23 / (5 * 18**2 * 16)),
        "gumbel": ((1, 2), 1 + 2 * 0.5772156649015329, pi**2 / 6 * 4),
        "laplace": ((1, 2), 1, 8),
        "logistic": ((1, 2), 1, pi**2 / 3 * 4),
        "noncentral_chisquare": ((0.5, 4), 4.5, 2 * (0.5 + 8)),
        "noncentral_f": ((5, 40, 2), 40 * 7 / (5 * 38), None),
        "pareto": ((8,), 1 / 7, 8 / (49 * 6)),
        "power": ((3,), 3 / 4, 3 / (16 * 5)),
        "rayleigh": ((2,), 2 * np.sqrt(pi / 2), (4 - pi) / 2 * 4),
        "standard_cauchy": None,
        "standard_t": ((12,), 0, 1.2),
        "triangular": ((-1, 0, 3), 2 / 3, (1 + 9 + 3) / 18),
        "vonmises": ((0, 4), 0, None),
        "wald": ((3, 20), 3, 27 / 20),
        "weibull": ((2,), np.sqrt(pi) / 2, 1 - pi / 4),
    }[name]
    if moments is None:
        return  # has none
    parameters, mean, variance = moments
    n = 200_000
    values = getattr(qn.random.default_rng(33), name)(*parameters, size=n, device="host").get()
    assert abs(values.mean() - mean) < 5 * values.std() / np.sqrt(n)
    if variance is not None:
        assert abs(values.var() / variance - 1) < 0.05


@pytest.mark.parametrize("name", FIRST)
def test_devices_agree_but_for_rounding(device, other_device, name):
    with_fp64(device)
    with_fp64(other_device)
    drawn = [
        getattr(qn.random.default_rng(5), name)(*FIRST[name], size=1003, device=where).get()
        for where in (device, other_device)
    ]
    # Where rounding decides an attempt otherwise, a number is another one.
    same = np.isclose(*drawn, rtol=1e-9, atol=1e-11)
    assert same.mean() > 0.995


@pytest.mark.parametrize("name", FIRST)
def test_arrays_as_parameters_give_the_numbers_of_single_ones(device, name):
    with_fp64(device)
    if is_slow(device) and name not in ("beta", "triangular", "zipf", "hypergeometric"):
        pytest.skip("a second for each kernel")
    if name == "standard_cauchy":
        return  # has no parameters
    single, each = qn.random.default_rng(6), qn.random.default_rng(6)
    expected = getattr(single, name)(*FIRST[name], size=(40, 3), device=device).get()
    columns = [np.full(3, parameter) for parameter in FIRST[name]]
    drawn = getattr(each, name)(*columns, size=(40, 3), device=device).get()
    assert np.isclose(drawn, expected, rtol=1e-9, atol=1e-11).mean() > 0.99
    assert single.bit_generator.state == each.bit_generator.state


def test_each_column_has_its_own_parameters(device):
    with_fp64(device)
    rng = qn.random.default_rng(7)
    left, mode, right = np.array([[0.0], [10.0]]), 10.5, np.array([11.0, 20.0, 30.0])
    drawn = rng.triangular(left, mode, right, device=device)
    assert drawn.shape == (2, 3)
    many = rng.triangular(left, mode, right, size=(4000, 2, 3), device=device).get()
    for i, j in np.ndindex(2, 3):
        assert fit("triangular", (left[i, 0], mode, right[j]), many[:, i, j]) > 1e-3
    on_device = qn.asarray(np.array([0.2, 0.7]), device=device)
    counts = rng.geometric(on_device, size=(20_000, 2)).get()
    for j, p in enumerate((0.2, 0.7)):
        assert chi_square(*cells("geometric", (p,), counts[:, j])) > 1e-3


@pytest.mark.parametrize("name", FIRST)
def test_a_draw_in_pieces_is_the_draw_in_one(name):
    whole, parts = qn.random.default_rng(8), qn.random.default_rng(8)
    pieces = [getattr(parts, name)(*FIRST[name], size=n, device="host").get() for n in (3, 0, 5, 60)]
    drawn = getattr(whole, name)(*FIRST[name], size=68, device="host").get()
    # A compiled kernel computes the last elements one by one, with a logarithm that may round otherwise.
    np.testing.assert_allclose(np.concatenate(pieces), drawn, rtol=1e-15)
    assert np.unique(drawn).size > 1


@pytest.mark.parametrize("name", FIRST)
def test_both_engines_draw_every_family(name):
    for engine in (qn.random.Philox, qn.random.Threefry):
        values = getattr(qn.random.Generator(engine(5)), name)(*FIRST[name], size=2000, device="host").get()
        if name in REALS:
            assert fit(name, FIRST[name], values) > 1e-3
        else:
            assert chi_square(*cells(name, FIRST[name], values)) > 1e-3


def test_tiny_shapes_lose_nothing(device):
    with_fp64(device)
    rng = qn.random.default_rng(9)
    for shape in (1e-3, 1e-12, 1e-305, 1e-310):
        for dtype in (np.float64, np.float32) if shape > 1e-30 and not is_slow(device) else (np.float64,):
            values = rng.beta(shape, 3 * shape, size=8000, dtype=dtype, device=device).get()
            assert np.isfinite(values).all()
            # All but one in a few numbers is next to 0 or to 1, with odds of 1 to 3.
            assert abs((values > 0.5).mean() - 0.25) < 0.02
            assert values.max() <= 1 and values.min() >= 0
    ratios = rng.f(1e-3, 1e-3, size=4000, device=device).get()
    assert not np.isnan(ratios).any()
    assert abs((ratios > 1).mean() - 0.5) < 0.04
    assert (rng.chisquare(1e-6, size=100, device=device).get() >= 0).all()


def test_angles_of_every_concentration_are_angles(device):
    with_fp64(device)
    rng = qn.random.default_rng(10)
    for kappa in (0, 1e-300, 1e-18, 1e8, 1e15, 1e29, 1e31, 1e100, 1.7e308):
        values = rng.vonmises(0, kappa, size=4000, device=device).get()
        assert np.isfinite(values).all() and np.abs(values).max() <= pi
        if kappa < 1e-10:
            assert kolmogorov_smirnov(values, lambda x: (x + pi) / (2 * pi)) > 1e-3
        else:
            assert abs((values * np.sqrt(kappa)).var() - 1) < 0.1
    if not is_slow(device):
        for kappa in (1e-38, 1e-17, 1e10, 9e29, 3e38):
            values = rng.vonmises(0, kappa, size=4000, dtype=np.float32, device=device).get()
            assert np.isfinite(values).all()
            deviation = (values.astype(np.float64) * np.sqrt(max(kappa, 1))).std()
            assert abs(deviation - (1 if kappa > 1 else pi / np.sqrt(3))) < 0.05
    around = rng.vonmises(100.0, 50, size=1000, device=device).get()
    assert np.abs(around).max() <= pi
    assert abs(np.angle(np.exp(1j * (around - 100.0)).mean())) < 0.05


def test_certain_outcomes(device):
    with_fp64(device)
    rng = qn.random.default_rng(11)

    def draw(name, *parameters):
        return getattr(rng, name)(*parameters, size=50, device=device).get()

    assert (draw("gumbel", 3, 0) == 3).all()
    assert (draw("laplace", 3, 0) == 3).all()
    assert (draw("logistic", 3, 0) == 3).all()
    assert (draw("rayleigh", 0) == 0).all()
    assert (draw("weibull", 0) == 0).all()
    assert (draw("geometric", 1) == 1).all()
    assert (draw("logseries", 0) == 1).all()
    assert (draw("negative_binomial", 3, 1) == 0).all()
    assert (draw("hypergeometric", 0, 0, 0) == 0).all()
    assert (draw("hypergeometric", 7, 0, 5) == 5).all()
    assert (draw("hypergeometric", 0, 70, 50) == 0).all()
    assert (draw("hypergeometric", 30, 40, 70) == 30).all()
    assert (draw("zipf", 2000) == 1).all()
    assert set(draw("zipf", 1.0000001) >= 1) == {True}


def test_large_populations_keep_mean_and_variance(device):
    with_fp64(device)
    good, bad, sample, n = 400_000_000, 500_000_000, 300_000_000, 20_000
    values = qn.random.default_rng(12).hypergeometric(good, bad, sample, size=n, device=device).get()
    share, everything = good / (good + bad), good + bad
    variance = sample * share * (1 - share) * (everything - sample) / (everything - 1)
    assert abs(values.mean() - sample * share) < 5 * np.sqrt(variance / n)
    assert abs(values.var() / variance - 1) < 0.05


@pytest.mark.parametrize("name", COUNT_PARAMETERS)
def test_counts_come_in_every_type_that_has_room(device, name):
    with_fp64(device)
    if is_slow(device) and name != "geometric":
        pytest.skip("a second for each kernel")
    parameters = {"zipf": (200,), "negative_binomial": (3, 0.9)}.get(name, FIRST[name])
    expected = getattr(qn.random.default_rng(1), name)(*parameters, size=500, device=device).get()
    for dtype in ("int16", "uint32", "uint64") if not is_slow(device) else ("int16",):
        drawn = getattr(qn.random.default_rng(1), name)(*parameters, size=500, dtype=dtype, device=device)
        assert drawn.dtype == dtype
        assert np.array_equal(drawn.get(), expected)


def test_single_parameters_need_no_compiler_on_the_host(run_python, tmp_path):
    code = f"""
    import quern as qn
    with qn.device("host"):
        for name, parameters in {FIRST!r}.items():
            drawn = getattr(qn.random.default_rng(5), name)(*parameters, size=1000)
            print(name, float(drawn.sum()))
    """
    lines = run_python(
        code, env={"QUERN_CC": "/nonexistent", "QUERN_CACHE_DIR": str(tmp_path), "QUERN_HOST_LOOPS": ""}
    ).stdout.split()
    told = dict(zip(lines[::2], lines[1::2], strict=True))
    for name, parameters in FIRST.items():
        drawn = getattr(qn.random.default_rng(5), name)(*parameters, size=1000, device="host")
        assert float(told[name]) == pytest.approx(float(drawn.get().sum()), rel=1e-9)


def test_sizes_and_outputs(device):
    with_fp64(device)
    with device:
        rng = qn.random.default_rng(13)
        assert type(rng.beta(2, 3)) is float
        assert type(rng.geometric(0.5)) is int
        assert type(rng.standard_cauchy()) is float
        assert rng.beta(2, 3, size=()).shape == ()
        assert rng.beta(np.array(2.0), 3).shape == ()
        assert rng.beta(2, 3, size=(0, 4)).shape == (0, 4)
        assert rng.zipf(np.zeros((0, 2)) + 2).shape == (0, 2)
        assert rng.hypergeometric([5.0], 0, 3).tolist() == [3]
        out = qn.empty((3, 5), np.float32)
        event = qn.random.default_rng(3).wald(2, 3, out=out)
        assert isinstance(event, qn.Event)
        line = qn.empty(3, np.float32)
        rng.wald(2, 3, size=np.int64(3), out=line)
        fresh = qn.random.default_rng(3).wald(2, 3, size=(3, 5), dtype=np.float32)
        assert np.array_equal(out.get(), fresh.get())


def test_arrays_of_the_device_are_not_looked_at(device):
    with_fp64(device)
    rng = qn.random.default_rng(1)
    wrong = qn.asarray(np.float64([-1, 0.5]), device=device)
    assert np.isnan(rng.beta(wrong, 1).get()).tolist() == [True, False]
    assert (rng.geometric(wrong).get() == -1).tolist() == [True, False]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda rng: rng.beta(0, 1), ValueError, "beta: expected a > 0"),
        (lambda rng: rng.beta(1, float("nan")), ValueError, "beta: expected b > 0"),
        (lambda rng: rng.beta([1, 0], 1), ValueError, "beta: expected a > 0 and finite everywhere"),
        (lambda rng: rng.beta(1, "x"), TypeError, "beta: expected numbers or arrays"),
        (lambda rng: rng.beta([1], "x"), TypeError, "beta: expected numbers or arrays"),
        (lambda rng: rng.beta(1, 2, dtype="int32"), TypeError, "beta: expected dtype float32 or float64"),
        (
            lambda rng: rng.beta(1e-50, 1, dtype="float32"),
            ValueError,
            "a > 0 and finite in float32, got 1e-50",
        ),
        (lambda rng: rng.beta([1e-50], 1, dtype="float32"), ValueError, "beta: expected a > 0"),
        (lambda rng: rng.gumbel([1e39], 1, dtype="float32"), ValueError, "gumbel: expected loc finite"),
        (lambda rng: rng.chisquare(0), ValueError, "chisquare: expected df > 0"),
        (lambda rng: rng.f(0, 1), ValueError, "f: expected dfnum > 0"),
        (lambda rng: rng.f(1, 0), ValueError, "f: expected dfden > 0"),
        (lambda rng: rng.gumbel(0, -1), ValueError, "gumbel: expected scale >= 0"),
        (lambda rng: rng.laplace(0, -1), ValueError, "laplace: expected scale >= 0"),
        (lambda rng: rng.logistic(float("inf"), 1), ValueError, "logistic: expected loc finite"),
        (lambda rng: rng.noncentral_chisquare(0, 1), ValueError, "noncentral_chisquare: expected df > 0"),
        (lambda rng: rng.noncentral_chisquare(1, -1), ValueError, "expected nonc >= 0"),
        (lambda rng: rng.noncentral_f(1, 1, -1), ValueError, "noncentral_f: expected nonc >= 0"),
        (lambda rng: rng.pareto(0), ValueError, "pareto: expected a > 0"),
        (lambda rng: rng.power(0), ValueError, "power: expected a > 0"),
        (lambda rng: rng.rayleigh(-1), ValueError, "rayleigh: expected scale >= 0"),
        (lambda rng: rng.standard_t(0), ValueError, "standard_t: expected df > 0"),
        (lambda rng: rng.triangular(1, 1, 1), ValueError, "left < right"),
        (lambda rng: rng.triangular(0, 2, 1), ValueError, "mode <= right"),
        (lambda rng: rng.triangular([0, 1], [0, 0], [1, 1]), ValueError, "left <= mode"),
        (lambda rng: rng.vonmises(0, -1), ValueError, "vonmises: expected kappa >= 0"),
        (lambda rng: rng.wald(0, 1), ValueError, "wald: expected mean > 0"),
        (lambda rng: rng.wald(1, 0), ValueError, "wald: expected scale > 0"),
        (lambda rng: rng.weibull(-1), ValueError, "weibull: expected a >= 0"),
        (lambda rng: rng.geometric(0), ValueError, "geometric: expected p > 0 and <= 1"),
        (lambda rng: rng.geometric(1.5), ValueError, "geometric: expected p > 0 and <= 1"),
        (lambda rng: rng.geometric(1e-300), ValueError, "geometric: .* may not fit int64"),
        (lambda rng: rng.geometric(0.5, dtype="float32"), TypeError, "geometric: expected an integer dtype"),
        (lambda rng: rng.geometric(0.01, dtype="int8"), ValueError, "may not fit int8"),
        (lambda rng: rng.hypergeometric(3, 4, 8), ValueError, r"nsample <= ngood \+ nbad"),
        (lambda rng: rng.hypergeometric([3], 4, 8), ValueError, r"nsample <= ngood \+ nbad"),
        (lambda rng: rng.hypergeometric(10**9, 4, 8), ValueError, "expected ngood >= 0 and < 10"),
        (lambda rng: rng.hypergeometric(-1, 4, 2), ValueError, "expected ngood >= 0"),
        (lambda rng: rng.hypergeometric(1.5, 4, 2), TypeError, "ngood: expected an integer"),
        (lambda rng: rng.hypergeometric([1.5], 4, 2), TypeError, "expected ngood to hold integers"),
        (lambda rng: rng.logseries(1), ValueError, "logseries: expected p >= 0 and < 1"),
        (lambda rng: rng.negative_binomial(0, 0.5), ValueError, "negative_binomial: expected n > 0"),
        (lambda rng: rng.negative_binomial(1, 0), ValueError, "negative_binomial: expected p > 0"),
        (lambda rng: rng.negative_binomial(1e19, 0.1), ValueError, "may not fit int64"),
        (lambda rng: rng.zipf(1), ValueError, "zipf: expected a > 1"),
        (lambda rng: rng.zipf(2, dtype="int32"), ValueError, "zipf: .* may not fit int32"),
        (lambda rng: rng.beta([1, 2], [1, 2, 3]), ValueError, r"\(2,\) and \(3,\) do not broadcast together"),
        (lambda rng: rng.triangular([0, 0], [1], [2], 3), ValueError, r"\(2,\) do not broadcast to \(3,\)"),
        (lambda rng: rng.standard_exponential(3, method="x"), ValueError, "'zig' or 'inv'"),
    ],
)
def test_mistakes_are_errors_before_anything_is_drawn(call, error, text):
    rng = qn.random.default_rng(1)
    before = rng.bit_generator.state
    with qn.device("host"), pytest.raises(error, match=text) as caught:
        call(rng)
    assert isinstance(caught.value, qn.ArgumentError)
    assert rng.bit_generator.state == before
