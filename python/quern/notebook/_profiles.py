# SPDX-License-Identifier: MIT
"""Profiles as HTML: the lanes as a picture, and the table folded below it."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from .._units import size_text, time_text
from ._html import card, facts, folded, place, table

if TYPE_CHECKING:
    from .._profile import Profile

_MOST_ROWS = 30


def profile_html(profile: Profile, width: int = 900, by: str = "name", is_open: bool = False) -> str:
    """The picture, and the rows of the table with the lines of cells as notebooks number them."""
    rows = profile.rows(by)
    records = profile.records
    timed = [record.times for record in records if record.times is not None]
    whole = max((t.ended for t in timed), default=0) - min((t.started for t in timed), default=0)
    line = facts(
        f"{len(records)} records",
        time_text(whole * 1e-9) if timed else "",
        f"{profile.at_once} small computations without a record" if profile.at_once else "",
        f"{profile.dropped} dropped" if profile.dropped else "",
    )
    shown = [
        (
            row.name,
            row.kind,
            row.device,
            row.count,
            time_text(row.total),
            time_text(row.mean),
            f"{100 * row.share:.0f}%",
            size_text(row.bytes) if row.bytes else "",
            f"{row.bytes_per_second / 1e9:.3g} GB/s" if row.bytes_per_second else "",
            f"{100 * row.fraction_of_limit:.0f}%" if row.fraction_of_limit else "",
            place(row.line),
        )
        for row in rows[:_MOST_ROWS]
    ]
    head = ("name", "kind", "device", "count", "total", "mean", "share", "bytes", "rate", "of limit", "line")
    below = folded("table", table(head, shown, numbers=range(3, 10)), is_open)
    if len(rows) > _MOST_ROWS:
        below += f"<div>{facts(f'and {len(rows) - _MOST_ROWS} more rows: print(p.table())')}</div>"
    svg = profile.plot(width=width).svg
    for at in {record.line for record in records if record.line}:
        svg = svg.replace(escape(at), escape(place(at)))
    return card("Profile", line, _fitting(svg), below)


def _fitting(svg: str) -> str:
    """The picture in the flow of the page, not wider than the notebook."""
    return svg.replace("<svg ", '<svg style="max-width:100%;height:auto;display:block" ', 1)
