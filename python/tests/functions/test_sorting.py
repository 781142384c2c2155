# SPDX-License-Identifier: MIT
"""Sorting along axes and unique elements, compared with NumPy."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.extra import numpy as hnp

import quern as qn

# Each dtype has kernels of its own, whose parts the tests of the algorithms cover too.
DTYPES = ["int8", "float32", "complex64"]
OTHERS = ["bool", "uint16", "int32", "uint64", "float16", "float64", "complex128"]
DTYPES += [pytest.param(name, marks=pytest.mark.slow) for name in OTHERS]


def numbers(dtype, shape=(3, 40, 7), seed=0):
    """Few values, so that many are equal; with NaN, infinities and zeros of both signs where the dtype has them."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 20, shape).astype(dtype)
    if a.dtype.kind == "c":
        a += (1j * rng.integers(0, 3, shape)).astype(dtype)
        a.imag[rng.random(shape) < 0.1] = np.nan
    if a.dtype.kind in "fc":
        for value in (np.nan, np.inf, -np.inf, -0.0):
            a.real[rng.random(shape) < 0.1] = value
    return a


@pytest.mark.parametrize("dtype", DTYPES)
def test_sorts_are_numpys_along_every_axis(device, dtype):
    if dtype == "float16" and not device.has_fp16:
        pytest.skip("no float16")
    a = numbers(dtype)
    x = qn.asarray(a, device=device)
    for axis in (-1, 0, 1, None):
        np.testing.assert_array_equal(qn.sort(x, axis=axis).get(), np.sort(a, axis=axis))
        np.testing.assert_array_equal(
            qn.argsort(x, axis=axis).get(), np.argsort(a, axis=axis, kind="stable"), strict=True
        )


@pytest.mark.parametrize("dtype", ["int8", "float32", "complex64"])
def test_descending_sorts_keep_equal_ones_and_put_nan_last(device, dtype):
    a = numbers(dtype, (4, 50))
    x = qn.asarray(a, device=device)
    for row, got, places in zip(
        a, qn.sort(x, descending=True).get(), qn.argsort(x, descending=True).get(), strict=True
    ):
        np.testing.assert_array_equal(row[places], got)
        whole = got[~np.isnan(got)]
        assert np.isnan(got[len(whole) :]).all()
        np.testing.assert_array_equal(whole, np.sort(whole)[::-1])
        np.testing.assert_array_equal(np.sort(got), np.sort(row))
        for value in whole:
            assert (np.diff(places[got == value]) > 0).all()


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_sorts_of_any_shape_and_layout_are_numpys(data):
    a = data.draw(
        hnp.arrays(
            "int8",
            hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=6),
            elements=st.integers(-4, 4),
        )
    )
    x = qn.asarray(a, device="host")
    if data.draw(st.booleans()):
        x, a = x.T, a.T
    if data.draw(st.booleans()):
        x, a = x[::-2], a[::-2]
    axis = data.draw(st.integers(-a.ndim, a.ndim - 1))
    np.testing.assert_array_equal(qn.sort(x, axis=axis).get(), np.sort(a, axis=axis))
    np.testing.assert_array_equal(qn.argsort(x, axis=axis).get(), np.argsort(a, axis=axis, kind="stable"))
    values, index, inverse, counts = qn.unique(x, True, True, True)
    for got, expected in zip((values, index, inverse, counts), np.unique(a, True, True, True), strict=True):
        np.testing.assert_array_equal(got.get(), expected)


def test_rows_longer_than_a_core_sorts_alone_are_sorted(device):
    a = np.random.default_rng(5).random((3, 20000), dtype=np.float32)
    x = qn.asarray(a, device=device)
    np.testing.assert_array_equal(qn.sort(x).get(), np.sort(a))
    np.testing.assert_array_equal(qn.argsort(x).get(), np.argsort(a, kind="stable"))


def test_many_matrices_are_sorted_along_their_middle_axis(device):
    a = np.random.default_rng(6).integers(0, 9, (100, 5, 3)).astype(np.int8)
    np.testing.assert_array_equal(qn.sort(qn.asarray(a, device=device), axis=1).get(), np.sort(a, axis=1))


def test_an_expression_is_sorted(device):
    a = np.arange(60, dtype=np.float32).reshape(6, 10)
    x = qn.asarray(a, device=device)
    np.testing.assert_array_equal(qn.sort((x * 7) % 11, axis=0).get(), np.sort((a * 7) % 11, axis=0))


def test_several_keys_are_sorted_by_the_last_first(device):
    first = np.array([[1, 5, 1, 4, 3, 4, 4]] * 3, np.int8)
    second = np.array([[9, 4, 0, 4, 0, 2, 1]] * 3, np.int8)
    keys = [qn.asarray(second, device=device), qn.asarray(first, device=device)]
    np.testing.assert_array_equal(qn.lexsort(keys).get(), np.lexsort((second, first)))
    np.testing.assert_array_equal(qn.lexsort(keys, axis=0).get(), np.lexsort((second, first), axis=0))


def test_a_partition_has_lesser_elements_before_and_greater_behind(device):
    a = np.random.default_rng(2).permutation(101).astype(np.int8)
    x = qn.asarray(a, device=device)
    got = qn.partition(x, 50).get()
    assert got[50] == 50 and (got[:50] < 50).all() and (got[51:] > 50).all()
    np.testing.assert_array_equal(a[qn.argpartition(x, 50).get()], got)
    with pytest.raises(qn.ArgumentValueError, match="kth"):
        qn.partition(x, 101)


