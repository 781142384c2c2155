# SPDX-License-Identifier: MIT
"""Methods of arrays that are functions of the namespace: x.sum() is sum(x)."""

from __future__ import annotations

from typing import Any

from ._array import Array

_METHODS = (
    "all",
    "any",
    "argmax",
    "argmin",
    "clip",
    "conj",
    "dot",
    "max",
    "mean",
    "min",
    "prod",
    "ptp",
    "round",
    "squeeze",
    "std",
    "sum",
    "take",
    "var",
)


def add_methods(namespace: dict[str, Any]) -> None:
    """Adds the functions to the class."""

    def reshaped(self: Array, *shape: Any) -> Array:
        """Give the elements another shape; see quern.dist.reshape."""
        result: Array = namespace["reshape"](self, shape[0] if len(shape) == 1 else shape)
        return result

    def transposed(self: Array, *axes: Any) -> Array:
        """Permute the axes; see quern.dist.transpose."""
        order = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes or None
        result: Array = namespace["transpose"](self, order)
        return result

    for name in _METHODS:
        setattr(Array, name, namespace[name])
    for name, method in (("reshape", reshaped), ("transpose", transposed)):
        setattr(Array, name, method)
