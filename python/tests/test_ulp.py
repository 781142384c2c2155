# SPDX-License-Identifier: MIT
"""Every math function against the C library's long double, in units of the last place, on every device.

The bounds are those of OpenCL's full profile. Functions that gcc vectorises have a kernel of their own, so that the
vector variants are what is measured.
"""

import ctypes
import shutil
import subprocess
from dataclasses import dataclass

import numpy as np
import pytest

import quern as qn

SAMPLES = 1 << 14

# Reference and bounds: an expression in C of the long doubles x and y, and the most ulps for float and double.
# `domain` names a sampler below. Functions with the argument "n" take an int second.


@dataclass
class Function:
    name: str
    reference: str
    bound: float
    domain: str
    call: str = ""
    alone: bool = False

    @property
    def expression(self):
        return self.call or f"{self.name}(x)"


PI = "3.14159265358979323846264338327950288L"
TWO = "{0}(x, y)"
FUNCTIONS = [
    Function("acos", "acosl(x)", 4, "unit"),
    Function("acosh", "acoshl(x)", 4, "above_one"),
    Function("acospi", f"acosl(x) / {PI}", 5, "unit"),
    Function("asin", "asinl(x)", 4, "unit"),
    Function("asinh", "asinhl(x)", 4, "all"),
    Function("asinpi", f"asinl(x) / {PI}", 5, "unit"),
    Function("atan", "atanl(x)", 5, "all"),
    Function("atanh", "atanhl(x)", 5, "unit"),
    Function("atanpi", f"atanl(x) / {PI}", 5, "all"),
    Function("atan2", "atan2l(x, y)", 6, "all", "atan2(x, y)"),
    Function("atan2pi", f"atan2l(x, y) / {PI}", 6, "all", "atan2pi(x, y)"),
    Function("cbrt", "cbrtl(x)", 2, "all"),
    Function("ceil", "ceill(x)", 0, "all"),
    Function("cos", "cosl(x)", 4, "angle", alone=True),
    Function("cosh", "coshl(x)", 4, "exponent"),
    Function("cospi", "cospil(x)", 4, "turns"),
    Function("erf", "erfl(x)", 16, "error"),
    Function("erfc", "erfcl(x)", 16, "error"),
    Function("exp", "expl(x)", 3, "exponent", alone=True),
    Function("exp2", "exp2l(x)", 3, "exponent"),
    Function("exp10", "exp10l(x)", 3, "exponent"),
    Function("expm1", "expm1l(x)", 3, "exponent"),
    Function("fabs", "fabsl(x)", 0, "all"),
    Function("fdim", "fdiml(x, y)", 0.5, "all", "fdim(x, y)"),
    Function("floor", "floorl(x)", 0, "all"),
    Function("fma", "x * y + x", 0.5001, "close", "fma(x, y, x)"),
    Function("fmax", "fmaxl(x, y)", 0, "all", "fmax(x, y)"),
    Function("fmin", "fminl(x, y)", 0, "all", "fmin(x, y)"),
    Function("fmod", "fmodl(x, y)", 0, "close", "fmod(x, y)"),
    Function("hypot", "hypotl(x, y)", 4, "all", "hypot(x, y)"),
    Function("ldexp", "ldexpl(x, (int)y)", 0.5, "close", "ldexp(x, (int)y)"),
    Function("log", "logl(x)", 3, "positive", alone=True),
    Function("log2", "log2l(x)", 3, "positive"),
    Function("log10", "log10l(x)", 3, "positive"),
    Function("log1p", "log1pl(x)", 2, "above_minus_one"),
    Function("logb", "logbl(x)", 0, "positive"),
    Function(
        "maxmag", "fabsl(x) > fabsl(y) ? x : fabsl(y) > fabsl(x) ? y : fmaxl(x, y)", 0, "all", "maxmag(x, y)"
    ),
    Function(
        "minmag", "fabsl(x) < fabsl(y) ? x : fabsl(y) < fabsl(x) ? y : fminl(x, y)", 0, "all", "minmag(x, y)"
    ),
    Function("pow", "powl(x, y)", 16, "power", "pow(x, y)", alone=True),
    Function("pown", "powl(x, (int)y)", 16, "close", "pown(x, (int)y)"),
    Function("powr", "powl(x, y)", 16, "power", "powr(x, y)", alone=True),
    Function("remainder", "remainderl(x, y)", 0, "close", "remainder(x, y)"),
    Function("rint", "rintl(x)", 0, "all"),
    Function(
        "rootn",
        "powl(x, 1.0L / ((int)y == 0 ? 1 : (int)y))",
        16,
        "power",
        "rootn(x, (int)y == 0 ? 1 : (int)y)",
    ),
    Function("round", "roundl(x)", 0, "all"),
    Function("rsqrt", "1 / sqrtl(x)", 2, "positive"),
    Function("sin", "sinl(x)", 4, "angle", alone=True),
    Function("sinh", "sinhl(x)", 4, "exponent"),
    Function("sinpi", "sinpil(x)", 4, "turns"),
    Function("sqrt", "sqrtl(x)", 0.5, "positive"),
    Function("tan", "tanl(x)", 5, "angle"),
    Function("tanh", "tanhl(x)", 5, "exponent"),
    Function("tanpi", "sinpil(x) / cospil(x)", 6, "turns"),
    Function("tgamma", "tgammal(x)", 16, "gamma"),
    Function("trunc", "truncl(x)", 0, "all"),
    Function("add", "x + y", 0.5, "close", "x + y"),
    Function("multiply", "x * y", 0.5, "close", "x * y"),
    Function("divide", "x / y", 0.5, "close", "x / y"),
    Function("reciprocal", "1 / x", 0.5, "close", "1 / x"),
    Function("half_exp", "expl(x)", 8192, "exponent"),
    Function("half_log", "logl(x)", 8192, "positive"),
    Function("half_sin", "sinl(x)", 8192, "small"),
    Function("half_cos", "cosl(x)", 8192, "small"),
    Function("half_tan", "tanl(x)", 8192, "small"),
    Function("half_powr", "powl(x, y)", 8192, "power", "half_powr(x, y)"),
    Function("half_rsqrt", "1 / sqrtl(x)", 8192, "positive"),
    Function("half_sqrt", "sqrtl(x)", 8192, "positive"),
    Function("half_divide", "x / y", 8192, "close", "half_divide(x, y)"),
    Function("half_recip", "1 / x", 8192, "close", "half_recip(x)"),
]

