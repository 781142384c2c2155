# SPDX-License-Identifier: MIT
"""A first kernel: its text, an array, one call.

python examples/first_steps/first_kernel.py
"""

import numpy as np

import quern as qn

source = "kernel void twice(global float *a) { a[get_global_id(0)] *= 2; }"

a = qn.asarray(np.arange(8, dtype=np.float32))
twice = qn.Program(source).twice
event = twice(None, a.shape, None, a)  # queue (None: the current one), global size, local size, arguments
event.wait()

print(qn.device())
print(a.get())
assert np.array_equal(a.get(), 2 * np.arange(8))
