# SPDX-License-Identifier: MIT
"""Expressions of large lazy arrays: beside loops, numexpr and Numba on the host, beside compilers that fuse on a GPU."""

import ctypes

import numpy as np

import quern as qn
from quern_bench import Contestant, native, peer, run, take_turns

TEN_OPERATIONS = "where(x > 0.5, sin(x)*y + x*x, exp(-y)*(x - 1) + sqrt(y + 1))*0.5 + y"


def ten_operations(xp, x, y):
    return xp.where(x > 0.5, xp.sin(x) * y + x * x, xp.exp(-y) * (x - 1) + xp.sqrt(y + 1)) * 0.5 + y


def inputs(shape):
    rng = np.random.default_rng(3)
    return rng.random(shape, dtype=np.float32), rng.random(shape[-1:], dtype=np.float32)


def contest(report, name, device, contestants, reference, bytes_moved, **more):
    report.add(
        take_turns(
            name,
            device.backend,
            contestants,
            rounds=report.options.rounds,
            nbytes=bytes_moved,
            reference=reference,
            **more,
        )
    )


def launches(call):
    """How many kernels a call starts."""
    call()
    before = qn.stats().launches
    call()
    return qn.stats().launches - before


def ours(device, expressions):
    """Each expression evaluated into new memory, as the peers do."""
    wait = qn.Queue.of(device).finish
    for name, make in expressions.items():
        yield (
            name,
            Contestant(
                f"Quern ({launches(lambda m=make: qn.eval(m()))} launches)", lambda m=make: qn.eval(m()), wait
            ),
        )


def openmp_loop(loop, x, y):
    function, z = loop.lin_comb, np.zeros_like(x)
    function.restype = ctypes.c_double
    p, q, r = (a.ctypes.data_as(ctypes.c_void_p) for a in (x, y, z))
    five, six, count = ctypes.c_float(5), ctypes.c_float(6), ctypes.c_size_t(x.size)
    return Contestant("OpenMP loop", batch_time=lambda calls: function(five, p, six, q, r, count, calls))


def with_numba(numba):
    @numba.njit(fastmath=True, parallel=True)
    def jitted(x, y):
        return np.where(x > 0.5, np.sin(x) * y + x * x, np.exp(-y) * (x - 1) + np.sqrt(y + 1)) * 0.5 + y

    return jitted


