# SPDX-License-Identifier: MIT
"""Maps: NumPy views of device memory, what they write back, and the errors of memory that is used while mapped."""

import ctypes
import gc
import inspect
import os

import numpy as np
import pytest

import quern as qn


def here():
    """The file and line of the caller, as errors name it."""
    frame = inspect.currentframe().f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


@pytest.fixture
def ramp(device):
    """A buffer with the bytes from 0 to 255."""
    buffer = qn.Buffer(256, device=device)
    buffer.write(np.arange(256, dtype=np.uint8))
    return buffer


def test_a_map_shows_the_memory(ramp):
    with ramp.map("r") as view:
        assert isinstance(view, np.ndarray)
        assert view.dtype == np.uint8 and view.shape == (256,)
        assert (view == np.arange(256)).all()


@pytest.mark.parametrize("access", ["w", "rw", "discard"])
def test_what_is_written_to_a_map_is_in_the_buffer(ramp, access):
    with ramp.map(access) as view:
        view[:] = np.arange(256)[::-1]
    assert (ramp.read() == np.arange(256)[::-1]).all()


@pytest.mark.parametrize("access", ["w", "rw"])
def test_bytes_that_are_not_written_keep_their_values(ramp, access):
    with ramp.map(access) as view:
        view[3] = 77
    expected = np.arange(256)
    expected[3] = 77
    assert (ramp.read() == expected).all()


def test_a_map_of_a_range_writes_only_there(ramp):
    with ramp.map("discard", 16, 32) as view:
        assert view.shape == (32,)
        view[:] = 9
    expected = np.arange(256)
    expected[16:48] = 9
    assert (ramp.read() == expected).all()


def test_a_map_of_a_sub_buffer_is_relative_to_it(ramp):
    with ramp[64:128].map("rw", 2, 4) as view:
        assert list(view) == [66, 67, 68, 69]
        view[:] = 0
    assert list(ramp.read()[64:72]) == [64, 65, 0, 0, 0, 0, 70, 71]


@pytest.mark.parametrize("dtype", ["float32", "complex128", np.dtype([("x", "i4"), ("y", "f4")])])
def test_a_map_has_a_dtype(device, dtype):
    values = np.ones(8, dtype)
    buffer = qn.Buffer(values.nbytes, device=device)
    with buffer.map("discard", dtype=dtype) as view:
        assert view.dtype == values.dtype and view.shape == (8,)
        view[:] = values
    assert buffer.read(np.empty(8, dtype)).tobytes() == values.tobytes()


def test_a_range_outside_the_buffer_is_an_error(ramp):
    with pytest.raises(qn.ArgumentValueError, match="256 bytes"):
        ramp.map("r", 250, 7)
    with pytest.raises(qn.ArgumentValueError, match="offset 257"):
        ramp.map("r", 257)
    with pytest.raises(qn.ArgumentValueError, match="multiple"):
        ramp.map("r", 0, 7, dtype="int32")
    with pytest.raises(qn.ArgumentValueError, match="discard"):
        ramp.map("x")
    with pytest.raises(qn.ArgumentTypeError, match="offset"):
        ramp.map("r", 1.5)


def test_an_empty_range_can_be_mapped(ramp, device):
    for buffer in (ramp[8:8], qn.Buffer(0, device=device)):
        with buffer.map() as view:
            assert view.shape == (0,)


def test_a_map_for_reading_is_read_only(ramp):
    with ramp.map("r") as view:
        with pytest.raises(ValueError, match="read-only"):
            view[0] = 1
        with pytest.raises(ValueError, match="WRITEABLE"):
            view.setflags(write=True)


def test_the_array_is_read_only_after_unmap_and_stays_valid(ramp, device):
    with ramp.map("rw") as view:
        view[0] = 5
    for _ in range(2):
        assert view[0] == 5
        with pytest.raises(ValueError, match="read-only"):
            view[0] = 6
        with pytest.raises(ValueError, match="WRITEABLE"):
            view.setflags(write=True)
    before = view.copy()
    del ramp
    gc.collect()
    others = [qn.Buffer(256, device=device) for _ in range(8)]
    for other in others:
        other.fill(200).wait()
    assert (view == before).all()


def test_views_of_the_array_stay_valid_after_unmap(ramp):
    with ramp.map("rw") as view:
        part = view[10:20]
    del view, ramp
    gc.collect()
    assert part.sum() == sum(range(10, 20))
    part[:] = 0  # detached, or the memory that nothing else uses


