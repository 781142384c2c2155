# SPDX-License-Identifier: MIT
"""How functions that rearrange, choose, sort and search elements are called."""

from __future__ import annotations

from typing import Any

import numpy as np
from differential import REAL, Call, Draw, Operand, largest
from differential_table import calls, numpys, some_positions, target, with_few_extremes, words


# Shapes.
@calls("reshape")
def reshape(d: Draw) -> Call:
    x = d.array()
    shape = list(x.shape)
    d.random.shuffle(shape)
    form = d.pick(["same", "flat", "unknown", "wrong"] if d.chance(0.1) else ["same", "flat", "unknown"])
    if form == "flat":
        return Call((x, d.pick([-1, x.size, (x.size,)])))
    if form == "unknown" and shape:
        shape[0] = -1
    if form == "wrong":
        shape.append(7)
    return Call((x, tuple(shape)))


@calls("ravel atleast_1d atleast_2d atleast_3d fliplr flipud")
def of_one_array(d: Draw) -> Call:
    return Call((d.value(shape=d.shape()),))


@calls("size")
def size(d: Draw) -> Call:
    x = d.value(shape=d.shape())
    return Call((x,), d.maybe(axis=d.axis(np.ndim(numpys(x)))))


@calls("transpose")
def transpose(d: Draw) -> Call:
    x = d.array()
    axes = list(range(x.ndim))
    d.random.shuffle(axes)
    return Call((x,), d.maybe(axes=tuple(axes)))


@calls("permute_dims")
def permute_dims(d: Draw) -> Call:
    x = d.array()
    axes = [axis - x.ndim if d.chance(0.2) else axis for axis in range(x.ndim)]
    d.random.shuffle(axes)
    return Call((x, tuple(axes) if d.chance(0.95) else (*axes, 0)))


@calls("swapaxes rollaxis")
def swapaxes(d: Draw) -> Call:
    x = d.array(low=1)
    return Call((x, d.axis(x.ndim), d.axis(x.ndim)))


@calls("moveaxis")
def moveaxis(d: Draw) -> Call:
    x = d.array(low=1)
    if d.chance(0.6):
        return Call((x, d.axis(x.ndim), d.axis(x.ndim)))
    count = d.integer(1, x.ndim)
    return Call(
        (x, tuple(d.random.sample(range(x.ndim), count)), tuple(d.random.sample(range(x.ndim), count)))
    )


@calls("squeeze")
def squeeze(d: Draw) -> Call:
    x = d.array()
    return Call((x,), {"axis": d.axes(x.ndim)} if d.chance(0.5) else {})


@calls("expand_dims")
def expand_dims(d: Draw) -> Call:
    x = d.array()
    return Call((x, d.axis(x.ndim + 1) if d.chance(0.7) else (0, d.axis(x.ndim + 2))))


@calls("flip")
def flip(d: Draw) -> Call:
    x = d.array()
    return Call((x,), {"axis": d.axes(x.ndim)} if d.chance(0.7) and x.ndim else {})


@calls("rot90")
def rot90(d: Draw) -> Call:
    x = d.array(low=1)
    return Call((x,), d.maybe(k=d.integer(-5, 5), axes=(d.axis(x.ndim), d.axis(x.ndim))))


@calls("roll")
def roll(d: Draw) -> Call:
    x = d.array()
    if x.ndim > 1 and d.chance(0.3):
        return Call((x, (d.integer(-5, 5), d.integer(-5, 5)), (0, d.axis(x.ndim))))
    return Call((x, d.integer(-7, 7)), {"axis": d.axis(x.ndim)} if d.chance(0.5) and x.ndim else {})


@calls("concat concatenate")
def concat(d: Draw) -> Call:
    shape = d.shape(1, 3)
    axis = d.axis(len(shape))
    parts = []
    for _ in range(d.integer(1, 3)):
        own = list(shape)
        if -len(own) <= axis < len(own):
            own[axis] = d.integer(0, 3)
        if d.chance(0.03):
            own[0] += 1
        parts.append(d.array(shape=own))
    options: dict[str, Any] = {"axis": d.pick([axis, axis, None])}
    return Call((parts,), options | ({"dtype": d.dtype()} if d.chance(0.15) else {}))


@calls("stack")
def stack(d: Draw) -> Call:
    shape = d.shape()
    parts = [d.array(shape=shape) for _ in range(d.integer(1, 3))]
    return Call((parts,), d.maybe(axis=d.axis(len(shape) + 1)))


@calls("vstack hstack dstack column_stack")
def stacks(d: Draw) -> Call:
    shape = d.shape()
    return Call(([d.array(shape=shape) for _ in range(d.integer(1, 3))],))


