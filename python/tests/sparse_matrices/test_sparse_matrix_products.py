# SPDX-License-Identifier: MIT
"""Products of a sparse matrix with a dense matrix, and expressions that run in their launch."""

import numpy as np
import pytest
from matrices import coordinates, entries, skip_most_on_pocl

import quern as qn

sp = pytest.importorskip("scipy.sparse")
ROWS, COLUMNS = 3000, 2500  # products on the host are large enough to be lazy


def matrix(dtype="float64"):
    rng = np.random.default_rng(1)
    return sp.coo_array(coordinates(rng, (ROWS, COLUMNS), 20_000, dtype), shape=(ROWS, COLUMNS)).tocsr()


def whole(shape, seed, dtype="float64"):
    return entries(np.random.default_rng(seed), int(np.prod(shape)), dtype).reshape(shape)


def launches(make):
    """The result of a function, and the launches until it is in memory."""
    before = qn.stats().launches
    result = make()
    qn.eval(result)
    return result, qn.stats().launches - before


EXPRESSIONS = {
    "sum": lambda y, b: y + b,
    "difference": lambda y, b: b - y,
    "negative": lambda y, b: -y,
    "factors": lambda y, b: 0.5 * y + 3 * b,
    "after": lambda y, b: (b - y) * 2,
}
# What is added: a matrix, one by columns, one row for all, one column for all, a part of a larger matrix.
ADDENDS = {
    "matrix": lambda n: (whole((ROWS, n), 3), lambda b: b),
    "transposed": lambda n: (whole((n, ROWS), 3), lambda b: b.T),
    "row": lambda n: (whole((n,), 3), lambda b: b),
    "column": lambda n: (whole((ROWS, 1), 3), lambda b: b),
    "part": lambda n: (whole((ROWS + 2, 2 * n + 1), 3), lambda b: b[2:, 1::2]),
}


@pytest.mark.parametrize("loops", ["grid", "chunks"])
@pytest.mark.parametrize("addend", ADDENDS)
@pytest.mark.parametrize("name", EXPRESSIONS)
def test_an_expression_of_a_product_runs_in_its_launch(device, set_loops, loops, addend, name):
    set_loops(loops)
    n = 11
    theirs, x = matrix(), whole((COLUMNS, n), 2)
    mine, right = qn.sparse.csr_array(theirs, device=device), qn.asarray(x, device=device)
    given, view = ADDENDS[addend](n)
    added = view(qn.asarray(given, device=device))
    qn.eval(mine @ right)
    _, alone = launches(lambda: mine @ right)
    result, together = launches(lambda: EXPRESSIONS[name](mine @ right, added))
    np.testing.assert_array_equal(result.get(), EXPRESSIONS[name](theirs @ x, view(given)))
    assert alone == 1
    assert together == 1


@pytest.mark.parametrize("dtype", ["float32", "complex128", "int32", "bool"])
def test_other_types(device, dtype):
    skip_most_on_pocl(device, dtype, ("complex128",))
    theirs, x, b = matrix(dtype), whole((COLUMNS, 9), 2, dtype), whole((ROWS, 9), 3, dtype)
    mine = qn.sparse.csr_array(theirs, device=device) @ qn.asarray(x, device=device)
    np.testing.assert_array_equal((mine + qn.asarray(b, device=device)).get(), theirs @ x + b)


def test_expressions_that_a_product_does_not_take(device):
    theirs, x, b = matrix(), whole((COLUMNS, 10), 2), whole((ROWS, 10), 3)
    right, added = qn.asarray(x, device=device), qn.asarray(b, device=device)
    y, expected = qn.sparse.csr_array(theirs, device=device) @ right, theirs @ x
    np.testing.assert_array_equal((y + added + added).get(), expected + 2 * b)
    np.testing.assert_array_equal((y * y + 1).get(), expected * expected + 1)
    np.testing.assert_array_equal(qn.maximum(y, 0).get(), np.maximum(expected, 0))
    np.testing.assert_array_equal((y[::2].T + 1).get(), expected[::2].T + 1)
    np.testing.assert_array_equal(y.sum(axis=0).get(), expected.sum(axis=0))


def test_what_a_pending_product_reads_may_be_written(device):
    theirs, x, b = matrix(), whole((COLUMNS, 10), 2), whole((ROWS, 10), 3)
    mine = qn.sparse.csr_array(theirs, device=device)
    right, added = qn.asarray(x, device=device), qn.asarray(b, device=device)
    result = mine @ right + added
    right[:] = 0
    added[:] = 0
    mine.data[:] = 0
    np.testing.assert_array_equal(result.get(), theirs @ x + b)
