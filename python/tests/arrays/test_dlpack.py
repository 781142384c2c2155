# SPDX-License-Identifier: MIT
"""Arrays to and from other libraries by DLPack: NumPy's is the other side here."""

import ctypes
import gc
import threading
import weakref

import numpy as np
import pytest

import quern as qn

DTYPES = [
    "bool",
    "int8",
    "uint8",
    "int16",
    "uint32",
    "int64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]
VIEWS = [
    np.s_[...],
    np.s_[::-1],
    np.s_[1:, ::2],
    np.s_[0, 1, ...],
    np.s_[2:2],
    np.s_[:, None, 1],
    np.s_[::-2, ::-1],
]


@pytest.fixture
def host():
    return qn.device("host")


class Producer:
    """Gives what a NumPy array would, of a version of our choice, and counts how often it is asked."""

    def __init__(self, array, version=None):
        self.array, self.version, self.asked = array, version, []

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, *, stream=None, **options):
        if self.version == 0 and options:
            raise TypeError("unexpected keyword")
        self.asked.append((stream, options))
        return self.array.__dlpack__(**options)


def tensor_of(capsule):
    """The structure in a capsule, for looking at it."""

    class Tensor(ctypes.Structure):
        _fields_ = [
            ("data", ctypes.c_void_p),
            ("device", ctypes.c_int32 * 2),
            ("ndim", ctypes.c_int32),
            ("code", ctypes.c_uint8),
            ("bits", ctypes.c_uint8),
            ("lanes", ctypes.c_uint16),
            ("shape", ctypes.POINTER(ctypes.c_int64)),
            ("strides", ctypes.POINTER(ctypes.c_int64)),
            ("byte_offset", ctypes.c_uint64),
        ]

    class Versioned(ctypes.Structure):
        _fields_ = [
            ("version", ctypes.c_uint32 * 2),
            ("manager", ctypes.c_void_p),
            ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
            ("flags", ctypes.c_uint64),
            ("tensor", Tensor),
        ]

    class Unversioned(ctypes.Structure):
        _fields_ = [
            ("tensor", Tensor),
            ("manager", ctypes.c_void_p),
            ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
        ]

    name = capsule_name(capsule)
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return (Versioned if b"versioned" in name else Unversioned).from_address(pointer(capsule, name))


def capsule_name(capsule):
    get_name = ctypes.pythonapi.PyCapsule_GetName
    get_name.restype, get_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    return get_name(capsule)


@pytest.mark.parametrize("dtype", DTYPES)
def test_numpy_and_quern_share_memory_both_ways(host, dtype):
    data = np.arange(6).reshape(2, 3).astype(dtype)
    x = qn.asarray(data, device=host)
    seen = np.from_dlpack(x)
    assert seen.dtype == data.dtype and (seen == data).all()
    seen[0, 1] = 0
    assert x.get()[0, 1] == 0
    ours = qn.from_dlpack(data)
    assert ours.dtype == data.dtype and ours.device == host and (ours.get() == data).all()
    ours[1, 2] = 1
    qn.synchronize(host)
    assert data[1, 2] == 1


@pytest.mark.parametrize("index", VIEWS)
def test_views_keep_their_strides(host, index):
    data = np.arange(12.0).reshape(3, 4)
    seen = np.from_dlpack(qn.asarray(data, device=host)[index])
    assert seen.shape == data[index].shape and seen.tolist() == data[index].tolist()
    ours = qn.from_dlpack(data[index])
    assert ours.shape == data[index].shape and ours.get().tolist() == data[index].tolist()
    if ours.size:
        ours[...] = -1
        qn.synchronize(host)
        assert (data[index] == -1).all()
        assert (data == -1).sum() == data[index].size


