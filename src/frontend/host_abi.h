/* SPDX-License-Identifier: MIT
 * The contract between kernels lowered to C and the host backend that runs them. Plain C, included by both.
 */
#ifndef QUERN_HOST_ABI_H
#define QUERN_HOST_ABI_H

/* Lowered text is C without #include directives. If it must be linked with libraries, its first line is a
 * comment that names them in order, such as quern-link: m mvec. A machine without libmvec may omit `mvec`.
 * The text must be compiled with -fwrapv -fno-strict-aliasing -ffp-contract=off. For speed, add -O3
 * -march=native -fno-math-errno -fno-trapping-math. */

struct quern_launch;

/* Runs one work-item of a group. Work-items are numbered linearly, dimension 0 fastest. `group` is the
 * argument of run_group. */
typedef void quern_item_function(void* group, unsigned long long item);

/* Functions of the host backend that a kernel may call. */
typedef struct quern_runtime {
  /* Runs the work-items 0 <= i < items of group number `number` on this thread. Each has its own stack with
   * `stack` bytes for the kernel's variables, and runs until it calls barrier() or returns. Returns 0 when
   * all are done. Any other result means that a failure is recorded, and the kernel must return at once. */
  int (*run_group)(const struct quern_launch* launch, unsigned long long number, quern_item_function* item,
                   void* group, unsigned long long items, unsigned long long stack);
  /* Called by work-items inside run_group. Returns when all work-items of the group have called it with the
   * same `where`. `where` is the position in the user's source, such as "kernel.cl:12", a null character, and
   * a second string that distinguishes barriers of one line. If work-items call different barriers, this
   * function does not return, and run_group returns a failure. */
  void (*barrier)(const struct quern_launch* launch, const char* where);
  /* Records that not all work-items of group number `number` reach the barrier at `where`. The kernel must
   * then return at once, and the launch's event fails. Kernels that are split at their barriers call it. */
  void (*disagree)(const struct quern_launch* launch, unsigned long long number, const char* where);
  /* Returns the address space of an object of a kernel on this thread: 0 private, 1 global, 2 local. */
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
      arguments; /* arguments[i] points to the value of parameter i, or to the pointer if parameter i is a
                    pointer. Memory behind a local pointer belongs to this call; its groups use it in turn. */
  const quern_runtime* runtime;
  void* local_memory; /* for the kernel's variables in local memory, of the size in the kernel's signature,
                         aligned to 128 bytes; belongs to this call */
  void* exchange;     /* 16 bytes for each work-item of a group, for kernels whose signature says that they
                         exchange values; belongs to this call */
} quern_launch;

/* Every kernel NAME becomes a function `quern_kernel_NAME` of this type. It runs the work-groups
 * first_group <= g < last_group, numbered linearly with dimension 0 fastest. It may be called by many threads
 * at once, each with its own range. */
typedef void quern_kernel_function(const quern_launch* launch, unsigned long long first_group,
                                   unsigned long long last_group);

#endif
