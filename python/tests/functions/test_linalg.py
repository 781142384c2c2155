# SPDX-License-Identifier: MIT
"""Linear algebra against NumPy: residuals within bounds, shapes, types, stacks, and errors that reach the reader."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import quern as qn

DTYPES = ["float32", "float64", "complex64", "complex128"]
SIZES = [0, 1, 2, 3, 5, 16, 17, 40, 97]


@pytest.fixture(params=["libraries", "never"], autouse=True)
def libraries(request, monkeypatch):
    """Every test runs with LAPACK, where it is found, and with our own loops."""
    if request.param == "never":
        monkeypatch.setenv("QUERN_LIBRARIES", "never")
    return request.param


def random(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.standard_normal(shape)
    return x.astype(dtype)


def hermitian(n, dtype, seed=0, stack=()):
    x = random((*stack, n, n), dtype, seed)
    return x + np.conj(np.swapaxes(x, -1, -2))


def definite(n, dtype, seed=0, stack=()):
    x = random((*stack, n, n), dtype, seed)
    return (x @ np.conj(np.swapaxes(x, -1, -2)) + n * np.eye(n)).astype(dtype)


def assert_near(got, expected, scale=1.0, factor=100):
    """The difference is at most a multiple of the precision, the size of the matrices and the scale."""
    got, expected = np.asarray(got), np.asarray(expected)
    assert got.shape == expected.shape
    if got.size == 0:
        return
    eps = np.finfo(got.dtype).eps
    bound = factor * eps * max(1, got.shape[-1] if got.ndim else 1) * max(scale, np.abs(expected).max())
    assert np.abs(got - expected).max() <= bound


def adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", SIZES)
def test_solve_leaves_a_small_residual(device, dtype, n):
    a = random((n, n), dtype) + 2 * n * np.eye(n, dtype=dtype)
    for b in (random((n,), dtype, 1), random((n, 3), dtype, 1)):
        x = qn.linalg.solve(qn.asarray(a, device=device), b)
        assert x.dtype == np.linalg.solve(a, b).dtype
        assert_near(a @ x.get(), b, scale=np.abs(b).max(initial=1) * 10)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", SIZES)
def test_inverse_and_determinant(device, dtype, n):
    a = (random((n, n), dtype) / max(1, 2 * n) + np.eye(n)).astype(dtype)
    x = qn.asarray(a, device=device)
    assert_near(qn.linalg.inv(x).get() @ a, np.eye(n))
    np.testing.assert_allclose(qn.linalg.det(x).get(), np.linalg.det(a), rtol=1e3 * np.finfo(dtype).eps)
    sign, log = qn.linalg.slogdet(x)
    expected = np.linalg.slogdet(a)
    np.testing.assert_allclose(sign.get(), expected.sign, rtol=1e3 * np.finfo(dtype).eps)
    np.testing.assert_allclose(log.get(), expected.logabsdet, rtol=1e3 * np.finfo(dtype).eps)
    assert sign.dtype == expected.sign.dtype and log.dtype == expected.logabsdet.dtype


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", SIZES)
def test_cholesky_reads_one_triangle(device, dtype, n, upper):
    a = definite(n, dtype)
    garbled = np.triu(a) if upper else np.tril(a)
    garbled = garbled + (np.tril(np.full((n, n), 77), -1) if upper else np.triu(np.full((n, n), 77), 1))
    factor = qn.linalg.cholesky(qn.asarray(garbled.astype(dtype), device=device), upper=upper).get()
    assert (np.triu(factor) == factor).all() if upper else (np.tril(factor) == factor).all()
    product = adjoint(factor) @ factor if upper else factor @ adjoint(factor)
    assert_near(product, a)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "shape", [(0, 3), (3, 0), (1, 1), (1, 6), (6, 1), (4, 4), (40, 17), (17, 40), (2, 3, 5)]
)
def test_qr_has_orthonormal_columns(device, dtype, shape):
    a = random(shape, dtype)
    m, n = shape[-2:]
    for mode, width in (("reduced", min(m, n)), ("complete", m)):
        q, r = qn.linalg.qr(qn.asarray(a, device=device), mode)
        assert q.shape == (*shape[:-1], width) and r.shape == (*shape[:-2], width, n)
        assert_near(q.get() @ r.get(), a)
        assert_near(adjoint(q.get()) @ q.get(), np.broadcast_to(np.eye(width), (*shape[:-2], width, width)))
        np.testing.assert_array_equal(r.get(), np.triu(r.get()))
    np.testing.assert_array_equal(np.abs(qn.linalg.qr(a, "r").get()).shape, np.linalg.qr(a, "r").shape)
    h, tau = qn.linalg.qr(qn.asarray(a, device=device), "raw")
    expected = np.linalg.qr(a, "raw")
    assert h.shape == expected[0].shape and tau.shape == expected[1].shape


@pytest.mark.parametrize("UPLO", ["L", "U"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", SIZES)
def test_eigenvalues_of_hermitian_matrices(device, dtype, n, UPLO):
    a = hermitian(n, dtype)
    garbled = np.tril(a) if UPLO == "L" else np.triu(a)
    x = qn.asarray(garbled, device=device)
    w, v = qn.linalg.eigh(x, UPLO)
    assert w.dtype == np.linalg.eigvalsh(a).dtype and v.dtype == dtype
    scale = max(1, np.abs(a).max(initial=0) * n)
    assert_near(a @ v.get(), v.get() * w.get(), scale=scale)
    assert_near(adjoint(v.get()) @ v.get(), np.eye(n))
    assert_near(w.get(), np.linalg.eigvalsh(a), scale=scale)
    assert_near(qn.linalg.eigvalsh(x, UPLO).get(), w.get(), scale=scale)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "shape", [(0, 3), (3, 0), (1, 1), (1, 6), (6, 1), (5, 5), (40, 17), (17, 40), (2, 4, 3)]
)
def test_singular_values(device, dtype, shape):
    a = random(shape, dtype)
    x = qn.asarray(a, device=device)
    for is_full in (True, False):
        u, s, vh = (part.get() for part in qn.linalg.svd(x, full_matrices=is_full))
        expected = np.linalg.svd(a, full_matrices=is_full)
        assert [part.shape for part in (u, s, vh)] == [part.shape for part in expected]
        k = s.shape[-1]
        assert_near(u[..., :k] * s[..., None, :] @ vh[..., :k, :], a)
        for q in (u, adjoint(vh)):
            assert_near(
                adjoint(q) @ q, np.broadcast_to(np.eye(q.shape[-1]), (*shape[:-2], q.shape[-1], q.shape[-1]))
            )
        assert_near(s, expected.S)
        assert (np.diff(s) <= 0).all()
    assert_near(qn.linalg.svdvals(x).get(), np.linalg.svdvals(a))
    assert_near(qn.linalg.svd(x, compute_uv=False).get(), np.linalg.svdvals(a))


@pytest.mark.parametrize("dtype", DTYPES)
def test_singular_vectors_of_a_matrix_without_full_rank_are_a_basis(device, dtype):
    a = (random((9, 2), dtype) @ random((2, 7), dtype, 1)).astype(dtype)
    a[:, 3] = 0
    u, s, vh = (part.get() for part in qn.linalg.svd(qn.asarray(a, device=device)))
    assert_near(adjoint(u) @ u, np.eye(9))
    assert_near(vh @ adjoint(vh), np.eye(7))
    assert_near(u[:, :7] * s @ vh, a)
    assert qn.linalg.matrix_rank(qn.asarray(a, device=device)) == 2


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [0, 1, 2, 3, 10, 40])
def test_eigenvalues_of_general_matrices(device, dtype, n):
    a = random((n, n), dtype)
    w, v = qn.linalg.eig(qn.asarray(a, device=device))
    if n:
        assert_near(a @ v.get(), v.get() * w.get(), scale=np.abs(a).max() * n, factor=1000)
        np.testing.assert_allclose(np.linalg.norm(v.get(), axis=0), 1, rtol=1e-5)
    expected = np.linalg.eigvals(a)
    kind = np.result_type(a.dtype, "complex64")  # NumPy before 2.5 returns real numbers if all are real
    assert w.dtype == v.dtype == kind
    values = qn.linalg.eigvals(qn.asarray(a, device=device))
    assert values.shape == expected.shape and values.dtype == kind


def test_eigenvalues_of_a_real_matrix_are_complex_numbers(device):
    a = np.array([[2.0, 1.0, 0.0], [0.0, 3.0, 1.0], [0.0, 0.0, 5.0]])
    w, v = qn.linalg.eig(qn.asarray(a, device=device))
    assert w.dtype == v.dtype == np.complex128
    np.testing.assert_allclose(np.sort(w.get()), [2, 3, 5])
    rotation = qn.asarray([[0.0, -1.0], [1.0, 0.0]], device=device)
    assert qn.linalg.eigvals(rotation).dtype == np.complex128


@pytest.mark.parametrize("stack", [(4,), (2, 3), (0,), (1, 1)])
def test_stacks_and_broadcasting(device, stack):
    n = 4
    a = definite(n, "float64", stack=stack)
    b = random((n, 2), "float64", 1)
    x = qn.asarray(a, device=device)
    np.testing.assert_allclose(qn.linalg.solve(x, b).get(), np.linalg.solve(a, b), rtol=1e-9)
    np.testing.assert_allclose(qn.linalg.inv(x).get(), np.linalg.inv(a), rtol=1e-9)
    np.testing.assert_allclose(qn.linalg.det(x).get(), np.linalg.det(a), rtol=1e-9)
    np.testing.assert_allclose(qn.linalg.cholesky(x).get(), np.linalg.cholesky(a), rtol=1e-9)
    np.testing.assert_allclose(qn.linalg.eigvalsh(x).get(), np.linalg.eigvalsh(a), rtol=1e-9)
    many = random((*stack, n, 2), "float64", 2)
    one = qn.asarray(a.reshape(-1, n, n)[0] if a.size else np.eye(n), device=device)
    np.testing.assert_allclose(qn.linalg.solve(one, many).get(), np.linalg.solve(one.get(), many), rtol=1e-9)


def test_views_are_read_with_their_strides(device):
    big = random((12, 20, 2), "float64")
    for view in (lambda x: x[::2, 1:7, 0], lambda x: x[:6, :6, 1].T, lambda x: x[5::-1, 6:0:-1, 0]):
        a = view(big)
        x = view(qn.asarray(big, device=device))
        b = random((6,), "float64", 3)
        np.testing.assert_allclose(qn.linalg.solve(x, b).get(), np.linalg.solve(a, b), rtol=1e-8)
        np.testing.assert_allclose(qn.linalg.inv(x).get(), np.linalg.inv(a), rtol=1e-8)
        np.testing.assert_allclose(qn.linalg.svdvals(x).get(), np.linalg.svdvals(a), rtol=1e-8)
        np.testing.assert_allclose(
            np.abs(qn.linalg.qr(x)[1].get()), np.abs(np.linalg.qr(a)[1]), rtol=1e-7, atol=1e-12
        )
        np.testing.assert_allclose(qn.linalg.eigvalsh(x + x.T).get(), np.linalg.eigvalsh(a + a.T), rtol=1e-8)


def test_many_small_systems(device):
    a = random((5000, 4, 4), "float64") + 8 * np.eye(4)
    b = random((5000, 4, 1), "float64", 1)
    np.testing.assert_allclose(
        qn.linalg.solve(qn.asarray(a, device=device), b).get(), np.linalg.solve(a, b), rtol=1e-9
    )


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("n", [1, 3, 6])
def test_small_matrices_by_the_kernels_of_gpus(device, set_loops, n, dtype):
    set_loops("grid")
    a, b = random((50, n, n), dtype) + 2 * n * np.eye(n), random((50, n, 2), dtype, 1)
    a[0, 0] = a[0, 0, ::-1]  # rows that are exchanged
    x = qn.asarray(a, device=device)
    np.testing.assert_allclose(qn.linalg.solve(x, b).get(), np.linalg.solve(a, b), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(
        qn.linalg.solve(x, b[0]).get(), np.linalg.solve(a, b[0]), rtol=1e-9, atol=1e-12
    )
    np.testing.assert_allclose(qn.linalg.det(x).get(), np.linalg.det(a), rtol=1e-9)
    np.testing.assert_allclose(qn.linalg.inv(x).get(), np.linalg.inv(a), rtol=1e-9, atol=1e-12)
    c = definite(n, dtype, stack=(50,))
    for upper in (False, True):
        factor = qn.linalg.cholesky(qn.asarray(c, device=device), upper=upper)
        np.testing.assert_allclose(factor.get(), np.linalg.cholesky(c, upper=upper), rtol=1e-9, atol=1e-12)
    a[7] = 0
    for failing in (qn.linalg.inv, qn.linalg.cholesky):
        result = failing(qn.asarray(a * 0 if failing is qn.linalg.cholesky else a, device=device))
        with pytest.raises(qn.linalg.LinAlgError, match=r"matrix \d+ of 50; in"):
            result.get()
    assert qn.linalg.det(qn.asarray(a, device=device)).get()[7] == 0


@pytest.mark.parametrize("name", ["solve", "inv", "cholesky"])
def test_a_matrix_without_a_result_is_named(device, name):
    a = np.stack([np.eye(3)] * 5)
    a[3] = 0
    x = qn.asarray(a, device=device)
    call = (lambda: qn.linalg.solve(x, x)) if name == "solve" else (lambda: getattr(qn.linalg, name)(x))
    with pytest.raises(np.linalg.LinAlgError, match=r"matrix 3 of 5.*test_linalg\.py") as caught:
        call().get()
    assert isinstance(caught.value, qn.Error) and isinstance(caught.value, qn.linalg.LinAlgError)


def test_every_read_raises_and_finish_once(device):
    if device.backend != "host":
        pytest.skip("staged computations raise at once")
    queue = qn.Queue(device)
    with queue:
        x = qn.linalg.inv(qn.zeros((3, 3)))
        y = x + 1
        fine = qn.linalg.inv(qn.eye(3))
    for _ in range(2):
        with pytest.raises(qn.linalg.LinAlgError, match="Singular matrix"):
            x.get()
        with pytest.raises(qn.linalg.LinAlgError):
            y.get()
    np.testing.assert_array_equal(fine.get(), np.eye(3))
    with queue:
        kept = qn.linalg.inv(qn.zeros((2, 2)))
    with pytest.raises(qn.linalg.LinAlgError):
        queue.finish()
    queue.finish()
    del kept


def test_shapes_that_are_refused(device):
    one, wide = qn.ones(3, device=device), qn.ones((2, 3), device=device)
    square = qn.eye(2, device=device)
    for function in (qn.linalg.inv, qn.linalg.det, qn.linalg.cholesky, qn.linalg.eigh, qn.linalg.eig):
        with pytest.raises(qn.linalg.LinAlgError, match="1-dimensional array given"):
            function(one)
        with pytest.raises(qn.linalg.LinAlgError, match="Last 2 dimensions of the array must be square"):
            function(wide)
    with pytest.raises(ValueError, match="b has 3 rows, but a has 2"):
        qn.linalg.solve(square, one)
    with pytest.raises(TypeError, match="float16 is unsupported in linalg"):
        qn.linalg.inv(square.astype("float16"))
    with pytest.raises(ValueError, match="UPLO"):
        qn.linalg.eigh(square, "X")
    assert qn.linalg.inv(qn.asarray([[2, 0], [0, 4]], device=device)).dtype == np.float64


def test_values_that_are_not_finite(device):
    bad = np.eye(3)
    bad[1, 1] = np.nan
    x = qn.asarray(bad, device=device)
    with pytest.raises(qn.linalg.LinAlgError, match="SVD did not converge"):
        qn.linalg.svd(x)[1].get()
    with pytest.raises(qn.linalg.LinAlgError, match="infs or NaNs"):
        qn.linalg.eigvals(x).get()
    with pytest.raises(qn.linalg.LinAlgError, match="not positive definite"):
        qn.linalg.cholesky(x).get()
    assert np.isnan(qn.linalg.det(x).get())
    assert np.isnan(qn.linalg.solve(x, np.ones(3)).get()).any()


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    m=st.integers(1, 24),
    n=st.integers(1, 24),
    columns=st.integers(1, 3),
    dtype=st.sampled_from(DTYPES),
    is_fortran=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_random_matrices(device, m, n, columns, dtype, is_fortran, seed):
    a = np.asarray(random((m, n), dtype, seed), order="F" if is_fortran else "C")
    x = qn.asarray(a, device=device)
    x = qn.asarray(np.ascontiguousarray(a.T), device=device).T if is_fortran else x
    q, r = qn.linalg.qr(x)
    assert_near(q.get() @ r.get(), a)
    u, s, vh = qn.linalg.svd(x, full_matrices=False)
    assert_near(u.get() * s.get() @ vh.get(), a)
    b = random((m, columns), dtype, seed + 1)
    solution, residuals, rank, _ = qn.linalg.lstsq(x, b)
    assert int(rank) == np.linalg.matrix_rank(a)
    if int(rank) == min(m, n) and s.get()[-1] > 0.05 * s.get()[0]:
        rest = a @ solution.get() - b
        assert_near(
            adjoint(a) @ rest,
            np.zeros((n, columns)),
            scale=np.abs(a).max() * np.abs(b).max() * m,
            factor=1000,
        )
    assert residuals.shape == ((columns,) if int(rank) == n and m > n else (0,))
    np.testing.assert_array_equal(solution.dtype, a.dtype)


def test_pivots_of_another_stack_are_refused(device):
    a = definite(4, "float64", stack=(3,))
    lu, pivots = qn.linalg.lu_factor(qn.asarray(a, device=device))
    for wrong in (pivots[:2], pivots[0]):
        with pytest.raises(qn.ArgumentValueError, match="lu_solve: expected 4 pivots for each matrix"):
            qn.linalg.lu_solve((lu, wrong), qn.ones(4, device=device))


def test_tiny_pivots_and_partial_determinants_neither_overflow_nor_vanish(device):
    tiny = np.diag([1e-310, 1.0])
    np.testing.assert_allclose(
        qn.linalg.solve(qn.asarray(tiny, device=device), np.array([1e-310, 1.0])).get(), [1, 1]
    )
    wide = np.diag(np.float32([1e20, 1e20, 1e-20, 1e-20]))
    np.testing.assert_allclose(qn.linalg.det(qn.asarray(wide, device=device)).get(), 1, rtol=1e-5)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [3, 20, 40])
def test_a_determinant_with_an_infinity_has_a_sign(n, dtype):
    a = np.eye(n, dtype=dtype) * 3
    a[0, 1] = 2
    for value in (np.inf, -np.inf):
        a[1, 1] = value
        sign, log = qn.linalg.slogdet(qn.asarray(a, device="host"))
        expected = np.linalg.slogdet(a)
        assert (float(sign), float(log)) == (expected[0], expected[1])
