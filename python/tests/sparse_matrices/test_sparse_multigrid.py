# SPDX-License-Identifier: MIT
"""Cycles of multigrid as preconditioners, eigenvalues near a number, and factorisations that are kept."""

from types import SimpleNamespace

import numpy as np
import pytest
from matrices import skip_most_on_pocl

import quern as qn
from quern.sparse import linalg

sp = pytest.importorskip("scipy.sparse")
sl = pytest.importorskip("scipy.sparse.linalg")


def line(n):
    return sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n), format="csr")


def interpolation(n):
    """From (n - 1) / 2 points to n of a line."""
    coarse = (n - 1) // 2
    at = 2 * np.arange(coarse) + 1
    rows = np.concatenate([at - 1, at, at + 1])
    columns = np.tile(np.arange(coarse), 3)
    values = np.repeat([0.5, 1.0, 0.5], coarse)
    return sp.csr_array((values, (rows, columns)), shape=(n, coarse))


class Hierarchy(SimpleNamespace):
    """As pyamg.ruge_stuben_solver() returns it: levels with A, P and R."""

    def aspreconditioner(self):
        raise AssertionError("the levels are taken to the device instead")


def hierarchy(n, levels=3, dtype="float64"):
    a = sp.kronsum(line(n), line(n), format="csr").astype(dtype)
    made = []
    for _ in range(levels - 1):
        step = interpolation(n)
        p = sp.kron(step, step, format="csr").astype(dtype)
        made.append(SimpleNamespace(A=a, P=p, R=p.T.tocsr() / np.dtype(dtype).type(4)))
        a = (made[-1].R @ a @ p).tocsr()
        n = (n - 1) // 2
    return Hierarchy(levels=[*made, SimpleNamespace(A=a)])


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_iterations_do_not_grow_with_the_grid(device, dtype):
    skip_most_on_pocl(device, dtype)
    rtol = 1e-9 if dtype == "float64" else 1e-4
    counts = []
    for n, levels in ((15, 3), (63, 5)):
        ml = hierarchy(n, levels, dtype)
        a = ml.levels[0].A
        b = np.random.default_rng(1).uniform(-1, 1, n * n).astype(dtype)
        seen = []
        x, info = linalg.cg(
            qn.sparse.csr_array(a, device=device), b, rtol=rtol, M=ml, check_every=1, callback=seen.append
        )
        assert info == 0
        assert x.dtype == dtype
        assert np.linalg.norm(b - a @ x.get()) <= rtol * np.linalg.norm(b)
        counts.append(len(seen))
    assert (
        counts[1] <= counts[0] + 8
    )  # 4 times as many points in each direction: cg alone takes 4 times as many


def test_a_cycle_is_symmetric(device):
    ml = hierarchy(15)
    n = ml.levels[0].A.shape[0]
    inverse = linalg.multigrid(ml, 2, device=device)
    rng = np.random.default_rng(2)
    x, y = (qn.asarray(rng.uniform(-1, 1, n), device=device) for _ in range(2))
    assert float((inverse @ x) @ y) == pytest.approx(float(x @ (inverse @ y)), rel=1e-12)
    assert float((inverse @ x) @ x) > 0


def test_one_level_is_solved_on_its_own(device):
    a = line(7)
    inverse = linalg.multigrid(SimpleNamespace(levels=[SimpleNamespace(A=a)]), device=device)
    b = np.arange(7.0)
    np.testing.assert_allclose(a @ (inverse @ qn.asarray(b, device=device)).get(), b, atol=1e-12)


def test_hierarchies_that_do_not_fit_are_refused(device):
    ml = hierarchy(15)
    ml.levels[0].P = ml.levels[0].P[:, 1:]
    with pytest.raises(ValueError, match="prolongation of level 0"):
        linalg.multigrid(ml, device=device)
    with pytest.raises(TypeError, match="levels"):
        linalg.multigrid(line(4), device=device)


@pytest.mark.parametrize("which", ["LM", "LA"])
def test_eigenvalues_near_a_number(device, which):
    a = sp.kronsum(line(8), line(9), format="csr")
    values = np.linalg.eigvalsh(a.toarray())
    sigma = 2.3
    w, v = linalg.eigsh(qn.sparse.csr_array(a, device=device), 3, sigma=sigma, which=which)
    inverse = 1 / (values - sigma)
    order = np.argsort(abs(inverse) if which == "LM" else inverse)
    np.testing.assert_allclose(w.get(), np.sort(values[order[-3:]]), rtol=1e-9)
    np.testing.assert_allclose(a @ v.get(), v.get() * w.get(), atol=1e-8)


def test_eigenvalues_by_a_given_inverse(device):
    a = line(40)
    solve = sl.splu((a - 0.5 * sp.eye_array(40)).tocsc()).solve
    inverse = sl.LinearOperator((40, 40), matvec=solve, dtype="float64")
    w = linalg.eigsh(
        qn.sparse.csr_array(a, device=device), 2, sigma=0.5, OPinv=inverse, return_eigenvectors=False
    )
    values = np.linalg.eigvalsh(a.toarray())
    np.testing.assert_allclose(w.get(), np.sort(values[np.argsort(abs(values - 0.5))[:2]]), rtol=1e-9)
    with pytest.raises(TypeError, match="OPinv"):
        linalg.eigsh(linalg.LinearOperator((4, 4), lambda x: x), 2, sigma=0.5, v0=qn.ones(4, device=device))


def test_a_factorisation_solves_several_systems(device):
    a = line(20)
    solve = linalg.factorized(qn.sparse.csr_array(a, device=device))
    b = np.random.default_rng(3).random((20, 3))
    np.testing.assert_allclose(a @ solve(b[:, 0]).get(), b[:, 0], atol=1e-12)
    np.testing.assert_allclose(a @ solve(qn.asarray(b, device=device)).get(), b, atol=1e-12)
