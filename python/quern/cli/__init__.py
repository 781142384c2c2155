# SPDX-License-Identifier: MIT
"""The command line. Each command is a module with add_arguments(parser) and run(options), imported when it is used."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from ._output import CommandError, Output

COMMANDS = {
    "devices": ("._devices", "list devices, and why a backend has none"),
    "doctor": ("._doctor", "check compiler, drivers, cache and limits, and suggest fixes"),
    "cache": ("._cache", "the disk cache of compiled programs"),
    "bench": (".bench", "measure a device beside its limits and beside other libraries"),
    "run": ("._run", "run a kernel of a file on files of arrays"),
    "check": ("._check", "print errors and warnings of kernel files, without a device"),
    "lower": ("._lower", "print the C or CUDA C++ that a kernel file becomes"),
    "tune": ("._tune", "tune the library's algorithms on this machine, and keep the results"),
    "explain": ("._explain", "print the kernels that an array expression becomes"),
    "launch": ("quern.dist._launch", "start a program on several ranks with the right mpiexec"),
    "dist": ("quern.dist._check", "check MPI and the ranks of this machine"),
    "completion": ("._completion", "print a completion script for bash, zsh or fish"),
}

# Exit codes; docs/command-line.md explains them.
OK, FAILED, WRONG_USE, INTERRUPTED = 0, 1, 2, 130

_EPILOG = """exit codes:
  0    success
  1    the command ran, and the result is bad: errors in a kernel, a slower benchmark, no device
  2    the command line is wrong, or a file cannot be read or must not be overwritten
  130  Ctrl-C

'quern COMMAND --help' explains a command. NO_COLOR=1 and --color=never turn colours off."""


def make_parser(commands: Sequence[str] = ()) -> argparse.ArgumentParser:
    """The parser, in which these commands have all their arguments and the others only their name."""
    from .. import __version__

    parser = argparse.ArgumentParser(
        prog="quern",
        description="Kernels written at run time, on any device.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"quern {__version__}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (module, help_text) in COMMANDS.items():
        if name not in commands:
            subparsers.add_parser(name, help=help_text)
            continue
        found = import_module(module, __name__)
        command = subparsers.add_parser(
            name,
            help=help_text,
            description=getattr(found, "DESCRIPTION", None),
            epilog=getattr(found, "EPILOG", None),
            usage=getattr(found, "USAGE", None),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        found.add_arguments(command)
        command.set_defaults(run=found.run)
    return parser


def add_output_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments that all commands have."""
    parser.add_argument("--json", action="store_true", help="print one object of JSON")
    parser.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="colours: on terminals (auto), always or never",
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit code."""
    given = list(sys.argv[1:] if argv is None else argv)
    options = make_parser([name for name in given[:1] if name in COMMANDS]).parse_args(given)
    try:
        return _execute(options)
    except BrokenPipeError:
        # The reader closed the pipe. Redirect stdout, so that the flush at exit does not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except KeyboardInterrupt:
        print("quern: interrupted", file=sys.stderr)
        return INTERRUPTED


def _execute(options: argparse.Namespace) -> int:
    from .. import _core

    out = Output(options)
    try:
        status: int = options.run(options)
        sys.stdout.flush()
        return status
    except CommandError as error:
        return out.fail(str(error), error.status)
    except _core.ArgumentError as error:
        return out.fail(str(error), WRONG_USE)
    except (_core.Error, MemoryError) as error:
        return out.fail(str(error), FAILED)
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        return out.fail(f"{error.filename}: {error.strerror}" if error.filename else str(error), WRONG_USE)
