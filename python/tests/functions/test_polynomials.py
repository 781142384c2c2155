# SPDX-License-Identifier: MIT
"""Polynomials by their coefficients, with NumPy as the oracle."""

import numpy as np
import pytest

import quern as qn

A, B = np.array([0, 2, 0, 3, 1]), np.array([1, -2, 4])


def on(device, *values):
    return [qn.asarray(value, device=device) for value in values]


@pytest.fixture
def wide(device):
    if not device.has_fp64:
        pytest.skip("compared in float64")
    return device


@pytest.mark.parametrize("name", ["polyadd", "polysub", "polymul"])
@pytest.mark.parametrize("dtype", ["i4", "f4", "c8"])
def test_arithmetic_is_numpys(device, name, dtype):
    a, b = A.astype(dtype), B.astype(dtype)
    for one, other in ((a, b), (b, a)):
        made = getattr(qn, name)(*on(device, one, other))
        np.testing.assert_allclose(made.get(), getattr(np, name)(one, other), rtol=1e-6)
    assert qn.polymul(*on(device, a * 0, b)).get().tolist() == np.polymul(a * 0, b).tolist()


@pytest.mark.parametrize(("u", "v"), [(A[1:], B), (B, A[1:]), ([1, 5, 6], [1, 3]), ([2], [4])], ids=str)
def test_quotients_and_remainders_are_numpys(wide, u, v):
    u, v = np.array(u, float), np.array(v, float)
    for ours, theirs in zip(qn.polydiv(*on(wide, u, v)), np.polydiv(u, v), strict=True):
        np.testing.assert_allclose(ours.get(), theirs, atol=1e-12)


@pytest.mark.parametrize("m", [0, 1, 2, 7])
def test_derivatives_and_integrals_are_numpys(wide, m):
    (p,) = on(wide, A)
    made, expected = qn.polyder(p, m), np.polyder(A, m)
    assert made.shape == expected.shape
    np.testing.assert_array_equal(made.get(), expected)
    np.testing.assert_allclose(qn.polyint(p, m).get(), np.polyint(A, m))
    constants = np.arange(1.0, max(m, 1) + 1)
    np.testing.assert_allclose(qn.polyint(p, m, on(wide, constants)[0]).get(), np.polyint(A, m, constants))
    np.testing.assert_allclose(qn.polyint(p, m, 3).get(), np.polyint(A, m, 3))


def test_wrong_orders_are_refused(device):
    (p,) = on(device, B.astype("f4"))
    with pytest.raises(ValueError, match="polyder: m is -1"):
        qn.polyder(p, -1)
    with pytest.raises(ValueError, match="polyint: k has 2 constants, but m is 3"):
        qn.polyint(p, 3, [1, 2])


@pytest.mark.parametrize("zeros", [[1, 2, -3], [0.5], [1 + 2j, 1 - 2j, 3], [1j, 2]], ids=str)
def test_polynomials_with_zeros_are_numpys(wide, zeros):
    made, expected = qn.poly(*on(wide, np.array(zeros))), np.poly(zeros)
    assert made.dtype == expected.dtype
    np.testing.assert_allclose(made.get(), expected)


def test_fits_are_numpys(wide):
    rng = np.random.default_rng(3)
    x = np.linspace(-3, 5, 200)
    y = 2 * x**3 - x + 4 + rng.normal(size=200)
    places, values = on(wide, x, y)
    for degree in (0, 1, 3, 8):
        np.testing.assert_allclose(
            qn.polyfit(places, values, degree).get(), np.polyfit(x, y, degree), rtol=1e-7, atol=1e-9
        )
    weights = rng.uniform(0.5, 2, 200)
    np.testing.assert_allclose(
        qn.polyfit(places, values, 3, w=on(wide, weights)[0]).get(), np.polyfit(x, y, 3, w=weights), rtol=1e-8
    )
    both = np.stack([y, -2 * y + x], 1)
    np.testing.assert_allclose(
        qn.polyfit(places, *on(wide, both), 3).get(), np.polyfit(x, both, 3), rtol=1e-8, atol=1e-9
    )


def test_fits_tell_all_that_numpys_tell(wide):
    rng = np.random.default_rng(4)
    x = np.linspace(0, 4, 30)
    y = np.sin(x) + rng.normal(size=30) / 10
    places, values = on(wide, x, y)
    for ours, theirs in zip(
        qn.polyfit(places, values, 3, full=True), np.polyfit(x, y, 3, full=True), strict=True
    ):
        np.testing.assert_allclose(ours.get(), theirs, rtol=1e-7)
    for cov in (True, "unscaled"):
        for ours, theirs in zip(
            qn.polyfit(places, values, 3, cov=cov), np.polyfit(x, y, 3, cov=cov), strict=True
        ):
            np.testing.assert_allclose(ours.get(), theirs, rtol=1e-6)


