# SPDX-License-Identifier: MIT
"""Transforms of 2^31 points, and many plans of a library: for a machine with a large GPU."""

import numpy as np
import pytest

import quern as qn

pytestmark = [pytest.mark.slow, pytest.mark.large_memory]


@pytest.mark.parametrize("name", ["fft", "ifft"])
def test_transforms_of_2_31_points(device, provider, name):
    """The transform of an impulse at element 1 is a circle."""
    n = 1 << 31
    if device.backend == "host" or device.global_memory < 80 << 30:
        pytest.skip("needs 80 GiB of device memory")
    with device:
        x = qn.zeros(n, "complex64")
        x[1] = 1
        result = getattr(qn.fft, name)(x)
        qn.eval(result)
        sign = -1 if name == "fft" else 1
        for start in (0, 1 << 20, (1 << 30) - 5, n - 1000):
            k = np.arange(start, start + 1000, dtype="float64")
            expected = np.exp(sign * 2j * np.pi * k / n) / (1 if name == "fft" else n)
            got = result[start : start + 1000].get()
            assert np.linalg.norm(got - expected) < 3e-6 * np.linalg.norm(expected)


def test_ten_thousand_plans_are_bounded(device):
    """Each number of lines is another plan of cuFFT, which holds tables in device memory."""
    if device.backend != "cuda" or not any(one.name == "cuFFT" and one.path for one in qn.find_libraries()):
        pytest.skip("needs cuFFT")
    with device:
        x = qn.ones((5000, 16), "complex64")
        qn.fft.fft(x[:1]).get()
        before = qn.stats().bytes_in_use
        for count in range(1, 5001):
            qn.eval(qn.fft.fft(x[:count]))
            qn.eval(qn.fft.fft(x[:count, :8]))
        np.testing.assert_allclose(qn.fft.fft(x[:3]).get(), np.fft.fft(np.ones((3, 16))), atol=1e-5)
        assert qn.stats().bytes_in_use - before < 64 << 20
        assert qn.stats().library_plans <= 200
