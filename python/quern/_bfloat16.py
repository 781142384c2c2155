# SPDX-License-Identifier: MIT
"""The dtype bfloat16, which is that of the package ml_dtypes. The package is imported when the dtype is first used."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._core import ArgumentTypeError


def __getattr__(name: str) -> Any:
    if name != "bfloat16":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return bfloat16_type()
    except ArgumentTypeError as error:
        raise AttributeError(str(error)) from None


def bfloat16_type() -> Any:
    """Return the scalar type ml_dtypes.bfloat16."""
    try:
        from ml_dtypes import bfloat16
    except ImportError:
        raise ArgumentTypeError(
            "bfloat16: NumPy has no such dtype; Quern uses that of the package ml_dtypes: pip install ml_dtypes"
        ) from None
    return bfloat16


def is_bfloat16(dtype: np.dtype[Any]) -> bool:
    """Whether a dtype is bfloat16, which has no kind letter of its own."""
    return dtype.kind == "V" and dtype.name == "bfloat16"


def as_dtype(like: Any) -> np.dtype[Any]:
    """Return numpy.dtype(like). NumPy knows the name bfloat16 only after ml_dtypes was imported."""
    result: np.dtype[Any] = np.dtype(
        bfloat16_type() if isinstance(like, str) and like == "bfloat16" else like
    )
    return result
