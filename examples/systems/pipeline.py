# SPDX-License-Identifier: MIT
"""A pipeline over files: read, upload, compute, download and write blocks, all five at the same time.

Two threads read and write the files, three queues upload, compute and download. Each block passes through a slot, which has
pinned buffers on the host and arrays on the device. The program computes from the times of a profile how well the stages overlap.

    python examples/systems/pipeline.py --picture lanes.svg
"""

import argparse
import asyncio
import contextlib
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

import quern as qn

STAGES = ("read", "upload", "compute", "download", "write")

SMOOTH = """
kernel void smooth(global const float *in, global float *out, int n, int rounds) {
  int i = get_global_id(0);
  float left = i > 0 ? in[i - 1] : in[i], right = i < n - 1 ? in[i + 1] : in[i], x = in[i];
  for (int k = 0; k < rounds; ++k) x = 0.25f * left + 0.5f * x + 0.25f * right;
  out[i] = x;
}
"""


def expected(block, rounds):
    """The result of the kernel, by NumPy."""
    left, right = np.concatenate([block[:1], block[:-1]]), np.concatenate([block[1:], block[-1:]])
    for _ in range(rounds):
        block = np.float32(0.25) * left + np.float32(0.5) * block + np.float32(0.25) * right
    return block


class Slot:
    """What one block needs on its way: pinned memory for the files, arrays for the kernel."""

    def __init__(self, device, size):
        self.read, self.written = (qn.pinned_empty(size, "float32", device=device) for _ in range(2))
        self.before, self.after = (qn.empty(size, "float32", device=device) for _ in range(2))


class Pipeline:
    def __init__(self, device, folder, blocks, size, rounds, slots):
        self.folder, self.blocks, self.size, self.rounds = Path(folder), blocks, size, rounds
        self.upload, self.compute, self.download = (qn.Queue(device) for _ in range(3))
        self.slots = [Slot(device, size) for _ in range(slots)]
        self.kernel = qn.Program(SMOOTH).smooth
        self.files = {"read": [], "write": []}  # times of the work on files, in nanoseconds
        slot = self.slots[0]
        self.kernel(self.compute, size, None, slot.before, slot.after, size, rounds).wait()  # builds it

    def path(self, block, kind):
        return self.folder / f"{block}.{kind}"

    def forget(self):
        """Remove the results and the times of a run."""
        for block in range(self.blocks):
            self.path(block, "out").unlink()
        for spans in self.files.values():
            spans.clear()

    def read(self, block, slot):
        started = time.monotonic_ns()
        with open(self.path(block, "in"), "rb", buffering=0) as file:
            file.readinto(memoryview(slot.read).cast("B"))
        self.files["read"].append((started, time.monotonic_ns()))

    def write(self, block, slot):
        started = time.monotonic_ns()
        with open(self.path(block, "out"), "wb", buffering=0) as file:
            file.write(memoryview(slot.written).cast("B"))
        self.files["write"].append((started, time.monotonic_ns()))

    def enqueue(self, slot):
        """Uploads, computes and downloads a block: the queues wait for each other where they share memory."""
        self.upload.copy(slot.before, slot.read)
        self.kernel(self.compute, self.size, None, slot.before, slot.after, self.size, self.rounds)
        return self.download.copy(slot.written, slot.after)

    async def run(self):
        """Blocks take turns in the slots; each stage takes the blocks one after the other."""
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(1) as reader, ThreadPoolExecutor(1) as writer:

            async def fill(first, slot):
                for block in range(first, self.blocks, len(self.slots)):
                    await loop.run_in_executor(reader, self.read, block, slot)
                    await self.enqueue(slot)
                    await loop.run_in_executor(writer, self.write, block, slot)

            await asyncio.gather(*[fill(first, slot) for first, slot in enumerate(self.slots)])

    def run_one_by_one(self):
        """The same without overlap: a block is written before the next one is read."""
        for block in range(self.blocks):
            self.read(block, self.slots[0])
            self.enqueue(self.slots[0]).wait()
            self.write(block, self.slots[0])


class Overlap:
    """How long each stage was busy, from the records of a profile and the times of the files."""

    KINDS = {"upload": "upload", "kernel": "compute", "download": "download"}  # noqa: RUF012

    def __init__(self, profile, files):
        spans = dict(files)
        for record in profile.records:
            if record.kind in self.KINDS and record.times is not None:
                times = (record.times.started, record.times.ended)
                spans.setdefault(self.KINDS[record.kind], []).append(times)
        self.busy = {stage: sum(end - start for start, end in spans[stage]) * 1e-9 for stage in STAGES}
        everything = [span for stage in STAGES for span in spans[stage]]
        self.elapsed = (max(end for _, end in everything) - min(start for start, _ in everything)) * 1e-9
        self.slowest = max(self.busy, key=self.busy.get)

    @property
    def share(self):
        """Time of the slowest stage over the time of the pipeline; 1 if the other stages cost nothing."""
        return self.busy[self.slowest] / self.elapsed


def make_inputs(folder, blocks, size):
    rng = np.random.default_rng(1)
    for block in range(blocks):
        rng.random(size, dtype=np.float32).tofile(Path(folder) / f"{block}.in")


def check(pipeline):
    for block in range(pipeline.blocks):
        given = np.fromfile(pipeline.path(block, "in"), np.float32)
        result = np.fromfile(pipeline.path(block, "out"), np.float32)
        np.testing.assert_allclose(result, expected(given, pipeline.rounds), rtol=1e-5)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default=None)
    parser.add_argument("--blocks", type=int, default=100)
    parser.add_argument("--size", type=int, default=1_000_000, help="elements of a block")
    parser.add_argument("--rounds", type=int, default=10, help="steps of the kernel")
    parser.add_argument("--slots", type=int, default=6, help="blocks that are on their way at the same time")
    parser.add_argument("--trace", help="file for ui.perfetto.dev or chrome://tracing")
    parser.add_argument("--picture", help="file for the lanes of the queues, .svg or .png")
    options = parser.parse_args(arguments)
    device = qn.device(options.device) if options.device else qn.current_device()

    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        make_inputs(folder, options.blocks, options.size)
        pipeline = Pipeline(device, folder, options.blocks, options.size, options.rounds, options.slots)
        pipeline.run_one_by_one()  # touches the pages
        pipeline.forget()
        start = time.perf_counter()
        pipeline.run_one_by_one()
        one_by_one = time.perf_counter() - start
        pipeline.forget()

        profile = stack.enter_context(qn.profile())
        asyncio.run(pipeline.run())
        stack.close()
        overlap = Overlap(profile, pipeline.files)
        check(pipeline)

    print(f"{options.blocks} blocks of {options.size * 4 / 1e6:g} MB on {device.spec}, results checked")
    for stage, seconds in overlap.busy.items():
        print(f"  {stage:9} busy {seconds * 1e3:8.1f} ms, {seconds / overlap.elapsed:6.1%} of the time")
    print(f"pipeline {overlap.elapsed * 1e3:.1f} ms; one block after the other {one_by_one * 1e3:.1f} ms")
    print(
        f"overlap: {overlap.share:.1%} of the ideal, in which only the slowest stage ({overlap.slowest}) counts"
    )
    if options.trace:
        profile.save(options.trace)
    if options.picture:
        profile.plot(options.picture)
    return overlap


if __name__ == "__main__":
    main()
