# SPDX-License-Identifier: MIT
"""Functions of elements, by NumPy's names and the array API's; the op table in C++ has the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ._core import Array, apply

_Function = TypeVar("_Function", bound=Callable[..., Array])
_OURS = {"erf", "erfc", "gamma", "lgamma", "rsqrt"}  # NumPy has no such functions


def _unary(op: str) -> Callable[[Any], Array]:
    def function(x: Any, /) -> Array:
        return apply(op, x)

    whose = "" if op in _OURS else "numpy."
    return _called(function, op, f"{whose}{op} of each element; runs when somebody needs the result.")


def _binary(op: str) -> Callable[[Any, Any], Array]:
    def function(x1: Any, x2: Any, /) -> Array:
        return apply(op, x1, x2)

    return _called(function, op, f"numpy.{op} of elements, broadcast; runs when somebody needs the result.")


def _called(function: _Function, name: str, doc: str) -> _Function:
    function.__name__ = function.__qualname__ = name
    function.__module__ = "quern"
    function.__doc__ = doc
    return function


absolute = abs = _unary("absolute")
arccos = acos = _unary("arccos")
arccosh = acosh = _unary("arccosh")
arcsin = asin = _unary("arcsin")
arcsinh = asinh = _unary("arcsinh")
arctan = atan = _unary("arctan")
arctanh = atanh = _unary("arctanh")
cbrt = _unary("cbrt")
ceil = _unary("ceil")
conj = _unary("conj")
cos = _unary("cos")
cosh = _unary("cosh")
erf = _unary("erf")
erfc = _unary("erfc")
exp = _unary("exp")
exp2 = _unary("exp2")
expm1 = _unary("expm1")
floor = _unary("floor")
gamma = _unary("gamma")
imag = _unary("imag")
invert = bitwise_invert = _unary("invert")
isfinite = _unary("isfinite")
isinf = _unary("isinf")
isnan = _unary("isnan")
lgamma = _unary("lgamma")
log = _unary("log")
log10 = _unary("log10")
log1p = _unary("log1p")
log2 = _unary("log2")
logical_not = _unary("logical_not")
negative = _unary("negative")
positive = _unary("positive")
real = _unary("real")
reciprocal = _unary("reciprocal")
rint = _unary("rint")
round = _unary("round")
rsqrt = _unary("rsqrt")
sign = _unary("sign")
signbit = _unary("signbit")
sin = _unary("sin")
sinh = _unary("sinh")
sqrt = _unary("sqrt")
square = _unary("square")
tan = _unary("tan")
tanh = _unary("tanh")
trunc = _unary("trunc")

add = _binary("add")
arctan2 = atan2 = _binary("arctan2")
bitwise_and = _binary("bitwise_and")
bitwise_or = _binary("bitwise_or")
bitwise_xor = _binary("bitwise_xor")
copysign = _binary("copysign")
divide = _binary("divide")
equal = _binary("equal")
floor_divide = _binary("floor_divide")
fmax = _binary("fmax")
fmin = _binary("fmin")
fmod = _binary("fmod")
greater = _binary("greater")
greater_equal = _binary("greater_equal")
hypot = _binary("hypot")
left_shift = bitwise_left_shift = _binary("left_shift")
less = _binary("less")
less_equal = _binary("less_equal")
logaddexp = _binary("logaddexp")
logical_and = _binary("logical_and")
logical_or = _binary("logical_or")
logical_xor = _binary("logical_xor")
maximum = _binary("maximum")
minimum = _binary("minimum")
multiply = _binary("multiply")
nextafter = _binary("nextafter")
not_equal = _binary("not_equal")
power = pow = _binary("power")
remainder = _binary("remainder")
right_shift = bitwise_right_shift = _binary("right_shift")
subtract = _binary("subtract")

__all__ = [
    "abs",
    "absolute",
    "acos",
    "acosh",
    "add",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "cbrt",
    "ceil",
    "conj",
    "copysign",
    "cos",
    "cosh",
    "divide",
    "equal",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "gamma",
    "greater",
    "greater_equal",
    "hypot",
    "imag",
    "invert",
    "isfinite",
    "isinf",
    "isnan",
    "left_shift",
    "less",
    "less_equal",
    "lgamma",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "multiply",
    "negative",
    "nextafter",
    "not_equal",
    "positive",
    "pow",
    "power",
    "real",
    "reciprocal",
    "remainder",
    "right_shift",
    "rint",
    "round",
    "rsqrt",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "subtract",
    "tan",
    "tanh",
    "trunc",
]
