# SPDX-License-Identifier: MIT
"""Keywords and forms of NumPy's functions of shapes and of new arrays, beside NumPy's own results."""

import numpy as np
import pytest

import quern as qn


@pytest.fixture
def x(device):
    return qn.asarray(np.arange(6, dtype=np.float32).reshape(2, 3), device=device)


def same(found, expected):
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_array_equal(found.get(), expected)


@pytest.mark.parametrize("order", ["C", "F", "A", "K", None, "f"])
def test_orders_are_taken_where_numpy_takes_them(device, x, order):
    a = x.get()
    for view, given in ((x, a), (x.T, a.T), (x[:, ::2], a[:, ::2])):
        same(qn.ravel(view, order=order or "C"), np.ravel(given, order=order or "C"))
        same(view.flatten(order=order or "C"), given.flatten(order=order or "C"))
        same(qn.copy(view, order=order or "C"), np.copy(given, order=order or "C"))
    is_fortran = order in ("F", "f")
    made = [
        qn.empty((2, 3), np.float32, order=order, device=device),
        qn.ones((2, 3), np.float32, order=order, device=device),
        qn.full((2, 3), x[0], np.float32, order=order, device=device),
        qn.ones_like(x, order=order),
        qn.full_like(x, 2, order=order),
        qn.eye(2, 3, 1, np.float32, order, device=device),
        qn.copy(x, order),
    ]
    for one in made:
        assert one.strides == ((4, 8) if is_fortran else (12, 4))
    same(made[5], np.eye(2, 3, 1, np.float32))


def test_a_new_array_takes_an_order_or_a_device_by_position(device):
    assert qn.zeros((2, 3), np.float32, device).device == device
    assert qn.zeros((2, 3), np.float32, device.spec).device == device
    assert qn.zeros((2, 3), np.float32, device, order="F").strides == (4, 8)
    assert qn.zeros((2, 3), np.float32, "F", device=device).strides == (4, 8)
    assert qn.full((2, 3), 1, np.float32, "F", device=device).strides == (4, 8)
    with pytest.raises(ValueError, match="zeros: order must be 'C', 'F', 'A' or 'K', got 'Q'"):
        qn.zeros(3, np.float32, "Q")


def test_fortran_arrays_are_themselves_or_copies(x):
    y = qn.asfortranarray(x)
    same(y, x.get())
    assert y.strides == (4, 8)
    assert qn.asfortranarray(y) is y and qn.ascontiguousarray(x) is x
    assert qn.asfortranarray(x, "int16").dtype == np.int16


def test_reshape_copies_or_refuses_to_as_its_keyword_says(x):
    assert not qn.may_share_memory(qn.reshape(x, -1, copy=True), x)
    assert not qn.may_share_memory(x.reshape(-1, copy=True), x)
    assert qn.may_share_memory(x.reshape(6, copy=False), x)
    for call in (lambda: x.T.reshape(-1, copy=False), lambda: qn.reshape(x.T, -1, copy=False)):
        with pytest.raises(qn.ArgumentValueError, match="needs a copy"):
            call()
    same(x.reshape(np.array([3, 2])), x.get().reshape(3, 2))


def test_an_array_is_made_of_a_shape_and_a_dtype(device):
    with device:
        y = qn.Array((2, 3), np.int16)
        assert (y.shape, y.dtype, y.device) == ((2, 3), np.int16, device)
        assert qn.ndarray(4).dtype == qn.zeros(4).dtype
        assert qn.Array(shape=(2, 3), dtype="float32", order="F").strides == (4, 8)
    z = qn.Array((2,), "float32", device=device)
    assert z.device == device
    same(qn.Array(qn.zeros(3, "int32", device).buffer, "int32", 3), np.zeros(3, np.int32))


def test_zeros_are_trimmed_off_all_axes(device):
    a = np.zeros((4, 5), np.float32)
    a[1, 2], a[2, 3] = 1, 2
    y = qn.asarray(a, device=device)
    for options in ({}, {"axis": 0}, {"axis": (1,)}, {"trim": "f"}, {"trim": "b", "axis": -1}):
        same(qn.trim_zeros(y, **options), np.trim_zeros(a, **options))
    same(qn.trim_zeros(y[:1]), np.trim_zeros(a[:1]))


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_multiples_go_between_arrays(device, axis):
    starts, stops = np.array([1, 2, -3], np.float32), np.array([100, 0.5, -48], np.float32)
    with device:
        got = qn.geomspace(qn.asarray(starts), qn.asarray(stops), 5, axis=axis)
        expected = np.geomspace(starts, stops, 5, axis=axis)
        assert got.shape == expected.shape
        assert got.dtype == (expected.dtype if device.has_fp64 else np.float32)
        np.testing.assert_allclose(got.get(), expected, rtol=1e-5)
        powers = qn.logspace(qn.asarray(starts), 2, 4, base=3.0, axis=axis)
        np.testing.assert_allclose(
            powers.get(), np.logspace(starts, 2, 4, base=3.0, axis=axis), rtol=1e-5, atol=1e-6
        )
        bases = qn.logspace(0, 2, 4, base=qn.asarray(np.array([2, 3], np.float32)), axis=axis)
        wanted = np.logspace(0, 2, 4, base=np.array([2, 3], np.float32), axis=axis)
        assert bases.shape == wanted.shape
        np.testing.assert_allclose(bases.get(), wanted, rtol=1e-5)
        with pytest.raises(qn.ArgumentValueError, match="must not be 0"):
            qn.geomspace(qn.asarray(starts * 0), 1)


