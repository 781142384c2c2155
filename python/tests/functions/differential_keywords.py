# SPDX-License-Identifier: MIT
"""Keywords that many functions take, added to the calls that the other modules draw: out=, where=, dtype=, casting=..."""

from __future__ import annotations

import inspect
import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from differential import REAL, Call, Draw, Operand, converted
from differential_table import CALLS, Recipe

CASTINGS = ["no", "equiv", "safe", "same_kind", "unsafe"]


def extended(names: str, chance: float = 0.3) -> Callable[[Callable[[Draw, Call], None]], None]:
    """Has a function add to calls of these names, now and then."""

    def extend(add: Callable[[Draw, Call], None]) -> None:
        for name in names.split():
            CALLS[name] = _with(CALLS[name], add, chance)

    return extend


def _with(recipe: Recipe, add: Callable[[Draw, Call], None], chance: float) -> Recipe:
    def made(d: Draw) -> Call:
        call = recipe(d)
        if d.chance(chance):
            add(d, call)
        return call

    return made


def result_of(d: Draw, call: Call) -> Any:
    """What NumPy makes of the call so far, and nothing where that is an error."""
    try:
        function = operator.attrgetter(d.name)(np)
    except AttributeError:
        return None
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*converted(call.args, Operand.numpy), **converted(call.kwargs, Operand.numpy))
        except Exception:
            return None


def add_out(d: Draw, call: Call, wrong: float = 0.0) -> bool:
    """An array for the result, mostly of its own type; now and then of a wrong shape."""
    result = result_of(d, call)
    if not isinstance(result, (np.ndarray, np.generic)) or result.dtype.kind not in "biufc":
        return False
    # NumPy's ptp subtracts in the type of its out=.
    dtype = result.dtype if d.chance(0.8) or d.name == "ptp" else d.dtype()
    shape = (2, 3) if d.chance(wrong) else result.shape
    call.kwargs["out"] = d.array(shape=shape, dtype=dtype, plain=True)
    return True


UNARY = """abs absolute acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh bitwise_count
    bitwise_invert bitwise_not cbrt ceil conj conjugate cos cosh deg2rad degrees exp exp2 expm1 fabs floor invert isfinite
    isinf isnan log log10 log1p log2 logical_not negative positive rad2deg radians reciprocal rint sign signbit sin sinh
    spacing sqrt square tan tanh trunc"""
BINARY = """add arctan2 atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign divide
    equal float_power floor_divide fmax fmin fmod gcd greater greater_equal heaviside hypot lcm ldexp left_shift less
    less_equal logaddexp logaddexp2 logical_and logical_or logical_xor maximum minimum mod multiply nextafter not_equal
    pow power remainder right_shift subtract true_divide"""


def has_huge_number(call: Call) -> bool:
    """NumPy crashes where it compares a Python integer that the other type does not hold, and there is an out=."""
    return any(isinstance(one, int) and not isinstance(one, bool) for one in call.args)


@extended(f"{UNARY} {BINARY}")
def of_elements(d: Draw, call: Call) -> None:
    form = d.pick(["out", "out", "dtype", "order", "where"])
    if form == "order":
        call.kwargs["order"] = d.pick("CFAK")
    elif form == "dtype":
        result = result_of(d, call)
        if d.name == "ldexp":
            x = call.args[0]
            if isinstance(x, Operand) and x.dtype.kind == "f":
                call.kwargs |= {"dtype": x.dtype, "casting": d.pick(["same_kind", "unsafe"])}
        elif result is not None:
            call.kwargs["dtype"] = result.dtype if d.chance(0.5) else d.dtype("fc")
            call.kwargs["casting"] = d.pick(CASTINGS) if d.chance(0.5) else "same_kind"
    elif (
        "out" not in call.kwargs and not has_huge_number(call) and add_out(d, call, 0.05) and form == "where"
    ):
        call.kwargs["where"] = d.mask(call.kwargs["out"].shape)


@extended("divmod frexp modf")
def of_pairs(d: Draw, call: Call) -> None:
    form = d.pick(["out", "where", "order", "dtype"])
    result = result_of(d, call)
    if form == "order":
        call.kwargs["order"] = d.pick("CFAK")
    elif result is not None and form == "dtype":
        call.kwargs |= {"dtype": result[0].dtype, "casting": d.pick(CASTINGS)} if d.name != "frexp" else {}
    elif result is not None and not has_huge_number(call):
        targets = tuple(d.array(shape=one.shape, dtype=one.dtype, plain=True) for one in result)
        call.kwargs["out"] = targets
        if form == "where":
            call.kwargs["where"] = d.mask(result[0].shape)


@extended(
    """argmax argmin around choose compress cumprod cumsum cumulative_prod cumulative_sum dot fix isneginf isposinf
    nanargmax nanargmin nancumprod nancumsum outer ptp round take trace clip einsum median nanmedian concat concatenate
    stack"""
)
def results(d: Draw, call: Call) -> None:
    if "dtype" in call.kwargs and d.name in ("concat", "concatenate", "stack"):
        return
    # NumPy divides integers into it.
    if d.name in ("round", "around") and len(call.args) > 1 and call.args[1] < 0:
        return
    add_out(d, call)