def test_both_versions_of_the_standard_are_spoken(device):
    x = qn.asarray(np.arange(6, dtype=np.float32), device=device)[1::2]
    old, new = x.__dlpack__(), x.__dlpack__(max_version=(1, 0))
    assert (capsule_name(old), capsule_name(new)) == (b"dltensor", b"dltensor_versioned")
    assert list(tensor_of(new).version) == [1, 1] and tensor_of(new).flags == 0
    for managed in (tensor_of(old), tensor_of(new)):
        tensor = managed.tensor
        assert tuple(tensor.device) == x.__dlpack_device__()
        assert (tensor.ndim, tensor.code, tensor.bits, tensor.lanes) == (1, 2, 32, 1)
        assert (tensor.shape[0], tensor.strides[0]) == (3, 2)
    producer = Producer(np.arange(3.0), version=0)
    assert qn.from_dlpack(producer).get().tolist() == [0, 1, 2]
    assert producer.asked == [(None, {})]
    producer = Producer(np.arange(3.0))
    assert qn.from_dlpack(producer).get().tolist() == [0, 1, 2]
    assert producer.asked[0][1]["max_version"][0] == 1


def test_an_array_comes_back_on_its_device(device):
    x = qn.asarray(np.arange(12, dtype=np.int32).reshape(3, 4), device=device)[:, 1:]
    y = qn.from_dlpack(x)
    assert y.device == device and y.shape == (3, 3) and (y.get() == x.get()).all()
    y += 100
    assert (x.get() >= 100).all()
    assert qn.from_dlpack(x, copy=True).get().tolist() == x.get().tolist()


def test_lazy_arrays_are_computed_and_then_not_read_lazily(device):
    x = qn.asarray(np.arange(4.0), device=device)
    before = x + 1
    capsule = (x * 2).__dlpack__()
    assert not before.in_memory
    capsule = x.__dlpack__()
    assert before.in_memory and (x + 1).in_memory
    del capsule
    gc.collect()
    assert not (x + 1).in_memory


def test_memory_outlives_the_arrays_of_either_side(host):
    seen = np.from_dlpack(qn.asarray(np.arange(1000), device=host) + 1)
    ours = qn.from_dlpack(np.arange(1000) + 1)
    gc.collect()
    junk = [np.full(1000, -1) for _ in range(8)] + [qn.full(1000, -1, dtype="int64", device=host).get()]
    assert len(junk) == 9
    assert seen.tolist() == ours.get().tolist() == list(range(1, 1001))


def test_the_deleter_runs_when_borrowed_memory_is_no_longer_used(host):
    class Watched(np.ndarray):
        pass

    deleted = []
    data = np.arange(4.0).view(Watched)
    weakref.finalize(data, deleted.append, 1)
    x = qn.from_dlpack(data)
    y = x + 1
    del data
    gc.collect()
    assert not deleted
    assert y.get().tolist() == [1, 2, 3, 4]
    thread = threading.Thread(target=lambda box: box.clear(), args=([x],))
    del x
    thread.start()
    thread.join()
    qn.synchronize(host)
    qn.zeros(1, device=host)  # releases memory that is no longer used
    gc.collect()
    assert deleted


def test_a_deleter_may_be_called_from_a_thread_that_python_does_not_know(host):
    x = qn.asarray(np.arange(4.0), device=host)
    capsule = x.__dlpack__(max_version=(1, 0))
    managed = tensor_of(capsule)
    assert (x + 1).in_memory
    rename = ctypes.pythonapi.PyCapsule_SetName
    rename.argtypes = [ctypes.py_object, ctypes.c_char_p]
    used = b"used_dltensor_versioned"
    rename(capsule, used)  # the tensor is ours to delete from here on
    posix, thread = ctypes.CDLL(None), ctypes.c_ulong()
    deleter = ctypes.cast(managed.deleter, ctypes.c_void_p)
    address = ctypes.c_void_p(ctypes.addressof(managed))
    assert posix.pthread_create(ctypes.byref(thread), None, deleter, address) == 0
    assert posix.pthread_join(thread, None) == 0
    assert not (x + 1).in_memory
    assert x.get().tolist() == [0, 1, 2, 3]


def test_memory_that_must_not_be_written_stays_so(host):
    data = np.arange(4.0)
    data.flags.writeable = False
    x = qn.from_dlpack(data)
    with pytest.raises(qn.ArgumentValueError, match="read-only"):
        x[0] = 1
    assert data.tolist() == x.get().tolist() == [0, 1, 2, 3]
    assert tensor_of(x.__dlpack__(max_version=(1, 0))).flags & 1
    with pytest.raises(BufferError, match="version 0"):
        x.__dlpack__()
    assert not np.from_dlpack(x).flags.writeable