@pytest.mark.parametrize("dtype", ["int8", "float32"])
def test_unique_is_numpys(device, dtype):
    a = numbers(dtype, (9, 31))
    x = qn.asarray(a, device=device)
    for got, expected in zip(qn.unique(x, True, True, True), np.unique(a, True, True, True), strict=True):
        np.testing.assert_array_equal(got.get(), expected)
        assert got.dtype == expected.dtype
    np.testing.assert_array_equal(qn.unique(x).get(), np.unique(a))


def test_each_nan_is_a_value_of_its_own_to_the_standard(device):
    a = np.array([np.nan, 2, 1, 2, np.nan], np.float32)
    x = qn.asarray(a, device=device)
    found = qn.unique_all(x)
    np.testing.assert_array_equal(found.values.get(), [1, 2, np.nan, np.nan])
    np.testing.assert_array_equal(found.counts.get(), [1, 2, 1, 1])
    np.testing.assert_array_equal(found.indices.get(), [2, 1, 0, 4])
    np.testing.assert_array_equal(found.values.get()[found.inverse_indices.get()], a)
    np.testing.assert_array_equal(qn.unique_values(x).get(), [1, 2, np.nan, np.nan])
    assert [part.shape for part in qn.unique_counts(x)] == [(4,), (4,)]
    assert [part.shape for part in qn.unique_inverse(x)] == [(4,), (5,)]


def test_sorting_no_elements_gives_none(device):
    x = qn.zeros((3, 0), "float32", device)
    assert qn.sort(x).shape == qn.argsort(x, axis=0).shape == (3, 0)
    assert [part.shape for part in qn.unique_all(x)] == [(0,), (0,), (3, 0), (0,)]


def test_wrong_arguments_are_told(device):
    x = qn.zeros((2, 3), "float32", device)
    with pytest.raises(qn.ArgumentValueError, match="axis 2 is out of bounds"):
        qn.sort(x, axis=2)
    with pytest.raises(qn.ArgumentValueError, match="kind"):
        qn.argsort(x, kind="bogo")
    with pytest.raises(np.exceptions.AxisError, match="unique: axis 2"):
        qn.unique(x, axis=2)
    with pytest.raises(qn.ArgumentValueError, match="different shapes"):
        qn.lexsort([x, x[0]])
    with pytest.raises(qn.ArgumentValueError, match="axis 0 is out of bounds"):
        qn.sort(qn.zeros((), "float32", device), axis=0)


@pytest.mark.parametrize("shape, axis", [((6, 2), 0), ((2, 5, 2), 1), ((3, 0), 0), ((0, 2), 0), ((5,), -1)])
def test_parts_along_an_axis_are_there_once(device, shape, axis):
    a = np.random.default_rng(5).integers(0, 2, shape).astype("float32")
    found = qn.unique(qn.asarray(a, device=device), True, True, True, axis)
    for one, expected in zip(found, np.unique(a, True, True, True, axis), strict=True):
        assert one.dtype == expected.dtype
        np.testing.assert_array_equal(one.get(), expected)


def test_arrays_are_sorted_and_partitioned_in_place(device):
    a = np.random.default_rng(3).permutation(30).reshape(5, 6).astype(np.int16)
    x, expected = qn.asarray(a, device=device), a.copy()
    assert x.sort(axis=0) is None
    expected.sort(axis=0)
    np.testing.assert_array_equal(x.get(), expected)
    x = qn.asarray(a, device=device)
    assert x.partition(2, axis=1) is None
    np.testing.assert_array_equal(x[:, 2].get(), np.partition(a, 2, axis=1)[:, 2])
    x = qn.asarray(a, device=device)
    x.sort(descending=True, kind="stable")
    np.testing.assert_array_equal(x.get(), np.sort(a)[:, ::-1])
    np.testing.assert_array_equal(x.argpartition([1, 3], 0)[1].get(), np.argsort(x.get(), 0)[1])


def test_keywords_that_choose_an_algorithm_are_checked(device):
    x = qn.asarray(np.array([3, 1, 2], np.int16), device=device)
    np.testing.assert_array_equal(qn.sort(x, kind="heapsort", stable=None).get(), [1, 2, 3])
    with pytest.raises(qn.ArgumentValueError, match="sort: kind: expected one of NumPy's sort kinds"):
        qn.sort(x, kind="bubble")
    with pytest.raises(qn.ArgumentValueError, match="argsort: order: sorting by fields is not supported"):
        x.argsort(order="name")


@pytest.mark.parametrize("shape", [(4, 3), (0, 3), (3, 0), (1, 2)])
def test_parts_of_an_axis_are_numpys(device, shape):
    a = np.random.default_rng(4).integers(0, 2, shape).astype(np.int16)
    x = qn.asarray(a, device=device)
    for axis in (0, 1):
        if a.size == 0 and a.shape[axis] == 0:
            continue
        expected = np.unique(a, True, True, True, axis=axis)
        for got, part in zip(qn.unique(x, True, True, True, axis=axis), expected, strict=True):
            np.testing.assert_array_equal(got.get(), part)
        np.testing.assert_array_equal(qn.unique(x, axis=axis).get(), expected[0])
