# SPDX-License-Identifier: MIT
"""Every math built-in: exact ones bit for bit, the others within the specification's bound, against float64 or more."""

import math

import numpy as np
import pytest
from table import Table

LD = np.longdouble


def each(f):
    """A function of Python floats over arrays."""
    return np.vectorize(f, otypes=[float])


def pi_of(f):
    return lambda x: f(LD(np.pi) * x)


GAMMA = each(lambda x: math.gamma(x))
LGAMMA = each(lambda x: math.lgamma(x))
ERF, ERFC = each(math.erf), each(math.erfc)

# name: reference, bound for float, bound for double (of the full profile), lowest and highest argument
ONE = {
    "acos": (np.arccos, 4, 4, -1, 1),
    "acosh": (np.arccosh, 4, 4, 1, 1e4),
    "acospi": (lambda x: np.arccos(LD(x)) / LD(np.pi), 5, 5, -1, 1),
    "asin": (np.arcsin, 4, 4, -1, 1),
    "asinh": (np.arcsinh, 4, 4, -1e4, 1e4),
    "asinpi": (lambda x: np.arcsin(LD(x)) / LD(np.pi), 5, 5, -1, 1),
    "atan": (np.arctan, 5, 5, -50, 50),
    "atanh": (np.arctanh, 5, 5, -0.99, 0.99),
    "atanpi": (lambda x: np.arctan(LD(x)) / LD(np.pi), 5, 5, -50, 50),
    "cbrt": (np.cbrt, 2, 2, -1e5, 1e5),
    "cos": (np.cos, 4, 4, -100, 100),
    "cosh": (np.cosh, 4, 4, -20, 20),
    "erf": (ERF, 16, 16, -3, 3),
    "erfc": (ERFC, 16, 16, -3, 3),
    "exp": (np.exp, 3, 3, -80, 80),
    "exp2": (np.exp2, 3, 3, -100, 100),
    "exp10": (lambda x: np.exp(LD(x) * np.log(LD(10))), 3, 3, -30, 30),
    "expm1": (np.expm1, 3, 3, -5, 5),
    "lgamma": (LGAMMA, 30, 30, 2.5, 100),
    "log": (np.log, 3, 3, 1e-3, 1e5),
    "log10": (np.log10, 3, 3, 1e-3, 1e5),
    "log1p": (np.log1p, 2, 2, -0.9, 1e3),
    "log2": (np.log2, 3, 3, 1e-3, 1e5),
    "rsqrt": (lambda x: 1 / np.sqrt(LD(x)), 2, 2, 1e-3, 1e5),
    "sin": (np.sin, 4, 4, -100, 100),
    "sinh": (np.sinh, 4, 4, -20, 20),
    "tan": (np.tan, 5, 5, -1.5, 1.5),
    "tanh": (np.tanh, 5, 5, -10, 10),
    "tgamma": (GAMMA, 16, 16, 0.5, 30),
}
TWO = {
    "atan2": (np.arctan2, 6),
    "atan2pi": (lambda y, x: np.arctan2(LD(y), LD(x)) / LD(np.pi), 6),
    "hypot": (np.hypot, 4),
    "pow": (lambda x, y: np.power(np.abs(x), y), 16),
}
EXACT_ONE = {
    "ceil": np.ceil,
    "floor": np.floor,
    "trunc": np.trunc,
    "rint": np.rint,
    "fabs": np.abs,
    "sqrt": np.sqrt,
    "round": lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x),
}


@pytest.mark.parametrize("kind", ["float", "double"])
def test_functions_of_one_argument_keep_their_bounds(queue, rng, kind):
    dtype = np.dtype({"float": np.float32, "double": np.float64}[kind])
    inputs, checks = {}, []
    for k, (name, (f, single, double, low, high)) in enumerate(ONE.items()):
        x = np.concatenate([np.linspace(low, high, 20), rng.uniform(low, high, 44)]).astype(dtype)
        x = np.clip(x, dtype.type(low), dtype.type(high))
        inputs[f"x{k}"] = x
        wide = x.astype(np.float64)
        with np.errstate(all="ignore"):
            value = np.asarray(f(wide), np.float64)
        # Zeros of the functions lie between two numbers: next to them float64 is a reference for float only.
        bound = single if kind == "float" else double
        checks.append((f"{name}(x{k})", value, bound + (0.6 if kind == "double" else 0)))
    table = Table(**inputs)
    for text, value, bound in checks:
        table.add(text, value, kind, ulp=bound)
    table.run(queue)


@pytest.mark.parametrize("kind", ["float", "double"])
def test_trigonometry_of_multiples_of_pi(queue, rng, kind):
    dtype = {"float": np.float32, "double": np.float64}[kind]
    x = rng.uniform(-0.45, 0.45, 40).astype(dtype)
    table = Table(x=x)
    wide = LD(np.pi) * x.astype(LD) + LD(1.2246467991473532e-16) * x.astype(LD)
    for name, f in (("sinpi", np.sin), ("cospi", np.cos), ("tanpi", np.tan)):
        table.add(f"{name}(x)", f(wide).astype(np.float64), kind, ulp=6.6 if name == "tanpi" else 4.6)
    table.add("sinpi(x * 0 + 2)", 0, kind)
    table.add("cospi(x * 0 + 1)", -1, kind)
    table.add("fabs(cospi(x * 0 + 0.5f))", 0, kind)
    table.run(queue)


