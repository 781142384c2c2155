# SPDX-License-Identifier: MIT
"""Random programs of distributed arrays against NumPy: one body for ranks that are threads and for processes of MPI."""

import random

import numpy as np

import quern.dist as qn

# Values that are exact in all of these dtypes, so that any order of additions gives the same sums.
DTYPES = ["float64", "float32", "int64", "int32", "complex128"]


def grid_of(rng, ranks, ndim):
    """Lengths of a process grid of at most this many dimensions."""
    lengths, rest = [], ranks
    while len(lengths) + 1 < ndim and rng.random() < 0.7:
        factor = rng.choice([one for one in range(1, rest + 1) if rest % one == 0])
        lengths.append(factor)
        rest //= factor
    lengths.append(rest)
    return lengths


def layout_of(rng, ranks, shape):
    """One of the layouts that `layout=` takes."""
    kind = rng.choice(["block", "block", "grid", "grid", "cyclic", "replicated", "owned", "default"])
    if not shape or kind == "default":
        return None
    if kind == "grid":
        return grid_of(rng, ranks, len(shape))
    if kind == "cyclic":
        return qn.cyclic(rng.randint(1, 3), grid_of(rng, ranks, len(shape)))
    if kind == "owned":
        return qn.owned(rng.randrange(ranks))
    return kind


def shape_of(rng, least=1, most=3, longest=9):
    return tuple(
        rng.randint(0 if rng.random() < 0.1 else 1, longest) for _ in range(rng.randint(least, most))
    )


def values_of(rng, shape, dtype):
    count = int(np.prod(shape, dtype=np.int64))
    numbers = np.array([rng.randint(-8, 8) for _ in range(count)], dtype="int64").reshape(shape)
    if dtype.startswith("complex"):
        return (numbers + 1j * numbers[::-1] if shape else numbers + 2j).astype(dtype)
    return numbers.astype(dtype)


def make(rng, shape=None, dtype=None):
    """An array of NumPy's and the same one distributed."""
    shape = shape_of(rng) if shape is None else shape
    a = values_of(rng, shape, dtype or rng.choice(DTYPES))
    return a, qn.asarray(a, layout=layout_of(rng, qn.size(), shape))


def same(got, expected, exact=True):
    """Compares all elements, the dtype and the shape; `got` is gathered by all ranks."""
    assert got.shape == np.shape(expected), (got.shape, np.shape(expected))
    assert got.local.shape == got.layout.local_shape(qn.rank())
    assert got.dtype == np.asarray(expected).dtype, (got.dtype, np.asarray(expected).dtype)
    if exact:
        np.testing.assert_array_equal(got.get(), expected)
    else:
        np.testing.assert_allclose(got.get(), expected, rtol=1e-5, atol=1e-5)


def index_of(rng, shape):
    """A basic index."""
    parts = []
    for length in shape:
        kind = rng.random()
        if kind < 0.2 and length:
            parts.append(rng.randint(-length, length - 1))
        elif kind < 0.35:
            parts.append(slice(None))
        elif kind < 0.6:
            parts.append(slice(rng.randint(0, 2), rng.choice([None, -1, -2])))
        else:
            ends = [rng.choice([None, rng.randint(-length - 1, length + 1)]) for _ in range(2)]
            parts.append(slice(*ends, rng.choice([None, 1, 2, 3, -1, -2])))
    if rng.random() < 0.3:
        at = rng.randint(0, len(parts))
        parts = parts[:at] if rng.random() < 0.5 else [*parts[:at], Ellipsis]
    if rng.random() < 0.2:
        parts.insert(rng.randint(0, len(parts)), None)
    return tuple(parts)


