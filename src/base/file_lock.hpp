// SPDX-License-Identifier: MIT
// A lock between processes that the operating system releases when its holder ends in any way.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/file_descriptor.hpp"

namespace quern {

// Locks one byte of a file, given by its offset. The byte need not exist: nothing is written, and the file
// stays empty. Different offsets of one file are different locks. Two holders in one process exclude each
// other like holders in two processes.
class FileLock {
 public:
  enum class State : std::uint8_t {
    absent,  // the file cannot be locked (it is not open for writing, or the file system has no locks)
    held,
    busy,  // another holder kept it until the limit
  };

  FileLock() = default;
  // Waits until the lock is free or the limit has passed, and calls check_interruption() meanwhile.
  FileLock(FileDescriptor file, std::uint64_t place, std::chrono::milliseconds limit);
  FileLock(FileLock&& other) noexcept : file_(std::move(other.file_)), state_(other.state_) {}
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

  [[nodiscard]] State state() const noexcept { return state_; }

 private:
  FileDescriptor file_;
  State state_ = State::absent;
};

}  // namespace quern
