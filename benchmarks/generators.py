# SPDX-License-Identifier: MIT
"""ElementwiseKernel and ReductionKernel: lin_comb, dot, sums along axes; beside loops by hand, CuPy and PyTorch."""

import ctypes

import numpy as np

import quern as qn
from lin_comb import CUDA_C
from quern_bench import Contestant, native, peer, run, take_turns

LIN_COMB = qn.ElementwiseKernel(
    "float a, const float *x, float b, const float *y, float *z", "z[i] = a * x[i] + b * y[i]"
)
DOT = qn.ReductionKernel("float32", "0", "a + b", "x[i] * y[i]", "const float *x, const float *y")
SUM = qn.ReductionKernel("float32", "0", "a + b")


def pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


def host(report, device, size=1 << 24, side=4096):
    rng = np.random.default_rng(3)
    x_host, y_host = rng.random(size, dtype=np.float32), rng.random(size, dtype=np.float32)
    x, y = qn.asarray(x_host, device=device), qn.asarray(y_host, device=device)
    z = qn.zeros((size,), np.float32, device=device)
    matrix, out = qn.Array(x.buffer, x.dtype, (side, side)), qn.zeros((side,), np.float32, device=device)
    single = qn.zeros((), np.float32, device=device)
    queue = qn.Queue(device)
    loops = native(report, "openmp_loops", "-march=native", "-ffast-math", "-fopenmp")
    if loops:
        for function in (loops.lin_comb, loops.dot, loops.sum_axis_0, loops.sum_axis_1):
            function.restype = ctypes.c_double
    z_loop, one, line = np.zeros(size, np.float32), np.zeros(1, np.float32), np.zeros(side, np.float32)
    count, edge = ctypes.c_size_t(size), ctypes.c_size_t(side)
    a, b = ctypes.c_float(5), ctypes.c_float(6)
    p, q, r = pointer(x_host), pointer(y_host), pointer(z_loop)

    def measure(title, ours, theirs, numpy, nbytes):
        contestants = [Contestant("Quern", ours)]
        if loops:
            contestants.append(Contestant("OpenMP loop", batch_time=theirs))
        contestants.append(Contestant("NumPy", numpy))
        report.add(
            take_turns(
                title,
                "host",
                contestants,
                rounds=report.options.rounds,
                batch=3,
                nbytes=nbytes,
                reference="OpenMP loop",
                bar="ratio 1.05",
            )
        )

    measure(
        f"ElementwiseKernel lin_comb, {size:,} floats",
        lambda: LIN_COMB(5, x, 6, y, z, queue=queue).wait(),
        lambda calls: loops.lin_comb(a, p, b, q, r, count, calls),
        lambda: 5 * x_host + 6 * y_host,
        12 * size,
    )
    measure(
        f"ReductionKernel dot, {size:,} floats",
        lambda: DOT(x, y, out=single, queue=queue).wait(),
        lambda calls: loops.dot(p, q, pointer(one), count, calls),
        lambda: np.dot(x_host, y_host),
        8 * size,
    )
    grid = x_host.reshape(side, side)
    for axis in (0, 1):
        loop = getattr(loops, f"sum_axis_{axis}") if loops else None
        measure(
            f"ReductionKernel sum, {side} x {side}, axis {axis}",
            lambda axis=axis: SUM(matrix, axis=axis, out=out, queue=queue).wait(),
            lambda calls, loop=loop: loop(p, pointer(line), edge, edge, calls),
            lambda axis=axis: grid.sum(axis=axis),
            4 * size,
        )
        np.testing.assert_allclose(out.get(), grid.sum(axis=axis), rtol=1e-4)
    np.testing.assert_allclose(z.get()[::999], (5 * x_host + 6 * y_host)[::999], rtol=1e-6)
    np.testing.assert_allclose(single.get(), np.dot(x_host.astype("f8"), y_host), rtol=1e-4)