@calls("append")
def append(d: Draw) -> Call:
    x = d.array(low=1)
    return Call((x, d.value(shape=x.shape)), {"axis": d.axis(x.ndim)} if d.flag() else {})


@calls("unstack")
def unstack(d: Draw) -> Call:
    x = d.array()
    return Call((x,), d.maybe(axis=d.axis(x.ndim)))


@calls("split array_split")
def split(d: Draw) -> Call:
    x = d.array(low=1)
    where = d.integer(0, 4) if d.flag() else sorted(d.integer(-2, 6) for _ in range(d.integer(0, 3)))
    return Call((x, where), d.maybe(axis=d.axis(x.ndim)))


@calls("vsplit hsplit dsplit")
def splits(d: Draw) -> Call:
    return Call((d.array(), d.integer(1, 3) if d.flag() else [1, 2]))


@calls("repeat")
def repeat(d: Draw) -> Call:
    x = d.array()
    axis = d.axis(x.ndim)
    if d.chance(0.5) and x.ndim and -x.ndim <= axis < x.ndim:
        counts = np.array([d.integer(0, 3) for _ in range(x.shape[axis])], d.dtype("i"))
        return Call((x, Operand(counts) if d.flag() else counts.tolist()), {"axis": axis})
    return Call((x, d.integer(-1 if x.size else 0, 3)), {"axis": axis} if d.chance(0.5) else {})


@calls("tile")
def tile(d: Draw) -> Call:
    return Call(
        (d.array(), d.integer(0, 3) if d.flag() else tuple(d.integer(0, 2) for _ in range(d.integer(1, 3))))
    )


PAD_MODES = words(
    "constant edge empty linear_ramp maximum mean median minimum reflect symmetric wrap reflect symmetric"
)


@calls("pad")
def pad(d: Draw) -> Call:
    with_few_extremes(d)
    x = d.array(low=d.pick([0, 1, 1, 1]))

    def pairs(low: int = 0) -> Any:
        each = tuple((d.integer(low, 3), d.integer(low, 5)) for _ in range(x.ndim))
        return d.pick([d.integer(low, 4), (low + 1, 2), each or 1])

    mode = d.pick(PAD_MODES)
    if mode == "linear_ramp" and x.dtype.kind in "iu" and x.dtype.itemsize == 8:
        x.base[...] %= 1000  # Steps of greater integers are rounded.
    options: dict[str, Any] = {"mode": mode}
    if mode == "constant":
        options |= d.maybe(constant_values=pairs)
    if mode in ("maximum", "mean", "median", "minimum"):
        options |= d.maybe(stat_length=lambda: pairs(0 if d.chance(0.1) else 1))
    if mode == "linear_ramp":
        options |= d.maybe(end_values=pairs)
    if mode in ("reflect", "symmetric"):
        options |= d.maybe(reflect_type=d.pick(["even", "odd"]))
    if d.chance(0.03):
        options |= {"end_values": 1} if mode != "linear_ramp" else {"reflect_type": "odd"}
    return Call((x, pairs()), options, scale=largest(x) * 8, ignored="elements" if mode == "empty" else "")


@calls("packbits")
def packbits(d: Draw) -> Call:
    x = d.array("biu" if d.chance(0.95) else "f", shape=d.shape(longest=19))
    options = d.maybe(bitorder=d.pick(["big", "little"]))
    return Call((x,), options | ({"axis": d.axis(x.ndim)} if x.ndim and d.flag() else {}))


@calls("unpackbits")
def unpackbits(d: Draw) -> Call:
    x = d.array(dtype=np.uint8 if d.chance(0.95) else np.int16)
    options = d.maybe(bitorder=d.pick(["big", "little"]), count=d.integer(-20, 40))
    options |= {"axis": d.axis(x.ndim)} if x.ndim and d.flag() else {}
    # Of no bytes NumPy makes whatever was in memory.
    return Call((x,), options, ignored="elements" if x.size == 0 else "")


@calls("apply_along_axis")
def apply_along_axis(d: Draw) -> Call:
    x = d.array(low=1)
    function = d.pick(
        [
            lambda v: v[0],
            lambda v, k=0: v[k:],
            lambda v: v[::-1] * 2,
            lambda v: v.reshape(1, -1),
            lambda v: (v != 0).sum(),
        ]
    )
    return Call((function, d.axis(x.ndim), x))


