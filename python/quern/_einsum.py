# SPDX-License-Identifier: MIT
"""numpy.einsum: operands are joined one after the other, each pair by one product of matrices."""

from __future__ import annotations

from math import prod

import numpy as np

from . import _core, _functions
from ._core import ArgumentTypeError, ArgumentValueError, Array
from ._operands import Values, as_arrays


def einsum(subscripts: str, *operands: Values) -> Array:
    """Sums of products of elements that Einstein's notation names, as in "ij,jk->ik"; "..." stands for axes broadcast."""
    arrays = as_arrays("einsum", *operands)
    inputs, output = _parse(subscripts, arrays)
    sizes: dict[str, int] = {}
    for names, x in zip(inputs, arrays, strict=True):
        for name, length in zip(names, x.shape, strict=True):
            known = sizes.setdefault(name, length)
            if known != length and 1 not in (known, length):
                raise ArgumentValueError(f"einsum: index {name!r} has the lengths {known} and {length}")
            sizes[name] = length if known == 1 else known
    # All are of the result's type before anything is summed or multiplied. float16 is rounded once, at the end.
    dtype = np.result_type(*(array.dtype for array in arrays))
    computed = np.dtype(np.float32) if dtype == np.float16 else dtype
    names, x = _diagonals(inputs[0], arrays[0].astype(computed, copy=False))
    for k in range(1, len(arrays)):
        needed = set(output).union(*inputs[k + 1 :])
        other_names, other = _diagonals(inputs[k], arrays[k].astype(computed, copy=False))
        names, x = _sum_away(names, x, needed | set(other_names))
        other_names, other = _sum_away(other_names, other, needed | set(names))
        names, x = _joined(names, x, other_names, other, needed, sizes)
    names, x = _sum_away(names, x, set(output))
    result = x.transpose([names.index(name) for name in output]) if output else x
    if computed != dtype:
        return result.astype(dtype)
    return result.copy() if result is arrays[0] or len(arrays) == 1 else result


def _parse(subscripts: str, operands: list[Array]) -> tuple[list[str], str]:
    if not isinstance(subscripts, str):
        raise ArgumentTypeError(f"einsum: the subscripts are a string, got {type(subscripts).__name__}")
    text = subscripts.replace(" ", "")
    left, arrow, output = text.partition("->")
    inputs = left.split(",")
    if len(inputs) != len(operands) or not operands:
        raise ArgumentValueError(
            f"einsum: {subscripts!r} names {len(inputs)} operands, but there are {len(operands)}"
        )
    # Axes of "..." get names that no text can have, the last one the same in all.
    most = 0
    for k, (names, x) in enumerate(zip(inputs, operands, strict=True)):
        if "..." in names:
            extra = x.ndim - len(names) + 3
            if extra < 0:
                raise ArgumentValueError(f"einsum: {names!r} does not fit an array of {x.ndim} dimensions")
            inputs[k] = names.replace("...", "".join(chr(0x2500 - d) for d in range(extra, 0, -1)))
            most = max(most, extra)
        elif len(names) != x.ndim:
            raise ArgumentValueError(f"einsum: {names!r} does not fit an array of {x.ndim} dimensions")
    ellipsis = "".join(chr(0x2500 - d) for d in range(most, 0, -1))
    if arrow:
        output = output.replace("...", ellipsis)
    else:
        letters = "".join(inputs)
        output = ellipsis + "".join(sorted(c for c in set(letters) - set(ellipsis) if letters.count(c) == 1))
    for name in "".join(inputs):
        if not (name.isalpha() or name in ellipsis):
            raise ArgumentValueError(f"einsum: {name!r} of {subscripts!r} is no letter")
    for name in output:
        if output.count(name) > 1 or not any(name in names for names in inputs):
            raise ArgumentValueError(f"einsum: {name!r} of the result is there twice, or in no operand")
    return inputs, output


def _diagonals(names: str, x: Array) -> tuple[str, Array]:
    """Axes of one name become one axis."""
    from ._functions import diagonal

    for name in dict.fromkeys(names):
        while names.count(name) > 1:
            first = names.index(name)
            second = names.index(name, first + 1)
            x = diagonal(x, 0, first, second)
            names = names[:first] + names[first + 1 : second] + names[second + 1 :] + name
    return names, x


def _sum_away(names: str, x: Array, needed: set[str]) -> tuple[str, Array]:
    axes = [k for k, name in enumerate(names) if name not in needed]
    if not axes:
        return names, x
    dtype = x.dtype
    return "".join(name for name in names if name in needed), _functions.sum(x, axis=axes, dtype=dtype)


def _joined(
    a_names: str, a: Array, b_names: str, b: Array, needed: set[str], sizes: dict[str, int]
) -> tuple[str, Array]:
    """One operand instead of two: what both have and somebody still needs is a stack of matrices."""
    shared = [name for name in a_names if name in b_names]
    if any(a.shape[a_names.index(name)] != b.shape[b_names.index(name)] for name in shared):
        return _multiplied(a_names, a, b_names, b, needed)
    stack = [name for name in shared if name in needed]
    summed = [name for name in shared if name not in needed]
    rows = [name for name in a_names if name not in shared]
    columns = [name for name in b_names if name not in shared]

    def count(group: list[str]) -> int:
        return prod(sizes[name] for name in group)

    def arranged(names: str, x: Array, first: list[str], second: list[str]) -> Array:
        moved = x.transpose([names.index(name) for name in (*stack, *first, *second)]) if names else x
        return moved.reshape(count(stack), prod(_lengths(names, x, first)), prod(_lengths(names, x, second)))

    product = _core.matmul(arranged(a_names, a, rows, summed), arranged(b_names, b, summed, columns))
    lengths = [*(sizes[n] for n in stack), *_lengths(a_names, a, rows), *_lengths(b_names, b, columns)]
    return "".join((*stack, *rows, *columns)), product.reshape(lengths)


def _lengths(names: str, x: Array, group: list[str]) -> list[int]:
    return [x.shape[names.index(name)] for name in group]


def _multiplied(a_names: str, a: Array, b_names: str, b: Array, needed: set[str]) -> tuple[str, Array]:
    """For lengths of one that are broadcast."""
    names = a_names + "".join(name for name in b_names if name not in a_names)

    def spread(own: str, x: Array) -> Array:
        order = [own.index(name) for name in names if name in own]
        moved = x.transpose(order) if order else x
        return moved.reshape([x.shape[own.index(name)] if name in own else 1 for name in names])

    product = _core.apply("multiply", spread(a_names, a), spread(b_names, b))
    return _sum_away(names, product, needed)
