// SPDX-License-Identifier: MIT
// Calls of other libraries as operations of a queue. The host has none that enqueue work, and refuses them.
#include "runtime/library_call.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "quern/error.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

class LibraryCalls : public EachDevice {};

TEST_P(LibraryCalls, get_the_native_queue_and_memory_or_are_refused) {
  const Buffer buffer(device_, 8192);
  const Buffer part = buffer.sub_buffer(4096, 4096);
  const std::array<detail::LibraryUse, 2> uses = {{{&buffer}, {&part, true}}};
  int calls = 0;
  const auto function = [&](const detail::LibraryArguments& arguments) {
    ++calls;
    EXPECT_NE(arguments.queue, 0U);
    ASSERT_EQ(arguments.addresses.size(), 2U);
    ASSERT_EQ(arguments.memories.size(), 2U);
    EXPECT_NE(arguments.memories[0].handle, 0U);
    EXPECT_EQ(arguments.memories[0].handle, arguments.memories[1].handle);
    EXPECT_EQ(arguments.memories[1].offset - arguments.memories[0].offset, 4096U);
    EXPECT_EQ(arguments.addresses[1] - arguments.addresses[0], 4096U);
  };
  if (device_.properties().dialect != Dialect::host_c) {
    detail::call_library(queue_, "function", uses, function).wait();
    EXPECT_EQ(calls, 1);
  } else {
    EXPECT_THROW(detail::call_library(queue_, "function", uses, function), Error);
    EXPECT_EQ(calls, 0);
  }
  queue_.finish();
}

TEST_P(LibraryCalls, refuse_memory_that_was_released) {
  Buffer buffer(device_, 4096);
  buffer.release();
  const std::array<detail::LibraryUse, 1> uses = {{{&buffer}}};
  EXPECT_THROW(detail::call_library(queue_, "function", uses, [](const detail::LibraryArguments&) {}),
               ArgumentError);
}

TEST_P(LibraryCalls, that_compute_here_run_on_the_calling_thread_in_the_order_of_the_queue) {
  if (device_.properties().dialect != Dialect::host_c) GTEST_SKIP() << "the function computes on the host";
  constexpr std::size_t kBytes = std::size_t{1} << 22;
  const Buffer buffer(device_, kBytes);
  const std::array<detail::LibraryUse, 1> uses = {{{&buffer, true}}};
  const Queue other(device_);
  for (int round = 1; round <= 20; ++round) {
    const auto value = static_cast<std::uint8_t>(round);
    // Of this queue, or of another one, for which this one waits.
    (round % 2 == 0 ? queue_ : other).fill(buffer, std::as_bytes(std::span(&value, 1)));
    std::thread::id ran;
    bool is_filled = false;
    detail::compute_here(queue_, "function", uses, [&](const detail::LibraryArguments& arguments) {
      ran = std::this_thread::get_id();
      auto* const bytes = reinterpret_cast<std::uint8_t*>(arguments.addresses[0]);
      is_filled = std::all_of(bytes, bytes + kBytes, [&](std::uint8_t byte) { return byte == value; });
      bytes[kBytes - 1] = 0;
    });
    EXPECT_EQ(ran, std::this_thread::get_id());
    EXPECT_TRUE(is_filled);
    std::array<std::uint8_t, 4096> last{};
    queue_.read(buffer.sub_buffer(kBytes - last.size(), last.size()), last.data(), last.size()).wait();
    EXPECT_EQ(last.front(), value);
    EXPECT_EQ(last.back(), 0);
  }
}

TEST_P(LibraryCalls, that_compute_here_report_failures_and_the_queue_goes_on) {
  if (device_.properties().dialect != Dialect::host_c) GTEST_SKIP() << "the function computes on the host";
  const Buffer buffer(device_, 4096);
  const std::array<detail::LibraryUse, 1> uses = {{{&buffer}}};
  const auto fail = [](const detail::LibraryArguments&) { throw Error("no"); };
  EXPECT_THROW(detail::compute_here(queue_, "function", uses, fail), Error);
  int calls = 0;
  detail::compute_here(queue_, "function", uses, [&](const detail::LibraryArguments&) { ++calls; });
  EXPECT_EQ(calls, 1);
}

TEST_P(LibraryCalls, that_compute_here_share_a_queue_with_other_threads) {
  if (device_.properties().dialect != Dialect::host_c) GTEST_SKIP() << "the function computes on the host";
  const Buffer buffer(device_, sizeof(int));
  const int zero = 0;
  queue_.write(buffer, &zero, sizeof zero).wait();
  const std::array<detail::LibraryUse, 1> uses = {{{&buffer, true}}};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i)
        detail::compute_here(queue_, "function", uses, [](const detail::LibraryArguments& arguments) {
          ++*reinterpret_cast<int*>(arguments.addresses[0]);  // one after the other
        });
    });
  }
  for (std::thread& thread : threads) thread.join();
  int count = 0;
  queue_.read(buffer, &count, sizeof count).wait();
  EXPECT_EQ(count, 800);
}

QUERN_EACH_DEVICE(LibraryCalls);

}  // namespace
}  // namespace quern::test
