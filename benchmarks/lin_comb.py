# SPDX-License-Identifier: MIT
"""z = 5 x + 6 y as a raw kernel: beside the OpenMP loop on the host, and beside CUDA C on a GPU."""

import ctypes

import numpy as np

import quern as qn
from quern_bench import Contestant, Report, chosen, native, options, peer, take_turns

OPENCL_C = """
kernel void lin_comb(float a, global const float *x, float b, global const float *y, global float *z) {
  size_t i = get_global_id(0);
  z[i] = a * x[i] + b * y[i];
}
kernel void lin_comb4(float a, global const float4 *x, float b, global const float4 *y, global float4 *z) {
  size_t i = get_global_id(0);
  z[i] = a * x[i] + b * y[i];
}
"""

CUDA_C = """
extern "C" __global__ void lin_comb(float a, const float *x, float b, const float *y, float *z) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  z[i] = a * x[i] + b * y[i];
}
extern "C" __global__ void lin_comb4(float a, const float4 *x, float b, const float4 *y, float4 *z) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  float4 p = x[i], q = y[i];
  z[i] = make_float4(a * p.x + b * q.x, a * p.y + b * q.y, a * p.z + b * q.z, a * p.w + b * q.w);
}
"""


def inputs(size):
    rng = np.random.default_rng(3)
    return rng.random(size, dtype=np.float32), rng.random(size, dtype=np.float32)


def check(result, x, y):
    np.testing.assert_allclose(result[:: 1 << 10], 5 * x[:: 1 << 10] + 6 * y[:: 1 << 10], rtol=1e-6)


def host(report, device, size=1 << 24):
    x_host, y_host = inputs(size)
    x, y = qn.asarray(x_host, device=device), qn.asarray(y_host, device=device)
    z = qn.zeros((size,), np.float32, device=device)
    queue, kernel = qn.Queue(device), qn.Program(OPENCL_C).lin_comb
    contestants = [Contestant("Quern", lambda: kernel(queue, (size,), None, 5, x, 6, y, z).wait())]

    loop = native(report, "openmp_loops", "-march=native", "-ffast-math", "-fopenmp")
    if loop:
        lin_comb = loop.lin_comb
        lin_comb.restype = ctypes.c_double
        z_loop = np.zeros(size, np.float32)
        pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (x_host, y_host, z_loop)]
        a, b, count = ctypes.c_float(5), ctypes.c_float(6), ctypes.c_size_t(size)
        p, q, r = pointers
        contestants.append(
            Contestant("OpenMP loop", batch_time=lambda calls: lin_comb(a, p, b, q, r, count, calls))
        )
    contestants.append(Contestant("NumPy", lambda: 5 * x_host + 6 * y_host))
    report.add(
        take_turns(
            f"lin_comb, {size:,} floats",
            "host",
            contestants,
            rounds=report.options.rounds,
            batch=3,
            nbytes=12 * size,
            reference="OpenMP loop",
            bar="ratio 1.05",
        )
    )
    check(z.get(), x_host, y_host)


def cuda(report, device, size=1 << 28):
    x_host, y_host = inputs(size)
    x, y = qn.asarray(x_host, device=device), qn.asarray(y_host, device=device)
    z = qn.zeros((size,), np.float32, device=device)
    queue, program = qn.Queue(device), qn.Program(OPENCL_C)
    cupy = peer(report, "cupy")
    if cupy:
        module = cupy.RawModule(code=CUDA_C)
        p, q, r = cupy.asarray(x_host), cupy.asarray(y_host), cupy.zeros(size, cupy.float32)
        five, six = np.float32(5), np.float32(6)
        finish = cupy.cuda.get_current_stream().synchronize
    for name, width, bar in (("lin_comb", 1, "ratio 1.02"), ("lin_comb4", 4, "ratio 1.05")):
        count, kernel = size // width, program[name]
        contestants = [
            Contestant(
                f"Quern {name}",
                lambda k=kernel, n=count: k(queue, (n,), None, 5, x, 6, y, z),
                queue.finish,
            )
        ]
        if cupy:
            theirs = module.get_function(name)
            contestants.append(
                Contestant(
                    f"CUDA C {name}",
                    lambda k=theirs, n=count: k((n // 256,), (256,), (five, p, six, q, r)),
                    finish,
                )
            )
        report.add(
            take_turns(
                f"{name}, {size:,} floats",
                "cuda",
                contestants,
                rounds=report.options.rounds,
                batch=20,
                drain_inside=True,
                nbytes=12 * size,
                reference=f"CUDA C {name}",
                bar=bar,
            )
        )
        check(z.get(), x_host, y_host)


def main():
    report = Report(options(__doc__, rounds=20))
    for backend, program in (("host", host), ("cuda", cuda)):
        device = chosen(report, backend)
        if device:
            program(report, device)
    report.finish()


if __name__ == "__main__":
    main()
