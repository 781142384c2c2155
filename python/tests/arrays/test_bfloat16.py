# SPDX-License-Identifier: MIT
"""Arrays of bfloat16. The oracle is the arithmetic of ml_dtypes in NumPy, or float32 rounded to bfloat16."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quern as qn

ml_dtypes = pytest.importorskip("ml_dtypes")
BF16 = np.dtype(ml_dtypes.bfloat16)
EPS = 2.0**-8  # the largest relative error of one rounding
# NumPy warns about NaN and infinity, which are among the elements on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
DTYPES = [
    "bool",
    *("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
]


# Their kernels take PoCL long; quick runs do them on the host, which compiles the same text.
SLOW_ON_POCL = [
    "test_every_pattern_converts_to_other_dtypes_as_in_ml_dtypes",
    "test_other_dtypes_convert_as_in_ml_dtypes",
    "test_transcendental_functions_are_within_one_rounding",
    "test_promotion_is_numpys",
    "test_extremes_and_counts",
    "test_cumulative_functions",
    "test_sorting_searching_and_sets",
]


@pytest.fixture(autouse=True)
def few_kernels_for_pocl(request, is_quick_on_pocl):
    if is_quick_on_pocl and request.node.originalname in SLOW_ON_POCL:
        pytest.skip("run with the slow tests")


def every_pattern():
    """All 65,536 bfloat16 numbers."""
    return np.arange(1 << 16, dtype=np.uint16).view(BF16)


def numbers(count, seed=0, scale=4.0):
    return (np.random.default_rng(seed).standard_normal(count) * scale).astype(BF16)


def bits_of(x):
    return np.asarray(x.get() if isinstance(x, qn.Array) else x).view(np.uint16)


def same(result, expected):
    """Equal bits, and any NaN for a NaN."""
    assert isinstance(result, qn.Array)
    found = result.get()
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    if expected.dtype != BF16:
        np.testing.assert_array_equal(found, expected)
        return
    found, expected = np.atleast_1d(found), np.atleast_1d(expected)
    is_nan = np.isnan(expected)
    np.testing.assert_array_equal(np.isnan(found), is_nan)
    np.testing.assert_array_equal(bits_of(found[~is_nan]), bits_of(expected[~is_nan]))


def test_arrays_are_created_by_name_and_by_type(device):
    for dtype in ("bfloat16", ml_dtypes.bfloat16, BF16, qn.bfloat16):
        x = qn.asarray([1.5, -2.0, 3.140625], dtype=dtype, device=device)
        assert x.dtype == BF16
        assert x.itemsize == 2
    assert qn.bfloat16 is ml_dtypes.bfloat16
    same(qn.zeros((2, 3), dtype="bfloat16", device=device), np.zeros((2, 3), BF16))
    same(qn.full(3, 1.1, dtype="bfloat16", device=device), np.full(3, 1.1, BF16))
    same(qn.ones_like(x), np.ones(3, BF16))
    same(qn.arange(10, dtype="bfloat16", device=device), np.arange(10).astype(BF16))
    same(qn.eye(3, dtype="bfloat16", device=device), np.eye(3, dtype=BF16))
    assert qn.empty(4, dtype=BF16, device=device).get().dtype == BF16


def test_every_pattern_comes_back_unchanged(device):
    values = every_pattern()
    x = qn.asarray(values, device=device)
    np.testing.assert_array_equal(bits_of(x), bits_of(values))
    np.testing.assert_array_equal(bits_of(x[::-1].copy()), bits_of(values)[::-1])
    np.testing.assert_array_equal(x.view("uint16").get(), bits_of(values))
    np.testing.assert_array_equal(bits_of(x.view("uint16").view("bfloat16")), bits_of(values))


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_pattern_converts_to_other_dtypes_as_in_ml_dtypes(device, dtype):
    values = every_pattern()
    if np.dtype(dtype).kind in "iu":
        # Out of range the result of a conversion to integers is not defined.
        limits = np.iinfo(dtype)
        wide = values.astype(np.float64)
        values = values[np.isfinite(wide) & (wide > float(limits.min) - 1) & (wide < float(limits.max))]
    if not device.has_fp64 and np.dtype(dtype).itemsize > 4 and np.dtype(dtype).kind in "fc":
        pytest.skip("no float64")
    expected = values.astype(dtype)
    same(qn.asarray(values, device=device).astype(dtype), expected)


@pytest.mark.parametrize("dtype", DTYPES)
def test_other_dtypes_convert_as_in_ml_dtypes(device, dtype):
    if not device.has_fp64 and np.dtype(dtype).itemsize > 4 and np.dtype(dtype).kind in "fc":
        pytest.skip("no float64")
    kind = np.dtype(dtype).kind
    random = np.random.default_rng(3)
    if kind in "fc":
        exponents = random.uniform(-140, 130, 4000)
        values = np.concatenate(
            [random.choice([-1, 1], 4000) * 2.0**exponents, [0.0, -0.0, np.inf, -np.inf, np.nan]]
        )
        values = values.astype(dtype)
    elif kind == "b":
        values = np.array([True, False])
    else:
        limits = np.iinfo(dtype)
        values = random.integers(limits.min, limits.max, 4000, dtype=dtype, endpoint=True)
    expected = (values.real if kind == "c" else values).astype(np.float32).astype(BF16)
    same(qn.asarray(values, device=device).astype("bfloat16"), expected)


def test_float32_is_rounded_to_nearest_even(device):
    # Every pattern of the upper half with the lower halves that decide the rounding.
    upper = np.arange(1 << 16, dtype=np.uint32) << 16
    for lower in (0x0000, 0x0001, 0x7FFF, 0x8000, 0x8001, 0xFFFF):
        values = (upper | np.uint32(lower)).view(np.float32)
        same(qn.asarray(values, device=device).astype("bfloat16"), values.astype(BF16))


@pytest.mark.parametrize(
    "name", ["add", "subtract", "multiply", "divide", "maximum", "minimum", "copysign", "power"]
)
def test_arithmetic_is_that_of_float32_rounded_once(device, name):
    values = np.concatenate([numbers(3000, 1), every_pattern()[::97]])
    others = np.random.default_rng(2).permutation(values)
    wide = getattr(np, name)(values.astype(np.float32), others.astype(np.float32))
    expected = wide.astype(BF16)
    found = getattr(qn, name)(qn.asarray(values, device=device), qn.asarray(others, device=device))
    if name == "power":  # the float32 power has an error of some ulp, which may change the rounding
        close = np.isfinite(expected.astype(np.float32)) & (np.abs(wide) > 2.0**-120)
        np.testing.assert_allclose(
            found.get()[close].astype(np.float64), wide[close].astype(np.float64), rtol=1.01 * EPS
        )
        return
    same(found, expected)
    if name in ("add", "subtract", "multiply", "divide"):
        same(found, getattr(np, name)(values, others))


@pytest.mark.parametrize(
    "name", ["negative", "absolute", "sqrt", "square", "floor", "ceil", "trunc", "rint", "sign"]
)
def test_functions_of_every_pattern_are_those_of_ml_dtypes(device, name):
    values = every_pattern()
    # NumPy's sign of -0.0 is 0.0, that of ml_dtypes is -0.0.
    expected = (
        np.sign(values.astype(np.float32)).astype(BF16) if name == "sign" else getattr(np, name)(values)
    )
    same(getattr(qn, name)(qn.asarray(values, device=device)), expected)


@pytest.mark.parametrize("name", ["isnan", "isfinite", "isinf", "signbit", "logical_not"])
def test_questions_about_every_pattern(device, name):
    values = every_pattern()
    same(getattr(qn, name)(qn.asarray(values, device=device)), getattr(np, name)(values))


def test_spacing_and_nextafter_count_in_bfloat16(device):
    values = every_pattern()
    x = qn.asarray(values, device=device)
    finite = np.isfinite(values.astype(np.float32))
    found, expected = qn.spacing(x).get(), np.spacing(values)
    np.testing.assert_array_equal(found[finite].view(np.uint16), expected[finite].view(np.uint16))
    others = values[::-1].copy()
    same(qn.nextafter(x, qn.asarray(others, device=device)), np.nextafter(values, others))


@pytest.mark.parametrize("name", ["exp", "log", "sin", "cos", "tanh", "arctan", "log1p", "expm1", "cbrt"])
def test_transcendental_functions_are_within_one_rounding(device, name):
    values = np.abs(numbers(2000, 5)) + np.array(0.01, BF16)
    exact = getattr(np, name)(values.astype(np.float64))
    found = getattr(qn, name)(qn.asarray(values, device=device))
    assert found.dtype == BF16
    np.testing.assert_allclose(found.get().astype(np.float64), exact, rtol=1.01 * EPS, atol=2.0**-126)


def test_comparisons_and_where(device):
    values, others = numbers(500, 7).round(), numbers(500, 8).round()
    values[:5] = np.nan
    x, y = qn.asarray(values, device=device), qn.asarray(others, device=device)
    for name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"):
        same(getattr(qn, name)(x, y), getattr(np, name)(values, others))
    same(qn.where(x > y, x, y), np.where(values > others, values, others))
    same(qn.where(x > 0, x, 0.1), np.where(values > 0, values, np.array(0.1, BF16)))


@pytest.mark.parametrize("dtype", DTYPES)
def test_promotion_is_numpys(device, dtype):
    if not device.has_fp64:
        pytest.skip("no float64")
    plain, other = np.ones(3, BF16), np.ones(3, dtype)
    expected = (plain + other).dtype
    x, y = qn.asarray(plain, device=device), qn.asarray(other, device=device)
    assert (x + y).dtype == expected
    assert (y / x).dtype == (other / plain).dtype
    assert qn.result_type(x, dtype) == expected
    assert qn.promote_types(dtype, "bfloat16") == expected
    same(x + y, plain + other)


def test_python_numbers_are_weak(device):
    x = qn.asarray([1.5, 2.5], dtype="bfloat16", device=device)
    for number in (1, 1.5, True):
        assert (x + number).dtype == BF16
        assert qn.result_type(x, number) == BF16
    assert (x + 1j).dtype == np.complex64
    assert qn.result_type("bfloat16", 1j) == np.complex64
    assert (x * ml_dtypes.bfloat16(2)).dtype == BF16
    assert (x * np.float32(2)).dtype == np.float32
    same(x * 1.1, np.array([1.5, 2.5], BF16) * np.array(1.1, BF16))


def test_numbers_are_python_numbers(device):
    x = qn.asarray([1.5, -0.1], dtype="bfloat16", device=device)
    assert x[0].item() == 1.5
    assert float(x[1]) == float(np.array(-0.1, BF16))
    assert x.tolist() == np.array([1.5, -0.1], BF16).tolist()
    assert int(x[0]) == 1
    assert bool(x[0])
    assert f"{x[0]:.2f}" == "1.50"


def test_printing(device):
    values = numbers((2, 3), 9)
    x = qn.asarray(values, device=device)
    assert str(x) == str(values)
    assert "dtype=bfloat16" in repr(x)
    assert repr(qn.zeros(5000, dtype="bfloat16", device=device)).endswith(f"device='{device.spec}')")


def test_indexing_and_assignment(device):
    values = numbers((6, 7), 10)
    x = qn.asarray(values, device=device)
    same(x[2:5, ::-2], values[2:5, ::-2])
    same(x[[3, 1, 1]], values[[3, 1, 1]])
    mask = values > 0
    same(x[x > 0], values[mask])
    x[1] = 2.7
    values[1] = 2.7
    x[:, 3] = qn.arange(6, dtype="float32", device=device)
    values[:, 3] = np.arange(6)
    x[x < -1] = 0
    values[values < -1] = 0
    x += 1
    values += np.array(1, BF16)
    x[0, 0] = np.float32(5)
    values[0, 0] = 5
    same(x, values)
    same(qn.concat([x, x]), np.concatenate([values, values]))
    same(qn.take(x, qn.asarray([0, 5], device=device), axis=1), values[:, [0, 5]])
    same(x.T.copy(), values.T.copy())
    same(qn.stack([x, x], axis=1).reshape(-1), np.stack([values, values], axis=1).reshape(-1))


@pytest.mark.parametrize("shape, axis", [((1000,), None), ((37, 129), 0), ((37, 129), 1), ((200_000,), None)])
def test_sums_are_accumulated_in_float32(device, shape, axis):
    values = numbers(shape, 11)
    wide = values.astype(np.float64)
    x = qn.asarray(values, device=device)
    count = values.size if axis is None else values.shape[axis]
    bound = EPS * np.abs(wide.sum(axis)) + count * 2.0**-23 * np.abs(wide).sum(axis)
    found = x.sum(axis=axis)
    assert found.dtype == BF16
    assert np.all(np.abs(found.get().astype(np.float64) - wide.sum(axis)) <= bound)
    assert np.all(np.abs(x.mean(axis=axis).get().astype(np.float64) - wide.mean(axis)) <= bound / count)
    assert x.sum(axis=axis, dtype="float32").dtype == np.float32
    np.testing.assert_allclose(x.std(axis=axis).get().astype(np.float64), wide.std(axis), rtol=2 * EPS)
    np.testing.assert_allclose(x.var(axis=axis).get().astype(np.float64), wide.var(axis), rtol=2 * EPS)


def test_ones_beyond_the_precision_are_counted(device):
    # Sums in bfloat16 would stop at 256.
    assert float(qn.ones(100_000, dtype="bfloat16", device=device).sum()) == float(np.array(100_000, BF16))


def test_extremes_and_counts(device):
    values = numbers((50, 60), 12)
    x = qn.asarray(values, device=device)
    for axis in (None, 0):
        np.testing.assert_array_equal(x.max(axis=axis).get(), values.max(axis))
        np.testing.assert_array_equal(x.min(axis=axis).get(), values.min(axis))
        np.testing.assert_array_equal(x.argmax(axis=axis).get(), values.argmax(axis))
        np.testing.assert_array_equal(x.argmin(axis=axis).get(), values.argmin(axis))
    zeroed = qn.where(x > 0, x, 0)
    assert int(qn.count_nonzero(zeroed)) == np.count_nonzero(values > 0)
    assert bool(qn.any(zeroed))
    assert not bool(qn.all(zeroed))
    np.testing.assert_array_equal(qn.nonzero(zeroed)[0].get(), np.nonzero(values > 0)[0])
    values[3, 4] = np.nan
    assert np.isnan(float(qn.asarray(values, device=device).max()))
    assert float(qn.nanmax(qn.asarray(values, device=device))) == float(np.nanmax(values.astype(np.float32)))


@pytest.mark.parametrize("shape, axis", [((3000,), 0), ((40, 50), 0), ((40, 50), 1)])
def test_cumulative_functions(device, shape, axis):
    values = numbers(shape, 13, 1.0)
    wide = values.astype(np.float64)
    x = qn.asarray(values, device=device)
    found = qn.cumulative_sum(x, axis=axis)
    assert found.dtype == BF16
    bound = EPS * np.abs(np.cumsum(wide, axis)) + shape[axis] * 2.0**-23 * np.cumsum(np.abs(wide), axis)
    assert np.all(np.abs(found.get().astype(np.float64) - np.cumsum(wide, axis)) <= bound)
    same(qn.maximum.accumulate(x, axis=axis), np.maximum.accumulate(values, axis=axis))
    few = qn.asarray(np.abs(values[..., :6]) + np.array(0.5, BF16), device=device)
    exact = np.cumprod(few.get().astype(np.float64), axis=-1)
    np.testing.assert_allclose(
        qn.cumulative_prod(few, axis=-1).get().astype(np.float64), exact, rtol=1.1 * EPS
    )


def test_sorting_searching_and_sets(device):
    values = np.concatenate([numbers(1000, 14), np.array([np.nan, np.inf, -np.inf, -0.0, 0.0], BF16)])
    x = qn.asarray(values, device=device)
    wide = np.sort(values.astype(np.float32))
    np.testing.assert_array_equal(qn.sort(x).get().astype(np.float32), wide)
    np.testing.assert_array_equal(qn.argsort(x).get(), np.argsort(values.astype(np.float32), kind="stable"))
    np.testing.assert_array_equal(
        qn.sort(x[:1000].reshape(20, 50), axis=0).get(), np.sort(values[:1000].reshape(20, 50), axis=0)
    )
    np.testing.assert_array_equal(
        qn.unique(x[:1000]).get().astype(np.float32), np.unique(values[:1000].astype(np.float32))
    )
    edges = np.array([-3, 0, 1.5, 4], BF16)
    np.testing.assert_array_equal(
        qn.searchsorted(qn.asarray(edges, device=device), x[:1000]).get(),
        np.searchsorted(edges.astype(np.float32), values[:1000].astype(np.float32)),
    )
    np.testing.assert_array_equal(
        qn.isin(x[:100], x[50:60]).get(),
        np.isin(values[:100].astype(np.float32), values[50:60].astype(np.float32)),
    )
    counts, _ = qn.histogram(x[:1000], bins=qn.asarray(edges, device=device))
    np.testing.assert_array_equal(
        counts.get(), np.histogram(values[:1000].astype(np.float32), edges.astype(np.float32))[0]
    )
    assert float(qn.median(x[:999])) == float(np.median(values[:999].astype(np.float32)))


SHAPES = [
    ((5, 7), (7, 3)),
    ((64, 48), (48, 80)),
    ((130, 257), (257, 96)),
    ((3, 20, 33), (3, 33, 17)),
    ((4, 1, 6, 8), (5, 8, 6)),
    ((40,), (40, 9)),
    ((9, 40), (40,)),
    ((300,), (300,)),
    ((2, 1), (1, 3)),
    ((300, 2), (2, 300)),
    ((2, 4000), (4000, 3)),
]


def check_product(found, a, b):
    exact = a.astype(np.float64) @ b.astype(np.float64)
    size = np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64))
    assert found.dtype == BF16
    assert found.shape == exact.shape
    error = np.abs(found.get().astype(np.float64) - exact)
    assert np.all(error <= EPS * np.abs(exact) + a.shape[-1] * 2.0**-23 * size)


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_products_are_summed_in_float32(device, shapes):
    a, b = numbers(shapes[0], 15), numbers(shapes[1], 16)
    x, y = qn.asarray(a, device=device), qn.asarray(b, device=device)
    check_product(x @ y, a, b)
    if a.ndim == b.ndim == 2:
        check_product(x.T.copy().T @ y.T.copy().T, a, b)
        check_product(x[::-1, ::2] @ y[::2], a[::-1, ::2], b[::2])
        check_product(qn.einsum("ij,jk->ik", x, y), a, b)


@pytest.mark.parametrize(
    "shapes", [((70, 90), (90, 50)), ((40, 3000), (3000, 40)), ((2, 9, 8), (8, 12))], ids=str
)
def test_products_by_the_kernels_of_gpus(device, set_loops, shapes):
    set_loops("grid")
    a, b = numbers(shapes[0], 29), numbers(shapes[1], 30)
    check_product(qn.asarray(a, device=device) @ qn.asarray(b, device=device), a, b)


@pytest.mark.parametrize("shape", [(64, 48, 80), (300, 200, 128)])
def test_products_with_epilogues(device, shape):
    m, k, n = shape
    a, b, c, row = numbers((m, k), 17), numbers((k, n), 18), numbers((m, n), 19), numbers(n, 20)
    x, y, z, r = (qn.asarray(one, device=device) for one in (a, b, c, row))
    exact = a.astype(np.float64) @ b.astype(np.float64)
    size = np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64))
    for found, wanted in [
        (qn.maximum(x @ y + r, 0), np.maximum(exact + row.astype(np.float64), 0)),
        (2 * (x @ y) + 3 * z, 2 * exact + 3 * c.astype(np.float64)),
        (-(x @ y), -exact),
    ]:
        assert found.dtype == BF16
        # An epilogue that runs by itself rounds each of its steps, whose results are at most `steps`.
        steps = 2 * np.abs(exact) + 3 * np.abs(c.astype(np.float64)) + np.abs(row.astype(np.float64))
        assert np.all(
            np.abs(found.get().astype(np.float64) - wanted) <= 4 * EPS * steps + k * 2.0**-22 * size
        )


def test_symmetric_products(device):
    a = numbers((200, 150), 21)
    x = qn.asarray(a, device=device)
    check_product(x @ x.T, a, a.T)
    check_product(x.T @ x, a.T, a)


@given(
    shape=st.lists(st.integers(0, 5), max_size=3).map(tuple),
    data=st.data(),
)
@settings(max_examples=25)
def test_expressions_of_any_shape_round_each_step(device, shape, data):
    bits = st.integers(0, 0xFFFF)
    count = int(np.prod(shape))
    draw = [np.array(data.draw(st.lists(bits, min_size=count, max_size=count)), np.uint16) for _ in range(2)]
    a, b = (one.reshape(shape).view(BF16) for one in draw)
    x, y = qn.asarray(a, device=device), qn.asarray(b, device=device)
    same((x + y) * y - x, np.asarray((a + b) * b - a, BF16))


def test_expressions_are_one_launch(device):
    x = qn.asarray(numbers(5000, 22), device=device)
    y = qn.asarray(numbers(5000, 23), device=device)
    qn.synchronize()
    before = qn.stats().launches
    z = qn.exp(x) * y + 1
    qn.eval(z)
    assert qn.stats().launches == before + 1


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_explain_lists_the_operations(device, dtype):
    x = qn.ones(3000, dtype=dtype, device=device)
    (kernel,) = qn.explain(qn.exp(x) + 1).kernels
    text = str(qn.explain(qn.exp(x) + 1))
    assert f"exp({dtype})" in text
    assert f"add({dtype})" in text
    assert kernel.bytes_written == 2 * 3000


def test_numpy_sees_an_ml_dtypes_array(device):
    values = numbers(10, 24)
    x = qn.asarray(values, device=device)
    assert np.asarray(x).dtype == BF16
    np.testing.assert_array_equal(bits_of(np.asarray(x)), bits_of(values))
    assert np.add(x, x).dtype == BF16
    assert (values + x).dtype == BF16
    if device.shares_host_memory:
        np.asarray(x)[0] = 7
        assert float(x[0]) == 7
        shared = qn.asarray(values, copy=False, device=device)
        shared[1] = 9
        assert float(values[1]) == 9
        with pytest.raises(BufferError, match="bfloat16"):
            memoryview(x)


def test_dlpack_both_ways(device):
    values = numbers((3, 4), 25)
    x = qn.asarray(values, device=device)
    back = qn.from_dlpack(x)
    assert back.dtype == BF16
    np.testing.assert_array_equal(bits_of(back), bits_of(values))


def test_torch_exchanges_bfloat16_by_dlpack():
    torch = pytest.importorskip("torch")
    tensor = torch.arange(6, dtype=torch.bfloat16).reshape(2, 3)
    x = qn.from_dlpack(tensor, device="host")
    assert x.dtype == BF16
    np.testing.assert_array_equal(x.get().astype(np.float32), np.arange(6, dtype=np.float32).reshape(2, 3))
    assert torch.equal(torch.from_dlpack(x), tensor)


def test_kernels_take_the_bits(device, queue):
    x = qn.asarray(numbers(8, 26), device=device)
    program = qn.Program("kernel void clear(global ushort *a) { a[get_global_id(0)] &= 0x7fff; }").build(
        device
    )
    with pytest.raises(qn.ArgumentError, match=r"bfloat16.*view\('uint16'\)"):
        program.clear(queue, x.shape, None, x)
    expected = np.abs(x.get())
    program.clear(queue, x.shape, None, x.view("uint16"))
    same(x, expected)
    kernel = qn.ElementwiseKernel("T x", "T y", "y = x + 1")
    with pytest.raises(TypeError, match="bfloat16"):
        kernel(x)
    with pytest.raises(TypeError, match="bfloat16"):
        qn.c_type_name("bfloat16")


def test_functions_without_bfloat16_say_so(device):
    x = qn.asarray(numbers((4, 4), 27), device=device)
    with pytest.raises(TypeError, match="bfloat16"):
        qn.linalg.inv(x)
    with pytest.raises(TypeError, match="bfloat16"):
        qn.random.default_rng(1).random(3, dtype="bfloat16")
    with pytest.raises(TypeError, match="bfloat16"):
        qn.algorithms.sort(x[0])
    with pytest.raises(TypeError, match="bfloat16"):
        x & x
    with pytest.raises(TypeError, match="bfloat16"):
        qn.save("unused.npy", x)
    assert qn.fft.fft(x).dtype == np.complex64


def test_limits_and_kinds():
    info = qn.finfo("bfloat16")
    assert (info.bits, info.eps, info.max) == (16, 2.0**-7, 3.3895313892515355e38)
    assert qn.isdtype("bfloat16", "real floating")
    assert not qn.isdtype("bfloat16", "integral")
    assert qn.can_cast("bfloat16", "float32")
    assert not qn.can_cast("float32", "bfloat16")
    assert "bfloat16" not in qn.__array_namespace_info__().dtypes()


def test_pickles(device):
    import pickle

    values = numbers(5, 28)
    back = pickle.loads(pickle.dumps(qn.asarray(values, device=device)))
    np.testing.assert_array_equal(bits_of(back), bits_of(values))


def run(code, **environment):
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ | environment)
    return done.stdout.strip()


def test_import_does_not_import_ml_dtypes():
    assert run("import quern, sys; quern.zeros(3).get(); print('ml_dtypes' in sys.modules)") == "False"
    assert run("import quern as qn; print(qn.ones(2, dtype='bfloat16', device='host').sum())") == "2"


def test_without_ml_dtypes_the_error_says_what_to_install():
    code = """
