# SPDX-License-Identifier: MIT
"""NumPy's own functions on distributed arrays: numpy.sum(x) is quern.dist.sum(x)."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

import quern

from .._core import ArgumentTypeError
from ._array import Array
from ._creation import asarray_beside
from ._reductions import _call
from ._reductions import all as _all

# NumPy's names of functions and parameters, where they differ.
_FUNCTIONS = {
    "amax": "max",
    "amin": "min",
    "around": "round",
    "concatenate": "concat",
    "cumprod": "cumulative_prod",
    "cumsum": "cumulative_sum",
}
_PARAMETERS = {
    "ddof": "correction",
    "newshape": "shape",
    "source": "axis",
    "arr": "x",
    "array": "x",
    "a": "x",
    "m": "x",
}
_REDUCTIONS = {
    "add": "sum",
    "multiply": "prod",
    "maximum": "max",
    "minimum": "min",
    "logical_and": "all",
    "logical_or": "any",
}


def _attribute(name: str) -> Callable[[Any], Any]:
    return lambda x: getattr(x, name)


def _array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    if np.shape(a1) != np.shape(a2):
        return False
    same = _call("equal", a1, a2)
    if equal_nan:
        both = _call("logical_and", _call("not_equal", a1, a1), _call("not_equal", a2, a2))
        same = _call("logical_or", same, both)
    return bool(_all(same))


def _allclose(a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    return bool(_all(_call("isclose", a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)))


def _result_type(*operands: Any) -> Any:
    return np.result_type(*(one.dtype if isinstance(one, Array) else one for one in operands))


# Functions that quern.dist does not have under NumPy's name.
_OWN: dict[str, Callable[..., Any]] = {
    "allclose": _allclose,
    "array_equal": _array_equal,
    "copy": lambda a: a.copy(),
    "imag": _attribute("imag"),
    "iscomplexobj": lambda x: x.dtype.kind == "c",
    "isrealobj": lambda x: x.dtype.kind != "c",
    "ndim": _attribute("ndim"),
    "ravel": lambda a: quern.dist.reshape(a, (a.size,)),
    "real": _attribute("real"),
    "result_type": _result_type,
    "shape": _attribute("shape"),
    "size": _attribute("size"),
}


def _refuse(name: str, why: str = "") -> ArgumentTypeError:
    return ArgumentTypeError(
        f"{name} does not take distributed arrays{why}; x.get() gathers the elements, x.local is the block of this rank"
    )


def call_function(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call the function of quern.dist for a function of NumPy."""
    full_name = f"{func.__module__}.{func.__name__}"
    name = _FUNCTIONS.get(func.__name__, func.__name__)
    space: Any = None
    if func.__module__ == "numpy":
        space = quern.dist
        if name in _OWN:
            return _OWN[name](*args, **kwargs)
    elif func.__module__ in ("numpy.linalg", "numpy.fft"):
        space = getattr(quern.dist, func.__module__.split(".")[1], None)
    if space is None or name not in space.__all__:
        raise _refuse(full_name)
    target = getattr(space, name)
    if space is quern.dist and name in quern.dist._elementwise.elementwise:
        return target(*args, **kwargs)
    try:
        signature = inspect.signature(func)
    except ValueError:  # functions of NumPy that are written in C
        return target(*args, **kwargs)
    given = signature.bind(*args, **kwargs).arguments
    known = inspect.signature(target).parameters
    positional: list[Any] = []
    options: dict[str, Any] = {}
    for number, (key, value) in enumerate(given.items()):
        kind = signature.parameters[key].kind
        own = key if key in known else _PARAMETERS.get(key, key)
        if kind is inspect.Parameter.VAR_KEYWORD:
            options.update(value)
        elif kind is inspect.Parameter.VAR_POSITIONAL:
            positional.extend(value)
        elif number == 0 or (len(positional) == number and kind is inspect.Parameter.POSITIONAL_ONLY):
            positional.append(value)
        elif own in known:
            options[own] = value
        elif value is not signature.parameters[key].default and value is not None:
            if isinstance(value, Array) and len(positional) == number:
                positional.append(value)
            else:
                raise _refuse(full_name, f" with {key}=")
    return target(*positional, **options)


def call_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call the function of quern.dist for a ufunc of NumPy or one of its methods."""
    name = ufunc.__name__
    function = getattr(quern.dist, name, None) if name in quern.dist.__all__ else None
    out = kwargs.pop("out", None)
    if isinstance(out, tuple):
        out = out[0] if len(out) == 1 else out
    if method == "__call__" and function is not None:
        if out is not None:
            if ufunc.nout != 1:
                raise _refuse(f"numpy.{name}", " with out=")
            kwargs["out"] = out
        return function(*inputs, **kwargs)
    if method == "reduce" and name in _REDUCTIONS and out is None:
        if kwargs.get("where") is True:
            del kwargs["where"]
        return getattr(quern.dist, _REDUCTIONS[name])(*inputs, **{"axis": 0, **kwargs})
    if method == "accumulate" and name in ("add", "multiply") and out is None:
        cumulative = quern.dist.cumulative_sum if name == "add" else quern.dist.cumulative_prod
        return cumulative(*inputs, **{"axis": 0, **kwargs})
    if method == "outer" and function is not None and out is None and len(inputs) == 2:
        first = asarray_beside(inputs[0], next(one for one in inputs if isinstance(one, Array)))
        ndim = np.ndim(inputs[1])
        return function(quern.dist.reshape(first, first.shape + (1,) * ndim), inputs[1], **kwargs)
    raise _refuse(f"numpy.{name}" + ("" if method == "__call__" else f".{method}"))
