# SPDX-License-Identifier: MIT
"""Extremes, changes of the shape, files, norms and operators, against SciPy and NumPy."""

import io

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from matrices import check, few_kinds, is_slow, made, matrices

import quern as qn

sp = pytest.importorskip("scipy.sparse")
linalg = qn.sparse.linalg
FORMATS = ["csr", "csc", "coo", "bsr", "dia"]
REAL = ["float64", "int32", "uint16", "bool"]
few = settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])


def pair(drawn, device, name="csr"):
    theirs = sp.csr_array(made(drawn), shape=drawn["shape"])
    mine = qn.sparse.csr_array(made(drawn), shape=drawn["shape"], device=device)
    return mine.asformat(name), theirs


@few
@given(drawn=matrices(REAL), axis=st.sampled_from([0, 1, -1]), name=st.sampled_from(FORMATS))
def test_extremes_along_an_axis(device, drawn, axis, name):
    mine, theirs = pair(few_kinds(device, drawn), device, name)
    if theirs.shape[axis] == 0:
        with pytest.raises(qn.ArgumentError):
            mine.max(axis=axis)
        return
    dense = theirs.toarray()
    for method in ("max", "min", "nanmax", "nanmin"):
        check(getattr(mine, method)(axis=axis), getattr(theirs, method)(axis=axis))
        check(
            getattr(mine, method)(axis=axis, explicit=True), getattr(theirs, method)(axis=axis, explicit=True)
        )
    for method in ("argmax", "argmin"):
        check(getattr(mine, method)(axis=axis), getattr(dense, method)(axis=axis))
        if dense.size:
            assert getattr(mine, method)() == getattr(dense, method)()
    check(mine.count_nonzero(axis=axis), theirs.count_nonzero(axis=axis).astype("int64"))
    assert mine.count_nonzero() == theirs.count_nonzero()


def test_extremes_with_nan(device):
    dense = np.array([[0, np.nan, 2], [-1, 0, -3], [-1, -2, -3], [0, 0, 0], [np.nan, 5, -1]])
    mine, theirs = qn.sparse.csr_array(dense, device=device), sp.csr_array(dense)
    for axis in (0, 1):
        for method in ("max", "min", "nanmax", "nanmin"):
            check(getattr(mine, method)(axis=axis), getattr(theirs, method)(axis=axis))
        for method in ("argmax", "argmin"):
            check(getattr(mine, method)(axis=axis), getattr(dense, method)(axis=axis))
    assert mine.argmax() == 1
    assert np.isnan(float(mine.max())) and float(mine.nanmax()) == 5


def test_numpy_functions_of_sparse_arrays(device):
    dense = np.array([[0, -1.5, 2], [3, 0, 0]])
    mine = qn.sparse.csr_array(dense, device=device)
    assert (
        float(np.sum(mine)) == dense.sum()
        and float(np.max(mine)) == 3
        and float(np.mean(mine)) == dense.mean()
    )
    check(np.sum(mine, axis=0), dense.sum(axis=0))
    check(abs(mine), abs(dense))
    with pytest.raises(qn.ArgumentTypeError, match="out"):
        np.sum(mine, out=np.zeros(()))