@pytest.mark.parametrize("kind", ["float", "double"])
def test_functions_of_two_arguments_keep_their_bounds(queue, rng, kind):
    dtype = {"float": np.float32, "double": np.float64}[kind]
    x, y = (rng.uniform(-6, 6, 60).astype(dtype) for _ in range(2))
    n = rng.integers(-8, 8, 60).astype(np.int32)
    n[n == 0] = 3
    table = Table(x=x, y=y, n=n)
    a, b = x.astype(np.float64), y.astype(np.float64)
    for name, (f, bound) in TWO.items():
        first = "fabs(x)" if name == "pow" else "x"
        table.add(f"{name}({first}, y)", np.asarray(f(a, b), np.float64), kind, ulp=bound + 0.6)
    table.add("powr(fabs(x), y)", np.power(abs(a), b), kind, ulp=16.6)
    table.add("pown(x, n)", np.power(a.astype(LD), n).astype(np.float64), kind, ulp=16.6)
    table.add("rootn(fabs(x), n)", np.power(abs(a).astype(LD), LD(1) / n).astype(np.float64), kind, ulp=16.6)
    table.run(queue)


@pytest.mark.parametrize("kind", ["float", "double"])
def test_exact_functions(queue, rng, kind):
    dtype = {"float": np.float32, "double": np.float64}[kind]
    x = np.concatenate(
        [rng.uniform(-100, 100, 20), [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, np.inf, -np.inf, np.nan]]
    )
    x = x.astype(dtype)
    y = np.roll(x, 7)
    table = Table(x=x, y=y, n=np.arange(-15, 15, dtype=np.int32))
    with np.errstate(all="ignore"):
        for name, f in EXACT_ONE.items():
            table.add(f"{name}(x)", f(x), kind)
        table.add("fmax(x, y)", np.fmax(x, y), kind, ulp=1e-9)  # either zero will do
        table.add("fmin(x, y)", np.fmin(x, y), kind, ulp=1e-9)
        table.add("fmod(x, y)", np.fmod(x, y), kind)
        remainders = [
            math.remainder(a, b) if math.isfinite(a) and b != 0 and not math.isnan(b) else np.nan
            for a, b in zip(x, y, strict=True)
        ]
        table.add("remainder(x, y)", remainders, kind, ulp=1e-9)
        table.add("copysign(x, y)", np.copysign(x, y), kind)
        table.add("fdim(x, y)", np.where(np.isnan(x) | np.isnan(y), np.nan, np.where(x > y, x - y, 0)), kind)
        table.add("ldexp(x, n)", np.ldexp(x, table.inputs["n"]), kind)
        table.add("nextafter(x, y)", np.nextafter(x, y), kind, ulp=1e-9)
        table.add("logb(fabs(x) + 1)", np.floor(np.log2(np.abs(x.astype(LD)) + 1)), kind)
        finite = np.isfinite(x)
        table.add(
            "isfinite(x) ? ilogb(fabs(x) + 1) : 0",
            np.where(finite, np.floor(np.log2(np.abs(np.where(finite, x, 0)) + 1)), 0),
            "int",
        )
        table.add(
            "maxmag(x, y)",
            np.where(np.abs(x) > np.abs(y), x, np.where(np.abs(y) > np.abs(x), y, np.fmax(x, y))),
            kind,
            ulp=1e-9,
        )
        table.add(
            "minmag(x, y)",
            np.where(np.abs(x) < np.abs(y), x, np.where(np.abs(y) < np.abs(x), y, np.fmin(x, y))),
            kind,
            ulp=1e-9,
        )
        whole, part = np.trunc(x), np.copysign(np.where(np.isinf(x), 0, x - np.trunc(x)), x)
        table.add("modf(x, &w)", part, kind, before=f"{kind} w;")
        table.add("w", whole, kind, before=f"{kind} w; modf(x, &w);")
        mantissa, exponent = np.frexp(x)
        table.add("frexp(x, &e)", mantissa, kind, before="int e;")
        table.add("isfinite(x) ? e : 0", np.where(finite, exponent, 0), "int", before="int e; frexp(x, &e);")
        floor = np.floor(x)
        below_one = np.nextafter(dtype(1), dtype(0))
        fraction = np.where(np.isinf(x), np.copysign(0, x), np.minimum(x - floor, below_one))
        table.add("fract(x, &w)", np.where(x == 0, x, fraction), kind, before=f"{kind} w;", ulp=1e-9)
        table.add("w", floor, kind, before=f"{kind} w; fract(x, &w);")
        table.add("isnan(nan((%s)5))" % ("uint" if kind == "float" else "ulong"), 1, "int")
    table.run(queue)