def check_refuses_writing(x, data):
    """Assignments, operators and kernels do not write to the array."""
    twice = qn.Program("kernel void twice(global double *x) { x[get_global_id(0)] *= 2; }")
    read = qn.Program(
        "kernel void read(global const double *x, global double *y) { y[get_global_id(0)] = x[0]; }"
    )
    before = data.tolist()
    y = qn.zeros(4, np.float64, "host")

    def add_in_place():
        nonlocal x
        x += 1

    for write in (
        lambda: x.__setitem__(0, 1),
        lambda: x.__setitem__(slice(None), y),
        add_in_place,
        lambda: qn.add(y, y, out=x),
        lambda: twice["twice"](qn.Queue("host"), 4, None, x),
        lambda: twice["twice"](qn.Queue("host"), 2, None, x[:2]),
    ):
        with pytest.raises(qn.ArgumentError):
            write()
    read["read"](qn.Queue("host"), 4, None, x, y).wait()
    assert y.get().tolist() == [before[0]] * 4
    assert data.tolist() == x.get().tolist() == before


def test_a_tensor_that_is_marked_read_only_is_not_written(host):
    data = np.arange(1.0, 5.0)
    data.flags.writeable = False
    check_refuses_writing(qn.from_dlpack(data), data)


def test_a_tensor_of_a_library_of_immutable_arrays_is_not_written(host):
    data = np.arange(1.0, 5.0)

    class Array:
        def __dlpack__(self, *, stream=None):  # version 0, which has no flag for it
            return data.__dlpack__()

        def __dlpack_device__(self):
            return data.__dlpack_device__()

    assert qn.from_dlpack(Array()).buffer.access == "rw"
    Array.__module__ = "jaxlib._jax"
    check_refuses_writing(qn.from_dlpack(Array()), data)


def test_copies_are_made_on_request_and_where_they_are_needed(device):
    x = qn.asarray(np.arange(3.0), device=device)
    copied = x.__dlpack__(max_version=(1, 0), copy=True)
    assert tensor_of(copied).flags & 2
    place = x.__dlpack_device__()
    assert tensor_of(x.__dlpack__(max_version=(1, 0), dl_device=place, copy=False)).flags == 0
    on_host = x.__dlpack__(max_version=(1, 0), dl_device=(1, 0))
    assert tuple(tensor_of(on_host).tensor.device) == (1, 0)
    assert np.from_dlpack(x, device="cpu").tolist() == [0, 1, 2]
    if place != (1, 0):
        with pytest.raises(BufferError, match="copy=False"):
            x.__dlpack__(dl_device=(1, 0), copy=False)
    with pytest.raises(BufferError, match="dl_device"):
        x.__dlpack__(dl_device=(10, 0))
    moved = qn.from_dlpack(np.arange(3), device=device)
    assert moved.device == device and moved.get().tolist() == [0, 1, 2]
    if place != (1, 0):
        with pytest.raises(qn.ArgumentValueError, match=device.spec):
            qn.from_dlpack(np.arange(3), device=device, copy=False)


def test_vectors_are_lanes(device):
    x = qn.zeros(3, qn.vec.float4, device)
    tensor = tensor_of(capsule := x.__dlpack__()).tensor
    assert (tensor.code, tensor.bits, tensor.lanes) == (2, 32, 4)
    del capsule
    assert qn.from_dlpack(x).dtype == qn.vec.float4
    with pytest.raises(BufferError, match="float32x3"):
        qn.zeros(3, qn.vec.float3, device).__dlpack__()
    with pytest.raises(BufferError, match="no data type"):
        qn.zeros(3, [("a", "f4")], device).__dlpack__()


def test_elements_that_no_device_has_are_errors(host):
    class Changed(Producer):
        def __dlpack__(self, **options):
            capsule = self.array.__dlpack__(max_version=(1, 0))
            tensor = tensor_of(capsule).tensor
            tensor.code, tensor.bits = self.version
            return capsule

    for code, bits, text in [(4, 8, "code 4, 8"), (2, 8, "code 2, 8"), (8, 8, "code 8")]:
        with pytest.raises(qn.ArgumentTypeError, match=text):
            qn.from_dlpack(Changed(np.arange(4.0), (code, bits)))


