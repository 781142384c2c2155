# SPDX-License-Identifier: MIT
"""Two programs of examples/: a pipeline over files with and without overlap, and a server by events and by threads."""

import asyncio
import importlib.util
import tempfile
import time
from pathlib import Path

import quern as qn
from quern_bench import Contestant, Report, run, take_turns

EXAMPLES = Path(__file__).parents[1] / "examples" / "systems"


def example(name: str):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pipeline(report: Report, device: qn.Device) -> None:
    """100 blocks of 4 MB. The share is that of the slowest stage, by the times of a profile."""
    program = example("pipeline")
    shares = []
    with tempfile.TemporaryDirectory() as folder:
        blocks, size = 100, 1_000_000
        program.make_inputs(folder, blocks, size)
        work = program.Pipeline(device, folder, blocks, size, rounds=10, slots=6)

        def overlapped(count: int) -> float:
            seconds = 0.0
            for _ in range(count):
                work.forget()
                with qn.profile() as profile:
                    asyncio.run(work.run())
                overlap = program.Overlap(profile, work.files)
                shares.append((overlap.share, overlap.slowest))
                seconds += overlap.elapsed
            return seconds

        def one_by_one(count: int) -> float:
            seconds = 0.0
            for _ in range(count):
                work.forget()
                start = time.perf_counter()
                work.run_one_by_one()
                seconds += time.perf_counter() - start
            return seconds

        work.run_one_by_one()
        report.add(
            take_turns(
                "a pipeline of 100 blocks of 4 MB",
                device.backend,
                [
                    Contestant("five stages at once", batch_time=overlapped),
                    Contestant("one block after the other", batch_time=one_by_one),
                ],
                rounds=max(3, report.options.rounds // 5),
                reference="one block after the other",
                bar="overlap above 90%",
            )
        )
        program.check(work)
    share, slowest = max(shares)
    middle = sorted(shares)[len(shares) // 2][0]
    print(f"  overlap: best {share:.1%} (slowest stage: {slowest}), median {middle:.1%} of the ideal")


def server(report: Report, device: qn.Device) -> None:
    """1,000 requests of three kernels each."""
    program = example("event_server")
    requests, service = program.make_requests(1000, 10_000), program.Server(device)
    report.add(
        take_turns(
            "1,000 requests",
            device.backend,
            [
                Contestant("asyncio, one thread", lambda: program.by_events(service, requests)),
                Contestant("one thread per request", lambda: program.by_threads(service, requests)),
            ],
            rounds=max(3, report.options.rounds // 2),
            reference="one thread per request",
        )
    )
    for row in report.rows[-2:]:
        print(
            f"  {row.contestant}: {1000 / row.minimum:,.0f} requests per second (median {1000 / row.median:,.0f})"
        )


def programs(report: Report, device: qn.Device) -> None:
    pipeline(report, device)
    server(report, device)


if __name__ == "__main__":
    run(__doc__, 20, host=programs, opencl=programs, cuda=programs)
