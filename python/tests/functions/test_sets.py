# SPDX-License-Identifier: MIT
"""Sets, counts, order statistics and differences, compared with NumPy."""

import numpy as np
import pytest

import quern as qn


def numbers(shape, dtype="float32", seed=0):
    return np.random.default_rng(seed).integers(0, 9, shape).astype(dtype)


def same(got, expected):
    expected = np.asarray(expected)
    assert got.shape == expected.shape
    np.testing.assert_allclose(got.get(), expected, rtol=1e-6)


def test_elements_are_found_among_others(device):
    a = numbers((4, 6))
    a[0, 0] = np.nan
    x = qn.asarray(a, device=device)
    for others in (np.array([3, 1, np.nan], np.float32), [2, 5]):
        same(qn.isin(x, others), np.isin(a, others))
        same(qn.isin(x.T, others, invert=True), np.isin(a.T, others, invert=True))
    same(qn.in1d(x, [3]), np.isin(a, [3]).ravel())


@pytest.mark.parametrize("name", ["intersect1d", "union1d", "setdiff1d", "setxor1d"])
def test_sets_are_numpys(device, name):
    a, b = numbers((3, 4)), numbers(5, seed=7)
    got = getattr(qn, name)(qn.asarray(a, device=device), qn.asarray(b, device=device))
    same(got, getattr(np, name)(a, b))


def test_numbers_are_counted(device):
    a, w = numbers(100, "int32"), np.random.default_rng(1).random(100, dtype=np.float32)
    x = qn.asarray(a, device=device)
    same(qn.bincount(x, minlength=12), np.bincount(a, minlength=12))
    same(qn.bincount(x[::2], qn.asarray(w, device=device)[::2]), np.bincount(a[::2], w[::2]))
    with pytest.raises(qn.ArgumentValueError, match="one dimension"):
        qn.bincount(x.reshape(10, 10))


def test_histograms_are_numpys(device):
    a = np.random.default_rng(2).random((20, 30), dtype=np.float32)
    x = qn.asarray(a, device=device)
    for options in ({}, {"bins": 7, "range": (0.1, 0.8), "density": True}, {"bins": [0, 0.25, 1]}):
        got, edges = qn.histogram(x.T, **options)
        expected, limits = np.histogram(a.T, **options)
        same(got, expected)
        same(edges, limits)


def test_bins_are_a_number_or_edges_or_a_rule(device):
    with pytest.raises(qn.ArgumentValueError, match=r"bins: .* got 'many'"):
        qn.histogram(qn.zeros(3, "float32", device), bins="many")
    with pytest.raises(qn.ArgumentTypeError, match="bins: expected an integer, edges"):
        qn.histogram(qn.zeros(3, "float32", device), bins=2.5)
    with pytest.raises(qn.ArgumentTypeError, match="not support weights"):
        qn.histogram(qn.zeros(3, "float32", device), bins="auto", weights=qn.ones(3, device=device))


@pytest.mark.parametrize("name", ["isin", "intersect1d", "union1d", "setdiff1d", "setxor1d"])
def test_sets_on_two_devices_are_refused(device, other_device, name):
    x, y = qn.zeros(3, "float32", device), qn.zeros(3, "float32", other_device)
    with pytest.raises(qn.ArgumentValueError, match=f"{name}: .* to_device"):
        getattr(qn, name)(x, y)


def test_elements_are_put_into_bins(device):
    a = numbers((3, 5))
    x = qn.asarray(a, device=device)
    for edges in ([1, 3, 5.5], [5.5, 3, 1]):
        for right in (False, True):
            same(qn.digitize(x, edges, right), np.digitize(a, edges, right))
    with pytest.raises(qn.ArgumentValueError, match="bins"):
        qn.digitize(x, [1, 3, 2])


