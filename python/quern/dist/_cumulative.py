# SPDX-License-Identifier: MIT
"""Cumulative sums and products, and histograms of distributed arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

import quern

from .._core import ArgumentValueError, DistributedArray, Layout
from ._array import Array, replicated, wrap
from ._reductions import _axes, _checked, max, min, sum


def _cumulative(name: str, x: Any, axis: int | None, dtype: Any, include_initial: bool) -> Array:
    x = _checked(x, f"cumulative_{name}")
    if axis is None:
        if x.ndim != 1:
            raise ArgumentValueError(f"cumulative_{name}: an array of several axes needs an axis")
        axis = 0
    (along,) = _axes(axis, x.ndim) or [0]
    result = wrap(x._blocks.cumulative(name, along, dtype))
    if not include_initial:
        return result
    shape = tuple(1 if one == along else length for one, length in enumerate(x.shape))
    neutral = replicated(np.full(shape, 0 if name == "sum" else 1, dtype=result.dtype), x)
    return wrap(DistributedArray.concat([neutral.redistribute("block")._blocks, result._blocks], along))


def cumulative_sum(
    x: Array, axis: int | None = None, dtype: Any = None, *, include_initial: bool = False
) -> Array:
    """Cumulative sum of the elements along an axis.

    Parameters
    ----------
    x : Array
        Distributed array.
    axis : int, optional
        Axis; may be omitted for arrays of one axis.
    dtype : dtype, optional
        Element type in which to compute and return the result.
    include_initial : bool, optional
        Whether the result starts with the neutral number, and is one element longer.

    Returns
    -------
    Array
        Sums, in the layout of the array.

    Examples
    --------
    >>> qn.dist.cumulative_sum(qn.dist.arange(4)).get()
    array([0, 1, 3, 6])
    """
    return _cumulative("sum", x, axis, dtype, include_initial)


def cumulative_prod(
    x: Array, axis: int | None = None, dtype: Any = None, *, include_initial: bool = False
) -> Array:
    """Cumulative product of the elements along an axis.

    Parameters
    ----------
    x : Array
        Distributed array.
    axis : int, optional
        Axis; may be omitted for arrays of one axis.
    dtype : dtype, optional
        Element type in which to compute and return the result.
    include_initial : bool, optional
        Whether the result starts with the neutral number, and is one element longer.

    Returns
    -------
    Array
        Products, in the layout of the array.

    Examples
    --------
    >>> qn.dist.cumulative_prod(qn.dist.arange(1, 5)).get()
    array([ 1,  2,  6, 24])
    """
    return _cumulative("prod", x, axis, dtype, include_initial)


def histogram(x: Array, bins: Any = 10, range: tuple[float, float] | None = None) -> tuple[Array, Any]:
    """Count the elements in bins.

    Parameters
    ----------
    x : Array
        Distributed array.
    bins : int or sequence of floats, optional
        Number of equal bins, or their edges, the same on every rank.
    range : tuple of floats, optional
        Lowest and highest edge; by default the minimum and maximum of the elements.

    Returns
    -------
    tuple
        Replicated array of counts (int64), and the edges as a NumPy array.

    Examples
    --------
    >>> counts, edges = qn.dist.histogram(qn.dist.asarray([0.0, 1.0, 1.0, 2.0]), bins=2)
    >>> counts.get(), edges
    (array([1, 3]), array([0., 1., 2.]))
    """
    x = _checked(x, "histogram")
    if isinstance(bins, int) and range is None and x.size:
        range = (float(min(x)), float(max(x)))
    edges = np.histogram_bin_edges(np.empty(0), bins, range)
    # Replicas count once.
    is_counted = x.layout.is_first_replica(x.comm.rank) and x.local.size > 0
    own = quern.zeros(len(edges) - 1, dtype=np.int64, device=x.device)
    if is_counted:
        own = quern.histogram(x.local, edges)[0].astype(np.int64)
    ranks = x.comm.size
    parts = Array(own[None, :], Layout.block([ranks], (ranks, len(edges) - 1)), x.comm)
    return sum(parts, axis=0), edges
