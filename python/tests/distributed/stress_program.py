# SPDX-License-Identifier: MIT
"""Programs of ranks under strain: garbage collection on one rank, one busy element, two devices; for threads and for mpiexec."""

import errno
import gc
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import numpy as np

import quern
import quern.dist as qn


class Node:
    """What only the garbage collector frees."""

    def __init__(self, *objects):
        self.objects = objects
        self.itself = self


def garbage(number):
    """Objects of each kind in cycles of references, with work that is under way, and a check of their values."""
    me, ranks = qn.rank(), qn.size()
    x = qn.arange(10.0 + number)
    halo = qn.HaloArray(4 * ranks, 1, periodic=True)
    halo.array[...] = 1
    halo.exchange_begin()
    shared, counter, locks = qn.GlobalArray(ranks + 1, "int64"), qn.Counter(), qn.Locks()
    part = qn._ranks.current().split(me % 2)
    with qn.using(part):
        own = qn.ones(8)
        Node(own, own.sum(), qn.GlobalArray(3), part)
        assert float(own.sum()) == 8
    with locks.holding():
        shared[ranks] = shared[ranks] + 1
    task = counter.next()
    shared.accumulate(task % ranks, 1)
    event = qn.irecv(quern.zeros(3), (me - 1) % ranks, 7)
    qn.isend(quern.ones(3), (me + 1) % ranks, 7)
    Node(x, x + 1, halo, shared, counter, locks, part, event, x[1:] - x[:-1])
    total = float(x.sum())
    assert total == (10.0 + number) * (9.0 + number) / 2
    shared.sync()
    assert int(shared.get().sum()) == 2 * ranks


def collect(rounds=40):
    """One rank collects garbage all the time, in another thread; the others never do."""
    is_done = threading.Event()

    def loop():
        while not is_done.wait(0.001):
            gc.collect()

    thread = threading.Thread(target=loop) if qn.rank() == qn.size() - 1 else None
    if thread:
        thread.start()
    try:
        for number in range(int(rounds)):
            garbage(number)
            if qn.rank() == 0 and number % 3 == 0:
                gc.collect()
    finally:
        is_done.set()
        if thread:
            thread.join()
    qn.barrier()


def storm(count=500):
    """All other ranks add to one element, whose owner calls nothing until it sees the sum."""
    count, me, ranks = int(count), qn.rank(), qn.size()
    a = qn.GlobalArray((ranks, 4), layout=(ranks, 1))
    block = np.asarray(a.local)
    expected = count * sum(range(1, ranks))
    if me == 0:
        while block[0, 2] != expected:
            pass
    else:
        for _ in range(count):
            a.accumulate((0, 2), float(me))
    a.sync()
    assert a[0, 2] == expected
    assert float(a.get().sum()) == expected


def two_devices():
    """Each rank drives two devices: arrays, kernels, and messages from one kind to the other."""
    me, ranks = qn.rank(), qn.size()
    host, other = quern.device("host"), quern.device("opencl")
    n = 1000
    here, there = (quern.full(n, float(me), device=device) for device in (host, other))
    with host:
        spread = qn.arange(30.0 * ranks)
    with other:
        apart = qn.arange(30.0 * ranks)
    assert (spread.local.device, apart.local.device) == (host, other)
    assert float((spread * 2).sum()) == float((apart * 2).sum()) == 30 * ranks * (30 * ranks - 1)
    np.testing.assert_array_equal((spread[1:] - spread[:-1]).get(), 1)
    np.testing.assert_array_equal((apart[1:] - apart[:-1]).get(), 1)
    right, left = (me + 1) % ranks, (me - 1) % ranks
    from_host, from_other = quern.zeros(n, device=other), quern.zeros(n, device=host)
    events = [
        qn.irecv(from_host, left, 1),
        qn.irecv(from_other, left, 2),
        qn.isend(here + 1, right, 1),
        qn.isend(there + 2, right, 2),
    ]
    twice = "kernel void twice(global double *a) { a[get_global_id(0)] *= 2; }"
    for array, device in ((from_host, other), (from_other, host)):
        with device:
            quern.Program(twice).twice(None, n, None, array)  # in order after the message
    assert quern.wait_all(events, timeout=60)
    np.testing.assert_array_equal(from_host.get(), 2.0 * (left + 1))
    np.testing.assert_array_equal(from_other.get(), 2.0 * (left + 2))
    for array, device in ((here, host), (there, other)):
        total = qn.allreduce(array)
        assert total.device == device
        np.testing.assert_array_equal(total.get(), sum(range(ranks)))


def global_arrays():
    a = qn.GlobalArray((qn.size(), 1 << 19))
    a.put(qn.rank(), float(qn.rank()))
    a.sync()
    assert a[(qn.rank() + 1) % qn.size(), -1] == (qn.rank() + 1) % qn.size()


def shared_memory():
    """Arrays of several megabytes that all ranks reach, and messages of that size."""
    global_arrays()
    x = quern.full(1 << 19, 1.0)
    assert float(qn.allreduce(x)[-1]) == qn.size()


def full_shared_memory():
    """Before and after a file takes what is left in /dev/shm."""
    global_arrays()
    qn.barrier()
    if qn.rank() == 0:
        with open("/dev/shm/filling", "wb", buffering=0) as file:
            try:
                while file.write(bytes(1 << 20)):
                    pass
            except OSError as error:
                assert error.errno == errno.ENOSPC
    qn.barrier()
    global_arrays()
    print("global arrays are right", flush=True)
    shared_memory()


if __name__ == "__main__":
    qn.init()
    globals()[sys.argv[1]](*sys.argv[2:])
    qn.barrier()
    print(f"rank {qn.rank()} of {qn.size()}: right", flush=True)
