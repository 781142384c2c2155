# SPDX-License-Identifier: MIT
"""How products and the functions of linear algebra are called."""

from __future__ import annotations

import numpy as np
from differential import Call, Draw, largest
from differential_table import calls, product, with_few_extremes


@calls("matmul linalg.matmul")
def matmul(d: Draw) -> Call:
    m, k, n = (d.pick([1, 2, 3, 4, 0] if d.chance(0.1) else [1, 2, 3, 4]) for _ in range(3))
    form = d.pick(["mm", "mm", "vm", "mv", "vv", "stack"])
    wrong = d.chance(0.03)
    if form == "stack":
        s, t = d.broadcast_shapes(2, high=2)
        return product(d, (*s, m, k), (*t, k + wrong, n))
    one = (m, k) if form[0] == "m" else (k,)
    other = (k + wrong, n) if form[1] == "m" else (k + wrong,)
    return product(d, one, other)


@calls("dot inner")
def dot(d: Draw) -> Call:
    k = d.pick([1, 2, 3, 5])
    one = (*d.shape(0, 2), k) if d.chance(0.9) else ()
    if d.chance(0.1):
        return product(d, one, ())
    if d.name == "inner":
        return product(d, one, (*d.shape(0, 2), k))
    return product(d, one, (k,) if d.chance(0.4) else (*d.shape(0, 1), k, d.pick([1, 2])))


@calls("vdot")
def vdot(d: Draw) -> Call:
    shape = d.shape()
    return product(d, shape, shape[::-1])


@calls("vecdot linalg.vecdot")
def vecdot(d: Draw) -> Call:
    k = d.pick([1, 2, 3, 5])
    one, other = d.broadcast_shapes(2, high=2)
    return product(d, (*one, k), (*other, k))


@calls("matvec")
def matvec(d: Draw) -> Call:
    m, k = d.pick([1, 2, 3]), d.pick([1, 2, 3])
    one, other = d.broadcast_shapes(2, high=1)
    return product(d, (*one, m, k), (*other, k))


@calls("vecmat")
def vecmat(d: Draw) -> Call:
    m, k = d.pick([1, 2, 3]), d.pick([1, 2, 3])
    one, other = d.broadcast_shapes(2, high=1)
    return product(d, (*one, k), (*other, k, m))


@calls("outer")
def outer(d: Draw) -> Call:
    return product(d, d.shape(0, 2), d.shape(0, 2))


@calls("linalg.outer")
def linalg_outer(d: Draw) -> Call:
    return product(d, d.shape(1, 1), d.shape(1, 1))


@calls("kron")
def kron(d: Draw) -> Call:
    return product(d, d.shape(0, 3), d.shape(0, 3))


@calls("tensordot linalg.tensordot")
def tensordot(d: Draw) -> Call:
    count = d.integer(0, 2)
    shared = tuple(d.pick([1, 2, 3]) for _ in range(count))
    one, other = d.shape(0, 2), d.shape(0, 2)
    if d.chance(0.5):
        return product(d, (*one, *shared), (*shared, *other), axes=count)
    order = list(range(count))
    d.random.shuffle(order)
    first = [len(one) + k for k in order]
    return product(d, (*one, *shared), (*shared, *other), axes=(first, order))


@calls("cross")
def cross(d: Draw) -> Call:
    one, other = d.broadcast_shapes(2, high=2)
    return product(d, (*one, 3), (*other, 3))


@calls("linalg.cross")
def linalg_cross(d: Draw) -> Call:
    one = d.shape(0, 2)
    return product(d, (*one, 3), (*one, 3))


@calls("einsum")
def einsum(d: Draw) -> Call:
    with_few_extremes(d)
    lengths = {name: d.pick([1, 2, 3]) for name in "ijkl"}
    inputs = ["".join(d.pick("ijkl") for _ in range(d.integer(0, 3))) for _ in range(d.integer(1, 3))]
    names = sorted(set("".join(inputs)))
    d.random.shuffle(names)
    text = ",".join(inputs)
    if d.chance(0.7):
        text += "->" + "".join(names[: d.integer(0, len(names))])
    operands = [d.array(shape=tuple(lengths[name] for name in one)) for one in inputs]
    if d.chance(0.3):
        operands = [d.array(shape=one.shape, dtype=operands[0].dtype) for one in operands]
    return Call((text, *operands), scale=float(np.prod([largest(one) for one in operands])) * 9)


@calls("trace")
def trace(d: Draw) -> Call:
    with_few_extremes(d)
    x = d.array(low=2)
    options = d.maybe(offset=d.integer(-2, 2), dtype=d.dtype)
    if d.chance(0.3):
        options |= {"axis1": d.axis(x.ndim), "axis2": d.axis(x.ndim)}
    return Call((x,), options, scale=largest(x) * 4)


@calls("linalg.trace")
def linalg_trace(d: Draw) -> Call:
    with_few_extremes(d)
    x = d.array(low=2)
    return Call((x,), d.maybe(offset=d.integer(-2, 2), dtype=d.dtype), scale=largest(x) * 4)


@calls("linalg.matrix_power")
def matrix_power(d: Draw) -> Call:
    d.regime = "small"
    n = d.integer(1, 3)
    x = d.array(shape=(*d.shape(0, 1), n, n))
    return Call((x, d.integer(0, 4)), scale=largest(x) ** 4 * 81)


@calls("linalg.norm")
def norm(d: Draw) -> Call:
    with_few_extremes(d)
    x = d.array(low=1, high=2)
    options = d.maybe(axis=d.axis(x.ndim), keepdims=True)
    is_vector = x.ndim == 1 or "axis" in options
    options |= d.maybe(
        ord=d.pick([0, 1, 2, 3, np.inf, -np.inf, -1, 0.5] if is_vector else ["fro", 1, -1, np.inf, -np.inf])
    )
    return Call((x,), options, scale=0)


@calls("linalg.vector_norm")
def vector_norm(d: Draw) -> Call:
    with_few_extremes(d)
    x = d.array()
    options = d.maybe(keepdims=True, ord=d.pick([0, 1, 2, 3, np.inf, -np.inf, -1, 0.5]))
    if x.ndim and d.chance(0.6):
        options["axis"] = d.axes(x.ndim)
    return Call((x,), options)


@calls("linalg.matrix_norm")
def matrix_norm(d: Draw) -> Call:
    with_few_extremes(d)
    return Call((d.array(low=2),), d.maybe(keepdims=True, ord=d.pick(["fro", 1, -1, np.inf, -np.inf])))


@calls("linalg.diagonal")
def linalg_diagonal(d: Draw) -> Call:
    return Call((d.array(low=2),), d.maybe(offset=d.integer(-2, 2)))


@calls("linalg.matrix_transpose matrix_transpose")
def matrix_transpose(d: Draw) -> Call:
    return Call((d.array(low=1),))
