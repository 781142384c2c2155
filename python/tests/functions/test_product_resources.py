# SPDX-License-Identifier: MIT
"""Memory and threads of matrix products, and of transforms beside them."""

import resource
import threading

import numpy as np
import pytest

import quern as qn

ALLOWED = 64 << 20  # bytes that a product may allocate beside its operands and its result


@pytest.fixture
def limited(device):
    """limit(nbytes): the device has so many bytes left."""

    def limit(nbytes):
        qn.trim_pool(device)
        qn.set_pool_limit(qn.pool_stats(device).in_use + nbytes, device)

    yield limit
    qn.set_pool_limit(None, device)


@pytest.mark.parametrize("dtype", ["float32", "int8", "float16"])
@pytest.mark.parametrize(
    "size", [(700, 1000, 800), (48, 400000, 8), (3000, 20, 3000), (20, 20, 1_000_000)], ids=str
)
def test_a_product_takes_little_memory_beside_its_operands(device, provider, limited, dtype, size):
    m, k, n = size
    rng = np.random.default_rng(0)
    a, b = rng.integers(-1, 2, (m, k)).astype(dtype), rng.integers(-1, 2, (k, n)).astype(dtype)
    x, y = qn.asarray(a, device=device), qn.asarray(b, device=device)
    wide = "int64" if dtype == "int8" else "float32"
    expected = (a.astype(wide) @ b.astype(wide)).astype(dtype)
    limited(m * n * x.dtype.itemsize + ALLOWED)
    np.testing.assert_array_equal((x @ y).get(), expected)
    np.testing.assert_array_equal((y.T @ x.T).get(), expected.T)


def test_kernels_of_gpus_take_little_memory_for_float16(device, set_loops, limited):
    """Devices without half precision read its bits."""
    if device.backend == "host":
        pytest.skip("the host multiplies by functions")
    set_loops("grid")
    rng = np.random.default_rng(0)
    a, b = rng.integers(-1, 2, (48, 400_000)).astype("float16"), rng.integers(-1, 2, (400_000, 8))
    x, y = qn.asarray(a, device=device), qn.asarray(b.astype("float16"), device=device)
    limited(48 * 8 * 2 + (48 << 20))
    np.testing.assert_array_equal((x @ y).get(), (a.astype("float32") @ b).astype("float16"))


@pytest.mark.parametrize("dtype", ["float32", "float16", "complex64", "int16", "bool"])
@pytest.mark.parametrize(
    "shapes",
    [
        ((3, 40, 90_000), (3, 90_000, 24)),
        ((2, 1, 60, 60_000), (5, 60_000, 24)),
        ((300, 30_000), (30_000, 64)),
        ((100, 300), (300, 50_001)),
    ],
    ids=str,
)
def test_products_in_several_parts_are_numpys(device, limited, dtype, shapes):
    """CPUs by OpenCL copy the operands into panels, of some rows and steps at a time."""
    if device.backend == "host":
        pytest.skip("the host multiplies by functions")
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-1, 2, shape).astype(dtype) for shape in shapes)
    x, y = qn.asarray(a, device=device), qn.asarray(b, device=device)
    wide = "float32" if dtype == "float16" else dtype
    expected = (a.astype(wide) @ b.astype(wide)).astype(dtype)
    limited(expected.nbytes + ALLOWED)
    np.testing.assert_array_equal((x @ y).get(), expected)


def test_an_expression_of_a_product_takes_the_memory_of_its_result_only(device, provider, limited):
    if device.backend != "host":
        pytest.skip("elsewhere the product is stored")
    a = np.random.default_rng(0).integers(-1, 2, (5000, 8)).astype("float32")
    x = qn.asarray(a, device=device)
    result = np.tanh(x @ x.T) + 1  # 100 MB; the product would be as much again
    limited(5000 * 5000 * 4 + (8 << 20))
    qn.eval(result)
    np.testing.assert_allclose(result[:50].get(), np.tanh(a[:50] @ a.T) + 1, rtol=1e-6)


def test_eight_threads_with_small_products_of_shared_arrays_get_numpys_results(device):
    a = np.random.default_rng(3).integers(-2, 3, (24, 24)).astype("float32")
    shared = qn.asarray(a, device=device)
    product, line, square = a @ a, a[3] @ a, a[3] @ a[3]
    wrong = []

    def work():
        try:
            with qn.Queue(device):
                own = qn.asarray(a, device=device)
                for step in range(20):
                    np.testing.assert_array_equal((shared @ shared).get(), product)
                    np.testing.assert_array_equal((own[3] @ shared).get(), line + step * a.sum(axis=0))
                    assert float(shared[3] @ shared[3]) == square
                    own += 1  # the products of the next step read it
        except Exception as error:  # in the main thread below
            wrong.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if wrong:
        raise wrong[0]


