# SPDX-License-Identifier: MIT
"""z = 5 x + 6 y: scalar arguments beside arrays, and the time of one pass beside NumPy's.

python examples/first_steps/lin_comb.py --size 100000000
"""

import argparse
import time

import numpy as np

import quern as qn

SOURCE = """
kernel void lin_comb(float a, global const float *x, float b, global const float *y, global float *z) {
  size_t i = get_global_id(0);
  z[i] = a * x[i] + b * y[i];
}
"""


def best_of(f, repeats=10):
    """The least time of several calls: everything else is the machine's other work."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        f()
        times.append(time.perf_counter() - start)
    return min(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=1 << 24)
    parser.add_argument("--device", help="host, opencl, cuda:0, ...; QUERN_DEVICE otherwise")
    options = parser.parse_args()
    device = qn.device(options.device) if options.device else qn.device()

    rng = np.random.default_rng(2)
    x_host = rng.random(options.size, dtype=np.float32)
    y_host = rng.random(options.size, dtype=np.float32)
    x, y = qn.asarray(x_host, device=device), qn.asarray(y_host, device=device)
    z = qn.empty(x.shape, np.float32, device=device)
    queue = qn.Queue(device)
    lin_comb = qn.Program(SOURCE).lin_comb

    quern_time = best_of(lambda: lin_comb(queue, x.shape, None, 5, x, 6, y, z).wait())
    numpy_time = best_of(lambda: 5 * x_host + 6 * y_host)

    np.testing.assert_allclose(z.get(), 5 * x_host + 6 * y_host, rtol=1e-6)
    moved = 3 * x.nbytes
    print(f"NumPy              {numpy_time * 1e3:9.3f} ms  {moved / numpy_time / 1e9:7.1f} GB/s")
    print(f"Quern, {device.backend:<12}{quern_time * 1e3:9.3f} ms  {moved / quern_time / 1e9:7.1f} GB/s")


if __name__ == "__main__":
    main()
