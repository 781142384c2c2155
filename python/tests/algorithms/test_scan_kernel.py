# SPDX-License-Identifier: MIT
"""ScanKernel: scans with the user's operators, against NumPy and sequential loops."""

import numpy as np
import pytest

import quern as qn

SIZES = [0, 1, 2, 31, 255, 256, 257, 4095, 4096, 4097, 100_003]


STRATEGIES = ["automatic", "sequential", "multi_pass"]


@pytest.fixture(scope="module")
def cumsum(device):
    return {
        strategy: qn.ScanKernel(
            "int32",
            "const int *x, int *y",
            "x[i]",
            "a + b",
            output_statement="y[i] = item",
            strategy=strategy,
        )
        for strategy in STRATEGIES
    }


def random_ints(n, low=-100, high=100, seed=1):
    return np.random.default_rng(seed).integers(low, high, n).astype(np.int32)


@pytest.mark.parametrize("n", SIZES)
def test_every_strategy_sums_as_numpy_does(device, cumsum, n):
    x = random_ints(n)
    for strategy, kernel in cumsum.items():
        y = qn.empty(n, np.int32, device)
        kernel(qn.asarray(x, device=device), y).wait()
        assert np.array_equal(y.get(), np.cumsum(x, dtype=np.int32)), strategy


def test_a_scan_may_run_in_place(device, cumsum):
    x = random_ints(50_001)
    for strategy, kernel in cumsum.items():
        y = qn.asarray(x, device=device)
        kernel(y, y).wait()
        assert np.array_equal(y.get(), np.cumsum(x, dtype=np.int32)), strategy


def test_size_limits_the_scan(device, cumsum):
    x = random_ints(1000)
    y = qn.zeros(1000, np.int32, device)
    cumsum["automatic"](qn.asarray(x, device=device), y, size=300).wait()
    got = y.get()
    assert np.array_equal(got[:300], np.cumsum(x[:300]))
    assert not got[300:].any()


@pytest.fixture(scope="module")
def segmented(device):
    return {
        strategy: qn.ScanKernel(
            "int32",
            "const int *x, const uchar *starts, int *inclusive, int *exclusive",
            "x[i]",
            "across_seg_boundary ? b : a + b",
            "0",
            "inclusive[i] = item; exclusive[i] = prev_item",
            is_segment_start_expr="starts[i]",
            strategy=strategy,
        )
        for strategy in STRATEGIES
    }


@pytest.mark.parametrize("n", [1, 7, 4097, 100_003])
@pytest.mark.parametrize("density", [0.0, 0.00003, 0.001, 0.3])
def test_segments_are_summed_apart(device, segmented, n, density):
    rng = np.random.default_rng(n)
    x = random_ints(n)
    starts = rng.random(n) < density
    inclusive, exclusive, total = np.empty_like(x), np.empty_like(x), 0
    for k in range(n):
        total = 0 if starts[k] else total
        exclusive[k] = total
        total += x[k]
        inclusive[k] = total
    for strategy, kernel in segmented.items():
        a, b = qn.empty(n, np.int32, device), qn.empty(n, np.int32, device)
        kernel(qn.asarray(x, device=device), qn.asarray(starts.view(np.uint8), device=device), a, b).wait()
        assert np.array_equal(a.get(), inclusive), strategy
        assert np.array_equal(b.get(), exclusive), strategy


