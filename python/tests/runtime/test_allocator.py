# SPDX-License-Identifier: MIT
"""Allocators of the program's own, and what the pool says about each queue."""

import ctypes
import gc
import sys

import numpy as np
import pytest

import quern as qn


class HostMemory:
    """Addresses in NumPy arrays."""

    def __init__(self, device):
        self.arrays = {}

    def allocate(self, nbytes):
        array = np.empty(nbytes + 128, np.uint8)
        address = -(-array.ctypes.data // 128) * 128
        self.arrays[address] = array
        return address

    def free(self, address):
        del self.arrays[address]


class OpenClMemory:
    """Handles of clCreateBuffer."""

    def __init__(self, device):
        self.library = ctypes.CDLL("libOpenCL.so.1")
        self.library.clCreateBuffer.restype = ctypes.c_void_p
        self.context = qn.Context.of(device).native_handle

    def allocate(self, nbytes):
        status = ctypes.c_int32()
        handle = self.library.clCreateBuffer(
            ctypes.c_void_p(self.context),
            ctypes.c_uint64(1),
            ctypes.c_size_t(nbytes),
            None,
            ctypes.byref(status),
        )
        assert status.value == 0
        return handle

    def free(self, handle):
        assert self.library.clReleaseMemObject(ctypes.c_void_p(handle)) == 0


class CudaMemory:
    """Pointers of cuMemAlloc."""

    def __init__(self, device):
        self.library = ctypes.CDLL("libcuda.so.1")
        self.context = qn.Context.of(device).native_handle

    def call(self, name, *arguments):
        assert self.library.cuCtxPushCurrent_v2(ctypes.c_void_p(self.context)) == 0
        try:
            assert getattr(self.library, name)(*arguments) == 0
        finally:
            self.library.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))

    def allocate(self, nbytes):
        pointer = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(nbytes))
        return pointer.value

    def free(self, pointer):
        self.call("cuMemFree_v2", ctypes.c_uint64(pointer))


NATIVE = {"host": HostMemory, "opencl": OpenClMemory, "cuda": CudaMemory}


class Counting:
    """An allocator that records its calls."""

    def __init__(self, device):
        self.native = NATIVE[device.backend](device)
        self.live, self.allocations, self.freed = {}, 0, 0
        self.fails = None

    def allocate(self, nbytes):
        if self.fails is not None:
            raise self.fails
        address = self.native.allocate(nbytes)
        assert address not in self.live
        self.live[address] = nbytes
        self.allocations += 1
        return address

    def free(self, address, nbytes):
        assert self.live.pop(address) == nbytes
        self.native.free(address)
        self.freed += 1


@pytest.fixture
def use(device):
    """Sets an allocator for one test."""

    def use(allocator, **options):
        qn.set_allocator(allocator, device, **options)
        return allocator

    yield use
    gc.collect()
    qn.synchronize(device)
    qn.set_allocator(None, device)


def collect_garbage():
    """Garbage is collected, and pending calls of the interpreter have run."""
    gc.collect()
    for _ in range(100):
        qn.pool_stats("host")


@pytest.mark.parametrize("pooled", [True, False])
def test_buffers_are_memory_of_the_allocator(device, use, basic, pooled):
    allocator = use(Counting(device), pooled=pooled)
    queue = qn.Queue(device)
    x = qn.empty(1000, "float32", device)
    basic.fill(queue, 1000, None, x, 2.5, 1000)
    assert allocator.allocations == 1 and next(iter(allocator.live.values())) >= 4000
    y = x * 2 + 1
    assert (y.get() == 6).all()
    with x.map() as view:
        view[:] = 1
    del view
    assert x.get().sum() == 1000
    del x, y
    qn.synchronize(device)
    collect_garbage()
    qn.trim_pool(device)
    collect_garbage()
    assert allocator.live == {} and allocator.freed == allocator.allocations


def test_the_pool_reuses_memory_of_the_allocator(device, use):
    allocator = use(Counting(device))
    for _ in range(10):
        qn.Buffer(5000, device=device).fill(1).wait()
    assert allocator.allocations == 1 and allocator.freed == 0


def test_without_the_pool_memory_returns_at_once(device, use):
    allocator = use(Counting(device), pooled=False)
    for _ in range(3):
        qn.Buffer(5000, device=device)
        collect_garbage()
    assert allocator.allocations == allocator.freed == 3


def test_memory_returns_after_the_work_that_uses_it(device, use, spin, basic):
    allocator = use(Counting(device), pooled=False)
    queue = qn.Queue(device)
    x = qn.zeros(1, "float32", device)
    event = spin(queue, 0.3, x)
    del x
    collect_garbage()
    if not event.done:
        assert allocator.freed == 0
    event.wait()
    qn.synchronize(device)
    collect_garbage()
    qn.Queue(device)  # looks for memory that is no longer used
    collect_garbage()
    assert allocator.live == {}


