# SPDX-License-Identifier: MIT
"""How polynomials and methods of functions of two operands are called."""

from __future__ import annotations

from typing import Any

import numpy as np
from differential import REAL, Call, Draw, Operand, largest
from differential_table import calls, some_positions, target, with_few_extremes


def coefficients(d: Draw, low: int = 1, high: int = 4, kinds: str = "biufc") -> Operand:
    return d.array(kinds, shape=(d.integer(low, high),))


def modest(d: Draw) -> None:
    """Numbers for which rounding does not decide what the result is."""
    if d.regime in ("extreme", "special"):
        d.regime = "small"


@calls("polyadd polysub")
def sum_of_polynomials(d: Draw) -> Call:
    return Call((coefficients(d), coefficients(d)))


@calls("polymul")
def polymul(d: Draw) -> Call:
    with_few_extremes(d)
    p, q = coefficients(d), coefficients(d)
    return Call((p, q), scale=largest(p) * largest(q) * 4)


@calls("polydiv")
def polydiv(d: Draw) -> Call:
    modest(d)
    u = np.array([d.integer(-9, 9) for _ in range(d.integer(1, 5))])
    v = np.array([d.pick([1, 2, -4]), *(d.integer(-3, 3) for _ in range(d.integer(0, 3)))])
    dtype = d.pick(["f4", "f8", "i4", "c16"])
    return Call((Operand(u.astype(dtype)), Operand(v.astype(dtype))), scale=100.0)


@calls("polyder")
def polyder(d: Draw) -> Call:
    with_few_extremes(d)
    p = coefficients(d, kinds="iufc")
    return Call((p,), d.maybe(m=d.integer(-1, 5)), scale=largest(p))


@calls("polyint")
def polyint(d: Draw) -> Call:
    with_few_extremes(d)
    p = coefficients(d, kinds="ifc")
    m = d.integer(0, 3)
    options: dict[str, Any] = d.maybe(k=d.pick([2, 0.5, [1, 2, 3], [1]]))
    return Call((p, m), options, scale=largest(p))


@calls("poly")
def poly(d: Draw) -> Call:
    modest(d)
    zeros = np.array([d.integer(-3, 3) for _ in range(d.integer(0, 4))])
    return Call((Operand(zeros.astype(d.pick(["i4", "f4", "f8", "c8", "c16"]))),), scale=100.0)


@calls("polyfit")
def polyfit(d: Draw) -> Call:
    count = d.integer(4, 12)
    x = np.arange(count) / 4 - 1
    y = np.array([d.integer(-5, 5) for _ in range(count)], d.pick(["f8", "f8", "i4", "c16"]))
    options: dict[str, Any] = d.maybe(w=Operand(np.array([d.pick([0.5, 1.0, 2.0]) for _ in range(count)])))
    if d.chance(0.3):
        options["cov"] = "unscaled"
    # An inverse of the matrix loses what its condition says.
    return Call((Operand(x), Operand(y), d.integer(-1, 3)), options, scale=1e9 if "cov" in options else 1e5)


REDUCTIONS = [
    "add",
    "multiply",
    "maximum",
    "minimum",
    "fmax",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "logical_and",
    "logical_or",
    "logical_xor",
    "subtract",
    "gcd",
]
WHOLE = ("bitwise_and", "bitwise_or", "bitwise_xor", "gcd")


def kinds_for(name: str) -> str:
    return "iu" if name in WHOLE else "iuf" if name in ("subtract",) else REAL


@calls(" ".join(f"{name}.at" for name in REDUCTIONS))
def update_at(d: Draw) -> Call:
    modest(d)
    name = d.name.partition(".")[0]
    x = target(d, kinds=kinds_for(name), low=1)
    shape = d.shape(1, 1)
    at = some_positions(d, max(x.shape[0], 1), shape)
    tail = x.shape[1:] if d.chance(0.5) else ()
    values = d.array(shape=(*shape, *tail) if len(tail) == x.ndim - 1 else (), dtype=x.dtype)
    return Call((x, at, values), scale=max(1.0, largest(x)) * max(1.0, largest(values)) ** 4)


@calls(" ".join(f"{name}.reduceat" for name in REDUCTIONS))
def reduce_at(d: Draw) -> Call:
    modest(d)
    name = d.name.partition(".")[0]
    x = d.array(kinds_for(name), low=1)
    axis = d.axis(x.ndim)
    length = x.shape[axis] if -x.ndim <= axis < x.ndim else 1
    starts = [d.integer(0, max(length - 1, 0)) for _ in range(d.integer(1, 4))]
    if d.chance(0.05):
        starts[0] = d.pick([-1, length])
    return Call((x, starts), {"axis": axis}, scale=max(1.0, largest(x)) ** 4)


@calls(" ".join(f"{name}.{method}" for name in REDUCTIONS for method in ("reduce", "accumulate")))
def fold(d: Draw) -> Call:
    modest(d)
    name, _, method = d.name.partition(".")
    x = d.array(kinds_for(name), low=1)
    options: dict[str, Any] = d.maybe(axis=d.axis(x.ndim))
    if method == "reduce":
        options |= d.maybe(keepdims=True)
    return Call((x,), options, scale=max(1.0, largest(x)) ** 4)