def test_maps_are_in_place_where_the_memory_is_the_hosts(ramp, device):
    opened = ramp.map("r")
    opened.wait()
    by_copies = os.environ.get("QUERN_MAP_COPIES") == "1"
    assert opened.in_place == (device.kind == "cpu" and not by_copies)
    opened.unmap()


def test_map_and_unmap_are_operations_with_events(queue, basic):
    array = qn.zeros(64, "float32", queue.device)
    filled = basic.fill(queue, 64, None, array, 3.0, 64)
    opened = array.buffer.map("rw", dtype="float32", queue=queue, wait_for=filled)
    assert isinstance(opened.event, qn.Event)
    view = opened.wait()
    assert opened.event.done and opened.array is view
    assert (view == 3).all()
    view += 1
    done = opened.unmap()
    assert opened.closed
    out = np.zeros(64, np.float32)
    queue.copy(out, array, wait_for=[done]).wait()
    assert (out == 4).all()


def test_a_map_waits_for_another_queue(queue, spin, device):
    array = qn.zeros(1, "float32", device)
    other = qn.Queue(device)
    spin(other, 0.2, array)
    with array.map("r", queue=queue) as view:
        value = view[0]
    assert value == array.get()[0]


def test_map_waits_for_its_events(queue, other_device, ramp):
    other = qn.Queue(other_device)
    far = qn.Buffer(256, device=other_device)
    event = far.fill(1, queue=other)
    with ramp.map("r", queue=queue, wait_for=[event]) as view:
        assert event.done
        assert view[7] == 7


def test_work_after_unmap_on_another_queue_sees_the_writes(device, basic):
    first, second = qn.Queue(device), qn.Queue(device)
    x = qn.zeros(1000, "float32", device)
    for value in range(5):
        with x.map("discard", queue=first) as view:
            view[:] = value
        y = qn.empty(1000, "float32", device)
        second.copy(y, x)
        assert (y.get() == value).all()


def test_using_memory_that_is_mapped_for_writing_is_an_error(queue, basic, device):
    array = qn.zeros(64, "float32", device)
    other = qn.ones(64, "float32", device)
    opened, line = array.map("rw"), here()
    for use in (
        lambda: basic.fill(queue, 64, None, array, 3.0, 64),
        lambda: queue.copy(array, other),
        lambda: queue.copy(other, array),
        lambda: array.get(),
        lambda: array + 1,
        lambda: array.sum().get(),
        lambda: array.fill(0),
        lambda: array.__setitem__(0, 1),
        lambda: float(array[0]),
        lambda: array.map("r"),
        lambda: array.buffer.map("discard", 8, 8),
    ):
        with pytest.raises(qn.MapError) as error:
            use()
        assert line in str(error.value) and "unmap" in str(error.value)
    opened.unmap()
    array += 2
    assert (array.get() == 2).all()


def test_memory_that_is_mapped_for_reading_can_be_read(queue, basic, device):
    array = qn.full(64, 2.0, "float32", device)
    opened, line = array.map("r"), here()
    assert (array.get() == 2).all()
    assert (array + 1).get()[5] == 3
    with array.map("r") as again:
        assert again[0] == 2
    for use in (
        lambda: basic.fill(queue, 64, None, array, 3.0, 64),
        lambda: array.fill(0),
        lambda: array.__iadd__(1),
        lambda: array.__setitem__(0, 1),
        lambda: array.map("rw"),
    ):
        with pytest.raises(qn.MapError, match="reading") as error:
            use()
        assert line in str(error.value)
    opened.unmap()
    assert (array.get() == 2).all()


def test_other_parts_of_a_mapped_buffer_can_be_used(ramp):
    with ramp.map("rw", 0, 16) as low, ramp.map("rw", 16, 16) as high:
        low[:], high[:] = 1, 2
        ramp[32:64].fill(3).wait()
    assert ramp.read()[:64].tolist() == [1] * 16 + [2] * 16 + [3] * 32


def test_lazy_expressions_keep_the_values_from_before_a_map(device):
    x = qn.arange(10, dtype="float64", device=device)
    y = x * 2
    with x.map("rw") as view:
        view[:] = 100
    assert (y.get() == np.arange(10) * 2).all()
    assert (x.get() == 100).all()
    z = x + 1  # lazy again
    x[0] = 0
    assert z.get()[0] == 101


