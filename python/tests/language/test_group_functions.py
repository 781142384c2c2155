# SPDX-License-Identifier: MIT
"""Functions of work-groups and sub-groups: reductions, scans, any and all, broadcasts, copies, and Quern's intrinsics."""

import numpy as np
import pytest

import quern as qn

TYPES = {"int": np.int32, "uint": np.uint32, "long": np.int64, "ulong": np.uint64, "float": np.float32}
OPERATIONS = {"add": np.add, "min": np.minimum, "max": np.maximum}


def lowered(device):
    if device.backend == "opencl":
        pytest.skip("the device's compiler decides about the functions of OpenCL 2")


def data(dtype, size, seed=3):
    low = 0 if np.dtype(dtype).kind == "u" else -1000
    return np.random.default_rng(seed).integers(low, 1000, size).astype(dtype)


@pytest.fixture(scope="module")
def collectives(device):
    lowered(device)
    source = ""
    for name in TYPES:
        for operation in OPERATIONS:
            source += f"""
            kernel void {operation}_{name}(global const {name} *a, global {name} *r, global {name} *in, global {name} *ex) {{
              const size_t i = get_global_id(0);
              r[i] = work_group_reduce_{operation}(a[i]);
              in[i] = work_group_scan_inclusive_{operation}(a[i]);
              ex[i] = work_group_scan_exclusive_{operation}(a[i]);
            }}"""
    return qn.Program(source).build(device)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize(("size", "local"), [(240, 48), (256, 64), (100, 32), (33, 256), (5, 1)])
def test_work_groups_reduce_and_scan(queue, collectives, operation, name, size, local):
    dtype, function = TYPES[name], OPERATIONS[operation]
    a = data(dtype, size)
    outputs = [qn.zeros(size, dtype, queue.device) for _ in range(3)]
    getattr(collectives, f"{operation}_{name}")(
        queue, size, local, qn.asarray(a, device=queue.device), *outputs
    )
    reduced, inclusive, exclusive = (output.get() for output in outputs)
    if operation == "add":
        identity = 0
    elif np.dtype(dtype).kind == "f":
        identity = np.inf if operation == "min" else -np.inf
    else:
        identity = np.iinfo(dtype).max if operation == "min" else np.iinfo(dtype).min
    for begin in range(0, size, local):
        part = a[begin : begin + local]
        scan = function.accumulate(part)
        where = slice(begin, begin + local)
        assert (inclusive[where] == scan).all()
        assert (reduced[where] == scan[-1]).all()
        assert exclusive[begin] == dtype(identity)
        assert (exclusive[where][1:] == scan[:-1]).all()


def test_work_group_any_all_and_broadcast_in_three_dimensions(queue):
    lowered(queue.device)
    program = qn.Program("""
        kernel void any_and_all(global const int *a, global int *out) {
          const size_t i = get_global_linear_id();
          const int all_positive = work_group_all(a[i] > 0) != 0, any_seven = work_group_any(a[i] == 7) != 0;
          out[i] = 4 * work_group_broadcast((int)get_local_linear_id(), 1, 2, 1) + 2 * all_positive + any_seven;
        }""").build(queue.device)
    shape, local = (4, 6, 8), (2, 3, 4)  # z, y, x
    a = np.ones(shape, np.int32)
    a[0, 0, 0] = 7
    a[3, 5, 7] = -1
    out = qn.zeros(shape, np.int32, queue.device)
    program.any_and_all(queue, shape[::-1], local[::-1], qn.asarray(a, device=queue.device), out)
    expected = np.full(shape, 4 * (1 + 4 * (2 + 3 * 1)) + 2)
    expected[:2, :3, :4] += 1
    expected[2:, 3:, 4:] -= 2
    assert (out.get() == expected).all()


