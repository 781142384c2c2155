# SPDX-License-Identifier: MIT
"""Matrices without a result, or at the ends of the range of numbers: an error with its line, or NumPy's result."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import quern as qn

DTYPES = ["float32", "float64", "complex64", "complex128"]


def normal(rng, shape, dtype):
    values = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(dtype)


def rank_one(n, dtype):
    line = np.round(4 * normal(np.random.default_rng(n), n, dtype).real)
    return np.outer(line, line).astype(dtype)


def is_told_or_huge(call, dtype):
    """A GPU's library and fused operations leave a pivot of rounding errors, as LAPACK may: then the inverse is huge."""
    try:
        return np.abs(call().get()).max() > 1e-3 / np.finfo(dtype).eps
    except qn.linalg.LinAlgError:
        return True


@pytest.mark.parametrize("dtype", DTYPES)
def test_two_equal_rows_are_singular(device, provider, dtype):
    """Also where an element times its reciprocal is not one."""
    factor = 1 + 2j if np.dtype(dtype).kind == "c" else 1
    sides = range(1, 60) if device.backend == "host" else (5, 41, 49)
    for side in sides:
        a = qn.asarray(np.array([[side, 1], [side, 1]], dtype) * np.dtype(dtype).type(factor), device=device)
        if device.backend == "cuda":
            assert is_told_or_huge(lambda a=a: qn.linalg.inv(a), dtype)
            assert abs(qn.linalg.det(a).get()) <= 10 * np.finfo(dtype).eps * abs(side * factor**2)
            continue
        for call in (lambda a=a: qn.linalg.inv(a), lambda a=a: qn.linalg.solve(a, a[0])):
            with pytest.raises(qn.linalg.LinAlgError, match=r"Singular matrix.*test_linalg_hostile\.py"):
                call().get()
        assert qn.linalg.det(a).get() == 0
        assert qn.linalg.slogdet(a)[1].get() == -np.inf


@pytest.mark.parametrize("n", [2, 5, 16, 17, 40])
@pytest.mark.parametrize("dtype", DTYPES)
def test_determinants_of_tiny_matrices_are_zero(device, provider, dtype, n):
    # Subnormal numbers, whose reciprocals are infinite.
    a = normal(np.random.default_rng(n), (n, n), dtype) * np.finfo(dtype).tiny / 64
    det = qn.linalg.det(qn.asarray(a.astype(dtype), device=device)).get()
    # cuSOLVER, which factorises matrices of more than 32 rows, divides by the subnormal pivots.
    assert det == 0 or (device.backend == "cuda" and n > 32 and np.isnan(det))


@pytest.mark.parametrize("n", [5, 33, 130])
@pytest.mark.parametrize("dtype", DTYPES)
def test_matrices_of_rank_one_have_one_value(device, provider, dtype, n):
    a = rank_one(n, dtype)
    x, size = qn.asarray(a, device=device), np.linalg.norm(a.astype("complex128"))
    bound = 30 * n * np.finfo(dtype).eps * size
    expected = np.zeros(n)
    expected[0] = size
    np.testing.assert_allclose(qn.linalg.svdvals(x).get(), expected, atol=bound)
    np.testing.assert_allclose(qn.linalg.eigvalsh(x).get()[::-1], expected, atol=bound)
    w, v = (part.get() for part in qn.linalg.eigh(x))
    np.testing.assert_allclose((v * w) @ v.conj().T, a, atol=bound)
    assert abs(qn.linalg.eigvals(x).get()).max() == pytest.approx(size, rel=1e-3)
    q, r = (part.get() for part in qn.linalg.qr(x))
    np.testing.assert_allclose(q @ r, a, atol=bound)
    np.testing.assert_allclose(q.conj().T @ q, np.eye(n), atol=30 * n * np.finfo(dtype).eps)


@pytest.mark.parametrize("end", ["tiny", "max"])
@pytest.mark.parametrize("n", [5, 33])
@pytest.mark.parametrize("dtype", DTYPES)
def test_values_at_the_ends_of_the_range_are_numpys(device, provider, dtype, n, end):
    """Squares of the elements would overflow or vanish."""
    scale = np.finfo(dtype).max / (100 * n) if end == "max" else np.finfo(dtype).tiny * 2**20
    a = (normal(np.random.default_rng(n), (n, n), dtype) * scale).astype(dtype)
    a = (a + a.conj().T) / 2
    x = qn.asarray(a, device=device)
    bound = 100 * n * np.finfo(dtype).eps
    for name in ("svdvals", "eigvalsh"):
        expected = getattr(np.linalg, name)(a) / scale
        np.testing.assert_allclose(getattr(qn.linalg, name)(x).get() / scale, expected, atol=bound)
    got, expected = qn.linalg.eigvals(x).get() / scale, np.linalg.eigvalsh(a) / scale
    np.testing.assert_allclose(np.sort(got.real), expected, atol=bound)