def test_double_unmap_is_an_error(ramp):
    opened, line = ramp.map("r"), here()
    opened.unmap()
    with pytest.raises(qn.MapError, match="already") as error:
        opened.unmap()
    assert line in str(error.value)
    with pytest.raises(qn.MapError, match="unmapped"):
        opened.wait()
    with pytest.raises(qn.MapError):
        _ = opened.array


def test_a_block_may_unmap_early(ramp):
    with (opened := ramp.map("rw")) as view:
        view[0] = 9
        opened.unmap()
    assert ramp.read()[0] == 9


def test_an_exception_in_the_block_unmaps(ramp):
    with pytest.raises(KeyError), ramp.map("rw") as view:
        view[0] = 9
        raise KeyError
    assert ramp.read()[0] == 9


def test_a_map_that_is_never_unmapped_is_written_back_when_collected(ramp, device):
    other = qn.Buffer(256, device=device)
    other.fill(7).wait()
    opened = ramp.map("rw")
    opened.wait()[:] = 3
    del opened
    gc.collect()
    assert (ramp.read() == 3).all()
    assert (other.read() == 7).all()


def test_an_array_keeps_its_map_open(ramp):
    view = ramp.map("rw").wait()
    gc.collect()
    view[:] = 4
    with pytest.raises(qn.MapError):
        ramp.read()
    del view
    gc.collect()
    assert (ramp.read() == 4).all()


def test_a_map_outlives_its_buffer(device):
    opened = qn.full(1000, 3, "int32", device).map("rw")
    gc.collect()
    view = opened.wait()
    assert (view == 3).all()
    view[:] = 4
    opened.unmap().wait()


def test_maps_of_arrays_have_their_shape_and_strides(device):
    x = qn.asarray(np.arange(24, dtype="int32").reshape(4, 6), device=device)
    with x.map() as view:
        assert view.shape == (4, 6) and view.dtype == np.int32
        view[1] = -1
    expected = np.arange(24).reshape(4, 6)
    expected[1] = -1
    assert (x.get() == expected).all()
    for part in (np.s_[:, ::2], np.s_[::-1, 1:3], np.s_[2], np.s_[..., ::-2], np.s_[1:1]):
        for access in ("rw", "discard"):
            with x[part].map(access) as view:
                assert view.shape == expected[part].shape
                view[...] = 5
            expected[part] = 5
            assert (x.get() == expected).all()


def test_a_lazy_array_is_evaluated_by_its_map(device):
    x = qn.arange(5, dtype="float64", device=device)
    y = x + 1
    with y.map() as view:
        assert (view == np.arange(5) + 1).all()
        view[0] = 10
    assert y.get()[0] == 10 and x.get()[0] == 0


def test_a_bad_index_is_reported_by_the_map(device):
    x = qn.arange(8, device=device)
    bad = x[qn.asarray([0, 99], device=device)]
    with pytest.raises(IndexError), bad.map("r"):
        pass
    qn.zeros(4, device=device).get()


def test_a_read_only_array_is_not_mapped_for_writing(device):
    x = qn.broadcast_to(qn.arange(3, device=device), (2, 3))
    with pytest.raises(qn.ArgumentValueError, match="read-only"):
        x.map("rw")
    with x.map("r") as view:
        assert (view == np.broadcast_to(np.arange(3), (2, 3))).all()


def test_a_released_buffer_is_not_mapped(ramp):
    ramp.release()
    with pytest.raises(qn.ArgumentValueError, match="released"):
        ramp.map()


def test_a_map_says_what_it_is(ramp):
    opened, line = ramp.map("rw", 0, 8), here()
    assert "8 bytes" in repr(opened) and line in repr(opened)
    assert (opened.nbytes, opened.access, opened.closed) == (8, "rw", False)
    opened.unmap()
    assert opened.closed and "closed" in repr(opened)


def test_many_maps_take_no_more_memory(device):
    buffer = qn.Buffer(1 << 16, device=device)
    in_use = qn.pool_stats(device).in_use
    for value in range(200):
        with buffer.map("discard") as view:
            view[:] = value % 256
    del view
    assert (buffer.read() == 199).all()
    assert qn.pool_stats(device).in_use == in_use


def test_migrate_changes_no_values(queue, ramp, device):
    other = qn.zeros(4, device=device)
    first = queue.migrate([ramp, other], "host")
    queue.migrate(ramp, wait_for=first).wait()
    queue.migrate([]).wait()
    assert (ramp.read() == np.arange(256)).all()
    with pytest.raises(qn.ArgumentValueError, match="device"):
        queue.migrate(ramp, "disk")
    with pytest.raises(qn.ArgumentTypeError, match="int"):
        queue.migrate(3)


