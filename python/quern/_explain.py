# SPDX-License-Identifier: MIT
"""Looking into laziness: what an expression would run, and running everything at once."""

from __future__ import annotations

from . import _core
from ._core import ArgumentTypeError, Array, EagerBlock, KernelPlan


def eager() -> EagerBlock:
    """`with qn.eager():` what this thread writes is enqueued at once, each operation a kernel of its own."""
    return EagerBlock()


class Explanation:
    """The kernels that evaluating arrays would launch; printed, all that is known of them."""

    def __init__(self, kernels: list[KernelPlan]):
        self.kernels = kernels

    @property
    def bytes_read(self) -> int:
        return sum(kernel.bytes_read for kernel in self.kernels)

    @property
    def bytes_written(self) -> int:
        return sum(kernel.bytes_written for kernel in self.kernels)

    def __str__(self) -> str:
        if not self.kernels:
            return "no kernel: everything is in memory, or enqueued"
        parts = []
        for number, kernel in enumerate(self.kernels, 1):
            operations = "".join(f"\n  {operation}" for operation in kernel.operations)
            parts.append(
                f"kernel {number} of {len(self.kernels)}: {kernel.elements} elements, reads {kernel.bytes_read} bytes"
                f" of {kernel.arrays_read} arrays, writes {kernel.bytes_written} bytes{operations}\n{kernel.source}"
            )
        return "\n".join(parts)

    __repr__ = __str__


def explain(*arrays: Array) -> Explanation:
    """What evaluating these arrays would launch, without doing it: kernels, bytes moved, generated source."""
    _check_single("explain", arrays)
    return Explanation(_core.plans(*arrays))


def eval(*arrays: Array) -> None:
    """Enqueues what computes these arrays; those of one shape are one kernel."""
    _check_single("eval", arrays)
    _core.evaluate(*arrays)


def _check_single(function: str, arrays: tuple[object, ...]) -> None:
    for one in arrays:
        if isinstance(one, (list, tuple)):
            raise ArgumentTypeError(
                f"{function}: expected arrays, got {type(one).__name__}; pass them one by one: {function}(*arrays)"
            )
