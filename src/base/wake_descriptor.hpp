// SPDX-License-Identifier: MIT
// A file descriptor that other threads make readable: it wakes a thread that waits in select, poll or epoll.
#pragma once

#include "base/file_descriptor.hpp"

namespace quern {

class WakeDescriptor {
 public:
  WakeDescriptor();  // throws Error if the process has too many open files

  [[nodiscard]] int get() const noexcept { return reader_.get(); }
  // Makes it readable, by one system call that does not wait.
  void wake() noexcept;
  // Makes it unreadable until the next wake().
  void clear() noexcept;

 private:
  FileDescriptor reader_, writer_;  // an eventfd is one descriptor, in reader_
};

}  // namespace quern