@extended("cummax cummin")
def greatest_so_far(d: Draw, call: Call) -> None:
    x = call.args[0]
    shape = x.shape if "axis" in call.kwargs else (x.size,)
    call.kwargs["out"] = d.array(shape=shape, dtype=x.dtype, plain=True)


@extended("nanmax nanmin nansum nanprod nanmean nanstd nanvar quantile percentile nanquantile nanpercentile")
def reductions(d: Draw, call: Call) -> None:
    if d.flag() and "quantile" not in d.name and "percentile" not in d.name:
        x = call.args[0]
        call.kwargs["where"] = d.mask(x.shape if d.chance(0.7) else x.shape[1:])
        if d.name in ("nanmax", "nanmin") or (d.flag() and d.name in ("nansum", "nanprod")):
            call.kwargs["initial"] = d.number("if" if x.dtype.kind in "fc" else "i")
    else:
        add_out(d, call)


@extended("nanstd nanvar std var", 0.15)
def spreads(d: Draw, call: Call) -> None:
    x, options = call.args[0], call.kwargs
    if d.flag() and "dtype" not in options and "where" not in options and x.dtype.kind in "fc":
        mean = np.nanmean if d.name.startswith("nan") else np.mean
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                options["mean"] = Operand(
                    np.asarray(mean(x.numpy(), axis=options.get("axis"), keepdims=True))
                )
            except Exception:
                return
    elif "ddof" not in options:
        options["correction"] = d.pick([0, 1])
    if d.name.startswith("nan") and x.dtype.kind == "f" and "mean" not in options and d.flag():
        options["dtype"] = np.dtype("f8")
        call.precision = x.dtype  # NumPy subtracts in that of the elements.


@extended("percentile quantile nanquantile nanpercentile", 0.2)
def weighted(d: Draw, call: Call) -> None:
    x = call.args[0]
    if x.dtype.kind in REAL and "out" not in call.kwargs and d.flag():
        weights = np.array([d.integer(1, 4) for _ in range(x.size)], "f8").reshape(x.shape)
        call.kwargs |= {"weights": Operand(weights), "method": "inverted_cdf"}
    else:
        call.kwargs["overwrite_input"] = False


@extended("median nanmedian", 0.2)
def overwriting(d: Draw, call: Call) -> None:
    call.kwargs["overwrite_input"] = False


@extended(
    """copy empty empty_like eye full full_like ones ones_like ravel zeros zeros_like unravel_index ravel_multi_index
    reshape matmul matvec vecdot vecmat""",
    0.2,
)
def orders(d: Draw, call: Call) -> None:
    letters = {"unravel_index": "CF", "ravel_multi_index": "CF", "reshape": "CFA", "eye": "CF"}
    # In Fortran's order some of NumPy's are not written.
    letters |= dict.fromkeys(["matmul", "matvec", "vecdot", "vecmat"], "CK")
    creating = d.name in ("empty", "full", "ones", "zeros")
    call.kwargs["order"] = d.pick("CF" if creating else letters.get(d.name, "CFAK"))


@extended("matmul matvec vecdot vecmat")
def products(d: Draw, call: Call) -> None:
    form = d.pick(["out", "dtype", "axes", "axis"])
    x, y = call.args[0].ndim, call.args[1].ndim
    if form == "out":
        add_out(d, call)
    elif form == "dtype":
        call.kwargs |= {"dtype": d.dtype("fc")} | d.maybe(casting=d.pick(CASTINGS))
    elif d.name == "vecdot":
        call.kwargs |= {"axis": -1} if form == "axis" else {"axes": [(-1,), (-1,), ()]}
        call.kwargs |= d.maybe(keepdims=False)
    elif form == "axes" and d.name == "matmul" and x >= 2 and y >= 2:
        call.kwargs["axes"] = [(-2, -1), (-2, -1), d.pick([(-2, -1), (-1, -2)])]
    elif form == "axes" and d.name == "matvec":
        call.kwargs["axes"] = [(-2, -1), (-1,), (-1,)]
    elif form == "axes" and d.name == "vecmat":
        call.kwargs["axes"] = [(-1,), (-2, -1), (-1,)]


@extended("concat concatenate stack hstack vstack")
def joined(d: Draw, call: Call) -> None:
    if "out" not in call.kwargs:
        call.kwargs |= {"dtype": d.dtype()} | d.maybe(casting=d.pick(CASTINGS))


@extended("lexsort linalg.cross linalg.vecdot", 0.4)
def axes(d: Draw, call: Call) -> None:
    first = call.args[0][0] if d.name == "lexsort" else call.args[0]
    call.kwargs["axis"] = d.axis(first.ndim) if d.name == "lexsort" else -1