# What is computed, and whether it goes through singular values, for which NumPy may not end if a number is not finite.
FUNCTIONS = {
    "solve": (lambda m, a: m.solve(a, a[..., :2]), False),
    "inv": (lambda m, a: m.inv(a), False),
    "matrix_power": (lambda m, a: m.matrix_power(a, -2), False),
    "tensorinv": (lambda m, a: m.tensorinv(a, ind=1) if a.ndim == 2 else m.inv(a), False),
    "det": (lambda m, a: m.det(a), False),
    "cholesky": (lambda m, a: m.cholesky(a), False),
    "qr": (lambda m, a: m.qr(a, mode="r"), False),
    "eigvalsh": (lambda m, a: m.eigvalsh(a), False),
    "eigh": (lambda m, a: m.eigh(a)[1], False),
    "eigvals": (lambda m, a: m.eigvals(a), False),
    "eig": (lambda m, a: m.eig(a)[1], False),
    "svdvals": (lambda m, a: m.svdvals(a), True),
    "svd": (lambda m, a: m.svd(a)[0], True),
    "pinv": (lambda m, a: m.pinv(a), True),
    "matrix_rank": (lambda m, a: m.matrix_rank(a), True),
    "matrix_norm": (lambda m, a: m.matrix_norm(a, ord=2), True),
    "lstsq": (lambda m, a: m.lstsq(a, a[:, 0])[0] if a.ndim == 2 else m.svdvals(a), True),
}
KINDS = [
    "regular",
    "zero",
    "zero row",
    "zero column",
    "equal rows",
    "negative",
    "indefinite",
    "nan",
    "all nan",
]


def hostile(kind, n, dtype, seed):
    rng = np.random.default_rng(seed)
    a = normal(rng, (n, n), dtype)
    i, j = rng.integers(0, n, 2)
    if kind == "regular":
        a = a + 4 * n * np.eye(n)
    elif kind == "zero":
        a[...] = 0
    elif kind == "zero row":
        a[i] = 0
    elif kind == "zero column":
        a[:, i] = 0
    elif kind == "equal rows":
        a[i] = a[(i + 1) % n]
    elif kind == "negative":
        a = -(a @ a.conj().T) - np.eye(n)
    elif kind == "indefinite":
        a = a @ a.conj().T + np.eye(n)
        a[i, i] = -1
    elif kind == "nan":
        a[i, j] = np.nan
    else:
        a[...] = np.nan
    return a.astype(dtype)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.sampled_from(sorted(FUNCTIONS)),
    kind=st.sampled_from(KINDS),
    n=st.sampled_from([1, 2, 3, 4, 7, 12, 16, 17, 33, 40]),
    dtype=st.sampled_from(DTYPES),
    seed=st.integers(0, 1000),
    others=st.sampled_from([0, 0, 2]),
)
def test_a_matrix_without_a_result_is_an_error_with_its_line(
    device, provider, name, kind, n, dtype, seed, others
):
    call, is_spectral = FUNCTIONS[name]
    a = hostile(kind, n, dtype, seed)
    if others:
        a = np.stack([hostile("regular", n, dtype, seed + k) for k in range(others)] + [a])
    is_error, expected = is_spectral and not np.isfinite(a).all(), None
    if not is_error:
        try:
            with np.errstate(all="ignore"):
                expected = call(np.linalg, a)
        except np.linalg.LinAlgError:
            is_error = True
    # Rounding errors decide whether more than sixteen rows of which two are equal are singular.
    if (
        kind == "equal rows"
        and (n > 16 or not is_error)
        and name in ("solve", "inv", "matrix_power", "tensorinv")
    ):
        return
    try:
        got = call(qn.linalg, qn.asarray(a, device=device)).get()
    except qn.linalg.LinAlgError as error:
        assert is_error or "nan" in kind, f"{error}, but NumPy gave\n{expected}"
        assert "test_linalg_hostile.py:" in str(error)
        return
    assert not is_error, f"NumPy raises LinAlgError, and we gave\n{got}"
    if np.isfinite(expected).all() and "nan" not in kind:
        assert np.isfinite(got).all()
        if kind == "regular" and name not in ("eig", "eigh", "svd", "qr", "eigvals"):
            np.testing.assert_allclose(got, expected, rtol=200 * n * np.finfo(dtype).eps, atol=1e-6)
    elif not np.isfinite(expected).all():
        assert not np.isfinite(got).all()
