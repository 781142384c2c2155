# SPDX-License-Identifier: MIT
"""Reductions of distributed arrays over any axes. All ranks get the same bits."""

from __future__ import annotations

from typing import Any

import numpy as np

import quern

from .._core import ArgumentTypeError, ArgumentValueError
from .._core import functions as _functions
from ._array import Array, apply, replicated, wrap
from ._creation import ones_like

Axis = Any  # int, tuple of ints or None


def _axes(axis: Axis, ndim: int) -> list[int] | None:
    if axis is None:
        return None
    given = list(axis) if isinstance(axis, (tuple, list)) else [axis]
    checked = []
    for one in given:
        if not -ndim <= one < ndim:
            raise quern.ArgumentAxisError(one, ndim)
        checked.append(int(one) % ndim)
    if len(set(checked)) != len(checked):
        raise ArgumentValueError("duplicate value in 'axis'")
    return checked


def _checked(x: Any, name: str) -> Array:
    if not isinstance(x, Array):
        raise ArgumentTypeError(
            f"{name}: expected a distributed array, got {type(x).__name__}; quern.dist.asarray() makes one"
        )
    return x


def _reduced(name: str, x: Any, axis: Axis, keepdims: bool, dtype: Any = None) -> Array:
    array = _checked(x, name)
    return wrap(array._blocks.reduce(name, _axes(axis, array.ndim), keepdims, dtype))


def _call(name: str, *operands: Any, **options: Any) -> Array:
    result: Array = apply(_functions[name], name, operands, options)
    return result


def _included(name: str, x: Any, where: Any, neutral: Any) -> Array:
    """The array with a neutral number for the elements that a mask excludes."""
    array = _checked(x, name)
    return array if where is None else _call("where", where, array, neutral)


def _combined(name: str, result: Array, initial: Any) -> Array:
    return _call(name, result, initial).astype(result.dtype, copy=False)


def _extreme(
    name: str, combination: str, x: Any, axis: Axis, keepdims: bool, initial: Any, where: Any
) -> Array:
    """Minimum or maximum of the elements that a mask includes and an initial number."""
    x = _checked(x, name)
    if initial is None:
        if where is not None:
            raise ArgumentValueError(
                f"{name}: where needs an initial value, because no element may be included"
            )
        return _reduced(name, x, axis, keepdims)
    if _count(x, axis) == 0:
        none = _reduced("sum", x, axis, keepdims, None)
        return none._with(quern.full(none.local.shape, initial, dtype=x.dtype, device=x.device))
    found = _reduced(name, _included(name, x, where, x.dtype.type(initial)), axis, keepdims)
    return _combined(combination, found, initial)


def _reproducible_sum(x: Array, axis: Axis, dtype: Any, keepdims: bool) -> Array:
    kind = np.dtype(dtype) if dtype is not None else x.dtype
    if kind.kind not in "fc":  # integers have the same sums in any order
        return _reduced("sum", x, axis, keepdims, dtype)
    wide = np.dtype(np.float32) if kind == np.float16 else kind
    given = x.astype(wide, copy=False)._blocks
    return wrap(given.reproducible_sum(_axes(axis, x.ndim), keepdims)).astype(kind, copy=False)


def _counted(x: Array, axis: Axis, keepdims: bool, where: Any) -> Any:
    """The number of elements that are reduced: one number, or one for each result."""
    if where is None:
        return _count(x, axis)
    mask = where if isinstance(where, Array) else replicated(np.asarray(where), x)
    whole = _call("where", mask, ones_like(x, dtype=np.bool_), False)
    return count_nonzero(whole, axis, keepdims)


def sum(
    x: Array,
    axis: Axis = None,
    dtype: Any = None,
    keepdims: bool = False,
    *,
    initial: Any = None,
    where: Any = None,
    reproducible: bool = False,
) -> Array:
    """Sum of the elements over axes.

    Parameters
    ----------
    x : Array
        Distributed array.
    axis : int or tuple of ints, optional
        Axes to reduce; all by default.
    dtype : dtype, optional
        Element type in which to compute and return the result.
    keepdims : bool, optional
        Whether to keep reduced axes with length 1.
    initial : number, optional
        Number that the elements are combined with; 0 by default.
    where : Array or array_like of bool, optional
        Elements to include; all by default.
    reproducible : bool, optional
        Whether the result has the same bits for any number of ranks and any layout: an exact sum, rounded once. It takes
        longer, because it is computed on the host.

    Returns
    -------
    Array
        Sums; without axes, a replicated scalar that float() reads.

    Examples
    --------
    >>> float(qn.dist.sum(qn.dist.arange(5.0)))
    10.0
    """
    if reproducible:
        total = _reproducible_sum(_included("sum", x, where, 0), axis, dtype, keepdims)
    else:
        total = _reduced("sum", _included("sum", x, where, 0), axis, keepdims, dtype)
    return total if initial is None else _combined("add", total, initial)