def test_what_is_no_tensor_is_an_error(host):
    with pytest.raises(qn.ArgumentTypeError, match="__dlpack__"):
        qn.from_dlpack([1, 2, 3])
    unaligned = np.zeros(17, np.uint8)[1:].view(np.float32)
    with pytest.raises(qn.ArgumentValueError, match="aligned"):
        qn.from_dlpack(unaligned)

    class Twice(Producer):
        capsule = None

        def __dlpack__(self, **options):
            self.capsule = self.capsule or self.array.__dlpack__(max_version=(1, 0))
            return self.capsule

    producer = Twice(np.arange(3.0))
    qn.from_dlpack(producer)
    with pytest.raises(qn.ArgumentValueError, match="was consumed already"):
        qn.from_dlpack(producer)
    x = qn.asarray(np.arange(3.0), device=host)
    with pytest.raises(qn.ArgumentValueError, match="stream"):
        x.__dlpack__(stream=3)
    assert not hasattr(x, "__cuda_array_interface__")


def test_arrays_of_others_become_arrays_by_a_copy(device):
    data = np.arange(6.0).reshape(2, 3)
    x = qn.asarray(Producer(data), device=device)
    assert x.device == device and x.get().tolist() == data.tolist()
    data[:] = 0
    assert x.get()[1, 2] == 5
    assert qn.asarray(Producer(data), "float32", device=device).dtype == np.float32
    if device.shares_host_memory:
        shared = qn.asarray(Producer(data), device=device, copy=False)
        shared[0, 0] = 7
        qn.synchronize(device)
        assert data[0, 0] == 7


@pytest.fixture
def jax_on(device):
    """JAX, and its device that is ours, where both are there."""
    jax = pytest.importorskip("jax")
    if device.backend == "opencl":
        pytest.skip("JAX has no OpenCL")
    platform, number = ("cuda", int(device.spec.split(":")[1])) if device.backend == "cuda" else ("cpu", 0)
    try:
        return jax, jax.devices(platform)[number]
    except (RuntimeError, IndexError):
        pytest.skip(f"JAX has no '{device.spec}'")


# Without a switch for the whole process JAX makes 32 bits of 64.
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint32", "float16", "float32", "complex64"])
def test_jax_and_we_share_memory_both_ways(device, jax_on, dtype):
    jax, place = jax_on
    data = (np.arange(24) % 5).astype(dtype).reshape(2, 3, 4)
    theirs = jax.device_put(data, place)
    x = qn.from_dlpack(theirs)
    assert (x.device, x.dtype, x.shape) == (device, data.dtype, data.shape)
    np.testing.assert_array_equal(x.get(), data)
    assert qn.asarray(theirs, device=device).get().tolist() == data.tolist()
    seen = jax.dlpack.from_dlpack(qn.asarray(data, device=device)[1])
    np.testing.assert_array_equal(np.asarray(seen), data[1])
    x = qn.asarray(data, device=device)
    assert jax.dlpack.from_dlpack(x).unsafe_buffer_pointer() == x.buffer.native_handle


def test_jax_gets_what_is_still_to_be_computed(device, jax_on):
    jax, _ = jax_on
    x = qn.arange(1000, dtype="float32", device=device)
    theirs = jax.dlpack.from_dlpack(x * 2 + 1)
    del x
    gc.collect()
    np.testing.assert_array_equal(np.asarray(jax.numpy.sin(theirs) * 0 + theirs), np.arange(1000) * 2 + 1)
    x = qn.from_dlpack(theirs * 3)
    del theirs
    gc.collect()
    np.testing.assert_array_equal((x - 3).get(), np.arange(1000) * 6)


def test_a_capsule_that_outlives_the_interpreter_is_no_harm(run_python):
    run_python(
        """
        import numpy as np, quern as qn, builtins
        builtins.seen = np.from_dlpack(qn.asarray(np.arange(1000.0), device="host"))
        builtins.ours = qn.from_dlpack(np.arange(1000.0)) + 1
        builtins.capsule = qn.asarray(np.arange(10.0), device="host").__dlpack__()
        """
    )