def cuda(report, device, size=1 << 28, side=1 << 14):
    rng = np.random.default_rng(3)
    x_host, y_host = rng.random(size, dtype=np.float32), rng.random(size, dtype=np.float32)
    x, y = qn.asarray(x_host, device=device), qn.asarray(y_host, device=device)
    z = qn.zeros((size,), np.float32, device=device)
    matrix, out = qn.Array(x.buffer, x.dtype, (side, side)), qn.zeros((side,), np.float32, device=device)
    single = qn.zeros((), np.float32, device=device)
    queue = qn.Queue(device)
    cupy, torch = peer(report, "cupy"), peer(report, "torch")
    if cupy:
        p, q, r = cupy.asarray(x_host), cupy.asarray(y_host), cupy.zeros(size, cupy.float32)
        stream = cupy.cuda.get_current_stream().synchronize
        by_hand = cupy.RawModule(code=CUDA_C).get_function("lin_comb4")
        five, six = np.float32(5), np.float32(6)
        elementwise = cupy.ElementwiseKernel(
            "float32 a, float32 x, float32 b, float32 y", "float32 z", "z = a*x + b*y"
        )
    if torch:
        t, u = torch.from_numpy(x_host).cuda(), torch.from_numpy(y_host).cuda()

    def measure(title, ours, theirs, nbytes, reference, bar):
        contestants = [Contestant("Quern", ours, queue.finish)]
        for name, call, drain in theirs:
            contestants.append(Contestant(name, call, drain))
        report.add(
            take_turns(
                title,
                "cuda",
                contestants,
                rounds=report.options.rounds,
                batch=20,
                drain_inside=True,
                nbytes=nbytes,
                reference=reference,
                bar=bar,
            )
        )

    def theirs(cupy_call, torch_call):
        calls = [("CuPy", cupy_call, stream)] if cupy else []
        return calls + ([("PyTorch", torch_call, torch.cuda.synchronize)] if torch else [])

    measure(
        f"ElementwiseKernel lin_comb, {size:,} floats",
        lambda: LIN_COMB(5, x, 6, y, z, queue=queue),
        [
            (
                "CUDA C float4",
                lambda: by_hand((size // 1024,), (256,), (five, p, six, q, r)),
                stream,
            ),
            ("CuPy", lambda: elementwise(five, p, six, q, r), stream),
        ]
        if cupy
        else [],
        12 * size,
        "CUDA C float4",
        "ratio 1.03",
    )
    measure(
        f"ReductionKernel sum, {size:,} floats",
        lambda: SUM(x, out=single, queue=queue),
        theirs(lambda: p.sum(), lambda: t.sum()),
        4 * size,
        "CuPy",
        "ratio 1.05",
    )
    measure(
        f"ReductionKernel dot, {size:,} floats",
        lambda: DOT(x, y, out=single, queue=queue),
        theirs(lambda: cupy.dot(p, q), lambda: torch.dot(t, u)),
        8 * size,
        "PyTorch",
        "0.95 of the read limit",
    )
    exact = sum(
        np.dot(x_host[k : k + (1 << 22)].astype(np.float64), y_host[k : k + (1 << 22)])
        for k in range(0, size, 1 << 22)
    )
    np.testing.assert_allclose(single.get(), exact, rtol=1e-4)
    for axis in (0, 1):
        measure(
            f"ReductionKernel sum, {side} x {side}, axis {axis}",
            lambda axis=axis: SUM(matrix, axis=axis, out=out, queue=queue),
            theirs(
                lambda axis=axis: p.reshape(side, side).sum(axis=axis),
                lambda axis=axis: t.reshape(side, side).sum(dim=axis),
            ),
            4 * size,
            "PyTorch",
            "0.95 of the read limit",
        )
        np.testing.assert_allclose(out.get(), x_host.reshape(side, side).sum(axis=axis), rtol=1e-4)


if __name__ == "__main__":
    run(__doc__, 20, host=host, cuda=cuda)