def test_eight_threads_with_products_and_transforms_get_numpys_results(device, provider):
    rng = np.random.default_rng(1)
    a = rng.integers(-2, 3, (150, 150)).astype("float32")
    z = rng.standard_normal((4, 256)).astype("complex64")
    product, triangle, transform = a @ a, np.triu(a) @ a, np.fft.fft(z)
    wrong = []

    def work():
        try:
            with qn.Queue(device):
                x, w = qn.asarray(a, device=device), qn.asarray(z, device=device)
                for _ in range(4):
                    np.testing.assert_array_equal((x @ x).get(), product)
                    np.testing.assert_allclose(qn.fft.fft(w).get(), transform, atol=1e-3)
                    np.testing.assert_array_equal((qn.triu(x) @ x).get(), triangle)
                    np.testing.assert_allclose(np.tanh(x @ x).get(), np.tanh(product), atol=1e-6)
        except Exception as error:  # in the main thread below
            wrong.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if wrong:
        raise wrong[0]


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def test_ten_thousand_lengths_and_sizes_leave_no_memory_behind(device):
    """Tables of transforms, plans and heuristics of libraries are kept for a limited number of problems."""
    if device.backend != "host":
        pytest.skip("each length is compiled; test_fft_large has the plans of cuFFT")
    x = qn.ones(5000, "complex64", device=device)
    a = qn.ones((40, 5000), "float32", device=device)

    def run(first, last):
        for n in range(first, last):
            qn.eval(qn.fft.fft(x[:n]))
            qn.eval(a[:, :n] @ a[:, :n].T)
            if n % 50 == 0:
                qn.synchronize(device)  # results of pending operations are memory, too
        qn.synchronize(device)

    run(1, 1000)
    before, in_use = resident_bytes(), qn.stats().bytes_in_use
    run(1000, 5001)
    run(1, 1000)
    np.testing.assert_allclose(qn.fft.fft(x[:997]).get()[0], 997, rtol=1e-5)
    assert qn.stats().bytes_in_use - in_use <= 64 << 20
    assert resident_bytes() - before <= 128 << 20


@pytest.mark.parametrize("shape", [(0, 3, 4), (3, 0, 4), (3, 4, 0), (0, 0, 0)], ids=str)
def test_products_of_nothing_are_numpys(device, provider, shape):
    m, k, n = shape
    for dtype in ("float32", "int8"):
        a, b = np.ones((m, k), dtype), np.ones((k, n), dtype)
        x, y = qn.asarray(a, device=device), qn.asarray(b, device=device)
        np.testing.assert_array_equal((x @ y).get(), a @ b, strict=True)
        np.testing.assert_array_equal(np.tanh(x @ y + 1).get(), np.tanh(a @ b + 1))
        np.testing.assert_array_equal((qn.triu(x) @ y).get(), np.triu(a) @ b)
        np.testing.assert_array_equal(
            qn.matmul(x, y, dtype="int32", casting="unsafe").get(), a.astype("int32") @ b.astype("int32")
        )


@pytest.mark.parametrize("n", [40, 300])
def test_results_may_overlap_their_operands(device, provider, n):
    a = np.random.default_rng(2).integers(-2, 3, (n, n)).astype("float32")
    for form in (
        lambda x: x @ x,
        lambda x: np.maximum(x @ x - 2, x),
        lambda x: abs(x @ x.T) + x,
        lambda x: (x @ x).astype("int32").astype("float32"),
    ):
        x = qn.asarray(a, device=device)
        x[...] = form(x)
        np.testing.assert_array_equal(x.get(), form(a))
        whole = qn.asarray(np.concatenate([a, a]), device=device)
        expected = np.concatenate([a, a])
        expected[n // 2 : n // 2 + n] = form(a)
        whole[n // 2 : n // 2 + n] = form(whole[:n])
        np.testing.assert_array_equal(whole.get(), expected)
    x = qn.asarray(a, device=device)
    qn.matmul(x, x.T, out=x.T)
    np.testing.assert_array_equal(x.get(), (a @ a.T).T)
