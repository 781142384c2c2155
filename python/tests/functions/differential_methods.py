# SPDX-License-Identifier: MIT
"""How operators and methods are called."""

from __future__ import annotations

from typing import Any

import numpy as np
from differential import NUMBERS, REAL, Call, Draw, Operand
from differential_products import matmul
from differential_table import CALLS, Recipe, calls, some_positions, target, words

_WORDS = [np.dtype(one) for one in ("u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8")]

# Operators and methods.
_OPERATORS = """add sub mul truediv floordiv mod pow and_ or_ xor lshift rshift eq ne lt le gt ge matmul
    iadd isub imul itruediv ifloordiv imod ipow iand ior ixor ilshift irshift"""


@calls(*(f"operator.{name}" for name in _OPERATORS.split()))
def operators(d: Draw) -> Call:
    one, other = d.broadcast_shapes(2)
    kinds = d.pick([NUMBERS, REAL, "biu", "iu"])
    if d.name == "operator.matmul":
        return matmul(d)
    if d.name.startswith("operator.i"):
        x = target(d, kinds=kinds, shape=one)
        # Of a wrong shape and a wrong type, either is reported.
        y = d.array(dtype=x.dtype, shape=other) if d.chance(0.2) else d.value(kinds, d.pick([(), x.shape]))
        return Call((x, y))
    x, y = d.array(kinds, one), d.value(kinds, other)
    if d.name in ("operator.lshift", "operator.rshift") and isinstance(y, int):
        y = abs(y) % 70
    return Call((y, x) if not isinstance(y, (list, np.generic)) and d.chance(0.3) else (x, y))


@calls("Array.byteswap")
def byteswap(d: Draw) -> Call:
    x = d.array("iuf")
    if x.base.dtype.kind == "f":
        x.base[np.isnan(x.base)] = 1  # the bits of a NaN are the device's choice
    return Call((x,), d.maybe(inplace=False))


@calls("operator.neg operator.pos operator.invert operator.abs")
def unary_operators(d: Draw) -> Call:
    return Call((d.array(),))


def some_index(d: Draw, shape: tuple[int, ...]) -> Any:
    parts: list[Any] = []
    for length in shape[: d.integer(0, len(shape))]:
        form = d.pick(["integer", "slice", "slice", "array", "mask", "list", "new"])
        if form == "integer":
            parts.append(d.integer(-length, length - 1) if length and d.chance(0.95) else length)
        elif form == "slice":
            step = d.pick([None, 1, 2, -1, -2])
            parts.append(slice(d.pick([None, d.integer(-5, 5)]), d.pick([None, d.integer(-5, 5)]), step))
        elif form == "array":
            parts.append(some_positions(d, length, (2,)) if length else slice(None))
        elif form == "mask":
            parts.append(
                d.mask((length,)) if sum(isinstance(p, Operand) for p in parts) == 0 else slice(None)
            )
        elif form == "list":
            parts.append([d.integer(0, length - 1) for _ in range(2)] if length else slice(None))
        else:
            parts += [None, slice(None)]
    if d.chance(0.2):
        parts.append(...)
    return tuple(parts)


@calls("operator.getitem")
def getitem(d: Draw) -> Call:
    x = d.array()
    return Call((x, d.mask(x.shape) if d.chance(0.1) else some_index(d, x.shape)))


@calls("operator.setitem")
def setitem(d: Draw) -> Call:
    x = target(d)
    index = d.mask(x.shape) if d.chance(0.1) else some_index(d, x.shape)
    parts = index if isinstance(index, tuple) else ()
    if any(isinstance(part, (list, Operand)) for part in parts):
        # Of equal positions the last write counts with NumPy, and any with a device.
        return Call((x, index, d.element(x.dtype)))
    value = d.value(x.dtype.kind) if x.size else d.element(x.dtype)
    return Call((x, index, x.dtype.type(d.element(x.dtype)) if isinstance(value, np.generic) else value))


