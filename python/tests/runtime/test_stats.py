# SPDX-License-Identifier: MIT
"""Counters of the library, as qn.stats() shows them."""

import numpy as np

import quern as qn


def test_kept_tables_of_transforms_are_counted_within_limits(device):
    before = qn.stats()
    with qn.device(device):
        # Of other lengths than other tests use; PoCL compiles kernels for each.
        for n in range(1, 4 if device.backend == "opencl" else 40):
            x = qn.ones(97 * n + 5, "complex64")
            qn.eval(qn.fft.fft(x))
        qn.synchronize()
    now = qn.stats()
    assert now.fft_tables <= 512 and now.fft_table_bytes <= 64 << 20
    # The host computes lines without tables in device memory, and cuFFT has its own.
    if device.backend == "opencl":
        assert now.fft_tables > before.fft_tables
        assert now.fft_table_bytes > before.fft_table_bytes
    with qn.device(device):
        again = qn.fft.fft(qn.ones(97 + 5, "complex64")).get()
    assert abs(again[0] - 102) < 1e-3 and np.abs(again[1:]).max() < 1e-3
    assert qn.stats().fft_tables <= now.fft_tables


def test_plans_of_other_libraries_are_counted_within_limits(device):
    with qn.device(device):
        for n in range(8, 14 if device.backend == "opencl" else 200, 2):
            qn.eval(qn.fft.fft(qn.ones(n, "complex64")))
        qn.synchronize()
    now = qn.stats()
    assert now.library_plan_bytes <= 64 << 20
    assert now.library_plan_device_bytes <= 512 << 20


def test_all_counters_are_printed():
    now = qn.stats()
    names = [name for name in dir(now) if name[0] != "_"]
    assert {"fft_tables", "fft_table_bytes", "library_plan_device_bytes"} <= set(names)
    for name in names:
        assert f"{name}=" in repr(now)
