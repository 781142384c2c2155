# SPDX-License-Identifier: MIT
"""Buffers: writing, reading, filling, copying, parts, rectangles, native handles."""

import gc
import weakref

import numpy as np
import pytest

import quern as qn


def random_bytes(count, seed=1):
    return np.random.default_rng(seed).integers(0, 256, count, dtype=np.uint8)


@pytest.mark.parametrize("count", [1, 3, 4096, 1_000_003])
def test_what_is_written_is_read(device, count):
    data = random_bytes(count)
    buffer = qn.Buffer(count, device=device)
    buffer.write(data)
    assert (buffer.read() == data).all()
    out = np.zeros_like(data)
    assert buffer.read(out) is out
    assert (out == data).all()


def test_a_buffer_knows_itself(device):
    buffer = qn.Buffer(1000, device=device)
    assert buffer.nbytes == len(buffer) == 1000
    assert buffer.device == device
    assert buffer.context == qn.Context.of(device)
    assert buffer.access == "rw"
    assert not buffer.released
    assert device.spec in repr(buffer) and "1000" in repr(buffer)


def test_an_empty_buffer_is_allowed(device):
    buffer = qn.Buffer(0, device=device)
    assert buffer.nbytes == 0
    buffer.write(b"")
    assert buffer.read().size == 0


@pytest.mark.parametrize(
    ("nbytes", "error"), [(-1, ValueError), (1.5, TypeError), ("8", TypeError), (None, TypeError)]
)
def test_a_size_that_is_none_is_an_error(device, nbytes, error):
    with pytest.raises(error):
        qn.Buffer(nbytes, device=device)


def test_an_access_that_is_none_is_an_error(device):
    with pytest.raises(qn.ArgumentValueError, match="access"):
        qn.Buffer(8, device=device, access="x")


def test_writing_and_reading_parts(device):
    buffer = qn.Buffer(16, device=device)
    buffer.write(bytes(16))
    buffer.write(b"abcd", 4)
    assert bytes(buffer.read(offset=2))[:8] == b"\0\0abcd\0\0"
    out = bytearray(4)
    buffer.read(out, 4)
    assert out == b"abcd"


def test_what_does_not_fit_is_an_error(device):
    buffer = qn.Buffer(16, device=device)
    with pytest.raises(qn.ArgumentValueError, match="17 bytes"):
        buffer.write(bytes(17))
    with pytest.raises(qn.ArgumentValueError):
        buffer.write(bytes(8), 9)
    with pytest.raises(qn.ArgumentValueError):
        buffer.read(bytearray(17))
    with pytest.raises(qn.ArgumentValueError):
        buffer.read(offset=17)


def test_host_memory_must_be_contiguous_and_writable(device):
    buffer = qn.Buffer(16, device=device)
    with pytest.raises(qn.ArgumentValueError, match="contiguous"):
        buffer.write(np.zeros((8, 4), np.uint8)[:, 1:3])
    with pytest.raises(qn.ArgumentValueError, match="writable"):
        buffer.read(b"0123456789abcdef")
    with pytest.raises(qn.ArgumentTypeError, match="buffer"):
        buffer.write(3)


def test_a_slice_is_the_same_memory(device):
    step = device.sub_buffer_alignment
    buffer = qn.Buffer(4 * step, device=device)
    data = random_bytes(4 * step)
    buffer.write(data)
    part = buffer[step : 3 * step]
    assert (part.nbytes, part.offset) == (2 * step, step)
    assert (part.read() == data[step : 3 * step]).all()
    part.fill(9).wait()
    data[step : 3 * step] = 9
    assert (buffer.read() == data).all()
    again = part.sub_buffer(step, step)
    assert again.offset == 2 * step
    assert (buffer[-step:].read() == data[-step:]).all()


def test_a_slice_out_of_range_is_an_error(device):
    buffer = qn.Buffer(16, device=device)
    with pytest.raises(qn.ArgumentError):
        buffer.sub_buffer(8, 9)
    with pytest.raises(qn.ArgumentError):
        buffer.sub_buffer(17, 0)
    with pytest.raises(qn.ArgumentError, match="step"):
        _ = buffer[::2]


def test_a_part_keeps_the_memory(device):
    buffer = qn.Buffer(1 << 16, device=device)
    buffer.fill(5).wait()
    part = buffer[: 1 << 15]
    del buffer
    gc.collect()
    qn.Buffer(1 << 16, device=device).fill(0).wait()
    assert (part.read() == 5).all()


