# SPDX-License-Identifier: MIT
"""How functions that compute are called: of elements, reductions, statistics and signals."""

from __future__ import annotations

from typing import Any

import numpy as np
from differential import FLOATS, NUMBERS, REAL, Call, Draw, Operand, largest
from differential_table import calls, numpys, product, with_few_extremes, words


# Functions of elements.
@calls(
    """abs absolute acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh bitwise_count
    bitwise_invert bitwise_not cbrt ceil conj conjugate cos cosh deg2rad degrees exp exp2 expm1 fabs fix floor i0 imag
    invert iscomplex isfinite isinf isnan isneginf isposinf isreal log log10 log1p log2 logical_not negative positive
    rad2deg radians real reciprocal rint sign signbit sin sinc sinh spacing sqrt square tan tanh trunc frexp modf
    iscomplexobj isrealobj ndim shape"""
)
def unary(d: Draw) -> Call:
    # Of numbers of Python's, NumPy's real and imag give numbers of Python's.
    x = d.array() if d.name in ("real", "imag") else d.value(shape=(130,) if d.chance(0.05) else d.shape())
    return Call((x,), scale=1.0 if d.name in ("sin", "cos", "tan", "sinc") else 0.0)


_BINARY = """add arctan2 atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign divide
    divmod equal float_power floor_divide fmax fmin fmod gcd greater greater_equal heaviside hypot lcm ldexp left_shift
    less less_equal logaddexp logaddexp2 logical_and logical_or logical_xor maximum minimum mod multiply nextafter
    not_equal pow power remainder right_shift subtract true_divide"""
_KEYWORDS = {
    "add",
    "subtract",
    "multiply",
    "maximum",
    "minimum",
    "logical_and",
    "bitwise_or",
    "equal",
    "power",
}


@calls(_BINARY)
def binary(d: Draw) -> Call:
    one, other = ((130,), (130,)) if d.chance(0.05) else d.broadcast_shapes(2)
    kinds = d.pick([NUMBERS, REAL, "biu", "iu", "f"])
    x, y = d.value(kinds, one), d.value(kinds, other)
    if "shift" in d.name and isinstance(y, int):
        y = abs(y) % 70
    options: dict[str, Any] = {}
    if d.name in _KEYWORDS and d.chance(0.15):
        options["dtype"] = d.dtype()
    # NumPy crashes where it compares a Python integer that the other type does not hold, and there is an out=.
    is_safe = d.name != "equal" or not (isinstance(x, int) or isinstance(y, int))
    if d.name in _KEYWORDS and is_safe and d.chance(0.15):
        shape = broadcast_shape(x, y) if d.chance(0.95) else (2,)
        options["out"] = d.array(shape=shape, plain=True)
        if d.chance(0.4):
            options["where"] = d.mask(shape)
    return Call((x, y), options, scale=1.0 if "logaddexp" in d.name else 0.0)


def broadcast_shape(x: Any, y: Any) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(np.shape(numpys(x)), np.shape(numpys(y)))
    except ValueError:
        return ()


@calls("round around")
def rounding(d: Draw) -> Call:
    if d.regime in ("extreme", "special"):
        d.regime = d.pick(["normal", "special"])
    x = d.value(shape=d.shape())
    digits = d.integer(-2, 3)
    is_narrow = (
        np.asarray(numpys(x)).dtype.kind in "iu"
        and np.abs(np.asarray(numpys(x)).astype(float)).max(initial=0) > 100
    )
    # A rounded integer that its type does not hold is open.
    return Call((x, *([abs(digits) if is_narrow else digits] if d.chance(0.6) else [])))


@calls("angle")
def angle(d: Draw) -> Call:
    return Call((d.value(shape=d.shape()),), d.maybe(deg=True))


@calls("isclose allclose")
def closeness(d: Draw) -> Call:
    one, other = d.broadcast_shapes(2)
    x = d.value(shape=one)
    y = x if d.chance(0.3) else d.value(shape=other)
    return Call((x, y), d.maybe(rtol=0.5, atol=1.0, equal_nan=True))


@calls("array_equal array_equiv")
def equality(d: Draw) -> Call:
    x = d.value(shape=d.shape())
    y = x if d.chance(0.5) else d.value(shape=d.shape())
    return Call((x, y), d.maybe(equal_nan=True) if d.name == "array_equal" else {})


