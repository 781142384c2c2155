// SPDX-License-Identifier: MIT
// When a kernel is compiled in the background: for each context that launches it often enough.
#include "algorithms/launch/background_compiler.hpp"

#include "algorithms/launch/kernel_table.hpp"
#include "quern/arithmetic.hpp"
#include "quern/compilation.hpp"
#include "runtime/context_state.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

constexpr std::uint64_t kMany = std::uint64_t{1} << 20;

Queue queue_of_new_context() {
  const Device host = device("host");
  return {Context(std::span(&host, 1)), host};
}

TEST(Demand, is_true_once_for_each_context) {
  algorithms::Demand demand;
  const Queue first = queue_of_new_context(), second = queue_of_new_context();
  const Queue beside(first.context(), first.device());
  EXPECT_FALSE(demand.add(first, 1));
  EXPECT_TRUE(demand.add(first, kMany));
  EXPECT_FALSE(demand.add(first, kMany));
  EXPECT_FALSE(demand.add(beside, kMany));
  EXPECT_FALSE(demand.add(second, 1));
  EXPECT_TRUE(demand.add(second, kMany));
  EXPECT_FALSE(demand.add(second, kMany));
  demand.retry(first);
  EXPECT_FALSE(demand.add(second, 1));
  EXPECT_TRUE(demand.add(first, 1));
}

TEST(Demand, of_a_context_that_is_gone_is_forgotten) {
  algorithms::Demand demand;
  for (int round = 0; round < 4; ++round) {
    const Queue queue = queue_of_new_context();  // may have the address of the one before
    EXPECT_FALSE(demand.add(queue, 1)) << round;
    EXPECT_TRUE(demand.add(queue, kMany)) << round;
  }
}

TEST(BackgroundCompiler, compiles_a_kernel_for_each_context_that_launches_it_often) {
  if (!detail::ContextState::of(device("host"))->native().can_compile()) GTEST_SKIP() << "no C compiler";
  const HostLoopUse before = host_loop_use();
  set_host_loop_use(HostLoopUse::until_compiled);
  const algorithms::LibraryKernel kernel = algorithms::kernel_of({"run_lengths"}, "run_lengths", {});
  for (int context = 0; context < 2; ++context) {
    const Queue queue = queue_of_new_context();
    const Array starts = asarray(queue, std::vector<std::int64_t>{0, 3, 4});
    const Array count = asarray(queue, std::vector<std::uint64_t>{3});
    const Array lengths = asarray(queue, std::vector<std::int64_t>{-1, -1, -1});
    EXPECT_FALSE(kernel.compiled().ready(queue));
    kernel(queue, kMany, range(1).with_local(1), starts, count, lengths, std::int64_t{10}, std::uint64_t{3});
    finish_compilation();
    EXPECT_TRUE(kernel.compiled().ready(queue)) << "context " << context;
    EXPECT_EQ(lengths.to_vector<std::int64_t>(queue), (std::vector<std::int64_t>{3, 1, 6}));
  }
  set_host_loop_use(before);
}

}  // namespace
}  // namespace quern::test