def test_kernels_use_parts(queue, basic):
    step = max(queue.device.sub_buffer_alignment, 4)
    array = qn.zeros(4 * step, "float32", queue.device)
    basic.fill(queue, step, None, array.buffer[4 * step : 8 * step], 3.0, step).wait()
    expected = np.zeros(4 * step, np.float32)
    expected[step : 2 * step] = 3
    assert (array.get() == expected).all()


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16])
def test_fill_repeats_a_pattern(device, size):
    pattern = bytes(range(1, size + 1))
    buffer = qn.Buffer(size * 1000, device=device)
    buffer.fill(pattern).wait()
    assert bytes(buffer.read()) == pattern * 1000


@pytest.mark.parametrize(
    "value", [np.float32(1.5), np.int16(-3), np.float64(2.25), np.uint8(200), np.complex64(1 + 2j)]
)
def test_fill_takes_numpy_scalars(device, value):
    buffer = qn.Buffer(value.itemsize * 100, device=device)
    buffer.fill(value).wait()
    assert (buffer.read(np.empty(100, value.dtype)) == value).all()


@pytest.mark.parametrize(
    ("value", "error"),
    [(256, ValueError), (-1, ValueError), (1.5, TypeError), (None, TypeError), (b"", ValueError)],
)
def test_fill_with_nonsense_is_an_error(device, value, error):
    with pytest.raises(error):
        qn.Buffer(16, device=device).fill(value)


def test_a_pattern_must_divide_the_buffer(device):
    with pytest.raises(qn.ArgumentValueError):
        qn.Buffer(10, device=device).fill(np.float32(1))


def test_copies_between_buffers(queue):
    data = random_bytes(10_000)
    first, second = (qn.Buffer(10_000, device=queue.device) for _ in range(2))
    queue.copy(first, data)
    queue.copy(second, first)
    out = np.zeros_like(data)
    queue.copy(out, second).wait()
    assert (out == data).all()


RECORD = np.dtype([("mass", "f8"), ("charge", "i1"), ("name", "S3")], align=False)


@pytest.mark.parametrize(
    ("value", "dtype"),
    [(3, "int64"), (1.5, "float16"), (2 - 1j, "complex64"), (True, "bool"), ((0.5, -1, b"abc"), RECORD)],
)
def test_fill_takes_a_dtype(device, value, dtype):
    expected = np.full(77, np.array(value, dtype), dtype)
    buffer = qn.Buffer(expected.nbytes, device=device)
    buffer.fill(value, dtype=dtype).wait()
    assert bytes(buffer.read()) == expected.tobytes()
    qn.Queue(device).fill(buffer, np.zeros((), dtype)).wait()
    assert not buffer.read().any()


@pytest.mark.parametrize("size", [3, 7, 12, 100, 4097, 100_001])
def test_patterns_have_any_length(device, size):
    pattern = random_bytes(size)
    buffer = qn.Buffer(5 * size, device=device)
    buffer.fill(pattern).wait()
    assert (buffer.read() == np.tile(pattern, 5)).all()
    part = buffer[size : 3 * size]  # does not begin at a multiple of anything
    part.fill(pattern[::-1].copy()).wait()
    assert (buffer.read() == np.concatenate([pattern, np.tile(pattern[::-1], 2), np.tile(pattern, 2)])).all()


def test_a_pattern_that_does_not_divide_the_buffer_is_an_error(device):
    buffer = qn.Buffer(100, device=device)
    for value, dtype in ((b"abc", None), (1, "complex128"), ((1, 2, b""), RECORD)):
        with pytest.raises(qn.ArgumentValueError, match="divide"):
            buffer.fill(value, dtype=dtype)
    with pytest.raises(qn.ArgumentTypeError, match="dtype"):
        qn.Queue(device).fill(qn.zeros(4, device=device), 1, dtype="int8")
    with pytest.raises((TypeError, ValueError)):
        buffer.fill("text", dtype="int32")


HOLD = """
// Ends when the host sets the flag, or after some seconds.
kernel void hold(global volatile int *flag, global int *out, long most) {
  for (long i = 0; i < most && flag[0] == 0; i++) {}
  out[0] = flag[0];
}
"""


@pytest.mark.parametrize("there_first", [False, True])
def test_copies_between_backends_do_not_wait_in_the_caller(other_device, device, there_first):
    """The copy waits for a kernel that ends only after the copy was enqueued."""
    if device.backend != "host":
        pytest.skip("the host holds the copy back")
    flag = np.zeros(1, np.int32)
    held = qn.Queue(device)
    out = qn.zeros(1, "int32", device)
    # A kernel that was short before may run in the thread that launches it, so each test has one of its own.
    program = qn.Program(HOLD.replace("most &&", f"most + {int(there_first)} &&")).build(device)
    data = random_bytes(100_000)
    here, there = qn.Buffer(data.nbytes, device=device), qn.Buffer(data.nbytes, device=other_device)
    (there if there_first else here).write(data)
    first, second = (there, here) if there_first else (here, there)
    other = qn.Queue(other_device)
    out.get()
    event = program.hold(
        held, 1, None, qn.Buffer.wrap(flag.ctypes.data, 4, device, flag), out, 20_000_000_000
    )
    copied = other.copy(second, first, wait_for=[event])
    again = qn.Queue(first.device).fill(first, 7, wait_for=[copied])
    assert not copied.done and not again.done
    flag[0] = 1
    again.wait()
    assert out.get()[0] == 1
    assert (second.read() == data).all()
    assert (first.read() == 7).all()


