# SPDX-License-Identifier: MIT
"""NumPy's class poly1d, for polynomials that are evaluated at arrays of a device."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._core import Array
from ._functions import polyval

__all__ = ["poly1d"]


def _on_host(value: Any) -> Any:
    return value.get() if isinstance(value, Array) else value


def _ours(value: Any) -> Any:
    """The polynomials of a result of NumPy's class as objects of this one."""
    if isinstance(value, tuple):
        return tuple(map(_ours, value))
    return poly1d(value, variable=value.variable) if type(value) is np.poly1d else value


class poly1d(np.poly1d):
    """Polynomial of one variable, with arithmetic, derivatives, roots and values.

    The coefficients are a NumPy array. A call with an array of a device returns an array of that device.

    Parameters
    ----------
    c_or_r : array_like
        Coefficients, highest power first; the roots if `r` is True. An Array is copied to the host.
    r : bool, optional
        If True, `c_or_r` has the roots of the polynomial.
    variable : str, optional
        Name of the variable in print(); "x" by default.

    Examples
    --------
    >>> p = qn.poly1d(qn.polyfit([0.0, 1.0, 2.0], [1.0, 3.0, 5.0], 1))
    >>> print(p(qn.asarray([10.0, 20.0])).round(6))
    [21. 41.]
    >>> (qn.poly1d([1, 2]) * qn.poly1d([1, 3])).deriv()
    poly1d([2, 5])
    """

    def __init__(self, c_or_r: Any, r: bool = False, variable: str | None = None) -> None:
        super().__init__(_on_host(c_or_r), r, variable)

    def __call__(self, val: Any) -> Any:
        if isinstance(val, Array):
            return polyval(self.coeffs, val)
        return _ours(super().__call__(val))

    def __add__(self, other: Any) -> Any:
        return _ours(super().__add__(_on_host(other)))

    def __radd__(self, other: Any) -> Any:
        return _ours(super().__radd__(_on_host(other)))

    def __sub__(self, other: Any) -> Any:
        return _ours(super().__sub__(_on_host(other)))

    def __rsub__(self, other: Any) -> Any:
        return _ours(super().__rsub__(_on_host(other)))

    def __mul__(self, other: Any) -> Any:
        return _ours(super().__mul__(_on_host(other)))

    def __rmul__(self, other: Any) -> Any:
        return _ours(super().__rmul__(_on_host(other)))

    def __truediv__(self, other: Any) -> Any:
        return _ours(super().__truediv__(_on_host(other)))

    def __rtruediv__(self, other: Any) -> Any:
        return _ours(super().__rtruediv__(_on_host(other)))

    def __pow__(self, val: Any) -> Any:
        return _ours(super().__pow__(val))

    def __neg__(self) -> Any:
        return _ours(super().__neg__())

    def deriv(self, m: Any = 1) -> Any:
        """The m-th derivative."""
        return _ours(super().deriv(m))

    def integ(self, m: Any = 1, k: Any = 0) -> Any:
        """The m-th integral, with the constants `k`."""
        return _ours(super().integ(m, k))