@calls("real_if_close")
def real_if_close(d: Draw) -> Call:
    x = d.array()
    if x.dtype.kind == "c" and d.chance(0.7):
        # Of the imaginary parts little is left, or nothing.
        with np.errstate(all="ignore"):
            x.base.imag *= d.pick([0, 1e-16, 1e-8, 1e-5])
    return Call((x,), d.maybe(tol=d.pick([1000, 1, 0.5])))


@calls("nan_to_num")
def nan_to_num(d: Draw) -> Call:
    return Call((d.value(shape=d.shape()),), d.maybe(nan=1.5, posinf=2.0, neginf=-3.0))


@calls("clip")
def clip(d: Draw) -> Call:
    one, other = d.broadcast_shapes(2)
    x = d.value(REAL, one)
    low = d.pick([None, d.number("bif"), d.value(REAL, other)])
    high = d.pick([None, d.number("bif"), d.value(REAL, other)])
    return Call((x, low, high))


@calls("where")
def where(d: Draw) -> Call:
    mask, one, other = d.broadcast_shapes(3)
    condition = d.value("b" if d.chance(0.8) else NUMBERS, mask)
    return Call((condition,) if d.chance(0.2) else (condition, d.value(shape=one), d.value(shape=other)))


# Reductions.
def reduced(
    d: Draw, kinds: str = NUMBERS, degree: int = 1, axes: bool = True
) -> tuple[Operand, dict[str, Any], float]:
    if d.regime == "extreme" and d.chance(0.7):
        d.regime = "normal"
    # Some are summed in several parts; products of many numbers only overflow.
    is_long = "prod" not in d.name and "cum" not in d.name and d.chance(0.02)
    x = d.array(kinds, shape=(d.pick([1, 3]), 1500) if is_long else None)
    options: dict[str, Any] = d.maybe(keepdims=d.flag)
    if d.chance(0.7):
        options["axis"] = d.axes(x.ndim) if axes else d.pick([None, d.axis(x.ndim)])
    # NumPy adds some of them one after the other.
    return x, options, largest(x) ** degree * max(x.size, 1) ** (1.0 if is_long else 0.5)


def reduced_shape(x: Operand, options: dict[str, Any]) -> tuple[int, ...]:
    try:
        return np.sum(x.numpy(), axis=options.get("axis"), keepdims=options.get("keepdims", False)).shape
    except Exception:
        return ()


def add_out_and_mask(d: Draw, x: Operand, options: dict[str, Any]) -> None:
    if d.chance(0.1):
        options["out"] = d.array(shape=reduced_shape(x, options) if d.chance(0.9) else (2, 2), plain=True)
    if d.chance(0.12):
        options["where"] = d.mask(x.shape if d.chance(0.7) else x.shape[1:])


@calls("sum prod")
def sums(d: Draw) -> Call:
    x, options, scale = reduced(d)
    if d.chance(0.25):
        options["dtype"] = d.dtype()
    if d.chance(0.1):
        options["initial"] = d.number("if")
    add_out_and_mask(d, x, options)
    return Call((x,), options, scale=scale if d.name == "sum" else 0.0)


@calls("min max amin amax")
def extremes(d: Draw) -> Call:
    x, options, _ = reduced(d)
    if d.chance(0.2):
        options["initial"] = d.number("if" if x.dtype.kind in "fc" else "i")
    add_out_and_mask(d, x, options)
    return Call((x,), options)


@calls("any all")
def truths(d: Draw) -> Call:
    x, options, _ = reduced(d)
    add_out_and_mask(d, x, options)
    return Call((x,), options)


@calls("count_nonzero")
def counting(d: Draw) -> Call:
    x, options, _ = reduced(d)
    return Call((x,), options)


@calls("ptp")
def ptp(d: Draw) -> Call:
    x, options, _ = reduced(d)
    return Call((x,), options)


@calls("argmin argmax nanargmin nanargmax")
def positions(d: Draw) -> Call:
    x, options, _ = reduced(d, axes=False)
    return Call((x,), options)


@calls("mean")
def mean(d: Draw) -> Call:
    x, options, scale = reduced(d)
    if d.chance(0.15):
        options["dtype"] = d.dtype(FLOATS)
    add_out_and_mask(d, x, options)
    return Call((x,), options, scale=scale)


