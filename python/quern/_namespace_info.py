# SPDX-License-Identifier: MIT
"""Inspection API of the array API standard."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._core import Device
from ._dtypes import names_of_kind

API_VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")


class NamespaceInfo:
    """Inspection of the array namespace: devices, dtypes and capabilities."""

    def capabilities(self) -> dict[str, Any]:
        """Optional features of the array API standard that are supported."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> Device:
        """The current default device."""
        return _core.current_device()

    def devices(self) -> tuple[Device, ...]:
        """All available devices."""
        return tuple(_core.devices())

    def default_dtypes(self, *, device: Device | str | None = None) -> dict[str, np.dtype[Any]]:
        """Default dtypes on a device."""
        double = _core.device(device).has_fp64
        return {
            "real floating": np.dtype(np.float64 if double else np.float32),
            "complex floating": np.dtype(np.complex128 if double else np.complex64),
            "integral": np.dtype(np.int64),
            "indexing": np.dtype(np.int64),
        }

    def dtypes(
        self, *, device: Device | str | None = None, kind: str | tuple[str, ...] | None = None
    ) -> dict[str, np.dtype[Any]]:
        """Dtypes of the standard that a device supports, optionally of some kinds only."""
        kinds = ("bool", "numeric") if kind is None else (kind,) if isinstance(kind, str) else kind
        double = _core.device(device).has_fp64
        return {
            name: np.dtype(name)
            for one in kinds
            for name in names_of_kind(one)
            if double or name not in ("float64", "complex128")
        }


def __array_namespace_info__() -> NamespaceInfo:
    """Inspect the array API namespace.

    Returns
    -------
    NamespaceInfo
        Object with the methods `capabilities`, `devices`, `dtypes`, `default_device` and `default_dtypes`.

    Examples
    --------
    >>> qn.__array_namespace_info__().capabilities()["boolean indexing"]
    True
    """
    return NamespaceInfo()
