# SPDX-License-Identifier: MIT
"""Fourier transforms: beside SciPy and pyFFTW on the host, beside CuPy on a GPU, with and without cuFFT."""

import os

import numpy as np

import quern as qn
from quern_bench import Contestant, peer, run, take_turns


def points(shape, dtype):
    rng = np.random.default_rng(0)
    values = rng.standard_normal(shape, np.float32)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.standard_normal(shape, np.float32)
    return values.astype(dtype)


HOST = [
    ("fft 4096 x 1024 complex64", "fft", (4096, 1024), "complex64", (-1,)),
    ("fft 4096 x 1000 complex64", "fft", (4096, 1000), "complex64", (-1,)),
    ("fft 65536 x 64 complex64", "fft", (65536, 64), "complex64", (-1,)),
    ("fft 1024 complex64", "fft", (1024,), "complex64", (-1,)),
    ("fft 2^20 complex64", "fft", (1 << 20,), "complex64", (-1,)),
    ("fft 2^22 complex128", "fft", (1 << 22,), "complex128", (-1,)),
    ("fft2 2048 x 2048 complex64", "fft", (2048, 2048), "complex64", (0, 1)),
    ("fft2 1000 x 1000 complex128", "fft", (1000, 1000), "complex128", (0, 1)),
    ("fftn 128 x 128 x 128 complex128", "fft", (128, 128, 128), "complex128", (0, 1, 2)),
    ("rfft 4096 x 1024 float32", "rfft", (4096, 1024), "float32", (-1,)),
    ("rfft2 2048 x 2048 float64", "rfft", (2048, 2048), "float64", (0, 1)),
    ("fft 16 x 10007 complex128, a prime", "fft", (16, 10007), "complex128", (-1,)),
]


def on_host(report, device):
    queue = qn.Queue(device)
    scipy_fft, pyfftw = peer(report, "scipy.fft"), peer(report, "pyfftw")
    workers = device.compute_units
    for name, kind, shape, dtype, axes in HOST:
        if report.options.small and np.prod(shape) > 1 << 18:
            continue
        values = points(shape, dtype)
        x = qn.asarray(values, device=device)
        function = getattr(qn.fft, f"{kind}n")

        def ours(function=function, x=x, axes=axes):
            with queue:
                function(x, axes=axes)
            queue.finish()

        contestants = [Contestant("Quern", ours)]
        if scipy_fft:
            theirs = getattr(scipy_fft, f"{kind}n")
            contestants.append(
                Contestant("SciPy", lambda f=theirs, v=values, a=axes: f(v, axes=a, workers=workers))
            )
        if pyfftw:
            plan = getattr(pyfftw.builders, f"{kind}n")(
                values, axes=axes, threads=workers, planner_effort="FFTW_MEASURE"
            )
            contestants.append(Contestant("pyFFTW, measured", plan))
        batch = 100 if values.size <= 1 << 14 else 1
        report.add(
            take_turns(
                name,
                "host",
                contestants,
                rounds=report.options.rounds,
                batch=batch,
                reference="SciPy",
                bar="1",
            )
        )


def without_libraries(function):
    """Calls it with our own kernels only."""

    def call():
        os.environ["QUERN_LIBRARIES"] = "never"
        try:
            function()
        finally:
            del os.environ["QUERN_LIBRARIES"]

    return call


def on_gpu(report, device):
    queue = qn.Queue(device)
    cupy = peer(report, "cupy")
    timing = {"rounds": report.options.rounds, "batch": 10, "drain_inside": True}
    small = report.options.small
    for dtype in ("complex64", "complex128"):
        for log in (10, 14) if small else (10, 12, 14, 16, 18, 20, 22, 24):
            n = 1 << log
            count = (1 << (16 if small else 26 if dtype == "complex64" else 25)) // n
            values = points((count, n), dtype)
            x, out = qn.asarray(values, device=device), qn.empty(values.shape, dtype, device)

            def ours(x=x, out=out):
                with queue:
                    qn.fft.fft(x, out=out)

            contestants = [
                Contestant("Quern", ours, queue.finish),
                Contestant("Quern, own kernels", without_libraries(ours), queue.finish),
            ]
            if cupy:
                c = cupy.asarray(values)
                contestants.append(
                    Contestant("CuPy", lambda c=c: cupy.fft.fft(c), cupy.cuda.Device().synchronize)
                )
            name = f"fft {count} x 2^{log} {dtype}"
            report.add(take_turns(name, device.backend, contestants, reference="CuPy", bar="0.95", **timing))
            del x, out
    log = 10 if small else 20
    values, filter_ = points((64, 1 << log), "complex64"), points((1 << log,), "complex64")
    x, h = qn.asarray(values, device=device), qn.asarray(filter_, device=device)

    def filtered():
        with queue:
            qn.eval(qn.fft.ifft(qn.fft.fft(x) * h))

    contestants = [
        Contestant("Quern", filtered, queue.finish),
        Contestant("Quern, own kernels", without_libraries(filtered), queue.finish),
    ]
    if cupy:
        c, ch = cupy.asarray(values), cupy.asarray(filter_)
        contestants.append(
            Contestant("CuPy", lambda: cupy.fft.ifft(cupy.fft.fft(c) * ch), cupy.cuda.Device().synchronize)
        )
    report.add(
        take_turns(
            f"ifft(fft(x) * h), 64 x 2^{log}",
            device.backend,
            contestants,
            reference="CuPy",
            bar="1.3",
            **timing,
        )
    )


if __name__ == "__main__":
    run(__doc__, 7, host=on_host, cuda=on_gpu)
