# SPDX-License-Identifier: MIT
"""Functions of elements that are made of several operations."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core, _functions
from ._core import ArgumentTypeError, Array, apply
from ._operands import as_array, as_arrays, as_complex, as_operand, check_cast, check_number_cast, written


def round(x: Any, /, decimals: int = 0, out: Any = None) -> Array:
    """numpy.round: to even where two are as near; `decimals` counts digits after the point."""
    x = as_array("round", x)
    if x.dtype.kind == "b" and decimals != 0:
        raise ArgumentTypeError("round: booleans have no digits; convert them to numbers")
    if x.dtype.kind == "c":
        real, imag = (round(apply(part, x), decimals) for part in ("real", "imag"))
        return written("round", _complex_of(real, imag), out)
    if x.dtype.kind == "b" or (decimals == 0 and x.dtype.kind not in "iu"):
        result = apply("rint", x)
    elif x.dtype.kind in "iu":
        result = x if decimals >= 0 else (apply("rint", x / 10**-decimals) * 10**-decimals).astype(x.dtype)
    elif decimals > 0:
        result = apply("rint", x * 10.0**decimals) / 10.0**decimals
    else:
        result = apply("rint", x / 10.0**-decimals) * 10.0**-decimals
    return written("round", apply("positive", result) if result is x else result, out)


around = round


def _complex_of(real: Array, imag: Array) -> Array:
    """Complex numbers of two parts; a product with 1j would make NaN of infinities."""
    pairs = _core.empty((*real.shape, 2), real.dtype, real.device, None)
    pairs[..., 0], pairs[..., 1] = real, imag
    return Array(pairs.buffer, np.result_type(real.dtype, np.complex64), real.shape)


def divmod(x1: Any, x2: Any, /) -> tuple[Array, Array]:
    """floor_divide and remainder."""
    return apply("floor_divide", x1, x2), apply("remainder", x1, x2)


def modf(x: Any, /) -> tuple[Array, Array]:
    """The fractional and the whole part, both with the sign of the number."""
    return apply("modf_fraction", x), apply("modf_whole", x)


def frexp(x: Any, /) -> tuple[Array, Array]:
    """Mantissas from 0.5 to below 1, and exponents of 2 as int32."""
    return apply("frexp_mantissa", x), apply("frexp_exponent", x)


def float_power(x1: Any, x2: Any, /) -> Array:
    """The power, in float64 or complex128."""
    x1, x2 = as_arrays("float_power", x1, x2)
    is_complex = "c" in (x1.dtype.kind, x2.dtype.kind)
    wide = np.dtype(np.complex128 if is_complex else np.float64)
    return apply("power", x1.astype(wide, copy=False), x2.astype(wide, copy=False))


def angle(z: Any, /, deg: bool = False) -> Array:
    """The angle of complex numbers, from -pi to pi, or in degrees."""
    z = as_array("angle", z)
    if z.dtype.kind == "c":
        result = apply("arctan2", apply("imag", z), apply("real", z))
    else:
        result = apply("arctan2", 0, z)
    return result * (180 / np.pi) if deg else result


def isclose(a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False) -> Array:
    """Whether |a - b| <= atol + rtol * |b|; infinities are close to themselves only."""
    one, other = as_arrays("isclose", a, b)
    if other.dtype.kind in "biu":
        other = other.astype(np.result_type(other.dtype, 1.0))
    # A number of Python's has the precision of the array beside it.
    weak = (int, float, complex)
    if type(b) in weak and type(a) not in weak:
        other = other.astype(np.result_type(one.dtype, b * 1.0), copy=False)
    elif type(a) in weak and type(b) not in weak:
        one = one.astype(np.result_type(other.dtype, a), copy=False)
    near = apply("less_equal", apply("absolute", one - other), atol + rtol * apply("absolute", other))
    result = (near & apply("isfinite", other)) | (one == other)
    return result | (apply("isnan", one) & apply("isnan", other)) if equal_nan else result


def allclose(a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False) -> bool:
    """Whether isclose holds for all elements; waits for the answer."""
    return bool(_functions.all(isclose(a, b, rtol, atol, equal_nan)))


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    """Whether shapes and elements are equal; waits for the answer."""
    one, other = as_arrays("array_equal", a1, a2)
    if one.shape != other.shape:
        return False
    same = one == other
    if equal_nan:
        same = same | (apply("isnan", one) & apply("isnan", other))
    return bool(_functions.all(same))


def nan_to_num(x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Array:
    """Numbers, or elements of arrays that are broadcast, for what is none: `nan` for NaN, the greatest and least ones for
    infinities where none are given."""
    array = as_array("nan_to_num", x)
    if array.dtype.kind == "c":
        parts = (nan_to_num(apply(part, array), True, nan, posinf, neginf) for part in ("real", "imag"))
        result = as_complex(*parts)
    elif array.dtype.kind == "f":
        limits = np.finfo(array.dtype)
        result = array
        for test, given, otherwise in (
            ("isnan", nan, 0.0),
            ("isposinf", posinf, float(limits.max)),
            ("isneginf", neginf, float(limits.min)),
        ):
            number = _number_for(array, otherwise if given is None else given)
            result = _core.where(apply(test, array), number, result)
    else:
        result = apply("positive", array) if array.dtype.kind != "b" else array.copy()
    if not copy:
        array[...] = result
        return array
    return result


def _number_for(array: Array, given: Any) -> Any:
    """What takes the place of elements: a number, or an array of which there is one for each of them."""
    operand = as_operand("nan_to_num", given, array.device)
    if not isinstance(operand, Array):
        check_number_cast("nan_to_num", operand, array.dtype)
        return operand
    check_cast("nan_to_num", operand.dtype, array.dtype)
    return _core.broadcast_to(operand.astype(array.dtype, copy=False), array.shape)


__all__ = [
    "allclose",
    "angle",
    "around",
    "array_equal",
    "divmod",
    "float_power",
    "frexp",
    "isclose",
    "modf",
    "nan_to_num",
    "round",
]
