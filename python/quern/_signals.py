# SPDX-License-Identifier: MIT
"""Signals and polynomials: convolution, correlation, windows, phases, and values of polynomials."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from . import _core, _functions
from ._array import count_of, integer_of
from ._core import ArgumentValueError, Array
from ._differences import diff, joined
from ._functions import arange, cumsum, ones
from ._operands import Values, along, as_array, as_arrays, axis_of, default_float, held_by
from ._products import matmul

__all__ = [
    "bartlett",
    "blackman",
    "convolve",
    "correlate",
    "hamming",
    "hanning",
    "kaiser",
    "polyval",
    "unwrap",
    "vander",
]

_Mode = Literal["full", "same", "valid"]


def convolve(a: Values, v: Values, mode: _Mode = "full") -> Array:
    """The sums of products of a vector with another one that slides over it backwards."""
    first, second = as_arrays("convolve", a, v)
    return _slid("convolve", first, second, mode)


def correlate(a: Values, v: Values, mode: _Mode = "valid") -> Array:
    """The sums of products of a vector with the conjugate of another one that slides over it."""
    first, second = as_arrays("correlate", a, v)
    # NumPy's conj makes numbers of booleans, its correlate does not.
    other = _core.apply("conj", second) if second.dtype.kind == "c" else second
    return _slid("correlate", first, other[::-1], mode)


def _slid(function: str, a: Array, v: Array, mode: _Mode) -> Array:
    if a.ndim > 1 or v.ndim > 1 or 0 in (a.size, v.size):
        raise ArgumentValueError(f"{function}: expected vectors with elements, got {a.shape} and {v.shape}")
    if mode not in ("full", "same", "valid"):
        raise ArgumentValueError(f"{function}: mode is 'full', 'same' or 'valid', got {mode!r}")
    dtype = np.result_type(a.dtype, v.dtype)
    long, short = (x.reshape(-1).astype(dtype, copy=False) for x in (a, v))
    is_exchanged = long.size < short.size
    if is_exchanged:
        long, short = short, long
    margin = (0, 0)
    if mode == "full":
        margin = (short.size - 1, short.size - 1)
    elif mode == "same":
        margin = (short.size // 2, (short.size - 1) // 2)
        # NumPy correlates the other way round then, and turns the result.
        margin = margin[::-1] if is_exchanged and function == "correlate" else margin
    turned = short[::-1]
    inside = matmul(_rows(_core.as_contiguous(long), short.size), turned)
    # At the ends a part of the short one covers nothing: a product with zeros there would make NaN of infinities.
    wide = _core.pad_constant(long, [margin], [(0, 0)])
    is_there = _core.pad_constant(
        _core.full(long.shape, True, np.bool_, long.device, None), [margin], [(0, 0)]
    )
    ends = [slice(None, margin[0]), slice(wide.size - short.size + 1 - margin[1], None)]
    before, behind = (
        _sum_of(_rows(wide, short.size)[end], turned, _rows(is_there, short.size)[end]) for end in ends
    )
    return joined([before, inside, behind], 0) if any(margin) else inside


def _rows(x: Array, length: int) -> Array:
    """Rows that overlap: what a window of this length sees at each place."""
    shape = (x.size - length + 1, length)
    return Array(x.buffer, x.dtype, shape, strides=[x.itemsize] * 2, offset=x.offset)


def _sum_of(rows: Array, line: Array, mask: Array) -> Array:
    """The sums of products with a line where the mask holds, of float16 in float32."""
    dtype = rows.dtype
    computed = np.dtype(np.float32) if dtype == np.float16 else dtype
    products = rows.astype(computed, copy=False) * line.astype(computed, copy=False)
    total = _functions.sum(_core.where(mask, products, computed.type(0)), axis=1, dtype=computed)
    return total.astype(dtype, copy=False)


def polyval(p: Values, x: Values) -> Array:
    """The polynomial with these coefficients, the highest first, at each element."""
    coefficients, at = as_arrays("polyval", p, x)
    dtype = np.result_type(coefficients.dtype, at.dtype) if coefficients.size else at.dtype
    result = _core.zeros(at.shape, dtype, at.device, None)
    for k in range(coefficients.size):
        result = result * at + coefficients[k]
    return result


def vander(x: Values, N: int | None = None, increasing: bool = False) -> Array:
    """The powers of each element of a vector, in a row each, the highest first unless `increasing`."""
    array = as_array("vander", x)
    if array.ndim != 1:
        raise ArgumentValueError(f"vander: expected one dimension, got {array.ndim}")
    count = array.size if N is None else count_of("vander", "N", N)
    if count < 0:
        raise ArgumentValueError(f"vander: N is {count}, but must not be negative")
    powers = arange(count, device=array.device)
    return array[:, None] ** (powers if increasing else powers[::-1])


def unwrap(p: Values, discont: float | None = None, axis: int = -1, *, period: float = 2 * np.pi) -> Array:
    """Angles without jumps: steps of more than half a period become short ones by whole periods."""
    array = as_array("unwrap", p)
    at = axis_of("unwrap", axis, array.ndim)
    step = diff(array, axis=at)
    dtype = held_by(array.device, np.result_type(step.dtype, period))
    # Half of an odd period of whole numbers is none of them.
    half, rest = divmod(period, 2) if dtype.kind in "iu" else (period / 2, 0)
    short = _core.apply("remainder", step - -half, period) + -half
    if rest == 0:
        short = _core.where((short == -half) & (step > 0), half, short)
    limit = period / 2 if discont is None else discont
    change = _core.where(_core.apply("absolute", step) < limit, 0, short - step)
    result = array.astype(dtype)
    along(result, at, slice(1, None))[...] = along(array, at, slice(1, None)) + cumsum(change, at)
    return result


def _window(M: int, values: Callable[[Array], Array]) -> Array:
    M = integer_of("window", "M", M)
    if M < 2:
        return ones(max(M, 0))
    places = arange(1 - M, M, 2)
    return values(places.astype(default_float(places.device)) / (M - 1))


def bartlett(M: int) -> Array:
    """A window of M points: a triangle."""
    return _window(M, lambda x: 1 - _core.apply("absolute", x))


def hanning(M: int) -> Array:
    """A window of M points: a raised cosine."""
    return _window(M, lambda x: 0.5 + 0.5 * _core.apply("cos", np.pi * x))


def hamming(M: int) -> Array:
    """A window of M points: a raised cosine on a step."""
    return _window(M, lambda x: 0.54 + 0.46 * _core.apply("cos", np.pi * x))


def blackman(M: int) -> Array:
    """A window of M points: two cosines."""
    return _window(
        M,
        lambda x: 0.42 + 0.5 * _core.apply("cos", np.pi * x) + 0.08 * _core.apply("cos", 2 * np.pi * x),
    )


def kaiser(M: int, beta: float) -> Array:
    """A window of M points by Bessel functions; `beta` says how narrow."""
    return _window(
        M,
        lambda x: (
            _core.apply("i0", beta * _core.apply("sqrt", _core.apply("maximum", 1 - x * x, 0.0)))
            / float(np.i0(beta))
        ),
    )
