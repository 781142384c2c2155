# SPDX-License-Identifier: MIT
"""Local memory and barriers, split into loops or with work-items as fibers, against NumPy."""

import threading

import numpy as np
import pytest

import quern as qn

FIBERS = "#pragma quern fibers\n"


@pytest.fixture(params=["as it comes", "fibers"])
def build(request, device):
    """Builds a source for the device; a second time with work-items that are fibers for sure."""
    if request.param == "fibers" and device.backend != "host":
        pytest.skip("fibers are the host's")
    return lambda source: qn.Program((FIBERS if request.param == "fibers" else "") + source).build(device)


def array(queue, values, dtype=np.int32):
    return qn.asarray(np.asarray(values, dtype), device=queue.device)


def test_a_local_array_is_shared_by_the_group(queue, build):
    program = build("""
        kernel void reverse(global const int *a, global int *b) {
          local int tile[32];
          const int i = get_local_id(0);
          tile[i] = a[get_global_id(0)];
          barrier(CLK_LOCAL_MEM_FENCE);
          b[get_global_id(0)] = tile[get_local_size(0) - 1 - i];
        }""")
    a = np.arange(1024, dtype=np.int32)
    b = qn.zeros(1024, np.int32, queue.device)
    program.reverse(queue, 1024, 32, array(queue, a), b)
    assert (b.get() == a.reshape(-1, 32)[:, ::-1].ravel()).all()


def test_a_barrier_in_a_loop(queue, build):
    program = build("""
        kernel void total(global const float *a, global float *sums, local float *part) {
          const size_t i = get_local_id(0);
          part[i] = a[get_global_id(0)];
          for (size_t n = get_local_size(0) / 2; n > 0; n /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (i < n) part[i] += part[i + n];
          }
          if (i == 0) sums[get_group_id(0)] = part[0];
        }""")
    a = np.random.default_rng(1).integers(-100, 100, 64 * 37).astype(np.float32)
    sums = qn.zeros(37, np.float32, queue.device)
    program.total(queue, a.size, 64, array(queue, a, np.float32), sums, qn.LocalMemory(256))
    assert (sums.get() == a.reshape(37, 64).sum(axis=1)).all()


def test_a_barrier_in_a_helper_function(queue, build):
    program = build("""
        int neighbour(local int *tile, int value, int i, int n) {
          barrier(CLK_LOCAL_MEM_FENCE);
          tile[i] = value;
          barrier(CLK_LOCAL_MEM_FENCE);
          return tile[(i + 1) % n];
        }
        kernel void rotate_twice(global int *a, local int *tile) {
          const int i = get_local_id(0), n = get_local_size(0);
          int value = a[get_global_id(0)];
          for (int round = 0; round < 2; ++round) value = neighbour(tile, value, i, n);
          a[get_global_id(0)] = value;
        }""")
    values = np.arange(160)
    a = array(queue, values)
    program.rotate_twice(queue, 160, 16, a, qn.LocalMemory(64))
    assert (a.get() == np.roll(values.reshape(10, 16), -2, axis=1).ravel()).all()


def test_work_items_that_take_different_ways_and_agree_about_barriers(queue, build):
    # Which barrier is next, and how often, is the same for a group, and found out by each work-item alone.
    program = build("""
        kernel void mixed(global const int *limits, global int *out) {
          local int shared_sum;
          const int i = get_local_id(0), limit = limits[get_group_id(0)];
          if (i == 0) shared_sum = 0;
          barrier(CLK_LOCAL_MEM_FENCE);
          for (int k = 0;; ++k) {
            if (k >= limit) break;
            if (i % 2) atomic_add(&shared_sum, k); else atomic_add(&shared_sum, 10 * k);
            barrier(CLK_LOCAL_MEM_FENCE);
            if (shared_sum > 500) break;
            barrier(CLK_LOCAL_MEM_FENCE);
          }
          barrier(CLK_LOCAL_MEM_FENCE);
          out[get_global_id(0)] = shared_sum * 100 + i;
        }""")
    limits = np.array([0, 1, 3, 8, 100])
    out = qn.zeros(5 * 8, np.int32, queue.device)
    program.mixed(queue, 40, 8, array(queue, limits), out)

    def group(limit):
        total = 0
        for k in range(limit):
            total += 4 * k + 40 * k
            if total > 500:
                break
        return [total * 100 + i for i in range(8)]

    assert (out.get() == np.array([group(n) for n in limits]).ravel()).all()


