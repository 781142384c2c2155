# SPDX-License-Identifier: MIT
"""Views and writing through them, compared with NumPy."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import quern as qn

pytestmark = pytest.mark.smoke


def pair(device, shape=(3, 4, 5), dtype=np.int64):
    a = np.arange(np.prod(shape, dtype=int), dtype=dtype).reshape(shape)
    return qn.asarray(a, device=device), a


INDICES = [
    np.s_[1],
    np.s_[-1, 2],
    np.s_[1:3],
    np.s_[::-1],
    np.s_[..., 0],
    np.s_[:, None, ::2],
    np.s_[2:0:-1, 1:, ::-2],
    np.s_[5:],
    np.s_[1, 2, 3, ...],
    np.s_[...],
    np.s_[None, ..., None],
    np.s_[:, 3:1:-1],
]


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_indexing_is_numpys(device, index):
    x, a = pair(device)
    assert x[index].shape == a[index].shape
    np.testing.assert_array_equal(x[index].get(), a[index])


def test_an_element_is_a_number_that_does_not_follow_its_array(device):
    x, a = pair(device)
    first, before = x[1, 2, 3], a[1, 2, 3]
    x[1, 2, 3] = -7
    assert float(first) == before
    first += 1
    assert (float(first), float(x[1, 2, 3])) == (before + 1, -7)
    line = qn.asarray(np.array([3, 1, 2]), device=device)
    line[0], line[2] = line[2], line[0]
    for element in line:
        element *= 2
    np.testing.assert_array_equal(line.get(), [2, 1, 3])


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_what_is_written_to_a_view_is_seen_by_its_base(device, index):
    x, a = pair(device)
    view = x[index]
    view[...] = -7
    a[index] = -7
    np.testing.assert_array_equal(x.get(), a)
    x[index] = x[index] * 2
    a[index] *= 2
    np.testing.assert_array_equal(view.get(), a[index])


@pytest.mark.parametrize(
    ("index", "text"),
    [
        (3, "index 3 is out of bounds for axis 0 with size 3"),
        (np.s_[0, 0, 0, 0], "too many indices"),
        (np.s_[..., 0, ...], "single ellipsis"),
        ("name", "integers, slices"),
    ],
)
def test_an_index_that_is_not_there_is_an_index_error(device, index, text):
    x, _ = pair(device)
    with pytest.raises(IndexError, match=text):
        x[index]


def test_values_are_broadcast_and_converted(device):
    x, a = pair(device, (3, 4), np.int32)
    x[1:] = np.array([1.9, 2.9, 3.9, -4.9])
    a[1:] = np.array([1.9, 2.9, 3.9, -4.9])
    np.testing.assert_array_equal(x.get(), a)
    with pytest.raises(qn.ArgumentValueError, match=r"\(3,\) do not broadcast to \(2,4\)"):
        x[1:] = np.zeros(3)


def test_assignment_reads_what_was_there_before(device):
    x, a = pair(device, (8,))
    x[1:] = x[:-1]
    a[1:] = a[:-1].copy()
    np.testing.assert_array_equal(x.get(), a)
    x[::-1] = x
    np.testing.assert_array_equal(x.get(), a[::-1])
    y, b = pair(device, (4, 4))
    y += y.T
    np.testing.assert_array_equal(y.get(), b + b.T)


def test_in_place_operators_keep_the_type(device):
    x, a = pair(device, (5,), np.int32)
    x += 2
    x *= x
    np.testing.assert_array_equal(x.get(), (a + 2) ** 2)
    assert x.dtype == np.int32
    with pytest.raises(qn.ArgumentTypeError, match="float64"):
        x += 0.5
    with pytest.raises(qn.ArgumentTypeError, match="float64"):
        x /= 2


def test_in_place_work_on_an_expression_stays_one_kernel(device):
    x, a = pair(device, (100,), np.float32)
    before = qn.stats().launches
    z = x * 2
    z += 1
    z *= x
    np.testing.assert_array_equal(z.get(), (a * 2 + 1) * a)
    assert qn.stats().launches == before + 1


def test_a_broadcast_view_is_not_written(device):
    x, _ = pair(device, (3,))
    wide = qn.Array(x.buffer, x.dtype, (2, 3), strides=(0, 8))
    with pytest.raises(qn.ArgumentValueError, match="broadcast"):
        wide[...] = 1


@pytest.mark.parametrize(
    ("index", "shape", "is_view"),
    [
        (np.s_[...], (12, 5), True),
        (np.s_[...], (3, 2, -1), True),
        (np.s_[:, :, ::2], (12, 3), True),
        (np.s_[:, 1:3], (3, 10), True),
        (np.s_[:, 1:3], (30,), False),
        (np.s_[::-1], (60,), False),
        (np.s_[0:0], (0, 7), True),
    ],
    ids=str,
)
def test_reshape_is_a_view_where_strides_allow(device, index, shape, is_view):
    x, a = pair(device)
    x, a = x[index], a[index]
    got = x.reshape(shape)
    np.testing.assert_array_equal(got.get(), a.reshape(shape))
    assert np.shares_memory(a.reshape(shape), a) == (is_view and a.size > 0)
    if a.size:
        got[...] = -1
        assert (x.get() == -1).all() == is_view


def test_a_reshape_that_does_not_fit_is_an_error(device):
    x, _ = pair(device)
    for shape in ((7, 7), (-1, 7), (-1, -1), (60, -2)):
        with pytest.raises(qn.ArgumentValueError, match="reshape"):
            x.reshape(shape)


def test_transposed_arrays_are_views(device):
    x, a = pair(device)
    np.testing.assert_array_equal(x.T.get(), a.T)
    np.testing.assert_array_equal(x.transpose(1, 0, 2).get(), a.transpose(1, 0, 2))
    np.testing.assert_array_equal((x.T + 1).get(), a.T + 1)
    with pytest.raises(qn.ArgumentValueError, match="is repeated"):
        x.transpose(0, 0, 1)


@pytest.mark.parametrize(
    "dtype", ["u1", "f2", "i4", "f8", "c16", [("a", "f4"), ("b", "i4", 2)], [("a", "i1", 3)]], ids=str
)
@pytest.mark.parametrize("rows", [1, 7, 8, 33, 100])
def test_copies_of_transposed_matrices_are_numpys(device, dtype, rows):
    dtype = np.dtype(dtype)
    rng = np.random.default_rng(rows)
    for columns in (2, 8, 31, 65, 130):
        size = (rows * columns + 3) * dtype.itemsize
        raw = rng.integers(0, 100, size, dtype=np.uint8).view(dtype)
        x, a = qn.asarray(raw, device=device), raw
        for skipped in (0, 3):
            matrix = x[skipped : skipped + rows * columns].reshape(rows, columns)
            expected = a[skipped : skipped + rows * columns].reshape(rows, columns)
            for copied, wanted in (
                (matrix.T.copy(), expected.T),
                (matrix[:, ::-1].T.copy(), expected[:, ::-1].T),
            ):
                assert copied.get().tobytes() == np.ascontiguousarray(wanted).tobytes()


SLICES = st.slices(6)


@settings(max_examples=100, deadline=None)
@given(first=st.tuples(SLICES, SLICES), second=st.tuples(SLICES, SLICES), value=st.integers(0, 9))
def test_views_of_views_are_numpys(first, second, value):
    x, a = pair("host", (6, 6))
    view, expected = x[first], a[first]
    assert view.shape == expected.shape
    view = view.T[second[0]]
    expected = expected.T[second[0]]
    np.testing.assert_array_equal(view.get(), expected)
    view[...] = value
    expected[...] = value
    np.testing.assert_array_equal(x.get(), a)


def test_leading_ones_are_left_out_of_what_is_assigned(device):
    x, a = pair(device, (3,))
    x[:] = np.full((1, 3), 7)
    x[0] = np.array([1])
    a[:] = [1, 7, 7]
    np.testing.assert_array_equal(x.get(), a)
    pending = x + 0
    with pytest.raises(qn.ArgumentValueError, match="shape"):
        pending += qn.asarray(np.ones((1, 3), np.int64), device=device)


def test_shapes_beyond_all_numbers_are_refused(device):
    x, _ = pair(device, (10,))
    with pytest.raises(qn.ArgumentValueError, match="reshape"):
        x[::2].reshape(3, 7, 29, 30290220153874469)


def test_empty_views_have_no_elements(device):
    x, a = pair(device, (0, 5))
    np.testing.assert_array_equal(x[:, 3].get(), a[:, 3])
    with pytest.raises(TypeError, match="0-d"):
        list(pair(device, (1,))[0][0])


def test_a_view_of_an_expression_is_reshaped_to_a_copy_where_numpy_copies(device):
    a = np.arange(12.0, dtype=np.float32).reshape(3, 4)
    x = qn.asarray(a, device=device)
    for index in (np.s_[:, :3], np.s_[::2], np.s_[1:]):
        ours, theirs = (x + x)[index], (a + a)[index]
        flat, expected = ours.reshape(-1), theirs.reshape(-1)
        flat[0] = expected[0] = 99
        np.testing.assert_array_equal(ours.get(), theirs)


def test_what_broadcast_to_returns_is_not_written(device):
    x = qn.asarray(np.arange(3, dtype=np.float32), device=device)
    for write in (
        lambda y: y.__setitem__((0, 0), 9),
        lambda y: y.__setitem__(0, 9),
        lambda y: y.fill(9),
        lambda y: qn.add(y, 1, out=y),
        lambda y: y.sort(),
    ):
        y = qn.broadcast_to(x, (2, 3))
        assert not y.flags.writeable and not np.broadcast_to(x.get(), (2, 3)).flags.writeable
        with pytest.raises(ValueError):
            write(y)
        assert x.tolist() == [0, 1, 2]
    assert (qn.broadcast_to(x, (2, 3)) + 1).tolist() == [[1, 2, 3], [1, 2, 3]]


@pytest.mark.parametrize(
    "index", [0, (0, 0), (slice(None), 1), ([0], 1), np.array([[True, False], [False, False]])]
)
def test_parts_of_broadcast_expressions_are_not_written(device, index):
    """A write to one element would change the others that share its memory."""
    x = qn.asarray([1.0, 2.0], dtype="float32", device=device)
    for z in (
        qn.broadcast_to(x + 1, (2, 2)),
        qn.broadcast_arrays(x + 1, qn.ones((2, 2), "float32", device))[0],
    ):
        with pytest.raises(ValueError, match="share memory"):
            z[index] = 9
        np.testing.assert_array_equal(z.get(), [[2, 3], [2, 3]])


def test_empty_arrays_are_assigned_nothing(device):
    x = qn.zeros((3, 0), "float32", device)
    x[0] = 1
    x[:] = 2
    assert x.shape == (3, 0)
