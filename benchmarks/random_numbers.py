# SPDX-License-Identifier: MIT
"""Random numbers beside NumPy's Philox on the host, CuPy and PyTorch on a GPU, and the write limit."""

import ctypes

import numpy as np

import quern as qn
from quern_bench import Contestant, native, peer, run, take_turns

# What is drawn: the method, its arguments, the dtype, and the part of the write limit asked for on GPU and host.
DRAWS = [
    ("random", {}, "float32", 0.9, 0.5),
    ("standard_normal", {}, "float32", 0.7, None),
    ("random", {}, "float64", None, None),
    ("standard_normal", {}, "float64", None, None),
    ("integers", {"low": 0, "high": 1000}, "int32", None, None),
    ("standard_exponential", {}, "float32", None, None),
]

# Distributions of which the host draws a million beside NumPy's default generator: none should be slower.
FAMILIES = [
    ("standard_gamma", (2.5,)),
    ("gamma", (0.5, 2.0)),
    ("beta", (2.0, 3.0)),
    ("chisquare", (3.0,)),
    ("f", (3.0, 5.0)),
    ("gumbel", ()),
    ("laplace", ()),
    ("logistic", ()),
    ("lognormal", ()),
    ("noncentral_chisquare", (3.0, 2.0)),
    ("noncentral_f", (3.0, 5.0, 2.0)),
    ("pareto", (3.0,)),
    ("power", (3.0,)),
    ("rayleigh", ()),
    ("standard_cauchy", ()),
    ("standard_t", (5.0,)),
    ("triangular", (0.0, 1.0, 3.0)),
    ("vonmises", (0.0, 4.0)),
    ("wald", (1.0, 2.0)),
    ("weibull", (1.5,)),
    ("poisson", (3.0,)),
    ("poisson", (100.0,)),
    ("binomial", (10, 0.3)),
    ("binomial", (1000, 0.4)),
    ("geometric", (0.3,)),
    ("hypergeometric", (1000, 2000, 500)),
    ("logseries", (0.6,)),
    ("negative_binomial", (5.0, 0.3)),
    ("zipf", (2.0,)),
]


def families(report, device, size=1_000_000):
    queue = qn.Queue(device)
    rng, theirs = qn.random.default_rng(3), np.random.default_rng(3)
    for name, parameters in FAMILIES:
        out = qn.zeros((size,), getattr(theirs, name)(*parameters, size=1).dtype, device=device)
        draw, other = getattr(rng, name), getattr(theirs, name)
        report.add(
            take_turns(
                f"{name}{parameters}, {size:,}",
                "host",
                [
                    Contestant("Quern", lambda d=draw, p=parameters, o=out: d(*p, out=o, queue=queue).wait()),
                    Contestant("NumPy PCG64", lambda d=other, p=parameters: d(*p, size=size)),
                ],
                rounds=max(2, report.options.rounds // 4),
                nbytes=out.nbytes,
                reference="NumPy PCG64",
                bar="ratio 1.00",
            )
        )


def host(report, device, size=1 << 24):
    families(report, device)
    queue = qn.Queue(device)
    theirs = np.random.Generator(np.random.Philox(3))
    loop = native(report, "openmp_fill", "-march=native", "-fopenmp")
    if loop:
        loop.fill.restype = ctypes.c_double
    one = ctypes.c_float(1)
    for name, arguments, dtype, _, limit in DRAWS:
        out = qn.zeros((size,), dtype, device=device)
        rng = qn.random.default_rng(3)
        draw = getattr(rng, name)
        contestants = [
            Contestant("Quern", lambda d=draw, o=out, a=arguments: d(**a, out=o, queue=queue).wait())
        ]
        if loop:
            memory = np.zeros(out.nbytes // 4, np.float32)
            pointer = memory.ctypes.data_as(ctypes.c_void_p)
            count = ctypes.c_size_t(memory.size)
            contestants.append(
                Contestant(
                    "OpenMP store loop", batch_time=lambda n, p=pointer, c=count: loop.fill(p, one, c, n)
                )
            )
        if name == "integers":
            contestants.append(Contestant("NumPy Philox", lambda: theirs.integers(0, 1000, size, np.int32)))
        else:
            same = np.zeros(size, dtype)
            contestants.append(
                Contestant("NumPy Philox", lambda n=name, s=same: getattr(theirs, n)(dtype=s.dtype, out=s))
            )
        report.add(
            take_turns(
                f"{name} {dtype}, {size:,}",
                "host",
                contestants,
                rounds=max(2, report.options.rounds // 4),
                nbytes=out.nbytes,
                reference="OpenMP store loop",
                bar=f"ratio {1 / limit:.2f}" if limit else "",
            )
        )


def cuda(report, device, size=1 << 28):
    queue = qn.Queue(device)
    cupy, torch = peer(report, "cupy"), peer(report, "torch")
    for name, arguments, dtype, limit, _ in DRAWS:
        out = qn.zeros((size,), dtype, device=device)
        rng = qn.random.default_rng(3)
        draw = getattr(rng, name)
        contestants = [
            Contestant("Quern", lambda d=draw, o=out, a=arguments: d(**a, out=o, queue=queue), queue.finish),
            Contestant("fill (the write limit)", lambda o=out: o.fill(0, queue=queue), queue.finish),
        ]
        if cupy and name != "integers":
            finish = cupy.cuda.get_current_stream().synchronize
            for bits in ("Philox4x3210", "XORWOW"):
                theirs = cupy.random.Generator(getattr(cupy.random, bits)(3))
                same = cupy.zeros(size, dtype)
                contestants.append(
                    Contestant(
                        f"CuPy {bits}",
                        lambda g=theirs, n=name, s=same: getattr(g, n)(dtype=s.dtype, out=s),
                        finish,
                    )
                )
        if torch and dtype == "float32":
            tensor = torch.zeros(size, device="cuda")
            method = {
                "random": "uniform_",
                "standard_normal": "normal_",
                "standard_exponential": "exponential_",
            }
            contestants.append(
                Contestant(
                    "PyTorch",
                    lambda t=tensor, m=method[name]: getattr(t, m)(),
                    torch.cuda.synchronize,
                )
            )
        report.add(
            take_turns(
                f"{name} {dtype}, {size:,}",
                "cuda",
                contestants,
                rounds=report.options.rounds,
                batch=10,
                drain_inside=True,
                nbytes=out.nbytes,
                reference="fill (the write limit)",
                bar=f"ratio {1 / limit:.2f}" if limit else "",
            )
        )


if __name__ == "__main__":
    run(__doc__, 20, host=host, cuda=cuda)
