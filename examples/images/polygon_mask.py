# SPDX-License-Identifier: MIT
"""Which pixels lie inside a polygon: a kernel over the pixels of a picture, beside NumPy.

A pixel is inside when a ray from it to the right crosses an odd number of edges. The corners are random, so the polygon crosses
itself and the mask is a patchwork. examples/ladders/polygon_mask.py compares many ways to write this program.

    python examples/images/polygon_mask.py --corners 24 --size 1024
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np

import quern as qn

sys.path.append(str(Path(__file__).parents[1]))  # examples/, where pictures.py is
from pictures import save_png

SOURCE = """
kernel void polygon_mask(global const float *corner_x, global const float *corner_y, int corners,
                         global uchar *mask) {
  int x = get_global_id(0);
  int y = get_global_id(1);
  uchar inside = 0;
  float from_x = corner_x[corners - 1];
  float from_y = corner_y[corners - 1];
  for (int i = 0; i < corners; i++) {
    float to_x = corner_x[i];
    float to_y = corner_y[i];
    if ((from_y > y) != (to_y > y)) {
      float crossing = (y - from_y) * (to_x - from_x) / (to_y - from_y) + from_x;
      inside ^= x < crossing;
    }
    from_x = to_x;
    from_y = to_y;
  }
  mask[y * get_global_size(0) + x] = inside;
}
"""


def mask_in_numpy(corner_x, corner_y, height, width):
    """One pass over all pixels for each edge, in float32 as the kernel."""
    y = np.arange(height, dtype=np.float32)[:, None]
    x = np.arange(width, dtype=np.float32)[None, :]
    mask = np.zeros((height, width), dtype=bool)
    with np.errstate(divide="ignore", invalid="ignore"):  # level edges divide by zero and cross no ray
        for i in range(len(corner_x)):
            from_x, from_y, to_x, to_y = corner_x[i - 1], corner_y[i - 1], corner_x[i], corner_y[i]
            crossing = (y - from_y) * (to_x - from_x) / (to_y - from_y) + from_x
            mask ^= ((from_y > y) != (to_y > y)) & (x < crossing)
    return mask


def best_of(repeats, f):
    """The least time of several calls, in milliseconds, and the result."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = f()
        times.append(time.perf_counter() - start)
    return min(times) * 1e3, result


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--size", type=int, default=1024, help="pixels along each side")
    parser.add_argument("--corners", type=int, default=24)
    parser.add_argument("--seed", type=int, default=24)
    parser.add_argument("--device", help="host, opencl, cuda:0, ...; QUERN_DEVICE otherwise")
    parser.add_argument("--output", type=Path, default=Path("demo-output/polygon_mask.png"))
    options = parser.parse_args()
    size, corners = options.size, options.corners
    device = qn.device(options.device) if options.device else qn.device()

    rng = np.random.default_rng(options.seed)
    corner_x, corner_y = rng.uniform(0, size, (2, corners)).astype(np.float32)
    print(f"a polygon of {corners} edges, {size} x {size} pixels", flush=True)
    numpy_time, expected = best_of(5, lambda: mask_in_numpy(corner_x, corner_y, size, size))
    print(f"  NumPy           {numpy_time:9.2f} ms", flush=True)

    queue = qn.Queue(device)
    kernel = qn.Program(SOURCE).polygon_mask
    x, y = qn.asarray(corner_x, device=device), qn.asarray(corner_y, device=device)
    mask = qn.empty((size, size), np.uint8, device=device)

    def run():
        kernel(queue, (size, size), None, x, y, corners, mask).wait()

    first_time, _ = best_of(1, run)
    quern_time, _ = best_of(20, run)
    print(
        f"  Quern, {device.backend:9}{quern_time:9.2f} ms  (the first call, with the build: {first_time:.0f} ms)"
    )
    print(f"  {numpy_time / quern_time:.1f} times as fast as NumPy")

    # OpenCL lets a device round a division differently, which may move an edge across a few pixels.
    answer = mask.get().astype(bool)
    differing = int(np.count_nonzero(answer != expected))
    allowed = size * size // 10_000 if device.backend == "opencl" else 0
    print(f"  checked against NumPy: {differing} of {size * size:,} pixels differ")
    if differing > allowed:
        raise SystemExit("WRONG: the mask is not NumPy's")

    save_png(options.output, np.where(answer, 255, 32).astype(np.uint8))
    print(f"  saved {options.output}")


if __name__ == "__main__":
    main()
