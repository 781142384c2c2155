# SPDX-License-Identifier: MIT
"""Programs as HTML: signatures, resources where the program is built, and the source folded."""

from __future__ import annotations

import re
from html import escape

from .._core import ArgumentError, BuildError, Device, Kernel, Parameter, Program, current_device
from .._units import size_text
from ._html import card, code, facts, folded, table

_LANGUAGES = {"host": "C", "opencl": "OpenCL C", "cuda": "CUDA C++"}


def _parameter_text(parameter: Parameter) -> str:
    words, stars = parameter.type.rstrip("*"), parameter.type[len(parameter.type.rstrip("*")) :]
    space = "" if parameter.address_space in ("value", "constant") else parameter.address_space
    if parameter.address_space == "constant":
        words = f"constant {words.removeprefix('const ')}"
    return f"{space} {words} {stars}{parameter.name}".strip()


def _signature_text(program: Program, name: str, is_built: bool) -> str:
    """The kernel's parameters. Before the build, which a display does not start, its declaration in the source."""
    if is_built:
        parameters = ", ".join(_parameter_text(parameter) for parameter in program[name].signature.parameters)
        return f"kernel void {name}({parameters})"
    declaration = re.search(rf"\bvoid\s+{re.escape(name)}\s*(\([^{{;]*?\))\s*{{", program.source)
    return f"kernel void {name}{' '.join(declaration[1].split()) if declaration else '(...)'}"


def _resources(kernels: list[Kernel], device: Device) -> str:
    rows = []
    for kernel in kernels:
        found = kernel.attributes(device)
        rows.append(
            (
                kernel.name,
                f"{found.max_work_group_size:,}",
                found.preferred_multiple,
                size_text(found.local_memory),
                size_text(found.private_memory),
                found.registers or "unknown",
            )
        )
    head = ("kernel", "largest work-group", "multiple of", "local memory", "private memory", "registers")
    return table(head, rows, numbers=range(1, len(head)))


def program_html(program: Program, built_for: list[Device] | None = None) -> str:
    """Compiles nothing: the resources are those of devices for which the program has been built."""
    try:
        names = program.kernel_names
    except BuildError as error:
        return card("Program", "has errors", code(str(error)))
    device = current_device()
    is_built = program.is_built(device)
    kernels = [program[name] for name in names]
    texts = [_signature_text(program, name, is_built) for name in names]
    signatures = "".join(f"<code>{escape(text)}</code><br/>" for text in texts)
    parts = [f"<div>{signatures}</div>"]
    for target in built_for or [device]:
        if program.is_built(target):
            parts.append(f"<div>{facts('resources on ' + target.spec)}</div>" + _resources(kernels, target))
        else:
            parts.append(f"<div><i>{facts(f'not built for {target.spec} yet')}</i></div>")
    if program.source:
        parts.append(folded("source", code(program.source)))
    try:
        lowered = program.lowered_source(device)
    except (BuildError, ArgumentError):  # a binary has no source, and another backend may not take this one
        lowered = ""
    if lowered:
        language = _LANGUAGES.get(device.backend, "")
        title = f"lowered for {device.spec}: {language}, {lowered.count(chr(10))} lines"
        parts.append(folded(title, code(lowered)))
    count = f"{len(kernels)} kernel{'' if len(kernels) == 1 else 's'}"
    return card("Program", facts(count), *parts)