def prod(
    x: Array,
    axis: Axis = None,
    dtype: Any = None,
    keepdims: bool = False,
    *,
    initial: Any = None,
    where: Any = None,
) -> Array:
    """Product of the elements over axes.

    Parameters
    ----------
    x : Array
        Distributed array.
    axis : int or tuple of ints, optional
        Axes to reduce; all by default.
    dtype : dtype, optional
        Element type in which to compute and return the result.
    keepdims : bool, optional
        Whether to keep reduced axes with length 1.
    initial : number, optional
        Number that the elements are combined with; 1 by default.
    where : Array or array_like of bool, optional
        Elements to include; all by default.

    Returns
    -------
    Array
        Products.

    Examples
    --------
    >>> float(qn.dist.prod(qn.dist.full(3, 2.0)))
    8.0
    """
    product = _reduced("prod", _included("prod", x, where, 1), axis, keepdims, dtype)
    return product if initial is None else _combined("multiply", product, initial)


def max(
    x: Array, axis: Axis = None, keepdims: bool = False, *, initial: Any = None, where: Any = None
) -> Array:
    """Maximum of the elements over axes. NaN propagates.

    Parameters
    ----------
    x : Array
        Distributed array.
    axis : int or tuple of ints, optional
        Axes to reduce; all by default.
    keepdims : bool, optional
        Whether to keep reduced axes with length 1.
    initial : number, optional
        Number that the elements are combined with; required with `where`, and for no elements.
    where : Array or array_like of bool, optional
        Elements to include; all by default.

    Returns
    -------
    Array
        Maxima.

    Examples
    --------
    >>> int(qn.dist.max(qn.dist.arange(5)))
    4
    """
    return _extreme("max", "maximum", x, axis, keepdims, initial, where)


def min(
    x: Array, axis: Axis = None, keepdims: bool = False, *, initial: Any = None, where: Any = None
) -> Array:
    """Minimum of the elements over axes. NaN propagates.

    Parameters
    ----------
    x : Array
        Distributed array.
    axis : int or tuple of ints, optional
        Axes to reduce; all by default.
    keepdims : bool, optional
        Whether to keep reduced axes with length 1.
    initial : number, optional
        Number that the elements are combined with; required with `where`, and for no elements.
    where : Array or array_like of bool, optional
        Elements to include; all by default.

    Returns
    -------
    Array
        Minima.

    Examples
    --------
    >>> int(qn.dist.min(qn.dist.arange(5)))
    0
    """
    return _extreme("min", "minimum", x, axis, keepdims, initial, where)


def any(x: Array, axis: Axis = None, keepdims: bool = False, *, where: Any = None) -> Array:
    """Whether any element over axes is true.

    Parameters
    ----------
    x : Array
        Distributed array.
    axis : int or tuple of ints, optional
        Axes to reduce; all by default.
    keepdims : bool, optional
        Whether to keep reduced axes with length 1.
    where : Array or array_like of bool, optional
        Elements to include; all by default.

    Returns
    -------
    Array
        Array of bool.

    Examples
    --------
    >>> bool(qn.dist.any(qn.dist.arange(5) > 3))
    True
    """
    if where is not None:
        x = _included("any", _call("not_equal", _checked(x, "any"), 0), where, False)
    return _reduced("any", x, axis, keepdims)


def all(x: Array, axis: Axis = None, keepdims: bool = False, *, where: Any = None) -> Array:
    """Whether all elements over axes are true.

    Parameters
    ----------
    x : Array
        Distributed array.
    axis : int or tuple of ints, optional
        Axes to reduce; all by default.
    keepdims : bool, optional
        Whether to keep reduced axes with length 1.
    where : Array or array_like of bool, optional
        Elements to include; all by default.

    Returns
    -------
    Array
        Array of bool.

    Examples
    --------
    >>> bool(qn.dist.all(qn.dist.arange(5) > 3))
    False
    """
    if where is not None:
        x = _included("all", _call("not_equal", _checked(x, "all"), 0), where, True)
    return _reduced("all", x, axis, keepdims)


