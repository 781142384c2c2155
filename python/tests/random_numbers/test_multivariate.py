# SPDX-License-Identifier: MIT
"""Rows of numbers that depend on each other: sums, margins, covariances, mistakes."""

import numpy as np
import pytest
from families import beta_function, cells, of_each
from goodness import binomial_probabilities, chi_square, kolmogorov_smirnov, normal_distribution

import quern as qn

COVARIANCE = np.array([[4.0, 1.2, 0.0], [1.2, 1.0, -0.3], [0.0, -0.3, 0.5]])


@pytest.fixture(autouse=True)
def with_fp64(request):
    if "device" in request.fixturenames and not request.getfixturevalue("device").has_fp64:
        pytest.skip("needs float64")


def test_shares_sum_to_1_and_each_is_a_beta_number(device):
    alpha = np.array([0.4, 2.0, 3.5])
    rows = qn.random.default_rng(1).dirichlet(alpha, size=(2, 3000), device=device)
    assert rows.shape == (2, 3000, 3) and rows.dtype == np.float64
    values = rows.get().reshape(-1, 3)
    assert np.abs(values.sum(axis=1) - 1).max() < 1e-14
    for k, a in enumerate(alpha):
        others = alpha.sum() - a
        fit = of_each(lambda x, a=a, others=others: beta_function(a, others, x))
        assert kolmogorov_smirnov(values[:, k], fit) > 1e-3
    total = alpha.sum()
    covariance = -np.outer(alpha, alpha) / (total**2 * (total + 1))
    off = ~np.eye(3, dtype=bool)
    assert np.abs(np.cov(values.T) - covariance)[off].max() < 0.005


def test_shares_of_tiny_weights_are_one_and_nothing(device):
    rng = qn.random.default_rng(2)
    for scale in (1e-4, 1e-12, 1e-200, 1e-310):
        values = rng.dirichlet(np.array([1, 2, 5]) * scale, size=4000, device=device).get()
        assert np.isfinite(values).all()
        assert np.abs(values.sum(axis=1) - 1).max() < 1e-12
        assert np.abs((values > 0.5).mean(axis=0) - np.array([1, 2, 5]) / 8).max() < 0.03
    float32 = rng.dirichlet([1e-4, 1e-4], size=1000, dtype=np.float32, device=device)
    assert float32.dtype == np.float32
    assert np.abs(float32.get().sum(axis=1) - 1).max() < 1e-6


def test_shapes_of_shares_are_those_of_numpy(device):
    rng, peer = qn.random.default_rng(3), np.random.default_rng(3)
    for alpha, size in (([1, 2], None), ([1, 2], ()), ([1, 2], 3), ([1, 2], (0, 3)), ([3], 2), ([], 2)):
        assert rng.dirichlet(alpha, size, device=device).shape == peer.dirichlet(alpha, size).shape
    assert rng.dirichlet([0, 3, 1], 50, device=device).get()[:, 0].max() == 0
    assert rng.dirichlet([0, 0], device=device).get().tolist() == [0, 0]
    on_device = qn.asarray(np.array([1.0, 2.0]), device=device)
    assert rng.dirichlet(on_device, 5).device == device


def test_outcomes_sum_to_the_trials_and_each_is_binomial(device):
    p = np.array([0.1, 0.25, 0.6, 0.05])
    rows = qn.random.default_rng(4).multinomial(30, p, size=40_000, device=device)
    assert rows.dtype == np.int64 and rows.shape == (40_000, 4)
    values = rows.get()
    assert (values.sum(axis=1) == 30).all() and values.min() >= 0
    for k in range(4):
        counts = np.bincount(values[:, k], minlength=31)
        assert chi_square(counts, binomial_probabilities(30, p[k])) > 1e-3
    expected = 30 * (np.diag(p) - np.outer(p, p))
    assert np.abs(np.cov(values.T) - expected).max() < 0.15


