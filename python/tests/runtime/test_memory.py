# SPDX-License-Identifier: MIT
"""The memory pool: reuse that is safe across queues, running out, and what the counters say."""

import ctypes
import gc

import numpy as np
import pytest

import quern as qn


@pytest.fixture
def limited(device):
    """Sets a limit on what the device's buffers may take, above what is in use now."""
    gc.collect()
    qn.synchronize(device)
    qn.trim_pool(device)

    def limit(nbytes):
        qn.set_pool_limit(qn.pool_stats(device).in_use + nbytes, device)

    yield limit
    qn.set_pool_limit(None, device)


def test_freed_memory_is_reused(device):
    qn.trim_pool(device)
    buffer = qn.Buffer(12_345_678, device=device)
    del buffer
    qn.synchronize(device)
    before = qn.pool_stats(device)
    assert before.in_pool >= 12_345_678
    again = qn.Buffer(12_345_678, device=device)
    after = qn.pool_stats(device)
    assert after.in_use >= before.in_use + 12_345_678
    assert after.in_pool < before.in_pool
    assert again.nbytes == 12_345_678


def test_trimming_empties_the_pool(device):
    qn.Buffer(1 << 20, device=device)
    qn.synchronize(device)
    qn.trim_pool(device)
    assert qn.pool_stats(device).in_pool == 0


def test_three_queues_never_see_each_others_memory(device, basic, spin):
    """Memory is freed while a slow queue still works on it, and taken by other queues at once."""
    queues = [qn.Queue(device) for _ in range(3)]
    size = 1 << 14
    for turn in range(1, 9):
        first, second, third = queues
        a = qn.empty(size, "float32", queue=first)
        basic.fill(first, size, None, a, float(turn), size)
        spin(first, 0.005, a.buffer[:4])
        basic.fill(first, size, None, a, float(turn), size)
        kept = qn.empty(size, "float32", queue=second)
        copied = second.copy(kept, a)  # reads what the slow queue writes
        del a  # ... and which the third queue gets for its own
        b = qn.empty(size, "float32", queue=third)
        basic.fill(third, size, None, b, -1.0, size)
        copied.wait()
        assert (kept.get() == turn).all()
        assert (b.get() == -1).all()
        queues = [second, third, first]


def test_one_queue_reads_what_another_wrote(device, basic, spin):
    first, second = qn.Queue(device), qn.Queue(device)
    a, b = (qn.zeros(1 << 12, "float32", device) for _ in range(2))
    for turn in range(1, 10):
        spin(first, 0.003, a.buffer[:4])
        basic.fill(first, a.size, None, a, float(turn), a.size)
        basic.add(second, a.size, None, a, a, b)  # no wait list: the memory itself orders the queues
        assert (b.get(queue=second) == 2 * turn).all()


def test_out_of_memory_tells_the_figures(device, limited):
    kept = qn.asarray(np.arange(1000), device=device)
    limited(8 << 20)
    first = qn.Buffer(6 << 20, device=device)
    with pytest.raises(qn.OutOfDeviceMemory) as error:
        qn.Buffer(4 << 20, device=device)
    assert isinstance(error.value, MemoryError)
    assert error.value.requested >= 4 << 20
    assert error.value.in_use >= 6 << 20
    assert error.value.limit == qn.pool_stats(device).limit
    assert error.value.in_pool >= 0
    for word in ("limit", "use"):
        assert word in str(error.value)
    # Everything else is intact, and memory that is given back can be had again.
    assert (kept.get() == np.arange(1000)).all()
    del first
    assert qn.Buffer(4 << 20, device=device).nbytes == 4 << 20


def test_garbage_is_collected_before_giving_up(device, limited):
    limited(8 << 20)
    loop = [qn.Buffer(6 << 20, device=device)]
    loop.append(loop)
    del loop
    assert qn.Buffer(6 << 20, device=device).nbytes == 6 << 20


def test_the_pool_is_emptied_before_giving_up(device, limited):
    limited(8 << 20)
    for size in (3 << 20, 4 << 20, 5 << 20, 6 << 20, 7 << 20):
        assert qn.Buffer(size, device=device).nbytes == size


def test_more_than_any_device_has_is_an_error(device):
    with pytest.raises((qn.OutOfDeviceMemory, qn.ArgumentError)):
        qn.Buffer(1 << 60, device=device)


