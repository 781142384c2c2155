# SPDX-License-Identifier: MIT
"""Linear algebra that needs no factorisation: the functions of the array API's extension, and numpy.linalg.norm."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import inf as _infinity
from numpy.typing import DTypeLike

from . import _core, _functions
from ._core import ArgumentValueError, Array
from ._functions import absolute, matrix_transpose, sqrt, square
from ._operands import Axis, Values, as_array, as_float, axes_of
from ._products import cross, matmul, outer, tensordot, vecdot

__all__ = [
    "cross",
    "diagonal",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_transpose",
    "norm",
    "outer",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]


def __getattr__(name: str) -> Any:
    text = f"module 'quern.linalg' has no attribute {name!r}"
    if name in np.linalg.__all__:
        text += f"; x.get() is a NumPy array, which numpy.linalg.{name} takes"
    raise AttributeError(text)


def diagonal(x: Values, /, *, offset: int = 0) -> Array:
    """A view of the diagonals of the matrices in the last two axes, `offset` above the main one."""
    return _functions.diagonal(x, offset, -2, -1)


def trace(x: Values, /, *, offset: int = 0, dtype: DTypeLike | None = None) -> Array:
    """The sums of the diagonals of the matrices in the last two axes."""
    return _functions.trace(x, offset, -2, -1, dtype)


def matrix_power(x: Values, n: int, /) -> Array:
    """The product of n equal matrices; of none, ones on the diagonal."""
    x = as_array("matrix_power", x)
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise ArgumentValueError(f"matrix_power: expected square matrices, got shape {x.shape}")
    if n < 0:
        raise ArgumentValueError(f"matrix_power: a power of {n} needs inverses, which there are none of")
    if n == 0:
        ones = _functions.eye(x.shape[-1], dtype=x.dtype, device=x.device)
        result = _core.zeros(x.shape, x.dtype, x.device, None)
        result[...] = ones
        return result
    # By squaring: the factors are the powers that n has bits for.
    factors = [x.copy()] if n & 1 else []
    while n > 1:
        x, n = matmul(x, x), n >> 1
        if n & 1:
            factors.append(x)
    result = factors[0]
    for factor in factors[1:]:
        result = matmul(result, factor)
    return result


def vector_norm(x: Values, /, *, axis: Axis = None, keepdims: bool = False, ord: float = 2) -> Array:
    """The norm of all elements, or of those along some axes: of order 2 where no other is asked for."""
    x = as_float(as_array("norm", x))
    size = absolute(x)
    options: dict[str, Any] = {"axis": axis, "keepdims": keepdims}
    if ord == _infinity:
        return _functions.max(size, initial=0, **options)
    if ord == -_infinity:
        return _functions.min(size, **options)
    if ord == 0:
        return _functions.count_nonzero(x, **options).astype(size.dtype)
    if ord == 1:
        return _functions.sum(size, **options)
    if ord == 2:
        return sqrt(_functions.sum(_squares(x), **options))
    return _core.apply("power", _functions.sum(_core.apply("power", size, float(ord)), **options), 1.0 / ord)


def _squares(x: Array) -> Array:
    if x.dtype.kind != "c":
        return square(x)
    return square(_core.apply("real", x)) + square(_core.apply("imag", x))


def matrix_norm(x: Values, /, *, keepdims: bool = False, ord: float | str | None = "fro") -> Array:
    """The norms of the matrices in the last two axes: "fro", 1, -1, inf or -inf; others need singular values."""
    x = as_float(as_array("matrix_norm", x))
    if x.ndim < 2:
        raise ArgumentValueError(f"matrix_norm: expected two dimensions or more, got {x.ndim}")
    if ord in ("fro", None):
        return vector_norm(x, axis=(-2, -1), keepdims=keepdims)
    if ord not in (1, -1, _infinity, -_infinity):
        raise ArgumentValueError(f"ord: expected 'fro', 1, -1, inf or -inf, got {ord!r}")
    axis = -2 if ord in (1, -1) else -1
    sums = _functions.sum(absolute(x), axis=axis, keepdims=True)
    if float(ord) > 0:
        return _functions.max(sums, (-2, -1), keepdims=keepdims, initial=0)
    return _functions.min(sums, axis=(-2, -1), keepdims=keepdims)


def norm(x: Values, ord: Any = None, axis: Axis = None, keepdims: bool = False) -> Array:
    """numpy.linalg.norm: of vectors along one axis, of matrices along two, or of all elements."""
    x = as_array("norm", x)
    if axis is None:
        if ord is None or x.ndim == 1:
            return vector_norm(x, ord=2 if ord is None else ord, keepdims=keepdims)
        axis = tuple(range(x.ndim))
    axes = axes_of("norm", axis, x.ndim)
    if len(axes) == 1:
        return vector_norm(x, axis=axes, ord=2 if ord is None else ord, keepdims=keepdims)
    if len(axes) != 2:
        raise ArgumentValueError(f"norm: expected one axis or two, got {len(axes)}")
    row, column = axes
    rest = [k for k in range(x.ndim) if k not in (row, column)]
    result = matrix_norm(x.transpose([*rest, row, column]), ord="fro" if ord is None else ord)
    if not keepdims:
        return result
    return result.reshape([1 if k in (row, column) else length for k, length in enumerate(x.shape)])