@calls("apply_over_axes")
def apply_over_axes(d: Draw) -> Call:
    x = d.array(low=1)
    axes = d.axes(x.ndim, none=False)
    return Call(
        (d.pick([lambda a, axis: a.max(axis), lambda a, axis: (a != 0).sum(axis, keepdims=True)]), x, axes)
    )


@calls("mask_indices")
def mask_indices(d: Draw) -> Call:
    return Call((d.integer(0, 4), lambda m, k: (m.cumsum(1) - m.cumsum(0)) >= k), d.maybe(k=d.integer(-3, 3)))


@calls("broadcast_to")
def broadcast_to(d: Draw) -> Call:
    shape = d.shape(1, 3)
    own = [1 if d.chance(0.3) else n for n in shape][d.integer(0, 1) :]
    return Call((d.array(shape=own), shape if d.chance(0.95) else (*shape, 2)))


@calls("lib.stride_tricks.sliding_window_view")
def sliding_window_view(d: Draw) -> Call:
    x = d.array(low=1)
    if d.flag():
        return Call((x, tuple(d.integer(d.chance(0.9), max(n, 1) + d.chance(0.1)) for n in x.shape)))
    axis = d.axis(x.ndim)
    length = x.shape[axis] if -x.ndim <= axis < x.ndim else 1
    return Call((x, d.integer(1, max(length, 1))), {"axis": axis} | d.maybe(writeable=False))


@calls("broadcast_arrays")
def broadcast_arrays(d: Draw) -> Call:
    return Call(tuple(d.array(shape=shape) for shape in d.broadcast_shapes(d.integer(1, 3))))


@calls("broadcast_shapes")
def broadcast_shapes(d: Draw) -> Call:
    return Call(tuple(d.broadcast_shapes(d.integer(0, 3))))


@calls("block")
def block(d: Draw) -> Call:
    n, m = d.integer(1, 3), d.integer(1, 3)
    return Call(
        ([[d.array(shape=(n, m)), d.array(shape=(n, 1))], [d.array(shape=(1, m)), d.array(shape=(1, 1))]],)
    )


@calls("resize")
def resize(d: Draw) -> Call:
    return Call((d.array(), d.shape() if d.flag() else d.integer(0, 9)))


@calls("trim_zeros")
def trim_zeros(d: Draw) -> Call:
    x = d.array(low=0, high=3)
    axes = d.pick([d.axis(x.ndim), tuple(range(x.ndim)), (0,)])
    return Call((x,), d.maybe(trim=d.pick(["f", "b", "fb", "BF", "x"]), axis=axes))


# Elements by their positions.
@calls("take")
def take(d: Draw) -> Call:
    x = d.array(low=d.pick([0, 1, 1]))
    axis = d.axis(x.ndim)
    by_axis = d.flag()
    inside = x.ndim and -x.ndim <= axis < x.ndim
    length = x.shape[axis] if by_axis and inside else max(x.size, 1)
    options: dict[str, Any] = {"axis": axis} if by_axis else {}
    return Call((x, some_positions(d, length)), options | d.maybe(mode=d.pick(["wrap", "clip"])))


@calls("take_along_axis")
def take_along_axis(d: Draw) -> Call:
    x = d.array(low=1)
    axis = d.axis(x.ndim)
    shape = list(x.shape)
    if not -x.ndim <= axis < x.ndim:
        return Call((x, some_positions(d, 1, tuple(shape)), axis))
    shape[axis] = d.integer(0, 3)
    return Call((x, some_positions(d, x.shape[axis], tuple(shape)), axis))


@calls("put_along_axis")
def put_along_axis(d: Draw) -> Call:
    x = target(d, low=1)
    axis = d.integer(-x.ndim, x.ndim - 1)
    shape = list(x.shape)
    shape[axis] = min(1, shape[axis])
    return Call((x, some_positions(d, x.shape[axis], tuple(shape)), d.value(x.dtype.kind), axis))


@calls("put")
def put(d: Draw) -> Call:
    x = target(d)
    at = some_positions(d, max(x.size, 1), (d.integer(0, 3),))
    at.base[...] = (
        np.unique(at.base % max(x.size, 1))[:1] if at.size else at.base
    )  # the order of writes is open
    at = Operand(at.base[:1])
    return Call(
        (x, at, d.array(shape=(d.integer(1, 3),), dtype=x.dtype)), d.maybe(mode=d.pick(["wrap", "clip"]))
    )


@calls("place putmask")
def place(d: Draw) -> Call:
    x = target(d)
    return Call((x, d.mask(x.shape), d.array(shape=(d.integer(1, 4),), dtype=x.dtype)))


