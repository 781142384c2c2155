// SPDX-License-Identifier: MIT
// The write limit of the host: a loop that does nothing but store, on all cores.
#include <chrono>
#include <cstddef>

extern "C" double fill(float* z, float a, std::size_t size, int calls) {
  const auto start = std::chrono::steady_clock::now();
  const auto count = static_cast<std::ptrdiff_t>(size);
  for (int call = 0; call < calls; ++call) {
#pragma omp parallel for simd schedule(static)
    for (std::ptrdiff_t i = 0; i < count; ++i) z[i] = a + static_cast<float>(static_cast<int>(i));
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}
