# SPDX-License-Identifier: MIT
"""Eigenvalues, singular values and orthogonal factors of stacks of small matrices by the kernels of GPUs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quern as qn

DTYPES = ["float32", "float64", "complex64", "complex128"]
SIZES = [1, 2, 3, 4, 5, 8, 13, 16, 31, 32]


@pytest.fixture(autouse=True)
def kernels_of_gpus(set_loops):
    set_loops("grid")


def random(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    real = rng.standard_normal(shape)
    return (real + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else real).astype(dtype)


def adjoint(a):
    return np.swapaxes(a, -1, -2).conj()


def symmetric(shape, dtype, seed=0):
    a = random(shape, dtype, seed)
    return a + adjoint(a)


def wide(a):
    """In double precision."""
    return a.astype("complex128" if a.dtype.kind == "c" else "float64")


def is_by_a_kernel(array):
    """Whether no function behind the array was computed by the host."""
    return not qn.explain(array).staged


def norm_of(a):
    return np.abs(a).max(axis=(-2, -1), keepdims=True, initial=0) * max(a.shape[-2:])


def check_orthogonal(q, dtype):
    n = q.shape[-1]
    error = np.abs(adjoint(q) @ q - np.eye(n)).max(initial=0)
    assert error <= 20 * max(q.shape[-2:]) * np.finfo(dtype).eps


def check_eigh(a, device, upper=False):
    eps = np.finfo(a.dtype).eps
    x = qn.asarray(a, device=device)
    w, v = qn.linalg.eigh(x, UPLO="U" if upper else "L")
    assert is_by_a_kernel(w)
    assert w.shape == a.shape[:-1] and v.shape == a.shape and v.dtype == a.dtype and w.dtype == a.real.dtype
    w, v = wide(w.get()), wide(v.get())
    assert (np.diff(w) >= 0).all()
    check_orthogonal(v, a.dtype)
    triangle = np.triu(a) if upper else np.tril(a)
    # The imaginary parts of the diagonal are not read.
    whole = wide(triangle + adjoint(triangle) - triangle.real * np.eye(a.shape[-1]))
    whole -= 1j * whole.imag * np.eye(a.shape[-1]) if a.dtype.kind == "c" else 0
    assert (np.abs(whole @ v - v * w[..., None, :]) <= 20 * eps * norm_of(whole)).all()
    assert (np.abs(w - np.linalg.eigvalsh(whole)) <= 20 * eps * norm_of(whole)[..., 0]).all()
    alone = qn.linalg.eigvalsh(x, UPLO="U" if upper else "L").get()
    np.testing.assert_array_equal(alone, w.astype(a.real.dtype))


def check_svd(a, device, full):
    eps = np.finfo(a.dtype).eps
    x = qn.asarray(a, device=device)
    u, s, vh = qn.linalg.svd(x, full_matrices=full)
    assert is_by_a_kernel(s)
    m, n = a.shape[-2:]
    least = min(m, n)
    assert u.shape == (*a.shape[:-2], m, m if full else least)
    assert vh.shape == (*a.shape[:-2], n if full else least, n)
    assert u.dtype == vh.dtype == a.dtype and s.dtype == a.real.dtype
    u, s, vh = (wide(part.get()) for part in (u, s, vh))
    assert (np.diff(s) <= 0).all() and (s >= 0).all()
    check_orthogonal(u, a.dtype)
    check_orthogonal(adjoint(vh), a.dtype)
    product = (u[..., :least] * s[..., None, :]) @ vh[..., :least, :]
    assert (np.abs(product - a) <= 20 * eps * norm_of(wide(a))).all()
    expected = np.linalg.svd(wide(a), compute_uv=False)
    assert (np.abs(s - expected) <= 20 * eps * norm_of(wide(a))[..., 0]).all()
    np.testing.assert_array_equal(qn.linalg.svdvals(x).get(), s.astype(a.real.dtype))


def check_qr(a, device, mode):
    eps = np.finfo(a.dtype).eps
    q, r = qn.linalg.qr(qn.asarray(a, device=device), mode=mode)
    assert is_by_a_kernel(q)
    expected = np.linalg.qr(wide(a), mode=mode)
    assert q.shape == expected.Q.shape and r.shape == expected.R.shape
    q, r = wide(q.get()), wide(r.get())
    check_orthogonal(q, a.dtype)
    assert (np.tril(r, -1) == 0).all()
    assert (np.abs(q @ r - a) <= 20 * eps * norm_of(wide(a))).all()
    if a.dtype.kind == "c":  # as LAPACK chooses the reflections
        assert (np.diagonal(r, axis1=-2, axis2=-1)[..., : min(a.shape[-2] - 1, a.shape[-1])].imag == 0).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", SIZES)
def test_eigenvalues_and_vectors(device, n, dtype):
    check_eigh(random((7, n, n), dtype), device)
    check_eigh(random((7, n, n), dtype, 1), device, upper=True)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "shape", [(n, n) for n in SIZES] + [(5, 3), (3, 5), (1, 7), (7, 1), (32, 9), (9, 32)]
)
def test_singular_values_and_vectors(device, shape, dtype):
    check_svd(random((7, *shape), dtype), device, full=False)
    check_svd(random((7, *shape), dtype, 1), device, full=True)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "shape", [(n, n) for n in SIZES] + [(5, 3), (3, 5), (1, 7), (7, 1), (32, 9), (9, 32)]
)
def test_orthogonal_and_triangular_factors(device, shape, dtype):
    check_qr(random((7, *shape), dtype), device, "reduced")
    check_qr(random((7, *shape), dtype, 1), device, "complete")


def special(n, dtype):
    """Matrices on which iterations fail: zeros, repeated and opposite values, low rank, extreme magnitudes."""
    tiny, huge = np.finfo(dtype).tiny, np.finfo(dtype).max
    rank_one = np.outer(np.arange(n), np.arange(n)).astype(dtype)
    exchange = np.eye(n, dtype=dtype)[::-1]
    graded = np.diag(10.0 ** -np.arange(n)).astype(dtype)
    return np.stack(
        [
            np.zeros((n, n), dtype),
            np.eye(n, dtype=dtype),
            -3 * np.eye(n, dtype=dtype),
            np.ones((n, n), dtype),
            rank_one,
            exchange,
            graded + np.float64(1e-9).astype(dtype),
            (symmetric((n, n), dtype) * tiny).astype(dtype),
            (symmetric((n, n), dtype) * (huge / 100)).astype(dtype),
            np.diag([1.0] * (n // 2) + [2.0] * (n - n // 2)).astype(dtype),
        ]
    )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [2, 5, 16])
def test_zeros_repeated_values_low_rank_and_extreme_magnitudes(device, n, dtype):
    a = special(n, dtype)
    check_eigh(a, device)
    check_svd(a, device, full=True)
    check_qr(a, device, "reduced")
    check_svd(a[:, :, : n - 1], device, full=True)
    check_svd(a[:, : n - 1], device, full=True)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_matrices_that_are_not_finite_are_named(device, bad, dtype):
    a = symmetric((5, 6, 6), dtype)
    a[3, 4, 2] = a[3, 2, 4] = bad
    x = qn.asarray(a, device=device)
    for part in qn.linalg.eigh(x):
        with pytest.raises(
            qn.linalg.LinAlgError, match="Eigenvalues did not converge; matrix 3 of 5; in eigh"
        ):
            part.get()
    for part in qn.linalg.svd(x):
        with pytest.raises(qn.linalg.LinAlgError, match="SVD did not converge; matrix 3 of 5; in svd"):
            part.get()
    q, r = qn.linalg.qr(x)
    others = [0, 1, 2, 4]
    np.testing.assert_allclose((q @ r).get()[others], a[others], atol=1e-13)
    assert not np.isfinite(r.get()[3]).all()


def test_stacks_without_matrices_or_elements(device):
    for shape in ((0, 3, 3), (2, 0, 4, 4), (2, 0, 0)):
        w, v = qn.linalg.eigh(qn.zeros(shape, device=device))
        assert w.shape == shape[:-1] and v.shape == shape
    for shape in ((0, 3, 2), (2, 0, 3), (2, 3, 0)):
        u, s, vh = qn.linalg.svd(qn.zeros(shape, device=device))
        expected = np.linalg.svd(np.zeros(shape))
        assert (u.shape, s.shape, vh.shape) == tuple(part.shape for part in expected)
        q, r = qn.linalg.qr(qn.zeros(shape, device=device))
        expected = np.linalg.qr(np.zeros(shape))
        assert (q.shape, r.shape) == tuple(part.shape for part in expected)


def test_views_and_one_matrix(device):
    a = random((4, 6, 5), "float64")
    x = qn.asarray(a, device=device)
    s = qn.linalg.svdvals(qn.matrix_transpose(x)[::2, 1:])
    np.testing.assert_allclose(
        s.get(), np.linalg.svd(np.swapaxes(a, -1, -2)[::2, 1:], compute_uv=False), atol=1e-13
    )
    check_eigh(symmetric((6, 6), "float64"), device)


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_random_shapes_and_ranks(device, data):
    m, n = data.draw(st.integers(1, 32)), data.draw(st.integers(1, 32))
    rank = data.draw(st.integers(0, min(m, n)))
    count = data.draw(st.integers(1, 20))
    dtype = data.draw(st.sampled_from(DTYPES))
    seed = data.draw(st.integers(0, 99))
    a = random((count, m, rank), dtype, seed) @ random((count, rank, n), dtype, seed + 1)
    check_svd(a, device, data.draw(st.booleans()))
    check_qr(a, device, data.draw(st.sampled_from(["reduced", "complete"])))
    check_eigh(a @ adjoint(a), device)
