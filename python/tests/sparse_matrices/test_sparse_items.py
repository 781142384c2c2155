# SPDX-License-Identifier: MIT
"""A[key] and A[key] = values of sparse arrays, and sparse vectors, against scipy.sparse."""

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from matrices import check, compressed

import quern as qn

sp = pytest.importorskip("scipy.sparse")
few = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
SHAPE = (6, 5)


def pair(device, name="csr", count=14):
    """A matrix with duplicates and unsorted rows, here and of SciPy."""
    parts = compressed(np.random.default_rng(3), SHAPE, count, "float64")
    mine = qn.sparse.csr_array(parts, shape=SHAPE, device=device).asformat(name)
    return mine, sp.csr_array(parts, shape=SHAPE).asformat(name)


@pytest.mark.parametrize("name", ["csr", "csc", "coo"])
@pytest.mark.parametrize(
    "key",
    [
        0,
        -1,
        (slice(None), 2),
        (3, slice(None)),
        (3, slice(1, 4)),
        (slice(0, 5, 2), -1),
        (2, [0, 4, 0]),
        ([5, 0], 1),
        ([0, 5, 5], [1, 4, 4]),
        (np.array([[0, 1], [2, 3]]), np.array([[1, 1], [4, 0]])),
        (np.array([[0], [4]]), np.array([[1, 1, 3]])),
        (..., 1),
    ],
    ids=str,
)
def test_rows_columns_and_places(device, name, key):
    mine, theirs = pair(device, name)
    got, expected = mine[key], theirs.tocsr()[key]
    assert got.shape == expected.shape
    if sp.issparse(expected):
        assert got.ndim == expected.ndim
        np.testing.assert_array_equal(got.toarray().get(), expected.toarray())
    else:
        np.testing.assert_array_equal(got.get(), expected)


def test_masks_choose_elements(device):
    mine, theirs = pair(device)
    dense = theirs.toarray()
    np.testing.assert_array_equal(mine[mine > 0].get(), dense[dense > 0])
    np.testing.assert_array_equal(mine[dense <= 0].get(), dense[dense <= 0])
    np.testing.assert_array_equal(mine[qn.asarray(dense != 0, device=device)].get(), dense[dense != 0])
    with pytest.raises(ValueError, match="does not fit"):
        mine[np.ones((2, 2), bool)]


def test_indices_out_of_bounds(device):
    mine, _ = pair(device)
    for key in (6, (0, 5), (slice(None), -6), ([0, 7], [0, 0])):
        with pytest.raises(IndexError):
            mine[key]
    with pytest.raises(IndexError):
        mine[6, 0] = 1
    wide = qn.sparse.coo_array(([1.0], ([0], [2**61])), shape=(2**20, 2**62), device=device).tocsr()
    assert float(wide[0, 2**61]) == 1
    assert float(wide[1, 2**61]) == 0
    with pytest.raises(IndexError, match="too many places"):
        wide[[0], [0]]


def test_sparse_vectors(device):
    mine, theirs = pair(device)
    a, b = mine[0], mine[:, 1][:5]
    x, y = theirs.toarray()[0], theirs.toarray()[:5, 1]
    assert a.shape == (5,)
    assert a.dtype == x.dtype
    np.testing.assert_array_equal((a + b).toarray().get(), x + y)
    np.testing.assert_array_equal((a - b).toarray().get(), x - y)
    np.testing.assert_array_equal((2 * a).toarray().get(), 2 * x)
    np.testing.assert_array_equal((a / 2).toarray().get(), x / 2)
    np.testing.assert_array_equal((a * b).toarray().get(), x * y)
    np.testing.assert_array_equal((-a).toarray().get(), -x)
    np.testing.assert_array_equal(abs(a).toarray().get(), abs(x))
    np.testing.assert_array_equal((a + np.ones(5)).get(), x + 1)
    assert float(a @ b) == x @ y
    assert float(a @ np.arange(5.0)) == x @ np.arange(5.0)
    np.testing.assert_array_equal((mine @ a).get(), theirs.toarray() @ x)
    np.testing.assert_array_equal((a @ mine.T).toarray().get(), x @ theirs.toarray().T)
    assert float(a.sum()) == x.sum()
    assert float(a.max()) == x.max()
    assert float(a[2]) == x[2]
    np.testing.assert_array_equal(a[1:4].toarray().get(), x[1:4])
    np.testing.assert_array_equal(a.get().toarray(), x)
    assert a.get().shape == (5,)
    np.testing.assert_array_equal(a.astype("float32").toarray().get(), x.astype("float32"))
    with pytest.raises(ValueError, match="inconsistent"):
        a + mine[:, 1]


KEYS = st.one_of(
    st.integers(-5, 4),
    st.slices(5),
    st.lists(st.integers(-5, 4), max_size=4),
)


@few
@given(name=st.sampled_from(["csr", "csc", "coo"]), rows=KEYS, columns=KEYS, value=st.integers(-3, 3))
def test_elements_are_assigned_as_to_a_dense_array(device, name, rows, columns, value):
    mine, theirs = pair(device, name)
    dense = theirs.toarray()
    if isinstance(rows, list) and isinstance(columns, list):
        count = min(len(rows), len(columns))
        rows, columns = rows[:count], columns[:count]
    mine[rows, columns] = value
    dense[rows, columns] = value
    np.testing.assert_array_equal(mine.toarray().get(), dense)


@pytest.mark.parametrize("name", ["csr", "csc", "coo"])
def test_assigned_values(device, name):
    mine, theirs = pair(device, name)
    dense = theirs.toarray()
    mine[2] = np.arange(5.0)
    dense[2] = np.arange(5.0)
    mine[:, 1] = qn.arange(6.0, device=device)
    dense[:, 1] = np.arange(6.0)
    mine[[0, 0, 3], [2, 2, 3]] = [7, 8, 9]  # the last of equal places counts
    dense[[0, 0, 3], [2, 2, 3]] = [7, 8, 9]
    mine[mine > 6] = -1
    dense[dense > 6] = -1
    mine[4] = mine[2]
    dense[4] = dense[2]
    mine[5, 4] = 0
    dense[5, 4] = 0
    check(mine, dense)
    check(mine @ np.ones(5), dense @ np.ones(5))
    with pytest.raises(ValueError, match=r"broadcast|shape"):
        mine[0] = [1.0, 2.0]
    check(mine, dense)


@pytest.mark.parametrize("name", ["csr", "csc"])
def test_stored_entries_are_written_in_place(device, name):
    values = np.array([[1.0, 0, 2], [0, 3, 0]])
    mine = getattr(qn.sparse, name + "_array")(values, device=device)
    theirs = getattr(sp, name + "_array")(values)
    data = mine.data
    mine @ np.ones(3)
    mine[0, 2] = 7
    theirs[0, 2] = 7
    np.testing.assert_array_equal(data.get(), theirs.data)
    np.testing.assert_array_equal((mine @ np.ones(3)).get(), theirs @ np.ones(3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs[1, 0] = 5
    mine[1, 0] = 5
    assert mine.nnz == theirs.nnz == 4
    check(mine, theirs)


def test_elements_of_blocks_are_not_assigned(device):
    with pytest.raises(TypeError, match="csr"):
        qn.sparse.bsr_array(np.eye(2), device=device)[0, 0] = 1
