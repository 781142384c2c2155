# SPDX-License-Identifier: MIT
"""NumPy's functions called with our arrays: np.sin(x), np.add.reduce(x), np.concatenate([x, y])."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from . import _core
from ._core import ArgumentTypeError, Array
from ._operands import as_array, as_arrays, as_operand, axes_of, axis_of, written

# Functions of ours that NumPy calls otherwise.
_OTHER_NAMES = {
    "concatenate": "concat",
    "conjugate": "conj",
    "transpose": "permute_dims",
}
_REDUCTIONS = {
    "add": "sum",
    "logical_and": "all",
    "logical_or": "any",
    "maximum": "max",
    "minimum": "min",
    "multiply": "prod",
}
_ACCUMULATIONS = {"add": "cumsum", "maximum": "cummax", "minimum": "cummin", "multiply": "cumprod"}
# What methods of functions of two operands take behind the array.
_METHOD_PARAMETERS = {
    "accumulate": ("axis", "dtype", "out"),
    "reduce": ("axis", "dtype", "out", "keepdims", "initial", "where"),
    "reduceat": ("indices", "axis", "dtype", "out"),
}
# Arguments that our functions call otherwise.
_OTHER_ARGUMENTS = {"ddof": "correction"}


def get_array_module(*args: object) -> ModuleType:
    """quern where one of the arguments is an Array of ours, otherwise numpy."""
    import quern

    return quern if any(isinstance(one, Array) for one in args) else np


def _find(name: str, module: str = "numpy") -> Callable[..., Any] | None:
    """The public function of ours that goes by NumPy's name, or by ours for the same."""
    import quern

    namespace: Any = quern
    for part in module.split(".")[1:]:
        namespace = getattr(namespace, part, None)
    for one in (name, _OTHER_NAMES.get(name, name)):
        found = getattr(namespace, one, None) if one in getattr(namespace, "__all__", ()) else None
        if callable(found):
            return found  # type: ignore[no-any-return]
    return None


def _unknown(text: str) -> ArgumentTypeError:
    return ArgumentTypeError(f"{text} is not there for quern's arrays; x.get() is a NumPy array")


def ufunc_method(function: Callable[..., Any], method: str, *operands: Any, **options: Any) -> Any:
    """What NumPy's functions of two operands have as methods, of ours: quern.add.reduce(x)."""
    name: str = function.__name__
    ufunc = getattr(np, name, name)
    if method == "at":
        return _update_at(getattr(ufunc, "__name__", name), operands, options)
    if not operands:
        raise ArgumentTypeError(f"{name}.{method}: the array is missing")
    if method == "outer":
        arrays = as_arrays(f"{name}.outer", *operands)
        return call_ufunc(arrays[0], ufunc, method, arrays, options)
    names = _METHOD_PARAMETERS[method]
    if len(operands) > 1 + len(names):
        raise ArgumentTypeError(f"{name}.{method}: it takes {1 + len(names)} arguments by position at most")
    array, *rest = operands
    options |= dict(zip(names, rest, strict=False))
    given = as_array(f"{name}.{method}", array)
    return call_ufunc(given, ufunc, method, [given], options)


def call_ufunc(
    self: Array, ufunc: np.ufunc | str, method: str, inputs: Any, options: Mapping[str, Any]
) -> Any:
    """Array.__array_ufunc__"""
    name = ufunc if isinstance(ufunc, str) else ufunc.__name__
    if method == "at":
        return _update_at(name, inputs, options)
    known = (Array, np.ndarray, np.generic, bool, int, float, complex, list, tuple)
    if not all(isinstance(one, known) for one in inputs):
        return NotImplemented
    first = next((one for one in inputs if isinstance(one, Array)), self)
    operands = [as_operand(f"numpy.{name}", one, first.device) for one in inputs]
    if method == "__call__":
        return _call(name, operands, dict(options))
    is_binary = isinstance(ufunc, str) or ufunc.nin == 2
    if method == "reduce" and name in _REDUCTIONS:
        return _fold(f"{name}.reduce", _REDUCTIONS[name], operands, dict(options))
    if method == "reduce" and is_binary and _find(name):
        return _reduce(name, operands, dict(options))
    if method == "accumulate" and name in _ACCUMULATIONS and _find(_ACCUMULATIONS[name]):
        return _fold(f"{name}.accumulate", _ACCUMULATIONS[name], operands, dict(options))
    if method == "accumulate" and is_binary and _find(name):
        return _accumulate(name, operands, dict(options))
    if method == "reduceat" and is_binary and _find(name):
        return _reduce_at(name, operands, dict(options))
    if method == "outer" and len(operands) == 2:
        a, b = as_arrays(f"numpy.{name}.outer", *operands)
        return _call(name, [a.reshape(a.shape + (1,) * b.ndim), b], dict(options))
    raise _unknown(f"numpy.{name}" + ("" if method == "__call__" else f".{method}"))


