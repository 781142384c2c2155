# SPDX-License-Identifier: MIT
"""Check that a device lays out C structs as NumPy lays out structured dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from . import _core
from ._core import ArgumentTypeError, ArgumentValueError, Device, struct_definition


def check_struct_layout(dtype: DTypeLike, device: Device | str | None = None, name: str = "record") -> str:
    """Check on a device that a struct has the memory layout of a NumPy dtype.

    Parameters
    ----------
    dtype : dtype
        Structured dtype.
    device : Device or str, optional
        Device to check; the current device by default.
    name : str, optional
        Name of the struct in C.

    Returns
    -------
    str
        C definition of the struct.

    Raises
    ------
    TypeError
        If the dtype is not structured.
    ValueError
        If the layouts differ. The message names the first member with a different offset.

    Examples
    --------
    >>> text = qn.check_struct_layout(np.dtype([("x", "float32"), ("y", "float32")]), name="point")
    >>> text.startswith("struct point")
    True
    """
    element = _structured(dtype)
    definition = struct_definition(element, name)
    fields: Any = element.fields
    members = [(name, fields[name][1]) for name in element.names or ()]
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
    hint = "; a dtype made with align=True has C's layout" if not element.isalignedstruct else ""
    for (path, offset), found in zip(members, offsets, strict=True):
        if found != offset:
            raise ArgumentValueError(
                f"struct {name}: {path} is at byte {offset} in NumPy, {found} on '{target.spec}'{hint}"
            )
    if size != element.itemsize:
        raise ArgumentValueError(
            f"struct {name}: size is {element.itemsize} bytes in NumPy, {size} on '{target.spec}'{hint}"
        )
    return definition


def _structured(dtype: DTypeLike) -> np.dtype[Any]:
    element = np.dtype(dtype)
    if element.names is None:
        raise ArgumentTypeError(f"dtype {element} is not structured")
    return element
