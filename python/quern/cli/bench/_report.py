# SPDX-License-Identifier: MIT
"""The results of a measurement in the terminal, and beside older ones."""

from __future__ import annotations

from typing import Any

from ..._units import time_text
from .._output import Output


def rate_text(rate: float | None, unit: str | None) -> str:
    """A rate in words; empty if there is none."""
    if not rate:
        return ""
    name = "B/s" if unit == "B" else "FLOP/s"
    for factor, prefix in ((1e12, "T"), (1e9, "G"), (1e6, "M")):
        if rate >= factor:
            return f"{rate / factor:.3g} {prefix}{name}"
    return f"{rate:.3g} {name}"


def share_text(row: dict[str, Any]) -> str:
    """The share of the device's limit; empty if it is unknown."""
    return f"{100 * row['share']:.0f} %" if row["share"] else ""


def print_results(out: Output, result: dict[str, Any]) -> None:
    """Prints the table of a measurement."""
    device, limits = result["device"], result["limits"]
    out.line(f"{out.paint(device['spec'], 'bold')}: {device['name']}, driver {device['driver_version']}")
    parts = [
        f"{rate_text(limits[name], unit)} {words}"
        for name, unit, words in (
            ("copy_bandwidth", "B", "copy bandwidth"),
            ("transfer", "B", "from pinned memory"),
            ("flop_rate", "FLOP", "float32 multiply-adds"),
        )
        if limits.get(name)
    ]
    if parts:
        out.line(f"limits: {', '.join(parts)}")
    names = list(dict.fromkeys(peer["name"] for row in result["rows"] for peer in row["peers"]))
    table = []
    for row in result["rows"]:
        ratios = {peer["name"]: peer["ratio"] for peer in row["peers"]}
        table.append(
            [
                row["name"],
                row["title"],
                time_text(row["minimum_s"]),
                rate_text(row["rate"], row["unit"]),
                _colored_share(out, row),
                *(_colored_ratio(out, ratios.get(name)) for name in names),
            ]
        )
    if table:
        out.table(["", "", "minimum", "rate", "of limit", *names], table, left=2)
    if names:
        out.line(out.paint("behind a library: its shortest time over Quern's", "dim"))
    for one in result["failed"]:
        out.mark("!!", f"{one['name']}: {one['why']}")
    for one in result["skipped"]:
        out.line(out.paint(f"skipped: {one['what']}: {one['why']}", "dim"))


def _colored_share(out: Output, row: dict[str, Any]) -> str:
    text = share_text(row)
    return out.paint(text, "green" if row["share"] >= 0.7 else "yellow") if text else ""


def _colored_ratio(out: Output, ratio: float | None) -> str:
    if ratio is None:
        return "-"
    return out.paint(f"{ratio:.2f}x", "green" if ratio >= 1 else "red")


def comparison(old: dict[str, Any], new: dict[str, Any], tolerance: float) -> dict[str, Any]:
    """Each row of both beside the other. Rows of other sizes are not comparable."""
    before = {row["name"]: row for row in old["rows"]}
    rows = []
    for row in new["rows"]:
        one = before.pop(row["name"], None)
        if one is None or (one["title"], one["amount"]) != (row["title"], row["amount"]):
            rows.append(
                {
                    "name": row["name"],
                    "old_s": None,
                    "new_s": row["minimum_s"],
                    "ratio": None,
                    "verdict": "new",
                }
            )
            continue
        ratio = row["minimum_s"] / one["minimum_s"]
        verdict = "slower" if ratio > 1 + tolerance else "faster" if ratio < 1 / (1 + tolerance) else "same"
        rows.append(
            {
                "name": row["name"],
                "old_s": one["minimum_s"],
                "new_s": row["minimum_s"],
                "ratio": ratio,
                "verdict": verdict,
            }
        )
    return {
        "tolerance": tolerance,
        "old_time": old.get("time"),
        "old_device": old["device"]["name"],
        "same_device": old["device"]["name"] == new["device"]["name"]
        and old["device"]["backend"] == new["device"]["backend"],
        "missing": list(before),
        "rows": rows,
    }


def print_comparison(out: Output, compared: dict[str, Any]) -> None:
    """Prints which rows are slower or faster than before."""
    out.line()
    out.line(f"{out.paint('compared', 'bold')} with {compared['old_time']}")
    if not compared["same_device"]:
        out.line(f"{out.paint('another device', 'yellow')}: {compared['old_device']}")
    colors = {"slower": "red", "faster": "green", "same": "dim", "new": "dim"}
    table = [
        [
            row["name"],
            "" if row["old_s"] is None else time_text(row["old_s"]),
            time_text(row["new_s"]),
            "" if row["ratio"] is None else f"{row['ratio']:.2f}",
            out.paint(row["verdict"], colors[row["verdict"]]),
        ]
        for row in compared["rows"]
    ]
    if table:
        out.table(["", "old", "new", "new/old", ""], table)
    if compared["missing"]:
        out.line(f"not measured now: {', '.join(compared['missing'])}")