@calls("var std")
def variances(d: Draw) -> Call:
    x, options, scale = reduced(d, degree=2 if d.name == "var" else 1)
    options |= d.maybe(ddof=d.pick([0, 1, 2, 0.5]))
    if d.chance(0.15):
        options["dtype"] = d.dtype(FLOATS)
    add_out_and_mask(d, x, options)
    if d.name == "std":
        scale *= 1e4 if x.dtype.kind not in "f" else 3e3  # a root of a small difference
    return Call((x,), options, scale=scale)


@calls("nansum nanprod nanmean")
def nan_sums(d: Draw) -> Call:
    x, options, scale = reduced(d)
    if d.chance(0.15):
        options["dtype"] = d.dtype(FLOATS)
    return Call((x,), options, scale=scale if d.name != "nanprod" else 0.0)


@calls("nanmin nanmax")
def nan_extremes(d: Draw) -> Call:
    x, options, _ = reduced(d)
    return Call((x,), options)


@calls("nanvar nanstd")
def nan_variances(d: Draw) -> Call:
    x, options, scale = reduced(d, degree=2 if d.name == "nanvar" else 1)
    options |= d.maybe(ddof=d.pick([0, 1, 2]))
    if d.name == "nanstd":
        scale *= 1e4
    return Call((x,), options, scale=scale)


@calls("cumsum cumprod nancumsum nancumprod")
def cumulative(d: Draw) -> Call:
    x, options, scale = reduced(d, axes=False)
    options.pop("keepdims", None)
    if d.chance(0.25):
        options["dtype"] = d.dtype()
    return Call((x,), options, scale=scale if "sum" in d.name else 0.0)


@calls("cummax cummin")
def cumulative_extremes(d: Draw) -> Call:
    x = d.array(REAL, low=1)
    return Call((x,), d.maybe(axis=d.integer(0, x.ndim - 1)))


@calls("cumulative_sum cumulative_prod")
def cumulative_by_the_standard(d: Draw) -> Call:
    x, options, scale = reduced(d, axes=False)
    options.pop("keepdims", None)
    options |= d.maybe(include_initial=True)
    if d.chance(0.25):
        options["dtype"] = d.dtype()
    return Call((x,), options, scale=scale if "sum" in d.name else 0.0)


@calls("median nanmedian")
def medians(d: Draw) -> Call:
    x, options, scale = reduced(d)
    return Call((x,), options, scale=scale)


QUANTILE_METHODS = words(
    """
    inverted_cdf averaged_inverted_cdf closest_observation interpolated_inverted_cdf hazen weibull linear
    median_unbiased normal_unbiased lower higher midpoint nearest
    """
)


@calls("quantile percentile nanquantile nanpercentile")
def quantiles(d: Draw) -> Call:
    x, options, scale = reduced(d)
    most = 100 if "percentile" in d.name else 1
    q = d.pick([0, most, 0.5 * most, 0.3 * most, [0.25 * most, 0.75 * most], [[0, 0.1 * most]], 1.5 * most])
    if d.chance(0.1):
        q = np.float32(0.3 * most)
    if d.chance(0.15):
        q = d.array(shape=(2,), dtype=d.pick(["f4", "f8"]), plain=True)
        q.base[:] = [0.25 * most, 0.5 * most]
    if d.name.startswith("nan"):
        # NumPy moves the axes of a matrix of parts to where they do not belong.
        q = q[0] if isinstance(q, list) and isinstance(q[0], list) else q
    options |= d.maybe(method=d.pick(QUANTILE_METHODS))
    return Call((x, q), options, scale=scale, precision=x.dtype)


@calls("average")
def average(d: Draw) -> Call:
    x, options, scale = reduced(d, axes=d.chance(0.3))
    if d.chance(0.6):
        axis = options.get("axis")
        one_axis = isinstance(axis, int) and -x.ndim <= axis < x.ndim and d.chance(0.5)
        options["weights"] = d.array(shape=(x.shape[axis],) if one_axis else x.shape)
        scale *= largest(options["weights"])
    options |= d.maybe(returned=True)
    return Call((x,), options, scale=scale)


# Statistics, differences and signals.
@calls("cov corrcoef")
def covariances(d: Draw) -> Call:
    if d.regime in ("extreme", "special"):
        d.regime = "normal"
    n = d.integer(2, 5)
    x = d.array(shape=(d.integer(1, 3), n) if d.chance(0.7) else (n,))
    more = (d.array(shape=(n,)),) if d.chance(0.3) else ()
    options = d.maybe(bias=True, ddof=d.integer(0, 1)) if d.name == "cov" else {}
    if not more:
        options |= d.maybe(rowvar=False)
    return Call((x, *more), options, scale=largest(x, *more) ** 2 * 9 if d.name == "cov" else 1e3)


