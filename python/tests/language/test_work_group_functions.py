# SPDX-License-Identifier: MIT
"""OpenCL 2's work-group functions on host and CUDA, sub-group functions, and Quern's intrinsics on every device."""

import numpy as np
import pytest

import quern as qn


@pytest.mark.parametrize("local", [8, 30, 64])
def test_reductions_scans_any_and_all_of_a_work_group(run, device, rng, local):
    if device.backend == "opencl":
        pytest.skip("OpenCL C 1.2 has none")
    source = """
    kernel void k(global const int *in, global int *out, global double *wide) {
      const int i = get_global_id(0), n = get_global_size(0), x = in[i];
      out[i] = work_group_reduce_add(x);
      out[n + i] = work_group_reduce_min(x);
      out[2 * n + i] = work_group_reduce_max(x);
      out[3 * n + i] = work_group_scan_inclusive_add(x);
      out[4 * n + i] = work_group_scan_exclusive_add(x);
      out[5 * n + i] = work_group_scan_inclusive_max(x);
      out[6 * n + i] = work_group_broadcast(x, 3);
      out[7 * n + i] = work_group_all(x > -50) != 0;
      out[8 * n + i] = work_group_any(x > 90) != 0;
      wide[i] = work_group_reduce_add(0.5 * x);
    }"""
    rows = rng.integers(-40, 80, (4, local), dtype=np.int32)
    rows[1, -1], rows[2, 0] = -60, 95  # one work-item against all others: of each vote both results
    rows[3, local // 2 :] = [-60, 95] * (local // 4) + [-60] * (local - local // 2 - 2 * (local // 4))
    a = rows.reshape(-1)
    _, out, wide = run(source, a.size, local, a, np.zeros((9, a.size), np.int32), np.zeros(a.size))
    spread = lambda v: np.repeat(v, local)  # noqa: E731
    np.testing.assert_array_equal(out[0], spread(rows.sum(1)))
    np.testing.assert_array_equal(out[1], spread(rows.min(1)))
    np.testing.assert_array_equal(out[2], spread(rows.max(1)))
    np.testing.assert_array_equal(out[3], np.cumsum(rows, 1).reshape(-1))
    np.testing.assert_array_equal(out[4], (np.cumsum(rows, 1) - rows).reshape(-1))
    np.testing.assert_array_equal(out[5], np.maximum.accumulate(rows, 1).reshape(-1))
    np.testing.assert_array_equal(out[6], spread(rows[:, 3]))
    np.testing.assert_array_equal(out[7], spread([True, False, True, False]))
    np.testing.assert_array_equal(out[8], spread([False, False, True, True]))
    np.testing.assert_array_equal(wide, spread(rows.sum(1) * 0.5))


def test_sub_groups_cover_the_work_group(run, device):
    if device.backend == "opencl":
        pytest.skip("OpenCL C 1.2 has none")
    source = """
    kernel void k(global int *out) {
      const int i = get_global_id(0), n = get_global_size(0), lane = get_sub_group_local_id();
      out[i] = get_sub_group_id() * get_max_sub_group_size() + lane;
      out[n + i] = get_num_sub_groups() * get_max_sub_group_size() >= get_local_size(0);
      out[2 * n + i] = sub_group_reduce_add(1) == (int)get_sub_group_size();
      out[3 * n + i] = sub_group_scan_inclusive_add(1) == lane + 1;
      out[4 * n + i] = sub_group_scan_exclusive_add(1) == lane;
      out[5 * n + i] = sub_group_broadcast(lane, 0) == 0;
      out[6 * n + i] = sub_group_all(1) && sub_group_any(lane == 0) && !sub_group_any(0);
      out[7 * n + i] = sub_group_reduce_max(lane) == (int)get_sub_group_size() - 1;
      sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    }"""
    out = run(source, 128, 64, np.zeros((8, 128), np.int32))
    np.testing.assert_array_equal(out[0], np.tile(np.arange(64), 2))
    np.testing.assert_array_equal(out[1:], 1)


def test_intrinsics_mean_the_same_everywhere(queue):
    source = """
    kernel void k(global const int *in, global int *out) {
      const int i = get_global_id(0), n = get_global_size(0), x = in[i];
      const int width = QUERN_SUB_GROUP_SIZE, lane = get_local_id(0) % width, first = i - lane;
      out[i] = quern_shuffle(x, width - 1) == in[first + width - 1];
      out[n + i] = quern_shuffle_xor(x, 1) == (width > 1 ? in[first + (lane ^ 1)] : x);
      out[2 * n + i] = quern_shuffle_up(x, 1) == (lane > 0 ? in[i - 1] : x);
      out[3 * n + i] = quern_shuffle_down(x, 1) == (lane + 1 < width ? in[i + 1] : x);
      ulong even = 0, same = 0;
      for (int l = 0; l < width; l++) {
        even |= (ulong)(in[first + l] % 2 == 0) << l;
        same |= (ulong)(in[first + l] == x) << l;
      }
      out[4 * n + i] = quern_ballot(x % 2 == 0) == even;
      out[5 * n + i] = quern_match_any(x) == same;
      quern_store_streaming(out + 6 * n + i, quern_load_streaming(in + i) + 1);
      quern_store_release(out + 7 * n + i, x, QUERN_SCOPE_DEVICE);
      out[8 * n + i] = quern_load_acquire(out + 7 * n + i, QUERN_SCOPE_DEVICE) == x;
    }"""
    a = np.random.default_rng(5).integers(0, 6, 128).astype(np.int32)
    out = qn.zeros((9, 128), np.int32, queue=queue)
    qn.Program(source).k(queue, 128, 64, qn.asarray(a, queue=queue), out)
    got = out.get()
    np.testing.assert_array_equal(got[:6], 1)
    np.testing.assert_array_equal(got[6], a + 1)
    np.testing.assert_array_equal(got[7], a)
    np.testing.assert_array_equal(got[8], 1)


def test_a_flag_passes_data_between_work_groups(run):
    # The first group publishes, the last sees what was written before: by tickets, so no group waits for a later one.
    source = """
    kernel void k(global int *data, global int *flag, global int *seen) {
      const int i = get_global_id(0);
      data[i] = i + 1;
      quern_store_release(flag + i, 1, QUERN_SCOPE_DEVICE);
      int found = 1;
      for (int j = 0; j < (int)get_global_size(0); j++)
        if (quern_load_acquire(flag + j, QUERN_SCOPE_DEVICE) == 1) found &= data[j] == j + 1;
      seen[i] = found;
    }"""
    _, _, seen = run(source, 256, 16, *(np.zeros(256, np.int32) for _ in range(3)))
    np.testing.assert_array_equal(seen, 1)
