// SPDX-License-Identifier: MIT
// The device that the CUDA tests run on: a real one, or the fake driver's where QUERN_FAKE_CUDA_DRIVER is
// defined.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backend/arguments.hpp"
#include "backend/cuda/device.hpp"
#include "backend/registry.hpp"

namespace quern::backend::cuda {

#ifdef QUERN_FAKE_CUDA_DRIVER
inline constexpr bool kFake = true;
inline constexpr std::string_view kDriver = QUERN_FAKE_CUDA_DRIVER;
#else
inline constexpr bool kFake = false;
inline constexpr std::string_view kDriver;
#endif

// Found once, kept for ever.
inline const Discovery& found() {
  static const auto* const discovery = [] {
    if (kFake) setenv("QUERN_CUDA_LIBRARY", std::string(kDriver).c_str(), 1);
    return new Discovery(discover_cuda());
  }();
  return *discovery;
}

// A kernel argument, written short.
inline Argument pass(const std::unique_ptr<Memory>& m, std::size_t offset = 0) {
  return memory(*m, offset);
}
template <class T>
Argument pass(const T& v) {
  return value(v);
}

inline LaunchShape shape(std::vector<std::size_t> global, std::vector<std::size_t> local,
                         std::vector<std::size_t> offset = {}) {
  LaunchShape out;
  out.dims = static_cast<unsigned>(global.size());
  for (std::size_t d = 0; d < global.size(); ++d) {
    out.global[d] = global[d];
    out.local[d] = local[d];
    if (!offset.empty()) out.offset[d] = offset[d];
  }
  return out;
}

// Skips where there is no device, and says why.
class Cuda : public testing::Test {
 protected:
  void SetUp() override {
    if (found().devices.empty()) {
      std::string why;
      for (const Attempt& attempt : found().attempts) why += "\n  " + attempt.what + ": " + attempt.outcome;
      GTEST_SKIP() << "there is no CUDA device:" << why;
    }
    device = found().devices.front();
    context = device->make_context(std::span(&found().devices.front(), 1));
    queue = context->make_queue(0, {});
  }

  std::unique_ptr<Memory> upload(const void* data, std::size_t nbytes) const {
    auto memory = context->allocate(0, nbytes);
    queue->write(*memory, 0, data, nbytes);
    return memory;
  }
  template <class T>
  std::unique_ptr<Memory> upload(const std::vector<T>& data) const {
    return upload(data.data(), data.size() * sizeof(T));
  }
  static void finish(Queue& q) {
    const auto marker = q.record();
    ASSERT_TRUE(marker->wait(Deadline::max()));
    if (marker->error()) std::rethrow_exception(marker->error());
  }
  template <class T>
  std::vector<T> download(const Memory& memory, Queue& q) const {
    std::vector<T> out(memory.size() / sizeof(T));
    q.read(memory, 0, out.data(), out.size() * sizeof(T));
    finish(q);
    return out;
  }
  template <class T>
  std::vector<T> download(const std::unique_ptr<Memory>& memory) const {
    return download<T>(*memory, *queue);
  }

  std::shared_ptr<Device> device;
  std::shared_ptr<Context> context;
  std::unique_ptr<Queue> queue;
};

// Bytes that differ from their neighbours, so that a shifted or repeated piece shows.
inline std::vector<unsigned char> noise(std::size_t size, unsigned seed = 1) {
  std::vector<unsigned char> out(size);
  std::uint64_t state = seed * 0x9E3779B97F4A7C15ULL + 1;
  for (std::size_t i = 0; i < size; i += 8) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    std::memcpy(out.data() + i, &state, std::min<std::size_t>(8, size - i));
  }
  return out;
}

// Where two arrays first differ, for messages; the size when they do not.
template <class T>
std::size_t first_difference(const std::vector<T>& a, const std::vector<T>& b) {
  std::size_t i = 0;
  while (i < a.size() && i < b.size() && a[i] == b[i]) ++i;
  return i;
}

}  // namespace quern::backend::cuda
