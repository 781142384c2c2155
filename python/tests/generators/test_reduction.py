# SPDX-License-Identifier: MIT
"""ReductionKernel on every device, in both loop structures, against NumPy."""

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import quern as qn

SUM = qn.ReductionKernel("int64", "0", "a + b", name="sum_long")
DOT = qn.ReductionKernel("float32", "0", "a + b", "x[i] * y[i]", "const float *x, const float *y", name="dot")

MINMAX = """
typedef struct { float least, most; long at; } minmax_t;
minmax_t one(float x, long i) { minmax_t r; r.least = r.most = x; r.at = i; return r; }
minmax_t none(void) { minmax_t r; r.least = INFINITY; r.most = -INFINITY; r.at = 0; return r; }
minmax_t join(minmax_t a, minmax_t b) {
  if (b.least < a.least || (b.least == a.least && b.at < a.at)) { a.least = b.least; a.at = b.at; }
  a.most = fmax(a.most, b.most);
  return a;
}
"""


@pytest.mark.parametrize("size", [0, 1, 31, 32, 33, 1000, 4097, 300007])
def test_all_elements_are_reduced(device, size):
    x = np.random.default_rng(size).integers(-(1 << 40), 1 << 40, size)
    result = SUM(qn.asarray(x, device=device))
    assert result.shape == () and result.dtype == np.int64
    assert result.get() == x.sum()


def test_elements_of_several_operands_are_mapped_first(device):
    rng = np.random.default_rng(5)
    x, y = rng.random(100001, np.float32), rng.random(100001, np.float32)
    result = DOT(qn.asarray(x, device=device), qn.asarray(y, device=device)).get()
    np.testing.assert_allclose(result, np.dot(x.astype(np.float64), y), rtol=1e-5)


@pytest.mark.parametrize(
    "shape", [(5, 7), (1, 5), (5, 1), (40, 3000), (3000, 40), (3, 4, 5, 6), (0, 4), (4, 0)], ids=str
)
def test_every_choice_of_axes_is_numpys(device, shape):
    values = np.random.default_rng(3).integers(-1000, 1000, shape)
    x = qn.asarray(values, device=device)
    for count in range(len(shape) + 1):
        for axes in itertools.combinations(range(len(shape)), count):
            for keepdims in (False, True):
                result = SUM(x, axis=axes, keepdims=keepdims)
                np.testing.assert_array_equal(result.get(), values.sum(axis=axes, keepdims=keepdims))


@given(data=st.data())
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_transposed_and_stepped_views_are_reduced_along_any_axes(device, data):
    rank = data.draw(st.integers(1, 3))
    lengths = data.draw(st.lists(st.integers(1, 40), min_size=rank, max_size=rank))
    axes = data.draw(st.permutations(range(rank)))
    steps = data.draw(st.lists(st.sampled_from([1, 2, -1]), min_size=rank, max_size=rank))
    chosen = data.draw(st.sets(st.integers(0, rank - 1)))
    base = np.random.default_rng(1).integers(-99, 99, lengths)
    values = base.transpose(axes)[tuple(slice(None, None, step) for step in steps)]
    memory = qn.asarray(base, device=device)
    offset = values.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    x = qn.Array(memory.buffer, memory.dtype, values.shape, strides=values.strides, offset=offset)
    np.testing.assert_array_equal(SUM(x, axis=tuple(chosen)).get(), values.sum(axis=tuple(chosen)))


def test_operands_broadcast_before_they_are_reduced(device):
    x = np.random.default_rng(4).random((30, 1), np.float32)
    y = np.random.default_rng(5).random((1, 50), np.float32)
    result = DOT(qn.asarray(x, device=device), qn.asarray(y, device=device), axis=1)
    np.testing.assert_allclose(result.get(), (x * y).sum(axis=1), rtol=1e-5)


def test_structures_of_the_preamble_are_reduced(device):
    kernel = qn.ReductionKernel(
        "minmax_t", "none()", "join(a, b)", "one(x[i], i)", "const float *x", preamble=MINMAX
    )
    x = np.random.default_rng(7).integers(0, 1000, 50000).astype(np.float32)
    result = kernel(qn.asarray(x, device=device)).get()
    assert (result["least"], result["most"], result["at"]) == (x.min(), x.max(), x.argmin())
    rows = x.reshape(50, 1000)
    result = kernel(qn.asarray(rows, device=device), axis=1).get()
    np.testing.assert_array_equal(result["at"], rows.argmin(axis=1))
    result = kernel(qn.asarray(rows, device=device), axis=0).get()
    np.testing.assert_array_equal(result["at"], rows.argmin(axis=0))


