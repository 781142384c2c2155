# SPDX-License-Identifier: MIT
"""How functions that make arrays, and those of types, are called."""

from __future__ import annotations

from typing import Any

import numpy as np
from differential import REAL, Call, Draw, Operand, largest
from differential_table import calls, numpys


# Creation.
@calls("arange")
def arange(d: Draw) -> Call:
    d.regime = "small"
    kinds = d.pick(["i", "if"])
    args = [d.number(kinds) for _ in range(d.integer(1, 3))]
    if len(args) == 3 and args[2] == 0:
        args[2] = 1
    return Call(tuple(args), d.maybe(dtype=lambda: d.dtype("iuf")), scale=8)


@calls("linspace")
def linspace(d: Draw) -> Call:
    if d.regime != "extreme" or d.chance(0.7):
        d.regime = d.pick(["small", "normal"])
    one, other = d.broadcast_shapes(2, high=2)
    if d.chance(0.5):
        one = other = ()
    x, y = d.value(shape=one), d.value(shape=other)
    options = d.maybe(num=d.integer(0, 6), endpoint=False, retstep=True)
    precision = np.result_type(np.asarray(numpys(x)).dtype, np.asarray(numpys(y)).dtype, np.float16)
    if d.chance(0.2):
        # Where a number is rounded to another integer is exact in double precision only.
        options["dtype"] = d.dtype("iufc" if precision.itemsize >= 8 else "fc")
    if d.chance(0.2) and (one or other):
        options["axis"] = d.pick([0, -1])
    return Call((x, y), options, scale=largest(numpys(x), numpys(y)), precision=precision)


@calls("logspace")
def logspace(d: Draw) -> Call:
    d.regime = "small"
    # Errors of exponents in float16 are large ones of powers.
    x, y = (
        one if np.asarray(numpys(one)).dtype != np.float16 else 1.5 for one in (d.value(REAL), d.value(REAL))
    )
    return Call((x, y), d.maybe(num=d.integer(0, 6), endpoint=False, base=d.pick([2, 2.0, 3.5])))


@calls("geomspace")
def geomspace(d: Draw) -> Call:
    d.regime = d.pick(["small", "normal"])
    return Call((d.number("if"), d.number("if")), d.maybe(num=d.integer(0, 6), endpoint=False))


@calls("eye")
def eye(d: Draw) -> Call:
    return Call(
        (d.integer(0, 4), *([d.integer(0, 4)] if d.flag() else [])),
        d.maybe(k=d.integer(-5, 5), dtype=d.dtype),
    )


@calls("identity")
def identity(d: Draw) -> Call:
    return Call((d.integer(0, 4),), d.maybe(dtype=d.dtype))


@calls("tri")
def tri(d: Draw) -> Call:
    return Call(
        (d.integer(0, 4), *([d.integer(0, 4)] if d.flag() else [])),
        d.maybe(k=d.integer(-5, 5), dtype=d.dtype),
    )


@calls("tril triu")
def triangles(d: Draw) -> Call:
    return Call((d.array(low=1),), d.maybe(k=d.integer(-3, 3)))


@calls("zeros ones empty")
def blank(d: Draw) -> Call:
    shape = d.shape() if d.flag() else d.integer(0, 5)
    return Call((shape,), d.maybe(dtype=d.dtype), ignored="elements" if d.name == "empty" else "")


@calls("full")
def full(d: Draw) -> Call:
    shape = d.shape()
    return Call((shape, d.value(shape=d.pick([(), shape]))), d.maybe(dtype=d.dtype))


@calls("zeros_like ones_like empty_like")
def like(d: Draw) -> Call:
    return Call(
        (d.value(shape=d.shape()),),
        d.maybe(dtype=d.dtype, shape=(2, 3)),
        ignored="elements" if d.name == "empty_like" else "",
    )


@calls("full_like")
def full_like(d: Draw) -> Call:
    x = d.array()
    return Call((x, d.value(x.dtype.kind, d.pick([(), x.shape]))), d.maybe(dtype=d.dtype))