def test_order_statistics_are_numpys(device):
    a = np.random.default_rng(3).random((4, 7), dtype=np.float32)
    a[1, 2] = np.nan
    x = qn.asarray(a, device=device)
    for axis in (None, 0, 1):
        same(qn.median(x, axis), np.median(a, axis))
        same(qn.median(x, axis, keepdims=True), np.median(a, axis, keepdims=True))
        same(qn.quantile(x, 0.3, axis), np.quantile(a, np.float32(0.3), axis))
        same(
            qn.percentile(x, [0, 35, 100], axis, keepdims=True),
            np.percentile(a, [0, 35, 100], axis, keepdims=True),
        )
    for method in ("lower", "higher", "nearest", "midpoint"):
        same(qn.quantile(x, 0.4, 1, method=method), np.quantile(a, 0.4, 1, method=method))
    with pytest.raises(qn.ArgumentValueError, match="from 0 to 1"):
        qn.quantile(x, 1.5)
    for function in (qn.median, lambda x, axis=None: qn.quantile(x, [0.1, 0.7], axis)):
        assert np.isnan(function(x[:0]).get()).all()
        assert np.isnan(function(x[:, :0].astype("int32"), 1).get()).all()
    with pytest.raises(qn.ArgumentValueError, match="int32"):
        qn.quantile(x[:0].astype("int32"), 0.5, method="lower")


def test_order_statistics_go_over_several_axes(device):
    a = np.random.default_rng(4).integers(0, 50, (3, 4, 2))
    x = qn.asarray(a, device=device)
    for keepdims in (False, True):
        same(qn.median(x, (0, 2), keepdims=keepdims), np.median(a, (0, 2), keepdims=keepdims))
        same(
            qn.quantile(x, [[0.2, 0.5]], (-1, 0), keepdims=keepdims),
            np.quantile(a, [[0.2, 0.5]], (-1, 0), keepdims=keepdims),
        )


def test_differences_with_ends_are_numpys(device):
    a = numbers((3, 6))
    x = qn.asarray(a, device=device)
    same(qn.ediff1d(x, to_end=[1, 2], to_begin=9), np.ediff1d(a, to_end=[1, 2], to_begin=9))


def test_slopes_and_integrals_are_numpys(device):
    a = numbers((4, 5))
    x = qn.asarray(a, device=device)
    for got, expected in zip(qn.gradient(x, 0.5, 2.0), np.gradient(a, 0.5, 2.0), strict=True):
        same(got, expected)
    same(qn.gradient(x, axis=1), np.gradient(a, axis=1))
    places = np.array([0, 1, 3, 4, 8], np.float32)
    same(qn.trapezoid(x, qn.asarray(places, device=device)), np.trapezoid(a, places))
    same(qn.trapezoid(x, dx=2, axis=0), np.trapezoid(a, dx=2, axis=0))


def test_values_between_points_are_numpys(device):
    xp, fp = np.array([1.0, 2, 4, 4, 7]), np.array([3.0, -1, 5, 6, 0])
    a = np.array([[0, 1, 1.5], [3, 4, 7], [9, np.nan, 6]])
    if not device.has_fp64:
        pytest.skip("no float64")
    x, p, f = (qn.asarray(b, device=device) for b in (a, xp, fp))
    same(qn.interp(x, p, f), np.interp(a, xp, fp))
    same(qn.interp(x, p, f, left=-9, right=99), np.interp(a, xp, fp, left=-9, right=99))


def test_integers_of_both_kinds_are_told_apart_exactly(device):
    signed, unsigned = np.array([2**53 + 1, -1, 7]), np.array([2**53, 7, 2**64 - 1], dtype=np.uint64)
    for a, b in ((signed, unsigned), (unsigned, signed)):
        got = qn.isin(qn.asarray(a, device=device), qn.asarray(b, device=device))
        np.testing.assert_array_equal(got.get(), [int(v) in {int(w) for w in b} for v in a])


