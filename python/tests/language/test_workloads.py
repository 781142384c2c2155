# SPDX-License-Identifier: MIT
"""The classic workloads of examples/kernels, on every device, against NumPy, hashlib and plain loops."""

import hashlib
from pathlib import Path

import numpy as np
import pytest

import quern as qn

KERNELS = Path(__file__).parents[3] / "examples" / "kernels"


def program(name, **defines):
    return qn.Program((KERNELS / f"{name}.cl").read_text(), name=f"{name}.cl", defines=defines)


@pytest.fixture
def rng():
    return np.random.default_rng(11)


def test_matrix_product_by_tiles(queue, rng):
    n = 64
    a, b = (rng.integers(-8, 8, (n, n)).astype(np.float32) for _ in range(2))
    c = qn.empty((n, n), np.float32, queue=queue)
    program("matmul").matmul(
        queue, (n, n), (16, 16), qn.asarray(a, queue=queue), qn.asarray(b, queue=queue), c, n
    )
    np.testing.assert_array_equal(c.get(), a @ b)


def test_transpose_of_an_uneven_matrix(queue, rng):
    a = rng.random((37, 50), np.float32)
    out = qn.empty((50, 37), np.float32, queue=queue)
    program("transpose").transpose(queue, (64, 48), (16, 16), qn.asarray(a, queue=queue), out, 50, 37)
    np.testing.assert_array_equal(out.get(), a.T)


def test_n_bodies_attract_each_other(queue, rng):
    n, dt, softening = 96, np.float32(0.01), np.float32(0.05)
    position = rng.random((n, 4), np.float32)
    velocity = rng.random((n, 4), np.float32)
    v, moved = qn.asarray(velocity, queue=queue), qn.empty((n, 4), np.float32, queue=queue)
    program("nbody").nbody(queue, n, 32, qn.asarray(position, queue=queue), v, moved, n, dt, softening)

    p = position.astype(np.float64)
    d = p[None, :, :3] - p[:, None, :3]
    r2 = (d**2).sum(-1) + float(softening)
    expected = velocity.astype(np.float64)
    expected[:, :3] += float(dt) * (d * (p[None, :, 3] / r2**1.5)[..., None]).sum(1)
    np.testing.assert_allclose(v.get(), expected, rtol=2e-5, atol=1e-5)
    np.testing.assert_allclose(
        moved.get()[:, :3], p[:, :3] + float(dt) * expected[:, :3], rtol=2e-6, atol=1e-6
    )
    np.testing.assert_array_equal(moved.get()[:, 3], position[:, 3])


def test_black_scholes_prices(queue, rng):
    n, rate, volatility = 1000, 0.02, 0.3
    price, strike = rng.uniform(5, 30, n).astype("f4"), rng.uniform(1, 100, n).astype("f4")
    years = rng.uniform(0.25, 10, n).astype("f4")
    call, put = qn.empty(n, np.float32, queue=queue), qn.empty(n, np.float32, queue=queue)
    program("black_scholes").black_scholes(
        queue,
        n,
        None,
        *(qn.asarray(x, queue=queue) for x in (price, strike, years)),
        rate,
        volatility,
        call,
        put,
    )

    from math import erf

    s, x, t = (a.astype(np.float64) for a in (price, strike, years))
    d1 = (np.log(s / x) + (rate + volatility**2 / 2) * t) / (volatility * np.sqrt(t))
    d2 = d1 - volatility * np.sqrt(t)
    n1, n2 = (np.array([(1 + erf(v / 2**0.5)) / 2 for v in d]) for d in (d1, d2))
    discounted = x * np.exp(-rate * t)
    np.testing.assert_allclose(call.get(), s * n1 - discounted * n2, rtol=1e-4, atol=2e-4)
    np.testing.assert_allclose(put.get(), discounted * (1 - n2) - s * (1 - n1), rtol=1e-4, atol=2e-4)


@pytest.mark.parametrize("local", [64, 256])
def test_sum_by_work_groups(queue, rng, local):
    a = rng.integers(-100, 100, 10_007).astype(np.float32)
    groups = 8
    sums, total = qn.empty(groups, np.float32, queue=queue), qn.empty(1, np.float32, queue=queue)
    reduce_sum = program("reduction").reduce_sum
    scratch = qn.LocalMemory(4 * local)
    reduce_sum(queue, groups * local, local, qn.asarray(a, queue=queue), sums, a.size, scratch)
    reduce_sum(queue, local, local, sums, total, groups, scratch)
    assert total.get()[0] == a.sum(dtype=np.float64)


def test_histogram_with_local_atomics(queue, rng):
    data = rng.integers(0, 256, 30_011).astype(np.uint8)
    counts = qn.zeros(256, np.uint32, queue=queue)
    program("histogram").histogram(queue, 4 * 128, 128, qn.asarray(data, queue=queue), counts, data.size)
    np.testing.assert_array_equal(counts.get(), np.bincount(data, minlength=256))


