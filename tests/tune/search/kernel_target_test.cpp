// SPDX-License-Identifier: MIT
// Kernels are tuned on every device.
#include <gtest/gtest.h>

#include <vector>

#include "quern/quern.hpp"
#include "quern/tune.hpp"
#include "runtime/device_fixture.hpp"

namespace quern {
namespace {

using test::EachDevice;
class KernelTargetTest : public EachDevice {};
QUERN_EACH_DEVICE(KernelTargetTest);

constexpr const char* kSource = R"(
#if EACH == 8
#error eight are too many
#endif
kernel void scale(global const float *x, global float *y, int n) {
  for (int k = 0; k < EACH; ++k) {
    int i = get_global_id(0) * EACH + k;
    if (i < n) y[i] = x[i] * (EACH == 4 ? 3 : 2);
  }
}
)";

TEST_P(KernelTargetTest, a_kernel_is_tuned_and_its_failures_are_recorded) {
  constexpr int kCount = 1000;
  const Queue queue(device_, {.profiling = true});
  const std::vector<float> values(kCount, 1.5f);
  const Buffer x(queue, kCount * sizeof(float)), y(queue, kCount * sizeof(float));
  queue.write(x, values.data(), kCount * sizeof(float)).wait();

  TuneKernel kernel;
  kernel.source = kSource;
  kernel.name = "scale";
  kernel.range = [](const TuneConfiguration& c) {
    return range(static_cast<std::size_t>((kCount + c.integer("EACH") - 1) / c.integer("EACH")));
  };
  kernel.arguments = {x, y, kCount};
  kernel.verify = [&](const TuneConfiguration&) -> std::string {
    std::vector<float> result(kCount);
    queue.read(y, result.data(), kCount * sizeof(float)).wait();
    for (int i = 0; i < kCount; ++i)
      if (result[static_cast<std::size_t>(i)] != 3.0f) return "element " + std::to_string(i) + " differs";
    return "";
  };
  KernelTarget target(queue, kernel);
  TuneOptions options;
  options.repeats = 2;
  const TuneResult result =
      tune(target,
           TuneSpace(std::vector<TuneParameter>{
               {"EACH", {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}, std::int64_t{8}}}}),
           options);
  ASSERT_EQ(result.candidates.size(), 4u);
  EXPECT_TRUE(result.candidates[0].is_valid()) << result.candidates[0].error;
  EXPECT_TRUE(result.candidates[1].is_valid()) << result.candidates[1].error;
  EXPECT_EQ(result.candidates[2].status, TuneStatus::wrong);
  EXPECT_EQ(result.candidates[2].error, "element 0 differs");
  EXPECT_EQ(result.candidates[3].status, TuneStatus::not_prepared);
  EXPECT_FALSE(result.candidates[3].error.empty());
  EXPECT_LE(result.winner().configuration.integer("EACH"), 2);
  EXPECT_GT(result.winner().seconds(), 0);
  EXPECT_NE(target.version(),
            KernelTarget(queue, TuneKernel{"other", "scale", {}, {}, {}, {}, {}}).version());

  const TunedResult kept = result.result({"scale", "", target.version()}, device_);
  EXPECT_EQ(kept.configuration, result.winner().configuration);
  EXPECT_EQ(kept.date.size(), 20u);
}

TEST_P(KernelTargetTest, a_configuration_that_leaves_elements_out_is_wrong_after_a_reset) {
  constexpr int kCount = 64;
  const Queue queue(device_, {.profiling = true});
  const Buffer y(queue, kCount * sizeof(int));
  TuneKernel kernel;
  kernel.source = "kernel void ones(global int *y) { y[get_global_id(0)] = 1; }";
  kernel.name = "ones";
  kernel.range = [](const TuneConfiguration& c) {
    return range(static_cast<std::size_t>(c.integer("COUNT")));
  };
  kernel.arguments = {y};
  kernel.verify = [&](const TuneConfiguration&) -> std::string {
    std::vector<int> result(kCount);
    queue.read(y, result.data(), kCount * sizeof(int)).wait();
    return result == std::vector<int>(kCount, 1) ? "" : "elements are left out";
  };
  kernel.reset = [&] { queue.fill(y, std::vector<std::byte>(sizeof(int))).wait(); };
  KernelTarget target(queue, kernel);
  TuneOptions options;
  options.repeats = 1;
  const TuneResult result =
      tune(target, TuneSpace(std::vector<TuneParameter>{{"COUNT", {std::int64_t{kCount}, std::int64_t{8}}}}),
           options);
  EXPECT_EQ(result.candidates[0].status, TuneStatus::measured) << result.candidates[0].error;
  EXPECT_EQ(result.candidates[1].status, TuneStatus::wrong);
}

TEST_P(KernelTargetTest, a_prepared_kernel_is_kept_until_it_is_released) {
  const Queue queue(device_, {.profiling = true});
  const Buffer y(queue, 16 * sizeof(int));
  TuneKernel kernel;
  kernel.source = "kernel void mark(global int *y) { y[get_global_id(0)] = MARK; }";
  kernel.name = "mark";
  kernel.range = [](const TuneConfiguration&) { return range(16); };
  kernel.arguments = {y};
  KernelTarget target(queue, kernel);
  const TuneConfiguration configuration = {{"MARK", std::int64_t{7}}};
  const auto lookups = [&](auto&& step) {
    const auto count = [] {
      const Stats now = stats();
      return now.cache_hits_memory + now.cache_hits_disk + now.compilations;
    };
    const std::uint64_t before = count();
    step();
    return count() - before;
  };
  target.prepare(configuration);
  EXPECT_EQ(lookups([&] { (void)target.run(configuration); }), 0u);
  target.release(configuration);
  EXPECT_GT(lookups([&] { (void)target.run(configuration); }), 0u);
}

}  // namespace
}  // namespace quern