def elementwise(rng):
    a, x = make(rng)
    shape = tuple(1 if rng.random() < 0.3 else one for one in a.shape)[rng.randint(0, 1) :]
    b, y = make(rng, shape)
    same(x + y * 2, a + b * 2)
    same(3 - x, 3 - a)
    same(x == y, a == b)
    same(qn.where(x == y, x, y), np.where(a == b, a, b))
    same(abs(-x), abs(-a), exact=a.dtype.kind != "c")
    same(qn.add(x, b), a + b)
    if a.dtype.kind != "c":
        same(qn.maximum(x, 0), np.maximum(a, 0))
        same(qn.clip(x, -2, 3), np.clip(a, -2, 3))
        same(qn.sqrt(abs(x)), np.sqrt(abs(a)), exact=False)
    a, x = a.copy(), x.copy()
    x += 2
    x *= x
    a += 2
    a *= a
    same(x, a)


def reductions(rng):
    a, x = make(rng)
    axes = rng.choice([None, *range(-a.ndim, a.ndim), tuple(range(a.ndim)), tuple(range(0, a.ndim, 2))])
    keep = rng.random() < 0.5
    same(qn.sum(x, axis=axes, keepdims=keep), np.sum(a, axis=axes, keepdims=keep))
    same(
        qn.any(x > 3 if a.dtype.kind != "c" else x, axis=axes),
        np.any(a > 3 if a.dtype.kind != "c" else a, axis=axes),
    )
    same(qn.all(x != 1, axis=axes, keepdims=keep), np.all(a != 1, axis=axes, keepdims=keep))
    same(qn.count_nonzero(x, axis=axes), np.asarray(np.count_nonzero(a, axis=axes)))
    if a.size:
        same(qn.mean(x, axis=axes, keepdims=keep), np.mean(a, axis=axes, keepdims=keep), exact=False)
        same(qn.var(x, axis=axes, keepdims=keep), np.var(a, axis=axes, keepdims=keep), exact=False)
        same(qn.std(x, axis=axes), np.std(a, axis=axes), exact=False)
        if a.dtype.kind != "c":
            same(qn.max(x, axis=axes, keepdims=keep), np.max(a, axis=axes, keepdims=keep))
            same(x.min(axes), np.min(a, axis=axes))
            same(qn.ptp(x, axis=axes), np.ptp(a, axis=axes))
            one = rng.choice([None, *range(a.ndim)])
            same(qn.argmax(x, axis=one, keepdims=keep), np.argmax(a, axis=one, keepdims=keep))
            same(x.argmin(one), np.argmin(a, axis=one))
    if a.size and a.dtype.kind == "f":
        a.flat[rng.randrange(a.size)] = np.nan
        x = qn.asarray(a, layout=layout_of(rng, qn.size(), a.shape))
        assert int(x.argmax()) == np.argmax(a)
        assert np.isnan(float(x.min()))
    axis = rng.randrange(a.ndim)
    b, y = make(rng, a.shape, "int64")
    same(qn.cumulative_sum(y, axis=axis), np.cumsum(b, axis=axis))
    same(qn.cumulative_prod(y % 3, axis=axis), np.cumprod(b % 3, axis=axis))
    same(
        qn.cumulative_sum(y, axis=axis, include_initial=True),
        np.cumulative_sum(b, axis=axis, include_initial=True),
    )


def norms(rng):
    a, x = make(rng, dtype=rng.choice(["float64", "float32", "complex128"]))
    axis = rng.choice([None, *range(a.ndim)])
    if a.size:
        for order in (2, 1, np.inf, -np.inf, 0, 3):
            expected = np.linalg.vector_norm(a, axis=axis, ord=order)
            same(
                qn.linalg.vector_norm(x, axis=axis, ord=order).astype("float64"),
                np.asarray(expected, "float64"),
                exact=False,
            )


