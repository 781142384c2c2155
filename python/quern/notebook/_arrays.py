# SPDX-License-Identifier: MIT
"""Arrays as HTML: shape, dtype, device, the elements at the edges, and a histogram if the program asks for one."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from .._core import ArgumentTypeError, ArgumentValueError, Array
from .._printing import _edges
from .._units import size_text
from ._html import card, facts

_MOST = 3  # elements at each end of an axis


def array_html(x: Array, below: str = "") -> str:
    """The properties of an array, the elements at the edges of its last two axes, and HTML below them."""
    line = facts(str(x.shape), str(x.dtype), x.device.spec, size_text(x.nbytes))
    if x.size == 0:
        return card("Array", line, below)
    front = x[(0,) * (x.ndim - 2)] if x.ndim > 2 else x
    shape = (1, -1) if x.ndim < 2 else (-1, min(x.shape[-1], 2 * _MOST + 1))
    values = _edges(front, _MOST).reshape(shape)
    gaps = [length > 2 * _MOST for length in (1, 1, *x.shape)[-2:]]
    rows = []
    for r, row in enumerate(values):
        cells = []
        for c, value in enumerate(row):
            is_gap = (gaps[0] and r == _MOST) or (gaps[1] and c == _MOST)
            cells.append(f"<td>{'&hellip;' if is_gap else escape(_element(value))}</td>")
        rows.append(f"<tr>{''.join(cells)}</tr>")
    more = f" <i>[{', '.join(['0'] * (x.ndim - 2))}, :, :]</i>" if x.ndim > 2 else ""
    return card("Array", line + more, f"<table>{''.join(rows)}</table>", below)


def _element(value: Any) -> str:
    return np.array2string(np.asarray(value), threshold=10)


class ArrayView:
    """Display of an array with the histogram of its elements; show() returns it.

    `counts` and `edges` are NumPy arrays, as numpy.histogram returns them, and `left_out` is the number of elements that
    are NaN or infinite. All are None without a histogram.

    Parameters
    ----------
    array : Array
        Array to display.
    histogram : int, optional
        Number of bins; 0 for no histogram.

    Examples
    --------
    >>> view = qn.notebook.show(qn.arange(6, dtype="float32"), histogram=3)
    >>> view.counts.tolist()
    [2, 2, 2]
    """

    def __init__(self, array: Array, histogram: int = 0):
        self.array = array
        self.counts: np.ndarray[Any, Any] | None = None
        self.edges: np.ndarray[Any, Any] | None = None
        self.left_out: int | None = None
        if histogram:
            self._count(histogram)

    def _count(self, bins: int) -> None:
        from .. import _functions as f

        x = self.array
        if np.dtype(x.dtype).kind not in "buif":
            raise ArgumentTypeError(f"histogram: the elements must be real numbers, got dtype {x.dtype}")
        if np.dtype(x.dtype).kind == "b":
            x = x.astype("uint8")
        low, high, self.left_out = 0.0, 1.0, 0
        if np.dtype(x.dtype).kind == "f":
            finite = f.isfinite(x)
            self.left_out = x.size - int(f.count_nonzero(finite))
            x = x[finite] if self.left_out else x
        if x.size:
            low, high = float(f.min(x)), float(f.max(x))
        if low == high:  # NumPy's choice
            low, high = low - 0.5, high + 0.5
        counts, edges = f.histogram(x, bins, range=(low, high))
        self.counts, self.edges = counts.get(), edges.get()

    def _picture(self) -> str:
        if self.counts is None or self.edges is None:
            return ""
        width, height = 8 * len(self.counts), 60
        top = max(int(self.counts.max()), 1)
        bars = []
        for k, count in enumerate(self.counts.tolist()):
            tall = max(height * count / top, 1 if count else 0)
            said = f"{self.edges[k]:.4g} to {self.edges[k + 1]:.4g}: {count}"
            bars.append(
                f'<rect x="{8 * k}" y="{height - tall:.1f}" width="7" height="{tall:.1f}"><title>{said}</title></rect>'
            )
        ends = facts(f"{self.edges[0]:.4g} to {self.edges[-1]:.4g}", f"at most {top} in a bin")
        if self.left_out:
            ends += " &middot; " + facts(f"{self.left_out} not finite, left out")
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height + 1}" fill="#4a86c8">'
            f'{"".join(bars)}<rect y="{height}" width="{width}" height="1" fill="#808080"/></svg><div>{ends}</div>'
        )

    def _repr_html_(self) -> str:
        return array_html(self.array, self._picture())

    def __repr__(self) -> str:
        lines = [repr(self.array)]
        if self.counts is not None and self.edges is not None:
            top = max(int(self.counts.max()), 1)
            for k, count in enumerate(self.counts.tolist()):
                bar = "#" * round(40 * count / top)
                lines.append(
                    f"{self.edges[k]:>12.4g} to {self.edges[k + 1]:<12.4g} {count:>10} {bar}".rstrip()
                )
            if self.left_out:
                lines.append(f"{self.left_out} not finite, left out")
        return "\n".join(lines)


def show(x: Array, *, histogram: bool | int = False) -> ArrayView:
    """Display of an array for notebooks, with a histogram on request.

    Parameters
    ----------
    x : Array
        Array to display.
    histogram : bool or int, optional
        Number of bins; True for 40. The device counts the elements now; only the counts are copied to the host.

    Returns
    -------
    ArrayView
        Display, which notebooks show. print() shows the same as text.

    Raises
    ------
    TypeError
        If `x` is not an array, or if it has no real numbers and a histogram is requested.
    ValueError
        If the number of bins is not between 1 and 200.

    Examples
    --------
    >>> x = qn.asarray([1.0, 2.0, 2.0, 4.0])
    >>> print(qn.notebook.show(x, histogram=3))
    Array([1., 2., 2., 4.], dtype=float64, device='host')
               1 to 2                     1 ####################
               2 to 3                     2 ########################################
               3 to 4                     1 ####################
    """
    if not isinstance(x, Array):
        raise ArgumentTypeError(f"x: expected a quern.Array, got {type(x).__name__}")
    bins = 40 if histogram is True else int(histogram)
    if not 0 <= bins <= 200:
        raise ArgumentValueError(f"histogram: expected 1 to 200 bins, got {bins}")
    return ArrayView(x, bins)
