# SPDX-License-Identifier: MIT
"""Stacks of matrices in every layout, and matrices without a result, against NumPy and SciPy."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import quern as qn

DTYPES = ["float32", "float64", "complex64", "complex128"]


@pytest.fixture(params=["libraries", "never"], autouse=True)
def libraries(request, monkeypatch):
    """Every test runs with LAPACK or cuSOLVER, where they are found, and with our own loops."""
    if request.param == "never":
        monkeypatch.setenv("QUERN_LIBRARIES", "never")


def random(shape, dtype="float64", seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.standard_normal(shape)
    return x.astype(dtype)


def adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


def well_conditioned(shape, dtype="float64", seed=0):
    """Rows in random order, so that elimination exchanges them; condition numbers stay below 10."""
    n = shape[-1]
    x = random(shape, dtype, seed) / (4 * max(1, n)) + np.eye(n)
    order = np.random.default_rng(seed + 1).permutation(n)
    return x[..., order, :].astype(dtype)


def definite(shape, dtype="float64", seed=0):
    x = well_conditioned(shape, dtype, seed)
    return x @ adjoint(x)


def near(got, expected, factor=200):
    expected = np.asarray(expected)
    eps = np.finfo(expected.dtype).eps
    np.testing.assert_allclose(got.get(), expected, rtol=factor * eps, atol=factor * eps)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 16, 17])
@pytest.mark.parametrize("count", [7, 8, 37])
def test_stacks_of_small_matrices(device, dtype, n, count):
    a, b = well_conditioned((count, n, n), dtype), random((count, n, 3), dtype, 2)
    x = qn.asarray(a, device=device)
    near(qn.linalg.solve(x, b), np.linalg.solve(a, b))
    near(qn.linalg.solve(x, b[..., :1]), np.linalg.solve(a, b[..., :1]))
    near(qn.linalg.solve(x, b[0, :, 0]), np.linalg.solve(a, b[0, :, 0]))
    near(qn.linalg.inv(x), np.linalg.inv(a))
    c = definite((count, n, n), dtype)
    for upper in (False, True):
        near(
            qn.linalg.cholesky(qn.asarray(c, device=device), upper=upper), np.linalg.cholesky(c, upper=upper)
        )


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    stack=st.lists(st.integers(1, 5), max_size=3),
    n=st.integers(1, 9),
    layout=st.sampled_from(["C", "F", "reversed", "every second", "moved", "broadcast"]),
    of_b=st.sampled_from(["stack", "one", "row of the stack"]),
    seed=st.integers(0, 100),
)
def test_layouts_of_stacks(device, stack, n, layout, of_b, seed):
    stack = tuple(stack)
    a = well_conditioned((*stack, n, n), seed=seed)
    b_stack = {"stack": stack, "one": (), "row of the stack": stack[-1:]}[of_b]
    b = random((*b_stack, n, 2), seed=seed + 1)
    if layout == "F":
        x = qn.asarray(np.ascontiguousarray(np.swapaxes(a, -1, -2)), device=device).mT
    elif layout == "reversed":
        x = qn.asarray(np.ascontiguousarray(a[..., ::-1, ::-1]), device=device)[..., ::-1, ::-1]
    elif layout == "every second":
        x = qn.asarray(np.repeat(a, 2, axis=-1), device=device)[..., ::2]
    elif layout == "moved":
        x = qn.moveaxis(qn.asarray(np.ascontiguousarray(np.moveaxis(a, -1, 0)), device=device), 0, -1)
    elif layout == "broadcast":
        a = np.broadcast_to(a.reshape(-1, n, n)[0], a.shape)
        x = qn.broadcast_to(qn.asarray(np.ascontiguousarray(a.reshape(-1, n, n)[0]), device=device), a.shape)
    else:
        x = qn.asarray(a, device=device)
    near(qn.linalg.solve(x, b), np.linalg.solve(a, b))
    near(qn.linalg.inv(x), np.linalg.inv(a))
    near(qn.linalg.det(x), np.linalg.det(a))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [3, 40])
@pytest.mark.parametrize("stack", [(5,), (2, 3)])
def test_factors_of_stacks(device, dtype, n, stack):
    a, c, b = (
        well_conditioned((*stack, n, n), dtype),
        definite((*stack, n, n), dtype),
        random((*stack, n, 2), dtype, 2),
    )
    x, y = qn.asarray(a, device=device), qn.asarray(c, device=device)
    near(qn.linalg.solve(x, b), np.linalg.solve(a, b))
    near(qn.linalg.cholesky(y), np.linalg.cholesky(c))
    sign, log = qn.linalg.slogdet(x)
    expected = np.linalg.slogdet(a)
    near(sign, expected.sign, 1000)
    near(log, expected.logabsdet, 1000)
    near(qn.linalg.det(x), np.linalg.det(a), 1000)
    factors = qn.linalg.lu_factor(x)
    for trans, matrix in ((0, a), (1, np.swapaxes(a, -1, -2)), (2, adjoint(a))):
        near(qn.linalg.lu_solve(factors, b, trans), np.linalg.solve(matrix, b))
    for lower in (False, True):
        near(
            qn.linalg.cho_solve(qn.linalg.cho_factor(y, lower), b[..., :1]),
            np.linalg.solve(c, b[..., :1]),
            1000,
        )
        triangle = np.tril(a @ a) + np.eye(n) if lower else np.triu(a @ a) + np.eye(n)
        triangle[..., range(n), range(n)] += 2
        got = qn.linalg.solve_triangular(qn.asarray(triangle.astype(dtype), device=device), b, lower=lower)
        near(got, np.linalg.solve(triangle.astype(dtype), b), 1000)
    permutation, low, u = (part.get() for part in qn.linalg.lu(x, p_indices=True))
    product = np.take_along_axis(low, permutation[..., None], axis=-2) @ u
    np.testing.assert_allclose(product, a, atol=100 * np.finfo(dtype).eps)
    w, v = (part.get() for part in qn.linalg.eigh(y))
    np.testing.assert_allclose(c @ v, v * w[..., None, :], atol=200 * n * np.finfo(dtype).eps)
    w, v = (part.get() for part in qn.linalg.eig(x))
    np.testing.assert_allclose(a @ v, v * w[..., None, :], atol=500 * n * np.finfo(dtype).eps)


@pytest.mark.parametrize("n", [3, 20])
@pytest.mark.parametrize("name", ["solve", "inv", "cholesky"])
def test_the_first_matrix_without_a_result_is_named(device, n, name):
    a = definite((20, n, n))
    a[[11, 17]] = 0
    x = qn.asarray(a, device=device)
    b = qn.ones((20, n, 1), device=device)
    with pytest.raises(qn.linalg.LinAlgError, match=rf"matrix 1[17] of 20; in {name}"):
        (qn.linalg.solve(x, b) if name == "solve" else getattr(qn.linalg, name)(x)).get()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("shape", [(4, 4), (3, 5), (2, 40, 33)])
def test_singular_values_of_matrices_that_are_not_finite(device, bad, shape):
    a = random(shape)
    a[..., 1, 2] = bad
    for function in (qn.linalg.svd, qn.linalg.svdvals):
        with pytest.raises(qn.linalg.LinAlgError, match="SVD did not converge"):
            result = function(qn.asarray(a, device=device))
            (result[1] if function is qn.linalg.svd else result).get()
    if len(shape) == 2:
        with pytest.raises(qn.linalg.LinAlgError, match="SVD did not converge"):
            qn.linalg.lstsq(qn.asarray(a, device=device), random(shape[0]))[0].get()


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
@pytest.mark.parametrize("n", [2, 5, 7])
def test_singular_vectors_of_every_rank_are_a_basis(device, dtype, n):
    ranks = np.array([random((n, k), dtype, k) @ random((k, n), dtype, k + 1) for k in range(n + 1)])
    ranks[:, :, n // 2] = 0
    u, s, vh = (part.get() for part in qn.linalg.svd(qn.asarray(ranks, device=device)))
    bound = 200 * n * np.finfo(dtype).eps
    for q in (u, vh):
        np.testing.assert_allclose(q @ adjoint(q), np.broadcast_to(np.eye(n), ranks.shape), atol=bound)
    np.testing.assert_allclose(u * s[..., None, :] @ vh, ranks, atol=bound * n)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_eigenvalues_of_matrices_that_are_not_finite(device, bad):
    a = random((3, 20, 20))
    a[1, 3, 4] = bad
    with pytest.raises(qn.linalg.LinAlgError, match="infs or NaNs"):
        qn.linalg.eig(qn.asarray(a, device=device))[0].get()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(6, 6), (3, 5, 5), (1, 1), (0, 4, 4)])
def test_hermitian_matrices_by_their_eigenvalues(device, dtype, shape):
    a = random(shape, dtype)
    a = a + adjoint(a)
    x = qn.asarray(a, device=device)
    u, s, vh = (part.get() for part in qn.linalg.svd(x, hermitian=True))
    eps = np.finfo(dtype).eps
    np.testing.assert_allclose(s, np.linalg.svdvals(a), atol=200 * eps)
    np.testing.assert_allclose(u * s[..., None, :] @ vh, a, atol=200 * eps)
    np.testing.assert_allclose(adjoint(u) @ u, np.broadcast_to(np.eye(shape[-1]), shape), atol=200 * eps)
    np.testing.assert_allclose(qn.linalg.svd(x, compute_uv=False, hermitian=True).get(), s, atol=200 * eps)
    np.testing.assert_array_equal(qn.linalg.matrix_rank(x, hermitian=True).get(), np.linalg.matrix_rank(a))
    inverse = qn.linalg.pinv(x, hermitian=True)
    assert inverse.shape == shape and inverse.dtype == dtype
    np.testing.assert_allclose(a @ inverse.get() @ a, a, atol=2000 * eps)


def test_a_hermitian_matrix_without_full_rank_has_a_basis_of_vectors(device):
    a = np.diag([3.0, 0.0, -2.0, 0.0])
    u, s, vh = (part.get() for part in qn.linalg.svd(qn.asarray(a, device=device), hermitian=True))
    np.testing.assert_allclose(s, [3, 2, 0, 0], atol=1e-12)
    for q in (u, vh):
        np.testing.assert_allclose(q @ q.T, np.eye(4), atol=1e-12)
    np.testing.assert_allclose(u * s @ vh, a, atol=1e-12)


@pytest.mark.parametrize("shape", [(0, 0), (3, 0, 0), (0, 4, 4), (0, 0, 0)])
def test_stacks_without_elements(device, shape):
    a = np.zeros(shape)
    x = qn.asarray(a, device=device)
    b = np.zeros((*shape[:-1], 2))
    assert qn.linalg.solve(x, b).shape == np.linalg.solve(a, b).shape
    assert qn.linalg.inv(x).shape == shape
    np.testing.assert_array_equal(qn.linalg.det(x).get(), np.linalg.det(a))
    for got, expected in zip(qn.linalg.slogdet(x), np.linalg.slogdet(a), strict=True):
        np.testing.assert_array_equal(got.get(), expected)
    assert qn.linalg.cholesky(x).shape == shape
    lu, pivots = qn.linalg.lu_factor(x)
    assert lu.shape == shape and pivots.shape == shape[:-1]
    assert qn.linalg.lu_solve((lu, pivots), b).shape == b.shape
    assert qn.linalg.eig(x)[1].shape == shape and qn.linalg.eigh(x)[0].shape == shape[:-1]


def test_pivots_that_are_not_rows_are_reported(device):
    lu, pivots = qn.linalg.lu_factor(qn.asarray(well_conditioned((6, 6)), device=device))
    for wrong in (6, -1):
        changed = pivots.copy()
        changed[2] = wrong
        with pytest.raises(qn.linalg.LinAlgError, match="a pivot is not a row"):
            qn.linalg.lu_solve((lu, changed), qn.ones(6, device=device)).get()


def test_explain_names_what_the_host_computed_for_the_device(device):
    x = qn.asarray(np.eye(3), device=device)
    b = qn.linalg.solve_banded((0, 0), qn.ones((1, 3), device=device), x[0])
    plan = qn.explain(b)
    if device.backend == "host":
        assert plan.staged == []
    else:
        (function,) = plan.staged
        assert function.startswith("solve_banded at ") and "test_linalg_stacks.py:" in function
        assert "computed on the host, with copies there and back: solve_banded" in str(plan)
        assert qn.explain(2 * b + 1).staged == plan.staged
    assert qn.explain(x).staged == []
