# SPDX-License-Identifier: MIT
"""Every math function against the C library's long double, in units of the last place, on every device.

The bounds are those of OpenCL's full profile. Functions that gcc vectorises have a kernel of their own, so that the
vector variants are what is measured.
"""

import numpy as np
import pytest
from math_reference import FUNCTIONS, compile_reference, exact_values, ulps

import quern as qn


def samples(domain, dtype, rng, n):
    """Two arrays of arguments: dense where functions bend, and all over the exponents."""
    info = np.finfo(dtype)
    sign = rng.choice([-1.0, 1.0], n)
    every = np.ldexp(rng.uniform(1, 2, n), rng.integers(info.minexp, info.maxexp, n))
    near = rng.uniform(-10, 10, n)
    half = np.arange(n) % 2 == 0
    if domain in ("all", "angle"):
        largest = 1e30 if domain == "angle" and dtype == np.float32 else None
        x = np.where(half, near, sign * every)
        if largest:
            x = np.where(np.abs(x) > largest, near, x)
        y = np.roll(np.where(half, sign * every, near), 1)
    elif domain == "turns":
        x = np.where(half, near, rng.integers(-4000, 4000, n) / 4 + rng.choice([0, 1e-6, 1e-3], n))
        y = near
    elif domain in ("unit", "small"):
        x = np.where(
            half, rng.uniform(-1, 1, n), sign * np.ldexp(rng.uniform(0.5, 1, n), -rng.integers(0, 40, n))
        )
        y = near
    elif domain == "above_one":
        x = np.where(half, 1 + np.ldexp(rng.uniform(0, 1, n), -rng.integers(0, 20, n)), np.maximum(every, 1))
        y = near
    elif domain == "positive":
        x = np.where(half, every, np.ldexp(rng.uniform(0.5, 1.5, n), rng.integers(-1, 2, n)))
        y = near
    elif domain == "above_minus_one":
        x = np.where(half, rng.uniform(-0.999, 2, n), np.where(sign > 0, every, -np.minimum(every, 0.99)))
        y = near
    elif domain == "exponent":
        top = {np.float16: 11, np.float32: 90, np.float64: 700}[dtype]
        x = np.where(
            half, rng.uniform(-top, top, n), sign * np.ldexp(rng.uniform(0.5, 1, n), -rng.integers(0, 40, n))
        )
        y = near
    elif domain == "error":
        x, y = rng.uniform(-6, {np.float16: 3.5, np.float32: 10, np.float64: 27}[dtype], n), near
    elif domain == "gamma":
        x = rng.uniform(*{np.float16: (-8, 8.5), np.float32: (-30, 35), np.float64: (-160, 171)}[dtype], n)
        x = np.where(np.abs(x - np.rint(x)) < 2e-2, x + 0.25, x)
        y = near
    elif domain == "power":
        x = np.where(half, rng.uniform(0.1, 4, n), np.ldexp(rng.uniform(1, 2, n), rng.integers(-20, 20, n)))
        y = rng.uniform(-6, 6, n)
    else:  # close
        x, y = near * 3, np.where(np.abs(near) < 1e-2, 1, np.roll(near, 7))
    with np.errstate(over="ignore"):
        return x.astype(dtype), y.astype(dtype)


def source_of(groups, scalar):
    extension = {"half": "cl_khr_fp16", "double": "cl_khr_fp64"}.get(scalar)
    text = f"#pragma OPENCL EXTENSION {extension} : enable\n" if extension else ""
    for k, group in enumerate(groups):
        text += f"kernel void group{k}(global const {scalar} *xs, global const {scalar} *ys, global {scalar} *out) {{\n"
        text += "  size_t i = get_global_id(0), n = get_global_size(0);\n"
        for slot, f in enumerate(group):
            text += f"  {{ {scalar} x = xs[i + {slot} * n], y = ys[i + {slot} * n]; out[i + {slot} * n] = {f.expression}; }}\n"
        text += "}\n"
    return text


SCALARS = {np.float16: "half", np.float32: "float", np.float64: "double"}


@pytest.fixture(scope="session")
def reference(tmp_path_factory):
    return compile_reference(tmp_path_factory.mktemp("reference"))


def bound_of(function, dtype, device):
    if dtype == np.float16:
        return min(2, function.bound) if function.half_bound is None else function.half_bound
    # Division is a correctly rounded operation on every device of ours; OpenCL's own promise less for float.
    if (
        function.name in ("divide", "reciprocal", "sqrt")
        and device.backend == "opencl"
        and dtype == np.float32
    ):
        return 3
    return function.bound


