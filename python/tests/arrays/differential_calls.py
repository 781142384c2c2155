# SPDX-License-Identifier: MIT
"""How each function that NumPy has too is called: a table from its name to a function that draws arguments.

A name is that of a function of quern, `linalg.` and that of one of quern.linalg, `Array.` and that of a method, or
`operator.` and that of a function of Python's module operator.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from differential import FLOATS, NUMBERS, REAL, Call, Draw, Operand, largest

import quern as qn

Recipe = Callable[[Draw], Call]
CALLS: dict[str, Recipe] = {}

# What NumPy calls otherwise, or has only as a part of something else.
NUMPYS: dict[str, Callable[..., Any]] = {
    "cummax": lambda x, axis=None: np.maximum.accumulate(np.atleast_1d(x) if axis is not None else np.ravel(x), axis or 0),
    "cummin": lambda x, axis=None: np.minimum.accumulate(np.atleast_1d(x) if axis is not None else np.ravel(x), axis or 0),
    # A set: NumPy's is in any order.
    "unique_values": lambda x: np.sort(np.unique_values(x)),
    "in1d": lambda x, others, invert=False: np.isin(x, others, invert=invert).ravel(),
}

# Functions that have nothing to compare with, and why.
NOT_COMPARED: dict[str, str] = dict.fromkeys(
    """backend_reports c_type_name check_struct_layout copy_rect current_device current_queue default_device device
    devices finish_compilation pinned_empty pool_stats set_pool_limit stats struct_definition synchronize trim_pool
    benchmark eager explain eval asnumpy from_dlpack get_array_module load save savez
    __array_namespace_info__ In InOut Out""".split(),
    "about devices, memory, files and other libraries, which NumPy does not have in this form",
)
NOT_COMPARED |= dict.fromkeys(
    """acospi asinpi atan2pi atanpi bessel_jn bessel_yn cospi erf erfc exp10 fdim fma gamma ilogb lgamma logb mad
    maxmag minmag mix pown powr rootn rsqrt sinpi smoothstep tanpi tgamma""".split(),
    "a function of OpenCL C that NumPy does not have",
)
NOT_COMPARED |= dict.fromkeys(
    """dtype errstate get_printoptions printoptions set_printoptions isscalar iterable ndindex ndenumerate s_ index_exp
    promote_types""".split(),
    "NumPy's own object",
)
NOT_COMPARED |= dict.fromkeys(
    "array2string array_repr array_str".split(), "text, which test_printing.py compares with NumPy's"
)
NOT_COMPARED |= dict.fromkeys(["may_share_memory"], "a question about the memory of devices")


def calls(*names: str) -> Callable[[Recipe], Recipe]:
    def register(recipe: Recipe) -> Recipe:
        for group in names:
            for name in group.split():
                CALLS[name] = recipe
        return recipe

    return register


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
    x = d.array() if d.name in ("real", "imag") else d.value(shape=d.shape())
    return Call((x,), scale=1.0 if d.name in ("sin", "cos", "tan", "sinc") else 0.0)


_BINARY = """add arctan2 atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign divide
    divmod equal float_power floor_divide fmax fmin fmod gcd greater greater_equal heaviside hypot lcm ldexp left_shift
    less less_equal logaddexp logaddexp2 logical_and logical_or logical_xor maximum minimum mod multiply nextafter
    not_equal pow power remainder right_shift subtract true_divide"""
_KEYWORDS = set("add subtract multiply maximum minimum logical_and bitwise_or equal power".split())


@calls(_BINARY)
def binary(d: Draw) -> Call:
    one, other = d.broadcast_shapes(2)
    kinds = d.pick([NUMBERS, REAL, "biu", "iu", "f"])
    x, y = d.value(kinds, one), d.value(kinds, other)
    if "shift" in d.name and isinstance(y, int):
        y = abs(y) % 70
    options: dict[str, Any] = {}
    if d.name in _KEYWORDS and d.chance(0.15):
        options["dtype"] = d.dtype()
    if d.name in _KEYWORDS and d.chance(0.15):
        shape = np.broadcast_shapes(np.shape(numpys(x)), np.shape(numpys(y))) if d.chance(0.95) else (2,)
        options["out"] = d.array(shape=shape, plain=True)
        if d.chance(0.4):
            options["where"] = d.mask(shape)
    return Call((x, y), options, scale=1.0 if "logaddexp" in d.name else 0.0)


def numpys(value: Any) -> Any:
    return value.numpy() if isinstance(value, Operand) else value


@calls("round around")
def rounding(d: Draw) -> Call:
    # Powers of ten that the type does not hold are NumPy's to overflow in.
    return Call((d.value(shape=d.shape()), *([d.integer(-2, 3)] if d.chance(0.6) else [])))


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
def reduced(d: Draw, kinds: str = NUMBERS, degree: int = 1, axes: bool = True) -> tuple[Operand, dict[str, Any], float]:
    if d.regime == "extreme" and d.chance(0.7):
        d.regime = "normal"
    x = d.array(kinds)
    options: dict[str, Any] = d.maybe(keepdims=d.flag)
    if d.chance(0.7):
        options["axis"] = d.axes(x.ndim) if axes else d.pick([None, d.axis(x.ndim)])
    return x, options, (largest(x) ** degree) * max(x.size, 1) ** 0.5


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
    if not d.name.startswith("nan"):
        options |= d.maybe(method=d.pick(["linear", "lower", "higher", "nearest", "midpoint"]))
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


# Products.
def with_few_extremes(d: Draw) -> None:
    """Sums of huge floats depend on their order."""
    if d.regime == "extreme" and d.chance(0.6):
        d.regime = "small"


def product(d: Draw, one: tuple[int, ...], other: tuple[int, ...], *rest: Any, **options: Any) -> Call:
    with_few_extremes(d)
    x, y = d.array(shape=one), d.array(shape=other)
    if d.chance(0.3):
        y = d.array(shape=other, dtype=x.dtype)
    return Call((x, y, *rest), options, scale=largest(x) * largest(y) * 3)


@calls("matmul linalg.matmul")
def matmul(d: Draw) -> Call:
    m, k, n = (d.pick([1, 2, 3, 4, 0] if d.chance(0.1) else [1, 2, 3, 4]) for _ in range(3))
    form = d.pick(["mm", "mm", "vm", "mv", "vv", "stack"])
    wrong = d.chance(0.03)
    if form == "stack":
        s, t = d.broadcast_shapes(2, high=2)
        return product(d, (*s, m, k), (*t, k + wrong, n))
    one = (m, k) if form[0] == "m" else (k,)
    other = (k + wrong, n) if form[1] == "m" else (k + wrong,)
    return product(d, one, other)


@calls("dot inner")
def dot(d: Draw) -> Call:
    k = d.pick([1, 2, 3, 5])
    one = (*d.shape(0, 2), k) if d.chance(0.9) else ()
    if d.chance(0.1):
        return product(d, one, ())
    if d.name == "inner":
        return product(d, one, (*d.shape(0, 2), k))
    return product(d, one, (k,) if d.chance(0.4) else (*d.shape(0, 1), k, d.pick([1, 2])))


@calls("vdot")
def vdot(d: Draw) -> Call:
    shape = d.shape()
    return product(d, shape, shape[::-1])


@calls("vecdot linalg.vecdot")
def vecdot(d: Draw) -> Call:
    k = d.pick([1, 2, 3, 5])
    one, other = d.broadcast_shapes(2, high=2)
    return product(d, (*one, k), (*other, k))


@calls("matvec")
def matvec(d: Draw) -> Call:
    m, k = d.pick([1, 2, 3]), d.pick([1, 2, 3])
    one, other = d.broadcast_shapes(2, high=1)
    return product(d, (*one, m, k), (*other, k))


@calls("vecmat")
def vecmat(d: Draw) -> Call:
    m, k = d.pick([1, 2, 3]), d.pick([1, 2, 3])
    one, other = d.broadcast_shapes(2, high=1)
    return product(d, (*one, k), (*other, k, m))


@calls("outer")
def outer(d: Draw) -> Call:
    return product(d, d.shape(0, 2), d.shape(0, 2))


@calls("linalg.outer")
def linalg_outer(d: Draw) -> Call:
    return product(d, d.shape(1, 1), d.shape(1, 1))


@calls("kron")
def kron(d: Draw) -> Call:
    return product(d, d.shape(0, 3), d.shape(0, 3))


@calls("tensordot linalg.tensordot")
def tensordot(d: Draw) -> Call:
    count = d.integer(0, 2)
    shared = tuple(d.pick([1, 2, 3]) for _ in range(count))
    one, other = d.shape(0, 2), d.shape(0, 2)
    if d.chance(0.5):
        return product(d, (*one, *shared), (*shared, *other), axes=count)
    order = list(range(count))
    d.random.shuffle(order)
    first = [len(one) + k for k in order]
    return product(d, (*one, *shared), (*shared, *other), axes=(first, order))


@calls("cross")
def cross(d: Draw) -> Call:
    one, other = d.broadcast_shapes(2, high=2)
    return product(d, (*one, 3), (*other, 3))


@calls("linalg.cross")
def linalg_cross(d: Draw) -> Call:
    one = d.shape(0, 2)
    return product(d, (*one, 3), (*one, 3))


@calls("einsum")
def einsum(d: Draw) -> Call:
    with_few_extremes(d)
    lengths = {name: d.pick([1, 2, 3]) for name in "ijkl"}
    inputs = ["".join(d.pick("ijkl") for _ in range(d.integer(0, 3))) for _ in range(d.integer(1, 3))]
    names = sorted(set("".join(inputs)))
    d.random.shuffle(names)
    text = ",".join(inputs)
    if d.chance(0.7):
        text += "->" + "".join(names[: d.integer(0, len(names))])
    operands = [d.array(shape=tuple(lengths[name] for name in one)) for one in inputs]
    if d.chance(0.3):
        operands = [d.array(shape=one.shape, dtype=operands[0].dtype) for one in operands]
    return Call((text, *operands), scale=float(np.prod([largest(one) for one in operands])) * 9)


@calls("trace")
def trace(d: Draw) -> Call:
    x, _, scale = reduced(d)
    x = d.array(low=2)
    options = d.maybe(offset=d.integer(-2, 2), dtype=d.dtype)
    if d.chance(0.3):
        options |= {"axis1": d.axis(x.ndim), "axis2": d.axis(x.ndim)}
    return Call((x,), options, scale=largest(x) * 4)


@calls("linalg.trace")
def linalg_trace(d: Draw) -> Call:
    with_few_extremes(d)
    x = d.array(low=2)
    return Call((x,), d.maybe(offset=d.integer(-2, 2), dtype=d.dtype), scale=largest(x) * 4)


@calls("linalg.matrix_power")
def matrix_power(d: Draw) -> Call:
    d.regime = "small"
    n = d.integer(1, 3)
    x = d.array(shape=(*d.shape(0, 1), n, n))
    return Call((x, d.integer(0, 4)), scale=largest(x) ** 4 * 81)


@calls("linalg.norm")
def norm(d: Draw) -> Call:
    with_few_extremes(d)
    x = d.array(low=1, high=2)
    options = d.maybe(axis=d.axis(x.ndim), keepdims=True)
    is_vector = x.ndim == 1 or "axis" in options
    options |= d.maybe(ord=d.pick([0, 1, 2, 3, np.inf, -np.inf, -1, 0.5] if is_vector else ["fro", 1, -1, np.inf, -np.inf]))
    return Call((x,), options, scale=0)


@calls("linalg.vector_norm")
def vector_norm(d: Draw) -> Call:
    with_few_extremes(d)
    x = d.array()
    options = d.maybe(keepdims=True, ord=d.pick([0, 1, 2, 3, np.inf, -np.inf, -1, 0.5]))
    if x.ndim and d.chance(0.6):
        options["axis"] = d.axes(x.ndim)
    return Call((x,), options)


@calls("linalg.matrix_norm")
def matrix_norm(d: Draw) -> Call:
    with_few_extremes(d)
    return Call((d.array(low=2),), d.maybe(keepdims=True, ord=d.pick(["fro", 1, -1, np.inf, -np.inf])))


@calls("linalg.diagonal")
def linalg_diagonal(d: Draw) -> Call:
    return Call((d.array(low=2),), d.maybe(offset=d.integer(-2, 2)))


@calls("linalg.matrix_transpose matrix_transpose")
def matrix_transpose(d: Draw) -> Call:
    return Call((d.array(low=1),))


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
    return Call((x,), d.maybe(to_end=lambda: d.array(shape=(2,), dtype=x.dtype), to_begin=lambda: d.value(x.dtype.kind, ())), scale=0.0)


@calls("gradient")
def gradient(d: Draw) -> Call:
    with_few_extremes(d)
    x = d.array(low=1)
    rest: tuple[Any, ...] = ()
    options = {}
    if d.chance(0.5):
        options["axis"] = d.axis(x.ndim)
    if d.chance(0.3):
        rest = (d.pick([2, 0.5]),)
    elif "axis" in options and d.chance(0.4) and -x.ndim <= options["axis"] < x.ndim:
        places = np.cumsum([d.integer(1, 3) for _ in range(x.shape[options["axis"]])])
        rest = (Operand(places.astype(d.pick(["u1", "i1", "f4", "f8", "i8"]))),)
    return Call((x, *rest), options, scale=largest(x))


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
    return Call((p, x), scale=largest(p) * largest(x) ** 4)


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
    if d.chance(0.2):
        options["dtype"] = d.dtype("iufc")
    if d.chance(0.2) and (one or other):
        options["axis"] = d.pick([0, -1])
    precision = np.result_type(np.asarray(numpys(x)).dtype, np.asarray(numpys(y)).dtype, np.float16)
    return Call((x, y), options, scale=largest(numpys(x), numpys(y)), precision=precision)


@calls("logspace")
def logspace(d: Draw) -> Call:
    d.regime = "small"
    x, y = d.value(REAL, ()), d.value(REAL, ())
    return Call((x, y), d.maybe(num=d.integer(0, 6), endpoint=False, base=d.pick([2, 2.0, 3.5])))


@calls("geomspace")
def geomspace(d: Draw) -> Call:
    d.regime = d.pick(["small", "normal"])
    return Call((d.number("if"), d.number("if")), d.maybe(num=d.integer(0, 6), endpoint=False))


@calls("eye")
def eye(d: Draw) -> Call:
    return Call((d.integer(0, 4), *([d.integer(0, 4)] if d.flag() else [])), d.maybe(k=d.integer(-5, 5), dtype=d.dtype))


@calls("identity")
def identity(d: Draw) -> Call:
    return Call((d.integer(0, 4),), d.maybe(dtype=d.dtype))


@calls("tri")
def tri(d: Draw) -> Call:
    return Call((d.integer(0, 4), *([d.integer(0, 4)] if d.flag() else [])), d.maybe(k=d.integer(-5, 5), dtype=d.dtype))


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
    return Call((d.value(shape=d.shape()),), d.maybe(dtype=d.dtype, shape=(2, 3)), ignored="elements" if d.name == "empty_like" else "")


@calls("full_like")
def full_like(d: Draw) -> Call:
    x = d.array()
    return Call((x, d.value(x.dtype.kind, d.pick([(), x.shape]))), d.maybe(dtype=d.dtype))


@calls("array asarray asanyarray ascontiguousarray")
def conversion(d: Draw) -> Call:
    shape = d.shape()
    return Call((d.value(shape=shape),), d.maybe(dtype=d.dtype) | (d.maybe(ndmin=d.integer(0, 4)) if d.name == "array" else {}))


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
    return Call((x,), d.maybe(offset=d.integer(-3, 3)) | ({"axis1": d.axis(x.ndim), "axis2": d.axis(x.ndim)} if d.chance(0.4) else {}))


@calls("frombuffer")
def frombuffer(d: Draw) -> Call:
    return Call((bytes(d.integer(0, 255) for _ in range(16)),), {"dtype": d.dtype("iu")} | d.maybe(count=2, offset=d.pick([0, 4, 8])))


@calls("fromiter")
def fromiter(d: Draw) -> Call:
    dtype = d.dtype()
    return Call(([d.element(dtype) for _ in range(4)], dtype), d.maybe(count=3))


@calls("fromfunction")
def fromfunction(d: Draw) -> Call:
    return Call((lambda i, j: i * 2 + j, (d.integer(0, 3), d.integer(1, 3))), d.maybe(dtype=lambda: d.dtype("iuf")))


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


# Shapes.
@calls("reshape")
def reshape(d: Draw) -> Call:
    x = d.array()
    shape = list(x.shape)
    d.random.shuffle(shape)
    form = d.pick(["same", "flat", "unknown", "wrong"] if d.chance(0.1) else ["same", "flat", "unknown"])
    if form == "flat":
        return Call((x, d.pick([-1, x.size, (x.size,)])))
    if form == "unknown" and shape:
        shape[0] = -1
    if form == "wrong":
        shape.append(7)
    return Call((x, tuple(shape)))


@calls("ravel atleast_1d atleast_2d atleast_3d fliplr flipud")
def of_one_array(d: Draw) -> Call:
    return Call((d.value(shape=d.shape()),))


@calls("size")
def size(d: Draw) -> Call:
    x = d.value(shape=d.shape())
    return Call((x,), d.maybe(axis=d.axis(np.ndim(numpys(x)))))


@calls("transpose")
def transpose(d: Draw) -> Call:
    x = d.array()
    axes = list(range(x.ndim))
    d.random.shuffle(axes)
    return Call((x,), d.maybe(axes=tuple(axes)))


@calls("permute_dims")
def permute_dims(d: Draw) -> Call:
    x = d.array()
    axes = [axis - x.ndim if d.chance(0.2) else axis for axis in range(x.ndim)]
    d.random.shuffle(axes)
    return Call((x, tuple(axes) if d.chance(0.95) else (*axes, 0)))


@calls("swapaxes rollaxis")
def swapaxes(d: Draw) -> Call:
    x = d.array(low=1)
    return Call((x, d.axis(x.ndim), d.axis(x.ndim)))


@calls("moveaxis")
def moveaxis(d: Draw) -> Call:
    x = d.array(low=1)
    if d.chance(0.6):
        return Call((x, d.axis(x.ndim), d.axis(x.ndim)))
    count = d.integer(1, x.ndim)
    return Call((x, tuple(d.random.sample(range(x.ndim), count)), tuple(d.random.sample(range(x.ndim), count))))


@calls("squeeze")
def squeeze(d: Draw) -> Call:
    x = d.array()
    return Call((x,), {"axis": d.axes(x.ndim)} if d.chance(0.5) else {})


@calls("expand_dims")
def expand_dims(d: Draw) -> Call:
    x = d.array()
    return Call((x, d.axis(x.ndim + 1) if d.chance(0.7) else (0, d.axis(x.ndim + 2))))


@calls("flip")
def flip(d: Draw) -> Call:
    x = d.array()
    return Call((x,), {"axis": d.axes(x.ndim)} if d.chance(0.7) and x.ndim else {})


@calls("rot90")
def rot90(d: Draw) -> Call:
    x = d.array(low=1)
    return Call((x,), d.maybe(k=d.integer(-5, 5), axes=(d.axis(x.ndim), d.axis(x.ndim))))


@calls("roll")
def roll(d: Draw) -> Call:
    x = d.array()
    if x.ndim > 1 and d.chance(0.3):
        return Call((x, (d.integer(-5, 5), d.integer(-5, 5)), (0, d.axis(x.ndim))))
    return Call((x, d.integer(-7, 7)), {"axis": d.axis(x.ndim)} if d.chance(0.5) and x.ndim else {})


@calls("concat concatenate")
def concat(d: Draw) -> Call:
    shape = d.shape(1, 3)
    axis = d.axis(len(shape))
    parts = []
    for _ in range(d.integer(1, 3)):
        own = list(shape)
        if -len(own) <= axis < len(own):
            own[axis] = d.integer(0, 3)
        if d.chance(0.03):
            own[0] += 1
        parts.append(d.array(shape=own))
    options: dict[str, Any] = {"axis": d.pick([axis, axis, None])}
    return Call((parts,), options | ({"dtype": d.dtype()} if d.chance(0.15) else {}))


@calls("stack")
def stack(d: Draw) -> Call:
    shape = d.shape()
    parts = [d.array(shape=shape) for _ in range(d.integer(1, 3))]
    return Call((parts,), d.maybe(axis=d.axis(len(shape) + 1)))


@calls("vstack hstack dstack column_stack")
def stacks(d: Draw) -> Call:
    shape = d.shape()
    return Call(([d.array(shape=shape) for _ in range(d.integer(1, 3))],))


@calls("append")
def append(d: Draw) -> Call:
    x = d.array(low=1)
    return Call((x, d.value(shape=x.shape)), {"axis": d.axis(x.ndim)} if d.flag() else {})


@calls("unstack")
def unstack(d: Draw) -> Call:
    x = d.array()
    return Call((x,), d.maybe(axis=d.axis(x.ndim)))


@calls("split array_split")
def split(d: Draw) -> Call:
    x = d.array(low=1)
    where = d.integer(0, 4) if d.flag() else sorted(d.integer(-2, 6) for _ in range(d.integer(0, 3)))
    return Call((x, where), d.maybe(axis=d.axis(x.ndim)))


@calls("vsplit hsplit dsplit")
def splits(d: Draw) -> Call:
    return Call((d.array(), d.integer(1, 3) if d.flag() else [1, 2]))


@calls("repeat")
def repeat(d: Draw) -> Call:
    x = d.array()
    axis = d.axis(x.ndim)
    if d.chance(0.5) and x.ndim and -x.ndim <= axis < x.ndim:
        counts = np.array([d.integer(0, 3) for _ in range(x.shape[axis])], d.dtype("i"))
        return Call((x, Operand(counts) if d.flag() else counts.tolist()), {"axis": axis})
    return Call((x, d.integer(-1, 3)), {"axis": axis} if d.chance(0.5) else {})


@calls("tile")
def tile(d: Draw) -> Call:
    return Call((d.array(), d.integer(0, 3) if d.flag() else tuple(d.integer(0, 2) for _ in range(d.integer(1, 3)))))


@calls("pad")
def pad(d: Draw) -> Call:
    x = d.array(low=1)
    width = d.pick([d.integer(0, 4), (1, 2), tuple((d.integer(0, 3), d.integer(0, 5)) for _ in range(x.ndim))])
    mode = d.pick(["constant", "edge", "reflect", "symmetric", "wrap"])
    options = {"mode": mode} | (d.maybe(constant_values=d.integer(0, 3)) if mode == "constant" else {})
    return Call((x, width), options)


@calls("broadcast_to")
def broadcast_to(d: Draw) -> Call:
    shape = d.shape(1, 3)
    own = [1 if d.chance(0.3) else n for n in shape][d.integer(0, 1) :]
    return Call((d.array(shape=own), shape if d.chance(0.95) else (*shape, 2)))


@calls("broadcast_arrays")
def broadcast_arrays(d: Draw) -> Call:
    return Call(tuple(d.array(shape=shape) for shape in d.broadcast_shapes(d.integer(1, 3))))


@calls("broadcast_shapes")
def broadcast_shapes(d: Draw) -> Call:
    return Call(tuple(d.broadcast_shapes(d.integer(0, 3))))


@calls("block")
def block(d: Draw) -> Call:
    n, m = d.integer(1, 3), d.integer(1, 3)
    return Call(([[d.array(shape=(n, m)), d.array(shape=(n, 1))], [d.array(shape=(1, m)), d.array(shape=(1, 1))]],))


@calls("resize")
def resize(d: Draw) -> Call:
    return Call((d.array(), d.shape() if d.flag() else d.integer(0, 9)))


@calls("trim_zeros")
def trim_zeros(d: Draw) -> Call:
    return Call((d.array(low=1, high=1),), d.maybe(trim=d.pick(["f", "b", "fb"])))


# Elements by their positions.
def some_positions(d: Draw, length: int, shape: tuple[int, ...] | None = None, wrong: float = 0.03) -> Any:
    shape = d.shape(0, 2) if shape is None else shape
    dtype = d.dtype("i" if d.chance(0.7) else "iu")
    low = 0 if dtype.kind == "u" else -length
    count = int(np.prod(shape))
    values = np.array([d.integer(low, max(length - 1, low)) for _ in range(count)], np.int64)
    if count and d.chance(wrong):
        values[0] = length
    return Operand(values.astype(dtype).reshape(shape))


@calls("take")
def take(d: Draw) -> Call:
    x = d.array(low=d.pick([0, 1, 1]))
    axis = d.axis(x.ndim)
    by_axis = d.flag()
    inside = x.ndim and -x.ndim <= axis < x.ndim
    length = x.shape[axis] if by_axis and inside else max(x.size, 1)
    options: dict[str, Any] = {"axis": axis} if by_axis else {}
    return Call((x, some_positions(d, length)), options | d.maybe(mode=d.pick(["wrap", "clip"])))


@calls("take_along_axis")
def take_along_axis(d: Draw) -> Call:
    x = d.array(low=1)
    axis = d.axis(x.ndim)
    shape = list(x.shape)
    if not -x.ndim <= axis < x.ndim:
        return Call((x, some_positions(d, 1, tuple(shape)), axis))
    shape[axis] = d.integer(0, 3)
    return Call((x, some_positions(d, x.shape[axis], tuple(shape)), axis))


def target(d: Draw, **options: Any) -> Operand:
    """An array to write to: neither a broadcast view nor an expression."""
    while True:
        x = d.array(**options)
        if not x.is_lazy and all(step != "broadcast" for step, _ in x.steps):
            return x


@calls("put_along_axis")
def put_along_axis(d: Draw) -> Call:
    x = target(d, low=1)
    axis = d.integer(-x.ndim, x.ndim - 1)
    shape = list(x.shape)
    shape[axis] = min(1, shape[axis])
    return Call((x, some_positions(d, x.shape[axis], tuple(shape)), d.value(x.dtype.kind), axis))


@calls("put")
def put(d: Draw) -> Call:
    x = target(d)
    at = some_positions(d, max(x.size, 1), (d.integer(0, 3),))
    at.base[...] = np.unique(at.base % max(x.size, 1))[:1] if at.size else at.base  # the order of writes is open
    at = Operand(at.base[:1])
    return Call((x, at, d.array(shape=(d.integer(1, 3),), dtype=x.dtype)), d.maybe(mode=d.pick(["wrap", "clip"])))


@calls("place putmask")
def place(d: Draw) -> Call:
    x = target(d)
    return Call((x, d.mask(x.shape), d.array(shape=(d.integer(1, 4),), dtype=x.dtype)))


@calls("copyto")
def copyto(d: Draw) -> Call:
    x = target(d)
    own = x.shape[d.integer(0, x.ndim) :]
    source = d.value(shape=own)
    return Call((x, source), d.maybe(where=lambda: d.mask(x.shape), casting=d.pick(["no", "safe", "unsafe", "same_kind"])))


@calls("fill_diagonal")
def fill_diagonal(d: Draw) -> Call:
    x = target(d, low=2, high=2) if d.chance(0.7) else target(d, shape=(d.integer(1, 3),) * 3)
    return Call((x, d.value(x.dtype.kind, d.pick([(), (2,), (5,)]))), d.maybe(wrap=True))


@calls("nonzero flatnonzero argwhere")
def nonzero(d: Draw) -> Call:
    return Call((d.value(shape=d.shape()),))


@calls("searchsorted")
def searchsorted(d: Draw) -> Call:
    x = d.array(REAL, low=1, high=1)
    ordered = Operand(np.sort(x.numpy()))
    options = d.maybe(side=d.pick(["left", "right"]))
    if d.chance(0.15):
        order = np.argsort(x.numpy(), kind="stable")
        return Call((x, d.value(REAL, d.shape()),), options | {"sorter": Operand(order)})
    return Call((ordered, d.value(REAL, d.shape())), options)


@calls("extract compress")
def extract(d: Draw) -> Call:
    x = d.array()
    if d.name == "extract":
        return Call((d.mask(x.shape), x))
    axis = d.axis(x.ndim)
    known = x.ndim and -x.ndim <= axis < x.ndim
    length = x.shape[axis] if known else x.size
    return Call((d.mask((d.integer(0, length),)), x), {"axis": axis} if known else {})


@calls("choose")
def choose(d: Draw) -> Call:
    shape, *rest = d.broadcast_shapes(d.integer(2, 4), high=2)
    x = some_positions(d, len(rest), shape)
    x.base[...] = np.abs(x.base) % len(rest)
    return Call((x, [d.array(shape=one) for one in rest]), d.maybe(mode=d.pick(["wrap", "clip"])))


@calls("select")
def select(d: Draw) -> Call:
    shape = d.shape()
    count = d.integer(1, 3)
    conditions = [d.mask(shape) for _ in range(count)]
    return Call((conditions, [d.value(shape=shape) for _ in range(count)]), d.maybe(default=lambda: d.value()))


@calls("piecewise")
def piecewise(d: Draw) -> Call:
    x = d.array("if", low=1)
    masks = [d.mask(x.shape) for _ in range(d.integer(1, 2))]
    return Call((x, masks, [d.integer(-3, 3) for _ in range(len(masks) + d.integer(0, 1))]))


@calls("delete")
def delete(d: Draw) -> Call:
    x = d.array(low=1)
    axis = d.axis(x.ndim)
    length = x.shape[axis] if -x.ndim <= axis < x.ndim else 1
    what = d.pick([d.integer(-length, max(length - 1, 0)), slice(0, 2), [0] if length else []])
    return Call((x, what), {"axis": axis})


@calls("insert")
def insert(d: Draw) -> Call:
    x = d.array(low=1)
    if d.chance(0.5):
        return Call((x, d.integer(0, x.size), d.value(x.dtype.kind)))
    axis = d.integer(-x.ndim, x.ndim - 1)
    return Call((x, d.pick([0, [0], [0, x.shape[axis]]]), d.value(x.dtype.kind)), {"axis": axis})


# Sorting and sets.
@calls("sort")
def sort(d: Draw) -> Call:
    x = d.array()
    return Call((x,), {"axis": d.pick([None, d.axis(x.ndim)])} if d.flag() and x.ndim else {})


@calls("argsort")
def argsort(d: Draw) -> Call:
    x = d.array()
    return Call((x,), {"kind": "stable"} | ({"axis": d.pick([None, d.axis(x.ndim)])} if d.flag() else {}))


@calls("partition argpartition")
def partition(d: Draw) -> Call:
    x = d.array(REAL, low=1)
    kth = d.integer(-1, max(x.shape[-1] - 1, 0)) if d.chance(0.95) else x.shape[-1]
    return Call((x, kth), ignored="elements")


@calls("lexsort")
def lexsort(d: Draw) -> Call:
    shape = d.shape(1, 2)
    return Call((tuple(d.array(REAL, shape) for _ in range(d.integer(1, 3))),))


@calls("unique")
def unique(d: Draw) -> Call:
    x = d.array()
    options = d.maybe(return_index=True, return_inverse=True, return_counts=True, equal_nan=False)
    if x.ndim and d.chance(0.3):
        options["axis"] = d.axis(x.ndim)
    return Call((x,), options)


@calls("unique_all unique_counts unique_inverse unique_values")
def uniques(d: Draw) -> Call:
    return Call((d.array(),))


@calls("isin in1d")
def isin(d: Draw) -> Call:
    return Call((d.value(shape=d.shape()), d.value(shape=d.shape())), d.maybe(invert=True))


@calls("intersect1d union1d setdiff1d setxor1d")
def sets(d: Draw) -> Call:
    return Call((d.array(), d.array()))


@calls("bincount")
def bincount(d: Draw) -> Call:
    n = d.integer(0, 6)
    dtype = d.dtype("biu")
    x = Operand(np.array([d.integer(0, 1 if dtype.kind == "b" else 6) for _ in range(n)], dtype))
    options = d.maybe(minlength=d.integer(0, 9))
    scale = 0.0
    if d.chance(0.5):
        if d.regime == "extreme":
            d.regime = "normal"
        options["weights"] = d.array(REAL, (n,))
        scale = largest(options["weights"])
    return Call((x,), options, scale=scale)


@calls("histogram")
def histogram(d: Draw) -> Call:
    if d.regime in ("extreme", "special"):
        d.regime = "small"
    x = d.array(REAL)
    bins = d.pick([1, 3, 10, [-2, 0, 1, 5], [0.5, 1.5], "array"])
    if bins == "array":
        bins = Operand(np.array([0, 1, 2, 4], d.dtype("iuf")))
    options: dict[str, Any] = {}
    if isinstance(bins, int) and d.chance(0.4):
        options["range"] = (-2, 3)
    scale = 1.0
    if d.chance(0.3):
        options["weights"] = d.array(REAL, x.shape)
        scale = largest(options["weights"])
    return Call((x, bins), options | d.maybe(density=True), scale=scale)


@calls("digitize")
def digitize(d: Draw) -> Call:
    if d.regime == "special":
        d.regime = "extreme"
    edges = np.sort(d.elements(d.dtype("iuf"), (d.integer(1, 4),)))
    if d.chance(0.4):
        edges = edges[::-1].copy()
    return Call((d.value(REAL, d.shape()), Operand(edges)), d.maybe(right=True))


# Types.
@calls("astype")
def astype(d: Draw) -> Call:
    x = d.array()
    return Call((x, d.dtype()), ignored="")


@calls("can_cast")
def can_cast(d: Draw) -> Call:
    return Call((d.dtype(), d.dtype()), d.maybe(casting=d.pick(["no", "equiv", "safe", "same_kind", "unsafe"])))


@calls("result_type")
def result_type(d: Draw) -> Call:
    def one() -> Any:
        return d.pick([d.dtype(), d.array(), d.number()])

    return Call(tuple(one() for _ in range(d.integer(0, 3))))


@calls("min_scalar_type")
def min_scalar_type(d: Draw) -> Call:
    return Call((d.pick([d.number(), d.dtype()]),))


@calls("isdtype")
def isdtype(d: Draw) -> Call:
    kinds = ["bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating", "numeric"]
    return Call((d.dtype(), d.pick([d.pick(kinds), d.dtype(), (d.pick(kinds), d.dtype())])))


@calls("issubdtype")
def issubdtype(d: Draw) -> Call:
    return Call((d.dtype(), d.pick([np.integer, np.floating, np.inexact, np.number, np.generic, d.dtype()])))


@calls("finfo iinfo")
def limits(d: Draw) -> Call:
    return Call((d.dtype("fc" if d.name == "finfo" else "iu"),))


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
        return Call((x, d.value(kinds, other if d.chance(0.2) else d.pick([(), x.shape]))))
    x, y = d.array(kinds, one), d.value(kinds, other)
    if d.name in ("operator.lshift", "operator.rshift") and isinstance(y, int):
        y = abs(y) % 70
    return Call((y, x) if not isinstance(y, (list, np.generic)) and d.chance(0.3) else (x, y))


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
            parts.append(d.mask((length,)) if sum(isinstance(p, Operand) for p in parts) == 0 else slice(None))
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
    return Call((x, index, d.value(x.dtype.kind)))


def method_of(function: str, kinds: str = NUMBERS) -> Recipe:
    def recipe(d: Draw) -> Call:
        d.name = function
        call = CALLS[function](d)
        while not isinstance(call.args[0], Operand):
            call = CALLS[function](d)
        return call

    return recipe


for _name in """all any argmax argmin argsort clip cumprod cumsum diagonal dot max mean min nonzero prod put
    ravel repeat reshape round searchsorted squeeze std sum swapaxes take trace transpose var astype copy conj""".split():
    CALLS[f"Array.{_name}"] = method_of(_name)


@calls("Array.sort")
def sort_in_place(d: Draw) -> Call:
    x = target(d, low=1)
    return Call((x,), d.maybe(axis=d.axis(x.ndim)))


@calls("Array.fill")
def fill(d: Draw) -> Call:
    x = target(d)
    return Call((x, d.element(x.dtype)))


@calls("Array.flatten Array.tolist Array.__len__ Array.__bool__ Array.tobytes")
def of_itself(d: Draw) -> Call:
    return Call((d.array(),))


@calls("Array.__int__ Array.__float__ Array.__complex__ Array.__index__ Array.item")
def as_a_number(d: Draw) -> Call:
    if d.regime == "special":
        d.regime = "normal"
    return Call((d.array(shape=d.pick([(), (), (), (1,), (2,)])),))


def function_of(name: str, module: Any) -> Callable[..., Any]:
    """The function of this name: of NumPy or of quern."""
    place, _, own = name.rpartition(".")
    if place == "operator":
        function = getattr(operator, own)
        if own != "setitem":
            return function  # type: ignore[no-any-return]
        return lambda x, index, value: (function(x, index, value), x)[1]
    if place == "Array":
        return lambda x, *args, **kwargs: getattr(x, own)(*args, **kwargs)
    if module is np and name in NUMPYS:
        return NUMPYS[name]
    found: Any = getattr(module.linalg if place == "linalg" else module, own)
    if own in ("mgrid", "ogrid", "r_", "c_"):
        return lambda key: found[key]
    if own in ("finfo", "iinfo"):
        return lambda dtype: [getattr(found(dtype), part) for part in ("bits", "dtype")] + [float(getattr(found(dtype), part)) for part in ("max", "min")]
    return found  # type: ignore[no-any-return]


def names_to_compare() -> set[str]:
    """Every public function, also those that the table forgets."""
    found = set()
    for name in qn.__all__:
        value = getattr(qn, name)
        is_grid = name in ("mgrid", "ogrid", "r_", "c_")
        if (callable(value) and not isinstance(value, type)) or is_grid:
            found.add(name)
    return (found | {f"linalg.{name}" for name in qn.linalg.__all__}) - set(NOT_COMPARED)
