# SPDX-License-Identifier: MIT
"""An event-driven server: one thread answers 1,000 requests at once, each a chain of small kernels.

A request is a vector; its answer is computed by three kernels. `asyncio` awaits the event of each answer's copy, so no thread waits
for a device. The same requests are then answered by one thread each, which waits for its own event.

    python examples/systems/event_server.py --requests 1000
"""

import argparse
import asyncio
import threading
import time

import numpy as np

import quern as qn

KERNELS = """
kernel void centre(global const float *x, global float *y, float mean) {
  y[get_global_id(0)] = x[get_global_id(0)] - mean;
}
kernel void polynomial(global float *y, float a, float b, float c) {
  float v = y[get_global_id(0)];
  y[get_global_id(0)] = (a * v + b) * v + c;
}
kernel void difference(global const float *y, global float *z, int n) {
  int i = get_global_id(0);
  z[i] = i + 1 < n ? y[i + 1] - y[i] : 0;
}
"""


def expected(values, mean):
    """The answer to a request, by NumPy."""
    v = values - np.float32(mean)
    y = (np.float32(0.5) * v + np.float32(2)) * v + np.float32(1)
    return np.append(np.diff(y), np.float32(0))


class Server:
    def __init__(self, device, queues=4):
        self.device = device
        self.queues = [qn.Queue(device) for _ in range(queues)]
        program = qn.Program(KERNELS)
        self.centre, self.polynomial, self.difference = program.centre, program.polynomial, program.difference
        self.begin(0, np.zeros(16, "float32"), 0.0)[1].wait()  # builds the kernels

    def begin(self, number, values, mean):
        """Enqueue the work of a request. Returns the memory of the answer, and the event after which it is there."""
        queue, n = self.queues[number % len(self.queues)], len(values)
        x, y, z = (qn.empty(n, "float32", queue=queue) for _ in range(3))
        answer = np.empty(n, "float32")
        queue.copy(x, values)
        self.centre(queue, n, None, x, y, mean)
        self.polynomial(queue, n, None, y, 0.5, 2.0, 1.0)
        self.difference(queue, n, None, y, z, n)
        return answer, queue.copy(answer, z)

    async def answer(self, number, values, mean):
        result, done = self.begin(number, values, mean)
        await done
        return result

    def answer_and_wait(self, number, values, mean):
        result, done = self.begin(number, values, mean)
        done.wait()
        return result


def by_events(server, requests):
    """Answer all requests with one thread."""

    async def run():
        return await asyncio.gather(*[server.answer(i, *request) for i, request in enumerate(requests)])

    return asyncio.run(run())


def by_threads(server, requests):
    """Answer each request with a thread of its own."""
    answers = [None] * len(requests)

    def run(i):
        answers[i] = server.answer_and_wait(i, *requests[i])

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(requests))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def make_requests(count, size):
    rng = np.random.default_rng(7)
    return [(rng.random(size, dtype=np.float32), float(i % 10)) for i in range(count)]


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default=None)
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--size", type=int, default=10_000, help="elements of a request")
    options = parser.parse_args(arguments)
    device = qn.device(options.device) if options.device else qn.current_device()
    server = Server(device)
    requests = make_requests(options.requests, options.size)
    print(f"{options.requests} requests of {options.size} elements on {device.spec}")
    for name, way in (("asyncio, one thread", by_events), ("one thread per request", by_threads)):
        way(server, requests[: min(100, len(requests))])
        start = time.perf_counter()
        answers = way(server, requests)
        seconds = time.perf_counter() - start
        for (values, mean), answer in zip(requests, answers, strict=True):
            np.testing.assert_allclose(answer, expected(values, mean), rtol=1e-4, atol=1e-4)
        print(f"  {name:23} {len(requests) / seconds:10,.0f} requests per second")


if __name__ == "__main__":
    main()
