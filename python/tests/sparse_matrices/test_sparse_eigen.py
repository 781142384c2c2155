# SPDX-License-Identifier: MIT
"""Eigenvalues that repeat, are zero or lie at the shift, and singular values of deficient rank; NumPy has the truth."""

import numpy as np
import pytest
from matrices import skip_most_on_pocl

import quern as qn
from quern.sparse import linalg

sp = pytest.importorskip("scipy.sparse")


def laplace(n, dtype):
    line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n))
    return sp.kronsum(line, line, format="csr").astype(dtype)


def graph():
    w = sp.random_array((200, 200), density=0.05, rng=1)
    w = (w + w.T).tocsr()
    return (sp.diags_array(w.sum(axis=0)) - w).tocsr()


def ring(n=100):
    one = np.eye(n)
    return sp.csr_array(2 * one - np.roll(one, 1, 0) - np.roll(one, -1, 0))


def path(n=100):
    a = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n)).tolil()
    a[0, 0] = a[-1, -1] = 1
    return a.tocsr()


def two_rings():
    return sp.block_diag([ring(40), ring(60)], format="csr")


GRAPHS = {"graph": graph, "ring": ring, "path": path, "two_rings": two_rings}


def check_pairs(a, w, v, expected, atol):
    w, v = w.get().astype(np.float64), v.get()
    np.testing.assert_allclose(w, expected, atol=atol)
    np.testing.assert_allclose(a @ v, v * w, atol=100 * atol)
    np.testing.assert_allclose(v.conj().T @ v, np.eye(len(w)), atol=100 * atol)


@pytest.mark.parametrize("sigma", [0, 1e-12, -0.01, 0.3])
@pytest.mark.parametrize("name", GRAPHS)
def test_eigenvalues_near_a_shift_at_an_eigenvalue(device, name, sigma):
    skip_most_on_pocl(device, "float64" if name == "graph" and sigma == 0 else "complex128")
    a = GRAPHS[name]()
    values = np.linalg.eigvalsh(a.toarray())
    order = np.argsort(abs(values - sigma), kind="stable")
    w, v = linalg.eigsh(qn.sparse.csr_array(a, device=device), 4, sigma=sigma)
    nearest = abs(values - sigma)[order[:4]]
    # Eigenvalues at one distance from the shift are equally right.
    np.testing.assert_allclose(np.sort(abs(w.get() - sigma)), nearest, atol=1e-8)
    check_pairs(a, w, v, w.get(), 1e-9)


@pytest.mark.parametrize("which", ["LA", "SA", "LM"])
@pytest.mark.parametrize("name", GRAPHS)
def test_repeated_and_zero_eigenvalues(device, name, which):
    skip_most_on_pocl(device, "float64" if name == "ring" and which == "LA" else "complex128")
    a = GRAPHS[name]()
    values = np.linalg.eigvalsh(a.toarray())
    for count in (1, 3, 4, 6):
        w, v = linalg.eigsh(qn.sparse.csr_array(a, device=device), count, which=which)
        check_pairs(a, w, v, values[:count] if which == "SA" else values[-count:], 1e-9)


@pytest.mark.parametrize("size", [20, 30])
def test_repeated_eigenvalues_in_single_precision(device, size):
    skip_most_on_pocl(device, "complex128")
    a = laplace(size, "float32")
    values = np.linalg.eigvalsh(a.toarray().astype("float64"))
    for count in (3, 5):
        w, v = linalg.eigsh(qn.sparse.csr_array(a, device=device), count, which="LA")
        check_pairs(a, w, v, values[-count:], 1e-4)


@pytest.mark.parametrize("which", ["LA", "SA"])
def test_eigenvalues_that_occur_eight_times(device, which):
    """The cube of eight dimensions has nine eigenvalues; one start vector finds each of them once."""
    skip_most_on_pocl(device, "complex128")
    edge = sp.csr_array(np.array([[0.0, 1], [1, 0]]))
    a = edge
    for _ in range(7):
        a = sp.kronsum(a, edge, format="csr")
    values = np.linalg.eigvalsh(a.toarray())
    for count in (3, 10, 14):
        w, v = linalg.eigsh(qn.sparse.csr_array(a, device=device), count, which=which)
        check_pairs(a, w, v, values[:count] if which == "SA" else values[-count:], 1e-9)


