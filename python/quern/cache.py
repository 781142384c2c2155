# SPDX-License-Identifier: MIT
"""The disk cache of compiled programs: information, pruning and clearing."""

from __future__ import annotations

from ._core import CacheInfo
from ._core import cache_clear as clear
from ._core import cache_info as info
from ._core import cache_prune as _prune

__all__ = ["CacheInfo", "clear", "info", "parse_size", "prune"]

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def parse_size(text: str) -> int:
    """Number of bytes from a text such as "500M"."""
    number = text.strip().upper().removesuffix("B").removesuffix("I")
    unit = number[-1:] if number[-1:] in "KMGT" else ""
    try:
        return int(float(number.removesuffix(unit)) * _UNITS[unit])
    except ValueError:
        raise ValueError(f"invalid size {text!r}; write it as 1000000, 500M or 2G") from None


def prune(size: int | str | None = None) -> int:
    """Remove the least recently used entries until the cache is below `size` (by default its limit); returns their number."""
    if size is None:
        size = info().limit
    return _prune(parse_size(size) if isinstance(size, str) else size)
