# SPDX-License-Identifier: MIT
"""Times of a call as HTML: median, minimum and spread on host and device, and every call as a mark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._units import time_text
from ._html import card, facts, table

if TYPE_CHECKING:
    from ..bench import BenchmarkResult, Spread

_WIDTH, _LANE = 520, 22


def times_html(result: BenchmarkResult) -> str:
    """The same figures as repr(), and the distribution."""
    found = [("host", result.host)] + ([("device", result.kernels)] if result.kernels is not None else [])
    rows = [
        (
            label,
            time_text(spread.median),
            time_text(spread.minimum),
            time_text(max(spread.values)),
            f"{100 * spread.spread:.0f}%",
        )
        for label, spread in found
    ]
    line = facts(
        result.name,
        f"on {result.device.spec}",
        f"{len(result.host.values)} calls",
        f"{result.bandwidth / 1e9:.4g} GB/s, {result.fraction_of_peak or 0:.2f} of the device's copy"
        if result.bandwidth is not None
        else "",
        f"{result.flop_rate / 1e9:.4g} GFLOP/s" if result.flop_rate is not None else "",
    )
    head = ("", "median", "minimum", "maximum", "spread")
    return card("BenchmarkResult", line, table(head, rows, numbers=range(1, 5)), _strip(found))


def _strip(found: list[tuple[str, Spread]]) -> str:
    """A mark for each call, on one axis from 0; the longest times may be outliers, so the axis ends at four medians."""
    end = 1.05 * min(
        max(max(spread.values) for _, spread in found), 4 * max(spread.median for _, spread in found)
    )
    if end <= 0:
        return ""
    height = _LANE * len(found) + 16
    parts = []
    for number, (label, spread) in enumerate(found):
        y = _LANE * number
        parts.append(f'<text x="0" y="{y + 15}" fill="#808080">{label}</text>')
        for value in spread.values:
            x = 60 + (_WIDTH - 70) * min(value / end, 1.0)
            parts.append(
                f'<rect x="{x:.1f}" y="{y + 3}" width="2" height="{_LANE - 6}" fill="#4a86c8" fill-opacity="0.75"/>'
            )
        x = 60 + (_WIDTH - 70) * min(spread.median / end, 1.0)
        parts.append(f'<rect x="{x:.1f}" y="{y + 1}" width="2" height="{_LANE - 2}" fill="#d1603d"/>')
    bottom = _LANE * len(found)
    parts.append(f'<rect x="60" y="{bottom}" width="{_WIDTH - 70}" height="1" fill="#808080"/>')
    for share in (0.0, 0.5, 1.0):
        x = 60 + (_WIDTH - 70) * share
        anchor = {0.0: "start", 0.5: "middle", 1.0: "end"}[share]
        parts.append(
            f'<text x="{x:.0f}" y="{bottom + 13}" text-anchor="{anchor}" fill="#808080">{time_text(end * share) if share else 0}</text>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" font-family="sans-serif" '
        f'font-size="11">{"".join(parts)}</svg>'
    )
