// SPDX-License-Identifier: MIT
// A lock between processes that the kernel lets go of when its holder ends, however that happens.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/file_descriptor.hpp"

namespace quern {

// One byte of a file, by its place, locked for one holder. The byte need not be there: nothing is written,
// and the file stays empty. Different places of one file are different locks. Two holders in one process
// exclude each other like those of two processes.
class FileLock {
 public:
  enum class State : std::uint8_t {
    absent,  // the file cannot be locked (it is not open for writing, the file system has no locks)
    held,
    busy,  // another holder had it until the limit
  };

  FileLock() = default;
  // Waits for the place until it is free or the limit has passed, and calls check_interruption() meanwhile.
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