def test_smallest_magnitude_of_a_singular_matrix(device):
    a = ring(40)
    values = np.linalg.eigvalsh(a.toarray())
    w, v = linalg.eigsh(qn.sparse.csr_array(a, device=device), 3, which="SM")
    check_pairs(a, w, v, values[:3], 1e-9)


def test_no_convergence_carries_the_pairs_that_converged(device):
    a = sp.diags_array(np.r_[np.linspace(0, 1, 198), 50.0, 100.0], format="csr")
    with pytest.raises(linalg.ArpackNoConvergence, match="of 6 pairs converged") as caught:
        linalg.eigsh(qn.sparse.csr_array(a, device=device), 6, maxiter=1)
    w, v = caught.value.eigenvalues.get(), caught.value.eigenvectors.get()
    assert 0 < len(w) < 6
    assert v.shape == (200, len(w))
    np.testing.assert_allclose(a @ v, v * w, atol=1e-9)


def test_a_wrong_inverse_is_reported(device):
    a = laplace(6, "float64")
    wrong = linalg.LinearOperator(a.shape, lambda x: 2 * x * qn.arange(36.0, device=device), dtype="float64")
    with pytest.raises(linalg.ArpackNoConvergence, match="OPinv"):
        linalg.eigsh(qn.sparse.csr_array(a, device=device), 3, sigma=0.1, OPinv=wrong)


def check_triple(a, u, s, vh, expected, atol):
    u, s, vh = u.get(), s.get(), vh.get()
    np.testing.assert_allclose(s, expected, atol=atol)
    one = np.eye(len(s))
    np.testing.assert_allclose(u.conj().T @ u, one, atol=100 * atol)
    np.testing.assert_allclose(vh @ vh.conj().T, one, atol=100 * atol)
    np.testing.assert_allclose(a @ vh.conj().T, u * s, atol=100 * atol)


def test_small_singular_values(device):
    a = np.diag(np.logspace(0, -12, 30))
    u, s, vh = linalg.svds(qn.sparse.csr_array(a, device=device), 25)
    check_triple(a, u, s, vh, np.logspace(0, -12, 30)[24::-1], 1e-14)


@pytest.mark.parametrize("shape", [(60, 40), (40, 60)])
def test_singular_vectors_of_a_matrix_of_rank_two(device, shape):
    rng = np.random.default_rng(0)
    a = rng.normal(size=(shape[0], 2)) @ rng.normal(size=(2, shape[1]))
    u, s, vh = linalg.svds(qn.sparse.csr_array(a, device=device), 4)
    check_triple(a, u, s, vh, np.linalg.svd(a)[1][3::-1], 1e-11)


def test_smallest_singular_values(device):
    a = np.diag(np.arange(1.0, 31))
    u, s, vh = linalg.svds(qn.sparse.csr_array(a, device=device), 3, which="SM")
    check_triple(a, u, s, vh, [1, 2, 3], 1e-9)


@pytest.mark.parametrize("which", ["SM", "LM"])
@pytest.mark.parametrize("shape", [(30, 30), (45, 30), (30, 45)])
def test_vectors_of_singular_values_that_are_zero(device, shape, which):
    n = min(shape)
    rng = np.random.default_rng(1)
    left, right = (np.linalg.qr(rng.normal(size=(length, n)))[0] for length in shape)
    values = np.concatenate([np.zeros(3), np.linspace(1, 2, n - 3)])
    a = (left * values) @ right.T
    count = 4 if which == "SM" else n - 1
    u, s, vh = linalg.svds(qn.sparse.csr_array(a, device=device), count, which=which)
    expected = values[:count] if which == "SM" else values[-count:]
    check_triple(a, u, s, vh, expected, 1e-9)
    np.testing.assert_allclose(a.conj().T @ u.get(), vh.get().conj().T * s.get(), atol=1e-7)


def test_left_vectors_of_a_matrix_of_zeros(device):
    a = np.zeros((6, 4))
    u, s, vh = linalg.svds(qn.sparse.csr_array(a, device=device), 2, which="SM")
    check_triple(a, u, s, vh, [0, 0], 1e-12)