def test_copies_between_all_backends_are_held_back_while_the_caller_goes_on(device):
    """Also between two drivers that share no memory, where the copy has two steps."""
    data = random_bytes(2_000_000)
    for there in qn.devices():
        if there.backend == device.backend:
            continue
        source, target, back = (qn.Buffer(data.nbytes, device=where) for where in (device, there, device))
        source.write(data)
        go = qn.UserEvent()
        events = [qn.Queue(device).copy(target, source, wait_for=go), qn.Queue(there).copy(back, target)]
        assert not any(event.done for event in events)
        go.set_done()
        assert qn.wait_all(events)
        assert (target.read() == data).all() and (back.read() == data).all()


def test_copies_between_contexts_of_one_device(device):
    data = random_bytes(1_000_000)
    contexts = [qn.Context.of(device), qn.Context([device])]
    buffers = [qn.Buffer(data.nbytes, context=context) for context in contexts]
    buffers[0].write(data, queue=qn.Queue(device))
    with qn.profile() as p:
        for first in (0, 1):  # the queue of the source, then that of the target
            qn.Queue(device, contexts[first]).copy(buffers[1], buffers[0]).wait()
            out = buffers[1].read(queue=qn.Queue(device, contexts[1]))
            assert (out == data).all()
    if device.backend == "cuda":  # no copy goes through the host
        assert [record.kind for record in p.records].count("copy") == 2


def test_copies_between_backends(device, other_device):
    data = random_bytes(3_000_000)
    here = qn.Buffer(data.nbytes, device=device)
    there = qn.Buffer(data.nbytes, device=other_device)
    here.write(data)
    # Neither direction, nor which of the two queues it is enqueued on, makes a difference.
    for queue in (qn.Queue(device), qn.Queue(other_device)):
        there.fill(0).wait()
        queue.copy(there, here).wait()
        assert (there.read() == data).all()
        here.fill(0).wait()
        queue.copy(here, there).wait()
        assert (here.read() == data).all()


def test_copies_of_different_sizes_are_errors(queue):
    with pytest.raises(qn.ArgumentValueError, match="8 bytes"):
        queue.copy(qn.Buffer(8, device=queue.device), qn.Buffer(9, device=queue.device))
    with pytest.raises(qn.ArgumentValueError):
        queue.copy(np.zeros(7, np.uint8), qn.Buffer(9, device=queue.device))
    with pytest.raises(qn.ArgumentTypeError, match="neither"):
        queue.copy(np.zeros(7, np.uint8), np.zeros(7, np.uint8))


def test_an_asynchronous_copy_keeps_its_host_array(queue, spin):
    class Watched(np.ndarray):
        pass

    data = np.arange(1 << 20, dtype=np.uint8).view(Watched)
    expected = np.asarray(data).copy()
    alive = weakref.ref(data)
    buffer = qn.Buffer(data.nbytes, device=queue.device)
    spin(queue, 0.05)
    event = queue.copy(buffer, data)
    del data
    gc.collect()
    event.wait()
    assert (buffer.read() == expected).all()
    # Once the copy is done nothing holds it any more.
    for _ in range(3):
        queue.finish()
        qn.stats()
    gc.collect()
    assert alive() is None


def test_a_released_buffer_is_an_error(queue, basic):
    buffer = qn.Buffer(64, device=queue.device)
    buffer.release()
    assert buffer.released and "released" in repr(buffer)
    for use in (
        lambda: buffer.write(bytes(64)),
        lambda: buffer.read(),
        lambda: buffer.fill(0),
        lambda: queue.copy(buffer, bytes(64)),
        lambda: basic.twice(queue, 16, None, buffer),
        lambda: buffer.native_handle,
    ):
        with pytest.raises(qn.Error):
            use()
    buffer.release()


def test_memory_of_others_is_wrapped_without_copying(device, basic):
    owner = qn.Buffer(64, device=device)
    wrapped = qn.Buffer.wrap(owner.native_handle, 64, device, owner)
    basic.fill(qn.Queue(device), 16, None, wrapped, 4.0, 16).wait()
    assert (owner.read(np.empty(16, np.float32)) == 4).all()


