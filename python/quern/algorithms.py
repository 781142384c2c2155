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
    """Inclusive scan: combine each element with all elements before it; see scan()."""
    return scan(x, exclusive=False, **options)


def exclusive_scan(x: Array, **options: Any) -> Any:
    """Exclusive scan: combine all elements before each element; see scan()."""
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
    """Histogram: the counts in each bin (int64), or the sums of weights (float64), and the bin edges.

    `bins` is a number of equal-width bins over `range`, or increasing bin edges. Without `range` the bins span the minimum
    to the maximum, which the call waits for. Bins include their lower edge; the last one includes its upper edge, too.
    Elements out of range and NaN are not counted. Elements and edges are compared as float32 if the elements are float32
    or float16, otherwise as float64. With `out` the call returns the Event only.
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
