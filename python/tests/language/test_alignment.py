# SPDX-License-Identifier: MIT
"""Pointers of kernels to memory that is not aligned to their elements, and vectors of three."""

import numpy as np
import pytest

import quern as qn

PROGRAM = qn.Program("""
    typedef struct { float x; double y; } pair_t;
    kernel void chars(global char *p, global int *out) { out[0] = p[0]; }
    kernel void floats(global float *p, global int *out) { out[0] = (int)p[0]; }
    kernel void longs(global long *p, global int *out) { out[0] = (int)p[0]; }
    kernel void float2s(global float2 *p, global int *out) { out[0] = (int)p[0].y; }
    kernel void float4s(global float4 *p, global int *out) { out[0] = (int)p[0].w; }
    kernel void float16s(global float16 *p, global int *out) { out[0] = (int)p[0].s4; }
    kernel void constants(constant float4 *p, global int *out) { out[0] = (int)p[0].w; }
    kernel void float3s(global const float3 *p, global float *out) {
        int i = get_global_id(0);
        out[i] = p[i].x + p[i].y + p[i].z;
    }
    kernel void loaded(global const float *p, global float *out) {
        int i = get_global_id(0);
        float3 v = vload3(i, p);
        out[i] = v.x + v.y + v.z;
    }
    kernel void unaligned(global const float *p, global float *out) { out[0] = vload4(0, p + 1).w; }
    kernel void by_local(local float4 *a, local float *b, local float16 *c, global float *out) {
        int i = get_local_id(0);
        a[i] = (float4)(i); b[i] = i; c[i] = (float16)(i);
        barrier(CLK_LOCAL_MEM_FENCE);
        out[i] = a[i].w + b[i] + c[i].sf;
    }
""")
ALIGNMENTS = {"floats": 4, "longs": 8, "float2s": 8, "float4s": 16, "constants": 16, "float16s": 64}


@pytest.fixture
def out(queue):
    return qn.zeros(1, np.int32, queue=queue)


@pytest.mark.parametrize("kernel", ALIGNMENTS)
@pytest.mark.parametrize("offset", [1, 2, 4, 8, 16, 32])
def test_sub_buffers_must_be_aligned_to_the_pointers_elements(queue, out, kernel, offset):
    buffer = qn.Buffer(512, queue=queue)
    buffer.fill(0, queue=queue)
    part = buffer[offset : offset + 128]
    if offset % ALIGNMENTS[kernel] != 0:
        with pytest.raises(qn.ArgumentValueError, match=f"'p'.*need {ALIGNMENTS[kernel]}|align"):
            getattr(PROGRAM, kernel)(queue, 1, 1, part, out)
    elif offset % queue.device.sub_buffer_alignment == 0:
        getattr(PROGRAM, kernel)(queue, 1, 1, part, out).wait()
        assert out.get()[0] == 0


def test_the_message_names_argument_alignment_and_remedy(queue, out):
    x = qn.asarray(np.arange(36, dtype=np.float32), queue=queue)
    if queue.device.sub_buffer_alignment > 1:
        pytest.skip("the device takes coarser offsets only")
    with pytest.raises(qn.ArgumentValueError) as caught:
        PROGRAM.float4s(queue, 1, 1, x[1:33], out)
    text = str(caught.value)
    assert "argument 0 ('p', float4*) of kernel 'float4s'" in text
    assert "aligned to 4 bytes" in text and "need 16" in text and "copy" in text and "vload" in text
    PROGRAM.float4s(queue, 1, 1, x[1:33].copy(), out)
    assert out.get()[0] == 4
    result = qn.zeros(1, np.float32, queue=queue)
    PROGRAM.unaligned(queue, 1, 1, x, result)
    assert result.get()[0] == 4


@pytest.mark.parametrize("kernel", ["floats", "float4s", "float16s"])
@pytest.mark.parametrize("shift", range(0, 64, 4))
def test_memory_of_numpy_works_or_is_refused(kernel, shift):
    if not qn.devices("host"):
        pytest.skip("needs a device that shares host memory")
    queue = qn.Queue("host")
    memory = np.zeros(512, np.uint8)
    start = -memory.ctypes.data % 64 + shift
    memory = memory[start : start + 256].view(np.float32)
    memory[:] = np.arange(64)
    x = qn.asarray(memory, device="host", copy=False)
    out = qn.zeros(1, np.int32, device="host")
    if shift % ALIGNMENTS[kernel] == 0:
        getattr(PROGRAM, kernel)(queue, 1, 1, x, out)
        assert out.get()[0] == {"floats": 0, "float4s": 3, "float16s": 4}[kernel]
    else:
        with pytest.raises(qn.ArgumentValueError, match=f"need {ALIGNMENTS[kernel]}"):
            getattr(PROGRAM, kernel)(queue, 1, 1, x, out)
        getattr(PROGRAM, kernel)(queue, 1, 1, x.copy(), out).wait()


