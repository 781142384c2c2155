# SPDX-License-Identifier: MIT
"""The report of a measurement: one HTML file with drawings in SVG, which needs nothing else."""

from __future__ import annotations

import math
from html import escape
from typing import Any

from ..._units import time_text
from ._report import rate_text, share_text

_STYLE = """
:root { color-scheme: light dark; --text: #1b1f24; --quiet: #667079; --back: #ffffff; --panel: #f4f6f8; --line: #d5dbe1;
  --own: #2563c9; --peer: #9aa7b4; --good: #1a7f4b; --bad: #c0392b; --roof: #d97706; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e9ec; --quiet: #9aa4ae; --back: #14181d; --panel: #1d232a;
  --line: #39424c; --own: #6ea8fe; --peer: #66727f; --good: #56c98a; --bad: #ff7b6b; --roof: #f0a94a; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--back); margin: 2rem auto;
  max-width: 70rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
p, figcaption { color: var(--quiet); } figure { margin: 0; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { white-space: nowrap; text-align: right; padding: .25rem .6rem; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child, th:nth-child(2), td:nth-child(2) { text-align: left; }
.good { color: var(--good); } .bad { color: var(--bad); }
svg { background: var(--panel); border-radius: 6px; max-width: 100%; height: auto; }
svg text { fill: var(--text); font: 12px system-ui, sans-serif; } svg .quiet { fill: var(--quiet); }
svg .own { fill: var(--own); } svg .peer { fill: var(--peer); } svg .grid { stroke: var(--line); }
svg .roof { stroke: var(--roof); fill: none; stroke-width: 2; } svg .limit { stroke: var(--roof); stroke-width: 2; }
"""

_WIDTH = 860


def page(result: dict[str, Any]) -> str:
    """The report as a page."""
    device, rows = result["device"], result["rows"]
    parts = [
        f"<h1>{escape(device['name'])}</h1>",
        f"<p>'{escape(device['spec'])}', {escape(device['platform'])}, driver {escape(device['driver_version'])}; Quern "
        f"{escape(result['quern'])}; {escape(result['time'])}; arrays of size {escape(result['size'])}</p>",
        "<h2>Results</h2>",
        _table(rows),
    ]
    if rates := [row for row in rows if row["share"]]:
        parts += [
            "<h2>Share of the device's limit</h2>",
            f"<figure>{_shares(rates)}<figcaption>The line is what the device can do: {_limits(result)}. Data that fits "
            "into caches may pass it.</figcaption></figure>",
        ]
    if compared := [row for row in rows if row["peers"]]:
        parts += [
            "<h2>Beside other libraries</h2>",
            f"<figure>{_bars(compared)}<figcaption>Shortest times, all measured in turns in one run; shorter is faster. "
            "Each group has a scale of its own.</figcaption></figure>",
        ]
    if any(row["flops_per_byte"] for row in rows) and result["limits"].get("flop_rate"):
        parts += [
            "<h2>Roofline</h2>",
            f"<figure>{_roofline(result)}<figcaption>Operations per second over operations per byte of memory traffic. "
            "The line is the most that the copy bandwidth and the multiply-adds allow.</figcaption></figure>",
        ]
    if "comparison" in result:
        parts += ["<h2>Compared with an older run</h2>", _comparison(result["comparison"])]
    if result["failed"]:
        items = "".join(
            f'<li class="bad">{escape(one["name"])}: {escape(one["why"])}</li>' for one in result["failed"]
        )
        parts += ["<h2>Failed</h2>", f"<ul>{items}</ul>"]
    if result["skipped"]:
        items = "".join(f"<li>{escape(one['what'])}: {escape(one['why'])}</li>" for one in result["skipped"])
        parts += ["<h2>Skipped</h2>", f"<ul>{items}</ul>"]
    body = "\n".join(parts)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
        f"<title>quern bench: {escape(device['name'])}</title>\n<style>{_STYLE}</style>\n</head>\n"
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def _limits(result: dict[str, Any]) -> str:
    limits = result["limits"]
    words = (
        ("copy_bandwidth", "B", "copied"),
        ("transfer", "B", "from pinned memory"),
        ("flop_rate", "FLOP", ""),
    )
    return ", ".join(
        f"{rate_text(limits[name], unit)} {what}".strip() for name, unit, what in words if limits.get(name)
    )


def _table(rows: list[dict[str, Any]]) -> str:
    peers = list(dict.fromkeys(peer["name"] for row in rows for peer in row["peers"]))
    head = "".join(
        f"<th>{escape(name)}</th>" for name in ("", "", "minimum", "median", "rate", "of limit", *peers)
    )
    lines = []
    for row in rows:
        cells = [
            escape(row["name"]),
            escape(row["title"]),
            time_text(row["minimum_s"]),
            time_text(row["median_s"]),
            rate_text(row["rate"], row["unit"]),
            share_text(row),
        ]
        ratios = {peer["name"]: peer["ratio"] for peer in row["peers"]}
        body = "".join(f"<td>{cell}</td>" for cell in cells)
        for name in peers:
            ratio = ratios.get(name)
            kind = "" if ratio is None else ' class="good"' if ratio >= 1 else ' class="bad"'
            body += f"<td{kind}>{'' if ratio is None else f'{ratio:.2f}x'}</td>"
        lines.append(f"<tr>{body}</tr>")
    return f"<figure><table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table></figure>"


