# SPDX-License-Identifier: MIT
"""quern check: errors and warnings of kernel files for all targets, without a device."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from .. import _core
from .._core import BuildError, Diagnostic
from . import add_output_arguments
from ._output import CommandError, Output, count_of, wants_colors
from ._sources import add_source_arguments, diagnostic_facts, print_diagnostic, program_of, read_source

TARGETS = ("host", "opencl", "cuda")

DESCRIPTION = """Prints the errors and warnings of kernel files, one per line:

  file:line:column: severity: message

A message that some targets do not share ends with their names in brackets. No device and no compiler is needed;
--device also builds with the compiler of a device of this machine."""
EPILOG = """exit codes: 0 no errors; 1 errors, or warnings with --werror; 2 a file cannot be read.
Editors read the lines as those of gcc. For pre-commit, the repository has the hook quern-check."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="kernel file; - is standard input")
    parser.add_argument(
        "--target",
        action="append",
        choices=TARGETS,
        help="check for this target only; may be repeated; by default all",
    )
    parser.add_argument(
        "--device",
        action="append",
        default=[],
        metavar="SPEC",
        help="also build for this device; may be repeated",
    )
    parser.add_argument("--werror", action="store_true", help="exit with 1 for warnings, too")
    parser.add_argument(
        "--stdin-name", default="<stdin>", metavar="NAME", help="name of standard input in messages"
    )
    add_source_arguments(parser)
    add_output_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Runs the command."""
    out = Output(options)
    devices = [_core.device(spec) for spec in options.device]
    has_excerpts = wants_colors(sys.stdout, options.color)
    unreadable: list[str] = []
    rows: list[dict[str, Any]] = []
    counts = {"error": 0, "warning": 0, "note": 0}
    for path in options.files:
        try:
            text, name = read_source(path, options.stdin_name)
        except (OSError, CommandError) as error:
            words = f"{path}: {error.strerror}" if isinstance(error, OSError) else str(error)
            print(f"quern check: {words}", file=sys.stderr)
            unreadable.append(words)
            continue
        lines = text.splitlines() if has_excerpts else []
        for diagnostic, targets in _diagnostics(text, name, options, devices):
            is_shared = len(targets) == len(options.target or TARGETS) + len(devices)
            counts[diagnostic.severity] += 1
            rows.append({**diagnostic_facts(diagnostic), "targets": targets})
            suffix = "" if is_shared else out.paint(f" [{', '.join(targets)}]", "dim")
            excerpt = lines if diagnostic.file == name else []
            print_diagnostic(out, diagnostic, suffix, excerpt)
    if has_excerpts and rows:
        out.line(f"{count_of(counts['error'], 'error')}, {count_of(counts['warning'], 'warning')}")
    out.result(
        {
            "diagnostics": rows,
            "errors": counts["error"],
            "warnings": counts["warning"],
            "unreadable": unreadable,
        }
    )
    if unreadable:
        return 2
    return 1 if counts["error"] or (options.werror and counts["warning"]) else 0


def _diagnostics(
    text: str, name: str, options: argparse.Namespace, devices: list[_core.Device]
) -> list[tuple[Diagnostic, list[str]]]:
    """Each diagnostic once, with the names of the targets that have it, in the order of the lines."""
    found: dict[Diagnostic, list[str]] = {}
    for target in options.target or TARGETS:
        for diagnostic in program_of(text, name, options).diagnostics(target):
            found.setdefault(diagnostic, []).append(target)
    for device in devices:
        for diagnostic in _of_device(text, name, options, device):
            found.setdefault(diagnostic, []).append(device.spec)
    order = ("error", "warning", "note")
    return sorted(
        found.items(),
        key=lambda item: (item[0].file, item[0].line, item[0].column, order.index(item[0].severity)),
    )


def _of_device(text: str, name: str, options: argparse.Namespace, device: _core.Device) -> list[Diagnostic]:
    """What the device's own compiler finds."""
    program = program_of(text, name, options)
    try:
        program.build(device)
    except BuildError as error:
        if not error.diagnostics:
            raise
        return list(dict.fromkeys(error.diagnostics))
    return program.diagnostics(device)
