// SPDX-License-Identifier: MIT
// The instruction sets of the processor that runs the program, for code that the library holds in several
// forms.
#pragma once

namespace quern {

inline bool has_avx2() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
#else
  return false;
#endif
}

}  // namespace quern
