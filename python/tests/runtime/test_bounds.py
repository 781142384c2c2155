# SPDX-License-Identifier: MIT
"""Kernels that check their accesses to buffers: Program(check_bounds=True), on the host."""

import numpy as np
import pytest

import quern as qn


@pytest.fixture
def host():
    return qn.Queue(qn.device("host"))


def checked(source, **options):
    return qn.Program(source, check_bounds=True, **options)


def error_of(event):
    with pytest.raises(qn.KernelError) as caught:
        event.wait()
    return str(caught.value)


def floats(n, value=0):
    return qn.full(n, value, dtype="float32", device="host")


def test_a_store_past_the_end_names_argument_element_item_and_line(host):
    program = checked(
        "kernel void f(global float *x,\n global float *y) {\n  y[get_global_id(0) + 10] = x[0];\n}"
    )
    x, y = floats(4, 1), floats(64)
    before = qn.ones(8, device="host")
    text = error_of(program.f(host, 64, None, x, y))
    assert "kernel 'f'" in text and "element 64 of argument 'y', which has 64 elements of 4 bytes" in text
    assert "kernel.cl:3" in text and "work-item (54,0,0)" in text
    assert (before.get() == 1).all()


def test_a_far_store_neither_ends_the_process_nor_writes(host):
    program = checked("kernel void f(global int *x, long at) { x[at] = 7; }")
    x = qn.zeros(4, "int32", "host")
    for at in (1 << 40, -(1 << 40), 4, -1, 1 << 20):
        assert f"element {at} of argument 'x', which has 4 elements" in error_of(
            program.f(host, 1, None, x, at)
        )
    y = qn.zeros(4, "int32", "host")
    program.f(host, 1, None, y, 3).wait()
    assert y.get().tolist() == [0, 0, 0, 7]


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ("y[0] = x[n];", "element 8 of argument 'x'"),
        ("y[0] = *(x + n);", "element 8 of argument 'x'"),
        ("y[0] = x[-1];", "element -1 of argument 'x'"),
        ("x[n] += 1;", "element 8 of argument 'x'"),
        ("x[n]++;", "element 8 of argument 'x'"),
        ("global float *row = x + 4; row[4] = 1;", "element 8 of argument 'x'"),
        ("global float *row = &x[n - 1]; y[0] = row[1];", "element 8 of argument 'x'"),
        ("float4 v = vload4(1, x + 1); y[0] = v.x;", "elements 5 to 8 of argument 'x'"),
        ("vstore2((float2)(1, 2), 0, x + 7);", "elements 7 to 8 of argument 'x'"),
        ("global float4 *v = (global float4 *)x; y[0] = v[2].w;", "element 2 of argument 'x', which has 2"),
        ("atomic_inc((global int *)x + n);", "element 8 of argument 'x'"),
        ("float whole; y[0] = modf(2.5f, &whole) + fract(1.5f, x + n);", "element 8 of argument 'x'"),
    ],
)
def test_forms_of_access(host, body, where):
    program = checked("kernel void f(global float *x, global float *y, int n) {\n" + body + "\n}")
    text = error_of(program.f(host, 1, None, floats(8), floats(8), 8))
    assert where in text and "kernel.cl:2" in text


def test_helper_functions_and_moving_pointers_are_checked_against_all_arguments(host):
    source = """
      float last(global const float *p, int n) { return p[n]; }
      kernel void helper(global float *x, int n) { x[0] = last(x, n); }
      kernel void moving(global float *x, int n) { float s = 0; for (int i = 0; i < n; ++i) s += *x++; }
    """
    program = checked(source)
    program.helper(host, 1, None, floats(8), 7).wait()
    program.moving(host, 1, None, floats(8), 8).wait()
    assert "kernel.cl:2" in error_of(program.helper(host, 1, None, floats(8), 8))
    assert "element 8 of argument 'x'" in error_of(program.moving(host, 1, None, floats(8), 9))


def test_another_argument_is_no_excuse(host):
    memory = qn.Buffer(64, device="host")
    program = checked("kernel void f(global int *x, global int *y) { x[8] = 1; y[0] = 2; }")
    text = error_of(program.f(host, 1, None, memory.sub_buffer(0, 32), memory.sub_buffer(32, 32)))
    assert "element 8 of argument 'x', which has 8" in text


