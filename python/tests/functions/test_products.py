# SPDX-License-Identifier: MIT
"""Products of matrices, vectors and tensors, compared with NumPy."""

import os
import subprocess
import sys
import threading

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import quern as qn

# Rows, columns, stacks, one-axis arrays, nothing at all, and more than one tile or block.
SHAPES = [
    ((3, 4), (4, 5)),
    ((130, 70), (70, 300)),
    ((1, 7), (7, 5)),
    ((5, 7), (7, 1)),
    ((6, 1), (1, 5)),
    ((7,), (7,)),
    ((7,), (2, 7, 3)),
    ((3, 7), (7,)),
    ((2, 3, 4, 5), (3, 5, 6)),
    ((4, 1, 3, 5), (2, 5, 2)),
    ((2, 1, 3, 1, 4, 5), (1, 2, 1, 3, 5, 2)),
    ((3, 0), (0, 4)),
    ((0, 3), (3, 2)),
    ((2, 0, 3), (3, 2)),
]
DTYPES = ["float32", "int8", "bool", "complex64"]
OTHERS = ["float16", "float64", "uint16", "int32", "uint64", "complex128"]
DTYPES += [pytest.param(name, marks=pytest.mark.slow) for name in OTHERS]


def numbers(dtype, shape, seed=0):
    """Small integers, so that sums are exact in any order."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 4, shape).astype(dtype)
    return a + (1j * rng.integers(-2, 3, shape)).astype(dtype) if a.dtype.kind == "c" else a


@pytest.mark.parametrize("dtype", DTYPES)
def test_products_are_numpys_of_any_type_and_shape(device, dtype, provider):
    for first, second in SHAPES:
        a, b = numbers(dtype, first), numbers(dtype, second, 1)
        got = qn.matmul(qn.asarray(a, device=device), qn.asarray(b, device=device))
        np.testing.assert_array_equal(got.get(), a @ b, strict=True)


@pytest.mark.parametrize("dtype", ["float32", "complex64", pytest.param("bool", marks=pytest.mark.slow)])
def test_products_in_tiles_are_numpys(device, loops, dtype):
    for first, second in (((130, 70), (70, 300)), ((2, 1, 9, 33), (3, 33, 70)), ((400, 5), (5, 1000))):
        a, b = numbers(dtype, first), numbers(dtype, second, 1)
        got = qn.matmul(qn.asarray(a, device=device), qn.asarray(b, device=device))
        np.testing.assert_array_equal(got.get(), a @ b, strict=True)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [(1000, 400, 30), (30, 400, 2100), (333, 555, 777)], ids=str)
def test_products_of_several_blocks_are_numpys(device, dtype, size, provider):
    m, depth, n = size
    a, b = numbers(dtype, (m, depth)), numbers(dtype, (depth, n), 1)
    if dtype == "float16":  # its sums round once
        expected = (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float16)
    else:
        expected = a @ b
    x, y = qn.asarray(a, device=device), qn.asarray(b, device=device)
    np.testing.assert_array_equal((x @ y).get(), expected, strict=True)
    turned = qn.asarray(np.ascontiguousarray(a.T), device=device).T
    other = qn.asarray(np.ascontiguousarray(b.T), device=device).T
    np.testing.assert_array_equal((turned @ other).get(), expected, strict=True)


def test_products_of_parts_of_matrices_and_of_stacks_are_numpys(device, provider):
    a, b = numbers("float64", (3, 40, 50)), numbers("float64", (3, 50, 60), 1)
    x, y = qn.asarray(a, device=device), qn.asarray(b, device=device)
    np.testing.assert_array_equal((x[1:, 3:30, 7:] @ y[1:, 7:, 11:]).get(), a[1:, 3:30, 7:] @ b[1:, 7:, 11:])
    np.testing.assert_array_equal((x[0] @ y).get(), a[0] @ b)
    np.testing.assert_array_equal((x.mT @ y.mT[:, :1, :40].mT).get(), a.mT @ b.mT[:, :1, :40].mT)
    c = numbers("complex64", (2, 3, 8, 9))
    z = qn.asarray(c, device=device)
    np.testing.assert_array_equal((z @ z.mT.conj()).get(), c @ c.mT.conj())
    np.testing.assert_array_equal((z[:, :, ::2] @ z[0, 0].mT).get(), c[:, :, ::2] @ c[0, 0].mT)


def test_products_on_one_queue_and_several_threads_are_numpys(device, provider):
    a = numbers("float32", (200, 200))
    expected = a @ a @ a
    results = [None] * 6

    def work(k):
        with qn.Queue(device):
            x = qn.asarray(a, device=device)
            results[k] = [(x @ x @ x).get() for _ in range(5)]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(results))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one in results:
        for got in one:
            np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("dtype", ["int8", "int32", "bool", "complex64", "float64"])
def test_long_sums_of_any_type_are_shared_out(device, provider, dtype):
    rng = np.random.default_rng(5)
    a, b = (rng.integers(-3, 4, shape).astype(dtype) for shape in ((40, 20000), (20000, 30)))
    x, y = qn.asarray(a, device=device), qn.asarray(b, device=device)
    np.testing.assert_array_equal((x @ y).get(), a @ b, strict=True)


@pytest.mark.parametrize("dtype", ["float32", "complex128", "int16"])
@pytest.mark.parametrize("n", [2, 3, 5, 8, 17])
def test_large_stacks_of_small_matrices_are_numpys(device, provider, dtype, n):
    a, b = numbers(dtype, (40, 30, n, n)), numbers(dtype, (30, n, n), 1)
    x, y = qn.asarray(a, device=device), qn.asarray(b, device=device)
    np.testing.assert_array_equal((x @ y).get(), a @ b, strict=True)
    np.testing.assert_array_equal((x.mT @ y[:1]).get(), a.mT @ b[:1], strict=True)


def test_values_that_are_not_finite_stay_in_their_row_and_column(device, provider):
    for n in (3, 20, 45):
        a, b = numbers("float32", (n, n)) + 1, numbers("float32", (n, n), 1) + 1
        a[1, 2], b[0, 1] = np.inf, np.nan
        x, y = qn.asarray(a, device=device), qn.asarray(b, device=device)
        with np.errstate(invalid="ignore"):
            expected = a @ b
        np.testing.assert_array_equal((x @ y).get(), expected)


@pytest.mark.parametrize("dtype", ["float32", "int16", "complex128", "float16"])
@pytest.mark.parametrize("shape", [(300, 40), (20, 200), (2, 150, 130), (1400, 20)])
def test_products_with_the_own_transpose_are_symmetric(device, provider, dtype, shape):
    a = numbers(dtype, shape)
    x = qn.asarray(a, device=device)
    np.testing.assert_array_equal((x @ x.mT).get(), a @ a.swapaxes(-1, -2))
    np.testing.assert_array_equal((x.mT @ x).get(), a.swapaxes(-1, -2) @ a)


@pytest.mark.parametrize("threads", [1, 7])
def test_products_do_not_depend_on_the_number_of_threads(threads):
    program = """
