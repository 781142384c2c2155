# SPDX-License-Identifier: MIT
"""NumPy's keywords of products, of functions by positions, and of differences. NumPy is the oracle."""

import numpy as np
import pytest

import quern as qn

A = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
B = np.arange(24, dtype=np.float32).reshape(2, 4, 3) - 7
V = np.array([4, -1, 2, 8], np.float32)


def on(device, *values):
    return [qn.asarray(value, device=device) for value in values]


def same(ours, theirs):
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    np.testing.assert_allclose(ours.get(), theirs, rtol=1e-6)


PRODUCTS = {
    "dot": (A[0], B[0]),
    "outer": (V, V[:3]),
    "matmul": (A, B),
    "vecdot": (A, A),
    "matvec": (A, V),
    "vecmat": (V, B),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_products_go_where_out_says(device, name):
    expected = getattr(np, name)(*PRODUCTS[name])
    out = qn.zeros(expected.shape, expected.dtype, device)
    assert getattr(qn, name)(*on(device, *PRODUCTS[name]), out=out) is out
    same(out, expected)
    assert getattr(np, name)(*on(device, *PRODUCTS[name]), out=out) is out
    wrong = qn.zeros((*expected.shape, 1), expected.dtype, device)
    with pytest.raises(qn.ArgumentValueError, match=f"{name}: out"):
        getattr(qn, name)(*on(device, *PRODUCTS[name]), out=wrong)


def test_axes_of_products_are_named(device):
    a, b = on(device, A, B)
    turned = [(0, 1), (0, 1), (0, 1)]
    first, second = A.transpose(1, 2, 0), B.transpose(1, 2, 0)
    x, y = a.transpose(1, 2, 0), b.transpose(1, 2, 0)
    same(qn.matmul(x, y, axes=turned), np.matmul(first, second, axes=turned))
    same(qn.vecdot(a, a, axis=1, keepdims=True), np.vecdot(A, A, axis=1, keepdims=True))
    same(qn.vecdot(a, b, axes=[-1, 1]), np.vecdot(A, B, axes=[-1, 1, ()]))
    with pytest.raises(qn.ArgumentTypeError, match="matmul: axis="):
        qn.matmul(a, b, axis=1)
    with pytest.raises(qn.ArgumentTypeError, match="matvec: keepdims="):
        qn.matvec(a, on(device, V)[0], keepdims=True)


def test_products_take_a_type_and_an_order(device):
    whole = np.arange(6, dtype=np.int8).reshape(2, 3)
    (x,) = on(device, whole)
    same(qn.matmul(x, x.T, dtype="int32"), np.matmul(whole, whole.T, dtype="int32"))
    with pytest.raises(qn.ArgumentTypeError, match="matmul: dtype"):
        qn.matmul(*on(device, A, B), dtype="int32")
    made = qn.matmul(*on(device, A[0], B[0]), order="F")
    assert made.strides == np.matmul(A[0], B[0], order="F").strides


@pytest.mark.parametrize("axes", [(0, 0, 0), (1, 0, -1), (-1, -1, 0)], ids=str)
def test_cross_products_take_three_axes(device, axes):
    a, b = RNG_SHAPES[axes]
    axisa, axisb, axisc = axes
    same(
        qn.cross(*on(device, a, b), axisa=axisa, axisb=axisb, axisc=axisc),
        np.cross(a, b, axisa=axisa, axisb=axisb, axisc=axisc),
    )


SIX = np.array([[1, 2, 3], [4, 5, 6.5]], np.float32)
RNG_SHAPES = {
    (0, 0, 0): (SIX.T.copy(), SIX.T[:, ::-1] * 2),
    (1, 0, -1): (SIX, SIX.T[:, ::-1] * 2),
    (-1, -1, 0): (SIX, SIX[::-1] * 2),
}


def test_einsum_takes_all_keywords(device):
    a, b = on(device, A[0], B[0])
    expected = np.einsum("ij,jk->ik", A[0], B[0])
    out = qn.zeros((3, 3), "float32", device)
    assert qn.einsum("ij,jk->ik", a, b, out=out, optimize="greedy") is out
    same(out, expected)
    same(np.einsum("ij,jk->ik", a, b, optimize=True), expected)
    whole = np.arange(6, dtype=np.int8).reshape(2, 3)
    (x,) = on(device, whole)
    same(qn.einsum("ij->i", x, dtype="int32"), np.einsum("ij->i", whole, dtype="int32"))
    with pytest.raises(qn.ArgumentTypeError, match="einsum: dtype"):
        qn.einsum("ij->i", a, dtype="int32")
    same(
        qn.einsum("ij->i", a, dtype="int32", casting="unsafe"),
        np.einsum("ij->i", A[0], dtype="int32", casting="unsafe"),
    )
    made, theirs = qn.einsum("ij,jk->ik", a, b, order="F"), np.einsum("ij,jk->ik", A[0], B[0], order="F")
    assert made.strides == theirs.strides
    same(made, theirs)


def test_lengths_of_one_are_broadcast_beside_a_third_operand(device):
    one, values = np.array([2], np.float32), V
    ours = qn.einsum("i,i,i->i", *on(device, one, one, values))
    same(ours, np.einsum("i,i,i->i", one, one, values))


def test_clip_takes_all_keywords(device):
    (x,) = on(device, V)
    out, theirs = qn.full(4, 9, dtype="float32", device=device), np.full(4, 9, np.float32)
    mask = V > 0
    assert qn.clip(x, 0, 3, out=out, where=qn.asarray(mask, device=device)) is out
    np.clip(V, 0, 3, out=theirs, where=mask)
    same(out, theirs)
    same(qn.clip(x, 0, 3, dtype="int32", casting="unsafe"), np.clip(V, 0, 3, dtype="int32", casting="unsafe"))
    same(x.clip(max=3, min=0), V.clip(max=3, min=0))
    assert np.clip(x, 0, 3, out=out) is out
    with pytest.raises(qn.ArgumentTypeError, match="'min' is given twice"):
        qn.clip(x, 0, 3, min=0)
    with pytest.raises(qn.ArgumentTypeError, match="aliases"):
        qn.clip(x, 0, 3, a_min=0)


def test_functions_by_positions_go_where_out_says(device):
    (x,) = on(device, V)
    places = np.array([3, 0, 1])
    for made, expected in (
        (lambda out: qn.take(x, places, out=out), np.take(V, places)),
        (lambda out: x.take(places, None, out), np.take(V, places)),
        (lambda out: qn.take(x, [5, -7, 1], mode="wrap", out=out), np.take(V, [5, -7, 1], mode="wrap")),
        (lambda out: qn.compress([True, False, True, True], x, out=out), V[[0, 2, 3]]),
        (lambda out: x.compress([True, False, True, True], out=out), V[[0, 2, 3]]),
        (lambda out: qn.choose([1, 0, 1], [x[:3], x[1:]], out=out), np.choose([1, 0, 1], [V[:3], V[1:]])),
    ):
        out = qn.zeros(3, "float32", device)
        assert made(out) is out
        same(out, expected)


def test_arrays_put_and_choose(device):
    values = V.copy()
    (x,) = on(device, V)
    x.put([0, -1], [7, 8])
    values.put([0, -1], [7, 8])
    same(x, values)
    same(
        qn.asarray(np.array([1, 0]), device=device).choose([x[:2], x[2:]]),
        np.array([1, 0]).choose([values[:2], values[2:]]),
    )


@pytest.mark.parametrize("spacing", [(), (2.0,), (np.array([0, 1, 3, 4], np.float32),)], ids=str)
def test_slopes_at_the_ends_are_of_three_elements(device, spacing):
    given = [qn.asarray(one, device=device) if isinstance(one, np.ndarray) else one for one in spacing]
    (x,) = on(device, A[0])
    same(qn.gradient(x, *given, axis=1, edge_order=2), np.gradient(A[0], *spacing, axis=1, edge_order=2))
    same(np.gradient(x, *given, axis=1, edge_order=2), np.gradient(A[0], *spacing, axis=1, edge_order=2))
    with pytest.raises(qn.ArgumentValueError, match="expected 3 elements or more along axis 0"):
        qn.gradient(x[:2], edge_order=2)