def test_elements_at_odd_addresses_are_refused(queue, out):
    buffer = qn.Buffer(64, queue=queue)
    buffer.fill(0, queue=queue)
    with pytest.raises(qn.ArgumentValueError):
        PROGRAM.longs(queue, 1, 1, buffer[1:9], out)
    with pytest.raises(qn.ArgumentValueError):
        PROGRAM.floats(queue, 1, 1, buffer[2:10], out)
    if queue.device.sub_buffer_alignment == 1:
        PROGRAM.chars(queue, 1, 1, buffer[3:5], out).wait()


def test_structures_are_aligned_to_their_widest_member(queue):
    program = qn.Program("""
        typedef struct { float x; double y; } pair_t;
        kernel void first(global const pair_t *p, global double *out) { out[0] = p[0].y; }
    """)
    if not queue.device.has_fp64:
        pytest.skip("needs float64")
    buffer = qn.Buffer(64, queue=queue)
    buffer.fill(0, queue=queue)
    out = qn.zeros(1, np.float64, queue=queue)
    with pytest.raises(qn.ArgumentValueError):
        program.first(queue, 1, 1, buffer[4:36], out)
    program.first(queue, 1, 1, buffer, out)
    assert out.get()[0] == 0


def test_local_memory_is_aligned_to_the_widest_vector(queue):
    out = qn.zeros(8, np.float32, queue=queue)
    PROGRAM.by_local(queue, 8, 8, qn.LocalMemory(128), qn.LocalMemory(32 + 4), qn.LocalMemory(512), out)
    assert np.array_equal(out.get(), 3 * np.arange(8, dtype=np.float32))


@pytest.mark.parametrize("n", [3, 4, 8])
def test_vectors_of_three_take_no_rows_of_three(queue, n):
    values = np.arange(3 * n, dtype=np.float32).reshape(n, 3)
    x, out = qn.asarray(values, queue=queue), qn.zeros(n, np.float32, queue=queue)
    for given in (x, x.reshape(-1), qn.In(values)):
        with pytest.raises(qn.ArgumentTypeError, match=r"float32x3.*vload3.*length 4"):
            PROGRAM.float3s(queue, n, 1, given, out)
    PROGRAM.loaded(queue, n, 1, x, out)
    assert np.array_equal(out.get(), values.sum(axis=1))


@pytest.mark.parametrize(
    "scalar", ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float"]
)
def test_no_vector_of_three_takes_rows_of_three(queue, scalar):
    program = qn.Program(
        f"kernel void k(global const {scalar}3 *p, global {scalar} *out) {{ out[0] = p[1].x; }}"
    )
    dtype = {"char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16, "int": np.int32}
    dtype |= {"uint": np.uint32, "long": np.int64, "ulong": np.uint64, "float": np.float32}
    rows = np.arange(1, 25).astype(dtype[scalar])
    out = qn.zeros(1, dtype[scalar], queue=queue)
    with pytest.raises(qn.ArgumentTypeError, match="vload3"):
        program.k(queue, 1, 1, qn.asarray(rows.reshape(8, 3), queue=queue), out)
    program.k(queue, 1, 1, qn.asarray(rows.reshape(6, 4), queue=queue), out)
    assert out.get()[0] == 5


def test_vectors_of_three_take_padded_rows_and_arrays_of_them(queue):
    rows = np.arange(20, dtype=np.float32).reshape(5, 4)
    out = qn.zeros(5, np.float32, queue=queue)
    PROGRAM.float3s(queue, 5, 1, qn.asarray(rows, queue=queue), out)
    assert np.array_equal(out.get(), rows[:, :3].sum(axis=1))
    vectors = np.zeros(5, qn.vec.float3)
    for k, name in enumerate(vectors.dtype.names[:3]):
        vectors[name] = rows[:, k]
    PROGRAM.float3s(queue, 5, 1, qn.asarray(vectors, queue=queue), out)
    assert np.array_equal(out.get(), rows[:, :3].sum(axis=1))


def test_generators_take_no_rows_of_three(queue):
    twice = qn.ElementwiseKernel("float3 *x", "x[i] = x[i] * 2")
    with pytest.raises(qn.ArgumentTypeError, match="vload3"):
        twice(qn.zeros((4, 3), np.float32, queue=queue), queue=queue)
    rows = qn.asarray(np.ones((5, 4), np.float32), queue=queue)
    twice(rows, queue=queue)
    assert np.array_equal(rows.get()[:, :3], np.full((5, 3), 2, np.float32))