def on_host(report, device, size=1 << 24):
    shape = (4096, size // 4096)
    x_host, row_host = inputs(shape)
    y_host = inputs(shape)[0][::-1].copy()
    with device:
        x, y, row = (qn.asarray(values) for values in (x_host, y_host, row_host))
        expressions = {
            "5*x + 6*y": lambda: 5 * x + 6 * y,
            "ten operations": lambda: ten_operations(qn, x, y),
            "ten operations, a row": lambda: ten_operations(qn, x, row),
            "(x*y).sum()": lambda: (x * y).sum(),
            "squared distances to the mean": lambda: ((x - x.mean(axis=0)) ** 2).sum(axis=0),
        }
        for make in expressions.values():
            for _ in range(8):
                qn.eval(make())
        qn.finish_compilation()
        mine = dict(ours(device, expressions))
        loop = native(report, "openmp_loops", "-march=native", "-ffast-math", "-fopenmp")
        numexpr, numba = peer(report, "numexpr"), peer(report, "numba")
        numpy_of = {
            "5*x + 6*y": lambda: 5 * x_host + 6 * y_host,
            "ten operations": lambda: ten_operations(np, x_host, y_host),
            "ten operations, a row": lambda: ten_operations(np, x_host, row_host),
            "(x*y).sum()": lambda: (x_host * y_host).sum(),
            "squared distances to the mean": lambda: ((x_host - x_host.mean(axis=0)) ** 2).sum(axis=0),
        }
        for name, contestant in mine.items():
            others = [Contestant("NumPy", numpy_of[name])]
            if loop and name == "5*x + 6*y":
                others.append(openmp_loop(loop, x_host, y_host))
            if numexpr and name != "squared distances to the mean":
                values = {"x": x_host, "y": row_host if name.endswith("row") else y_host}
                text = {"5*x + 6*y": "5*x + 6*y", "(x*y).sum()": "sum(x*y)"}.get(name, TEN_OPERATIONS)
                others.append(Contestant("numexpr", lambda t=text, v=values: numexpr.evaluate(t, v)))
            if numba and name.startswith("ten operations"):
                jitted = with_numba(numba)
                beside = row_host if name.endswith("row") else y_host
                others.append(Contestant("Numba", lambda j=jitted, b=beside: j(x_host, b)))
            moved = {"(x*y).sum()": 8, "squared distances to the mean": 8, "ten operations, a row": 8}.get(
                name, 12
            )
            reference = "OpenMP loop" if loop and name == "5*x + 6*y" else "NumPy"
            contest(report, name, device, [contestant, *others], reference, moved * size, drain_inside=True)


def on_gpu(report, device, side=1 << 14):
    shape = (side, side)
    x_host, row_host = inputs(shape)
    y_host = x_host[::-1].copy()
    cupy, torch = peer(report, "cupy"), peer(report, "torch")
    with device:
        x, y, row = (qn.asarray(values) for values in (x_host, y_host, row_host))
        copy, z = qn.ElementwiseKernel("const float *x, float *z", "z[i] = x[i]"), qn.empty(shape, np.float32)
        expressions = {
            "5*x + 6*y": lambda: 5 * x + 6 * y,
            "ten operations": lambda: ten_operations(qn, x, y),
            "ten operations, a row": lambda: ten_operations(qn, x, row),
            "(x*y).sum()": lambda: (x * y).sum(),
            "squared distances to the mean": lambda: ((x - x.mean(axis=0)) ** 2).sum(axis=0),
        }
        mine = dict(ours(device, expressions))
        wait = qn.Queue.of(device).finish
        others = {name: [] for name in expressions}
        if cupy:
            c, d, e = (cupy.asarray(values) for values in (x_host, y_host, row_host))
            finish = cupy.cuda.get_current_stream().synchronize

            @cupy.fuse()
            def fused_sum(x, y):
                return 5 * x + 6 * y

            @cupy.fuse()
            def fused_ten(x, y):
                return (
                    cupy.where(x > 0.5, cupy.sin(x) * y + x * x, cupy.exp(-y) * (x - 1) + cupy.sqrt(y + 1))
                    * 0.5
                    + y
                )

            others["5*x + 6*y"] += [Contestant("cupy.fuse", lambda: fused_sum(c, d), finish)]
            others["ten operations"] += [Contestant("cupy.fuse", lambda: fused_ten(c, d), finish)]
            others["ten operations, a row"] += [Contestant("cupy.fuse", lambda: fused_ten(c, e), finish)]
            others["(x*y).sum()"] += [Contestant("CuPy", lambda: (c * d).sum(), finish)]
            others["squared distances to the mean"] += [
                Contestant("CuPy", lambda: ((c - c.mean(axis=0)) ** 2).sum(axis=0), finish)
            ]
        if torch:
            t, u, v = (torch.from_numpy(values).cuda() for values in (x_host, y_host, row_host))
            finish_torch = torch.cuda.synchronize
            compiled = {
                "5*x + 6*y": (torch.compile(lambda x, y: 5 * x + 6 * y), t, u),
                "ten operations": (torch.compile(lambda x, y: ten_operations(torch, x, y)), t, u),
                "ten operations, a row": (torch.compile(lambda x, y: ten_operations(torch, x, y)), t, v),
                "(x*y).sum()": (torch.compile(lambda x, y: (x * y).sum()), t, u),
                "squared distances to the mean": (
                    torch.compile(lambda x, y: ((x - x.mean(0)) ** 2).sum(0)),
                    t,
                    u,
                ),
            }
            for name, (function, first, second) in compiled.items():
                others[name].append(
                    Contestant("torch.compile", lambda f=function, a=first, b=second: f(a, b), finish_torch)
                )
        for name, contestant in mine.items():
            moved = {"(x*y).sum()": 8, "squared distances to the mean": 8, "ten operations, a row": 8}.get(
                name, 12
            )
            limit = Contestant("copy (8 bytes an element)", lambda: copy(x, z), wait)
            contest(
                report,
                name,
                device,
                [contestant, *others[name], limit],
                "copy (8 bytes an element)",
                moved * side * side,
                batch=10,
                drain_inside=True,
            )


if __name__ == "__main__":
    run(__doc__, 10, host=on_host, cuda=on_gpu)