def test_structured_dtypes_are_called_item_t(device):
    dtype = np.dtype([("count", np.int32), ("mean", np.float32), ("spread", np.float32)], align=True)
    welford = qn.ReductionKernel(
        dtype,
        "nothing()",
        "merge(a, b)",
        "single(x[i])",
        "const float *x",
        preamble="""
item_t nothing(void) { item_t r; r.count = 0; r.mean = 0; r.spread = 0; return r; }
item_t single(float x) { item_t r; r.count = 1; r.mean = x; r.spread = 0; return r; }
item_t merge(item_t a, item_t b) {
  if (b.count == 0) return a;
  if (a.count == 0) return b;
  item_t r;
  float delta = b.mean - a.mean;
  r.count = a.count + b.count;
  r.mean = a.mean + delta * ((float)b.count / r.count);
  r.spread = a.spread + b.spread + delta * delta * ((float)a.count * b.count / r.count);
  return r;
}""",
    )
    x = np.random.default_rng(8).normal(10, 2, 20000).astype(np.float32)
    result = welford(qn.asarray(x, device=device)).get()
    assert result["count"] == 20000
    np.testing.assert_allclose(result["mean"], x.mean(dtype=np.float64), rtol=1e-5)
    np.testing.assert_allclose(result["spread"] / 20000, x.var(dtype=np.float64), rtol=1e-4)


def test_ranges_and_slices_choose_the_elements(device):
    x = np.arange(1000)
    array = qn.asarray(x, device=device)
    assert SUM(array, range=range(3, 900, 7)).get() == x[3:900:7].sum()
    assert SUM(array, slice=slice(None, None, -2)).get() == x[::-2].sum()
    assert SUM(array, range=range(5, 5)).get() == 0


def test_a_pointer_that_is_used_otherwise_sees_all_elements(device):
    kernel = qn.ReductionKernel("int32", "0", "max(a, b)", "i > 0 ? abs(x[i] - x[i - 1]) : 0", "const int *x")
    x = np.random.default_rng(9).integers(0, 100, 5000).astype(np.int32)
    assert kernel(qn.asarray(x, device=device)).get() == np.abs(np.diff(x)).max()


def test_a_result_goes_where_it_is_wanted(device):
    x = np.arange(12).reshape(3, 4)
    out = qn.zeros(4, np.int64, device)
    SUM(qn.asarray(x, device=device), axis=0, out=out).wait()
    np.testing.assert_array_equal(out.get(), x.sum(axis=0))


class TestErrors:
    def test_axes_out_of_bounds_or_twice(self, device):
        x = qn.zeros((2, 3), np.int64, device)
        with pytest.raises(qn.ArgumentError, match="axis 2 is out of bounds"):
            SUM(x, axis=2)
        with pytest.raises(qn.ArgumentError, match="given twice"):
            SUM(x, axis=(0, -2))

    def test_an_output_that_does_not_fit(self, device):
        with pytest.raises(qn.ArgumentError, match="out: expected"):
            SUM(qn.zeros((2, 3), np.int64, device), axis=0, out=qn.zeros(2, np.int64, device))

    def test_a_wrong_dtype(self, device):
        with pytest.raises(qn.ArgumentTypeError, match=r"'x'.*int64.*int32"):
            SUM(qn.zeros(3, np.int32, device))


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (("no_such_t", "0", "a + b"), "no_such_t"),
        (("float32", "0", "a + b", "x[i] = 1", "float *x"), "must not assign to 'x'"),
        (("float32", "0", "a + b", "x[i]"), "declare the names"),
        (("float32", "(0", "a + b"), "not closed"),
    ],
)
def test_mistakes_are_errors_before_anything_runs(parts, message):
    with pytest.raises(qn.Error, match=message):
        qn.ReductionKernel(*parts)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_large_items_go_through_both_passes(device, dtype):
    name = {"complex64": "float2", "complex128": "double2"}[dtype]
    if dtype == "complex128" and not device.has_fp64:
        pytest.skip("needs fp64")
    total = qn.ReductionKernel(
        dtype, f"({name})(0, 0)", "a + b", "x[i];", f"const {name} *x", name="complex_total"
    )
    x = (np.arange(300000) % 7 + 1j * (np.arange(300000) % 3)).astype(dtype)
    np.testing.assert_allclose(total(qn.asarray(x, device=device)).get(), x.sum(), rtol=1e-5)


def test_nested_packed_structures_keep_their_layout(device):
    inner = np.dtype([("a", np.uint8), ("b", np.float32)])
    outer = np.dtype(
        {"names": ["count", "inner"], "formats": [np.int32, inner], "offsets": [0, 4], "itemsize": 12}
    )
    kernel = qn.ReductionKernel(
        outer,
        "none()",
        "join(a, b)",
        "one(x[i])",
        "const float *x",
        preamble="""
item_t none(void) { item_t r; r.count = 0; r.inner.a = 0; r.inner.b = 0; return r; }
item_t one(float x) { item_t r; r.count = 1; r.inner.a = 2; r.inner.b = x; return r; }
item_t join(item_t a, item_t b) { a.count += b.count; a.inner.a += b.inner.a; a.inner.b += b.inner.b; return a; }
""",
    )
    result = kernel(qn.asarray(np.ones(8, np.float32), device=device)).get()
    assert (result["count"], result["inner"]["a"], result["inner"]["b"]) == (8, 16, 8.0)
