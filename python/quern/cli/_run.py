# SPDX-License-Identifier: MIT
"""quern run: a kernel of a file on files of arrays."""

from __future__ import annotations

import argparse
import os
import time
from statistics import median
from typing import Any

import numpy as np

from .. import _core
from .._array import asarray
from .._core import Array, BuildError, Kernel, LocalMemory, Queue
from .._storage import save
from .._units import time_text
from . import add_output_arguments
from ._arrays import dtype_of, shape_of
from ._output import CommandError, Output, check_may_write
from ._sources import add_source_arguments, fail_build, program_of, read_source

USAGE = "quern run FILE [--kernel NAME] --size SIZE [--args ARG...] [OPTION...]"
DESCRIPTION = """Runs a kernel of a file on arrays from .npy files, and writes its results to .npy files. --args takes one ARG per
parameter of the kernel, in order:

  5, 2.5, 1e-3, 0x10, true         a number, for a parameter other than a pointer
  FILE.npy, in:FILE.npy            the array of a file, which the kernel reads
  inout:FILE.npy[:OUT.npy]         the array of a file; its new elements are written to OUT.npy, by default to FILE.npy
  out:DTYPE:SHAPE[:OUT.npy]        a new array of zeros; its elements are written to OUT.npy, by default to a file with
                                   the name of the parameter; OUT.npy is - to print the array
  zeros:DTYPE:SHAPE                a new array of zeros that is not written
  local:DTYPE:COUNT                local memory for COUNT elements

A SHAPE or SIZE is 1000, 480x640 or 480,640. --size counts work-items; get_global_id(0) counts along its first number."""
EPILOG = """example: quern run scale.cl --kernel scale --args x.npy 2.5 out:float32:1000:y.npy --size 1000
exit codes: 0 success; 1 the kernel does not build or fails; 2 the command line is wrong, or a file exists and --force is
not given."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("file", metavar="FILE", help="kernel file; - is standard input")
    parser.add_argument("--kernel", metavar="NAME", help="the kernel; not needed if the file has only one")
    parser.add_argument("--args", nargs="*", default=[], metavar="ARG", help="arguments of the kernel")
    parser.add_argument("--size", required=True, help="number of work-items, such as 1000 or 480x640")
    parser.add_argument(
        "--local", metavar="SIZE", help="work-items of a work-group; by default Quern chooses"
    )
    parser.add_argument("--device", metavar="SPEC", help="the default device otherwise")
    parser.add_argument(
        "--repeat",
        type=int,
        default=1,
        metavar="N",
        help="run N times on the same arguments, and print times",
    )
    parser.add_argument("--force", action="store_true", help="overwrite files that exist")
    add_source_arguments(parser)
    add_output_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Runs the command."""
    out = Output(options)
    if options.repeat < 1:
        raise CommandError("--repeat: must be at least 1")
    size = shape_of(options.size, "--size")
    local = shape_of(options.local, "--local") if options.local is not None else None
    text, name = read_source(options.file)
    program = program_of(text, name, options)
    device = _core.device(options.device)
    try:
        kernel = _kernel(program, options.kernel, name)
        program.build(device)
        arguments = _arguments(kernel, options)
    except BuildError as error:
        return fail_build(out, error)
    queue = Queue(device, profiling=True)
    host_times: list[float] = []
    device_times: list[float] = []
    with queue:
        for _ in range(options.repeat):
            values = [argument.make(device) for argument in arguments]
            queue.finish()
            start = time.perf_counter()
            event = kernel(queue, size, local, *values)
            queue.finish()
            host_times.append(time.perf_counter() - start)
            device_times.append(event.times.duration * 1e-9)
        results = [_store(out, a, value) for a, value in zip(arguments, values, strict=True) if a.output]
    times = f"{time_text(min(device_times))} on the device, {time_text(min(host_times))} with the launch"
    if options.repeat > 1:
        times += f" (minima of {options.repeat}; medians {time_text(median(device_times))}, {time_text(median(host_times))})"
    out.line(f"{out.paint(kernel.name, 'bold')} on '{device.spec}': {times}")
    out.result(
        {
            "kernel": kernel.name,
            "device": device.spec,
            "size": list(size),
            "device_seconds": device_times,
            "host_seconds": host_times,
            "results": results,
        }
    )
    return 0


