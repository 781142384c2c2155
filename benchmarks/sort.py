# SPDX-License-Identifier: MIT
"""Sorting and histograms: beside NumPy and std::sort on the host, beside CuPy and PyTorch on a GPU."""

import ctypes

import numpy as np

import quern as qn
from quern_bench import Contestant, native, peer, run, take_turns


def pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


def cases(n):
    rng = np.random.default_rng(3)
    yield "uint32", rng.integers(0, 2**32, n, dtype=np.uint32)
    yield "float32", rng.random(n, dtype=np.float32)
    yield "int64", rng.integers(-(2**63), 2**63, n, dtype=np.int64)


def on_host(report, device):
    queue = qn.Queue(device)
    library = native(report, "sorts", "-march=native", "-pthread")
    n = 1 << 24
    for name, values in cases(n):
        x, out = qn.asarray(values, device=device), qn.empty(n, values.dtype, device)
        positions = qn.empty(n, np.int64, device)
        work, result = np.empty_like(values), np.empty_like(values)

        def sort_copy(values=values, work=work):
            np.copyto(work, values)
            work.sort()

        contestants = [
            Contestant("Quern", lambda x=x, out=out: qn.algorithms.sort(x, out=out, queue=queue).wait()),
            Contestant("NumPy", sort_copy),
        ]
        if library and name != "int64":
            function = getattr(library, f"sort_{name}")
            function.restype = ctypes.c_double
            contestants.append(
                Contestant(
                    "std::sort, two threads",
                    batch_time=lambda calls, f=function, v=values, w=work, r=result: f(
                        pointer(v), pointer(w), pointer(r), ctypes.c_size_t(n), calls
                    ),
                )
            )
        rounds = report.options.rounds
        report.add(
            take_turns(
                f"sort {name}", "host", contestants, rounds=rounds, reference="NumPy", bar="1, 3 x std::sort"
            )
        )
        np.testing.assert_array_equal(out.get(), np.sort(values))
        argsorts = [
            Contestant("Quern", lambda x=x, p=positions: qn.algorithms.argsort(x, out=p, queue=queue).wait())
        ]
        report.add(take_turns(f"argsort {name}", "host", argsorts, rounds=rounds))
    values = np.random.default_rng(3).random(n, dtype=np.float32)
    x, counts = qn.asarray(values, device=device), qn.empty(256, np.int64, device)
    contestants = [
        Contestant("Quern", lambda: qn.algorithms.histogram(x, 256, (0, 1), out=counts, queue=queue).wait())
    ]
    if library:
        read, total = library.read_float32, np.zeros(1, np.float32)
        read.restype = ctypes.c_double
        contestants.append(
            Contestant(
                "reading, two threads",
                batch_time=lambda calls: read(pointer(values), ctypes.c_size_t(n), pointer(total), calls),
            )
        )
    report.add(
        take_turns(
            "histogram, 256 bins",
            "host",
            contestants,
            rounds=report.options.rounds,
            nbytes=4 * n,
            reference="reading, two threads",
            bar="2",
        )
    )


def on_gpu(report, device):
    queue = qn.Queue(device)
    cupy, torch = peer(report, "cupy"), peer(report, "torch")
    n = 1 << 26
    for name, values in cases(n):
        x, out = qn.asarray(values, device=device), qn.empty(n, values.dtype, device)
        v, v_out = (qn.asarray(np.arange(n, dtype=np.uint32), device=device) for _ in range(2))
        ours = lambda x=x, out=out: qn.algorithms.sort(x, out=out, queue=queue)  # noqa: E731
        contestants = [Contestant("Quern", ours, queue.finish)]
        if cupy:
            c = cupy.asarray(values)
            contestants.append(Contestant("CuPy", lambda c=c: cupy.sort(c), cupy.cuda.Device().synchronize))
        if torch:
            t = torch.from_numpy(values.view(np.int32) if name == "uint32" else values).cuda()
            contestants.append(
                Contestant("PyTorch, with positions", lambda t=t: torch.sort(t), torch.cuda.synchronize)
            )
        timing = {"rounds": report.options.rounds, "batch": 5, "drain_inside": True}
        report.add(take_turns(f"sort {name}", device.backend, contestants, reference="CuPy", **timing))
        pairs = lambda x=x, o=out, v=v, w=v_out: qn.algorithms.sort_by_key(x, v, out=(o, w), queue=queue)  # noqa: E731
        report.add(
            take_turns(f"pairs {name}", device.backend, [Contestant("Quern", pairs, queue.finish)], **timing)
        )
    n = 1 << 28
    counts = qn.empty(256, np.int64, device)
    uniform = np.random.default_rng(3).random(n, dtype=np.float32)
    for name, values in (("uniform", uniform), ("one bin", np.full(n, 0.3, np.float32))):
        x = qn.asarray(values, device=device)
        count = lambda x=x: qn.algorithms.histogram(x, 256, (0, 1), out=counts, queue=queue)  # noqa: E731
        report.add(
            take_turns(
                f"histogram, {name}",
                device.backend,
                [Contestant("Quern", count, queue.finish)],
                rounds=report.options.rounds,
                batch=5,
                drain_inside=True,
                nbytes=4 * n,
            )
        )


if __name__ == "__main__":
    run(__doc__, 7, host=on_host, cuda=on_gpu)
