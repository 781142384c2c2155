# SPDX-License-Identifier: MIT
"""Selections, half of the elements kept, beside a copy, NumPy, CuPy and PyTorch."""

import numpy as np

import quern as qn
from quern_bench import Contestant, peer, run, take_turns


def compare(report, device, n, peers, **timing):
    values = np.random.default_rng(3).random(n, dtype=np.float32)
    runs = np.repeat(np.arange(n // 7 + 1, dtype=np.uint32), 7)[:n]
    queue = qn.Queue(device)
    x, y = qn.asarray(values, device=device), qn.zeros(n, np.float32, device)
    r, r_out = qn.asarray(runs, device=device), qn.zeros(n, np.uint32, device)
    lengths, count = qn.zeros(n, np.int64, device), qn.zeros(1, np.uint64, device)
    copy = qn.ElementwiseKernel("const float *x, float *y", "y[i] = x[i]")
    half = "x[i] > limit"
    calls = {
        "copy": lambda: copy(x, y, queue=queue),
        "copy_if": lambda: qn.algorithms.copy_if(x, half, limit=0.5, out=y, count=count, queue=queue),
        "partition": lambda: qn.algorithms.partition(x, half, limit=0.5, out=y, count=count, queue=queue),
        "unique": lambda: qn.algorithms.unique(r, out=r_out, count=count, queue=queue),
        "run_length_encode": lambda: qn.algorithms.run_length_encode(
            r, out=(r_out, lengths), count=count, queue=queue
        ),
    }
    wait = device.backend == "host"
    contestants = [
        Contestant(name, lambda f=f: f().wait()) if wait else Contestant(name, f, queue.finish)
        for name, f in calls.items()
    ]
    report.add(
        take_turns(
            f"selections of 2^{n.bit_length() - 1} elements of 4 bytes",
            device.backend,
            [*contestants, *peers(values)],
            reference="copy",
            **timing,
        )
    )


def on_host(report, device):
    def numpy_peer(values):
        yield Contestant("NumPy x[x > limit]", lambda: values[values > 0.5])

    compare(report, device, 1 << 24, numpy_peer, rounds=report.options.rounds)


def on_gpu(report, device):
    def gpu_peers(values):
        if cupy := peer(report, "cupy"):
            c = cupy.asarray(values)
            yield Contestant("CuPy x[x > limit]", lambda: c[c > 0.5], cupy.cuda.Device().synchronize)
        if torch := peer(report, "torch"):
            t = torch.from_numpy(values).cuda()
            yield Contestant("PyTorch x[x > limit]", lambda: t[t > 0.5], torch.cuda.synchronize)

    compare(report, device, 1 << 28, gpu_peers, rounds=report.options.rounds, batch=5, drain_inside=True)


if __name__ == "__main__":
    run(__doc__, 7, host=on_host, cuda=on_gpu)