import numpy as np, quern as qn
rng = np.random.default_rng(1)
for m, depth, n in ((300, 200, 100), (700, 300, 500), (5, 30000, 4), (40, 3, 900), (2, 2, 2)):
    a, b = rng.integers(-4, 5, (m, depth)).astype("f8"), rng.integers(-4, 5, (depth, n)).astype("f8")
    got = (qn.asarray(a, device="host") @ qn.asarray(b, device="host")).get()
    np.testing.assert_array_equal(got, a @ b)
"""
    environment = {**os.environ, "QUERN_THREADS": str(threads)}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True, timeout=300)


def test_float32_may_be_rounded_where_the_caller_allows_it(device):
    a, b = (np.random.default_rng(seed).random((200, 300), dtype="float32") for seed in (0, 1))
    x, y = qn.asarray(a, device=device), qn.asarray(b.T, device=device)
    exact = a.astype("float64") @ b.T.astype("float64")
    try:
        qn.set_float32_matmul_precision("high")
        np.testing.assert_allclose((x @ y).get(), exact, rtol=2e-3)
    finally:
        qn.set_float32_matmul_precision("highest")
    np.testing.assert_allclose((x @ y).get(), exact, rtol=2e-6)
    with pytest.raises(ValueError, match="expected 'highest' or 'high', got 'tf32'"):
        qn.set_float32_matmul_precision("tf32")


def test_integers_wrap_in_their_own_dtype(device):
    a = np.full((3, 50), 100, np.int8)
    x = qn.asarray(a, device=device)
    np.testing.assert_array_equal((x @ x.T).get(), a @ a.T, strict=True)


def test_strides_of_any_kind_are_read_where_they_are(device, loops, provider):
    a, b = numbers("float32", (60, 50)), numbers("float32", (40, 60))
    x, y = qn.asarray(a, device=device), qn.asarray(b, device=device)
    np.testing.assert_array_equal((x.T @ y.T).get(), a.T @ b.T)
    np.testing.assert_array_equal((x[::-1, ::2] @ y[:25, ::-1]).get(), a[::-1, ::2] @ b[:25, ::-1])
    c = numbers("float32", (4, 3, 5))
    z = qn.asarray(c, device=device)
    np.testing.assert_array_equal(
        (z.transpose(1, 0, 2) @ z.transpose(1, 2, 0)).get(), c.transpose(1, 0, 2) @ c.transpose(1, 2, 0)
    )
    np.testing.assert_array_equal((x[:, :1].T @ x).get(), a[:, :1].T @ a)


def test_long_sums_of_small_results_are_shared_out(device, loops):
    a, b = numbers("float32", (40, 20000)), numbers("float32", (20000, 30))
    got = qn.matmul(qn.asarray(a, device=device), qn.asarray(b, device=device))
    np.testing.assert_array_equal(got.get(), a @ b)


def test_sums_of_products_keep_the_bound_of_a_plain_sum(device, provider):
    rng = np.random.default_rng(3)
    a, b = rng.standard_normal((70, 3000)), rng.standard_normal((3000, 33))
    for dtype in ("float32", "float16"):
        p, q = a.astype(dtype), b.astype(dtype)
        exact = p.astype(np.float64) @ q.astype(np.float64)
        bound = np.abs(p).astype(np.float64) @ np.abs(q).astype(np.float64)
        got = qn.matmul(qn.asarray(p, device=device), qn.asarray(q, device=device)).get()
        sums, result = 3000 * np.finfo(np.float32).eps, np.finfo(dtype).eps
        assert (np.abs(got - exact) <= bound * sums + np.abs(exact) * result).all()


def test_products_of_float16_may_overflow_where_their_sums_do_not(device, provider):
    a, b = np.array([300, 300], np.float16), np.array([300, -300], np.float16)
    x, y = qn.asarray(a, device=device), qn.asarray(b, device=device)
    for product in (np.matmul, np.dot, np.inner, np.vdot, np.vecdot):
        assert float(product(x, y)) == product(a, b) == 0
    np.testing.assert_array_equal((x[None] @ y).get(), a[None] @ b)
    np.testing.assert_array_equal((x @ y[:, None]).get(), a @ b[:, None])
    np.testing.assert_array_equal(qn.tensordot(x, y, 1).get(), np.tensordot(a, b, 1))
    np.testing.assert_array_equal(qn.einsum("i,i->", x, y).get(), np.einsum("i,i->", a, b))


def test_types_are_promoted(device):
    a, b = numbers("int32", (3, 4)), numbers("float32", (4, 5))
    got = qn.matmul(qn.asarray(a, device=device), qn.asarray(b, device=device))
    np.testing.assert_array_equal(got.get(), a @ b, strict=True)


def test_expressions_are_multiplied(device):
    a = numbers("float32", (5, 6))
    x = qn.asarray(a, device=device)
    product = (x + 1) @ (x * 2).T
    x += 7
    np.testing.assert_array_equal(product.get(), (a + 1) @ (a * 2).T)


def test_a_product_of_vectors_reads_its_expressions_in_one_kernel(device):
    x = qn.asarray(numbers("float32", (1000,)), device=device)
    qn.matmul(x + 1, x * 2)
    before = qn.stats().launches
    qn.matmul(x + 1, x * 2)
    assert qn.stats().launches <= before + 2  # the sum, and its conversion


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_stacks_are_broadcast_as_numpys(data):
    lengths = st.integers(1, 3)
    stack = data.draw(st.lists(lengths, max_size=4))
    m, k, n = (data.draw(st.integers(0, 5)) for _ in range(3))

    def shape(last):
        own = [data.draw(st.sampled_from([length, 1])) for length in stack]
        return (*own[data.draw(st.integers(0, len(own))) :], *last)

    a, b = numbers("int32", shape((m, k))), numbers("int32", shape((k, n)), 1)
    got = qn.matmul(qn.asarray(a, device="host"), qn.asarray(b, device="host"))
    np.testing.assert_array_equal(got.get(), a @ b, strict=True)


@pytest.mark.parametrize("name", ["dot", "inner", "tensordot"])
def test_sums_over_axes_are_numpys(device, name):
    a, b = numbers("float32", (2, 3, 4)), numbers("float32", (5, 4, 4), 1)
    if name == "tensordot":
        cases = [(a, b, (([2], [1]))), (a, b, 0), (a, b[0], 1), (a, b, ([2], [2])), (b, b, ([2, 0], [1, 0]))]
    else:
        cases = [(a, b), (a[0], b[0]), (a[0, 0], b[0, 0]), (a, b[0, 0]), (a, np.float32(2) * b[0, 0, :1][0])]
    for first, second, *axes in cases:
        x, y = (qn.asarray(np.asarray(c), device=device) for c in (first, second))
        expected = getattr(np, name)(first, second, *axes)
        np.testing.assert_array_equal(getattr(qn, name)(x, y, *axes).get(), expected)


def test_products_of_vectors_are_numpys(device):
    a, b = numbers("complex64", (4, 3)), numbers("complex64", (4, 3), 1)
    x, y = qn.asarray(a, device=device), qn.asarray(b, device=device)
    np.testing.assert_array_equal(qn.vdot(x, y).get(), np.vdot(a, b))
    np.testing.assert_array_equal(qn.vecdot(x, y).get(), np.vecdot(a, b))
    np.testing.assert_array_equal(qn.vecdot(x, y[0]).get(), np.vecdot(a, b[0]))
    np.testing.assert_array_equal(qn.vecdot(x, y, axis=-2).get(), np.vecdot(a, b, axis=-2))
    np.testing.assert_array_equal(qn.outer(x, y).get(), np.outer(a, b))
    np.testing.assert_array_equal(qn.kron(x, y[0]).get(), np.kron(a, b[0]))
    c, d = a.real.copy(), b.real.copy()
    z, w = qn.asarray(c, device=device), qn.asarray(d, device=device)
    np.testing.assert_array_equal(qn.cross(z, w).get(), np.cross(c, d))
    np.testing.assert_array_equal(qn.cross(z, w[0]).get(), np.cross(c, d[0]))
    np.testing.assert_array_equal(qn.cross(z.T, w.T, axis=0).get(), np.cross(c.T, d.T, axis=0))


@pytest.mark.parametrize(
    "text, shapes",
    [
        ("ij,jk->ik", [(3, 4), (4, 5)]),
        ("ij,jk", [(3, 4), (4, 5)]),
        ("ij->ji", [(3, 4)]),
        ("ii->i", [(4, 4)]),
        ("ii", [(4, 4)]),
        ("ij->", [(3, 4)]),
        ("bij,bjk->bik", [(2, 3, 4), (2, 4, 5)]),
        ("ij,ij->i", [(3, 4), (3, 4)]),
        ("i,j->ij", [(3,), (4,)]),
        ("ijk,jil->kl", [(2, 3, 4), (3, 2, 5)]),
        ("ab,bc,cd->ad", [(2, 3), (3, 4), (4, 5)]),
        ("...ij,...jk->...ik", [(2, 3, 4), (4, 5)]),
        ("ij,ij->", [(1, 4), (3, 4)]),
        ("iij,jk->ik", [(3, 3, 4), (4, 2)]),
    ],
)
def test_einstein_sums_are_numpys(text, shapes):
    arrays = [numbers("int32", shape, k) for k, shape in enumerate(shapes)]
    got = qn.einsum(text, *(qn.asarray(a, device="host") for a in arrays))
    np.testing.assert_array_equal(got.get(), np.einsum(text, *arrays))


@pytest.mark.parametrize("text", ["ij,jk", "ij->ik", "ij->ii", "i", "i?"])
def test_wrong_subscripts_are_errors(text):
    with pytest.raises(qn.ArgumentValueError, match="einsum"):
        qn.einsum(text, qn.zeros((2, 2), device="host"))


def test_norms_are_numpys(device):
    a = numbers("complex64", (2, 3, 4))
    for c in (a.real.copy(), a[:, :2]):
        x = qn.asarray(c, device=device)
        for order in (0, 2, 3, -np.inf):
            expected = np.linalg.vector_norm(c, axis=1, ord=order)
            np.testing.assert_allclose(qn.linalg.vector_norm(x, axis=1, ord=order).get(), expected, rtol=1e-5)
        for order in ("fro", 1, -np.inf):
            expected = np.linalg.matrix_norm(c, ord=order, keepdims=True)
            got = qn.linalg.matrix_norm(x, ord=order, keepdims=True)
            np.testing.assert_allclose(got.get(), expected, rtol=1e-5)
            assert got.shape == expected.shape and got.dtype == expected.dtype
        np.testing.assert_allclose(qn.linalg.norm(x).get(), np.linalg.norm(c), rtol=1e-5)
        got = qn.linalg.norm(x, 1, axis=(0, 2), keepdims=True)
        np.testing.assert_allclose(got.get(), np.linalg.norm(c, 1, axis=(0, 2), keepdims=True), rtol=1e-5)
    with pytest.raises(qn.ArgumentValueError, match="ord"):
        qn.linalg.matrix_norm(x, ord=3)


def test_powers_of_matrices_are_products(device):
    a = numbers("int32", (2, 3, 3))
    x = qn.asarray(a, device=device)
    for n in (0, 1, 2, 7):
        np.testing.assert_array_equal(
            qn.linalg.matrix_power(x, n).get(), np.stack([np.linalg.matrix_power(m, n) for m in a])
        )


def test_diagonals_of_the_last_axes_are_numpys(device):
    a = numbers("int32", (2, 3, 4))
    x = qn.asarray(a, device=device)
    np.testing.assert_array_equal(qn.linalg.diagonal(x, offset=1).get(), np.linalg.diagonal(a, offset=1))
    np.testing.assert_array_equal(qn.linalg.trace(x).get(), np.linalg.trace(a))
    np.testing.assert_array_equal(qn.linalg.matrix_transpose(x).get(), a.transpose(0, 2, 1))


def test_shapes_that_do_not_fit_are_errors(device):
    x = qn.zeros((2, 3), "float32", device)
    for first, second in ((x, x), (x[0], x[0, :2]), (x[0, 0], x)):
        with pytest.raises(qn.ArgumentValueError, match="matmul"):
            qn.matmul(first, second)
    with pytest.raises(qn.ArgumentValueError, match="tensordot"):
        qn.tensordot(x, x, axes=([0], [1]))
    with pytest.raises(qn.ArgumentValueError, match="matmul"):
        qn.matmul(x, 3)
    with pytest.raises(qn.ArgumentTypeError, match=r"matmul: .* NoneType"):
        qn.matmul(x, None)
    with pytest.raises(qn.ArgumentValueError, match="cross"):
        qn.cross(x.T, x.T)
    with pytest.raises(qn.linalg.LinAlgError, match="square"):
        qn.linalg.matrix_power(x, 2)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", "complex64", "float16", "bool"])
@pytest.mark.parametrize("lines", [1, 3, 4, 5, 130, 300, 4100])
def test_matrices_times_vectors_of_any_length_are_numpys(device, provider, dtype, lines):
    if dtype == "float64" and not device.has_fp64:
        pytest.skip("no float64")
    rng = np.random.default_rng(lines)
    for depth in (1, 5, 16, 67, 2049 if lines < 1000 else 130):
        a = rng.integers(-2, 3, (lines, depth)).astype(dtype)
        v = rng.integers(-2, 3, 2 * depth).astype(dtype)[::2]
        x, w = qn.asarray(a, device=device), qn.asarray(v, device=device)
        tolerance = {"rtol": 1e-3 if dtype == "float16" else 0}
        np.testing.assert_allclose((x @ w).get(), a @ v, **tolerance)
        np.testing.assert_allclose((w @ x.T).get(), v @ a.T, **tolerance)
        columns = qn.asarray(np.ascontiguousarray(a.T), device=device)
        np.testing.assert_allclose((columns.T @ w).get(), a @ v, **tolerance)
        np.testing.assert_allclose((w[::-1] @ columns).get(), v[::-1] @ a.T, **tolerance)
        np.testing.assert_allclose(
            (x[::-1, ::-1] @ w[:, None]).get(), a[::-1, ::-1] @ v[:, None], **tolerance
        )


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "shape", [(256, 256), (257, 300), (300, 1000), (1000, 300), (1000, 1000), (2101, 2003)]
)
def test_vectors_are_read_where_they_are(device, provider, dtype, shape):
    if dtype == "float64" and not device.has_fp64:
        pytest.skip("no float64")
    rng = np.random.default_rng(0)
    a = rng.integers(-2, 3, shape).astype(dtype)
    x = qn.asarray(a, device=device)
    for depth, matrix, ours in ((shape[1], a, x), (shape[0], a.T, x.T)):
        v = rng.integers(-2, 3, depth).astype(dtype)
        unaligned = np.frombuffer(b"\0" + v.tobytes(), dtype, offset=1)
        for vector in (v, unaligned):
            w = qn.asarray(vector, device=device)
            np.testing.assert_array_equal((ours @ w).get(), matrix @ v)
            np.testing.assert_array_equal((w @ ours.T).get(), matrix @ v)
    if shape[0] == shape[1]:
        w = qn.array(v, device=device)
        qn.matmul(x, w, out=w)
        np.testing.assert_array_equal(w.get(), a @ v)
        w = qn.array(v, device=device)
        qn.matmul(w, x, out=w)
        np.testing.assert_array_equal(w.get(), v @ a)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", "int64", "complex64", "float16", "bool"])
@pytest.mark.parametrize("shape", [(520, 300), (1000, 1000), (5000, 70), (300, 4200), (70, 9000)])
def test_vectors_times_matrices_are_divided_along_the_sum(device, provider, dtype, shape):
    if dtype == "float64" and not device.has_fp64:
        pytest.skip("no float64")
    a, v = numbers(dtype, shape), numbers(dtype, shape[0], 1)
    x, w = qn.asarray(a, device=device), qn.asarray(v, device=device)
    tolerance = {"rtol": 1e-3 if dtype == "float16" else 0}
    np.testing.assert_allclose((w @ x).get(), v @ a, **tolerance)
    np.testing.assert_allclose((x.T @ w).get(), a.T @ v, **tolerance)
    np.testing.assert_allclose((w[::-1] @ x[:, 1:-1]).get(), v[::-1] @ a[:, 1:-1], **tolerance)
    np.testing.assert_allclose((w[::2] @ x[::2, ::3]).get(), v[::2] @ a[::2, ::3], **tolerance)
    if dtype.startswith("float"):
        rows = qn.maximum(2 * (w[None] @ x) + 1, 0)
        np.testing.assert_allclose(rows.get(), np.maximum(2 * (v[None] @ a) + 1, 0), **tolerance)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [2, 9, 40, 300])
def test_products_of_views_are_numpys(device, provider, dtype, n):
    packed = np.zeros((n, n), dtype=[("first", "i1"), ("second", dtype)])
    packed["second"] = numbers(dtype, (n, n))
    wide = numbers(dtype, (2 * n, 3 * n), 1)
    v = numbers(dtype, 2 * n, 2)
    x, w = qn.asarray(wide, device=device), qn.asarray(v, device=device)
    unaligned = qn.asarray(packed["second"], device=device)
    one = numbers(dtype, (1, n), 3)
    repeated = qn.broadcast_to(qn.asarray(one, device=device), (n, n))
    pairs = [
        (unaligned, packed["second"]),
        (x[::2, ::3], wide[::2, ::3]),
        (x[n:, -n:].T, wide[n:, -n:].T),
        (x[n - 1 :: -1, n - 1 :: -1], wide[n - 1 :: -1, n - 1 :: -1]),
        (repeated, np.broadcast_to(one, (n, n))),
    ]
    for ours, theirs in pairs:
        for vector, reference in ((w[:n], v[:n]), (w[::-2], v[::-2])):
            np.testing.assert_array_equal((ours @ vector).get(), theirs @ reference, strict=True)
            np.testing.assert_array_equal((vector @ ours).get(), reference @ theirs, strict=True)
        np.testing.assert_array_equal((ours @ x[:n, :n]).get(), theirs @ wide[:n, :n], strict=True)


def test_long_sums_of_few_lines_are_divided(device, provider):
    a = np.random.default_rng(0).integers(-2, 3, (3, 300000)).astype("float32")
    v = np.random.default_rng(1).integers(-2, 3, 300000).astype("float32")
    x, w = qn.asarray(a, device=device), qn.asarray(v, device=device)
    np.testing.assert_array_equal((x @ w).get(), a @ v)
    np.testing.assert_array_equal(np.maximum(x @ w + 1, 0).get(), np.maximum(a @ v + 1, 0))


def test_a_product_with_a_vector_takes_its_epilogue_on_the_host(device):
    if device.backend != "host":
        pytest.skip("elsewhere it is a sum")
    a = np.random.default_rng(0).integers(-2, 3, (600, 600)).astype("float32")
    x = qn.asarray(a, device=device)
    result = np.maximum(x @ x[0] + x[1], 0)
    before = qn.stats().launches
    qn.eval(result)
    assert qn.stats().launches == before + 1
    np.testing.assert_array_equal(result.get(), np.maximum(a @ a[0] + a[1], 0))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "shape", [(1, 1, 2), (2, 3, 4), (8, 8, 8), (5, 7, 17), (31, 33, 15), (40, 64, 64), (64, 65, 66)]
)
def test_small_products_in_every_order_are_numpys(device, provider, dtype, shape):
    if dtype == "float64" and not device.has_fp64:
        pytest.skip("no float64")
    m, k, n = shape
    rng = np.random.default_rng(0)
    a, b = rng.integers(-9, 10, (3, m, k)).astype(dtype), rng.integers(-9, 10, (3, k, n)).astype(dtype)
    x, y = qn.asarray(a, device=device), qn.asarray(b, device=device)
    np.testing.assert_array_equal((x @ y).get(), a @ b)
    np.testing.assert_array_equal((x[0] @ y[1]).get(), a[0] @ b[1])
    np.testing.assert_array_equal((y[2].T @ x[1].T).get(), b[2].T @ a[1].T)
    np.testing.assert_array_equal((x[1, ::-1] @ y[1, :, ::2]).get(), a[1, ::-1] @ b[1, :, ::2])


def test_small_products_and_dots_follow_writes(device):
    a = np.arange(64, dtype="float32").reshape(8, 8) % 5
    x = qn.asarray(a, device=device)
    first, dot = x @ x, x[1] @ x[2]
    x += 1
    second = x @ x
    x[...] = 0
    np.testing.assert_array_equal(first.get(), a @ a)
    np.testing.assert_array_equal(dot.get(), a[1] @ a[2])
    np.testing.assert_array_equal(second.get(), (a + 1) @ (a + 1))
    assert not (x @ x).get().any()
    # A large update is still running when the product reads its result.
    big = qn.zeros((4096, 1024), device=device, dtype="float32")
    big += 1
    np.testing.assert_array_equal((big[:8, :8] @ big[8:16, :8]).get(), np.full((8, 8), 8))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int64"])
def test_operators_take_lists_and_tuples(device, dtype):
    a = np.arange(6).reshape(2, 3).astype(dtype)
    x = qn.asarray(a, device=device)
    vector, rows = [1, 2, 3], ((1, 2), (3, 4), (5, 6))
    for got, expected in [
        (x @ vector, a @ vector),
        (x @ rows, a @ np.array(rows)),
        ([1, 2] @ x, np.array([1, 2]) @ a),
        (rows @ x, np.array(rows) @ a),
    ]:
        assert got.device == device
        assert got.dtype == expected.dtype
        np.testing.assert_array_equal(got.get(), expected)
    with pytest.raises(ValueError, match="do not match"):
        x @ [1, 2]


def test_einsum_takes_numbers_of_axes(device):
    a = np.arange(6.0).reshape(2, 3)
    b = np.arange(12.0).reshape(3, 4)
    x, y = qn.asarray(a, device=device), qn.asarray(b, device=device)
    for made in [
        lambda a, b: (a, [0, 1]),
        lambda a, b: (a, [0, 1], [1]),
        lambda a, b: (a, [5, 2], b, [2, 7], [7, 5]),
        lambda a, b: (a, [40, 1], b, [1, 2]),
        lambda a, b: (a, [..., 1], b, [1, 30], [..., 30]),
        lambda a, b: (b @ b.T, [0, 0]),
        lambda a, b: (a, (0, 1), []),
    ]:
        expected = np.einsum(*made(a, b))
        got = qn.einsum(*made(x, y))
        assert got.shape == expected.shape
        np.testing.assert_allclose(got.get(), expected, rtol=1e-15)
        np.testing.assert_allclose(np.einsum(*made(x, y)).get(), expected, rtol=1e-15)
    with pytest.raises(ValueError, match="52"):
        qn.einsum(x, [0, 52])
