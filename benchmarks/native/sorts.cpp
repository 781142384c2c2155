// SPDX-License-Identifier: MIT
// std::sort on two threads, whose halves are then merged, and a histogram with a table for each thread: what
// Quern's are measured against.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

namespace {

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Each half is sorted by one thread; then one thread merges from the front, the other from the back.
template <class T>
double sort_on_two_threads(const T* from, T* work, T* out, std::size_t n, int calls) {
  double taken = 0;
  for (int call = 0; call < calls; ++call) {
    std::memcpy(work, from, n * sizeof(T));
    const double start = seconds();
    const std::size_t half = n / 2;
    std::thread other([&] { std::sort(work + half, work + n); });
    std::sort(work, work + half);
    other.join();
    std::thread back([&] {
      std::size_t i = half, j = n;
      for (std::size_t k = n; k > half; --k) {
        const bool takes_left = j == half || (i > 0 && work[j - 1] < work[i - 1]);
        out[k - 1] = takes_left ? work[--i] : work[--j];
      }
    });
    std::size_t i = 0, j = half;
    for (std::size_t k = 0; k < half; ++k) out[k] = j == n || !(work[j] < work[i]) ? work[i++] : work[j++];
    back.join();
    taken += seconds() - start;
  }
  return taken;
}

}  // namespace

extern "C" {

double sort_uint32(const std::uint32_t* from, std::uint32_t* work, std::uint32_t* out, std::size_t n,
                   int calls) {
  return sort_on_two_threads(from, work, out, n, calls);
}

double sort_float32(const float* from, float* work, float* out, std::size_t n, int calls) {
  return sort_on_two_threads(from, work, out, n, calls);
}

// Reads everything on two threads: the limit of a histogram.
double read_float32(const float* from, std::size_t n, float* out, int calls) {
  const double start = seconds();
  for (int call = 0; call < calls; ++call) {
    float sums[2];
    const auto sum = [&](std::size_t first, std::size_t last, float* to) {
      float lanes[32] = {};
      for (std::size_t i = first; i + 32 <= last; i += 32)
        for (int lane = 0; lane < 32; ++lane) lanes[lane] += from[i + lane];
      *to = 0;
      for (const float lane : lanes) *to += lane;
    };
    std::thread other([&] { sum(n / 2, n, &sums[1]); });
    sum(0, n / 2, &sums[0]);
    other.join();
    *out = sums[0] + sums[1];
  }
  return seconds() - start;
}
}