@pytest.mark.filterwarnings("ignore::numpy.exceptions.RankWarning")
def test_fits_of_too_few_places_are_the_shortest(wide):
    x, y = np.array([1.0, 2.0, 2.0]), np.array([3.0, 5.0, 6.0])
    ours = qn.polyfit(*on(wide, x, y), 4, full=True)
    theirs = np.polyfit(x, y, 4, full=True)
    np.testing.assert_allclose(ours[0].get(), theirs[0], rtol=1e-8)
    assert int(ours[2]) == theirs[2] and ours[1].size == len(theirs[1])


def test_complex_values_are_fitted(wide):
    x = np.linspace(0, 1, 20)
    y = (1 + 2j) * x**2 + 3j
    np.testing.assert_allclose(qn.polyfit(*on(wide, x, y), 2).get(), np.polyfit(x, y, 2), atol=1e-12)


def test_what_cannot_be_fitted_is_refused(device):
    x = qn.ones(4, "float32", device)
    for arguments, message in (
        ((x, x[:3], 1), "different lengths"),
        ((x, x, -1), "deg is -1"),
        ((x.reshape(2, 2), x, 1), "x must have one dimension"),
    ):
        with pytest.raises(qn.ArgumentError, match=message):
            qn.polyfit(*arguments)


def sorted_roots(values):
    return np.sort_complex(np.round(np.asarray(values, complex), 6))


@pytest.mark.parametrize(
    "p",
    [
        [1, -3, 2],
        [1, 0, 1],
        [0, 0, 2, -3, 0.5, 4, 0, 0],
        [1, 2j, -3],
        [3, 0, 0],
        [5],
        [0, 0],
        [],
    ],
    ids=str,
)
def test_roots_are_numpys(wide, p):
    p = np.array(p)
    ours, theirs = qn.roots(on(wide, p)[0]), np.roots(p)
    assert ours.shape == theirs.shape
    assert ours.dtype.kind == theirs.dtype.kind or p.size == 0
    np.testing.assert_allclose(sorted_roots(ours.get()), sorted_roots(theirs), atol=1e-6)


def test_roots_of_a_matrix_are_refused(device):
    with pytest.raises(ValueError, match="roots: coefficients must have one dimension"):
        qn.roots(qn.zeros((2, 2), "float32", device))


@pytest.mark.parametrize(
    "matrix", [[[2, 1], [1, 3]], [[0, -1], [1, 0]], [[1, 2, 0], [0, 3, 4], [5, 0, 6]]], ids=str
)
def test_polynomials_of_matrices_are_numpys(wide, matrix):
    matrix = np.array(matrix, float)
    ours = qn.poly(on(wide, matrix)[0])
    assert ours.dtype.kind == "f"
    np.testing.assert_allclose(ours.get(), np.poly(matrix), atol=1e-10)


def test_poly1d_is_numpys_and_takes_arrays_of_devices(wide):
    x = np.linspace(-2, 2, 9)
    (ours,) = on(wide, x)
    p, q = qn.poly1d([1, -2, 0.5]), qn.poly1d(on(wide, np.array([2.0, 1.0]))[0])
    theirs, other = np.poly1d([1, -2, 0.5]), np.poly1d([2.0, 1.0])
    made = [p + q, p - q, p * q, p / q, 3 * p, p * 3, 3 - p, -p, p**2, p.deriv(), p.integ(2, k=[1, 2]), p(q)]
    expected = [
        theirs + other,
        theirs - other,
        theirs * other,
        theirs / other,
        3 * theirs,
        theirs * 3,
        3 - theirs,
    ]
    expected += [-theirs, theirs**2, theirs.deriv(), theirs.integ(2, k=[1, 2]), theirs(other)]
    for one, wanted in zip(made, expected, strict=True):
        pairs = zip(one, wanted, strict=True) if isinstance(one, tuple) else [(one, wanted)]
        for polynomial, numpys in pairs:
            assert type(polynomial) is qn.poly1d and polynomial == numpys
            values = polynomial(ours)
            assert isinstance(values, qn.Array) and values.device == ours.device
            np.testing.assert_allclose(values.get(), numpys(x), atol=1e-12)
    assert p(2.0) == theirs(2.0) and repr(p) == repr(theirs) and str(p) == str(theirs)
    np.testing.assert_array_equal(p.roots, theirs.roots)
    np.testing.assert_array_equal(qn.poly1d([1, 2], r=True, variable="y").coeffs, [1, -3, 2])