@pytest.mark.parametrize("group_size, items", [(32, 1), (64, 3), (32, 7), (128, 24), (256, 32)])
def test_tiles_of_every_shape_agree(device, group_size, items):
    if device.backend == "opencl":
        pytest.skip("new kernels take PoCL long; the host runs the same text")
    rng = np.random.default_rng(items)
    for n in (1, group_size * items + 1, 30_011):
        x = rng.integers(0, 100, n).astype(np.uint8)
        starts = rng.random(n) < 0.01
        total = np.cumsum(x, dtype=np.int64)
        before = np.maximum.accumulate(np.where(starts, total - x, 0))
        # In line with vectors, and not.
        for skipped in (0, 1, 4):
            memory = qn.asarray(np.concatenate([np.zeros(skipped, np.uint8), x]), device=device)
            inclusive, exclusive = qn.empty(n, np.int64, device), qn.empty(n, np.int32, device)
            for strategy in ("automatic", "multi_pass"):
                kernel = qn.ScanKernel(
                    "int64",
                    "const uchar *x, const uchar *starts, long *inclusive, int *exclusive",
                    "x[i]",
                    "across_seg_boundary ? b : a + b",
                    "0",
                    "inclusive[i] = item + x[i]; exclusive[i] = (int)prev_item",
                    is_segment_start_expr="starts[i]",
                    strategy=strategy,
                    group_size=group_size,
                    items=items,
                )
                flags = qn.asarray(starts.view(np.uint8), device=device)
                values = qn.Array(memory.buffer, np.uint8, n, offset=skipped)
                kernel(values, flags, inclusive, exclusive).wait()
                assert np.array_equal(inclusive.get(), total - before + x), (n, strategy)
                assert np.array_equal(exclusive.get(), np.where(starts, 0, total - before - x)), (n, strategy)


@pytest.mark.parametrize("words", [3, 150])
@pytest.mark.parametrize("strategy", ["automatic", "multi_pass"])
def test_items_may_have_any_size(device, words, strategy):
    if strategy == "multi_pass" and words == 3 and device.backend == "opencl":
        pytest.skip("new kernels take PoCL long; the host runs the same text")
    item = np.dtype([("sums", "u4", (words,))])
    x = np.zeros(3001, item)
    x["sums"] = np.random.default_rng(words).integers(0, 2**32, (3001, words), dtype=np.uint32)
    kernel = qn.ScanKernel(
        item,
        "const item_t *x, item_t *y",
        "x[i]",
        "sum(a, b)",
        output_statement="y[i] = item",
        preamble=f"item_t sum(item_t a, item_t b) {{ for (int k = 0; k < {words}; ++k) a.sums[k] += b.sums[k]; "
        "return a; }",
        strategy=strategy,
    )
    y = qn.empty(3001, item, device)
    kernel(qn.asarray(x, device=device), y).wait()
    assert np.array_equal(y.get()["sums"], np.cumsum(x["sums"], axis=0, dtype=np.uint32))


MATRIX = np.dtype([("m", "u4", (4,))])
PRODUCT = """
item_t product(item_t a, item_t b) {
  item_t c;
  c.m[0] = a.m[0] * b.m[0] + a.m[1] * b.m[2];
  c.m[1] = a.m[0] * b.m[1] + a.m[1] * b.m[3];
  c.m[2] = a.m[2] * b.m[0] + a.m[3] * b.m[2];
  c.m[3] = a.m[2] * b.m[1] + a.m[3] * b.m[3];
  return c;
}
"""


def test_operators_need_not_commute(device):
    n = 5003
    x = np.zeros(n, MATRIX)
    x["m"] = np.random.default_rng(3).integers(0, 2**32, (n, 4), dtype=np.uint32)
    expected, product = np.zeros(n, MATRIX), np.eye(2, dtype=np.uint32)
    for k in range(n):
        product = product @ x["m"][k].reshape(2, 2)
        expected["m"][k] = product.ravel()
    for strategy in STRATEGIES:
        kernel = qn.ScanKernel(
            MATRIX,
            "const item_t *x, item_t *y",
            "x[i]",
            "product(a, b)",
            output_statement="y[i] = item",
            preamble=PRODUCT,
            strategy=strategy,
        )
        y = qn.empty(n, MATRIX, device)
        kernel(qn.asarray(x, device=device), y).wait()
        assert np.array_equal(y.get(), expected), strategy


def test_the_input_may_look_behind(device):
    x = np.sort(random_ints(10_007, 0, 500))
    heads = np.concatenate([[True], x[1:] != x[:-1]])
    kernel = qn.ScanKernel(
        "int32",
        "const int *x, int *rank",
        "i == 0 || value != before",
        "a + b",
        output_statement="rank[i] = item - 1",
        input_fetch_exprs=[("value", "x", 0), ("before", "x", -1)],
    )
    rank = qn.empty(x.size, np.int32, device)
    kernel(qn.asarray(x, device=device), rank).wait()
    assert np.array_equal(rank.get(), np.cumsum(heads) - 1)


