/* SPDX-License-Identifier: MIT
 * The contract between kernels lowered to C and the host backend that runs them. Plain C, included by both.
 */
#ifndef QUERN_HOST_ABI_H
#define QUERN_HOST_ABI_H

/* Lowered text is bare C without any include. Its first line may be a comment that names the libraries to
 * link with, in their order, such as quern-link: m mvec It is there if and only if something must be linked.
 * `mvec` may be left out where the machine has no such library. The text wants -fwrapv -fno-strict-aliasing
 * -ffp-contract=off, and -O3 -march=native -fno-math-errno -fno-trapping-math to be fast. */

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
} quern_launch;

/* Every kernel NAME becomes a function `quern_kernel_NAME` of this type. It runs the work-groups
 * first_group <= g < last_group, numbered linearly with dimension 0 fastest. It may be called by many threads
 * at once, each with its own range. */
typedef void quern_kernel_function(const quern_launch* launch, unsigned long long first_group,
                                   unsigned long long last_group);

#endif
