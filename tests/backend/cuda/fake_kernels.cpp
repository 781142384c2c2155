// SPDX-License-Identifier: MIT
// The kernels that queue_test.cpp launches on the fake driver.
#include "backend/cuda/fake_kernels.hpp"

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

namespace fake {
namespace {

struct NdRange {
  unsigned long long global_size[3], global_offset[3];
  unsigned work_dim;
};

template <class T>
T value(void* parameter) {
  T out;
  std::memcpy(&out, parameter, sizeof out);
  return out;
}

}  // namespace

int& running_priority() {
  thread_local int priority = 0;
  return priority;
}

const std::vector<Kernel>& kernels() {
  static const auto* const list = new std::vector<Kernel>{
      {"quern_kernel_mark",  // (int* out, int value, ndrange)
       {8, 4, 56},
       [](const Thread& t, void** p) {
         const auto r = value<NdRange>(p[2]);
         for (int d = 0; d < 3; ++d) {
           if (t.id(d) >= r.global_size[d]) return;
         }
         unsigned long long index = 0;
         for (int d = 2; d >= 0; --d) {
           index = index * (r.global_size[d] + r.global_offset[d]) + t.id(d) + r.global_offset[d];
         }
         value<int*>(p[0])[index] += value<int>(p[1]);
       }},
      {"quern_kernel_dims",  // (int* out, ndrange)
       {8, 56},
       [](const Thread&, void** p) { *value<int*>(p[0]) = static_cast<int>(value<NdRange>(p[1]).work_dim); }},
      {"add",  // (int* x, int value)
       {8, 4},
       [](const Thread& t, void** p) { value<int*>(p[0])[t.id(0)] += value<int>(p[1]); }},
      {"append",  // (int* log, int value): log[0] counts
       {8, 4},
       [](const Thread&, void** p) {
         int* log = value<int*>(p[0]);
         log[++log[0]] = value<int>(p[1]);
       }},
      {"append_priority",  // (int* log): as append, with the priority that it runs at
       {8},
       [](const Thread&, void** p) {
         int* log = value<int*>(p[0]);
         log[++log[0]] = running_priority();
       }},
      {"spin",  // (int* out, long long cycles, int value)
       {8, 8, 4},
       [](const Thread&, void** p) {
         std::this_thread::sleep_for(std::chrono::nanoseconds(value<long long>(p[1])));
         if (int* out = value<int*>(p[0])) *out = value<int>(p[2]);
       }},
      {"fault", {8}, [](const Thread&, void**) { break_driver(700); }},
      {"empty", {}, [](const Thread&, void**) {}},
      {"sum40", std::vector<std::size_t>(41, 8), [](const Thread&, void** p) {
         long long sum = 0;
         for (int i = 1; i <= 40; ++i) sum += value<long long>(p[i]);
         *value<long long*>(p[0]) = sum;
       }}};
  return *list;
}

}  // namespace fake

extern "C" {

// How many functions were loaded ahead of their first launch.
std::atomic<int> fake_function_loads{0};
int cuFuncLoad(void*) {
  ++fake_function_loads;
  return 0;
}

}  // extern "C"