def indexing(rng):
    a, x = make(rng, shape_of(rng, longest=12))
    for _ in range(3):
        index = index_of(rng, a.shape)
        same(x[index], a[index])
        part = a[index]
        value = rng.choice(["number", "array", "row", "slice"])
        if value == "number":
            a[index] = x[index] = 5
        elif value == "array" or part.ndim == 0:
            b, y = make(rng, part.shape, "int32")
            a[index] = b
            x[index] = y
        elif value == "row":
            b, y = make(
                rng,
                tuple(rng.choice([1, one]) for one in part.shape)[rng.randint(0, part.ndim - 1) :],
                "int32",
            )
            a[index] = b
            x[index] = y
        else:
            a[index] = a[index][(slice(None, None, -1),)].copy()
            x[index] = x[index][::-1]
        same(x, a)
    mask = a.real > 2
    same(x[qn.asarray(mask, layout=layout_of(rng, qn.size(), mask.shape))], a[mask])
    a[mask] = 1
    x[qn.asarray(mask, layout=layout_of(rng, qn.size(), mask.shape))] = 1
    same(x, a)
    count = int(mask.sum())
    b, y = make(rng, (rng.choice([count, 1]),), "int32")
    a[mask] = b
    x[qn.asarray(mask, layout=layout_of(rng, qn.size(), mask.shape))] = rng.choice([y, b])
    same(x, a)
    x[::-1] = x
    a[::-1] = a.copy()
    same(x, a)
    rows = np.array([rng.random() < 0.5 for _ in range(a.shape[0])], dtype=bool)
    same(x[rng.choice([rows, qn.asarray(rows, layout=layout_of(rng, qn.size(), rows.shape))])], a[rows])
    x[rows] = 3
    a[rows] = 3
    same(x, a)
    b, y = make(rng, rng.choice([(int(rows.sum()), *a.shape[1:]), a.shape[1:]]), "int32")
    x[qn.asarray(rows, layout=layout_of(rng, qn.size(), rows.shape))] = y
    a[rows] = b
    same(x, a)


def masks_beside_indices(rng):
    a, x = make(rng, tuple(rng.randint(1, 6) for _ in range(3)))
    first = np.array([rng.random() < 0.5 for _ in range(a.shape[0])], dtype=bool)
    plane = np.array([[rng.random() < 0.5] * a.shape[2] for _ in range(a.shape[1])], dtype=bool)

    def given(mask):
        return rng.choice(
            [mask, mask.tolist(), qn.asarray(mask, layout=layout_of(rng, qn.size(), mask.shape))]
        )

    last = rng.randrange(a.shape[2])
    same(x[given(first), 0], a[first, 0])
    same(x[given(first), :, last], a[first, :, last])
    same(x[..., given(plane)], a[..., plane])
    same(x[:, given(plane)], a[:, plane])
    same(x[0, given(plane)], a[0, plane])
    x[given(first), ..., last] = 7
    a[first, ..., last] = 7
    same(x, a)
    b, y = make(rng, (int(plane.sum()),), "int32")
    x[0, given(plane)] = y
    a[0, plane] = b
    same(x, a)


def movement(rng):
    a, x = make(rng)
    same(x.redistribute(layout_of(rng, qn.size(), a.shape) or "block"), a)
    shifts = [rng.randint(-12, 12) for _ in a.shape]
    same(qn.roll(x, shifts, list(range(a.ndim))), np.roll(a, shifts, list(range(a.ndim))))
    same(qn.roll(x, 3), np.roll(a, 3))
    order = rng.sample(range(a.ndim), a.ndim)
    same(qn.permute_dims(x, order), np.transpose(a, order))
    same(x.T + 1, a.T + 1)
    same(qn.flip(x), np.flip(a))
    axis = rng.randrange(a.ndim)
    other = tuple(rng.randint(0, 4) if one == axis else length for one, length in enumerate(a.shape))
    b, y = make(rng, other)
    if rng.random() < 0.8:
        same(qn.concat([x, y, x], axis=axis), np.concatenate([a, b, a], axis=axis))
    same(qn.stack([x, x + 1], axis), np.stack([a, a + 1], axis))
    shapes = [(-1,), (a.size,), (a.size, 1), (1, a.size), a.shape[::-1], (*a.shape, 1), (a.shape[0], -1)]
    shape = rng.choice(shapes if a.size else shapes[1:6])
    same(qn.reshape(x, shape), a.reshape(shape))
    length = a.shape[axis]
    places = [rng.randint(-length, length - 1) for _ in range(rng.randint(0, 10))] if length else []
    same(qn.take(x, places, axis), np.take(a, np.array(places, dtype=int), axis))
    same(qn.squeeze(qn.expand_dims(x, axis), axis), a)
    same(qn.broadcast_to(x, (2, *a.shape)), np.broadcast_to(a, (2, *a.shape)))


