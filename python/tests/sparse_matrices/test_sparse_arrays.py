# SPDX-License-Identifier: MIT
"""Sparse arrays against scipy.sparse: constructors, conversions, operators, reductions, slices."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from matrices import (
    DTYPES,
    check,
    compressed,
    coordinates,
    few_kinds,
    few_types,
    made,
    matrices,
    skip_most_on_pocl,
)

import quern as qn

sp = pytest.importorskip("scipy.sparse")
FORMATS = ["csr", "csc", "coo", "bsr", "dia"]
few = settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])


def ours(name, device, *arguments, **options):
    return getattr(qn.sparse, name + "_array")(*arguments, device=device, **options)


def pair(given, device, name="csr"):
    """The same matrix, of SciPy and here; SciPy's copies are its own, because some of its methods sort in place."""
    theirs = sp.csr_array(made(given), shape=given["shape"])
    return ours("csr", device, made(given), shape=given["shape"]).asformat(name), theirs


@few
@given(drawn=matrices(), name=st.sampled_from(FORMATS))
def test_formats_have_the_same_elements(device, drawn, name):
    drawn = few_kinds(device, drawn)
    mine, theirs = pair(drawn, device, name)
    check(mine, theirs)
    assert mine.format == name
    assert mine.shape == theirs.shape
    check(mine.T, theirs.T)
    check(mine.tocsr(), theirs)
    check(mine.tocsc(), theirs)


@few
@given(drawn=matrices(), name=st.sampled_from(FORMATS))
def test_scipys_matrices_come_in_and_go_back_as_they_are(device, drawn, name):
    drawn = few_kinds(device, drawn)
    theirs = sp.csr_array(made(drawn), shape=drawn["shape"]).asformat(name)
    mine = ours(name, device, theirs)
    check(mine, theirs)
    back = mine.get()
    assert back.format == name
    assert back.dtype == theirs.dtype
    for part in ("data", "indices", "indptr", "row", "col", "offsets"):
        if hasattr(theirs, part):
            np.testing.assert_array_equal(getattr(back, part), getattr(theirs, part))


@few
@given(drawn=matrices(), other=st.integers(0, 1000), dtype=st.sampled_from(DTYPES))
def test_sums_differences_and_products_of_elements(device, drawn, other, dtype):
    drawn = few_kinds(device, drawn)
    dtype = few_types(device, dtype)
    mine, theirs = pair(drawn, device)
    second, second_theirs = pair({**drawn, "seed": other, "dtype": dtype}, device)
    kinds = {np.dtype(drawn["dtype"]).kind, np.dtype(dtype).kind}
    check(mine + second, theirs + second_theirs)
    check(mine.multiply(second), theirs.multiply(second_theirs))
    if kinds != {"b"}:
        check(mine - second, theirs - second_theirs)
    if "c" not in kinds:
        check(mine.maximum(second), theirs.maximum(second_theirs))
        check(mine < second, theirs < second_theirs)
    check(mine != second, theirs != second_theirs)


def test_an_entry_of_one_matrix_is_multiplied_with_the_other_ones_zero(device):
    values = np.array([[np.nan, np.inf, 2.0, 0.0]])
    zeros = np.array([[0.0, 0.0, 0.0, np.nan]])
    mine = ours("csr", device, values).multiply(ours("csr", device, zeros))
    check(mine, sp.csr_array(values).multiply(sp.csr_array(zeros)))


@few
@given(drawn=matrices(), columns=st.sampled_from([None, 0, 1, 2, 8, 11]), dtype=st.sampled_from(DTYPES))
def test_products_with_vectors_and_matrices(device, drawn, columns, dtype):
    drawn = few_kinds(device, drawn)
    dtype = few_types(device, dtype)
    mine, theirs = pair(drawn, device)
    rng = np.random.default_rng(1)
    shape = theirs.shape[1:] if columns is None else (theirs.shape[1], columns)
    x = rng.integers(0, 3, shape).astype(dtype)
    check(mine @ x, theirs @ x)
    check(mine @ qn.asarray(x, device=device), theirs @ x)
    y = rng.integers(0, 3, theirs.shape[:1]).astype(dtype)
    check(y @ mine, y @ theirs)
    check(qn.asarray(y, device=device) @ mine, y @ theirs)


