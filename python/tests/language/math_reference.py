# SPDX-License-Identifier: MIT
"""The table of math functions with OpenCL's bounds in units of the last place, and their values in the C library's long
double, which the tests of accuracy and of special values compare with."""

import ctypes
import shutil
import subprocess
from dataclasses import dataclass

import numpy as np
import pytest

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
    half_bound: float | None = None  # where it is not the least of 2 and the other bound

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
    Function("erf", "erfl(x)", 16, "error", half_bound=4),
    Function("erfc", "erfcl(x)", 16, "error", half_bound=4),
    Function("exp", "expl(x)", 3, "exponent", alone=True),
    Function("exp2", "exp2l(x)", 3, "exponent"),
    Function("exp10", "exp10l(x)", 3, "exponent"),
    Function("expm1", "expm1l(x)", 3, "exponent"),
    Function("fabs", "fabsl(x)", 0, "all"),
    Function("fdim", "fdiml(x, y)", 0.5, "all", "fdim(x, y)"),
    Function("floor", "floorl(x)", 0, "all"),
    Function("fma", "fmal(x, y, x)", 0.5001, "close", "fma(x, y, x)"),
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
    Function("pow", "powl(x, y)", 16, "power", "pow(x, y)", alone=True, half_bound=4),
    Function("pown", "powl(x, (int)y)", 16, "close", "pown(x, (int)y)", half_bound=4),
    Function("powr", "powrl(x, y)", 16, "power", "powr(x, y)", alone=True, half_bound=4),
    Function("remainder", "remainderl(x, y)", 0, "close", "remainder(x, y)"),
    Function("rint", "rintl(x)", 0, "all"),
    Function(
        "rootn",
        "rootnl(x, (int)y == 0 ? 1 : (int)y)",
        16,
        "power",
        "rootn(x, (int)y == 0 ? 1 : (int)y)",
        half_bound=4,
    ),
    Function("round", "roundl(x)", 0, "all"),
    Function("rsqrt", "1 / sqrtl(x)", 2, "positive", half_bound=1),
    Function("sin", "sinl(x)", 4, "angle", alone=True),
    Function("sinh", "sinhl(x)", 4, "exponent"),
    Function("sinpi", "sinpil(x)", 4, "turns"),
    Function("sqrt", "sqrtl(x)", 0.5, "positive"),
    Function("tan", "tanl(x)", 5, "angle"),
    Function("tanh", "tanhl(x)", 5, "exponent"),
    Function("tanpi", "tanpil(x)", 6, "turns"),
    Function("tgamma", "tgammal(x)", 16, "gamma", half_bound=4),
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
/* Where OpenCL has edges of its own: tanpi at whole numbers and between them, powr of what is not positive. */
static long double tanpil(long double x) {
  const long double r = turn(fabsl(x));
  if (r == 0 || r == 1) return copysignl(0, r == 0 ? x : -x);
  if (r == 0.5L || r == 1.5L) return (x > 0) == (r == 0.5L) ? INFINITY : -INFINITY;
  return sinpil(x) / cospil(x);
}
static long double powrl(long double x, long double y) {
  if (isnan(x) || isnan(y) || x < 0 || ((x == 0 || isinf(x)) && y == 0) || (x == 1 && isinf(y))) return NAN;
  return powl(fabsl(x), y);
}
static long double rootnl(long double x, int n) {
  if (x < 0 || (x == 0 && signbit(x))) return n % 2 == 0 ? (x < 0 ? NAN : rootnl(0, n)) : -rootnl(-x, n);
  return x == 0 && n < 0 ? INFINITY : powl(x, 1.0L / n);
}
"""


def compile_reference(folder):
    """The references as a library, in this folder; skips where they cannot be had."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if not compiler or np.finfo(np.longdouble).nmant < 63:
        pytest.skip("needs a C compiler and a long double of 64 digits")
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


def exact_values(library, function, x, y):
    """What a function of the table gives for each pair of arguments, as long doubles."""
    a, b = (np.ascontiguousarray(v, np.longdouble) for v in (x, y))
    exact = np.empty_like(a)
    pointers = [v.ctypes.data_as(ctypes.c_void_p) for v in (a, b, exact)]
    getattr(library, f"r_{function.name}")(*pointers, ctypes.c_long(a.size))
    return exact


def ulps(result, exact, dtype):
    """How far results are from the exact values, in units of the last place of the format."""
    info = np.finfo(dtype)
    least = np.longdouble(info.tiny) * info.eps
    with np.errstate(all="ignore"):
        _, exponent = np.frexp(exact)
        unit = np.maximum(np.ldexp(np.longdouble(1), exponent - 1 - info.nmant), least)
        limit = np.ldexp(np.longdouble(1), info.maxexp)
        # Infinity counts as the power of two that follows the largest number.
        bounded = np.where(np.abs(exact) > limit, np.copysign(limit, exact), exact)
        got = np.where(np.isinf(result), np.copysign(limit, result), result.astype(np.longdouble))
        unit = np.where(np.abs(bounded) >= limit, limit * info.eps, unit)
        error = np.abs(got - bounded) / unit
    both_nan = np.isnan(result) & np.isnan(exact)
    return np.where(both_nan, 0, np.where(np.isnan(result) | np.isnan(exact), np.inf, error)).astype(float)