def products(rng):
    m, k, n = (rng.randint(1, 9) for _ in range(3))
    dtype = rng.choice(["float64", "float32", "int64"])
    (a, x), (b, y) = make(rng, (m, k), dtype), make(rng, (k, n), dtype)
    (u, v), (p, q) = make(rng, (k,), dtype), make(rng, (k,), dtype)
    same(x @ y, a @ b)
    same(x @ v, a @ u)
    same(v @ y, u @ b)
    same(qn.dot(v, q), np.dot(u, p))
    same(v @ q, u @ p)
    same(x @ b, a @ b)
    same(a @ y, a @ b)


def sorting(rng):
    a, x = make(rng, shape_of(rng, longest=30, most=2), rng.choice(["float64", "int32"]))
    if a.dtype.kind == "f" and a.size:
        a.flat[rng.randrange(a.size)] = np.nan
        x = qn.asarray(a, layout=layout_of(rng, qn.size(), a.shape))
    axis = rng.randrange(a.ndim)
    same(qn.sort(x, axis=axis), np.sort(a, axis=axis))
    same(qn.sort(-x, axis=axis), np.sort(-a, axis=axis))
    same(qn.argsort(x, axis=axis), np.argsort(a, axis=axis, kind="stable"))
    same(qn.unique_values(x), np.unique(a))
    if a.size:
        b, y = make(rng, a.shape, "float64")
        edges = rng.choice([7, [-9.0, -2.0, 0.0, 0.5, 9.0]])
        counts, found = qn.histogram(y, edges)
        expected = np.histogram(b, edges)
        same(counts, expected[0])
        np.testing.assert_array_equal(found, expected[1])


def creation(rng):
    layout = lambda shape: layout_of(rng, qn.size(), shape)  # noqa: E731
    shape = shape_of(rng)
    same(qn.zeros(shape, layout=layout(shape)), np.zeros(shape))
    same(qn.ones(shape, "int32", layout=layout(shape)), np.ones(shape, "int32"))
    same(qn.full(shape, 2.5, layout=layout(shape)), np.full(shape, 2.5))
    x = qn.zeros(shape, layout=layout(shape))
    same(qn.full_like(x, 7), np.full(shape, 7.0))
    same(qn.ones_like(x, "int16"), np.ones(shape, "int16"))
    start, stop, step = rng.randint(-9, 9), rng.randint(-9, 30), rng.choice([1, 2, 5, -1, -3])
    count = len(range(start, stop, step))
    same(qn.arange(start, stop, step, layout=layout((count,))), np.arange(start, stop, step))
    same(qn.arange(0.5, 7.2, 0.3), np.arange(0.5, 7.2, 0.3), exact=False)
    num = rng.randint(1, 20)
    same(qn.linspace(-1, 2, num, layout=layout((num,))), np.linspace(-1, 2, num), exact=False)
    n, m, k = rng.randint(1, 8), rng.randint(1, 8), rng.randint(-3, 3)
    same(qn.eye(n, m, k, layout=layout((n, m))), np.eye(n, m, k))
    rows = [rng.randint(0, 3) for _ in range(qn.size())]
    whole = np.arange(2 * sum(rows)).reshape(-1, 2)
    first = sum(rows[: qn.rank()])
    same(qn.from_local(whole[first : first + rows[qn.rank()]]), whole)


