# SPDX-License-Identifier: MIT
"""What an open profile costs: batches of launches of a kernel of 50 us and of an empty one, with and without it."""

import time

import quern as qn
from quern_bench import Contestant, Report, run, take_turns

SOURCE = """
kernel void chain(global float *a, int n) {
  float v = a[0];
  for (int k = 0; k < n; ++k) v = v * 0.999f + 1.0f;
  a[get_global_id(0)] = v;
}
"""


def costs(report: Report, device: qn.Device) -> None:
    """Launch a batch and wait for it; the profile is opened and closed around each batch."""
    kernel, queue, a = qn.Program(SOURCE).chain, qn.Queue(device), qn.zeros(1, "float32", device=device)

    def seconds(rounds: int, batch: int) -> float:
        start = time.perf_counter()
        for _ in range(batch):
            kernel(queue, 1, 1, a, rounds)
        queue.finish()
        return time.perf_counter() - start

    def profiled(rounds: int, batch: int) -> float:
        with qn.profile():
            return seconds(rounds, batch)

    rounds = 1000
    seconds(rounds, 10)
    while min(seconds(rounds, 20) for _ in range(5)) < 20 * 50e-6:
        rounds = rounds * 6 // 5
    for what, steps, batch, bar in (
        ("a kernel of 50 us", rounds, 100, "ratio 1.05"),
        ("an empty kernel", 0, 2000, ""),
    ):
        report.add(
            take_turns(
                what,
                device.backend,
                [
                    Contestant("without a profile", batch_time=lambda n, k=steps: seconds(k, n)),
                    Contestant("in a profile", batch_time=lambda n, k=steps: profiled(k, n)),
                ],
                rounds=report.options.rounds,
                batch=batch,
                reference="without a profile",
                bar=bar,
            )
        )


if __name__ == "__main__":
    run(__doc__, 40, host=costs, opencl=costs, cuda=costs)
