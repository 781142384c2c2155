# SPDX-License-Identifier: MIT
"""Random sparse matrices on many ranks against SciPy, for ranks that are threads and for processes of MPI."""

import itertools

import numpy as np
import scipy.sparse
import scipy.sparse.linalg
from programs import layout_of, same, values_of

import quern
import quern.dist as qn

DTYPES = ["float64", "float32", "complex128"]


def matrix_of(rng, rows, columns, dtype, density=0.2):
    """A matrix of SciPy's with small integers, so that sums are exact in any order."""
    count = int(rows * columns * density)
    places = [(rng.randrange(rows), rng.randrange(columns)) for _ in range(count)] if rows * columns else []
    i, j = np.array(places, int).reshape(-1, 2).T
    return scipy.sparse.csr_array((values_of(rng, (len(places),), dtype), (i, j)), shape=(rows, columns))


def given(rng, S):
    """The same matrix on many ranks, made in one of the ways that there are."""
    way = rng.choice(["scipy", "quern", "coo", "dense", "layout", "local"])
    if way == "quern":
        return qn.sparse.csr_array(quern.sparse.csr_array(S))
    if way == "coo":
        return qn.sparse.csr_array(S.tocoo())
    if way == "dense":
        return qn.sparse.csr_array(S.toarray())
    if way in ("layout", "local"):
        cuts = sorted([0, S.shape[0], *(rng.randint(0, S.shape[0]) for _ in range(qn.size() - 1))])
        start, stop = cuts[qn.rank() : qn.rank() + 2]
        if way == "local":
            return qn.sparse.from_local(rng.choice([S[start:stop], quern.sparse.csr_array(S[start:stop])]))
        lengths = [b - a for a, b in itertools.pairwise(cuts)]
        return qn.sparse.csr_array(S, layout=qn.Layout.irregular([lengths]))
    return qn.sparse.csr_array(S)


def vector(rng, shape, dtype):
    a = values_of(rng, shape, dtype)
    return a, qn.asarray(a, layout=layout_of(rng, qn.size(), shape))


def products(rng):
    rows, columns = rng.choice([(9, 9), (1, 5), (3, 20), (30, 4), (40, 40), (0, 3), (3, 0)])
    dtype = rng.choice(DTYPES)
    S = matrix_of(rng, rows, columns, dtype, rng.choice([0.0, 0.05, 0.3]))
    A = given(rng, S)
    assert A.shape == S.shape
    assert A.nnz == S.nnz
    assert A.dtype == S.dtype
    a, x = vector(rng, (columns,), rng.choice(DTYPES))
    same(A @ x, S @ a)
    same(A @ a, S @ a)
    assert (A @ x).layout == A.row_layout
    b, y = vector(rng, (rows,), rng.choice(DTYPES))
    same(A.T @ y, S.T @ b)
    same(A.rmatvec(y), S.conj().T @ b)
    same(A.T.rmatvec(x), S.conj() @ a)
    assert (A.T @ y).layout == A.column_layout
    wide, many = vector(rng, (columns, rng.randint(1, 3)), dtype)
    same(A @ many, S @ wide)
    tall, several = vector(rng, (rows, 2), dtype)
    same(A.T @ several, S.T @ tall)
    if rows == columns:
        same(A.diagonal(), S.diagonal())


def definite(rng, n, dtype):
    S = matrix_of(rng, n, n, dtype, 0.1)
    return (S @ S.conj().T + scipy.sparse.diags_array(np.arange(1.0, n + 1).astype(dtype))).tocsr()


def solutions(rng):
    n = rng.choice([1, 5, 30, 60])
    dtype = rng.choice(DTYPES)
    S = definite(rng, n, dtype)
    A = given(rng, S)
    a, b = vector(rng, (n,), dtype)
    rtol = 1e-4 if dtype == "float32" else 1e-9
    seen = []
    guess = rng.choice([None, vector(rng, (n,), dtype)[1]])
    inverse = 1 / S.diagonal()
    kind = rng.choice(["none", "operator", "matrix"])
    M = {
        "none": None,
        "operator": qn.sparse.linalg.LinearOperator((n, n), lambda r: r * inverse, dtype=dtype),
        "matrix": qn.sparse.csr_array(scipy.sparse.diags_array(inverse.astype(dtype))),
    }[kind]
    operator = rng.choice(
        [A, qn.sparse.linalg.aslinearoperator(A), qn.asarray(S.toarray(), layout=[qn.size()])]
    )
    x, info = qn.sparse.linalg.cg(operator, b, guess, rtol=rtol, M=M, callback=lambda y: seen.append(y.shape))
    assert info == 0
    assert x.layout == b.layout
    assert x.dtype == a.dtype
    assert np.linalg.norm(S @ x.get() - a) <= 1.01 * rtol * np.linalg.norm(a)
    assert all(shape == (n,) for shape in seen)
    if n >= 30:
        _, info = qn.sparse.linalg.cg(A, b, maxiter=1, rtol=1e-30)
        assert info == 1


BODIES = [products, solutions]