def masked_reductions(rng):
    a, x = make(rng)
    axes = rng.choice([None, *range(-a.ndim, a.ndim), tuple(range(a.ndim))])
    mask = np.array([rng.random() < 0.6 for _ in range(a.size)], dtype=bool).reshape(a.shape)
    where = rng.choice([mask, qn.asarray(mask, layout=layout_of(rng, qn.size(), a.shape))])
    keep = rng.random() < 0.5
    options = {"axis": axes, "keepdims": keep}
    same(qn.sum(x, **options, where=where, initial=3), np.sum(a, **options, where=mask, initial=3))
    same(
        qn.prod(x % 2 + 1 if a.dtype.kind != "c" else x, **options, initial=2, where=where),
        np.prod(a % 2 + 1 if a.dtype.kind != "c" else a, **options, initial=2, where=mask),
        exact=False,
    )
    same(qn.any(x, **options, where=where), np.any(a, **options, where=mask))
    same(qn.all(x, **options, where=where), np.all(a, **options, where=mask))
    if a.dtype.kind != "c":
        same(qn.max(x, **options, initial=-3, where=where), np.max(a, **options, initial=-3, where=mask))
        same(qn.min(x, **options, initial=2), np.min(a, **options, initial=2))
    if a.size and mask.sum(axis=axes).all():
        same(qn.mean(x, **options, where=where), np.mean(a, **options, where=mask), exact=False)
        same(qn.var(x, **options, where=where), np.var(a, **options, where=mask), exact=False)


def index_arrays(rng):
    a, x = make(rng, shape_of(rng, longest=7))

    def indices(length, shape):
        values = np.array(
            [rng.randint(-length, length - 1) for _ in range(int(np.prod(shape)))], dtype=np.int64
        )
        values = values.reshape(shape).astype(rng.choice(["int64", "int32"]))
        spread = qn.asarray(values, layout=layout_of(rng, qn.size(), shape))
        return values, rng.choice([values, spread, values.tolist()])

    if a.size:
        shape = shape_of(rng, most=2, longest=4)
        shape = tuple(max(one, 1) for one in shape)
        ours, theirs = [], []
        for length in a.shape:
            kind = rng.random()
            if kind < 0.5 or (
                len(theirs) + 1 == a.ndim and not any(isinstance(one, np.ndarray) for one in theirs)
            ):
                values, given = indices(length, rng.choice([shape, shape[-1:], (1,)]))
                theirs.append(values)
                ours.append(given)
            elif kind < 0.65:
                theirs.append(rng.randint(-length, length - 1))
                ours.append(theirs[-1])
            else:
                theirs.append(slice(rng.randint(0, 2), None, rng.choice([1, 2, -1])))
                ours.append(theirs[-1])
        if rng.random() < 0.2:
            at = rng.randint(0, len(ours))
            ours.insert(at, None)
            theirs.insert(at, None)
        same(x[tuple(ours)], a[tuple(theirs)])
        axis = rng.randrange(a.ndim)
        values, given = indices(a.shape[axis], shape)
        same(qn.take(x, given, axis), np.take(a, values, axis))
        values, given = indices(a.size, (3,))
        same(qn.take(x, given), np.take(a, values))
        order = np.argsort(a.real, axis=axis, kind="stable")
        places = qn.asarray(order, layout=layout_of(rng, qn.size(), a.shape))
        same(qn.take_along_axis(x, places, axis), np.take_along_axis(a, order, axis))
        # Each place once: the order of writes to the same one is not defined.
        chosen = np.array(rng.sample(range(a.shape[0]), rng.randint(1, a.shape[0])))
        b, y = make(rng, rng.choice([(chosen.size, *a.shape[1:]), a.shape[1:]]), "int32")
        a[chosen] = b
        x[qn.asarray(chosen, layout=layout_of(rng, qn.size(), chosen.shape))] = y
        same(x, a)
        flat = np.array(rng.sample(range(a.size), rng.randint(1, a.size)))
        np.put(a, flat, np.arange(flat.size))
        qn.put(x, flat, np.arange(flat.size))
        same(x, a)
    for got, expected in zip(qn.nonzero(x), np.nonzero(a), strict=True):
        same(got, expected)


