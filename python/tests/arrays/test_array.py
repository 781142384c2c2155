# SPDX-License-Identifier: MIT
"""Arrays: conversions from and to NumPy, shared memory, shapes and dtypes."""

import numpy as np
import pytest

import quern as qn

DTYPES = [
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]


def values(dtype, shape=(3, 4)):
    data = np.random.default_rng(5).integers(0, 100, shape)
    return (
        (data + 1j * data.T.reshape(shape)).astype(dtype)
        if np.dtype(dtype).kind == "c"
        else data.astype(dtype)
    )


@pytest.mark.parametrize("dtype", DTYPES)
def test_asarray_and_get_are_inverse(device, dtype):
    data = values(dtype)
    array = qn.asarray(data, device=device)
    assert (array.dtype, array.shape, array.size, array.ndim) == (
        data.dtype,
        data.shape,
        data.size,
        data.ndim,
    )
    assert (array.nbytes, array.itemsize) == (data.nbytes, data.itemsize)
    assert array.device == device
    got = array.get()
    assert got.dtype == data.dtype
    assert (got == data).all()


@pytest.mark.parametrize("shape", [(), (0,), (1,), (2, 0, 3), (2, 3, 4, 5)])
def test_every_shape_round_trips(device, shape):
    data = values("float32", shape)
    array = qn.asarray(data, device=device)
    assert array.shape == shape
    assert np.array_equal(array.get(), data)


def test_structured_dtypes_round_trip(device):
    dtype = np.dtype([("a", "i4"), ("b", "f8", (2,)), ("c", [("x", "u1"), ("y", "f4")])], align=True)
    data = np.zeros(5, dtype)
    data["a"] = np.arange(5)
    data["b"] = np.arange(10).reshape(5, 2)
    data["c"]["y"] = 7
    assert (qn.asarray(data, device=device).get() == data).all()


@pytest.mark.parametrize("dtype", [object, "U3", "S4", "M8[s]", [("a", object)]])
def test_dtypes_that_no_device_has_are_errors(device, dtype):
    with pytest.raises(qn.ArgumentTypeError, match="dtype"):
        qn.empty(3, dtype, device)


def test_lists_become_arrays(device):
    array = qn.asarray([[1, 2], [3, 4]], device=device)
    assert array.dtype == np.int64
    assert array.get().tolist() == [[1, 2], [3, 4]]
    assert qn.asarray([1, 2], "float32", device=device).dtype == np.float32


def test_asarray_copies(device):
    data = np.arange(10)
    array = qn.asarray(data, device=device)
    data[:] = 0
    assert (array.get() == np.arange(10)).all()


def test_views_of_any_stride_are_copied(device):
    data = np.arange(24).reshape(4, 6)
    for view in (data.T, data[::2], data[:, ::-1], np.broadcast_to(data[0], (3, 6))):
        assert (qn.asarray(view, device=device).get() == view).all()


def test_an_array_of_the_device_is_returned_as_it_is(device):
    array = qn.asarray(np.arange(3), device=device)
    assert qn.asarray(array, device=device) is array
    copy = qn.asarray(array, device=device, copy=True)
    assert copy is not array
    array.fill(0).wait()
    assert copy.get().tolist() == [0, 1, 2]
    assert qn.asarray(array, "float32", device=device).dtype == np.float32


def test_arrays_move_between_devices(device, other_device):
    array = qn.asarray(np.arange(1000), device=device)
    moved = qn.asarray(array, device=other_device)
    assert moved.device == other_device
    assert (moved.get() == np.arange(1000)).all()
    with pytest.raises(qn.ArgumentValueError, match="copy"):
        qn.asarray(array, device=other_device, copy=False)


def test_sharing_memory_is_for_the_host(device, basic):
    data = np.ones(64, np.float32)
    if not device.shares_host_memory:
        with pytest.raises(qn.ArgumentValueError, match=device.spec):
            qn.asarray(data, device=device, copy=False)
        return
    array = qn.asarray(data, device=device, copy=False)
    basic.twice(qn.Queue(device), 64, None, array).wait()
    assert (data == 2).all()


def test_views_of_any_stride_can_be_shared():
    data = np.arange(24, dtype=np.float32).reshape(4, 6)
    for view in (data.T, data[::-2, 1::3], data[1], data[2:2], data[..., None, 3]):
        array = qn.asarray(view, device="host", copy=False)
        assert (array.get() == view).all()
        array[...] = -view
        assert (array.get() == view).all() and (view <= 0).all()
        np.abs(data, out=data)


def test_sharing_what_cannot_be_shared_is_an_error():
    data = np.ones((4, 4), np.float32)
    unaligned = np.zeros(17, np.uint8)[1:].view(np.float32)
    for wrong in (unaligned, [1, 2, 3]):
        with pytest.raises(qn.ArgumentValueError):
            qn.asarray(wrong, device="host", copy=False)
    with pytest.raises(qn.ArgumentValueError):
        qn.asarray(data, "float64", device="host", copy=False)


def test_read_only_memory_is_not_written(basic):
    data = np.ones(8, np.float32)
    data.flags.writeable = False
    array = qn.asarray(data, device="host", copy=False)
    with pytest.raises(qn.ArgumentValueError, match="read-only"):
        basic.twice(qn.Queue("host"), 8, None, array)
    assert array.get().tolist() == [1] * 8


