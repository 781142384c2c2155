# SPDX-License-Identifier: MIT
"""The table from names of functions to the functions that draw arguments for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from differential import Call, Draw, Operand, largest

Recipe = Callable[[Draw], Call]
CALLS: dict[str, Recipe] = {}


def calls(*names: str) -> Callable[[Recipe], Recipe]:
    """Registers how the functions of these names are called."""

    def register(recipe: Recipe) -> Recipe:
        for group in names:
            for name in group.split():
                CALLS[name] = recipe
        return recipe

    return register


def words(text: str) -> list[str]:
    """Names that are written with blanks between them."""
    return text.split()


def numpys(value: Any) -> Any:
    """An operand as NumPy gets it."""
    return value.numpy() if isinstance(value, Operand) else value


def with_few_extremes(d: Draw) -> None:
    """Sums of huge floats depend on their order."""
    if d.regime == "extreme" and d.chance(0.6):
        d.regime = "small"


def product(d: Draw, one: tuple[int, ...], other: tuple[int, ...], *rest: Any, **options: Any) -> Call:
    """A call of a product of two arrays of these shapes."""
    with_few_extremes(d)
    x, y = d.array(shape=one), d.array(shape=other)
    if d.chance(0.3):
        y = d.array(shape=other, dtype=x.dtype)
    return Call((x, y, *rest), options, scale=largest(x) * largest(y) * 3)


def some_positions(d: Draw, length: int, shape: tuple[int, ...] | None = None, wrong: float = 0.03) -> Any:
    """Positions along an axis of this length, a wrong one among them now and then."""
    shape = d.shape(0, 2) if shape is None else shape
    dtype = d.dtype("i" if d.chance(0.7) else "iu")
    low = 0 if dtype.kind == "u" else -length
    count = int(np.prod(shape))
    values = np.array([d.integer(low, max(length - 1, low)) for _ in range(count)], np.int64)
    if count and d.chance(wrong):
        values[0] = length
    return Operand(values.astype(dtype).reshape(shape))


def target(d: Draw, **options: Any) -> Operand:
    """An array to write to: neither a broadcast view nor an expression."""
    while True:
        x = d.array(**options)
        if not x.is_lazy and all(step != "broadcast" for step, _ in x.steps):
            return x
