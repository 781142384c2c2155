# SPDX-License-Identifier: MIT
"""Functions of elements, by NumPy's names and the array API's; the op table in C++ has the rest."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import DTypeLike

from . import _core
from ._array import asarray
from ._core import ArgumentTypeError, Array, Device, apply
from ._operands import as_array, as_arrays, as_complex, as_operand, check_cast, check_number_cast, written

_Function = TypeVar("_Function", bound=Callable[..., Any])
# NumPy has no such functions.
_OURS = {
    "acospi", "asinpi", "atan2pi", "atanpi", "bessel_jn", "bessel_yn", "cospi", "erf", "erfc", "exp10", "fdim",
    "fma", "gamma", "ilogb", "lgamma", "logb", "mad", "maxmag", "minmag", "mix", "pown", "powr", "rootn", "rsqrt",
    "sinpi", "smoothstep", "tanpi",
}  # fmt: skip
# Those whose result is bool, whatever they compare.
_TRUTHS = {
    "equal", "greater", "greater_equal", "less", "less_equal", "logical_and", "logical_not", "logical_or", "logical_xor",
    "not_equal", "isfinite", "isinf", "isnan", "signbit",
}  # fmt: skip


def _called(function: _Function, op: str) -> _Function:
    whose = "" if op in _OURS else "numpy."
    function.__name__ = function.__qualname__ = op
    function.__module__ = "quern"
    function.__doc__ = f"{whose}{op} of each element, broadcast; runs when somebody needs the result."
    return function


def _unary(op: str) -> Callable[..., Array]:
    def function(x: Any, /, out: Any = None, *, where: Any = True, dtype: DTypeLike | None = None) -> Array:
        if out is None and where is True and dtype is None:
            return apply(op, x)
        return _apply_to(op, (x,), out, where, dtype)

    return _called(function, op)


def _binary(op: str) -> Callable[..., Array]:
    def function(
        x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: DTypeLike | None = None
    ) -> Array:
        if out is None and where is True and dtype is None:
            return apply(op, x1, x2)
        return _apply_to(op, (x1, x2), out, where, dtype)

    for method in ("accumulate", "outer", "reduce"):
        setattr(function, method, partial(_method, op, method))
    return _called(function, op)


def _logical(op: str) -> Callable[..., Array]:
    """A function of truths; a number of Python's is one, also where the other's type does not hold it."""
    function = _binary(op)

    def truth(x: Any) -> Any:
        return bool(x) if type(x) in (int, float, complex) else x

    def logical(
        x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: DTypeLike | None = None
    ) -> Array:
        return function(truth(x1), truth(x2), out, where=where, dtype=dtype)

    for method in ("accumulate", "outer", "reduce"):
        setattr(logical, method, getattr(function, method))
    return _called(logical, op)


def _method(op: str, method: str, *operands: Any, **options: Any) -> Array:
    """What NumPy's functions of two operands have as methods."""
    from ._dispatch import call_ufunc

    arrays = as_arrays(f"{op}.{method}", *operands[:2] if method == "outer" else operands[:1])
    result: Array = call_ufunc(
        arrays[0], getattr(np, op, op), method, [*arrays, *operands[len(arrays) :]], options
    )
    return result


def _ternary(op: str) -> Callable[[Any, Any, Any], Array]:
    def function(x1: Any, x2: Any, x3: Any, /) -> Array:
        return apply(op, x1, x2, x3)

    return _called(function, op)


def _apply_to(op: str, operands: tuple[Any, ...], out: Any, where: Any, dtype: DTypeLike | None) -> Array:
    """What NumPy's keywords ask for: computed in `dtype`, written to `out`, and only where the mask holds."""
    if dtype is not None and np.dtype(dtype) == np.bool_ and op in _TRUTHS:
        dtype = None  # It is that of the result.
    if dtype is not None:
        device = next((one.device for one in operands if isinstance(one, Array)), None)
        operands = tuple(_as_dtype(op, operand, np.dtype(dtype), device) for operand in operands)
    result = apply(op, *operands)
    if dtype is not None and result.dtype != np.dtype(dtype):
        raise ArgumentTypeError(f"{op}: the result is of {result.dtype}, not of dtype={np.dtype(dtype)}")
    return written(op, result, out, where)


