# SPDX-License-Identifier: MIT
"""Joining, splitting, transposing, repeating and padding arrays, compared with NumPy."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import assume, given, settings

import quern as qn


def pair(device, shape=(3, 4), dtype=np.int64):
    a = np.arange(np.prod(shape, dtype=int), dtype=dtype).reshape(shape)
    return qn.asarray(a, device=device), a


SHAPES = [(), (1,), (5,), (0,), (3, 4), (3, 0), (1, 4, 1), (2, 3, 4)]
AXES = st.integers(-4, 3)
# Of an array without dimensions NumPy lets these pass axis 0, which is not there.
LENIENT = {"squeeze of one", "repeat", "repeat each", "take", "take clipped", "take wrapped"}

# Views in NumPy; written through, they change the array.
VIEWS = {
    "expand_dims": lambda xp, x, a, b: xp.expand_dims(x, a),
    "expand_dims of two": lambda xp, x, a, b: xp.expand_dims(x, (a, b)),
    "flip": lambda xp, x, a, b: xp.flip(x, axis=a),
    "flip of two": lambda xp, x, a, b: xp.flip(x, axis=(a, b)),
    "flip of all": lambda xp, x, a, b: xp.flip(x),
    "fliplr": lambda xp, x, a, b: xp.fliplr(x),
    "flipud": lambda xp, x, a, b: xp.flipud(x),
    "matrix_transpose": lambda xp, x, a, b: xp.matrix_transpose(x),
    "mT": lambda xp, x, a, b: x.mT,
    "moveaxis": lambda xp, x, a, b: xp.moveaxis(x, a, b),
    "moveaxis of two": lambda xp, x, a, b: xp.moveaxis(x, (a, b), (b, a)),
    "rot90": lambda xp, x, a, b: xp.rot90(x, a),
    "rot90 of two": lambda xp, x, a, b: xp.rot90(x, b, axes=(a, b)),
    "squeeze": lambda xp, x, a, b: xp.squeeze(x),
    "squeeze of one": lambda xp, x, a, b: xp.squeeze(x, axis=a),
    "swapaxes": lambda xp, x, a, b: xp.swapaxes(x, a, b),
    "transpose": lambda xp, x, a, b: xp.transpose(x, (a, b)),
    "atleast_2d": lambda xp, x, a, b: xp.atleast_2d(x),
    "atleast_3d": lambda xp, x, a, b: xp.atleast_3d(x),
    "unstack": lambda xp, x, a, b: xp.unstack(x, axis=a)[b],
    "split": lambda xp, x, a, b: xp.split(x, 3, axis=a)[b],
    "split at": lambda xp, x, a, b: xp.split(x, [1, 2], axis=a)[b],
    "array_split": lambda xp, x, a, b: xp.array_split(x, 4, axis=a)[b],
    "hsplit": lambda xp, x, a, b: xp.hsplit(x, 2)[0],
    "vsplit": lambda xp, x, a, b: xp.vsplit(x, [1])[1],
}


def outcome(function):
    try:
        return function(), None
    except (IndexError, TypeError, ValueError) as error:
        return None, error


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(sorted(VIEWS)), st.sampled_from(SHAPES), AXES, AXES, st.booleans())
def test_views_are_numpys_and_are_written_through(name, shape, first, second, is_strided):
    assume(shape or name not in LENIENT)
    x, a = pair("host", shape)
    function = VIEWS[name]
    view, given = (x[::-1], a[::-1]) if is_strided and shape else (x, a)
    expected, error = outcome(lambda: function(np, given, first, second))
    got, own_error = outcome(lambda: function(qn, view, first, second))
    assert (error is None) == (own_error is None), own_error
    if error is not None:
        return
    assert got.shape == expected.shape
    np.testing.assert_array_equal(got.get(), expected)
    if isinstance(expected, np.ndarray):  # and no scalar
        got[...] = -1
        expected[...] = -1
        np.testing.assert_array_equal(x.get(), a)


# Copies.
COPIES = {
    "concat": lambda xp, x, a, b: xp.concat([x, x[::-1], x], axis=a),
    "concat flat": lambda xp, x, a, b: xp.concat([x, x.T], axis=None),
    "stack": lambda xp, x, a, b: xp.stack([x, x], axis=a),
    "vstack": lambda xp, x, a, b: xp.vstack([x, x]),
    "hstack": lambda xp, x, a, b: xp.hstack([x, x]),
    "dstack": lambda xp, x, a, b: xp.dstack([x, x]),
    "column_stack": lambda xp, x, a, b: xp.column_stack([x, x]),
    "roll": lambda xp, x, a, b: xp.roll(x, b, axis=a),
    "roll of two": lambda xp, x, a, b: xp.roll(x, (a, b), axis=(b, a)),
    "roll flat": lambda xp, x, a, b: xp.roll(x, a),
    "repeat": lambda xp, x, a, b: xp.repeat(x, 3, axis=a),
    "repeat flat": lambda xp, x, a, b: xp.repeat(x, 2),
    "repeat each": lambda xp, x, a, b: xp.repeat(x, [2, 0, 1], axis=a),
    "tile": lambda xp, x, a, b: xp.tile(x, (2, 3)),
    "tile none": lambda xp, x, a, b: xp.tile(x, 0),
    "pad": lambda xp, x, a, b: xp.pad(x, 2, constant_values=7),
    "pad by sides": lambda xp, x, a, b: xp.pad(x, ((1, 2),), constant_values=((3, 4),)),
    "pad by axes": lambda xp, x, a, b: xp.pad(x, ((0, 1), (2, 0)), constant_values=((1, 2), (3, 4))),
    "pad edge": lambda xp, x, a, b: xp.pad(x, (1, 2), mode="edge"),
    "pad reflect": lambda xp, x, a, b: xp.pad(x, (5, 1), mode="reflect"),
    "pad symmetric": lambda xp, x, a, b: xp.pad(x, (2, 6), mode="symmetric"),
    "pad wrap": lambda xp, x, a, b: xp.pad(x, (4, 3), mode="wrap"),
    "ravel": lambda xp, x, a, b: xp.ravel(x.T),
    "broadcast_to": lambda xp, x, a, b: xp.broadcast_to(x, (2, *x.shape)),
    "take": lambda xp, x, a, b: xp.take(x, np.array([[0, -1], [1, 0]]), axis=a),
    "take flat": lambda xp, x, a, b: xp.take(x, [0, 1]),
    "take clipped": lambda xp, x, a, b: xp.take(x, [-7, 1, 90], axis=a, mode="clip"),
    "take wrapped": lambda xp, x, a, b: xp.take(x, [-7, 1, 90], axis=a, mode="wrap"),
    "clip": lambda xp, x, a, b: xp.clip(x, 2, 5),
    "clip below": lambda xp, x, a, b: xp.clip(x, 4, None),
    "argwhere": lambda xp, x, a, b: xp.argwhere(x % 3),
    "flatnonzero": lambda xp, x, a, b: xp.flatnonzero(x % 3),
}


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(sorted(COPIES)), st.sampled_from(SHAPES), AXES, AXES, st.booleans())
def test_copies_are_numpys(name, shape, first, second, is_strided):
    assume(shape or name not in LENIENT)
    x, a = pair("host", shape)
    function = COPIES[name]
    view, given = (x[::-1], a[::-1]) if is_strided and shape else (x, a)
    expected, error = outcome(lambda: function(np, given, first, second))
    got, own_error = outcome(lambda: function(qn, view, first, second))
    assert (error is None) == (own_error is None), own_error
    if error is None:
        assert got.shape == expected.shape
        assert got.dtype == expected.dtype
        np.testing.assert_array_equal(got.get(), expected)


def test_joined_arrays_have_their_common_type_and_are_written_once(device):
    x, a = pair(device, (2, 3), np.float32)
    y, b = pair(device, (4, 3), np.int16)
    got = qn.concat([x * 2, y + 1, x])
    np.testing.assert_array_equal(got.get(), np.concatenate([a * 2, b + 1, a]))
    assert got.dtype == np.float32
    assert qn.concat([x, y], dtype=np.float64).dtype == np.float64
    before = qn.stats().launches
    qn.concat([x * 2, x * 2]).get()
    assert qn.stats().launches == before + 2
    with pytest.raises(qn.ArgumentValueError, match="differ in more than axis 1"):
        qn.concat([x, y], axis=1)
    with pytest.raises(qn.ArgumentValueError, match="expected at least one array"):
        qn.stack([])


@pytest.mark.parametrize("name", ["concat", "stack"])
def test_arrays_that_are_joined_go_in_one_list(device, name):
    x = qn.zeros(3, "float32", device)
    for arrays in ((x, x), (x, x.get()), (x, [1.0]), (5,)):
        with pytest.raises(qn.ArgumentTypeError, match=rf"{name}: .* in one list, {name}\(\[a, b\]\)"):
            getattr(qn, name)(*arrays)


def test_numpys_arrays_are_joined_with_ours(device):
    x, a = pair(device, (3,))
    np.testing.assert_array_equal(qn.concat([x, a, [7]]).get(), np.concatenate([a, a, [7]]))


def test_structs_are_joined_rolled_and_repeated(device):
    point = np.dtype([("x", np.float32), ("n", np.int16)], align=True)
    a = np.array([(1, 2), (3, 4), (5, 6)], point)
    x = qn.asarray(a, device=device)
    for function in (
        lambda xp, x: xp.concatenate([x, x[::-1]]),
        lambda xp, x: xp.roll(x, 1),
        lambda xp, x: xp.repeat(x, 2),
        lambda xp, x: xp.pad(x, 2, mode="edge"),
    ):
        assert function(qn, x).get().tolist() == function(np, a).tolist()


def test_elements_along_an_axis_are_taken_and_put(device):
    x, a = pair(device, (3, 4))
    order = np.argsort(-(a % 5), axis=1)
    index = qn.asarray(order, device=device)
    np.testing.assert_array_equal(qn.take_along_axis(x, index, axis=1).get(), np.take_along_axis(a, order, 1))
    np.testing.assert_array_equal(
        qn.take_along_axis(x, index[:, :1], axis=-1).get(), np.take_along_axis(a, order[:, :1], -1)
    )
    qn.put_along_axis(x, index[:, :2], -5, axis=1)
    np.put_along_axis(a, order[:, :2], -5, axis=1)
    np.testing.assert_array_equal(x.get(), a)
    with pytest.raises(IndexError, match="index 3 is out of bounds for axis 0 with size 3"):
        qn.take_along_axis(x, index, axis=0).get()


def test_values_are_put_to_positions_of_the_flat_array(device):
    for view in (np.s_[...], np.s_[:, ::2]):
        x, a = pair(device, (3, 4))
        x, a = x[view], a[view]
        qn.put(x, [0, -1, 3], [10, 20])
        np.put(a, [0, -1, 3], [10, 20])
        x.put(qn.asarray([50, 2], device=device), 7, mode="clip")
        a.put([50, 2], 7, mode="clip")
        np.testing.assert_array_equal(x.get(), a)
        with pytest.raises(IndexError):
            qn.put(x, [12], 1)
            x.get()


@pytest.mark.parametrize("side", ["left", "right"])
def test_values_are_found_in_sorted_arrays(device, side):
    a = np.array([1.0, 2.0, 2.0, 3.5, np.nan])
    v = np.array([[0, 2], [4, 2]])
    x = qn.asarray(a, device=device)
    np.testing.assert_array_equal(
        qn.searchsorted(x, qn.asarray(v, device=device), side=side).get(), np.searchsorted(a, v, side)
    )
    shuffled = a[::-1].copy()
    np.testing.assert_array_equal(
        qn.searchsorted(
            qn.asarray(shuffled, device=device), 2.0, side=side, sorter=np.arange(4, -1, -1)
        ).get(),
        np.searchsorted(shuffled, 2.0, side, sorter=np.arange(4, -1, -1)),
    )


def test_bounds_clip_as_numpys_do(device):
    x, a = pair(device, (6,), np.float32)
    np.testing.assert_array_equal(qn.clip(x, 1.5, a[::-1]).get(), np.clip(a, 1.5, a[::-1]))
    y, b = pair(device, (6,), np.uint8)
    np.testing.assert_array_equal(qn.clip(y, -3, 300).get(), b)
    assert qn.clip(y, 1, 4).dtype == np.uint8
    copied = qn.clip(x)
    copied[...] = 0
    np.testing.assert_array_equal(x.get(), a)


def test_elements_are_chosen_by_conditions(device):
    x, a = pair(device, (3, 4))
    np.testing.assert_array_equal(qn.extract(x % 2 == 0, x).get(), np.extract(a % 2 == 0, a))
    np.testing.assert_array_equal(
        qn.compress([True, False, True], x, axis=0).get(), np.compress([True, False, True], a, axis=0)
    )
    np.testing.assert_array_equal(
        qn.select([x < 3, x < 7], [x, x * 10], -1).get(), np.select([a < 3, a < 7], [a, a * 10], -1)
    )
    np.testing.assert_array_equal(qn.choose(x % 3, [x, -x, 7]).get(), np.choose(a % 3, [a, -a, np.array(7)]))
    qn.place(x, x > 4, [100, 200])
    np.place(a, a > 4, [100, 200])
    np.testing.assert_array_equal(x.get(), a)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda x: x.transpose(2**32 + 1, 0), "axis out of range: 4294967297"),
        (lambda x: x.transpose(()), "0 axes for an array of 2"),
        (lambda x: x.transpose(0), "1 axes for an array of 2"),
        (lambda x: qn.squeeze(x, axis=1), "axis 1 has length 4, expected 1"),
        (lambda x: qn.moveaxis(x, 0, 2), "axis 2 is out of bounds"),
        (lambda x: qn.flip(x, axis=(0, 0)), "axis 0 is repeated"),
        (lambda x: qn.roll(x, (1, 2, 3), axis=(0, 1)), "3 shifts for 2 axes"),
        (lambda x: qn.split(x, 2), "3 elements cannot be split into 2 equal parts"),
        (lambda x: qn.pad(x, -1), "negative"),
        (lambda x: qn.pad(x, 1, mode="middle"), "mode must be"),
        (lambda x: qn.searchsorted(x, 1), "one dimension"),
    ],
)
def test_arguments_that_do_not_fit_are_value_errors(device, call, text):
    with pytest.raises(qn.ArgumentValueError, match=text):
        call(pair(device)[0])


@pytest.mark.parametrize(
    "call",
    [
        lambda x: qn.flip(x, axis=1.0),
        lambda x: qn.sum(x, axis="0"),
        lambda x: qn.sum(x, axis=(0, 1.5)),
        lambda x: x.transpose(0.0, 1.0),
        lambda x: qn.concat([x], axis=0.5),
        lambda x: qn.roll(x, 1.5),
        lambda x: qn.unstack(x, axis=1.0),
    ],
)
def test_axes_that_are_no_integers_are_type_errors(device, call):
    with pytest.raises(qn.ArgumentTypeError, match=r"integer|expected an axis"):
        call(pair(device)[0])


@pytest.mark.parametrize("part", [np.s_[::2], np.s_[::-1], np.s_[:3]], ids=str)
def test_what_is_ravelled_has_no_gaps(device, part):
    values = np.arange(6.0, dtype=np.float32)
    x = qn.asarray(values, device=device)
    flat, expected = qn.ravel(x[part]), np.ravel(values[part])
    flat[0] = expected[0] = 9
    np.testing.assert_array_equal(x.get(), values)
