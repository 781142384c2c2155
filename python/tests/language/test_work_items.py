# SPDX-License-Identifier: MIT
"""Work-item functions in one, two and three dimensions, with offsets and uneven last groups; attributes of kernels."""

import numpy as np
import pytest

import quern as qn

SOURCE = """
kernel void ids(global int *out) {
  size_t at = 0, item;
  for (int d = 2; d >= 0; d--) at = at * get_global_size(d) + get_global_id(d) - get_global_offset(d);
  global int *o = out + 24 * at;
  for (int d = 0; d < 3; d++) {
    o[d] = get_global_id(d);
    o[3 + d] = get_local_id(d);
    o[6 + d] = get_group_id(d);
    o[9 + d] = get_global_size(d);
    o[12 + d] = get_local_size(d);
    o[15 + d] = get_num_groups(d);
    o[18 + d] = get_global_offset(d);
  }
  o[21] = get_work_dim();
  // A dimension that is not there.
  o[22] = 1000 * get_global_size(3) + 100 * get_local_size(7) + 10 * get_num_groups(5) + get_global_id(4);
  o[23] = get_local_id(3) + get_group_id(3) + get_global_offset(3);
}
"""
PROGRAM = qn.Program(SOURCE)


@pytest.mark.parametrize(
    ("size", "local", "offset"),
    [
        ((12,), (4,), None),
        ((12,), (4,), (100,)),
        ((6, 8), (3, 2), None),
        ((6, 8), (2, 4), (5, 7)),
        ((4, 6, 2), (2, 3, 1), (1, 2, 3)),
        ((3, 2, 4), (3, 2, 4), None),
    ],
)
def test_ids_sizes_and_offsets(queue, size, local, offset):
    n = int(np.prod(size))
    out = qn.zeros((n, 24), np.int32, queue=queue)
    PROGRAM.ids(queue, size, local, out, **({"offset": offset} if offset else {}))
    pad = lambda t, fill: tuple(t or ()) + (fill,) * (3 - len(t or ()))  # noqa: E731
    s, lo, off = pad(size, 1), pad(local, 1), pad(offset, 0)
    for k, row in enumerate(out.get()):
        index = (k % s[0], k // s[0] % s[1], k // (s[0] * s[1]))
        expected = [i + o for i, o in zip(index, off, strict=True)]
        expected += [i % w for i, w in zip(index, lo, strict=True)]
        expected += [i // w for i, w in zip(index, lo, strict=True)]
        expected += [*s, *lo, *(a // b for a, b in zip(s, lo, strict=True)), *off, len(size), 1110, 0]
        known = [22] if queue.device.backend == "opencl" else []  # PoCL says 0 for sizes of no dimension
        np.testing.assert_array_equal(np.delete(row, known), np.delete(expected, known))


def test_an_uneven_last_group_is_smaller(queue, device):
    if device.backend == "opencl":
        pytest.skip("OpenCL 1.2 asks for groups that fit")
    out = qn.zeros((10, 24), np.int32, queue=queue)
    PROGRAM.ids(queue, 10, 4, out)
    got = out.get()
    np.testing.assert_array_equal(got[:, 0], np.arange(10))
    np.testing.assert_array_equal(got[:, 3], [0, 1, 2, 3, 0, 1, 2, 3, 0, 1])
    np.testing.assert_array_equal(got[:, 12], [4] * 8 + [2] * 2)
    np.testing.assert_array_equal(got[:, 15], 3)


def test_work_item_functions_in_helpers_and_with_a_dimension_at_run_time(run):
    source = """
    int here(int d) { return get_global_id(d) * 10 + get_local_id(d); }
    int deeper(int d) { return here(d) + (int)get_group_id(0) * 1000; }
    kernel void k(global int *out, int d) {
      out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = deeper(d);
    }"""
    out = run(source, (4, 6), (2, 3), np.zeros((6, 4), np.int32), 1)
    y, x = np.mgrid[:6, :4]
    np.testing.assert_array_equal(out, 10 * y + y % 3 + 1000 * (x // 2))


def test_a_dimension_that_is_computed_when_the_kernel_is_built(run):
    source = """
    #define AXIS 2
    constant int one = 1;
    kernel void k(global int *out) {
      const int zero = AXIS - 2;
      size_t x = get_global_id(zero), y = get_global_id(one);
      out[y * get_global_size(AXIS - 2) + x] =
          get_local_id(zero) + 10 * get_local_id(AXIS / 2) + 100 * get_group_id(one);
    }"""
    out = run(source, (4, 6), (2, 3), np.zeros((6, 4), np.int32))
    y, x = np.indices((6, 4))
    np.testing.assert_array_equal(out, x % 2 + 10 * (y % 3) + 100 * (y // 3))


def test_linear_ids_of_the_host_and_cuda(run, device):
    if device.backend == "opencl":
        pytest.skip("OpenCL C 1.2 has none")
    source = """
    kernel void k(global int *out) {
      out[get_global_linear_id()] = 100 * get_local_linear_id() + get_enqueued_local_size(0);
    }"""
    out = run(source, (4, 4), (2, 2), np.zeros((4, 4), np.int32))
    y, x = np.mgrid[:4, :4]
    np.testing.assert_array_equal(out, 100 * (y % 2 * 2 + x % 2) + 2)


def test_required_work_group_size(queue, device):
    source = """
    kernel __attribute__((reqd_work_group_size(8, 1, 1))) void fixed(global int *a) { a[get_global_id(0)] = get_local_size(0); }
    __attribute__((work_group_size_hint(64, 1, 1))) __attribute__((vec_type_hint(float4))) kernel void hinted(global int *a) {
      a[get_global_id(0)] = 1;
    }"""
    program = qn.Program(source)
    a = qn.zeros(16, np.int32, queue=queue)
    program.fixed(queue, 16, None, a)
    assert list(a.get()) == [8] * 16
    program.fixed(queue, 16, 8, a)
    with pytest.raises(qn.Error):
        program.fixed(queue, 16, 4, a)
    with pytest.raises(qn.ArgumentError, match="whole groups"):
        program.fixed(queue, 12, None, a)
    program.hinted(queue, 16, None, a)
    assert list(a.get()) == [1] * 16


def test_attributes_that_only_hint_are_read_anywhere(run):
    source = """
    #define UNUSED __attribute__((unused))
    typedef float real __attribute__((aligned(4)));
    __attribute__((always_inline)) inline int twice(int x UNUSED) { return 2 * x; }
    static __attribute__((noinline)) int thrice(const int x) { return 3 * x; }
    int pure_one(int x) __attribute__((pure, const));
    int pure_one(int x) { return x; }
    kernel void k(global int *restrict a, __global const int *__restrict b) {
      int unused UNUSED = 1;
      __attribute__((opencl_unroll_hint(4)))
      for (int i = 0; i < 3; i++) a[i] = twice(b[i]) + thrice(b[i]) + pure_one(1);
    }"""
    a, _ = run(source, 1, None, np.zeros(3, np.int32), np.int32([1, 2, 3]))
    assert list(a) == [6, 11, 16]
