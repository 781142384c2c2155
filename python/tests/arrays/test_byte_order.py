# SPDX-License-Identifier: MIT
"""Values in another byte order than the machine's are converted by every function that takes them."""

import numpy as np
import pytest

import quern as qn


@pytest.mark.parametrize("dtype", [">f4", ">f8", ">i4", ">u2", ">c8"])
def test_values_of_another_byte_order_are_converted(device, dtype):
    if np.dtype(dtype).itemsize == 8 and dtype == ">f8" and not device.has_fp64:
        pytest.skip("the device has no float64")
    given = np.arange(6).reshape(2, 3).astype(dtype)
    native = np.dtype(dtype).newbyteorder("=")
    x = qn.asarray(given, device=device)
    assert x.dtype == native and x.dtype.isnative
    np.testing.assert_array_equal(x.get(), given)
    np.testing.assert_array_equal((x + given).get(), given + given)
    np.testing.assert_array_equal((given + x).get(), given + given)
    np.testing.assert_array_equal(np.add(given, x).get(), given + given)
    np.testing.assert_array_equal(qn.concat([x, given]).get(), np.concatenate([given, given]))
    np.testing.assert_array_equal(qn.where(given > 2, x, given).get(), given)
    for make in (qn.zeros, qn.ones, qn.empty):
        assert make(3, dtype, device).dtype == native
    assert qn.full(3, 1, dtype, device).dtype == native
    assert x.astype(dtype).dtype == native and qn.asarray(x, dtype).dtype == native
    assert qn.zeros_like(x, dtype=dtype).dtype == native and qn.sum(x, dtype=dtype).dtype == native
    x.set(given[::-1])
    np.testing.assert_array_equal(x.get(), given[::-1])
    x[...] = given
    np.testing.assert_array_equal(x.get(), given)
    x[0] = given[1]
    np.testing.assert_array_equal(x[0].get(), given[1])
    out = np.zeros((2, 3), dtype)
    assert x.get(out=out) is out
    np.testing.assert_array_equal(out, x.get())


def test_indices_of_another_byte_order_are_converted(device):
    x = qn.asarray(np.arange(10.0, dtype=np.float32), device=device)
    index = np.array([7, 1, 2], ">i4")
    np.testing.assert_array_equal(x[index].get(), [7, 1, 2])
    np.testing.assert_array_equal(qn.take(x, index).get(), [7, 1, 2])
    x[index] = np.array([1, 2, 3], ">f4")
    np.testing.assert_array_equal(x.get()[[7, 1, 2]], [1, 2, 3])


def test_a_kernel_is_given_values_of_another_byte_order_converted(device, basic):
    twice = qn.Program(
        "kernel void twice(global float *y, global const float *x) { y[get_global_id(0)] = 2 * x[get_global_id(0)]; }"
    )
    y = qn.zeros(3, np.float32, device)
    twice["twice"](qn.Queue(device), 3, None, y, qn.In(np.array([1, 2, 3], ">f4"))).wait()
    np.testing.assert_array_equal(y.get(), [2, 4, 6])
