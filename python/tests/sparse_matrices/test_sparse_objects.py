# SPDX-License-Identifier: MIT
"""Sparse arrays as objects: devices, pickles, copies, and errors that name the trouble."""

import copy
import pickle

import numpy as np
import pytest

import quern as qn
from quern.sparse import linalg

sp = pytest.importorskip("scipy.sparse")
sl = pytest.importorskip("scipy.sparse.linalg")

FORMATS = ["csr", "csc", "coo", "bsr", "dia"]
DENSE = np.array([[1.0, 0, 2, 0], [0, 0, 3, 0], [4, 5, 0, 6], [0, 0, 0, 7]])


def matrix(format, device):
    return qn.sparse.csr_array(DENSE, device=device).asformat(format)


@pytest.mark.parametrize("format", FORMATS)
def test_pickles_and_copies(device, format):
    a = matrix(format, device)
    for other in (pickle.loads(pickle.dumps(a)), copy.copy(a), copy.deepcopy(a)):
        assert type(other) is type(a)
        np.testing.assert_array_equal(other.toarray().get(), DENSE)
    deep, shallow = copy.deepcopy(a), copy.copy(a)
    a.data[...] = 1
    np.testing.assert_array_equal(deep.toarray().get(), DENSE)
    np.testing.assert_array_equal(shallow.toarray().get(), a.toarray().get())


def test_pickles_and_copies_of_a_row(device):
    row = matrix("csr", device)[2]
    for other in (pickle.loads(pickle.dumps(row)), copy.copy(row), copy.deepcopy(row), row.to_device(device)):
        np.testing.assert_array_equal(other.toarray().get(), DENSE[2])


@pytest.mark.parametrize("format", FORMATS)
def test_to_device_and_the_device_of_a_constructor(device, format):
    a = qn.sparse.csr_array(DENSE, device="host").asformat(format)
    for moved in (a.to_device(device), type(a)(a, device=device)):
        assert moved.device == qn.ones(1, device=device).device
        assert moved.format == format
        np.testing.assert_array_equal(moved.toarray().get(), DENSE)
        np.testing.assert_array_equal((moved @ qn.ones(4, device=device)).get(), DENSE.sum(axis=1))


def test_operands_on_two_devices_are_named(device):
    x = qn.ones(4, device=device)
    a = qn.sparse.csr_array(DENSE, device="host")
    if x.device == a.device:
        pytest.skip("needs two devices")
    for call in (lambda: a @ x, lambda: x @ a, lambda: linalg.cg(a, x), lambda: a + a.to_device(device)):
        with pytest.raises(ValueError, match=r"host.*to_device"):
            call()


@pytest.mark.parametrize("call", [qn.asarray, qn.abs, qn.sum, qn.linalg.inv, qn.linalg.norm])
def test_functions_of_arrays_say_that_an_array_is_sparse(device, call):
    with pytest.raises(TypeError, match=r"sparse array.*toarray"):
        call(matrix("csr", device))


def test_preconditioners_that_do_not_fit_are_named(device):
    a, b = matrix("csr", device), qn.ones(4, device=device)
    for solve in (linalg.cg, linalg.gmres, linalg.bicgstab, linalg.minres):
        with pytest.raises(ValueError, match=r"M has the shape \(3, 3\)"):
            solve(a, b, M=qn.sparse.eye_array(3, device=device))
        with pytest.raises(TypeError, match=r"M must be.*LinearOperator"):
            solve(a, b, M=lambda x: x)


@pytest.mark.parametrize("kind", [None, "legacy", "pr_norm", "x"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_callbacks_of_gmres(device, kind):
    rng = np.random.default_rng(3)
    a = sp.csr_array(np.eye(30) * 4 + rng.normal(size=(30, 30)) * 0.3)
    b = rng.normal(size=30)
    expected, found = [], []
    options = {
        "rtol": 1e-8,
        "restart": 5,
        "maxiter": 12 if kind in (None, "legacy") else 4,
        "callback_type": kind,
    }
    sl.gmres(a, b, callback=lambda x: expected.append(np.array(x)), **options)
    mine, right = qn.sparse.csr_array(a, device=device), qn.asarray(b, device=device)
    linalg.gmres(mine, right, callback=lambda x: found.append(x.get() if kind == "x" else x), **options)
    assert len(found) == len(expected)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)


def test_an_unknown_callback_type_is_refused(device):
    with pytest.raises(ValueError, match="callback_type"):
        linalg.gmres(matrix("csr", device), qn.ones(4, device=device), callback_type="y")


@pytest.mark.parametrize("shape", [(4, 4), (3, 5), (5, 3), (0, 2)])
@pytest.mark.parametrize("k", [-6, -2, 0, 1, 4])
def test_eye(device, shape, k):
    mine = qn.sparse.eye_array(*shape, k=k, format="csr", device=device)
    np.testing.assert_array_equal(mine.toarray().get(), np.eye(*shape, k=k))
    assert mine.nnz == np.count_nonzero(np.eye(*shape, k=k))


def test_sums_of_matrices_with_the_same_places(device):
    a = matrix("csr", device)
    np.testing.assert_array_equal((a + a).toarray().get(), 2 * DENSE)
    np.testing.assert_array_equal((a + a * 3).get().indices, sp.csr_array(DENSE).indices)
    assert (a - a).nnz == 0
    other = a * -1
    other.data[0] = 5
    assert (a + other).nnz == 1
