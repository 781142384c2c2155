# SPDX-License-Identifier: MIT
"""Libraries of others: what is found, how that is reported, and that a product by one is ordered as a launch is."""

import gc
import re

import numpy as np
import pytest

import quern as qn


def test_a_report_says_what_was_found_and_tried():
    for library in qn.find_libraries():
        assert library.name and library.backend in {"cuda", "opencl", "host"}
        assert library.attempts
        assert [attempt.ok for attempt in library.attempts].count(True) == (1 if library.path else 0)
        if library.path:
            assert re.fullmatch(r"\d+\.\d+\.\d+", library.version)
        else:
            assert not library.version


def test_libraries_can_be_turned_off(monkeypatch):
    monkeypatch.setenv("QUERN_LIBRARIES", "never")
    for library in qn.find_libraries():
        assert not library.path and not library.version
        assert ["QUERN_LIBRARIES=never" in attempt.outcome for attempt in library.attempts] == [True]


def test_a_product_is_ordered_between_launches(device):
    n = 300
    rng = np.random.default_rng(0)
    a = rng.integers(0, 3, (n, n)).astype(np.float32)
    queues = [qn.Queue(device), qn.Queue(device)]
    with queues[0]:
        x = qn.asarray(a, device=device)
        for _ in range(20):
            x = x * 1
        y = x @ x
    with queues[1]:
        z = (y + 1) @ x
        x[:] = 0  # after the product has read it
    np.testing.assert_array_equal(z.get(), (a @ a + 1) @ a)
    assert not x.get().any()


def test_a_product_is_profiled_and_counted(device):
    queue = qn.Queue(device, profiling=True)
    with queue:
        x = qn.ones((64, 64), "float32")
        qn.eval(x)
        queue.finish()
        before = qn.stats().launches
        qn.eval(x @ x)
        queue.finish()
    assert qn.stats().launches > before


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_products_leave_no_memory_behind(device, dtype):
    x = qn.ones((256, 256), dtype, device)
    qn.eval(x @ x)
    qn.synchronize(device)
    gc.collect()  # arrays of other tests
    used = qn.stats().bytes_in_use
    for _ in range(200):
        qn.eval(x @ x)
    qn.synchronize(device)
    assert qn.stats().bytes_in_use == used


def test_a_product_needs_no_memory_for_a_library(device):
    x = qn.asarray(np.ones((64, 64), np.float32), device=device)
    qn.trim_pool(device)
    qn.set_pool_limit(qn.pool_stats(device).in_use + (1 << 20), device)
    try:
        np.testing.assert_array_equal((x @ x).get(), np.full((64, 64), 64, np.float32))
        # What the library would have done with the product is then a kernel of its own.
        np.testing.assert_array_equal((2 * (x @ x) - x + 3).get(), np.full((64, 64), 130, np.float32))
        np.testing.assert_array_equal(qn.maximum(x[0] - x @ x, 0).get(), np.zeros((64, 64), np.float32))
    finally:
        qn.set_pool_limit(None, device)