def test_the_output_may_see_the_last_item(device):
    x = random_ints(20_001)
    for strategy in STRATEGIES:
        kernel = qn.ScanKernel(
            "int64",
            "const int *x, long *y",
            "x[i]",
            "a + b",
            "0",
            "y[i] = last_item - prev_item",
            strategy=strategy,
        )
        y = qn.empty(x.size, np.int64, device)
        kernel(qn.asarray(x, device=device), y).wait()
        total = np.cumsum(x, dtype=np.int64)
        assert np.array_equal(y.get(), total[-1] - (total - x)), strategy


def test_outputs_may_go_anywhere(device):
    x = random_ints(30_011)
    kernel = qn.ScanKernel(
        "int32",
        "const int *x, int limit, int *out, int *count",
        "x[i] > limit",
        "a + b",
        "0",
        "if (item != prev_item) out[prev_item] = x[i]; if (i + 1 == N) count[0] = item;",
    )
    out, count = qn.empty(x.size, np.int32, device), qn.empty(1, np.int32, device)
    kernel(qn.asarray(x, device=device), 20, out, count).wait()
    kept = x[x > 20]
    assert count.get()[0] == kept.size
    assert np.array_equal(out.get()[: kept.size], kept)


def refused(match, **changes):
    settings = {
        "dtype": "int32",
        "arguments": "const int *x, int *y",
        "input_expr": "x[i]",
        "scan_expr": "a + b",
        "output_statement": "y[i] = item",
    }
    with pytest.raises(qn.ArgumentError, match=match):
        qn.ScanKernel(**{**settings, **changes})


@pytest.mark.parametrize(
    "statement",
    [
        "STORE(y, item);",
        "(y[i]) = item;",
        "#if 1\ny[i] = item;\n#endif",
        "AT(y) = 1; if (i >= 0) AT(y) = item;",
    ],
)
@pytest.mark.parametrize("strategy", ["automatic", "multi_pass"])
def test_outputs_may_be_written_in_any_way(device, statement, strategy):
    if strategy == "multi_pass" and "AT" not in statement and device.backend == "opencl":
        pytest.skip("new kernels take PoCL long; the host runs the same text")
    kernel = qn.ScanKernel(
        "int32",
        "const int *x, int *y",
        "x[i]",
        "a + b",
        output_statement=statement,
        preamble="#define STORE(to, value) to[i] = value\n#define AT(array) array[i]",
        strategy=strategy,
    )
    x = random_ints(5003)
    y = qn.zeros(5003, np.int32, device)
    kernel(qn.asarray(x, device=device), y)
    np.testing.assert_array_equal(y.get(), np.cumsum(x, dtype=np.int32))


def test_names_that_a_scan_has_for_itself_are_refused():
    for name in ("i", "N", "item", "prev_item", "quern_x", "float"):
        with pytest.raises(qn.ArgumentValueError, match=f"'{name}'"):
            qn.ScanKernel("int32", f"int *{name}", "1", "a + b", output_statement=";")


def test_types_of_a_scan_may_come_from_what_its_preamble_includes(device, tmp_path):
    (tmp_path / "sums.h").write_text(
        "typedef struct { FIELD sum; } sums;\ninline sums sums_of(FIELD x) { sums s; s.sum = x; return s; }\n"
    )
    kernel = qn.ScanKernel(
        "sums",
        "const int *x, long *y",
        "sums_of(x[i])",
        "sums_of(a.sum + b.sum)",
        output_statement="y[i] = item.sum",
        preamble='#include "sums.h"',
        options=[f"-I{tmp_path}", "-DFIELD=long"],
    )
    x = np.arange(1000, dtype=np.int32)
    y = qn.zeros(1000, np.int64, device)
    kernel(qn.asarray(x, device=device), y)
    np.testing.assert_array_equal(y.get(), np.cumsum(x))