@few
@given(
    drawn=matrices(),
    columns=st.integers(0, 6),
    dtype=st.sampled_from(DTYPES),
    name=st.sampled_from(["csr", "csc"]),
)
def test_products_of_two_sparse_matrices(device, drawn, columns, dtype, name):
    drawn = few_kinds(device, drawn)
    dtype = few_types(device, dtype)
    mine, theirs = pair(drawn, device, name)
    size = {"shape": (drawn["shape"][1], columns), "count": 12, "dtype": dtype, "index": "int32", "seed": 3}
    second, second_theirs = pair(size, device, name)
    product = mine @ second
    check(product, theirs @ second_theirs)
    assert product.format == name
    if dtype == "bool" or drawn["dtype"] == "bool":
        return  # SciPy counts booleans at one place once or twice, depending on the shapes
    expected = sp.kron(theirs, second_theirs)
    np.testing.assert_array_equal(qn.sparse.kron(mine, second).toarray().get(), expected.toarray())


def test_larger_products_of_two_sparse_matrices(device):
    rng = np.random.default_rng(0)
    theirs = sp.csr_array(compressed(rng, (300, 200), 5000, "float64"), shape=(300, 200))
    mine = ours("csr", device, theirs)
    check(mine @ mine.T, theirs @ theirs.T, rtol=1e-12)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_sums_along_axes(device, dtype, axis):
    skip_most_on_pocl(device, dtype, ("float64", "bool"))
    theirs = sp.csr_array(compressed(np.random.default_rng(2), (7, 5), 30, dtype), shape=(7, 5))
    mine = ours("csr", device, theirs)
    got, expected = mine.sum(axis), np.asarray(theirs.sum(axis))
    np.testing.assert_array_equal(got.get(), expected)
    assert got.dtype == expected.dtype
    np.testing.assert_allclose(mine.mean(axis).get(), np.asarray(theirs.mean(axis)), rtol=1e-5, atol=1e-6)


@few
@given(drawn=matrices(dtypes=["float64", "int32"]), k=st.integers(-10, 10))
def test_diagonals_and_triangles(device, drawn, k):
    drawn = few_kinds(device, drawn)
    mine, theirs = pair(drawn, device)
    np.testing.assert_array_equal(mine.diagonal(k).get(), theirs.diagonal(k))
    check(qn.sparse.tril(mine, k), sp.tril(theirs, k))
    check(qn.sparse.triu(mine, k), sp.triu(theirs, k))


@few
@given(drawn=matrices(dtypes=["float64"]))
def test_entries_are_sorted_summed_and_dropped_in_place(device, drawn):
    drawn = few_kinds(device, drawn)
    mine, theirs = pair(drawn, device)
    assert mine.has_sorted_indices == theirs.has_sorted_indices
    assert mine.has_canonical_format == sp.csr_array(made(drawn), shape=drawn["shape"]).has_canonical_format
    mine.sort_indices()
    check(mine, theirs)
    assert mine.nnz == theirs.nnz
    mine.sum_duplicates()
    theirs.sum_duplicates()
    for part in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(mine, part).get(), getattr(theirs, part))
    mine.eliminate_zeros()
    theirs.eliminate_zeros()
    for part in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(mine, part).get(), getattr(theirs, part))


def test_explicit_zeros_stay_where_scipy_keeps_them(device):
    theirs = sp.csr_array((np.array([0.0, 2.0]), np.array([1, 0]), np.array([0, 2, 2])), shape=(2, 3))
    mine = ours("csr", device, theirs)
    assert mine.nnz == 2
    assert mine.tocoo().nnz == 2
    assert mine.tocsc().nnz == 2
    assert (mine * 2).nnz == 2
    assert mine.count_nonzero() == 1
    assert (mine + mine).nnz == (theirs + theirs).nnz == 1


