# SPDX-License-Identifier: MIT
"""async_work_group_copy, its strided form, wait_group_events and prefetch."""

import numpy as np


def test_copies_into_local_memory_and_back(run):
    source = """
    kernel void k(global const float *in, global float *out) {
      local float tile[64];
      const int size = get_local_size(0), id = get_local_id(0), base = size * get_group_id(0);
      event_t arrived = async_work_group_copy(tile, in + base, size, 0);
      wait_group_events(1, &arrived);
      float neighbour = tile[(id + 1) % size];
      barrier(CLK_LOCAL_MEM_FENCE);
      tile[id] = neighbour + 1;
      barrier(CLK_LOCAL_MEM_FENCE);
      event_t left = async_work_group_copy(out + base, tile, size, 0);
      wait_group_events(1, &left);
    }"""
    a = np.arange(128, dtype=np.float32)
    _, out = run(source, 128, 32, a, np.zeros(128, np.float32))
    np.testing.assert_array_equal(out, np.roll(a.reshape(4, 32), -1, 1).reshape(-1) + 1)


def test_strided_copies_and_several_events(run):
    source = """
    kernel void k(global const int *in, global int *out, int stride) {
      local int even[16], all[16];
      event_t events[2];
      events[0] = async_work_group_strided_copy(even, in, 16, stride, 0);
      events[1] = async_work_group_copy(all, in, 16, 0);
      wait_group_events(2, events);
      const int id = get_local_id(0);
      if (id < 16) even[id] += 100 * all[id];
      barrier(CLK_LOCAL_MEM_FENCE);
      event_t done = async_work_group_strided_copy(out, even, 16, 3, 0);
      wait_group_events(1, &done);
    }"""
    a = np.arange(64, dtype=np.int32)
    _, out = run(source, 20, 20, a, np.zeros(48, np.int32), 2)
    np.testing.assert_array_equal(out[::3], a[:32:2] + 100 * a[:16])
    assert out.reshape(-1, 3)[:, 1:].max() == 0


def test_copies_of_vectors_with_one_event_for_two(run):
    source = """
    kernel void k(global const float4 *in, global float4 *out) {
      local float4 a[8], b[8];
      event_t e = async_work_group_copy(a, in, 8, 0);
      e = async_work_group_copy(b, in + 8, 8, e);
      wait_group_events(1, &e);
      prefetch(in, 8);
      const int id = get_local_id(0);
      out[id] = a[id] + b[7 - id];
    }"""
    a = np.arange(64, dtype=np.float32).reshape(16, 4)
    _, out = run(source, 8, 8, a, np.zeros((8, 4), np.float32))
    np.testing.assert_array_equal(out, a[:8] + a[:7:-1])
