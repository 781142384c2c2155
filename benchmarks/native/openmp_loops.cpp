// SPDX-License-Identifier: MIT
// The loops that the host device is measured against, compiled as an engineer would by hand. Each times
// itself.
#include <chrono>
#include <cstddef>

namespace {

template <class Loop, class... Arguments>
double seconds_of(int calls, Loop loop, Arguments... arguments) {
  const auto start = std::chrono::steady_clock::now();
  for (int call = 0; call < calls; call++) loop(arguments...);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void lin_comb_once(float a, const float* x, float b, const float* y, float* z, size_t n) {
#pragma omp parallel for simd
  for (size_t i = 0; i < n; i++) z[i] = a * x[i] + b * y[i];
}

void dot_once(const float* x, const float* y, float* result, size_t n) {
  float sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
  for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
  *result = sum;
}

// A matrix of `rows` times `columns`, one number for each row.
void sum_axis_1_once(const float* x, float* result, size_t rows, size_t columns) {
#pragma omp parallel for
  for (size_t r = 0; r < rows; r++) {
    const float* const row = x + r * columns;
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t c = 0; c < columns; c++) sum += row[c];
    result[r] = sum;
  }
}

// One number for each column, in blocks that stay in the first-level cache.
void sum_axis_0_once(const float* x, float* result, size_t rows, size_t columns) {
  constexpr size_t kBlock = 1024;
#pragma omp parallel for
  for (size_t first = 0; first < columns; first += kBlock) {
    const size_t count = columns - first < kBlock ? columns - first : kBlock;
    float sum[kBlock] = {};
    for (size_t r = 0; r < rows; r++) {
      const float* const row = x + r * columns + first;
#pragma omp simd
      for (size_t c = 0; c < count; c++) sum[c] += row[c];
    }
    for (size_t c = 0; c < count; c++) result[first + c] = sum[c];
  }
}

}  // namespace

extern "C" double lin_comb(float a, const float* x, float b, const float* y, float* z, size_t n, int calls) {
  return seconds_of(calls, lin_comb_once, a, x, b, y, z, n);
}

extern "C" double dot(const float* x, const float* y, float* result, size_t n, int calls) {
  return seconds_of(calls, dot_once, x, y, result, n);
}

extern "C" double sum_axis_1(const float* x, float* result, size_t rows, size_t columns, int calls) {
  return seconds_of(calls, sum_axis_1_once, x, result, rows, columns);
}

extern "C" double sum_axis_0(const float* x, float* result, size_t rows, size_t columns, int calls) {
  return seconds_of(calls, sum_axis_0_once, x, result, rows, columns);
}
