# SPDX-License-Identifier: MIT
"""NumPy's structured dtypes as C structs, and whether a device lays them out the same way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from . import _core
from ._core import ArgumentTypeError, ArgumentValueError, Device

_C_NAMES = {
    "int8": "char",
    "uint8": "uchar",
    "int16": "short",
    "uint16": "ushort",
    "int32": "int",
    "uint32": "uint",
    "int64": "long",
    "uint64": "ulong",
    "float16": "half",
    "float32": "float",
    "float64": "double",
    "bool": "uchar",
    "complex64": "float2",
    "complex128": "double2",
}


def c_type_name(dtype: DTypeLike) -> str:
    """How OpenCL C calls the elements of a dtype; vectors are those of quern.vec."""
    element = np.dtype(dtype)
    name = _vector_name(element) or _C_NAMES.get(element.name)
    if name is None:
        raise ArgumentTypeError(f"dtype {element} has no name in OpenCL C")
    return name


def struct_definition(dtype: DTypeLike, name: str = "record") -> str:
    """The OpenCL C struct of a structured dtype, with padding members where the dtype has gaps.

    Nested structures come first, called after their members. Print it, or put it in front of a kernel's source.
    """
    element = _structured(dtype)
    parts: list[str] = []
    _define(element, name, parts)
    return "\n".join(parts)


def check_struct_layout(dtype: DTypeLike, device: Device | str | None = None, name: str = "record") -> str:
    """Checks that the device lays the struct out as NumPy does, by asking the device; returns the definition.

    Raises ArgumentValueError that names the first member at another place.
    """
    element = _structured(dtype)
    definition = struct_definition(element, name)
    members = list(_members(element))
    lines = [f"  out[0] = (uint)sizeof(struct {name});"]
    lines += [
        f"  out[{i}] = (uint)((global char *)&((global struct {name} *)base)->{path} - (global char *)base);"
        for i, (path, _) in enumerate(members, 1)
    ]
    kernel = f"kernel void layout(global uint *out, global char *base) {{\n{chr(10).join(lines)}\n}}\n"
    program = _core.Program(definition + "\n" + kernel, name=f"layout of {name}")
    target = _core.device(device)
    out = _core.empty(len(members) + 1, np.uint32, target, None)
    memory = _core.Buffer(max(element.itemsize, 1), device=target)
    program["layout"](_core.Queue.of(target), 1, 1, out, memory)
    size, *offsets = (int(value) for value in out.get())
    hint = "; dtypes made with align=True have C's own layout" if not element.isalignedstruct else ""
    for (path, offset), found in zip(members, offsets, strict=True):
        if found != offset:
            raise ArgumentValueError(
                f"struct {name}: {path} is at byte {offset} in NumPy, {found} on '{target.spec}'{hint}"
            )
    if size != element.itemsize:
        raise ArgumentValueError(
            f"struct {name}: has {element.itemsize} bytes in NumPy, {size} on '{target.spec}'{hint}"
        )
    return definition


def _structured(dtype: DTypeLike) -> np.dtype[Any]:
    element = np.dtype(dtype)
    if element.names is None:
        raise ArgumentTypeError(f"dtype {element} is not structured")
    return element


def _vector_name(dtype: np.dtype[Any]) -> str | None:
    """The C name of a dtype of quern.vec."""
    metadata: Mapping[str, Any] = dtype.metadata or {}
    if "quern_vector" not in metadata:
        return None
    scalar, lanes = str(metadata["quern_vector"]).split("x")
    return _C_NAMES[scalar] + lanes


def _fields(dtype: np.dtype[Any]) -> list[tuple[str, np.dtype[Any], int]]:
    fields = dtype.fields
    assert fields is not None and dtype.names is not None
    ordered = [(name, fields[name][0], fields[name][1]) for name in dtype.names]
    return sorted(ordered, key=lambda field: field[2])


def _members(dtype: np.dtype[Any]) -> list[tuple[str, int]]:
    return [(name, offset) for name, _, offset in _fields(dtype)]


def _alignment(dtype: np.dtype[Any]) -> int:
    """What C aligns a member of this type to."""
    base = dtype.base
    if _vector_name(base) is not None:
        return base.itemsize
    if base.names is not None:
        return max(_alignment(field) for _, field, _ in _fields(base))
    return base.itemsize if base.kind == "c" else base.alignment


def _define(dtype: np.dtype[Any], name: str, parts: list[str]) -> None:
    lines: list[str] = []
    end = paddings = 0
    alignment = max((_alignment(field) for _, field, _ in _fields(dtype)), default=1)
    packed = (
        any(offset % _alignment(field) for _, field, offset in _fields(dtype))
        or dtype.itemsize % alignment != 0
    )
    for member, field, offset in _fields(dtype):
        if offset < end:
            raise ArgumentValueError(
                f"struct {name}: {member} overlaps the member before it, which C cannot say"
            )
        natural = end if packed else -(-end // _alignment(field)) * _alignment(field)
        if offset > natural:
            lines.append(f"  uchar padding{paddings}[{offset - end}];")
            paddings += 1
        lines.append("  " + _declare(member, field, name, parts))
        end = offset + field.itemsize
    natural = end if packed else -(-end // alignment) * alignment
    if dtype.itemsize > natural:
        lines.append(f"  uchar padding{paddings}[{dtype.itemsize - end}];")
    attribute = " __attribute__((packed))" if packed else ""
    parts.append("struct" + attribute + f" {name} {{\n" + "\n".join(lines) + "\n};")


def _declare(member: str, dtype: np.dtype[Any], owner: str, parts: list[str]) -> str:
    base = dtype.base
    lengths = "".join(f"[{length}]" for length in dtype.shape)
    vector = _vector_name(base)
    if vector is not None:
        return f"{vector} {member}{lengths};"
    if base.names is not None:
        nested = f"{owner}_{member}"
        _define(base, nested, parts)
        return f"struct {nested} {member}{lengths};"
    if base.name not in _C_NAMES:
        raise ArgumentTypeError(f"struct {owner}: {member} has dtype {base}, which OpenCL C does not have")
    return f"{_C_NAMES[base.name]} {member}{lengths};"