def test_uneven_last_groups_wait_for_their_own_work_items_only(queue, build):
    if not queue.device.non_uniform_groups:
        pytest.skip("the device wants multiples of the local size")
    program = build("""
        kernel void last(global int *a) {
          local int tile[8][8];
          const int x = get_local_id(0), y = get_local_id(1);
          tile[y][x] = 100 * get_global_id(1) + get_global_id(0);
          barrier(CLK_LOCAL_MEM_FENCE);
          const int w = get_local_size(0), h = get_local_size(1);
          a[get_global_id(1) * get_global_size(0) + get_global_id(0)] = tile[h - 1 - y][w - 1 - x];
        }""")
    width, height = 21, 13
    a = qn.zeros((height, width), np.int32, queue.device)
    program.last(queue, (width, height), (8, 8), a)
    expected = np.empty((height, width), np.int32)
    source = 100 * np.arange(height)[:, None] + np.arange(width)
    for y in range(0, height, 8):
        for x in range(0, width, 8):
            expected[y : y + 8, x : x + 8] = source[y : y + 8, x : x + 8][::-1, ::-1]
    assert (a.get() == expected).all()


def test_two_local_parameters_and_local_variables_do_not_overlap(queue, build):
    program = build("""
        typedef struct { double sum; char tag; } cell;
        kernel void many(global double *out, local char *tags, local double4 *vectors) {
          local cell cells[4];
          local int scalar;
          local short few[3];
          const int i = get_local_id(0);
          tags[i] = (char)(10 + i);
          vectors[i] = (double4)(i, 2 * i, 3 * i, 4 * i);
          if (i < 4) { cells[i].sum = 0.5 * i; cells[i].tag = (char)i; }
          if (i < 3) few[i] = (short)(1000 + i);
          if (i == 6) scalar = 77;
          barrier(CLK_LOCAL_MEM_FENCE);
          double sum = scalar + few[0] + few[1] + few[2];
          for (int k = 0; k < 4; ++k) sum += cells[k].sum + cells[k].tag;
          const int other = (int)get_local_size(0) - 1 - i;
          out[get_global_id(0)] = sum + tags[other] + vectors[other].w + vectors[other].x;
        }""")
    if not queue.device.has_fp64:
        pytest.skip("needs fp64")
    out = qn.zeros(21, np.float64, queue.device)
    program.many(queue, 21, 7, out, qn.LocalMemory(7), qn.LocalMemory(7 * 32))
    other = 6 - np.arange(21) % 7
    expected = 77 + 3003 + 3 + 6 + (10 + other) + 4 * other + other
    assert (out.get() == expected).all()


def test_local_memory_without_barriers_belongs_to_the_group(queue, build):
    program = build("""
        kernel void alone(global int *a) {
          local int mine[4];
          const int i = get_local_id(0);
          mine[i] = a[get_global_id(0)];
          mine[i] *= 3;
          a[get_global_id(0)] = mine[i];
        }""")
    a = array(queue, np.arange(100))
    program.alone(queue, 100, 1, a)
    assert (a.get() == 3 * np.arange(100)).all()
    program.alone(queue, 100, 4, a)
    assert (a.get() == 9 * np.arange(100)).all()


