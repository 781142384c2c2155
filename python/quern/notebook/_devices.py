# SPDX-License-Identifier: MIT
"""Devices as HTML."""

from __future__ import annotations

from .._core import Device, current_device
from .._units import size_text
from ._html import card, facts, folded, table


def device_html(device: Device) -> str:
    """The name and limits of a device. Asks the driver for nothing that it does not know yet."""
    kinds = ["float64" if device.has_fp64 else "no float64", "float16" if device.has_fp16 else "no float16"]
    is_current = device == current_device()
    line = facts(
        repr(device.spec),
        device.name,
        f"{device.compute_units} compute units",
        size_text(device.global_memory),
        *kinds,
        "current device" if is_current else "",
    )
    rows = [
        ("backend", device.backend),
        ("kind", device.kind),
        ("vendor", device.vendor),
        ("platform", device.platform),
        ("version", device.version),
        ("driver", device.driver_version),
        ("architecture", device.architecture),
        ("largest allocation", size_text(device.max_allocation)),
        ("local memory of a work-group", size_text(device.local_memory)),
        ("largest work-group", f"{device.max_work_group_size:,} work-items"),
        ("sub-group", f"{device.sub_group_size} work-items"),
        ("atomics of 64 bits", "yes" if device.has_int64_atomics else "no"),
        ("kernels use host memory", "yes" if device.shares_host_memory else "no"),
        ("part of", device.parent.spec if device.parent is not None else ""),
    ]
    return card("Device", line, folded("properties", table((), [row for row in rows if row[1] != ""])))