def test_statistics_of_many_small_floats_do_not_count_in_them(device):
    if not device.has_fp16:
        pytest.skip("no float16")
    # float16 counts to 2048 and ends at 65504; NumPy's own of it overflow, those of float64 are the oracle.
    a = np.random.default_rng(5).random((2, 70000)).astype(np.float16)
    a[:, 1::7] = np.nan
    a[0, :5] = 3000
    x, wide, kept = qn.asarray(a, device=device), a.astype(np.float64), ~np.isnan(a)
    for name in ("nanmean", "nanvar", "nanstd"):
        found = getattr(qn, name)(x, axis=1)
        assert found.dtype == np.float16
        np.testing.assert_allclose(found.get(), getattr(np, name)(wide, axis=1), rtol=2e-3)
    for name in ("mean", "var", "std"):
        found = getattr(qn, name)(x, where=kept, axis=1)
        assert found.dtype == np.float16
        np.testing.assert_allclose(found.get(), getattr(np, name)(wide, where=kept, axis=1), rtol=2e-3)
    parts = [0, 0.123, 0.5, 0.9999, 1]
    for found in (qn.nanquantile(x, parts, 1), qn.nanpercentile(x, np.multiply(parts, 100), 1)):
        assert found.dtype == np.float64  # that of the parts, as in NumPy
        np.testing.assert_allclose(found.get(), np.nanquantile(wide, parts, 1), rtol=1e-3)
    large = np.array([60000, 50000, np.nan], np.float16)
    for function in (qn.nanmedian, qn.nanmean):
        assert function(qn.asarray(large, device=device)).get() == np.median(large[:2])
    assert qn.median(qn.asarray(large[:2], device=device)).get() == np.median(large[:2])


def test_the_median_of_no_elements_is_nan(device):
    x = qn.zeros((3, 0), "float32", device)
    for axis in (None, 1):
        for keepdims in (False, True):
            with np.errstate(all="ignore"), pytest.warns(RuntimeWarning):
                expected = np.nanmedian(x.get(), axis, keepdims=keepdims)
            for found in (qn.nanmedian, lambda x, *a, **k: qn.nanquantile(x, 0.4, *a, **k)):
                same(found(x, axis, keepdims=keepdims), expected)
    assert np.isnan(qn.nanquantile(x.astype("int32"), [0.2, 0.5], 1).get()).tolist() == [[True] * 3] * 2


RULES = ["auto", "fd", "doane", "scott", "stone", "rice", "sturges", "sqrt"]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.filterwarnings("ignore:The number of bins estimated")
def test_rules_for_the_number_of_bins_are_numpys(rule):
    rng = np.random.default_rng(11)
    for a in (
        rng.normal(size=200),
        rng.exponential(size=77),
        rng.integers(0, 40, 60),
        np.ones(5),
        np.arange(2),
    ):
        x = qn.asarray(a, device="host")
        same(qn.histogram_bin_edges(x, rule), np.histogram_bin_edges(a, rule))
        for got, expected in zip(qn.histogram(x, rule), np.histogram(a, rule), strict=True):
            same(got, expected)
        inside = (a.min(), (a.min() + a.max() + 1) / 2)
        same(qn.histogram_bin_edges(x, rule, inside), np.histogram_bin_edges(a, rule, inside))


def test_edges_of_bins_are_numpys(device):
    a = np.random.default_rng(12).random((5, 6), dtype=np.float32)
    x = qn.asarray(a, device=device)
    same(qn.histogram_bin_edges(x), np.histogram_bin_edges(a))
    same(qn.histogram_bin_edges(x, 4, (0, 2)), np.histogram_bin_edges(a, 4, (0, 2)))
    same(qn.histogram_bin_edges(x, [0, 1, 4]), np.histogram_bin_edges(a, [0, 1, 4]))
    same(qn.histogram_bin_edges(x, "sqrt"), np.histogram_bin_edges(a, "sqrt"))


