# SPDX-License-Identifier: MIT
"""Products of matrices, vectors and tensors, by NumPy's names and the array API's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _core
from ._core import ArgumentValueError, Array
from ._einsum import einsum
from ._operands import Values, as_arrays, axis_of

__all__ = [
    "cross",
    "dot",
    "einsum",
    "inner",
    "kron",
    "matmul",
    "matvec",
    "outer",
    "tensordot",
    "vdot",
    "vecdot",
    "vecmat",
]


def matmul(x1: Values, x2: Values, /) -> Array:
    """The product of matrices, of which the arrays are stacks; an array of one axis is a row, or on the right a column."""
    x1, x2 = as_arrays("matmul", x1, x2)
    return _core.matmul(x1, x2)


def matvec(x1: Values, x2: Values, /) -> Array:
    """The products of matrices with vectors, of which the arrays are stacks."""
    x1, x2 = as_arrays("matvec", x1, x2)
    return _core.matmul(x1, x2[..., None])[..., 0]


def vecmat(x1: Values, x2: Values, /) -> Array:
    """The products of vectors, conjugated, with matrices, of which the arrays are stacks."""
    x1, x2 = as_arrays("vecmat", x1, x2)
    rows = _core.apply("conj", x1) if x1.dtype.kind == "c" else x1
    return _core.matmul(rows[..., None, :], x2)[..., 0, :]


def tensordot(x1: Values, x2: Values, /, axes: int | Sequence[Any] = 2) -> Array:
    """Sums of products over the last `axes` axes of x1 and the first of x2, or over pairs of axes."""
    x1, x2 = as_arrays("tensordot", x1, x2)
    if isinstance(axes, int):
        if axes < 0 or axes > min(x1.ndim, x2.ndim):
            raise ArgumentValueError(
                f"tensordot: {axes} axes of arrays of {x1.ndim} and {x2.ndim} dimensions"
            )
        return _core.tensordot(x1, x2, list(range(x1.ndim - axes, x1.ndim)), list(range(axes)))
    first, second = ([pair] if isinstance(pair, int) else list(pair) for pair in axes)
    return _core.tensordot(x1, x2, first, second)


def vecdot(x1: Values, x2: Values, /, *, axis: int = -1) -> Array:
    """The sums of conj(x1) * x2 along an axis; the others are broadcast."""
    x1, x2 = as_arrays("vecdot", x1, x2)
    for x in (x1, x2):
        axis_of("vecdot", axis, x.ndim)
    if axis >= 0 and x1.ndim == x2.ndim:
        axis -= x1.ndim
    return _vecdot(x1, x2, axis)


def _vecdot(x1: Array, x2: Array, axis: int) -> Array:
    """The sums of products along an axis; those of float16 overflow in it before they are summed."""
    if np.result_type(x1.dtype, x2.dtype) == np.float16:
        return _core.vecdot(x1.astype(np.float32), x2.astype(np.float32), axis).astype(np.float16)
    return _core.vecdot(x1, x2, axis)


def vdot(x1: Values, x2: Values, /) -> Array:
    """The sum of conj(x1) * x2 over all elements in C order."""
    x1, x2 = as_arrays("vdot", x1, x2)
    return _vecdot(x1.reshape(-1), x2.reshape(-1), -1)


def dot(x1: Values, x2: Values, /) -> Array:
    """numpy.dot: sums of products over the last axis of x1 and the last but one of x2, or products with a number."""
    x1, x2 = as_arrays("dot", x1, x2)
    if x1.ndim == 0 or x2.ndim == 0:
        return _core.apply("multiply", x1, x2)
    if x1.ndim <= 2 and x2.ndim <= 2:
        return _core.matmul(x1, x2)
    return _core.tensordot(x1, x2, [-1], [-1 if x2.ndim == 1 else -2])


def inner(x1: Values, x2: Values, /) -> Array:
    """numpy.inner: sums of products over the last axes, or products with a number."""
    x1, x2 = as_arrays("inner", x1, x2)
    if x1.ndim == 0 or x2.ndim == 0:
        return _core.apply("multiply", x1, x2)
    return _core.tensordot(x1, x2, [-1], [-1])


def outer(x1: Values, x2: Values, /) -> Array:
    """Each element of x1 times each of x2; runs when somebody needs the result."""
    x1, x2 = as_arrays("outer", x1, x2)
    return _core.apply("multiply", x1.reshape(-1, 1), x2.reshape(1, -1))


def kron(x1: Values, x2: Values, /) -> Array:
    """The Kronecker product: a block of x2 for each element of x1."""
    x1, x2 = as_arrays("kron", x1, x2)
    rank = max(x1.ndim, x2.ndim)
    a = x1.reshape((1,) * (rank - x1.ndim) + x1.shape)
    b = x2.reshape((1,) * (rank - x2.ndim) + x2.shape)
    wide = _core.apply(
        "multiply",
        a.reshape([length for n in a.shape for length in (n, 1)]),
        b.reshape([length for n in b.shape for length in (1, n)]),
    )
    return wide.reshape([m * n for m, n in zip(a.shape, b.shape, strict=True)])


def cross(x1: Values, x2: Values, /, *, axis: int = -1) -> Array:
    """The cross product of vectors of three elements along an axis; the other axes are broadcast."""
    x1, x2 = as_arrays("cross", x1, x2)
    for x in (x1, x2):
        if x.shape[axis_of("cross", axis, x.ndim)] != 3:
            raise ArgumentValueError(f"cross: expected 3 elements along axis {axis}, got shape {x.shape}")

    def part(x: Array, k: int) -> Array:
        index = (*[slice(None)] * (axis % x.ndim), k)
        return x[index]

    def component(i: int, j: int) -> Array:
        return part(x1, i) * part(x2, j) - part(x1, j) * part(x2, i)

    parts = [component(1, 2), component(2, 0), component(0, 1)]
    at = len(parts[0].shape) + 1 + axis if axis < 0 else axis
    shape = (*parts[0].shape[:at], 3, *parts[0].shape[at:])
    result = _core.empty(shape, parts[0].dtype, x1.device, None)
    for k, values in enumerate(parts):
        index = (*[slice(None)] * at, k)
        result[index] = values
    return result