def test_trials_and_probabilities_broadcast_as_numpys(device):
    rng, peer = qn.random.default_rng(5), np.random.default_rng(5)
    single, pair = [0.2, 0.8], [[0.5, 0.5], [1.0, 0.0]]
    for n, p, size in (
        (7, single, None),
        (7, single, ()),
        (7, single, 3),
        ([7, 9], single, None),
        ([[7], [9]], single, None),
        ([7, 9], pair, None),
        ([[7], [9], [0]], pair, None),
        ([7, 9], pair, (4, 2)),
        (7, [1.0], 2),
        (7, single, (0, 2)),
    ):
        drawn, expected = rng.multinomial(n, p, size, device=device), peer.multinomial(n, p, size)
        assert drawn.shape == expected.shape
        assert np.array_equal(drawn.get().sum(axis=-1), expected.sum(axis=-1))
    certain = rng.multinomial([7, 9], pair, (50, 2), device=device).get()
    assert (certain[:, 1] == [9, 0]).all()
    assert len(set(certain[:, 0, 0].tolist())) > 2
    trials, p = qn.asarray(np.array([3, 4]), device=device), qn.asarray(np.array(single), device=device)
    assert rng.multinomial(trials, p).get().sum(axis=1).tolist() == [3, 4]


def test_colours_sum_to_the_sample_and_each_is_hypergeometric(device):
    colors = [12, 30, 8, 0]
    rng = qn.random.default_rng(6)
    for method in ("marginals", "count"):
        rows = rng.multivariate_hypergeometric(colors, 20, 30_000, method, device=device)
        assert rows.dtype == np.int64
        values = rows.get()
        assert (values.sum(axis=1) == 20).all() and values.min() >= 0 and (values <= colors).all()
        for k in range(3):
            fit = cells("hypergeometric", (colors[k], 50 - colors[k], 20), values[:, k])
            assert chi_square(*fit) > 1e-3
    assert rng.multivariate_hypergeometric([3, 4], 7, device=device).tolist() == [3, 4]
    assert rng.multivariate_hypergeometric([], 0, 3, device=device).shape == (3, 0)


@pytest.mark.parametrize("method", ["svd", "eigh", "cholesky"])
def test_normal_numbers_have_the_covariance(device, method):
    mean = np.array([1.0, -2.0, 30.0])
    rows = qn.random.default_rng(7).multivariate_normal(
        mean, COVARIANCE, (100, 300), method=method, device=device
    )
    assert rows.shape == (100, 300, 3) and rows.device == device
    values = rows.get().reshape(-1, 3)
    assert np.abs(values.mean(axis=0) - mean).max() < 5 * np.sqrt(4 / len(values))
    assert np.abs(np.cov(values.T) - COVARIANCE).max() < 0.12
    # Without the covariance they are independent normal numbers.
    plain = np.linalg.solve(np.linalg.cholesky(COVARIANCE), (values - mean).T)
    for row in plain:
        assert kolmogorov_smirnov(row[:5000], normal_distribution) > 1e-3
    other = qn.asarray(COVARIANCE, device=device)
    assert qn.random.default_rng(7).multivariate_normal(mean, other).device == device


def test_a_covariance_without_full_rank_is_one(device):
    covariance = np.array([[1.0, 2.0], [2.0, 4.0]])
    rng = qn.random.default_rng(8)
    values = rng.multivariate_normal([0, 1], covariance, 1000, check_valid="raise", device=device).get()
    assert np.abs(values[:, 1] - 1 - 2 * values[:, 0]).max() < 1e-6  # roots of rounding errors
    zero = rng.multivariate_normal([5.0], [[0.0]], 4, dtype=np.float32, device=device)
    assert zero.dtype == np.float32 and (zero.get() == 5).all()