class Argument:
    """An argument of the kernel as the command line describes it; `make` returns its value on a device."""

    def __init__(self, text: str, parameter: Any, number: int) -> None:
        self.parameter = parameter
        self.where = f"argument {number} ('{parameter.name}')"
        self.output: str | None = None
        self._number: Any = None
        self._local = 0
        self._values: np.ndarray[Any, Any] | None = None
        kind, colon, rest = text.partition(":")
        if colon and kind in ("in", "inout"):
            file, _, target = rest.partition(":") if kind == "inout" else (rest, "", "")
            self._read(file)
            self.output = (target or file) if kind == "inout" else None
        elif colon and kind in ("out", "zeros"):
            dtype, _, rest = rest.partition(":")
            shape, _, target = rest.partition(":")
            self._values = np.zeros(shape_of(shape, self.where), dtype_of(dtype, self.where))
            self.output = (target or f"{parameter.name}.npy") if kind == "out" else None
        elif colon and kind == "local":
            dtype, _, count = rest.partition(":")
            self._local = dtype_of(dtype, self.where).itemsize * int(np.prod(shape_of(count, self.where)))
        elif text.endswith(".npy"):
            self._read(text)
        else:
            self._number = _number(text, self.where)
        self._check_kind()

    def _read(self, file: str) -> None:
        try:
            self._values = np.load(file, allow_pickle=False)
        except ValueError as error:
            raise CommandError(f"{self.where}: {file}: {error}") from None

    def _check_kind(self) -> None:
        is_pointer, is_local = self.parameter.is_pointer, self.parameter.address_space == "local"
        if self._local and not is_local:
            raise CommandError(f"{self.where}: the parameter is {self.parameter.type}, and not local memory")
        if is_local and not self._local:
            raise CommandError(f"{self.where}: local memory needs local:DTYPE:COUNT")
        if self._values is not None and not is_pointer:
            raise CommandError(f"{self.where}: the parameter is {self.parameter.type}, which takes a number")
        if self._number is not None and is_pointer:
            raise CommandError(f"{self.where}: the parameter is {self.parameter.type}, which takes an array")

    def make(self, device: _core.Device) -> Any:
        """The value, with new memory for an array."""
        if self._values is not None:
            return asarray(self._values, device=device)
        return LocalMemory(self._local) if self._local else self._number


def _number(text: str, where: str) -> bool | int | float | complex:
    if text in ("true", "false"):
        return text == "true"
    try:
        return int(text, 0)
    except ValueError:
        pass
    for kind in (float, complex):
        try:
            return kind(text)
        except ValueError:
            continue
    raise CommandError(
        f"{where}: '{text}' is neither a number nor an array; arrays are FILE.npy, in:, inout:, out:, zeros: and local: "
        "(see quern run --help)"
    )


def _kernel(program: _core.Program, name: str | None, file: str) -> Kernel:
    names = program.kernel_names
    if name is None:
        if len(names) != 1:
            raise CommandError(
                f"--kernel: {file} has the kernels {', '.join(names)}; choose one"
                if names
                else f"{file} has no kernel"
            )
        name = names[0]
    try:
        return program[name]
    except KeyError as error:
        raise CommandError(f"--kernel: {error.args[0]}") from None


def _arguments(kernel: Kernel, options: argparse.Namespace) -> list[Argument]:
    signature = kernel.signature
    parameters = signature.parameters
    if len(parameters) != len(options.args):
        raise CommandError(
            f"--args: {len(options.args)} given, and the kernel has {len(parameters)}: {signature}"
        )
    arguments = [
        Argument(text, parameter, number)
        for number, (text, parameter) in enumerate(zip(options.args, parameters, strict=True), 1)
    ]
    written: set[str] = set()
    for path in (argument.output for argument in arguments):
        if path is None or path == "-":
            continue
        check_may_write(path, options.force)
        if os.path.realpath(path) in written:
            raise CommandError(f"--args: two arguments are written to {path}")
        written.add(os.path.realpath(path))
    return arguments


def _store(out: Output, argument: Argument, value: Array) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "parameter": argument.parameter.name,
        "file": argument.output,
        "dtype": str(value.dtype),
        "shape": list(value.shape),
    }
    shape = "x".join(map(str, value.shape)) or "scalar"
    if argument.output == "-":
        facts["values"] = value.get().tolist()
        out.line(str(value))
    else:
        save(str(argument.output), value)
        out.line(f"{out.paint(str(argument.output), 'cyan')}: {value.dtype} {shape}")
    return facts
