# SPDX-License-Identifier: MIT
"""Kernels: arguments by position and by name, and every argument that does not fit."""

import kernels
import numpy as np
import pytest

import quern as qn

pytestmark = [pytest.mark.smoke, pytest.mark.usefixtures("no_errors_left")]


@pytest.fixture(scope="session")
def put(device):
    return kernels.PUT.build(device)


@pytest.fixture
def a(device):
    return qn.zeros(64, "float32", device)


def test_a_kernel_runs(queue, basic):
    x, y = np.random.default_rng(2).random((2, 1000), dtype=np.float32)
    a, b = qn.asarray(x, device=queue.device), qn.asarray(y, device=queue.device)
    total = qn.empty(1000, "float32", queue.device)
    basic.add(queue, 1000, None, a, b, total)
    assert (total.get() == x + y).all()


def test_none_is_the_current_queue(queue, basic, a):
    with queue:
        basic.fill(None, 64, None, a, 1.0, 64)
        assert (a.get() == 1).all()
    with queue.device:
        basic.twice(None, 64, None, a)
        assert (a.get() == 2).all()


def test_something_else_than_a_queue_is_an_error(device, basic, a):
    with pytest.raises(qn.ArgumentTypeError, match="queue"):
        basic.twice(device, 64, None, a)


def test_arguments_go_by_name(queue, basic, a):
    basic.fill(queue, 64, None, a, value=2.0, n=64)
    assert (a.get() == 2).all()
    basic.fill(queue, 64, None, n=32, a=a, value=3.0)
    assert (a.get()[:32] == 3).all() and (a.get()[32:] == 2).all()


@pytest.mark.parametrize(
    ("positional", "named", "message"),
    [
        (1, {"value": 1.0}, "missing 'n'"),
        (1, {"value": 1.0, "n": 1, "m": 2}, "no parameter 'm'"),
        (3, {"n": 1}, "by position and by name"),
        (4, {"n": 1}, "takes 3"),
        (0, {"n": 1}, "missing 'a', 'value'"),
    ],
)
def test_names_that_do_not_fit_list_the_signature(queue, basic, a, positional, named, message):
    with pytest.raises(qn.ArgumentTypeError, match=message) as error:
        basic.fill(queue, 64, None, *(a, 1.0, 64, 1)[:positional], **named)
    for word in ("fill", "value", "float"):
        assert word in str(error.value)


def test_the_wrong_number_of_arguments_lists_the_signature(queue, basic, a):
    for arguments in ((), (a,), (a, 1.0), (a, 1.0, 64, 65)):
        with pytest.raises(qn.ArgumentTypeError, match="3 arguments") as error:
            basic.fill(queue, 64, None, *arguments)
        assert "value" in str(error.value)


def test_too_many_arguments_are_an_error(queue, basic):
    with pytest.raises(qn.ArgumentError):
        basic.twice(queue, 1, None, *range(1000))


@pytest.mark.parametrize("c_type", kernels.SCALARS)
def test_scalars_of_every_type_arrive(queue, put, c_type):
    dtype = np.dtype(kernels.SCALARS[c_type])
    if c_type == "double" and not queue.device.has_fp64:
        pytest.skip("the device has no fp64")
    out = qn.zeros(1, dtype, queue.device)
    if dtype.kind == "f":
        values = [
            0.0,
            -1.5,
            3,
            True,
            np.float16(0.5),
            np.float32(1.25),
            np.float64(-2.5),
            np.int32(7),
            1e30,
            float("inf"),
        ]
    else:
        info = np.iinfo(dtype)
        values = [
            0,
            1,
            True,
            False,
            info.min,
            info.max,
            dtype.type(5),
            np.int64(3),
            np.bool_(True),
            np.array(9),
        ]
    for value in values:
        put[f"put_{c_type}"](queue, 1, None, out, value)
        assert out.get()[0] == dtype.type(value), value


@pytest.mark.parametrize("c_type", [c for c in kernels.SCALARS if c not in ("float", "double")])
def test_integers_out_of_range_are_errors(queue, put, c_type):
    info = np.iinfo(kernels.SCALARS[c_type])
    out = qn.zeros(1, kernels.SCALARS[c_type], queue.device)
    for value in (info.min - 1, info.max + 1, 1 << 80, -(1 << 80)):
        with pytest.raises(qn.ArgumentValueError) as error:
            put[f"put_{c_type}"](queue, 1, None, out, value)
        assert "value" in str(error.value)


def test_a_float_is_no_integer(queue, put):
    out = qn.zeros(1, "int32", queue.device)
    for value in (1.0, np.float32(2), float("nan")):
        with pytest.raises(qn.ArgumentTypeError, match="integer"):
            put.put_int(queue, 1, None, out, value)
    assert out.get()[0] == 0