@pytest.mark.parametrize(
    "count", [1 << 14, pytest.param(1 << 18, marks=pytest.mark.slow)], ids=["some", "many"]
)
@pytest.mark.parametrize("dtype", SCALARS, ids=SCALARS.values())
def test_every_math_function_keeps_its_bound(device, queue, reference, dtype, count):
    if not {np.float16: device.has_fp16, np.float64: device.has_fp64}.get(dtype, True):
        pytest.skip(f"no {SCALARS[dtype]}")
    functions = [f for f in FUNCTIONS if dtype == np.float32 or not f.name.startswith("half_")]
    groups = [[f] for f in functions if f.alone]
    rest = [f for f in functions if not f.alone]
    groups += [rest[i : i + 12] for i in range(0, len(rest), 12)]
    program = qn.Program(source_of(groups, SCALARS[dtype])).build(device)
    rng = np.random.default_rng(5)
    failures = []
    for k, group in enumerate(groups):
        pairs = [samples(f.domain, dtype, rng, count) for f in group]
        xs, ys = (np.concatenate([p[i] for p in pairs]) for i in (0, 1))
        out = qn.zeros(xs.size, dtype, device)
        kernel = getattr(program, f"group{k}")
        kernel(queue, count, None, qn.asarray(xs, device=device), qn.asarray(ys, device=device), out)
        results = out.get()
        for slot, f in enumerate(group):
            piece = slice(slot * count, (slot + 1) * count)
            x, y, result = xs[piece], ys[piece], results[piece]
            exact = exact_values(reference, f, x, y)
            error = ulps(result, exact, dtype)
            worst, bound = int(np.argmax(error)), bound_of(f, dtype, device)
            if error[worst] > bound + 1e-3:
                failures.append(
                    f"{f.name}: {error[worst]:.3f} ulp, more than {bound}, at {x[worst]!r}, {y[worst]!r}: "
                    f"{result[worst]!r}, not {exact[worst]!r}"
                )
    assert not failures, "\n".join(failures)


def special_pairs(dtype, with_integers):
    """All pairs of the values where functions have edges."""
    info = np.finfo(dtype)
    values = [0, 0.5, 1, 1.5, 2, 3, 1e3, info.max, info.tiny, info.smallest_subnormal, np.inf, np.nan]
    values += [-value for value in values[:-1]]
    second = [-3, -2, -1, 1, 2, 3, 4] if with_integers else values
    return (part.reshape(-1) for part in np.meshgrid(np.array(values, dtype), np.array(second, dtype)))


@pytest.mark.parametrize("dtype", SCALARS, ids=SCALARS.values())
def test_special_values_of_every_math_function(device, queue, reference, dtype):
    """Infinities, not-a-numbers and the signs of zeros are exact; what is finite keeps the function's bound."""
    if device.backend == "opencl":
        pytest.skip("what an OpenCL device makes of these is its compiler's own affair")
    if not {np.float16: device.has_fp16, np.float64: device.has_fp64}.get(dtype, True):
        pytest.skip(f"no {SCALARS[dtype]}")
    functions = [f for f in FUNCTIONS if not f.name.startswith("half_")]
    groups = [functions[i : i + 20] for i in range(0, len(functions), 20)]
    program = qn.Program(source_of(groups, SCALARS[dtype])).build(device)
    failures = []
    for k, group in enumerate(groups):
        pairs = [tuple(special_pairs(dtype, "(int)" in f.expression)) for f in group]
        count = max(x.size for x, _ in pairs)
        xs, ys = (np.concatenate([np.resize(p[i], count) for p in pairs]) for i in (0, 1))
        out = qn.zeros(xs.size, dtype, device)
        kernel = getattr(program, f"group{k}")
        kernel(queue, count, None, qn.asarray(xs, device=device), qn.asarray(ys, device=device), out)
        results = out.get()
        for slot, f in enumerate(group):
            piece = slice(slot * count, (slot + 1) * count)
            x, y, result = xs[piece], ys[piece], results[piece]
            exact = exact_values(reference, f, x, y)
            good = ulps(result, exact, dtype) <= bound_of(f, dtype, device) + 1e-3
            good &= np.where(np.isinf(exact), result == exact, True)
            if f.name not in ("fmax", "fmin", "maxmag", "minmag"):  # of two zeros they may give either
                good &= np.where(exact == 0, (result == 0) & (np.signbit(result) == np.signbit(exact)), True)
            failures += [
                f"{f.name}({x[i]!r}, {y[i]!r}): {result[i]!r}, not {exact[i]!r}"
                for i in np.flatnonzero(~good)[:4]
            ]
    assert not failures, "\n".join(failures)