@few
@given(drawn=matrices(), name=st.sampled_from(FORMATS), order=st.sampled_from("CF"), data=st.data())
def test_reshape(device, drawn, name, order, data):
    mine, theirs = pair(few_kinds(device, drawn), device, name)
    size = theirs.shape[0] * theirs.shape[1]
    rows = data.draw(st.sampled_from([n for n in range(1, size + 1) if size % n == 0] or [1]))
    result = mine.reshape(rows, size // rows, order=order)
    assert result.format == name
    check(result, theirs.toarray().reshape((rows, size // rows), order=order))
    if size:
        check(mine.reshape((-1, rows)), theirs.toarray().reshape((-1, rows)))
    if name == "csr":
        check(mine.reshape(-1 if size else 0), theirs.toarray().reshape(-1))
    with pytest.raises(qn.ArgumentValueError, match="do not fit"):
        mine.reshape(size + 1, 1)


@few
@given(
    drawn=matrices(), name=st.sampled_from(FORMATS), shape=st.tuples(st.integers(0, 12), st.integers(0, 12))
)
def test_resize(device, drawn, name, shape):
    mine, theirs = pair(few_kinds(device, drawn), device, name)
    if name == "bsr" and 0 in shape:
        return
    theirs.resize(shape)
    mine.resize(*shape)
    assert mine.format == name
    check(mine, theirs)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("values", [7.0, [1.0, 2.0], np.arange(1.0, 30)])
def test_setdiag(device, name, values):
    for k in (0, 2, -3):
        dense = np.random.default_rng(0).integers(0, 3, (6, 7)).astype("float64")
        mine = qn.sparse.csr_array(dense, device=device).asformat(name)
        theirs = sp.csr_array(dense)
        mine.setdiag(values, k)
        theirs.setdiag(values, k)
        assert mine.format == name
        check(mine, theirs)
    with pytest.raises(qn.ArgumentValueError, match="outside"):
        mine.setdiag(1, 7)


def test_iteration_over_rows(device):
    dense = np.array([[0, 1, 2], [3, 0, 0]])
    rows = list(qn.sparse.csr_array(dense, device=device))
    assert len(rows) == 2
    check(rows[0], dense[0])
    check(qn.sparse.vstack(rows), dense)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("compressed", [True, False])
def test_files_are_those_of_scipy(device, name, compressed, tmp_path):
    dense = np.array([[0, 1.5, 2, 0], [3, 0, 0, 0]], "float32")
    mine, theirs = (
        qn.sparse.csr_array(dense, device=device).asformat(name),
        sp.csr_array(dense).asformat(name),
    )
    qn.sparse.save_npz(tmp_path / "mine.npz", mine, compressed)
    loaded = sp.load_npz(tmp_path / "mine.npz")
    assert loaded.format == name and isinstance(loaded, sp.sparray)
    check(mine, loaded)
    sp.save_npz(tmp_path / "theirs.npz", theirs, compressed)
    again = qn.sparse.load_npz(tmp_path / "theirs.npz", device=device)
    assert again.format == name and again.device == device
    check(again, theirs)


def test_files_without_a_sparse_array(device):
    file = io.BytesIO()
    np.savez(file, a=1)
    file.seek(0)
    with pytest.raises(qn.ArgumentValueError, match="no sparse array"):
        qn.sparse.load_npz(file)
    with pytest.raises(qn.ArgumentTypeError, match="sparse"):
        qn.sparse.save_npz(file, np.ones(3))


@pytest.mark.parametrize("ord", [None, "fro", 1, -1, np.inf, -np.inf, 2])
def test_norms_of_matrices(device, ord):
    dense = np.random.default_rng(1).normal(size=(20, 30)) * (np.arange(30) % 3 == 0)
    expected = sp.linalg.norm(sp.csr_array(dense), ord)
    np.testing.assert_allclose(
        float(linalg.norm(qn.sparse.csr_array(dense, device=device), ord)), expected, 1e-9
    )


@pytest.mark.parametrize("ord", [None, 0, 1, 2, 3.5, np.inf, -np.inf])
@pytest.mark.parametrize("axis", [0, 1])
def test_norms_of_vectors(device, ord, axis):
    dense = np.random.default_rng(1).normal(size=(4, 5)) + 1j
    dense[1] = 0
    dense[:, 2] = 0
    expected = sp.linalg.norm(sp.csr_array(dense), ord, axis)
    got = linalg.norm(qn.sparse.csr_array(dense, device=device), ord, axis)
    np.testing.assert_allclose(got.get(), expected, 1e-12)


def operators(device):
    rng = np.random.default_rng(2)
    a, b = (rng.normal(size=(5, 5)) + 1j * rng.normal(size=(5, 5)) for _ in range(2))
    c = rng.normal(size=(5, 3))
    ours = [linalg.aslinearoperator(qn.sparse.csr_array(one, device=device)) for one in (a, b, c)]
    return ours, (a, b, c)


def test_algebra_of_operators(device):
    (a, b, c), (da, db, dc) = operators(device)
    expected = {
        "a + b": da + db,
        "a - b": da - db,
        "-a": -da,
        "2 * a": 2 * da,
        "a * 2j": da * 2j,
        "a / 4": da / 4,
        "a @ b": da @ db,
        "a * b": da @ db,
        "a ** 3": da @ da @ da,
        "a ** 0": np.eye(5),
        "a.H": da.conj().T,
        "a.T": da.T,
        "(2j * a + b @ b).H": (2j * da + db @ db).conj().T,
        "(a @ c).T": (da @ dc).T,
        "c.H @ a": dc.T @ da,
    }
    for text, dense in expected.items():
        operator = eval(text, {"a": a, "b": b, "c": c})
        assert operator.shape == dense.shape, text
        x = np.arange(1.0, 1 + dense.shape[1])
        X = np.stack([x, x**2], axis=1)
        np.testing.assert_allclose((operator @ qn.asarray(x, device=device)).get(), dense @ x, err_msg=text)
        np.testing.assert_allclose((operator @ qn.asarray(X, device=device)).get(), dense @ X, err_msg=text)
        y = np.arange(1.0, 1 + dense.shape[0])
        np.testing.assert_allclose(
            operator.rmatvec(qn.asarray(y, device=device)).get(), dense.conj().T @ y, err_msg=text
        )


def test_operators_refuse_what_does_not_fit(device):
    (a, _, c), _ = operators(device)
    with pytest.raises(qn.ArgumentValueError, match="added"):
        a + c
    with pytest.raises(qn.ArgumentValueError, match="multiplied"):
        c @ a
    with pytest.raises(qn.ArgumentValueError, match="square"):
        c**2
    with pytest.raises(qn.ArgumentValueError, match="power"):
        a**-1
    with pytest.raises(qn.ArgumentValueError, match="number"):
        a @ 2
    with pytest.raises(TypeError):
        a + 1
    with pytest.raises(qn.ArgumentValueError, match="shape"):
        a @ qn.ones(4, device=device)
    forward = linalg.LinearOperator((5, 5), lambda x: 2 * x)
    with pytest.raises(qn.ArgumentValueError, match="rmatvec"):
        (forward + forward).H @ qn.ones(5, device=device)


def test_solvers_take_combined_operators(device):
    n = 40
    A = qn.sparse.diags_array(
        [-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n), format="csr", device=device
    )
    shifted = linalg.aslinearoperator(A) + 0.5 * linalg.LinearOperator((n, n), lambda x: x, lambda x: x)
    b = qn.ones(n, device=device)
    x, info = linalg.cg(shifted, b, rtol=1e-10)
    assert info == 0
    np.testing.assert_allclose((A @ x + 0.5 * x).get(), np.ones(n), 1e-8)


@pytest.mark.parametrize("dtype", ["float64", "complex64", "int64"])
@pytest.mark.parametrize("entries", [0, 3, 40_000])
def test_product_with_its_dot_product(device, dtype, entries):
    if is_slow(device) and dtype != "float64":
        pytest.skip("PoCL takes long for each new kernel")
    rng = np.random.default_rng(3)
    n = 2000
    parts = rng.integers(-3, 4, entries).astype(dtype), rng.integers(0, n, (2, entries))
    theirs = sp.csr_array(parts, shape=(n, n))
    x = rng.integers(-3, 4, n).astype(dtype)
    y, dot = linalg.matvec_with_vdot(qn.sparse.csr_array(theirs, device=device), qn.asarray(x, device=device))
    check(y, theirs @ x)
    assert dot.item() == np.vdot(x, theirs @ x) and dot.dtype == y.dtype
    with pytest.raises(qn.ArgumentValueError, match="square"):
        linalg.matvec_with_vdot(qn.sparse.csr_array((2, 3), device=device), qn.ones(3, device=device))


def test_dot_product_adds_only_a_sum_of_its_parts(device):
    n = 100_000
    A = qn.sparse.diags_array(
        [-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n), format="csr", device=device
    )
    x, parts = qn.ones(n, device=device), qn.ones(64, device=device)

    def launches(call):
        qn.eval(*call())
        before = qn.stats().launches
        qn.eval(*call())
        return qn.stats().launches - before

    of_both = launches(lambda: linalg.matvec_with_vdot(A, x))
    # The dot product of two long vectors would take a pass over them.
    assert of_both <= launches(lambda: (A @ x,)) + launches(lambda: (parts.sum(),))
