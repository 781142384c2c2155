# SPDX-License-Identifier: MIT
"""quern cache: shows and empties the disk cache of compiled programs."""

from __future__ import annotations

import argparse

from .. import cache
from . import add_output_arguments
from ._output import CommandError, Output, bytes_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    actions = parser.add_subparsers(dest="action", required=True)
    add_output_arguments(actions.add_parser("info", help="print its folder, entries and size"))
    add_output_arguments(actions.add_parser("clear", help="remove all entries"))
    prune = actions.add_parser("prune", help="remove the least recently used entries")
    prune.add_argument(
        "size", nargs="?", help="maximum size to keep, such as 500M; default: the cache's limit"
    )
    add_output_arguments(prune)


def run(options: argparse.Namespace) -> int:
    """Runs the command."""
    out = Output(options)
    if options.action == "info":
        info = cache.info()
        out.line(f"folder   {info.folder or '(none)'}")
        if info.problem:
            out.line(f"not used {info.problem}")
        out.line(f"entries  {info.entries}")
        out.line(f"size     {bytes_text(info.bytes)} of {bytes_text(info.limit)}")
        out.result(
            {
                "folder": info.folder or None,
                "problem": info.problem or None,
                "entries": info.entries,
                "bytes": info.bytes,
                "limit": info.limit,
            }
        )
        return 0
    try:
        removed = cache.clear() if options.action == "clear" else cache.prune(options.size)
    except ValueError as error:
        raise CommandError(str(error)) from None
    out.line(f"{removed} entries removed")
    out.result({"removed": removed})
    return 0
