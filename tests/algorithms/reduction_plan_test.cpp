// SPDX-License-Identifier: MIT
// How reductions are shared out on devices that are not here.
#include "algorithms/reduction_plan.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace quern::algorithms {
namespace {

codegen::ReductionSource source_of(std::size_t item_size) {
  return {"sum",     "",   "float",
          item_size, true, "0",
          "a + b",   {},   codegen::Snippet("1", codegen::Snippet::Form::indexed, "map_expr")};
}

DeviceProperties small_gpu() {
  DeviceProperties device;
  device.kind = DeviceKind::gpu;
  device.compute_units = 4;
  device.max_work_group_size = 64;
  device.local_memory = 16 << 10;
  device.non_uniform_groups = false;
  return device;
}

// `outputs` results of `total` elements each.
ReductionPass planned(const DeviceProperties& device, std::int64_t outputs, std::int64_t total,
                      std::size_t item_size = 4) {
  ReductionPass pass;
  pass.outputs = outputs;
  pass.reduced.lengths = {total};
  pass.kept.lengths = {outputs};
  plan_pass(source_of(item_size), pass, device);
  return pass;
}

std::size_t group_of(const Range& range) {
  return std::accumulate(range.local.begin(), range.local.end(), std::size_t{1}, std::multiplies<>());
}

TEST(ReductionPlan, groups_are_no_larger_than_the_device_allows) {
  const DeviceProperties device = small_gpu();
  for (const std::int64_t outputs : {1, 7, 1000}) {
    for (const std::int64_t total : {1, 33, 100'000}) {
      const ReductionPass pass = planned(device, outputs, total);
      EXPECT_LE(group_of(launch_range(pass, 4, device)), device.max_work_group_size);
      EXPECT_LE(pass.variant.lanes, pass.variant.group);
      EXPECT_GE(pass.segments * pass.chunk, total);
    }
  }
}

TEST(ReductionPlan, items_of_a_group_fit_local_memory) {
  DeviceProperties device = small_gpu();
  device.max_work_group_size = 1024;
  const std::size_t large = 512;
  const ReductionPass pass = planned(device, 1, 100'000, large);
  EXPECT_LE(pass.variant.group * large, device.local_memory);
  EXPECT_GT(pass.variant.group, 1);
}

TEST(ReductionPlan, kernels_say_how_large_their_groups_are) {
  const DeviceProperties device = small_gpu();
  const ReductionPass pass = planned(device, 1, 100'000);
  const std::string text = codegen::emit_reduction(source_of(4), pass.variant);
  EXPECT_NE(text.find("reqd_work_group_size(64, 1, 1)"), std::string::npos) << text;
}

}  // namespace
}  // namespace quern::algorithms
