// SPDX-License-Identifier: MIT
// The host device: its properties and its memory.
#include "backend/host/support.hpp"
#include "base/thread_pool.hpp"
#include "quern/error.hpp"

namespace quern::backend {
namespace {

TEST(HostDevice, describes_itself) {
  const DeviceProperties& p = host_device()->properties();
  EXPECT_EQ("host", p.backend);
  EXPECT_FALSE(p.name.empty());
  EXPECT_EQ(Dialect::host_c, p.dialect);
  EXPECT_EQ(ThreadPool::instance().threads(), p.compute_units);
  EXPECT_TRUE(p.shares_host_memory);
  EXPECT_TRUE(p.non_uniform_groups);
  EXPECT_GT(p.global_memory, std::size_t{1} << 20);
  EXPECT_GE(p.sub_group_size, 4U);
  EXPECT_FALSE(p.architecture.empty());
  bool has_compiler = false;
  for (const auto& [key, text] : host_device()->info()) has_compiler |= key == "compiler" && !text.empty();
  EXPECT_TRUE(has_compiler);
}

TEST(HostDevice, is_there_without_a_compiler_and_says_so) {
  const Environment cc("QUERN_CC", "no-such-compiler");
  const Discovery found = discover_host();
  EXPECT_EQ(1U, found.devices.size());
  bool said = false;
  for (const Attempt& attempt : found.attempts)
    said |= !attempt.ok && attempt.outcome.find("no-such-compiler") != std::string::npos;
  EXPECT_TRUE(said);
}

TEST(HostMemory, is_aligned) {
  for (const std::size_t n : {0UL, 1UL, 64UL, 1000UL, std::size_t{2} << 20, (std::size_t{5} << 20) + 1}) {
    auto m = host_context().allocate(0, n);
    EXPECT_EQ(n, m->size());
    ASSERT_NE(nullptr, m->host_pointer());
    EXPECT_EQ(0U, m->native_handle() % (n >= (std::size_t{2} << 20) ? std::size_t{2} << 20 : 64));
    if (n != 0) data<char>(*m)[0] = data<char>(*m)[n - 1] = 1;
  }
}

TEST(HostMemory, more_than_there_is_is_refused) {
  const MemoryInfo memory = host_context().memory_info(0);
  EXPECT_LE(memory.free, memory.total);
  for (const std::size_t n : {memory.total + 1, memory.total * 4, SIZE_MAX / 2, SIZE_MAX - 100, SIZE_MAX}) {
    try {
      host_context().allocate(0, n);
      FAIL() << n;
    } catch (const OutOfDeviceMemory& error) {
      EXPECT_EQ(n, error.figures().requested);
    }
  }
  EXPECT_THROW(host_context().allocate_pinned(memory.total * 2), OutOfDeviceMemory);
}

TEST(HostMemory, memory_that_was_promised_counts_before_it_is_touched) {
  const MemoryInfo memory = host_context().memory_info(0);
  std::vector<std::unique_ptr<Memory>> held;
  bool refused = false;
  for (int i = 0; i < 8 && !refused; ++i) {
    try {
      held.push_back(host_context().allocate(0, memory.total / 4));
    } catch (const OutOfDeviceMemory& error) {
      refused = true;
      EXPECT_GE(error.figures().limit, error.figures().in_use);
    }
  }
  EXPECT_TRUE(refused);
  held.clear();
  EXPECT_NO_THROW(host_context().allocate(0, memory.total / 64));
}

TEST(HostMemory, borrowed_memory_stays_its_owners) {
  std::vector<int> mine(100, 5);
  auto m = host_context().wrap_memory(reinterpret_cast<std::uintptr_t>(mine.data()), 400);
  EXPECT_EQ(mine.data(), m->host_pointer());
  auto queue = host_queue();
  const int pattern = 7;
  queue->fill(*m, 0, 400, std::as_bytes(std::span(&pattern, 1)));
  finish(*queue);
  m.reset();
  EXPECT_EQ(std::vector<int>(100, 7), mine);
}

TEST(HostContext, has_no_native_queues) {
  EXPECT_THROW(host_context().wrap_queue(0, 1), ArgumentError);
}

}  // namespace
}  // namespace quern::backend
