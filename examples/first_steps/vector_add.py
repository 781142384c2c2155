# SPDX-License-Identifier: MIT
"""c = a + b over a million elements: arrays, a queue, and an event to wait for.

python examples/first_steps/vector_add.py
"""

import numpy as np

import quern as qn

source = """
kernel void add(global const float *a, global const float *b, global float *c) {
  size_t i = get_global_id(0);
  c[i] = a[i] + b[i];
}
"""

rng = np.random.default_rng(1)
a_host = rng.random(1_000_000, dtype=np.float32)
b_host = rng.random(1_000_000, dtype=np.float32)

with qn.Queue() as queue:
    a = qn.asarray(a_host)
    b = qn.asarray(b_host)
    c = qn.empty(a.shape, np.float32)
    add = qn.Program(source).add
    added = add(queue, a.shape, None, a, b, c)
    added.wait()

assert np.array_equal(c.get(), a_host + b_host)
print(f"added {c.size:,} elements on {c.device}")
