// SPDX-License-Identifier: MIT
// Calls of other libraries as operations of a queue. The host has none that enqueue work, and refuses them.
#include "runtime/library_call.hpp"

#include <array>

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

QUERN_EACH_DEVICE(LibraryCalls);

}  // namespace
}  // namespace quern::test