@pytest.mark.parametrize(
    "value", ["3", 1j, object(), [1], (1,), {}, np.zeros(3), np.complex64(1), b"1234", np.datetime64(0, "s")]
)
def test_what_is_no_number_is_an_error(queue, put, value):
    out = qn.zeros(1, "float32", queue.device)
    with pytest.raises(qn.ArgumentTypeError):
        put.put_float(queue, 1, None, out, value)


def test_a_value_is_no_pointer(queue, basic, a):
    with pytest.raises(qn.ArgumentTypeError, match="'a'"):
        basic.fill(queue, 64, None, 1, 1.0, 64)
    with pytest.raises(qn.ArgumentTypeError, match="value"):
        basic.fill(queue, 64, None, a, a, 64)
    with pytest.raises(qn.ArgumentTypeError):
        basic.fill(queue, 64, None, a, None, 64)


@pytest.mark.parametrize("dtype", ["int32", "float64", "uint8", "float16"])
def test_an_array_of_another_dtype_is_an_error(queue, basic, dtype):
    with pytest.raises(qn.ArgumentTypeError) as error:
        basic.twice(queue, 4, None, qn.zeros(8, dtype, queue.device))
    assert dtype in str(error.value) and "float32" in str(error.value)


def test_memory_of_another_device_is_an_error(queue, other_device, basic):
    with pytest.raises(qn.ArgumentValueError) as error:
        basic.twice(queue, 4, None, qn.zeros(4, "float32", other_device))
    assert other_device.spec in str(error.value) and queue.device.spec in str(error.value)


def test_access_is_checked(queue, basic):
    size = 64
    readable = qn.Buffer(size, device=queue.device, access="r")
    writable = qn.Buffer(size, device=queue.device, access="w")
    both = qn.Buffer(size, device=queue.device)
    basic.add(queue, 16, None, readable, readable, writable).wait()
    with pytest.raises(qn.ArgumentValueError, match="read-only"):
        basic.add(queue, 16, None, both, both, readable)
    with pytest.raises(qn.ArgumentValueError, match="write-only"):
        basic.add(queue, 16, None, writable, both, both)


def test_none_is_a_null_pointer(queue, basic):
    out = qn.zeros(1, "int32", queue.device)
    basic.is_null(queue, 1, None, out, None)
    assert out.get()[0] == 1
    basic.is_null(queue, 1, None, out, qn.zeros(1, "float32", queue.device))
    assert out.get()[0] == 0


def test_numpy_arrays_go_in_and_out(queue, basic):
    x, y = np.random.default_rng(4).random((2, 3, 100), dtype=np.float32)
    total = np.zeros_like(x)
    basic.add(queue, x.size, None, qn.In(x), qn.In(y), qn.Out(total))
    assert (total == x + y).all()
    basic.twice(queue, x.size, None, qn.InOut(total))
    assert (total == 2 * (x + y)).all()


def test_a_call_waits_for_what_it_copies_out(queue, basic, spin):
    """PyCUDA's first example, line by line: the array is filled when the call returns."""
    a, b = np.random.default_rng(8).standard_normal((2, 400)).astype(np.float32)
    dest = np.zeros_like(a)
    spin(queue, 0.1)
    event = basic.add(queue, 400, None, qn.In(a), qn.In(b), qn.Out(dest))
    assert event.done
    assert (dest == a + b).all()
    spin(queue, 0.1)
    event = basic.twice(queue, 400, None, qn.InOut(dest))
    assert event.done
    assert (dest == 2 * (a + b)).all()


def test_wait_true_waits_for_any_launch(queue, basic, spin):
    x = qn.asarray(np.ones(4, np.float32), device=queue.device)
    spin(queue, 0.1)
    assert basic.twice(queue, 4, None, x, wait=True).done
    with pytest.raises(qn.ArgumentTypeError, match="wait"):
        basic.twice(queue, 4, None, x, wait=3)


def test_a_failed_kernel_raises_from_a_call_that_copies_out(device):
    if device.backend != "host":
        pytest.skip("undefined behaviour on other devices")
    program = qn.Program("""
        kernel void diverge(global float *x) {
            if (get_local_id(0) == 0) barrier(CLK_LOCAL_MEM_FENCE);
            x[get_global_id(0)] = 1;
        }""")
    with pytest.raises(qn.KernelError, match="'diverge'"):
        program.diverge(qn.Queue(device), 32, 16, qn.Out(np.zeros(32, np.float32)))