def test_coordinates_sum_duplicates(device):
    data, where = coordinates(np.random.default_rng(4), (6, 5), 50, "complex128")
    check(ours("coo", device, (data, where), shape=(6, 5)), sp.coo_array((data, where), shape=(6, 5)))
    csr = ours("csr", device, (data, where), shape=(6, 5))
    expected = sp.csr_array((data, where), shape=(6, 5))
    np.testing.assert_array_equal(csr.data.get(), expected.data)
    np.testing.assert_array_equal(csr.indices.get(), expected.indices)
    check(ours("csc", device, (data, where), shape=(6, 5)), expected)


def test_wide_matrices_have_more_places_than_64_bits_count(device):
    narrow = ours(
        "coo", device, (np.array([1.0, 2, 3, 4]), ([3, 0, 3, 0], [2**62, 5, 2**62, 1])), shape=(4, 2**62 + 1)
    )
    csr = narrow.tocsr()
    assert csr.data.get().tolist() == [4, 2, 4]
    assert csr.indices.get().tolist() == [1, 5, 2**62]
    assert csr.indptr.get().tolist() == [0, 2, 2, 2, 3]


@pytest.mark.parametrize("block", [(1, 1), (2, 3), (6, 1)])
def test_blocks(device, block):
    theirs = sp.csr_array(compressed(np.random.default_rng(5), (6, 9), 20, "float32"), shape=(6, 9))
    mine = ours("csr", device, theirs).tobsr(block)
    assert mine.blocksize == block
    check(mine, theirs)
    check(mine.T, theirs.T)
    check(mine * 2, theirs * np.float32(2))
    check(ours("bsr", device, theirs.tobsr(block)), theirs)


def test_diagonals_longer_and_shorter_than_the_matrix(device):
    for width in (2, 4, 7):
        data = np.arange(1.0, 3 * width + 1).reshape(3, width)
        for shape in ((4, 4), (3, 6), (6, 3)):
            theirs = sp.dia_array((data, [0, 2, -1]), shape=shape)
            mine = ours("dia", device, (data, [0, 2, -1]), shape=shape)
            check(mine, theirs)
            assert mine.nnz == theirs.nnz


KEYS = [
    np.s_[1:4],
    np.s_[::-1],
    np.s_[5:1:-2],
    np.s_[[2, 0, 2, -1]],
    np.s_[:, 1:3],
    np.s_[2:, ::-1],
    np.s_[[1, 1], :],
    np.s_[:, [0, -1]],
    np.s_[...],
    np.s_[3:3],
]


@pytest.mark.parametrize("key", KEYS, ids=str)
@pytest.mark.parametrize("name", ["csr", "csc", "coo"])
def test_slices(device, key, name):
    theirs = sp.csr_array(compressed(np.random.default_rng(6), (7, 5), 25, "float64"), shape=(7, 5))
    check(ours("csr", device, theirs).asformat(name)[key], theirs[key])


def test_masks_and_single_elements(device):
    theirs = sp.csr_array(compressed(np.random.default_rng(6), (7, 5), 25, "int64"), shape=(7, 5))
    mine = ours("csr", device, theirs)
    mask = np.array([True, False] * 3 + [True])
    check(mine[mask], theirs[mask])
    assert [[int(mine[i, j]) for j in range(-5, 5)] for i in range(-7, 7)] == [
        [theirs[i, j] for j in range(-5, 5)] for i in range(-7, 7)
    ]
    for bad in (7, np.s_[[0, 9]], np.s_[0, 5], np.s_[0, 0, 0], np.s_[[1.5]]):
        with pytest.raises(IndexError):
            mine[bad]


