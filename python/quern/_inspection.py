# SPDX-License-Identifier: MIT
"""NumPy's functions that inspect or format arrays without device computations: shape, size, array2string, einsum_path..."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from numpy import (
    base_repr,
    binary_repr,
    errstate,
    format_float_positional,
    format_float_scientific,
    get_printoptions,
    geterr,
    isscalar,
    iterable,
    mintypecode,
    printoptions,
    set_printoptions,
    seterr,
    typename,
)

from ._core import Array
from ._operands import Values, as_array, axis_of

__all__ = [
    "array2string",
    "array_repr",
    "array_str",
    "base_repr",
    "binary_repr",
    "einsum_path",
    "errstate",
    "format_float_positional",
    "format_float_scientific",
    "get_printoptions",
    "geterr",
    "iscomplexobj",
    "isrealobj",
    "isscalar",
    "iterable",
    "mintypecode",
    "ndim",
    "printoptions",
    "set_printoptions",
    "seterr",
    "shape",
    "size",
    "typename",
]


def ndim(a: Values) -> int:
    """Number of axes (dimensions) of an array.

    Parameters
    ----------
    a : array_like
        Input array.

    Returns
    -------
    int
        Number of axes; 0 for a number.

    Examples
    --------
    >>> qn.ndim([[1, 2], [3, 4]])
    2
    """
    return a.ndim if isinstance(a, Array) else np.ndim(a)


def shape(a: Values) -> tuple[int, ...]:
    """Shape of an array.

    Parameters
    ----------
    a : array_like
        Input array.

    Returns
    -------
    tuple of int
        Length of each axis.

    Examples
    --------
    >>> qn.shape([[1, 2, 3]])
    (1, 3)
    """
    return a.shape if isinstance(a, Array) else np.shape(a)


def size(a: Values, axis: int | None = None) -> int:
    """Number of elements of an array, or its length along an axis.

    Parameters
    ----------
    a : array_like
        Input array.
    axis : int, optional
        Axis to measure; by default all elements count.

    Returns
    -------
    int
        Number of elements.

    Examples
    --------
    >>> qn.size([[1, 2, 3], [4, 5, 6]]), qn.size([[1, 2, 3], [4, 5, 6]], axis=0)
    (6, 2)
    """
    lengths = shape(a)
    return prod(lengths) if axis is None else lengths[axis_of("size", axis, len(lengths))]


def iscomplexobj(x: Any) -> bool:
    """Test whether the dtype is complex; the values do not matter.

    Parameters
    ----------
    x : array_like
        Array or number.

    Returns
    -------
    bool
        True if the dtype is complex.

    Examples
    --------
    >>> qn.iscomplexobj(qn.ones(2, dtype="complex64"))
    True
    """
    return x.dtype.kind == "c" if isinstance(x, Array) else bool(np.iscomplexobj(x))


def isrealobj(x: Any) -> bool:
    """Test whether the dtype is not complex; the values do not matter.

    Parameters
    ----------
    x : array_like
        Array or number.

    Returns
    -------
    bool
        False if the dtype is complex.

    Examples
    --------
    >>> qn.isrealobj(qn.ones(2))
    True
    """
    return not iscomplexobj(x)


def einsum_path(*operands: Any, optimize: Any = "greedy", einsum_call: Any = False) -> Any:
    """Find a good contraction order for einsum(). Only the shapes of the operands matter.

    Parameters
    ----------
    *operands
        Subscripts and operands, as for einsum().
    optimize : bool, str or list, optional
        Method of the search: 'greedy' or 'optimal', or a path.
    einsum_call : bool, optional
        Internal option of NumPy.

    Returns
    -------
    tuple of list and str
        The path, and a text that describes it.

    Examples
    --------
    >>> qn.einsum_path("ij,jk->ik", qn.ones((2, 3)), qn.ones((3, 4)))[0]
    ['einsum_path', (0, 1)]
    """

    def placeholder(one: Any) -> Any:
        return np.broadcast_to(np.zeros((), one.dtype), one.shape) if isinstance(one, Array) else one

    return np.einsum_path(*map(placeholder, operands), optimize=optimize, einsum_call=einsum_call)


def array2string(a: Values, *args: Any, **options: Any) -> str:
    """Format an array as a string. The call waits for the elements.

    Parameters
    ----------
    a : array_like
        Array to format.
    *args
        Positional arguments of numpy.array2string().
    **options
        Keyword arguments of numpy.array2string(), such as `precision` and `separator`.

    Returns
    -------
    str
        The formatted elements.

    Examples
    --------
    >>> qn.array2string(qn.arange(3), separator=", ")
    '[0, 1, 2]'
    """
    return np.array2string(as_array("array2string", a).get(), *args, **options)


def array_str(
    a: Values,
    max_line_width: int | None = None,
    precision: int | None = None,
    suppress_small: bool | None = None,
) -> str:
    """Format an array as str(a) does. The call waits for the elements.

    Parameters
    ----------
    a : array_like
        Array to format.
    max_line_width : int, optional
        Characters of a line.
    precision : int, optional
        Digits after the decimal point.
    suppress_small : bool, optional
        If True, numbers close to zero are shown as zero.

    Returns
    -------
    str
        The formatted elements.

    Examples
    --------
    >>> qn.array_str(qn.asarray([0.5, 0.125]), precision=1)
    '[0.5 0.1]'
    """
    return _shown(str, as_array("array_str", a), max_line_width, precision, suppress_small)


def array_repr(
    arr: Values,
    max_line_width: int | None = None,
    precision: int | None = None,
    suppress_small: bool | None = None,
) -> str:
    """Format an array as repr(arr) does. The call waits for the elements.

    Parameters
    ----------
    arr : array_like
        Array to format.
    max_line_width : int, optional
        Characters of a line.
    precision : int, optional
        Digits after the decimal point.
    suppress_small : bool, optional
        If True, numbers close to zero are shown as zero.

    Returns
    -------
    str
        The formatted array, with its dtype and device.

    Examples
    --------
    >>> "0.1" in qn.array_repr(qn.asarray([0.125]), precision=1)
    True
    """
    return _shown(repr, as_array("array_repr", arr), max_line_width, precision, suppress_small)


def _shown(show: Callable[[Array], str], x: Array, width: Any, precision: Any, suppress: Any) -> str:
    given = {"linewidth": width, "precision": precision, "suppress": suppress}
    with printoptions(**{key: value for key, value in given.items() if value is not None}):
        return show(x)