@calls("copyto")
def copyto(d: Draw) -> Call:
    x = target(d)
    own = x.shape[d.integer(0, x.ndim) :]
    source = d.value(shape=own)
    return Call(
        (x, source),
        d.maybe(where=lambda: d.mask(x.shape), casting=d.pick(["no", "safe", "unsafe", "same_kind"])),
    )


@calls("fill_diagonal")
def fill_diagonal(d: Draw) -> Call:
    x = target(d, low=2, high=2) if d.chance(0.7) else target(d, shape=(d.integer(1, 3),) * 3)
    return Call((x, d.value(x.dtype.kind, d.pick([(), (2,), (5,)]))), d.maybe(wrap=True))


@calls("nonzero flatnonzero argwhere")
def nonzero(d: Draw) -> Call:
    return Call((d.value(shape=d.shape()),))


@calls("searchsorted")
def searchsorted(d: Draw) -> Call:
    x = d.array(REAL, low=1, high=1)
    ordered = Operand(np.sort(x.numpy()))
    options = d.maybe(side=d.pick(["left", "right"]))
    if d.chance(0.15):
        order = np.argsort(x.numpy(), kind="stable")
        return Call(
            (
                x,
                d.value(REAL, d.shape()),
            ),
            options | {"sorter": Operand(order)},
        )
    return Call((ordered, d.value(REAL, d.shape())), options)


@calls("extract compress")
def extract(d: Draw) -> Call:
    x = d.array()
    if d.name == "extract":
        return Call((d.mask(x.shape), x))
    axis = d.axis(x.ndim)
    known = x.ndim and -x.ndim <= axis < x.ndim
    length = x.shape[axis] if known else x.size
    return Call((d.mask((d.integer(0, length),)), x), {"axis": axis} if known else {})


@calls("choose")
def choose(d: Draw) -> Call:
    shape, *rest = d.broadcast_shapes(d.integer(2, 4), high=2)
    x = some_positions(d, len(rest), shape)
    x.base[...] = np.abs(x.base) % len(rest)
    return Call((x, [d.array(shape=one) for one in rest]), d.maybe(mode=d.pick(["wrap", "clip"])))


@calls("select")
def select(d: Draw) -> Call:
    shape = d.shape()
    count = d.integer(1, 3)
    conditions = [d.mask(shape) for _ in range(count)]
    return Call(
        (conditions, [d.value(shape=shape) for _ in range(count)]), d.maybe(default=lambda: d.value())
    )


@calls("piecewise")
def piecewise(d: Draw) -> Call:
    x = d.array("if", low=1)
    masks = [d.mask(x.shape) for _ in range(d.integer(1, 2))]
    return Call((x, masks, [d.integer(-3, 3) for _ in range(len(masks) + d.integer(0, 1))]))


@calls("delete")
def delete(d: Draw) -> Call:
    x = d.array(low=1)
    axis = d.axis(x.ndim)
    length = x.shape[axis] if -x.ndim <= axis < x.ndim else 1
    mask = [d.chance(0.5) for _ in range(length)]
    what = d.pick([d.integer(-length, max(length - 1, 0)), slice(0, 2), [0] if length else [], mask])
    return Call((x, what), {"axis": axis})


@calls("insert")
def insert(d: Draw) -> Call:
    x = d.array(low=1)
    if d.chance(0.5):
        return Call((x, d.integer(0, x.size), d.value(x.dtype.kind)))
    axis = d.integer(-x.ndim, x.ndim - 1)
    where = d.pick([0, [0], [0, x.shape[axis]], slice(0, 1), slice(None, None, 2)])
    return Call((x, where, d.value(x.dtype.kind)), {"axis": axis})


# Sorting and sets.
@calls("sort")
def sort(d: Draw) -> Call:
    x = d.array(shape=(2, 1500) if d.chance(0.02) else None)
    return Call((x,), {"axis": d.pick([None, d.axis(x.ndim)])} if d.flag() and x.ndim else {})


@calls("argsort")
def argsort(d: Draw) -> Call:
    x = d.array()
    return Call((x,), {"kind": "stable"} | ({"axis": d.pick([None, d.axis(x.ndim)])} if d.flag() else {}))


@calls("sort_complex")
def sort_complex(d: Draw) -> Call:
    return Call((d.array(low=1),))


@calls("partition argpartition")
def partition(d: Draw) -> Call:
    x = d.array(REAL, low=1)
    kth = d.integer(-1, max(x.shape[-1] - 1, 0)) if d.chance(0.95) else x.shape[-1]
    return Call((x, kth), ignored="elements")


