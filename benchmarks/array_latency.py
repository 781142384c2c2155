# SPDX-License-Identifier: MIT
"""What small lazy arrays cost from Python: a node of an expression, and expressions of 1,024 floats evaluated."""

import ctypes

import numpy as np

import quern as qn
from quern_bench import Contestant, Report, chosen, native, options, peer, take_turns

COUNT = 1024


def combined(x, y):
    """Named, since cupy.fuse calls its kernel so."""
    return 5 * x + 6 * y


def peers(report, backend):
    """(name, a, b, what waits) of the others' arrays; NumPy's everywhere, those on the GPU beside CUDA."""
    a, b = np.ones(COUNT, np.float32), np.ones(COUNT, np.float32)
    found = [("NumPy", a, b, lambda: None)]
    if backend == "cuda":
        if cupy := peer(report, "cupy"):
            wait = cupy.cuda.get_current_stream().synchronize
            found.append(("CuPy", cupy.asarray(a), cupy.asarray(b), wait))
            found.append(("cupy.fuse", cupy.fuse(combined), None, wait))
        if torch := peer(report, "torch"):
            x, y = (torch.ones(COUNT, dtype=torch.float32, device="cuda") for _ in range(2))
            found.append(("PyTorch", x, y, torch.cuda.synchronize))
    return found


def measure(report, backend, device):
    """The host side alone: the wait for a batch is not timed."""
    with device:
        a, b = (qn.asarray(np.ones(COUNT, np.float32)) for _ in range(2))
        wait = qn.Queue.of(device).finish
        kernel = qn.ElementwiseKernel("const float *a, const float *b, float *out", "out[i] = a[i] + b[i]")
        out = qn.empty(COUNT, np.float32)
        others = peers(report, backend)
        arrays = [(name, x, y, finish) for name, x, y, finish in others if y is not None]
        rounds = report.options.rounds

        report.add(
            take_turns(
                "a node: a + b, not evaluated",
                backend,
                [Contestant("Quern", lambda: a + b, wait)],
                rounds=rounds,
                batch=500,
                bar="0.4 us",
            )
        )
        contestants = [
            Contestant("Quern", lambda: qn.eval(a + b), wait),
            Contestant("Quern, ElementwiseKernel", lambda: kernel(a, b, out), wait),
        ]
        contestants += [Contestant(name, lambda x=x, y=y: x + y, finish) for name, x, y, finish in arrays]
        floor = native(report, "cuda_floor") if backend == "cuda" else None
        reference = "NumPy"
        if floor and floor.cuda_floor_open() == 0:
            floor.cuda_floor_launch.restype = ctypes.c_double
            reference = "cuLaunchKernel from C++"
            contestants.append(Contestant(reference, batch_time=floor.cuda_floor_launch))
        bar = {"cuda": "ratio 1.4", "host": "3 us"}.get(backend, "")
        report.add(
            take_turns(
                "a + b, evaluated",
                backend,
                contestants,
                rounds=rounds,
                batch=500,
                reference=reference,
                bar=bar,
            )
        )
        contestants = [Contestant("Quern", lambda: qn.eval(5 * a + 6 * b), wait)]
        contestants += [
            Contestant(name, lambda x=x, y=y: 5 * x + 6 * y, finish) for name, x, y, finish in arrays
        ]
        if fused := next((other for other in others if other[0] == "cupy.fuse"), None):
            _, x, y, finish = next(other for other in others if other[0] == "CuPy")
            contestants.append(Contestant("cupy.fuse", lambda: fused[1](x, y), finish))
        report.add(
            take_turns(
                "5*a + 6*b, evaluated",
                backend,
                contestants,
                rounds=rounds,
                batch=500,
                reference="NumPy",
                bar={"cuda": "6 us"}.get(backend, ""),
            )
        )


def main():
    report = Report(options(__doc__, rounds=30))
    for backend in ("host", "opencl", "cuda"):
        device = chosen(report, backend)
        if device:
            measure(report, backend, device)
    report.finish()


if __name__ == "__main__":
    main()