import sys
sys.modules["ml_dtypes"] = None
import quern as qn
for use in (lambda: qn.zeros(3, dtype="bfloat16"), lambda: qn.asarray([1.0], dtype="bfloat16"), lambda: qn.finfo("bfloat16")):
    try:
        use()
    except qn.ArgumentError as error:
        print(isinstance(error, TypeError) and "pip install ml_dtypes" in str(error))
print(hasattr(qn, "bfloat16"))
"""
    assert run(code).split() == ["True"] * 3 + ["False"]


def test_the_host_needs_no_compiler(tmp_path):
    code = """
import numpy as np, quern as qn, ml_dtypes
v = np.arange(-3000, 3000).astype(ml_dtypes.bfloat16)
x, w = qn.asarray(v, device="host"), v.astype(np.float32)
print(np.array_equal(((x + x) * x).get(), (v + v) * v))
print(np.array_equal(qn.sort(-x).get(), np.sort(-v)))
print(np.array_equal(x.astype("int32").get(), w.astype("int32")))
print(float(x.sum()) == float(w.astype(np.float64).sum().astype(ml_dtypes.bfloat16)))
print(np.array_equal(qn.cumsum(x[:10]).get(), np.cumsum(w[:10]).astype(ml_dtypes.bfloat16)))
print(np.array_equal((x.reshape(60, 100) @ qn.eye(100, dtype="bfloat16", device="host")).get(), v.reshape(60, 100)))
"""
    environment = {
        "QUERN_CC": str(tmp_path / "missing"),
        "QUERN_CACHE_DIR": str(tmp_path / "cache"),
        "QUERN_HOST_LOOPS": "",
    }
    assert run(code, **environment).split() == ["True"] * 6
