# SPDX-License-Identifier: MIT
"""Hierarchies of pyamg as preconditioners, as pyamg makes them."""

import numpy as np
import pytest

import quern as qn
from quern.sparse import linalg

sp = pytest.importorskip("scipy.sparse")
pyamg = pytest.importorskip("pyamg", reason="pyamg is not installed")

N = 40  # points of a line; pyamg makes three levels


def solver(kind):
    a = pyamg.gallery.poisson((N, N), format="csr")
    if kind == "classical":
        return pyamg.ruge_stuben_solver(a, max_coarse=20)
    if kind == "blocks":
        # Blocks of 2 x 2: levels of linear elasticity are in block rows.
        a, near = pyamg.gallery.linear_elasticity((N // 2, N // 2))
        return pyamg.smoothed_aggregation_solver(a, near, max_coarse=20)
    return pyamg.smoothed_aggregation_solver(a, max_coarse=20)


@pytest.mark.parametrize("kind", ["classical", "aggregation", "blocks"])
@pytest.mark.parametrize("method", ["cg", "gmres"])
def test_hierarchies_are_taken_as_they_are(device, kind, method):
    ml = solver(kind)
    a = sp.csr_array(ml.levels[0].A)
    assert len(ml.levels) >= 3
    b = np.random.default_rng(1).standard_normal(a.shape[0])
    mine = qn.sparse.csr_array(a, device=device)
    rtol = 1e-9
    x, info = getattr(linalg, method)(mine, b, rtol=rtol, M=ml, maxiter=200)
    assert info == 0
    assert np.linalg.norm(b - a @ x.get()) <= rtol * np.linalg.norm(b)


def test_a_hierarchy_saves_iterations(device):
    ml = solver("classical")
    a = sp.csr_array(ml.levels[0].A)
    b = np.random.default_rng(2).standard_normal(a.shape[0])
    mine = qn.sparse.csr_array(a, device=device)
    counts = []
    for inverse in (None, ml, linalg.multigrid(ml, 2, device=device)):
        seen = []
        _, info = linalg.cg(mine, b, rtol=1e-8, M=inverse, check_every=1, callback=seen.append)
        assert info == 0
        counts.append(len(seen))
    assert counts[1] < counts[0] / 3
    assert counts[2] <= counts[1]


def test_a_preconditioner_of_the_host(device):
    """pyamg's own cycle, with copies to the host and back."""
    ml = solver("aggregation")
    a = sp.csr_array(ml.levels[0].A)
    b = np.random.default_rng(3).standard_normal(a.shape[0])
    x, info = linalg.cg(qn.sparse.csr_array(a, device=device), b, rtol=1e-8, M=ml.aspreconditioner())
    assert info == 0
    assert np.linalg.norm(b - a @ x.get()) <= 1e-8 * np.linalg.norm(b)
