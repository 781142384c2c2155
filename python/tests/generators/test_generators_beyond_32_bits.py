# SPDX-License-Identifier: MIT
"""ElementwiseKernel and ReductionKernel on more than 2^32 elements."""

import numpy as np
import pytest

import quern as qn

COUNT = (1 << 31) + 3

pytestmark = [pytest.mark.slow, pytest.mark.large_memory]


@pytest.fixture
def bytes_of_ones(device):
    """COUNT bytes, each 1 but for the last three, which are 2, 3 and 4."""
    if device.memory_info.free < 3 * COUNT or device.max_allocation < COUNT:
        pytest.skip("needs 6 GiB of device memory")
    x = qn.empty(COUNT, np.uint8, device)
    x.fill(1)
    tail = qn.Array(x.buffer, np.uint8, 3, offset=COUNT - 3)
    tail.set(np.array([2, 3, 4], np.uint8))
    return x


def test_an_elementwise_kernel_reaches_every_element(device, bytes_of_ones):
    twice = qn.ElementwiseKernel("const uchar *x, uchar *y", "y[i] = x[i] * 2")
    y = qn.zeros(COUNT, np.uint8, device)
    twice(bytes_of_ones, y)
    result = y.get()
    assert (result[:-3] == 2).all()
    np.testing.assert_array_equal(result[-3:], [4, 6, 8])


def test_a_reduction_takes_every_element(device, bytes_of_ones):
    total = qn.ReductionKernel("uint64", "0", "a + b", "(ulong)x[i]", "const uchar *x")
    assert total(bytes_of_ones).get() == COUNT - 3 + 9
    furthest = qn.ReductionKernel("int64", "-1", "max(a, b)", "x[i] == 4 ? (long)i : -1", "const uchar *x")
    assert furthest(bytes_of_ones).get() == COUNT - 1