def test_stats_count(device, basic):
    queue = qn.Queue(device)
    a = qn.zeros(1 << 20, "float32", device)
    before = qn.stats()
    assert before.bytes_in_use >= a.nbytes
    assert before.bytes_peak >= before.bytes_in_use
    for _ in range(3):
        basic.twice(queue, a.size, None, a)
    basic.twice(queue, 0, None, a)  # launches nothing
    queue.finish()
    after = qn.stats()
    assert after.launches == before.launches + 3
    assert after.compilations == before.compilations
    assert "launches" in repr(after)
    size = a.nbytes
    del a
    assert qn.stats().bytes_in_use <= after.bytes_in_use - size


def test_a_second_program_of_the_same_source_is_not_compiled(device):
    source = "kernel void once(global int *a) { a[0] = 41; }"
    first = qn.Program(source).build(device)
    before = qn.stats()
    second = qn.Program(source).build(device)
    after = qn.stats()
    assert first.once is not second.once
    assert after.compilations == before.compilations
    assert after.cache_hits_memory > before.cache_hits_memory


@pytest.mark.parametrize("mebibytes", [9, 33, 5.1])
def test_what_fits_the_limit_is_allocated(device, limited, mebibytes):
    """Sizes are rounded up for reuse; that must not make one that fits too large."""
    nbytes = int(mebibytes * (1 << 20))
    limited(nbytes + (1 << 19))
    buffer = qn.Buffer(nbytes, device=device)
    assert buffer.nbytes == nbytes
    buffer.fill(7).wait()
    del buffer
    limited(nbytes)
    for _ in range(3):
        buffer = qn.Buffer(nbytes, device=device)
        del buffer
    with pytest.raises(qn.OutOfDeviceMemory):
        qn.Buffer(nbytes + 1, device=device)


def bytes_in_use():
    """Of the C library's heap."""

    class Figures(ctypes.Structure):
        _fields_ = [
            (name, ctypes.c_size_t)
            for name in [
                "arena",
                "ordblks",
                "smblks",
                "hblks",
                "hblkhd",
                "usmblks",
                "fsmblks",
                "uordblks",
                "fordblks",
                "keepcost",
            ]
        ]

    mallinfo = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if mallinfo is None:
        pytest.skip("needs glibc's mallinfo2")
    mallinfo.restype = Figures
    return mallinfo().uordblks


@pytest.mark.parametrize("waits", [True, False])
@pytest.mark.parametrize("uses", ["nothing", "a queue", "a buffer"])
def test_contexts_that_are_gone_leave_no_memory_behind(device, uses, waits):
    if device.backend != "host":
        pytest.skip("drivers keep memory of their own")

    def use_context():
        context = qn.Context([device])
        if uses != "nothing":
            queue = qn.Queue(device, context)
        if uses == "a buffer":
            filled = queue.fill(qn.Buffer(1 << 16, context=context), 1)
            if waits:
                filled.wait()

    def bytes_at_rest():
        """Bytes in use when no work is in flight."""
        qn.synchronize(device)
        gc.collect()
        return bytes_in_use()

    for _ in range(200):
        use_context()
    before, count = bytes_at_rest(), 1000
    for _ in range(count):
        use_context()
    assert (bytes_at_rest() - before) / count < 150  # the leak was 206 bytes and more


@pytest.mark.parametrize("nbytes", [700, 4200])
def test_small_memory_of_an_exact_size_is_reused(device, limited, nbytes):
    """A block is smaller than usual where the limit leaves no room for the next size; smaller requests reuse it."""
    limited(nbytes)
    buffer = qn.Buffer(nbytes, device=device)
    in_use = qn.pool_stats(device).in_use
    del buffer
    qn.synchronize(device)
    assert qn.pool_stats(device).in_pool == nbytes
    again = qn.Buffer(nbytes // 512 * 512, device=device)
    assert qn.pool_stats(device).in_pool == 0
    assert qn.pool_stats(device).in_use == in_use
    del again


def test_memory_smaller_than_every_size_returns_to_the_driver(device, limited):
    limited(100)
    buffer = qn.Buffer(100, device=device)
    del buffer
    qn.synchronize(device)
    assert qn.pool_stats(device).in_pool == 0
    assert qn.Buffer(100, device=device).nbytes == 100
