# SPDX-License-Identifier: MIT
"""Kernel files as programs: their options on the command line, and their diagnostics as lines."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any

from .. import _core
from .._core import BuildError, Diagnostic, Program
from ._output import CommandError, Output

_COLORS = {"error": ("red", "bold"), "warning": ("yellow", "bold"), "note": ("cyan",)}


def add_source_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of commands that read kernel files."""
    parser.add_argument(
        "-D",
        action="append",
        default=[],
        dest="defines",
        metavar="NAME[=VALUE]",
        help="define a macro; may be repeated",
    )
    parser.add_argument(
        "-I",
        action="append",
        default=[],
        dest="include_paths",
        metavar="FOLDER",
        help="search #include files there, after the folder of the file; may be repeated",
    )
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        dest="build_options",
        metavar="OPTION",
        help="build option, such as --option=-cl-fast-relaxed-math; may be repeated",
    )
    parser.add_argument(
        "--language",
        choices=("opencl", "cuda"),
        help="OpenCL C, or CUDA C, which runs on CUDA only; by default cuda for files that end in .cu",
    )


def read_source(path: str, stdin_name: str = "<stdin>") -> tuple[str, str]:
    """Text and name of a file; "-" is standard input."""
    if path == "-":
        return sys.stdin.read(), stdin_name
    try:
        with open(path, encoding="utf-8") as file:
            return file.read(), path
    except UnicodeDecodeError as error:
        raise CommandError(f"{path}: not a text in UTF-8: {error}") from None


def program_of(text: str, name: str, options: argparse.Namespace) -> Program:
    """The program of a text. Nothing is built."""
    defines: dict[str, Any] = {}
    for one in options.defines:
        macro, equals, value = one.partition("=")
        defines[macro] = value if equals else "1"
    language = options.language or ("cuda" if name.endswith(".cu") else "opencl")
    return _core.Program(
        text,
        language=language,
        defines=defines,
        include_paths=[os.path.dirname(name) or ".", *options.include_paths],
        options=options.build_options,
        name=name,
    )


def diagnostic_facts(diagnostic: Diagnostic) -> dict[str, Any]:
    """A diagnostic as an object of JSON."""
    return {
        "file": diagnostic.file,
        "line": diagnostic.line,
        "column": diagnostic.column,
        "severity": diagnostic.severity,
        "message": diagnostic.text,
    }


def print_diagnostic(
    out: Output, diagnostic: Diagnostic, suffix: str = "", lines: Sequence[str] = ()
) -> None:
    """Prints file:line:column: severity: message; with the `lines` of the source, its line below it."""
    place = diagnostic.file
    if diagnostic.line > 0:
        place += f":{diagnostic.line}"
        if diagnostic.column > 0:
            place += f":{diagnostic.column}"
    severity = out.paint(f"{diagnostic.severity}:", *_COLORS[diagnostic.severity])
    out.line(f"{out.paint(place, 'bold')}: {severity} {diagnostic.text}{suffix}")
    if 0 < diagnostic.line <= len(lines) and diagnostic.severity != "note":
        line = lines[diagnostic.line - 1]
        out.line(f"  {diagnostic.line:>4} | {line}")
        if 0 < diagnostic.column <= len(line) + 1:
            # Tabs keep the caret below its column.
            before = "".join(c if c == "\t" else " " for c in line[: diagnostic.column - 1])
            out.line(f"       | {before}{out.paint('^', 'green', 'bold')}")


def fail_build(out: Output, error: BuildError) -> int:
    """Prints a BuildError; returns the exit code."""
    if out.is_json:
        out.result({"error": str(error), "diagnostics": [diagnostic_facts(d) for d in error.diagnostics]})
    else:
        print(str(error).rstrip(), file=sys.stderr)
    return 1