def _update_at(name: str, operands: Sequence[Any], options: Mapping[str, Any]) -> None:
    """add.at(x, index, values): x[index] += values, where every value counts although an index repeats."""
    if len(operands) != 3 or options or _find(name) is None:
        raise ArgumentTypeError(
            f"{name}.at: expected an array, an index and values of a function of two operands"
        )
    target, index, values = operands
    if not isinstance(target, Array):
        raise ArgumentTypeError(f"{name}.at: expected an array to write to, got {type(target).__name__}")
    _core.ufunc_at(name, target, index, as_operand(f"{name}.at", values, target.device))


def _given(called: str, names: Sequence[str], operands: list[Any], options: dict[str, Any]) -> dict[str, Any]:
    """What a method of a ufunc was given by position behind the array, and by name; nothing else is taken."""
    given = dict(zip(names, operands, strict=False)) | {
        key: value for key, value in options.items() if value is not np._NoValue
    }
    if given.get("where", True) is True:
        given.pop("where", None)
    for key in given:
        if key not in names:
            raise ArgumentTypeError(f"numpy.{called}: {key}: not there for quern's arrays")
    return given


def _reduce_at(name: str, operands: list[Any], options: dict[str, Any]) -> Any:
    called = f"{name}.reduceat"
    given = _given(called, _METHOD_PARAMETERS["reduceat"], operands[1:], options)
    starts = given.get("indices")
    starts = np.asarray(starts.get() if isinstance(starts, Array) else starts)
    if starts.ndim != 1 or (starts.size and starts.dtype.kind not in "iu"):
        raise ArgumentTypeError(f"{called}: indices are integers in one dimension, got {starts.dtype}")
    axis = axis_of(called, given.get("axis", 0), operands[0].ndim)
    result = _core.ufunc_reduceat(name, operands[0], starts.tolist(), axis, given.get("dtype"))
    return written(called, result, given.get("out"), broadcasts=False)


def _accumulate(name: str, operands: list[Any], options: dict[str, Any]) -> Any:
    called = f"{name}.accumulate"
    given = _given(called, _METHOD_PARAMETERS["accumulate"], operands[1:], options)
    axis = axis_of(called, given.get("axis", 0), operands[0].ndim)
    result = _core.ufunc_accumulate(name, operands[0], axis, given.get("dtype"))
    return written(called, result, given.get("out"), broadcasts=False)


def _reduce(name: str, operands: list[Any], options: dict[str, Any]) -> Any:
    called = f"{name}.reduce"
    given = _given(called, ("axis", "dtype", "out", "keepdims", "initial"), operands[1:], options)
    axis = given.get("axis", 0)
    axes = None if axis is None else axes_of(called, axis, operands[0].ndim)
    result = _core.ufunc_reduce(
        name, operands[0], axes, given.get("dtype"), bool(given.get("keepdims", False))
    )
    if given.get("initial") is not None:
        result = _call(name, [given["initial"], result], {})
    return written(called, result, given.get("out"), broadcasts=False)


def _call(name: str, operands: list[Any], options: dict[str, Any]) -> Any:
    function = _find(name)
    if function is None:
        raise _unknown(f"numpy.{name}")
    options = {key: value for key, value in options.items() if value is not np._NoValue}
    out = options.get("out")
    if isinstance(out, tuple) and all(one is None for one in out):
        options.pop("out")
    targets = [one for one in (out if isinstance(out, tuple) else (out,)) if isinstance(one, Array)]
    if targets and not any(isinstance(one, Array) for one in operands):  # only out= is ours
        operands[0] = as_array(f"numpy.{name}", operands[0], targets[0].device)
    return function(*operands, **options)


def _fold(called: str, name: str, operands: list[Any], options: dict[str, Any]) -> Any:
    function = _find(name)
    assert function is not None
    out = options.pop("out", None)
    if options.get("where", True) is True:
        options.pop("where", None)
    # NumPy folds the first axis where none is given, and hands the rest over by position or by name.
    names = ["axis", "dtype"]
    given = dict(zip(names, operands[1:], strict=False)) | {
        k: v for k, v in options.items() if v is not np._NoValue
    }
    given.setdefault("axis", 0)
    if name not in ("sum", "prod", "cumsum", "cumprod") and given.get("dtype") is None:
        given.pop("dtype", None)
    if given.get("keepdims") is False or name.startswith("cum"):
        given.pop("keepdims", None)
    if given.get("initial", None) is None:
        given.pop("initial", None)
    taken = _signature(function)
    for one in given:
        if taken is not None and one not in taken.parameters:
            raise ArgumentTypeError(f"numpy.{called}: {one}: not there for quern's arrays")
    return written(f"numpy.{called}", function(operands[0], **given), out, broadcasts=False)