def method_of(function: str) -> Recipe:
    def recipe(d: Draw) -> Call:
        d.name = function
        call = CALLS[function](d)
        while not isinstance(call.args[0], Operand):
            call = CALLS[function](d)
        # Methods have the array API's name for it, too; NumPy's have not.
        if "correction" in call.kwargs:
            call.kwargs["ddof"] = call.kwargs.pop("correction")
        return call

    return recipe


for _name in words(
    """
    all any argmax argmin argpartition argsort choose clip conj conjugate copy cumprod cumsum diagonal dot max mean
    min nonzero prod put ravel repeat reshape round searchsorted squeeze std sum swapaxes take trace
    transpose var
    """
):
    CALLS[f"Array.{_name}"] = method_of(_name)


@calls("Array.compress")
def compress(d: Draw) -> Call:
    d.name = "compress"
    while True:
        call = CALLS["compress"](d)
        condition, x, *rest = call.args
        if isinstance(x, Operand):
            return Call((x, condition, *rest), call.kwargs)


@calls("Array.sort")
def sort_in_place(d: Draw) -> Call:
    x = target(d, low=1)
    options = d.pick([{}, {"kind": "stable"}, {"stable": True}])
    return Call((x,), options | d.maybe(axis=d.axis(x.ndim), order=None))


@calls("Array.partition")
def partition_in_place(d: Draw) -> Call:
    x = target(d, low=1)
    options = d.maybe(axis=-1, kind="introselect", order=None)
    return Call((x, d.integer(-1, max(x.shape[-1] - 1, 0))), options, ignored="elements")


@calls("Array.fill")
def fill(d: Draw) -> Call:
    x = target(d)
    return Call((x, d.element(x.dtype)))


@calls("Array.view")
def view(d: Draw) -> Call:
    # Views with smaller or equal elements are always aligned; larger ones need not be.
    x = target(d)
    return Call((x, *d.pick([(), (d.pick([one for one in _WORDS if one.itemsize <= x.dtype.itemsize]),)])))


@calls("Array.getfield Array.setfield")
def part_of_elements(d: Draw) -> Call:
    x = target(d)
    part = d.pick([one for one in _WORDS if one.itemsize <= x.dtype.itemsize])
    offset = part.itemsize * d.integer(0, x.dtype.itemsize // part.itemsize - 1)
    return Call((x, part, offset) if d.name == "Array.getfield" else (x, d.integer(0, 100), part, offset))


@calls("Array.tolist Array.__len__ Array.__bool__")
def of_itself(d: Draw) -> Call:
    return Call((d.array(),))


@calls("Array.flatten Array.tobytes")
def in_an_order(d: Draw) -> Call:
    x = d.array()
    # In the orders A and K the result depends on the array's memory, which NumPy lays out for some arrays.
    return Call((x,), d.maybe(order=d.pick("CF")))


@calls("Array.astype")
def converted_to(d: Draw) -> Call:
    d.regime = d.pick(["small", "normal"])
    x = d.array()
    options = d.maybe(
        order=d.pick("CFAK"), casting=d.pick(["no", "equiv", "safe", "same_kind", "unsafe"]), copy=d.flag()
    )
    dtype = x.dtype if d.chance(0.3) else d.dtype()
    if x.dtype.kind in "if" and dtype.kind == "u":
        x.base[...] = abs(x.base)  # C does not define the conversion of a negative float
    return Call((x, dtype), options)


@calls("Array.item")
def item(d: Draw) -> Call:
    x = d.array(low=1)
    if d.flag() or not x.size:
        return Call((x, d.integer(-2, 3)))
    return Call((x, *(d.integer(0, length - 1) for length in x.shape)))


@calls("Array.__int__ Array.__float__ Array.__complex__ Array.__index__")
def as_a_number(d: Draw) -> Call:
    if d.regime == "special":
        d.regime = "normal"
    return Call((d.array(shape=d.pick([(), (), (), (1,), (2,)])),))