def count_nonzero(x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """Count the elements over axes that are not zero.

    Parameters
    ----------
    x : Array
        Distributed array.
    axis : int or tuple of ints, optional
        Axes to reduce; all by default.
    keepdims : bool, optional
        Whether to keep reduced axes with length 1.

    Returns
    -------
    Array
        Counts, int64.

    Examples
    --------
    >>> int(qn.dist.count_nonzero(qn.dist.arange(5)))
    4
    """
    return _reduced("count_nonzero", x, axis, keepdims)


def ptp(x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """Maximum minus minimum over axes.

    Parameters
    ----------
    x : Array
        Distributed array.
    axis : int or tuple of ints, optional
        Axes to reduce; all by default.
    keepdims : bool, optional
        Whether to keep reduced axes with length 1.

    Returns
    -------
    Array
        Differences.

    Examples
    --------
    >>> int(qn.dist.ptp(qn.dist.arange(5)))
    4
    """
    return _call("subtract", max(x, axis, keepdims), min(x, axis, keepdims))


def _count(x: Array, axis: Axis) -> int:
    axes = _axes(axis, x.ndim)
    lengths = x.shape if axes is None else [x.shape[one] for one in axes]
    return int(np.prod(lengths, dtype=np.int64))


def _mean_dtype(x: Array, dtype: Any) -> tuple[Any, Any]:
    """The dtypes of the sum and of the result."""
    if dtype is not None:
        return np.dtype(dtype), np.dtype(dtype)
    if x.dtype.kind in "biu":
        # The default precision of the device.
        kept = quern.asarray(0, device=x.device).mean().dtype
        return kept, kept
    return (np.dtype("float32") if x.dtype == np.float16 else x.dtype), x.dtype


def mean(
    x: Array,
    axis: Axis = None,
    dtype: Any = None,
    keepdims: bool = False,
    *,
    where: Any = None,
    reproducible: bool = False,
) -> Array:
    """Mean of the elements over axes.

    Parameters
    ----------
    x : Array
        Distributed array.
    axis : int or tuple of ints, optional
        Axes to reduce; all by default.
    dtype : dtype, optional
        Element type in which to compute and return the result.
    keepdims : bool, optional
        Whether to keep reduced axes with length 1.
    where : Array or array_like of bool, optional
        Elements to include; all by default.
    reproducible : bool, optional
        Whether the result has the same bits for any number of ranks and any layout: an exact sum, rounded once. It takes
        longer, because it is computed on the host.

    Returns
    -------
    Array
        Means.

    Examples
    --------
    >>> float(qn.dist.mean(qn.dist.arange(5)))
    2.0
    """
    x = _checked(x, "mean")
    computed, result = _mean_dtype(x, dtype)
    total = sum(x, axis, computed, keepdims, where=where, reproducible=reproducible)
    return _call("divide", total, _counted(x, axis, keepdims, where)).astype(result, copy=False)


def var(
    x: Array,
    axis: Axis = None,
    dtype: Any = None,
    correction: float = 0,
    keepdims: bool = False,
    *,
    where: Any = None,
    reproducible: bool = False,
) -> Array:
    """Variance of the elements over axes.

    Parameters
    ----------
    x : Array
        Distributed array.
    axis : int or tuple of ints, optional
        Axes to reduce; all by default.
    dtype : dtype, optional
        Element type in which to compute and return the result.
    correction : float, optional
        Divisor is the number of elements minus the correction (NumPy's `ddof`).
    keepdims : bool, optional
        Whether to keep reduced axes with length 1.
    where : Array or array_like of bool, optional
        Elements to include; all by default.
    reproducible : bool, optional
        Whether the result has the same bits for any number of ranks and any layout: both sums, that of the mean and that of
        the squares, are exact and rounded once. It takes longer, because they are computed on the host.

    Returns
    -------
    Array
        Variances.

    Examples
    --------
    >>> float(qn.dist.var(qn.dist.arange(5)))
    2.0
    """
    x = _checked(x, "var")
    computed, result = _mean_dtype(x, dtype)
    if result.kind == "c":
        result = np.dtype(f"f{result.itemsize // 2}")
    center = mean(x, axis, computed, True, where=where, reproducible=reproducible)
    deviations = _call("subtract", x.astype(computed, copy=False), center)
    parts = [deviations.real, deviations.imag] if computed.kind == "c" else [deviations]
    count = _counted(x, axis, keepdims, where)
    if isinstance(count, Array):
        divisor: Any = _call("maximum", _call("subtract", count, correction), 0)
    else:
        divisor = float(np.maximum(count - correction, 0))
    squares = [_call("square", one) for one in parts]
    options = {"where": where, "reproducible": reproducible}
    if reproducible or len(squares) == 1:
        total, *others = (sum(one, axis, None, keepdims, **options) for one in squares)
        total = _call("add", total, others[0]) if others else total
    else:
        total = sum(_call("add", *squares), axis, None, keepdims, where=where)
    return _call("divide", total, divisor).astype(result, copy=False)


def std(
    x: Array,
    axis: Axis = None,
    dtype: Any = None,
    correction: float = 0,
    keepdims: bool = False,
    *,
    where: Any = None,
    reproducible: bool = False,
) -> Array:
    """Standard deviation of the elements over axes.

    Parameters
    ----------
    x : Array
        Distributed array.
    axis : int or tuple of ints, optional
        Axes to reduce; all by default.
    dtype : dtype, optional
        Element type in which to compute and return the result.
    correction : float, optional
        Divisor is the number of elements minus the correction (NumPy's `ddof`).
    keepdims : bool, optional
        Whether to keep reduced axes with length 1.
    where : Array or array_like of bool, optional
        Elements to include; all by default.
    reproducible : bool, optional
        Whether the result has the same bits for any number of ranks and any layout: both sums, that of the mean and that of
        the squares, are exact and rounded once. It takes longer, because they are computed on the host.

    Returns
    -------
    Array
        Standard deviations.

    Examples
    --------
    >>> float(qn.dist.std(qn.dist.asarray([1.0, 3.0])))
    1.0
    """
    variance = var(x, axis, dtype, correction, keepdims, where=where, reproducible=reproducible)
    return _call("sqrt", variance)


def _first_index(name: str, x: Any, axis: int | None, keepdims: bool) -> Array:
    """The lowest index of the minimum or maximum: of all elements that equal it, or are NaN as it is."""
    x = _checked(x, "arg" + name)
    if _count(x, axis) == 0:
        raise ArgumentValueError(f"attempt to get arg{name} of an empty sequence")
    extreme = _reduced(name, x, axis, True)
    is_extreme = _call("equal", x, extreme)
    if x.dtype.kind in "fc":
        is_extreme = _call("logical_or", is_extreme, _call("isnan", x))
        is_extreme = _call(
            "logical_and", is_extreme, _call("equal", _call("isnan", x), _call("isnan", extreme))
        )
    axes = _axes(axis, x.ndim) or range(x.ndim)
    # Axes of one length each, which broadcast; C order for all elements.
    blocks = x._blocks if is_extreme.layout == x.layout else x._blocks.redistribute(is_extreme.layout)
    place: Any = 0
    for one in axes:
        place = place * x.shape[one] + blocks.global_indices(one)
    none = np.iinfo(np.int64).max
    found = quern.where(is_extreme.local, place, quern.full((), none, dtype=np.int64, device=x.device))
    return min(Array(found, is_extreme.layout, x.comm), axis, keepdims)


def argmax(x: Array, axis: int | None = None, keepdims: bool = False) -> Array:
    """Index of the maximum, the first if several are equal.

    Parameters
    ----------
    x : Array
        Distributed array.
    axis : int, optional
        Axis to search along; by default all elements in C order.
    keepdims : bool, optional
        Whether to keep reduced axes with length 1.

    Returns
    -------
    Array
        Indices, int64.

    Examples
    --------
    >>> int(qn.dist.argmax(qn.dist.arange(5)))
    4
    """
    return _first_index("max", x, axis, keepdims)


def argmin(x: Array, axis: int | None = None, keepdims: bool = False) -> Array:
    """Index of the minimum, the first if several are equal.

    Parameters
    ----------
    x : Array
        Distributed array.
    axis : int, optional
        Axis to search along; by default all elements in C order.
    keepdims : bool, optional
        Whether to keep reduced axes with length 1.

    Returns
    -------
    Array
        Indices, int64.

    Examples
    --------
    >>> int(qn.dist.argmin(qn.dist.arange(5)))
    0
    """
    return _first_index("min", x, axis, keepdims)
