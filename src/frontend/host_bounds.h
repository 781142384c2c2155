/* SPDX-License-Identifier: MIT
 * The contract between kernels that check their accesses to buffers and the host backend. Plain C.
 */
#ifndef QUERN_HOST_BOUNDS_H
#define QUERN_HOST_BOUNDS_H

#include "frontend/host_abi.h"

/* A module whose kernels check their accesses has the variable `quern_checks_bounds`. Its launches get a
 * quern_bounds as their quern_launch::runtime. */

/* The memory of an argument; empty for other arguments and for null pointers. */
typedef struct quern_range {
  unsigned long long begin, end; /* addresses */
} quern_range;

/* What runs on a thread. The kernel's entry writes it. A work-item that leaves a barrier finds its own id. */
typedef struct quern_here {
  const quern_launch* launch;
  const char* const* names;   /* of the parameters */
  unsigned long long item[3]; /* global id */
} quern_here;

typedef struct quern_bounds {
  quern_runtime runtime;
  const quern_range* ranges; /* one for each argument */
  unsigned long long count;
  quern_here* (*here)(void); /* of this thread */
  /* Records an access of `size` bytes beyond the memory of argument number `argument`, or of every argument
   * if that is negative. `unit` is the size of an element, `where` the position in the user's source. Returns
   * other memory of this size for the access. */
  void* (*fail)(const void* at, unsigned long long size, unsigned long long unit, int argument,
                const char* where);
} quern_bounds;

#endif
