# SPDX-License-Identifier: MIT
"""Times and sizes as short texts."""

from __future__ import annotations


def time_text(seconds: float) -> str:
    """A time, such as "1.5 ms"."""
    for factor, unit in ((1e9, "ns"), (1e6, "us"), (1e3, "ms")):
        if seconds * factor < 999.95:
            return f"{seconds * factor:.4g} {unit}"
    return f"{seconds:.4g} s"


def size_text(nbytes: int) -> str:
    """A number of bytes, such as "1.5 MiB"."""
    size, unit = float(nbytes), "B"
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if size < 1024 or unit == "TiB":
            break
        size /= 1024
    return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