def test_histograms_of_several_variables_are_numpys(device):
    rng = np.random.default_rng(13)
    a, b = rng.random(300, dtype=np.float32), rng.integers(0, 9, 300).astype(np.float32)
    w = rng.integers(0, 5, 300).astype(np.float32)
    x, y, v = (qn.asarray(one, device=device) for one in (a, b, w))
    for bins in (4, [3, 5], [[0, 0.5, 1], 4], [0, 0.5, 1, 8], np.array([0.0, 1, 2, 3])):
        for options in ({}, {"density": True}, {"range": [(0, 0.75), (1, 7)]}, {"range": [None, (0, 8)]}):
            got = qn.histogram2d(x, y, bins, **options)
            for one, expected in zip(got, np.histogram2d(a, b, bins, **options), strict=True):
                same(one, expected)
    same(qn.histogram2d(x, y, 3, weights=v)[0], np.histogram2d(a, b, 3, weights=w)[0])
    sample = np.stack([a, b, w], axis=1)
    got, edges = qn.histogramdd(qn.asarray(sample, device=device), (2, 3, [0, 2, 4]), density=True)
    expected, limits = np.histogramdd(sample, (2, 3, [0, 2, 4]), density=True)
    same(got, expected)
    assert isinstance(edges, list)
    for one, other in zip(edges, limits, strict=True):
        same(one, other)
    same(qn.histogramdd([x, y], 2)[0], np.histogramdd([a, b], 2)[0])
    for bins in ([2], 0, [[3, 1], 2]):
        with pytest.raises(qn.ArgumentValueError, match="histogramdd: bins"):
            qn.histogramdd([x, y], bins)


METHODS = [
    "inverted_cdf",
    "averaged_inverted_cdf",
    "closest_observation",
    "interpolated_inverted_cdf",
    "hazen",
    "weibull",
    "linear",
    "median_unbiased",
    "normal_unbiased",
    "lower",
    "higher",
    "midpoint",
    "nearest",
]


@pytest.mark.parametrize("method", METHODS)
def test_all_methods_of_quantiles_are_numpys(device, method):
    rng = np.random.default_rng(14)
    parts = [0, 0.1, 0.25, 1 / 3, 0.5, 0.625, 0.9, 1]
    for count in (1, 2, 4, 7, 16):
        a = rng.integers(0, 50, (3, count)).astype(np.float32)
        x = qn.asarray(a, device=device)
        for q in (parts, np.array(parts, np.float32)):
            found, expected = qn.quantile(x, q, 1, method=method), np.quantile(a, q, 1, method=method)
            same(found, expected)
            assert found.dtype == expected.dtype
        same(qn.percentile(x, [15, 60], method=method), np.percentile(a, [15, 60], method=method))
        whole = a.astype(np.int32)
        found = qn.quantile(qn.asarray(whole, device=device), 0.4, 0, method=method)
        expected = np.quantile(whole, 0.4, 0, method=method)
        same(found, expected)
        assert found.dtype == expected.dtype


@pytest.mark.parametrize("method", METHODS)
def test_all_methods_of_quantiles_leave_nan_out(device, method):
    rng = np.random.default_rng(15)
    parts = [0, 0.1, 0.25, 0.5, 0.625, 0.9, 1]
    a = rng.integers(0, 50, (6, 9)).astype(np.float32)
    a[rng.random(a.shape) < 0.3] = np.nan
    a[2] = np.nan
    x = qn.asarray(a, device=device)
    with np.errstate(all="ignore"), pytest.warns(RuntimeWarning):
        expected = np.nanquantile(a, parts, 1, method=method)
    found = qn.nanquantile(x, parts, 1, method=method)
    same(found, expected)
    assert found.dtype == expected.dtype
    same(qn.nanpercentile(x, 30, method=method), np.nanpercentile(a, 30, method=method))


