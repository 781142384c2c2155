# SPDX-License-Identifier: MIT
"""What it costs to be told that work has ended: wait, await, a future, a function."""

import asyncio
import queue as queues
import time

import numpy as np

import quern as qn
from quern_bench import Contestant, Report, chosen, options, take_turns

SPIN = """
kernel void spin(global float *a, int rounds) {
  float x = a[0];
  for (int i = 0; i < rounds; i++) x = x * 0.999f + 1.0f;
  a[0] = x;
}
"""


class Work:
    """A kernel that takes about 100 us."""

    def __init__(self, device):
        self.queue = qn.Queue(device, profiling=True)
        self.array = qn.zeros(1, np.float32, device=device)
        self.kernel = qn.Program(SPIN).spin
        self.rounds = 1000
        while self.launch().times.duration < 100_000:
            self.rounds *= 2

    def launch(self):
        return self.kernel(self.queue, 1, None, self.array, self.rounds)


def awaited(work, loop):
    async def run(count):
        start = time.perf_counter()
        for _ in range(count):
            await work.launch()
        return time.perf_counter() - start

    return lambda count: loop.run_until_complete(run(count))


def latency(work):
    """Seconds from the end of a kernel to the call of a function, for `count` kernels."""

    def run(count):
        ended = queues.SimpleQueue()
        total = 0
        for _ in range(count):
            event = work.launch()
            event.on_done(lambda _: ended.put(time.monotonic_ns()))
            total += ended.get() - event.times.ended
        return total / 1e9

    return run


def gathered(device, loop):
    """Ten thousand events in one gather, beside waiting for each of them."""
    queue = qn.Queue(device)

    async def run():
        await asyncio.gather(*[queue.barrier() for _ in range(10_000)])

    def wait():
        for event in [queue.barrier() for _ in range(10_000)]:
            event.wait()

    return lambda: loop.run_until_complete(run()), wait


def main():
    report = Report(options(__doc__, rounds=20))
    loop = asyncio.new_event_loop()
    for backend in ("host", "opencl", "cuda"):
        device = chosen(report, backend)
        if not device:
            continue
        work = Work(device)
        rounds = report.options.rounds
        contestants = [
            Contestant("await event", batch_time=awaited(work, loop)),
            Contestant("event.wait()", lambda work=work: work.launch().wait()),
            Contestant("event.future().result()", lambda work=work: work.launch().future().result()),
        ]
        report.add(
            take_turns(
                "launch of 100 us and wait",
                backend,
                contestants,
                rounds=rounds,
                batch=50,
                reference="event.wait()",
                bar="30 us more",
            )
        )
        report.add(
            take_turns(
                "end of a kernel to the call of a function",
                backend,
                [Contestant("on_done", batch_time=latency(work))],
                rounds=rounds,
                batch=50,
                bar="20 us (host), 60 us (CUDA)",
            )
        )
        gather, wait = gathered(device, loop)
        contestants = [Contestant("asyncio.gather", gather), Contestant("event.wait() for each", wait)]
        report.add(
            take_turns(
                "10,000 events",
                backend,
                contestants,
                rounds=max(2, rounds // 5),
                batch=1,
                reference="event.wait() for each",
            )
        )
    report.finish()


if __name__ == "__main__":
    main()
