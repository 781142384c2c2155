# SPDX-License-Identifier: MIT
"""Parallel algorithms on arrays: sort, search, scan, select, histogram, gather and scatter.

Arrays are one-dimensional and contiguous. Without `out` a call returns new arrays; with `out` it returns the Event of the
enqueued work, without waiting.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._array import asarray
from ._core import (
    Array,
    Event,
    Queue,
    argsort,
    bincount,
    copy_if,
    gather,
    lower_bound,
    merge,
    merge_by_key,
    nonzero,
    partition,
    reduce_by_key,
    remove_if,
    run_length_encode,
    scan,
    scatter,
    sort,
    sort_by_key,
    transpose,
    unique,
    upper_bound,
)

__all__ = [
    "argsort",
    "bincount",
    "copy_if",
    "exclusive_scan",
    "gather",
    "histogram",
    "inclusive_scan",
    "lower_bound",
    "merge",
    "merge_by_key",
    "nonzero",
    "partition",
    "reduce_by_key",
    "remove_if",
    "run_length_encode",
    "scan",
    "scatter",
    "sort",
    "sort_by_key",
    "transpose",
    "unique",
    "upper_bound",
]


def inclusive_scan(x: Array, **options: Any) -> Any:
    """Inclusive scan: combine each element with all elements before it.

    Parameters
    ----------
    x : Array
        Elements to combine.
    **options
        Other parameters of scan(): `op`, `starts`, `keys`, `dtype`, `out`, `queue` and `wait_for`.

    Returns
    -------
    Array or Event
        The combined elements. With `out`, the Event of the work.

    Examples
    --------
    >>> print(qn.algorithms.inclusive_scan(qn.asarray([1, 2, 3])))
    [1 3 6]
    """
    return scan(x, exclusive=False, **options)


def exclusive_scan(x: Array, **options: Any) -> Any:
    """Exclusive scan: combine all elements before each element.

    Parameters
    ----------
    x : Array
        Elements to combine.
    **options
        Other parameters of scan(): `op`, `starts`, `keys`, `dtype`, `out`, `queue` and `wait_for`.

    Returns
    -------
    Array or Event
        The combined elements; the first one is the identity of `op`. With `out`, the Event of the work.

    Examples
    --------
    >>> print(qn.algorithms.exclusive_scan(qn.asarray([1, 2, 3])))
    [0 1 3]
    """
    return scan(x, exclusive=True, **options)


def histogram(
    x: Array,
    bins: int | Array | npt.ArrayLike = 10,
    range: tuple[float, float] | None = None,
    weights: Array | None = None,
    *,
    out: Array | None = None,
    queue: Queue | None = None,
    wait_for: Event | Sequence[Event] | None = None,
) -> Any:
    """Count the elements in each bin, or sum their weights.

    Bins include their lower edge; the last one includes its upper edge, too. Elements out of range and NaN are not counted.
    Elements and edges are compared as float32 if the elements are float32 or float16, otherwise as float64.

    Parameters
    ----------
    x : Array
        Elements to count: a contiguous one-dimensional array.
    bins : int or array_like, optional
        Number of bins of equal width over `range`, or increasing bin edges.
    range : tuple of float, optional
        Lower and upper end of the bins. By default they span the minimum to the maximum, which the call waits for.
    weights : Array, optional
        Weight of each element; by default each element counts 1.
    out : Array, optional
        Array to store the counts in.
    queue : Queue, optional
        Queue to enqueue the work on; the current queue by default.
    wait_for : Event or sequence of Event, optional
        Events that the work waits for.

    Returns
    -------
    tuple, or Event
        Counts (int64) or sums of weights (float64) as an Array, and the bin edges as a NumPy array, or `bins` itself if it is
        an Array. With `out`, the Event of the work.

    Raises
    ------
    ValueError
        If the edges do not increase, or if there are no bins.

    Examples
    --------
    >>> counts, edges = qn.algorithms.histogram(qn.asarray([0.1, 0.2, 0.9]), bins=2, range=(0, 1))
    >>> print(counts, edges)
    [2 1] [0.  0.5 1. ]
    """
    dtype = np.dtype(np.float32 if x.dtype in (np.float32, np.float16) else np.float64)
    edges: Any
    if isinstance(bins, str):
        raise _core.ArgumentValueError(f"bins: expected a number of bins, or increasing edges, got {bins!r}")
    if isinstance(bins, (int, np.integer)):
        if isinstance(wait_for, Event):
            wait_for = [wait_for]
        if range is None:
            for event in wait_for or ():
                event.wait()
            range = _core.finite_range(x, queue)
        low, high = (float(end) for end in range)
        if bins < 1:
            raise _core.ArgumentValueError(f"bins: expected at least one, got {bins}")
        counts = _core.histogram_uniform(x, int(bins), low, high, weights, out, queue, wait_for)
        if low == high:
            low, high = low - 0.5, high + 0.5
        edges = np.linspace(low, high, int(bins) + 1, dtype=dtype)
    else:
        edges = bins
        if not isinstance(bins, Array):
            edges = np.asarray(bins, dtype)
            if edges.ndim != 1 or edges.size == 0 or not (edges[1:] >= edges[:-1]).all():
                raise _core.ArgumentValueError("bins: expected a number of bins, or increasing edges")
        limits = edges if isinstance(edges, Array) else asarray(edges, queue=queue, device=x.device)
        counts = _core.histogram_by_edges(x, limits, weights, out, queue, wait_for)
    return counts if out is not None else (counts, edges)