def test_quantiles_take_weights(device):
    rng = np.random.default_rng(16)
    a = rng.integers(0, 50, (4, 7)).astype(np.float32)
    w = rng.integers(0, 4, (4, 7)).astype(np.float32)
    w[:, 3] = 2
    x, v = qn.asarray(a, device=device), qn.asarray(w, device=device)
    parts = [0, 0.2, 0.5, 1]
    for axis in (None, 0, 1):
        if axis == 0:
            w[0], v[0] = 1, 1
        options = {"axis": axis, "method": "inverted_cdf"}
        same(qn.quantile(x, parts, weights=v, **options), np.quantile(a, parts, weights=w, **options))
        same(qn.percentile(x, 40, weights=v, **options), np.percentile(a, 40, weights=w, **options))
    each = np.array([1, 0, 2, 1, 0, 0, 3], np.float32)
    own = qn.asarray(each, device=device)
    options = {"axis": 1, "method": "inverted_cdf"}
    same(qn.quantile(x, 0.3, weights=own, **options), np.quantile(a, 0.3, weights=each, **options))
    a[1, 2] = a[3, 0] = np.nan
    x = qn.asarray(a, device=device)
    same(qn.nanquantile(x, parts, weights=v, **options), np.nanquantile(a, parts, weights=w, **options))
    same(qn.quantile(x, parts, weights=v, **options), np.quantile(a, parts, weights=w, **options))
    with pytest.raises(qn.ArgumentValueError, match="only the method 'inverted_cdf'"):
        qn.quantile(x, 0.5, weights=v)
    with pytest.raises(qn.ArgumentValueError, match="must not be negative"):
        qn.quantile(x, 0.5, weights=-v, method="inverted_cdf")
    with pytest.raises(qn.ArgumentValueError, match="all zero"):
        qn.quantile(x, 0.5, weights=v * 0, method="inverted_cdf")


@pytest.mark.parametrize(
    "call",
    [
        lambda m, x, out: m.median(x, 1, out),
        lambda m, x, out: m.nanmedian(x, 1, out=out),
        lambda m, x, out: m.quantile(x, 0.3, 1, out),
        lambda m, x, out: m.nanpercentile(x, 30, axis=1, out=out),
        lambda m, x, out: m.nansum(x, 1, out=out, initial=3),
        lambda m, x, out: m.nanprod(x, 1, None, out),
        lambda m, x, out: m.nanmax(x, 1, out),
        lambda m, x, out: m.nanmin(x, 1, out=out),
        lambda m, x, out: m.nanmean(x, 1, out=out),
        lambda m, x, out: m.nanvar(x, 1, out=out, correction=1),
        lambda m, x, out: m.nanstd(x, 1, None, out, 1),
    ],
)
def test_statistics_go_into_the_array_that_was_given(device, call):
    a = numbers((4, 7), seed=17)
    expected, out = np.zeros(4, np.float32), qn.zeros(4, "float32", device)
    call(np, a, expected)
    assert call(qn, qn.asarray(a, device=device), out) is out
    np.testing.assert_allclose(out.get(), expected, rtol=1e-5)


def test_reductions_without_nan_take_masks(device):
    a = numbers((4, 7), seed=18)
    a[1, :3] = a[2, 5] = np.nan
    mask = np.random.default_rng(19).random((4, 7)) < 0.7
    mask[:, 6] = True
    x, where = qn.asarray(a, device=device), qn.asarray(mask, device=device)
    for name in ("nansum", "nanprod", "nanmean", "nanvar", "nanstd"):
        found = getattr(qn, name)(x, 1, where=where)
        np.testing.assert_allclose(found.get(), getattr(np, name)(a, 1, where=mask), rtol=1e-5)
    for name in ("nanmax", "nanmin"):
        same(getattr(qn, name)(x, 1, initial=4, where=where), getattr(np, name)(a, 1, initial=4, where=mask))
    middle = np.nanmean(a, 1, keepdims=True)
    found = qn.nanvar(x, 1, mean=qn.asarray(middle, device=device))
    np.testing.assert_allclose(found.get(), np.nanvar(a, 1, mean=middle), rtol=1e-5)


