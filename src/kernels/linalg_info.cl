// SPDX-License-Identifier: MIT
// Finds the first factorisation of a stack that failed.
kernel void first_failure(const global int *info, ulong count, global long *failed) {
  for (ulong i = 0; i < count; ++i) {
    if (info[i] != 0) {
      failed[0] = (long)i + 1;
      return;
    }
  }
}
