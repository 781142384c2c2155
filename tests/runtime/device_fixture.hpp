// SPDX-License-Identifier: MIT
// Runs one test body on every device there is.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <exception>
#include <numeric>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "quern/quern.hpp"

namespace quern::test {

// Every device, or with QUERN_TEST_DEVICES="host,opencl" those of these backends; the others are not even
// looked for.
inline std::vector<std::string> device_specs() {
  const char* const wanted = std::getenv("QUERN_TEST_DEVICES");
  std::stringstream backends(wanted != nullptr ? wanted : "host,opencl,cuda");
  std::vector<std::string> specs;
  for (std::string backend; std::getline(backends, backend, ',');) {
    for (const Device& found : devices(backend)) specs.push_back(found.spec());
  }
  return specs;
}

inline std::vector<Device> tested_devices() {
  std::vector<Device> result;
  for (const std::string& spec : device_specs()) result.push_back(device(spec));
  return result;
}

inline std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

class EachDevice : public ::testing::TestWithParam<std::string> {
 protected:
  Device device_ = device(GetParam());
  Queue queue_{device_};
};

// Calls body(t) in `count` threads at once. An exception is a failure with its text: it would end the
// process.
template <class Body>
void in_threads(int count, const Body& body) {
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t) {
    threads.emplace_back([&body, t] {
      try {
        body(t);
      } catch (const std::exception& error) {
        ADD_FAILURE() << "thread " << t << ": " << error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// One program for many tests: PoCL takes long for each new kernel.
inline const Program& kernels() {
  static const auto* const program = new Program(R"(
kernel void lin_comb(float a, global const float *x, float b, global const float *y, global float *z) {
  int i = get_global_id(0);
  z[i] = a * x[i] + b * y[i];
}
kernel void add_one(global int *x) { x[get_global_id(0)] += 1; }
kernel void copy_ints(global const int *from, global int *to) {
  size_t i = get_global_id(0);
  to[i] = from[i];
}
kernel void set_index(global int *out, int width, int height) {
  size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  out[(z * height + y) * width + x] = (int)(x + 100 * y + 10000 * z);
}
// Long enough that another queue would read the old values if it did not wait.
kernel void slow_set(global int *out, int value, int rounds) {
  int i = get_global_id(0);
  uint h = i;
  for (int r = 0; r < rounds; r++) h = h * 1664525u + 1013904223u;
  out[i] = h == 12345u ? value + 1 : value;
}
kernel void scalars(char c, uchar uc, short s, ushort us, int i, uint ui, long l, ulong ul, float f,
                    global long *out, global float *out_float) {
  out[0] = c; out[1] = uc; out[2] = s; out[3] = us; out[4] = i; out[5] = ui; out[6] = l; out[7] = (long)ul;
  out_float[0] = f;
}
kernel void is_null(global const float *x, global int *out) { out[get_global_id(0)] = x == 0; }
)");
  return *program;
}

inline std::vector<int> iota(std::size_t n, int first = 0) {
  std::vector<int> values(n);
  std::iota(values.begin(), values.end(), first);
  return values;
}

}  // namespace quern::test

#define QUERN_EACH_DEVICE(suite)                                                        \
  INSTANTIATE_TEST_SUITE_P(On, suite, ::testing::ValuesIn(quern::test::device_specs()), \
                           quern::test::test_name)
