/* SPDX-License-Identifier: MIT
 * The contract between kernels lowered to C and the host backend that runs them. Plain C, included by both.
 */
#ifndef QUERN_HOST_ABI_H
#define QUERN_HOST_ABI_H

/* Lowered text is bare C without any include. Its first line may be a comment that names the libraries to
 * link with, in their order, such as quern-link: m mvec It is there if and only if something must be linked.
 * `mvec` may be left out where the machine has no such library. The text wants -fwrapv -fno-strict-aliasing
 * -ffp-contract=off, and -O3 -march=native -fno-math-errno -fno-trapping-math to be fast. */

struct quern_launch;

/* Runs one work-item of a group, counted linearly with dimension 0 fastest; `group` is what run_group was
 * given. */
typedef void quern_item_function(void* group, unsigned long long item);

/* What a kernel may call while it runs. */
typedef struct quern_runtime {
  /* Runs the work-items 0 <= i < items of group number `number` on this thread, each on a stack of its own
   * with `stack` bytes for the kernel's variables, and each until it calls barrier() or returns. Returns 0
   * when all are done. Otherwise a failure has been noted, and the kernel returns at once. */
  int (*run_group)(const struct quern_launch* launch, unsigned long long number, quern_item_function* item,
                   void* group, unsigned long long items, unsigned long long stack);
  /* Called by work-items inside run_group. Returns when all of the group have called it with the same
   * `where`: the place in the user's source, such as "kernel.cl:12", and after the null character that ends
   * it another text, which tells barriers of one line apart. When they do not agree it does not return:
   * run_group does, with a failure. */
  void (*barrier)(const struct quern_launch* launch, const char* where);
  /* Notes that the work-items of group number `number` do not agree about the barrier at `where`. The kernel
   * then returns at once; the launch's event tells the failure. For kernels that are split at their barriers
   * and find out by themselves. */
  void (*disagree)(const struct quern_launch* launch, unsigned long long number, const char* where);
  /* Where an object lies that a kernel on this thread points to: 0 private, 1 global, 2 local memory. */
  int (*space)(const struct quern_launch* launch, const void* object);
} quern_runtime;

/* Constant during one launch. Sizes count work-items; unused dimensions have size 1 and offset 0. */
typedef struct quern_launch {
  unsigned long long global_size[3];
  unsigned long long local_size[3];
  unsigned long long global_offset[3];
  unsigned long long
      group_count[3]; /* ceil(global_size / local_size): the last group of a row may be smaller */
  unsigned work_dim;
  const void* const*
      arguments; /* arguments[i] points at the value of parameter i (of a pointer: at the pointer; a
                     local pointer's memory is this call's own, for one group after the other) */
  const quern_runtime* runtime;
  void* local_memory; /* for the kernel's variables in local memory, this call's own; as large as the
                         kernel's signature says and aligned to 128 bytes */
  void* exchange;     /* this call's own: 16 bytes for each work-item of a group, for kernels whose signature
                         says that they exchange values */
} quern_launch;

/* Every kernel NAME becomes a function `quern_kernel_NAME` of this type. It runs the work-groups
 * first_group <= g < last_group, numbered linearly with dimension 0 fastest. It may be called by many threads
 * at once, each with its own range. */
typedef void quern_kernel_function(const quern_launch* launch, unsigned long long first_group,
                                   unsigned long long last_group);

#endif
