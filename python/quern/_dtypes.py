# SPDX-License-Identifier: MIT
"""Dtypes by name, their limits and their promotion. They are NumPy's dtypes."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy import (
    False_,
    True_,
    bool_,
    byte,
    cdouble,
    complex64,
    complex128,
    complexfloating,
    csingle,
    double,
    dtype,
    e,
    euler_gamma,
    float16,
    float32,
    float64,
    floating,
    generic,
    half,
    inexact,
    inf,
    int8,
    int16,
    int32,
    int64,
    int_,
    intc,
    integer,
    intp,
    issubdtype,
    long,
    longlong,
    min_scalar_type,
    nan,
    newaxis,
    number,
    pi,
    short,
    signedinteger,
    single,
    ubyte,
    uint,
    uint8,
    uint16,
    uint32,
    uint64,
    uintc,
    uintp,
    ulong,
    ulonglong,
    unsignedinteger,
    ushort,
)
from numpy.typing import DTypeLike

from . import _core
from ._array import asarray
from ._bfloat16 import as_dtype, is_bfloat16
from ._core import ArgumentTypeError, ArgumentValueError, Array, Device

# In this namespace, as in NumPy's, `bool` is the dtype.
bool = bool_

# Dtypes of the array API standard by kind; float16 is supported but not part of the standard.
_KINDS = {
    "bool": ("bool",),
    "signed integer": ("int8", "int16", "int32", "int64"),
    "unsigned integer": ("uint8", "uint16", "uint32", "uint64"),
    "real floating": ("float32", "float64"),
    "complex floating": ("complex64", "complex128"),
}
_UNIONS = {
    "integral": ("signed integer", "unsigned integer"),
    "numeric": ("signed integer", "unsigned integer", "real floating", "complex floating"),
}
_LETTERS = {
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "real floating": "f",
    "complex floating": "c",
}


def names_of_kind(kind: str) -> tuple[str, ...]:
    """Names of the standard's dtypes of a kind."""
    if kind in _UNIONS:
        return tuple(name for one in _UNIONS[kind] for name in _KINDS[one])
    if kind not in _KINDS:
        raise ArgumentValueError(f"kind: expected one of {', '.join([*_KINDS, *_UNIONS])}, got {kind!r}")
    return _KINDS[kind]


def _dtype_of(x: Any) -> np.dtype[Any]:
    return x.dtype if isinstance(x, (Array, np.ndarray, np.generic)) else as_dtype(x)


def astype(
    x: Array, dtype: DTypeLike, /, *, copy: builtins.bool = True, device: Device | str | None = None
) -> Array:
    """Convert the elements to another dtype.

    Parameters
    ----------
    x : Array
        Input array.
    dtype : dtype
        Dtype of the result.
    copy : bool, optional
        If False, an array of this dtype is returned itself.
    device : Device or str, optional
        Device of the result; by default that of `x`.

    Returns
    -------
    Array
        The converted array.

    Examples
    --------
    >>> print(qn.astype(qn.asarray([1.5, 2.5]), "int32"))
    [1 2]
    """
    x = x if isinstance(x, Array) else asarray(x, device=device)
    wanted = as_dtype(dtype)
    if device is not None and _core.device(device) != x.device:
        return asarray(x, wanted, device=device)
    return x.astype(wanted, copy=copy)


def isdtype(dtype: DTypeLike, kind: DTypeLike | str | tuple[DTypeLike | str, ...]) -> builtins.bool:
    """Test whether a dtype equals another one or belongs to a kind.

    Parameters
    ----------
    dtype : dtype
        Dtype to test.
    kind : dtype, str or tuple
        A dtype, or 'bool', 'signed integer', 'unsigned integer', 'integral', 'real floating', 'complex floating' or 'numeric'. A
        tuple names several.

    Returns
    -------
    bool
        True if the dtype belongs to one of the kinds.

    Raises
    ------
    ValueError
        If no kind has this name.

    Examples
    --------
    >>> qn.isdtype(qn.int32, "integral"), qn.isdtype(qn.int32, (qn.int64, "real floating"))
    (True, False)
    """
    own = as_dtype(dtype)
    letter = "f" if is_bfloat16(own) else own.kind
    for one in kind if isinstance(kind, tuple) else (kind,):
        if isinstance(one, str) and one in (*_LETTERS, *_UNIONS):
            if own.names is None and letter in [_LETTERS[name] for name in _UNIONS.get(one, (one,))]:
                return True
        elif isinstance(one, str):
            names_of_kind(one)  # raises
        elif own == as_dtype(one):
            return True
    return False


