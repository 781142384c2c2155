#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every generator, primitive and distribution once, at small sizes, against NumPy: for tools that watch memory.

    QUERN_DEVICE=cuda QUERN_POOL=0 compute-sanitizer --tool memcheck python tools/smoke_primitives.py [NAME...]

Without the pool each array is an allocation of its own, so that a step past its end is found. Sizes are one element, a
warp and one, and a few tiles and a bit; they are the same in every run, so that kernels are built once.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import quern as qn
from quern import algorithms

SIZES = (1, 33, 9001)
RNG = np.random.default_rng(11)
CHECKS: dict[str, Callable[[int], None]] = {}


def check(function: Callable[[int], None]) -> Callable[[int], None]:
    CHECKS[function.__name__] = function
    return function


def ints(n: int, low: int = -1000, high: int = 1000, dtype: Any = np.int32) -> np.ndarray:
    return RNG.integers(low, high, n).astype(dtype)


def same(got: Any, expected: Any) -> None:
    np.testing.assert_array_equal(got.get(), expected)


ADD = qn.ElementwiseKernel("const int *x, const int *y, int *z", "z[i] = x[i] + y[i]")
SUM = qn.ReductionKernel("int64", "0", "a + b", "x[i]", "const int *x")
SCANS = {
    strategy: qn.ScanKernel(
        "int32",
        "const int *x, const uchar *s, int *y",
        "x[i]",
        "across_seg_boundary ? b : a + b",
        neutral="0",
        is_segment_start_expr="s[i]",
        output_statement="y[i] = item + prev_item",
        strategy=strategy,
    )
    for strategy in ("automatic", "multi_pass")
}


@check
def elementwise(n: int) -> None:
    x, y = ints(n), ints(n)
    same(ADD(qn.asarray(x), qn.asarray(y)), x + y)
    # A view that is no multiple of a vector away from the start, rows that are broadcast, steps.
    a, b = qn.asarray(ints(n + 1)), qn.asarray(ints(3 * n).reshape(3, n))
    view = qn.Array(a.buffer.sub_buffer(4, 4 * n), np.int32, (n,))
    same(ADD(view, b), a.get()[1:] + b.get())
    z = qn.zeros(n, np.int32)
    qn.ElementwiseKernel("int *z", "z[i] = i")(z, range=range(0, n, 2))
    same(z, np.where(np.arange(n) % 2 == 0, np.arange(n), 0))


@check
def reduction(n: int) -> None:
    x = ints(7 * n).reshape(7, n)
    a = qn.asarray(x)
    assert SUM(a).get() == x.sum()
    same(SUM(a, axis=0), x.sum(axis=0))
    same(SUM(a, axis=1), x.sum(axis=1))


@check
def scan_kernel(n: int) -> None:
    x, s = ints(n), (RNG.random(n) < 0.01).astype(np.uint8)
    sums = np.cumsum(x)
    starts = np.maximum.accumulate(np.where(s != 0, np.arange(n), 0))
    item = sums - (sums - x)[starts]
    before = np.where(starts == np.arange(n), 0, item - x)
    for kernel in SCANS.values():
        y = qn.empty(n, np.int32)
        kernel(qn.asarray(x), qn.asarray(s), y)
        same(y, item + before)


@check
def scan(n: int) -> None:
    x = ints(n)
    same(algorithms.inclusive_scan(qn.asarray(x)), np.cumsum(x, dtype=np.int32))
    wide = x.astype(np.int64)
    same(algorithms.exclusive_scan(qn.asarray(wide)), np.cumsum(wide) - wide)
    halves = (x % 16 == 0).astype(np.float16)
    same(algorithms.inclusive_scan(qn.asarray(halves)), np.cumsum(halves, dtype=np.float16))


@check
def select(n: int) -> None:
    x = ints(n)
    a = qn.asarray(x)
    same(algorithms.copy_if(a, "x[i] > 0"), x[x > 0])
    same(algorithms.nonzero(a), np.nonzero(x)[0])
    both, count = algorithms.partition(a, "x[i] > 0")
    assert count.get() == (x > 0).sum()
    same(both, np.concatenate([x[x > 0], x[x <= 0]]))


@check
def runs(n: int) -> None:
    x = np.sort(ints(n, 0, 50))
    values, counts = np.unique(x, return_counts=True)
    a = qn.asarray(x)
    same(algorithms.unique(a), values)
    found, lengths = algorithms.run_length_encode(a)
    same(found, values)
    same(lengths, counts)
    keys, sums = algorithms.reduce_by_key(a, qn.asarray(np.ones(n, np.int64)))
    same(keys, values)
    same(sums, counts)


@check
def sort(n: int) -> None:
    for dtype in (np.uint32, np.float64, np.uint8):
        x = ints(n, 0, 1 << 30, np.int64).astype(dtype)
        same(algorithms.sort(qn.asarray(x)), np.sort(x))
    keys = ints(n, 0, 100)
    same(algorithms.argsort(qn.asarray(keys)), np.argsort(keys, kind="stable"))


@check
def search(n: int) -> None:
    x, y = np.sort(ints(n)), np.sort(ints(n + 3))
    a, b = qn.asarray(x), qn.asarray(y)
    same(algorithms.lower_bound(a, b), np.searchsorted(x, y))
    same(algorithms.merge(a, b), np.sort(np.concatenate([x, y])))


@check
def histogram(n: int) -> None:
    x = ints(n)
    a = qn.asarray(x)
    for bins in (10, 100_000):
        same(algorithms.histogram(a, bins, (-1000, 1000))[0], np.histogram(x, bins, (-1000, 1000))[0])
    weights = np.ones(n, np.float64)
    counted = algorithms.histogram(a, 10, (-1000, 1000), qn.asarray(weights))[0]
    same(counted, np.histogram(x, 10, (-1000, 1000), weights=weights)[0])


@check
def move(n: int) -> None:
    x, at = ints(n), RNG.permutation(n)
    positions = qn.asarray(at)
    same(algorithms.gather(qn.asarray(x), positions), x[at])
    to = qn.zeros(n, np.int32)
    algorithms.scatter(to, positions, qn.asarray(x), combine="add")
    expected = np.zeros(n, np.int32)
    expected[at] = x
    same(to, expected)
    matrix = ints(3 * n).reshape(3, n)
    same(algorithms.transpose(qn.asarray(matrix)), matrix.T)


@check
def random(n: int) -> None:
    rng = qn.random.default_rng(5)
    rng.integers(0, 7, 3)  # so that draws begin within a block
    draws = [
        rng.random(n, dtype=np.float32),
        rng.normal(size=n),
        rng.exponential(size=n),
        rng.gamma(2.5, size=n),
        rng.poisson(3.5, n),
        rng.poisson(300.0, n),
        rng.binomial(20, 0.3, n),
        rng.integers(0, 1000, n),
        rng.normal(np.arange(n, dtype=np.float64), 2.0),
        rng.gamma(np.linspace(0.1, 9, n), dtype=np.float32),
        rng.binomial(np.arange(n), 0.25),
        rng.integers(0, np.arange(1, n + 1)),
    ]
    assert all(np.isfinite(draw.get()).all() for draw in draws)
    same(algorithms.sort(rng.permutation(n)), np.arange(n))
    assert set(rng.choice(n, n, replace=False).get().tolist()) == set(range(n))


def main() -> None:
    wanted = sys.argv[1:] or list(CHECKS)
    for name in wanted:
        for n in SIZES:
            CHECKS[name](n)
        print(name, "passed", flush=True)


if __name__ == "__main__":
    main()
