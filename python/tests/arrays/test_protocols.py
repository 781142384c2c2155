# SPDX-License-Identifier: MIT
"""Arrays in the protocols of Python and NumPy: buffers, __array__, ufuncs and functions by NumPy's name."""

import gc

import numpy as np
import pytest

import quern as qn

DTYPES = [
    "bool",
    "int8",
    "uint16",
    "int32",
    "int64",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]


@pytest.fixture
def host():
    return qn.device("host")


def array_of(values, device):
    return qn.asarray(np.asarray(values), device=device)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_memoryview_on_the_host_is_what_numpys_is(host, dtype):
    data = np.arange(6).reshape(2, 3).astype(dtype)
    ours, theirs = memoryview(array_of(data, host)), memoryview(data)
    assert (ours.format, ours.shape, ours.strides, ours.itemsize, ours.nbytes, ours.readonly) == (
        theirs.format,
        theirs.shape,
        theirs.strides,
        theirs.itemsize,
        theirs.nbytes,
        False,
    )
    assert ours.tobytes() == theirs.tobytes()
    assert np.asarray(ours).dtype == data.dtype


@pytest.mark.parametrize(
    "index", [np.s_[::-1], np.s_[1:, ::2], np.s_[0, 1, ...], np.s_[2:2], np.s_[:, None, 1]]
)
def test_views_have_their_strides_in_a_memoryview(host, index):
    data = np.arange(12.0).reshape(3, 4)
    x = array_of(data, host)
    view = np.asarray(x[index])
    assert view.shape == data[index].shape
    assert view.tolist() == data[index].tolist()
    if view.size:
        assert view.strides == data[index].strides
        view[...] = -1
        data[index] = -1
        assert (x.get() == data).all()


def test_readers_that_want_contiguous_memory_get_it_or_an_error(host):
    x = array_of(np.arange(12.0).reshape(3, 4), host)
    assert np.frombuffer(x).tolist() == list(range(12))
    assert bytearray(x) == x.get().tobytes()
    assert memoryview(x.T).f_contiguous
    with pytest.raises((BufferError, ValueError), match=r"C-contiguous|C order"):
        np.frombuffer(x.T)


def test_structures_can_be_seen_and_vectors_are_copied(host):
    dtype = np.dtype([("a", "i4"), ("b", "f8", (2,))], align=True)
    data = np.zeros(3, dtype)
    data["a"] = [1, 2, 3]
    seen = np.asarray(array_of(data, host))
    assert seen.dtype == dtype and seen["a"].tolist() == [1, 2, 3]
    vectors = qn.zeros(2, qn.vec.float4, host)
    with pytest.raises(BufferError, match="vectors"):
        memoryview(vectors)
    assert qn.asarray(np.asarray(vectors), device=host).dtype == qn.vec.float4


def test_memory_outlives_the_array_it_is_seen_through(host):
    view = memoryview(array_of(np.arange(1000), host) + 1)
    gc.collect()
    [qn.full(1000, -1, dtype="int64", device=host).get() for _ in range(3)]
    assert view.tolist() == list(range(1, 1001))


def test_exported_memory_is_not_read_lazily_until_the_last_export_ends(host):
    x = array_of(np.arange(4.0), host)
    before = x + 1
    view = np.asarray(x)
    assert before.in_memory
    after = x + 1
    assert after.in_memory
    qn.synchronize(host)
    view[:] = 100
    assert before.get().tolist() == after.get().tolist() == [1, 2, 3, 4]
    assert (x + 1).get().tolist() == [101] * 4
    part = view[1:]
    del view
    assert (x + 1).in_memory
    del part
    gc.collect()
    assert not (x + 1).in_memory


def test_memory_that_must_not_be_written_says_so(host):
    data = np.arange(4.0)
    data.flags.writeable = False
    x = qn.asarray(data, device=host, copy=False)
    assert memoryview(x).readonly
    assert not np.asarray(x).flags.writeable


def test_only_host_memory_has_a_buffer(device):
    x = array_of([1, 2, 3], device)
    if not device.shares_host_memory:
        with pytest.raises(BufferError, match=device.spec):
            memoryview(x)
    assert bytes(x) == x.tobytes() == np.array([1, 2, 3]).tobytes()
    assert bytes(x[1]) == np.int64(2).tobytes()


def test_numpy_copies_on_request_and_where_it_must(device):
    x = array_of(np.arange(4, dtype=np.int32), device)
    assert np.asarray(x).tolist() == [0, 1, 2, 3]
    copy = np.array(x, copy=True)
    copy[:] = 9
    assert x.get().tolist() == [0, 1, 2, 3]
    assert x.__array__(copy=True).base is None
    assert x.__array__("float32").dtype == np.float32
    with pytest.raises(qn.ArgumentValueError, match="without a copy"):
        x.__array__("float32", copy=False)
    if device.shares_host_memory:
        np.asarray(x, copy=False)[0] = 7
        assert x.get().tolist() == [7, 1, 2, 3]
    else:
        with pytest.raises(qn.ArgumentValueError, match="without a copy"):
            x.__array__(copy=False)
    assert type(qn.asnumpy(x)) is np.ndarray
    assert qn.asnumpy([1, 2]).tolist() == [1, 2]


def test_get_array_module_tells_whose_arrays_they_are(device):
    x = array_of([1.0], device)
    assert qn.get_array_module(np.ones(2), x) is qn
    assert qn.get_array_module(np.ones(2), 3) is np


