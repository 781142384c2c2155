# SPDX-License-Identifier: MIT
"""How long kernels take to build: a small one, then again in a second process from the cache on disk, and one with
vectors, swizzles and ten built-in functions, until its first launch is done."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import quern as qn
from quern_bench import Report, Row, chosen, options, peer

SOURCE = """
kernel void build_{number}(float a, global const float *x, global float *z) {{
  size_t i = get_global_id(0);
  z[i] = a * x[i] + {number};
}}
"""
BARS = {"host": ("80 ms", "3 ms", "120 ms"), "cuda": ("25 ms", "3 ms", "40 ms"), "opencl": ("", "", "")}

VECTORS = """
kernel void shade(global const float4 *position, global const float4 *normal, global float4 *colour,
                  float4 light, float power, int n) {{
  int i = get_global_id(0);
  if (i >= n) return;
  float4 p = position[i], v = normal[i];
  float3 to = normalize(light.xyz - p.xyz);
  float lit = clamp(dot(v.xyz, to), 0.0f, 1.0f);
  float shine = pow(fmax(to.z, 0.0f), power);
  float4 base = mix(v.wzyx, p.yxwz, smoothstep(0.2f, 0.8f, lit));
  base.xyz += shine * (float3)(0.9f, 0.8f, {number}.0f);
  base.lo = fabs(base.hi) * sin(p.x);
  base.w = sqrt(base.w * base.w + lit);
  colour[i] = base;
}}
"""


def build_times(device, numbers):
    """Seconds for each of these kernels, with the device in use already."""
    times = []
    for number in numbers:
        start = time.perf_counter()
        qn.Program(SOURCE.format(number=number)).build(device)
        times.append(time.perf_counter() - start)
    return times


def launch_times(device, numbers):
    """Seconds from the text of each of these kernels until its first launch is done."""
    count, queue, times = 1024, qn.Queue(device), []
    arrays = [qn.zeros((4 * count,), "float32", device=device) for _ in range(3)]
    light = np.array([1, 2, 3, 4], "float32")
    for number in numbers:
        start = time.perf_counter()
        qn.Program(VECTORS.format(number=number)).shade(
            queue, count, None, *arrays, light, np.float32(2), count
        ).wait()
        times.append(time.perf_counter() - start)
    return times


MEASURES = {"build": build_times, "launch": launch_times}


def in_another_process(measure, backend, numbers):
    child = [sys.executable, __file__, "--child", measure, backend, *map(str, numbers)]
    return json.loads(subprocess.run(child, check=True, capture_output=True, text=True).stdout)


CUDA_SOURCE = """
extern "C" __global__ void build_{number}(float a, const float *x, float *z) {{
  unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
  z[i] = a * x[i] + {number};
}}
"""

# The same as VECTORS, as its author would have written it in CUDA C: divisions and roots are correctly rounded there too.
CUDA_VECTORS = """
extern "C" __global__ void shade(const float4 *position, const float4 *normal, float4 *colour, float4 light, float power,
                                 int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 p = position[i], v = normal[i];
  float3 to = make_float3(light.x - p.x, light.y - p.y, light.z - p.z);
  float length = sqrtf(to.x * to.x + to.y * to.y + to.z * to.z);
  to = make_float3(to.x / length, to.y / length, to.z / length);
  float lit = fminf(fmaxf(v.x * to.x + v.y * to.y + v.z * to.z, 0.0f), 1.0f);
  float shine = powf(fmaxf(to.z, 0.0f), power);
  float t = fminf(fmaxf((lit - 0.2f) / (0.8f - 0.2f), 0.0f), 1.0f);
  t = t * t * (3.0f - 2.0f * t);
  float4 base = make_float4(v.w + (p.y - v.w) * t, v.z + (p.x - v.z) * t, v.y + (p.w - v.y) * t, v.x + (p.z - v.x) * t);
  base.x += shine * 0.9f;
  base.y += shine * 0.8f;
  base.z += shine * {number}.0f;
  base.x = fabsf(base.z) * sinf(p.x);
  base.y = fabsf(base.w) * sinf(p.x);
  base.w = sqrtf(base.w * base.w + lit);
  colour[i] = base;
}}
"""


def nvrtc_times(report, source, numbers):
    """Seconds for the compiler alone, through the library that CuPy brings into the process."""
    cupy = peer(report, "cupy")
    if not cupy:
        return []
    from cupy_backends.cuda.libs import nvrtc

    target = f"--gpu-architecture=sm_{cupy.cuda.Device().compute_capability}"
    times = []
    for number in [0, *numbers]:  # the first one loads the compiler
        program = nvrtc.createProgram(source.format(number=number), "kernel.cu", [], [])
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
        loading, *first = in_another_process("build", backend, range(rounds + 1))
        again = [in_another_process("build", backend, [0, number])[1] for number in range(1, rounds + 1)]
        _, *vectors = in_another_process("launch", backend, range(rounds + 1))
    rows = [
        row("build of a small kernel", backend, "Quern, a process's first", [loading]),
        row("build of a small kernel", backend, "Quern, new kernel", first, BARS[backend][0]),
        row("build of a small kernel", backend, "Quern, second process, cached", again, BARS[backend][1]),
        row("vectors and ten built-ins", backend, "Quern, vectors, first launch", vectors, BARS[backend][2]),
    ]
    if backend == "cuda":
        numbers = range(20_000, 20_000 + rounds)
        for name, source in (("new kernel", CUDA_SOURCE), ("vectors", CUDA_VECTORS)):
            if theirs := nvrtc_times(report, source, numbers):
                rows.append(row(name, backend, f"NVRTC alone, {name}", theirs))
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
        _, _, which, backend, *numbers = sys.argv
        device = qn.device(backend)
        qn.zeros((16,), "float32", device=device).get()
        print(json.dumps(MEASURES[which](device, [int(number) for number in numbers])))
        return
    report = Report(options(__doc__, rounds=10))
    for backend in ("host", "opencl", "cuda"):
        if chosen(report, backend):
            measure(report, backend)
    report.finish()


if __name__ == "__main__":
    main()
