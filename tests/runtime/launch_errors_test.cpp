// SPDX-License-Identifier: MIT
// Deferred errors where there is no memory for them: a failure is still a failure, and the process goes on.
#include "runtime/launch_errors.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <string>

#include "quern/quern.hpp"
#include "runtime/queue_state.hpp"

namespace {
thread_local bool is_out_of_memory = false;

void* allocate(std::size_t size) {
  void* const memory = is_out_of_memory ? nullptr : std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
}  // namespace

void* operator new(std::size_t size) {
  return allocate(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace quern::detail {
namespace {

class OutOfMemory {
 public:
  OutOfMemory() { is_out_of_memory = true; }
  ~OutOfMemory() { is_out_of_memory = false; }
  OutOfMemory(const OutOfMemory&) = delete;
  OutOfMemory& operator=(const OutOfMemory&) = delete;
};

std::string text_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const KernelError& e) {
    return e.what();
  }
}

TEST(LaunchErrorWithoutMemory, is_raised_by_reads_and_by_finish) {
  const Queue queue(device("host"));
  const auto error = std::make_exception_ptr(KernelError("kernel 'f': failed"));
  LaunchError first(queue.state(), 1, {}), second(queue.state(), 2, {});
  first.ended(error);
  {
    const OutOfMemory none;
    second.ended(error);
  }
  EXPECT_EQ(text_of(first.failure()->error()), "kernel 'f': failed\nIt was launched on a queue of 'host'");
  EXPECT_NE(text_of(second.failure()->error()).find("not enough memory"), std::string::npos);
  EXPECT_FALSE(second.is_cleared());
  EXPECT_THROW(queue.finish(), KernelError);
  EXPECT_THROW(queue.finish(), KernelError);  // for the other one
  EXPECT_NO_THROW(queue.finish());
  EXPECT_THROW(second.check(), KernelError);
}

TEST(LaunchErrorWithoutMemory, success_needs_none) {
  const Queue queue(device("host"));
  LaunchError error(queue.state(), 1, {});
  {
    const OutOfMemory none;
    error.ended(nullptr);
  }
  EXPECT_TRUE(error.is_cleared());
  EXPECT_NO_THROW(queue.finish());
}

}  // namespace
}  // namespace quern::detail
