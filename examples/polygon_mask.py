# SPDX-License-Identifier: MIT
"""Which pixels lie inside a polygon: the ladder from pure Python over NumPy to a kernel, and the picture.

A pixel is inside when a ray from it to the right crosses an odd number of edges. The corners are random, so
the polygon crosses itself and the mask is a patchwork. Pure Python is timed on a part of the pixels only.
"""

import argparse
import struct
import time
import zlib
from pathlib import Path

import numpy as np

import quern as qn

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


def mask_in_python(corner_x, corner_y, rows, columns):
    """The same loop over pixels and edges as the kernel, in plain Python."""
    corners = list(zip(corner_x.tolist(), corner_y.tolist(), strict=True))
    mask = []
    for y in rows:
        row = []
        for x in columns:
            inside = False
            from_x, from_y = corners[-1]
            for to_x, to_y in corners:
                if (from_y > y) != (to_y > y):
                    inside ^= x < (y - from_y) * (to_x - from_x) / (to_y - from_y) + from_x
                from_x, from_y = to_x, to_y
            row.append(inside)
        mask.append(row)
    return mask


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


def save_png(path, mask):
    """Writes a grey picture; the format needs no more than zlib and three chunks."""
    height, width = mask.shape
    pixels = np.where(mask, 255, 32).astype(np.uint8)
    rows = np.zeros((height, 1 + width), dtype=np.uint8)  # each row begins with its filter: none
    rows[:, 1:] = pixels

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    path.parent.mkdir(parents=True, exist_ok=True)
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows.tobytes(), 9))
        + chunk(b"IEND", b"")
    )


def best_of(repeats, f):
    """The least time of several calls, in milliseconds, and the result."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = f()
        times.append(time.perf_counter() - start)
    return min(times) * 1e3, result


def report(name, milliseconds, note=""):
    print(f"  {name:<16}{milliseconds:12.2f} ms  {note}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=1024, help="pixels along each side")
    parser.add_argument("--corners", type=int, default=24)
    parser.add_argument("--seed", type=int, default=24)
    parser.add_argument("--device", help="host, opencl, cuda:0, ...; QUERN_DEVICE otherwise")
    parser.add_argument("--output", type=Path, default=Path("demo-output/polygon_mask.png"))
    options = parser.parse_args()
    size, corners = options.size, options.corners
    device = qn.device(options.device) if options.device else qn.device()

    rng = np.random.default_rng(options.seed)
    corner_x = rng.uniform(0, size, corners).astype(np.float32)
    corner_y = rng.uniform(0, size, corners).astype(np.float32)
    print(f"a polygon of {corners} edges, {size} x {size} pixels", flush=True)

    part = range(0, size, max(1, size // 64))
    part_time, _ = best_of(1, lambda: mask_in_python(corner_x, corner_y, part, part))
    python_time = part_time * (size / len(part)) ** 2
    report("pure Python", python_time, f"(from {len(part)} x {len(part)} pixels)")

    numpy_time, expected = best_of(5, lambda: mask_in_numpy(corner_x, corner_y, size, size))
    report("NumPy", numpy_time)

    queue = qn.Queue(device)
    kernel = qn.Program(SOURCE).polygon_mask
    x, y = qn.asarray(corner_x, device=device), qn.asarray(corner_y, device=device)
    mask = qn.empty((size, size), np.uint8, device=device)

    def run():
        kernel(queue, (size, size), None, x, y, corners, mask).wait()

    first_time, _ = best_of(1, run)
    quern_time, _ = best_of(20, run)
    report(f"Quern, {device.backend}", quern_time, f"(the first call, with the build: {first_time:.0f} ms)")
    faster, much_faster = numpy_time / quern_time, python_time / quern_time
    print(f"  {faster:.1f} times as fast as NumPy, {much_faster:,.0f} times as fast as pure Python")

    # OpenCL lets a device round a division differently, which may move an edge across a few pixels.
    answer = mask.get().astype(bool)
    differing = int(np.count_nonzero(answer != expected))
    allowed = size * size // 10_000 if device.backend == "opencl" else 0
    print(f"  checked against NumPy: {differing} of {size * size:,} pixels differ")
    if differing > allowed:
        raise SystemExit("WRONG: the mask is not NumPy's")

    save_png(options.output, answer)
    print(f"  saved {options.output}")


if __name__ == "__main__":
    main()