def test_a_kernel_reports_its_local_memory_and_is_held_to_the_limit(queue, build):
    limit = queue.device.local_memory
    program = build("""
        kernel void some(global int *a, local char *more) {
          local int tile[64];
          tile[get_local_id(0)] = a[get_global_id(0)];
          more[get_local_id(0)] = 1;
          barrier(CLK_LOCAL_MEM_FENCE);
          a[get_global_id(0)] = tile[0] + more[0];
        }""")
    reported = program.some.attributes(queue.device).local_memory
    assert reported >= 256 or queue.device.backend == "opencl"  # PoCL 5 says 0
    a = array(queue, np.zeros(8))
    program.some(queue, 8, 8, a, qn.LocalMemory(64))
    with pytest.raises(qn.ArgumentValueError, match=str(limit)):
        # If the driver reports no local memory of the kernel, only a request above the device's limit is refused.
        program.some(queue, 8, 8, a, qn.LocalMemory(limit if reported >= 256 else limit + 1))


def test_eight_threads_launch_one_barrier_kernel(device, build):
    program = build("""
        kernel void sums(global int *a, local int *part, int n) {
          const int i = get_local_id(0);
          for (int k = 0; k < n; ++k) {
            part[i] = a[get_global_id(0)] + k;
            barrier(CLK_LOCAL_MEM_FENCE);
            int sum = 0;
            for (int j = 0; j < 16; ++j) sum += part[j];
            barrier(CLK_LOCAL_MEM_FENCE);
            a[get_global_id(0)] = sum % 1000;
          }
        }""")

    def expected(values, rounds):
        values = values.reshape(-1, 16).copy()
        for k in range(rounds):
            values[:] = ((values + k).sum(axis=1) % 1000)[:, None]
        return values.ravel()

    failures = []

    def work(seed):
        values = np.random.default_rng(seed).integers(0, 1000, 16 * 50).astype(np.int32)
        queue = qn.Queue(device)
        for _ in range(5):
            a = array(queue, values)
            program.sums(queue, values.size, 16, a, qn.LocalMemory(64), 10)
            if not (a.get() == expected(values, 10)).all():
                failures.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


DISAGREE = """kernel void some_wait(global int *a) {
  if (get_local_id(0) < a[0] || get_group_id(0) != 1)
    barrier(CLK_LOCAL_MEM_FENCE);
  a[1] = 5;
}
kernel void two_barriers(global int *a) {
  if (get_local_id(0) < a[0])
    barrier(CLK_LOCAL_MEM_FENCE);
  else
    barrier(CLK_LOCAL_MEM_FENCE);
}
kernel void one_returns(global int *a) {
  local int tile[16];
  tile[get_local_id(0)] = 1;
  if (get_local_id(0) == a[0]) return;
  for (int i = 0; i < 3; ++i)
    barrier(CLK_LOCAL_MEM_FENCE);
  a[1] = tile[3];
}
kernel void one_line(global int *a) {
  if (get_local_id(0) < a[0]) barrier(CLK_LOCAL_MEM_FENCE); else barrier(CLK_LOCAL_MEM_FENCE);
}
"""


@pytest.mark.parametrize(
    ("kernel", "lines"),
    [("some_wait", [3]), ("two_barriers", [8, 10]), ("one_returns", [17]), ("one_line", [21])],
)
def test_work_items_that_disagree_about_a_barrier_are_an_error_of_the_event(kernel, lines, device, build):
    if device.backend != "host":
        pytest.skip("undefined behaviour on other devices")
    program = qn.Program(FIBERS + DISAGREE, name="rules.cl").build(device)
    queue = qn.Queue(device)
    a = array(queue, [3, 0])
    launch = getattr(program, kernel)
    event = launch(queue, 48, 16, a)
    with pytest.raises(qn.KernelError) as caught:
        event.wait()
    text = str(caught.value)
    assert f"kernel '{kernel}'" in text and "disagree about the barrier" in text, text
    assert any(f"rules.cl:{line + 1}" in text for line in lines), text
    if kernel == "some_wait":
        assert "(1,0,0)" in text
    queue.finish()  # event.wait() has raised the failure, so finish() does not
    launch(queue, 48, 16, a)
    with pytest.raises(qn.KernelError, match="disagree"):
        queue.finish()
    queue.finish()
    # The queue, the program and the thread's fibers are as good as new.
    again = qn.Queue(device)
    b = array(again, [16 if kernel != "one_returns" else 99, 0])
    launch(again, 48, 16, b).wait()
    assert b.get()[1] == {"some_wait": 5, "one_returns": 1}.get(kernel, 0)


