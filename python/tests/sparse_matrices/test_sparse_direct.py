# SPDX-License-Identifier: MIT
"""Direct solutions, and what libraries compute where they are found: the same tests with and without them."""

import gc

import numpy as np
import pytest
from matrices import coordinates, skip_most_on_pocl

import quern as qn
from quern.sparse import linalg

sp = pytest.importorskip("scipy.sparse")
TYPES = ["float32", "float64", "complex64", "complex128"]


@pytest.fixture(params=["found", "never"], autouse=True)
def libraries(request, device, monkeypatch):
    if request.param == "never":
        if device.backend == "host":
            pytest.skip("no library for sparse matrices on the host")
        monkeypatch.setenv("QUERN_LIBRARIES", "never")


def epsilon(dtype):
    return np.finfo(dtype).eps


def regular(n, dtype, seed=0):
    """A matrix with zeros on its diagonal that needs pivots, and is not ill-conditioned."""
    rng = np.random.default_rng(seed)
    noise = sp.coo_array(coordinates(rng, (n, n), 2 * n, dtype), shape=(n, n)).tocsr() * 0.1
    order = rng.permutation(n)
    return (noise + 4 * sp.eye_array(n, format="csr", dtype=dtype)[order]).tocsr().astype(dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("index", ["int32", "int64"])
def test_solutions_have_small_residuals(device, dtype, index):
    skip_most_on_pocl(device, dtype)
    a = regular(200, dtype)
    mine = qn.sparse.csr_array(
        (a.data, a.indices.astype(index), a.indptr.astype(index)), shape=a.shape, device=device
    )
    rng = np.random.default_rng(1)
    norm = abs(a).sum(axis=1).max()
    for shape in ((200,), (200, 3), (200, 1), (200, 0)):
        b = rng.standard_normal(shape).astype(dtype)
        x = linalg.spsolve(mine, b)
        assert x.shape == ((200,) if shape == (200, 1) else shape)  # as in SciPy
        assert x.dtype == np.dtype(dtype)
        rest = abs(b - a @ x.get().reshape(shape)).max(initial=0)
        assert rest <= 100 * epsilon(dtype) * (norm * abs(x.get()).max(initial=0) + abs(b).max(initial=0))


def test_complex_right_sides_of_real_matrices(device):
    a = regular(50, "float64")
    b = np.random.default_rng(2).random((50, 2)) @ [[1, 2j], [1j, 1]]
    solve = linalg.factorized(qn.sparse.csr_array(a, device=device))
    for right in (b, b[:, 0], b[:, 1].real):
        np.testing.assert_allclose(a @ solve(right).get(), right, atol=1e-12)


def test_sparse_right_sides(device):
    a, b = regular(40, "float64"), regular(40, "float64", 3)
    x = linalg.spsolve(qn.sparse.csr_array(a, device=device), qn.sparse.csr_array(b, device=device))
    assert qn.sparse.issparse(x)
    np.testing.assert_allclose(a @ x.toarray().get(), b.toarray(), atol=1e-12)


@pytest.mark.parametrize(
    "a",
    [
        np.array([[1.0, 2], [2, 4]]),
        np.array([[1.0, 0, 0], [0, 0, 0], [0, 0, 1]]),
        np.diag([1.0, 2, 3, 0]) + np.diag([0.0, 0, 0], 1),
        np.zeros((3, 3)),
    ],
)
def test_singular_matrices_raise(device, a):
    mine = qn.sparse.csr_array(a, device=device)
    with pytest.raises(qn.linalg.LinAlgError):
        linalg.spsolve(mine, np.ones(len(a))).get()
    with pytest.raises(np.linalg.LinAlgError):
        linalg.factorized(mine)(np.ones(len(a))).get()


def test_small_pivots_are_not_singular(device):
    a = np.diag([1.0, 1e-30, 1e20])
    x = linalg.spsolve(qn.sparse.csr_array(a, device=device), np.array([1.0, 1.0, 1.0]))
    np.testing.assert_allclose(x.get(), [1, 1e30, 1e-20])


def test_values_may_change_after_the_factorisation(device):
    a = regular(30, "float64")
    mine = qn.sparse.csr_array(a, device=device)
    solve = linalg.factorized(mine)
    mine.data[:] = 0
    b = np.arange(30.0)
    np.testing.assert_allclose(a @ solve(b).get(), b, atol=1e-10)


def test_factorisations_leave_no_memory_behind(device):
    mine = qn.sparse.csr_array(regular(100, "float64"), device=device)
    b = qn.ones(100, device=device)
    for _ in range(
        2
    ):  # the matrix keeps its transpose, and from the second call on where its entries come from
        linalg.spsolve(mine, b).get()
    qn.synchronize(device)
    gc.collect()
    used = qn.stats().bytes_in_use
    for _ in range(20):
        linalg.spsolve(mine, b).get()
    qn.synchronize(device)
    gc.collect()
    assert qn.stats().bytes_in_use <= used


def test_not_square(device):
    with pytest.raises(ValueError, match="square"):
        linalg.spsolve(qn.sparse.csr_array(np.ones((2, 3)), device=device), np.ones(2))


@pytest.mark.parametrize("dtype", TYPES)
def test_products_of_sparse_matrices_are_sorted(device, dtype):
    skip_most_on_pocl(device, dtype)
    rng = np.random.default_rng(4)
    a = sp.coo_array(coordinates(rng, (300, 200), 2000, dtype), shape=(300, 200)).tocsr()
    b = sp.coo_array(coordinates(rng, (200, 250), 2000, dtype), shape=(200, 250)).tocsr()
    got = qn.sparse.csr_array(a, device=device) @ qn.sparse.csr_array(b, device=device)
    np.testing.assert_array_equal(got.toarray().get(), (a @ b).toarray())
    assert got.has_sorted_indices
    ones = [sp.csr_array((np.ones(m.nnz), m.indices, m.indptr), shape=m.shape) for m in (a, b)]
    assert got.nnz == (ones[0] @ ones[1]).nnz  # sums that are zero stay, as other explicit zeros
    none = qn.sparse.csr_array((200, 5), dtype=dtype, device=device)
    assert (qn.sparse.csr_array(a, device=device) @ none).nnz == 0


@pytest.mark.parametrize("lower", [True, False])
def test_triangles_of_mixed_types(device, lower):
    a = regular(60, "float64") + 8 * sp.eye_array(60)
    a = (sp.tril(a) if lower else sp.triu(a)).tocsr()
    b = np.random.default_rng(5).random(60) * (1 + 2j)
    for matrix in (a, a.astype("float32")):
        x = linalg.spsolve_triangular(qn.sparse.csr_array(matrix, device=device), b, lower=lower)
        assert x.dtype == np.complex128
        np.testing.assert_allclose(matrix @ x.get(), b, atol=1e-6)


@pytest.mark.parametrize("right", ["int64", "float32", "float64", "complex128"])
@pytest.mark.parametrize("dtype", ["bool", "int16", "float16", "float32", "complex64"])
def test_both_sides_decide_the_type(device, dtype, right):
    skip_most_on_pocl(device, dtype)
    a = np.array([[1, 0], [1, 1]]).astype(dtype)
    b = np.array([3, 5]).astype(right)
    found = linalg.spsolve(qn.sparse.csr_array(a, device=device), qn.asarray(b, device=device))
    expected = np.linalg.solve(a.astype(np.result_type(a.dtype, np.float32)), b)
    assert found.dtype == np.result_type(a.dtype, b.dtype, np.float32)
    np.testing.assert_allclose(found.get(), expected, rtol=1e-5)
    solve = linalg.factorized(qn.sparse.csr_array(a, device=device))
    np.testing.assert_allclose(solve(qn.asarray(b, device=device)).get(), expected, rtol=1e-5)


def test_one_column_gives_a_vector(device):
    a = qn.sparse.csr_array(np.array([[2.0, 1.0], [0.0, 4.0]]), device=device)
    assert linalg.spsolve(a, qn.asarray([[4.0], [8.0]], device=device)).shape == (2,)
    assert linalg.spsolve(a, qn.asarray([[4.0, 1.0], [8.0, 4.0]], device=device)).shape == (2, 2)
