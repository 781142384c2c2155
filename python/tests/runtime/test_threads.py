# SPDX-License-Identifier: MIT
"""Threads: one kernel launched by many, and calls that release the GIL."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import quern as qn


def test_one_kernel_in_eight_threads(device, basic):
    def work(seed):
        queue = qn.Queue(device)
        data = np.random.default_rng(seed).random((20, 1000), dtype=np.float32)
        for row in data:
            a = qn.asarray(row, device=device, queue=queue)
            basic.twice(queue, 1000, None, a)
            basic.add(queue, 1000, None, a, a, a)
            if not (a.get(queue=queue) == 4 * row).all():
                return False
        return True

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(work, range(8)))


def test_eight_threads_on_one_queue(device, basic):
    queue = qn.Queue(device)
    arrays = [qn.asarray(np.ones(500, np.float32), device=device) for _ in range(8)]

    def work(array):
        for _ in range(50):
            basic.twice(queue, 500, None, array)
            basic.fill(queue, 500, None, array, 3.0, 500)
        basic.twice(queue, 500, None, array).wait()

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(work, arrays))
    assert all((array.get() == 6).all() for array in arrays)


def test_eight_threads_build_one_program(device):
    program = qn.Program("kernel void built_together(global int *a) { a[get_global_id(0)] = 11; }")
    before = qn.stats().compilations

    def work(_):
        a = qn.zeros(16, "int32", device)
        program.built_together(qn.Queue(device), 16, None, a)
        return (a.get() == 11).all()

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(work, range(8)))
    assert qn.stats().compilations - before <= 1


class Ticker:
    """Counts in a thread of its own, which gets on only while the other threads let go of the GIL."""

    def __enter__(self):
        self.count, self.stop = 0, False
        self.thread = threading.Thread(target=self.run)
        self.thread.start()
        return self

    def run(self):
        while not self.stop:
            time.sleep(0.001)
            self.count += 1

    def during(self, call):
        """How far it counts during the call. One tick may come as the call begins, and one as it ends."""
        before = self.count
        call()
        return self.count - before

    def __exit__(self, *exc_info):
        self.stop = True
        self.thread.join()


def test_waiting_lets_others_run(queue, spin):
    with Ticker() as ticker:
        event = spin(queue, 1.0)
        assert ticker.during(event.wait) > 2


def test_finishing_lets_others_run(queue, spin):
    with Ticker() as ticker:
        spin(queue, 1.0)
        assert ticker.during(queue.finish) > 2


def test_reading_lets_others_run(queue, spin, device):
    a = qn.zeros(1, "float32", device)
    with Ticker() as ticker:
        spin(queue, 1.0, a)
        assert ticker.during(a.get) > 2


def test_building_lets_others_run(run_python, device):
    # Without the cache, and on a text that keeps any compiler busy for a while.
    run_python(
        f"""
        import quern as qn
        from test_threads import Ticker
        body = "".join(f"x = x * {{i}} + a[(x + {{i}}) & 1023]; " for i in range(400))
        program = qn.Program("kernel void long_one(global int *a) {{ int x = 1; " + body + "a[0] = x; }}")
        qn.device("{device.spec}").memory_info
        with Ticker() as ticker:
            assert ticker.during(lambda: program.build("{device.spec}")) > 2
        """,
        env={"QUERN_CACHE_DIR": "", "POCL_KERNEL_CACHE": "0"},
    )


def test_destroying_never_waits(device, spin):
    queue = qn.Queue(device)
    a = qn.zeros(1, "float32", device)
    event = spin(queue, 0.5, a)
    del a, queue
    assert not event.done
    event.wait()


def test_threads_that_add_to_one_expression_lose_nothing(device):
    for _ in range(100):
        total = qn.zeros(10, np.float32, device) + 0

        def add(total=total):
            for _ in range(20):
                total += 1

        threads = [threading.Thread(target=add) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (total.get() == 40).all()
