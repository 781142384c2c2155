// SPDX-License-Identifier: MIT
// Allocations of most of a CUDA device's memory: a test program that never runs beside another.
#include <gtest/gtest.h>

#include "backend/cuda/test_device.hpp"

namespace quern::backend::cuda {
namespace {

TEST_F(Cuda, memory_of_objects_that_are_gone_can_be_allocated_again) {
  const MemoryInfo before = context->memory_info(0);
  const std::size_t size = before.free / 10 * 6;
  for (int i = 0; i < 3; ++i) EXPECT_NO_THROW(context->allocate(0, size)) << "round " << i;
}

}  // namespace
}  // namespace quern::backend::cuda