@cache
def _signature(function: Callable[..., Any]) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):  # some are written in C and do not tell
        return None


def call_function(
    self: Array, function: Callable[..., Any], types: Sequence[type], args: Any, kwargs: Mapping[str, Any]
) -> Any:
    """Array.__array_function__"""
    if not all(issubclass(one, (Array, np.ndarray, np.generic)) for one in types):
        return NotImplemented
    name, module = function.__name__, function.__module__ or "numpy"
    ours = _find(name, module)
    if ours is None:
        raise _unknown(f"{module}.{name}")
    theirs, mine = _signature(function), _signature(ours)
    # The first argument of einsum is a text here, too.
    if _has_objects(args[1:] if mine is not None and "subscripts" in mine.parameters else args, theirs):
        return function(
            *(_on_host(one) for one in args), **{key: _on_host(one) for key, one in kwargs.items()}
        )
    first = _first_array((args, tuple(kwargs.values()), self))
    assert first is not None
    args = _all_beside(args, first.device)
    kwargs = {
        key: _all_beside(value, first.device) if key != "out" else value for key, value in kwargs.items()
    }
    out = kwargs.pop("out", None)
    if theirs is not None and mine is not None:
        args, kwargs = _translated(f"{module}.{name}", theirs, mine, args, kwargs)
    result = ours(*args, **kwargs)
    return result if out is None else written(f"{module}.{name}", result, out, broadcasts=False)


def _has_objects(args: Sequence[Any], theirs: inspect.Signature | None) -> bool:
    """Whether there is a None, a text or another object among the arrays of a function that takes any number of them:
    NumPy makes arrays of objects of those, which no device has."""
    parameters = [] if theirs is None else list(theirs.parameters.values())
    if not parameters or parameters[0].kind is not inspect.Parameter.VAR_POSITIONAL:
        return False
    return _is_object(list(args))


def _is_object(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(_is_object(one) for one in value)
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "OSU"
    return value is None or isinstance(value, (str, bytes))


def _on_host(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)(_on_host(one) for one in value)
    return value.get() if isinstance(value, Array) else value


def _first_array(value: Any) -> Array | None:
    if isinstance(value, Array):
        return value
    if isinstance(value, (list, tuple)):
        return next((found for one in value if (found := _first_array(one)) is not None), None)
    return None


def _all_beside(value: Any, device: Any) -> Any:
    """NumPy's arrays among the arguments, also in lists that hold arrays of ours, as arrays of ours."""
    if isinstance(value, (list, tuple)):
        return type(value)(_all_beside(one, device) for one in value)
    return as_array("", value, device) if isinstance(value, np.ndarray) else value


def _translated(
    called: str, theirs: inspect.Signature, mine: inspect.Signature, args: Any, kwargs: Mapping[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of a call of NumPy's function as our function takes them."""
    parameters = list(mine.parameters.values())
    by_position = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    takes_any = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    takes_any_name = any(p.kind is p.VAR_KEYWORD for p in parameters)
    by_name = {p.name for p in parameters if p.kind is not p.POSITIONAL_ONLY}
    positional: list[Any] = []
    named: dict[str, Any] = {}
    places = {key: place for place, key in enumerate(theirs.parameters)}
    # What comes before any number of others, as in gradient(f, *spacing), has its place only.
    rest = next((places[key] for key, one in theirs.parameters.items() if one.kind is one.VAR_POSITIONAL), 0)
    for key, value in theirs.bind(*args, **kwargs).arguments.items():
        parameter, place = theirs.parameters[key], places[key]
        if parameter.kind is parameter.VAR_POSITIONAL:
            positional.extend(value)
        elif parameter.kind is parameter.VAR_KEYWORD:
            named.update(value)
        elif place < rest:
            positional.append(value)
        elif key in by_name:
            named[key] = value
        elif _OTHER_ARGUMENTS.get(key) in by_name:
            named[_OTHER_ARGUMENTS[key]] = value
        elif place == len(positional) and (takes_any or place < len(by_position)):
            positional.append(value)
        elif takes_any_name:
            named[key] = value
        elif value is not parameter.default and value is not np._NoValue and value is not None:
            raise ArgumentTypeError(f"{called}: {key}: not there for quern's arrays")
    return positional, named