def test_numpys_functions_of_elements_are_ours(device):
    data, other = np.linspace(1, 2, 6).reshape(2, 3), np.array([1.0, 2.0, 3.0])
    x, y = array_of(data, device), array_of(other, device)
    before = qn.stats().launches
    for got, expected in [
        (np.sin(x), np.sin(data)),
        (np.add(x, y), data + other),
        (np.multiply(other, x), other * data),
        (other - x, other - data),
        (x / other, data / other),
        (np.float64(2) * x, 2 * data),
        (np.power(x, 2), data**2),
        (np.conjugate(x), data),
        (np.maximum([3.0, 1.0, 2.0], x), np.maximum([3.0, 1.0, 2.0], data)),
    ]:
        assert type(got) is qn.Array and got.device == device
        np.testing.assert_allclose(got.get(), expected, rtol=1e-12)
    assert not np.add(x, y).in_memory
    assert qn.stats().launches - before <= 9


def test_results_go_where_out_says(device):
    x, out = array_of([1.0, 2.0, 3.0], device), qn.zeros(3, "float32", device)
    with pytest.raises(qn.ArgumentTypeError, match=r"add: out: cannot cast float64"):
        np.add(x, 1, out=qn.zeros(3, "int32", device))
    assert np.add(x, 1, out=out) is out
    assert out.get().tolist() == [2, 3, 4]
    np.multiply(x, 10, out=out, where=x > 1)
    assert out.get().tolist() == [2, 20, 30]
    with pytest.raises(qn.ArgumentTypeError, match="use get"):
        np.add(x, 1, out=np.zeros(3))
    with pytest.raises(qn.ArgumentValueError, match="shape"):
        np.add(x, 1, out=qn.zeros(4, "float64", device))
    assert np.add(x, 1, where=x > 1).get()[1:].tolist() == [3, 4]
    with pytest.raises(qn.ArgumentValueError, match="shape"):
        np.sum(x, out=out)
    with pytest.raises(qn.ArgumentTypeError):
        data = np.zeros(3)
        data += x


def test_a_dtype_for_the_computation_is_checked_as_numpy_does(device):
    x = array_of(np.array([1.5, 2.5]), device)
    assert np.add(x, 1, dtype="float32").dtype == np.float32
    with pytest.raises(qn.ArgumentTypeError, match="same_kind"):
        np.add(x, 1, dtype="int32")


def test_ufuncs_reduce_and_make_outer_products(device):
    data = np.arange(6.0).reshape(2, 3)
    x = array_of(data, device)
    for ufunc in (np.add, np.multiply, np.maximum, np.minimum):
        assert ufunc.reduce(x).get().tolist() == ufunc.reduce(data).tolist()
        assert float(ufunc.reduce(x, axis=None)) == ufunc.reduce(data, axis=None)
    assert np.add.reduce(x, axis=1, keepdims=True).get().tolist() == [[3], [12]]
    assert np.logical_and.reduce(x, axis=1).get().tolist() == [False, True]
    assert np.subtract.outer(x, [1.0, 2.0]).get().tolist() == np.subtract.outer(data, [1, 2]).tolist()
    assert np.subtract.reduce(x).get().tolist() == np.subtract.reduce(data).tolist()
    assert np.add.reduceat(x, [0, 1]).get().tolist() == np.add.reduceat(data, [0, 1]).tolist()
    with pytest.raises(qn.ArgumentValueError, match=r"subtract\.reduce: where"):
        np.subtract.reduce(x, where=x > 1)


def test_numpys_functions_take_arrays_by_position_and_by_name(device):
    data = np.arange(6.0).reshape(2, 3)
    x = array_of(data, device)
    assert np.sum(x, 1).get().tolist() == [3, 12]
    assert float(np.sum(x)) == 15
    assert np.mean(x, axis=0, keepdims=True).get().tolist() == [[1.5, 2.5, 3.5]]
    assert np.max(x, axis=1).get().tolist() == [2, 5]
    assert float(np.var(x, ddof=1)) == pytest.approx(np.var(data, ddof=1))
    assert np.where(x > 2, x, -1).get().tolist() == np.where(data > 2, data, -1).tolist()
    assert (np.ndim(x), np.shape(x), np.size(x)) == (2, (2, 3), 6)
    out = qn.zeros(2, "float64", device)
    assert np.sum(x, axis=1, out=out) is out and out.get().tolist() == [3, 12]


def test_functions_that_are_not_there_are_named(device):
    x = array_of([1.0, 2.0], device)
    with pytest.raises(qn.ArgumentTypeError, match=r"numpy\.datetime_as_string"):
        np.datetime_as_string(x)
    with pytest.raises(qn.ArgumentTypeError, match=r"numpy\.isnat"):
        np.isnat(x)
    with pytest.raises(qn.ArgumentValueError, match="order"):
        np.sort(x, order="a")
    assert float(np.sum(x, initial=3)) == 6


def test_objects_of_others_are_left_to_them(device):
    class Theirs:
        __array_ufunc__ = None

        def __radd__(self, other):
            return "theirs"

    assert array_of([1.0], device) + Theirs() == "theirs"


def test_numpy_sees_what_was_written_to_shared_memory_at_once():
    x = qn.zeros(1_000_000, device="host").copy()
    seen = np.asarray(x, copy=False)
    x[...] = qn.sin(x) + 1
    assert (seen == 1).all()
    values = np.arange(1e6)
    y = qn.from_dlpack(values) + 1
    values[...] = 60
    np.testing.assert_array_equal(y.get(), np.arange(1e6) + 1)
