# SPDX-License-Identifier: MIT
"""Functions that are composed of factorisations, against NumPy and SciPy: norms, ranks, tensors, factors, exponentials."""

import numpy as np
import pytest

import quern as qn


@pytest.fixture(params=["libraries", "never"], autouse=True)
def libraries(request, monkeypatch):
    """Every test runs with LAPACK, where it is found, and with our own loops."""
    if request.param == "never":
        monkeypatch.setenv("QUERN_LIBRARIES", "never")


def random(shape, dtype="float64", seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.standard_normal(shape)
    return x.astype(dtype)


@pytest.mark.parametrize("order", [None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf])
def test_norms_and_condition_numbers(device, order):
    a = random((3, 4, 4))
    x = qn.asarray(a, device=device)
    np.testing.assert_allclose(
        qn.linalg.norm(x, order, axis=(1, 2)).get(), np.linalg.norm(a, order, axis=(1, 2)), rtol=1e-10
    )
    np.testing.assert_allclose(qn.linalg.cond(x, order).get(), np.linalg.cond(a, order), rtol=1e-8)
    if order is not None:
        kept = qn.linalg.matrix_norm(x, ord=order, keepdims=True)
        np.testing.assert_allclose(kept.get(), np.linalg.matrix_norm(a, ord=order, keepdims=True), rtol=1e-10)


def test_the_condition_number_of_a_singular_matrix_is_infinite(device):
    x = qn.asarray([[1.0, 1.0], [1.0, 1.0]], device=device)
    assert np.isinf(qn.linalg.cond(x, 1).get())
    assert qn.linalg.cond(qn.zeros((2, 2), device=device)).get() == np.inf
    with pytest.raises(qn.linalg.LinAlgError, match="empty"):
        qn.linalg.cond(qn.zeros((0, 0), device=device))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
@pytest.mark.parametrize("shape", [(3, 5), (5, 3), (4, 4), (2, 3, 4), (0, 4), (2, 0, 3)])
def test_pseudo_inverses(device, dtype, shape):
    a = random(shape, dtype)
    got = qn.linalg.pinv(qn.asarray(a, device=device))
    expected = np.linalg.pinv(a)
    assert got.dtype == expected.dtype
    np.testing.assert_allclose(
        got.get(), expected, rtol=1e4 * np.finfo(dtype).eps, atol=1e3 * np.finfo(dtype).eps
    )


def test_ranks(device):
    a = np.stack([np.eye(4), np.diag([1.0, 1, 0, 0]), np.zeros((4, 4)), np.diag([1, 1e-3, 1e-9, 0])])
    x = qn.asarray(a, device=device)
    np.testing.assert_array_equal(qn.linalg.matrix_rank(x).get(), np.linalg.matrix_rank(a))
    np.testing.assert_array_equal(qn.linalg.matrix_rank(x, 1e-6).get(), np.linalg.matrix_rank(a, 1e-6))
    np.testing.assert_array_equal(
        qn.linalg.matrix_rank(x, rtol=1e-2).get(), np.linalg.matrix_rank(a, rtol=1e-2)
    )
    assert qn.linalg.matrix_rank(qn.zeros(3, device=device)) == 0
    assert qn.linalg.matrix_rank(qn.ones(3, device=device)) == 1


@pytest.mark.parametrize("n", [-3, -1, 0, 1, 5])
def test_powers(device, n):
    a = random((2, 3, 3)) + 3 * np.eye(3)
    np.testing.assert_allclose(
        qn.linalg.matrix_power(qn.asarray(a, device=device), n).get(),
        np.linalg.matrix_power(a, n),
        rtol=1e-9,
        atol=1e-9,
    )


def test_chains_of_products(device):
    parts = [random(shape, seed=i) for i, shape in enumerate([(10, 100), (100, 5), (5, 50), (50, 3)])]
    on_device = [qn.asarray(part, device=device) for part in parts]
    np.testing.assert_allclose(
        qn.linalg.multi_dot(on_device).get(), np.linalg.multi_dot(parts), rtol=1e-9, atol=1e-9
    )
    ends = [parts[0][0], *parts[1:3], parts[3][:, 0]]
    np.testing.assert_allclose(
        qn.linalg.multi_dot([qn.asarray(part, device=device) for part in ends]).get(),
        np.linalg.multi_dot(ends),
        rtol=1e-9,
    )
    out = qn.empty((10, 3), device=device)
    assert qn.linalg.multi_dot(on_device, out=out) is out
    np.testing.assert_allclose(out.get(), np.linalg.multi_dot(parts), rtol=1e-9, atol=1e-9)
    with pytest.raises(ValueError, match="at least two"):
        qn.linalg.multi_dot(on_device[:1])


def test_tensor_equations(device):
    a = random((2, 3, 6))
    np.testing.assert_allclose(
        qn.linalg.tensorinv(qn.asarray(a, device=device)).get(), np.linalg.tensorinv(a), rtol=1e-8
    )
    b = random((2, 3), seed=1)
    np.testing.assert_allclose(
        qn.linalg.tensorsolve(qn.asarray(a, device=device), b).get(), np.linalg.tensorsolve(a, b), rtol=1e-8
    )
    moved = np.moveaxis(a, 2, 0)
    np.testing.assert_allclose(
        qn.linalg.tensorsolve(qn.asarray(moved, device=device), b, axes=(0,)).get(),
        np.linalg.tensorsolve(moved, b, axes=(0,)),
        rtol=1e-8,
    )
    with pytest.raises(qn.linalg.LinAlgError, match="prod"):
        qn.linalg.tensorsolve(qn.ones((2, 3), device=device), qn.ones(2, device=device))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_least_squares(device, dtype):
    for shape, b_shape in (((7, 3), (7,)), ((7, 3), (7, 2)), ((3, 7), (3, 2)), ((4, 4), (4,))):
        a, b = random(shape, dtype), random(b_shape, dtype, 1)
        got = qn.linalg.lstsq(qn.asarray(a, device=device), b)
        expected = np.linalg.lstsq(a, b)
        eps = np.finfo(dtype).eps
        for one, other in zip(got, expected, strict=True):
            np.testing.assert_allclose(one.get(), other, rtol=1e4 * eps, atol=1e3 * eps)


class TestScipy:
    """scipy.linalg's functions."""

    linalg = pytest.importorskip("scipy.linalg")

    @pytest.mark.parametrize("dtype", ["float32", "complex128"])
    @pytest.mark.parametrize("shape", [(5, 5), (3, 6), (6, 3), (20, 20), (1, 1)])
    def test_lu(self, device, dtype, shape):
        a = random(shape, dtype)
        x = qn.asarray(a, device=device)
        tolerance = {"rtol": 1e3 * np.finfo(dtype).eps, "atol": 1e3 * np.finfo(dtype).eps}
        for got, expected in zip(qn.linalg.lu(x), self.linalg.lu(a), strict=True):
            np.testing.assert_allclose(got.get(), expected, **tolerance)
        for got, expected in zip(
            qn.linalg.lu(x, permute_l=True), self.linalg.lu(a, permute_l=True), strict=True
        ):
            np.testing.assert_allclose(got.get(), expected, **tolerance)
        p, low, u = qn.linalg.lu(x, p_indices=True)
        np.testing.assert_allclose(low.get()[p.get()] @ u.get(), a, **tolerance)
        for got, expected in zip(qn.linalg.lu_factor(x), self.linalg.lu_factor(a), strict=True):
            np.testing.assert_allclose(got.get(), expected, **tolerance)

    @pytest.mark.parametrize("dtype", ["float64", "complex128"])
    @pytest.mark.parametrize("n", [1, 4, 30])
    def test_solving_from_factors(self, device, dtype, n):
        a = random((n, n), dtype) + 2 * n * np.eye(n)
        b = random((n, 2), dtype, 1)
        factors = qn.linalg.lu_factor(qn.asarray(a, device=device))
        for trans in (0, 1, 2):
            expected = self.linalg.lu_solve(self.linalg.lu_factor(a), b, trans)
            np.testing.assert_allclose(qn.linalg.lu_solve(factors, b, trans).get(), expected, rtol=1e-9)
        hermitian = a @ a.conj().T
        for lower in (False, True):
            c = qn.linalg.cho_factor(qn.asarray(hermitian, device=device), lower)
            expected = self.linalg.cho_solve(self.linalg.cho_factor(hermitian, lower), b[:, 0])
            np.testing.assert_allclose(qn.linalg.cho_solve(c, b[:, 0]).get(), expected, rtol=1e-8)

    @pytest.mark.parametrize("dtype", ["float64", "complex128"])
    @pytest.mark.parametrize("n", [1, 4, 30])
    @pytest.mark.parametrize("lower", [False, True])
    @pytest.mark.parametrize("trans", [0, 1, 2, "N", "T", "C"])
    def test_triangular_systems(self, device, dtype, n, lower, trans):
        a = random((n, n), dtype) + 2 * n * np.eye(n)
        b = random((n, 2), dtype, 1)
        x = qn.asarray(a, device=device)
        for unit in (False, True):
            scaled = x / (4 * n) if unit else x
            expected = self.linalg.solve_triangular(scaled.get(), b, trans, lower, unit)
            np.testing.assert_allclose(
                qn.linalg.solve_triangular(scaled, b, trans, lower, unit).get(),
                expected,
                rtol=1e-8,
                atol=1e-10,
            )

    def test_a_zero_on_the_diagonal_is_named(self, device):
        x = qn.asarray(np.diag([1.0, 0.0, 2.0]), device=device)
        with pytest.raises(qn.linalg.LinAlgError, match=r"resolution failed at .*diagonal"):
            qn.linalg.solve_triangular(x, [1.0, 1.0, 1.0]).get()

    @pytest.mark.parametrize("widths", [(0, 0), (1, 1), (2, 1), (0, 3), (3, 0)])
    @pytest.mark.parametrize("dtype", ["float64", "complex128"])
    def test_banded_systems(self, device, dtype, widths):
        n = 25
        ab = random((sum(widths) + 1, n), dtype)
        ab[widths[1]] += 8
        for b in (random((n,), dtype, 1), random((n, 3), dtype, 1)):
            expected = self.linalg.solve_banded(widths, ab, b)
            got = qn.linalg.solve_banded(widths, qn.asarray(ab, device=device), b)
            np.testing.assert_allclose(got.get(), expected, rtol=1e-9, atol=1e-12)

    def test_bands_that_need_row_exchanges(self, device):
        ab = random((4, 30))
        expected = self.linalg.solve_banded((2, 1), ab, np.ones(30))
        got = qn.linalg.solve_banded((2, 1), qn.asarray(ab, device=device), np.ones(30))
        np.testing.assert_allclose(got.get(), expected, rtol=1e-6)
        with pytest.raises(ValueError, match="need 3 rows of ab, got 4"):
            qn.linalg.solve_banded((1, 1), ab, np.ones(30))

    @pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
    def test_check_finite_raises_on_the_host_and_in_eager_blocks(self, device, bad):
        good = np.eye(3) * 2
        a = good.copy()
        a[0, 1] = a[1, 0] = bad
        x, y = qn.asarray(a, device=device), qn.asarray(good, device=device)
        factor, lower = qn.linalg.cho_factor(y)
        calls = [
            lambda **options: qn.linalg.cho_factor(x, **options),
            lambda **options: qn.linalg.cho_solve((factor, lower), x, **options),
            lambda **options: qn.linalg.lu(x, **options),
            lambda **options: qn.linalg.lu_factor(x, **options),
            lambda **options: qn.linalg.lu_solve(qn.linalg.lu_factor(y), x, **options),
            lambda **options: qn.linalg.solve_triangular(x, y, **options),
            lambda **options: qn.linalg.solve_triangular(y, x, **options),
            lambda **options: qn.linalg.solve_banded((1, 1), x, y, **options),
        ]
        for call in calls:
            with qn.eager(), pytest.raises(ValueError, match="must not contain infs or NaNs"):
                call()
            if device.backend == "host":
                with pytest.raises(ValueError, match="must not contain infs or NaNs"):
                    call()
        for call in calls[1:]:
            call(check_finite=False)
        qn.linalg.lu_factor(np.array([[1, 2], [3, 4]]))  # integers are finite
        qn.linalg.lu(qn.zeros((0, 0), device=device))

    @pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
    @pytest.mark.parametrize("scale", [0.0, 1e-3, 1.0, 30.0])
    def test_exponentials(self, device, dtype, scale):
        a = (scale * random((2, 6, 6), dtype) / 6).astype(dtype)
        a[1] *= 0.01
        expected = self.linalg.expm(a)
        got = qn.linalg.expm(qn.asarray(a, device=device))
        assert got.dtype == expected.dtype
        error = np.abs(got.get() - expected).max(axis=(1, 2)) / np.abs(expected).max(axis=(1, 2))
        assert (error < 1e4 * np.finfo(dtype).eps).all()
