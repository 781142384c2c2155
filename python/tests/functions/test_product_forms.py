# SPDX-License-Identifier: MIT
"""Products that have a shorter way: narrow types into wide ones, triangles, x @ x.T; compared with NumPy."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import quern as qn


def integers(dtype, shape, seed=0):
    info = np.iinfo(dtype)
    return np.random.default_rng(seed).integers(info.min, info.max, shape, dtype, endpoint=True)


NARROW = [
    ("int8", "int32"),
    ("uint8", "int32"),
    ("int16", "int32"),
    ("uint16", "uint32"),
    ("int8", "uint32"),
]


@pytest.mark.parametrize("narrow, wide", NARROW)
@pytest.mark.parametrize("size", [(5, 7, 6), (64, 100, 48), (200, 333, 130)], ids=str)
def test_narrow_integers_are_summed_in_the_type_they_are_converted_to(device, provider, narrow, wide, size):
    m, k, n = size
    a, b = integers(narrow, (m, k)), integers(narrow, (k, n), 1)
    x, y = qn.asarray(a, device=device), qn.asarray(b, device=device)
    expected = a.astype(wide) @ b.astype(wide)
    np.testing.assert_array_equal((x.astype(wide) @ y.astype(wide)).get(), expected, strict=True)
    np.testing.assert_array_equal(qn.matmul(x, y, dtype=wide, casting="unsafe").get(), expected, strict=True)
    turned = qn.asarray(np.ascontiguousarray(b.T), device=device).T
    np.testing.assert_array_equal(qn.matmul(x, turned, dtype=wide, casting="unsafe").get(), expected)


def test_extreme_integers_wrap_as_numpys(device, provider):
    for dtype in ("int8", "uint8", "int16", "uint16"):
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        for first, second in ((low, low), (low, high), (high, high)):
            a, b = np.full((40, 101), first, dtype), np.full((101, 50), second, dtype)
            x, y = qn.asarray(a, device=device), qn.asarray(b, device=device)
            np.testing.assert_array_equal((x @ y).get(), a @ b, strict=True)
            np.testing.assert_array_equal(
                qn.matmul(x, y, dtype="int32", casting="unsafe").get(), a.astype("int32") @ b.astype("int32")
            )


def test_conversions_of_a_narrow_product_take_one_launch(device):
    if device.backend == "opencl":
        pytest.skip("products take several launches on CPUs by OpenCL")
    x = qn.asarray(integers("int8", (256, 256)), device=device)
    qn.eval(qn.matmul(x, x.T, dtype="int32"))
    qn.synchronize(device)
    before = qn.stats().launches
    qn.eval(qn.matmul(x, x.T, dtype="int32"))
    assert qn.stats().launches == before + 1


def test_a_narrow_operand_that_is_written_or_converted_elsewhere_keeps_its_values(device):
    a = integers("int8", (90, 90))
    x = qn.asarray(a, device=device)
    wide = x.astype("int32")
    product = wide @ wide.T
    one_wide = wide @ x  # both operands are converted only by promotion
    x[...] = 0
    expected = a.astype("int32") @ a.astype("int32").T
    np.testing.assert_array_equal(product.get(), expected)
    np.testing.assert_array_equal(wide.get(), a)
    np.testing.assert_array_equal(one_wide.get(), a.astype("int32") @ a)


def test_half_precision_into_single_is_summed_in_single(device, provider):
    rng = np.random.default_rng(2)
    a, b = rng.standard_normal((100, 300)).astype("float16"), rng.standard_normal((300, 80)).astype("float16")
    x, y = qn.asarray(a, device=device), qn.asarray(b, device=device)
    exact = a.astype("float64") @ b.astype("float64")
    bound = np.abs(a).astype("float64") @ np.abs(b).astype("float64") * 300 * np.finfo("float32").eps
    got = (x.astype("float32") @ y.astype("float32")).get()
    assert got.dtype == np.float32 and (np.abs(got - exact) <= bound).all()
    got = qn.matmul(x, y, dtype="float32").get()
    assert got.dtype == np.float32 and (np.abs(got - exact) <= bound).all()
    np.testing.assert_allclose(np.tanh(qn.matmul(x, y, dtype="float32")).get(), np.tanh(exact), atol=1e-4)


def test_a_conversion_of_half_precision_to_single_is_part_of_the_product(device, provider):
    rng = np.random.default_rng(3)
    a, b = rng.standard_normal((64, 200)).astype("float16"), rng.standard_normal((200, 72)).astype("float16")
    x, y = qn.asarray(a, device=device), qn.asarray(b, device=device)
    if device.has_fp16 and device.backend != "opencl":  # where a product may take several launches
        qn.eval((x @ y).astype("float32"))
        qn.synchronize(device)
        result = (x @ y).astype("float32")
        before = qn.stats().launches
        qn.eval(result)
        assert qn.stats().launches == before + 1
    exact = a.astype("float64") @ b.astype("float64")
    bound = np.abs(a).astype("float64") @ np.abs(b).astype("float64") * 200 * np.finfo("float32").eps
    if not device.has_fp16:  # the product is rounded to float16
        bound += np.abs(exact) * np.finfo("float16").eps
    got = (x @ y).astype("float32").get()
    assert got.dtype == np.float32 and (np.abs(got - exact) <= bound).all()
    kept = x @ y
    np.testing.assert_array_equal(kept.astype("float32").get(), kept.get().astype("float32"))


def small_numbers(dtype, shape, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.integers(-2, 3, shape).astype(dtype)
    return a + (1j * rng.integers(-2, 3, shape)).astype(dtype) if a.dtype.kind == "c" else a


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128", "int32"])
@pytest.mark.parametrize("offset", [0, 3, -70, 290, -400])
def test_products_of_triangles_are_numpys(device, provider, dtype, offset):
    if dtype in ("float64", "complex128") and not device.has_fp64:
        pytest.skip("no float64")
    a, b = small_numbers(dtype, (300, 333)), small_numbers(dtype, (333, 270), 1)
    x, y = qn.asarray(a, device=device), qn.asarray(b, device=device)
    for np_part, part in ((np.triu, qn.triu), (np.tril, qn.tril)):
        np.testing.assert_array_equal((part(x, offset) @ y).get(), np_part(a, offset) @ b)
        np.testing.assert_array_equal((x @ part(y, offset)).get(), a @ np_part(b, offset))
        np.testing.assert_array_equal((part(y.T, offset) @ x.T).get(), np_part(b.T, offset) @ a.T)
        np.testing.assert_array_equal((part(y, offset).T @ x.T).get(), np_part(b, offset).T @ a.T)
        np.testing.assert_array_equal((y.T @ part(x, offset).T).get(), b.T @ np_part(a, offset).T)


def test_infinities_beside_a_triangle_are_numpys(device, provider):
    n = 600
    a, b = small_numbers("float32", (n, n)), small_numbers("float32", (n, n), 1)
    a[400, 20] = np.nan  # set to zero by triu
    b[17, 5], b[550, 9], b[300, 11] = np.inf, np.nan, -np.inf
    x, y = qn.asarray(a, device=device), qn.asarray(b, device=device)
    with np.errstate(invalid="ignore"):
        for np_part, part in ((np.triu, qn.triu), (np.tril, qn.tril)):
            full = np_part(np.where(np.isnan(a), 0, a)) @ b
            np.testing.assert_array_equal((part(qn.nan_to_num(x)) @ y).get(), full)
            np.testing.assert_array_equal((y @ part(qn.nan_to_num(x))).get(), b @ np_part(np.nan_to_num(a)))
        np.testing.assert_array_equal((qn.triu(x) @ y).get(), np.triu(a) @ b)


def check_with_infinities(got, expected):
    """Which part of a complex number is NaN depends on the order of operations, in NumPy on its BLAS."""
    assert got.dtype == expected.dtype
    if got.dtype.kind == "c":
        got, expected = (np.where(np.isfinite(one), one, np.nan) for one in (got, expected))
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
def test_triangles_without_their_blocks_of_zeros_are_numpys(device, provider, dtype):
    """Large enough for several blocks of lines, rectangular, with infinities and NaN opposite the zeros."""
    if dtype in ("float64", "complex128") and not device.has_fp64:
        pytest.skip("no float64")
    if device.kind == "gpu" and dtype == "float16":
        m, k, n = 4096, 4200, 4352
    else:
        m, k, n = (2048, 2200, 2304) if device.kind == "gpu" else (700, 821, 650)
    rng = np.random.default_rng(0)
    a, b = small_numbers(dtype, (m, k)), small_numbers(dtype, (k, n), 1)
    # Few elements beside zero: sums of float16 stay exact.
    a *= rng.random((m, k)) < 0.2
    spoilt = b.copy()
    spoilt[3, 5], spoilt[k - 2, 9], spoilt[k // 2, 11], spoilt[0, n - 1] = np.inf, np.nan, -np.inf, np.inf
    inner = np.float32 if dtype == "float16" else None
    kept = a.copy()
    kept[2, k - 1] = np.inf
    with np.errstate(invalid="ignore"):
        for left, right in ((a, b), (a, spoilt), (kept, b)):
            x, y = qn.asarray(left, device=device), qn.asarray(right, device=device)
            for part, offset in (("triu", 0), ("tril", 7), ("triu", m // 2), ("tril", -m // 3)):
                triangle = getattr(np, part)(left, offset)
                expected = np.matmul(triangle, right, dtype=inner).astype(dtype)
                stored = getattr(qn, part)(x, offset)
                check_with_infinities((stored @ y).get(), expected)
                check_with_infinities((y.T @ getattr(qn, part)(x, offset).T).get(), expected.T)


def test_triangles_on_the_tiles_of_gpus_are_numpys(device, loops, provider):
    """As above by the kernels of GPUs, from the size on at which they leave out blocks."""
    if loops != "grid" or device.kind == "gpu":
        pytest.skip("the test above runs it")
    m, k, n = 2048, 2052, 2050
    a = small_numbers("float32", (m, k)) * (np.random.default_rng(0).random((m, k)) < 0.2).astype("float32")
    b = small_numbers("float32", (k, n), 1)
    b[1, 7], b[k - 1, 8] = np.nan, np.inf
    x, y = qn.asarray(a, device=device), qn.asarray(b, device=device)
    with np.errstate(invalid="ignore"):
        expected = np.triu(a) @ b
    np.testing.assert_array_equal((qn.triu(x) @ y).get(), expected)
    np.testing.assert_array_equal((y.T @ qn.triu(x).T).get(), expected.T)


def test_a_product_of_a_triangle_takes_one_launch_on_the_host(device):
    if device.backend != "host":
        pytest.skip("elsewhere the triangle is stored")
    a, b = small_numbers("float32", (300, 300)), small_numbers("float32", (300, 300), 1)
    x, y = qn.asarray(a, device=device), qn.asarray(b, device=device)
    qn.eval(qn.triu(x) @ y)
    qn.synchronize(device)
    result = qn.triu(x) @ y + 1
    before = qn.stats().launches
    qn.eval(result)
    assert qn.stats().launches == before + 1
    np.testing.assert_array_equal(result.get(), np.triu(a) @ b + 1)
    transposed = y @ qn.tril(x, -3).T
    before = qn.stats().launches
    qn.eval(transposed)
    assert qn.stats().launches == before + 1
    np.testing.assert_array_equal(transposed.get(), b @ np.tril(a, -3).T)
    # A view that does more reads the triangle itself.
    np.testing.assert_array_equal((qn.tril(x)[::-1].T @ y).get(), np.tril(a)[::-1].T @ b)


def test_writing_a_matrix_first_evaluates_the_product_of_its_triangle(device):
    a = small_numbers("float32", (300, 300))
    x = qn.asarray(a, device=device)
    product, kept = qn.triu(x) @ x, qn.tril(x)
    other = kept @ x
    x[...] = 7
    np.testing.assert_array_equal(product.get(), np.triu(a) @ a)
    np.testing.assert_array_equal(kept.get(), np.tril(a))
    np.testing.assert_array_equal(other.get(), np.tril(a) @ a)
    x = qn.asarray(a, device=device)
    x[...] = qn.tril(x) @ x
    np.testing.assert_array_equal(x.get(), np.tril(a) @ a)


@pytest.mark.parametrize("stack", [(), (3,)])
def test_stacks_of_triangles_are_numpys(device, stack):
    a, b = small_numbers("float64" if device.has_fp64 else "float32", (*stack, 260, 260)), None
    b = small_numbers(a.dtype, (260, 260), 1)
    x, y = qn.asarray(a, device=device), qn.asarray(b, device=device)
    np.testing.assert_array_equal((qn.triu(x) @ y).get(), np.triu(a) @ b)
    np.testing.assert_array_equal((y @ qn.tril(x)).get(), b @ np.tril(a))


@pytest.mark.parametrize("dtype", ["float32", "complex64", "int8"])
@pytest.mark.parametrize("n", [130, 2100])
def test_products_with_the_own_transpose_are_numpys_and_symmetric(device, provider, dtype, n):
    if n > 1000 and device.backend == "opencl" and device.kind != "gpu":
        pytest.skip("slow")
    a = small_numbers(dtype, (n, 40))
    x = qn.asarray(a, device=device)
    got = (x @ x.T).get()
    np.testing.assert_array_equal(got, a @ a.T)
    np.testing.assert_array_equal((x.T @ x).get(), a.T @ a)
    wide = qn.asarray(np.ascontiguousarray(a.T), device=device)
    np.testing.assert_array_equal((wide.T @ wide).get(), a @ a.T)


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_triangles_of_any_size_are_numpys(data):
    m, k, n = (data.draw(st.integers(256, 600)) for _ in range(3))
    offset = data.draw(st.integers(-700, 700))
    a, b = small_numbers("float32", (m, k)), small_numbers("float32", (k, n), 1)
    for _ in range(data.draw(st.integers(0, 3))):
        b[data.draw(st.integers(0, k - 1)), data.draw(st.integers(0, n - 1))] = np.inf
    x, y = qn.asarray(a, device="host"), qn.asarray(b, device="host")
    part = data.draw(st.sampled_from(["triu", "tril"]))
    with np.errstate(invalid="ignore"):
        expected = getattr(np, part)(a, offset) @ b
        np.testing.assert_array_equal((getattr(qn, part)(x, offset) @ y).get(), expected)
        np.testing.assert_array_equal((y.T @ getattr(qn, part)(x, offset).T).get(), expected.T)
