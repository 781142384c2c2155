# SPDX-License-Identifier: MIT
"""Texts of the command line that describe arrays: dtypes, shapes, sizes."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ._output import CommandError


def dtype_of(text: str, argument: str) -> np.dtype[Any]:
    """A dtype by NumPy's name."""
    try:
        return np.dtype(text)
    except TypeError:
        raise CommandError(
            f"{argument}: '{text}' is not a dtype; such as float32, int32, complex64"
        ) from None


def shape_of(text: str, argument: str) -> tuple[int, ...]:
    """A shape: 1000, 480x640 or 480,640."""
    parts = re.split("[x,]", text)
    if not all(re.fullmatch("[0-9][0-9_]*", part) for part in parts):
        raise CommandError(f"{argument}: '{text}' is not a shape; such as 1000, 480x640 or 480,640")
    return tuple(int(part) for part in parts)
