# SPDX-License-Identifier: MIT
"""quern lower: the text that a device's compiler is given."""

from __future__ import annotations

import argparse

from .._core import BuildError
from . import add_output_arguments
from ._output import Output, check_may_write, write_text
from ._sources import add_source_arguments, fail_build, program_of, read_source

_DEVICES = {"c": "host", "cuda": "cuda", "opencl": "opencl"}

DESCRIPTION = (
    "Prints what a kernel file becomes: C for the host's compiler, CUDA C++ for NVRTC, or OpenCL C with what Quern adds. "
    "No device is needed."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("file", metavar="FILE", help="kernel file; - is standard input")
    parser.add_argument("--target", required=True, choices=tuple(_DEVICES), help="language of the result")
    parser.add_argument("-o", "--output", default="-", metavar="FILE", help="write there")
    parser.add_argument("--force", action="store_true", help="overwrite the output file")
    add_source_arguments(parser)
    add_output_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Runs the command."""
    out = Output(options)
    check_may_write(options.output, options.force)
    text, name = read_source(options.file)
    program = program_of(text, name, options)
    try:
        lowered = program.lowered_source(_DEVICES[options.target])
        kernels = program.kernel_names
    except BuildError as error:
        return fail_build(out, error)
    if not lowered.endswith("\n"):
        lowered += "\n"
    if options.output != "-" or not out.is_json:
        write_text(options.output, lowered)
    out.result({"target": options.target, "kernels": kernels, "source": lowered})
    return 0
