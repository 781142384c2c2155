# SPDX-License-Identifier: MIT
"""Ready-made algorithms on arrays: sorting and searching, scanning, selecting, histograms, elements moved by their positions.

Arrays are one-dimensional and contiguous. Without `out` a call returns new arrays; with it, the event of the work
that it enqueued, without waiting.
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
    """Each element combined with all before it, as scan does."""
    return scan(x, exclusive=False, **options)


def exclusive_scan(x: Array, **options: Any) -> Any:
    """All elements before each one combined, as scan does with exclusive=True."""
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
    """How many elements fall into each bin (int64), or the sums of their weights (float64), and the edges of the bins.

    `bins` is a number of bins of equal width, over `range` or from the least to the greatest element (which are then
    waited for); or increasing edges. Each bin holds its lower edge, the last its upper edge too; what is outside, and
    NaN, is not counted. Elements and edges are compared as float32 where the elements are float32 or float16,
    otherwise as float64. With `out` it returns the event alone.
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
