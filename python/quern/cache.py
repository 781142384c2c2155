# SPDX-License-Identifier: MIT
"""The disk cache of compiled programs: information, pruning and clearing."""

from __future__ import annotations

from ._core import CacheInfo
from ._core import cache_clear as clear
from ._core import cache_info as info
from ._core import cache_prune as _prune
from ._signatures import ClassSignature

__all__ = ["CacheInfo", "clear", "info", "parse_size", "prune"]

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def parse_size(text: str) -> int:
    """Convert a size such as "500M" to bytes.

    Parameters
    ----------
    text : str
        A number, optionally with the unit K, M, G or T (powers of 1024), such as "500M" or "2GiB".

    Returns
    -------
    int
        Number of bytes.

    Examples
    --------
    >>> qn.cache.parse_size("500M")
    524288000
    """
    number = text.strip().upper().removesuffix("B").removesuffix("I")
    unit = number[-1:] if number[-1:] in "KMGT" else ""
    try:
        return int(float(number.removesuffix(unit)) * _UNITS[unit])
    except ValueError:
        raise ValueError(f"invalid size {text!r}; write it as 1000000, 500M or 2G") from None


def prune(size: int | str | None = None) -> int:
    """Remove the least recently used entries until the cache is below a size.

    Parameters
    ----------
    size : int or str, optional
        Size in bytes, or as a text such as "500M"; the limit of the cache by default.

    Returns
    -------
    int
        Number of removed entries.

    Examples
    --------
    >>> qn.cache.prune("1T")
    0
    """
    if size is None:
        size = info().limit
    return _prune(parse_size(size) if isinstance(size, str) else size)


CacheInfo.__module__ = "quern.cache"
CacheInfo.__signature__ = ClassSignature()  # type: ignore[attr-defined]
