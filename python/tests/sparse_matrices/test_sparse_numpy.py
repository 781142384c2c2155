# SPDX-License-Identifier: MIT
"""NumPy's functions of sparse arrays, operators in place, rounding and vectors, against SciPy."""

import numpy as np
import pytest

import quern as qn

sp = pytest.importorskip("scipy.sparse")
FORMATS = ["csr", "csc", "coo", "bsr", "dia"]
DENSE = np.array([[0.25, 0, -4, 0], [0, 9, 0, 0], [0, 0, 0, 2.5]])


def ours(device, name="csr", dense=DENSE):
    return qn.sparse.csr_array(dense, device=device).asformat(name)


def theirs(name="csr", dense=DENSE):
    return sp.csr_array(dense).asformat(name)


def same(got, expected):
    assert isinstance(got, qn.sparse.SparseArray)
    np.testing.assert_array_equal(got.toarray().get(), expected.toarray())


@pytest.mark.parametrize("name", FORMATS)
def test_numbers_multiply_and_divide_in_place(device, name):
    mine, expected = ours(device, name), theirs(name)
    same_object, shared, transposed = mine, mine.data, mine.T
    before = mine @ qn.ones(4, device=device)  # not computed yet
    mine *= 3
    expected *= 3
    same(mine, expected)
    mine /= 4
    expected /= 4
    same(mine, expected)
    assert mine is same_object and mine.format == name
    np.testing.assert_array_equal(before.get(), DENSE @ np.ones(4))
    if name not in ("bsr", "dia"):  # their transposes have values of their own
        same(transposed, expected.T)
    shared[...] = 0
    assert not mine.toarray().get().any()
    np.testing.assert_array_equal((mine.T @ qn.ones(3, device=device)).get(), np.zeros(4))


@pytest.mark.parametrize("name", ["csc", "coo"])
def test_conversions_that_were_kept_are_not_used_after_a_change_in_place(device, name):
    mine = ours(device, name)
    x = qn.arange(4, dtype="float64", device=device)
    qn.eval(mine @ x, mine.T @ x[:3])
    mine *= 2
    np.testing.assert_array_equal((mine @ x).get(), 2 * DENSE @ np.arange(4))
    np.testing.assert_array_equal((mine.T @ x[:3]).get(), 2 * DENSE.T @ np.arange(3))


def test_what_in_place_operators_refuse(device):
    whole = ours(device, dense=np.array([[1, 0], [0, 2]]))
    for number in (2.5, 1j):
        with pytest.raises(TypeError):
            whole *= number
    with pytest.raises(TypeError):
        whole /= 2
    np.testing.assert_array_equal(whole.toarray().get(), [[1, 0], [0, 2]])
    # Other operands give a new array, as in SciPy.
    kept = whole
    whole *= whole
    assert whole is not kept
    np.testing.assert_array_equal(whole.toarray().get(), [[1, 0], [0, 4]])


@pytest.mark.parametrize("name", FORMATS)
def test_rounding(device, name):
    dense = np.array([[0.126, 0], [-2.55, 4.5]])
    same(round(ours(device, name, dense)), round(theirs(name, dense)))
    same(round(ours(device, name, dense), 2), round(theirs(name, dense), 2))


@pytest.mark.parametrize("name", ["csr", "coo", "dia"])
@pytest.mark.parametrize(
    "function",
    ["abs", "absolute", "negative", "conjugate", "square", "rint", "deg2rad", "expm1", "arctan", "sinh"],
)
def test_functions_of_numpy_give_sparse_arrays(device, name, function):
    got, expected = getattr(np, function)(ours(device, name)), getattr(np, function)(DENSE)
    assert isinstance(got, qn.sparse.SparseArray) and got.device == device
    np.testing.assert_allclose(got.toarray().get(), expected, rtol=1e-14)


def test_functions_of_numpy_that_scipy_takes_as_methods_only(device):
    for function in (np.sqrt, np.sign, np.floor, np.ceil, np.trunc):
        dense = abs(DENSE)
        np.testing.assert_array_equal(function(ours(device, dense=dense)).toarray().get(), function(dense))


def test_functions_that_leave_no_zeros_are_refused(device):
    for function in (np.cos, np.exp, np.reciprocal):
        with pytest.raises(TypeError):
            function(ours(device))
    with pytest.raises(TypeError):
        np.add.reduce(ours(device))
    with pytest.raises(TypeError):
        np.sqrt(ours(device), where=False)
    with pytest.raises(TypeError):
        np.sqrt(ours(device), out=ours(device))


def test_functions_of_two_operands(device):
    mine, expected = ours(device), theirs()
    same(np.add(mine, mine), expected + expected)
    same(np.subtract(mine, 3 * mine), expected - 3 * expected)
    same(np.multiply(mine, 2), expected * 2)
    same(np.multiply(np.float32(2), mine), expected * 2)
    same(np.float64(2) * mine, expected * 2)
    same(mine / np.float64(2), expected / 2)
    same(np.power(mine, 2), expected**2)
    same(np.maximum(mine, -mine), expected.maximum(-expected))
    same(np.less(mine, 0), expected < 0)
    same(np.greater(np.float64(0), mine), expected < 0)
    same(np.arange(4) * mine, expected.multiply(np.arange(4)))
    for got, wanted in (
        (np.ones((3, 4)) + mine, 1 + DENSE),
        (np.ones((3, 4)) - mine, 1 - DENSE),
        (np.ones(3) @ mine, np.ones(3) @ DENSE),
        (np.matmul(mine, np.ones(4)), DENSE @ np.ones(4)),
        (qn.ones((3, 4), device=device) + mine, 1 + DENSE),
        (qn.ones(3, device=device) @ mine, np.ones(3) @ DENSE),
        (np.sum(mine, axis=0), DENSE.sum(axis=0)),
    ):
        assert isinstance(got, qn.Array)
        np.testing.assert_array_equal(got.get(), wanted)
    target = np.ones((3, 4))
    same_target = target
    target += mine
    assert target is same_target
    np.testing.assert_array_equal(target, 1 + DENSE)


@pytest.mark.parametrize("name", FORMATS)
def test_a_vector_is_refused_with_both_ways_out(device, name):
    kind = getattr(qn.sparse, name + "_array")
    for vector in ([1, 0, 3], np.array([1, 0, 3]), qn.asarray([1, 0, 3], device=device)):
        with pytest.raises(qn.ArgumentError, match=r"SparseVector\(x\), or x\[None, :\]"):
            kind(vector)
    if name in ("csr", "coo"):
        with pytest.raises(qn.ArgumentError, match="SparseVector"):
            kind(getattr(sp, name + "_array")(np.array([1, 0, 3])))
    row = kind(np.array([1, 0, 3])[None, :])
    assert row.shape == (1, 3)
    assert qn.sparse.SparseVector(np.array([1, 0, 3])).shape == (3,)