def _as_dtype(op: str, operand: Any, dtype: np.dtype[Any], device: Device | None) -> Any:
    array = as_operand(op, operand, device)
    if not isinstance(array, Array):
        if device is not None:
            return array
        # Beside numbers of Python's only, it is of this dtype, of whose kind it must be.
        kinds = {bool: "biufc", int: "iufc", float: "fc", complex: "c"}[type(array)]
        if dtype.kind not in kinds:
            raise ArgumentTypeError(f"{op}: dtype={dtype} does not hold {array!r}")
        return asarray(np.asarray(array, dtype))
    if not np.can_cast(array.dtype, dtype, "same_kind"):
        raise ArgumentTypeError(f"{op}: dtype={dtype} does not hold elements of {array.dtype}")
    return array.astype(dtype, copy=False)


absolute = abs = _unary("absolute")
acospi = _unary("acospi")
arccos = acos = _unary("arccos")
arccosh = acosh = _unary("arccosh")
arcsin = asin = _unary("arcsin")
arcsinh = asinh = _unary("arcsinh")
arctan = atan = _unary("arctan")
arctanh = atanh = _unary("arctanh")
asinpi = _unary("asinpi")
atanpi = _unary("atanpi")
bitwise_count = _unary("bitwise_count")
cbrt = _unary("cbrt")
ceil = _unary("ceil")
conj = conjugate = _unary("conj")
cos = _unary("cos")
cosh = _unary("cosh")
cospi = _unary("cospi")
deg2rad = radians = _unary("deg2rad")
erf = _unary("erf")
erfc = _unary("erfc")
exp = _unary("exp")
exp10 = _unary("exp10")
exp2 = _unary("exp2")
expm1 = _unary("expm1")
fabs = _unary("fabs")
floor = _unary("floor")
gamma = tgamma = _unary("gamma")
i0 = _unary("i0")
ilogb = _unary("ilogb")
imag = _unary("imag")
invert = bitwise_invert = bitwise_not = _unary("invert")
iscomplex = _unary("iscomplex")
isfinite = _unary("isfinite")
isinf = _unary("isinf")
isnan = _unary("isnan")
isneginf = _unary("isneginf")
isposinf = _unary("isposinf")
isreal = _unary("isreal")
lgamma = _unary("lgamma")
log = _unary("log")
log10 = _unary("log10")
log1p = _unary("log1p")
log2 = _unary("log2")
logb = _unary("logb")
logical_not = _unary("logical_not")
negative = _unary("negative")
positive = _unary("positive")
rad2deg = degrees = _unary("rad2deg")
real = _unary("real")
reciprocal = _unary("reciprocal")
rint = _unary("rint")
rsqrt = _unary("rsqrt")
sign = _unary("sign")
signbit = _unary("signbit")
sin = _unary("sin")
sinc = _unary("sinc")
sinh = _unary("sinh")
sinpi = _unary("sinpi")
spacing = _unary("spacing")
sqrt = _unary("sqrt")
square = _unary("square")
tan = _unary("tan")
tanh = _unary("tanh")
tanpi = _unary("tanpi")
trunc = fix = _unary("trunc")

