# SPDX-License-Identifier: MIT
"""Matrices large enough for several threads and for all ways of the sort, against SciPy; results are sorted."""

import numpy as np
import pytest
from matrices import check, compressed, coordinates, is_slow

import quern as qn

sp = pytest.importorskip("scipy.sparse")

# Few long rows, many short ones, more rows than entries, and so many that entries are sorted in buckets.
SHAPES = [(7, 300), (3000, 2000), (90_000, 50), (400_000, 300_000)]


def counts(device):
    return 2000 if is_slow(device) else 60_000


def canonical(theirs):
    theirs = theirs.tocsr().copy()
    theirs.sum_duplicates()
    return theirs


def check_parts(mine, theirs):
    """The same entries in the same places, sorted."""
    got, expected = mine.get(), canonical(theirs)
    assert got.shape == expected.shape
    np.testing.assert_array_equal(got.indptr, expected.indptr)
    np.testing.assert_array_equal(got.indices, expected.indices)
    np.testing.assert_array_equal(got.data, expected.data)
    assert mine.has_canonical_format


def made_pair(device, shape, seed=0, dtype="float64", index="int32"):
    parts = compressed(np.random.default_rng(seed), shape, counts(device), dtype, index)
    return qn.sparse.csr_array(parts, shape=shape, device=device), sp.csr_array(parts, shape=shape)


@pytest.mark.parametrize("dtype", ["float64", "complex64", "int8", "bool"])
@pytest.mark.parametrize("index", ["int32", "int64"])
@pytest.mark.parametrize("shape", SHAPES)
def test_coordinates_are_sorted_and_summed(device, shape, dtype, index):
    if is_slow(device) and (dtype, index) != ("float64", "int32"):
        pytest.skip("PoCL takes long for each new kernel")
    data, places = coordinates(np.random.default_rng(3), shape, counts(device), dtype, index)
    mine = qn.sparse.coo_array((data, places), shape=shape, device=device).tocsr()
    theirs = sp.coo_array((data, places), shape=shape).tocsr()
    check_parts(mine, theirs)
    assert mine.dtype == theirs.dtype


