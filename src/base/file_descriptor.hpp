// SPDX-License-Identifier: MIT
// An owned file descriptor, and complete reads and writes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace quern {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) noexcept : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) reset(std::exchange(other.fd_, -1));
    return *this;
  }
  ~FileDescriptor() { reset(); }

  // Opens for reading; not inherited by child processes, and without waiting for the other end of a pipe or
  // device.
  static FileDescriptor open_to_read(const std::string& path) noexcept;

  [[nodiscard]] bool valid() const noexcept { return fd_ >= 0; }
  [[nodiscard]] int get() const noexcept { return fd_; }
  [[nodiscard]] int release() noexcept { return std::exchange(fd_, -1); }
  void reset(int fd = -1) noexcept;  // preserves errno

 private:
  int fd_ = -1;
};

// Writes everything, or returns false with errno set. Exceeding the process's file size limit is an error
// (EFBIG) here, instead of a signal that would end the process.
bool write_all(int fd, std::span<const std::byte> bytes) noexcept;

// Reads exactly this many bytes at an offset; false if there are fewer or they cannot be read.
bool read_at(int fd, std::size_t offset, std::span<std::byte> bytes) noexcept;

// Reads a whole regular file of at most `limit` bytes.
std::optional<std::string> read_file(const std::string& path, std::size_t limit);

}  // namespace quern