def can_cast(from_: DTypeLike | Array, to: DTypeLike, /, casting: Any = "safe") -> builtins.bool:
    """Test whether a casting rule allows a conversion between dtypes.

    Parameters
    ----------
    from_ : dtype or Array
        Dtype to convert from, or an array of it.
    to : dtype
        Dtype to convert to.
    casting : str, optional
        Rule: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'. 'safe' allows conversions without loss.

    Returns
    -------
    bool
        True if the conversion is allowed.

    Examples
    --------
    >>> qn.can_cast("int32", "int64"), qn.can_cast("int64", "int32")
    (True, False)
    """
    return builtins.bool(np.can_cast(_dtype_of(from_), as_dtype(to), casting))


def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]:
    """Dtype that results from promoting arrays and dtypes.

    Parameters
    ----------
    *arrays_and_dtypes : array_like or dtype
        Operands. Python scalars take the dtype of the others.

    Returns
    -------
    numpy.dtype
        The promoted dtype.

    Raises
    ------
    ValueError
        If there are no operands.

    Examples
    --------
    >>> qn.result_type(qn.ones(2, dtype="float32"), "int8", 3)
    dtype('float32')
    """
    if not arrays_and_dtypes:
        raise ArgumentValueError("result_type: expected at least one array or dtype")
    operands = [x.dtype if isinstance(x, Array) else x for x in arrays_and_dtypes]
    numbers = [x for x in operands if isinstance(x, (int, float, complex)) and not isinstance(x, np.generic)]
    dtypes = [_dtype_of(x) for x in operands if _names_dtype(x)]
    if not any(map(is_bfloat16, dtypes)):
        return np.result_type(*operands)
    # NumPy has no promotion of bfloat16 and most integers, and Python numbers are not weak beside it.
    result = next(filter(is_bfloat16, dtypes))
    for one in (*dtypes, *numbers):
        result = _core.promoted_dtype(result, one)
    return result


def _names_dtype(x: Any) -> builtins.bool:
    return isinstance(x, (str, type, np.dtype, np.ndarray, np.generic))


def common_type(*arrays: Any) -> Any:
    """Floating-point scalar type that can hold the elements of all arrays.

    Parameters
    ----------
    *arrays : array_like
        Input arrays.

    Returns
    -------
    type
        Scalar type of NumPy, such as numpy.float64.

    Examples
    --------
    >>> qn.common_type(qn.ones(2, dtype="float32"), qn.ones(2, dtype="complex64")).__name__
    'complex64'
    """
    return np.common_type(*(np.empty(0, x.dtype) if isinstance(x, Array) else x for x in arrays))


def promote_types(type1: DTypeLike, type2: DTypeLike) -> np.dtype[Any]:
    """Smallest dtype to which both dtypes may be safely cast.

    Parameters
    ----------
    type1, type2 : dtype
        Dtypes to promote.

    Returns
    -------
    numpy.dtype
        The promoted dtype.

    Examples
    --------
    >>> qn.promote_types("float32", "int8")
    dtype('float32')
    """
    first, second = as_dtype(type1), as_dtype(type2)
    if is_bfloat16(first) or is_bfloat16(second):
        return _core.promoted_dtype(first, second)
    return np.promote_types(first, second)


@dataclass(frozen=True)
class FloatInfo:
    """Machine limits of a floating-point dtype; for complex dtypes those of their parts."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: np.dtype[Any]

    @property
    def tiny(self) -> float:
        """Smallest positive normal number: NumPy's name for smallest_normal."""
        return self.smallest_normal


@dataclass(frozen=True)
class IntegerInfo:
    """Machine limits of an integer dtype."""

    bits: int
    max: int
    min: int
    dtype: np.dtype[Any]


