# SPDX-License-Identifier: MIT
"""Atomic operations on global and local memory, of 32 and 64 bits."""

import numpy as np
import pytest

import quern as qn

N = 1000


def counts(kind, prefix):
    return f"""
    kernel void k(global {kind} *a, global {kind} *seen) {{
      const {kind} i = ({kind})get_global_id(0);
      {prefix}add(a + 0, i);
      {prefix}sub(a + 1, i);
      {prefix}inc(a + 2);
      {prefix}dec(a + 3);
      {prefix}min(a + 4, i);
      {prefix}max(a + 5, i);
      {prefix}and(a + 6, ~(({kind})1 << (i % 31)));
      {prefix}or(a + 7, ({kind})1 << (i % 31));
      {prefix}xor(a + 8, i);
      seen[{prefix}add(a + 9, ({kind})1)] = i;
      {prefix}cmpxchg(a + 10, ({kind})5, ({kind})6);
      if (i == 7) {prefix}xchg(a + 11, i);
    }}"""


@pytest.mark.parametrize(
    ("kind", "prefix"),
    [("int", "atomic_"), ("uint", "atomic_"), ("int", "atom_"), ("long", "atom_"), ("ulong", "atom_")],
)
def test_every_operation_on_global_memory(queue, device, kind, prefix):
    dtype = {"int": np.int32, "uint": np.uint32, "long": np.int64, "ulong": np.uint64}[kind]
    start = np.zeros(12, dtype)
    start[[3, 4, 6, 10]] = [2 * N, 50, (1 << 31) - 1, 5]
    a, seen = qn.asarray(start, queue=queue), qn.zeros(N, dtype, queue=queue)
    pragma = "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n" if dtype().itemsize == 8 else ""
    pragma += "#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n" if pragma else ""
    qn.Program(pragma + counts(kind, prefix)).k(queue, N, None, a, seen)
    total = N * (N - 1) // 2
    xor = int(np.bitwise_xor.reduce(np.arange(N)))
    expected = np.array([total, 0, N, N, 0, N - 1, 0, (1 << 31) - 1, xor, N, 6, 7], object)
    expected[1] = -total % (1 << 8 * dtype().itemsize) if dtype().dtype.kind == "u" else -total
    np.testing.assert_array_equal(a.get(), expected.astype(dtype))
    np.testing.assert_array_equal(np.sort(seen.get()), np.arange(N))


def test_local_atomics_within_a_group(run):
    source = """
    kernel void k(global int *out) {
      local int count, most;
      local uint bits;
      if (get_local_id(0) == 0) { count = 0; most = -1; bits = 0; }
      barrier(CLK_LOCAL_MEM_FENCE);
      atomic_inc(&count);
      atomic_max(&most, (int)get_local_id(0));
      atomic_or(&bits, 1u << (get_local_id(0) % 32));
      barrier(CLK_LOCAL_MEM_FENCE);
      if (get_local_id(0) == 0) {
        out[3 * get_group_id(0)] = count;
        out[3 * get_group_id(0) + 1] = most;
        out[3 * get_group_id(0) + 2] = popcount(bits);
      }
    }"""
    out = run(source, 96, 24, np.zeros(12, np.int32))
    np.testing.assert_array_equal(out.reshape(4, 3), [[24, 23, 24]] * 4)


def test_exchange_of_floats(run):
    source = """
    kernel void k(global float *a) {
      if (get_global_id(0) == 3) a[1] = atomic_xchg(a, 2.5f);
    }"""
    np.testing.assert_array_equal(run(source, 8, None, np.float32([1.5, 0])), [2.5, 1.5])


def test_float_addition_by_comparison_as_people_write_it(run):
    source = """
    void add(volatile global float *to, float value) {
      union { uint u; float f; } seen, next;
      do {
        seen.f = *to;
        next.f = seen.f + value;
      } while (atomic_cmpxchg((volatile global uint *)to, seen.u, next.u) != seen.u);
    }
    kernel void k(global float *sum) { add(sum, 0.5f); }"""
    assert run(source, 2000, None, np.float32([0]))[0] == 1000