def test_remquo_gives_the_low_bits_of_the_quotient(queue):
    x, y = np.float32([5.5, -5.5, 17, 100.25, 3]), np.float32([2, 2, -4, 3, 7])
    table = Table(x=x, y=y)
    quotient = np.rint(x.astype(float) / y)
    table.add("remquo(x, y, &q)", x - quotient * y, "float", before="int q;")
    low = np.sign(quotient) * (np.abs(quotient).astype(int) & 127)
    table.add("(q < 0 ? -1 : 1) * (abs(q) & 127)", low, "int", before="int q; remquo(x, y, &q);")
    table.run(queue)


def test_fused_and_separate_multiply_add(queue, rng):
    x, y, z = (rng.standard_normal(200).astype(np.float32) for _ in range(3))
    table = Table(x=x, y=y, z=z)
    exact = x.astype(np.float64) * y + z  # the product of floats is exact in double
    table.add("fma(x, y, z)", exact.astype(np.float32), "float", ulp=0.5 + 1e-6)
    table.add("x * y + z", x * y + z, "float")  # contraction is off
    close = np.abs(exact) + 1
    table.inputs["close"] = close.astype(np.float32)
    table.add("fabs(mad(x, y, z) - fma(x, y, z)) <= 1e-6f * close", 1, "int")
    table.run(queue)


def test_sincos_and_lgamma_r(queue, rng, nvidia_differs):
    nvidia_differs("lgamma_r gives 0 and 1 for the sign")
    x = rng.uniform(-10, 10, 40).astype(np.float32)
    table = Table(x=x)
    wide = x.astype(np.float64)
    table.add("sincos(x, &c)", np.sin(wide), "float", ulp=4, before="float c;")
    table.add("c", np.cos(wide), "float", ulp=4, before="float c; sincos(x, &c);")
    table.add(
        "fabs(lgamma_r(fabs(x) + 2.5f, &s) - lgamma(fabs(x) + 2.5f)) < 1e-4f", 1, "int", before="int s;"
    )
    negative = wide - 11.5
    negative = negative.astype(np.float32)
    table.inputs["negative"] = negative
    sign = [1 if math.floor(v) % 2 == 0 else -1 for v in negative]
    table.add("s", sign, "int", before="int s; lgamma_r(negative, &s);")
    table.run(queue)


def test_native_and_half_functions_are_near(queue, rng):
    x = rng.uniform(0.5, 4, 40).astype(np.float32)
    y = rng.uniform(0.5, 2, 40).astype(np.float32)
    table = Table(x=x, y=y)
    names = ["cos", "exp", "exp2", "exp10", "log", "log2", "log10", "recip", "rsqrt", "sin", "sqrt", "tan"]
    plain = {"recip": "1.0f / x"}
    for prefix in ("native", "half"):
        for name in names:
            want = plain.get(name, f"{name}(x)")
            # Bounds of native_ functions are the device's own affair.
            table.add(f"fabs({prefix}_{name}(x) - {want}) <= 0.02f * (1 + fabs({want}))", 1, "int")
        table.add(f"fabs({prefix}_divide(x, y) - x / y) <= 0.01f * x / y", 1, "int")
        table.add(f"fabs({prefix}_powr(x, y) - powr(x, y)) <= 0.02f * powr(x, y)", 1, "int")
    table.run(queue)


def test_division_is_correctly_rounded(queue, rng):
    x, y = (rng.standard_normal(500).astype(np.float32) for _ in range(2))
    d, e = (rng.standard_normal(500) for _ in range(2))
    table = Table(x=x, y=y, d=d, e=e)
    table.add("x / y", x / y, "float", ulp=2.5)
    table.add("d / e", d / e, "double")
    table.add("sqrt(fabs(d))", np.sqrt(abs(d)), "double")
    table.add("x * y - x + y", x * y - x + y, "float")
    table.run(queue)


def test_math_of_vectors_is_math_of_components(queue, rng):
    v = rng.uniform(0.1, 3, (6, 3)).astype(np.float32)
    w = rng.uniform(0.1, 3, (6, 8))
    table = Table(v=v, w=w)
    for name in ("sin", "exp", "log", "sqrt", "floor", "fabs", "atan", "tanh"):
        for k in range(3):
            table.add(
                f"{name}(v).{'xyz'[k]} == {name}(v.{'xyz'[k]}) || fabs({name}(v).{'xyz'[k]} - {name}(v.{'xyz'[k]})) < 1e-6f",
                1,
                "int",
            )
    table.add("sqrt(w)", np.sqrt(w), "double8")
    table.add("fmin(v, 1.0f)", np.fmin(v, np.float32(1)), "float3")
    table.add("pown(v, (int3)(2))", v.astype(np.float64) ** 2, "float3", ulp=16)
    table.add("ldexp(v, (int3)(1, 2, 3))", v * np.float32([2, 4, 8]), "float3")
    table.add("ldexp(v, 2)", v * 4, "float3")
    table.add("fma(v, v, v)", (v.astype(np.float64) * v + v).astype(np.float32), "float3", ulp=0.51)
    table.add("modf(v, &t)", v - np.trunc(v), "float3", before="float3 t;")
    table.add("c", np.cos(v.astype(np.float64)), "float3", ulp=4, before="float3 c; sincos(v, &c);")
    table.run(queue)
