# SPDX-License-Identifier: MIT
"""The tables (Markdown) and the bars (SVG) of the ladders."""

import html
import math
import re


def duration(seconds):
    """Three digits and a unit."""
    for unit, scale in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if seconds * scale >= 1:
            return (
                f"{seconds * scale:.3g} {unit}"
                if seconds * scale < 1000
                else f"{seconds * scale:,.0f} {unit}"
            )
    return f"{seconds * 1e9:.3g} ns"


def table(ladder, rows, size, machine, note=""):
    """The rungs with their times and how many times as fast as the first one they are."""
    measured = [row for row in rows if row.missing is None]
    first = measured[0].seconds if measured else 1.0
    lines = ["| rung | time | median | first run | speed-up | result |", "|---|---|---|---|---|---|"]
    for row in measured:
        scaled = f" (from size {row.measured_size:,})" if row.measured_size != size else ""
        right = "right" if row.is_right else f"WRONG by {row.difference:.1e}"
        lines.append(
            f"| {row.name} | {duration(row.seconds)}{scaled} | {duration(row.median)} | {duration(row.first)} "
            f"| {speed_up(first / row.seconds)} | {right} |"
        )
    missing = [f"{row.name} ({row.missing})" for row in rows if row.missing is not None]
    cores = f"{machine['processor']}, {machine['cores']} cores"
    where = ", ".join([cores, *machine["devices"]])
    lines += [
        "",
        f"Size {size:,}. {where}; {machine['date']}, commit {machine['commit'] or 'unknown'}. {note}".rstrip(),
    ]
    if missing:
        lines += ["", f"Not measured: {'; '.join(missing)}."]
    if ladder.figures:
        lines += ["", ladder.figures.strip()]
    return "\n".join(lines) + "\n"


def speed_up(ratio):
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.2g}"


def put(page, name, text):
    """Replaces what stands between the marks of a ladder on a page."""
    marks = f"<!-- ladder {name} -->", f"<!-- end of {name} -->"
    content = page.read_text()
    pattern = re.compile(re.escape(marks[0]) + ".*?" + re.escape(marks[1]), re.DOTALL)
    if len(pattern.findall(content)) != 1:
        raise SystemExit(f"{page} has no place for {name}: it needs the lines {marks[0]} and {marks[1]}")
    page.write_text(pattern.sub(lambda match: f"{marks[0]}\n{text}{marks[1]}", content))


STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #24292f; }
  .title { font-size: 15px; font-weight: 600; }
  .faint { fill: #6e7781; }
  .grid { stroke: #d0d7de; stroke-width: 1; }
  .other { fill: #8c959f; }
  .quern { fill: #0969da; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .faint { fill: #9198a1; }
    .grid { stroke: #3d444d; }
    .other { fill: #6e7681; }
    .quern { fill: #4493f8; }
  }
"""
LABELS, BARS, VALUES, ROW = 190, 430, 90, 24  # widths of the columns, and the height of a row


def bars(title, rows):
    """A bar for each rung, on a scale of powers of ten; the background is the page's, light or dark."""
    rows = [row for row in rows if row.missing is None]
    low = math.floor(min(math.log10(row.seconds) for row in rows)) if rows else -3
    high = max(math.ceil(max(math.log10(row.seconds) for row in rows)), low + 1) if rows else 0
    width, height = LABELS + BARS + VALUES, 64 + ROW * len(rows)

    def across(exponent):
        return LABELS + BARS * (exponent - low) / (high - low)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{html.escape(title)}">',
        f"<style>{STYLE}</style>",
        f'<text class="title" x="8" y="20">{html.escape(title)}</text>',
    ]
    for exponent in range(low, high + 1):
        x = across(exponent)
        parts.append(f'<line class="grid" x1="{x:.1f}" y1="32" x2="{x:.1f}" y2="{height - 24}"/>')
        label = duration(10.0**exponent * 1.0000001)
        parts.append(f'<text class="faint" x="{x:.1f}" y="{height - 8}" text-anchor="middle">{label}</text>')
    for number, row in enumerate(rows):
        y = 36 + ROW * number
        end = max(across(math.log10(row.seconds)), LABELS + 2)
        kind = "quern" if row.is_quern else "other"
        parts.append(f'<text x="{LABELS - 8}" y="{y + 14}" text-anchor="end">{html.escape(row.name)}</text>')
        parts.append(
            f'<rect class="{kind}" x="{LABELS}" y="{y}" width="{end - LABELS:.1f}" height="{ROW - 6}" rx="2"/>'
        )
        parts.append(f'<text x="{end + 6:.1f}" y="{y + 14}">{duration(row.seconds)}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"
