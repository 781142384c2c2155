// SPDX-License-Identifier: MIT
// Parts of the host: which processors and threads run their work, and how the processors are divided.
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <thread>

#include "backend/host/device.hpp"
#include "backend/host/support.hpp"
#include "backend/host/topology.hpp"
#include "backend/parts.hpp"
#include "base/processors.hpp"

namespace quern::backend {
namespace {

using host::Processor;

std::vector<std::shared_ptr<Device>> split_host(const std::shared_ptr<Device>& device,
                                                const Division& division) {
  return dynamic_cast<DividedDevice&>(*device).split(device, division);
}

// Two parts with one processor or more each, and a context of both.
class HostParts : public ::testing::Test {
 protected:
  void SetUp() override {
    if (host_device()->properties().compute_units < 2) GTEST_SKIP() << "needs two processors";
    parts = split_host(host_device(), Equally{2});
    context = parts[0]->make_context(parts);
  }
  [[nodiscard]] const std::vector<int>& processors(std::size_t part) const {
    return dynamic_cast<host::HostDevice&>(*parts[part]).pool().processors();
  }

  std::vector<std::shared_ptr<Device>> parts;
  std::shared_ptr<Context> context;
};

Program& parts_program() {
  static auto* const built =
      new Program("int sched_getcpu(void); long syscall(long, ...);\n" +
                  kernel_text("where", parameter("long *", "cpu", 0) + parameter("long *", "thread", 1),
                              "for (volatile int i = 0; i < 1000; ++i) {}"
                              "cpu[id[0]] = sched_getcpu(); thread[id[0]] = syscall(186);") +
                  // Says that it has begun, and waits until the other has. It gives up after many rounds.
                  kernel_text("meet",
                              parameter("int *", "mine", 0) + parameter("int *", "other", 1) +
                                  parameter("int *", "met", 2),
                              "__atomic_store_n(mine, 1, __ATOMIC_RELEASE);"
                              "for (long i = 0; i < 20000000000 && !*met; ++i)"
                              "  if (__atomic_load_n(other, __ATOMIC_ACQUIRE)) *met = 1;"));
  return *built;
}

std::unique_ptr<Memory> minus_ones(std::size_t count) {
  auto m = host_context().allocate(0, count * sizeof(long));
  std::fill_n(data<long>(*m), count, -1L);
  return m;
}

TEST_F(HostParts, parts_of_the_same_processors_have_one_team) {
  const auto again = split_host(host_device(), Equally{2});
  for (std::size_t part = 0; part < 2; ++part)
    EXPECT_EQ(&dynamic_cast<host::HostDevice&>(*again[part]).pool(),
              &dynamic_cast<host::HostDevice&>(*parts[part]).pool());
}

// The processors and threads of launches of all sizes, with a thread that waits for each.
TEST_F(HostParts, kernels_run_on_the_processors_of_their_part) {
  const auto where = parts_program().function("where");
  const long caller = syscall(SYS_gettid);
  for (std::size_t part = 0; part < 2; ++part) {
    const auto queue = context->make_queue(part, {});
    for (const std::size_t groups :
         {1, 1, 1, 1, 7, 64, 5000}) {  // short ones, too, which the caller could run
      const auto cpu = minus_ones(groups), thread = minus_ones(groups);
      const std::vector<Argument> arguments = {memory(*cpu), memory(*thread)};
      queue->launch(*where, range(groups, 1), arguments);
      finish(*queue);
      for (std::size_t i = 0; i < groups; ++i) {
        EXPECT_TRUE(std::ranges::count(processors(part), data<long>(*cpu)[i]) == 1) << data<long>(*cpu)[i];
        EXPECT_NE(data<long>(*thread)[i], caller);
      }
    }
  }
}

TEST_F(HostParts, work_of_one_part_that_waits_for_the_other_stays_on_its_processors) {
  const auto where = parts_program().function("where");
  const std::unique_ptr<Queue> queues[] = {context->make_queue(0, {}), context->make_queue(1, {})};
  for (int round = 0; round < 50; ++round) {
    std::vector<std::unique_ptr<Memory>> cpus, threads;
    for (std::size_t part = 0; part < 2; ++part) {
      cpus.push_back(minus_ones(16));
      threads.push_back(minus_ones(16));
      if (part == 1) {
        ASSERT_TRUE(queues[1]->wait(queues[0]->record()));
      }
      const std::vector<Argument> arguments = {memory(*cpus[part]), memory(*threads[part])};
      queues[part]->launch(*where, range(16, 1), arguments);
    }
    finish(*queues[1]);
    for (std::size_t part = 0; part < 2; ++part)
      for (std::size_t i = 0; i < 16; ++i)
        EXPECT_TRUE(std::ranges::count(processors(part), data<long>(*cpus[part])[i]) == 1);
  }
}

TEST_F(HostParts, both_parts_run_at_the_same_time) {
  const auto meet = parts_program().function("meet");
  const auto flags = minus_ones(2), met = minus_ones(2);
  std::fill_n(data<long>(*flags), 2, 0L);
  std::fill_n(data<long>(*met), 2, 0L);
  const std::unique_ptr<Queue> queues[] = {context->make_queue(0, {}), context->make_queue(1, {})};
  for (std::size_t part = 0; part < 2; ++part) {
    const std::vector<Argument> arguments = {memory(*flags, part * sizeof(long)),
                                             memory(*flags, (1 - part) * sizeof(long)),
                                             memory(*met, part * sizeof(long))};
    queues[part]->launch(*meet, range(1, 1), arguments);
  }
  finish(*queues[0]);
  finish(*queues[1]);
  EXPECT_EQ(data<long>(*met)[0], 1);
  EXPECT_EQ(data<long>(*met)[1], 1);
}

TEST_F(HostParts, functions_and_their_loops_run_on_the_team) {
  struct Observers final : ObserverSource {
    struct Observer final : LaunchObserver {
      void ended(std::exception_ptr) noexcept override {}
    };
    std::shared_ptr<LaunchObserver> observer() override { return std::make_shared<Observer>(); }
  } observers;
  for (std::size_t part = 0; part < 2; ++part) {
    const auto queue = context->make_queue(part, {});
    std::vector<int> cpus(1000, -1);
    queue->call_observed(
        [&](std::uintptr_t) {
          parallel_for(cpus.size(), 1, [&](std::uint64_t first, std::uint64_t last) {
            for (std::uint64_t i = first; i < last; ++i) cpus[i] = sched_getcpu();
          });
        },
        observers);
    finish(*queue);
    for (const int cpu : cpus) EXPECT_TRUE(std::ranges::count(processors(part), cpu) == 1) << cpu;
  }
}

TEST_F(HostParts, parts_own_different_processors) {
  std::set<int> seen;
  for (std::size_t part = 0; part < 2; ++part)
    for (const int processor : processors(part)) EXPECT_TRUE(seen.insert(processor).second) << processor;
  EXPECT_EQ(parts[0]->properties().compute_units, processors(0).size());
  EXPECT_EQ(parts[0]->properties().compute_units, parts[1]->properties().compute_units);
}

// Two nodes of two caches of two cores of two processors each.
std::vector<Processor> machine() {
  std::vector<Processor> result;
  for (int i = 0; i < 16; ++i) result.push_back({i, i / 8 * 8, i / 4 * 4, i / 2 * 2});
  return result;
}

std::vector<std::size_t> part_sizes(const std::vector<std::vector<int>>& parts) {
  std::vector<std::size_t> result;
  for (const auto& part : parts) result.push_back(part.size());
  return result;
}

TEST(HostTopology, processors_are_divided_by_what_they_share) {
  using Sizes = std::vector<std::size_t>;
  EXPECT_EQ(part_sizes(host::divide(machine(), AffinityDomain::numa)), Sizes({8, 8}));
  EXPECT_EQ(part_sizes(host::divide(machine(), AffinityDomain::l3)), Sizes({4, 4, 4, 4}));
  EXPECT_EQ(part_sizes(host::divide(machine(), AffinityDomain::core)), Sizes(8, 2));
  EXPECT_EQ(part_sizes(host::divide(machine(), Equally{3})), Sizes({5, 5, 5}));
  EXPECT_EQ(part_sizes(host::divide(machine(), Counts{{9, 1}})), Sizes({9, 1}));
  EXPECT_EQ(host::divide(machine(), Counts{{2, 3}})[1], std::vector<int>({2, 3, 4}));
}

TEST(HostTopology, fewer_processors_are_on_different_cores) {
  const std::vector<int> allowed = allowed_processors();
  const auto all = host::choose_processors(allowed, allowed.size());
  ASSERT_EQ(all.size(), allowed.size());
  std::set<int> cores;
  for (const Processor& processor : all) cores.insert(processor.core);
  const auto some = host::choose_processors(allowed, cores.size());
  std::set<int> used;
  for (const Processor& processor : some) EXPECT_TRUE(used.insert(processor.core).second);
}

}  // namespace
}  // namespace quern::backend