def test_migrate_refuses_memory_of_another_context(queue, other_device):
    with pytest.raises(qn.ArgumentValueError, match="context"):
        queue.migrate(qn.Buffer(16, device=other_device))


OPEN_MAP = """
import numpy as np
import quern as qn

buffer = qn.Buffer(1 << 20, device={spec!r})
buffer.fill(1).wait()
with buffer.map("rw", 100, 1000) as view:
    assert (view == 1).all()
    view[::2] = 2
with buffer.map("discard", 4096) as view:
    view[:] = 3
values = buffer.read()
expected = np.ones(1 << 20, "uint8")
expected[100:1100:2] = 2
expected[4096:] = 3
assert (values == expected).all()
opened = buffer.map("rw")
opened.wait()[:] = 9
kept = opened.array[5:6]
"""


def test_maps_by_copies_give_the_same_results(run_python, device):
    """As on devices whose memory the host cannot access."""
    run_python(OPEN_MAP.format(spec=device.spec), env={"QUERN_MAP_COPIES": "1"})


TRAFFIC = """
import numpy as np
import quern as qn

queue = qn.Queue({spec!r})
buffer = qn.Buffer(4096, queue=queue)
buffer.write(np.arange(4096, dtype="uint16").view("uint8")[:4096], queue=queue)

def traffic(access, *part):
    with qn.profile() as p:
        with buffer.map(access, *part, queue=queue) as view:
            if access != "r":
                view[1:3] = 7
        queue.finish()
    moved = [(r.kind, r.bytes_read + r.bytes_written) for r in p.records if r.kind in ("upload", "download")]
    return moved

assert traffic("r") == [("download", 4096)]
assert traffic("r", 100, 50) == [("download", 50)]
assert traffic("rw", 100, 50) == [("download", 50), ("upload", 50)]
assert traffic("w", 4000) == [("download", 96), ("upload", 96)]
assert traffic("discard", 0, 8) == [("upload", 8)]
x = qn.asarray(np.arange(24, dtype="int32").reshape(4, 6), device={spec!r})
for part, nbytes in ((np.s_[1], 24), (np.s_[1:3], 48), (np.s_[:, 2:4], 80)):
    with qn.profile() as p:
        with x[part].map("r", queue=queue) as view:
            assert (view == np.arange(24).reshape(4, 6)[part]).all()
        queue.finish()
    moved = [(r.kind, r.bytes_read) for r in p.records if r.kind in ("upload", "download")]
    assert moved == [("download", nbytes)], (part, moved)
"""


def test_maps_move_only_their_range_and_maps_for_reading_write_nothing_back(run_python, device):
    """Seen in a profile, where maps are copies."""
    run_python(TRAFFIC.format(spec=device.spec), env={"QUERN_MAP_COPIES": "1"})


@pytest.mark.parametrize("part", [(), (64,), (64, 32)])
def test_a_map_for_reading_leaves_what_others_wrote_meanwhile(ramp, device, part):
    """Bytes beside the range change while it is mapped; the unmap does not undo that."""
    before = ramp.read()
    opened = ramp.map("r", *part)
    view = opened.wait()
    if part:
        ramp[0:64].fill(200).wait()
        before[:64] = 200
    assert view[0] == (64 if part else 0)
    opened.unmap().wait()
    assert (ramp.read() == before).all()


def test_maps_of_a_gpu_are_page_locked(device, ramp):
    if device.backend != "cuda":
        pytest.skip("asks CUDA's driver")
    driver = ctypes.CDLL("libcuda.so.1")
    context, kind = ctypes.c_void_p(), ctypes.c_uint()
    assert driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), int(device.spec.split(":")[1])) == 0
    assert driver.cuCtxPushCurrent_v2(context) == 0
    try:
        with ramp.map("rw") as view:
            memory_type = 2  # CU_POINTER_ATTRIBUTE_MEMORY_TYPE
            address = ctypes.c_uint64(view.ctypes.data)
            assert driver.cuPointerGetAttribute(ctypes.byref(kind), memory_type, address) == 0
            assert kind.value == 1  # CU_MEMORYTYPE_HOST
    finally:
        driver.cuCtxPopCurrent_v2(ctypes.byref(context))
        driver.cuDevicePrimaryCtxRelease_v2(int(device.spec.split(":")[1]))


def test_a_process_may_end_with_an_open_map(run_python, device):
    run_python(OPEN_MAP.format(spec=device.spec))