@calls("array asarray asanyarray ascontiguousarray asfortranarray")
def conversion(d: Draw) -> Call:
    shape = d.shape()
    return Call(
        (d.value(shape=shape),),
        d.maybe(dtype=d.dtype) | (d.maybe(ndmin=d.integer(0, 4)) if d.name == "array" else {}),
    )


@calls("copy")
def copy(d: Draw) -> Call:
    return Call((d.value(shape=d.shape()),))


@calls("diag")
def diag(d: Draw) -> Call:
    return Call((d.array(low=d.pick([0, 1, 1, 1]), high=2),), d.maybe(k=d.integer(-3, 3)))


@calls("diagflat")
def diagflat(d: Draw) -> Call:
    return Call((d.array(high=2),), d.maybe(k=d.integer(-3, 3)))


@calls("diagonal")
def diagonal(d: Draw) -> Call:
    x = d.array(low=1)
    return Call(
        (x,),
        d.maybe(offset=d.integer(-3, 3))
        | ({"axis1": d.axis(x.ndim), "axis2": d.axis(x.ndim)} if d.chance(0.4) else {}),
    )


@calls("frombuffer")
def frombuffer(d: Draw) -> Call:
    return Call(
        (bytes(d.integer(0, 255) for _ in range(16)),),
        {"dtype": d.dtype("iu")} | d.maybe(count=2, offset=d.pick([0, 4, 8])),
    )


@calls("fromiter")
def fromiter(d: Draw) -> Call:
    dtype = d.dtype()
    return Call(([d.element(dtype) for _ in range(4)], dtype), d.maybe(count=3))


@calls("fromfunction")
def fromfunction(d: Draw) -> Call:
    return Call(
        (lambda i, j: i * 2 + j, (d.integer(0, 3), d.integer(1, 3))), d.maybe(dtype=lambda: d.dtype("iuf"))
    )


@calls("meshgrid")
def meshgrid(d: Draw) -> Call:
    given = tuple(d.array(low=0, high=1) for _ in range(d.integer(1, 3)))
    return Call(given, d.maybe(indexing=d.pick(["xy", "ij"]), sparse=True, copy=False))


@calls("indices")
def indices(d: Draw) -> Call:
    return Call((d.shape(1, 3),), d.maybe(dtype=lambda: d.dtype("iuf"), sparse=True))


@calls("mgrid ogrid")
def grid(d: Draw) -> Call:
    def part() -> slice:
        low = d.integer(-3, 3)
        step = d.pick([None, 1, 2, 0.5, 3j, 1j, -1])
        return slice(low, low - 2 if step == -1 else low + d.integer(0, 3), step)

    key = part() if d.chance(0.3) else tuple(part() for _ in range(d.integer(1, 3)))
    return Call((key,), scale=8)


@calls("r_ c_")
def rows(d: Draw) -> Call:
    parts: list[Any] = [d.array(low=1, high=1, shape=(3,)) for _ in range(d.integer(1, 3))]
    if d.name == "r_":
        parts += d.pick([[], [1], [2.5], [slice(0, 3)], [slice(0, 1, 3j)]])
    return Call((tuple(parts),), scale=8)


@calls("ix_")
def ix(d: Draw) -> Call:
    return Call(tuple(d.array("biu", low=1, high=1) for _ in range(d.integer(1, 3))))


@calls("diag_indices")
def diag_indices(d: Draw) -> Call:
    return Call((d.integer(0, 4), *([d.integer(1, 3)] if d.flag() else [])))


@calls("diag_indices_from")
def diag_indices_from(d: Draw) -> Call:
    n = d.integer(0, 3)
    return Call((d.array(shape=(n,) * d.integer(1, 3) if d.chance(0.9) else (n, n + 1)),))


@calls("require")
def require(d: Draw) -> Call:
    wanted = d.pick([None, "C", ["F"], ["C", "W"], ["F_CONTIGUOUS", "O"], "AW", ["C", "F"], []])
    return Call(
        (d.value(shape=d.shape()),), d.maybe(dtype=d.dtype) | ({"requirements": wanted} if wanted else {})
    )