def test_in_takes_anything_array_like(queue, basic):
    total = np.zeros(3, np.float32)
    view = np.arange(6, dtype=np.float32)[::2]
    basic.add(
        queue, 3, None, qn.In(np.float32([1, 2, 3])), qn.In(np.ascontiguousarray(view)), qn.Out(total)
    ).wait()
    assert total.tolist() == [1, 4, 7]


def test_wrapped_arrays_are_kept_alive(queue, basic, spin):
    out = np.zeros(1 << 16, np.float32)
    spin(queue, 0.05)
    event = basic.add(
        queue,
        out.size,
        None,
        qn.In(np.ones(1 << 16, np.float32)),
        qn.In(np.ones(1 << 16, np.float32)),
        qn.Out(out),
        wait=False,
    )
    np.zeros((4, 1 << 16), np.float32)
    event.wait()
    assert (out == 2).all()


@pytest.mark.parametrize("wrap", [qn.In, qn.InOut])
@pytest.mark.parametrize("size", [16, 1 << 16])
def test_a_kernel_sees_what_an_array_held_at_the_call(queue, basic, spin, wrap, size):
    x = np.ones(size, np.float32)
    total = qn.zeros(size, "float32", queue.device)
    spin(queue, 0.1)
    event = basic.add(queue, size, None, wrap(x), qn.In(x), total, wait=False)
    x[:] = 5
    event.wait()
    assert (total.get() == 2).all()


def test_a_call_with_wait_false_does_not_wait_for_what_it_copies_out(queue, basic):
    a = np.ones(1, np.float32)
    # The host runs on the calling thread what was short last time.
    basic.spin(queue, 1, None, qn.InOut(a), 1 << 24).wait()
    event = basic.spin(queue, 1, None, qn.InOut(a), 1 << 27, wait=False)
    assert not event.done
    event.wait()


def test_an_array_goes_from_kernel_to_kernel(queue, basic, spin):
    x = np.ones(64, np.float32)
    spin(queue, 0.05)
    for _ in range(4):
        event = basic.twice(queue, 64, None, qn.InOut(x), wait=False)
    event.wait()
    assert (x == 16).all()


def test_wrapped_arrays_are_checked(queue, basic, a):
    with pytest.raises(qn.ArgumentTypeError, match="float64"):
        basic.twice(queue, 4, None, qn.InOut(np.zeros(4)))
    with pytest.raises(qn.ArgumentValueError, match="contiguous"):
        basic.twice(queue, 4, None, qn.InOut(np.zeros(8, np.float32)[::2]))
    read_only = np.zeros(4, np.float32)
    read_only.flags.writeable = False
    with pytest.raises(qn.ArgumentValueError, match="read-only"):
        basic.twice(queue, 4, None, qn.Out(read_only))
    with pytest.raises(qn.ArgumentTypeError):
        qn.Out([1, 2, 3])
    with pytest.raises(qn.ArgumentTypeError, match=r"quern\.In"):
        basic.twice(queue, 4, None, np.zeros(4, np.float32))
    with pytest.raises(qn.ArgumentTypeError):
        basic.fill(queue, 4, None, a, qn.In(np.zeros(1, np.float32)), 4)


def test_out_needs_a_parameter_that_the_kernel_writes(queue, basic):
    x, y, total = np.ones((3, 4), np.float32)
    with pytest.raises(qn.ArgumentValueError, match=r"'a'.*only reads"):
        basic.add(queue, 4, None, qn.Out(x), qn.In(y), qn.Out(total))
    queue.finish()
    assert (x == 1).all() and (total == 1).all()


def test_what_a_kernel_writes_to_in_is_lost(queue, basic):
    x = np.ones(4, np.float32)
    basic.twice(queue, 4, None, qn.In(x)).wait()
    assert (x == 1).all()


def test_the_signature_is_known(basic):
    signature = basic.add.signature
    assert signature.name == "add"
    assert [p.name for p in signature] == ["a", "b", "sum"]
    assert [p.is_const for p in signature] == [True, True, False]
    assert [p.address_space for p in signature] == ["global"] * 3
    assert len(signature) == 3 and "float" in signature[0].type
    assert [p.address_space for p in basic.fill.signature] == ["global", "value", "value"]
    assert [p.dtype for p in basic.fill.signature] == ["float32", "float32", "int32"]
    assert signature.required_local_size is None
    assert "add" in repr(signature)
    assert repr(basic.add) == f"<quern.Kernel {signature!r}>"


def test_attributes_say_what_a_kernel_takes(device, basic):
    attributes = basic.twice.attributes(device)
    assert attributes.max_work_group_size >= 1
    assert attributes.preferred_multiple >= 1
    assert "max_work_group_size" in repr(attributes)