def test_a_wrapped_owner_lives_as_long_as_the_buffer():
    class Owner(np.ndarray):
        pass

    memory = np.zeros(64, np.uint8).view(Owner)
    alive = weakref.ref(memory)
    buffer = qn.Buffer.wrap(memory.ctypes.data, 64, qn.device("host"), memory)
    del memory
    gc.collect()
    assert alive() is not None
    buffer.fill(3).wait()
    assert (np.asarray(alive()) == 3).all()
    del buffer
    qn.synchronize("host")
    qn.stats()
    assert alive() is None


RECTANGLES = [
    # shape, start, extent
    ((8, 16), (2, 3), (4, 5)),
    ((8, 16), (0, 0), (8, 16)),
    ((5, 7), (4, 6), (1, 1)),
    ((4, 6, 8), (1, 2, 3), (2, 3, 4)),
    ((4, 6, 8), (0, 0, 0), (4, 6, 8)),
    ((3, 5, 7), (2, 0, 1), (1, 5, 6)),
]


@pytest.mark.parametrize(("shape", "start", "extent"), RECTANGLES)
@pytest.mark.parametrize("direction", ["write", "read", "copy"])
def test_rectangles_are_numpy_slices(device, shape, start, extent, direction):
    rng = np.random.default_rng(3)
    source = rng.integers(0, 1000, shape, dtype=np.int32)
    target = rng.integers(0, 1000, extent, dtype=np.int32)
    expected = source[tuple(slice(s, s + e) for s, e in zip(start, extent, strict=True))]
    item = source.itemsize
    region = (extent[-1] * item, extent[-2], extent[0] if len(shape) == 3 else 1)
    origin = (start[-1] * item, start[-2], start[0] if len(shape) == 3 else 0)
    pitches = (shape[-1] * item, shape[-1] * shape[-2] * item)
    options = {"src_origin": origin, "src_pitches": pitches}
    if direction == "write":
        destination = qn.asarray(target, device=device)
        qn.copy_rect(destination, source, region, **options).wait()
        assert (destination.get() == expected).all()
    elif direction == "read":
        qn.copy_rect(target, qn.asarray(source, device=device), region, **options).wait()
        assert (target == expected).all()
    else:
        destination = qn.asarray(target, device=device)
        qn.copy_rect(destination, qn.asarray(source, device=device), region, **options).wait()
        assert (destination.get() == expected).all()


def test_a_rectangle_goes_to_a_place_inside(device):
    target = np.zeros((6, 8), np.int16)
    array = qn.asarray(target, device=device)
    part = np.arange(6, dtype=np.int16).reshape(2, 3)
    qn.copy_rect(array, part, (6, 2), dst_origin=(4, 3), dst_pitches=(16,)).wait()
    target[3:5, 2:5] = part
    assert (array.get() == target).all()


@pytest.mark.parametrize(
    "options",
    [
        {"region": (64, 2)},
        {"region": (32, 2), "src_origin": (4, 0)},
        {"region": (32, 3)},
        {"region": (32, 2, 2)},
        {"region": (8, 2), "src_pitches": (60,)},
        {"region": (1 << 62, 1 << 62, 1 << 62)},
        {"region": ()},
        {"region": (1, 1, 1, 1)},
        {"region": (-1, 1)},
    ],
)
@pytest.mark.parametrize("host_is_source", [True, False])
def test_a_rectangle_outside_is_an_error(device, options, host_is_source):
    host = np.zeros(64, np.uint8)
    buffer = qn.Buffer(64, device=device)
    sides = {"src": host, "dst": buffer} if host_is_source else {"src": buffer, "dst": host}
    with pytest.raises(qn.ArgumentError):
        qn.copy_rect(**sides, **options)


def test_pinned_memory_is_a_numpy_array(device):
    array = qn.pinned_empty((100, 50), np.float32, device)
    assert (array.shape, array.dtype) == ((100, 50), np.float32)
    array[:] = np.arange(5000).reshape(100, 50)
    on_device = qn.asarray(array, device=device)
    back = qn.pinned_empty((100, 50), np.float32, device)
    on_device.get(back)
    assert (back == array).all()
    assert qn.pinned_empty(0, device=device).size == 0
    assert qn.pinned_empty(3, device=device).dtype == np.float64


def test_pinned_memory_outlives_its_copies(queue, spin):
    array = qn.pinned_empty(1 << 20, np.uint8, queue.device)
    array[:] = 7
    buffer = qn.Buffer(1 << 20, device=queue.device)
    spin(queue, 0.05)
    queue.copy(buffer, array)
    del array
    gc.collect()
    other = qn.pinned_empty(1 << 20, np.uint8, queue.device)
    other[:] = 1
    assert (buffer.read(queue=queue) == 7).all()


def test_an_index_that_is_no_slice_is_an_error(device):
    with pytest.raises(qn.ArgumentTypeError, match=r"slice of bytes.*int"):
        qn.Buffer(32, device=device)[5]