add = _binary("add")
arctan2 = atan2 = _binary("arctan2")
atan2pi = _binary("atan2pi")
bessel_jn = _binary("bessel_jn")
bessel_yn = _binary("bessel_yn")
bitwise_and = _binary("bitwise_and")
bitwise_or = _binary("bitwise_or")
bitwise_xor = _binary("bitwise_xor")
copysign = _binary("copysign")
divide = true_divide = _binary("divide")
equal = _binary("equal")
fdim = _binary("fdim")
floor_divide = _binary("floor_divide")
fmax = _binary("fmax")
fmin = _binary("fmin")
fmod = _binary("fmod")
gcd = _binary("gcd")
greater = _binary("greater")
greater_equal = _binary("greater_equal")
heaviside = _binary("heaviside")
hypot = _binary("hypot")
lcm = _binary("lcm")
ldexp = _binary("ldexp")
left_shift = bitwise_left_shift = _binary("left_shift")
less = _binary("less")
less_equal = _binary("less_equal")
logaddexp = _binary("logaddexp")
logaddexp2 = _binary("logaddexp2")
logical_and = _logical("logical_and")
logical_or = _logical("logical_or")
logical_xor = _logical("logical_xor")
maximum = _binary("maximum")
maxmag = _binary("maxmag")
minimum = _binary("minimum")
minmag = _binary("minmag")
multiply = _binary("multiply")
nextafter = _binary("nextafter")
not_equal = _binary("not_equal")
power = pow = _binary("power")
pown = _binary("pown")
powr = _binary("powr")
remainder = mod = _binary("remainder")
right_shift = bitwise_right_shift = _binary("right_shift")
rootn = _binary("rootn")
subtract = _binary("subtract")

fma = _ternary("fma")
mad = _ternary("mad")
mix = _ternary("mix")
smoothstep = _ternary("smoothstep")


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
    return bool(_core.reduce("all", isclose(a, b, rtol, atol, equal_nan)))


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    """Whether shapes and elements are equal; waits for the answer."""
    one, other = as_arrays("array_equal", a1, a2)
    if one.shape != other.shape:
        return False
    same = one == other
    if equal_nan:
        same = same | (apply("isnan", one) & apply("isnan", other))
    return bool(_core.reduce("all", same))


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
    "abs",
    "absolute",
    "acos",
    "acosh",
    "acospi",
    "add",
    "allclose",
    "angle",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "around",
    "array_equal",
    "asin",
    "asinh",
    "asinpi",
    "atan",
    "atan2",
    "atan2pi",
    "atanh",
    "atanpi",
    "bessel_jn",
    "bessel_yn",
    "bitwise_and",
    "bitwise_count",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "cbrt",
    "ceil",
    "conj",
    "conjugate",
    "copysign",
    "cos",
    "cosh",
    "cospi",
    "deg2rad",
    "degrees",
    "divide",
    "divmod",
    "equal",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "exp10",
    "expm1",
    "fabs",
    "fdim",
    "fix",
    "float_power",
    "floor",
    "floor_divide",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "frexp",
    "gamma",
    "gcd",
    "greater",
    "greater_equal",
    "heaviside",
    "hypot",
    "i0",
    "ilogb",
    "imag",
    "invert",
    "isclose",
    "iscomplex",
    "isfinite",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "isreal",
    "lcm",
    "ldexp",
    "left_shift",
    "less",
    "less_equal",
    "lgamma",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logaddexp2",
    "logb",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "mad",
    "maximum",
    "maxmag",
    "minimum",
    "minmag",
    "mix",
    "mod",
    "modf",
    "multiply",
    "nan_to_num",
    "negative",
    "nextafter",
    "not_equal",
    "positive",
    "pow",
    "power",
    "pown",
    "powr",
    "rad2deg",
    "radians",
    "real",
    "reciprocal",
    "remainder",
    "right_shift",
    "rint",
    "rootn",
    "round",
    "rsqrt",
    "sign",
    "signbit",
    "sin",
    "sinc",
    "sinh",
    "sinpi",
    "smoothstep",
    "spacing",
    "sqrt",
    "square",
    "subtract",
    "tan",
    "tanh",
    "tanpi",
    "tgamma",
    "true_divide",
    "trunc",
]
