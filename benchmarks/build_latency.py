# SPDX-License-Identifier: MIT
"""How long a small kernel takes to build: the first time, and in a second process from the cache on disk."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import quern as qn
from quern_bench import Report, Row, chosen, options, peer

SOURCE = """
kernel void build_{number}(float a, global const float *x, global float *z) {{
  size_t i = get_global_id(0);
  z[i] = a * x[i] + {number};
}}
"""
BARS = {"host": ("80 ms", "3 ms"), "cuda": ("25 ms", "3 ms"), "opencl": ("", "")}


def build_times(backend, numbers):
    """Seconds for each of these kernels, with the device in use already."""
    device = qn.device(backend)
    qn.zeros((16,), "float32", device=device).get()
    times = []
    for number in numbers:
        start = time.perf_counter()
        qn.Program(SOURCE.format(number=number)).build(device)
        times.append(time.perf_counter() - start)
    return times


def in_another_process(backend, numbers):
    child = [sys.executable, __file__, "--child", backend, *map(str, numbers)]
    return json.loads(subprocess.run(child, check=True, capture_output=True, text=True).stdout)


CUDA_SOURCE = """
extern "C" __global__ void build_{number}(float a, const float *x, float *z) {{
  unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
  z[i] = a * x[i] + {number};
}}
"""


def nvrtc_times(report, numbers):
    """Seconds for the compiler alone, through the library that CuPy brings into the process."""
    cupy = peer(report, "cupy")
    if not cupy:
        return []
    from cupy_backends.cuda.libs import nvrtc

    target = f"--gpu-architecture=sm_{cupy.cuda.Device().compute_capability}"
    times = []
    for number in [0, *numbers]:  # the first one loads the compiler
        program = nvrtc.createProgram(CUDA_SOURCE.format(number=number), "kernel.cu", [], [])
        start = time.perf_counter()
        nvrtc.compileProgram(program, [target])
        times.append(time.perf_counter() - start)
        nvrtc.destroyProgram(program)
    return times[1:]


def row(name, device, contestant, times, bar=""):
    least, middle = min(times), statistics.median(times)
    return Row(name, device, contestant, least, middle, middle / least, len(times), 1, bar=bar)


def measure(report, backend):
    rounds = report.options.rounds
    with tempfile.TemporaryDirectory() as cache:
        os.environ["QUERN_CACHE_DIR"] = cache
        # The first build of a process also loads the compiler; it is a row of its own.
        loading, *first = in_another_process(backend, range(rounds + 1))
        again = [in_another_process(backend, [0, number])[1] for number in range(1, rounds + 1)]
    rows = [
        row("build of a small kernel", backend, "Quern, a process's first", [loading]),
        row("build of a small kernel", backend, "Quern, new kernel", first, BARS[backend][0]),
        row("build of a small kernel", backend, "Quern, second process, cached", again, BARS[backend][1]),
    ]
    theirs = nvrtc_times(report, range(20_000, 20_000 + rounds)) if backend == "cuda" else []
    if theirs:
        rows.append(row("build of a small kernel", backend, "NVRTC alone, new kernel", theirs))
    cl = peer(report, "pyopencl") if backend == "opencl" else None
    if cl:
        os.environ["PYOPENCL_NO_CACHE"] = "1"
        context, theirs = cl.create_some_context(interactive=False), []
        for number in range(10_000, 10_000 + rounds):
            start = time.perf_counter()
            cl.Program(context, SOURCE.format(number=number)).build()
            theirs.append(time.perf_counter() - start)
        rows.append(row("build of a small kernel", backend, "PyOpenCL, new kernel", theirs))
    report.add(rows)


def main():
    if sys.argv[1:2] == ["--child"]:
        print(json.dumps(build_times(sys.argv[2], [int(number) for number in sys.argv[3:]])))
        return
    report = Report(options(__doc__, rounds=10))
    for backend in ("host", "opencl", "cuda"):
        if chosen(report, backend):
            measure(report, backend)
    report.finish()


if __name__ == "__main__":
    main()
