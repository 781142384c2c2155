# SPDX-License-Identifier: MIT
"""How the functions of OpenCL C that NumPy does not have are called, and formulas of NumPy and SciPy for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special
from differential import Call, Draw, Operand
from differential_table import calls, words


class Formula:
    """A formula as a function with the keywords of NumPy's elementwise functions."""

    def __init__(self, formula: Callable[..., Any], result: Any = None):
        self.formula = formula
        self.result = result

    def __call__(self, *args: Any, out: Any = None, where: Any = True, dtype: Any = None, **_: Any) -> Any:
        arrays = [np.asarray(one) if dtype is None else np.asarray(one).astype(dtype) for one in args]
        floats = [one.dtype for one in arrays if one.dtype.kind == "f"]
        own = np.result_type(*floats) if self.result is None else np.dtype(self.result)
        wide = [one.astype(np.float64) if one.dtype.kind == "f" else one for one in arrays]
        result = np.asarray(self.formula(*wide)).astype(own)
        if out is None:
            return result
        np.copyto(out, result, where=where, casting="same_kind")
        return out


def _logarithm(x: np.ndarray) -> np.ndarray:
    return np.frexp(x)[1] - 1


def _smoothstep(first: np.ndarray, last: np.ndarray, x: np.ndarray) -> np.ndarray:
    t = np.clip((x - first) / (last - first), 0, 1)
    return t * t * (3 - 2 * t)


def _by_size(larger: bool) -> Callable[..., Any]:
    def chosen(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        both = (np.maximum if larger else np.minimum)(x, y)
        first = np.abs(x) > np.abs(y) if larger else np.abs(x) < np.abs(y)
        return np.where(np.abs(x) == np.abs(y), both, np.where(first, x, y))

    return chosen


FORMULAS: dict[str, Formula] = {
    "acospi": Formula(lambda x: np.arccos(x) / np.pi),
    "asinpi": Formula(lambda x: np.arcsin(x) / np.pi),
    "atanpi": Formula(lambda x: np.arctan(x) / np.pi),
    "atan2pi": Formula(lambda y, x: np.arctan2(y, x) / np.pi),
    "bessel_jn": Formula(scipy.special.jn),
    "bessel_yn": Formula(scipy.special.yn),
    "cospi": Formula(lambda x: np.cos(np.pi * x)),
    "sinpi": Formula(lambda x: np.sin(np.pi * x)),
    "tanpi": Formula(lambda x: np.where(x % 1 == 0.5, np.inf, np.tan(np.pi * x))),
    "erf": Formula(scipy.special.erf),
    "erfc": Formula(scipy.special.erfc),
    "exp10": Formula(lambda x: 10.0**x),
    "fdim": Formula(lambda x, y: np.where(x > y, x - y, 0.0)),
    "fma": Formula(lambda x, y, z: x * y + z),
    "mad": Formula(lambda x, y, z: x * y + z),
    "gamma": Formula(scipy.special.gamma),
    "tgamma": Formula(scipy.special.gamma),
    "lgamma": Formula(scipy.special.gammaln),
    "ilogb": Formula(_logarithm, np.int32),
    "logb": Formula(_logarithm),
    "maxmag": Formula(_by_size(True)),
    "minmag": Formula(_by_size(False)),
    "mix": Formula(lambda x, y, a: x + (y - x) * a),
    "pown": Formula(lambda x, n: x**n),
    "powr": Formula(np.power),
    "rootn": Formula(lambda x, n: x ** (1.0 / n)),
    "rsqrt": Formula(lambda x: 1 / np.sqrt(x)),
    "smoothstep": Formula(_smoothstep),
}
_ARITIES = dict.fromkeys(words("atan2pi bessel_jn bessel_yn fdim maxmag minmag pown powr rootn"), 2)
_ARITIES |= dict.fromkeys(words("fma mad mix smoothstep"), 3)
_WITH_INTEGERS = {"bessel_jn": 0, "bessel_yn": 0, "pown": 1, "rootn": 1}


@calls(*FORMULAS)
def of_elements(d: Draw) -> Call:
    """Arguments between 1/8 and 1, where every function is defined and no formula loses digits."""
    dtype = np.dtype(d.pick(["f4", "f8"]))
    shape = d.shape()
    args: list[Any] = []
    for k in range(_ARITIES.get(d.name, 1)):
        x = d.array(shape=shape, dtype=dtype)
        if k == _WITH_INTEGERS.get(d.name):
            x = d.array(shape=shape, dtype="i4")
            x.base[...] = d.integer(1, 3)
        else:
            low = k * 2.0 if d.name == "smoothstep" else 0.0
            count = x.base.size
            values = [low + d.integer(1, 8) / 8 for _ in range(count)]
            x.base[...] = np.array(values, dtype).reshape(x.base.shape)
        args.append(x)
    call = Call(tuple(args), scale=16.0)
    form = d.pick(["plain", "plain", "order", "dtype", "out", "where"])
    if form == "order":
        call.kwargs["order"] = d.pick("CFAK")
    elif form == "dtype" and d.name not in _WITH_INTEGERS and d.name != "ilogb":
        call.kwargs |= {"dtype": np.dtype("f8"), "casting": d.pick(["safe", "same_kind"])}
    elif form in ("out", "where"):
        result = FORMULAS[d.name](*(one.numpy() for one in args if isinstance(one, Operand)))
        call.kwargs["out"] = d.array(shape=result.shape, dtype=result.dtype, plain=True)
        if form == "where":
            call.kwargs["where"] = d.mask(result.shape)
    return call