@extended("partition argpartition sort argsort")
def kinds(d: Draw, call: Call) -> None:
    if "sort" in d.name:
        call.kwargs.pop("kind", None)
        call.kwargs |= {"stable": True} if d.flag() else {"kind": "stable"}
        if (
            "stable" in call.kwargs and "descending" in inspect.signature(np.sort).parameters
        ):  # since NumPy 2.5
            call.kwargs |= d.maybe(descending=d.flag())
    else:
        call.kwargs |= d.maybe(axis=-1, kind="introselect")
    if d.chance(0.1):
        call.kwargs["order"] = None


@extended("geomspace logspace", 0.4)
def spaced(d: Draw, call: Call) -> None:
    call.kwargs |= {"dtype": np.dtype(d.pick(["f8", "c16"]))} if d.flag() else {"axis": d.pick([0, -1])}


@extended("isin in1d intersect1d setdiff1d setxor1d", 0.3)
def unique_ones(d: Draw, call: Call) -> None:
    dtype = d.dtype("iu")
    parts = tuple(
        Operand(np.array(d.random.sample(range(9), d.integer(0, 5)), dtype)) for _ in range(2)
    )  # each value once
    call.args = parts
    call.kwargs["assume_unique"] = True
    if d.name == "intersect1d":
        call.kwargs |= d.maybe(return_indices=True)
    if d.name in ("isin", "in1d"):
        call.kwargs |= d.maybe(kind=d.pick([None, "sort", "table"]))


@extended("corrcoef cov", 0.3)
def covariances(d: Draw, call: Call) -> None:
    if d.name == "corrcoef" or d.flag():
        call.kwargs["dtype"] = np.dtype("f8")
        return
    x = call.args[0]
    if len(call.args) == 1 and "rowvar" not in call.kwargs and x.shape[-1]:
        n = x.shape[-1]
        call.kwargs |= d.maybe(
            fweights=Operand(np.array([d.integer(1, 3) for _ in range(n)])),
            aweights=Operand(np.array([d.integer(1, 3) for _ in range(n)], "f8")),
        )


@extended("cross", 0.4)
def crossed(d: Draw, call: Call) -> None:
    call.kwargs |= {"axis": -1} if d.flag() else {"axisa": -1, "axisb": -1, "axisc": d.pick([-1, 0])}


@extended("einsum", 0.2)
def paths(d: Draw, call: Call) -> None:
    # NumPy sums booleans to booleans on the way.
    has_truths = any(one.dtype.kind == "b" for one in call.args[1:])
    call.kwargs["optimize"] = False if has_truths else d.flag()
    call.kwargs |= d.maybe(order=d.pick("CF"))
    # Of one operand that is not summed, NumPy returns a view, whatever dtype= says.
    if d.chance(0.3) and "out" not in call.kwargs and len(call.args) > 2:
        call.kwargs |= {"dtype": d.dtype("fc"), "casting": d.pick(["safe", "same_kind", "unsafe"])}


@extended("clip", 0.2)
def clipped(d: Draw, call: Call) -> None:
    form = d.pick(["order", "dtype", "where"])
    if form == "order":
        call.kwargs["order"] = d.pick("CFAK")
    elif form == "dtype":
        call.kwargs |= {"dtype": d.dtype("fc"), "casting": d.pick(["same_kind", "unsafe"])}
    elif "out" in call.kwargs:
        call.kwargs["where"] = d.mask(call.kwargs["out"].shape)


@extended("clip", 0.2)
def bounds(d: Draw, call: Call) -> None:
    x, low, high = call.args
    call.args = (x,)
    least, most = d.pick([("min", "max"), ("a_min", "a_max")])
    call.kwargs |= {least: low, most: high}


@extended("full_like", 0.2)
def shapes(d: Draw, call: Call) -> None:
    x = call.args[0]
    call.args = (x, d.element(x.dtype))
    call.kwargs["shape"] = (2, 3)


@extended("histogram_bin_edges", 0.2)
def edges(d: Draw, call: Call) -> None:
    if not isinstance(call.args[1], str):
        call.kwargs["weights"] = d.array("f", call.args[0].shape)


@extended("interp", 0.2)
def periodic(d: Draw, call: Call) -> None:
    places = call.args[1]
    if places.dtype.kind == "f" and np.unique(places.numpy() % 20).size == places.size:
        call.kwargs["period"] = 20


@extended("nan_to_num", 0.2)
def copied(d: Draw, call: Call) -> None:
    call.kwargs["copy"] = True


@extended("polyfit", 0.2)
def fitted(d: Draw, call: Call) -> None:
    call.kwargs["rcond"] = 1e-12
    if "cov" not in call.kwargs and d.flag():
        call.kwargs["full"] = True
        call.scale = max(call.scale, 1e5)


@extended("ravel_multi_index", 0.2)
def modes(d: Draw, call: Call) -> None:
    call.kwargs["mode"] = d.pick(["wrap", "clip", "raise"])


@extended("reshape", 0.2)
def reshaped(d: Draw, call: Call) -> None:
    call.kwargs["copy"] = d.pick([True, None])


@extended("unique", 0.2)
def in_order(d: Draw, call: Call) -> None:
    call.kwargs["sorted"] = True
