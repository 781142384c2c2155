# SPDX-License-Identifier: MIT
"""Products on OpenCL devices by CLBlast, where it is installed."""

import numpy as np
import pytest

import quern as qn


@pytest.fixture
def clblast(device, monkeypatch):
    if device.backend != "opencl":
        pytest.skip("CLBlast multiplies on OpenCL devices")
    monkeypatch.setenv("QUERN_LIBRARIES", "prefer")
    if not any(one.name == "CLBlast" and one.path for one in qn.find_libraries()):
        pytest.skip("CLBlast (libclblast.so.1) is not installed")


def numbers(dtype, shape, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.integers(-3, 4, shape).astype(dtype)
    return a + (1j * rng.integers(-2, 3, shape)).astype(dtype) if a.dtype.kind == "c" else a


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_products_by_clblast_are_numpys(device, clblast, dtype):
    if dtype in ("float64", "complex128") and not device.has_fp64:
        pytest.skip("no float64")
    a, b = numbers(dtype, (90, 70)), numbers(dtype, (70, 110), 1)
    x, y = qn.asarray(a, device=device), qn.asarray(b, device=device)
    np.testing.assert_array_equal((x @ y).get(), a @ b)
    np.testing.assert_array_equal((y.T @ x.T).get(), b.T @ a.T)
    np.testing.assert_array_equal((x[3:, 5:40] @ y[5:40, 7:]).get(), a[3:, 5:40] @ b[5:40, 7:])


def test_stacks_and_expressions_by_clblast_are_numpys(device, clblast):
    a, b = numbers("float32", (2, 3, 40, 50)), numbers("float32", (3, 50, 60), 1)
    x, y = qn.asarray(a, device=device), qn.asarray(b, device=device)
    np.testing.assert_array_equal((x @ y).get(), a @ b)
    np.testing.assert_array_equal((x @ y[1]).get(), a @ b[1])
    np.testing.assert_array_equal(np.maximum(x @ y + 1, 0).get(), np.maximum(a @ b + 1, 0))
    np.testing.assert_array_equal((x @ (y + 1)).get(), a @ (b + 1))


def test_a_product_by_clblast_is_ordered_counted_and_profiled(device, clblast):
    a = numbers("float32", (64, 64))
    queue = qn.Queue(device, profiling=True)
    with queue:
        x = qn.asarray(a, device=device)
        y = x * 2
        before = qn.stats().launches
        z = y @ y
        qn.eval(z)
        assert qn.stats().launches == before + 2
        y[...] = 0
        queue.finish()
    np.testing.assert_array_equal(z.get(), 4 * (a @ a))


def test_half_precision_is_not_summed_by_clblast(device, clblast):
    a = np.full((40, 3000), 1, np.float16)  # sums beyond 2048 stop growing in float16
    x = qn.asarray(a, device=device)
    np.testing.assert_array_equal((x @ x.T).get(), np.full((40, 40), 3000, np.float16))
