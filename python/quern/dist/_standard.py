# SPDX-License-Identifier: MIT
"""What the array API standard asks of a namespace about dtypes and devices: the functions of quern, which also take
distributed arrays."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import quern

from ._array import Array


def _with_dtypes(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with distributed arrays replaced by blocks of theirs, which have the same dtype."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*(one.local if isinstance(one, Array) else one for one in args), **kwargs)

    functools.update_wrapper(call, function)
    call.__module__ = "quern.dist"
    return call


can_cast = _with_dtypes(quern.can_cast)
finfo = _with_dtypes(quern.finfo)
iinfo = _with_dtypes(quern.iinfo)
isdtype = quern.isdtype
broadcast_shapes = quern.broadcast_shapes


def result_type(*arrays_and_dtypes: Any) -> Any:
    """Data type that operands have together.

    Parameters
    ----------
    *arrays_and_dtypes : Array, dtype or number
        Operands.

    Returns
    -------
    dtype
        Common data type.

    Examples
    --------
    >>> qn.dist.result_type(qn.dist.ones(2, "float32"), 1)
    dtype('float32')
    """
    return quern.result_type(*(one.dtype if isinstance(one, Array) else one for one in arrays_and_dtypes))


def astype(x: Array, dtype: Any, *, copy: bool = True, device: Any = None) -> Array:
    """Convert the elements.

    Parameters
    ----------
    x : Array
        Distributed array.
    dtype : dtype
        New data type.
    copy : bool, optional
        Whether to copy elements that have the dtype already.
    device : Device or str, optional
        Device of the result; that of the array by default.

    Returns
    -------
    Array
        The converted elements.

    Examples
    --------
    >>> qn.dist.astype(qn.dist.ones(2), "int32").dtype
    dtype('int32')
    """
    converted = x.astype(dtype, copy)
    return converted if device is None else converted.to_device(device)