def _limits(dtype: np.dtype[Any]) -> Any:
    if not is_bfloat16(dtype):
        return np.finfo(dtype)
    import ml_dtypes

    limits: Any = ml_dtypes.finfo
    return limits(dtype)


def finfo(type: DTypeLike | Array, /) -> FloatInfo:
    """Machine limits of a floating-point dtype; for a complex dtype those of its parts.

    Parameters
    ----------
    type : dtype or Array
        Dtype, or an array of it.

    Returns
    -------
    FloatInfo
        `bits`, `eps`, `max`, `min`, `smallest_normal` and `dtype`.

    Raises
    ------
    TypeError
        If the dtype is not a floating-point dtype.

    Examples
    --------
    >>> qn.finfo("float32").bits
    32
    """
    own = _dtype_of(type)
    if own.kind not in "fc" and not is_bfloat16(own):
        raise ArgumentTypeError(f"finfo: expected a floating-point dtype, got {own}")
    info: Any = _limits(own)
    return FloatInfo(
        info.bits, float(info.eps), float(info.max), float(info.min), float(info.smallest_normal), info.dtype
    )


def iinfo(type: DTypeLike | Array, /) -> IntegerInfo:
    """Machine limits of an integer dtype.

    Parameters
    ----------
    type : dtype or Array
        Dtype, or an array of it.

    Returns
    -------
    IntegerInfo
        `bits`, `max`, `min` and `dtype`.

    Raises
    ------
    TypeError
        If the dtype is not an integer dtype.

    Examples
    --------
    >>> qn.iinfo("uint8").max
    255
    """
    own = _dtype_of(type)
    if own.kind not in "iu":
        raise ArgumentTypeError(f"iinfo: expected an integer dtype, got {own}")
    info = np.iinfo(own)
    return IntegerInfo(info.bits, int(info.max), int(info.min), own)


def broadcast_shapes(*shapes: int | Sequence[int]) -> tuple[int, ...]:
    """Shape that results from broadcasting shapes against each other.

    Parameters
    ----------
    *shapes : int or sequence of int
        Shapes to broadcast.

    Returns
    -------
    tuple of int
        The broadcast shape.

    Raises
    ------
    ValueError
        If the shapes do not broadcast.

    Examples
    --------
    >>> qn.broadcast_shapes((3, 1), (1, 4), 4)
    (3, 4)
    """
    result: list[int] = []
    for shape in shapes:
        lengths = [shape] if isinstance(shape, int) else [int(length) for length in shape]
        if len(lengths) > len(result):
            result = [1] * (len(lengths) - len(result)) + result
        for axis in range(-len(lengths), 0):
            if lengths[axis] != 1 and result[axis] not in (1, lengths[axis]):
                raise ArgumentValueError(
                    f"shapes {', '.join(map(str, shapes))} do not broadcast: "
                    f"lengths {result[axis]} and {lengths[axis]} along axis {axis}"
                )
            if lengths[axis] != 1:
                result[axis] = lengths[axis]
    return tuple(result)


__all__ = [
    "False_",
    "True_",
    "astype",
    "bool",
    "bool_",
    "broadcast_shapes",
    "byte",
    "can_cast",
    "cdouble",
    "common_type",
    "complex64",
    "complex128",
    "complexfloating",
    "csingle",
    "double",
    "dtype",
    "e",
    "euler_gamma",
    "finfo",
    "float16",
    "float32",
    "float64",
    "floating",
    "generic",
    "half",
    "iinfo",
    "inexact",
    "inf",
    "int8",
    "int16",
    "int32",
    "int64",
    "int_",
    "intc",
    "integer",
    "intp",
    "isdtype",
    "issubdtype",
    "long",
    "longlong",
    "min_scalar_type",
    "nan",
    "newaxis",
    "number",
    "pi",
    "promote_types",
    "result_type",
    "short",
    "signedinteger",
    "single",
    "ubyte",
    "uint",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "uintc",
    "uintp",
    "ulong",
    "ulonglong",
    "unsignedinteger",
    "ushort",
]
