// SPDX-License-Identifier: MIT
// What the OpenCL tests share: the device they run on, one program of small kernels, and typed helpers.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "backend/arguments.hpp"
#include "backend/backend.hpp"
#include "backend/registry.hpp"
#include "quern/error.hpp"

namespace quern::backend::opencl_test {

// One text for all tests: PoCL takes a third of a second for each kernel that is new to it.
inline constexpr const char* kSource = R"(
kernel void add(global const int* a, global int* b, int c) { size_t i = get_global_id(0); b[i] = a[i] + c; }
kernel void times(global int* a, int factor) { a[get_global_id(0)] *= factor; }
kernel void reverse(global int* a, local int* scratch) {
  size_t i = get_local_id(0), n = get_local_size(0);
  scratch[i] = a[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  a[get_global_id(0)] = scratch[n - 1 - i];
}
kernel void tell(global const int* maybe, global int* out) { out[get_global_id(0)] = maybe ? 1 : -1; }
kernel void spin(global float* a, int rounds) {
  float x = a[0];
  for (int i = 0; i < rounds; ++i) x = x * 0.999f + 0.5f;
  a[get_global_id(0)] = x;
}
typedef struct { int i; float f[7]; } Wide;
kernel void shapes(Wide wide, double4 lanes, constant float* table, global uchar* out) {
  size_t i = get_global_id(0) + get_global_size(0) * get_global_id(1);
  out[i] = (uchar)(wide.i + wide.f[6] + lanes.w + table[0] + get_global_offset(1));
}
)";

struct Setup {
  Discovery found;
  std::shared_ptr<Device> device;
  std::shared_ptr<Context> context;
  Compiled compiled;
};

// The first device of the platform whose name holds QUERN_TEST_OPENCL_PLATFORM (of any, when that is not
// set).
inline std::shared_ptr<Device> choose_device(const Discovery& found) {
  const char* wanted = std::getenv("QUERN_TEST_OPENCL_PLATFORM");
  for (const auto& device : found.devices) {
    if (wanted == nullptr || device->properties().platform.find(wanted) != std::string::npos) return device;
  }
  return nullptr;
}

// The device and the program on it, made on first use; null where there is no device. Never destroyed.
inline Setup* setup() {
  static Setup* const instance = []() -> Setup* {
    auto* made = new Setup{discover_opencl(), nullptr, nullptr, {}};
    made->device = choose_device(made->found);
    if (made->device == nullptr) return nullptr;
    made->context = made->device->make_context({&made->device, 1});
    CompileRequest request;
    request.text = kSource;
    request.name = "tests.cl";
    made->compiled = made->context->compile(0, request);
    return made;
  }();
  return instance;
}

class OpenCL : public ::testing::Test {
 protected:
  void SetUp() override {
    if (setup() == nullptr) GTEST_SKIP() << "there is no OpenCL device here";
    context = setup()->context;
    module = setup()->compiled.module.get();
    queue = context->make_queue(0, {});
  }

  std::unique_ptr<Function> function(const std::string& name) { return module->function(name, nullptr); }

  template <class T>
  std::unique_ptr<Memory> upload(const std::vector<T>& values) {
    auto memory = context->allocate(0, values.size() * sizeof(T));
    queue->write(*memory, 0, values.data(), values.size() * sizeof(T));
    finish();
    return memory;
  }

  template <class T>
  std::vector<T> download(const Memory& memory) {
    std::vector<T> values(memory.size() / sizeof(T));
    queue->read(memory, 0, values.data(), memory.size());
    finish();
    return values;
  }

  void finish() { finish(*queue); }
  static void finish(Queue& which) {
    auto marker = which.record();
    EXPECT_TRUE(marker->wait(Deadline::max()));
    EXPECT_EQ(marker->error(), nullptr);
  }

  std::shared_ptr<Context> context;
  Module* module = nullptr;
  std::unique_ptr<Queue> queue;
};

inline std::vector<int> counting(std::size_t n, int first = 0) {
  std::vector<int> values(n);
  std::iota(values.begin(), values.end(), first);
  return values;
}

inline std::span<const std::byte> bytes_of(const std::vector<unsigned char>& values) {
  return std::as_bytes(std::span(values));
}

}  // namespace quern::backend::opencl_test