def test_invalid_arguments_are_refused_before_anything_is_built():
    refused("neutral", output_statement="y[i] = prev_item")
    refused("output_statement is empty", output_statement="")
    refused("const", output_statement="x[i] = item")
    refused("looks ahead", input_fetch_exprs=[("next", "x", 1)])
    refused("not an array", input_fetch_exprs=[("v", "z", 0)])
    refused("may write it", input_fetch_exprs=[("v", "y", -1)])
    refused("strategy", strategy="fast")
    refused("not closed", scan_expr="a + b", input_expr="(x[i]")


def test_arguments_that_do_not_fit_are_named(device, cumsum):
    kernel = cumsum["automatic"]
    x, short = qn.zeros(10, np.int32, device), qn.zeros(5, np.int32, device)
    with pytest.raises(qn.ArgumentError, match="'y' has 5 elements"):
        kernel(x, short)
    with pytest.raises(qn.ArgumentError, match="size is -1"):
        kernel(x, x, size=-1)
    with pytest.raises(qn.ArgumentError, match="float32"):
        kernel(qn.zeros(10, np.float32, device), x)


@pytest.mark.parametrize("density", [0.01, 0.00002])
def test_blocks_hand_on_what_segments_leave_open(device, density):
    """Operators with branches, several blocks long, with segments shorter and longer than a block."""
    n = 150_001
    rng = np.random.default_rng(5)
    x = rng.random(n, dtype=np.float32)
    x[rng.random(n) < 0.001] = np.nan
    starts = (rng.random(n) < density).astype(np.uint8)
    maxima = qn.ScanKernel(
        "float32",
        "const float *x, const uchar *starts, float *y, float *before",
        "x[i]",
        "across_seg_boundary ? b : fmax(a, b)",
        neutral="-1",
        output_statement="y[i] = item; before[i] = prev_item",
        is_segment_start_expr="starts[i]",
    )
    y, before = qn.empty(n, np.float32, device), qn.empty(n, np.float32, device)
    maxima(qn.asarray(x, device=device), qn.asarray(starts, device=device), y, before).wait()
    edges = [*np.flatnonzero(starts[1:]) + 1, n]
    expected = np.concatenate(
        [np.fmax.accumulate(x[a:b]) for a, b in zip([0, *edges[:-1]], edges, strict=True)]
    )
    shifted = np.concatenate([[-1], expected[:-1]]).astype(np.float32)
    shifted[[0, *edges[:-1]]] = -1
    np.testing.assert_array_equal(y.get(), expected)
    np.testing.assert_array_equal(before.get(), shifted)


def test_blocks_hand_on_results_of_operators_that_need_their_order(device):
    """Maps x -> a x + b, composed, and the last of them known from the start."""
    n = 150_001
    rng = np.random.default_rng(6)
    maps = rng.integers(0, 1 << 32, (n, 2), dtype=np.uint32)
    starts = (rng.random(n) < 0.01).astype(np.uint8)
    compose = qn.ScanKernel(
        "uint2",
        "const uint2 *maps, const uchar *starts, uint2 *y, uint2 *last",
        "maps[i]",
        "across_seg_boundary ? (uint2)(b.x, b.y) : (uint2)(a.x * b.x, a.y * b.x + b.y)",
        output_statement="y[i] = item; if (i == 0) *last = last_item",
        is_segment_start_expr="starts[i]",
    )
    y, last = qn.empty((n, 2), np.uint32, device), qn.empty((1, 2), np.uint32, device)
    compose(qn.asarray(maps, device=device), qn.asarray(starts, device=device), y, last, size=n).wait()
    expected, a, b = [], 1, 0
    for (p, q), first in zip(maps.tolist(), starts.tolist(), strict=True):
        a, b = (p, q) if first else (a * p & 0xFFFFFFFF, (b * p + q) & 0xFFFFFFFF)
        expected.append((a, b))
    assert np.array_equal(y.get(), np.array(expected, np.uint32))
    assert tuple(last.get()[0]) == expected[-1]
