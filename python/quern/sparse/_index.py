# SPDX-License-Identifier: MIT
"""Keys of A[rows, columns], and what the constructors of all formats take."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._array import asarray
from .._core import ArgumentIndexError, ArgumentTypeError, ArgumentValueError, Array


def split_key(key: Any) -> tuple[Any, Any]:
    """Rows and columns of a key; what is missing is a whole slice."""
    parts = list(key) if isinstance(key, tuple) else [key]
    if any(part is None for part in parts):
        raise ArgumentIndexError("sparse arrays take no new axes")
    dots = [k for k, part in enumerate(parts) if part is Ellipsis]
    for k in dots[:1]:
        parts[k : k + 1] = [slice(None)] * (3 - len(parts))
    if len(parts) > 2 or len(dots) > 1:
        raise ArgumentIndexError(f"sparse arrays take two indices, got {len(parts)}")
    rows, columns = parts + [slice(None)] * (2 - len(parts))
    return rows, columns


def is_integer(key: Any) -> bool:
    """Whether a part of a key is one index, which drops its axis."""
    return isinstance(key, (int, np.integer)) and not isinstance(key, (bool, np.bool_))


def rows_of(key: Any, count: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Indices from 0 on for an integer, a slice, integers or a mask along an axis of `count`."""
    if isinstance(key, slice):
        chosen: Any = np.arange(*key.indices(count), dtype=np.int64)
    else:
        chosen = np.atleast_1d(key.get() if isinstance(key, Array) else np.asarray(key))
        if chosen.ndim != 1:
            raise ArgumentIndexError("an index of a sparse array has one dimension")
        if chosen.dtype == np.bool_:
            if len(chosen) != count:
                raise ArgumentIndexError(f"a mask of {len(chosen)} elements does not fit an axis of {count}")
            return np.asarray(np.flatnonzero(chosen), np.int64)
        if chosen.size == 0:
            return np.zeros(0, np.int64)
        if chosen.dtype.kind not in "iu":
            raise ArgumentIndexError(f"an index must be an integer, a slice or a mask, got {chosen.dtype}")
        least, most = chosen.min(), chosen.max()
        if least < -count or most >= count:
            bad = chosen[(chosen < -count) | (chosen >= count)]
            raise ArgumentIndexError(f"index {bad[0]} is out of bounds for an axis of {count}")
        chosen = chosen.astype(np.int64, copy=False)
        if least < 0:
            chosen = np.where(chosen < 0, chosen + count, chosen)
    return chosen  # type: ignore[no-any-return]


def shape_of(shape: Any) -> tuple[int, int]:
    """Check the shape of a matrix."""
    try:
        lengths = tuple(int(length) for length in shape)
    except TypeError:
        raise ArgumentTypeError(f"shape: expected two integers, got {shape!r}") from None
    if len(lengths) != 2:
        raise ArgumentValueError(f"shape: sparse arrays have two dimensions, got {len(lengths)}")
    if min(lengths) < 0:
        raise ArgumentValueError("shape: lengths must not be negative")
    return lengths[0], lengths[1]


def check_two_dimensions(ndim: int) -> None:
    """Raise ArgumentError unless a sparse array can be made of an array of so many dimensions."""
    if ndim == 1:
        raise ArgumentValueError(
            "sparse arrays have two dimensions, got 1 (SciPy's csr_array and coo_array of a vector have shape (n,)); "
            "use quern.sparse.SparseVector(x), or x[None, :] for a matrix of one row"
        )
    if ndim != 2:
        raise ArgumentValueError(f"sparse arrays have two dimensions, got {ndim}")


def lengths_of(shape: Any, count: int) -> tuple[int, ...]:
    """Check the new shape of `count` elements, with one or two lengths, of which one may be -1."""
    try:
        lengths = [int(length) for length in (shape if isinstance(shape, (tuple, list)) else (shape,))]
    except TypeError:
        raise ArgumentTypeError(f"reshape: expected integers, got {shape!r}") from None
    if len(lengths) not in (1, 2):
        raise ArgumentValueError(f"reshape: sparse arrays have one or two dimensions, got {len(lengths)}")
    if lengths.count(-1) > 1:
        raise ArgumentValueError("reshape: only one length may be -1")
    if -1 in lengths:
        others = -int(np.prod(lengths))
        if others <= 0 or count % others:
            raise ArgumentValueError(f"reshape: {count} elements do not fit the shape {tuple(lengths)}")
        lengths[lengths.index(-1)] = count // others
    if min(lengths) < 0 or int(np.prod(lengths, dtype=object)) != count:
        raise ArgumentValueError(f"reshape: {count} elements do not fit the shape {tuple(lengths)}")
    return tuple(lengths)


def is_shape(value: Any) -> bool:
    """Whether a constructor's argument is a shape: a tuple of two integers."""
    return (
        isinstance(value, tuple) and len(value) == 2 and all(isinstance(n, (int, np.integer)) for n in value)
    )


def is_coordinates(value: Any) -> bool:
    """Whether a constructor's argument is (data, (rows, columns))."""
    if not (isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], (tuple, list))):
        return False
    return len(value[1]) == 2 and not any(isinstance(part, (int, np.integer)) for part in value[1])


def values_of(values: Any, dtype: Any, device: Any, copy: bool = False) -> Array:
    """The entries of a new matrix."""
    if isinstance(values, Array):
        result = values if dtype is None else values.astype(dtype)
        return result.copy() if copy and result is values else result
    return asarray(values, dtype, device=device)


def is_shared(values: Any, copy: bool) -> bool:
    """Whether the caller can still write to the entries of a new matrix."""
    return isinstance(values, Array) and not copy


def indices_of(values: Any, device: Any) -> Array:
    """Indices of a new matrix: int32 stays, other integers become int64 where they are not small."""
    if isinstance(values, Array):
        return values.copy()  # a caller may write to its own array, and indices are checked once
    given = np.asarray(values)
    if given.size == 0:
        given = given.astype(np.int32)
    elif given.dtype.kind in "iu" and given.dtype.itemsize == 8 and not isinstance(values, np.ndarray):
        given = given.astype(np.int32) if abs(given).max() < 2**31 else given
    return asarray(given, device=device)


def grown(indices: Array) -> int:
    """The least length that these indices fit; waits for it."""
    if indices.size == 0:
        return 0
    return int(indices.max()) + 1


def device_of(device: Any, *values: Any) -> Any:
    """The device that the caller named, or that of the first array."""
    if device is not None:
        return device
    return next((value.device for value in values if isinstance(value, Array)), None)
