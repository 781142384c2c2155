# SPDX-License-Identifier: MIT
"""Profile a pipeline: blocks are uploaded, computed and downloaded on three queues. Writes a trace and a picture."""

import argparse

import numpy as np

import quern as qn

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--blocks", type=int, default=8)
parser.add_argument("--size", type=int, default=1_000_000, help="elements of a block")
parser.add_argument("--trace", default="trace.json", help="file for ui.perfetto.dev or chrome://tracing")
parser.add_argument("--picture", default="lanes.svg")
options = parser.parse_args()

smooth = qn.Program("""
kernel void smooth(global const float *in, global float *out, int n) {
  int i = get_global_id(0);
  out[i] = i == 0 || i == n - 1 ? in[i] : 0.25f * in[i - 1] + 0.5f * in[i] + 0.25f * in[i + 1];
}
""").smooth

rng = np.random.default_rng(1)
inputs = [rng.random(options.size, dtype=np.float32) for _ in range(options.blocks)]
results = [np.empty_like(block) for block in inputs]
upload, compute, download = qn.Queue(), qn.Queue(), qn.Queue()
slots = [tuple(qn.empty(options.size, "float32") for _ in range(2)) for _ in range(3)]
smooth(compute, options.size, None, *slots[0], options.size).wait()  # builds the kernel before the profile

with qn.profile() as p:
    for k, block in enumerate(inputs):
        before, after = slots[k % len(slots)]  # the queues wait for each other where they share memory
        upload.copy(before, block)
        smooth(compute, options.size, None, before, after, options.size)
        download.copy(results[k], after)
    download.finish()

for block, result in zip(inputs, results, strict=True):
    expected = 0.25 * block[:-2] + 0.5 * block[1:-1] + 0.25 * block[2:]
    assert np.allclose(result[1:-1], expected, rtol=1e-5)
print(p.table())
p.save(options.trace)
p.plot(options.picture)
print(f"wrote {options.trace} and {options.picture}")