@pytest.mark.parametrize("dtype", ["int16", "uint8", "int64", "float32", "complex64"])
def test_bytes_are_swapped(device, dtype):
    if dtype == "int64" and device.backend != "host":
        pytest.skip("one length is enough where kernels take long to compile")
    a = np.arange(6).reshape(2, 3).astype(dtype)
    y = qn.asarray(a, device=device)
    assert y.T.byteswap().get().tobytes() == a.T.byteswap().tobytes()
    assert y[:, ::2].byteswap(inplace=True).shape == (2, 2)
    a[:, ::2].byteswap(inplace=True)
    assert y.get().tobytes() == a.tobytes()
    assert y.byteswap(True) is y


def test_results_of_joins_go_where_they_are_wanted(device, x):
    out = qn.zeros((4, 3), "float64" if device.has_fp64 else "float32", device)
    assert qn.concat([x, x], out=out) is out
    np.testing.assert_array_equal(out.get(), np.concatenate([x.get()] * 2))
    assert qn.stack([x, x], dtype="int32", casting="unsafe").dtype == np.int32
    with pytest.raises(qn.ArgumentTypeError, match=r"cannot cast .* to int32"):
        qn.concat([x, x], dtype="int32", casting="safe")
    with pytest.raises(qn.ArgumentTypeError, match="out or dtype"):
        qn.concat([x, x], out=out, dtype="int32")
    diagonal = qn.zeros((), "float32", device)
    assert qn.trace(x, out=diagonal) is diagonal and x.trace(1).item() == 6
    assert diagonal.item() == 4


def test_parts_are_put_in_and_taken_out_as_in_numpy(device):
    a = np.arange(5, dtype=np.int32)
    y = qn.asarray(a, device=device)
    same(qn.insert(y, [1], [7, 8]), np.insert(a, [1], [7, 8]))
    same(qn.insert(y, [True, False, True, False, False], 9), np.insert(a, [0, 2], 9))
    same(qn.insert(y, slice(0, 4, 2), [7, 8]), np.insert(a, slice(0, 4, 2), [7, 8]))
    same(qn.delete(y, [True, False, True, False, False]), np.delete(a, [0, 2]))
    same(qn.delete(y, slice(None, None, -2)), np.delete(a, slice(None, None, -2)))
    same(qn.repeat(y, qn.asarray([0, 1, 2, 0, 1], device=device)), np.repeat(a, [0, 1, 2, 0, 1]))
    same(qn.pad(y, {0: (1, 2)}), np.pad(a, (1, 2)))
    with pytest.raises(OverflowError):
        qn.insert(qn.asarray(a.astype(np.int8), device=device), 0, 300)
    for call in (lambda: qn.delete(y, 5), lambda: qn.insert(y, 6, 0), lambda: qn.delete(y, [0.5])):
        with pytest.raises(IndexError):
            call()


def test_arrays_that_need_no_change_are_returned_as_they_are(x):
    assert qn.atleast_1d(x) is x and qn.atleast_2d(x) is x
    assert qn.broadcast_arrays(x, 1.0)[0] is x


def test_structures_keep_their_dtype(device):
    point = np.dtype([("x", np.float32), ("is_on", np.bool_), ("n", np.int16, (2,))], align=True)
    a = np.zeros(4, point)
    a["x"], a["is_on"] = np.arange(4), [True, False, True, False]
    y = qn.asarray(a, device=device)
    for found, expected in (
        (qn.reshape(y, (2, 2)), a.reshape(2, 2)),
        (qn.concat([y, y[:1]]), np.concatenate([a, a[:1]])),
        (qn.flip(y), np.flip(a)),
        (qn.repeat(y, 2), np.repeat(a, 2)),
        (qn.zeros(3, point, device), np.zeros(3, point)),
        (qn.zeros_like(y), np.zeros_like(a)),
    ):
        assert found.dtype == expected.dtype and found.dtype.isalignedstruct
        for field in point.names:
            np.testing.assert_array_equal(found.get()[field], expected[field])


def test_counts_beyond_64_bits_are_counted_exactly(device):
    if not device.has_fp64:
        pytest.skip("its default precision is another")
    for start, stop in ((2**64 - 3, 2**64), (2**70, 2**70 + 4), (-(2**66), -(2**66) + 3)):
        expected = [float(one) for one in range(start, stop)]
        assert qn.arange(start, stop, dtype="float64", device=device).get().tolist() == expected


def test_arrays_share_memory_where_their_bytes_overlap(device):
    a = np.zeros(8, np.float32)
    y = qn.asarray(a, device=device)
    for one, other in (
        (slice(4), slice(4, None)),
        (slice(5), slice(4, None)),
        (slice(None, None, -2), slice(1)),
    ):
        assert qn.may_share_memory(y[one], y[other]) == np.may_share_memory(a[one], a[other])
    assert not qn.may_share_memory(y, a, max_work=1) and not qn.may_share_memory(y, y.copy())
    assert qn.array_equiv(y, [[0], [0]]) and not qn.array_equiv(y, y[:3]) and not qn.array_equiv(y, y + 1)


def test_texts_of_arrays_take_numpys_options(device):
    a = np.array([1.23456789, 1e-9], np.float32)
    y = qn.asarray(a, device=device)
    options = {"max_line_width": 10, "precision": 3, "suppress_small": True}
    assert qn.array_str(y, **options) == np.array_str(a, **options)
    assert "1.235" in qn.array_repr(y, precision=3)
