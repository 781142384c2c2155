# SPDX-License-Identifier: MIT
"""%%quern_kernel: a cell of OpenCL C or CUDA C whose kernels become Python names."""

from __future__ import annotations

import keyword
import sys
from functools import partial
from typing import Any

from .._core import BuildError, Device, Program, current_device, device
from . import _options
from ._cells import first_line_below
from ._programs import program_html

KNOWN = {
    "device": _options.MANY,
    "options": _options.MANY,
    "language": _options.ONE,
    "define": _options.MANY,
    "include": _options.MANY,
    "name": _options.ONE,
    "debug": _options.FLAG,
    "quiet": _options.FLAG,
}
SHORT = {
    "d": "device",
    "o": "options",
    "l": "language",
    "D": "define",
    "I": "include",
    "n": "name",
    "q": "quiet",
}


class BuiltCell:
    """What a cell of kernels returns: its program, with the resources on each device that it was built for."""

    def __init__(self, program: Program, devices: list[Device]):
        self.program = program
        self.devices = devices

    def _repr_html_(self) -> str:
        return program_html(self.program, self.devices)

    def __repr__(self) -> str:
        return repr(self.program)


def run(shell: Any, line: str, cell: str) -> BuiltCell | None:
    """Build the cell and define its kernels."""
    options, rest = _options.parse(line, KNOWN, SHORT)
    if rest:
        raise _options.usage_error(
            f"%%quern_kernel: unexpected {rest!r}; an option value with spaces needs quotes"
        )
    name = options["name"]
    if name is not None and (not name.isidentifier() or keyword.iskeyword(name)):
        raise _options.usage_error(f"--name: expected a Python name, got {name!r}")
    program = _program(options, "\n" * (first_line_below(shell, "quern_kernel") - 1) + cell)
    devices = [device(spec) for spec in options["device"]] or [current_device()]
    log = []
    try:
        for target in devices:
            text = program.build(target).log(target)
            log += [text] if text and text not in log else []
        kernels = program.kernel_names
    except BuildError as error:
        raise _without_frames(shell, error) from None
    for text in log:
        print(text, file=sys.stderr)
    hidden = [kernel for kernel in kernels if not kernel.isidentifier() or keyword.iskeyword(kernel)]
    if hidden and name is None:
        raise _options.usage_error(
            f"{hidden[0]!r} is not a name of Python: --name p makes the program p, and p[{hidden[0]!r}] the kernel"
        )
    shell.push({kernel: program[kernel] for kernel in kernels if kernel not in hidden})
    if name is not None:
        shell.push({name: program})
    return None if options["quiet"] else BuiltCell(program, devices)


def _program(options: dict[str, Any], source: str) -> Program:
    defines = dict(text.partition("=")[::2] for text in options["define"])
    # As compilers do: -DN is -DN=1.
    defines = {macro: value or "1" for macro, value in defines.items()}
    import shlex

    return Program(
        source,
        language=options["language"] or "opencl",
        defines=defines,
        include_paths=options["include"],
        options=[word for text in options["options"] for word in shlex.split(text)],
        # The name does not contain the cell's number: a cell that runs again finds its kernels in the cache.
        name=f"{options['name']}.cl" if options["name"] else "cell",
        debug=bool(options["debug"]),
    )


def _without_frames(shell: Any, error: BuildError) -> BuildError:
    """The same error; IPython shows its message alone, as the frames of this module say nothing about the cell."""
    red, bold, plain = ("\x1b[31m", "\x1b[1m", "\x1b[0m")
    if str(getattr(shell, "colors", "")).lower() == "nocolor":
        red = bold = plain = ""

    text = str(error).rstrip("\n").replace(": error: ", f": {red}error:{plain} ")
    shown = [f"{bold}{red}BuildError{plain}: the cell was not built", text]
    # IPython calls this. It can be pickled, as the error can.
    error._render_traceback_ = partial(list, shown)  # type: ignore[attr-defined]
    return error