def test_memory_returns_to_the_allocator_that_it_came_from(device, use):
    first = use(Counting(device))
    kept = qn.asarray(np.full(100, 3, "int32"), device=device)
    freed = qn.Buffer(50_000, device=device)
    del freed
    second = use(Counting(device))
    collect_garbage()
    assert first.freed == 1  # the free memory of the pool
    other = qn.asarray(np.full(100, 4, "int32"), device=device)
    assert (kept.get() == 3).all() and (other.get() == 4).all()
    assert second.allocations == 1
    del kept
    qn.synchronize(device)
    collect_garbage()
    assert first.live == {} and first.freed == first.allocations
    del other


def test_an_allocator_that_has_no_memory_left_is_asked_again(device, use):
    allocator = use(Counting(device))
    unused = qn.Buffer(1 << 20, device=device)
    del unused
    allocator.fails = MemoryError()
    with pytest.raises(qn.OutOfDeviceMemory):
        qn.Buffer(1 << 22, device=device)
    collect_garbage()
    assert allocator.freed == 1  # the pool has returned what it had
    allocator.fails = None
    assert qn.Buffer(1 << 22, device=device).nbytes == 1 << 22


def test_other_errors_of_an_allocator_are_raised(device, use):
    allocator = use(Counting(device))
    allocator.fails = KeyError("no such arena")
    with pytest.raises(KeyError, match="no such arena"):
        qn.Buffer(1000, device=device)
    allocator.fails = None
    qn.Buffer(1000, device=device).fill(0).wait()


@pytest.mark.parametrize(("result", "error"), [("text", TypeError), (-5, ValueError), (1.5, TypeError)])
def test_a_result_that_is_not_an_address_is_an_error(device, use, result, error):
    class Wrong:
        def allocate(self, nbytes):
            return result

        def free(self, address, nbytes):
            raise AssertionError

    use(Wrong())
    with pytest.raises(error, match="allocate"):
        qn.Buffer(1000, device=device)


def test_an_address_that_is_not_aligned_is_an_error(device, use):
    if device.backend == "opencl":
        pytest.skip("OpenCL memory is a handle")

    class Crooked(Counting):
        def allocate(self, nbytes):
            return super().allocate(nbytes + 8) + 8

        def free(self, address, nbytes):
            super().free(address - 8, nbytes + 8)

    allocator = use(Crooked(device))
    with pytest.raises(qn.ArgumentValueError, match="multiple of 128"):
        qn.Buffer(1000, device=device)
    collect_garbage()
    assert allocator.live == {}


def test_an_error_of_free_is_unraisable(device, use, monkeypatch):
    class Stubborn(Counting):
        def free(self, address, nbytes):
            super().free(address, nbytes)
            raise RuntimeError("not now")

    seen = []
    monkeypatch.setattr(sys, "unraisablehook", lambda what: seen.append(str(what.exc_value)))
    use(Stubborn(device), pooled=False)
    buffer = qn.Buffer(1000, device=device)
    del buffer
    collect_garbage()
    assert seen == ["not now"]


def test_an_object_without_the_methods_is_refused(device):
    with pytest.raises(qn.ArgumentTypeError, match="free"):
        qn.set_allocator(object(), device)


def test_the_limit_holds_for_an_allocator(device, use):
    allocator = use(Counting(device))
    qn.set_pool_limit(qn.pool_stats(device).in_use + (1 << 20), device)
    try:
        with pytest.raises(qn.OutOfDeviceMemory):
            qn.Buffer(1 << 21, device=device)
        assert allocator.allocations == 0
    finally:
        qn.set_pool_limit(None, device)


def test_the_pool_counts_by_queue(device):
    first, second = qn.Queue(device), qn.Queue(device)
    a = qn.Buffer(4096, queue=first)
    b = [qn.Buffer(4096, queue=second) for _ in range(3)]
    assert (qn.pool_stats(queue=first).in_use, qn.pool_stats(queue=second).in_use) == (4096, 3 * 4096)
    del b[0]
    stats = qn.pool_stats(queue=second)
    assert (stats.in_use, stats.in_pool, stats.peak, stats.allocations) == (8192, 4096, 3 * 4096, 3)
    del a, b
    assert qn.pool_stats(queue=first).in_use == qn.pool_stats(queue=second).in_use == 0
    qn.trim_pool(device)
    assert qn.pool_stats(queue=first).in_pool == qn.pool_stats(queue=second).in_pool == 0
    assert "allocations=3" in repr(qn.pool_stats(queue=second))


def test_memory_that_another_queue_takes_counts_there(device):
    qn.trim_pool(device)
    first, second = qn.Queue(device), qn.Queue(device)
    qn.Buffer(1 << 20, queue=first)
    assert qn.pool_stats(queue=first).in_pool == 1 << 20
    taken = qn.Buffer(1 << 20, queue=second)
    assert qn.pool_stats(queue=first).in_pool == 0
    stats = qn.pool_stats(queue=second)
    assert (stats.in_use, stats.reused) == (1 << 20, 1)
    del taken


def test_a_queue_may_go_before_its_buffers(device):
    buffer = qn.Buffer(4096, queue=qn.Queue(device))
    gc.collect()
    buffer.fill(1).wait()
    del buffer
    qn.trim_pool(device)


def test_pool_stats_take_a_device_or_a_queue(device):
    with pytest.raises(qn.ArgumentTypeError, match="both"):
        qn.pool_stats(device, queue=qn.Queue(device))
