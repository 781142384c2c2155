# SPDX-License-Identifier: MIT
"""Linear algebra: numpy.linalg, the array API's linalg extension, and the functions of scipy.linalg that are most used.

They are rows of the registry in C++; the build writes their stubs next to this file."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._core import functions as _all
from ._operands import LinAlgError as LinAlgError

_names = sorted(name.removeprefix("linalg.") for name in _all if name.startswith("linalg."))
globals().update({name: _all[f"linalg.{name}"] for name in _names})

__all__ = sorted([*_names, "LinAlgError"])


def __getattr__(name: str) -> Any:
    text = f"module 'quern.linalg' has no attribute {name!r}"
    if name in np.linalg.__all__:
        text += f"; x.get() is a NumPy array, which numpy.linalg.{name} takes"
    raise AttributeError(text)
