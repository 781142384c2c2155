# SPDX-License-Identifier: MIT
"""Classic kernels on the host device: beside loops written by hand with OpenMP, and beside PoCL."""

import ctypes
from pathlib import Path

import numpy as np

import quern as qn
from quern_bench import Contestant, Report, chosen, native, options, take_turns

KERNELS = Path(__file__).parent.parent / "examples" / "kernels"


def float_pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


class Workload:
    """One kernel with its arguments on one device."""

    def __init__(self, name, kernel, global_size, local_size, arguments):
        self.name, self.kernel = name, kernel
        self.global_size, self.local_size, self.arguments = global_size, local_size, arguments

    def on(self, device):
        queue = qn.Queue(device)
        kernel = qn.Program((KERNELS / f"{self.name}.cl").read_text())[self.kernel]
        arguments = [qn.asarray(a, device=device) if isinstance(a, np.ndarray) else a for a in self.arguments]
        call = lambda: kernel(queue, self.global_size, self.local_size, *arguments).wait()  # noqa: E731
        return call, arguments


def check(ours, theirs):
    """PoCL contracts multiplications and additions, which moves a few points across the border of a set."""
    for one, other in zip(ours, theirs, strict=True):
        if isinstance(one, qn.Array):
            close = np.isclose(one.get(), other.get(), rtol=2e-3, atol=1e-2)
            assert close.mean() > 0.995, f"{(~close).sum()} of {close.size} values differ"


def black_scholes(count=1 << 22):
    rng = np.random.default_rng(3)
    price, strike = (rng.uniform(5, 100, count).astype(np.float32) for _ in range(2))
    years = rng.uniform(0.25, 10, count).astype(np.float32)
    call, put = np.zeros(count, np.float32), np.zeros(count, np.float32)
    arguments = [price, strike, years, np.float32(0.02), np.float32(0.3), call, put]

    def by_hand(library, calls):
        f = library.black_scholes
        f.restype = ctypes.c_double
        pointers = [float_pointer(a) for a in (price, strike, years)]
        results = [float_pointer(a) for a in (call, put)]
        return f(
            *pointers, ctypes.c_float(0.02), ctypes.c_float(0.3), *results, ctypes.c_size_t(count), calls
        )

    return Workload("black_scholes", "black_scholes", (count,), None, arguments), by_hand, "0.85, 5 x PoCL"


def mandelbrot(width=1024, height=768, limit=256):
    steps = np.zeros((height, width), np.int32)
    view = (-2.0, -1.125, 3.0 / width)
    arguments = [steps, width, *(np.float32(v) for v in view), limit]

    def by_hand(library, calls):
        f = library.mandelbrot
        f.restype = ctypes.c_double
        return f(float_pointer(steps), width, height, *(ctypes.c_float(v) for v in view), limit, calls)

    return Workload("mandelbrot", "mandelbrot", (width, height), None, arguments), by_hand, "0.85, 5 x PoCL"


def nbody(count=8192):
    rng = np.random.default_rng(3)
    position = rng.random(4 * count, dtype=np.float32)
    velocity, moved = np.zeros(4 * count, np.float32), np.zeros(4 * count, np.float32)
    arguments = [position, velocity, moved, count, np.float32(1e-4), np.float32(1e-3)]

    def by_hand(library, calls):
        f = library.nbody
        f.restype = ctypes.c_double
        pointers = [float_pointer(a) for a in (position, velocity, moved)]
        return f(*pointers, count, ctypes.c_float(1e-4), ctypes.c_float(1e-3), calls)

    return Workload("nbody", "nbody", (count,), (64,), arguments), by_hand, "5 x PoCL"


def matmul(size=1024):
    rng = np.random.default_rng(3)
    a, b = (rng.random((size, size), dtype=np.float32) for _ in range(2))
    arguments = [a, b, np.zeros((size, size), np.float32), size]
    return Workload("matmul", "matmul", (size, size), (16, 16), arguments), None, "8 x PoCL"


def reduction(count=1 << 24):
    values = np.random.default_rng(3).random(count, dtype=np.float32)
    arguments = [values, np.zeros(64, np.float32), count, qn.LocalMemory(4 * 256)]
    return Workload("reduction", "reduce_sum", (64 * 256,), (256,), arguments), None, "5 x PoCL"


def main():
    report = Report(options(__doc__, rounds=10))
    host = chosen(report, "host")
    if not host:
        return
    try:
        pocl = qn.device("opencl")
    except qn.DeviceNotFound as error:
        report.skip("PoCL", str(error).splitlines()[0])
        pocl = None
    loops = native(report, "openmp_workloads", "-march=native", "-ffast-math", "-fopenmp")
    for make in (black_scholes, mandelbrot, nbody, matmul, reduction):
        workload, by_hand, bar = make()
        call, ours = workload.on(host)
        contestants = [Contestant("Quern", call)]
        if by_hand and loops:
            timed = lambda calls, f=by_hand: f(loops, calls)  # noqa: E731
            contestants.append(Contestant("OpenMP by hand", batch_time=timed))
        if pocl:
            theirs, arrays = workload.on(pocl)
            contestants.append(Contestant("PoCL", theirs))
        report.add(
            take_turns(
                make.__name__,
                "host",
                contestants,
                rounds=report.options.rounds,
                reference="OpenMP by hand" if by_hand and loops else "PoCL",
                bar=bar,
            )
        )
        if pocl:
            check(ours, arrays)
    report.finish()


if __name__ == "__main__":
    main()