def test_covariances_take_weights(device):
    rng = np.random.default_rng(20)
    a = rng.random((3, 8)).astype(np.float32)
    x = qn.asarray(a, device=device)
    often, much = np.array([1, 2, 0, 3, 1, 1, 2, 1]), rng.random(8)
    for options in (
        {"fweights": often},
        {"aweights": much},
        {"fweights": often, "aweights": much, "ddof": 0},
        {"fweights": often, "aweights": much, "bias": False},
        {"ddof": 2, "dtype": np.float32},
    ):
        np.testing.assert_allclose(qn.cov(x, **options).get(), np.cov(a, **options), rtol=1e-4)
    np.testing.assert_allclose(qn.corrcoef(x, x[:1]).get(), np.corrcoef(a, a[:1]), rtol=1e-4, atol=1e-6)
    with pytest.raises(qn.ArgumentTypeError, match="fweights: expected integers"):
        qn.cov(x, fweights=much)
    with pytest.raises(qn.ArgumentValueError, match="aweights: weights must not be negative"):
        qn.cov(x, aweights=-much)


def test_sets_take_all_keywords_of_numpys(device):
    a, b = np.array([5, 3, 3, 1, 8], np.int32), np.array([1, 9, 5], np.int32)
    x, y = qn.asarray(a, device=device), qn.asarray(b, device=device)
    for got, expected in zip(
        qn.intersect1d(x, y, return_indices=True), np.intersect1d(a, b, return_indices=True), strict=True
    ):
        same(got, expected)
    same(qn.isin(x, y, False, True), np.isin(a, b, False, True))
    same(qn.isin(element=x, test_elements=y, kind="sort"), np.isin(a, b))
    same(qn.setdiff1d(x[[0, 1, 3]], y, True), np.setdiff1d(a[[0, 1, 3]], b, assume_unique=True))
    with pytest.raises(qn.ArgumentValueError, match="kind: expected 'sort'"):
        qn.isin(x, y, kind="hash")


def test_numpys_functions_find_these(device):
    a = np.random.default_rng(21).random((3, 9), dtype=np.float32)
    x = qn.asarray(a, device=device)
    calls = (
        lambda a: np.quantile(a, 0.3, axis=1, method="hazen"),
        lambda a: np.nanpercentile(a, [20, 50], axis=0),
        lambda a: np.median(a, axis=0, keepdims=True),
        lambda a: np.partition(a, 4, axis=1)[:, 4],
        lambda a: np.cov(a, aweights=np.arange(9)),
        lambda a: np.histogram(a, bins=[0, 0.5, 1])[0],
        lambda a: np.histogram2d(a[0], a[1], bins=3)[0],
        lambda a: np.histogramdd([a[0], a[1]], bins=[2, 3])[0],
        lambda a: np.histogram_bin_edges(a, bins="rice"),
        lambda a: np.isin(a, a[0], invert=True),
        lambda a: np.setdiff1d(a, a[1]),
        lambda a: np.digitize(a, [0.2, 0.6]),
        lambda a: np.unique(a[0] > 0.5, return_counts=True)[1],
    )
    for call in calls:
        found = call(x)
        assert isinstance(found, qn.Array)
        np.testing.assert_allclose(found.get(), call(a), rtol=1e-4)
    out = qn.zeros(3, "float32", device)
    assert np.median(x, axis=1, out=out) is out
    np.testing.assert_allclose(out.get(), np.median(a, axis=1))


def test_more_bins_than_the_type_has_numbers_for_are_an_error(device):
    for values in (np.array([9.125, 9.0546875], np.float16), np.array([1, 1 + 2**-22], np.float32)):
        if values.dtype == np.float16 and not device.has_fp16:
            continue
        x = qn.asarray(values, device=device)
        for function in ("histogram", "histogram_bin_edges"):
            with pytest.raises(ValueError):
                getattr(np, function)(values, 100)
            with pytest.raises(qn.ArgumentValueError, match="bins"):
                getattr(qn, function)(x, 100)
