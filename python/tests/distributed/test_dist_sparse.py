# SPDX-License-Identifier: MIT
"""Sparse matrices on many ranks: SciPy's products and solutions; messages are those that the pattern of the matrix needs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

scipy_sparse = pytest.importorskip("scipy.sparse")

import programs  # noqa: E402
import sparse_programs  # noqa: E402

import quern  # noqa: E402
import quern.dist as qn  # noqa: E402

NAMES = [body.__name__ for body in sparse_programs.BODIES]


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=20)
@given(ranks=st.integers(1, 8), seed=st.integers(0, 2**32 - 1))
def test_a_program_gives_what_scipy_gives(name, ranks, seed):
    with quern.device("host"):
        qn.on_threads(ranks, programs.run, name, seed, sparse_programs.BODIES, timeout=60)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=5)
@given(ranks=st.integers(9, 64), seed=st.integers(0, 2**32 - 1))
def test_a_program_gives_what_scipy_gives_on_many_ranks(name, ranks, seed):
    """Most arrays have fewer rows than there are ranks."""
    with quern.device("host"):
        qn.on_threads(ranks, programs.run, name, seed, sparse_programs.BODIES, timeout=300)


@pytest.mark.parametrize("name", NAMES)
def test_a_program_gives_what_scipy_gives_on_every_device(name, device):
    with device:
        qn.on_threads(3, programs.run, name, 1, sparse_programs.BODIES, timeout=300)


def blocks(ranks, n):
    """The first row of each rank, and n: the first blocks are longer by one."""
    return [rank * (n // ranks) + min(rank, n % ranks) for rank in range(ranks + 1)]


def needs(S, ranks):
    """For each pair of ranks the number of elements that the first one needs from the second one."""
    cuts = blocks(ranks, S.shape[0])
    table = np.zeros((ranks, ranks), int)
    for rank in range(ranks):
        columns = np.unique(S[cuts[rank] : cuts[rank + 1]].tocoo().coords[1])
        owners = np.searchsorted(cuts, columns, side="right") - 1
        np.add.at(table[rank], owners, 1)
        table[rank, rank] = 0
    return table


@pytest.mark.parametrize("ranks", [2, 3, 5])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("density", [0.001, 0.02])
def test_each_neighbour_gets_one_message_with_exactly_what_it_needs(ranks, transposed, density):
    S = scipy_sparse.random_array((200, 200), density=density, rng=1, format="csr") + scipy_sparse.eye_array(
        200
    )
    S = S.tocsr()

    def program():
        A, x = qn.sparse.csr_array(S), qn.ones(200)
        operator = A.T if transposed else A
        sent = []
        for _ in range(2):  # the lists are exchanged once
            before = np.array(x.comm.sent)
            operator @ x
            sent.append(np.array(x.comm.sent) - before)
        assert (sent[0] == sent[1]).all()
        return sent[0], A.ghosts, A.neighbours

    table = needs(S, ranks)
    for rank, (sent, ghosts, neighbours) in enumerate(qn.on_threads(ranks, program)):
        to = table[rank] if transposed else table[:, rank]
        assert sent.tolist() == [(to > 0).sum(), 8 * to.sum()]
        assert (ghosts, neighbours) == (table[rank].sum(), (table[rank] > 0).sum())


def test_a_matrix_whose_rows_need_no_others_sends_nothing():
    def program():
        A, x = qn.sparse.csr_array(scipy_sparse.eye_array(30, format="csr")), qn.ones(30)
        before = x.comm.sent
        A @ x, A.T @ x, A.diagonal()
        assert x.comm.sent == before

    qn.on_threads(4, program)


def poisson(n):
    """The five-point stencil on an n x n grid."""
    line = scipy_sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n))
    return scipy_sparse.kronsum(line, line, format="csr")


def test_an_iteration_sends_the_ghosts_and_two_sums():
    S, ranks = poisson(12), 4

    def program():
        A, b = qn.sparse.csr_array(S), qn.ones(144)
        counts = []
        qn.sparse.linalg.cg(A, b, rtol=1e-8, callback=lambda x: counts.append(b.comm.sent[0]))
        return np.diff(counts)

    neighbours = (needs(S, ranks) > 0).sum(axis=0)
    for rank, steps in enumerate(qn.on_threads(ranks, program)):
        # Each sum takes log2(4) messages.
        assert set(steps[:-1]) == {neighbours[rank] + 2 * 2}


def test_the_residual_is_that_of_the_solution():
    """An operator that rounds: the recursive residual falls, the true one does not."""

    def program():
        A = qn.sparse.csr_array(poisson(8))

        def rounded(x):
            return qn.round(A @ x, 3)

        operator = qn.sparse.linalg.LinearOperator(A.shape, rounded)
        b = qn.ones(64)
        x, info = qn.sparse.linalg.cg(operator, b, rtol=1e-9)
        true = float(qn.linalg.vector_norm(b - rounded(x)))
        return info, true <= 1e-9 * 8

    for info, is_solved in qn.on_threads(3, program):
        assert (info == 0) == is_solved


def test_the_same_iterates_as_scipy():
    import scipy.sparse.linalg

    S, b = poisson(10), np.sin(np.arange(100.0))
    expected = []
    solution, _ = scipy.sparse.linalg.cg(S, b, rtol=1e-10, callback=lambda x: expected.append(x.copy()))

    def program():
        seen = []
        x, info = qn.sparse.linalg.cg(
            qn.sparse.csr_array(S), qn.asarray(b), rtol=1e-10, callback=lambda x: seen.append(x.get())
        )
        assert info == 0
        np.testing.assert_allclose(x.get(), solution, rtol=1e-8)
        assert len(seen) == len(expected)
        for mine, theirs in zip(seen[:10], expected, strict=False):
            np.testing.assert_allclose(mine, theirs, rtol=1e-9)

    qn.on_threads(3, program)


@pytest.mark.parametrize("kind", ["zero", "indefinite"])
def test_a_matrix_without_directions_ends_with_an_info(kind):
    def program():
        S = np.zeros((4, 4)) if kind == "zero" else np.array([[0, 1.0], [1, 0]]).repeat(2, 0).repeat(2, 1) * 0
        _, info = qn.sparse.linalg.cg(qn.sparse.csr_array(S), qn.ones(4))
        assert info == -1

    qn.on_threads(2, program)


def test_an_exception_of_an_operator_is_that_of_the_program():
    def broken(x):
        raise RuntimeError("no mesh")

    def program():
        operator = qn.sparse.linalg.LinearOperator((4, 4), broken)
        with pytest.raises(RuntimeError, match="no mesh"):
            qn.sparse.linalg.cg(operator, qn.ones(4))

    qn.on_threads(2, program)


@pytest.mark.parametrize(
    ("call", "kind", "match"),
    [
        (lambda A: A @ qn.ones(3), ValueError, r"shape \(4, 4\) and an array of shape \(3,\)"),
        (lambda A: A @ 2, ValueError, "a number is not allowed"),
        (lambda A: A @ A, TypeError, "products of two sparse matrices"),
        (lambda A: qn.sparse.linalg.cg(A, qn.ones(3)), ValueError, "A has the shape"),
        (lambda A: qn.sparse.linalg.cg(lambda x: x, qn.ones(4)), TypeError, "operator with shape and matvec"),
        (lambda A: qn.sparse.linalg.cg(A, qn.ones(4), M=qn.eye(3)), ValueError, "M has the shape"),
        (lambda A: qn.sparse.csr_array(np.eye(4), layout=qn.cyclic(1)), ValueError, "one interval of rows"),
        (
            lambda A: qn.sparse.linalg.LinearOperator((4, 4), lambda x: 1) @ qn.ones(4),
            TypeError,
            "returned int",
        ),
    ],
)
def test_wrong_arguments_are_named_on_all_ranks(call, kind, match):
    def program():
        with pytest.raises(kind, match=match):
            call(qn.sparse.csr_array(np.eye(4)))

    qn.on_threads(2, program)


def test_ranks_that_disagree_about_the_columns_are_named():
    def program():
        with pytest.raises(qn.DistributedError, match="csr_array"):
            qn.sparse.from_local(np.eye(3 + qn.rank()))

    qn.on_threads(2, program)