def test_occupancy_is_a_number_where_the_device_knows(device, basic):
    groups = basic.twice.occupancy(device, 64)
    assert groups is None or groups >= 1
    if device.backend == "cuda":
        assert groups is not None


def build_or_skip(source, device):
    """The program; skips the test where the device's compiler says that it cannot do that yet."""
    program = qn.Program(source)
    try:
        return program.build(device)
    except qn.BuildError as error:
        if device.backend != "opencl" and "support" in str(error):
            pytest.skip(str(error).splitlines()[0])
        raise


def test_local_memory_is_given_by_size(queue):
    program = build_or_skip(
        """
        kernel void reverse(global int *a, local int *shared) {
          int i = get_local_id(0);
          shared[i] = a[get_global_id(0)];
          barrier(CLK_LOCAL_MEM_FENCE);
          a[get_global_id(0)] = shared[get_local_size(0) - 1 - i];
        }
        """,
        queue.device,
    )
    a = qn.asarray(np.arange(64, dtype=np.int32), device=queue.device)
    program.reverse(queue, 64, 16, a, qn.LocalMemory(64))
    assert (a.get() == np.arange(64).reshape(4, 16)[:, ::-1].ravel()).all()
    limit = queue.device.local_memory
    with pytest.raises(qn.ArgumentValueError, match=str(limit)):
        program.reverse(queue, 64, 16, a, qn.LocalMemory(limit + 1))
    for wrong in (a, None, 64):
        with pytest.raises(qn.ArgumentTypeError, match="LocalMemory"):
            program.reverse(queue, 64, 16, a, wrong)
    with pytest.raises(qn.ArgumentTypeError):
        program.reverse(queue, 64, 16, qn.LocalMemory(64), qn.LocalMemory(64))


def test_local_memory_has_a_size():
    assert qn.LocalMemory(12).nbytes == 12
    assert repr(qn.LocalMemory(12)) == "LocalMemory(12)"
    for wrong in (-1, "8"):
        with pytest.raises(qn.ArgumentError):
            qn.LocalMemory(wrong)


def test_vectors_fit_arrays_of_their_elements(queue):
    program = build_or_skip(
        """
        kernel void scale(global float4 *a, float4 factor) { a[get_global_id(0)] *= factor; }
        """,
        queue.device,
    )
    expected = np.arange(12, dtype=np.float32).reshape(3, 4)
    a = qn.asarray(expected, device=queue.device)
    for factor in (
        (1, 2, 3, 4),
        [1.0, 2, 3, 4],
        np.float32([1, 2, 3, 4]),
        np.array((1, 2, 3, 4), qn.vec.float4)[()],
        np.array((1, 2, 3, 4), qn.vec.float4),
    ):
        program.scale(queue, 3, None, a, factor)
        expected = expected * np.float32([1, 2, 3, 4])
        assert (a.get() == expected).all()
    for wrong in ((1, 2, 3), 1.0, "1234", [[1, 2, 3, 4]], np.array((1, 2), qn.vec.float2)[()]):
        with pytest.raises(qn.ArgumentError):
            program.scale(queue, 3, None, a, wrong)
    with pytest.raises(qn.ArgumentTypeError):
        program.scale(queue, 3, None, qn.zeros(6, "float32", queue.device), (1, 2, 3, 4))
    vectors = qn.asarray(np.ones(3, qn.vec.float4), device=queue.device)
    program.scale(queue, 3, None, vectors, (1, 2, 3, 4))
    assert vectors.get()["w"].tolist() == [4, 4, 4]


@pytest.fixture(scope="session")
def put_vectors(device):
    """One kernel for each integer type of OpenCL C: put_char(out, value), with four lanes."""
    return build_or_skip(
        "".join(
            f"kernel void put_{c}(global {c}4 *out, {c}4 value) {{ out[0] = value; }}\n" for c in INTEGERS
        ),
        device,
    )


INTEGERS = [c_type for c_type in kernels.SCALARS if c_type not in ("float", "double")]


@pytest.mark.parametrize("c_type", INTEGERS)
def test_lanes_of_every_integer_type_arrive(queue, put_vectors, c_type):
    info = np.iinfo(kernels.SCALARS[c_type])
    expected = [info.min, 1, 2, info.max]
    for value in (
        tuple(expected),
        expected,
        np.array(expected, info.dtype),
        [info.dtype.type(info.min), True, np.array(2), np.uint64(info.max)],
    ):
        out = qn.zeros(4, info.dtype, queue.device)
        put_vectors[f"put_{c_type}"](queue, 1, None, out.buffer, value)
        assert out.get().tolist() == expected
    small = np.array([1, 2, 3, 4])
    put_vectors[f"put_{c_type}"](queue, 1, None, out.buffer, small)
    assert out.get().tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("c_type", INTEGERS)