def _comparison(compared: dict[str, Any]) -> str:
    lines = []
    for row in compared["rows"]:
        kind = {"slower": ' class="bad"', "faster": ' class="good"'}.get(row["verdict"], "")
        cells = [
            escape(row["name"]),
            "",
            "" if row["old_s"] is None else time_text(row["old_s"]),
            time_text(row["new_s"]),
            "" if row["ratio"] is None else f"{row['ratio']:.2f}",
        ]
        body = "".join(f"<td>{cell}</td>" for cell in cells)
        lines.append(f"<tr>{body}<td{kind}>{escape(row['verdict'])}</td></tr>")
    head = "".join(f"<th>{name}</th>" for name in ("", "", "old", "new", "new/old", ""))
    return (
        f"<p>Old run: {escape(str(compared['old_time']))}, {escape(compared['old_device'])}.</p>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
    )


def _svg(height: float, body: str, label: str) -> str:
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height:g}" width="{_WIDTH}" role="img" aria-label="{escape(label)}">'
        f"{body}</svg>"
    )


def _text(x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> str:
    style = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{style}>{escape(text)}</text>'


def _bar(x: float, y: float, width: float, height: float, kind: str) -> str:
    return f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{max(1.0, width):.1f}" height="{height:g}" rx="2"/>'


def _shares(rows: list[dict[str, Any]]) -> str:
    left, right = 110, _WIDTH - 190
    most = max(1.1, *(row["share"] for row in rows))
    scale = (right - left) / most
    height = 24 * len(rows) + 24
    parts = []
    for number, row in enumerate(rows):
        y = 12 + 24 * number
        parts.append(_text(left - 8, y + 13, row["name"], anchor="end"))
        parts.append(_bar(left, y + 2, row["share"] * scale, 15, "own"))
        parts.append(
            _text(
                right + 12,
                y + 14,
                f"{share_text(row)}, {rate_text(row['rate'], row['unit'])}",
                "quiet",
            )
        )
    x = left + scale
    parts.append(f'<line class="limit" x1="{x:.1f}" y1="8" x2="{x:.1f}" y2="{height - 12:g}"/>')
    return _svg(height, "".join(parts), "share of the device's limit")


def _bars(rows: list[dict[str, Any]]) -> str:
    left, right = 110, _WIDTH - 190
    y = 12.0
    parts = []
    for row in rows:
        contestants = [("Quern", row["minimum_s"], "own")]
        contestants += [(peer["name"], peer["minimum_s"], "peer") for peer in row["peers"]]
        longest = max(seconds for _, seconds, _ in contestants)
        parts.append(_text(16, y + 12, row["title"]))
        y += 18
        for name, seconds, kind in contestants:
            width = (right - left) * seconds / longest
            parts.append(_text(left - 8, y + 12, name, "quiet", "end"))
            parts.append(_bar(left, y + 1, width, 13, kind))
            times = "" if kind == "own" else f" ({seconds / row['minimum_s']:.2f}x)"
            parts.append(_text(left + width + 8, y + 12, time_text(seconds) + times, "quiet"))
            y += 17
        y += 10
    return _svg(y, "".join(parts), "times beside other libraries")


def _roofline(result: dict[str, Any]) -> str:
    bandwidth, peak = result["limits"]["copy_bandwidth"], result["limits"]["flop_rate"]
    points = [
        (
            row["flops_per_byte"],
            row["rate"] * (row["flops_per_byte"] if row["unit"] == "B" else 1),
            row["name"],
        )
        for row in result["rows"]
        if row["flops_per_byte"] and row["rate"]
    ]
    ridge = peak / bandwidth
    low_x = math.floor(math.log10(min([*(x for x, _, _ in points), ridge]) / 1.5))
    high_x = math.ceil(math.log10(max([*(x for x, _, _ in points), ridge]) * 1.5))
    low_y = math.floor(math.log10(min([*(y for _, y, _ in points), bandwidth * 10.0**low_x])))
    high_y = math.ceil(math.log10(max([*(y for _, y, _ in points), peak]) * 1.1))
    left, right, top, bottom = 90, _WIDTH - 30, 20, 340

    def at_x(value: float) -> float:
        return left + (right - left) * (math.log10(value) - low_x) / (high_x - low_x)

    def at_y(value: float) -> float:
        return bottom - (bottom - top) * (math.log10(value) - low_y) / (high_y - low_y)

    parts = []
    for power in range(low_x, high_x + 1):
        x = at_x(10.0**power)
        parts.append(f'<line class="grid" x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{bottom}"/>')
        parts.append(_text(x, bottom + 18, f"{10.0**power:g}", "quiet", "middle"))
    for power in range(low_y, high_y + 1):
        y = at_y(10.0**power)
        parts.append(f'<line class="grid" x1="{left}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}"/>')
        parts.append(_text(left - 8, y + 4, rate_text(10.0**power, "FLOP"), "quiet", "end"))
    start, end = 10.0**low_x, 10.0**high_x
    corners = [(start, bandwidth * start), (ridge, peak), (end, peak)]
    path = " ".join(f"{at_x(x):.1f},{at_y(y):.1f}" for x, y in corners)
    parts.append(f'<polyline class="roof" points="{path}"/>')
    parts.append(_text(right, at_y(peak) - 6, rate_text(peak, "FLOP"), "quiet", "end"))
    for x, y, name in points:
        parts.append(f'<circle class="own" cx="{at_x(x):.1f}" cy="{at_y(y):.1f}" r="5"/>')
        parts.append(_text(at_x(x) + 9, at_y(y) + 4, name))
    parts.append(_text((left + right) / 2, bottom + 38, "operations per byte", "quiet", "middle"))
    return _svg(bottom + 50, "".join(parts), "roofline")