def test_a_matrix_that_is_not_a_covariance_is_an_error():
    wrong = [[1.0, 2.0], [2.0, 1.0]]
    rng = qn.random.default_rng(9)
    with qn.device("host"):
        with pytest.warns(RuntimeWarning, match="positive-semidefinite"):
            rng.multivariate_normal([0, 0], wrong)
        with pytest.warns(RuntimeWarning, match="positive-semidefinite"):
            rng.multivariate_normal([0, 0], wrong, method="eigh")
        rng.multivariate_normal([0, 0], wrong, check_valid="ignore")
        rng.multivariate_normal([0, 0], [[1, 1e-3], [0, 1]], tol=1)  # within the given tolerance
        with pytest.raises(np.linalg.LinAlgError):
            rng.multivariate_normal([0, 0], wrong, method="cholesky")


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda rng: rng.dirichlet([-1, 1]), ValueError, "dirichlet: expected alpha >= 0"),
        (lambda rng: rng.dirichlet([[1, 1]]), ValueError, "dirichlet: expected a one-dimensional alpha"),
        (lambda rng: rng.dirichlet(3.0), ValueError, "dirichlet: expected a one-dimensional alpha"),
        (lambda rng: rng.dirichlet(["x"]), TypeError, "dirichlet: expected alpha to hold numbers"),
        (lambda rng: rng.multinomial(-5, [0.5, 0.5]), ValueError, "multinomial: expected n >= 0"),
        (lambda rng: rng.multinomial(1.5, [0.5, 0.5]), TypeError, "multinomial: n: expected an integer"),
        (
            lambda rng: rng.multinomial([1.5], [0.5, 0.5]),
            TypeError,
            "multinomial: expected n to hold integers",
        ),
        (
            lambda rng: rng.multinomial(5, [0.5, -0.5, 1]),
            ValueError,
            "multinomial: expected pvals from 0 to 1",
        ),
        (lambda rng: rng.multinomial(5, [0.7, 0.6, 0.1]), ValueError, r"multinomial: expected sum\(pvals"),
        (lambda rng: rng.multinomial(5, []), ValueError, "multinomial: expected pvals with at least one"),
        (lambda rng: rng.multinomial([5, 6], [0.5, 0.5], 3), ValueError, "multinomial: .*do not broadcast"),
        (lambda rng: rng.multivariate_hypergeometric([3, 4], 9), ValueError, "nsample from 0 to sum"),
        (lambda rng: rng.multivariate_hypergeometric([3, 4], -1), ValueError, "nsample from 0 to sum"),
        (lambda rng: rng.multivariate_hypergeometric([3, 4], [1]), TypeError, "nsample: expected an integer"),
        (lambda rng: rng.multivariate_hypergeometric([3.5, 4], 1), ValueError, "colors"),
        (lambda rng: rng.multivariate_hypergeometric([3, -1], 1), ValueError, "colors"),
        (lambda rng: rng.multivariate_hypergeometric([10**9, 1], 1), ValueError, "colors"),
        (
            lambda rng: rng.multivariate_hypergeometric([3], 1, method="x"),
            ValueError,
            "'marginals' or 'count'",
        ),
        (lambda rng: rng.multivariate_normal(0, [[1]]), ValueError, "one-dimensional mean"),
        (lambda rng: rng.multivariate_normal([0], [1]), ValueError, "square matrix"),
        (lambda rng: rng.multivariate_normal([0], np.eye(2)), ValueError, "mean has 1 numbers, cov 2 rows"),
        (lambda rng: rng.multivariate_normal([1j], [[1]]), TypeError, "real numbers"),
        (lambda rng: rng.multivariate_normal([0], [[1]], check_valid="x"), ValueError, "check_valid"),
        (lambda rng: rng.multivariate_normal([0], [[1]], method="x"), ValueError, "'svd', 'eigh'"),
        (
            lambda rng: rng.multivariate_normal([0, 0], [[1, 2], [2, 1]], check_valid="raise"),
            ValueError,
            "positive-semidefinite",
        ),
    ],
)
def test_mistakes_are_errors_before_anything_is_drawn(call, error, text):
    rng = qn.random.default_rng(1)
    before = rng.bit_generator.state
    with qn.device("host"), pytest.raises(error, match=text) as caught:
        call(rng)
    assert isinstance(caught.value, qn.ArgumentError)
    assert rng.bit_generator.state == before
