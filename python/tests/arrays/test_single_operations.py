# SPDX-License-Identifier: MIT
"""One operation on arrays in memory, which GPUs launch without building an expression."""

import gc
import itertools
import threading

import numpy as np
import pytest

import quern as qn

DTYPES = ["int8", "int32", "int64", "uint16", "float16", "float32", "float64", "complex64"]


@pytest.fixture(params=["grid", "chunks"], autouse=True)
def loops(request, set_loops):
    """The loops of GPUs run on every device."""
    set_loops(request.param)


def values(dtype, shape, seed=0):
    """Small integers, which every dtype holds and all devices compute alike."""
    return np.random.default_rng(seed).integers(1, 9, shape).astype(dtype)


def has(device, dtype):
    return device.has_fp64 or dtype not in ("float64", "complex128")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [2, 5, 1024])
def test_operations_match_numpy(device, dtype, size):
    if not has(device, dtype):
        pytest.skip("the device has no double precision")
    a, b = values(dtype, size, 1), values(dtype, size, 2)
    x, y = qn.asarray(a, device=device), qn.asarray(b, device=device)
    for ours, theirs in [
        (x + y, a + b),
        (x - y, a - b),
        (x * y, a * b),
        (x == y, a == b),
        (-x, -a),
        (x + 2, a + 2),
        (2 - x, 2 - a),
        (x * x, a * a),
    ]:
        qn.eval(ours)
        assert ours.in_memory
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours.get(), theirs)


@pytest.mark.parametrize("broadcasts", [False, True])
def test_views_match_numpy(device, broadcasts):
    a, b = values("float32", (4, 16), 3), values("float32", (1 if broadcasts else 4, 16), 4)
    x, y = qn.asarray(a, device=device), qn.asarray(b, device=device)
    for rows, start, step in itertools.product([1, 4], [0, 1, 4], [1, 2]):
        at = (slice(None, rows), slice(start, start + 5 * step, step))
        result = x[at] + y[at]
        qn.eval(result)
        np.testing.assert_array_equal(result.get(), a[at] + b[at])


def test_arrays_without_elements(device):
    result = qn.zeros((0, 3), device=device) + qn.ones((0, 3), device=device)
    qn.eval(result)
    assert result.shape == (0, 3)


def test_operand_written_before_evaluation_is_read_first(device):
    a = values("float32", 64)
    x = qn.asarray(a, device=device)
    total = x + 1
    x[...] = 0
    np.testing.assert_array_equal(total.get(), a + 1)


def test_results_are_operands_of_later_operations(device):
    a, b = values("int32", 64, 5), values("int32", 64, 6)
    x, y = qn.asarray(a, device=device), qn.asarray(b, device=device)
    first = x + y
    later = first * 3
    qn.eval(first)
    first += 1
    np.testing.assert_array_equal(later.get(), (a + b) * 3)
    np.testing.assert_array_equal(first.get(), a + b + 1)


def test_operands_of_another_queue_are_waited_for(device):
    a = values("float32", 4096)
    with qn.Queue(device):
        x = qn.asarray(a, device=device) * 2
        qn.eval(x)
    with qn.Queue(device):
        y = x + x.copy()
        z = x + 1
        qn.eval(y, z)
    np.testing.assert_array_equal(y.get(), a * 4)
    np.testing.assert_array_equal(z.get(), a * 2 + 1)


def test_error_of_an_allocation_names_the_operation(device):
    x, y = (qn.zeros(1 << 16, dtype="float32", device=device) for _ in range(2))
    gc.collect()  # a failed allocation would, and find memory
    qn.synchronize(device)
    qn.trim_pool(device)
    total = x + y
    qn.set_pool_limit(qn.pool_stats(device).in_use + 1000, device)
    try:
        with pytest.raises(qn.OutOfDeviceMemory, match="add\\(float32\\)"):
            qn.eval(total)
    finally:
        qn.set_pool_limit(0, device)
    np.testing.assert_array_equal(total.get(), np.zeros(1 << 16, "float32"))


def test_a_number_that_another_thread_stores_meanwhile(device):
    a = np.arange(4096, dtype="float32")
    x = qn.asarray(a, device=device)
    for _ in range(200):
        number = qn.full(4096, 3.0, dtype="float32", device=device)
        total = x + number
        threads = [threading.Thread(target=qn.eval, args=(one,)) for one in (number, total)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        np.testing.assert_array_equal(total.get(), a + 3)


def test_an_evaluation_that_finds_no_memory_fails_once_and_names_the_operation(device):
    """A whole collection of garbage is a part of each attempt to allocate."""
    x, y = (qn.zeros(1 << 18, "float32", device=device) for _ in range(2))
    qn.eval(x + y)
    gc.collect()
    qn.synchronize(device)
    qn.trim_pool(device)
    runs = []

    def count(phase, details):
        if phase == "start" and details["generation"] == 2:
            runs.append(phase)

    qn.set_pool_limit(qn.pool_stats(device).in_use + 4096, device)
    gc.callbacks.append(count)
    try:
        with pytest.raises(
            qn.OutOfDeviceMemory, match=r"result of:\n  add\(.*test_single_operations\.py:\d+"
        ):
            qn.eval(x + y)
    finally:
        gc.callbacks.remove(count)
        qn.set_pool_limit(None, device)
    assert len(runs) == 1
    np.testing.assert_array_equal((x + y).get(), np.zeros(1 << 18, "float32"))
