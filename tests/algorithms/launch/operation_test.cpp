// SPDX-License-Identifier: MIT
// The choice between functions of the library and kernels.
#include "algorithms/launch/operation.hpp"

#include "algorithms/launch/background_compiler.hpp"
#include "algorithms/launch/kernel_table.hpp"
#include "quern/compilation.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

using algorithms::FunctionUse;
using algorithms::Operation;

constexpr int kFunction = 1, kKernel = 2;

int by_function(const Queue& /*queue*/, int& calls) {
  ++calls;
  return kFunction;
}
int by_kernel(const Queue& /*queue*/, int& calls) {
  ++calls;
  return kKernel;
}
constexpr Operation kAllowed(&by_function, &by_kernel);
constexpr Operation kAlways(&by_function, &by_kernel, FunctionUse::always);

class Choice : public ::testing::Test {
 protected:
  ~Choice() override {
    set_host_loop_use(use_);
    set_loop_structure(structure_);
  }
  void SetUp() override {
    set_host_loop_use(HostLoopUse::until_compiled);
    set_loop_structure(LoopStructure::of_device);
  }

  HostLoopUse use_ = host_loop_use();
  LoopStructure structure_ = loop_structure();
  Queue queue_{device("host")};
};

TEST_F(Choice, calls_one_of_both_with_the_arguments) {
  int calls = 0;
  EXPECT_EQ(kAllowed(queue_, calls), kFunction);
  EXPECT_EQ(calls, 1);
  set_host_loop_use(HostLoopUse::never);
  EXPECT_EQ(kAllowed(queue_, calls), kKernel);
  EXPECT_EQ(calls, 2);
}

TEST_F(Choice, always_moves_elements_by_functions) {
  int calls = 0;
  set_host_loop_use(HostLoopUse::never);
  EXPECT_EQ(kAlways(queue_, calls), kFunction);
  set_loop_structure(LoopStructure::grid);
  EXPECT_EQ(kAlways(queue_, calls), kFunction);
}

TEST_F(Choice, runs_the_kernels_of_gpus_if_they_are_forced) {
  int calls = 0;
  set_loop_structure(LoopStructure::grid);
  EXPECT_EQ(kAllowed(queue_, calls), kKernel);
  EXPECT_FALSE(algorithms::avoids_compiling(queue_, 1));
  EXPECT_TRUE(algorithms::policy(queue_).keeps_transforms_lazy);
  EXPECT_EQ(algorithms::policy(queue_).least_lazy_product, 0);
}

TEST_F(Choice, reads_the_policy_of_functions_on_the_host) {
  EXPECT_TRUE(algorithms::policy(queue_).computes_small_work_at_once);
  EXPECT_FALSE(algorithms::policy(queue_).keeps_transforms_lazy);
  EXPECT_GT(algorithms::policy(queue_).least_lazy_product, 0);
  set_host_loop_use(HostLoopUse::never);
  EXPECT_FALSE(algorithms::policy(queue_).computes_small_work_at_once);
}

TEST_F(Choice, compiles_for_large_work_only) {
  EXPECT_TRUE(algorithms::avoids_compiling(queue_, algorithms::kSmallWork - 1));
  set_host_loop_use(HostLoopUse::only);
  EXPECT_TRUE(algorithms::avoids_compiling(queue_, algorithms::kSmallWork));
  set_host_loop_use(HostLoopUse::never);
  EXPECT_FALSE(algorithms::avoids_compiling(queue_, 1));
}

TEST_F(Choice, of_a_kernel_with_a_function_is_that_of_its_launch) {
  const algorithms::LibraryKernel kernel = algorithms::kernel_of({"run_lengths"}, "run_lengths", {});
  const auto chosen = [&](std::uint64_t elements) {
    return kernel.choose(
        queue_, elements, [] { return kFunction; }, [] { return kKernel; });
  };
  EXPECT_EQ(chosen(1), kFunction);
  set_host_loop_use(HostLoopUse::never);
  EXPECT_EQ(chosen(1), kKernel);
  set_host_loop_use(HostLoopUse::only);
  EXPECT_EQ(chosen(std::uint64_t{1} << 40), kFunction);
}

}  // namespace
}  // namespace quern::test
