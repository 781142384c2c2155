# SPDX-License-Identifier: MIT
"""Shared virtual memory: arrays whose addresses are the same on the host and on the device."""

import gc

import numpy as np
import pytest

import quern as qn


@pytest.fixture(params=["coarse", "fine"])
def svm_empty(request, device):
    """svm_empty(shape, dtype): an array of this grain."""
    finest = qn.svm_grain(device)
    if finest == "none" or (request.param == "fine" and finest != "fine"):
        pytest.skip(f"'{device.spec}' has no {request.param}-grained shared virtual memory")
    return lambda shape, dtype="float64": qn.svm_empty(
        shape, dtype, fine_grain=request.param == "fine", device=device
    )


def test_the_host_and_expressions_use_the_memory(svm_empty):
    x = svm_empty((3, 4), "float32")
    assert x.shape == (3, 4) and x.dtype == np.float32
    with x.map("discard") as view:
        view[:] = np.arange(12).reshape(3, 4)
    assert ((x * 2).get() == 2 * np.arange(12).reshape(3, 4)).all()
    x += 1
    with x.map("r") as view:
        assert (view == np.arange(12).reshape(3, 4) + 1).all()
    assert x[1:, ::2].sum().get() == (np.arange(12).reshape(3, 4) + 1)[1:, ::2].sum()


def test_maps_are_at_one_address(svm_empty):
    x = svm_empty(100)
    addresses = set()
    for _ in range(3):
        with x.map() as view:
            addresses.add(view.ctypes.data)
    assert len(addresses) == 1


def test_kernels_see_the_address_of_the_host(svm_empty, queue):
    program = qn.Program(
        """
        kernel void where(global const uchar *x, global ulong *out) { out[0] = (ulong)x; }
        """
    )
    x = svm_empty(1000, "uint8")
    with x.map() as view:
        address = view.ctypes.data
    out = qn.zeros(1, "uint64", queue.device)
    program.where(queue, 1, None, x, out)
    assert out.get()[0] == address
    program.where(queue, 1, None, x.buffer[128:], out)
    assert out.get()[0] == address + 128


def test_copies_and_fills_use_the_memory(svm_empty, queue):
    x = svm_empty(1000, "int32")
    queue.copy(x, np.arange(1000, dtype="int32"))
    y = qn.empty(1000, "int32", queue.device)
    queue.copy(y, x)
    assert (y.get() == np.arange(1000)).all()
    x.fill(7)
    assert (x.get() == 7).all()


NODE = np.dtype([("next", "u8"), ("value", "i4"), ("pad", "i4")])
WALK = """
typedef struct { ulong next; int value, pad; } node;
kernel void walk(global const node *first, global int *sum, global int *count) {
  int total = 0, steps = 0;
  for (global const node *at = first; at != 0; at = (global const node *)at->next) {
    total += at->value;
    steps++;
  }
  *sum = total;
  *count = steps;
}
kernel void double_values(global node *first) {
  for (global node *at = first; at != 0; at = (global node *)at->next) at->value *= 2;
}
"""


def link(view, order):
    """Links nodes of a mapped array in this order; returns the number of the first."""
    address = view.ctypes.data
    view["next"][order[:-1]] = address + order[1:] * NODE.itemsize
    view["next"][order[-1]] = 0
    return order[0]


def test_a_kernel_walks_a_list_that_python_built(svm_empty, queue):
    count = 1000
    nodes = svm_empty(count, NODE)
    order = np.random.default_rng(3).permutation(count)
    order = np.concatenate([[0], order[order != 0]])
    with nodes.map("discard") as view:
        view["value"] = np.arange(count)
        assert link(view, order) == 0
    total, steps = qn.zeros(1, "int32", queue.device), qn.zeros(1, "int32", queue.device)
    program = qn.Program(WALK)
    program.walk(queue, 1, None, nodes, total, steps)
    assert (total.get()[0], steps.get()[0]) == (count * (count - 1) // 2, count)
    program.double_values(queue, 1, None, nodes)
    with nodes.map("r") as view:
        assert (view["value"] == 2 * np.arange(count)).all()


def test_a_list_may_cross_two_arrays(svm_empty, queue):
    first, second = svm_empty(10, NODE), svm_empty(10, NODE)
    with first.map() as a, second.map() as b:
        link(a, np.arange(10))
        link(b, np.arange(10)[::-1])
        a["value"], b["value"] = 1, 10
        a["next"][9] = b.ctypes.data + 9 * NODE.itemsize
    total, steps = qn.zeros(1, "int32", queue.device), qn.zeros(1, "int32", queue.device)
    qn.Program(WALK).walk(queue, 1, None, first, total, steps)
    assert (total.get()[0], steps.get()[0]) == (110, 20)


def test_memory_is_freed_after_its_work(svm_empty, spin, queue):
    for _ in range(20):
        x = svm_empty(1 << 16, "float32")
        x.fill(1)
        event = spin(queue, 0.001, x)
        del x
    event.wait()
    gc.collect()
    assert (svm_empty(16, "float32") * 0).shape == (16,)


def test_an_open_map_is_respected(svm_empty):
    x = svm_empty(10)
    opened = x.map()
    with pytest.raises(qn.MapError):
        x.fill(0)
    opened.unmap()
    x.fill(0)


def test_fine_grained_memory_has_a_view(device):
    if qn.svm_grain(device) != "fine":
        pytest.skip("needs fine-grained shared virtual memory")
    x = qn.svm_empty((2, 3), "int64", fine_grain=True, device=device)
    view = qn.svm_view(x)
    view[:] = [[1, 2, 3], [4, 5, 6]]
    y = x * 10
    assert (y.get() == view * 10).all()
    x += 1
    assert (qn.svm_view(x) == [[2, 3, 4], [5, 6, 7]]).all()
    assert qn.svm_view(x[:, 1:]).tolist() == [[3, 4], [6, 7]]
    del x
    gc.collect()
    assert view[0, 0] == 2


def test_other_memory_has_no_view(device):
    if device.shares_host_memory:
        pytest.skip("all memory is the host's")
    with pytest.raises(qn.ArgumentValueError, match="fine"):
        qn.svm_view(qn.zeros(4, device=device))


def test_a_grain_that_the_device_lacks_is_an_error(device):
    finest = qn.svm_grain(device)
    assert finest in ("none", "coarse", "fine")
    if finest == "fine":
        pytest.skip("the device has every grain")
    with pytest.raises(qn.ArgumentValueError, match="shared virtual memory"):
        qn.svm_empty(4, fine_grain=True, device=device)


def test_more_than_the_device_has_is_an_error(device, svm_empty):
    with pytest.raises(qn.OutOfDeviceMemory):
        svm_empty(1 << 50, "uint8")
    assert svm_empty(8, "uint8").nbytes == 8
