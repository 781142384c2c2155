// SPDX-License-Identifier: MIT
// File descriptors through POSIX system calls.
#include "base/file_descriptor.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace quern {

FileDescriptor FileDescriptor::open_to_read(const std::string& path) noexcept {
  int fd = -1;
  do fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  while (fd < 0 && errno == EINTR);
  return FileDescriptor(fd);
}

void FileDescriptor::reset(int fd) noexcept {
  if (fd_ >= 0) {
    const int error = errno;
    ::close(fd_);  // not retried after EINTR: Linux has closed it by then
    errno = error;
  }
  fd_ = fd;
}

bool write_all(int fd, std::span<const std::byte> bytes) noexcept {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    const off_t at = ::lseek(fd, 0, SEEK_CUR);
    if (at >= 0 && static_cast<rlim_t>(at) + bytes.size() > limit.rlim_cur) {
      errno = EFBIG;
      return false;
    }
  }
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

bool read_at(int fd, std::size_t offset, std::span<std::byte> bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t got = ::pread(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    offset += static_cast<std::size_t>(got);
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

std::optional<std::string> read_file(const std::string& path, std::size_t limit) {
  const FileDescriptor file = FileDescriptor::open_to_read(path);
  struct stat status = {};
  if (!file.valid() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  if (static_cast<std::size_t>(status.st_size) > limit) return std::nullopt;
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  if (!read_at(file.get(), 0, std::as_writable_bytes(std::span(text)))) return std::nullopt;
  return text;
}

}  // namespace quern