def test_numbers_and_arrays_beside_a_sparse_array(device):
    theirs = sp.csr_array(compressed(np.random.default_rng(8), (4, 5), 12, "float64"), shape=(4, 5))
    mine = ours("csr", device, theirs)
    dense = np.arange(20.0).reshape(4, 5)
    check(mine * 3, theirs * 3)
    check(2.5 * mine, 2.5 * theirs)
    check(mine / 4, theirs / 4)
    check(-mine, -theirs)
    check(abs(mine), abs(theirs))
    check(mine**2, theirs**2)
    check(mine + dense, theirs + dense)
    check(dense - mine, dense - theirs)
    check(mine.multiply(dense), theirs.multiply(dense))
    check(mine.multiply(dense[0]), theirs.multiply(dense[0]))
    check(mine.multiply(dense[:, :1]), theirs.multiply(dense[:, :1]))
    check(mine > 1, theirs > 1)
    check(mine.sign(), theirs.sign())
    assert float(mine.max()) == theirs.max()
    assert float(mine.min()) == theirs.min()
    check(mine.astype("complex64").conj(), theirs.astype("complex64").conj())
    with pytest.raises(NotImplementedError):
        mine + 1


def test_values_may_be_written(device):
    mine = ours("csr", device, np.array([[1.0, 0, 2], [0, 3, 0]]))
    column = mine.tocsc()
    before = mine.T @ np.ones(2)
    mine.data[:] = 5
    mine.data *= 2
    np.testing.assert_array_equal(mine.toarray().get(), [[10, 0, 10], [0, 10, 0]])
    np.testing.assert_array_equal((np.ones(2) @ mine).get(), [10, 10, 10])
    np.testing.assert_array_equal(before.get(), [1, 3, 2])
    np.testing.assert_array_equal(column.toarray().get(), [[1, 0, 2], [0, 3, 0]])
    column.data[:] = 7
    np.testing.assert_array_equal((column @ np.ones(3)).get(), [14, 7])


def test_what_is_written_to_one_format_does_not_reach_the_others(device):
    values = np.array([[1.0, 0, 2], [0, 3, 0]])
    for first in FORMATS:
        for second in FORMATS:
            mine = ours("csr", device, values).asformat(first)
            before = (mine @ np.ones(3)).get()
            other = mine.asformat(second, copy=True)
            other.data[...] = 7
            np.testing.assert_array_equal((mine @ np.ones(3)).get(), before)
            np.testing.assert_array_equal(mine.toarray().get(), values)
            np.testing.assert_array_equal((np.ones(2) @ mine).get(), values.sum(axis=0))


def test_a_transpose_shares_its_values(device):
    for name in ("csr", "csc", "coo"):
        mine = ours("csr", device, np.array([[1.0, 0, 2], [0, 3, 0]])).asformat(name)
        assert (np.ones(2) @ mine).get().tolist() == [1, 3, 2]
        assert (mine @ np.ones(3)).get().tolist() == [3, 3]
        mine.T.data[...] = 7
        assert (np.ones(2) @ mine).get().tolist() == [7, 7, 7]
        assert (mine @ np.ones(3)).get().tolist() == [14, 7]
        assert (mine.T @ np.ones(2)).get().tolist() == [7, 7, 7]