REFERENCE = r"""
#define _GNU_SOURCE
#include <math.h>
static long double turn(long double a) { return a - 2 * floorl(a / 2); }
static long double sinpil(long double x) {
  long double r = turn(fabsl(x)), s = copysignl(1, x);
  if (r >= 1) { r -= 1; s = -s; }
  if (r == 0) return copysignl(0, x);
  return s * sinl(PI * (r > 0.5L ? 1 - r : r));
}
static long double cospil(long double x) {
  long double r = turn(fabsl(x));
  if (r > 1) r = 2 - r;
  if (r == 0.5L) return 0;
  return r < 0.25L ? cosl(PI * r) : r > 0.75L ? -cosl(PI * (1 - r)) : sinl(PI * (0.5L - r));
}
"""


@pytest.fixture(scope="session")
def reference(tmp_path_factory):
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if not compiler or np.finfo(np.longdouble).nmant < 63:
        pytest.skip("needs a C compiler and a long double of 64 digits")
    folder = tmp_path_factory.mktemp("reference")
    text = REFERENCE.replace("PI", PI)
    for f in FUNCTIONS:
        text += (
            f"void r_{f.name}(const long double *a, const long double *b, long double *r, long n) {{\n"
            f"  for (long i = 0; i < n; ++i) {{ long double x = a[i], y = b[i]; r[i] = {f.reference}; }}\n}}\n"
        )
    (folder / "reference.c").write_text(text)
    library = folder / "reference.so"
    subprocess.run(
        [compiler, "-O1", "-shared", "-fPIC", "-o", str(library), str(folder / "reference.c"), "-lm"],
        check=True,
    )
    return ctypes.CDLL(str(library))


def samples(domain, dtype, rng):
    """Two arrays of arguments: dense where functions bend, and all over the exponents."""
    info = np.finfo(dtype)
    n = SAMPLES
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
        top = 90 if dtype == np.float32 else 700
        x = np.where(
            half, rng.uniform(-top, top, n), sign * np.ldexp(rng.uniform(0.5, 1, n), -rng.integers(0, 40, n))
        )
        y = near
    elif domain == "error":
        x, y = rng.uniform(-6, 10 if dtype == np.float32 else 27, n), near
    elif domain == "gamma":
        x = rng.uniform(-30, 35, n) if dtype == np.float32 else rng.uniform(-160, 171, n)
        x = np.where(np.abs(x - np.rint(x)) < 1e-3, x + 0.25, x)
        y = near
    elif domain == "power":
        x = np.where(half, rng.uniform(0.1, 4, n), np.ldexp(rng.uniform(1, 2, n), rng.integers(-20, 20, n)))
        y = rng.uniform(-6, 6, n)
    else:  # close
        x, y = near * 3, np.where(np.abs(near) < 1e-2, 1, np.roll(near, 7))
    with np.errstate(over="ignore"):
        return x.astype(dtype), y.astype(dtype)


