# SPDX-License-Identifier: MIT
"""NumPy's functions that take a Python callable. They call it once for each element, vector or axis, which is slow; an
ElementwiseKernel runs on the device for all elements at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ._array import asarray
from ._core import ArgumentTypeError, ArgumentValueError, Array
from ._functions import expand_dims, moveaxis, nonzero, ones, pad, stack
from ._operands import Values, as_array, axis_of

__all__ = ["apply_along_axis", "apply_over_axes", "mask_indices", "vectorize"]


class vectorize(np.vectorize):
    """Vectorise a Python function of scalars: it is called once for each element.

    The elements are copied to the host, and the results to the device of the first array. qn.ElementwiseKernel runs an
    expression on the device instead.

    Parameters
    ----------
    pyfunc : callable
        Function of scalars.
    otypes : str or sequence of dtype, optional
        Dtypes of the results; by default the first result sets them.
    doc : str, optional
        Docstring of the vectorised function; by default that of `pyfunc`.
    excluded : set, optional
        Names and positions of arguments that are passed on unchanged.
    cache : bool, optional
        If True, the first call, which finds the number of results, is not repeated.
    signature : str, optional
        Signature of a function of arrays, such as "(n),(n)->()".

    Examples
    --------
    >>> clipped = qn.vectorize(lambda x, low: x if x > low else low)
    >>> print(clipped(qn.asarray([1, 5, 3]), 2))
    [2 5 3]
    """

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        given = [one for one in (*args, *kwargs.values()) if isinstance(one, Array)]
        on_host = {key: _on_host(one) for key, one in kwargs.items()}
        result = super().__call__(*map(_on_host, args), **on_host)
        if result is self:  # as a decorator with arguments
            return self
        device = given[0].device if given else None
        if isinstance(result, tuple):
            return tuple(asarray(one, device=device) for one in result)
        return asarray(result, device=device)


def _on_host(value: Any) -> Any:
    return value.get() if isinstance(value, Array) else value


def apply_along_axis(func1d: Callable[..., Any], axis: int, arr: Values, *args: Any, **kwargs: Any) -> Array:
    """Apply a function to each one-dimensional slice along an axis.

    Python calls the function once for each slice, which is slow. Functions of quern take an `axis` themselves and are faster.

    Parameters
    ----------
    func1d : callable
        Function of a one-dimensional Array, which is a view of `arr`. It returns a number or an array.
    axis : int
        Axis of the slices.
    arr : array_like
        Input array.
    *args
        More positional arguments of `func1d`.
    **kwargs
        Keyword arguments of `func1d`.

    Returns
    -------
    Array
        `arr` with each slice replaced by the result of the function. The first result sets the dtype.

    Raises
    ------
    ValueError
        If `arr` has no slice along the axis.

    Examples
    --------
    >>> print(qn.apply_along_axis(lambda row: row[::-1], 1, [[1, 2], [3, 4]]))
    [[2 1]
     [4 3]]
    """
    array = as_array("apply_along_axis", arr)
    at = axis_of("apply_along_axis", axis, array.ndim)
    vectors = moveaxis(array, at, -1)
    results = [
        as_array("apply_along_axis", func1d(vectors[place], *args, **kwargs), array.device)
        for place in np.ndindex(vectors.shape[:-1])
    ]
    if not results:
        raise ArgumentValueError(
            "apply_along_axis: the array has no slice along this axis to call the function with"
        )
    # As in NumPy, the first result sets the shape and dtype of all.
    first = results[0]
    made = stack([one.astype(first.dtype, copy=False) for one in results])
    whole = made.reshape(vectors.shape[:-1] + first.shape)
    own = range(array.ndim - 1, array.ndim - 1 + first.ndim)
    result: Array = moveaxis(whole, tuple(own), tuple(range(at, at + first.ndim)))
    return result


def apply_over_axes(func: Callable[[Array, int], Any], a: Values, axes: int | Sequence[int]) -> Array:
    """Apply func(a, axis) over several axes, one after another.

    Parameters
    ----------
    func : callable
        Function of an Array and an axis. Its result has as many axes as its argument, or one less.
    a : array_like
        Input array.
    axes : int or sequence of int
        Axes to apply the function over.

    Returns
    -------
    Array
        Result of the last call. Axes that the function removes are kept with length 1.

    Raises
    ------
    ValueError
        If a result has the wrong number of axes.

    Examples
    --------
    >>> print(qn.apply_over_axes(qn.sum, [[1, 2], [3, 4]], (0, 1)))
    [[10]]
    """
    value = as_array("apply_over_axes", a)
    rank = value.ndim
    for axis in [axes] if isinstance(axes, int) else axes:
        at = axis + rank if axis < 0 else axis
        made = as_array("apply_over_axes", func(value, at), value.device)
        value_rank = value.ndim
        value = made if made.ndim == value_rank else expand_dims(made, at)
        if value.ndim != value_rank:
            raise ArgumentValueError(
                "apply_over_axes: func must return an array with as many axes as its argument, or one less"
            )
    return value


def mask_indices(n: int, mask_func: Callable[..., Any], k: Any = 0) -> tuple[Array, ...]:
    """Indices of an (n, n) matrix that a masking function such as triu() selects.

    Parameters
    ----------
    n : int
        Number of rows and of columns.
    mask_func : callable
        Function of a matrix and `k`; it returns a matrix that is nonzero where elements are selected.
    k : object, optional
        Second argument of `mask_func`, such as the diagonal of triu().

    Returns
    -------
    tuple of Array
        Row indices and column indices of the selected elements.

    Examples
    --------
    >>> rows, columns = qn.mask_indices(2, qn.triu)
    >>> print(rows, columns)
    [0 0 1] [0 1 1]
    """
    found: tuple[Array, ...] = nonzero(mask_func(ones((n, n), dtype=np.int64), k))
    return found


def polyval_by_calls(p: Values, x: Callable[..., Any]) -> Any:
    """Compute polyval(p, x) for a poly1d: the composition of the two polynomials."""
    from ._poly1d import poly1d

    if not isinstance(x, np.poly1d):
        raise ArgumentTypeError(f"polyval: x must be an array or a poly1d, got {type(x).__name__}")
    return poly1d(np.polyval(_on_host(p), x))


def pad_by_calls(array: Values, pad_width: Any, mode: Callable[..., None], **kwargs: Any) -> Array:
    """Implement pad() with a callable mode, which writes the padding of each vector."""
    given = as_array("pad", array)
    padded: Array = pad(given, pad_width)
    if isinstance(pad_width, dict):
        pairs = {
            axis_of("pad", axis, given.ndim): np.broadcast_to(w, 2).tolist() for axis, w in pad_width.items()
        }
        widths = [tuple(pairs.get(axis, (0, 0))) for axis in range(given.ndim)]
    else:
        widths = [tuple(pair) for pair in np.broadcast_to(pad_width, (given.ndim, 2)).tolist()]
    for axis in range(given.ndim):
        vectors = moveaxis(padded, axis, -1)
        for place in np.ndindex(vectors.shape[:-1]):
            mode(vectors[place], widths[axis], axis, kwargs)
    return padded
