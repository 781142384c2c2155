# SPDX-License-Identifier: MIT
"""NumPy's index tricks: grids and concatenation from slices, open meshes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import index_exp, ndenumerate, ndindex, s_

from ._core import ArgumentTypeError, ArgumentValueError, Array
from ._functions import arange, concat, flatnonzero, linspace, meshgrid, stack
from ._operands import Values, as_arrays

__all__ = [
    "c_",
    "index_exp",
    "ix_",
    "mgrid",
    "ndenumerate",
    "ndindex",
    "ogrid",
    "r_",
    "s_",
]


def _numbers(part: slice) -> Array:
    """Numbers of a slice, as arange() gives them; with a complex step, as linspace() gives so many points."""
    start, step = part.start or 0, 1 if part.step is None else part.step
    if isinstance(step, complex):
        points: Array = linspace(start, part.stop, int(abs(step)))
        return points
    return arange(start, part.stop, step)


class _Grid:
    """Coordinate grids from slices: mgrid is dense, in one array; ogrid is open, one array for each axis.

    A complex step such as 5j is a number of points, and includes the end.
    """

    def __init__(self, sparse: bool):
        self._sparse = sparse

    def __getitem__(self, key: slice | tuple[slice, ...]) -> Any:
        lines = [_numbers(part) for part in (key if isinstance(key, tuple) else (key,))]
        if not isinstance(key, tuple):
            return lines[0]
        dtype = np.result_type(*(line.dtype for line in lines))
        grids = meshgrid(*(line.astype(dtype) for line in lines), indexing="ij", sparse=self._sparse)
        return grids if self._sparse else stack(grids)


class _Joined:
    """Join arrays, numbers and slices: r_ along the first axis, c_ as columns. NumPy's strings are not supported."""

    def __init__(self, as_columns: bool):
        self._as_columns = as_columns

    def __getitem__(self, key: Any) -> Array:
        parts = key if isinstance(key, tuple) else (key,)
        name = "c_" if self._as_columns else "r_"
        if any(isinstance(part, str) for part in parts):
            raise ArgumentTypeError(f"{name}: expected arrays, numbers and slices, got a string")
        made = as_arrays(name, *(_numbers(part) if isinstance(part, slice) else part for part in parts))
        # Python numbers take the dtype of the others.
        dtype = np.result_type(
            *(
                part if type(part) in (int, float, complex) else x.dtype
                for part, x in zip(parts, made, strict=True)
            )
        )
        if self._as_columns:
            made = [x if x.ndim > 1 else x.reshape(-1, 1) for x in made]
        else:
            made = [x if x.ndim else x.reshape(1) for x in made]
        return concat([x.astype(dtype, copy=False) for x in made], axis=-1 if self._as_columns else 0)


mgrid, ogrid = _Grid(sparse=False), _Grid(sparse=True)
r_, c_ = _Joined(as_columns=False), _Joined(as_columns=True)


def ix_(*sequences: Values) -> tuple[Array, ...]:
    """Open mesh of sequences of indices: x[qn.ix_(rows, columns)] selects all combinations.

    Parameters
    ----------
    *sequences : array_like
        One-dimensional arrays of indices or masks, one for each axis.

    Returns
    -------
    tuple of Array
        Index arrays that broadcast against each other.

    Raises
    ------
    ValueError
        If an array has more than one axis.

    Examples
    --------
    >>> x = qn.reshape(qn.arange(9), (3, 3))
    >>> print(x[qn.ix_([0, 2], [1, 2])])
    [[1 2]
     [7 8]]
    """
    given = as_arrays("ix_", *sequences)
    result = []
    for at, line in enumerate(given):
        if line.ndim != 1:
            raise ArgumentValueError(
                f"ix_: expected one-dimensional arrays, got one with {line.ndim} dimensions"
            )
        if line.dtype == np.bool_:
            line = flatnonzero(line)
        elif line.size == 0 and not hasattr(sequences[at], "dtype"):
            line = line.astype(np.int64)  # An empty list has dtype float64.
        result.append(line.reshape([-1 if k == at else 1 for k in range(len(given))]))
    return tuple(result)