@pytest.mark.parametrize("local", [64, 100])
def test_scan_of_work_groups_and_of_their_totals(queue, rng, local):
    n = 40 * local - 17
    a = rng.integers(-1000, 1000, n).astype(np.int32)
    scan = program("scan")
    groups = -(-n // local)
    out, totals, last = (qn.empty(k, np.int32, queue=queue) for k in (n, groups, 1))
    scan.scan_parts(
        queue, groups * local, local, qn.asarray(a, queue=queue), out, totals, n, qn.LocalMemory(8 * local)
    )
    scan.scan_parts(queue, local, local, totals, totals, last, groups, qn.LocalMemory(8 * local))
    scan.add_totals(queue, groups * local, local, out, totals, n)
    np.testing.assert_array_equal(out.get(), np.cumsum(a, dtype=np.int32))


def test_bitonic_sort(queue, rng):
    n, local = 1024, 64
    keys = rng.integers(0, 1 << 32, n, dtype=np.uint32)
    on_device = qn.asarray(keys, queue=queue)
    sort = program("bitonic_sort")
    part = qn.LocalMemory(2 * local * 4)
    sort.sort_parts(queue, n // 2, local, on_device, part)
    length = 4 * local
    while length <= n:
        distance = length // 2
        while distance > local:
            sort.merge_step(queue, n // 2, local, on_device, length, distance)
            distance //= 2
        sort.merge_parts(queue, n // 2, local, on_device, length, part)
        length *= 2
    np.testing.assert_array_equal(on_device.get(), np.sort(keys))


def test_stencil_with_a_halo_in_local_memory(queue, rng):
    grid = rng.integers(0, 1 << 12, (48, 64)).astype(np.float32)
    a, b = qn.asarray(grid, queue=queue), qn.empty(grid.shape, np.float32, queue=queue)
    step = program("stencil").jacobi_step
    expected = grid
    for _ in range(3):
        step(queue, (64, 48), (16, 16), a, b, 64, 48)
        a, b = b, a
        new = expected.copy()
        new[1:-1, 1:-1] = np.float32(0.25) * (
            expected[:-2, 1:-1] + expected[2:, 1:-1] + expected[1:-1, :-2] + expected[1:-1, 2:]
        )
        expected = new
    np.testing.assert_array_equal(a.get(), expected)


def test_mandelbrot_counts_steps(queue):
    width, height, limit = 48, 32, 100
    left, top, scale = np.float32(-2), np.float32(-1), np.float32(0.0625)
    steps = qn.empty((height, width), np.int32, queue=queue)
    program("mandelbrot").mandelbrot(queue, (width, height), None, steps, width, left, top, scale, limit)

    cx = (left + scale * np.arange(width, dtype=np.float32))[None, :] + np.zeros((height, 1), np.float32)
    cy = (top + scale * np.arange(height, dtype=np.float32))[:, None] + np.zeros((1, width), np.float32)
    x, y, n = np.zeros_like(cx), np.zeros_like(cy), np.zeros(cx.shape, np.int32)
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(limit):
            inside = x * x + y * y <= 4
            x, y = np.where(inside, (x * x - y * y + cx, 2 * x * y + cy), (x, y))
            n += inside
    np.testing.assert_array_equal(steps.get(), n)


@pytest.mark.parametrize("length", [0, 3, 55, 56, 64, 200])
def test_sha256_of_many_messages(queue, rng, length):
    count = 20
    messages = rng.integers(0, 256, (count, max(length, 1))).astype(np.uint8)
    digests = qn.empty((count, 8), np.uint32, queue=queue)
    SHA256.sha256(queue, count, None, qn.asarray(messages, queue=queue), length, digests)
    got = [row.astype(">u4").tobytes() for row in digests.get()]
    assert got == [hashlib.sha256(row[:length].tobytes()).digest() for row in messages]


SHA256 = program("sha256")


@pytest.mark.parametrize("size", [16, 256])
def test_fft_by_butterflies(queue, rng, size):
    points = (rng.standard_normal((5, size)) + 1j * rng.standard_normal((5, size))).astype(np.complex64)
    out = qn.empty((5, 2 * size), np.float32, queue=queue)
    fft = program("fft", SIZE=size).fft
    fft(queue, 5 * size // 2, size // 2, qn.asarray(points.view(np.float32), queue=queue), out)
    expected = np.fft.fft(points.astype(np.complex128))
    np.testing.assert_allclose(out.get().view(np.complex64), expected, rtol=0, atol=2e-6 * size)


def test_sparse_product_by_rows_and_by_groups(queue, rng):
    rows, columns = 150, 90
    dense = rng.integers(-9, 10, (rows, columns)) * (rng.random((rows, columns)) < 0.2)
    starts = np.concatenate([[0], np.cumsum((dense != 0).sum(1))]).astype(np.int32)
    at = np.nonzero(dense)
    x = rng.integers(-9, 10, columns).astype(np.float32)
    matrix = [
        qn.asarray(v, queue=queue) for v in (starts, at[1].astype(np.int32), dense[at].astype(np.float32), x)
    ]
    sparse = program("spmv")
    y = qn.empty(rows, np.float32, queue=queue)
    sparse.spmv(queue, 192, 64, *matrix, y, rows)
    np.testing.assert_array_equal(y.get(), dense @ x)
    z = qn.empty(rows, np.float32, queue=queue)
    sparse.spmv_long_rows(queue, 32 * rows, 32, *matrix, z, qn.LocalMemory(4 * 32))
    np.testing.assert_array_equal(z.get(), dense @ x)
