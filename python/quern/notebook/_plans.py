# SPDX-License-Identifier: MIT
"""Plans of qn.explain() as drawings: the arrays and numbers that a kernel reads, its operations and its results."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._core import KernelPlan, PlanValue
from .._units import size_text
from . import _layers
from ._html import card, code, facts, folded, place
from ._layers import Box

if TYPE_CHECKING:
    from .._explain import Explanation

_COLOURS = {"array": "#cfe8d5", "number": "#ececec", "operation": "#cfdff2", "result": "#f6ddb8"}
_MOST = 120  # values of a drawing that can be read
_TOP, _MARGIN = 24.0, 8.0


def plan_svg(explanation: Explanation) -> str:
    """The kernels one below the other."""
    parts, width, y = [], 320.0, 0.0
    for number, kernel in enumerate(explanation.kernels, 1):
        title = f"kernel {number} of {len(explanation.kernels)}: {_summary(kernel)}"
        parts.append(_layers.heading(title, y + 16))
        boxes = _boxes(kernel)
        drawn, wide, high = _layers.draw(boxes, y + _TOP + 4, _MARGIN)
        parts.append(drawn)
        width = max(width, wide + 2 * _MARGIN, 6.6 * len(title))
        y += _TOP + high + 24
    if not explanation.kernels:
        parts.append(_layers.heading("no kernels: all arrays are in memory or enqueued", 16))
        y = _TOP
    return _layers.svg(parts, width, y)


def plan_html(explanation: Explanation) -> str:
    """The drawing, with the source of each kernel folded below it."""
    kernels = explanation.kernels
    line = facts(
        f"{len(kernels)} kernel{'' if len(kernels) == 1 else 's'}",
        f"reads {size_text(explanation.bytes_read)}",
        f"writes {size_text(explanation.bytes_written)}",
    )
    parts = [
        f"<div>{facts(f'computed on the host, with copies there and back: {name}')}</div>"
        for name in explanation.staged
    ]
    parts.append(plan_svg(explanation))
    for number, kernel in enumerate(kernels, 1):
        title = "source" if len(kernels) == 1 else f"source of kernel {number}"
        parts.append(folded(title, code(kernel.source)))
    return card("Explanation", line, *parts)


def _summary(kernel: KernelPlan) -> str:
    arrays = f"{kernel.arrays_read} array{'' if kernel.arrays_read == 1 else 's'}"
    return (
        f"{kernel.elements:,} elements, reads {size_text(kernel.bytes_read)} of {arrays}, "
        f"writes {size_text(kernel.bytes_written)}"
    )


def _boxes(kernel: KernelPlan) -> list[Box]:
    if not kernel.values or len(kernel.values) > _MOST:
        return _chain(kernel)
    boxes = [_value_box(value) for value in kernel.values]
    outputs = [k for k, value in enumerate(kernel.values) if value.is_output]
    for k in outputs:
        size = size_text(kernel.bytes_written) if len(outputs) == 1 else ""
        below = ", ".join(filter(None, (kernel.values[k].dtype, size)))
        boxes.append(Box("result", below, colour=_COLOURS["result"], inputs=[k]))
    return boxes


def _value_box(value: PlanValue) -> Box:
    colour = _COLOURS[value.kind]
    if value.kind == "operation":
        where = place(value.line) if value.line else ""
        below = ", ".join(filter(None, (value.dtype, where)))
        return Box(value.name, below, f"{value.name} {value.dtype} {value.line}", colour, value.inputs)
    if value.kind == "number":
        return Box(value.name, value.dtype, f"the number {value.name}", colour)
    size = _bytes(value)
    return Box(f"array {value.shape}", ", ".join(filter(None, (value.dtype, size))), "", colour)


def _bytes(value: PlanValue) -> str:
    try:
        itemsize = np.dtype(value.dtype).itemsize
    except TypeError:  # NumPy does not know bfloat16 by name
        return ""
    return size_text(itemsize * int(np.prod(value.shape, dtype=np.int64)))


def _chain(kernel: KernelPlan) -> list[Box]:
    """What is known of products and transforms, and enough of very long expressions: the operations in their order."""
    arrays = f"{kernel.arrays_read} array{'' if kernel.arrays_read == 1 else 's'}"
    boxes = [Box(arrays, size_text(kernel.bytes_read), colour=_COLOURS["array"])]
    operations = list(kernel.operations)
    if len(operations) > 12:
        operations = [*operations[:6], f"... {len(operations) - 11} more", *operations[-5:]]
    for operation in operations:
        call, _, line = operation.partition(" at ")
        name, _, dtype = call.rstrip(")").partition("(")
        below = ", ".join(filter(None, (dtype, place(line) if line else "")))
        boxes.append(Box(name, below, operation, _COLOURS["operation"], [len(boxes) - 1]))
    boxes.append(Box("result", size_text(kernel.bytes_written), "", _COLOURS["result"], [len(boxes) - 1]))
    return boxes