def ulps(result, exact, dtype):
    """How far results are from the exact values, in units of the last place of the format."""
    info = np.finfo(dtype)
    least = np.longdouble(info.tiny) * info.eps
    with np.errstate(all="ignore"):
        _, exponent = np.frexp(exact)
        unit = np.maximum(np.ldexp(np.longdouble(1), exponent - 1 - info.nmant), least)
        limit = np.ldexp(np.longdouble(1), info.maxexp)
        # Beyond the largest number lies the next power of two: infinity stands for it.
        bounded = np.where(np.abs(exact) > limit, np.copysign(limit, exact), exact)
        got = np.where(np.isinf(result), np.copysign(limit, result), result.astype(np.longdouble))
        unit = np.where(np.abs(bounded) >= limit, limit * info.eps, unit)
        error = np.abs(got - bounded) / unit
    both_nan = np.isnan(result) & np.isnan(exact)
    return np.where(both_nan, 0, np.where(np.isnan(result) | np.isnan(exact), np.inf, error)).astype(float)


def source_of(groups, scalar):
    text = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" if scalar == "double" else ""
    for k, group in enumerate(groups):
        text += f"kernel void group{k}(global const {scalar} *xs, global const {scalar} *ys, global {scalar} *out) {{\n"
        text += "  size_t i = get_global_id(0), n = get_global_size(0);\n"
        for slot, f in enumerate(group):
            text += f"  {{ {scalar} x = xs[i + {slot} * n], y = ys[i + {slot} * n]; out[i + {slot} * n] = {f.expression}; }}\n"
        text += "}\n"
    return text


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float", "double"])
def test_every_math_function_keeps_its_bound(device, queue, reference, dtype):
    if dtype == np.float64 and not device.has_fp64:
        pytest.skip("no doubles")
    functions = [f for f in FUNCTIONS if dtype == np.float32 or not f.name.startswith("half_")]
    groups = [[f] for f in functions if f.alone]
    rest = [f for f in functions if not f.alone]
    groups += [rest[i : i + 12] for i in range(0, len(rest), 12)]
    scalar = "float" if dtype == np.float32 else "double"
    # Division is a correctly rounded operation on every device of ours; OpenCL's own promise less for float.
    exact_division = device.backend != "opencl" or dtype == np.float64
    program = qn.Program(source_of(groups, scalar)).build(device)
    rng = np.random.default_rng(5)
    failures = []
    for k, group in enumerate(groups):
        pairs = [samples(f.domain, dtype, rng) for f in group]
        xs, ys = (np.concatenate([p[i] for p in pairs]) for i in (0, 1))
        out = qn.zeros(xs.size, dtype, device)
        kernel = getattr(program, f"group{k}")
        kernel(queue, SAMPLES, None, qn.asarray(xs, device=device), qn.asarray(ys, device=device), out)
        results = out.get()
        for slot, f in enumerate(group):
            piece = slice(slot * SAMPLES, (slot + 1) * SAMPLES)
            a, b = xs[piece].astype(np.longdouble), ys[piece].astype(np.longdouble)
            exact = np.empty_like(a)
            arguments = [v.ctypes.data_as(ctypes.c_void_p) for v in (a, b, exact)]
            getattr(reference, f"r_{f.name}")(*arguments, ctypes.c_long(SAMPLES))
            error = ulps(results[piece], exact, dtype)
            worst = int(np.argmax(error))
            bound = f.bound
            if f.name in ("divide", "reciprocal", "sqrt") and not exact_division:
                bound = 3
            if error[worst] > bound + 1e-3:
                failures.append(
                    f"{f.name}: {error[worst]:.3f} ulp, more than {bound}, at {a[worst]!r}, {b[worst]!r}: "
                    f"{results[piece][worst]!r}, not {exact[worst]!r}"
                )
    assert not failures, "\n".join(failures)
