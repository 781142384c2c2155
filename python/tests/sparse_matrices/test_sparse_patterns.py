# SPDX-License-Identifier: MIT
"""Products of matrices whose rows have few patterns, as those of stencils and bands, and expressions of products."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from matrices import entries, is_slow, skip_most_on_pocl

import quern as qn

sp = pytest.importorskip("scipy.sparse")
LOOPS = ["grid", "chunks"]
ROWS = 20_000  # enough that patterns are looked for


def with_patterns(patterns, codes, columns, dtype="float64", index="int32"):
    """A matrix whose row i has the columns i + patterns[codes[i]], taken modulo `columns`, in that order."""
    rng = np.random.default_rng(3)
    taken = [(row + np.array(patterns[code], dtype=np.int64)) % columns for row, code in enumerate(codes)]
    starts = np.concatenate([[0], np.cumsum([len(part) for part in taken])]).astype(index)
    indices = np.concatenate(taken).astype(index)
    return sp.csr_array((entries(rng, len(indices), dtype), indices, starts), shape=(len(codes), columns))


def five_point(lines, length):
    line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(length, length))
    other = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(lines, lines))
    return sp.kronsum(line, other, format="csr")


def patterned(kind):
    rng = np.random.default_rng(1)
    if kind == "five-point":
        return five_point(75, 256)
    if kind == "five-point, short lines":
        return five_point(400, 37)
    if kind == "tall":
        return sp.diags_array(
            [1.0, 2.0, 3.0, 4.0], offsets=[-30_000, -1, 0, 5], shape=(40_000, 30_000)
        ).tocsr()
    if kind == "wide":
        return sp.diags_array([1.0, 2.0, 3.0, 4.0], offsets=[-2, 0, 1, 9_000], shape=(18_000, 30_000)).tocsr()
    if kind == "alternating":
        return with_patterns([[0, 1, 2, 5], [0, -1], [3, -7, 0, 1, 1]], np.arange(ROWS) % 3, ROWS)
    if kind == "unsorted, repeated, empty":
        patterns = [[], [5, 5, 0], [0, 5, 5], [0, 5], [-3, 8, -3, 1, 0, 0, 2, 4, 6, 7, 9]]
        return with_patterns(patterns, rng.integers(0, 5, ROWS), ROWS)
    if kind == "long":
        return with_patterns([list(range(27)), list(range(0, 128, 2)), [1]], rng.integers(0, 3, 3000), 5000)
    if kind == "too long":
        return with_patterns([list(range(65)), [1]], rng.integers(0, 2, 3000), 5000)
    if kind == "many":
        return with_patterns([[0, 2 * k + 1, 3, 1] for k in range(180)], rng.integers(0, 180, ROWS), ROWS)
    return with_patterns([[0, 2 * k + 1, 3, 1] for k in range(300)], rng.integers(0, 300, ROWS), ROWS)


KINDS = [
    "five-point",
    "five-point, short lines",
    "tall",
    "wide",
    "alternating",
    "unsorted, repeated, empty",
    "long",
    "too long",
    "many",
    "too many",
]


@pytest.mark.parametrize("loops", LOOPS)
@pytest.mark.parametrize("kind", KINDS)
def test_products(device, set_loops, loops, kind):
    set_loops(loops)
    theirs = patterned(kind)
    mine = qn.sparse.csr_array(theirs, device=device)
    rng = np.random.default_rng(2)
    for _ in range(2):
        x = rng.integers(-4, 5, theirs.shape[1]).astype(float)
        np.testing.assert_array_equal((mine @ x).get(), theirs @ x)


@pytest.mark.parametrize("loops", LOOPS)
@pytest.mark.parametrize("dtype", ["float32", "complex64", "complex128"])
def test_products_of_all_kinds_of_entries(device, set_loops, loops, dtype):
    skip_most_on_pocl(device, dtype, ("complex64",))
    set_loops(loops)
    codes = np.random.default_rng(1).integers(0, 3, ROWS)
    theirs = with_patterns([[0, 1, 2, 5], [0, -1, 7, 8, 20], [3]], codes, ROWS, dtype, "int64")
    x = entries(np.random.default_rng(2), ROWS, dtype)
    mine = qn.sparse.csr_array(theirs, device=device)
    np.testing.assert_array_equal((mine @ x).get(), theirs @ x)


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    patterns=st.lists(st.lists(st.integers(-40, 40), max_size=9), min_size=1, max_size=12),
    columns=st.integers(1, 100_000),
    run=st.integers(1, 600),
)
def test_any_patterns(device, set_loops, patterns, columns, run):
    """Rows of one pattern follow each other, so that some blocks of rows have one pattern and others several."""
    rows = 65_600 // max(1, min(len(pattern) for pattern in patterns)) if not is_slow(device) else ROWS
    codes = np.repeat(np.random.default_rng(run).integers(0, len(patterns), rows // run + 1), run)[:rows]
    theirs = with_patterns(patterns, codes, columns)
    x = np.random.default_rng(2).integers(-4, 5, columns).astype(float)
    for loops in LOOPS if not is_slow(device) else LOOPS[1:]:
        set_loops(loops)
        np.testing.assert_array_equal((qn.sparse.csr_array(theirs, device=device) @ x).get(), theirs @ x)


def test_new_values_are_seen(device):
    theirs = patterned("five-point")
    mine = qn.sparse.csr_array(theirs, device=device)
    x = np.arange(float(theirs.shape[1]))
    np.testing.assert_array_equal((mine @ x).get(), theirs @ x)
    mine.data[:] = mine.data * 3
    np.testing.assert_array_equal((mine @ x).get(), 3 * (theirs @ x))


@pytest.mark.parametrize("loops", LOOPS)
@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128"])
def test_conjugate_gradients(device, set_loops, loops, dtype):
    skip_most_on_pocl(device, dtype)
    set_loops(loops)
    theirs = (five_point(60, 256) + sp.eye_array(60 * 256)).tocsr().astype(dtype)
    mine = qn.sparse.csr_array(theirs, device=device)
    b = np.random.default_rng(2).random(theirs.shape[0]).astype(dtype)
    rtol = 1e-5 if dtype == "float32" else 1e-9
    seen = []
    x, info = qn.sparse.linalg.cg(mine, b, rtol=rtol, callback=lambda x: seen.append(float(abs(x[0]))))
    assert info == 0
    assert np.linalg.norm(b - theirs @ x.get()) <= rtol * np.linalg.norm(b)
    assert len(set(seen)) > 3  # the callback gets the solution of its own iteration


def test_an_iteration_of_cg_is_two_launches_if_rows_have_patterns(device, set_loops):
    set_loops("grid")
    theirs = five_point(75, 256)
    mine, b = qn.sparse.csr_array(theirs, device=device), qn.ones(theirs.shape[0], device=device)
    counts = []
    for iterations in (4, 7, 4, 7):  # the first ones make kernels
        before = qn.stats().launches
        qn.sparse.linalg.cg(mine, b, rtol=1e-30, maxiter=iterations)
        counts.append(qn.stats().launches - before)
    assert counts[3] - counts[2] == 6


def skewed(count=40_000):
    """Rows with very many entries, which several work-groups share, among empty and short ones."""
    lengths = np.concatenate(
        [[count, 0, 3], np.zeros(9000, int), [2048, 2047, 1, 0, 0, count // 2], np.zeros(5000, int)]
    )
    rng = np.random.default_rng(4)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype("int32")
    columns = rng.integers(0, 700, starts[-1]).astype("int32")
    return sp.csr_array((entries(rng, starts[-1], "float64"), columns, starts), shape=(len(lengths), 700))


@pytest.mark.parametrize("loops", LOOPS)
def test_rows_that_many_groups_share(device, set_loops, loops):
    set_loops(loops)
    theirs = skewed()
    mine = qn.sparse.csr_array(theirs, device=device)
    x = np.random.default_rng(2).integers(-4, 5, 700).astype(float)
    np.testing.assert_array_equal((mine @ x).get(), theirs @ x)
    b = np.random.default_rng(5).integers(-4, 5, theirs.shape[0]).astype(float)
    np.testing.assert_array_equal((b - 2 * (mine @ x)).get(), b - 2 * (theirs @ x))


EXPRESSIONS = {
    "sum": lambda y, b: y + b,
    "difference": lambda y, b: b - y,
    "other difference": lambda y, b: y - b,
    "negative": lambda y, b: -y,
    "factors": lambda y, b: 0.5 * y + 3 * b,
    "factor": lambda y, b: y * 4,
    "after": lambda y, b: (b - y) * 2,
}


def launches(make):
    """The result of a function, and the launches until it is in memory."""
    before = qn.stats().launches
    result = make()
    qn.eval(result)
    return result, qn.stats().launches - before


@pytest.mark.parametrize("matrix", ["patterns", "tiles", "skewed"])
@pytest.mark.parametrize("name", EXPRESSIONS)
def test_an_expression_of_a_product_runs_in_its_launch(device, set_loops, matrix, name):
    set_loops("grid")
    theirs = {
        "patterns": lambda: patterned("five-point"),
        "tiles": lambda: patterned("too many"),
        "skewed": skewed,
    }[matrix]()
    mine = qn.sparse.csr_array(theirs, device=device)
    rng = np.random.default_rng(2)
    x = rng.integers(-4, 5, theirs.shape[1]).astype(float)
    b = rng.integers(-4, 5, theirs.shape[0]).astype(float)
    vector, addend = qn.asarray(x, device=device), qn.asarray(b, device=device)
    _, alone = launches(lambda: mine @ vector)  # and what is computed once for the matrix
    _, alone = launches(lambda: mine @ vector)
    result, together = launches(lambda: EXPRESSIONS[name](mine @ vector, addend))
    np.testing.assert_array_equal(result.get(), EXPRESSIONS[name](theirs @ x, b))
    assert alone == (2 if matrix == "skewed" else 1)
    assert together == alone


def test_expressions_that_a_product_does_not_take(device):
    theirs = patterned("five-point")
    mine = qn.sparse.csr_array(theirs, device=device)
    x = np.arange(float(theirs.shape[1]))
    b = np.arange(2.0 * theirs.shape[0])[::2]
    addend = qn.asarray(np.arange(2.0 * theirs.shape[0]), device=device)[::2]
    y, their_y = mine @ qn.asarray(x, device=device), theirs @ x
    np.testing.assert_array_equal((y + addend).get(), their_y + b)  # strided
    np.testing.assert_array_equal((y + y).get(), 2 * their_y)
    np.testing.assert_array_equal((y + 1).get(), their_y + 1)
    np.testing.assert_array_equal((y * y + y).get(), their_y * their_y + their_y)
    np.testing.assert_array_equal(qn.maximum(y, 0).get(), np.maximum(their_y, 0))
    np.testing.assert_array_equal(
        (y + qn.asarray(np.ones((2, 1)), device=device)).get(), their_y + np.ones((2, 1))
    )
    np.testing.assert_array_equal((y[::3] + 1).get(), their_y[::3] + 1)
    assert float((y * y).sum()) == float(their_y @ their_y)


def test_what_a_pending_product_reads_may_be_written(device):
    theirs = patterned("five-point")
    mine = qn.sparse.csr_array(theirs, device=device)
    data = mine.data
    x = np.arange(float(theirs.shape[1]))
    vector, addend = qn.asarray(x, device=device), qn.asarray(x, device=device)
    plain, summed = mine @ vector, mine @ vector + addend
    vector += 1
    np.testing.assert_array_equal(plain.get(), theirs @ x)
    other = mine @ vector + addend
    addend[:] = 0
    data *= 2
    np.testing.assert_array_equal(summed.get(), theirs @ x + x)
    np.testing.assert_array_equal(other.get(), theirs @ (x + 1) + x)
    vector -= mine @ vector  # the result goes to memory that the product reads
    np.testing.assert_array_equal(vector.get(), x + 1 - 2 * (theirs @ (x + 1)))


def test_a_result_does_not_keep_the_matrix(device):
    theirs = patterned("five-point")
    x = qn.ones(theirs.shape[1], device=device)
    qn.eval(qn.sparse.csr_array(theirs, device=device) @ x)
    before = qn.pool_stats(device).in_use
    results = [qn.sparse.csr_array(theirs, device=device) @ x for _ in range(4)]
    qn.eval(*results)
    qn.synchronize(device)
    after = qn.pool_stats(device).in_use
    assert after - before < 4 * results[0].nbytes + 4 * theirs.data.nbytes


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128"])
@pytest.mark.parametrize("kind", ["constant", "one value differs", "long rows"])
def test_conjugate_gradients_of_constant_coefficients(device, set_loops, dtype, kind):
    """Where all rows of a pattern have the same values, iterations read no values; the solution is the same."""
    skip_most_on_pocl(device, dtype, ("float64",))
    set_loops("grid")
    a = five_point(75, 256).astype(dtype)
    a = a + 0.5 * sp.eye_array(a.shape[0], format="csr", dtype=dtype)
    if kind == "long rows":
        a = (a @ a).tocsr()
    if kind == "one value differs":
        a.data[a.indptr[7_001]] *= 1.5
        a = (a + a.T.conj()).tocsr()
    if np.issubdtype(dtype, np.complexfloating):
        a = (a + sp.diags_array([0.1j, -0.1j], offsets=[1, -1], shape=a.shape)).tocsr()
    b = entries(np.random.default_rng(5), a.shape[0], dtype)
    mine = qn.sparse.csr_array(a, device=device)
    rtol = 1e-5 if dtype == "float32" else 1e-9
    for _ in range(2):
        x, info = qn.sparse.linalg.cg(mine, qn.asarray(b, device=device), rtol=rtol)
        assert info == 0
        assert np.linalg.norm(b - a @ x.get()) <= 2 * rtol * np.linalg.norm(b)
        mine.data[:] = mine.data * 2  # values may change between two solutions
        a = a * 2