def composed(rng):
    a, x = make(rng)
    axis = rng.randrange(-a.ndim, a.ndim)
    same(qn.diff(x, axis=axis), np.diff(a, axis=axis))
    same(qn.diff(x, axis=axis, n=2, prepend=x), np.diff(a, axis=axis, n=2, prepend=a))
    same(qn.repeat(x, 2, axis), np.repeat(a, 2, axis))
    same(qn.repeat(x, 3), np.repeat(a, 3))
    counts = [rng.randint(0, 2) for _ in range(a.shape[axis])]
    same(qn.repeat(x, counts, axis), np.repeat(a, counts, axis))
    times = rng.choice([2, (2, 1), (1, 2, 3), (0, 1)])
    same(qn.tile(x, times), np.tile(a, times))
    if a.ndim > 1:
        k = rng.randint(-3, 3)
        same(qn.tril(x, k=k), np.tril(a, k))
        same(qn.triu(x, k=k), np.triu(a, k))
    b, y = make(rng, a.shape[-1:])
    same(qn.outer(x, y), np.outer(a, b))
    if a.size:
        same(qn.vecdot(x, y), np.linalg.vecdot(a, b))
    order = rng.sample(range(a.ndim), a.ndim)
    same(qn.moveaxis(x, list(range(a.ndim)), order), np.moveaxis(a, range(a.ndim), order))
    for got, expected in zip(qn.unstack(x, axis=axis), np.unstack(a, axis=axis), strict=True):
        same(got, expected)
    for indexing in ("xy", "ij"):
        (u, v), (p, q) = make(rng, (rng.randint(1, 5),)), make(rng, (rng.randint(1, 5),))
        for got, expected in zip(
            qn.meshgrid(v, q, indexing=indexing), np.meshgrid(u, p, indexing=indexing), strict=True
        ):
            same(got, expected)
    if a.size:
        c, z = make(rng, a.shape)
        count = rng.randint(0, a.ndim)
        same(qn.tensordot(x, z.T, axes=count), np.tensordot(a, c.T, count)) if a.ndim == 1 else None
        axes = rng.sample(range(a.ndim), count)
        same(qn.tensordot(x, z, axes=(axes, axes)), np.tensordot(a, c, (axes, axes)))


def sets(rng):
    a, x = make(rng, shape_of(rng, longest=20, most=2), rng.choice(["float64", "int32"]))
    if a.dtype.kind == "f" and a.size > 1:
        a.flat[0] = a.flat[-1] = np.nan
        x = qn.asarray(a, layout=layout_of(rng, qn.size(), a.shape))
    for got, expected in zip(qn.unique_all(x), np.unique_all(a), strict=True):
        same(got, expected)
    for got, expected in zip(qn.unique_counts(x), np.unique_counts(a), strict=True):
        same(got, expected)
    same(qn.unique_values(x), np.unique(a, equal_nan=False))
    b, y = make(rng, None, "int32")
    same(qn.isin(x, y), np.isin(a, b))
    same(qn.isin(x, b, invert=True), np.isin(a, b, invert=True))
    flat = qn.sort(qn.reshape(x, (a.size,)))
    for side in ("left", "right"):
        same(qn.searchsorted(flat, y, side=side), np.searchsorted(np.sort(a.ravel()), b, side=side))


def diagonals(rng):
    a, x = make(rng, shape_of(rng, least=2), rng.choice(["float64", "complex128"]))
    offset = rng.randint(-4, 4)
    same(qn.linalg.diagonal(x, offset=offset), np.linalg.diagonal(a, offset=offset))
    same(qn.linalg.trace(x, offset=offset), np.linalg.trace(a, offset=offset))
    if a.size:
        for order in ("fro", 1, -1, np.inf, -np.inf):
            same(qn.linalg.matrix_norm(x, ord=order), np.linalg.matrix_norm(a, ord=order), exact=False)