def test_zeros_are_zeros(device):
    qn.empty(1000, "int32", device).fill(-1).wait()
    assert not qn.zeros(1000, "int32", device).get().any()
    assert not qn.zeros((3, 0), "int32", device).get().any()


def test_the_default_dtype_is_float64_if_the_device_has_it(device):
    expected = np.float64 if device.has_fp64 else np.float32
    assert qn.empty(3, device=device).dtype == qn.zeros(3, device=device).dtype == expected


@pytest.mark.parametrize("shape", [-1, (2, -3), (1 << 40, 1 << 40)])
def test_a_shape_that_is_none_is_an_error(device, shape):
    with pytest.raises((qn.ArgumentError, qn.OutOfDeviceMemory)):
        qn.empty(shape, "float64", device)


def test_set_replaces_the_elements(device):
    array = qn.zeros((2, 3), "float32", device)
    array.set([[1, 2, 3], [4, 5, 6]])
    assert array.get().tolist() == [[1, 2, 3], [4, 5, 6]]
    array.set(np.arange(6, dtype=np.float64).reshape(3, 2).T)
    assert array.get().tolist() == [[0, 2, 4], [1, 3, 5]]


def test_set_refuses_what_does_not_fit(device):
    array = qn.zeros((2, 3), "int32", device)
    with pytest.raises(qn.ArgumentValueError, match="shape"):
        array.set(np.zeros((3, 2), np.int32))
    with pytest.raises(qn.ArgumentTypeError, match="float64"):
        array.set(np.zeros((2, 3)))
    assert not array.get().any()


def test_get_fills_an_array_of_ours(device):
    array = qn.asarray(np.arange(6, dtype=np.int32).reshape(2, 3), device=device)
    out = np.empty((2, 3), np.int32)
    assert array.get(out) is out
    assert (out == np.arange(6).reshape(2, 3)).all()
    with pytest.raises(qn.ArgumentTypeError, match="dtype"):
        array.get(np.empty((2, 3), np.int64))
    with pytest.raises(qn.ArgumentValueError, match="shape"):
        array.get(np.empty((3, 2), np.int32))
    strided = np.zeros((3, 4), np.int32)
    assert array.get(strided[:, 1:3].T).base is strided
    assert strided[:, 1:3].tolist() == [[0, 3], [1, 4], [2, 5]]
    assert not strided[:, ::3].any()
    out.flags.writeable = False
    with pytest.raises(qn.ArgumentValueError, match="read-only"):
        array.get(out)
    with pytest.raises(qn.ArgumentTypeError):
        array.get([1, 2, 3])


def test_numpy_takes_arrays(device):
    array = qn.asarray(np.arange(4, dtype=np.int32), device=device)
    assert np.asarray(array).tolist() == [0, 1, 2, 3]
    assert np.asarray(array, dtype=np.float32).dtype == np.float32
    assert np.array(array, copy=True).dtype == np.int32
    assert (np.arange(4) + np.asarray(array)).tolist() == [0, 2, 4, 6]
    if not device.shares_host_memory:
        with pytest.raises(ValueError, match="copy"):
            np.asarray(array, copy=False)


def test_an_array_has_a_length_and_shows_its_device(device):
    array = qn.zeros((5, 2), "int16", device)
    assert len(array) == 5
    assert device.spec in repr(array) and "int16" in repr(array)
    with pytest.raises(TypeError):
        len(qn.zeros((), "int16", device))


def test_fill_sets_every_element(device):
    array = qn.zeros(100, "float32", device)
    array.fill(2.5).wait()
    assert (array.get() == 2.5).all()
    qn.Queue(device).fill(array, 3).wait()
    assert (array.get() == 3).all()


def test_an_array_of_a_buffer_shares_it(device):
    buffer = qn.Buffer(24, device=device)
    array = qn.Array(buffer, "int32", (2, 3))
    array.fill(4).wait()
    assert (buffer.read(np.empty(6, np.int32)) == 4).all()
    assert array.buffer.nbytes == 24
    with pytest.raises(qn.ArgumentError):
        qn.Array(buffer, "int32", (2, 4))


def test_copies_check_the_element_types(queue):
    array = qn.zeros(4, "int32", queue.device)
    with pytest.raises(qn.ArgumentTypeError, match="dtype"):
        queue.copy(array, np.zeros(4, np.float32))


@pytest.mark.parametrize("length", [1 << 62, 1 << 63, 1 << 80])
def test_a_shape_beyond_all_memory_is_an_error(length, device):
    with pytest.raises(qn.ArgumentValueError):
        qn.zeros(length, "float32", device)


def test_astype_copies_unless_told_otherwise(device):
    x = qn.zeros(3, "float32", device)
    assert x.astype("float32", copy=False) is x and qn.astype(x, "float32", copy=False) is x
    copy = x.astype("float32")
    x[0] = 1
    np.testing.assert_array_equal(copy.get(), [0, 0, 0])
    assert x.astype("float64" if device.has_fp64 else "int32", copy=False) is not x
