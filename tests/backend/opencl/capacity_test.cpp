// SPDX-License-Identifier: MIT
// OpenCL devices whose memory is full: a test program that never runs beside another.
#include "backend/opencl/support.hpp"

namespace quern::backend::opencl_test {
namespace {

using Bytes = std::vector<unsigned char>;

TEST_F(OpenCL, a_gpu_that_is_full_says_so_at_the_allocation_and_works_on) {
  const DeviceProperties& p = setup()->device->properties();
  if (p.kind == DeviceKind::cpu) GTEST_SKIP() << "this would fill the host's memory";
  std::vector<std::unique_ptr<Memory>> all;
  const auto fill_up = [&] {
    for (std::size_t taken = 0; taken < 2 * p.global_memory; taken += p.max_allocation) {
      all.push_back(context->allocate(0, p.max_allocation));
    }
  };
  EXPECT_THROW(fill_up(), OutOfDeviceMemory);
  ASSERT_FALSE(all.empty());
  // Freed while work is in flight, and had again at once.
  queue->fill(*all.back(), 0, all.back()->size(), bytes_of({1, 2, 3, 4}));
  all.pop_back();
  all.push_back(context->allocate(0, p.max_allocation));
  queue->fill(*all.back(), 0, 64, bytes_of({9}));
  Bytes got(64);
  queue->read(*all.back(), 0, got.data(), 64);
  finish();
  EXPECT_EQ(got, Bytes(64, 9));
}

}  // namespace
}  // namespace quern::backend::opencl_test