def stacks(rng):
    m, k, n = (rng.randint(1, 5) for _ in range(3))
    batch = tuple(rng.randint(1, 4) for _ in range(rng.randint(1, 2)))
    other = rng.choice([batch, batch[1:], tuple(1 if rng.random() < 0.5 else one for one in batch)])
    dtype = rng.choice(["float64", "int64", "complex128"])
    (a, x), (b, y) = make(rng, (*batch, m, k), dtype), make(rng, (*other, k, n), dtype)
    u, v = make(rng, (k,), dtype)
    same(x @ y, a @ b)
    same(x @ v, a @ u)
    same(v @ y, u @ b)
    same(x @ b, a @ b)
    same(y.mT @ x.mT, np.swapaxes(b, -1, -2) @ np.swapaxes(a, -1, -2))


def complex_sorting(rng):
    shape = shape_of(rng, longest=20, most=2)
    a = values_of(rng, shape, "float64") + 1j * values_of(rng, shape, "float64")
    for _ in range(min(a.size, 3)):
        a.flat[rng.randrange(a.size)] = rng.choice(
            [complex(np.nan, 1), complex(2, np.nan), complex(np.nan, np.nan)]
        )
    x = qn.asarray(a, layout=layout_of(rng, qn.size(), shape))
    axis = rng.randrange(a.ndim)
    same(qn.sort(x, axis=axis), np.sort(a, axis=axis))
    same(qn.argsort(x, axis=axis), np.argsort(a, axis=axis, kind="stable"))


def numpy_functions(rng):
    """NumPy's own functions call those of quern.dist."""
    a, x = make(rng, dtype="float64")
    axis = rng.choice([None, *range(a.ndim)])
    same(np.sum(x, axis, None, None, True), np.sum(a, axis, None, None, True))
    same(np.std(x, axis=axis, ddof=0), np.std(a, axis=axis), exact=False) if a.size else None
    same(np.where(x > 0, x, 0), np.where(a > 0, a, 0))
    same(np.concatenate([x, x], axis=0), np.concatenate([a, a], axis=0))
    same(np.add(x, a), a + a)
    same(np.add.reduce(x), np.add.reduce(a))
    same(np.multiply.outer(x, np.arange(2.0)), np.multiply.outer(a, np.arange(2.0)))
    same(np.cumsum(x, axis=0), np.cumsum(a, axis=0))
    same(np.transpose(x), a.T)
    same(np.expand_dims(x, 0), a[None])
    same(np.clip(x, -1, 1), np.clip(a, -1, 1))
    same(np.sort(x, axis=0), np.sort(a, axis=0))
    same(np.zeros_like(x), np.zeros_like(a))
    same(np.reshape(x, (a.size,)), a.ravel())
    same(np.ravel(x), a.ravel())
    assert np.shape(x) == a.shape
    assert np.array_equal(x, a)
    assert np.allclose(x, a + 1e-12)
    if a.ndim > 1:
        same(np.tril(x, -1), np.tril(a, -1))


def one_sided(rng):
    """Each rank adds its number to a patch that all agree on; all read the sum."""
    shape = shape_of(rng)
    a, expected = qn.GlobalArray(shape, "int64"), np.zeros(shape, "int64")
    for _ in range(3):
        patch = tuple(slice(*sorted((rng.randint(0, length), rng.randint(0, length)))) for length in shape)
        a.accumulate(patch, qn.rank() + 1)
        expected[patch] += qn.size() * (qn.size() + 1) // 2
    counter = qn.Counter()
    counter.next(2)
    a.sync()
    np.testing.assert_array_equal(a.get(), expected, strict=True)
    assert counter.next(0) == 2 * qn.size()
    qn.barrier()


BODIES = [
    complex_sorting,
    composed,
    creation,
    diagonals,
    elementwise,
    index_arrays,
    indexing,
    masked_reductions,
    masks_beside_indices,
    movement,
    norms,
    numpy_functions,
    one_sided,
    products,
    reductions,
    sets,
    sorting,
    stacks,
]


def run(name, seed, bodies=BODIES):
    """One body with one seed, on the current ranks."""
    body = next(one for one in bodies if one.__name__ == name)
    body(random.Random(seed))
