# SPDX-License-Identifier: MIT
"""Random numbers on many ranks against those of one rank, for ranks that are threads and for processes of MPI."""

from programs import layout_of, same, shape_of

import quern
import quern.dist as qn


def draws(rng):
    shape, seed = shape_of(rng, longest=12), rng.randint(0, 99)
    ours, plain = qn.default_rng(seed), quern.random.default_rng(seed)
    for method, options in (
        ("random", {}),
        ("random", {"dtype": "float32"}),
        ("standard_normal", {}),
        ("normal", {"dtype": "float32", "loc": 2.0}),
        ("uniform", {"low": -1.0}),
        ("exponential", {}),
        ("integers", {"low": 0, "high": 1000}),
        ("random", {}),
    ):
        got = getattr(ours, method)(size=shape, layout=layout_of(rng, qn.size(), shape), **options)
        same(got, getattr(plain, method)(size=shape, **options).get())


DISTRIBUTIONS = {
    "beta": (2.5, 1.5),
    "binomial": (10, 0.3),
    "chisquare": (3.0,),
    "f": (2.0, 3.0),
    "gamma": (2.0, 1.5),
    "geometric": (0.3,),
    "gumbel": (0.5, 1.5),
    "hypergeometric": (7, 8, 5),
    "laplace": (),
    "logistic": (),
    "logseries": (0.3,),
    "negative_binomial": (10, 0.3),
    "noncentral_chisquare": (3.0, 1.0),
    "pareto": (2.5,),
    "poisson": (4.0,),
    "power": (2.5,),
    "rayleigh": (1.5,),
    "standard_cauchy": (),
    "standard_exponential": (),
    "standard_gamma": (2.0,),
    "standard_t": (3.0,),
    "triangular": (0.0, 0.5, 2.0),
    "vonmises": (0.0, 1.0),
    "wald": (1.0, 1.5),
    "weibull": (2.5,),
    "zipf": (2.5,),
}


def distributions(rng):
    shape, seed = shape_of(rng, longest=12), rng.randint(0, 99)
    ours, plain = qn.default_rng(seed), quern.random.default_rng(seed)
    for method in rng.sample(sorted(DISTRIBUTIONS), 5):
        got = getattr(ours, method)(
            *DISTRIBUTIONS[method], size=shape, layout=layout_of(rng, qn.size(), shape)
        )
        same(got, getattr(plain, method)(*DISTRIBUTIONS[method], size=shape).get())


BODIES = [distributions, draws]
