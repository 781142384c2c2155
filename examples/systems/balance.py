# SPDX-License-Identifier: MIT
"""Share an image of the Mandelbrot set out over all devices: whichever is done with a block of rows takes the next one.

The blocks take very different times, so a division in advance would leave devices idle. Here the completion of a block
calls a function that enqueues the next one; no thread waits for any single device.

    python examples/systems/balance.py --size 2048
"""

import argparse
import collections
import threading
import time

import numpy as np

import quern as qn

SOURCE = """
kernel void escape(global int *counts, int width, int height, int first, int most) {
  int x = get_global_id(0), y = get_global_id(1) + first;
  double re = -2.0 + 2.5 * x / width, im = -1.25 + 2.5 * y / height;
  double a = 0, b = 0;
  int n = 0;
  for (; n < most && a * a + b * b <= 4.0; ++n) {
    double next = a * a - b * b + re;
    b = 2.0 * a * b + im;
    a = next;
  }
  counts[get_global_id(1) * width + x] = n;
}
"""
IN_FLIGHT = 2  # blocks of each device: it computes one while the other's completion is handled


def devices_at_hand():
    """Return the host and every GPU, each once. An OpenCL device of the same name as a CUDA device is the same one."""
    chosen, names = [], set()
    for device in [*qn.devices("cuda"), *qn.devices("opencl"), *qn.devices("host")]:
        is_cpu_of_opencl = device.backend == "opencl" and device.kind == "cpu"
        if device.has_fp64 and not is_cpu_of_opencl and device.name not in names:
            chosen.append(device)
            names.add(device.name)
    return chosen


class Balance:
    """One image in the making: the blocks that no device has taken, and the numbers of rows that each has done."""

    def __init__(self, devices, width, height, rows, most):
        self.width, self.height, self.rows, self.most = width, height, rows, most
        self.kernel = qn.Program(SOURCE).escape
        self.image = np.empty((height, width), np.int32)
        self.waiting = collections.deque(range(0, height, rows))
        self.done = collections.Counter()
        self.lock, self.ended, self.error = threading.Lock(), threading.Event(), None
        self.workers = []
        for device in devices:
            queue = qn.Queue(device)
            slots = [queue.empty((rows, width), "int32") for _ in range(IN_FLIGHT)]
            self.workers.append((device, queue, slots))

    def warm_up(self):
        """Build the kernel for each device and run it once, so that the first block is as fast as the others."""
        for _, queue, slots in self.workers:
            self.kernel(queue, (self.width, self.rows), None, slots[0], self.width, self.height, 0, 1).wait()

    def run(self):
        """Compute the image; return it and the share of the rows that each device has computed."""
        # Each device gets its first blocks before any block can be done.
        slots = [(device, queue, slot) for device, queue, slots in self.workers for slot in slots]
        for where, first in [(where, self.next_block()) for where in slots]:
            self.enqueue(first, *where)
        self.ended.wait()
        if self.error is not None:
            raise self.error
        return self.image, {
            device.spec: self.done[device.spec] / self.height for device, _, _ in self.workers
        }

    def next_block(self):
        """Return the first row of a block that no device has taken; None if there is none."""
        try:
            return self.waiting.popleft()
        except IndexError:
            return None

    def enqueue(self, first, device, queue, slot):
        """Enqueue a block. Its completion enqueues the next one."""
        if first is None:
            return
        count = min(self.rows, self.height - first)
        self.kernel(queue, (self.width, count), None, slot, self.width, self.height, first, self.most)
        event = queue.copy(self.image[first : first + count], slot[:count])
        event.on_done(lambda event: self.arrived(event, count, device, queue, slot))
        queue.flush()

    def arrived(self, event, count, device, queue, slot):
        """Note a block and take the next one."""
        try:
            event.wait()  # raises the error of a block that failed
            self.enqueue(self.next_block(), device, queue, slot)
        except Exception as error:
            self.error = error
            self.ended.set()
        with self.lock:
            self.done[device.spec] += count
            if self.done.total() == self.height:
                self.ended.set()


def mandelbrot(devices, width=1024, height=1024, rows=16, most=1000):
    """Return the image, the share of each device, and the seconds that it took."""
    balance = Balance(devices, width, height, rows, most)
    balance.warm_up()
    start = time.perf_counter()
    image, shares = balance.run()
    return image, shares, time.perf_counter() - start


def expected(width, height, most):
    """Return the same image by NumPy."""
    c = (-2.0 + 2.5 * np.arange(width) / width) + 1j * (-1.25 + 2.5 * np.arange(height)[:, None] / height)
    counts, a, b = np.zeros(c.shape, np.int32), np.zeros(c.shape), np.zeros(c.shape)
    for _ in range(most):
        live = a * a + b * b <= 4.0
        counts += live
        a, b = np.where(live, a * a - b * b + c.real, a), np.where(live, 2.0 * a * b + c.imag, b)
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=1024, help="width and height of the image")
    parser.add_argument("--rows", type=int, default=16, help="rows of a block")
    parser.add_argument(
        "--devices", nargs="+", metavar="SPEC", help="devices or parts (default: host and GPUs)"
    )
    options = parser.parse_args()
    devices = [qn.device(spec) for spec in options.devices] if options.devices else devices_at_hand()

    small, _, _ = mandelbrot(devices, 96, 64, 5, 60)
    assert np.array_equal(small, expected(96, 64, 60))
    alone = {
        device.spec: mandelbrot([device], options.size, options.size, options.rows)[2] for device in devices
    }
    for spec, seconds in alone.items():
        print(f"{spec:24} alone  {seconds * 1e3:8.1f} ms")
    _, shares, together = mandelbrot(devices, options.size, options.size, options.rows)
    print(
        f"{'together':24}        {together * 1e3:8.1f} ms, {min(alone.values()) / together:.2f} times the best alone"
    )
    for spec, share in shares.items():
        print(f"{spec:24} share  {share:8.1%}")


if __name__ == "__main__":
    main()
