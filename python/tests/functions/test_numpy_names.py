# SPDX-License-Identifier: MIT
"""Names of NumPy beside its functions of arrays: mgrid and ogrid, windows, functions that write in place, ufunc methods."""

import numpy as np
import pytest

import quern as qn


def assert_same(found, expected):
    if isinstance(expected, tuple):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other)
        return
    assert isinstance(found, qn.Array)
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(found.get(), expected, rtol=1e-12, atol=1e-15)


@pytest.fixture
def here(device):
    if not device.has_fp64:
        pytest.skip("its default precision is another")
    with device:
        yield


@pytest.mark.usefixtures("here")
def test_grids_and_rows_are_written_as_slices():
    for key in (np.s_[0:3, 1:2], np.s_[0:1:5j], np.s_[0:1:3j, -1:2]):
        assert_same(qn.mgrid[key], np.mgrid[key])
        assert_same(qn.ogrid[key], np.ogrid[key])
    v = np.array([3.0, 1.0, 2.0], np.float32)
    x = qn.asarray(v)
    assert_same(qn.r_[x, 4, 5.5, 0:2], np.r_[v, 4, 5.5, 0:2])
    assert_same(qn.c_[x, [1.0, 2.0, 3.0]], np.c_[v, [1.0, 2.0, 3.0]])
    with pytest.raises(qn.ArgumentTypeError, match="string"):
        qn.r_["c", x]


@pytest.mark.usefixtures("here")
def test_positions_of_parts_of_matrices_are_numpys():
    for k in (-1, 0, 2):
        assert_same(qn.tril_indices(3, k, 4), np.tril_indices(3, k, 4))
        assert_same(qn.triu_indices(3, k), np.triu_indices(3, k))
    assert_same(qn.diag_indices(3), np.diag_indices(3))


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("name", ["bartlett", "blackman", "hamming", "hanning", "kaiser"])
def test_windows_are_numpys(name):
    more = (8.6,) if name == "kaiser" else ()
    for points in (0, 1, 2, 7):
        assert_same(getattr(qn, name)(points, *more), getattr(np, name)(points, *more))


def test_blocks_are_laid_side_by_side(device):
    a, b = np.ones((2, 3), np.float32), np.zeros((2, 1), np.float32)
    x, y = (qn.asarray(one, device=device) for one in (a, b))
    assert_same(qn.block([[x, y], [y, x]]), np.block([[a, b], [b, a]]))
    assert_same(np.block([x, y]), np.block([a, b]))
    with pytest.raises(qn.ArgumentValueError, match="nested"):
        qn.block([[x, y], x])


def test_arrays_are_written_to(device):
    a = np.arange(12.0, dtype=np.float32).reshape(4, 3)
    mask = a % 2 == 0
    for write in (
        lambda m, x: m.copyto(x, 5),
        lambda m, x: m.copyto(x, m.asarray([1.0, 2.0, 3.0]), where=m.asarray(mask)),
        lambda m, x: m.putmask(x, m.asarray(mask), m.asarray([7.0, 8.0], "float32")),
        lambda m, x: m.fill_diagonal(x, 9),
        lambda m, x: m.fill_diagonal(x, [1, 2], wrap=True),
    ):
        expected, x = a.copy(), qn.asarray(a, device=device)
        write(np, expected)
        with device:
            write(qn, x)
        np.testing.assert_array_equal(x.get(), expected)
    with pytest.raises(qn.ArgumentTypeError, match="int32"):
        qn.copyto(qn.zeros(3, "int32", device), qn.ones(3, "float32", device))
    with pytest.raises(qn.ArgumentTypeError, match="ndarray"):
        qn.copyto(a, 1)


def test_functions_of_two_operands_have_numpys_methods(device):
    a = np.array([[3.0, 1.0, 2.0], [0.5, 4.0, 2.5]], np.float32)
    x = qn.asarray(a, device=device)
    assert_same(qn.add.reduce(x), np.add.reduce(a))
    assert_same(qn.maximum.reduce(x, axis=1), np.maximum.reduce(a, axis=1))
    assert_same(qn.maximum.accumulate(x, axis=1), np.maximum.accumulate(a, axis=1))
    assert_same(np.minimum.accumulate(x), np.minimum.accumulate(a))
    assert_same(qn.subtract.outer(x[0], x), np.subtract.outer(a[0], a))
    assert_same(np.add.reduce(x, where=x > 1), np.add.reduce(a, where=a > 1))
    np.testing.assert_allclose(qn.hypot.reduce(x).get(), np.hypot.reduce(a), rtol=1e-6)


def test_means_go_over_what_a_mask_leaves(device):
    a = np.arange(12.0, dtype=np.float32).reshape(3, 4)
    x, mask = qn.asarray(a, device=device), a % 3 < 2
    for name, options in (("mean", {}), ("var", {"ddof": 1}), ("std", {})):
        for axis in (None, 0, 1):
            found = getattr(qn, name)(x, axis=axis, where=mask, **options)
            expected = getattr(np, name)(a, axis=axis, where=mask, **options)
            np.testing.assert_allclose(found.get(), expected, rtol=1e-6)


def test_only_nan_has_no_greatest_element(device):
    x = qn.asarray([[1.0, np.nan], [np.nan, np.nan]], "float32", device=device)
    np.testing.assert_array_equal(qn.nanmax(x, axis=1).get(), [1, np.nan])
    assert np.isnan(qn.nanmedian(x, axis=1).get()).tolist() == [False, True]
    with pytest.raises(qn.ArgumentValueError, match="nanargmax"):
        qn.nanargmax(x, axis=1)


def test_an_array_is_made_of_arrays(device):
    x = qn.arange(3, dtype="float32", device=device)
    y = qn.array(x)
    y[0] = 9
    assert x.get()[0] == 0
    assert isinstance(y, qn.ndarray) and qn.array(x, ndmin=3).shape == (1, 1, 3)
    assert qn.array([x, y]).tolist() == [[0, 1, 2], [9, 1, 2]]
    with pytest.raises(qn.ArgumentIndexError, match="delete"):
        qn.delete(x, 7)
    with pytest.raises(qn.ArgumentIndexError, match="insert"):
        qn.insert(x, 7, 1.0)