def test_right_kernels_compute_the_same(host):
    rng = np.random.default_rng(3)
    values = rng.random((37, 53)).astype("float32")
    source = """
      struct cell { float a; int b[3]; };
      kernel void transpose(global const float *x, global float *y, int rows, int columns) {
        int i = get_global_id(1), j = get_global_id(0);
        if (i < rows && j < columns) y[j * rows + i] = x[i * columns + j];
      }
      kernel void sum(global const float *x, global float *y, local float *t) {
        int l = get_local_id(0);
        t[l] = x[get_global_id(0)];
        for (int s = get_local_size(0) / 2; s > 0; s /= 2) {
          barrier(CLK_LOCAL_MEM_FENCE);
          if (l < s) t[l] += t[l + s];
        }
        if (l == 0) y[get_group_id(0)] = t[0];
      }
      kernel void cells(global struct cell *c, global int *past) {
        global struct cell *mine = &c[get_global_id(0)];
        mine->a += 1; c[get_global_id(0)].b[2] = 5;
        past[0] = &c[get_global_size(0)] - c;
      }
      constant float table[3] = {1, 2, 3};
      kernel void constants(global float *x, constant float *y) { x[0] = table[2] + y[1]; }
    """
    program = checked(source)
    x, y = qn.asarray(values, device="host"), qn.zeros((53, 37), "float32", "host")
    program.transpose(host, (64, 64), (8, 8), x, y, 37, 53).wait()
    assert (y.get() == values.T).all()
    numbers = rng.integers(0, 100, 256).astype("float32")
    sums = floats(4)
    program.sum(host, 256, 64, qn.asarray(numbers, device="host"), sums, qn.LocalMemory(256)).wait()
    assert (sums.get() == numbers.reshape(4, 64).sum(1)).all()
    cells = qn.Buffer(16 * 5, device="host")
    host.fill(cells, 0).wait()
    past = qn.zeros(1, "int32", "host")
    program.cells(host, 5, None, cells, past).wait()
    assert int(past[0]) == 5
    assert cells.read().view("int32").reshape(5, 4)[:, 3].tolist() == [5] * 5
    program.constants(host, 1, None, sums, floats(2, 4)).wait()
    assert float(sums[0]) == 7


def test_a_work_item_behind_a_barrier_is_named(host):
    source = """
      kernel void f(global int *x) {
        local int t[8];
        t[get_local_id(0)] = 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (get_global_id(0) == 13) x[100] = t[0];
      }
    """
    text = error_of(checked(source).f(host, 16, 8, qn.zeros(16, "int32", "host")))
    assert "element 100 of argument 'x'" in text and "work-item (13,0,0)" in text


def test_two_dimensions_and_offsets(host):
    program = checked("kernel void f(global int *x) { if (get_global_id(1) == 7) x[50] = 1; }")
    x = qn.zeros(50, "int32", "host")
    text = error_of(program.f(host, (1, 4), (1, 1), x, offset=(3, 5)))
    assert "work-item (3,7,0)" in text


def test_null_pointers(host):
    program = checked("kernel void f(global int *x, global int *y) { x[0] = y ? 1 : 2; if (!y) y[0] = 3; }")
    assert "argument 'y', which has no memory" in error_of(
        program.f(host, 1, None, qn.zeros(1, "int32", "host"), None)
    )


def test_pointers_from_elsewhere_are_not_checked(host):
    source = """
      kernel void f(ulong address, global int *x) { global int *p = (global int *)address; *p = 5; p[1] = 6; x[0] = 7; }
      kernel void past(ulong address, global int *x) { x[1] = *(global int *)address; }
    """
    there = np.zeros(2, "int32")
    x = qn.zeros(1, "int32", "host")
    program = checked(source)
    program.f(host, 1, None, there.ctypes.data, x).wait()
    assert there.tolist() == [5, 6] and int(x[0]) == 7
    assert "element 1 of argument 'x'" in error_of(program.past(host, 1, None, there.ctypes.data, x))


def test_the_next_launch_works(host):
    program = checked("kernel void f(global int *x, int at) { x[at + get_global_id(0)] = 1; }")
    for _ in range(3):
        assert "of argument 'x'" in error_of(program.f(host, 100, None, qn.zeros(50, "int32", "host"), 0))
        x = qn.zeros(100, "int32", "host")
        program.f(host, 100, None, x, 0).wait()
        assert (x.get() == 1).all()


def test_a_captured_graph_reports_it(host):
    program = checked("kernel void f(global int *x) { x[4] = 1; }")
    x = qn.zeros(4, "int32", "host")
    with host.capture() as graph:
        program.f(host, 1, None, x)
    assert "element 4 of argument 'x'" in error_of(graph.launch(host))


def test_the_environment_variable(run_python):
    code = """
        import quern as qn
        queue = qn.Queue("host")
        x = qn.zeros(4, "int32", "host")
        source = "kernel void f(global int *x) { x[4] = 1; }"
        try:
            qn.Program(source).f(queue, 1, None, x).wait()
        except qn.KernelError as error:
            assert "element 4 of argument 'x'" in str(error)
        else:
            raise SystemExit(1)
        assert "quern_checked" not in qn.Program(source, check_bounds=False).lowered_source("host")
    """
    run_python(code, env={"QUERN_CHECK_BOUNDS": "1"})


def test_other_devices_ignore_it(queue):
    program = checked("kernel void f(global int *x) { x[get_global_id(0)] = 3; }")
    x = qn.zeros(8, "int32", queue.device)
    program.f(queue, 8, None, x).wait()
    assert (x.get() == 3).all()
    assert "quern_checked" not in program.lowered_source("cuda")
