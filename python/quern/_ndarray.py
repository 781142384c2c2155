# SPDX-License-Identifier: MIT
"""Attributes of numpy.ndarray that are implemented in Python: flags, flat, pickles, assignment to several fields."""

from __future__ import annotations

import operator
import os
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ._array import asarray
from ._core import ArgumentIndexError, ArgumentTypeError, ArgumentValueError, Array
from ._functions import empty, resize

_LETTERS = {
    "C": "c_contiguous",
    "CONTIGUOUS": "c_contiguous",
    "F": "f_contiguous",
    "FORTRAN": "f_contiguous",
    "O": "owndata",
    "W": "writeable",
    "A": "aligned",
    "X": "writebackifcopy",
    "B": "behaved",
    "CA": "carray",
    "FA": "farray",
}
_NAMES = ("C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA", "WRITEABLE", "ALIGNED", "WRITEBACKIFCOPY")


class Flags:
    """Memory layout of an array: `flags.c_contiguous` or `flags["C_CONTIGUOUS"]`, as in NumPy.

    A lazy array is evaluated first. Only `writeable` can be set.
    """

    __slots__ = ("_array",)

    def __init__(self, array: Array):
        self._array = array

    @property
    def c_contiguous(self) -> bool:
        """Whether the elements are contiguous in C order."""
        return _is_contiguous(self._array.shape[::-1], self._array.strides[::-1], self._array.itemsize)

    contiguous = c_contiguous

    @property
    def f_contiguous(self) -> bool:
        """Whether the elements are contiguous in Fortran order."""
        return _is_contiguous(self._array.shape, self._array.strides, self._array.itemsize)

    fortran = f_contiguous

    @property
    def owndata(self) -> bool:
        """Whether the array owns its memory; False for a view."""
        return self._array.base is None

    @property
    def writeable(self) -> bool:
        """Whether the elements may be written."""
        return self._array.buffer.access != "r"

    @writeable.setter
    def writeable(self, value: bool) -> None:
        self._array.setflags(write=bool(value))

    @property
    def aligned(self) -> bool:
        """Whether the elements are aligned; always True."""
        return True

    @property
    def writebackifcopy(self) -> bool:
        """Always False; for compatibility with NumPy."""
        return False

    @property
    def fnc(self) -> bool:
        """Whether the array is in Fortran order and not in C order."""
        return self.f_contiguous and not self.c_contiguous

    @property
    def forc(self) -> bool:
        """Whether the array is in Fortran order or in C order."""
        return self.f_contiguous or self.c_contiguous

    @property
    def behaved(self) -> bool:
        """Whether the array is aligned and writeable."""
        return self.writeable

    @property
    def carray(self) -> bool:
        """Whether the array is behaved and in C order."""
        return self.behaved and self.c_contiguous

    @property
    def farray(self) -> bool:
        """Whether the array is behaved, in Fortran order and not in C order."""
        return self.behaved and self.fnc

    @property
    def num(self) -> int:
        """The flags as the bit mask of NumPy's C API."""
        bits = (
            ("c_contiguous", 1),
            ("f_contiguous", 2),
            ("owndata", 4),
            ("aligned", 0x100),
            ("writeable", 0x400),
        )
        return sum(bit for name, bit in bits if getattr(self, name))

    def __getitem__(self, name: str) -> bool:
        return bool(getattr(self, _flag_name(name)))

    def __setitem__(self, name: str, value: bool) -> None:
        found = _flag_name(name)
        if found != "writeable":
            raise ArgumentValueError(
                f"flags: {name} follows from the memory and cannot be set; only WRITEABLE can"
            )
        self.writeable = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Flags) and self.num == other.num

    def __hash__(self) -> int:
        return hash(self.num)

    def __repr__(self) -> str:
        return "\n".join(f"  {name} : {self[name]}" for name in _NAMES)


def _flag_name(name: str) -> str:
    known = _LETTERS.get(name) if isinstance(name, str) else None
    if (
        known is None
        and isinstance(name, str)
        and (name in _NAMES or name in ("FNC", "FORC", "BEHAVED", "CARRAY", "FARRAY"))
    ):
        known = name.lower()
    if known is None:
        raise KeyError(f"Unknown flag {name!r}; flags are {', '.join(_NAMES)}")
    return known


