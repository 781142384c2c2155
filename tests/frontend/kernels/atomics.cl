// SPDX-License-Identifier: MIT
typedef union { uint u; float f; } bits;

void add_float(volatile global float *where, float value) {  // as kernels did it before there was any other way
  bits before, after;
  do {
    before.f = *where;
    after.f = before.f + value;
  } while (atomic_cmpxchg((volatile global uint *)where, before.u, after.u) != before.u);
}

kernel void counters(global int *i, global uint *u, global long *l, global ulong *q, global float *f, global double *d) {
  int id = (int)get_global_id(0);
  atomic_add(&i[0], id);
  atomic_sub(&i[1], id);
  atomic_inc(&i[2]);
  atomic_dec(&i[3]);
  atomic_min(&i[4], -id);
  atomic_max(&i[5], id);
  atomic_or(&i[6], 1 << (id & 15));
  atomic_xor(&i[7], id);
  atomic_and(&i[8], ~(1 << (id & 15)));
  atomic_max(&u[0], 0xffffff00u + (id & 127));
  atomic_min(&u[1], 0xffffff00u - (id & 127));
  atom_add(&l[0], (long)id << 33);
  atom_min(&l[1], -((long)id << 33));
  atom_max(&l[2], (long)id << 33);
  atom_inc(&l[3]);
  atom_max(&q[0], (ulong)id << 50);
  atom_or(&q[1], 1ul << (id & 63));
  add_float(&f[0], 0.5f);
  atomic_fetch_add_explicit((volatile global atomic_float *)&f[1], 0.5f, memory_order_relaxed, memory_scope_device);
  atomic_fetch_max_explicit((volatile global atomic_float *)&f[2], (float)id, memory_order_relaxed);
  atomic_fetch_min((volatile global atomic_float *)&f[3], (float)-id);
  atomic_fetch_sub((volatile global atomic_double *)d, 0.25);
}

kernel void of_opencl_2(volatile global atomic_int *a, volatile global atomic_ulong *b, global atomic_flag *lock,
                        global int *guarded, global float *out) {
  int id = (int)get_global_id(0);
  atomic_fetch_add(&a[0], id);
  atomic_fetch_sub_explicit(&a[1], id, memory_order_acq_rel, memory_scope_work_group);
  atomic_fetch_min(&a[2], -id);
  atomic_fetch_max_explicit(&a[3], id, memory_order_release);
  atomic_fetch_or(&b[0], 1ul << (id & 63));
  atomic_fetch_xor(&b[1], (ulong)id);
  atomic_fetch_and_explicit(&b[2], ~(1ul << (id & 63)), memory_order_seq_cst, memory_scope_all_svm_devices);
  int old = atomic_load(&a[4]);
  while (!atomic_compare_exchange_weak(&a[4], &old, old + 2)) {}
  int seen = atomic_load_explicit(&a[5], memory_order_relaxed);
  while (!atomic_compare_exchange_strong_explicit(&a[5], &seen, seen + 3, memory_order_acq_rel, memory_order_relaxed, memory_scope_device)) {}
  if (id == 0) {
    atomic_store(&a[6], 17);
    atomic_store_explicit(&a[7], 18, memory_order_release);
    atomic_init(&a[8], 19);
    guarded[0] = atomic_exchange(&a[9], 5);
    out[0] = atomic_exchange((volatile global atomic_float *)(out + 1), 2.5f);
  }
  while (atomic_flag_test_and_set_explicit(lock, memory_order_acquire)) {}
  guarded[1] += id;
  atomic_flag_clear_explicit(lock, memory_order_release);
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
}

int total(const int *p, int n) {  // of any address space
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += p[i];
  return sum;
}

kernel void spaces(global int *a, constant int *c, global int *out) {
  int mine[3] = {1, 2, 3};
  global int *same = to_global(a);
  out[0] = total(a, 3) + total(mine, 3);
  out[1] = same == a;
  out[2] = to_local(a) == NULL;
  out[3] = (get_fence(a) & CLK_GLOBAL_MEM_FENCE) != 0;
}