def test_coordinates_that_are_sorted(device):
    order = np.arange(50_000)
    mine = qn.sparse.coo_array((order + 1.0, (order // 3, order % 3)), device=device).tocsr()
    check_parts(mine, sp.coo_array((order + 1.0, (order // 3, order % 3))).tocsr())


@pytest.mark.parametrize("shape", SHAPES)
def test_transposes_of_large_matrices(device, shape):
    mine, theirs = made_pair(device, shape)
    got, expected = mine.tocsc().get(), theirs.tocsc()
    np.testing.assert_array_equal(got.indptr, expected.indptr)
    np.testing.assert_array_equal(got.indices, expected.indices)
    np.testing.assert_array_equal(got.data, expected.data)
    mine.sort_indices()
    assert mine.has_sorted_indices and mine.nnz == theirs.nnz
    turned = mine.T.tocsr()
    turned.sum_duplicates()
    check_parts(turned, theirs.T)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ["__add__", "__sub__", "multiply", "maximum"])
def test_sums_and_products_of_elements(device, shape, name):
    mine, theirs = made_pair(device, shape)
    other, their_other = made_pair(device, shape, 1)
    result = getattr(mine, name)(other)
    expected = getattr(canonical(theirs), name)(canonical(their_other)).tocsr()
    expected.eliminate_zeros()
    check_parts(result, expected)
    # The same places.
    check_parts(
        getattr(mine, name)(mine * 2), getattr(canonical(theirs), name)(canonical(theirs) * 2).tocsr()
    )


def test_cancelled_entries_are_dropped_and_nan_stays(device):
    a = qn.sparse.csr_array([[1.0, np.inf, 0.0], [2.0, 0.0, 3.0]], device=device)
    b = qn.sparse.csr_array([[-1.0, 0.0, 4.0], [0.0, 0.0, -3.0]], device=device)
    assert (a + b).nnz == 3
    product = a.multiply(b)
    assert product.nnz == 3 and np.isnan(product.toarray().get()[0, 1])


@pytest.mark.parametrize("shape", SHAPES[:3])
@pytest.mark.parametrize("dtype", ["float64", "int32", "complex128"])
def test_products_of_large_matrices(device, shape, dtype):
    if is_slow(device) and dtype != "float64":
        pytest.skip("PoCL takes long for each new kernel")
    mine, theirs = made_pair(device, shape, 0, dtype)
    other, their_other = made_pair(device, (shape[1], 700), 1, dtype)
    result, expected = (mine @ other).get(), canonical(theirs @ their_other)
    assert abs(result - expected).max() == 0
    assert result.dtype == expected.dtype
    if device.backend != "cuda":
        assert result.has_canonical_format


def test_product_with_very_many_columns(device):
    # Sums for all columns would take too much memory.
    n = 200_000_000
    rng = np.random.default_rng(4)
    left = rng.integers(0, 50, 400), rng.integers(0, 60, 400)
    right = rng.integers(0, 60, 500), rng.integers(0, n, 500)
    a = (np.ones(400), left), (50, 60)
    b = (np.arange(1.0, 501), right), (60, n)
    mine = qn.sparse.csr_array(*a, device=device) @ qn.sparse.csr_array(*b, device=device)
    check_parts(mine, sp.csr_array(*a) @ sp.csr_array(*b))


@pytest.mark.parametrize("shape", SHAPES)
def test_rows_of_large_matrices(device, shape):
    mine, theirs = made_pair(device, shape)
    rng = np.random.default_rng(5)
    for key in (
        rng.random(shape[0]) < 0.4,
        rng.integers(-shape[0], shape[0], shape[0] // 2),
        slice(shape[0] // 4, shape[0] // 2),
        slice(None, None, -3),
        [],
    ):
        result, expected = mine[key], theirs[key]
        assert result.shape == expected.shape
        assert result.nnz == expected.nnz
        result.sum_duplicates()
        check_parts(result, expected)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["float64", "uint16", "bool"])
def test_sums_and_diagonals_of_large_matrices(device, shape, dtype):
    if is_slow(device) and dtype != "float64":
        pytest.skip("PoCL takes long for each new kernel")
    mine, theirs = made_pair(device, shape, 0, dtype)
    for axis in (0, 1):
        check(mine.sum(axis=axis), theirs.sum(axis=axis))
        lines = theirs.indices if axis == 0 else theirs.tocoo().row
        check(mine.getnnz(axis=axis), np.bincount(lines, minlength=shape[1 - axis]))
    for offset in (0, 5, -3):
        check(mine.diagonal(offset), canonical(theirs).diagonal(offset))


def test_stacks_and_blocks_of_large_matrices(device):
    a, their_a = made_pair(device, (900, 500))
    b, their_b = made_pair(device, (900, 300), 1)
    c, their_c = made_pair(device, (200, 500), 2, "complex128" if not is_slow(device) else "float64")
    check_parts(qn.sparse.vstack([a, c], format="csr"), sp.vstack([their_a, their_c]))
    check_parts(qn.sparse.hstack([a, b], format="csr"), sp.hstack([their_a, their_b]))
    blocks, theirs = [[a, b], [c, None]], [[their_a, their_b], [their_c, None]]
    check_parts(qn.sparse.block_array(blocks, format="csr"), sp.block_array(theirs))
    check_parts(qn.sparse.block_diag([a, c, b], format="csr"), sp.block_diag([their_a, their_c, their_b]))
    check_parts(qn.sparse.vstack([a[3], a[5]], format="csr"), sp.vstack([their_a[[3]], their_a[[5]]]))


@pytest.mark.parametrize("shape", [(70_000, 70_000), (5, 90_000), (90_000, 5)])
def test_diagonals_become_rows(device, shape):
    rng = np.random.default_rng(6)
    offsets = [3, -2, 0, shape[1] - 1, -shape[0] + 1]
    data = rng.integers(-1, 2, (len(offsets), shape[1] - 1)).astype("float64")
    mine = qn.sparse.dia_array((data, offsets), shape=shape, device=device)
    check_parts(mine.tocsr(), sp.dia_array((data, offsets), shape=shape))


@pytest.mark.parametrize("name", ["csr", "csc", "dia", "coo"])
def test_identities(device, name):
    for shape, k in (((4, 4), 0), ((3, 5), 2), ((5, 3), -1), ((0, 2), 0)):
        mine = qn.sparse.eye_array(*shape, k=k, dtype="float32", format=name, device=device)
        assert mine.format == name
        check(mine, sp.eye_array(*shape, k=k, dtype="float32", format=name))
    check(qn.sparse.eye(3, 4, 1, "int64", "csr"), sp.eye_array(3, 4, k=1, dtype="int64"))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float32", "float64", "complex64"])
def test_identities_of_many_rows(device, dtype):
    for shape, k in (
        ((40_000, 40_000), 0),
        ((30_000, 50_000), 20_001),
        ((50_000, 30_000), -20_001),
        ((9, 4), -9),
    ):
        mine = qn.sparse.eye_array(*shape, k=k, dtype=dtype, format="csr", device=device)
        check_parts(mine, sp.eye_array(*shape, k=k, dtype=dtype, format="csr"))


@pytest.mark.parametrize("count", [50, 60_000])
def test_a_transpose_is_made_once_for_several_values(device, count):
    def check_columns(matrix, expected):
        got, wanted = matrix.tocsc().get(), expected.tocsc()
        for part in ("indptr", "indices", "data"):
            np.testing.assert_array_equal(getattr(got, part), getattr(wanted, part))

    rng = np.random.default_rng(11)
    shape = (count // 5 + 3, count // 7 + 2)
    rows, columns = (rng.integers(0, length, count) for length in shape)
    theirs = sp.coo_array((rng.random(count), (rows, columns)), shape=shape).tocsr()
    mine = qn.sparse.csr_array(theirs, device=device)
    check_columns(mine, theirs)
    for factor in (2.0, 3.0):  # the structure is shared, and its transpose known
        check_columns(mine * factor, theirs * factor)
    mine.data[:] = 1
    theirs.data[:] = 1
    check_columns(mine, theirs)
    x = rng.random(shape[0])
    np.testing.assert_allclose((mine.T @ qn.asarray(x, device=device)).get(), theirs.T @ x, rtol=1e-12)