def _is_contiguous(shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> bool:
    if 0 in shape:
        return True
    expected = itemsize
    for length, stride in zip(shape, strides, strict=True):
        if length != 1 and stride != expected:
            return False
        expected *= length
    return True


class FlatIterator:
    """Iterator over the elements of an array in C order, like numpy.flatiter; it can be indexed and assigned to.

    Indexing returns a copy. Assignment writes to the array and repeats the values if there are too few.
    """

    def __init__(self, base: Array):
        self._base = base
        self._index = 0

    @property
    def base(self) -> Array:
        """The array."""
        return self._base

    @property
    def index(self) -> int:
        """Flat index of the next element."""
        return self._index

    @property
    def coords(self) -> tuple[int, ...]:
        """Index of the next element along each axis."""
        return self._place(self._index)

    def copy(self) -> Array:
        """One-dimensional copy of the elements."""
        return self._base.flatten()

    def __len__(self) -> int:
        return self._base.size

    def __iter__(self) -> Iterator[Array]:
        return self

    def __next__(self) -> Array:
        if self._index >= self._base.size:
            raise StopIteration
        element = self._base[self._place(self._index)]
        self._index += 1
        return element

    def __getitem__(self, key: Any) -> Array:
        self._index = 0
        if (at := self._position(key)) is not None:
            return self._base[at]
        return self._base.reshape(-1)[_flat_key(key)].copy()

    def __setitem__(self, key: Any, value: Any) -> None:
        self._index = 0
        if (at := self._position(key)) is not None:
            self._base[at] = value
            return
        key = _flat_key(key)
        line = self._base.reshape(-1)
        if _has_axes(value):
            value = _repeated(self._base, value, line[key].size)
        line[key] = value
        if line.size != 0 and not _shares(line, self._base):
            # The elements have no single stride, so `line` is a copy: write it back.
            self._base[...] = line.reshape(self._base.shape)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if copy is False:
            raise ArgumentValueError("flat: __array__ copies the elements; use copy=None")
        values = self._base.get().reshape(-1)
        return values if dtype is None else values.astype(dtype, copy=False)

    def __eq__(self, other: object) -> Any:
        return self._base.reshape(-1) == other

    def __ne__(self, other: object) -> Any:
        return self._base.reshape(-1) != other

    def __lt__(self, other: Any) -> Any:
        return self._base.reshape(-1) < other

    def __le__(self, other: Any) -> Any:
        return self._base.reshape(-1) <= other

    def __gt__(self, other: Any) -> Any:
        return self._base.reshape(-1) > other

    def __ge__(self, other: Any) -> Any:
        return self._base.reshape(-1) >= other

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<quern.FlatIterator of {self._base!r}>"

    def _position(self, key: Any) -> tuple[int, ...] | None:
        """Index of the element if the key is an integer, otherwise None."""
        if isinstance(key, (bool, np.bool_)) or getattr(key, "ndim", 0) != 0:
            return None
        try:
            at = operator.index(key)
        except TypeError:
            return None
        size = self._base.size
        if not -size <= at < size:
            raise ArgumentIndexError(f"index {at} is out of bounds for size {size}")
        return self._place(at % size)

    def _place(self, at: int) -> tuple[int, ...]:
        place = []
        for length in reversed(self._base.shape):
            at, rest = divmod(at, max(length, 1))
            place.append(rest)
        return tuple(reversed(place))


def _flat_key(key: Any) -> Any:
    if isinstance(key, tuple):
        if len(key) != 1:
            raise ArgumentIndexError(f"flat: one-dimensional, but {len(key)} axes were indexed")
        key = key[0]
    if key is None:
        raise ArgumentIndexError(
            "flat: index must be an integer, a slice or an array of integers or booleans, got None"
        )
    return key


def _has_axes(value: Any) -> bool:
    return isinstance(value, (list, tuple)) or getattr(value, "ndim", 0) != 0


def _repeated(base: Array, value: Any, count: int) -> Array:
    """Repeat or cut the values to `count` elements."""
    is_number = base.dtype.names is None
    values = asarray(value if is_number else np.asarray(value, base.dtype), device=base.device).reshape(-1)
    if values.size == count or count == 0:
        return values[:count]
    if values.size == 0:
        raise ArgumentValueError("flat: cannot assign an empty sequence")
    return values[:count] if values.size > count else resize(values, count)


def _shares(x: Array, y: Array) -> bool:
    return x.base is y or (x.base is not None and x.base is y.base)


def set_unaligned_field(x: Array, dtype: DTypeLike, offset: int, value: Any) -> None:
    """Write a field of each element whose own elements are not aligned, as in packed structures: byte by byte."""
    part = x.getfield(dtype, offset)
    values = empty(part.shape, part.dtype, device=x.device)
    values[...] = value
    own = np.dtype(dtype)
    of_bytes = np.dtype((np.uint8, (*own.shape, part.dtype.itemsize)))
    x.getfield(of_bytes, offset)[...] = values.reshape((*values.shape, 1)).view(np.uint8)


def set_fields(x: Array, names: list[str], value: Any) -> None:
    """Write some fields of each element and nothing between them; values match by position, as in NumPy."""
    fields: Any = x.dtype.fields or {}
    for name in names:
        if name not in fields:
            raise ArgumentValueError(f"the dtype has no field {name!r}; its fields are {x.dtype.names}")
    if isinstance(value, (list, tuple)):
        value = np.asarray(value, x.dtype[names])
    given = value.dtype.names if isinstance(value, (Array, np.ndarray, np.generic)) else None
    if given is not None and len(given) != len(names):
        raise ArgumentValueError(
            f"cannot assign {len(given)} fields to {len(names)} fields: {', '.join(names)}"
        )
    # The value may be a view of x, so copy it before writing.
    values = [value[field] for field in given] if given is not None else [value] * len(names)
    if isinstance(value, Array):
        values = [one.copy() for one in values]
    for name, one in zip(names, values, strict=True):
        x[name] = one


def data_of(x: Array) -> memoryview:
    """Memoryview of the elements."""
    _check_host(x, "data")
    return memoryview(x)  # type: ignore[arg-type]


def ctypes_of(x: Array) -> Any:
    """NumPy's ctypes helper for the same memory."""
    _check_host(x, "ctypes")
    return np.asarray(x).ctypes


def _check_host(x: Array, name: str) -> None:
    if not x.device.shares_host_memory:
        raise AttributeError(
            f"{name}: an array on '{x.device.spec}' is not in host memory; use x.get().{name}"
        )


def dump(x: Array, file: Any) -> None:
    """Pickle the array to a path or an open file."""
    if isinstance(file, (str, bytes, os.PathLike)):
        with open(file, "wb") as target:
            pickle.dump(x, target, protocol=pickle.HIGHEST_PROTOCOL)
    elif hasattr(file, "write"):
        pickle.dump(x, file, protocol=pickle.HIGHEST_PROTOCOL)
    else:
        raise ArgumentTypeError(f"dump: file: expected a path or an open file, got {type(file).__name__}")


def dumps(x: Array) -> bytes:
    """Pickle the array to bytes."""
    return pickle.dumps(x, protocol=pickle.HIGHEST_PROTOCOL)