def test_group_functions_in_a_helper_and_a_loop(queue):
    lowered(queue.device)
    program = qn.Program("""
        int mean(int x) { return work_group_reduce_add(x) / (int)get_local_size(0); }
        kernel void centre(global int *a) {
          const size_t i = get_global_id(0);
          for (int k = 0; k < 3; ++k) a[i] = a[i] * 3 - mean(a[i]);
        }""").build(queue.device)
    a = data(np.int32, 160)
    x = qn.asarray(a, device=queue.device)
    program.centre(queue, 160, 32, x)
    expected = a.reshape(5, 32).astype(np.int64)
    for _ in range(3):
        total = expected.sum(axis=1, keepdims=True)
        expected = expected * 3 - np.sign(total) * (abs(total) // 32)
    assert (x.get() == expected.ravel()).all()


@pytest.mark.parametrize("local", [8, 64])
def test_asynchronous_copies(queue, local):
    program = qn.Program("""
        kernel void copies(global const float2 *from, global float2 *to, global const int *table, global int *column,
                           local float2 *tile, local int *picked) {
          const size_t n = get_local_size(0), first = get_group_id(0) * n;
          event_t e = async_work_group_copy(tile, from + first, n, 0);
          e = async_work_group_strided_copy(picked, table + first, n / 4, 4, e);
          prefetch(from + first, n);
          wait_group_events(1, &e);
          const float2 other = tile[n - 1 - get_local_id(0)];
          barrier(CLK_LOCAL_MEM_FENCE);
          tile[get_local_id(0)] = other;
          barrier(CLK_LOCAL_MEM_FENCE);
          event_t out[2];
          out[0] = async_work_group_copy(to + first, tile, n, 0);
          out[1] = async_work_group_strided_copy(column + first, picked, n / 4, 2, 0);
          wait_group_events(2, out);
        }""").build(queue.device)
    size = 192
    values, table = data(np.float32, (size, 2)), data(np.int32, size)
    to, column = qn.zeros((size, 2), np.float32, queue.device), qn.zeros(size, np.int32, queue.device)
    program.copies(
        queue,
        size,
        local,
        qn.asarray(values, device=queue.device),
        to,
        qn.asarray(table, device=queue.device),
        column,
        qn.LocalMemory(8 * local),
        qn.LocalMemory(local),
    )
    assert (to.get() == values.reshape(-1, local, 2)[:, ::-1].reshape(size, 2)).all()
    expected = np.zeros((size // local, local), np.int32)
    expected[:, : local // 2 : 2] = table.reshape(-1, local)[:, ::4]
    assert (column.get() == expected.ravel()).all()


def test_sub_groups_reduce_scan_and_exchange(queue):
    lowered(queue.device)
    program = qn.Program("""
        kernel void sub(global const int *a, global int *width, global int *lane, global int *id, global int *sum,
                        global int *scan, global int *before, global int *last, global int *votes, global uint4 *ballot) {
          const size_t i = get_global_id(0);
          width[i] = get_sub_group_size();
          lane[i] = get_sub_group_local_id();
          id[i] = get_sub_group_id();
          sum[i] = sub_group_reduce_add(a[i]);
          scan[i] = sub_group_scan_inclusive_add(a[i]);
          before[i] = sub_group_scan_exclusive_max(a[i]);
          last[i] = sub_group_broadcast(a[i], get_sub_group_size() - 1);
          votes[i] = 2 * (sub_group_all(a[i] > -900) != 0) + (sub_group_any(a[i] > 900) != 0);
          ballot[i] = sub_group_ballot(a[i] > 0);
          sub_group_barrier(CLK_LOCAL_MEM_FENCE);
        }""").build(queue.device)
    size, local = 200, 80
    a = data(np.int32, size)
    ints = [qn.zeros(size, np.int32, queue.device) for _ in range(8)]
    ballot = qn.zeros((size, 4), np.uint32, queue.device)
    program.sub(queue, size, local, qn.asarray(a, device=queue.device), *ints, ballot)
    width, lane, number, total, scan, before, last, votes = (x.get() for x in ints)
    ballot = ballot.get()
    most = 32 if queue.device.backend == "cuda" else 1
    for begin in range(0, size, local):
        group = a[begin : begin + local]
        for k in range(0, len(group), most):
            part = group[k : k + most]
            where = slice(begin + k, begin + k + len(part))
            assert (width[where] == len(part)).all() and (number[where] == k // most).all()
            assert (lane[where] == np.arange(len(part))).all()
            assert (total[where] == part.sum()).all() and (last[where] == part[-1]).all()
            assert (scan[where] == np.cumsum(part)).all()
            assert (before[where][1:] == np.maximum.accumulate(part)[:-1]).all()
            assert before[where][0] == np.iinfo(np.int32).min
            assert (votes[where] == 2 * (part > -900).all() + (part > 900).any()).all()
            bits = sum(1 << i for i, x in enumerate(part) if x > 0)
            assert (ballot[where, 0] == bits).all() and not ballot[where, 1:].any()


def test_intrinsics_with_their_fallbacks(queue):
    program = qn.Program("""
        kernel void use(global const int *a, global int *reversed, global int *xored, global ulong *votes,
                        global ulong *equal, global float4 *wide, global int *width) {
          const size_t i = get_global_id(0);
          const uint lane = get_local_id(0) % QUERN_SUB_GROUP_SIZE;
          const int x = quern_load_streaming(&a[i]);
          reversed[i] = quern_shuffle(x, QUERN_SUB_GROUP_SIZE - 1 - lane);
          xored[i] = quern_shuffle_xor(x, QUERN_SUB_GROUP_SIZE / 2);
          votes[i] = quern_ballot(x > 0);
          const ulong same = quern_match_any(x % 3);
          equal[i] = quern_match_any((uchar)(x % 3)) == same ? same : 0;
          quern_store_streaming(&wide[i], quern_load_streaming(&wide[i]) * 2.0f);
          if (i == 0) width[0] = QUERN_SUB_GROUP_SIZE;
        }
        kernel void pass_on(global int *flags, global uint *data, int n) {
          // One work-item waits for the other; both run at once on every device that has two compute units.
          if (get_global_id(0) == 0)
            for (int k = 1; k <= n; ++k) {
              data[k] = 7u * k;
              quern_store_release(flags, k, QUERN_SCOPE_DEVICE);
            }
          else
            data[0] = quern_load_acquire(flags, QUERN_SCOPE_DEVICE) >= 0;
        }""").build(queue.device)
    size, local = 256, 64
    a = data(np.int32, size)
    outputs = [qn.zeros(size, t, queue.device) for t in (np.int32, np.int32, np.uint64, np.uint64)]
    wide = qn.asarray(np.arange(size * 4, dtype=np.float32).reshape(size, 4), device=queue.device)
    width = qn.zeros(1, np.int32, queue.device)
    program.use(queue, size, local, qn.asarray(a, device=queue.device), *outputs, wide, width)
    n = int(width.get()[0])
    assert n == (32 if queue.device.backend == "cuda" else 1)
    lanes = a.reshape(-1, n)
    reversed_, xored, votes, equal = (output.get() for output in outputs)
    assert (reversed_ == lanes[:, ::-1].ravel()).all()
    assert (xored == lanes[:, np.arange(n) ^ (n // 2)].ravel()).all()
    weights = np.uint64(1) << np.arange(n, dtype=np.uint64)
    assert (votes.reshape(-1, n) == ((lanes > 0) * weights).sum(axis=1, dtype=np.uint64)[:, None]).all()
    kind = np.fmod(lanes, 3)
    matches = (kind[:, :, None] == kind[:, None, :]) * weights
    assert (equal.reshape(-1, n) == matches.sum(axis=2, dtype=np.uint64)).all()
    assert (wide.get().ravel() == 2 * np.arange(size * 4)).all()
    flags, passed = qn.zeros(1, np.int32, queue.device), qn.zeros(11, np.uint32, queue.device)
    program.pass_on(queue, 2, 1, flags, passed, 10)
    assert flags.get()[0] == 10 and (passed.get()[1:] == 7 * np.arange(1, 11)).all()


def test_macros_tell_what_the_device_can(queue):
    program = qn.Program("""
        kernel void tell(global int *out) {
          out[0] = QUERN_SUB_GROUP_SIZE;
        #ifdef QUERN_HAS_FP64
          out[1] = 1;
        #endif
        #ifdef QUERN_HAS_INT64_ATOMICS
          out[2] = 1;
        #endif
        }""").build(queue.device)
    out = qn.zeros(3, np.int32, queue.device)
    program.tell(queue, 1, 1, out)
    device = queue.device
    assert list(out.get()[1:]) == [device.has_fp64, device.has_int64_atomics]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("a[0] = work_group_reduce_add(&a[0]);", "a number of 32 or 64 bits"),
        ("a[0] = quern_load_acquire(a, a[0]);", "QUERN_SCOPE_"),
        ("a[0] = quern_load_acquire((global char *)a, 1);", "32 or 64 bits"),
        ("event_t e = async_work_group_copy(a, a, 4, 0);", "between global and local memory"),
        ("local char t[4]; event_t e = async_work_group_copy(t, a, 4, 0);", "of one type"),
    ],
)
def test_wrong_arguments_are_named(body, message):
    with pytest.raises(qn.BuildError, match=message):
        qn.Program("kernel void k(global int *a) { " + body + " }").build(qn.device("host"))


# Everywhere a function of the group can stand: in expressions, conditions, loops, helpers, arguments of another one.
SPLIT = """
int helper(int x, local int *s) {
  s[get_local_id(0)] = x;
  const int most = work_group_reduce_max(x);
  return most - s[get_local_size(0) - 1];
}
kernel void everywhere(global const int *a, global const float *f, global int *out, global float *real) {
  local int s[64];
  const int i = get_global_id(0), l = get_local_id(0), size = get_local_size(0);
  int x = a[i], total = 0;
  if (work_group_any(x > 990)) total = 1000 + work_group_scan_exclusive_add(x);
  for (int j = 0; j < work_group_reduce_add(1) / 8; j++) total += work_group_scan_inclusive_max(x + j) ^ j;
  int rounds = 0;
  while (work_group_any(x > 0)) {
    if (x > 0) x = x / 2 - 1;
    if (++rounds == 7) continue;
    total += work_group_broadcast(x, rounds % size);
  }
  do {
    x += 3;
    rounds++;
  } while (!work_group_all(x > 0));
  total += helper(x, s) * 3 + work_group_reduce_min(work_group_scan_inclusive_add(x)) + rounds;
  barrier(CLK_LOCAL_MEM_FENCE);
  const long wide = work_group_reduce_add((long)x << 33);
  switch (work_group_reduce_add(l) & 3) {
    case 0: total += work_group_reduce_add(x); break;
    case 1: total -= work_group_scan_inclusive_add(x); break;
    default: total ^= work_group_scan_exclusive_add(l);
  }
  out[i] = total + s[size - 1 - l] + (int)(wide >> 33);
  real[i] = work_group_reduce_add(f[i]) + work_group_scan_inclusive_add(f[i] * 3) + work_group_reduce_max(-f[i]);
}
kernel void place(global const int *a, global int *out) {
  const size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  const size_t i = x + get_global_size(0) * (y + get_global_size(1) * z);
  out[i] = work_group_broadcast(a[i], 1, 0, 1) + work_group_scan_inclusive_add(a[i]);
}
"""


@pytest.mark.parametrize("local", [1, 8, 32, 64, 48])
def test_a_split_kernel_gives_the_bits_that_fibers_give(device, queue, local):
    if device.backend != "host":
        pytest.skip("fibers are the host's")
    n = 4 * local + 5
    random = np.random.default_rng(local)
    a, f = random.integers(-1000, 1000, n).astype(np.int32), random.standard_normal(n).astype(np.float32)
    results = []
    for fibers in (False, True):
        program = qn.Program(("#pragma quern fibers\n" if fibers else "") + SPLIT)
        text = program.lowered_source(device)
        assert text.count("quern-form: " + ("fibers" if fibers else "split")) == 2
        out, real = qn.zeros(n, np.int32, queue=queue), qn.zeros(n, np.float32, queue=queue)
        program.everywhere(queue, n, local, qn.asarray(a, queue=queue), qn.asarray(f, queue=queue), out, real)
        results.append((out.get(), real.get()))
    np.testing.assert_array_equal(results[0][0], results[1][0])
    np.testing.assert_array_equal(results[0][1].view(np.int32), results[1][1].view(np.int32))


def test_a_broadcast_and_a_scan_in_three_dimensions(queue, device):
    lowered(device)
    shape = (4, 6, 10)  # z, y, x in groups of 2 x 3 x 5
    a = np.random.default_rng(1).integers(0, 100, shape).astype(np.int32)
    out = qn.zeros(shape, np.int32, queue=queue)
    qn.Program(SPLIT).place(queue, shape[::-1], (5, 3, 2), qn.asarray(a, queue=queue), out)
    expected = np.empty_like(a)
    for z in range(0, 4, 2):
        for y in range(0, 6, 3):
            for x in range(0, 10, 5):
                where = slice(z, z + 2), slice(y, y + 3), slice(x, x + 5)
                group = a[where]
                expected[where] = group[1, 0, 1] + group.ravel().cumsum().reshape(group.shape)
    np.testing.assert_array_equal(out.get(), expected)


def test_groups_of_one_work_item_are_not_run_in_lanes():
    text = """kernel {attribute} void sums(global float *x, int n) {{
      float sum = 0;
      for (int k = 0; k < n; ++k) sum += x[get_global_id(0)] * k;
      x[get_global_id(0)] = sum;
    }}"""
    forms = [
        qn.Program(text.format(attribute=attribute)).lowered_source("host")
        for attribute in ("", "__attribute__((reqd_work_group_size(1, 1, 1)))")
    ]
    assert ["quern-form: lanes" in form for form in forms] == [True, False]


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
    rows[1, -1], rows[2, 0] = (
        -60,
        95,
    )  # one work-item differs from all others, so any and all give both results
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
