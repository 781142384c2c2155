# SPDX-License-Identifier: MIT
"""Sparse tensors of PyTorch as arguments."""

import numpy as np
import pytest

import quern as qn
from quern.sparse import linalg

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytestmark = pytest.mark.filterwarnings("ignore:Sparse")  # PyTorch calls its sparse tensors a prototype

DENSE = np.array([[4.0, 1, 0, 0], [1, 4, 0, 0], [0, 0, 5, 1], [0, 0, 1, 3]])


def tensor(layout, dtype=torch.float64):
    dense = torch.tensor(DENSE, dtype=dtype)
    if layout == "coo":
        return dense.to_sparse_coo()
    if layout in ("bsr", "bsc"):
        return getattr(dense, f"to_sparse_{layout}")((2, 2))
    return getattr(dense, f"to_sparse_{layout}")()


@pytest.mark.parametrize("layout", ["coo", "csr", "csc", "bsr", "bsc"])
def test_tensors_become_sparse_arrays(device, layout):
    theirs = tensor(layout)
    for make in (qn.sparse.csr_array, qn.sparse.csc_array, qn.sparse.coo_array, qn.sparse.dia_array):
        mine = make(theirs, device=device)
        assert mine.device == device
        assert mine.dtype == np.float64
        np.testing.assert_array_equal(mine.toarray().get(), DENSE)
    single = qn.sparse.csr_array(tensor(layout, torch.float32), device=device)
    assert single.dtype == np.float32


def test_duplicates_are_summed(device):
    theirs = torch.sparse_coo_tensor([[0, 0, 1], [1, 1, 0]], [1.0, 2.0, 5.0], (2, 2))
    np.testing.assert_array_equal(
        qn.sparse.csr_array(theirs, device=device).toarray().get(), [[0, 3], [5, 0]]
    )


def test_a_matrix_does_not_share_memory_with_its_tensor(device):
    theirs = tensor("csr")
    mine = qn.sparse.csr_array(theirs, device=device)
    theirs.values().mul_(2)
    np.testing.assert_array_equal(mine.toarray().get(), DENSE)


def test_solvers_take_tensors(device):
    b = qn.asarray(np.arange(4.0), device=device)
    for layout in ("csr", "coo"):
        x, info = linalg.cg(tensor(layout), b, rtol=1e-12)
        assert info == 0
        np.testing.assert_allclose(DENSE @ x.get(), b.get(), atol=1e-10)


def test_stacks_of_matrices_are_refused(device):
    with pytest.raises(ValueError, match="one matrix"):
        qn.sparse.csr_array(torch.ones(2, 3, 3).to_sparse_coo(), device=device)
