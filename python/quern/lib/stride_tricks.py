# SPDX-License-Identifier: MIT
"""numpy.lib.stride_tricks: functions that return strided views. They are rows of the C++ registry."""

from __future__ import annotations

from collections.abc import Callable

from .._core import Array
from .._core import functions as _all
from .._functions import broadcast_arrays, broadcast_to

__all__ = ["broadcast_arrays", "broadcast_to", "sliding_window_view"]

sliding_window_view: Callable[..., Array] = _all["lib.stride_tricks.sliding_window_view"]