def test_private_arrays_larger_than_the_stacks_are_an_error_that_says_so(device):
    if device.backend != "host":
        pytest.skip("fibers are the host's")
    program = qn.Program(
        FIBERS
        + """
        kernel void deep(global int *a, int n) {
          private int many[1 << 22];
          for (int i = 0; i < n; ++i) many[i] = a[0] + i;
          barrier(CLK_LOCAL_MEM_FENCE);
          a[get_global_id(0)] = many[n - 1];
        }"""
    ).build(device)
    queue = qn.Queue(device)
    a = array(queue, np.zeros(256))
    with pytest.raises(qn.KernelError, match=r"kernel 'deep': stack overflow"):
        program.deep(queue, 256, 256, a, 5).wait()
    again = qn.Queue(device)
    a.fill(0)  # what the failed kernel wrote is not to be trusted
    program.deep(again, 8, 8, a, 1 << 20).wait()  # fewer work-items may have as much
    assert (a.get()[:8] == (1 << 20) - 1).all()


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("void f() { local int x; } kernel void k(global int *a) { f(); }", "must be declared in a kernel"),
        ("kernel void k(global int *a) { if (a[0]) { local int x; x = 1; } }", "outside its inner blocks"),
        ("kernel void k(global int *a) { local int x = 3; a[0] = x; }", "cannot be initialised"),
        ("kernel void k(global int *a) { barrier(); }", "takes 1 argument"),
    ],
)
def test_local_variables_are_declared_as_opencl_c_says(source, message):
    for device in qn.devices("host"):
        with pytest.raises(qn.BuildError, match=message):
            qn.Program(source).build(device)


def test_private_arrays_larger_than_a_threads_stack(device):
    if device.backend != "host":
        pytest.skip("other devices have limits of their own")
    program = qn.Program("""
        kernel void large(global int *a, int n) {
          private int many[1 << 22];
          for (int i = 0; i < n; ++i) many[i] = i + (int)get_global_id(0);
          int sum = 0;
          for (int i = 0; i < n; i += n / 8) sum += many[i];
          if (get_global_id(0) < 20) a[get_global_id(0)] = sum + (int)get_local_id(0);
        }""").build(device)
    queue = qn.Queue(device)
    a = array(queue, np.zeros(24))
    program.large(queue, 24, 8, a, 1 << 22).wait()
    ids = np.arange(20)
    expected = 8 * ids + sum(range(0, 1 << 22, 1 << 19)) + ids % 8
    assert (a.get()[:20] == expected).all() and not a.get()[20:].any()


def test_a_launch_that_gives_its_local_size_compiles_once(queue):
    source = """
    kernel void turn(global int *a, int salt) {
      local int part[64];
      int i = get_local_id(0), n = get_local_size(0);
      part[i] = a[get_global_id(0)] + salt;
      barrier(CLK_LOCAL_MEM_FENCE);
      a[get_global_id(0)] = part[n - 1 - i];
    }
    """
    kernel = qn.Program(source).turn
    values = np.arange(128, dtype=np.int32)
    before = qn.stats().compilations
    for _ in range(2):
        a = qn.asarray(values, queue=queue)
        kernel(queue, 128, 64, a, 5)
        np.testing.assert_array_equal(a.get(), values.reshape(2, 64)[:, ::-1].reshape(-1) + 5)
    assert qn.stats().compilations - before == 1
    a = qn.asarray(values[:100], queue=queue) if queue.device.non_uniform_groups else None
    if a is not None:  # a smaller last group needs no further build
        kernel(queue, 100, 64, a, 5)
        expected = np.concatenate([values[63::-1], values[99:63:-1]]) + 5
        np.testing.assert_array_equal(a.get(), expected)
        assert qn.stats().compilations - before == 1
    a = qn.asarray(values, queue=queue)
    kernel(queue, 128, 32, a, 5)
    np.testing.assert_array_equal(a.get(), values.reshape(4, 32)[:, ::-1].reshape(-1) + 5)
