# SPDX-License-Identifier: MIT
"""Who owns the arrays of a sparse matrix: what a caller writes to, and what it reads afterwards."""

import numpy as np
import pytest

import quern as qn

sp = pytest.importorskip("scipy.sparse")
VALUES = np.array([[1.0, 0, 2], [0, 3, 0]])


def parts_of(name, device, copy=False):
    """A matrix made of the caller's arrays, and those arrays."""
    theirs = sp.csr_array(VALUES).asformat(name)
    names = {"coo": ("data", "row", "col"), "dia": ("data", "offsets")}.get(
        name, ("data", "indices", "indptr")
    )
    first, *others = (qn.asarray(getattr(theirs, part), device=device) for part in names)
    given = (first, tuple(others)) if name == "coo" else (first, *others)
    made = getattr(qn.sparse, name + "_array")(given, shape=VALUES.shape, copy=copy)
    return made, first, others


def products(matrix):
    return (matrix @ np.ones(3)).get().tolist(), (np.ones(2) @ matrix).get().tolist()


@pytest.mark.parametrize("name", ["csr", "csc", "coo", "bsr", "dia"])
def test_what_the_caller_writes_to_its_values_reaches_the_matrix(device, name):
    mine, values, indices = parts_of(name, device)
    assert products(mine) == ([3, 3], [1, 3, 2])
    values[...] = values * 10
    assert products(mine) == ([30, 30], [10, 30, 20])
    for array in indices:  # copied
        array[...] = 1000
    assert products(mine) == ([30, 30], [10, 30, 20])


@pytest.mark.parametrize("name", ["csr", "csc", "coo", "bsr", "dia"])
def test_a_copy_of_the_callers_values_does_not_change(device, name):
    mine, values, _ = parts_of(name, device, copy=True)
    values[...] = 0
    assert products(mine) == ([3, 3], [1, 3, 2])


@pytest.mark.parametrize("name", ["bsr", "dia", "coo", "csr", "csc"])
def test_a_matrix_made_of_another_sees_what_is_written_to_it(device, name):
    first = qn.sparse.csr_array(VALUES, device=device).asformat(name)
    second = type(first)(first)
    own = type(first)(first, copy=True)
    assert products(second) == ([3, 3], [1, 3, 2])
    first.data[...] = first.data * 10
    assert products(second) == products(first) == ([30, 30], [10, 30, 20])
    assert products(own) == ([3, 3], [1, 3, 2])


@pytest.mark.parametrize("name", ["csr", "csc", "coo", "bsr", "dia"])
def test_indices_are_handed_out_as_copies(device, name):
    mine = qn.sparse.csr_array(VALUES, device=device).asformat(name)
    for part in ("indices", "indptr", "row", "col", "offsets"):
        if hasattr(mine, part):
            getattr(mine, part)[...] = 1000
    assert products(mine) == ([3, 3], [1, 3, 2])
    np.testing.assert_array_equal(mine.toarray().get(), VALUES)


def test_results_do_not_alias_the_matrix(device):
    square = np.tril(np.arange(1.0, 10).reshape(3, 3))
    for name in ("csr", "csc", "coo"):
        mine = qn.sparse.csr_array(square, device=device).asformat(name)
        for array in (*qn.sparse.find(mine), *mine.nonzero()):
            array[...] = 77
        for result in (
            mine[:],
            mine[:, :],
            mine.real,
            qn.sparse.tril(mine, format="csr"),
            qn.sparse.triu(mine.T, format="csr"),
        ):
            result.data[...] = 77
        np.testing.assert_array_equal(mine.toarray().get(), square)
        np.testing.assert_array_equal((mine @ np.ones(3)).get(), square.sum(axis=1))


def test_spare_blocks_are_not_read(device):
    parts = (np.ones((3, 2, 2)), [0, 1, 0], [0, 1, 2])
    mine = qn.sparse.bsr_array(parts, shape=(4, 4), device=device)
    expected = np.kron(np.eye(2), np.ones((2, 2)))
    np.testing.assert_array_equal(mine.toarray().get(), expected)
    np.testing.assert_array_equal((mine @ np.arange(4.0)).get(), expected @ np.arange(4.0))
    np.testing.assert_array_equal(mine.tocsr().indptr.get(), [0, 2, 4, 6, 8])
    none = qn.sparse.bsr_array((np.ones((2, 2, 2)), [0, 1], [0, 0, 0]), shape=(4, 4), device=device)
    assert not none.toarray().get().any()


def test_blocks_with_narrow_indices_have_wide_coordinates(device):
    narrow = qn.asarray(np.array([0, 100], np.int8), device=device)
    starts = qn.asarray(np.array([0] + [1] * 100 + [2], np.int8), device=device)
    mine = qn.sparse.bsr_array((np.ones((2, 2, 2)), narrow, starts), shape=(202, 202), device=device)
    expected = np.zeros((202, 202))
    expected[:2, :2] = expected[200:, 200:] = 1
    np.testing.assert_array_equal(mine.toarray().get(), expected)


@pytest.mark.parametrize("shape", [(2, 5), (5, 2), (3, 4), (4, 3)])
@pytest.mark.parametrize("offset", [-2, -1, 0, 1, 2])
def test_diagonals_of_rectangles(device, shape, offset):
    for length in range(1, 7):
        line = [np.arange(1.0, length + 1)]
        try:
            expected = sp.diags_array(line, offsets=[offset], shape=shape)
        except ValueError:
            with pytest.raises(ValueError):
                qn.sparse.diags_array(line, offsets=[offset], shape=shape, device=device)
            continue
        mine = qn.sparse.diags_array(line, offsets=[offset], shape=shape, device=device)
        np.testing.assert_array_equal(mine.toarray().get(), expected.toarray())


@pytest.mark.parametrize("dtype", ["uint16", "int16"])
def test_products_of_short_integers_wrap(device, dtype):
    most = np.iinfo(dtype).max
    theirs = np.full((2, 3), most, dtype)
    x = np.full(3, most, dtype)
    mine = qn.sparse.csr_array(theirs, device=device)
    np.testing.assert_array_equal((mine @ x).get(), theirs @ x)


@pytest.mark.parametrize("name", ["csr_array", "csc_array"])
def test_sorted_coordinates_are_copied(device, name):
    """As unsorted ones are: a matrix made of coordinates shares nothing with them."""
    values = qn.asarray([1.0, 2.0, 3.0], device=device)
    places = np.arange(3)
    a = getattr(qn.sparse, name)((values, (places, places)), shape=(3, 3), device=device)
    ones = qn.ones(3, device=device)
    qn.eval(ones @ a)
    values[0] = 100
    np.testing.assert_array_equal((a @ ones).get(), [1, 2, 3])
    np.testing.assert_array_equal((ones @ a).get(), [1, 2, 3])
    a.data[1] = 9
    np.testing.assert_array_equal(values.get(), [100, 2, 3])
