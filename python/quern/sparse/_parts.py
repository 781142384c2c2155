# SPDX-License-Identifier: MIT
"""What the formats share that keep the arrays they are given: coordinates, blocks and diagonals."""

from __future__ import annotations

from typing import Any

from .._bfloat16 import is_bfloat16
from .._core import ArgumentValueError, Array
from ._base import SparseArray
from ._entries import as_sparse
from ._foreign import is_scipy
from ._index import device_of, indices_of, is_coordinates, is_shape, is_shared, shape_of, values_of


class PartsArray(SparseArray):
    """A sparse array that consists of `_parts`: values and indices."""

    _parts: tuple[Array, ...]

    # Each format defines these.
    @staticmethod
    def _own(given: Any) -> tuple[Any, ...] | None:
        """Values and indices of an argument in this format, of Quern's parts or SciPy's array; None of others."""
        raise NotImplementedError

    def _check(self, wanted: tuple[int, int] | None, parts: tuple[Array, ...]) -> None:
        """Set shape and parts, or raise ArgumentError."""
        raise NotImplementedError

    def _converted(self, given: Any) -> Any:
        """A sparse array in this format."""
        return given.asformat(self.format)

    def _make(self, given: Any, wanted: tuple[int, int] | None, dtype: Any, copy: bool, device: Any) -> None:
        own = self._own(given)
        if own is not None:
            if is_scipy(given):
                wanted = wanted or shape_of(given.shape)
            device = device_of(device, *own)
            values = values_of(own[0], dtype, device, copy)
            if values.dtype == "float16" or is_bfloat16(values.dtype):
                values = values.astype("float32")
            self._is_exposed = is_shared(own[0], copy)
            self._check(wanted, (values, *(indices_of(part, device) for part in own[1:])))
        else:
            if is_shape(given):
                wanted = shape_of(given)
            if isinstance(given, SparseArray) and device is not None:
                given = given.to_device(device)
            made = self._converted(as_sparse(_entries(given, wanted, dtype, device), device))
            self._shape, self._parts = made._shape, made._parts
            self._sharing(made)
            if dtype is not None or copy:
                self._exposure = [False]
                values = self._parts[0]
                self._parts = (values.astype(dtype or values.dtype).copy(), *self._parts[1:])

    @classmethod
    def _of_parts(cls, shape: tuple[int, int], parts: tuple[Array, ...]) -> Any:
        result = cls.__new__(cls)
        result._is_exposed, result._kept = False, None
        result._shape, result._parts = shape, parts
        return result

    def _arrays(self) -> tuple[Array, ...]:
        return self._parts

    @classmethod
    def _of_arrays(cls, shape: tuple[int, int], arrays: tuple[Array, ...]) -> Any:
        return cls._of_parts(shape, arrays)

    def _values(self) -> Array:
        return self._parts[0]

    def _with_values(self, values: Array) -> Any:
        if values.shape != self._parts[0].shape:
            raise ArgumentValueError(f"expected values of shape {self._parts[0].shape}, got {values.shape}")
        return self._of_parts(self._shape, (values, *self._parts[1:]))


def _entries(given: Any, shape: Any, dtype: Any, device: Any) -> Any:
    """What a format makes of arguments that are not its own."""
    from ._compressed import csr_array
    from ._coo import coo_array

    if is_coordinates(given):
        return coo_array(given, shape, dtype, device=device)
    return csr_array(given, dtype=dtype, device=device) if is_shape(given) else given