def test_float_atomic_add(run, device):
    if device.backend == "opencl" and not (device.has_fp64 and device.has_int64_atomics):
        pytest.skip("needs doubles and atomics of 64 bits")
    source = """
    #ifdef cl_ext_float_atomics
    kernel void k(global float *sum, global double *wide) {
      atomic_fetch_add_explicit((volatile global atomic_float *)sum, 0.5f, memory_order_relaxed, memory_scope_device);
      atomic_fetch_add((volatile global atomic_double *)wide, 0.25);
    }
    #endif"""
    total, wide = run(source, 2000, None, np.float32([0]), np.float64([0]))
    assert (total[0], wide[0]) == (1000, 500)


@pytest.mark.parametrize("options", [[], ["-cl-std=CL2.0"], ["-cl-std=CL3.0"]])
def test_float_atomics_of_every_operation_and_version(queue, device, options):
    if device.backend == "opencl" and options:
        if device.platform != "Portable Computing Language":
            pytest.skip("a matter of the versions that the device's compiler knows")
        try:
            qn.Program("kernel void k(global int *a) { *a = 1; }", options=options).build(device)
        except qn.BuildError:
            pytest.skip("the device's compiler does not know this version of OpenCL C")
    source = """
    kernel void k(global float *a, global int *n) {
      volatile global atomic_float *x = (volatile global atomic_float *)a;
      const float i = get_global_id(0);
      atomic_fetch_add(x, 0.5f);
      atomic_fetch_sub_explicit(x + 1, 1.0f, memory_order_relaxed, memory_scope_device);
      atomic_fetch_max(x + 2, i);
      atomic_fetch_min_explicit(x + 3, -i, memory_order_relaxed, memory_scope_device);
      atomic_fetch_add((volatile global atomic_int *)n, 3);
      local float sum;
      if (get_local_id(0) == 0) sum = 0;
      barrier(CLK_LOCAL_MEM_FENCE);
      atomic_fetch_add((volatile local atomic_float *)&sum, 1.0f);
      barrier(CLK_LOCAL_MEM_FENCE);
      if (get_local_id(0) == 0) a[4 + get_group_id(0)] = sum;
    }"""
    a, n = qn.zeros(8, "float32", queue=queue), qn.zeros(1, "int32", queue=queue)
    qn.Program(source, options=options).k(queue, 256, 64, a, n)
    np.testing.assert_array_equal(a.get(), [128, -256, 255, -255, 64, 64, 64, 64])
    assert n.get()[0] == 768


def test_a_kernel_uses_atomics_that_an_include_mentions(run, tmp_path):
    (tmp_path / "sum.h").write_text(
        "void add(volatile global float *p, float x) { atomic_fetch_add((volatile global atomic_float *)p, x); }\n"
    )
    source = '#include "sum.h"\nkernel void k(global float *a) { add(a, 0.25f); }'
    assert run(source, 1000, None, np.float32([0]), include_paths=[tmp_path])[0] == 250


def test_c11_atomics(run):
    source = """
    kernel void k(global int *a) {
      volatile global atomic_int *x = (volatile global atomic_int *)a;
      atomic_fetch_add_explicit(x, 2, memory_order_relaxed, memory_scope_device);
      atomic_fetch_sub(x + 1, 1);
      atomic_fetch_max(x + 2, (int)get_global_id(0));
      atomic_fetch_min(x + 3, (int)get_global_id(0));
      atomic_fetch_or(x + 4, 1 << (get_global_id(0) % 8));
      atomic_fetch_xor(x + 5, 3);
      int expected = 0;
      if (atomic_compare_exchange_strong(x + 6, &expected, 9)) atomic_fetch_add(x + 7, 1);
      if (get_global_id(0) == 0) {
        atomic_store_explicit(x + 8, 5, memory_order_release, memory_scope_device);
        atomic_exchange(x + 9, atomic_load(x + 8));
      }
      atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
    }"""
    got = run(source, 100, None, np.int32([0, 0, 0, 7, 0, 0, 0, 0, 0, 0]))
    assert list(got) == [200, -100, 99, 0, 255, 0, 9, 1, 5, 5]
