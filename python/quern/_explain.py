# SPDX-License-Identifier: MIT
"""Inspection of lazy expressions: the kernels they would launch, and evaluation without laziness."""

from __future__ import annotations

from . import _core
from ._core import Array, EagerBlock, KernelPlan


def eager() -> EagerBlock:
    """Turn off lazy evaluation in a `with qn.eager():` block.

    Each operation of the thread launches its own kernel within the block.

    Returns
    -------
    EagerBlock
        Context manager. Lazy evaluation is back at the end of the block.

    Examples
    --------
    >>> with qn.eager():
    ...     x = qn.ones(3) + 1
    >>> x.in_memory
    True
    """
    return EagerBlock()


class Explanation:
    """Kernels that evaluating arrays would launch; printing it shows their details and source.

    Notebooks show a drawing of it. `kernels` is a list of the kernels. `staged` lists the linear algebra functions that the host computed for the device,
    with copies there and back.

    Examples
    --------
    >>> x = qn.ones(1000)
    >>> explanation = qn.explain(2 * x + 1)
    >>> len(explanation.kernels), explanation.bytes_written
    (1, 8000)
    """

    def __init__(self, kernels: list[KernelPlan], staged: list[str] | None = None):
        self.kernels = kernels
        self.staged = staged or []

    @property
    def bytes_read(self) -> int:
        """Bytes that all kernels read."""
        return sum(kernel.bytes_read for kernel in self.kernels)

    @property
    def bytes_written(self) -> int:
        """Bytes that all kernels write."""
        return sum(kernel.bytes_written for kernel in self.kernels)

    def __str__(self) -> str:
        parts = [f"computed on the host, with copies there and back: {function}" for function in self.staged]
        if not self.kernels:
            parts.append("no kernels: all arrays are in memory or enqueued")
        for number, kernel in enumerate(self.kernels, 1):
            operations = "".join(f"\n  {operation}" for operation in kernel.operations)
            parts.append(
                f"kernel {number} of {len(self.kernels)}: {kernel.elements} elements, reads {kernel.bytes_read} bytes"
                f" of {kernel.arrays_read} arrays, writes {kernel.bytes_written} bytes{operations}\n{kernel.source}"
            )
        return "\n".join(parts)

    __repr__ = __str__

    @property
    def svg(self) -> str:
        """Drawing of the kernels as SVG: what each reads, its operations with their lines, and its results."""
        from .notebook._plans import plan_svg

        return plan_svg(self)

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        from .notebook._plans import plan_html

        return plan_html(self)


def explain(*arrays: Array) -> Explanation:
    """Show the kernels that an evaluation of arrays would launch, without evaluating the arrays.

    Parameters
    ----------
    *arrays : Array
        Arrays to explain.

    Returns
    -------
    Explanation
        Kernels with their operations, bytes read and written, and source. print() shows all of them.

    Examples
    --------
    >>> x = qn.ones(1000, dtype="float32")
    >>> plan = qn.explain(2 * x + 1)
    >>> len(plan.kernels), plan.bytes_written
    (1, 4000)
    """
    return Explanation(_core.plans(*arrays), _core.staged_functions(*arrays))
