# SPDX-License-Identifier: MIT
"""Sets, counts, order statistics and differences, beside NumPy's."""

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
    with pytest.raises(qn.ArgumentValueError, match="one axis"):
        qn.bincount(x.reshape(10, 10))


def test_histograms_are_numpys(device):
    a = np.random.default_rng(2).random((20, 30), dtype=np.float32)
    x = qn.asarray(a, device=device)
    for options in ({}, {"bins": 7, "range": (0.1, 0.8), "density": True}, {"bins": [0, 0.25, 1]}):
        got, edges = qn.histogram(x.T, **options)
        expected, limits = np.histogram(a.T, **options)
        same(got, expected)
        same(edges, limits)


def test_bins_are_a_number_or_edges(device):
    with pytest.raises(qn.ArgumentValueError, match=r"bins: .* got 'auto'"):
        qn.histogram(qn.zeros(3, "float32", device), bins="auto")


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
        same(qn.median(x, (0, 2), keepdims), np.median(a, (0, 2), keepdims=keepdims))
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


def test_the_middle_of_nothing_is_not_a_number(device):
    x = qn.zeros((3, 0), "float32", device)
    for axis in (None, 1):
        for keepdims in (False, True):
            with np.errstate(all="ignore"), pytest.warns(RuntimeWarning):
                expected = np.nanmedian(x.get(), axis, keepdims=keepdims)
            for found in (qn.nanmedian, lambda x, *a, **k: qn.nanquantile(x, 0.4, *a, **k)):
                same(found(x, axis, keepdims=keepdims), expected)
    assert np.isnan(qn.nanquantile(x.astype("int32"), [0.2, 0.5], 1).get()).tolist() == [[True] * 3] * 2
