# SPDX-License-Identifier: MIT
"""Solvers of quern.sparse.linalg: residuals computed by NumPy, estimates and eigenvalues against SciPy's."""

import time

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from matrices import skip_most_on_pocl

import quern as qn
from quern.sparse import linalg

sp = pytest.importorskip("scipy.sparse")
sl = pytest.importorskip("scipy.sparse.linalg")

few = settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
TYPES = ["float32", "float64", "complex64", "complex128"]


def laplace(n, dtype="float64"):
    """The five-point matrix of an n x n grid; Hermitian with complex entries beside the diagonal."""
    off = -1 + 0.3j if np.dtype(dtype).kind == "c" else -1
    line = sp.diags_array([np.conj(off), 2, off], offsets=[-1, 0, 1], shape=(n, n), dtype=dtype)
    eye = sp.eye_array(n, dtype=dtype)
    result = (sp.kron(eye, line) + sp.kron(line, eye) + 0.1 * sp.eye_array(n * n)).tocsr().astype(dtype)
    result.sort_indices()
    return result


def skewed(n, dtype="float64"):
    """Not symmetric, diagonally dominant."""
    rng = np.random.default_rng(3)
    return (sp.random_array((n, n), density=0.1, rng=rng) + 4 * sp.eye_array(n)).tocsr().astype(dtype)


