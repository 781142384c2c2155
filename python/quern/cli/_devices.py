# SPDX-License-Identifier: MIT
"""quern devices: the devices, the libraries found for them, and why a backend has none."""

from __future__ import annotations

import argparse
from typing import Any

from .. import _core
from .._core import BackendReport, Device
from . import add_output_arguments
from ._output import Output, bytes_text

DESCRIPTION = "Lists the devices of each backend. For a backend without devices it lists what was tried and how that failed."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--verbose", action="store_true", help="print all properties that the driver reports")
    add_output_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Runs the command."""
    out = Output(options)
    problem = None
    try:
        default: Device | None = _core.default_device()
    except _core.Error as error:
        default, problem = None, str(error)
        out.line(f"no default device: {error}\n")
    reports = _core.backend_reports()
    for report in reports:
        for device in report.devices:
            _print_device(out, device, device == default, options.verbose)
        if report.devices:
            for library in _core.find_libraries():
                if library.backend == report.backend and library.path:
                    out.line(f"  {library.name} {library.version}: {library.path}")
        else:
            out.line(f"{out.paint(report.backend, 'bold')}: no device")
            print_attempts(out, report)
    out.result(
        {
            "default": default.spec if default is not None else None,
            "problem": problem,
            "backends": [_facts(report, options.verbose) for report in reports],
        }
    )
    return 0


def _print_device(out: Output, device: Device, is_default: bool, verbose: bool) -> None:
    precisions = [name for name, there in (("fp64", device.has_fp64), ("fp16", device.has_fp16)) if there]
    mark = out.paint(" (default)", "green") if is_default else ""
    out.line(f"{out.paint(device.spec, 'bold')}{mark}: {device.name}")
    out.line(
        f"  {device.kind}, {device.compute_units} compute units, {bytes_text(device.global_memory)}, "
        f"{' '.join(precisions)}"
    )
    out.line(f"  {device.platform}, version {device.version}, driver {device.driver_version}")
    if verbose:
        for name, value in device.info().items():
            out.line(f"    {name}: {value}")


def print_attempts(out: Output, report: BackendReport) -> None:
    """Prints what was tried to find the devices of a backend."""
    for attempt in report.attempts:
        out.mark("  ok" if attempt.ok else "  --", f"{attempt.what}: {attempt.outcome}")


def _facts(report: BackendReport, verbose: bool) -> dict[str, Any]:
    return {
        "backend": report.backend,
        "devices": [device_facts(device, verbose) for device in report.devices],
        "attempts": [
            {"what": attempt.what, "ok": attempt.ok, "outcome": attempt.outcome}
            for attempt in report.attempts
        ],
        "libraries": [
            {"name": library.name, "version": library.version, "path": library.path}
            for library in _core.find_libraries()
            if report.devices and library.backend == report.backend and library.path
        ],
    }


def device_facts(device: Device, verbose: bool = False) -> dict[str, Any]:
    """A device as an object of JSON."""
    facts: dict[str, Any] = {
        "spec": device.spec,
        "name": device.name,
        "kind": device.kind,
        "backend": device.backend,
        "platform": device.platform,
        "version": device.version,
        "driver_version": device.driver_version,
        "compute_units": device.compute_units,
        "global_memory": device.global_memory,
        "has_fp64": device.has_fp64,
        "has_fp16": device.has_fp16,
    }
    if verbose:
        facts["info"] = {name: str(value) for name, value in device.info().items()}
    return facts
