# SPDX-License-Identifier: MIT
"""Arrays of more than 2^31 elements: no index overflows. The values are regular, so single elements are compared."""

import numpy as np
import pytest

import quern as qn

pytestmark = [pytest.mark.slow, pytest.mark.large_memory]
N = 2**31 + 3


@pytest.fixture(autouse=True)
def on_a_large_gpu(device):
    if device.kind != "gpu" or device.memory_info.free < 40 << 30:
        pytest.skip("takes tens of gigabytes")
    with device:
        yield
    qn.trim_pool()


def ends(array):
    """The first and the last elements, and those around 2^31."""
    return [int(array[i]) for i in (0, 1, 2**31 - 1, 2**31, N - 1)]


WHERE = np.array([0, 1, 2**31 - 1, 2**31, N - 1])


def test_arithmetic_and_conversion(device):
    x = qn.arange(N, dtype=np.uint32)
    assert ends(x + 5) == [(i + 5) % 2**32 for i in WHERE]
    assert ends((x % 251).astype(np.uint8)) == list(WHERE % 251)
    assert ends(qn.where(x > 2**31, x, 7)) == [7, 7, 7, 7, N - 1]


def test_views_and_assignment(device):
    x = qn.zeros(N, np.uint8)
    x[::2] = 3
    assert ends(x) == [3, 0, 0, 3, 3]
    x[2**31 :] += 1
    assert ends(x) == [3, 0, 0, 4, 4]
    assert int(x[::-1][0]) == 4 and int(x[N - 2]) == 1
    square = x[: 2**31].reshape(2**16, 2**15)
    assert int(square[-1, -1]) == 0 and int(square.T[-2, -1]) == 3


def test_reductions(device):
    x = qn.ones(N, dtype=np.uint8)
    assert int(x.sum()) == N
    assert int(qn.count_nonzero(x)) == N
    x[N - 2] = 9
    assert int(x.argmax()) == N - 2 and int(x.max()) == 9
    assert int(x[: 2**31].reshape(2, 2**30).sum(axis=0)[-1]) == 2


def test_accumulation_and_order(device):
    x = qn.ones(N, dtype=np.uint8)
    total = qn.cumulative_sum(x, dtype=np.uint32)
    assert ends(total) == [i + 1 for i in WHERE]
    del total
    y = (255 - qn.arange(N, dtype=np.uint32) % 256).astype(np.uint8)
    ordered = qn.sort(y)
    assert ends(ordered)[0] == 0 and ends(ordered)[-1] == 255 and bool((ordered[1:] >= ordered[:-1]).all())


def test_indexing_and_joining(device):
    x = qn.arange(N, dtype=np.uint32)
    assert qn.take(x, qn.asarray(WHERE)).get().tolist() == WHERE.tolist()
    assert x[x >= 2**31].get().tolist() == [2**31, 2**31 + 1, 2**31 + 2]
    (where,) = qn.nonzero(x == N - 1)
    assert where.get().tolist() == [N - 1]
    del x
    y = qn.concat([qn.zeros(2**30, dtype=np.uint8), qn.ones(2**30 + 3, dtype=np.uint8)])
    assert ends(y) == [0, 0, 1, 1, 1]
    assert ends(qn.roll(y, 1)) == [1, 0, 1, 1, 1]
    assert ends(qn.flip(y)) == [1, 1, 0, 0, 0]