@calls("diff")
def diff(d: Draw) -> Call:
    x = d.array()
    options = d.maybe(n=d.integer(0, 3), prepend=d.number("if"), append=lambda: d.array(shape=()))
    if x.ndim and d.chance(0.5):
        options["axis"] = d.axis(x.ndim)
    return Call((x,), options, scale=largest(x) if d.regime != "extreme" else 0)


@calls("ediff1d")
def ediff1d(d: Draw) -> Call:
    x = d.array()
    return Call(
        (x,),
        d.maybe(
            to_end=lambda: d.array(shape=(2,), dtype=x.dtype), to_begin=lambda: d.value(x.dtype.kind, ())
        ),
        scale=0.0,
    )


@calls("gradient")
def gradient(d: Draw) -> Call:
    with_few_extremes(d)
    x = d.array(low=1)
    rest: tuple[Any, ...] = ()
    options = {}
    if d.chance(0.5):
        options["axis"] = d.axis(x.ndim)
    if d.chance(0.3):
        options["edge_order"] = 2
    if d.chance(0.3):
        rest = (d.pick([2, 0.5]),)
    elif "axis" in options and d.chance(0.4) and -x.ndim <= options["axis"] < x.ndim:
        count = x.shape[options["axis"]]
        places = np.cumsum([d.integer(1, 3) for _ in range(count)])[:: d.pick([1, -1])]
        if count > 1:
            rest = (Operand(places.astype(d.pick(["u1", "i1", "f4", "f8", "i8"]))),)
    precision = rest[0].dtype if rest and isinstance(rest[0], Operand) else None
    return Call((x, *rest), options, scale=largest(x), precision=precision)


@calls("trapezoid")
def trapezoid(d: Draw) -> Call:
    with_few_extremes(d)
    y = d.array(low=1)
    options: dict[str, Any] = {}
    if d.chance(0.6):
        options["axis"] = d.axis(y.ndim)
    if d.chance(0.4):
        axis = options.get("axis", -1)
        if -y.ndim <= axis < y.ndim:
            options["x"] = d.array(shape=(y.shape[axis],) if d.chance(0.7) else y.shape)
    elif d.chance(0.4):
        options["dx"] = d.pick([2, 0.5, 1e-3])
    return Call((y,), options, scale=largest(y) * largest(options.get("x", 1)) * 4)


@calls("interp")
def interp(d: Draw) -> Call:
    if d.regime == "extreme":
        d.regime = "normal"
    n = d.integer(1, 5)
    dtype = d.dtype("iuf")
    places = Operand(np.sort(d.elements(dtype, (n,)) if dtype.kind != "f" else np.arange(n).astype(dtype)))
    values = d.array(shape=(n,))
    x = d.value(REAL, d.shape(0, 2))
    return Call((x, places, values), d.maybe(left=-7.5, right=9), scale=largest(values))


@calls("convolve correlate")
def sliding(d: Draw) -> Call:
    call = product(d, (d.integer(1, 5),), (d.integer(1, 5),))
    call.kwargs = d.maybe(mode=d.pick(["full", "same", "valid"]))
    return call


@calls("polyval")
def polyval(d: Draw) -> Call:
    with_few_extremes(d)
    p, x = d.array(shape=(d.integer(0, 4),)), d.array(high=2)
    return Call((p, x), scale=min(largest(p) * min(largest(x), 1e60) ** 4, 1e200))


@calls("vander")
def vander(d: Draw) -> Call:
    with_few_extremes(d)
    return Call((d.array(low=1, high=1),), d.maybe(N=d.integer(0, 4), increasing=True))


@calls("unwrap")
def unwrap(d: Draw) -> Call:
    if d.regime == "extreme":
        d.regime = "normal"
    x = d.array(REAL, low=1)
    options = d.maybe(axis=d.axis(x.ndim), discont=4.0, period=d.pick([6, 5.5, 255]))
    return Call((x,), options, scale=largest(x) * 9)


@calls("bartlett blackman hamming hanning")
def window(d: Draw) -> Call:
    return Call((d.integer(-1, 9),), scale=1.0)


@calls("kaiser")
def kaiser(d: Draw) -> Call:
    return Call((d.integer(-1, 9), d.pick([0, 5, 8.6, 14.0])), scale=1.0)