def test_bad_arrays_are_refused_before_anything_reads_them(device):
    data, zeros = np.ones(2), np.zeros(2, "int32")
    for indices, indptr, shape in [
        ([0, 3], [0, 1, 2], (2, 3)),
        ([0, -1], [0, 1, 2], (2, 3)),
        ([0, 1], [0, 2, 1], (2, 3)),
        ([0, 1], [1, 1, 2], (2, 3)),
        ([0, 1], [0, 1, 3], (2, 3)),
        ([0, 1], [0, 2], (2, 3)),
    ]:
        with pytest.raises(ValueError):
            ours("csr", device, (data, np.array(indices), np.array(indptr)), shape=shape)
    with pytest.raises(ValueError):
        ours("coo", device, (data, (zeros, zeros + 5)), shape=(2, 3))
    with pytest.raises(ValueError):
        ours("dia", device, (np.ones((2, 2)), [1, 1]), shape=(2, 2))
    with pytest.raises(ValueError):
        ours("bsr", device, (np.ones((1, 2, 2)), [0], [0, 1]), shape=(3, 2))
    with pytest.raises(ValueError):
        ours("csr", device, np.eye(3)) @ np.ones(4)
    with pytest.raises(ValueError):
        ours("csr", device, np.eye(3)) + ours("csr", device, np.eye(4))
    with pytest.raises(TypeError):
        ours("csr", device, (data, np.array([0.5, 1]), np.array([0, 1, 2])), shape=(2, 3))


def test_matrices_are_made_as_scipy_makes_them(device):
    with device:
        for format in (None, "csr"):
            check(qn.sparse.eye_array(3, 5, k=-1, format=format), sp.eye_array(3, 5, k=-1))
            check(qn.sparse.eye(4), sp.eye_array(4))
        lines, moves = [[1.0, 2, 3], [4.0, 5], [6.0]], [0, 1, -2]
        check(qn.sparse.diags_array(lines, offsets=moves), sp.diags_array(lines, offsets=moves))
        check(
            qn.sparse.diags([1.0, -2.0], [1, -1], shape=(4, 6)),
            sp.diags_array([1.0, -2.0], offsets=[1, -1], shape=(4, 6)),
        )
        check(qn.sparse.diags([1, 2, 3.0]), sp.diags_array([1, 2, 3.0]))
        check(
            qn.sparse.spdiags([[1, 2, 3], [4, 5, 6]], [0, 1], 3, 4),
            sp.spdiags([[1, 2, 3], [4, 5, 6]], [0, 1], 3, 4),
        )
        check(qn.sparse.spdiags([[1.0, 2, 3]], [-1]), sp.spdiags([[1.0, 2, 3]], [-1]))
        filled = qn.sparse.random(30, 20, 0.3, random_state=1, data_rvs=np.ones)
        assert float(filled.sum()) == 180
        out = qn.zeros((30, 20))
        assert filled.toarray(out=out) is out
        np.testing.assert_array_equal(filled.toarray(order="F").get(), out.get())
        random = qn.sparse.random_array((30, 20), density=0.3, rng=1)
        assert random.nnz == 180
        assert random.tocsr().has_canonical_format
        a = sp.csr_array(compressed(np.random.default_rng(9), (3, 4), 6, "float64"), shape=(3, 4))
        b = sp.csr_array(compressed(np.random.default_rng(10), (2, 4), 6, "float32"), shape=(2, 4))
        mine, second = qn.sparse.csr_array(a), qn.sparse.csr_array(b)
        check(qn.sparse.vstack([mine, second]), sp.vstack([a, b]))
        check(qn.sparse.hstack([mine, mine]), sp.hstack([a, a]))
        check(qn.sparse.block_array([[mine, None], [None, second]]), sp.block_array([[a, None], [None, b]]))
        check(qn.sparse.block_diag([mine, second]), sp.block_diag([a, b]))
        square = sp.csr_array(np.arange(9.0).reshape(3, 3))
        check(qn.sparse.kronsum(square, square), sp.kronsum(square, square))
        assert qn.sparse.vstack([mine, second]).format == "csr"
        with pytest.raises(ValueError):
            qn.sparse.vstack([mine, mine.T])


def test_infinities_and_nans_stay_in_their_rows(device):
    values = np.array([[np.nan, 1, 0], [np.inf, 0, -np.inf], [0, 0, 5.0]])
    check(ours("csr", device, values) @ np.ones(3), sp.csr_array(values) @ np.ones(3))
    check(ours("csr", device, values).sum(0), sp.csr_array(values).sum(0))
