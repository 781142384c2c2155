# SPDX-License-Identifier: MIT
"""Arrays as text and as HTML, by NumPy's rules and options. Only the printed elements of a large array are copied to the host."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._core import Array
from ._methods import array_method


def _edges(x: Array, edgeitems: int) -> NDArray[Any]:
    """The first and last few elements along each long axis, with one element in place of those between."""
    longest = 2 * edgeitems
    if all(length <= longest for length in x.shape):
        return x.get()
    shown = np.zeros([min(length, longest + 1) for length in x.shape], x.dtype)
    begin, end = slice(0, edgeitems), slice(-edgeitems, None)
    parts = [(begin, end) if length > longest else (slice(None),) for length in x.shape]
    whole = np.asarray(x) if x.device.shares_host_memory else None
    for corner in product(*parts) if edgeitems else ():
        shown[corner] = whole[corner] if whole is not None else x[corner].get()
    return shown


def _text(x: Array, separator: str, prefix: str = "") -> tuple[str, bool]:
    """Text of the array as NumPy writes it, and whether it is summarised."""
    options = np.get_printoptions()
    is_long = x.size > options["threshold"]
    values = _edges(x, options["edgeitems"]) if is_long else x.get()
    threshold = 0 if is_long else max(options["threshold"], 1)
    return np.array2string(values, separator=separator, prefix=prefix, threshold=threshold), is_long


@array_method("__str__")
def _str(self: Array) -> str:
    """Return str(self), formatted as by NumPy."""
    if self.ndim == 0:
        return str(self.get()[()])
    return _text(self, " ")[0]


@array_method("__repr__")
def _repr(self: Array) -> str:
    """Return repr(self), formatted as by NumPy, with the dtype and the device."""
    prefix = "Array("
    if self.size:
        values, is_long = _text(self, ", ", prefix)
    else:
        values, is_long = "[]", self.shape != (0,)
    shape = [f"shape={self.shape}"] if is_long else []
    dtype = self.dtype.name if self.dtype.names is None else str(self.dtype)
    parts = [*shape, f"dtype={dtype}", f"device='{self.device.spec}')"]
    widest = np.get_printoptions()["linewidth"]
    text, line = (
        prefix + values,
        len(values) - values.rfind("\n") - 1 + (0 if "\n" in values else len(prefix)),
    )
    is_wide = line + len(", ".join(parts)) + 2 > widest
    for number, part in enumerate(parts):
        # Put all properties on the line of the last element if they fit, otherwise on their own lines.
        if (is_wide and number == 0) or (number > 0 and line + len(part) + 3 > widest):
            text, line = f"{text},\n{' ' * len(prefix)}{part}", len(prefix) + len(part)
        else:
            text, line = f"{text}, {part}", line + 2 + len(part)
    return text


@array_method("__format__")
def _format(self: Array, spec: str, /) -> str:
    """Return format(self, spec); a 0-d array is formatted as its number."""
    if self.ndim == 0:
        return format(self.item(), spec)
    if not spec:
        return _str(self)
    raise TypeError(
        f"format: '{spec}' applies to numbers only; an array of shape {self.shape} takes no format specification"
    )


@array_method("_repr_html_")
def _html(self: Array) -> str:
    """Return HTML for notebooks: the array's properties, and the elements at the edges of its last two axes."""
    from .notebook._arrays import array_html

    return array_html(self)
