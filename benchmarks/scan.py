# SPDX-License-Identifier: MIT
"""Prefix sums, whole and by segments, beside a copy of the same array, NumPy, CuPy and PyTorch."""

import numpy as np

import quern as qn
from quern_bench import Contestant, peer, run, take_turns

ARRAYS = "const float *x, float *y"


def contestants_on(device, x, y, starts, queue, wait):
    copy = qn.ElementwiseKernel(ARRAYS, "y[i] = x[i]")
    segmented = qn.ScanKernel(
        "float32",
        "const float *x, const uchar *starts, float *y",
        "x[i]",
        "across_seg_boundary ? b : fmax(a, b)",
        output_statement="y[i] = item",
        is_segment_start_expr="starts[i]",
    )
    own = qn.ScanKernel(
        "float32", ARRAYS, "x[i] * x[i]", "a + b", neutral="0", output_statement="y[i] = prev_item"
    )
    calls = {
        "copy": lambda: copy(x, y, queue=queue),
        "cumsum": lambda: qn.algorithms.scan(x, out=y, queue=queue),
        "maxima": lambda: qn.algorithms.scan(x, op="max", out=y, queue=queue),
        "exclusive sum of squares": lambda: own(x, y, queue=queue),
        "segmented, a user's operator": lambda: segmented(x, starts, y, queue=queue),
    }
    if wait:
        return {name: Contestant(name, lambda f=f: f().wait()) for name, f in calls.items()}
    return {name: Contestant(name, f, queue.finish) for name, f in calls.items()}


def compare(report, device, n, peers, **timing):
    rng = np.random.default_rng(3)
    values = rng.random(n, dtype=np.float32)
    x, y = qn.asarray(values, device=device), qn.zeros(n, np.float32, device)
    starts = qn.asarray((rng.random(n, dtype=np.float32) < 0.01).astype(np.uint8), device=device)
    ours = contestants_on(device, x, y, starts, qn.Queue(device), wait=device.backend == "host")
    report.add(
        take_turns(
            f"scans of 2^{n.bit_length() - 1} float32",
            device.backend,
            [*ours.values(), *peers(values)],
            reference="copy",
            nbytes=8 * n,
            **timing,
        )
    )


def on_host(report, device):
    def numpy_peer(values):
        out = np.empty_like(values)
        yield Contestant("NumPy cumsum", lambda: np.cumsum(values, out=out))

    compare(report, device, 1 << 24, numpy_peer, rounds=report.options.rounds)


def on_gpu(report, device):
    def gpu_peers(values):
        if cupy := peer(report, "cupy"):
            c = cupy.asarray(values)
            yield Contestant("CuPy cumsum", lambda: cupy.cumsum(c), cupy.cuda.Device().synchronize)
        if torch := peer(report, "torch"):
            t = torch.from_numpy(values).cuda()
            yield Contestant("PyTorch cumsum", lambda: torch.cumsum(t, 0), torch.cuda.synchronize)

    compare(report, device, 1 << 28, gpu_peers, rounds=report.options.rounds, batch=5, drain_inside=True)


if __name__ == "__main__":
    run(__doc__, 7, host=on_host, cuda=on_gpu)