@calls("asarray_chkfinite")
def asarray_chkfinite(d: Draw) -> Call:
    return Call((d.value(shape=d.shape()),), d.maybe(dtype=lambda: d.dtype("fc"), order=d.pick("CF")))


@calls("isfortran")
def isfortran(d: Draw) -> Call:
    x = d.array()
    x.is_lazy = False  # An expression is in C order, whatever it is made of.
    return Call((x,))


@calls("tril_indices triu_indices")
def triangle_indices(d: Draw) -> Call:
    return Call((d.integer(0, 4),), d.maybe(k=d.integer(-3, 3), m=d.integer(0, 4)))


@calls("tril_indices_from triu_indices_from")
def triangle_indices_from(d: Draw) -> Call:
    return Call((d.array(low=2, high=2),), d.maybe(k=d.integer(-3, 3)))


@calls("ravel_multi_index")
def ravel_multi_index(d: Draw) -> Call:
    dims = tuple(d.pick([1, 2, 3, 50, 70000]) for _ in range(d.integer(1, 3)))
    shape = d.shape(0, 2)
    parts = []
    for length in dims:
        dtype = d.dtype("iu")
        most = min(length - 1, int(np.iinfo(dtype).max))
        values = np.array([d.integer(0, most) for _ in range(int(np.prod(shape)))], dtype).reshape(shape)
        parts.append(Operand(values) if d.chance(0.8) or not values.size else values.tolist())
    return Call((tuple(parts), dims))


@calls("unravel_index")
def unravel_index(d: Draw) -> Call:
    dims = tuple(d.pick([1, 2, 3, 50, 300]) for _ in range(d.integer(1, 3)))
    dtype = d.dtype("iu")
    most = min(int(np.prod(dims)) - 1, int(np.iinfo(dtype).max))
    shape = d.shape(0, 2)
    values = np.array([d.integer(0, most) for _ in range(int(np.prod(shape)))], dtype).reshape(shape)
    return Call((Operand(values), dims))


# Types.
@calls("astype")
def astype(d: Draw) -> Call:
    x = d.array()
    return Call((x, d.dtype()), ignored="")


@calls("can_cast")
def can_cast(d: Draw) -> Call:
    return Call(
        (d.dtype(), d.dtype()), d.maybe(casting=d.pick(["no", "equiv", "safe", "same_kind", "unsafe"]))
    )


@calls("result_type")
def result_type(d: Draw) -> Call:
    def one() -> Any:
        return d.pick([d.dtype(), d.array(), d.number()])

    return Call(tuple(one() for _ in range(d.integer(0, 3))))


@calls("common_type")
def common_type(d: Draw) -> Call:
    return Call(tuple(d.array() for _ in range(d.integer(0, 3))))


@calls("einsum_path")
def einsum_path(d: Draw) -> Call:
    return Call(("ij,jk,kl->il", *(d.array(shape=shape) for shape in ((2, 3), (3, 4), (4, 2)))))


@calls("min_scalar_type")
def min_scalar_type(d: Draw) -> Call:
    return Call((d.pick([d.number(), d.dtype()]),))


@calls("isdtype")
def isdtype(d: Draw) -> Call:
    kinds = [
        "bool",
        "signed integer",
        "unsigned integer",
        "integral",
        "real floating",
        "complex floating",
        "numeric",
    ]
    return Call((d.dtype(), d.pick([d.pick(kinds), d.dtype(), (d.pick(kinds), d.dtype())])))


@calls("issubdtype")
def issubdtype(d: Draw) -> Call:
    return Call((d.dtype(), d.pick([np.integer, np.floating, np.inexact, np.number, np.generic, d.dtype()])))


@calls("finfo iinfo")
def limits(d: Draw) -> Call:
    return Call((d.dtype("fc" if d.name == "finfo" else "iu"),))