def test_lanes_that_do_not_fit_are_errors(queue, put_vectors, c_type):
    info = np.iinfo(kernels.SCALARS[c_type])
    put = put_vectors[f"put_{c_type}"]
    out = qn.zeros(4, info.dtype, queue.device)
    for value in (info.min - 1, info.max + 1, 1 << 80):
        with pytest.raises(qn.ArgumentValueError, match="'value'") as error:
            put(queue, 1, None, out.buffer, (1, 2, 3, value))
        assert str(value) in str(error.value) and str(info.max) in str(error.value)
    if info.max < 1 << 40:
        with pytest.raises(qn.ArgumentValueError, match="'value'"):
            put(queue, 1, None, out.buffer, np.array([1, 2, 3, 1 << 40]))
    for wrong in (1.0, np.float32(1), None, "1", 1j, [1], np.timedelta64(1, "ns")):
        with pytest.raises(qn.ArgumentTypeError, match="'value'"):
            put(queue, 1, None, out.buffer, (1, 2, 3, wrong))
    with pytest.raises(qn.ArgumentTypeError, match="'value'"):
        put(queue, 1, None, out.buffer, np.ones(4))
    assert not out.get().any()


def test_kernels_are_called_through_the_descriptor_too(queue, basic, a):
    basic.fill.__call__(queue, 64, None, a, value=1.0, n=64)
    basic.fill(*(queue, 64, None, a), value=1.0, n=64)
    assert (a.get() == 1).all()


def test_the_same_kernel_runs_on_every_device(device, other_device, basic):
    for target in (device, other_device, device):
        a = qn.asarray(np.ones(8, np.float32), device=target)
        kernels.BASIC.twice(qn.Queue(target), 8, None, a)
        assert (a.get() == 2).all()


def test_names_go_by_the_parameters_of_each_device(device, other_device):
    program = qn.Program(
        f"""
        #ifdef QUERN_{other_device.backend.upper()}
        kernel void pair(global int *out, int a, int b) {{ out[0] = 10 * a + b; }}
        #else
        kernel void pair(global int *out, int b, int a) {{ out[0] = 10 * a + b; }}
        #endif
        """
    )
    kernel = program.pair
    for target, names in ((device, ["out", "b", "a"]), (other_device, ["out", "a", "b"])):
        out = qn.zeros(1, "int32", target)
        kernel(qn.Queue(target), 1, None, out=out, a=1, b=2)
        assert out.get()[0] == 12
        with target:
            assert [p.name for p in kernel.signature] == names


def test_a_number_that_overflows_float_is_an_error(queue):
    program = qn.Program(
        "kernel void put(global float *y, float a, float2 b) { y[0] = a; y[1] = b.x; y[2] = b.y; }"
    )
    y = qn.zeros(3, "float32", queue.device)
    for wrong in (1e300, -1e39, np.float64(1e300), 3.5e38):
        for a, b in ((wrong, (0, 0)), (0, (0.0, wrong))):
            with pytest.raises(qn.ArgumentValueError, match="does not fit"):
                program["put"](queue, 1, None, y, a, b)
    most = float(np.finfo(np.float32).max)
    for right in (float("inf"), float("-inf"), most, -most, 1e-300):
        program["put"](queue, 1, None, y, right, (right, right)).wait()
        assert (y.get() == np.float32(right)).all()


def test_a_number_that_overflows_a_generated_kernels_float_is_an_error(device):
    x = qn.zeros(3, "float32", device)
    fill = qn.ElementwiseKernel("float a, float *x", "x[i] = a")
    with pytest.raises(qn.ArgumentValueError, match="does not fit"):
        fill(1e300, x)
    fill(float("inf"), x)
    assert np.isinf(x.get()).all()


@pytest.mark.parametrize("number", [1e300 + 0j, 1e300j, np.complex128(1e39), -1e300])
def test_a_number_that_overflows_a_generated_kernels_complex_is_an_error(device, number):
    x = qn.zeros(3, "complex64", device)
    fill = qn.ElementwiseKernel("complex64 a, complex64 *x", "x[i] = a")
    with pytest.raises(qn.ArgumentValueError, match="does not fit; the greatest complex64"):
        fill(number, x)
    fill(complex(0, float("inf")), x)
    assert np.isinf(x.get()).all()
    fill(np.complex128(1 + 2j), x)
    assert (x.get() == 1 + 2j).all()