@calls("lexsort")
def lexsort(d: Draw) -> Call:
    shape = d.shape(1, 2)
    return Call((tuple(d.array(REAL, shape) for _ in range(d.integer(1, 3))),))


@calls("unique")
def unique(d: Draw) -> Call:
    x = d.array()
    options = d.maybe(return_index=True, return_inverse=True, return_counts=True, equal_nan=False)
    is_nan = x.dtype.kind in "fc" and bool(np.isnan(x.numpy()).any())
    # The order of NaNs is open.
    if is_nan:
        options.pop("equal_nan", None)
    if x.ndim and not is_nan and d.chance(0.3):
        options["axis"] = d.axis(x.ndim)
    return Call((x,), options)


@calls("unique_all unique_counts unique_inverse unique_values")
def uniques(d: Draw) -> Call:
    if d.regime == "special":
        d.regime = "small"  # The order of NaNs is open.
    return Call((d.array(),))


@calls("isin in1d")
def isin(d: Draw) -> Call:
    return Call((d.value(shape=d.shape()), d.value(shape=d.shape())), d.maybe(invert=True))


@calls("intersect1d union1d setdiff1d setxor1d")
def sets(d: Draw) -> Call:
    return Call((d.array(), d.array()))


@calls("bincount")
def bincount(d: Draw) -> Call:
    n = d.integer(0, 6)
    dtype = d.dtype("biu")
    x = Operand(np.array([d.integer(0, 1 if dtype.kind == "b" else 6) for _ in range(n)], dtype))
    options = d.maybe(minlength=d.integer(0, 9))
    scale = 0.0
    if d.chance(0.5):
        if d.regime == "extreme":
            d.regime = "normal"
        options["weights"] = d.array(REAL, (n,))
        scale = largest(options["weights"])
    return Call((x,), options, scale=scale)


@calls("histogram")
def histogram(d: Draw) -> Call:
    if d.regime in ("extreme", "special"):
        d.regime = "small"
    x = d.array(REAL)
    bins = d.pick([1, 3, 10, [-2, 0, 1, 5], [0.5, 1.5], "array"])
    if bins == "array":
        bins = Operand(np.array([0, 1, 2, 4], d.dtype("iuf")))
    options: dict[str, Any] = {}
    if isinstance(bins, int) and d.chance(0.4):
        options["range"] = (-2, 3)
    scale = 1.0
    if d.chance(0.3):
        options["weights"] = d.array(REAL, x.shape)
        scale = largest(options["weights"])
    # Of x the edges have the precision, of the weights their sum.
    types = [one.dtype for one in (x, options.get("weights", x)) if one.dtype.kind == "f"]
    coarsest = min(types, key=lambda dtype: dtype.itemsize, default=None)
    return Call((x, bins), options | d.maybe(density=True), scale=scale, precision=coarsest)


@calls("histogram_bin_edges")
def histogram_bin_edges(d: Draw) -> Call:
    if d.regime in ("extreme", "special"):
        d.regime = "small"
    x = d.array(REAL)
    bins = d.pick([1, 3, 10, [-2, 0, 1, 5], "sqrt", "sturges"])
    options: dict[str, Any] = {"range": (-2, 3)} if isinstance(bins, int) and d.chance(0.4) else {}
    return Call((x, bins), options, scale=1.0)


@calls("histogram2d histogramdd")
def joint_histograms(d: Draw) -> Call:
    if d.regime in ("extreme", "special"):
        d.regime = "small"
    n = d.integer(1, 8)
    sample = [d.array(REAL, (n,)), d.array(REAL, (n,))]
    options: dict[str, Any] = {"range": [(-2, 3), (0, 4)]} if d.chance(0.4) else {}
    if d.chance(0.3):
        options["weights"] = d.array(REAL, (n,))
    scale = largest(options["weights"]) if "weights" in options else 1.0
    options["bins"] = d.pick([1, 3, [2, 4], [[-2, 0, 1, 5], 3]])
    coarsest = min(
        (one.dtype for one in sample if one.dtype.kind == "f"), key=lambda t: t.itemsize, default=None
    )
    args = tuple(sample) if d.name == "histogram2d" else (sample,)
    return Call(args, options | d.maybe(density=True), scale=scale, precision=coarsest)


@calls("digitize")
def digitize(d: Draw) -> Call:
    if d.regime == "special":
        d.regime = "extreme"
    edges = np.sort(d.elements(d.dtype("iuf"), (d.integer(1, 4),)))
    if d.chance(0.4):
        edges = edges[::-1].copy()
    return Call((d.value(REAL, d.shape()), Operand(edges)), d.maybe(right=True))
