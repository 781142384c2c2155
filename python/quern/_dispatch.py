# SPDX-License-Identifier: MIT
"""NumPy's dispatch protocols: np.sin(x), np.add.reduce(x) and np.concatenate([x, y]) of quern's arrays.

The rows of the registry have NumPy's names, parameters and methods, so a call is passed to the function of the same name
with the same arguments.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import numpy as np

from ._core import ArgumentTypeError, Array
from ._methods import array_method

# Types of operands; arrays of other libraries are left to their own protocols.
_OPERANDS = (Array, np.ndarray, np.generic, bool, int, float, complex, list, tuple)
# They take any number of arrays, and NumPy makes object arrays of None and strings among them.
_OF_OBJECTS = ("atleast_1d", "atleast_2d", "atleast_3d", "broadcast_arrays", "meshgrid")


def get_array_module(*args: object) -> ModuleType:
    """Module whose functions take these arguments: quern or numpy.

    Parameters
    ----------
    *args : object
        Arguments of a function that works with both libraries.

    Returns
    -------
    module
        quern if an argument is a quern.Array, otherwise numpy.

    Examples
    --------
    >>> qn.get_array_module(np.ones(2), qn.ones(2)).__name__
    'quern'
    """
    import quern

    return quern if any(isinstance(one, Array) for one in args) else np


def _find(name: str, module: str = "numpy") -> Callable[..., Any]:
    """Return quern's public function of this name, or raise ArgumentTypeError."""
    import quern

    namespace: Any = quern
    for part in module.split(".")[1:]:
        namespace = getattr(namespace, part, None)
    found = getattr(namespace, name, None) if name in getattr(namespace, "__all__", ()) else None
    if not callable(found):
        raise _unknown(f"{module}.{name}")
    return found  # type: ignore[no-any-return]


def _unknown(text: str) -> ArgumentTypeError:
    return ArgumentTypeError(f"{text} is not implemented for quern's arrays; x.get() returns a NumPy array")


def _given(options: Mapping[str, Any]) -> dict[str, Any]:
    """Drop the keywords that NumPy fills with its internal default _NoValue."""
    return {key: value for key, value in options.items() if value is not np._NoValue}


@array_method("__array_ufunc__")
def _array_ufunc(self: Array, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
    """Call the function of the same name as a ufunc of NumPy, or its method."""
    if method != "at" and not all(isinstance(one, _OPERANDS) for one in inputs):
        return NotImplemented
    function = _find(ufunc.__name__)
    if method != "__call__":
        function = getattr(function, method, None)  # type: ignore[assignment]
        if function is None:
            raise _unknown(f"numpy.{ufunc.__name__}.{method}")
    return function(*inputs, **_given(options))


@array_method("__array_function__")
def _array_function(self: Array, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """Call the function of the same name as a function of NumPy."""
    if not all(issubclass(one, (Array, np.ndarray, np.generic)) for one in types):
        return NotImplemented
    ours = _find(function.__name__, function.__module__ or "numpy")
    if _takes_like(ours):  # `self` is what like= names
        with self.device:
            return ours(*args, **_given(kwargs))
    if function.__name__ in _OF_OBJECTS and any(map(_is_object, args)):
        return function(*(one.get() if isinstance(one, Array) else one for one in args), **kwargs)
    return ours(*args, **_given(kwargs))


@functools.cache
def _takes_like(function: Callable[..., Any]) -> bool:
    """Whether the function creates arrays on the device of what like= names; fromfunction passes keywords on."""
    return function.__name__ == "fromfunction" or "like" in inspect.signature(function).parameters


def _is_object(value: Any) -> bool:
    """Whether NumPy converts this to an array of objects or strings, which devices do not support."""
    if isinstance(value, (list, tuple)):
        return any(map(_is_object, value))
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "OSU"
    return value is None or isinstance(value, (str, bytes))