def random_vector(n, dtype, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.uniform(-1, 1, n)
    return (values + 1j * rng.uniform(-1, 1, n) if np.dtype(dtype).kind == "c" else values).astype(dtype)


def relative_residual(a, x, b):
    return np.linalg.norm(b - a @ x.get()) / np.linalg.norm(b)


def ours(matrix, device):
    return qn.sparse.csr_array(matrix, device=device)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("method", ["cg", "bicgstab", "gmres", "minres"])
def test_systems_are_solved_to_the_tolerance(device, method, dtype):
    skip_most_on_pocl(device, dtype, ("float64", "complex64"))
    a = laplace(9, dtype)
    b = random_vector(81, dtype)
    x, info = getattr(linalg, method)(ours(a, device), b, rtol=1e-4)
    assert info == 0
    assert x.dtype == dtype
    assert relative_residual(a, x, b) <= 1.01e-4


@pytest.mark.parametrize("method", ["bicgstab", "gmres"])
def test_systems_that_are_not_symmetric(device, method):
    a, b = skewed(60), random_vector(60, "float64")
    x, info = getattr(linalg, method)(ours(a, device), b, rtol=1e-9)
    assert info == 0
    assert relative_residual(a, x, b) <= 1e-9


def test_minres_solves_indefinite_and_shifted_systems(device):
    a = (laplace(6) - 2.5 * sp.eye_array(36)).tocsr()
    b = random_vector(36, "float64")
    x, info = linalg.minres(ours(a, device), b, rtol=1e-8)
    assert info == 0
    assert relative_residual(a, x, b) <= 1e-8
    x, info = linalg.minres(ours(laplace(6), device), b, shift=2.5, rtol=1e-8)
    assert info == 0
    assert relative_residual(a, x, b) <= 1e-8


@few
@given(n=st.integers(1, 30), seed=st.integers(0, 100), guess=st.booleans())
def test_cg_of_random_matrices(device, n, seed, guess):
    rng = np.random.default_rng(seed)
    half = sp.random_array((n, n), density=0.3, rng=rng)
    a = (half @ half.T + sp.eye_array(n)).tocsr()
    b = rng.uniform(-1, 1, n)
    x, info = linalg.cg(ours(a, device), b, x0=rng.uniform(-1, 1, n) if guess else None, rtol=1e-8)
    assert info == 0
    assert relative_residual(a, x, b) <= 1e-8


@pytest.mark.parametrize("method", ["cg", "bicgstab", "gmres", "minres"])
def test_the_right_side_zero_and_an_exact_guess(device, method):
    a = laplace(4)
    solve = getattr(linalg, method)
    x, info = solve(ours(a, device), np.zeros(16), x0=np.ones(16))
    assert info == 0
    assert not x.get().any()
    exact = random_vector(16, "float64")
    x, info = solve(ours(a, device), a @ exact, x0=exact)
    assert info == 0
    np.testing.assert_allclose(x.get(), exact)


@pytest.mark.parametrize("method", ["cg", "bicgstab", "gmres", "minres"])
def test_too_few_iterations_are_reported(device, method):
    a, b = laplace(12), random_vector(144, "float64")
    options = {"restart": 3} if method == "gmres" else {}
    x, info = getattr(linalg, method)(ours(a, device), b, rtol=1e-12, maxiter=3, **options)
    assert info == 3
    assert relative_residual(a, x, b) > 1e-12


def test_nothing_is_called_solved_that_is_not(device):
    """Systems without a solution, and with NaN."""
    singular = sp.csr_array(np.diag([1.0, 2, 0]))
    for method in (linalg.cg, linalg.bicgstab, linalg.gmres, linalg.minres):
        _, info = method(ours(singular, device), np.ones(3), maxiter=30)
        assert info != 0
    _, info = linalg.cg(ours(sp.csr_array(np.diag([np.nan, 1])), device), np.ones(2), maxiter=30)
    assert info != 0


@pytest.mark.parametrize("kind", ["jacobi", "block_jacobi", "ic0", "ilu0", "chebyshev"])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_preconditioners(device, kind, dtype):
    skip_most_on_pocl(device, dtype)
    a = laplace(8, dtype)
    scale = sp.diags_array(np.linspace(1, 20, 64))
    a = (scale @ a @ scale).tocsr().astype(dtype)
    b = random_vector(64, dtype)
    inverse = getattr(linalg, kind)(ours(a, device))
    for solve in (linalg.cg, linalg.bicgstab, linalg.gmres, linalg.minres):
        x, info = solve(ours(a, device), b, M=inverse, rtol=1e-7)
        assert info == 0
        assert relative_residual(a, x, b) <= 1e-7


def test_incomplete_factorisations_of_a_tridiagonal_matrix_are_exact(device):
    a = sp.diags_array([-1.0, 3.0, -1.0], offsets=[-1, 0, 1], shape=(20, 20), format="csr")
    b = random_vector(20, "float64")
    for kind in (linalg.ic0, linalg.ilu0):
        np.testing.assert_allclose(
            (kind(ours(a, device)) @ qn.asarray(b, device=device)).get(), sl.spsolve(a.tocsc(), b)
        )
    blocks = linalg.block_jacobi(ours(a, device), 20) @ qn.asarray(b, device=device)
    np.testing.assert_allclose(blocks.get(), sl.spsolve(a.tocsc(), b))


def test_bad_pivots_are_named(device):
    zero = sp.csr_array(np.array([[0.0, 1], [1, 0]]))
    for kind in (linalg.jacobi, linalg.ic0, linalg.ilu0):
        with pytest.raises(ValueError):
            kind(ours(zero, device))
    with pytest.raises(ValueError, match="row 1"):
        linalg.ic0(ours(sp.csr_array(np.array([[1.0, 2], [2, 1]])), device))


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("dtype", TYPES)
def test_triangular_systems(device, lower, dtype):
    skip_most_on_pocl(device, dtype, ("float64", "complex64"))
    a = laplace(7, dtype)
    a = (sp.tril(a) if lower else sp.triu(a)).tocsr()
    for shape in ((49,), (49, 3), (49, 0)):
        b = np.resize(random_vector(49, dtype), shape)
        got = linalg.spsolve_triangular(ours(a, device), b, lower=lower)
        assert got.shape == shape
        np.testing.assert_allclose(a @ got.get(), b, rtol=1e-3 if "64" not in dtype[-2:] else 1e-4, atol=1e-4)
    unit = linalg.spsolve_triangular(ours(a, device), b[:, :0], lower=lower, unit_diagonal=True)
    assert unit.shape == (49, 0)
    with pytest.raises(ValueError):
        linalg.spsolve_triangular(ours(laplace(3), device), np.ones(9), lower=lower)


def test_unit_diagonals_are_not_read(device):
    a = sp.csr_array(np.array([[5.0, 0], [2, 7]]))
    got = linalg.spsolve_triangular(ours(a, device), np.array([1.0, 4]), unit_diagonal=True)
    np.testing.assert_array_equal(got.get(), [1, 2])


def test_direct_solutions(device):
    a, b = skewed(30), random_vector(30, "float64")
    np.testing.assert_allclose(linalg.spsolve(ours(a, device), b).get(), sl.spsolve(a.tocsc(), b))


@pytest.mark.parametrize("method", ["lsqr", "lsmr"])
@pytest.mark.parametrize("damp", [0.0, 0.5])
@pytest.mark.parametrize("shape", [(40, 15), (15, 40)])
def test_least_squares_report_what_scipy_reports(device, method, damp, shape):
    a = sp.random_array(shape, density=0.3, rng=np.random.default_rng(1)).tocsr()
    b = random_vector(shape[0], "float64")
    options = {"damp": damp, "atol": 1e-8, "btol": 1e-8, "iter_lim" if method == "lsqr" else "maxiter": 200}
    got = getattr(linalg, method)(ours(a, device), b, **options)
    expected = getattr(sl, method)(a, b, **options)
    np.testing.assert_allclose(got[0].get(), expected[0], rtol=1e-4, atol=1e-5)
    assert got[1] == expected[1]
    np.testing.assert_allclose(got[3], expected[3], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("which", ["LM", "LA", "SA"])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_eigenvalues(device, which, dtype):
    skip_most_on_pocl(device, dtype)
    a = laplace(7, dtype)
    w, v = linalg.eigsh(ours(a, device), 4, which=which)
    values = np.linalg.eigvalsh(a.toarray())
    expected = values[:4] if which == "SA" else values[-4:]
    np.testing.assert_allclose(w.get(), expected, rtol=1e-9)
    np.testing.assert_allclose(a @ v.get(), v.get() * w.get(), atol=1e-7)
    np.testing.assert_allclose(v.get().conj().T @ v.get(), np.eye(4), atol=1e-10)


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_eigenvalues_and_singular_values_in_single_precision(device, dtype):
    skip_most_on_pocl(device, dtype)
    a = laplace(7, dtype)
    w, v = linalg.eigsh(ours(a, device), 3, which="LA")
    assert w.dtype == "float32"
    assert v.dtype == dtype
    exact = np.linalg.eigvalsh(a.toarray().astype("complex128"))
    np.testing.assert_allclose(w.get(), exact[-3:], rtol=1e-5)
    np.testing.assert_allclose(a @ v.get(), v.get() * w.get(), atol=1e-3)
    _, s, _ = linalg.svds(ours(a, device), 3)
    assert s.dtype == "float32"
    np.testing.assert_allclose(s.get(), exact[-3:], rtol=1e-4)


def test_eigenvalues_of_an_invariant_space(device):
    """The vectors run out after one or three steps."""
    a = sp.eye_array(30, format="csr")
    w, v = linalg.eigsh(ours(a, device), 3)
    np.testing.assert_allclose(w.get(), 1)
    np.testing.assert_allclose(v.get().T @ v.get(), np.eye(3), atol=1e-10)
    a = sp.diags_array([1.0] * 10 + [2.0] * 10 + [3.0] * 10, format="csr")
    values = linalg.eigsh(ours(a, device), 2, which="LA", return_eigenvectors=False)
    assert abs(values.get()[-1] - 3) < 1e-9


@pytest.mark.parametrize("shape", [(40, 15), (15, 40)])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_singular_values(device, shape, dtype):
    skip_most_on_pocl(device, dtype)
    a = sp.random_array(shape, density=0.4, rng=np.random.default_rng(1)).astype(dtype).tocsr()
    if dtype == "complex128":
        a = (a * (1 + 0.5j) + 0.2j * a.multiply(a)).tocsr()
    u, s, vh = linalg.svds(ours(a, device), 4)
    np.testing.assert_allclose(s.get(), np.linalg.svd(a.toarray())[1][3::-1], rtol=1e-8)
    np.testing.assert_allclose(a @ vh.get().conj().T, u.get() * s.get(), atol=1e-7)


def test_operators_are_functions_arrays_and_objects_of_others(device):
    a, b = laplace(5), random_vector(25, "float64")
    mine = ours(a, device)

    class Other:  # as pyamg's aspreconditioner(): takes and returns NumPy arrays
        shape, dtype = (25, 25), np.dtype("float64")

        def matvec(self, x):
            assert isinstance(x, np.ndarray)
            return sl.spsolve(a.tocsc(), x)

    right = qn.asarray(b, device=device)
    for operator in (linalg.LinearOperator((25, 25), lambda x: mine @ x), mine.toarray(), mine.tocsc(), a):
        x, info = linalg.cg(operator, right, rtol=1e-8)
        assert info == 0
        assert relative_residual(a, x, b) <= 1e-8
    x, info = linalg.cg(mine, right, M=Other(), rtol=1e-8)
    assert info == 0
    assert relative_residual(a, x, b) <= 1e-8


def test_errors_of_operators_and_callbacks_reach_the_caller(device):
    mine = ours(laplace(4), device)

    def fail(x):
        raise KeyError("mine")

    with pytest.raises(KeyError):
        linalg.cg(mine, np.ones(16), callback=fail)
    with pytest.raises(KeyError):
        linalg.cg(linalg.LinearOperator((16, 16), fail), qn.ones(16, device=device))
    with pytest.raises(ValueError):
        linalg.cg(linalg.LinearOperator((16, 16), lambda x: x[:3]), qn.ones(16, device=device))
    with pytest.raises(ValueError):
        linalg.cg(mine, np.ones(5))
    with pytest.raises(ValueError):
        linalg.cg(ours(sp.random_array((4, 6), density=1.0), device), np.ones(4))
    with pytest.raises(ValueError):
        linalg.lsqr(linalg.LinearOperator((16, 16), lambda x: x), qn.ones(16, device=device))
    with pytest.raises(ValueError):
        linalg.eigsh(mine, 16)


@pytest.mark.parametrize("method", ["cg", "bicgstab", "minres", "gmres"])
def test_progress_has_the_norms_of_the_residuals(device, method):
    a = sp.diags_array([-1.0, 2.3, -1.0], offsets=[-1, 0, 1], shape=(150, 150), format="csr")
    b = np.ones(a.shape[0])
    seen = []
    keywords = {} if method == "gmres" else {"check_every": 4}
    _, info = getattr(linalg, method)(
        ours(a, device), b, rtol=1e-9, progress=lambda k, norm: seen.append((k, norm)), **keywords
    )
    assert info == 0
    counts = [k for k, _ in seen]
    assert counts == sorted(counts)
    assert len(seen) >= 2
    if method != "gmres":
        assert counts[:2] == [4, 8]
    # The method after as many iterations, in SciPy, has the same residual.
    if method == "cg":
        theirs, _ = sl.cg(a, b, rtol=1e-30, maxiter=counts[1])
        np.testing.assert_allclose(seen[1][1], np.linalg.norm(b - a @ theirs), rtol=1e-6)


@pytest.mark.parametrize("k", [1, 4, 5])
def test_eigenvalues_from_both_ends(device, k):
    values = np.random.default_rng(4).standard_normal(60)
    a = sp.diags_array([values], offsets=[0], format="csr")
    found, vectors = linalg.eigsh(ours(a, device), k, which="BE")
    ordered = np.sort(values)
    expected = np.concatenate([ordered[: k // 2], ordered[len(ordered) - (k - k // 2) :]])
    np.testing.assert_allclose(found.get(), expected, atol=1e-9)
    np.testing.assert_allclose(a @ vectors.get(), vectors.get() * found.get(), atol=1e-8)


def test_callbacks_see_each_iteration(device):
    seen = []
    a, b = laplace(8), random_vector(64, "float64")
    x, info = linalg.cg(ours(a, device), b, callback=lambda x: seen.append(x.get()), check_every=4)
    assert info == 0
    assert len(seen) % 4 == 0
    np.testing.assert_array_equal(seen[-1], x.get())
    norms = [np.linalg.norm(b - a @ x) for x in seen]
    assert norms[0] > norms[-1]


def test_an_iteration_of_cg_is_three_launches(device):
    mine, b = ours(laplace(30), device), qn.ones(900, device=device)

    def launches(iterations):
        before = qn.stats().launches
        linalg.cg(mine, b, rtol=1e-30, maxiter=iterations)
        return qn.stats().launches - before

    # The first ones make kernels, some of them beside the iterations.
    differences = [launches(7) - launches(4)]
    while differences[-2:] != [9, 9] and len(differences) < 50:
        differences.append(launches(7) - launches(4))
        time.sleep(0.01)
    assert differences[-2:] == [9, 9], differences


@pytest.mark.parametrize("method", ["cg", "bicgstab", "gmres", "minres"])
def test_norms_that_overflow_or_underflow_are_not_called_solved(device, method):
    solve = getattr(linalg, method)
    mine = ours(sp.csr_array(np.diag([2.0, 3.0])), device)
    for right in (np.array([np.inf, 1]), np.array([np.nan, 1]), np.array([-np.inf, np.inf])):
        assert solve(mine, right)[1] != 0
    a = sp.csr_array(np.diag([2.0, 3.0]).astype("float32"))
    for size in (1e20, 1e-25):
        b = np.array([size, -2 * size], "float32")
        x, info = solve(ours(a, device), b)
        assert info != 0 or relative_residual(a.astype("float64"), x, b.astype("float64")) <= 1e-4


def test_least_squares_and_singular_values_see_new_values(device):
    a = sp.random_array((12, 5), density=0.8, rng=np.random.default_rng(1)).tocsr()
    mine, b = ours(a, device), random_vector(12, "float64")
    for _ in range(2):
        dense = a.toarray()
        expected = np.linalg.lstsq(dense, b, rcond=None)[0]
        for solve in (linalg.lsqr, linalg.lsmr):
            x = solve(mine, b, atol=1e-12, btol=1e-12, **_many(solve))[0]
            np.testing.assert_allclose(x.get(), expected, rtol=1e-6, atol=1e-8)
        s = linalg.svds(mine, 2, return_singular_vectors=False)
        np.testing.assert_allclose(s.get(), np.linalg.svd(dense)[1][1::-1], rtol=1e-8)
        a.data[...] = a.data**2 + 0.5
        mine.data[...] = qn.asarray(a.data, device=device)


def _many(solve):
    return {"iter_lim" if solve is linalg.lsqr else "maxiter": 100}


@pytest.mark.parametrize("method", ["cg", "bicgstab", "minres"])
def test_solvers_stop_where_rounding_keeps_the_residual_above_the_tolerance(device, method):
    a = laplace(12, "float32")
    counted = []
    x, info = getattr(linalg, method)(
        ours(a, device),
        random_vector(144, "float32"),
        rtol=1e-9,
        maxiter=100000,
        callback=lambda x: counted.append(1),
    )
    assert 0 < info < 2000
    assert len(counted) == info
    assert relative_residual(a, x, random_vector(144, "float32")) < 1e-5


def test_eigenvalues_of_the_last_cycle_count(device):
    a = sp.diags_array(np.arange(1.0, 41), format="csr")
    w = linalg.eigsh(ours(a, device), 2, ncv=39, maxiter=2, tol=1e-3, return_eigenvectors=False)
    np.testing.assert_allclose(w.get(), [39, 40], rtol=1e-3)
    w = linalg.eigsh(ours(a, device), 2, ncv=39, maxiter=1, tol=1e-3, return_eigenvectors=False)
    np.testing.assert_allclose(w.get(), [39, 40], rtol=1e-3)


@pytest.mark.parametrize("method", ["lsqr", "lsmr"])
def test_least_squares_report_progress_and_the_residual_of_x(device, method):
    skip_most_on_pocl(device, "float64")
    a = sp.random_array((60, 20), density=0.3, rng=np.random.default_rng(2)).tocsr()
    b = random_vector(60, "float64")
    seen = []
    options = {"atol": 1e-10, "btol": 1e-10, "iter_lim" if method == "lsqr" else "maxiter": 200}
    x, stop, count, *rest = getattr(linalg, method)(
        ours(a, device), b, **options, progress=lambda *step: seen.append(step)
    )
    assert [step[0] for step in seen] == list(range(1, count + 1))
    residual = b - a @ x.get()
    np.testing.assert_allclose(rest[0], np.linalg.norm(residual), rtol=1e-12)
    np.testing.assert_allclose(seen[-1][1], rest[0], rtol=1e-6)
    normal = rest[4] if method == "lsqr" else rest[1]
    np.testing.assert_allclose(normal, np.linalg.norm(a.T @ residual), atol=1e-12)
    assert stop == 2


@pytest.mark.parametrize("method", ["lsqr", "lsmr"])
def test_least_squares_do_not_report_a_success_that_x_does_not_confirm(device, method):
    skip_most_on_pocl(device, "float64")
    a = sp.random_array((30, 12), density=0.5, rng=np.random.default_rng(3)).tocsr()
    mine, weights = ours(a, device), qn.arange(1, 31, dtype="float64", device=device)
    # Not the adjoint of the first function.
    wrong = linalg.LinearOperator((30, 12), lambda x: weights * (mine @ x), rmatvec=lambda y: mine.T @ y)
    limit = {"iter_lim" if method == "lsqr" else "maxiter": 100}
    assert getattr(linalg, method)(wrong, qn.ones(30, device=device), **limit)[1] == 7
