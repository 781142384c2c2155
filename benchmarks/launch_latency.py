# SPDX-License-Identifier: MIT
"""What a launch of an empty kernel with three arguments costs from Python, beside peers and the driver."""

import ctypes
import os
from functools import partial

import numpy as np

import quern as qn
from quern_bench import Contestant, Report, chosen, native, options, peer, take_turns

OPENCL_C = "kernel void empty(global float *a, global float *b, float c) {}"
CUDA_C = 'extern "C" __global__ void empty(float *a, float *b, float c) {}'


def ours(device):
    """Our kernel, a queue and the arguments on a device."""
    queue = qn.Queue(device)
    a, b = (qn.zeros((1024,), np.float32, device=device) for _ in range(2))
    return qn.Program(OPENCL_C).empty, queue, a, b


def pyopencl_on_pocl(cl):
    """The same of PyOpenCL, on the OpenCL device that Quern calls "opencl" too."""
    devices = [device for platform in cl.get_platforms() for device in platform.get_devices()]
    name = qn.device("opencl").name
    context = cl.Context([next(device for device in devices if device.name.strip() == name.strip())])
    buffers = [cl.Buffer(context, cl.mem_flags.READ_WRITE, 4096) for _ in range(2)]
    return cl.Program(context, OPENCL_C).build().empty, cl.CommandQueue(context), *buffers


def launch_and_wait(kernel, queue, groups, a, b, c):
    kernel(queue, (groups,), (1,), a, b, c).wait()


def host(report, device):
    """An empty kernel and the wait for it."""
    kernel, queue, a, b = ours(device)
    cl = peer(report, "pyopencl")
    cores = len(os.sched_getaffinity(0))
    for groups, what, bar in ((1, "one group", "5 us"), (cores, "one group per core", "10 us")):
        contestants = [Contestant("Quern", partial(launch_and_wait, kernel, queue, groups, a, b, 1.0))]
        if cl and chosen(report, "opencl"):
            their, their_queue, *buffers = pyopencl_on_pocl(cl)
            theirs = partial(launch_and_wait, their, their_queue, groups, *buffers, np.float32(1))
            contestants.append(Contestant("PyOpenCL on PoCL", theirs))
        report.add(
            take_turns(
                f"launch and wait, {what}",
                "host",
                contestants,
                rounds=report.options.rounds,
                batch=200,
                reference="PyOpenCL on PoCL",
                bar=bar,
            )
        )


def opencl(report, device):
    """Only the enqueue, as both make it."""
    kernel, queue, a, b = ours(device)
    contestants = [Contestant("Quern", lambda: kernel(queue, (1,), (1,), a, b, 1.0), queue.finish)]
    cl = peer(report, "pyopencl")
    if cl:
        their, their_queue, p, q = pyopencl_on_pocl(cl)
        one = np.float32(1)
        contestants.append(
            Contestant("PyOpenCL", lambda: their(their_queue, (1,), (1,), p, q, one), their_queue.finish)
        )
    report.add(
        take_turns(
            "enqueue",
            "opencl",
            contestants,
            rounds=report.options.rounds,
            batch=200,
            reference="PyOpenCL",
            bar="ratio 1.0",
        )
    )


def cuda(report, device):
    """The host side of a launch; the wait for a batch is not timed."""
    kernel, queue, a, b = ours(device)
    contestants = [Contestant("Quern", lambda: kernel(queue, (1,), (1,), a, b, 1.0), queue.finish)]
    floor = native(report, "cuda_floor")
    if floor and floor.cuda_floor_open() == 0:
        floor.cuda_floor_launch.restype = ctypes.c_double
        contestants.append(Contestant("cuLaunchKernel from C++", batch_time=floor.cuda_floor_launch))
    cupy = peer(report, "cupy")
    if cupy:
        raw = cupy.RawKernel(CUDA_C, "empty")
        p, q = cupy.zeros(1024, cupy.float32), cupy.zeros(1024, cupy.float32)
        one = np.float32(1)
        finish = cupy.cuda.get_current_stream().synchronize
        contestants.append(Contestant("CuPy RawKernel", lambda: raw((1,), (1,), (p, q, one)), finish))
    core = peer(report, "cuda.core")
    if core:
        contestants.append(cuda_core(core))
    report.add(
        take_turns(
            "launch, host side",
            "cuda",
            contestants,
            rounds=report.options.rounds,
            batch=500,
            reference="cuLaunchKernel from C++",
            bar="ratio 1.4",
        )
    )


def cuda_core(core):
    """NVIDIA's own Python front end."""
    device = core.Device()
    device.set_current()
    stream = device.create_stream()
    program = core.Program(CUDA_C, code_type="c++", options=core.ProgramOptions(arch=f"sm_{device.arch}"))
    kernel = program.compile("cubin").get_kernel("empty")
    config = core.LaunchConfig(grid=1, block=1)
    pointer = device.allocate(4096, stream=stream)
    address, one = int(pointer.handle), np.float32(1)
    # The buffer travels as a default argument, or it would be freed here.
    return Contestant(
        "cuda.core launch",
        lambda keep=pointer: core.launch(stream, config, kernel, address, address, one),
        stream.sync,
    )


def main():
    report = Report(options(__doc__, rounds=30))
    for backend, program in (("host", host), ("opencl", opencl), ("cuda", cuda)):
        device = chosen(report, backend)
        if device:
            program(report, device)
    report.finish()


if __name__ == "__main__":
    main()
