// SPDX-License-Identifier: MIT
// The loops that the host device is measured against, compiled as an engineer would by hand. Each times
// itself.
#include <chrono>
#include <cstddef>

namespace {

template <class Loop>
double seconds_of(int calls, Loop loop) {
  const auto start = std::chrono::steady_clock::now();
  for (int call = 0; call < calls; call++) loop();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

extern "C" double lin_comb(float a, const float* x, float b, const float* y, float* z, size_t n, int calls) {
  return seconds_of(calls, [=] {
#pragma omp parallel for simd
    for (size_t i = 0; i < n; i++) z[i] = a * x[i] + b * y[i];
  });
}

extern "C" double dot(const float* x, const float* y, float* result, size_t n, int calls) {
  return seconds_of(calls, [=] {
    float sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
    *result = sum;
  });
}

// A matrix of `rows` times `columns`, summed along axis 1: one number for each row.
extern "C" double sum_axis_1(const float* x, float* result, size_t rows, size_t columns, int calls) {
  return seconds_of(calls, [=] {
#pragma omp parallel for
    for (size_t r = 0; r < rows; r++) {
      float sum = 0;
#pragma omp simd reduction(+ : sum)
      for (size_t c = 0; c < columns; c++) sum += x[r * columns + c];
      result[r] = sum;
    }
  });
}

// Along axis 0: one number for each column, in blocks that stay in the first-level cache.
extern "C" double sum_axis_0(const float* x, float* result, size_t rows, size_t columns, int calls) {
  constexpr size_t kBlock = 1024;
  return seconds_of(calls, [=] {
#pragma omp parallel for
    for (size_t first = 0; first < columns; first += kBlock) {
      const size_t count = columns - first < kBlock ? columns - first : kBlock;
      float sum[kBlock] = {};
      for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < count; c++) sum[c] += x[r * columns + first + c];
      }
      for (size_t c = 0; c < count; c++) result[first + c] = sum[c];
    }
  });
}
